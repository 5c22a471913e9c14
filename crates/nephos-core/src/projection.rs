//! Copies between models and the parameters of operations, by the names of their fields.

use crate::{
    Error, FieldSet, Result,
    field_value::FieldValue,
    fill::{self, Reader},
    identity::value_at,
    record::Fields,
    shape::{FieldShape, Literal, Presence, RecordShape, Type},
    tags,
    value::Ref,
};

/// Fills the parameters of an operation from a model, except those in `given`.
pub(crate) fn fill_from_model(params: &mut dyn Fields, model: &dyn Fields, given: FieldSet) -> Result<()> {
    copy_except(params, model, given, |_| true)
}

/// Returns the fields of a record that belong to a parameter, with their paths: alternatives, `from = "ARN|Name"`, in order. A path may
/// lead into a record: `from = "id.category"`. In a record without them, such as the parameters of another operation, it is the field
/// of the same name.
fn counterparts(
    shape: &'static RecordShape,
    param: &FieldShape,
) -> impl Iterator<Item = (usize, &'static str)> {
    let paths = param.details.from.split('|');
    let mut named = paths.filter_map(|path| Some((shape.field_at(path)?.0, path))).peekable();
    let is_named = named.peek().is_some();
    let own = shape.fields.iter().position(|field| field.rust_name == param.rust_name);
    named.chain(own.filter(|_| !is_named).map(|index| (index, shape.fields[index].name)))
}

/// Returns the field of a model that a parameter belongs to, or is a part of.
pub(crate) fn counterpart(shape: &'static RecordShape, param: &FieldShape) -> Option<usize> {
    counterparts(shape, param).next().map(|(index, _)| index)
}

/// Returns the field of this model that a parameter belongs to, and the value for the parameter: of alternatives, the first that has
/// one.
pub(crate) fn counterpart_in<'m>(model: &'m dyn Fields, param: &FieldShape) -> Option<(usize, Ref<'m>)> {
    let mut values = counterparts(model.shape(), param).map(|(index, path)| {
        (index, if path.contains('.') { value_at(model, path.split('.')) } else { model.field(index).view() })
    });
    let first = values.next()?;
    if first.1.is_null() { values.find(|(_, value)| !value.is_null()).or(Some(first)) } else { Some(first) }
}

/// Returns the field of a record that has the value of a parameter.
fn same_field(shape: &'static RecordShape, param: &FieldShape) -> Option<usize> {
    counterparts(shape, param).find(|(_, path)| !path.contains('.')).map(|(index, _)| index)
}

/// Copies the model's values into the parameters: the required ones, and those that `wanted` accepts.
pub(crate) fn copy(
    params: &mut dyn Fields,
    model: &dyn Fields,
    wanted: impl Fn(usize) -> bool,
) -> Result<()> {
    copy_except(params, model, FieldSet::NONE, wanted)
}

/// Copies as [`copy`] does, except into the parameters in `given`.
pub(crate) fn copy_except(
    params: &mut dyn Fields,
    model: &dyn Fields,
    given: FieldSet,
    wanted: impl Fn(usize) -> bool,
) -> Result<()> {
    for (index, param) in
        params.shape().fields.iter().enumerate().filter(|(index, _)| !given.contains(*index))
    {
        if param.details.tags_by_type {
            if let Some(tags) = tags::by_type(model, &wanted) {
                fill::fill(params.field_mut(index), tags.view(), &Reader::TRUSTED)?;
            }
            continue;
        }
        let required = param.presence == Presence::Required;
        let found = counterpart_in(model, param).filter(|(at, _)| required || wanted(*at));
        let Some((at, value)) = found else { continue };
        if value.is_null() {
            if required {
                let name =
                    if param.source().contains('.') { param.source() } else { model.shape().fields[at].name };
                return Err(Error::invalid(name, "is required"));
            }
            continue;
        }
        // A number may be a text in the model.
        let reader = if matches!(param.ty, Type::Int) { &Reader::STRINGS } else { &Reader::TRUSTED };
        fill::fill(params.field_mut(index), value, reader).map_err(|error| error.in_field(param.name))?;
        if param.ty.has_records_within() {
            strip_service_set(params.field_mut(index));
        }
    }
    Ok(())
}

/// Clears the fields of nested records that are not sent in requests.
fn strip_service_set(field_value: &mut dyn FieldValue) {
    field_value.each_record(&mut |record| {
        for (index, field) in record.shape().fields.iter().enumerate() {
            if field.presence == Presence::ServiceSet || field.details.response_only {
                record.field_mut(index).clear();
            } else if field.ty.has_records_within() {
                strip_service_set(record.field_mut(index));
            }
        }
    });
}

/// Moves the values of `from` into the fields of `to` that are taken from it.
pub(crate) fn take_fields(to: &mut dyn Fields, from: &mut dyn Fields) {
    for (index, field) in to.shape().fields.iter().enumerate() {
        if let Some(at) = same_field(from.shape(), field) {
            to.field_mut(index).take_from(from.field_mut(at));
        }
    }
}

/// Moves the non-null values of `from` into the fields of the same names of `to`; other fields of `to` keep their
/// values, and so do fixed fields that have one. An empty text clears a field that has it as its `clear` value. Returns the fields that were set.
pub(crate) fn take_given(to: &mut dyn Fields, from: &mut dyn Fields) -> FieldSet {
    let mut taken = FieldSet::NONE;
    for (index, field) in from.shape().fields.iter().enumerate() {
        if from.field(index).view().is_null() {
            continue;
        }
        let Some(at) = same_field(to.shape(), field) else { continue };
        if to.shape().fields[at].fixed && !to.field(at).view().is_null() {
            continue;
        }
        if is_empty_text(from.field(index).view())
            && matches!(to.shape().fields[at].details.clear, Some(Literal::Text("")))
        {
            to.field_mut(at).clear();
        } else {
            to.field_mut(at).take_from(from.field_mut(index));
        }
        taken.insert(at);
    }
    taken
}

/// Moves the values of `from`, null or not, into the fields of the same names of `to` that can be changed.
pub(crate) fn replace_given(to: &mut dyn Fields, from: &mut dyn Fields) {
    for (index, field) in from.shape().fields.iter().enumerate() {
        let Some(at) = same_field(to.shape(), field) else { continue };
        let own = &to.shape().fields[at];
        if !own.fixed && own.presence != Presence::ServiceSet {
            to.field_mut(at).take_from(from.field_mut(index));
        }
    }
}

fn is_empty_text(value: Ref<'_>) -> bool {
    value.as_text().is_some_and(str::is_empty)
}
