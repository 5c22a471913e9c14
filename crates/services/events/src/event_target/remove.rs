//! Removal of targets.

use crate::{
    EventRule, EventTarget, EventTargetManager, FailedTarget, FailedTargets, RuleBus, RuleOfTargetRow,
    errors, event_bus, event_rule, event_target,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Maximum number of targets that are removed at once.
const MAX_IDS: usize = 100;

/// Targets to remove from a rule.
#[derive(Record)]
#[record(shared)]
pub struct TargetRemoval {
    /// Name of the rule.
    #[field(required, like = EventRule::name)]
    rule: Option<Text>,
    /// IDs of the targets.
    #[field(required, length(1..=100), each(length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+"))]
    ids: Option<Vec<Text>>,
    /// True to remove targets of a rule that a service manages.
    force: Option<bool>,
}

/// Removes targets from a rule. A target that does not exist is returned as failed.
#[operation(
    of = EventTarget, include(TargetRemoval, RuleBus), effect = write, output = FailedTargets,
    subject = "rule/{EventBusName}/{Rule}"
)]
pub struct RemoveTargets {}

impl Handler for RemoveTargets {
    fn run(self, cx: &mut Tx<'_>) -> Result<FailedTargets> {
        let rule = event_rule::require::<Self>(cx, self.event_bus_name.as_deref(), &self.rule)?;
        rule.check_not_managed(self.force == Some(true))?;
        let bus = rule.event_bus_name.unwrap_or_default();
        let mut failed = Vec::new();
        event_bus::index::change(cx, &bus)?;
        for id in self.ids {
            let key = event_target::key_prefix(cx.scope(), &bus, &self.rule).text(&id);
            let Some(target) = cx.get::<EventTarget>(&key)? else {
                let error = errors::target_not_found(&self.rule, &id);
                failed.push(FailedTarget {
                    target_id: Some(id),
                    error_code: Some(error.code().into()),
                    error_message: Some(error.message().into()),
                });
                continue;
            };
            RuleOfTargetRow::count(cx, &target, -1)?;
            cx.remove(&target)?;
            event_target::sealed_texts::remove(cx, &target)?;
        }
        Ok(failed.into())
    }
}

/// Removes targets from a rule. Returns the targets that failed.
#[operation(kind = EventTarget, call = "remove", include(TargetRemoval, RuleBus), effect = write, output = FailedTargets)]
pub struct EventTargetRemove {
    /// True if the call fails when any target fails.
    pub strict: Option<bool>,
}

impl ManagerOperation for EventTargetRemove {
    async fn run(&self, context: &WorkflowContext) -> Result<FailedTargets> {
        let answer = context.call(RemoveTargets::from_given(self.clone())).await?;
        if self.strict == Some(true) { answer.into_error() } else { Ok(answer) }
    }
}

/// Removes all targets from a rule. No effect if it does not exist.
pub(crate) async fn remove_all(
    context: &WorkflowContext,
    rule: &Text,
    bus: Option<&Text>,
    force: Option<bool>,
) -> Result<()> {
    let targets = event_target::fetch(context, bus, rule).await?;
    let ids: Vec<_> = targets.into_iter().filter_map(|target| target.id).collect();
    for ids in ids.chunks(MAX_IDS) {
        let mut remove = RemoveTargets::new(rule.clone(), ids);
        remove.event_bus_name = bus.cloned();
        remove.force = force;
        context.call(remove).await?.into_error()?;
    }
    Ok(())
}

/// Removes a target from its rule; an error if it does not exist.
#[operation(
    kind = EventTarget, of = EventTarget, call = "delete", on_model, needs(rule, id), include(RuleBus), effect = write,
    output = ()
)]
pub struct EventTargetDelete {
    /// True to remove a target of a rule that a service manages.
    pub force: Option<bool>,
}

impl ManagerOperation for EventTargetDelete {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let mut remove = RemoveTargets::from_given(self.clone());
        remove.ids.push(self.id.clone());
        context.call(remove).await?.into_error().map(drop)
    }
}
