//! Records: structs whose fields are accessible by index and by name.

use crate::{
    Error, ErrorKind, FieldSet, Map, Result, Slot, Text, Value, construct,
    field_value::{FieldType, FieldValue},
    fill::{self, Reader},
    identity,
    json::{self, InOrder, ReadState, Writer, Writing},
    nearest::suggest,
    path, projection, rules,
    shape::{FieldShape, KindShape, Presence, RecordShape, Type},
    value::Ref,
};
use std::{any::Any, fmt};

/// A struct whose fields are accessible by index. The derives implement it.
///
/// Each method is compiled once for each record, also a provided one. So what few records have is in [`Beside`], and what follows from
/// these methods is a method of `dyn Fields`.
pub trait Fields: Any + Send + Sync {
    /// Shape of the record.
    fn shape(&self) -> &'static RecordShape;

    /// Returns the field at `index`.
    fn field(&self, index: usize) -> &dyn FieldValue;

    /// Returns the field at `index`, to be changed. Nothing is checked.
    fn field_mut(&mut self, index: usize) -> &mut dyn FieldValue;

    /// Copy of the record.
    fn boxed_clone(&self) -> Box<dyn Fields>;

    /// The record as a value; none for the parameters of an operation, which no field can have.
    fn into_value(self: Box<Self>) -> Option<Box<dyn FieldValue>> {
        None
    }

    /// The rest of the record, beside its fields; most have none.
    #[doc(hidden)]
    fn beside(&self) -> Option<&dyn Beside> {
        None
    }

    /// The rest of the record, to be changed.
    #[doc(hidden)]
    fn beside_mut(&mut self) -> Option<&mut dyn Beside> {
        None
    }
}

/// The rest of some records, beside their fields: rules that concern several fields, fields that are derived from others, unknown fields,
/// code of their own for JSON; and what makes a model: its kind, slot and relations.
#[doc(hidden)]
pub trait Beside: Fields {
    /// Kind of the record, if it is a model.
    fn kind(&self) -> Option<&'static KindShape> {
        None
    }

    /// State of a model beside its fields: session, changes, remembered relations.
    fn slot(&self) -> Option<&Slot> {
        None
    }

    /// Mutable slot of a model.
    fn slot_mut(&mut self) -> Option<&mut Slot> {
        None
    }

    /// Unknown fields that it was given, if it keeps them.
    fn extra(&self) -> Option<&Map<Value>> {
        let shape = self.shape();
        self.slot().filter(|_| shape.extras).map(Slot::extra)
    }

    /// Mutable unknown fields, if it keeps them.
    fn extra_mut(&mut self) -> Option<&mut Map<Value>> {
        let shape = self.shape();
        self.slot_mut().filter(|_| shape.extras).map(Slot::extra_mut)
    }

    /// Checks the rules that concern several fields.
    fn check_whole(&self) -> Result<()> {
        Ok(())
    }

    /// Records that these fields were given, in contrast to defaults.
    fn note_given(&mut self, fields: FieldSet) {
        if let Some(slot) = self.slot_mut() {
            slot.give(fields);
        }
    }

    /// Updates fields that are derived from others.
    fn settle(&mut self) {}

    /// True if [`settle`](Self::settle) does anything.
    fn settles(&self) -> bool {
        false
    }

    /// Reads the next fields from JSON text, as long as they come in order.
    fn take_in_order(&mut self, _fields: &mut InOrder<'_, '_>) -> Result<()> {
        Ok(())
    }

    /// Writes the non-null fields as JSON, if the record has its own code for that; else returns false.
    fn write_fields(&self, _fields: &mut Writer<'_>) -> bool {
        false
    }

    /// Looks up a relation of the model by name; `None` if there is no such relation.
    fn related<'a>(&'a self, _name: &str) -> Option<crate::relation::Lookup<'a>> {
        None
    }
}

