//! Transitions into stages, which callers disable and enable.

use super::{PipelineExecution, StageRow, advance, state::TransitionState};
use crate::{
    Pipeline, PipelineManager, errors,
    pipeline::{self, ActionDeclaration, PipelineDeclaration},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Record, Result, Text, choices, operation};

choices! {
    /// Side of a stage on which a transition is.
    #[derive(Eq)]
    pub enum StageTransitionType {
        /// The transition into the stage.
        Inbound = "Inbound",
        /// The transition out of the stage, into the next one.
        Outbound = "Outbound",
    }
}

/// Parameters that name a stage.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct StageOfPipeline {
    /// Name of the pipeline.
    #[field(required, like = PipelineExecution::pipeline_name)]
    pipeline_name: Option<Text>,
    /// Name of the stage.
    #[field(required, like = ActionDeclaration::name)]
    stage_name: Option<Text>,
}

/// Lets executions enter a stage again.
#[operation(
    of = Pipeline, case = "camel", call = "enable_transition", include(StageOfPipeline), effect = write,
    subject = "{pipelineName}/{stageName}"
)]
pub struct EnableStageTransition {
    /// Side of the stage.
    pub transition_type: StageTransitionType,
}

impl Handler for EnableStageTransition {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let pipeline = self.pipeline_name;
        let stage = self.stage_name;
        let mut row = find_row(cx, &pipeline, &stage, &self.transition_type)?;
        row.set_transition(cx, None);
        cx.put(row)?;
        advance::advance(cx, &pipeline)?;
        Ok(Empty {})
    }
}

/// Keeps executions from entering a stage: they wait before it.
#[operation(
    of = Pipeline, case = "camel", call = "disable_transition", include(StageOfPipeline), effect = write,
    subject = "{pipelineName}/{stageName}"
)]
pub struct DisableStageTransition {
    /// Side of the stage.
    pub transition_type: StageTransitionType,
    /// Reason.
    #[field(length(1..=300), pattern = r"[a-zA-Z0-9!@ \(\)\.\*\?\-]+")]
    pub reason: Text,
}

impl Handler for DisableStageTransition {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let pipeline = self.pipeline_name;
        let stage = self.stage_name;
        let mut row = find_row(cx, &pipeline, &stage, &self.transition_type)?;
        row.set_transition(cx, Some(self.reason));
        cx.put(row)?;
        Ok(Empty {})
    }
}

/// Finds the position of a stage of a pipeline, or refuses.
pub(super) fn require_stage(
    cx: &Tx<'_>,
    pipeline: &str,
    stage: &str,
) -> Result<(PipelineDeclaration, usize)> {
    let declaration = pipeline::require_declaration(cx, pipeline, "pipelineName")?;
    let position = declaration.all_stages().iter().position(|one| one.own_name() == stage);
    let missing = || errors::stage_not_found(cx.scope().account(), stage, pipeline).with_field("stageName");
    let position = position.ok_or_else(missing)?;
    Ok((declaration, position))
}

/// Reads the row of the stage that a transition leads into. The first stage has no transition.
fn find_row(cx: &Tx<'_>, pipeline: &str, stage: &str, side: &StageTransitionType) -> Result<StageRow> {
    let (declaration, position) = require_stage(cx, pipeline, stage)?;
    let entered = if *side == StageTransitionType::Outbound { position + 1 } else { position };
    match declaration.all_stages().get(entered).filter(|_| entered > 0) {
        Some(entered) => StageRow::read(cx, pipeline, entered.own_name()),
        None => Err(errors::no_transition(stage, side).with_field("transitionType")),
    }
}

impl StageRow {
    /// Disables the transition into the stage for a reason, or enables it.
    fn set_transition(&mut self, cx: &Tx<'_>, disabled_reason: Option<Text>) {
        self.disabled_reason = disabled_reason;
        self.transition_changed_by = Some(cx.caller().principal().arn);
        self.transition_changed_at = Some(cx.now());
    }

    /// True if executions can enter the stage.
    pub(super) fn is_enabled(&self) -> bool {
        self.disabled_reason.is_none()
    }

    /// Returns the transition into the stage.
    pub(super) fn to_transition(&self) -> TransitionState {
        TransitionState {
            enabled: Some(self.is_enabled()),
            last_changed_by: self.transition_changed_by.clone(),
            last_changed_at: self.transition_changed_at,
            disabled_reason: self.disabled_reason.clone(),
        }
    }
}
