//! What the service raises.

nephos_core::codes! {
    /// A parameter, or a mixture of parameters, breaks a rule.
    INVALID = "InvalidParameterException", 400, Invalid;
    /// There is no such log group, stream, filter or policy.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound;
    /// There is a log group or stream of that name already.
    EXISTS = "ResourceAlreadyExistsException", 400, AlreadyExists;
    /// The log group is protected from deletion.
    PROTECTED = "ValidationException", 400, Protected;
    /// The log group does not allow this.
    INVALID_OPERATION = "InvalidOperationException", 400, InState;
    /// The caller may not do this.
    DENIED = "AccessDeniedException", 400, Denied;
    /// Another change got in the way; try again.
    ABORTED = "OperationAbortedException", 400, Conflict;
    /// The log group would have more than 50 tags.
    TOO_MANY_TAGS = "TooManyTagsException", 400, LimitExceeded;
    /// A quota is used up.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded;
    /// The service does not answer.
    UNAVAILABLE = "ServiceUnavailableException", 500, Internal;
}

/// A refusal of a parameter.
pub(super) fn invalid(field: impl Into<String>, message: impl Into<String>) -> nephos_core::Error {
    INVALID.with_message(message).with_field(field)
}
