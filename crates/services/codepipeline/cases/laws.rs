//! Facts about the kinds of the service for the laws over all kinds.

use nephos_cloud::testing::LawFacts;

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts { ..LawFacts::of(&crate::SERVICE) };
