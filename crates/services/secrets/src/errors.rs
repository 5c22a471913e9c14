//! Error codes of the service.

nephos_core::codes! {
    /// A parameter is invalid, or parameters cannot be combined.
    INVALID = "InvalidParameterException", 400, Invalid {
        invalid_tag(key) = "The tag key '{key}' or its value isn't valid.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        duplicate_tag(key) = "You can't use the tag key '{key}' more than once.";
        too_many_tags = "You can't attach more than 50 tags to a secret.";
    }
    /// A name contains a character that is not allowed.
    INVALID_NAME = "ValidationException", 400, Invalid;
    /// The operation is not allowed in the current state of the secret.
    INVALID_REQUEST = "InvalidRequestException", 400, InState;
    /// The secret, version or label does not exist.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound;
    /// A secret with this name, or a version with this ID, already exists.
    EXISTS = "ResourceExistsException", 400, AlreadyExists;
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        too_many_secrets = "You've exceeded the quota of secrets.";
    }
    /// A resource policy is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocumentException", 400, Invalid {
        malformed_policy = "This resource policy contains a syntax error.";
    }
    /// A resource policy would grant access to everyone.
    PUBLIC_POLICY = "PublicPolicyException", 400, Protected;
    /// A precondition is not met.
    PRECONDITION = "PreconditionNotMetException", 400, Conflict;
    /// A pagination token belongs to another listing, or has expired.
    INVALID_TOKEN = "InvalidNextTokenException", 400, Expired {
        invalid_next_token = "Invalid NextToken.";
    }
    /// Access is denied, to the caller or to the service on their behalf.
    DENIED = "AccessDeniedException", 400, Denied;
    /// A value cannot be encrypted.
    ENCRYPTION = "EncryptionFailure", 400, Unsupported;
    /// A value cannot be decrypted.
    DECRYPTION = "DecryptionFailure", 400, Corrupt;
    /// The service failed.
    INTERNAL = "InternalServiceError", 500, Internal;
}
