//! Simulation: the decisions of policies over requests that are not made, by the evaluator that also enforces policies.

pub(crate) mod evaluate;
mod parameters;
mod results;
mod source;
pub(crate) mod statements;

pub use parameters::*;
pub use results::*;

use crate::{Policy, PolicyManager, errors, paging::Page};
use evaluate::{SimulatedPolicy, Simulation};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record as _, Result, Text, operation};

/// Simulates requests with the policies of a user and its groups, of a group, or of a role, and with further policies.
#[operation(
    of = Policy, call = "simulate_principal", include(SimulationParameters, Page),
    page(evaluation_results: EvaluationResult, marker, is_truncated), effect = read,
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
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let source = source::find(cx, &self.policy_source_arn)?;
        let source = source.without(self.policy_exclusion_list.as_deref().unwrap_or_default());
        if self.resource_policy.is_some() && self.caller_arn.is_none() && !source.is_user() {
            return Err(errors::caller_required().with_field("CallerArn"));
        }
        let inputs = SimulatedPolicy::read_inputs("PolicyInputList", self.policy_input_list.as_deref())?;
        let mut simulation =
            Simulation::new(cx, Some(source), &SimulationParameters::from_given(self.clone()))?;
        simulation.identity.extend(inputs);
        self.max_items = Some(simulation.page_size(self.max_items, self.resource_arns.as_deref()));
        Ok(simulation.page(cx, &self, &self.action_names, self.resource_arns.as_deref())?.into())
    }
}

/// Simulates requests with policies that are passed as parameters.
#[operation(
    of = Policy, call = "simulate_custom", include(SimulationParameters, Page),
    page(evaluation_results: EvaluationResult, marker, is_truncated), effect = read, subject = "*"
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
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if self.resource_policy.is_some() && self.caller_arn.is_none() {
            return Err(errors::caller_required().with_field("CallerArn"));
        }
        let inputs = SimulatedPolicy::read_inputs("PolicyInputList", Some(&self.policy_input_list))?;
        let mut simulation = Simulation::new(cx, None, &SimulationParameters::from_given(self.clone()))?;
        simulation.identity.extend(inputs);
        for level in self.ordered_organization_policy_input_list.iter().flatten() {
            let documents = level.service_control_policy_input_list.as_deref();
            let level = SimulatedPolicy::read_inputs("OrderedOrganizationPolicyInputList", documents)?;
            simulation.organization.push(level);
        }
        self.max_items = Some(simulation.page_size(self.max_items, self.resource_arns.as_deref()));
        Ok(simulation.page(cx, &self, &self.action_names, self.resource_arns.as_deref())?.into())
    }
}

/// Returns the names of the context keys that valid policies refer to.
fn context_keys<'d>(documents: impl IntoIterator<Item = &'d Text>) -> Vec<Text> {
    let mut keys = statements::KeyNames::default();
    let found = documents.into_iter().flat_map(|text| statements::context_keys(text));
    found.flatten().for_each(|key| keys.add(&key));
    keys.into()
}

/// Returns the context keys that the policies of a user and its groups, of a group, or of a role refer to.
#[operation(
    of = Policy, call = "context_keys_of_principal", wraps(context_key_names: Vec<Text>), effect = read,
    subject = "{PolicySourceArn}"
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
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let inputs = self.policy_input_list.as_deref();
        SimulatedPolicy::read_inputs("PolicyInputList", inputs)?;
        let source = source::find(cx, &self.policy_source_arn)?;
        Ok(context_keys(source.documents().chain(inputs.unwrap_or_default())).into())
    }
}

/// Returns the context keys that policies refer to.
#[operation(
    of = Policy, call = "context_keys_of_custom", wraps(context_key_names: Vec<Text>), effect = read,
    subject = "*"
)]
pub struct GetContextKeysForCustomPolicy {
    /// Policy documents in JSON.
    #[field(each(length(1..=131_072)))]
    pub policy_input_list: Vec<Text>,
}

impl Handler for GetContextKeysForCustomPolicy {
    fn run(self, _: &mut Tx<'_>) -> Result<Self::Output> {
        SimulatedPolicy::read_inputs("PolicyInputList", Some(&self.policy_input_list))?;
        Ok(context_keys(&self.policy_input_list).into())
    }
}
