//! Conditions of stages: all rules of a condition must be met, or its result follows.

use super::{
    ActionOutcomeRow, ActionRunRow, ErrorDetails, ExecutionRow, OutcomeOfAction, RuleExecutionStatus,
    RuleRunRow, artifacts, rollback,
    run::{CONFIGURATION_ERROR, JOB_FAILED, unresolved_message},
    variables::KnownVariables,
};
use crate::pipeline::{Condition, PipelineDeclaration, RuleDeclaration, StageDeclaration};
use nephos_cloud::Tx;
use nephos_core::{Map, Record, Result, Text, Timestamp, choices, field_value::FieldType};

choices! {
    /// Condition of a stage.
    #[derive(Eq)]
    pub(crate) enum StageCondition {
        /// Before the stage is entered.
        BeforeEntry = "BEFORE_ENTRY",
        /// After the stage succeeded.
        OnSuccess = "ON_SUCCESS",
        /// After the stage failed.
        OnFailure = "ON_FAILURE",
    }
}

choices! {
    /// Status of a condition.
    #[derive(Eq)]
    pub enum ConditionExecutionStatus {
        /// Rules run.
        InProgress = "InProgress",
        /// A rule is not met.
        Failed = "Failed",
        /// A rule could not be checked.
        Errored = "Errored",
        /// All rules are met.
        Succeeded = "Succeeded",
        /// The pipeline was changed.
        Cancelled = "Cancelled",
        /// The execution was stopped.
        Abandoned = "Abandoned",
        /// A caller decided that the condition counts as met.
        Overridden = "Overridden",
    }
}

/// State of a condition in an execution.
#[derive(Record)]
#[record(row)]
pub(crate) struct ConditionRun {
    /// The condition.
    pub(crate) condition: Option<StageCondition>,
    /// Status.
    pub(crate) status: Option<ConditionExecutionStatus>,
    /// Time of the last change.
    pub(crate) changed_at: Option<Timestamp>,
}

/// Progress of a condition.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All rules are met, or there is no condition.
    Met,
    /// A rule is not met.
    NotMet,
    /// A rule runs. True if a row was changed.
    Waiting(bool),
}

/// Returns a condition of a stage.
pub(super) fn find<'s>(stage: &'s StageDeclaration, condition: &StageCondition) -> Option<&'s Condition> {
    let all = match condition {
        StageCondition::BeforeEntry => stage.before_entry.as_ref().and_then(|all| all.conditions.as_ref()),
        StageCondition::OnSuccess => stage.on_success.as_ref().and_then(|all| all.conditions.as_ref()),
        _ => stage.on_failure.as_ref().and_then(|all| all.conditions.as_ref()),
    };
    all?.first()
}

impl ExecutionRow {
    /// Status of a condition of a stage that the execution entered.
    pub(super) fn condition_run(&self, stage: &str, condition: &StageCondition) -> Option<&ConditionRun> {
        let mut runs = self.stage_run(stage)?.conditions.iter().flatten();
        runs.find(|run| run.condition.as_ref() == Some(condition))
    }

    /// Sets the status of a condition of a stage that the execution entered.
    pub(super) fn set_condition(
        &mut self,
        stage: &str,
        condition: &StageCondition,
        status: ConditionExecutionStatus,
        now: Timestamp,
    ) {
        let mut stages = self.stages.iter_mut().flatten();
        let Some(stage) = stages.find(|run| run.name.as_deref() == Some(stage)) else { return };
        let runs = stage.conditions.get_or_insert_default();
        runs.retain(|run| run.condition.as_ref() != Some(condition));
        let condition = Some(condition.clone());
        runs.push(ConditionRun { condition, status: Some(status), changed_at: Some(now) });
    }
}

/// Checks a condition of the stage that the execution is in. A condition is checked once in each attempt.
pub(super) fn check(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    pipeline: &PipelineDeclaration,
    stage: &StageDeclaration,
    condition: &StageCondition,
    runs: &[ActionRunRow],
) -> Result<Progress> {
    use ConditionExecutionStatus::{Failed, InProgress, Succeeded};
    let Some(declared) = find(stage, condition) else { return Ok(Progress::Met) };
    let run = execution.condition_run(stage.own_name(), condition);
    let mut is_changed = false;
    match run.and_then(|run| run.status.as_ref()) {
        None => {
            start_rules(cx, execution, pipeline, stage, condition, declared, runs)?;
            execution.set_condition(stage.own_name(), condition, InProgress, cx.now());
            is_changed = true;
        }
        Some(InProgress) => {}
        Some(Succeeded | ConditionExecutionStatus::Overridden) => return Ok(Progress::Met),
        Some(_) => return Ok(Progress::NotMet),
    }
    let mut rules = RuleRunRow::of_condition(cx, execution, stage.own_name(), condition)?;
    for rule in &mut rules {
        is_changed |= end_rule(cx, rule)?;
    }
    let has = |status: RuleExecutionStatus| rules.iter().any(|rule| rule.status.as_ref() == Some(&status));
    if has(RuleExecutionStatus::InProgress) {
        return Ok(Progress::Waiting(is_changed));
    }
    let is_met = !has(RuleExecutionStatus::Failed);
    let status = if is_met { Succeeded } else { Failed };
    execution.set_condition(stage.own_name(), condition, status, cx.now());
    Ok(if is_met { Progress::Met } else { Progress::NotMet })
}

