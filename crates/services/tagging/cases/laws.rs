//! Facts about the operations of the service for the laws over all operations.

use nephos_testing::LawFacts;

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    unpaged: &[
        ("GetTagKeys", "the page has no size"),
        ("GetTagValues", "the page has no size"),
        ("GetResources", "pages of the resources of all services are a case"),
    ],
    ..LawFacts::of(&nephos_tagging::SERVICE)
};
