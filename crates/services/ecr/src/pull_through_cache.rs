//! Pull-through cache rules: prefixes of repositories whose images come from another registry. Images are not pulled here; the
//! rules are kept, and their upstream registries and secrets are checked.

mod operations;
mod upstream;

pub use operations::*;
pub use upstream::UpstreamRegistry;

use crate::errors;
use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, Text, Timestamp};

/// A rule: the images of repositories with a prefix come from another registry.
#[derive(Record)]
#[record(case = "camel")]
pub struct PullThroughCacheRule {
    /// Prefix of the repositories, unique in the registry; `ROOT` for all.
    #[field(
        length(2..=30),
        pattern = r"^([a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*\/?|ROOT)$"
    )]
    ecr_repository_prefix: Option<Text>,
    /// Host of the upstream registry.
    upstream_registry_url: Option<Text>,
    /// Time of creation.
    created_at: Option<Timestamp>,
    /// Account of the registry.
    registry_id: Option<Text>,
    /// ARN of the secret with the credentials for the upstream registry.
    #[field(
        length(50..=612),
        pattern = r"^arn:aws(-\w+)*:secretsmanager:[a-zA-Z0-9-:]+:secret:ecr\-pullthroughcache\/[a-zA-Z0-9\/_+=.@-]+$"
    )]
    credential_arn: Option<Text>,
    /// ARN of the role for an upstream registry of another account.
    #[field(length(..=2048))]
    custom_role_arn: Option<Text>,
    /// Prefix of the repositories of the upstream registry; `ROOT` for all.
    upstream_repository_prefix: Option<Text>,
    /// The upstream registry.
    upstream_registry: Option<UpstreamRegistry>,
    /// Time of the last change.
    updated_at: Option<Timestamp>,
}

nephos_cloud::stored!(PullThroughCacheRule in "ecr/pull-through-cache-rule" by ecr_repository_prefix);

/// Finds the rule with this prefix.
fn find(cx: &Tx<'_>, prefix: &str) -> Result<Option<PullThroughCacheRule>> {
    cx.get(&PullThroughCacheRule::table(cx.scope()).text(prefix))
}

/// Finds the rule with this prefix, or refuses.
fn require(cx: &Tx<'_>, prefix: &str) -> Result<PullThroughCacheRule> {
    let missing =
        || errors::cache_rule_not_found(prefix, cx.scope().account()).with_field("ecrRepositoryPrefix");
    find(cx, prefix)?.ok_or_else(missing)
}
