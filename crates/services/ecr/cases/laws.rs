//! Facts about the kinds of the service for the laws over all kinds.

use crate::Repository;
use nephos_cloud::testing::{KindFacts, LawFacts};

/// Filters need a mutability that has exclusions.
const EXCLUSION: &str = r#"{"imageTagMutability": "IMMUTABLE_WITH_EXCLUSION",
    "imageTagMutabilityExclusionFilters": [{"filterType": "WILDCARD", "filter": "dev-*"}]}"#;

const REPOSITORY: KindFacts = KindFacts {
    examples: &[
        r#"{"repositoryName": "api", "imageTagMutability": "MUTABLE", "imageScanningConfiguration": {"scanOnPush": false}}"#,
        r#"{"repositoryName": "team/web", "imageTagMutability": "IMMUTABLE", "imageScanningConfiguration": {"scanOnPush": true},
        "encryptionConfiguration": {"encryptionType": "AES256"}, "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    changes: &[EXCLUSION],
    settings: &[EXCLUSION, r#"{"registryId": "123456789012"}"#],
    calls_without_resource: &[
        "set_registry_policy",
        "get_registry_policy",
        "delete_registry_policy",
        "describe_registry",
        "set_replication",
        "get_registry_scanning",
        "set_registry_scanning",
        "get_scanning",
        "get_account_setting",
        "set_account_setting",
    ],
    ..KindFacts::of::<Repository>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts { kinds: &[REPOSITORY], ..LawFacts::of(&crate::SERVICE) };
