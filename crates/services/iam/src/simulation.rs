//! Simulation: the decisions of policies over requests that are not made, by the evaluator that also enforces policies.

mod document;
mod evaluate;
mod parameters;
mod results;
mod source;

pub use parameters::*;
pub use results::*;

use super::{
    Policy, PolicyManager, errors,
    paging::{Page, page},
};
use evaluate::{Requests, SimulatedPolicy, Simulation};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

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
    of = Policy, call = "simulate_principal", also(SimulationParameters, Page),
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
        let source = source::find(cx, &self.policy_source_arn)?;
        let source = source.without(self.policy_exclusion_list.as_deref().unwrap_or_default());
        if self.resource_policy.is_some() && self.caller_arn.is_none() && !source.is_user() {
            return Err(errors::caller_required().with_field("CallerArn"));
        }
        let inputs = SimulatedPolicy::read_inputs("PolicyInputList", self.policy_input_list.as_deref())?;
        let mut simulation = Simulation::new(cx, Some(source), &requests!(self))?;
        simulation.identity.extend(inputs);
        self.max_items = Some(simulation.page_size(self.max_items, self.resource_arns.as_deref()));
        simulation.page(cx, &self, &self.action_names, self.resource_arns.as_deref())
    }
}

/// Simulates requests with policies that are passed as parameters.
#[operation(
    of = Policy, call = "simulate_custom", also(SimulationParameters, Page),
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
        self.max_items = Some(simulation.page_size(self.max_items, self.resource_arns.as_deref()));
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
        let mut keys = document::KeyNames::default();
        let found = documents.into_iter().flat_map(|text| document::context_keys(text));
        found.flatten().for_each(|key| keys.add(&key));
        Self { context_key_names: Some(keys.into()) }
    }
}

/// Returns the context keys that the policies of a user and its groups, of a group, or of a role refer to.
#[operation(
    of = Policy, call = "context_keys_of_principal", gives(context_key_names: Vec<Text>),
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
    of = Policy, call = "context_keys_of_custom", gives(context_key_names: Vec<Text>),
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
