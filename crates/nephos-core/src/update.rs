//! Updates of models: what changed is sent by the operations of the service that take it, then the tags.

use crate::{
    Error, ErrorKind, FieldSet, Ref, Result, TagChange, Text, Value, WorkflowContext, dynamic,
    fill::{self, Reader},
    fixed_fields, identity,
    operation::{AnyOutput, with_service_code},
    plan::{self, given_model},
    projection::{copy, copy_except, counterpart},
    record::Fields,
    resource,
    shape::{FieldShape, KindShape, OperationShape, Presence, RecordShape, Type},
    tags,
};

/// Sends what changed in the model of an update by these operations, and returns the model as `get` finds it afterwards.
pub(crate) async fn run(
    operations: &[&'static OperationShape],
    params: &dyn Fields,
    context: &WorkflowContext,
) -> Result<AnyOutput> {
    let no_model = || Error::new(ErrorKind::Internal, "an update takes a model");
    let model = given_model(params).ok_or_else(no_model)?;
    let kind = model.kind().ok_or_else(no_model)?;
    let refused = |error| with_service_code((kind.service)(), error);
    let update = Update::prepare(model, kind, context).await.map_err(refused)?;
    update.check_handled(operations)?;
    for operation in operations {
        let Some(mut params) = update.changes(operation, operations).map_err(refused)? else { continue };
        if operation.replaces {
            params = update.replacement(operation, context).await.map_err(refused)?;
        }
        context.call_any(operation, params).await?;
    }
    let found = read_back(kind, &[model], context).await?;
    let Some(Ref::Record(current)) = found.as_ref().map(|found| found.view()) else { return Ok(found) };
    if retag(model, current, context).await? { read_back(kind, &[model], context).await } else { Ok(found) }
}

/// A model with changes to send.
struct Update<'m> {
    model: &'m dyn Fields,
    kind: &'static KindShape,
    /// Fields that differ from those of the service.
    changed: FieldSet,
}

impl<'m> Update<'m> {
    /// Finds what changed. A model that did not come from the service is compared with the one that the service has.
    async fn prepare(
        model: &'m dyn Fields,
        kind: &'static KindShape,
        context: &WorkflowContext,
    ) -> Result<Self> {
        let slot = model.slot().filter(|slot| !slot.is_from_service());
        let Some(slot) = slot else {
            resource::check_changes(model)?;
            return Ok(Self { model, kind, changed: resource::changed(model) });
        };
        let found = read_back(kind, &[model], context).await?;
        let Some(Ref::Record(current)) = found.as_ref().map(|found| found.view()) else {
            return Err(not_found(kind));
        };
        let differs = |index: &usize| {
            let is_set_by_callers = kind.record.fields[*index].presence != Presence::ServiceSet;
            is_set_by_callers && !model.field(*index).view().same(&current.field(*index).view())
        };
        let changed: FieldSet = slot.fields_set().iter().filter(differs).collect();
        let is_fixed = |index: &usize| kind.record.fields[*index].fixed;
        match changed.iter().find(is_fixed) {
            Some(index) => Err(fixed_fields::cannot_be_changed(kind, &kind.record.fields[index])),
            None => Ok(Self { model, kind, changed }),
        }
    }

    /// Refuses a changed field that no operation takes.
    fn check_handled(&self, operations: &[&OperationShape]) -> Result<()> {
        let kind = self.kind;
        let is_handled = |index: &usize| {
            let field = &kind.record.fields[*index];
            let takes = |operation: &&OperationShape| {
                operation.params.fields.iter().any(|param| counterpart(kind.record, param) == Some(*index))
                    || operation.clears.contains(&field.rust_name)
            };
            kind.tags == Some(*index)
                || field.presence == Presence::ServiceSet
                || operations.iter().any(takes)
        };
        match self.changed.iter().find(|index| !is_handled(index)) {
            Some(index) => Err(fixed_fields::cannot_be_changed(kind, &kind.record.fields[index])),
            None => Ok(()),
        }
    }

    /// Builds an operation with what changed in the model; none if it has nothing to send.
    fn changes(
        &self,
        operation: &'static OperationShape,
        all: &[&OperationShape],
    ) -> Result<Option<Box<dyn Fields>>> {
        let Self { model, changed, .. } = *self;
        let shape = model.shape();
        let is_null = |index: usize| model.field(index).view().is_null();
        let mut params = dynamic::blank_params(operation);
        if !operation.clears.is_empty() {
            let is_cleared = |index: &usize| operation.clears.contains(&shape.fields[*index].rust_name);
            if !changed.iter().filter(is_cleared).any(is_null) {
                return Ok(None);
            }
            copy(&mut *params, model, |at| self.is_key(at))?;
            return Ok(Some(params));
        }
        let mut sends = false;
        let mut cleared = FieldSet::NONE;
        for (index, param) in params.shape().fields.iter().enumerate() {
            let Some(at) = counterpart(shape, param) else { continue };
            if !changed.contains(at) || self.is_key(at) {
                continue;
            }
            let field = &shape.fields[at];
            let is_cleared_by_another = all.iter().any(|other| other.clears.contains(&field.rust_name));
            if !is_null(at) || operation.replaces {
                sends = true;
            } else if let Some(clear) = &field.clear {
                fill::fill(params.field_mut(index), clear.to_value().view(), &Reader::TRUSTED)?;
                cleared.insert(index);
                sends = true;
            } else if !is_cleared_by_another {
                return Err(Error::invalid(field.name, "cannot be removed"));
            }
        }
        if !sends {
            return Ok(None);
        }
        copy_except(&mut *params, model, cleared, |at| changed.contains(at) || self.is_key(at))?;
        Ok(Some(params))
    }

