//! Types of the rules of stage conditions.

use crate::{
    Pipeline, PipelineManager,
    action_type::{ActionConfigurationProperty, ActionTypeSettings, ArtifactDetails, provided::property},
    pipeline::{RuleCategory, RuleOwner, RuleTypeId},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Version of all types of rules.
const VERSION: &str = "1";

/// A type of rules: its provider, the maximum number of input artifacts, required and optional properties.
struct ProvidedRuleType(&'static str, i64, &'static [&'static str], &'static [&'static str]);

static TYPES: &[ProvidedRuleType] = &[
    ProvidedRuleType("CloudWatchAlarm", 0, &["AlarmName"], &["AlarmStates", "WaitTime"]),
    ProvidedRuleType("CodeBuild", 5, &["ProjectName"], &["PrimarySource", "EnvironmentVariables"]),
    ProvidedRuleType("Commands", 5, &[], &[]),
    ProvidedRuleType("DeploymentWindow", 0, &["Cron"], &["TimeZone"]),
    ProvidedRuleType("LambdaInvoke", 5, &["FunctionName"], &["UserParameters"]),
    ProvidedRuleType("VariableCheck", 0, &["Operator", "Value", "Variable"], &[]),
];

/// A type of rules.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RuleType {
    /// Identity of the type.
    #[field(required)]
    id: Option<RuleTypeId>,
    /// Addresses that the console shows.
    settings: Option<ActionTypeSettings>,
    /// Properties of the configuration.
    rule_configuration_properties: Option<Vec<ActionConfigurationProperty>>,
    /// Numbers of artifacts that rules take.
    #[field(required)]
    input_artifact_details: Option<ArtifactDetails>,
}

impl ProvidedRuleType {
    fn to_record(&self) -> RuleType {
        let Self(provider, max_artifacts, required, optional) = self;
        let required = required.iter().map(|name| property(name, true));
        let properties = required.chain(optional.iter().map(|name| property(name, false)));
        RuleType {
            id: Some(RuleTypeId {
                category: Some(RuleCategory::Rule),
                owner: Some(RuleOwner::Provider),
                provider: Some((*provider).into()),
                version: Some(VERSION.into()),
            }),
            settings: None,
            rule_configuration_properties: Some(properties.collect()),
            input_artifact_details: Some(ArtifactDetails {
                minimum_count: Some(0),
                maximum_count: Some(*max_artifacts),
            }),
        }
    }
}

/// Lists the types of rules.
#[operation(
    of = Pipeline, case = "camel", call = "list_rule_types", wraps(rule_types: Vec<RuleType>), effect = read, access = read,
    subject = "*"
)]
pub struct ListRuleTypes {
    /// Owner of the types; there is one.
    pub rule_owner_filter: Option<RuleOwner>,
    /// Region of the types; all exist in every Region.
    #[field(length(4..=30))]
    pub region_filter: Option<Text>,
}

impl Handler for ListRuleTypes {
    fn run(self, _: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(TYPES.iter().map(ProvidedRuleType::to_record).collect::<Vec<_>>().into())
    }
}
