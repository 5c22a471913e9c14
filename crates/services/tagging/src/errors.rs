//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule, or parameters cannot be combined.
    INVALID = "InvalidParameterException", 400, Invalid {
        list_and_filters(parameter) = "ResourceARNList cannot be used with {parameter}.";
        page_sizes = "TagsPerPage and ResourcesPerPage cannot be used together.";
        tags_per_page = "TagsPerPage must be a multiple of 100 from 100 to 500.";
        details_missing = "ExcludeCompliantResources can only be used with IncludeComplianceDetails.";
    }
    /// The pagination token is expired or belongs to another query.
    TOKEN = "PaginationTokenExpiredException", 400, Expired {
        token_expired = "The PaginationToken is not valid or has expired.";
    }
}
