//! The view `show`: a pipeline with its stages, actions and executions as a graph.

use crate::{ActionExecutionStatus, ActionState, Pipeline, StageExecution, StageExecutionStatus, StageState};
use nephos_core::{
    Resource, Result, Session,
    view::{Graph, View, ViewForm},
};

/// The view `show` of a pipeline.
pub(crate) const SHOW: View = View {
    kind: Pipeline::KIND,
    name: "show",
    docs: "Draws a pipeline: stages, transitions, actions and executions",
    subject: "Name of the pipeline",
    form: ViewForm::Graph(|session, name| Box::pin(draw(session, name))),
};

/// Number of characters of the ID of an execution that are shown.
const SHORT_ID: usize = 8;

async fn draw(session: &Session, name: &str) -> Result<Graph> {
    let state = Pipeline::objects(session).state(name).await?;
    let mut graph = Graph::default();
    let root = graph.add(name, format!("version {}", state.pipeline_version().unwrap_or_default()));
    for stage in state.stage_states().unwrap_or_default() {
        let node = graph.add(stage.stage_name().unwrap_or_default(), about_stage(stage));
        graph.nodes[node].health = stage.latest_execution().and_then(StageExecution::status).map(|status| {
            use StageExecutionStatus::{Cancelled, Failed, Stopped};
            (status.to_string(), !matches!(status, Failed | Stopped | Cancelled))
        });
        graph.connect(root, node, about_transition(stage));
        for action in stage.action_states().unwrap_or_default() {
            let child = graph.add(action.action_name().unwrap_or_default(), about_action(action));
            let status = action.latest_execution().and_then(|latest| latest.status());
            graph.nodes[child].health = status.map(|status| {
                use ActionExecutionStatus::{Abandoned, Failed};
                (status.to_string(), !matches!(status, Failed | Abandoned))
            });
            graph.connect(node, child, "");
        }
    }
    Ok(graph)
}

/// Execution that entered a stage last, and those that wait before it.
fn about_stage(stage: &StageState) -> String {
    let short = |execution: &StageExecution| {
        execution.pipeline_execution_id().unwrap_or_default().chars().take(SHORT_ID).collect::<String>()
    };
    let latest = stage.latest_execution().map(short);
    let waiting: Vec<_> = stage.inbound_executions().unwrap_or_default().iter().map(short).collect();
    let waiting = (!waiting.is_empty()).then(|| format!("waiting: {}", waiting.join(", ")));
    latest.into_iter().chain(waiting).collect::<Vec<_>>().join("  ")
}

/// Reason why executions cannot enter a stage; nothing if they can.
fn about_transition(stage: &StageState) -> String {
    match stage.inbound_transition_state() {
        Some(transition) if transition.enabled() == Some(false) => {
            format!("disabled: {}", transition.disabled_reason().unwrap_or_default())
        }
        _ => String::new(),
    }
}

/// Error or summary of the latest run of an action, or its current revision.
fn about_action(action: &ActionState) -> String {
    let latest = action.latest_execution();
    let error = latest.and_then(|latest| latest.error_details()).and_then(|error| error.message());
    let summary = latest.and_then(|latest| latest.summary());
    let revision = action.current_revision().and_then(|revision| revision.revision_id());
    error.or(summary).or(revision).unwrap_or_default().to_owned()
}
