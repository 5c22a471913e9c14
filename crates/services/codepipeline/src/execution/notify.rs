//! Events about executions, stages and actions whose state changed, on the default event bus.

use super::{
    ActionExecutionStatus, ActionRunRow, ArtifactDetail, ExecutionRow, PipelineExecutionStatus,
    StageExecutionStatus, run::find_action,
};
use crate::{action_type::owner_on_wire, pipeline::ActionDeclaration};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, Timestamp, Value};

/// Source of the events.
const SOURCE: &str = "aws.codepipeline";

type Members = Vec<(&'static str, Value)>;

/// Sends the events about the changes of an execution: of itself, and of the stages that it is in.
pub(super) fn about_execution(
    cx: &mut Tx<'_>,
    before: Option<&ExecutionRow>,
    now: &ExecutionRow,
) -> Result<()> {
    if !cx.has_own_events() {
        return Ok(());
    }
    let status_before = before.and_then(|before| before.status.as_ref());
    let state = now.status.as_ref().filter(|status| Some(*status) != status_before);
    let state = state.and_then(|status| execution_state(status_before, status));
    // An execution begins before its stages, and ends after them.
    if now.is_live() {
        send_execution(cx, now, state)?;
    }
    for run in now.stages.iter().flatten() {
        let stage = run.name.as_deref().unwrap_or_default();
        let status_before = before.and_then(|before| before.stage_status(stage));
        let status = run.status.as_ref().filter(|status| Some(*status) != status_before.as_ref());
        let Some(state) = status.and_then(|status| stage_state(status_before.as_ref(), status)) else {
            continue;
        };
        let mut detail = common(now, state);
        detail.push(("stage", stage.into()));
        send(cx, now, "CodePipeline Stage Execution State Change", detail)?;
    }
    if now.is_live() {
        return Ok(());
    }
    send_execution(cx, now, state)
}

fn send_execution(cx: &mut Tx<'_>, execution: &ExecutionRow, state: Option<&'static str>) -> Result<()> {
    let Some(state) = state else { return Ok(()) };
    let mut detail = common(execution, state);
    let reason = execution.stop_trigger.as_ref().and_then(|trigger| trigger.reason.clone());
    detail.extend(reason.map(|reason| ("stop-execution-comments", reason.into())));
    send(cx, execution, "CodePipeline Pipeline Execution State Change", detail)
}

/// State of an execution in events.
fn execution_state(
    before: Option<&PipelineExecutionStatus>,
    now: &PipelineExecutionStatus,
) -> Option<&'static str> {
    Some(match now {
        PipelineExecutionStatus::InProgress if before.is_none() => "STARTED",
        PipelineExecutionStatus::InProgress => "RESUMED",
        PipelineExecutionStatus::Stopped => "STOPPED",
        PipelineExecutionStatus::Stopping => "STOPPING",
        PipelineExecutionStatus::Succeeded => "SUCCEEDED",
        PipelineExecutionStatus::Superseded => "SUPERSEDED",
        PipelineExecutionStatus::Failed => "FAILED",
        _ => return None,
    })
}

/// State of a stage in events. There is none about stages that are skipped.
fn stage_state(before: Option<&StageExecutionStatus>, now: &StageExecutionStatus) -> Option<&'static str> {
    Some(match now {
        StageExecutionStatus::InProgress if before.is_none() => "STARTED",
        StageExecutionStatus::InProgress => "RESUMED",
        StageExecutionStatus::Stopped => "STOPPED",
        StageExecutionStatus::Stopping => "STOPPING",
        StageExecutionStatus::Succeeded => "SUCCEEDED",
        StageExecutionStatus::Failed => "FAILED",
        _ => return None,
    })
}

