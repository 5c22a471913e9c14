//! Facts about the operations of the service for the laws over all operations.

use nephos_cloud::testing::LawFacts;

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    unpaged: &[
        ("GetTagKeys", "the page has no size"),
        ("GetTagValues", "the page has no size"),
        ("GetResources", "pages of the resources of all services are a case"),
    ],
    ..LawFacts::of(&crate::SERVICE)
};