/// Starts the rules of a condition.
fn start_rules(
    cx: &mut Tx<'_>,
    execution: &mut ExecutionRow,
    pipeline: &PipelineDeclaration,
    stage: &StageDeclaration,
    condition: &StageCondition,
    declared: &Condition,
    runs: &[ActionRunRow],
) -> Result<()> {
    let visible = rollback::visible_runs(cx, execution, runs)?;
    let known = KnownVariables::new(execution, pipeline, &visible);
    for rule in declared.rules.iter().flatten() {
        let sequence = execution.action_runs.unwrap_or_default() + 1;
        execution.action_runs = Some(sequence);
        let mut run = RuleRunRow::blank();
        run.pipeline.clone_from(&execution.pipeline_name);
        run.execution = execution.number;
        run.sequence = Some(sequence);
        run.id = Some(execution.ids_of_run(sequence, false).uuid());
        run.stage.clone_from(&stage.name);
        run.condition = Some(condition.clone());
        run.rule = Some(rule.clone());
        run.start_time = Some(cx.now());
        run.last_update_time = Some(cx.now());
        run.status = Some(RuleExecutionStatus::InProgress);
        run.input_artifacts = Some(artifacts::find_named(rule.input_artifacts.iter().flatten(), &visible));
        match known.resolve(rule.configuration.as_ref()) {
            Ok(resolved) => run.resolved_configuration = Some(resolved),
            Err(reference) => {
                let message = unresolved_message("rule", run.rule_name(), &reference);
                run.fail(CONFIGURATION_ERROR, message);
            }
        }
        cx.put(run)?;
    }
    Ok(())
}

/// Ends a rule that runs, unless a test control lets it wait; true if it ended.
fn end_rule(cx: &mut Tx<'_>, run: &mut RuleRunRow) -> Result<bool> {
    if run.status != Some(RuleExecutionStatus::InProgress) {
        return Ok(false);
    }
    let pipeline = run.pipeline.clone().unwrap_or_default();
    let stage = run.stage.clone().unwrap_or_default();
    let chosen = ActionOutcomeRow::find(cx, &pipeline, &stage, run.rule_name())?;
    match chosen.as_ref().map(|row| (row, row.outcome.as_ref())) {
        Some((_, Some(OutcomeOfAction::Wait))) => return Ok(false),
        Some((row, Some(OutcomeOfAction::Fail))) => run.fail(JOB_FAILED, row.failure_message()),
        Some(_) => run.status = Some(RuleExecutionStatus::Succeeded),
        None if is_met(run) => run.status = Some(RuleExecutionStatus::Succeeded),
        None => run.fail(JOB_FAILED, format!("Rule {} is not met.", run.rule_name()).into()),
    }
    run.last_update_time = Some(cx.now());
    cx.put(run.clone())?;
    Ok(true)
}

/// True if a rule is met. Rules that ask other services are.
fn is_met(run: &RuleRunRow) -> bool {
    let provider = run.rule.as_ref().and_then(RuleDeclaration::provider);
    if provider != Some("VariableCheck") {
        return true;
    }
    let blank = Map::default();
    let settings = run.resolved_configuration.as_ref().unwrap_or(&blank);
    let setting = |name: &str| settings.get(name).map(Text::as_str).unwrap_or_default();
    let variable = setting("Variable");
    let value = setting("Value");
    match setting("Operator") {
        "EQ" => variable == value,
        "NE" => variable != value,
        "CONTAINS" => variable.contains(value),
        "MATCHES" => {
            regex::Regex::new(&format!(r"\A(?:{value})\z")).is_ok_and(|regex| regex.is_match(variable))
        }
        _ => false,
    }
}

impl RuleRunRow {
    fn fail(&mut self, code: &str, message: Text) {
        self.status = Some(RuleExecutionStatus::Failed);
        self.error = Some(ErrorDetails { code: Some(code.into()), message: Some(message) });
    }
}

/// Abandons the rules of a stage that run, because the execution is stopped.
pub(super) fn abandon_rules(cx: &mut Tx<'_>, execution: &mut ExecutionRow, stage: &str) -> Result<()> {
    for condition in [StageCondition::BeforeEntry, StageCondition::OnSuccess, StageCondition::OnFailure] {
        let mut is_running = false;
        for mut run in RuleRunRow::of_condition(cx, execution, stage, &condition)? {
            if run.status == Some(RuleExecutionStatus::InProgress) {
                run.status = Some(RuleExecutionStatus::Abandoned);
                run.last_update_time = Some(cx.now());
                cx.put(run)?;
                is_running = true;
            }
        }
        if is_running {
            execution.set_condition(stage, &condition, ConditionExecutionStatus::Abandoned, cx.now());
        }
    }
    Ok(())
}

/// Forgets the conditions of a stage, which are checked again by a retry.
pub(super) fn forget(cx: &mut Tx<'_>, execution: &mut ExecutionRow, stage: &str) -> Result<()> {
    for condition in [StageCondition::BeforeEntry, StageCondition::OnSuccess, StageCondition::OnFailure] {
        for mut run in RuleRunRow::of_condition(cx, execution, stage, &condition)? {
            run.is_replaced = Some(true);
            cx.put(run)?;
        }
    }
    let mut stages = execution.stages.iter_mut().flatten();
    if let Some(run) = stages.find(|run| run.name.as_deref() == Some(stage)) {
        run.conditions = None;
    }
    Ok(())
}
