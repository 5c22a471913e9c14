//! Every execution ends, keeps the order of stages and run orders, and starts each action at most once per attempt.

use nephos_codepipeline::execution::plan::{
    ActionOutcome, ActionPosition, ExecutionPlan, NextActions, Outcomes,
};
use proptest::prelude::*;

/// An execution in progress: the outcomes, and what was started in which order.
struct Run<'p> {
    plan: &'p ExecutionPlan,
    outcomes: Outcomes,
    started: Vec<ActionPosition>,
}

impl Run<'_> {
    /// Runs to the end. `choices` says which running action ends next, and if it fails.
    fn finish(&mut self, choices: &mut impl Iterator<Item = (usize, bool)>) -> NextActions {
        for _ in 0..1000 {
            match self.plan.next(&self.outcomes) {
                NextActions::Start(actions) => {
                    assert!(!actions.is_empty(), "an empty start would go on for ever");
                    for at in actions {
                        self.check_start(at);
                        self.started.push(at);
                        self.outcomes.insert(at, ActionOutcome::Running);
                    }
                }
                NextActions::Wait => {
                    let running: Vec<_> = self.in_state(ActionOutcome::Running);
                    assert!(!running.is_empty(), "nothing to wait for");
                    let (which, fails) = choices.next().unwrap();
                    let outcome = if fails { ActionOutcome::Failed } else { ActionOutcome::Succeeded };
                    self.outcomes.insert(running[which % running.len()], outcome);
                }
                end => return end,
            }
        }
        panic!("the execution does not end");
    }

    fn in_state(&self, wanted: ActionOutcome) -> Vec<ActionPosition> {
        self.outcomes.iter().filter(|(_, outcome)| **outcome == wanted).map(|(at, _)| *at).collect()
    }

    /// Everything before an action has succeeded when it starts, and it was not started before.
    fn check_start(&self, at: ActionPosition) {
        assert!(!self.started.contains(&at), "{at:?} was started twice");
        let order = self.plan.run_order(at).unwrap();
        for (other, outcome) in &self.outcomes {
            assert_ne!(*outcome, ActionOutcome::Failed, "{at:?} was started after {other:?} failed");
            let is_before = (other.stage, self.plan.run_order(*other).unwrap()) < (at.stage, order);
            assert!(!is_before || *outcome == ActionOutcome::Succeeded, "{at:?} did not wait for {other:?}");
            assert!(other.stage <= at.stage, "{at:?} was started after {other:?} of a later stage");
        }
    }
}

proptest! {
    #[test]
    fn every_execution_ends_in_order(
        stages in prop::collection::vec(prop::collection::vec(1..5_i64, 1..6), 1..6),
        choices in prop::collection::vec((0..6_usize, prop::bool::weighted(0.1)), 64),
        all_actions in any::<bool>(),
    ) {
        let plan = ExecutionPlan::new(stages.clone());
        let mut run = Run { plan: &plan, outcomes: Outcomes::new(), started: Vec::new() };
        let end = run.finish(&mut choices.iter().copied());
        let failed = run.in_state(ActionOutcome::Failed);
        let total: usize = stages.iter().map(Vec::len).sum();
        match end {
            NextActions::Succeeded => {
                prop_assert!(failed.is_empty());
                prop_assert_eq!(run.started.len(), total);
            }
            NextActions::Failed { stage } => {
                prop_assert!(failed.iter().all(|at| at.stage == stage) && !failed.is_empty());
                prop_assert!(run.started.iter().all(|at| at.stage <= stage));
                // A retry runs what failed, or the whole stage, and succeeds if nothing fails again.
                let outcomes = plan.retry(stage, all_actions, &run.outcomes);
                let mut retry = Run { plan: &plan, outcomes, started: Vec::new() };
                let end = retry.finish(&mut (0..).map(|n| (n, false)));
                prop_assert_eq!(end, NextActions::Succeeded);
                let again = failed.iter().all(|at| retry.started.contains(at));
                prop_assert!(again, "a failed action was not tried again");
            }
            other => prop_assert!(false, "ended with {:?}", other),
        }
    }
}

#[test]
fn parallel_actions_start_together_and_a_failure_waits_for_them() {
    let plan = ExecutionPlan::new(vec![vec![1], vec![2, 1, 1]]);
    let at = |stage, action| ActionPosition { stage, action };
    let mut outcomes = Outcomes::new();
    assert_eq!(plan.next(&outcomes), NextActions::Start(vec![at(0, 0)]));
    outcomes.insert(at(0, 0), ActionOutcome::Succeeded);
    assert_eq!(plan.next(&outcomes), NextActions::Start(vec![at(1, 1), at(1, 2)]));
    outcomes.insert(at(1, 1), ActionOutcome::Failed);
    outcomes.insert(at(1, 2), ActionOutcome::Running);
    assert_eq!(plan.next(&outcomes), NextActions::Wait);
    outcomes.insert(at(1, 2), ActionOutcome::Succeeded);
    assert_eq!(plan.next(&outcomes), NextActions::Failed { stage: 1 });
}
