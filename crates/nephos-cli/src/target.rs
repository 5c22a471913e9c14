//! A call of a kind, prepared with the given values.

use crate::{
    inputs::{self, Input, Part},
    listing, names,
    opening::Access,
    resource_names,
};
use nephos::{AnyPredicate, Error, ErrorKind, Result, Session, Value};
use nephos_core::{
    FieldSet,
    dynamic::{self, AnyCall, Reach},
    field_value::FieldValue,
    fill::{self, Reader},
    record::{self, Fields},
    shape::{Effect, FieldShape, KindShape, OperationShape, Presence},
    wait,
};
use std::sync::Arc;

/// A call of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) kind: &'static KindShape,
    pub(crate) call: &'static OperationShape,
}

/// A value for an input of a call.
#[derive(Clone, Debug)]
pub(crate) struct GivenValue {
    pub(crate) part: Part,
    pub(crate) field: &'static FieldShape,
    pub(crate) value: Value,
    /// True if the value identifies the resource of the call.
    pub(crate) identifies: bool,
    /// True if the value is added to that of the field, and does not replace it.
    pub(crate) adds: bool,
}

impl GivenValue {
    /// Creates a value for `input`.
    pub(crate) fn new(input: &Input, value: Value) -> Self {
        let identifies = input.positional && !input.field.sensitive;
        Self { part: input.part, field: input.field, value, identifies, adds: false }
    }
}

impl Target {
    /// Returns the call `name` of `kind`, in kebab case.
    pub(crate) fn new(kind: &'static KindShape, name: &str) -> Option<Self> {
        let call = kind.calls().into_iter().find(|call| names::kebab(call.name) == name)?;
        Some(Self { kind, call })
    }

    /// Kind of the models that the call returns, which may be another one if it lists.
    pub(crate) fn listed_kind(&self) -> &'static KindShape {
        match dynamic::reach(self.call) {
            Reach::List(listing) => listing.kind(),
            _ => self.kind,
        }
    }

    /// Returns the use that the call makes of the cloud. Reads other than `get` and `list` may store the time of the last use.
    pub(crate) fn access(&self) -> Access {
        match (self.call.effect, self.call.name) {
            (Effect::Write, "delete" | "update") => Access::Change,
            (Effect::Write, _) => Access::Write,
            (Effect::Read, "get" | "list") => Access::SharedRead,
            (Effect::Read, _) => Access::Read,
        }
    }

    /// Gives a validation error the code that the service would return.
    pub(crate) fn with_service_code(&self, error: Error) -> Error {
        if error.is_value_error() { error.with_code((self.kind.service)().invalid) } else { error }
    }

    /// Returns the error for a missing resource. The hint has the keys with a default, such as the bus of a rule.
    pub(crate) fn not_found(&self, subject: &str, given: &[GivenValue]) -> Error {
        let keys =
            inputs::composite_keys(self.kind).into_iter().filter(|key| key.presence != Presence::Required);
        let hints: Vec<_> = keys
            .map(|key| match key_value(given, key).and_then(|value| value.view().text_form()) {
                Some(value) => format!("{} {value}", key.name),
                None => format!("{}: {}", key.name, key.docs.trim_end_matches('.')),
            })
            .collect();
        // A resource may be selected by its ARN as a flag.
        let is_identity =
            |given: &&GivenValue| resource_names::own_identity(self.kind, given.field).is_some();
        let identity = given.iter().find(is_identity).and_then(|given| given.value.as_text());
        let subject = identity.filter(|_| subject.is_empty()).unwrap_or(subject);
        let name = format!("{} {subject}", self.kind.name);
        let error = self.missing(&format!("{} does not exist", name.trim_end()));
        if hints.is_empty() { error } else { error.with_hint(hints.join("; ")) }
    }

    /// Returns an error with the code for missing resources.
    fn missing(&self, message: &str) -> Error {
        let error = self.kind.missing("");
        match (self.kind.service)().codes.iter().find(|code| code.code == error.code()) {
            Some(code) => code.with_message(message),
            None => Error::new(ErrorKind::NotFound, message),
        }
    }
}

