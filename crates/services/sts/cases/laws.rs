//! Facts about the kinds of the service for the laws over all kinds.

use nephos_sts::{AssumeRole, CallerIdentity};
use nephos_testing::{KindFacts, LawFacts};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[
        KindFacts::excluded::<AssumeRole>("a session is not stored: nothing lists or deletes it"),
        KindFacts::excluded::<CallerIdentity>(
            "there is one for each caller, and nothing creates or deletes it",
        ),
    ],
    open: &[
        ("AssumeRoleWithSAML", "the assertion proves the identity of the caller"),
        ("AssumeRoleWithWebIdentity", "the token proves the identity of the caller"),
        ("GetSessionToken", "the token has no more permissions than the caller"),
        ("GetCallerIdentity", "every caller may know its own identity"),
    ],
    ..LawFacts::of(&nephos_sts::SERVICE)
};
