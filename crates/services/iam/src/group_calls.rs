//! Calls of the manager of groups under the names that they have for users and roles.

use super::{
    AttachedPolicy, DeleteGroupPolicy, Group, GroupManager, ListAttachedGroupPolicies, ListGroupPolicies,
    PutGroupPolicy, attachment::PolicyPathPrefix, document::Document, group::ExistingGroup,
    inline_policy::InlinePolicyName,
};
use nephos_core::{ManagerOperation, Result, Text, WorkflowContext, operation};

/// Adds an inline policy to a group, or replaces it; as `put_inline_policy`.
#[operation(
    kind = Group, call = "put_policy", also(ExistingGroup, InlinePolicyName, Document), effect = write, output = ()
)]
pub struct GroupPutPolicy {}

impl ManagerOperation for GroupPutPolicy {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let Self { group_name, policy_name, policy_document, .. } = self.clone();
        context.call(PutGroupPolicy::new(group_name, policy_name, policy_document)).await.map(drop)
    }
}

/// Deletes an inline policy of a group; as `remove_inline_policy`.
#[operation(
    kind = Group, call = "delete_policy", also(ExistingGroup, InlinePolicyName), effect = write, output = ()
)]
pub struct GroupDeletePolicy {}

impl ManagerOperation for GroupDeletePolicy {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let Self { group_name, policy_name, .. } = self.clone();
        context.call(DeleteGroupPolicy::new(group_name, policy_name)).await.map(drop)
    }
}

/// Lists the names of the inline policies of a group; as `inline_policies`.
#[operation(kind = Group, call = "list_policies", also(ExistingGroup), effect = read, output = Vec<Text>)]
pub struct GroupListPolicies {}

impl ManagerOperation for GroupListPolicies {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Text>> {
        context.run(ListGroupPolicies::new(self.group_name.clone())).await
    }
}

/// Lists the policies that are attached to a group, in order of their names; as `attached_policies`.
#[operation(
    kind = Group, call = "list_attached_policies", also(ExistingGroup, PolicyPathPrefix), effect = read,
    output = Vec<AttachedPolicy>
)]
pub struct GroupListAttachedPolicies {}

impl ManagerOperation for GroupListAttachedPolicies {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<AttachedPolicy>> {
        let mut list = ListAttachedGroupPolicies::new(self.group_name.clone());
        list.path_prefix = self.path_prefix.clone();
        context.run(list).await
    }
}