/// Prepares the call. A call that changes an existing resource reads it first.
pub(crate) fn prepare_call(
    target: Target,
    session: &Session,
    given: &[GivenValue],
    clear: &[&FieldShape],
) -> Result<AnyCall> {
    let mut found = match inputs::lookup_call(target.kind, target.call) {
        Some(list) if list.pages => {
            let listed = find_in_listing(target, list, session, given)?;
            return build_call(target, session, &mut |params| {
                fill_given(params, given, true)?;
                with_model(params, &mut |model| {
                    copy_model(model, &*listed)?;
                    assign_fields(model, given, clear)?;
                    keep_changed(model);
                    Ok(())
                })
            });
        }
        Some(lookup_call) => {
            let mut found = load_model(target, lookup_call, session, given)?;
            let mut assigned = Ok(());
            found.each_record(&mut |model| assigned = assign_fields(model, given, clear));
            assigned.map_err(|error| target.with_service_code(error))?;
            Some(found)
        }
        None => None,
    };
    build_call(target, session, &mut |params| {
        fill_given(params, given, found.is_some())?;
        match &mut found {
            Some(found) => with_model(params, &mut |model| {
                found.each_record(&mut |found| replace_model(model, found));
                Ok(())
            }),
            None => Ok(()),
        }
    })
}

/// Builds the call with the parameters that `fill` sets.
pub(crate) fn build_call(
    target: Target,
    session: &Session,
    fill: nephos_core::dynamic::Fill<'_>,
) -> Result<AnyCall> {
    dynamic::call(target.call, session, fill)
}

/// Fills the parameters, and the model unless it was looked up.
pub(crate) fn fill_given(params: &mut dyn Fields, given: &[GivenValue], looked_up: bool) -> Result<()> {
    for GivenValue { part, field, value, .. } in given {
        let put =
            |record: &mut dyn Fields| fill::fill_field(record, field.name, value.view(), &Reader::STRINGS, 0);
        match part {
            Part::Parameter => put(params)?,
            Part::Model if !looked_up => with_model(params, &mut |model| put(model))?,
            Part::Model | Part::Key => {}
        }
    }
    // A model without fields is a model too, such as that of a key with all defaults.
    if !looked_up {
        with_model(params, &mut |_| Ok(()))?;
    }
    for field in params.shape().fields {
        let is_given = |given: &GivenValue| given.part == Part::Parameter && std::ptr::eq(given.field, field);
        if let (Some(value), false) = (model_value(given, field), given.iter().any(is_given)) {
            fill::fill_field(params, field.name, value.view(), &Reader::STRINGS, 0)?;
        }
    }
    Ok(())
}

/// Returns the value of the model field that a parameter is taken from.
pub(crate) fn model_value<'s>(given: &'s [GivenValue], parameter: &FieldShape) -> Option<&'s Value> {
    let same = |given: &&GivenValue| given.part == Part::Model && parameter.is_taken_from(given.field.name);
    given.iter().find(same).map(|given| &given.value)
}

fn with_model(params: &mut dyn Fields, act: &mut dyn FnMut(&mut dyn Fields) -> Result<()>) -> Result<()> {
    let Some(at) = params.shape().fields.iter().position(|field| field.details.model) else { return Ok(()) };
    let mut result = Ok(());
    params.field_mut(at).each_record(&mut |model| result = act(model));
    params.note_given(FieldSet::single(at));
    result
}

/// Reads the model with the keys in `given`.
fn load_model(
    target: Target,
    lookup_call: &'static OperationShape,
    session: &Session,
    given: &[GivenValue],
) -> Result<Box<dyn FieldValue>> {
    let find = Target { call: lookup_call, ..target };
    let keys = || given.iter().filter(|given| given.part == Part::Key);
    let call = build_call(find, session, &mut |params| {
        keys().try_for_each(|key| {
            fill::fill_field(params, key.field.name, key.value.view(), &Reader::STRINGS, 0)
        })
    })?;
    let found = wait(call.run())?.filter(|found| !found.view().is_null());
    found.ok_or_else(|| target.not_found(&subject(given), given))
}

/// Reads the model with the keys in `given` from a listing.
fn find_in_listing(
    target: Target,
    list: &'static OperationShape,
    session: &Session,
    given: &[GivenValue],
) -> Result<Arc<dyn Fields>> {
    let keys: Vec<_> = given.iter().filter(|given| given.part == Part::Key).cloned().collect();
    let test = |field: &'static FieldShape| match key_value(&keys, field) {
        Some(value) => AnyPredicate::parse(field.name, value.clone()),
        None => Err(target.with_service_code(Error::invalid(field.name, "is required"))),
    };
    let tests = inputs::pk_fields(target.kind).into_iter().map(test).collect::<Result<Vec<_>>>()?;
    let parameters = list.params.fields.iter().filter_map(|field| {
        let value = key_value(&keys, field)?.clone();
        Some(GivenValue { part: Part::Parameter, field, value, identifies: false, adds: false })
    });
    let find = Target { call: list, ..target };
    let results = listing::open_results(find, session, &parameters.collect::<Vec<_>>())?;
    let found = wait(results.filter(AnyPredicate::All(tests)).try_next())?;
    found.ok_or_else(|| target.not_found(&subject(given), given))
}

