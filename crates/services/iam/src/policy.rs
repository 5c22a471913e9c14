//! Managed policies.

pub(crate) mod attachment;
pub(crate) mod boundary;
pub(crate) mod document;
pub(crate) mod inline_policy;
pub(crate) mod managed;
pub(crate) mod policy_entities;
pub(crate) mod policy_use;
pub(crate) mod policy_version;

pub use attachment::*;
pub use boundary::*;
pub use document::malformed_policy;
pub use inline_policy::*;
pub use policy_entities::*;
pub use policy_use::*;
pub use policy_version::*;

use crate::{
    entity::{self, Entity, arns},
    errors,
    paging::Page,
    policy::document::Document,
    tagging,
};
use nephos_cloud::{Addressed as _, Handler, Quota, Stored as _, Tx};
use nephos_core::{
    Arn, Empty, Operation as _, Record, Resource, Result, Slot, Tag, Text, Timestamp, choices, operation,
};

/// Quota of policies in an account.
pub(crate) const POLICIES: Quota = Quota { counter: "iam/policies", max: 1500, what: "policies" };

/// A managed policy: permissions that are attached to users, groups and roles, in versions.
#[derive(Resource)]
#[resource(
    arn("Arn", "policy{Path: /=/}{PolicyName}"), name = "PolicyName", pk = "Arn", saved_when = "Arn", tags = "Tags",
    not_found = |name| errors::policy_not_found(name)
)]
pub struct Policy {
    /// Name of the policy, unique within the account, ignoring case.
    #[field(required, fixed, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(crate) policy_name: Option<Text>,
    /// Unique ID of the policy.
    #[field(service_set)]
    pub(crate) policy_id: Option<Text>,
    /// ARN of the policy.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Path of the policy: `/` or `/team/web/`.
    #[field(fixed, length(1..=512), pattern = r"((/[A-Za-z0-9\.,\+@=_-]+)*)/")]
    pub(crate) path: Option<Text>,
    /// ID of the default version.
    #[field(service_set)]
    pub(crate) default_version_id: Option<Text>,
    /// Number of users, groups and roles that the policy is attached to.
    #[field(service_set)]
    pub(crate) attachment_count: Option<i64>,
    /// Number of users and roles whose permissions boundary the policy is.
    #[field(service_set)]
    pub(crate) permissions_boundary_usage_count: Option<i64>,
    /// True if the policy can be attached.
    #[field(service_set)]
    pub(crate) is_attachable: Option<bool>,
    /// Description.
    #[field(unlisted, fixed, length(..=1000))]
    pub(crate) description: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_date: Option<Timestamp>,
    /// Time of the creation of the default version.
    #[field(service_set)]
    pub(crate) update_date: Option<Timestamp>,
    /// Tags.
    #[field(unlisted, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

entity::entity! {
    Policy in "iam/policy": "policy", policy_name, policy_id "ANPA", create_date, taken errors::policy_exists
}

/// Finds the policy with this ARN.
///
/// # Errors
///
/// Refused if the text is not the ARN of a policy.
pub(crate) fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Policy>> {
    let parts = Arn::parts(arn)
        .filter(|[_, service, .., resource]| *service == "iam" && resource.starts_with("policy/"));
    if parts.is_none() {
        return Err(arns::invalid_arn(arn).with_field(field));
    }
    if managed::is_managed_arn(arn) { managed::find(cx, arn) } else { entity::find_by_arn(cx, arn) }
}

/// Finds the policy with this unique ID, of the account or of the provider.
pub(crate) fn find_by_id(cx: &Tx<'_>, id: Option<&Text>) -> Result<Option<Policy>> {
    let id = id.map(Text::as_str).unwrap_or_default();
    let own = entity::find_by_id(cx, id)?;
    if own.is_some() { Ok(own) } else { managed::find_by_id(cx, id) }
}

/// Refuses to change a policy of the provider.
pub(crate) fn check_own(cx: &Tx<'_>, policy: &Policy, action: &str) -> Result<()> {
    let arn = policy.arn.as_deref().unwrap_or_default();
    if !managed::is_managed_arn(arn) {
        return Ok(());
    }
    let refused = errors::managed_policy_denied(cx.caller().principal().arn, action, arn);
    Err(refused.with_hint("policies of the provider cannot be changed"))
}

/// Finds the policy with this ARN, or refuses.
pub(crate) fn require(cx: &Tx<'_>, arn: &str) -> Result<Policy> {
    find(cx, arn, "PolicyArn")?.ok_or_else(|| Policy::not_found(arn))
}

/// ARN of an existing policy.
#[derive(Record)]
#[record(shared)]
pub struct ExistingPolicy {
    /// ARN of the policy.
    #[field(required, from = "Arn", length(20..=2048))]
    policy_arn: Option<Text>,
}

/// Creates a policy with a first version, which is the default version.
#[operation(
    of = Policy, call = "create", model, needs(policy_name), takes(settable), wraps(policy), effect = write,
    further("TagPolicy" = "Tags?")
)]
pub struct CreatePolicy {
    /// Policy document in JSON.
    #[field(like = Document::policy_document)]
    pub policy_document: Text,
}