impl dyn Fields {
    /// Kind of the record, if it is a model.
    pub fn kind(&self) -> Option<&'static KindShape> {
        self.beside()?.kind()
    }

    /// State of a model beside its fields: session, changes, remembered relations.
    pub fn slot(&self) -> Option<&Slot> {
        self.beside()?.slot()
    }

    /// Mutable slot of a model.
    pub fn slot_mut(&mut self) -> Option<&mut Slot> {
        self.beside_mut()?.slot_mut()
    }

    /// Unknown fields that it was given, if it keeps them.
    pub fn extra(&self) -> Option<&Map<Value>> {
        self.beside()?.extra()
    }

    /// Mutable unknown fields, if it keeps them.
    pub fn extra_mut(&mut self) -> Option<&mut Map<Value>> {
        self.beside_mut()?.extra_mut()
    }

    /// Checks the rules that concern several fields.
    ///
    /// # Errors
    ///
    /// `Invalid` for the first rule that is broken.
    pub fn check_whole(&self) -> Result<()> {
        self.beside().map_or(Ok(()), Beside::check_whole)
    }

    /// Records that these fields were given, in contrast to defaults.
    pub fn note_given(&mut self, fields: FieldSet) {
        if let Some(beside) = self.beside_mut() {
            beside.note_given(fields);
        }
    }

    /// Updates fields that are derived from others.
    pub fn settle(&mut self) {
        if let Some(beside) = self.beside_mut() {
            beside.settle();
        }
    }

    /// True if [`settle`](Self::settle) does anything.
    pub(crate) fn settles(&self) -> bool {
        self.beside().is_some_and(Beside::settles)
    }

    /// Reads the next fields from JSON text, as long as they come in order.
    pub(crate) fn take_in_order(&mut self, fields: &mut InOrder<'_, '_>) -> Result<()> {
        self.beside_mut().map_or(Ok(()), |beside| beside.take_in_order(fields))
    }

    /// Writes the non-null fields as JSON, if the record has its own code for that; else returns false.
    pub(crate) fn write_fields(&self, fields: &mut Writer<'_>) -> bool {
        self.beside().is_some_and(|beside| beside.write_fields(fields))
    }

    /// Looks up a relation of the model by name; `None` if there is no such relation.
    pub fn related<'a>(&'a self, name: &str) -> Option<crate::relation::Lookup<'a>> {
        self.beside()?.related(name)
    }
}

/// A record type.
///
/// Reading and changing fields by name works on every record:
///
/// ```
/// use nephos_core::{Record, Tag, Value};
///
/// let mut tag = Tag::builder().key("team").value("web").build()?;
/// assert_eq!(tag.get("Value")?, "web".into());
/// tag.set("Value", "api")?;
/// assert!(tag.set("Colour", "red").is_err());
/// # Ok::<(), nephos_core::Error>(())
/// ```
pub trait Record: Fields + FieldType {
    /// Shape of the record.
    const SHAPE: &'static RecordShape;

    /// A record whose fields are all blank.
    #[doc(hidden)]
    fn blank_record() -> Self;

    /// Returns the value at a path of field names: `Port`, `Endpoint.Port`, `Actions[0].Order`, `Tags[team]`.
    fn get(&self, path: &str) -> Result<Value> {
        get(self, path)
    }

    /// Assigns the value at a path of field names. A value that breaks a rule is an error and changes nothing.
    fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<()>
    where
        Self: Sized,
    {
        set(self, path, value.into())
    }

    /// Returns the differences between this record and `after`, down to nested fields.
    fn diff(&self, after: &Self) -> Vec<Difference>
    where
        Self: Sized,
    {
        diff(self, after)
    }

    /// Makes a record with the values of an operation's parameters in the fields of the same names.
    #[doc(hidden)]
    fn from_given(mut params: impl Record) -> Self
    where
        Self: Sized,
    {
        let mut record = Self::blank();
        projection::take_given(&mut record, &mut params);
        record
    }