/// Fills a blank model with the fields of another one, which came from the service.
fn copy_model(model: &mut dyn Fields, listed: &dyn Fields) -> Result<()> {
    for (index, field) in listed.shape().fields.iter().enumerate() {
        let value = listed.field(index).view();
        if !value.is_null() {
            fill::fill_field(model, field.name, value, &Reader::TRUSTED, index)?;
        }
    }
    if let Some(slot) = model.slot_mut() {
        slot.settle();
    }
    Ok(())
}

/// Assigns the given values to the model that was read, which tracks the changed fields.
fn assign_fields(model: &mut dyn Fields, given: &[GivenValue], clear: &[&FieldShape]) -> Result<()> {
    for given in given.iter().filter(|given| given.part == Part::Model) {
        let Some((index, _)) = model.shape().field(given.field.name) else { continue };
        let mut typed = model.field(index).fresh();
        fill::fill(&mut *typed, given.value.view(), &Reader::STRINGS)
            .map_err(|error| fill::with_field(given.field, error))?;
        let value = typed.view().to_value();
        let value = match given.adds {
            true => with_tags(model.field(index).view().to_value(), value),
            false => value,
        };
        record::set(model, given.field.name, value)?;
    }
    clear.iter().try_for_each(|field| record::set(model, field.name, Value::Null))
}

/// Adds tags to those of a resource; a tag with the same key is replaced.
fn with_tags(mut tags: Value, added: Value) -> Value {
    let key = |tag: &Value| match tag {
        Value::Map(fields) => fields.get_index(0).map(|(_, key)| key.clone()),
        _ => None,
    };
    match (&mut tags, added) {
        (Value::Map(tags), Value::Map(added)) => tags.extend(added),
        (Value::List(tags), Value::List(added)) => {
            tags.retain(|tag| !added.iter().any(|added| key(added) == key(tag)));
            tags.extend(added);
        }
        (tags, added) => *tags = added,
    }
    tags
}

/// Replaces a model by another one; changed fields stay marked as changed.
fn replace_model(model: &mut dyn Fields, found: &mut dyn Fields) {
    for index in 0..model.shape().fields.len() {
        model.field_mut(index).take_from(found.field_mut(index));
    }
    if let (Some(to), Some(from)) = (model.extra_mut(), found.extra_mut()) {
        *to = std::mem::take(from);
    }
    let changed = found.slot().map(|slot| slot.changed()).unwrap_or_default();
    if let Some(slot) = model.slot_mut() {
        slot.set_given(changed);
    }
}

/// Makes the changed fields of a model the only ones that were given, which are those that the call sends.
fn keep_changed(model: &mut dyn Fields) {
    if let Some(slot) = model.slot_mut() {
        let changed = slot.changed();
        slot.set_given(changed);
    }
}

/// Returns the value that is given for a parameter of `get`, under any name.
pub(crate) fn key_value<'g>(given: &'g [GivenValue], key: &FieldShape) -> Option<&'g Value> {
    let is_same = |given: &&GivenValue| inputs::model_field(given.field) == inputs::model_field(key);
    given.iter().find(is_same).map(|given| &given.value)
}

/// Returns the name of the resource of a call: the values of its positional arguments.
pub(crate) fn subject(given: &[GivenValue]) -> String {
    let values = given.iter().filter(|given| given.identifies).map(|given| &given.value);
    let texts = values.filter_map(|value| value.view().text_form().map(std::borrow::Cow::into_owned));
    texts.collect::<Vec<_>>().join(" ")
}

/// Iterates over the names of a path, which are separated as in queries (`Endpoint.Port`) or as in filters (`Endpoint__Port`).
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split("__").flat_map(|part| part.split('.'))
}

/// Returns a path as filters have it. After the first `__`, a dot belongs to a name, such as the key of a mapping.
pub(crate) fn filter_path(path: &str) -> String {
    match path.split_once("__") {
        Some((start, rest)) => format!("{}__{rest}", start.replace('.', "__")),
        None => path.replace('.', "__"),
    }
}

/// Returns a value with only these fields.
pub(crate) fn select_fields(value: &Value, fields: &[String]) -> Value {
    let field = |name: &String| {
        let mut current = value;
        for step in steps(name) {
            match current {
                Value::Map(map) => current = map.get(step)?,
                _ => return None,
            }
        }
        Some((name.as_str().into(), current.clone()))
    };
    Value::Map(fields.iter().filter_map(field).collect())
}