impl Handler for CreatePolicy {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.tags = tagging::read(self.tags.as_deref())?;
        policy_version::check_document(&self.policy_document)?;
        if let Some(taken) = entity::find::<Policy>(cx, &self.policy_name)? {
            return Err(errors::policy_exists(&self.policy_name).with_hint(taken.arn.unwrap_or_default()));
        }
        POLICIES.add_one(cx, || errors::quota_exceeded("PoliciesPerAccount", POLICIES.max))?;
        let text = self.policy_document.clone();
        let mut policy = Policy::from_given(self);
        policy.attachment_count = Some(0);
        policy.permissions_boundary_usage_count = Some(0);
        policy.is_attachable = Some(true);
        policy.update_date = Some(cx.now());
        policy.default_version_id = Some(policy_version::FIRST_VERSION.into());
        let policy = entity::create(cx, policy)?;
        policy_version::put_first(cx, &policy, text)?;
        Ok(policy.into())
    }
}

/// Returns a policy, without its document.
#[operation(
    of = Policy, call = "get", optional, also(ExistingPolicy), wraps(policy), effect = read
)]
pub struct GetPolicy {}

impl Handler for GetPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(require(cx, &self.policy_arn)?.into())
    }
}

choices! {
    /// Owner of policies.
    pub enum PolicyScope {
        /// The account and the provider.
        All,
        /// The provider.
        Aws = "AWS",
        /// The account.
        Local,
    }
}

choices! {
    /// Use of a policy.
    pub enum PolicyUsage {
        /// Attached to a user, group or role.
        PermissionsPolicy,
        /// Permissions boundary of a user or role.
        PermissionsBoundary,
    }
}

/// Lists policies in order of their names; with a path prefix, in order of their paths and names.
#[operation(
    of = Policy, call = "list", page(policies, marker, is_truncated), also(Page),
    pushes(path_prefix = "Path"), effect = read, subject = "policy/*"
)]
pub struct ListPolicies {
    /// Owner of the policies; all by default.
    pub scope: Option<PolicyScope>,
    /// True to list only policies that are attached.
    pub only_attached: Option<bool>,
    /// Prefix of the paths; all by default.
    #[field(like = Policy::path)]
    pub path_prefix: Option<Text>,
    /// Use that the policies have.
    pub policy_usage_filter: Option<PolicyUsage>,
}

impl ListPolicies {
    /// True if the policy has the required use.
    fn is_listed(&self, policy: &Policy) -> bool {
        let attached = policy.attachment_count.unwrap_or_default() > 0;
        let bounding = policy.permissions_boundary_usage_count.unwrap_or_default() > 0;
        match self.policy_usage_filter {
            Some(PolicyUsage::PermissionsPolicy) => attached,
            Some(PolicyUsage::PermissionsBoundary) => bounding,
            _ => self.only_attached != Some(true) || attached || bounding,
        }
    }

    /// Returns one page of the policies of the provider, and, unless only these are listed, of the account.
    fn page_with_managed(&self, cx: &Tx<'_>) -> Result<ListPoliciesResponse> {
        let prefix = self.path_prefix.as_deref().filter(|prefix| *prefix != entity::ROOT_PATH);
        let mut policies = managed::all(cx)?;
        if self.scope != Some(PolicyScope::Aws) {
            policies.extend(cx.all::<Policy>(&Policy::table(cx.scope()))?);
        }
        policies.retain(|policy| prefix.is_none_or(|prefix| policy.identity()[0].starts_with(prefix)));
        let position = |policy: &Policy| {
            // A policy of the account can have the name of one of the provider.
            let arn = policy.arn.as_deref().unwrap_or_default();
            let path = prefix.map_or("", |_| policy.identity()[0]);
            Text::from(format!("{path}\0{}\0{arn}", policy.key_of_name()))
        };
        policies.sort_by_cached_key(position);
        let listed = policies.into_iter().filter(|policy| self.is_listed(policy));
        Ok(cx.page_items(self, listed, position)?.into())
    }
}

impl Handler for ListPolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if self.scope != Some(PolicyScope::Local) {
            return self.page_with_managed(cx);
        }
        let convert = |policy: Policy| Ok(Some(policy).filter(|policy| self.is_listed(policy)));
        Ok(entity::page(cx, &self, self.path_prefix.as_ref(), convert)?.into())
    }
}

/// Deletes a policy with its only version. It must not be attached or a permissions boundary.
#[operation(
    of = Policy, call = "delete", instance, also(ExistingPolicy),
    effect = write
)]
pub struct DeletePolicy {}

impl Handler for DeletePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let policy = require(cx, &self.policy_arn)?;
        check_own(cx, &policy, Self::OPERATION.name)?;
        if policy.attachment_count != Some(0) || policy.permissions_boundary_usage_count != Some(0) {
            return Err(errors::policy_attached());
        }
        let versions = policy_version::all(cx, &policy)?;
        if versions.len() > 1 {
            return Err(errors::policy_has_versions());
        }
        versions.iter().try_for_each(|version| policy_version::remove(cx, version))?;
        cx.remove_row(&policy_version::counter_key(cx.scope(), policy.id()))?;
        POLICIES.remove_one(cx)?;
        entity::remove(cx, &policy)?;
        Ok(Empty {})
    }
}

/// Changes the tags of a policy, where the model was changed.
#[operation(kind = Policy, call = "update", changes(), effect = write)]
pub struct PolicyUpdate {}
