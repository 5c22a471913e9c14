//! Operations on pull-through cache rules.

use super::{PullThroughCacheRule, UpstreamRegistry, find, require};
use crate::{
    Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors,
    paging::{self, Page},
};
use nephos_cloud::{Handler, Quota, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Quota of rules per registry.
const RULES: Quota =
    Quota { counter: "ecr/pull-through-cache-rule", max: 50, what: "pull-through cache rules" };

/// Creates a pull-through cache rule.
#[operation(
    of = Repository, case = "camel", call = "create_pull_through_cache_rule", include(RegistryId), effect = write,
    output = PullThroughCacheRule, subject = "*", also_requires("iam:PassRole" = "customRoleArn? {customRoleArn}")
)]
pub struct CreatePullThroughCacheRule {
    /// Prefix of the repositories, unique in the registry; `ROOT` for all.
    #[field(like = PullThroughCacheRule::ecr_repository_prefix)]
    pub ecr_repository_prefix: Text,
    /// Host of the upstream registry.
    pub upstream_registry_url: Text,
    /// The upstream registry; the one with that host by default.
    pub upstream_registry: Option<UpstreamRegistry>,
    /// ARN of the secret with the credentials for the upstream registry.
    #[field(like = PullThroughCacheRule::credential_arn)]
    pub credential_arn: Option<Text>,
    /// ARN of the role for an upstream registry of another account.
    #[field(like = PullThroughCacheRule::custom_role_arn, no_effect)]
    pub custom_role_arn: Option<Text>,
    /// Prefix of the repositories of the upstream registry; `ROOT` for all.
    #[field(like = PullThroughCacheRule::ecr_repository_prefix, no_effect)]
    pub upstream_repository_prefix: Option<Text>,
}

impl Handler for CreatePullThroughCacheRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<PullThroughCacheRule> {
        run_in_registry(cx, self, |operation, cx| {
            if find(cx, &operation.ecr_repository_prefix)?.is_some() {
                let refused =
                    errors::cache_rule_exists(&operation.ecr_repository_prefix, cx.scope().account());
                return Err(refused.with_field("ecrRepositoryPrefix"));
            }
            let mut rule = PullThroughCacheRule::from_given(operation);
            if rule.upstream_registry.is_none() {
                rule.upstream_registry =
                    rule.upstream_registry_url.as_deref().and_then(UpstreamRegistry::find);
            }
            rule.check_upstream(cx)?;
            RULES.add_one(cx, errors::too_many_cache_rules)?;
            rule.registry_id = Some(cx.scope().account().into());
            rule.created_at = Some(cx.now());
            cx.put(PullThroughCacheRule { updated_at: rule.created_at, ..rule.clone() })?;
            Ok(rule)
        })
    }
}

/// Describes pull-through cache rules, in order of their prefixes, or in the order of the given prefixes.
#[operation(
    of = Repository, case = "camel", call = "list_pull_through_cache_rules",
    page(pull_through_cache_rules: PullThroughCacheRule, next_token), include(RegistryId, Page), effect = read,
    access = list, subject = "*"
)]
pub struct DescribePullThroughCacheRules {
    /// Prefixes of the rules; all if they are not given.
    #[field(length(1..=100), each(like = PullThroughCacheRule::ecr_repository_prefix))]
    pub ecr_repository_prefixes: Option<Vec<Text>>,
}

impl Handler for DescribePullThroughCacheRules {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let prefixes = operation.ecr_repository_prefixes.as_deref();
            Ok(paging::page_named_or_all(cx, &operation, "ecrRepositoryPrefixes", prefixes, require)?.into())
        })
    }
}

