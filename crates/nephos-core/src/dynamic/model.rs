//! Models of any kind: built, saved and read by name.

use crate::{
    Change, Error, ErrorKind, FieldSet, Map, Result, Session, Slot, Text, Value,
    construct::{self, Strings},
    fill::Reader,
    from_model,
    record::Fields,
    resource,
    save::{self, PreparedSave},
    shape::{KindShape, OperationShape},
};

/// Creates the resource of `model`, or updates it if it is saved, with the parameters in `set` beside the model. Copies back what
/// the service assigned.
///
/// # Errors
///
/// Those of [`Save::wait`](crate::Save::wait).
pub async fn save(model: &mut dyn Fields, set: &[(Text, Value)]) -> Result<()> {
    PreparedSave::new(model, None, None, set)?.run(model).await
}

/// Saves, rolls that back, and returns the rows that it would change. `model` becomes what it would be.
///
/// # Errors
///
/// Those of [`Save::wait`](crate::Save::wait).
pub async fn preview_save(model: &mut dyn Fields, set: &[(Text, Value)]) -> Result<Vec<Change>> {
    PreparedSave::new(model, None, None, set)?.preview(model).await
}

/// Fills the parameters of a call on a model, leaving those in `given` unset: the model itself, and required parameters from the
/// model's fields of the same names.
///
/// # Errors
///
/// `Invalid` if the model has no value for a required parameter.
pub fn fill_from_model(
    params: &mut dyn Fields,
    call: &OperationShape,
    model: &dyn Fields,
    given: &[&str],
) -> Result<()> {
    from_model::fill_for_model(params, call, model, given)
}

/// Returns the error for a kind that does not have the call `verb`.
pub fn unsupported(kind: &KindShape, verb: &str) -> Error {
    save::unsupported_error(kind, verb, ErrorKind::Unsupported)
}

/// Returns the identity `which` of a model, null while it is not known; `None` if that is not `arn`, `name` or `pk`.
pub fn identity(model: &dyn Fields, which: &str) -> Option<Result<Value>> {
    crate::identity::identity(model, which)
}

/// True if the service has the resource of `model`.
pub fn is_saved(model: &dyn Fields) -> bool {
    crate::identity::is_saved(model)
}

/// Fields that a save sends.
pub fn changed_fields(model: &dyn Fields) -> FieldSet {
    resource::changed(model)
}

/// Fields of a model that were set.
pub fn fields_set(model: &dyn Fields) -> FieldSet {
    model.slot().map(Slot::fields_set).unwrap_or_default()
}

/// Sets or removes the session of a model.
pub fn set_session(model: &mut dyn Fields, session: Option<Session>) {
    if let Some(slot) = model.slot_mut() {
        slot.set_session(session);
    }
}

/// Fills a blank record from trusted values, as [`PythonModel::model_construct`](crate::python::PythonModel::model_construct).
pub fn construct(record: &mut dyn Fields, fields_set: Option<&[&str]>, values: &Map<Value>) {
    construct::construct(record, fields_set, values);
}

/// Fills a blank record from a mapping of values, and checks it.
///
/// # Errors
///
/// A value error with the field, for a value that does not fit the field's type or rules.
pub fn validate(record: &mut dyn Fields, values: &Map<Value>) -> Result<()> {
    construct::validate(record, values, &Reader::STRICT)
}

/// Fills a blank record from a mapping of texts, and checks it.
///
/// # Errors
///
/// A value error with the field, for text that does not fit the field's type or rules.
pub fn validate_strings(record: &mut dyn Fields, strings: &Map<Value>, options: &Strings<'_>) -> Result<()> {
    construct::validate_strings(record, strings, options)
}

/// Fills a blank record from JSON, and checks it.
///
/// # Errors
///
/// A value error, for text that is no JSON, and for a value that does not fit its field's type or rules.
pub fn from_json(record: &mut dyn Fields, json: &[u8]) -> Result<()> {
    construct::from_json(record, json)
}

/// Applies a regular expression to a text attribute, as [`PythonModel::transform`](crate::python::PythonModel::transform).
///
/// # Errors
///
/// A value error for an attribute or an expression that does not fit, and a runtime error for one that does not match.
pub fn transform(record: &dyn Fields, attribute: &str, transformer: Option<&str>) -> Result<Value> {
    construct::transform(record, attribute, transformer)
}
