//! Construction of records from JSON, trusted values and texts; and attributes transformed by expressions.

use crate::{
    Error, ErrorKind, Map, Result, Value,
    fill::{self, Names, Reader},
    identity, json,
    record::{self, Fields},
    shape::Type,
    transform,
};

/// Options of [`model_validate_strings`](crate::python::PythonModel::model_validate_strings).
#[derive(Clone, Debug, Default)]
pub struct Strings<'a> {
    /// Rejects spellings that need guessing, such as spaces around a number.
    pub strict: bool,
    /// Accepted for compatibility: no rule of any kind depends on a context.
    pub context: Option<&'a Value>,
    /// False if a field's alias is not accepted; true by default.
    pub by_alias: Option<bool>,
    /// False if a field's own name is not accepted; true by default.
    pub by_name: Option<bool>,
}

/// Fills a blank record from JSON and checks it.
pub(crate) fn from_json(record: &mut dyn Fields, json: &[u8]) -> Result<()> {
    let mut read = json::ReadState::default();
    json::read_tracked(record, json, &Reader::STRICT, &mut read)?;
    record::complete_read(record, &read)
}

/// Fills a blank record from trusted values: defaults are applied, nothing is checked, values that do not fit are
/// left out.
pub(crate) fn construct(record: &mut dyn Fields, fields_set: Option<&[&str]>, values: &Map<Value>) {
    let shape = record.shape();
    for (n, (key, value)) in values.iter().enumerate() {
        let filled = fill::fill_field(record, key, value.view(), &Reader::TRUSTED, n);
        if let (Err(_), Some(index)) = (filled, Reader::TRUSTED.find(shape, key, n)) {
            // A list may be filled up to the item that does not fit.
            record.field_mut(index).clear();
        }
    }
    record::apply_defaults(record);
    if let Some(slot) = record.slot_mut() {
        if let Some(names) = fields_set {
            let indices = names.iter().filter_map(|name| shape.field(name)).map(|(index, _)| index);
            slot.set_given(indices.collect());
        }
        slot.mark_given();
    }
    record.settle();
}

/// Fills a blank record from a mapping of values and checks it.
pub(crate) fn validate(record: &mut dyn Fields, values: &Map<Value>, reader: &Reader) -> Result<()> {
    for (n, (key, value)) in values.iter().enumerate() {
        fill::fill_field(record, key, value.view(), reader, n)?;
    }
    record::complete(record)
}

/// Fills a blank record from a mapping whose leaves are all texts.
pub(crate) fn validate_strings(
    record: &mut dyn Fields,
    strings: &Map<Value>,
    options: &Strings<'_>,
) -> Result<()> {
    let names = match (options.by_alias.unwrap_or(true), options.by_name.unwrap_or(true)) {
        (true, true) => Names::Any,
        (true, false) => Names::Alias,
        (false, true) => Names::Name,
        (false, false) => {
            return Err(Error::new(ErrorKind::Invalid, "by_alias and by_name cannot both be false"));
        }
    };
    let reader = Reader { names, ..Reader::STRINGS };
    check_strings(strings, &Type::Record(record.shape()), &reader, options.strict)?;
    validate(record, strings, &reader)
}

/// Rejects values that are neither text nor a mapping of texts and, if `strict`, spaces around values of other
/// types than text.
fn check_strings(strings: &Map<Value>, of: &Type, reader: &Reader, strict: bool) -> Result<()> {
    for (n, (key, value)) in strings.iter().enumerate() {
        let (ty, step) = match of {
            Type::Map(of) => (**of, format!("[{key}]")),
            Type::Record(shape) => match reader.find(shape, key, n) {
                Some(index) => (shape.fields[index].ty, shape.fields[index].name.to_owned()),
                None => (Type::Any, key.to_string()),
            },
            _ => (Type::Any, key.to_string()),
        };
        match value {
            Value::Null => {}
            Value::Text(text) => {
                let plain = matches!(ty, Type::Text | Type::Secret | Type::Any);
                if strict && !plain && text.trim() != text.as_str() {
                    return Err(Error::invalid(step, "has spaces around it"));
                }
            }
            Value::Map(inner) => {
                check_strings(inner, &ty, reader, strict).map_err(|error| error.in_field(&step))?;
            }
            other => {
                let message =
                    format!("expected text or a mapping of texts, found {}", other.view().type_name());
                return Err(Error::invalid(step, message));
            }
        }
    }
    Ok(())
}

/// Applies an expression to a text attribute: a field, an extra field, or an identity.
pub(crate) fn transform(record: &dyn Fields, attribute: &str, transformer: Option<&str>) -> Result<Value> {
    let shape = record.shape();
    let value = if let Some((index, _)) = shape.field(attribute) {
        record.field(index).view().to_value()
    } else if let Some(extra) = record.extra().and_then(|extra| extra.get(attribute)) {
        extra.clone()
    } else if let Some(identity) = identity::identity(record, attribute) {
        identity?
    } else {
        let hint = crate::nearest::suggest(attribute, shape.fields.iter().map(|field| field.name));
        let message = format!("{} has no attribute {attribute}{hint}", shape.name);
        return Err(Error::invalid(attribute, message));
    };
    transform::apply(attribute, value, transformer)
}
