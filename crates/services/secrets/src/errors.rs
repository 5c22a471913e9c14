//! Error codes of the service.

nephos_core::codes! {
    /// A parameter is invalid, or parameters cannot be combined.
    INVALID = "InvalidParameterException", 400, Invalid;
    /// A name contains a character that is not allowed.
    INVALID_NAME = "ValidationException", 400, Invalid;
    /// The operation is not allowed in the current state of the secret.
    INVALID_REQUEST = "InvalidRequestException", 400, InState;
    /// The secret, version or label does not exist.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound;
    /// A secret with this name, or a version with this ID, already exists.
    EXISTS = "ResourceExistsException", 400, AlreadyExists;
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded;
    /// A resource policy is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocumentException", 400, Invalid;
    /// A resource policy would grant access to everyone.
    PUBLIC_POLICY = "PublicPolicyException", 400, Protected;
    /// A precondition is not met.
    PRECONDITION = "PreconditionNotMetException", 400, Conflict;
    /// A pagination token belongs to another listing, or has expired.
    INVALID_TOKEN = "InvalidNextTokenException", 400, Expired;
    /// Access is denied, to the caller or to the service on their behalf.
    DENIED = "AccessDeniedException", 400, Denied;
    /// A value cannot be encrypted.
    ENCRYPTION = "EncryptionFailure", 400, Unsupported;
    /// A value cannot be decrypted.
    DECRYPTION = "DecryptionFailure", 400, Corrupt;
    /// The service failed.
    INTERNAL = "InternalServiceError", 500, Internal;
}
