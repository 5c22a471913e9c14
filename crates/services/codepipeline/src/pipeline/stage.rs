//! Stages of a pipeline, and the conditions of entering and leaving them.

use super::{ActionDeclaration, InputArtifact};
use nephos_core::{Map, Record, Text, choices};

choices! {
    /// Type of a blocker.
    pub enum BlockerType {
        /// By time.
        Schedule = "Schedule",
    }
}

choices! {
    /// Result of a condition that is not met, or of a stage that fails.
    #[derive(Eq)]
    pub enum ConditionResult {
        /// The stage goes back to its last successful execution.
        Rollback = "ROLLBACK",
        /// The stage fails.
        Fail = "FAIL",
        /// The stage is tried again.
        Retry = "RETRY",
        /// The stage is skipped.
        Skip = "SKIP",
    }
}

choices! {
    /// Actions that are tried again after a failure.
    #[derive(Eq)]
    pub enum StageRetryMode {
        /// Those that failed.
        FailedActions = "FAILED_ACTIONS",
        /// All of the stage.
        AllActions = "ALL_ACTIONS",
    }
}

choices! {
    /// Category of a rule.
    pub enum RuleCategory {
        /// A rule of a condition.
        Rule = "Rule",
    }
}

choices! {
    /// Owner of a type of rules.
    pub enum RuleOwner {
        /// The provider of the cloud.
        Provider = "Provider" => "AWS",
    }
}

/// Blocker of a stage, which the service reserves for later use.
#[derive(Record)]
#[record(case = "camel")]
pub struct BlockerDeclaration {
    /// Name.
    #[field(required, length(1..=100))]
    name: Option<Text>,
    /// Type.
    #[field(required)]
    r#type: Option<BlockerType>,
}

/// Type of a rule.
#[derive(Record)]
#[record(case = "camel")]
pub struct RuleTypeId {
    /// Category.
    #[field(required)]
    pub(crate) category: Option<RuleCategory>,
    /// Owner.
    pub(crate) owner: Option<RuleOwner>,
    /// Provider.
    #[field(required, like = super::ActionTypeId::provider)]
    pub(crate) provider: Option<Text>,
    /// Version.
    #[field(like = super::ActionTypeId::version)]
    pub(crate) version: Option<Text>,
}

/// A rule of a condition.
#[derive(Record)]
#[record(case = "camel")]
pub struct RuleDeclaration {
    /// Name of the rule, unique within the condition.
    #[field(required, like = ActionDeclaration::name)]
    pub(crate) name: Option<Text>,
    /// Type of the rule.
    #[field(required)]
    pub(crate) rule_type_id: Option<RuleTypeId>,
    /// Configuration.
    #[field(length(..=200))]
    pub(crate) configuration: Option<Map<Text>>,
    /// Shell commands of a compute rule.
    #[field(like = ActionDeclaration::commands)]
    commands: Option<Vec<Text>>,
    /// Artifacts that the rule takes.
    pub(crate) input_artifacts: Option<Vec<InputArtifact>>,
    /// ARN of the role that the pipeline's role assumes for the rule.
    #[field(like = ActionDeclaration::role_arn)]
    pub(crate) role_arn: Option<Text>,
    /// Region of the rule.
    #[field(like = ActionDeclaration::region)]
    pub(crate) region: Option<Text>,
    /// Minutes until the rule fails.
    #[field(like = ActionDeclaration::timeout_in_minutes)]
    timeout_in_minutes: Option<i64>,
}

impl RuleDeclaration {
    /// Provider of the type of the rule.
    pub(crate) fn provider(&self) -> Option<&str> {
        self.rule_type_id.as_ref()?.provider.as_deref()
    }
}

/// A condition: rules, and what happens if they are not met.
#[derive(Record)]
#[record(case = "camel")]
pub struct Condition {
    /// Result if the rules are not met.
    pub(crate) result: Option<ConditionResult>,
    /// Rules.
    #[field(length(1..=5))]
    pub(crate) rules: Option<Vec<RuleDeclaration>>,
}

/// Retries of a stage that failed.
#[derive(Record)]
#[record(case = "camel")]
pub struct RetryConfiguration {
    /// Actions that are tried again.
    pub(crate) retry_mode: Option<StageRetryMode>,
}

/// Settings for the failure of a stage.
#[derive(Record)]
#[record(case = "camel")]
pub struct FailureConditions {
    /// The result.
    pub(crate) result: Option<ConditionResult>,
    /// Retries, with the result `RETRY`.
    pub(crate) retry_configuration: Option<RetryConfiguration>,
    /// Conditions.
    #[field(length(1..=1))]
    pub(crate) conditions: Option<Vec<Condition>>,
}

/// Conditions that a stage must meet after it succeeded.
#[derive(Record)]
#[record(case = "camel")]
pub struct SuccessConditions {
    /// Conditions.
    #[field(required, like = FailureConditions::conditions)]
    pub(crate) conditions: Option<Vec<Condition>>,
}

/// Conditions that must be met before a stage is entered.
#[derive(Record)]
#[record(case = "camel")]
pub struct BeforeEntryConditions {
    /// Conditions.
    #[field(required, like = FailureConditions::conditions)]
    pub(crate) conditions: Option<Vec<Condition>>,
}

/// A stage: actions, and conditions of entering and leaving it.
#[derive(Record)]
#[record(case = "camel")]
pub struct StageDeclaration {
    /// Name of the stage, unique within the pipeline.
    #[field(required, like = ActionDeclaration::name)]
    pub(crate) name: Option<Text>,
    /// Blockers, which the service reserves for later use.
    pub(crate) blockers: Option<Vec<BlockerDeclaration>>,
    /// Actions.
    #[field(required)]
    pub(crate) actions: Option<Vec<ActionDeclaration>>,
    /// Settings for the failure of the stage.
    pub(crate) on_failure: Option<FailureConditions>,
    /// Conditions after the stage succeeded.
    pub(crate) on_success: Option<SuccessConditions>,
    /// Conditions before the stage is entered.
    pub(crate) before_entry: Option<BeforeEntryConditions>,
}

impl StageDeclaration {
    /// Name of the stage.
    pub(crate) fn own_name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Actions of the stage.
    pub(crate) fn all_actions(&self) -> &[ActionDeclaration] {
        self.actions.as_deref().unwrap_or_default()
    }

    /// Conditions of the stage, of all three kinds.
    pub(crate) fn all_conditions(&self) -> impl Iterator<Item = &Condition> {
        let on_failure = self.on_failure.as_ref().and_then(|all| all.conditions.as_ref());
        let on_success = self.on_success.as_ref().and_then(|all| all.conditions.as_ref());
        let before_entry = self.before_entry.as_ref().and_then(|all| all.conditions.as_ref());
        [on_failure, on_success, before_entry].into_iter().flatten().flatten()
    }
}
