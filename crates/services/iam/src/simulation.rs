//! Simulation: the decisions of policies over requests that are not made, by the evaluator that also enforces policies.

mod document;
mod evaluate;
mod source;

use super::{
    Policy, PolicyManager, SERVICE,
    document::Document,
    errors,
    paging::{PAGE_SIZE, Page, page},
};
use evaluate::{Requests, SimulatedPolicy, Simulation};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Map, Record, Result, Text, choices, operation};

choices! {
    /// Type of the values of a context key.
    pub enum ContextKeyType {
        /// A text.
        String = "string",
        /// Texts.
        StringList = "stringList",
        /// A number.
        Numeric = "numeric",
        /// Numbers.
        NumericList = "numericList",
        /// True or false.
        Boolean = "boolean",
        /// Truth values.
        BooleanList = "booleanList",
        /// An address.
        Ip = "ip",
        /// Addresses.
        IpList = "ipList",
        /// Bytes in Base64.
        Binary = "binary",
        /// Several byte strings in Base64.
        BinaryList = "binaryList",
        /// A time.
        Date = "date",
        /// Times.
        DateList = "dateList",
    }
}

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

choices! {
    /// Type of a policy that is left out of a simulation.
    pub enum ExcludedPolicyType {
        /// Inline policy.
        Inline = "inline",
        /// Managed policy of the provider.
        AwsManaged = "aws-managed",
        /// Managed policy of the account.
        UserManaged = "user-managed",
        /// Permissions boundary.
        PermissionBoundary = "permission-boundary",
        /// Service control policy. Accounts here have none.
        Scp = "scp",
        /// Resource control policy. Accounts here have none.
        Rcp = "rcp",
    }
}

choices! {
    /// Kind of entity with an inline policy.
    pub enum AttachmentType {
        /// A user.
        User = "user",
        /// A group.
        Group = "group",
        /// A role.
        Role = "role",
    }
}

/// Values of a context key of the simulated requests.
#[derive(Record)]
pub struct ContextEntry {
    /// Name of the key: `aws:SourceIp`.
    #[field(length(5..=256))]
    context_key_name: Option<Text>,
    /// Values of the key.
    context_key_values: Option<Vec<Text>>,
    /// Type of the values. Conditions compare them by their operators, whatever the type.
    #[field(no_effect)]
    context_key_type: Option<ContextKeyType>,
}

/// An inline policy.
#[derive(Record)]
pub struct InlinePolicyIdentifier {
    /// Name of the policy.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    policy_name: Option<Text>,
    /// Kind of the entity.
    #[field(required)]
    attachment_type: Option<AttachmentType>,
    /// Name of the entity.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    attachment_name: Option<Text>,
}

/// A policy that is left out of a simulation.
#[derive(Record)]
pub struct PolicyExclusion {
    /// Type of the policy.
    policy_type: Option<ExcludedPolicyType>,
    /// ARN of a managed policy.
    #[field(length(20..=2048))]
    policy_arn: Option<Text>,
    /// An inline policy.
    inline_policy_identifier: Option<InlinePolicyIdentifier>,
}

/// Service control policies of one level of an organization.
#[derive(Record)]
pub struct OrganizationPolicies {
    /// Policy documents in JSON, of which one must allow a request.
    #[field(each(length(1..=131_072)))]
    service_control_policy_input_list: Option<Vec<Text>>,
}

/// Parameters of all simulations.
#[derive(Record)]
#[record(shared)]
pub struct SimulationParameters {
    /// Actions to simulate: `logs:CreateLogGroup`.
    #[field(required, each(length(3..=128)))]
    action_names: Option<Vec<Text>>,
    /// ARNs of the resources, each of which is simulated with each action; `*` by default.
    #[field(each(length(1..=2048)))]
    resource_arns: Option<Vec<Text>>,
    /// Policy of the resources in JSON.
    #[field(like = Document::policy_document)]
    resource_policy: Option<Text>,
    /// Owner of resources whose ARN has no account: `arn:aws:iam::123456789012:root`. The account by default.
    #[field(length(1..=2048))]
    resource_owner: Option<Text>,
    /// ARN of the user who makes the simulated requests.
    #[field(length(1..=2048))]
    caller_arn: Option<Text>,
    /// Context keys of the simulated requests, and their values.
    context_entries: Option<Vec<ContextEntry>>,
    /// Scenario of requests to start instances. The resources are simulated one by one.
    #[field(length(1..=64), no_effect)]
    resource_handling_option: Option<Text>,
    /// Policy document in JSON that is the permissions boundary; at most one.
    #[field(each(length(1..=131_072)))]
    permissions_boundary_policy_input_list: Option<Vec<Text>>,
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
    fn new(line: i64, column: i64) -> Self {
        Self { line: Some(line), column: Some(column) }
    }

