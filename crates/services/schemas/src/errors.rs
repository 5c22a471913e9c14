//! The errors of the service.

nephos_core::codes! {
    /// A parameter, a document or a mixture of parameters breaks a rule.
    INVALID = "BadRequestException", 400, Invalid;
    /// The caller is not known.
    UNAUTHORIZED = "UnauthorizedException", 401, Denied;
    /// The caller may not do this.
    FORBIDDEN = "ForbiddenException", 403, Denied;
    /// There is no such registry, schema, version or discoverer.
    NOT_FOUND = "NotFoundException", 404, NotFound;
    /// There is one of that name, or for that event bus, already.
    EXISTS = "ConflictException", 409, AlreadyExists;
    /// What was asked for is no longer offered.
    GONE = "GoneException", 410, InState;
    /// The resource is not as the caller expected it.
    PRECONDITION_FAILED = "PreconditionFailedException", 412, Conflict;
    /// Too many requests.
    THROTTLED = "TooManyRequestsException", 429, Throttled;
    /// The service failed.
    INTERNAL = "InternalServerErrorException", 500, Internal;
    /// The service does not answer.
    UNAVAILABLE = "ServiceUnavailableException", 503, Internal;
}

/// A refusal of a parameter.
pub(super) fn invalid(field: impl Into<String>, message: impl Into<String>) -> nephos_core::Error {
    INVALID.with_message(message).with_field(field)
}
