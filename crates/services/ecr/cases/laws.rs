//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Result, Session, Text};
use nephos_ecr::{Image, RCTAppliedFor, Repository};
use nephos_testing::{FilledResource, KindFacts, LawFacts, RemainingRows, Step};

/// Filters need a mutability that has exclusions.
const EXCLUSION: &str = r#"{"imageTagMutability": "IMMUTABLE_WITH_EXCLUSION",
    "imageTagMutabilityExclusionFilters": [{"filterType": "WILDCARD", "filter": "dev-*"}]}"#;

/// Policy that both a repository and a creation template can have.
const POLICY: &str =
    r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "ecr:DescribeRepositories"}}"#;

const LIFECYCLE_POLICY: &str = r#"{"rules": [{"rulePriority": 1, "description": "old images", "selection": {"tagStatus": "any",
    "countType": "sinceImagePushed", "countUnit": "days", "countNumber": 14}, "action": {"type": "expire"}}]}"#;

/// Empty lists of images, which need no layers.
const FIRST_IMAGE: &str =
    r#"{"imageManifest": "{\"mediaType\": \"application/vnd.oci.image.index.v1+json\"}", "imageTag": "one"}"#;
/// Lists about an image that does not exist.
const SECOND_IMAGE: &str = r#"{"imageManifest": "{\"mediaType\": \"application/vnd.oci.image.index.v1+json\", \"subject\": {\"digest\": \"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}}"}"#;
const THIRD_IMAGE: &str = r#"{"imageManifest": "{\"mediaType\": \"application/vnd.oci.image.index.v1+json\", \"subject\": {\"digest\": \"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}, \"manifests\": []}"}"#;
/// A preview of a policy that selects two of these images.
const PREVIEW: &str = r#"{"lifecyclePolicyText": "{\"rules\": [{\"rulePriority\": 1, \"selection\": {\"tagStatus\": \"any\", \"countType\": \"imageCountMoreThan\", \"countNumber\": 1}, \"action\": {\"type\": \"expire\"}}]}"}"#;

const REPOSITORY: KindFacts = KindFacts {
    examples: &[
        r#"{"repositoryName": "api", "imageTagMutability": "MUTABLE", "imageScanningConfiguration": {"scanOnPush": false}}"#,
        r#"{"repositoryName": "team/web", "imageTagMutability": "IMMUTABLE", "imageScanningConfiguration": {"scanOnPush": true},
        "encryptionConfiguration": {"encryptionType": "CRYPTO", "cryptoKey": "$CryptoKey0.Arn"},
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    changes: &[EXCLUSION],
    settings: &[EXCLUSION, r#"{"registryId": "123456789012"}"#],
    extras: &[
        Step::last(
            "set_policy",
            r#"{"policyText": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"ecr:DescribeRepositories\"}}"}"#,
        ),
        Step::last(
            "set_lifecycle_policy",
            r#"{"lifecyclePolicyText": "{\"rules\": [{\"rulePriority\": 1, \"selection\": {\"tagStatus\": \"any\", \"countType\": \"imageCountMoreThan\", \"countNumber\": 14}, \"action\": {\"type\": \"expire\"}}]}"}"#,
        ),
    ],
    page_items: &[
        Step::last("put_image", FIRST_IMAGE),
        Step::last("put_image", SECOND_IMAGE),
        Step::last("put_image", THIRD_IMAGE),
        Step::last("start_lifecycle_policy_preview", PREVIEW),
        Step::last(
            "create_pull_through_cache_rule",
            r#"{"ecrRepositoryPrefix": "one", "upstreamRegistryUrl": "quay.io"}"#,
        ),
        Step::last(
            "create_pull_through_cache_rule",
            r#"{"ecrRepositoryPrefix": "two", "upstreamRegistryUrl": "quay.io"}"#,
        ),
        Step::last("create_creation_template", r#"{"prefix": "one", "appliedFor": ["REPLICATION"]}"#),
        Step::last("create_creation_template", r#"{"prefix": "two", "appliedFor": ["REPLICATION"]}"#),
    ],
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
        "create_pull_through_cache_rule",
        "list_pull_through_cache_rules",
        "update_pull_through_cache_rule",
        "delete_pull_through_cache_rule",
        "validate_pull_through_cache_rule",
        "create_creation_template",
        "list_creation_templates",
        "update_creation_template",
        "delete_creation_template",
    ],
    ..KindFacts::of::<Repository>()
};

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[
        REPOSITORY,
        KindFacts::excluded::<Image>("images are pushed to repositories, and are read-only"),
    ],
    values: &[
        ("policyText", POLICY),
        ("repositoryPolicy", POLICY),
        ("lifecyclePolicyText", LIFECYCLE_POLICY),
        ("lifecyclePolicy", LIFECYCLE_POLICY),
        ("upstreamRegistryUrl", "quay.io"),
        ("ecrRepositoryPrefix", "cache"),
        ("prefix", "team"),
        ("imageManifest", r#"{"mediaType": "application/vnd.oci.image.index.v1+json"}"#),
        ("imageManifestMediaType", "application/vnd.oci.image.index.v1+json"),
        ("name", "REGISTRY_POLICY_SCOPE"),
        ("value", "V2"),
    ],
    unchecked_references: &[(&["Repository set_account_setting name"], "is the name of a setting")],
    unpaged: &[(
        "DescribeImageScanFindings",
        "its pages are in a record of the answer; a case compares them",
    )],
    page_parameters: &[(
        "ListImageReferrers",
        r#"{"repositoryName": "team/web", "subjectId": {"imageDigest": "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}}"#,
    )],
    remaining_rows: &[(
        RemainingRows::Table("ecr/registry"),
        "every account has a registry, with its settings",
    )],
    clean_up: delete_rules_and_templates,
    fill_tables,
    ..LawFacts::of(&nephos_ecr::SERVICE)
};

/// Adds settings of the registry, a pull-through cache rule and a creation template.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    let repositories = Repository::objects(session);
    repositories.set_account_setting("BLOB_MOUNTING", "ENABLED").wait()?;
    repositories.create_pull_through_cache_rule("quay", "quay.io").wait()?;
    repositories.create_creation_template("team", [RCTAppliedFor::Replication]).wait()?;
    Ok(Vec::new())
}

fn delete_rules_and_templates(session: &Session) -> Result<()> {
    let repositories = Repository::objects(session);
    for rule in repositories.list_pull_through_cache_rules().wait()? {
        let prefix = rule.ecr_repository_prefix().map(Text::from).unwrap_or_default();
        repositories.delete_pull_through_cache_rule(prefix).wait()?;
    }
    for template in repositories.list_creation_templates().wait()? {
        let prefix = template.prefix().map(Text::from).unwrap_or_default();
        repositories.delete_creation_template(prefix).wait()?;
    }
    Ok(())
}
