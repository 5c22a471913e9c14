//! Creation and replacement of targets.

use crate::{
    EventRule, EventTarget, EventTargetGet, EventTargetManager, RuleBus, RuleOfTargetRow, errors, event_bus,
    event_rule, event_target,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{ManagerOperation, OnModel, Record, Result, Text, WorkflowContext, operation};
use std::collections::BTreeSet;

/// Maximum number of targets of a rule.
const MAX_TARGETS: usize = 5;

/// A target that could not be stored or removed.
#[derive(Record)]
#[record(answer, name = "PutTargetsResultEntry")]
pub struct FailedTarget {
    /// ID of the target.
    pub(crate) target_id: Option<Text>,
    /// Error code.
    pub(crate) error_code: Option<Text>,
    /// Text of the error.
    pub(crate) error_message: Option<Text>,
}

/// Targets that could not be stored or removed.
#[derive(Record)]
#[record(answer, name = "PutTargetsResponse")]
pub struct FailedTargets {
    /// Number of targets that failed.
    failed_entry_count: Option<i64>,
    /// Targets that failed.
    failed_entries: Option<Vec<FailedTarget>>,
}

impl From<Vec<FailedTarget>> for FailedTargets {
    fn from(failed: Vec<FailedTarget>) -> Self {
        let count = i64::try_from(failed.len()).unwrap_or(i64::MAX);
        Self { failed_entry_count: Some(count), failed_entries: Some(failed) }
    }
}

impl FailedTargets {
    /// Returns the first failure as an error, if there is one.
    pub(crate) fn into_error(self) -> Result<Self> {
        let Some(failed) = self.failed_entries.iter().flatten().next() else { return Ok(self) };
        let error = errors::of_entry(failed.error_code.as_deref(), failed.error_message.as_deref());
        Err(error.with_hint(failed.target_id.as_deref().unwrap_or_default()))
    }
}

/// Targets of a rule.
#[derive(Record)]
#[record(shared)]
pub struct RuleTargets {
    /// Name of the rule.
    #[field(required, like = EventRule::name)]
    rule: Option<Text>,
    /// Targets.
    #[field(required, length(1..=10))]
    targets: Option<Vec<EventTarget>>,
}

/// Adds targets to a rule, and replaces targets with the same IDs.
#[operation(
    of = EventTarget, include(RuleTargets, RuleBus), effect = write, output = FailedTargets,
    subject = "rule/{EventBusName}/{Rule}", also_requires("iam:PassRole" = "Targets.RoleArn? {Targets.RoleArn}")
)]
pub struct PutTargets {}

impl Handler for PutTargets {
    fn run(self, cx: &mut Tx<'_>) -> Result<FailedTargets> {
        self.targets.iter().try_for_each(event_target::check::check)?;
        let rule = event_rule::require::<Self>(cx, self.event_bus_name.as_deref(), &self.rule)?;
        rule.check_not_managed(false)?;
        let bus = rule.event_bus_name.unwrap_or_default();
        let mut after = event_target::targets_of(cx, &bus, &self.rule)?;
        check_count(&after, &self.targets)?;
        for mut target in self.targets {
            target.event_bus_name = Some(bus.clone());
            target.rule = Some(self.rule.clone());
            if after.contains(&target) {
                continue;
            }
            event_bus::index::change(cx, &bus)?;
            if let Some(existing) = after.iter_mut().find(|existing| existing.id == target.id) {
                RuleOfTargetRow::count(cx, existing, -1)?;
                existing.clone_from(&target);
            } else {
                after.push(target.clone());
            }
            RuleOfTargetRow::count(cx, &target, 1)?;
            event_target::sealed_texts::seal(cx, &mut target)?;
            cx.put(target)?;
        }
        Ok(Vec::new().into())
    }
}

/// Refuses targets beyond the maximum number.
fn check_count(before: &[EventTarget], added: &[EventTarget]) -> Result<()> {
    let ids: BTreeSet<_> = before.iter().chain(added).map(|target| &target.id).collect();
    if ids.len() <= MAX_TARGETS {
        return Ok(());
    }
    let hint = format!("a rule can have at most {MAX_TARGETS} targets");
    Err(errors::too_many().with_field("Targets").with_hint(hint))
}

/// Stores a target; returns it as the service has it.
async fn put(context: &WorkflowContext, model: &EventTarget) -> Result<EventTarget> {
    let rule = model.rule.clone().ok_or_else(|| errors::rule_missing().with_field("Rule"))?;
    let mut put = PutTargets::new(rule, vec![model.clone()]);
    put.event_bus_name.clone_from(&model.event_bus_name);
    context.call(put).await?.into_error()?;
    let found = context.run(EventTargetGet::for_model(model)?).await?;
    found.ok_or_else(|| nephos_core::operation::missing_in_answer("Targets"))
}

/// Adds a target to its rule, or replaces the target with the same ID.
#[operation(kind = EventTarget, call = "create", effect = write, output = EventTarget)]
pub struct EventTargetCreate {
    /// The target.
    #[field(model, name = "model")]
    pub model: EventTarget,
}

impl ManagerOperation for EventTargetCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<EventTarget> {
        put(context, &self.model).await
    }
}

/// Replaces a target.
#[operation(kind = EventTarget, call = "update", effect = write, output = EventTarget)]
pub struct EventTargetUpdate {
    /// The target.
    #[field(model, name = "model")]
    pub model: EventTarget,
}

impl ManagerOperation for EventTargetUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<EventTarget> {
        put(context, &self.model).await
    }
}

/// Adds targets to a rule, and replaces targets with the same IDs. Returns the targets that failed.
#[operation(kind = EventTarget, call = "put", include(RuleTargets, RuleBus), effect = write, output = FailedTargets)]
pub struct EventTargetPut {
    /// True if the call fails when any target fails.
    pub strict: Option<bool>,
}

impl ManagerOperation for EventTargetPut {
    async fn run(&self, context: &WorkflowContext) -> Result<FailedTargets> {
        let answer = context.call(PutTargets::from_given(self.clone())).await?;
        if self.strict == Some(true) { answer.into_error() } else { Ok(answer) }
    }
}
