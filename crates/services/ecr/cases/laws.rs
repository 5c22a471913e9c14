//! Facts about the kinds of the service for the laws over all kinds.

use crate::Repository;
use nephos_cloud::testing::{KindFacts, LawFacts};

const REPOSITORY: KindFacts = KindFacts {
    examples: &[
        r#"{"repositoryName": "api", "imageTagMutability": "MUTABLE", "imageScanningConfiguration": {"scanOnPush": false}}"#,
        r#"{"repositoryName": "team/web", "imageTagMutability": "IMMUTABLE", "imageScanningConfiguration": {"scanOnPush": true},
        "encryptionConfiguration": {"encryptionType": "AES256"}, "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    ..KindFacts::of::<Repository>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts { kinds: &[REPOSITORY], ..LawFacts::of(&crate::SERVICE) };