    /// Takes the values of an operation's parameters over into the fields of the same names. A fixed field keeps the
    /// value that it has. Parameters without a value change nothing.
    #[doc(hidden)]
    fn take_given(&mut self, params: &mut impl Record)
    where
        Self: Sized,
    {
        projection::take_given(self, params);
    }

    /// Takes the values of an operation's parameters over into the fields of the same names, and removes those of
    /// parameters without a value. Fields that the service sets keep their values, and so do keys.
    #[doc(hidden)]
    fn replace_given(&mut self, params: &mut impl Record)
    where
        Self: Sized,
    {
        projection::replace_given(self, params);
    }

    /// Checks all rules, as for input of a caller.
    fn validate(&self) -> Result<()>
    where
        Self: Sized,
    {
        check(self)
    }

    /// Builds a record from JSON with the specification's names and checks it.
    fn from_json(json: impl AsRef<[u8]>) -> Result<Self>
    where
        Self: Sized,
    {
        let mut record = Self::blank();
        construct::from_json(&mut record, json.as_ref())?;
        Ok(record)
    }

    /// Returns the record as JSON with the specification's names: without its session, without null fields, and
    /// with secrets hidden.
    fn to_json(&self) -> String
    where
        Self: Sized,
    {
        json::write(Ref::Record(self), Writing::SHOWN)
    }

    /// Returns the record as JSON that can be read back completely: with its secrets. Do not print it.
    fn to_json_exposed(&self) -> String
    where
        Self: Sized,
    {
        json::write(Ref::Record(self), Writing::EXPOSED)
    }

    /// Builds a record from a mapping of values and checks it.
    fn from_values(values: &Map<Value>) -> Result<Self>
    where
        Self: Sized,
    {
        let mut record = Self::blank();
        construct::validate(&mut record, values, &Reader::STRICT)?;
        Ok(record)
    }
}

/// Answer of an operation without one.
#[derive(crate::Record)]
pub struct Empty {}

/// One field in which two records differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Path of the field.
    pub path: String,
    /// Value before.
    pub before: Value,
    /// Value after.
    pub after: Value,
}

/// Returns the record as a mapping with the specification's names, without null fields.
pub fn to_value(record: &dyn Fields) -> Value {
    let fields = record.shape().fields.iter().enumerate();
    let known = fields.filter_map(|(index, field)| {
        let value = record.field(index).view();
        (!value.is_null()).then(|| (field.name.into(), to_secret_value(field, value)))
    });
    let extra = record.extra().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone()));
    Value::Map(known.chain(extra).collect())
}

/// Returns the value of a field; a sensitive one as a secret.
pub(crate) fn to_secret_value(field: &FieldShape, value: Ref<'_>) -> Value {
    match value {
        Ref::Text(text) if field.sensitive => Value::Secret(text.into()),
        Ref::Blob(bytes) if field.sensitive => Value::Secret(crate::Blob(bytes.to_vec()).to_base64().into()),
        value => value.to_value(),
    }
}

/// Reverses [`to_secret_value`] for the same field.
pub(crate) fn expose_secret_value<'a>(field: &FieldShape, value: Ref<'a>) -> Ref<'a> {
    match value {
        Ref::Secret(secret) if field.sensitive => Ref::Text(secret.expose()),
        value => value,
    }
}

/// True if two records have the same shape and equal fields.
pub fn same(a: &dyn Fields, b: &dyn Fields) -> bool {
    std::ptr::eq(a.shape().fields, b.shape().fields)
        && (0..a.shape().fields.len()).all(|index| a.field(index).view().same(&b.field(index).view()))
        && match (a.extra(), b.extra()) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
}

/// Writes the `Debug` form of a record: fields that are set, secrets hidden.
pub fn debug(record: &dyn Fields, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let shape = record.shape();
    let mut out = f.debug_struct(shape.name);
    for (index, field) in shape.fields.iter().enumerate() {
        let value = record.field(index).view();
        match value {
            Ref::Null => {}
            _ if field.sensitive => drop(out.field(field.name, &format_args!("<secret>"))),
            value => drop(out.field(field.name, &value)),
        }
    }
    for (key, value) in record.extra().into_iter().flatten() {
        out.field(key, value);
    }
    out.finish()
}

