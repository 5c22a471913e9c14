//! The order of the actions of an execution, as a pure function of the structure and of the outcomes so far.
//!
//! Stages run one after the other. Within a stage, actions with the lowest run order run first, all in parallel; those with the next
//! one follow when all of them succeeded. After a failure no further action of the stage is started, and the stage fails when its
//! running actions have ended.

use crate::pipeline::StageDeclaration;
use std::collections::BTreeMap;

/// An action of a pipeline, by the positions of its stage and of itself within the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionPosition {
    /// Position of the stage.
    pub stage: usize,
    /// Position of the action within the stage.
    pub action: usize,
}

/// State of an action that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionOutcome {
    /// It has not ended.
    Running,
    /// It succeeded.
    Succeeded,
    /// It failed, was rejected, or was abandoned.
    Failed,
}

/// Outcomes of the actions of one attempt; an action that was not started has none.
pub type Outcomes = BTreeMap<ActionPosition, ActionOutcome>;

/// Next step of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextActions {
    /// These actions start now, in parallel.
    Start(Vec<ActionPosition>),
    /// Actions are running, and none can start before they end.
    Wait,
    /// The stage at this position failed, which ends the execution.
    Failed {
        /// Position of the stage.
        stage: usize,
    },
    /// All stages succeeded.
    Succeeded,
}

/// Run orders of the actions of a pipeline, by stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionPlan {
    stages: Vec<Vec<i64>>,
}

impl ExecutionPlan {
    /// Makes the plan of run orders by stage.
    pub fn new(run_orders: Vec<Vec<i64>>) -> Self {
        Self { stages: run_orders }
    }

    /// Makes the plan of the stages of a pipeline.
    pub fn from_stages(stages: &[StageDeclaration]) -> Self {
        let orders = |stage: &StageDeclaration| {
            stage.all_actions().iter().map(|action| action.run_order.unwrap_or(1)).collect()
        };
        Self::new(stages.iter().map(orders).collect())
    }

    /// Returns what the execution does next. It enters the first stage.
    pub fn next(&self, outcomes: &Outcomes) -> NextActions {
        self.next_from(0, outcomes)
    }

    /// Returns what an execution that enters the pipeline at a stage does next: earlier stages are not looked at.
    pub fn next_from(&self, first_stage: usize, outcomes: &Outcomes) -> NextActions {
        for stage in first_stage..self.stages.len() {
            match self.next_in_stage(stage, outcomes) {
                NextActions::Succeeded => {}
                next => return next,
            }
        }
        NextActions::Succeeded
    }

    /// Returns what a stage does next.
    pub fn next_in_stage(&self, stage: usize, outcomes: &Outcomes) -> NextActions {
        let orders = self.stages.get(stage).map(Vec::as_slice).unwrap_or_default();
        let outcome = |action: usize| outcomes.get(&ActionPosition { stage, action });
        let has = |wanted: ActionOutcome| (0..orders.len()).any(|action| outcome(action) == Some(&wanted));
        if has(ActionOutcome::Running) {
            return self.startable_beside_running(stage, outcomes);
        }
        if has(ActionOutcome::Failed) {
            return NextActions::Failed { stage };
        }
        match self.waiting(stage, outcomes) {
            waiting if waiting.is_empty() => NextActions::Succeeded,
            waiting => NextActions::Start(waiting),
        }
    }

    /// Actions that were not started although actions of the same run order are running, as after a retry of failed actions.
    fn startable_beside_running(&self, stage: usize, outcomes: &Outcomes) -> NextActions {
        let in_stage = |wanted: ActionOutcome| {
            outcomes.iter().filter(move |(at, outcome)| at.stage == stage && **outcome == wanted)
        };
        if in_stage(ActionOutcome::Failed).next().is_some() {
            return NextActions::Wait;
        }
        let running =
            in_stage(ActionOutcome::Running).filter_map(|(at, _)| self.stages[stage].get(at.action));
        let lowest_running = running.min().copied().unwrap_or(i64::MAX);
        let mut waiting = self.waiting(stage, outcomes);
        waiting.retain(|at| self.stages[stage][at.action] <= lowest_running);
        if waiting.is_empty() { NextActions::Wait } else { NextActions::Start(waiting) }
    }

    /// Actions of a stage that were not started, with the lowest run order of them.
    fn waiting(&self, stage: usize, outcomes: &Outcomes) -> Vec<ActionPosition> {
        let orders = &self.stages[stage];
        let not_started = |action: &usize| !outcomes.contains_key(&ActionPosition { stage, action: *action });
        let lowest = (0..orders.len()).filter(not_started).map(|action| orders[action]).min();
        let in_turn = (0..orders.len()).filter(not_started).filter(|action| Some(orders[*action]) == lowest);
        in_turn.map(|action| ActionPosition { stage, action }).collect()
    }

    /// Run order of an action.
    pub fn run_order(&self, at: ActionPosition) -> Option<i64> {
        self.stages.get(at.stage)?.get(at.action).copied()
    }

    /// Outcomes for a retry of a failed stage: those of its failed actions are removed, or those of all its actions.
    pub fn retry(&self, stage: usize, all_actions: bool, outcomes: &Outcomes) -> Outcomes {
        let is_kept = |at: &ActionPosition, outcome: &ActionOutcome| {
            at.stage != stage || (!all_actions && *outcome == ActionOutcome::Succeeded)
        };
        outcomes
            .iter()
            .filter(|(at, outcome)| is_kept(at, outcome))
            .map(|(at, outcome)| (*at, *outcome))
            .collect()
    }
}
