//! Updates of models: what changed is sent by the operations of the service that take it, then the tags.

use crate::{
    Error, ErrorKind, FieldSet, Pk, Ref, Result, Value, WorkflowContext, dynamic,
    fill::{self, Reader},
    fixed_fields, identity,
    operation::{AnyOutput, with_service_code},
    plan::{self, given_model},
    projection::{copy, copy_except, counterpart, counterpart_in},
    record::Fields,
    resource, retagging,
    shape::{KindShape, OperationShape, Presence},
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
        let is_asked_for = plan::has_same_names(operation.params, params);
        let changes = update.changes(operation, operations, is_asked_for).map_err(refused)?;
        let Some(mut sent) = changes else { continue };
        if operation.replaces {
            sent = update.replacement(operation, context).await.map_err(refused)?;
        }
        plan::copy_same_names(&mut *sent, params)?;
        context.call_any(operation, sent).await?;
    }
    let found = update.read_back(params, context).await?;
    let Some(Ref::Record(current)) = found.as_ref().map(|found| found.view()) else { return Ok(found) };
    if retagging::send(model, current, context).await? {
        update.read_back(params, context).await
    } else {
        Ok(found)
    }
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
            return Err(not_found(kind, model));
        };
        let keys = kind.call("get").map(|get| fixed_fields::keys_of(get, model)).unwrap_or_default();
        let differs = |index: &usize| {
            let is_set_by_callers = kind.record.fields[*index].presence != Presence::ServiceSet;
            is_set_by_callers
                && !keys.contains(*index)
                && !model.field(*index).view().same(&current.field(*index).view())
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

    /// Builds an operation with what changed in the model; none if it has nothing to send and is not asked for by parameters
    /// beside the model.
    fn changes(
        &self,
        operation: &'static OperationShape,
        all: &[&OperationShape],
        is_asked_for: bool,
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
        let mut sends = is_asked_for;
        let mut cleared = FieldSet::NONE;
        for (index, param) in params.shape().fields.iter().enumerate() {
            let Some(at) = counterpart(shape, param) else { continue };
            if !changed.contains(at) || self.is_key(at) || self.is_tags(at) {
                continue;
            }
            let field = &shape.fields[at];
            let is_cleared_by_another = all.iter().any(|other| other.clears.contains(&field.rust_name));
            if !is_null(at) || operation.replaces {
                sends = true;
            } else if let Some(clear) = &field.details.clear {
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
        let accompanies = |at: usize| {
            let other = shape.field(shape.fields[at].details.sent_with);
            other.is_some_and(|(other, _)| changed.contains(other))
        };
        let is_sent = |at| !self.is_tags(at) && (changed.contains(at) || self.is_key(at) || accompanies(at));
        copy_except(&mut *params, model, cleared, is_sent)?;
        Ok(Some(params))
    }

    /// Builds an operation that removes what is not given: with all that the service has and the caller did not change.
    async fn replacement(
        &self,
        operation: &'static OperationShape,
        context: &WorkflowContext,
    ) -> Result<Box<dyn Fields>> {
        let mut params = dynamic::blank_params(operation);
        let mut kept = FieldSet::NONE;
        let found = read_back(self.kind, &[self.model], context).await?;
        if let Some(Ref::Record(current)) = found.as_ref().map(|found| found.view()) {
            copy(&mut *params, current, |at| !self.changed.contains(at) && !self.is_tags(at))?;
            for (index, param) in params.shape().fields.iter().enumerate() {
                let is_changed =
                    counterpart(self.model.shape(), param).is_some_and(|at| self.changed.contains(at));
                if is_changed {
                    params.field_mut(index).clear();
                } else if !params.field(index).view().is_null() {
                    kept.insert(index);
                }
            }
        }
        copy_except(&mut *params, self.model, kept, |at| self.changed.contains(at) && !self.is_tags(at))?;
        Ok(params)
    }

    /// Reads the resource after the update with these parameters, which may have given it another name.
    async fn read_back(&self, params: &dyn Fields, context: &WorkflowContext) -> Result<AnyOutput> {
        let found = read_back(self.kind, &[self.model], context).await;
        let is_missing = found.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        match self.renamed(params)?.filter(|_| is_missing) {
            Some(renamed) => read_back(self.kind, &[&*renamed], context).await,
            None => found,
        }
    }

    /// Returns the model with the name that a parameter like `NewUserName` gives the resource, if there is one.
    fn renamed(&self, params: &dyn Fields) -> Result<Option<Box<dyn Fields>>> {
        for (index, param) in params.shape().fields.iter().enumerate() {
            let new = params.field(index).view();
            let key = param.name.strip_prefix("New").and_then(|key| self.kind.record.field(key));
            if let Some((at, _)) = key.filter(|(at, _)| !new.is_null() && self.is_key(*at)) {
                let mut renamed = self.model.boxed_clone();
                fill::fill(renamed.field_mut(at), new, &Reader::TRUSTED)?;
                return Ok(Some(renamed));
            }
        }
        Ok(None)
    }

    /// True for the tags of a kind that has operations of their own.
    fn is_tags(&self, index: usize) -> bool {
        self.kind.tags == Some(index) && self.kind.call("tag").is_some()
    }

    /// True if the resource is found by this field: an identity, or a field that the call `get` takes from models.
    fn is_key(&self, index: usize) -> bool {
        let field = &self.kind.record.fields[index];
        let is_named_by = |get: &OperationShape| {
            let params = get.params.fields.iter();
            let mut named = params.filter(|param| !param.details.from.is_empty());
            named.any(|param| counterpart(self.kind.record, param) == Some(index))
        };
        let is_named = || self.kind.call("get").is_some_and(is_named_by);
        field.fixed && (fixed_fields::is_identity(self.kind, field) || is_named())
    }
}

/// Error for the resource of a model, which does not exist.
fn not_found(kind: &KindShape, model: &dyn Fields) -> Error {
    // The resource is named as `get` names it.
    let get = kind.call("get").map_or(&[][..], |get| get.params.fields);
    let key = get.iter().find_map(|param| counterpart_in(model, param)?.1.as_text());
    match identity::pk(model, kind) {
        Ok(Pk::Single(Value::Text(pk))) => kind.missing(key.unwrap_or(&pk)),
        _ => kind.missing(identity::text_identity(model, kind, "name").ok().flatten().unwrap_or_default()),
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
        if param.presence != Presence::Required && param.details.from.is_empty() {
            continue;
        }
        let values = sources.iter().filter_map(|source| counterpart_in(*source, param));
        let value = values.map(|(_, value)| value).find(|value| !value.is_null());
        match value {
            Some(value) => fill::fill(params.field_mut(index), value, &Reader::TRUSTED)?,
            None if param.presence == Presence::Required => {
                let from = param.source();
                return Err(Error::invalid(from, format!("this {} has no {from} yet", kind.name)));
            }
            None => {}
        }
    }
    let found = Box::pin(plan::run_required(get, &*params, context)).await?;
    match found {
        Some(found) if !found.view().is_null() => Ok(Some(found)),
        _ => Err(not_found(kind, sources.last().copied().unwrap_or(&*params))),
    }
}