/// Checks all fields of a caller's record, and the rules that concern several.
pub fn check(record: &dyn Fields) -> Result<()> {
    check_except(record, FieldSet::NONE)
}

/// Checks a record, except for the fields in `valid`.
fn check_except(record: &dyn Fields, valid: FieldSet) -> Result<()> {
    let shape = record.shape();
    for index in shape.checked.iter() {
        if !valid.contains(index) {
            let value = record.field(index).view();
            rules::check(&shape.fields[index], value)
                .map_err(|error| if value.is_null() { missing(record, index, valid) } else { error })?;
        }
    }
    record.check_whole()
}

/// Part of a message after which the names of further missing fields follow.
pub const ALSO_REQUIRED: &str = "is required, and so ";

/// Returns the error for the first missing field of a record, which names the others that are missing.
#[cold]
fn missing(record: &dyn Fields, first: usize, valid: FieldSet) -> Error {
    let fields = record.shape().fields;
    let is_missing = |index: &usize| {
        *index > first
            && !valid.contains(*index)
            && fields[*index].presence == Presence::Required
            && record.field(*index).view().is_null()
    };
    let others: Vec<_> = record.shape().checked.iter().filter(is_missing).map(|at| fields[at].name).collect();
    let message = match others.split_last() {
        None => "is required".to_owned(),
        Some((one, [])) => format!("{ALSO_REQUIRED}is {one}"),
        Some((last, others)) => format!("{ALSO_REQUIRED}are {} and {last}", others.join(", ")),
    };
    Error::invalid(fields[first].name, message)
}

/// Sets null fields to their defaults, in nested records, too. A null field of a saved model that listings omit is not known.
pub fn apply_defaults(record: &mut dyn Fields) {
    if !record.shape().defaults {
        return;
    }
    let is_saved = identity::is_saved(record);
    for (index, field) in record.shape().fields.iter().enumerate() {
        if let Some(default) = field.default
            && record.field(index).view().is_null()
            && !(is_saved && field.not_in_list)
        {
            // The derives have checked that a default fits its field.
            let _ = fill::fill(record.field_mut(index), default.to_value().view(), &Reader::TRUSTED);
        }
        if field.ty.has_records_within() {
            apply_defaults_within(record.field_mut(index));
        }
    }
}

fn apply_defaults_within(field_value: &mut dyn FieldValue) {
    field_value.each_record(&mut |inner| {
        apply_defaults(inner);
        inner.settle();
    });
}

/// Applies defaults to a record that a caller built, and checks it.
pub fn finish<R: Record>(mut record: R) -> Result<R> {
    complete(&mut record)?;
    Ok(record)
}

/// Applies defaults to a record and checks it, in place.
pub(crate) fn complete(record: &mut dyn Fields) -> Result<()> {
    apply_defaults(record);
    record.settle();
    check(record)?;
    mark_new(record)
}

/// Applies defaults to a record that was just read and checks it. Skips what the decoder did already.
pub(crate) fn complete_read(record: &mut dyn Fields, read: &ReadState) -> Result<()> {
    if read.finished {
        record.check_whole()?;
    } else {
        apply_defaults(record);
        record.settle();
        check_except(record, read.valid)?;
    }
    mark_new(record)
}

/// Checks the tags of a complete model, and marks the given fields as changed.
fn mark_new(record: &mut dyn Fields) -> Result<()> {
    if let Some(tags) = record.kind().and_then(|kind| kind.tags) {
        let name = record.shape().fields[tags].name;
        crate::tags::check(record.field(tags).view()).map_err(|error| error.in_field(name))?;
    }
    if let Some(slot) = record.slot_mut() {
        slot.mark_given();
    }
    Ok(())
}

/// Returns the value at `path`.
pub fn get(record: &dyn Fields, path: &str) -> Result<Value> {
    get_at(Ref::Record(record), &path::parse(path)?)
}

