//! Random pipelines, modes and outcomes: every execution ends, actions run at most once and in order, stages have one execution at a
//! time, and newer executions replace those that wait. A state that is opened again after each step ends the same.

use nephos_cloud::{Cloud, CloudOptions, Transitions};
use nephos_codepipeline::{
    OutcomeOfAction, Pipeline, PipelineExecution, PipelineExecutionStatus, SetPipelineActions,
    StageRetryMode, StageTransitionType,
};
use nephos_codepipeline_cases::Services;
use nephos_core::{Record, Session, SignedDuration};
use nephos_testing::{clock, options};
use proptest::prelude::*;
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

const ARN: &str = "arn:aws:codepipeline:us-east-1:123456789012:web";

/// A call that moves executions on.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Starts an execution.
    Start,
    /// Ends the running actions at a position, counted over all stages: they fail, or succeed.
    End { position: usize, fails: bool },
    /// Stops an execution; its actions are abandoned, or waited for.
    Stop { execution: usize, abandon: bool },
    /// Tries a stage of an execution again: its failed actions, or all.
    Retry { execution: usize, stage: usize, all_actions: bool },
    /// Enables or disables the transition into a stage.
    Transition { stage: usize, enable: bool },
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Start),
        6 => (0..9_usize, prop::bool::weighted(0.15)).prop_map(|(position, fails)| Step::End { position, fails }),
        1 => (0..6_usize, any::<bool>()).prop_map(|(execution, abandon)| Step::Stop { execution, abandon }),
        2 => (0..6_usize, 0..4_usize, any::<bool>())
            .prop_map(|(execution, stage, all_actions)| Step::Retry { execution, stage, all_actions }),
        1 => (0..4_usize, any::<bool>()).prop_map(|(stage, enable)| Step::Transition { stage, enable }),
    ]
}

/// Makes a pipeline whose stages have actions with these run orders. Sources are not ordered.
fn pipeline(stages: &[Vec<i64>], mode: &str) -> Pipeline {
    let action = |stage: usize, n: usize, order: i64| {
        let (order, kind, settings) = match stage {
            0 => (
                1,
                r#""Source", "owner": "Provider", "provider": "S3""#,
                r#"{"S3Bucket": "b", "S3ObjectKey": "k"}"#,
            ),
            _ => {
                (order, r#""Invoke", "owner": "Provider", "provider": "Lambda""#, r#"{"FunctionName": "f"}"#)
            }
        };
        let outputs = if stage == 0 { format!(r#"[{{"name": "o{n}"}}]"#) } else { "[]".to_owned() };
        format!(
            r#"{{"name": "a{n}", "runOrder": {order}, "configuration": {settings}, "outputArtifacts": {outputs},
            "actionTypeId": {{"category": {kind}, "version": "1"}}}}"#
        )
    };
    let stage = |(s, orders): (usize, &Vec<i64>)| {
        let actions: Vec<_> = orders.iter().enumerate().map(|(n, order)| action(s, n, *order)).collect();
        format!(r#"{{"name": "s{s}", "actions": [{}]}}"#, actions.join(","))
    };
    let stages: Vec<_> = stages.iter().enumerate().map(stage).collect();
    Pipeline::from_json(format!(
        r#"{{"name": "web", "roleArn": "arn:aws:iam::210987654321:role/r", "pipelineType": "V2", "executionMode": "{mode}",
        "artifactStore": {{"type": "S3", "location": "artifacts"}}, "stages": [{}]}}"#,
        stages.join(",")
    ))
    .unwrap()
}

/// Sets the outcome of an action, or of all.
fn set_outcome(cloud: &Cloud<Services>, action: Option<(usize, usize)>, outcome: OutcomeOfAction) {
    let mut control = SetPipelineActions::new(ARN, outcome);
    control.stage_name = action.map(|(stage, _)| format!("s{stage}").into());
    control.action_name = action.map(|(_, n)| format!("a{n}").into());
    cloud.control(control).unwrap();
    cloud.clock().advance(SignedDuration::ZERO).unwrap();
}

