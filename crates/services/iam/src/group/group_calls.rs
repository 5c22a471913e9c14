//! Calls of the manager of groups under the names that they have for users and roles.

use crate::{
    AttachedPolicy, DeleteGroupPolicy, Group, GroupManager, ListAttachedGroupPolicies, ListGroupPolicies,
    PutGroupPolicy,
    group::ExistingGroup,
    policy::{attachment::PolicyPathPrefix, document::Document, inline_policy::InlinePolicyName},
};
use nephos_core::{Text, operation};

/// Adds an inline policy to a group, or replaces it; as `put_inline_policy`.
#[operation(
    kind = Group, call = "put_policy", runs = PutGroupPolicy, include(ExistingGroup, InlinePolicyName, Document),
    effect = write
)]
pub struct GroupPutPolicy {}

/// Deletes an inline policy of a group; as `remove_inline_policy`.
#[operation(
    kind = Group, call = "delete_policy", runs = DeleteGroupPolicy, include(ExistingGroup, InlinePolicyName),
    effect = write
)]
pub struct GroupDeletePolicy {}

/// Lists the names of the inline policies of a group; as `inline_policies`.
#[operation(
    kind = Group, call = "list_policies", runs = ListGroupPolicies, include(ExistingGroup),
    returns(policy_names: Vec<Text>, marker), effect = read
)]
pub struct GroupListPolicies {}

/// Lists the policies that are attached to a group, in order of their names; as `attached_policies`.
#[operation(
    kind = Group, call = "list_attached_policies", runs = ListAttachedGroupPolicies,
    include(ExistingGroup, PolicyPathPrefix), returns(attached_policies: Vec<AttachedPolicy>, marker), effect = read
)]
pub struct GroupListAttachedPolicies {}
