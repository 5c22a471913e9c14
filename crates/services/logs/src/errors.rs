//! Error codes of the service.

nephos_core::codes! {
    /// A parameter, or a combination of parameters, is invalid.
    INVALID = "InvalidParameterException", 400, Invalid {
        invalid_next_token = "The specified nextToken is invalid.";
        invalid_tag(key) = "The tag key '{key}' or its value is not valid.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        duplicate_tag(key) = "Duplicate tag key '{key}' specified.";
    }
    /// The log group, log stream, filter or policy does not exist.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound;
    /// A log group or log stream with this name already exists.
    EXISTS = "ResourceAlreadyExistsException", 400, AlreadyExists;
    /// The log group is protected from deletion.
    PROTECTED = "ValidationException", 400, Protected;
    /// The log group does not support this operation.
    INVALID_OPERATION = "InvalidOperationException", 400, InState;
    /// The caller is not authorized to do this.
    DENIED = "AccessDeniedException", 400, Denied;
    /// A concurrent change conflicts with this one; retry.
    ABORTED = "OperationAbortedException", 400, Conflict;
    /// The log group would have more than 50 tags.
    TOO_MANY_TAGS = "TooManyTagsException", 400, LimitExceeded {
        too_many_tags = "The resource has more than 50 tags.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        limit_exceeded = "Resource limit exceeded.";
    }
    /// The service is unavailable.
    UNAVAILABLE = "ServiceUnavailableException", 500, Internal;
}

/// Returns the error for an invalid parameter.
pub(super) fn invalid(field: impl Into<String>, message: impl Into<String>) -> nephos_core::Error {
    INVALID.with_message(message).with_field(field)
}