fn do_step(cloud: &Cloud<Services>, stages: &[Vec<i64>], step: Step, retries: &mut Retries) {
    let session = cloud.session();
    match step {
        Step::Start => drop(Pipeline::objects(&session).start_execution("web").wait().unwrap()),
        Step::End { position, fails } => {
            let all: Vec<_> = stages
                .iter()
                .enumerate()
                .flat_map(|(stage, orders)| (0..orders.len()).map(move |n| (stage, n)))
                .collect();
            let action = Some(all[position % all.len()]);
            set_outcome(cloud, action, if fails { OutcomeOfAction::Fail } else { OutcomeOfAction::Succeed });
            set_outcome(cloud, action, OutcomeOfAction::Wait);
        }
        Step::Stop { execution, abandon } => {
            let all = executions(&session);
            let id = all[execution % all.len()].pipeline_execution_id().unwrap().to_owned();
            // An execution that ended cannot be stopped.
            drop(PipelineExecution::objects(&session).stop("web", id).abandon(abandon).wait());
        }
        Step::Retry { execution, stage, all_actions } => {
            let all = executions(&session);
            let id = all[execution % all.len()].pipeline_execution_id().unwrap().to_owned();
            let mode = if all_actions { StageRetryMode::AllActions } else { StageRetryMode::FailedActions };
            let stage = stage % stages.len();
            let retry = PipelineExecution::objects(&session).retry_stage(
                "web",
                format!("s{stage}"),
                id.clone(),
                mode,
            );
            // A stage that did not fail cannot be retried.
            if retry.wait().is_ok() {
                *retries.entry((id, stage)).or_default() += 1;
            }
        }
        Step::Transition { stage, enable } => {
            set_transition(&session, 1 + stage % (stages.len() - 1), enable)
        }
    }
}

fn set_transition(session: &Session, stage: usize, enable: bool) {
    let pipelines = Pipeline::objects(session);
    let stage = format!("s{stage}");
    let inbound = StageTransitionType::Inbound;
    if enable {
        pipelines.enable_transition("web", stage, inbound).wait().unwrap();
    } else {
        pipelines.disable_transition("web", stage, inbound, "test").wait().unwrap();
    }
}

/// Executions, oldest first.
fn executions(session: &Session) -> Vec<PipelineExecution> {
    let mut all = PipelineExecution::objects(session).list("web").results().all().wait().unwrap();
    all.reverse();
    all
}

/// A run of an action: its position, and its status.
type Run = ((usize, usize), String);

/// Status and runs of an execution at the end.
type End = (String, Vec<Run>);

/// Runs of each execution, in the order of their starts.
fn runs(session: &Session) -> BTreeMap<String, Vec<Run>> {
    let mut all = PipelineExecution::objects(session).list_actions("web").wait().unwrap();
    all.reverse();
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let number = |text: Option<&str>| text.unwrap()[1..].parse::<usize>().unwrap();
    for run in all {
        let position = (number(run.stage_name()), number(run.action_name()));
        let status = run.status().unwrap().to_string();
        found.entry(run.pipeline_execution_id().unwrap().to_owned()).or_default().push((position, status));
    }
    found
}

/// Retries that were accepted, by execution and stage.
type Retries = BTreeMap<(String, usize), usize>;

/// Checks what holds at every moment.
fn check(session: &Session, stages: &[Vec<i64>], mode: &str, retries: &Retries) {
    let order = |(stage, action): (usize, usize)| if stage == 0 { 1 } else { stages[stage][action] };
    let all = executions(session);
    let runs = runs(session);
    let mut occupied = BTreeMap::new();
    for (id, own) in &runs {
        for (n, (position, _)) in own.iter().enumerate() {
            let earlier = || own[..n].iter().filter(|(other, _)| other == position);
            let is_ended = earlier().all(|(_, status)| status != "InProgress");
            assert!(is_ended, "{position:?} runs twice in {id}");
            let retries = retries.get(&(id.clone(), position.0)).copied().unwrap_or_default();
            assert!(earlier().count() <= retries, "{position:?} ran more than once per attempt in {id}");
            let all_positions = stages.iter().enumerate();
            let all_positions = all_positions.flat_map(|(s, orders)| (0..orders.len()).map(move |n| (s, n)));
            for before in
                all_positions.filter(|before| (before.0, order(*before)) < (position.0, order(*position)))
            {
                let succeeded = own.iter().any(|(other, status)| *other == before && status == "Succeeded");
                assert!(succeeded, "{position:?} did not wait for {before:?} in {id}");
            }
        }
        for ((stage, _), _) in own.iter().filter(|(_, status)| status == "InProgress") {
            occupied.entry(*stage).or_insert_with(BTreeSet::new).insert(id.clone());
        }
    }
    let is_shared = occupied.values().any(|ids| ids.len() > 1);
    assert!(mode == "PARALLEL" || !is_shared, "a stage has two executions: {occupied:?}");
    let reached = |execution: &PipelineExecution| {
        let own = runs.get(execution.pipeline_execution_id().unwrap());
        own.into_iter().flatten().map(|((stage, _), _)| stage + 1).max().unwrap_or_default()
    };
    for (n, execution) in all.iter().enumerate() {
        let is_superseded = execution.status() == Some(&PipelineExecutionStatus::Superseded);
        assert!(!is_superseded || mode == "SUPERSEDED");
        // The newer execution waited before the same stage, so it passed all stages before it.
        let is_replaced = all[n + 1..].iter().any(|newer| reached(newer) >= reached(execution));
        assert!(!is_superseded || is_replaced, "{execution:?} was superseded by none");
    }
    if mode == "SUPERSEDED" {
        let state = Pipeline::objects(session).state("web").wait().unwrap();
        let waiting = state.stage_states().unwrap().iter().filter_map(|stage| stage.inbound_executions());
        assert!(waiting.into_iter().all(|waiting| waiting.len() == 1), "two executions wait before a stage");
    }
    if mode == "QUEUED" {
        let live = all.iter().filter(|one| one.status() == Some(&PipelineExecutionStatus::InProgress));
        let reached: Vec<_> = live.map(reached).collect();
        assert!(
            reached.is_sorted_by(|older, newer| older >= newer),
            "an execution overtook another: {reached:?}"
        );
    }
}

