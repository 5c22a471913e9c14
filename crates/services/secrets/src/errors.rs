//! What the service raises.

nephos_core::codes! {
    /// A parameter, or a mixture of parameters, breaks a rule.
    INVALID = "InvalidParameterException", 400, Invalid;
    /// A name has characters that names do not have.
    INVALID_NAME = "ValidationException", 400, Invalid;
    /// The state of the secret does not allow this.
    INVALID_REQUEST = "InvalidRequestException", 400, InState;
    /// There is no such secret, version or label.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound;
    /// There is a secret of that name, or a version of that id, already.
    EXISTS = "ResourceExistsException", 400, AlreadyExists;
    /// A quota is used up.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded;
    /// A resource policy is not written as one.
    MALFORMED_POLICY = "MalformedPolicyDocumentException", 400, Invalid;
    /// A resource policy would let everybody in.
    PUBLIC_POLICY = "PublicPolicyException", 400, Protected;
    /// Something that has to be true before is not.
    PRECONDITION = "PreconditionNotMetException", 400, Conflict;
    /// A page token is none of this listing, or has expired.
    INVALID_TOKEN = "InvalidNextTokenException", 400, Expired;
    /// The caller, or the service for them, may not do this.
    DENIED = "AccessDeniedException", 400, Denied;
    /// A value could not be encrypted.
    ENCRYPTION = "EncryptionFailure", 400, Unsupported;
    /// A value could not be decrypted.
    DECRYPTION = "DecryptionFailure", 400, Corrupt;
    /// The service does not answer.
    INTERNAL = "InternalServiceError", 500, Internal;
}
