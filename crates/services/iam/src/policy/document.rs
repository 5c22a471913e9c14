//! Policy documents: validation, size, and percent-encoding, in which the service returns them.

use crate::errors;
use nephos_cloud::{Malformed, PolicyRules, PolicyService, Resources};
use nephos_core::{Error, Record, Result, Text, percent};

/// Rules for policies of identities, whose statements name no principals.
const IDENTITY: PolicyRules = PolicyRules::new("PolicyDocument", malformed_policy);

/// Rules for trust policies of roles, whose statements allow principals to assume the role.
const TRUST: PolicyRules = PolicyRules {
    has_principals: true,
    resources: Resources::None,
    service: Some(PolicyService { name: "sts", resource: "role", action: "sts:AssumeRole", narrowing: &[] }),
    ..PolicyRules::new("PolicyDocument", malformed_policy)
};

/// Parameter with the document of a policy.
#[derive(Record)]
#[record(shared)]
pub struct Document {
    /// Policy document in JSON.
    #[field(required, length(1..=131_072), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    policy_document: Option<Text>,
}

/// Converts the reason for which a document is malformed to the error of the provider. Services with policies of identities
/// replace its code by their own.
pub fn malformed_policy(reason: &Malformed) -> Error {
    let error = match reason {
        Malformed::NotJson => errors::policy_not_json(),
        Malformed::OldVersion => errors::policy_version_old(),
        Malformed::Legacy(_) => errors::policy_legacy(),
        Malformed::Sid => errors::policy_sid(),
        Malformed::RepeatedSid(_) => errors::policy_sid_repeated(),
        Malformed::Missing("Principal", _) => errors::trust_policy_without_principal(),
        Malformed::Missing("Action", _) => errors::policy_without_actions(),
        Malformed::Missing(..) => errors::policy_without_resources(),
        Malformed::Prohibited("Principal" | "NotPrincipal") => errors::policy_with_principal(),
        Malformed::Prohibited(element) => errors::trust_policy_with_resource(element),
        Malformed::PrincipalName { kind, name } => errors::policy_principal(kind, name),
        Malformed::Action(_) => errors::policy_action_without_vendor(),
        Malformed::Colons(_) => errors::policy_action_colons(),
        Malformed::Vendor(vendor) => errors::policy_vendor(vendor),
        Malformed::ResourceVendor => errors::policy_resource_vendor(),
        Malformed::Partition { partition, arn } => errors::policy_partition(partition, arn),
        Malformed::Region { resource, is_identity: true } => errors::policy_identity_region(resource),
        Malformed::Region { resource, .. } => errors::policy_region(resource),
        Malformed::IdentityPath(starts) => errors::policy_identity_path(starts),
        Malformed::ForeignAction { .. } => errors::trust_policy_action(),
        Malformed::Resource(resource) => errors::policy_resource(resource),
        _ => errors::policy_syntax(),
    };
    error.with_hint(reason.to_string())
}

/// Refuses a document that is not a policy of an identity.
pub(crate) fn check_identity_policy(document: &str) -> Result<()> {
    IDENTITY.parse(document).map(drop)
}

/// Refuses a document that is not a managed policy: the policy of an identity in the current version.
pub fn check_managed_policy(document: &str) -> Result<()> {
    PolicyRules { needs_current_version: true, ..IDENTITY }.parse(document).map(drop)
}

/// Refuses a document that is not a trust policy: its statements name principals and actions, and no resources.
pub(crate) fn check_trust_policy(document: &str, parameter: &'static str) -> Result<()> {
    PolicyRules { parameter, ..TRUST }.parse(document).map(drop)
}

/// Number of characters of a document that count for quotas: all but whitespace.
pub(crate) fn size(document: &str) -> usize {
    document.chars().filter(|character| !character.is_ascii_whitespace()).count()
}

/// Percent-encodes a document: all bytes except letters, digits and `-._~`.
pub fn encode(document: &str) -> Text {
    let mut encoded = String::with_capacity(2 * document.len());
    percent::encode(&mut encoded, document, false);
    encoded.into()
}

/// Decodes a percent-encoded document. A document that is not percent-encoded stays as it is.
pub fn decode(encoded: &str) -> Text {
    percent::decode(encoded, false).unwrap_or_else(|| encoded.into())
}