/// Changes the credentials or the role of a pull-through cache rule. What is not given stays.
#[operation(
    of = Repository, case = "camel", call = "update_pull_through_cache_rule", include(RegistryId), effect = write,
    output = PullThroughCacheRule, subject = "*", also_requires("iam:PassRole" = "customRoleArn? {customRoleArn}")
)]
pub struct UpdatePullThroughCacheRule {
    /// Prefix of the repositories.
    #[field(like = PullThroughCacheRule::ecr_repository_prefix)]
    pub ecr_repository_prefix: Text,
    /// ARN of the secret with the credentials for the upstream registry.
    #[field(like = PullThroughCacheRule::credential_arn)]
    pub credential_arn: Option<Text>,
    /// ARN of the role for an upstream registry of another account.
    #[field(like = PullThroughCacheRule::custom_role_arn, no_effect)]
    pub custom_role_arn: Option<Text>,
}

impl Handler for UpdatePullThroughCacheRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<PullThroughCacheRule> {
        run_in_registry(cx, self, |mut operation, cx| {
            let mut rule = require(cx, &operation.ecr_repository_prefix)?;
            operation.registry_id = None;
            rule.take_given(&mut operation);
            rule.check_upstream(cx)?;
            rule.updated_at = Some(cx.now());
            cx.put(rule.clone())?;
            Ok(PullThroughCacheRule {
                upstream_registry_url: None,
                upstream_registry: None,
                created_at: None,
                ..rule
            })
        })
    }
}

/// Deletes a pull-through cache rule, and returns it.
#[operation(
    of = Repository, case = "camel", call = "delete_pull_through_cache_rule", include(RegistryId), effect = write,
    output = PullThroughCacheRule, subject = "*"
)]
pub struct DeletePullThroughCacheRule {
    /// Prefix of the repositories.
    #[field(like = PullThroughCacheRule::ecr_repository_prefix)]
    pub ecr_repository_prefix: Text,
}

impl Handler for DeletePullThroughCacheRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<PullThroughCacheRule> {
        run_in_registry(cx, self, |operation, cx| {
            let rule = require(cx, &operation.ecr_repository_prefix)?;
            RULES.remove_one(cx)?;
            cx.remove(&rule)?;
            Ok(PullThroughCacheRule { upstream_registry: None, updated_at: None, ..rule })
        })
    }
}

/// Result of the validation of a pull-through cache rule.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ValidatePullThroughCacheRuleResponse {
    /// Prefix of the repositories.
    ecr_repository_prefix: Option<Text>,
    /// Account of the registry.
    registry_id: Option<Text>,
    /// Host of the upstream registry.
    upstream_registry_url: Option<Text>,
    /// ARN of the secret with the credentials.
    credential_arn: Option<Text>,
    /// ARN of the role.
    custom_role_arn: Option<Text>,
    /// Prefix of the repositories of the upstream registry.
    upstream_repository_prefix: Option<Text>,
    /// True if the rule can be used.
    is_valid: Option<bool>,
    /// Reason for which it cannot be used.
    failure: Option<Text>,
}

/// Validates a pull-through cache rule: its secret must still exist. The upstream registry is not called.
#[operation(
    of = Repository, case = "camel", call = "validate_pull_through_cache_rule", include(RegistryId), effect = read,
    output = ValidatePullThroughCacheRuleResponse, subject = "*"
)]
pub struct ValidatePullThroughCacheRule {
    /// Prefix of the repositories.
    #[field(like = PullThroughCacheRule::ecr_repository_prefix)]
    pub ecr_repository_prefix: Text,
}

impl Handler for ValidatePullThroughCacheRule {
    fn run(self, cx: &mut Tx<'_>) -> Result<ValidatePullThroughCacheRuleResponse> {
        run_in_registry(cx, self, |operation, cx| {
            let rule = require(cx, &operation.ecr_repository_prefix)?;
            let failure = rule.check_upstream(cx).err().map(|error| error.wire_message().into());
            let mut answer = ValidatePullThroughCacheRuleResponse::from_given(rule);
            answer.is_valid = Some(failure.is_none());
            answer.failure = failure;
            Ok(answer)
        })
    }
}
