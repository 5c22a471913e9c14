//! Behaviour cases of security tokens.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the case")]

mod identity;

nephos_cloud::world!(crate::STS);

nephos_cloud::cases! {
    "sts", World;
    identity {
        caller_is_the_root_of_its_account,
        identity_cannot_be_changed,
    }
}
