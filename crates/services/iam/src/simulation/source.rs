//! Sources of policies for simulations: users, groups and roles.

use super::{ExcludedPolicyType, PolicyExclusion, evaluate::SimulatedPolicy};
use crate::{
    Group, Role, User,
    entity::{self, Entity},
    errors,
    identity::{self, AppliedPolicy},
    policy::{boundary::AttachedPermissionsBoundary, managed},
};
use nephos_cloud::{Addressed as _, Context, Tx};
use nephos_core::{Arn, Choice as _, Result, Tag, Text};

/// A user, group or role, and the policies that apply to it.
pub(super) struct Source {
    /// ARN; `None` for a group, which makes no requests.
    pub(super) arn: Option<Text>,
    pub(super) policies: Vec<AppliedPolicy>,
    /// ARN and document of the permissions boundary.
    pub(super) boundary: Option<(Text, Text)>,
    /// Facts about the user or role.
    pub(super) context: Context,
}

/// Finds the user, group or role with this ARN, or refuses.
pub(super) fn find(cx: &Tx<'_>, arn: &str) -> Result<Source> {
    let invalid = || errors::source_arn_invalid(arn).with_field("PolicySourceArn");
    let Some([_, "iam", _, _, resource]) = Arn::parts(arn) else { return Err(invalid()) };
    let (kind, _) = resource.split_once('/').ok_or_else(invalid)?;
    match kind {
        "user" => {
            let user: User = require(cx, arn)?;
            let facts = Context::default().with("aws:username", user.identity()[1]);
            let boundary = user.permissions_boundary.as_ref();
            let policies = identity::user_policies(cx, &user)?;
            Source::new(cx, &user, arn, user.tags.as_deref(), facts, boundary, policies)
        }
        "role" => {
            let role: Role = require(cx, arn)?;
            let policies = identity::own_policies(cx, &role)?;
            let boundary = role.permissions_boundary.as_ref();
            Source::new(cx, &role, arn, role.tags.as_deref(), Context::default(), boundary, policies)
        }
        "group" => {
            let group: Group = require(cx, arn)?;
            let policies = identity::own_policies(cx, &group)?;
            Ok(Source { arn: None, policies, boundary: None, context: Context::default() })
        }
        _ => Err(invalid()),
    }
}

fn require<E: Entity>(cx: &Tx<'_>, arn: &str) -> Result<E> {
    entity::find_by_arn(cx, arn)?.ok_or_else(|| E::not_found(entity::name_in_arn(arn)))
}

impl Source {
    fn new(
        cx: &Tx<'_>,
        entity: &impl Entity,
        arn: &str,
        tags: Option<&[Tag]>,
        facts: Context,
        boundary: Option<&AttachedPermissionsBoundary>,
        policies: Vec<AppliedPolicy>,
    ) -> Result<Self> {
        let mut context = facts.with("aws:userid", entity.id()).with("aws:PrincipalArn", arn);
        for tag in tags.unwrap_or_default() {
            let key = format!("aws:PrincipalTag/{}", tag.key().unwrap_or_default());
            context = context.with(&key, tag.value().unwrap_or_default());
        }
        let boundary = match boundary.and_then(AttachedPermissionsBoundary::arn) {
            Some(arn) => identity::policy_document(cx, arn)?.map(|document| (arn.clone(), document)),
            None => None,
        };
        Ok(Self { arn: Some(arn.into()), policies, boundary, context })
    }

    /// True for a user.
    pub(super) fn is_user(&self) -> bool {
        self.arn.as_deref().is_some_and(|arn| arn.contains(":user/"))
    }

    /// Leaves out policies.
    pub(super) fn without(mut self, excluded: &[PolicyExclusion]) -> Self {
        self.policies.retain(|policy| !excluded.iter().any(|exclusion| exclusion.is_of(policy)));
        self.boundary = self.boundary.filter(|(arn, _)| {
            let is_excluded = |exclusion: &PolicyExclusion| {
                exclusion.policy_type == Some(ExcludedPolicyType::PermissionBoundary)
                    && exclusion.policy_arn.as_ref().is_none_or(|excluded| excluded == arn)
            };
            !excluded.iter().any(is_excluded)
        });
        self
    }

    /// Documents of the policies and of the permissions boundary.
    pub(super) fn documents(&self) -> impl Iterator<Item = &Text> {
        let boundary = self.boundary.iter().map(|(_, document)| document);
        self.policies.iter().map(|policy| &policy.document).chain(boundary)
    }

    /// Parses the policies.
    pub(super) fn simulated_policies(&self) -> Result<Vec<SimulatedPolicy>> {
        self.policies
            .iter()
            .map(|policy| SimulatedPolicy::stored(policy.source_id(), &policy.document))
            .collect()
    }
}

impl AppliedPolicy {
    /// Name of the policy in the results of simulations.
    fn source_id(&self) -> Text {
        match &self.inline_of {
            Some((kind, entity)) => format!("{kind}_{entity}_{}", self.name).into(),
            None => entity::name_in_arn(&self.name).into(),
        }
    }
}

impl PolicyExclusion {
    /// True if the policy is left out.
    fn is_of(&self, policy: &AppliedPolicy) -> bool {
        let by_arn = self.policy_arn.as_ref().is_some_and(|arn| *arn == policy.name);
        match (&self.policy_type, &policy.inline_of) {
            (Some(ExcludedPolicyType::Inline), Some((kind, entity))) => {
                self.inline_policy_identifier.as_ref().is_some_and(|excluded| {
                    excluded.policy_name.as_ref() == Some(&policy.name)
                        && excluded.attachment_type.as_ref().is_some_and(|ty| ty.as_str() == *kind)
                        && excluded
                            .attachment_name
                            .as_ref()
                            .is_some_and(|name| name.eq_ignore_ascii_case(entity))
                })
            }
            (Some(ExcludedPolicyType::AwsManaged), None) => by_arn && managed::is_managed_arn(&policy.name),
            (Some(ExcludedPolicyType::UserManaged), None) => by_arn && !managed::is_managed_arn(&policy.name),
            _ => false,
        }
    }
}
