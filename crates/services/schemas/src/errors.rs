//! Error codes of the service.

nephos_core::codes! {
    /// A parameter or document is invalid, or parameters cannot be combined.
    INVALID = "BadRequestException", 400, Invalid {
        invalid_next_token = "The NextToken is not valid.";
        invalid_tag(key) = "The tag key {key} or its value is not valid.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        duplicate_tag(key) = "Duplicate tag key {key}.";
        too_many_tags = "A resource can have at most 50 tags.";
    }
    /// The caller is not authenticated.
    UNAUTHORIZED = "UnauthorizedException", 401, Denied;
    /// Access is denied.
    FORBIDDEN = "ForbiddenException", 403, Denied;
    /// The registry, schema, version or discoverer does not exist.
    NOT_FOUND = "NotFoundException", 404, NotFound;
    /// A resource with this name, or a discoverer for this event bus, already exists.
    EXISTS = "ConflictException", 409, AlreadyExists;
    /// The resource is no longer available.
    GONE = "GoneException", 410, InState;
    /// A precondition of the request is not met.
    PRECONDITION_FAILED = "PreconditionFailedException", 412, Conflict;
    /// The request rate is too high.
    THROTTLED = "TooManyRequestsException", 429, Throttled;
    /// The service failed.
    INTERNAL = "InternalServerErrorException", 500, Internal;
    /// The service is unavailable.
    UNAVAILABLE = "ServiceUnavailableException", 503, Internal;
}

/// Returns the error for an invalid parameter.
pub(super) fn invalid(field: impl Into<String>, message: impl Into<String>) -> nephos_core::Error {
    INVALID.with_message(message).with_field(field)
}