fn get_at(at: Ref<'_>, steps: &[Text]) -> Result<Value> {
    let Some((name, rest)) = steps.split_first() else { return Ok(at.to_value()) };
    match at {
        Ref::Record(record) => match record.shape().field(name) {
            Some((index, field)) if rest.is_empty() => Ok(to_secret_value(field, record.field(index).view())),
            Some((index, field)) => {
                get_at(record.field(index).view(), rest).map_err(|error| error.in_field(field.name))
            }
            None => match record.extra().and_then(|extra| extra.get(name)) {
                Some(value) => get_at(value.view(), rest),
                None => Err(unknown_field(record.shape(), name)),
            },
        },
        Ref::List(items) => match name.parse::<usize>() {
            Ok(n) if n < items.len() => {
                get_at(items.item(n), rest).map_err(|error| error.in_field(&format!("[{n}]")))
            }
            _ => Ok(Value::Null),
        },
        Ref::Map(map) => match map.find(name) {
            Some(value) => get_at(value, rest).map_err(|error| error.in_field(&format!("[{name}]"))),
            None => Ok(Value::Null),
        },
        _ => Ok(Value::Null),
    }
}

/// Assigns the value at `path`, with a caller's permissions.
pub fn set(record: &mut dyn Fields, path: &str, value: Value) -> Result<()> {
    let steps = path::parse(path)?;
    let (first, rest) = (&steps[0], &steps[1..]);
    let shape = record.shape();
    let Some((index, field)) = shape.field(first) else {
        let frozen = record.kind().is_some_and(|kind| kind.frozen);
        return Err(if frozen { frozen_model(shape) } else { unknown_field(shape, first) });
    };
    if rest.is_empty() {
        return set_at(record, index, value.view());
    }
    check_assignable(record, field)?;
    let mut whole = record.field(index).view().to_value();
    put_at(&mut whole, &field.ty, rest, value).map_err(|error| error.in_field(field.name))?;
    let fresh = fresh_value(record, index, whole.view())?;
    commit_checked(record, index, fresh)
}

/// Assigns the field at `index`, with a caller's permissions. A value that breaks a rule is an error and changes nothing.
pub fn set_at(record: &mut dyn Fields, index: usize, value: Ref<'_>) -> Result<()> {
    let field = &record.shape().fields[index];
    check_assignable(record, field)?;
    if let (Type::Bool, Ref::Bool(_)) | (Type::Int, Ref::Int(_)) | (Type::Text, Ref::Text(_)) =
        (&field.ty, value)
    {
        return set_scalar(record, index, value);
    }
    let mut fresh = fresh_value(record, index, value)?;
    apply_defaults_within(&mut *fresh);
    commit_checked(record, index, fresh)
}

/// Assigns a scalar of the type of the field at `index`. It needs no other value, whose rules would be checked first.
fn set_scalar(record: &mut dyn Fields, index: usize, value: Ref<'_>) -> Result<()> {
    let field = &record.shape().fields[index];
    rules::check(field, value)?;
    let changed = !record.field(index).view().same(&value);
    if changed {
        fill::fill(record.field_mut(index), value, &Reader::STRICT)
            .map_err(|error| fill::with_field(field, error))?;
    }
    note_assigned(record.beside_mut(), index, changed);
    Ok(())
}

/// Makes a value of the type of the field at `index`.
fn fresh_value(record: &dyn Fields, index: usize, value: Ref<'_>) -> Result<Box<dyn FieldValue>> {
    let field = &record.shape().fields[index];
    let mut fresh = record.field(index).fresh();
    fill::fill_as(field, &mut *fresh, value, &Reader::STRICT)?;
    Ok(fresh)
}

/// Stores a value in its field if it keeps the rules.
fn commit_checked(record: &mut dyn Fields, index: usize, fresh: Box<dyn FieldValue>) -> Result<()> {
    if record.kind().is_some_and(|kind| kind.tags == Some(index)) {
        return crate::tags::assign(record, index, fresh);
    }
    rules::check(&record.shape().fields[index], fresh.view())?;
    commit(record, index, fresh);
    Ok(())
}

