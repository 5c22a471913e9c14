//! Error codes of the service.

nephos_core::codes! {
    /// A parameter is invalid.
    INVALID = "ValidationError", 400, Invalid {
        invalid_token = "The token is invalid.";
    }
}
