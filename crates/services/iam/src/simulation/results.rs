//! Decisions over simulated requests, as they are returned.

use nephos_core::{Map, Record, Text, choices};

choices! {
    /// Decision over a simulated request.
    pub enum EvaluationDecision {
        /// The policies allow the request.
        Allowed = "allowed",
        /// A statement denies the request.
        ExplicitDeny = "explicitDeny",
        /// No statement allows the request.
        ImplicitDeny = "implicitDeny",
    }
}

choices! {
    /// Type of the policy of a statement that decides.
    pub enum PolicySourceType {
        /// Inline policy of a user.
        User = "user",
        /// Inline policy of a group.
        Group = "group",
        /// Inline policy of a role.
        Role = "role",
        /// Managed policy of the provider.
        AwsManaged = "aws-managed",
        /// Managed policy of the account.
        UserManaged = "user-managed",
        /// Policy of the resource.
        Resource = "resource",
        /// No policy.
        None = "none",
        /// Policy of an identity; the service returns it for all of them.
        IamPolicy = "IAM Policy",
    }
}

/// Place in the text of a policy document, from 1.
#[derive(Record)]
#[record(answer)]
pub struct Position {
    /// Line.
    line: Option<i64>,
    /// Column.
    column: Option<i64>,
}

impl Position {
    /// Makes a position.
    pub fn new(line: i64, column: i64) -> Self {
        Self { line: Some(line), column: Some(column) }
    }

    /// Returns the place after a character that is here.
    pub(super) fn after(&self, character: char) -> Self {
        let (line, column) = (self.line.unwrap_or(1), self.column.unwrap_or(1));
        if character == '\n' { Self::new(line + 1, 1) } else { Self::new(line, column + 1) }
    }
}

/// A statement that decides.
#[derive(Record)]
#[record(answer)]
pub struct MatchedStatement {
    /// Name of the policy: that of a managed policy, `user_ann_read` for an inline policy, `PolicyInputList.1` for a parameter.
    pub(super) source_policy_id: Option<Text>,
    /// Type of the policy.
    pub(super) source_policy_type: Option<PolicySourceType>,
    /// Start of the statement in the document.
    pub(super) start_position: Option<Position>,
    /// End of the statement in the document.
    pub(super) end_position: Option<Position>,
}

/// Decision of service control policies.
#[derive(Record)]
#[record(answer)]
pub struct OrganizationsDecisionDetail {
    /// True if the policies of all levels allow the request.
    pub(super) allowed_by_organizations: Option<bool>,
}

/// Decision of a permissions boundary.
#[derive(Record)]
#[record(answer)]
pub struct PermissionsBoundaryDecisionDetail {
    /// True if the boundary allows the request.
    pub(super) allowed_by_permissions_boundary: Option<bool>,
}

/// Decision over an action on a resource.
#[derive(Record)]
#[record(answer)]
pub struct ResourceSpecificResult {
    /// ARN of the resource.
    pub(super) eval_resource_name: Option<Text>,
    /// Decision.
    pub(super) eval_resource_decision: Option<EvaluationDecision>,
    /// Statements that decide.
    pub(super) matched_statements: Option<Vec<MatchedStatement>>,
    /// Context keys of statements about the action that the request does not have.
    pub(super) missing_context_values: Option<Vec<Text>>,
    /// Decisions by type of policy, for a resource of another account.
    pub(super) eval_decision_details: Option<Map<EvaluationDecision>>,
    /// Decision of the permissions boundary, if there is one.
    pub(super) permissions_boundary_decision_detail: Option<PermissionsBoundaryDecisionDetail>,
}

/// Decision over an action.
#[derive(Record)]
#[record(answer)]
pub struct EvaluationResult {
    /// Action.
    pub(super) eval_action_name: Option<Text>,
    /// ARN of the resource, or `*`.
    pub(super) eval_resource_name: Option<Text>,
    /// Decision.
    pub(super) eval_decision: Option<EvaluationDecision>,
    /// Statements that decide.
    pub(super) matched_statements: Option<Vec<MatchedStatement>>,
    /// Context keys of statements about the action that the request does not have.
    pub(super) missing_context_values: Option<Vec<Text>>,
    /// Decision of service control policies, if there are any.
    pub(super) organizations_decision_detail: Option<OrganizationsDecisionDetail>,
    /// Decision of the permissions boundary, if there is one.
    pub(super) permissions_boundary_decision_detail: Option<PermissionsBoundaryDecisionDetail>,
    /// Decisions by type of policy, for a resource of another account; empty for one of the same account.
    pub(super) eval_decision_details: Option<Map<EvaluationDecision>>,
    /// Decision over the resource, unless it is `*`.
    pub(super) resource_specific_results: Option<Vec<ResourceSpecificResult>>,
}