    /// Builds an operation that removes what is not given: with all that the service has and the caller did not change.
    async fn replacement(
        &self,
        operation: &'static OperationShape,
        context: &WorkflowContext,
    ) -> Result<Box<dyn Fields>> {
        let mut params = dynamic::blank_params(operation);
        let found = read_back(self.kind, &[self.model], context).await?;
        if let Some(Ref::Record(current)) = found.as_ref().map(|found| found.view()) {
            copy(&mut *params, current, |at| !self.changed.contains(at))?;
        }
        copy(&mut *params, self.model, |at| self.changed.contains(at))?;
        Ok(params)
    }

    /// True if the resource is found by this field.
    fn is_key(&self, index: usize) -> bool {
        let field = &self.kind.record.fields[index];
        field.fixed && fixed_fields::is_identity(self.kind, field)
    }
}

/// Error for a resource that does not exist.
fn not_found(kind: &KindShape) -> Error {
    let codes = (kind.service)().codes.iter().copied();
    let code = kind.absent.or_else(|| codes.into_iter().find(|code| code.kind == ErrorKind::NotFound));
    let error = Error::new(ErrorKind::NotFound, format!("the {} does not exist", kind.name));
    match code {
        Some(code) => error.with_code(code),
        None => error,
    }
}

/// Runs the kind's call `get` with parameters from the first of `sources` that has them; the resource must exist.
pub(crate) async fn read_back(
    kind: &'static KindShape,
    sources: &[&dyn Fields],
    context: &WorkflowContext,
) -> Result<AnyOutput> {
    let missing = || Error::new(ErrorKind::Internal, format!("{} has no call get", kind.name));
    let get = kind.call("get").ok_or_else(missing)?;
    let mut params = dynamic::blank_params(get);
    for (index, param) in params.shape().fields.iter().enumerate() {
        if param.presence != Presence::Required && param.from.is_empty() {
            continue;
        }
        let value = sources.iter().find_map(|source| {
            let at = counterpart(source.shape(), param)?;
            Some(source.field(at).view()).filter(|value| !value.is_null())
        });
        match value {
            Some(value) => fill::fill(params.field_mut(index), value, &Reader::TRUSTED)?,
            None if param.presence == Presence::Required => {
                let from = if param.from.is_empty() { param.name } else { param.from };
                return Err(Error::invalid(from, format!("this {} has no {from} yet", kind.name)));
            }
            None => {}
        }
    }
    let found = Box::pin(plan::run_required(get, &*params, context)).await?;
    match found {
        Some(found) if !found.view().is_null() => Ok(Some(found)),
        _ => Err(not_found(kind)),
    }
}

/// Sends the caller's changes of the tags of `model`, by the kind's calls `tag`, `untag` and `list_tags`. `current` is the
/// model as the service has it, which names the resource. Returns true if anything was sent.
async fn retag(model: &dyn Fields, current: &dyn Fields, context: &WorkflowContext) -> Result<bool> {
    let Some(kind) = model.kind().filter(|kind| kind.tags.is_some()) else { return Ok(false) };
    let (Some(tag), Some(untag)) = (kind.call("tag"), kind.call("untag")) else { return Ok(false) };
    let change = TagChange::from_model(model);
    let before = match (&change, kind.call("list_tags")) {
        (TagChange::All(_), Some(list)) => {
            let params = on_model(list, current)?;
            let found = Box::pin(plan::run(list, &*params, context)).await?;
            found.map(|found| tags_in(found.view()).into_iter().collect()).unwrap_or_default()
        }
        _ => Default::default(),
    };
    let (set, removed) = change.against(&before);
    let sends = !(set.is_empty() && removed.is_empty());
    if !removed.is_empty() {
        let keys = Value::List(removed.into_iter().map(Value::from).collect());
        send(untag, current, keys, |ty| matches!(ty, Type::List(Type::Text)), context).await?;
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
        send(tag, current, value, is_tags, context).await?;
    }
    Ok(sends)
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
async fn send(
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
        let value = match counterpart_in(model.shape(), param) {
            Some(at) => model.field(at).view().to_value(),
            None if matches!(param.ty, Type::Text) => {
                identity::identity(model, "arn").transpose()?.unwrap_or(Value::Null)
            }
            None => continue,
        };
        fill::fill(params.field_mut(index), value.view(), &Reader::TRUSTED)?;
    }
    Ok(params)
}

fn counterpart_in(shape: &'static RecordShape, param: &FieldShape) -> Option<usize> {
    if matches!(param.ty, Type::Text) { counterpart(shape, param) } else { None }
}
