//! Error codes of the service, and its texts on the wire.

nephos_core::codes! {
    /// A parameter is invalid.
    VALIDATION = "ValidationException", 400, Invalid {
        invalid_next_token = "The nextToken is not valid.";
    }
    /// Access is denied.
    DENIED = "AccessDeniedException", 403, Denied;
    /// The service failed.
    INTERNAL = "InternalServerException", 500, Internal;
}