/// Checks that a caller may assign the field.
pub fn check_assignable(record: &dyn Fields, field: &FieldShape) -> Result<()> {
    if record.kind().is_some_and(|kind| kind.frozen) {
        return Err(frozen_model(record.shape()));
    }
    not_service_set(field)
}

fn not_service_set(field: &FieldShape) -> Result<()> {
    if field.presence == Presence::ServiceSet {
        let message = "is set by the service and cannot be assigned";
        return Err(Error::new(ErrorKind::Frozen, message).with_field(field.name));
    }
    Ok(())
}

fn frozen_model(shape: &RecordShape) -> Error {
    Error::new(ErrorKind::Frozen, format!("{} is read-only", shape.name))
}

/// Body of generated setters: assigns the field at `index`, which is at `place`.
#[doc(hidden)]
#[inline]
pub fn assign<R: Record, T: FieldType>(
    record: &mut R,
    index: usize,
    value: T,
    place: fn(&mut R) -> &mut T,
) -> Result<()> {
    // The type is known here, so that none of these calls is dynamic in optimized code.
    let kind = record.beside().and_then(Beside::kind);
    if kind.is_some_and(|kind| kind.tags == Some(index)) {
        return crate::tags::assign(record, index, Box::new(value));
    }
    rules::check(&R::SHAPE.fields[index], value.view())?;
    let changed = *place(record) != value;
    if changed {
        *place(record) = value;
    }
    note_assigned(record.beside_mut(), index, changed);
    Ok(())
}

/// Removes what a service does not return from its answer: fields of models that are not on the wire, and, if it `lists`
/// models, those that listings omit.
pub fn strip_answer(answer: &mut dyn Fields, lists: bool) {
    strip_model(answer, lists);
    for (index, field) in answer.shape().fields.iter().enumerate() {
        let inner = match field.ty {
            Type::Record(inner) | Type::List(&Type::Record(inner)) => inner,
            _ => continue,
        };
        if !inner.not_on_wire.is_empty() || (lists && !inner.not_in_list.is_empty()) {
            answer.field_mut(index).each_record(&mut |model| strip_model(model, lists));
        }
    }
}

fn strip_model(model: &mut dyn Fields, lists: bool) {
    let shape = model.shape();
    let mut hidden = shape.not_on_wire;
    if lists {
        hidden.extend(shape.not_in_list);
    }
    if model.slot().is_some() {
        hidden.iter().for_each(|index| model.field_mut(index).clear());
    }
}

/// Makes a record of the fields that it takes from another, and moves their values.
#[doc(hidden)]
pub fn project<R: Record>(from: &mut dyn Fields) -> R {
    let mut record = R::blank();
    projection::take_fields(&mut record, from);
    record
}

/// Sets a field to null.
#[doc(hidden)]
pub fn clear(record: &mut dyn Fields, index: usize) -> Result<()> {
    let null = record.field(index).fresh();
    if record.kind().is_some_and(|kind| kind.tags == Some(index)) {
        return crate::tags::assign(record, index, null);
    }
    rules::check(&record.shape().fields[index], Ref::Null)?;
    commit(record, index, null);
    Ok(())
}

/// Stores a checked value in its field, and marks the field as changed if its value differs.
pub fn commit(record: &mut dyn Fields, index: usize, mut value: Box<dyn FieldValue>) {
    let changed = !record.field(index).view().same(&value.view());
    record.field_mut(index).take_from(&mut *value);
    note_assigned(record.beside_mut(), index, changed);
}

/// Notes that the field at `index` was given.
#[doc(hidden)]
pub fn note_given(record: &mut dyn Fields, index: usize) {
    record.note_given(FieldSet::single(index));
}

