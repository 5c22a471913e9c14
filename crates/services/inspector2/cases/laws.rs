//! Facts about the kinds of the service for the laws over all kinds.

use nephos_inspector2::Finding;
use nephos_testing::{KindFacts, LawFacts};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[KindFacts::excluded::<Finding>("findings are those of scans of images, and are read-only")],
    unpaged: &[("ListFindings", "findings are those of scans of images; a case of ecr compares the pages")],
    ..LawFacts::of(&nephos_inspector2::SERVICE)
};
