//! Managed policies of the provider: constants, the same in every account, that cannot be changed.
//!
//! Names, paths, versions and dates are those of the provider. Documents have the actions and resources of the provider's; those
//! for reading all services are limited to the services that exist here and their neighbours. Only the default version exists.

mod data_services;
mod general;
mod linked_roles;
mod roles;
mod services;

use crate::{
    Policy,
    entity::{self, Entity, ids},
    policy::attachment::Use,
};
use nephos_cloud::{Stored, Tx, own_arn};
use nephos_core::{Arn, Result, Text, Timestamp, field_value::FieldType, record_of};
use std::{collections::HashMap, sync::LazyLock};

/// Account in the ARNs of policies of the provider.
const OWNER: &str = "aws";

/// Path of policies that only service-linked roles can have.
const SERVICE_LINKED_PATH: &str = "/aws-service-role/";

/// A managed policy of the provider.
#[derive(Debug)]
pub(crate) struct ManagedPolicy {
    name: &'static str,
    path: &'static str,
    description: &'static str,
    /// Number of the default version.
    pub(crate) version: i64,
    created: &'static str,
    updated: &'static str,
    pub(crate) document: &'static str,
}

/// Row with the numbers of uses of a policy of the provider in the account.
#[record_of(of = Policy, row, takes(policy_id, attachment_count, permissions_boundary_usage_count))]
pub(crate) struct ManagedUseRow {}

nephos_cloud::stored!(ManagedUseRow in "iam/managed-policy-use" by policy_id);

fn table() -> impl Iterator<Item = &'static ManagedPolicy> {
    let all = [
        general::POLICIES,
        services::POLICIES,
        data_services::POLICIES,
        roles::POLICIES,
        linked_roles::POLICIES,
    ];
    all.into_iter().flatten()
}

impl ManagedPolicy {
    fn id(&self) -> Text {
        ids::id_of_name(Policy::ID_PREFIX, self.name)
    }

    /// Time of the creation of the default version.
    pub(crate) fn update_date(&self) -> Option<Timestamp> {
        self.updated.parse().ok()
    }

    /// Returns the policy with its uses in the account.
    fn to_policy(&self, cx: &Tx<'_>) -> Result<Policy> {
        let id = self.id();
        let uses: Option<ManagedUseRow> = cx.get(&ManagedUseRow::table(cx.scope()).text(&id))?;
        let mut policy = Policy::blank();
        policy.set_identity(self.path.into(), self.name.into());
        policy.arn = own_arn(&policy, &cx.scope().with_account(OWNER));
        policy.default_version_id = Some(format!("v{}", self.version).into());
        policy.attachment_count = Some(uses.as_ref().and_then(|uses| uses.attachment_count).unwrap_or(0));
        policy.permissions_boundary_usage_count =
            Some(uses.and_then(|uses| uses.permissions_boundary_usage_count).unwrap_or(0));
        policy.is_attachable = Some(true);
        policy.description = Some(self.description.into());
        policy.policy_id = Some(id);
        policy.create_date = self.created.parse().ok();
        policy.update_date = self.update_date();
        Ok(policy)
    }
}

/// Returns all policies of the provider.
pub(crate) fn all(cx: &Tx<'_>) -> Result<Vec<Policy>> {
    table().map(|policy| policy.to_policy(cx)).collect()
}

/// True if the ARN is that of a policy of the provider.
pub(crate) fn is_managed_arn(arn: &str) -> bool {
    Arn::parts(arn).is_some_and(|[_, _, _, account, _]| account == OWNER)
}

/// Returns the constant of a policy; `None` if the policy belongs to the account.
pub(crate) fn of_policy(policy: &Policy) -> Option<&'static ManagedPolicy> {
    let is_managed = policy.arn.as_deref().is_some_and(is_managed_arn);
    is_managed.then(|| table().find(|known| Some(known.name) == policy.policy_name.as_deref())).flatten()
}

/// Finds the policy of the provider with this name.
pub(crate) fn find_by_name(cx: &Tx<'_>, name: &str) -> Result<Option<Policy>> {
    table().find(|policy| policy.name == name).map(|policy| policy.to_policy(cx)).transpose()
}

/// Finds the policy of the provider with this ARN.
pub(crate) fn find(cx: &Tx<'_>, arn: &str) -> Result<Option<Policy>> {
    let found = find_by_name(cx, entity::name_in_arn(arn))?;
    Ok(found.filter(|policy| policy.arn.as_deref() == Some(arn)))
}

/// Finds the policy of the provider with this unique ID.
pub(crate) fn find_by_id(cx: &Tx<'_>, id: &str) -> Result<Option<Policy>> {
    static BY_ID: LazyLock<HashMap<Text, &ManagedPolicy>> =
        LazyLock::new(|| table().map(|policy| (policy.id(), policy)).collect());
    BY_ID.get(id).map(|policy| policy.to_policy(cx)).transpose()
}

/// True if only service-linked roles can have the policy.
pub(crate) fn is_for_service_linked_roles(policy: &Policy) -> bool {
    of_policy(policy).is_some_and(|policy| policy.path == SERVICE_LINKED_PATH)
}

/// Adds `change` to the number of uses of a policy of the provider in the account.
pub(crate) fn count(cx: &mut Tx<'_>, policy: Policy, usage: Use, change: i64) -> Result<()> {
    let mut row = ManagedUseRow::from(policy);
    let number = match usage {
        Use::Attached => &mut row.attachment_count,
        Use::Boundary => &mut row.permissions_boundary_usage_count,
    };
    *number = Some(number.unwrap_or_default() + change);
    let is_used = row.attachment_count != Some(0) || row.permissions_boundary_usage_count != Some(0);
    if is_used { cx.put(row) } else { cx.remove(&row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document;
    use std::collections::HashSet;

    #[test]
    fn policies_are_valid_and_distinct() {
        let (mut names, mut ids) = (HashSet::new(), HashSet::new());
        for policy in table() {
            document::check_identity_policy(policy.document)
                .unwrap_or_else(|error| panic!("{}: {error}", policy.name));
            assert!(names.insert(policy.name) && ids.insert(policy.id()), "{} is there twice", policy.name);
            for time in [policy.created, policy.updated] {
                time.parse::<Timestamp>().unwrap_or_else(|error| panic!("{}: {error}", policy.name));
            }
        }
    }
}