/// Notes that a field was given, and if its value differs from the one before, that it changed.
#[inline]
fn note_assigned(record: Option<&mut dyn Beside>, index: usize, changed: bool) {
    let Some(record) = record else { return };
    record.note_given(FieldSet::single(index));
    if changed {
        if let Some(slot) = record.slot_mut() {
            slot.mark_changed(index);
        }
        record.settle();
    }
}

fn put_at(whole: &mut Value, ty: &crate::Type, rest: &[Text], value: Value) -> Result<()> {
    use crate::Type;
    let Some((name, rest)) = rest.split_first() else {
        *whole = value;
        return Ok(());
    };
    let (place, ty, key) = match ty {
        Type::List(item) => {
            let items = match whole {
                Value::List(items) => items.as_mut_slice(),
                _ => &mut [],
            };
            let len = items.len();
            let place =
                name.parse().ok().and_then(|n: usize| items.get_mut(n)).ok_or_else(|| {
                    Error::invalid(format!("[{name}]"), format!("the list has {len} items"))
                })?;
            (place, *item, format!("[{name}]"))
        }
        Type::Map(of) => {
            let map = as_map(whole);
            (map.entry(name.as_str().into()).or_default(), *of, format!("[{name}]"))
        }
        Type::Record(shape) => {
            let (_, field) = shape.field(name).ok_or_else(|| unknown_field(shape, name))?;
            not_service_set(field)?;
            let map = as_map(whole);
            (map.entry(field.name.into()).or_default(), &field.ty, field.name.to_owned())
        }
        Type::Any => {
            let map = as_map(whole);
            (map.entry(name.as_str().into()).or_default(), &Type::Any, name.to_string())
        }
        _ => return Err(Error::invalid(name.as_str(), "the field has no nested fields")),
    };
    put_at(place, ty, rest, value).map_err(|error| error.in_field(&key))
}

fn as_map(value: &mut Value) -> &mut Map<Value> {
    if !matches!(value, Value::Map(_)) {
        *value = Value::Map(Map::default());
    }
    match value {
        Value::Map(map) => map,
        _ => unreachable!("made a mapping above"),
    }
}

/// Error for an unknown field name, with the nearest name or all names.
pub fn unknown_field(shape: &RecordShape, name: &str) -> Error {
    let hint = suggest(name, shape.fields.iter().map(|field| field.name));
    let wire_hint = suggest(name, shape.fields.iter().map(|field| field.wire));
    Error::invalid(name, format!("{} has no such field{hint}", shape.name))
        .with_wire_message(format!("{} has no member {name}{wire_hint}", shape.name))
}

/// Returns the differences between two records of one shape.
pub fn diff(before: &dyn Fields, after: &dyn Fields) -> Vec<Difference> {
    let mut found = Vec::new();
    diff_records(before, after, "", &mut found);
    found
}

fn diff_records(before: &dyn Fields, after: &dyn Fields, at: &str, found: &mut Vec<Difference>) {
    let within = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
    for (index, field) in before.shape().fields.iter().enumerate() {
        let path = within(field.name);
        let (old, new) = (before.field(index).view(), after.field(index).view());
        if let (Ref::Record(old), Ref::Record(new)) = (old, new) {
            diff_records(old, new, &path, found);
        } else if !old.same(&new) {
            found.push(Difference {
                path,
                before: to_secret_value(field, old),
                after: to_secret_value(field, new),
            });
        }
    }
    let (Some(old), Some(new)) = (before.extra(), after.extra()) else { return };
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        let (before, after) = (old.get(key), new.get(key));
        if before != after {
            let value = |value: Option<&Value>| value.cloned().unwrap_or_default();
            found.push(Difference { path: within(key), before: value(before), after: value(after) });
        }
    }
}

/// Calls `each` with every model in `record`, including itself.
pub fn each_model(record: &mut dyn Fields, each: &mut dyn FnMut(&mut dyn Fields)) {
    if record.slot().is_some() {
        each(record);
    }
    for index in 0..record.shape().fields.len() {
        record.field_mut(index).each_record(&mut |inner| each_model(inner, each));
    }
}
