//! Operations on policies.

use super::{
    ExistingPolicy, POLICIES, Policy, PolicyManager, check_own,
    managed::{self, ManagedPolicy},
    policy_version, require,
};
use crate::{
    entity::{self, Entity},
    errors,
    paging::Page,
    policy::document::Document,
    tagging,
};
use nephos_cloud::{Handler, Stored as _, Tx};
use nephos_core::{Empty, Operation as _, Record, Result, Text, choices, operation};

/// Creates a policy with a first version, which is the default version.
#[operation(
    of = Policy, call = "create", model, needs(policy_name), takes(settable), wraps(policy), copies_to_answer(description),
    effect = write, also_requires("TagPolicy" = "Tags?")
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
        let mut policy = entity::create(cx, policy)?;
        policy_version::put_first(cx, &policy, text)?;
        // Only GetPolicy answers it.
        policy.description = None;
        Ok(policy.into())
    }
}

/// Returns a policy, without its document.
#[operation(of = Policy, call = "get", none_if_missing, include(ExistingPolicy), wraps(policy), effect = read)]
pub struct GetPolicy {}

impl Handler for GetPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut policy = require(cx, &self.policy_arn)?;
        policy.tags.get_or_insert_default();
        Ok(policy.into())
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
    of = Policy, call = "list", page(policies, marker, is_truncated), include(Page),
    pushdown(path_prefix = "Path"), effect = read, subject = "policy/*"
)]
pub struct ListPolicies {
    /// Owner of the policies; all by default.
    pub scope: Option<PolicyScope>,
    /// True to list only policies that are attached.
    pub only_attached: Option<bool>,
    /// Prefix of the paths; all by default.
    #[field(length(1..=512), pattern(r"(/)|(/[\x21-\x7E]+/)", errors::path_prefix_invalid))]
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
        let is_within = |path: &str| prefix.is_none_or(|prefix| path.starts_with(prefix));
        // A policy of the account can have the name of one of the provider, and is listed before it.
        let position = |path: &str, name: &str, owner: &str| -> Text {
            [prefix.map_or("", |_| path), "\0", name, "\0", owner].concat().into()
        };
        let only_used = self.only_attached == Some(true) || self.policy_usage_filter.is_some();
        let mut listed = Vec::new();
        for policy in managed::all(cx, only_used)? {
            let (name, path) = policy.position();
            if is_within(path) {
                listed.push((position(path, &name, "provider"), Listed::Managed(policy)));
            }
        }
        if self.scope != Some(PolicyScope::Aws) {
            for policy in cx.all::<Policy>(&Policy::table(cx.scope()))? {
                let path = policy.identity()[0];
                if is_within(path) && self.is_listed(&policy) {
                    listed.push((
                        position(path, &policy.key_of_name(), "account"),
                        Listed::Own(Box::new(policy)),
                    ));
                }
            }
        }
        if only_used {
            listed.retain(|(_, listed)| match listed {
                Listed::Own(_) => true,
                Listed::Managed(policy) => policy.to_policy(cx).is_ok_and(|policy| self.is_listed(&policy)),
            });
        }
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let (page, next) = cx.page_items(self, listed, |(position, _)| position.clone())?;
        let to_policy = |(_, listed)| match listed {
            Listed::Own(policy) => Ok(*policy),
            Listed::Managed(policy) => policy.to_policy(cx),
        };
        Ok((page.into_iter().map(to_policy).collect::<Result<Vec<_>>>()?, next).into())
    }
}

/// A policy that may be on the page.
enum Listed {
    Own(Box<Policy>),
    Managed(&'static ManagedPolicy),
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
#[operation(of = Policy, call = "delete", on_model, include(ExistingPolicy), effect = write)]
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