/// Sends the event about the change of a run of an action.
pub(super) fn about_action(cx: &mut Tx<'_>, before: Option<&ActionRunRow>, now: &ActionRunRow) -> Result<()> {
    if !cx.has_own_events() || before.is_some_and(|before| before.status == now.status) {
        return Ok(());
    }
    let pipeline = now.pipeline.as_deref().unwrap_or_default();
    let execution = ExecutionRow::find(cx, pipeline, now.execution.unwrap_or_default())?;
    let Some(execution) = execution else { return Ok(()) };
    let declaration = execution.declaration(cx)?;
    let Some(action) = find_action(&declaration, now.position()) else { return Ok(()) };
    let state = match now.status {
        Some(ActionExecutionStatus::Abandoned) => "ABANDONED",
        Some(ActionExecutionStatus::Succeeded) => "SUCCEEDED",
        Some(ActionExecutionStatus::Failed) => "FAILED",
        _ => "STARTED",
    };
    let region = action.region.clone().unwrap_or_else(|| cx.scope().region().into());
    let mut detail = common(&execution, state);
    detail.extend([
        ("stage", now.stage_name().into()),
        ("action", now.action_name().into()),
        ("action-execution-id", now.id.clone().unwrap_or_default().into()),
        ("region", region.into()),
        ("type", to_type(action)),
        ("input-artifacts", to_artifacts(now.input_artifacts.as_deref())),
    ]);
    if now.is_succeeded() {
        detail.push(("output-artifacts", to_artifacts(now.output_artifacts.as_deref())));
    }
    detail.extend(to_result(now).map(|result| ("execution-result", result)));
    send(cx, &execution, "CodePipeline Action Execution State Change", detail)
}

/// Members that all events have.
fn common(execution: &ExecutionRow, state: &'static str) -> Members {
    let mut detail: Members = vec![
        ("pipeline", execution.pipeline().into()),
        ("execution-id", execution.id().into()),
        ("state", state.into()),
        ("version", Value::Int(execution.pipeline_version.unwrap_or_default())),
        ("pipeline-execution-attempt", Value::Int(execution.attempts())),
    ];
    detail.extend(execution.start_time.map(|time| ("start-time", to_time(time))));
    if let Some(trigger) = &execution.trigger {
        let kind = trigger.trigger_type.as_ref().map(ToString::to_string).unwrap_or_default();
        let text = trigger.trigger_detail.clone().unwrap_or_default();
        let trigger = [("trigger-type", Value::from(kind)), ("trigger-detail", text.into())];
        detail.push(("execution-trigger", Value::from_iter(trigger)));
    }
    detail
}

fn to_time(time: Timestamp) -> Value {
    format!("{time:.3}").into()
}

fn to_type(action: &ActionDeclaration) -> Value {
    let id = action.action_type_id.as_ref();
    let text = |text: Option<Text>| Value::from(text.unwrap_or_default());
    let category = action.category().map(|category| category.to_string().into());
    Value::from_iter([
        ("category", text(category)),
        ("owner", text(id.and_then(|id| id.owner.as_ref()).map(|owner| owner_on_wire(owner).into()))),
        ("provider", action.provider().into()),
        ("version", text(id.and_then(|id| id.version.clone()))),
    ])
}

fn to_artifacts(artifacts: Option<&[ArtifactDetail]>) -> Value {
    let to_value = |artifact: &ArtifactDetail| {
        let place = artifact.s3location.as_ref();
        let part = |part: Option<&Text>| Value::from(part.cloned().unwrap_or_default());
        let place = [
            ("bucket", part(place.and_then(|place| place.bucket.as_ref()))),
            ("key", part(place.and_then(|place| place.key.as_ref()))),
        ];
        Value::from_iter([("name", part(artifact.name.as_ref())), ("s3location", Value::from_iter(place))])
    };
    Value::List(artifacts.unwrap_or_default().iter().map(to_value).collect())
}

/// Result of a run in the system that runs the action.
fn to_result(run: &ActionRunRow) -> Option<Value> {
    let error = run.error.as_ref();
    let summary = run.summary.clone().or_else(|| error?.message.clone());
    let members: Members = [
        ("external-execution-id", run.external_execution_id.clone()),
        ("external-execution-summary", summary),
        ("error-code", error.and_then(|error| error.code.clone())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?.into())))
    .collect();
    (!members.is_empty()).then(|| Value::from_iter(members))
}

fn send(cx: &mut Tx<'_>, execution: &ExecutionRow, detail_type: &str, detail: Members) -> Result<()> {
    let arn = cx.scope().arn("codepipeline", &[execution.pipeline()]).into();
    cx.send_own_event(SOURCE, detail_type, &Value::from_iter(detail), vec![arn])
}
