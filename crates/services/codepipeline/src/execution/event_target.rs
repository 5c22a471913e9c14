//! Pipelines as targets of event rules.

use super::{
    ExecutionTrigger, PipelineVariable, SourceRevisionOverride, TriggerType,
    row::NewExecution,
    source,
    start::{resolve_variables, start},
};
use crate::pipeline;
use nephos_cloud::{TargetEvent, Tx};
use nephos_core::{
    Map, Record, Result, Value,
    json::{self, Writing},
};

/// Starts an execution. Input that a rule makes can have the revisions of source actions, and values of variables.
pub(crate) fn put(cx: &mut Tx<'_>, name: &str, event: &TargetEvent<'_>) -> Result<()> {
    let pipeline = pipeline::require_declaration(cx, name, "name")?;
    let input = match json::parse(event.input.as_bytes()) {
        Ok(Value::Map(input)) => input,
        _ => Map::default(),
    };
    let revision_overrides: Vec<SourceRevisionOverride> = read_records(&input, "sourceRevisions")?;
    let given: Vec<PipelineVariable> = read_records(&input, "variables")?;
    source::check_overrides(&pipeline, &revision_overrides)?;
    let variables = resolve_variables(&pipeline, &given)?;
    let rule = cx.scope().arn("events", &["rule/", event.rule]);
    let trigger = ExecutionTrigger {
        trigger_type: Some(TriggerType::CloudWatchEvent),
        trigger_detail: Some(rule.into()),
    };
    start(cx, &pipeline, NewExecution { trigger, variables, revision_overrides }).map(drop)
}

/// Reads a record or a list of records in the input; none if the input does not have it.
fn read_records<R: Record>(input: &Map<Value>, name: &str) -> Result<Vec<R>> {
    let items = match input.get(name) {
        None => return Ok(Vec::new()),
        Some(Value::List(items)) => items.as_slice(),
        Some(item) => std::slice::from_ref(item),
    };
    let read = |item: &Value| R::from_json(json::write(item.view(), Writing::EXPOSED));
    items.iter().map(read).collect::<Result<_>>().map_err(|error| error.in_field(name))
}