    /// Returns the place after a character that is here.
    fn after(&self, character: char) -> Self {
        let (line, column) = (self.line.unwrap_or(1), self.column.unwrap_or(1));
        if character == '\n' { Self::new(line + 1, 1) } else { Self::new(line, column + 1) }
    }
}

/// A statement that decides.
#[derive(Record)]
#[record(answer)]
pub struct MatchedStatement {
    /// Name of the policy: that of a managed policy, `user_ann_read` for an inline policy, `PolicyInputList.1` for a parameter.
    source_policy_id: Option<Text>,
    /// Type of the policy.
    source_policy_type: Option<PolicySourceType>,
    /// Start of the statement in the document.
    start_position: Option<Position>,
    /// End of the statement in the document.
    end_position: Option<Position>,
}

/// Decision of service control policies.
#[derive(Record)]
#[record(answer)]
pub struct OrganizationsDecisionDetail {
    /// True if the policies of all levels allow the request.
    allowed_by_organizations: Option<bool>,
}

/// Decision of a permissions boundary.
#[derive(Record)]
#[record(answer)]
pub struct PermissionsBoundaryDecisionDetail {
    /// True if the boundary allows the request.
    allowed_by_permissions_boundary: Option<bool>,
}

/// Decision over an action on a resource.
#[derive(Record)]
#[record(answer)]
pub struct ResourceSpecificResult {
    /// ARN of the resource.
    eval_resource_name: Option<Text>,
    /// Decision.
    eval_resource_decision: Option<EvaluationDecision>,
    /// Statements that decide.
    matched_statements: Option<Vec<MatchedStatement>>,
    /// Context keys of statements about the action that the request does not have.
    missing_context_values: Option<Vec<Text>>,
    /// Decisions by type of policy, for a resource of another account.
    eval_decision_details: Option<Map<EvaluationDecision>>,
    /// Decision of the permissions boundary, if there is one.
    permissions_boundary_decision_detail: Option<PermissionsBoundaryDecisionDetail>,
}

/// Decision over an action.
#[derive(Record)]
#[record(answer)]
pub struct EvaluationResult {
    /// Action.
    eval_action_name: Option<Text>,
    /// ARN of the resource, or `*`.
    eval_resource_name: Option<Text>,
    /// Decision.
    eval_decision: Option<EvaluationDecision>,
    /// Statements that decide.
    matched_statements: Option<Vec<MatchedStatement>>,
    /// Context keys of statements about the action that the request does not have.
    missing_context_values: Option<Vec<Text>>,
    /// Decision of service control policies, if there are any.
    organizations_decision_detail: Option<OrganizationsDecisionDetail>,
    /// Decision of the permissions boundary, if there is one.
    permissions_boundary_decision_detail: Option<PermissionsBoundaryDecisionDetail>,
    /// Decisions by type of policy, for a resource of another account; empty for one of the same account.
    eval_decision_details: Option<Map<EvaluationDecision>>,
    /// Decision over the resource, unless it is `*`.
    resource_specific_results: Option<Vec<ResourceSpecificResult>>,
}

/// Returns the parameters of a simulation that describe its requests.
macro_rules! requests {
    ($operation:ident) => {
        Requests {
            resource_policy: $operation.resource_policy.as_ref(),
            resource_owner: $operation.resource_owner.as_ref(),
            caller_arn: $operation.caller_arn.as_ref(),
            context: $operation.context_entries.as_deref().unwrap_or_default(),
            boundary: $operation.permissions_boundary_policy_input_list.as_deref().unwrap_or_default(),
        }
    };
}

page! {
    /// A page of decisions.
    #[record(name = "SimulatePolicyResponse")]
    pub struct EvaluationResults { evaluation_results: EvaluationResult }
}

/// Simulates requests with the policies of a user and its groups, of a group, or of a role, and with further policies.
#[operation(
    service = SERVICE, of = Policy, call = "simulate_principal", also(SimulationParameters, Page),
    gives(evaluation_results: Vec<EvaluationResult>, marker), effect = read, output = EvaluationResults,
    subject = "{PolicySourceArn}"
)]
pub struct SimulatePrincipalPolicy {
    /// ARN of the user, group or role.
    #[field(length(20..=2048))]
    pub policy_source_arn: Text,
    /// Further policy documents in JSON.
    #[field(each(length(1..=131_072)))]
    pub policy_input_list: Option<Vec<Text>>,
    /// Policies that are left out.
    #[field(length(..=256))]
    pub policy_exclusion_list: Option<Vec<PolicyExclusion>>,
}