/// Runs the steps, and then lets all actions succeed; returns the ends of the executions, oldest first.
fn run(
    mut cloud: Cloud<Services>,
    reopen: &dyn Fn(Cloud<Services>) -> Cloud<Services>,
    case: &TestCase,
) -> Vec<End> {
    set_outcome(&cloud, None, OutcomeOfAction::Wait);
    let web = pipeline(&case.stages, case.mode);
    Pipeline::objects(&cloud.session()).create(&web).wait().unwrap();
    let mut retries = Retries::new();
    for step in &case.steps {
        cloud = reopen(cloud);
        do_step(&cloud, &case.stages, *step, &mut retries);
        check(&cloud.session(), &case.stages, case.mode, &retries);
    }
    cloud = reopen(cloud);
    for (stage, orders) in case.stages.iter().enumerate() {
        (0..orders.len()).for_each(|n| set_outcome(&cloud, Some((stage, n)), OutcomeOfAction::Succeed));
    }
    set_outcome(&cloud, None, OutcomeOfAction::Succeed);
    let session = cloud.session();
    (1..case.stages.len()).for_each(|stage| set_transition(&session, stage, true));
    check(&session, &case.stages, case.mode, &retries);
    let all = executions(&session);
    for execution in &all {
        use PipelineExecutionStatus::{InProgress, Stopping};
        assert!(!matches!(execution.status(), Some(InProgress | Stopping)), "{execution:?} did not end");
    }
    assert_eq!(cloud.failed_work().unwrap(), []);
    let mut runs = runs(&session);
    let end = |execution: &PipelineExecution| {
        let own = runs.remove(execution.pipeline_execution_id().unwrap()).unwrap_or_default();
        (execution.status().unwrap().to_string(), own)
    };
    all.iter().map(end).collect()
}

#[derive(Debug)]
struct TestCase {
    stages: Vec<Vec<i64>>,
    mode: &'static str,
    steps: Vec<Step>,
}

/// Opens the cloud at `path`. Each time needs another seed, or IDs would be drawn again.
fn open(path: &Path, seed: u64) -> Cloud<Services> {
    let options: CloudOptions<Services> = options().clock(clock());
    options.seed(seed).durable(false).open(path).unwrap()
}

#[test]
fn actions_take_time_with_realistic_transitions() {
    let cloud: Cloud<Services> = options().transitions(Transitions::Realistic).in_memory();
    let session = cloud.session();
    Pipeline::objects(&session).create(&pipeline(&[vec![1], vec![1]], "SUPERSEDED")).wait().unwrap();
    for expected in [1, 2] {
        let all = PipelineExecution::objects(&session).list_actions("web").wait().unwrap();
        assert_eq!(all.len(), expected, "one action after the other");
        assert_eq!(executions(&session)[0].status(), Some(&PipelineExecutionStatus::InProgress));
        cloud.clock().advance(SignedDuration::from_secs(10)).unwrap();
    }
    assert_eq!(executions(&session)[0].status(), Some(&PipelineExecutionStatus::Succeeded));
}

fn any_case(max_steps: usize) -> impl Strategy<Value = TestCase> {
    let stages = prop::collection::vec(prop::collection::vec(1..4_i64, 1..4), 2..4);
    let mode = prop::sample::select(vec!["SUPERSEDED", "QUEUED", "PARALLEL"]);
    let steps = prop::collection::vec(any_step(), 1..max_steps);
    (stages, mode, steps).prop_map(|(stages, mode, steps)| TestCase { stages, mode, steps })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn executions_end_in_order(case in any_case(24)) {
        run(options().in_memory(), &|cloud| cloud, &case);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn executions_continue_in_a_state_that_is_opened_again(case in any_case(12)) {
        let uninterrupted = run(options().in_memory(), &|cloud| cloud, &case);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        let seed = Cell::new(100);
        let reopen = |cloud: Cloud<Services>| {
            cloud.close().unwrap();
            drop(cloud);
            seed.set(seed.get() + 1);
            open(&path, seed.get())
        };
        let reopened = run(open(&path, seed.get()), &reopen, &case);
        prop_assert_eq!(reopened, uninterrupted);
    }
}
