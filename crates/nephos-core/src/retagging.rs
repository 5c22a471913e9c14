//! Tags of models at their service: fetched, and sent if they changed, by the calls `tag`, `untag` and `list_tags` of a kind.

use crate::{
    Map, Ref, Resource, Result, TagChange, Text, Value, WorkflowContext, dynamic,
    fill::{self, Reader},
    identity, plan,
    projection::counterpart_in,
    record::Fields,
    shape::{KindShape, OperationShape, Presence, Type},
    tags,
};

/// Sends the caller's changes of the tags of `model`, by the kind's calls `tag`, `untag` and `list_tags`. `current` is the
/// model as the service has it, which names the resource. Returns true if anything was sent.
pub(crate) async fn send(
    model: &dyn Fields,
    current: &dyn Fields,
    context: &WorkflowContext,
) -> Result<bool> {
    let Some(kind) = model.kind().filter(|kind| kind.tags.is_some()) else { return Ok(false) };
    let (Some(tag), Some(untag)) = (kind.call("tag"), kind.call("untag")) else { return Ok(false) };
    let change = TagChange::from_model(model);
    let before = match &change {
        TagChange::All(_) => fetch(kind, current, context).await?,
        TagChange::Touched { .. } => Map::default(),
    };
    let (set, removed) = change.against(&before);
    let sends = !(set.is_empty() && removed.is_empty());
    if !removed.is_empty() {
        let keys = Value::List(removed.into_iter().map(Value::from).collect());
        run_with(untag, current, keys, |ty| matches!(ty, Type::List(Type::Text)), context).await?;
    }
    if !set.is_empty() {
        let index = tag.params.fields.iter().position(|param| is_tags(&param.ty));
        let as_map = index.is_some_and(|index| matches!(tag.params.fields[index].ty, Type::Map(_)));
        let pairs = set.into_iter().map(|(key, value)| (key, Value::from(value)));
        let value = if as_map {
            Value::Map(pairs.collect())
        } else {
            let record = |(key, value): (Text, Value)| {
                [("Key".into(), Value::from(key)), ("Value".into(), value)].into_iter().collect()
            };
            Value::List(pairs.map(|pair| Value::Map(record(pair))).collect())
        };
        run_with(tag, current, value, is_tags, context).await?;
    }
    Ok(sends)
}

/// Fetches the tags of a model by the kind's call `list_tags`; without such a call, the model has them.
async fn fetch(kind: &'static KindShape, model: &dyn Fields, context: &WorkflowContext) -> Result<Map<Text>> {
    let Some(list) = kind.call("list_tags") else { return Ok(tags::known(model)) };
    let params = on_model(list, model)?;
    let found = Box::pin(plan::run(list, &*params, context)).await?;
    Ok(found.map(|found| tags_in(found.view()).into_iter().collect()).unwrap_or_default())
}

/// Adds the tags of a model, which its service lists by an operation of their own.
pub async fn with_tags<M: Resource>(context: &WorkflowContext, mut model: M) -> Result<M> {
    let found = fetch(M::KIND, &model, context).await?;
    tags::put(&mut model, found);
    Ok(model)
}

/// Sends the caller's changes of the tags of `model`. `current` is the resource as the service has it.
pub async fn retag<M: Resource>(context: &WorkflowContext, model: &M, current: &M) -> Result<()> {
    send(model, current, context).await.map(drop)
}

/// True for the type of a parameter with tags: a list of them, or a mapping.
fn is_tags(ty: &Type) -> bool {
    match ty {
        Type::List(Type::Record(record)) => tags::is_tag(record),
        Type::Map(Type::Text) => true,
        _ => false,
    }
}

/// Returns the tags in the answer of a call that lists them: the answer itself, or its field with tags.
fn tags_in(answer: Ref<'_>) -> Vec<(Text, Text)> {
    match answer {
        Ref::Record(record) => {
            let index = record.shape().fields.iter().position(|field| is_tags(&field.ty));
            index.map(|index| tags::pairs(record.field(index).view())).unwrap_or_default()
        }
        tags => tags::pairs(tags),
    }
}

/// Runs a call on a model, with `value` in the parameter whose type `is_its_type` accepts.
async fn run_with(
    call: &'static OperationShape,
    model: &dyn Fields,
    value: Value,
    is_its_type: fn(&Type) -> bool,
    context: &WorkflowContext,
) -> Result<()> {
    let mut params = on_model(call, model)?;
    if let Some(index) = params.shape().fields.iter().position(|param| is_its_type(&param.ty)) {
        fill::fill(params.field_mut(index), value.view(), &Reader::TRUSTED)?;
    }
    Box::pin(plan::run(call, &*params, context)).await.map(drop)
}

/// Builds the parameters of a call that names the resource of a model: by a field of the model, or by its ARN.
fn on_model(call: &'static OperationShape, model: &dyn Fields) -> Result<Box<dyn Fields>> {
    let mut params = dynamic::blank_params(call);
    for (index, param) in params.shape().fields.iter().enumerate() {
        if param.presence != Presence::Required || param.ty.has_records_within() {
            continue;
        }
        let value = match counterpart_in(model, param).filter(|_| matches!(param.ty, Type::Text)) {
            Some((_, value)) => value.to_value(),
            None if matches!(param.ty, Type::Text) => {
                identity::identity(model, "arn").transpose()?.unwrap_or(Value::Null)
            }
            None => continue,
        };
        fill::fill(params.field_mut(index), value.view(), &Reader::TRUSTED)?;
    }
    Ok(params)
}