impl Handler for SimulatePrincipalPolicy {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<EvaluationResults> {
        self.max_items.get_or_insert(PAGE_SIZE);
        let source = source::find(cx, &self.policy_source_arn)?;
        let source = source.without(self.policy_exclusion_list.as_deref().unwrap_or_default());
        if self.resource_policy.is_some() && self.caller_arn.is_none() && !source.is_user() {
            return Err(errors::caller_required().with_field("CallerArn"));
        }
        let inputs = SimulatedPolicy::read_inputs("PolicyInputList", self.policy_input_list.as_deref())?;
        let mut simulation = Simulation::new(cx, Some(source), &requests!(self))?;
        simulation.identity.extend(inputs);
        simulation.page(cx, &self, &self.action_names, self.resource_arns.as_deref())
    }
}

/// Simulates requests with policies that are passed as parameters.
#[operation(
    service = SERVICE, of = Policy, call = "simulate_custom", also(SimulationParameters, Page),
    gives(evaluation_results: Vec<EvaluationResult>, marker), effect = read, output = EvaluationResults, subject = "*"
)]
pub struct SimulateCustomPolicy {
    /// Policy documents in JSON.
    #[field(each(length(1..=131_072)))]
    pub policy_input_list: Vec<Text>,
    /// Service control policies of the levels of an organization, from the root. Each level must allow a request.
    #[field(length(..=7))]
    pub ordered_organization_policy_input_list: Option<Vec<OrganizationPolicies>>,
}

impl Handler for SimulateCustomPolicy {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<EvaluationResults> {
        self.max_items.get_or_insert(PAGE_SIZE);
        if self.resource_policy.is_some() && self.caller_arn.is_none() {
            return Err(errors::caller_required().with_field("CallerArn"));
        }
        let inputs = SimulatedPolicy::read_inputs("PolicyInputList", Some(&self.policy_input_list))?;
        let mut simulation = Simulation::new(cx, None, &requests!(self))?;
        simulation.identity.extend(inputs);
        for level in self.ordered_organization_policy_input_list.iter().flatten() {
            let documents = level.service_control_policy_input_list.as_deref();
            let level = SimulatedPolicy::read_inputs("OrderedOrganizationPolicyInputList", documents)?;
            simulation.organization.push(level);
        }
        simulation.page(cx, &self, &self.action_names, self.resource_arns.as_deref())
    }
}

/// Context keys that policies refer to.
#[derive(Record)]
#[record(answer, name = "GetContextKeysForPolicyResponse")]
pub struct ContextKeys {
    /// Names of the keys.
    context_key_names: Option<Vec<Text>>,
}

impl ContextKeys {
    /// Returns the context keys of valid policies.
    fn new<'d>(documents: impl IntoIterator<Item = &'d Text>) -> Self {
        let mut keys = Vec::new();
        for key in documents.into_iter().flat_map(|text| document::context_keys(text)).flatten() {
            document::add(&mut keys, &key);
        }
        Self { context_key_names: Some(keys) }
    }
}

/// Returns the context keys that the policies of a user and its groups, of a group, or of a role refer to.
#[operation(
    service = SERVICE, of = Policy, call = "context_keys_of_principal", gives(context_key_names: Vec<Text>),
    effect = read, output = ContextKeys, subject = "{PolicySourceArn}"
)]
pub struct GetContextKeysForPrincipalPolicy {
    /// ARN of the user, group or role.
    #[field(length(20..=2048))]
    pub policy_source_arn: Text,
    /// Further policy documents in JSON.
    #[field(each(length(1..=131_072)))]
    pub policy_input_list: Option<Vec<Text>>,
}

impl Handler for GetContextKeysForPrincipalPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<ContextKeys> {
        let inputs = self.policy_input_list.as_deref();
        SimulatedPolicy::read_inputs("PolicyInputList", inputs)?;
        let source = source::find(cx, &self.policy_source_arn)?;
        Ok(ContextKeys::new(source.documents().chain(inputs.unwrap_or_default())))
    }
}

/// Returns the context keys that policies refer to.
#[operation(
    service = SERVICE, of = Policy, call = "context_keys_of_custom", gives(context_key_names: Vec<Text>),
    effect = read, output = ContextKeys, subject = "*"
)]
pub struct GetContextKeysForCustomPolicy {
    /// Policy documents in JSON.
    #[field(each(length(1..=131_072)))]
    pub policy_input_list: Vec<Text>,
}

impl Handler for GetContextKeysForCustomPolicy {
    fn run(self, _: &mut Tx<'_>) -> Result<ContextKeys> {
        SimulatedPolicy::read_inputs("PolicyInputList", Some(&self.policy_input_list))?;
        Ok(ContextKeys::new(&self.policy_input_list))
    }
}
