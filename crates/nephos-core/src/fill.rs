//! Fills records from values, by a reader's rules for names and strictness.

use crate::{
    Error, Result, Value,
    field_value::{FieldValue, Open, Reading, Spelling},
    record::{self, Fields},
    shape::{FieldShape, RecordShape, ServiceShape, TagNames},
    tags::{self, is_tag},
    value::Ref,
};

/// Treatment of unknown names, where a record does not keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Unknown names are rejected, with the nearest known name.
    Refuse,
    /// Unknown names are ignored.
    Ignore,
}

/// Spellings of a field's name that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Names of the specification, aliases, and names of the provider.
    Any,
    /// Names of the specification only.
    Name,
    /// Aliases only, for fields that have any.
    Alias,
    /// Names of the provider only.
    Wire,
}

/// Rules for reading a record.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Form of the values.
    pub reading: Reading,
    /// Accepted names.
    pub names: Names,
    /// Treatment of unknown names.
    pub unknown: Unknown,
    /// True if the values come from callers, and so may be invalid.
    pub checked: bool,
    /// Names of the members of tags on the wire.
    pub tags: TagNames,
}

impl Reader {
    /// For input of callers: names of the specification, no unknown names, exact types.
    pub const STRICT: Self = Self {
        reading: Reading { spelling: Spelling::Neutral, from_text: false },
        names: Names::Any,
        unknown: Unknown::Refuse,
        checked: true,
        tags: TagNames::Usual,
    };

    /// For texts of callers: from a command line, or a mapping of strings.
    pub const STRINGS: Self = Self {
        reading: Reading { spelling: Spelling::Neutral, from_text: true },
        names: Names::Any,
        unknown: Unknown::Refuse,
        checked: true,
        tags: TagNames::Usual,
    };

    /// For our own data: names of the specification; fields of newer versions are ignored.
    pub const TRUSTED: Self = Self {
        reading: Reading { spelling: Spelling::Neutral, from_text: false },
        names: Names::Any,
        unknown: Unknown::Ignore,
        checked: false,
        tags: TagNames::Usual,
    };

    /// For requests to a service: names of the provider; unknown names are ignored, as the provider does.
    pub const REQUEST: Self = Self {
        reading: Reading { spelling: Spelling::Wire, from_text: false },
        names: Names::Wire,
        unknown: Unknown::Ignore,
        checked: true,
        tags: TagNames::Usual,
    };

    /// For answers of a service: names of the provider; unknown names are ignored.
    pub const ANSWER: Self = Self {
        reading: Reading { spelling: Spelling::Wire, from_text: false },
        names: Names::Wire,
        unknown: Unknown::Ignore,
        checked: false,
        tags: TagNames::Usual,
    };

    /// True for data that this program wrote.
    pub(crate) fn is_own(&self) -> bool {
        self.names == Names::Any && !self.checked
    }

    /// Reads as this reader does, with the names of `service`.
    pub fn for_service(self, service: &ServiceShape) -> Self {
        Self { tags: service.tag_names, ..self }
    }

    /// Finds the field named `key`. `expected` is its probable index.
    pub fn find(&self, shape: &RecordShape, key: &str, expected: usize) -> Option<usize> {
        match self.names {
            Names::Any if self.checked => shape.find(key, expected).or_else(|| tags::find_field(shape, key)),
            Names::Any => shape.find(key, expected),
            Names::Wire if self.tags != TagNames::Usual && is_tag(shape) => {
                shape.fields.iter().position(|field| self.tags.wire(field) == key)
            }
            Names::Wire => shape.find_wire(key, expected),
            Names::Name => shape.fields.iter().position(|field| field.name == key),
            Names::Alias => shape.fields.iter().position(|field| {
                if field.details.aliases.is_empty() {
                    field.name == key
                } else {
                    field.details.aliases.contains(&key)
                }
            }),
        }
    }

    /// Keeps, ignores or rejects a key that names no field.
    pub fn unknown(&self, record: &mut dyn Fields, key: &str, value: impl FnOnce() -> Value) -> Result<()> {
        let shape = record.shape();
        if shape.extras
            && let Some(extra) = record.extra_mut()
        {
            extra.insert(key.into(), value());
            return Ok(());
        }
        match self.unknown {
            Unknown::Ignore => Ok(()),
            Unknown::Refuse => Err(record::unknown_field(shape, key)),
        }
    }
}

/// Fills a value from another: a field, or a part of one.
pub fn fill(field_value: &mut dyn FieldValue, value: Ref<'_>, reader: &Reader) -> Result<()> {
    if value.is_null() {
        return put_null(field_value, reader);
    }
    match (field_value.open(), value) {
        (Open::Scalar, value) => {
            field_value.put(value, reader.reading).map_err(|mismatch| wrong_type(mismatch.0, value))
        }
        (Open::Record(inner), Ref::Map(map)) => {
            (0..map.len()).try_for_each(|n| {
                let (key, value) = map.entry(n);
                fill_field(inner, key, value, reader, n)
            })?;
            inner.settle();
            Ok(())
        }
        (Open::Record(inner), Ref::Record(from)) => {
            let fields = from.shape().fields.iter().enumerate();
            let mut given =
                fields.map(|(n, field)| (n, field, from.field(n).view())).filter(|(.., v)| !v.is_null());
            given.try_for_each(|(n, field, value)| fill_field(inner, field.name, value, reader, n))?;
            let mut extra = from.extra().into_iter().flatten();
            extra.try_for_each(|(key, value)| reader.unknown(inner, key, || value.clone()))?;
            inner.settle();
            Ok(())
        }
        (Open::List(list), Ref::List(items)) => (0..items.len()).try_for_each(|n| {
            fill(list.add(""), items.item(n), reader).map_err(|error| error.in_field(&format!("[{n}]")))
        }),
        (Open::Map(map), Ref::Map(entries)) => (0..entries.len()).try_for_each(|n| {
            let (key, value) = entries.entry(n);
            fill(map.add(key), value, reader).map_err(|error| error.in_field(&format!("[{key}]")))
        }),
        (Open::Any(any), value) => {
            *any = value.to_value();
            Ok(())
        }
        (Open::Record(_), value) => Err(wrong_type("a record", value)),
        (Open::List(_), value) => Err(wrong_type("a list", value)),
        (Open::Map(_), value) => Err(wrong_type("a mapping", value)),
    }
}

/// Sets `field_value` to null. Where it cannot be null, as in a list, a caller gets an error and a service's null
/// becomes blank.
pub(crate) fn put_null(field_value: &mut dyn FieldValue, reader: &Reader) -> Result<()> {
    match field_value.put(Ref::Null, reader.reading) {
        Ok(()) => {}
        Err(mismatch) if reader.checked => return Err(wrong_type(mismatch.0, Ref::Null)),
        Err(_) => field_value.clear(),
    }
    Ok(())
}

/// Fills the field of `record` named `key`.
pub fn fill_field(
    record: &mut dyn Fields,
    key: &str,
    value: Ref<'_>,
    reader: &Reader,
    expected: usize,
) -> Result<()> {
    let shape = record.shape();
    let Some(index) = reader.find(shape, key, expected) else {
        return reader.unknown(record, key, || value.to_value());
    };
    let field: &FieldShape = &shape.fields[index];
    fill_as(field, record.field_mut(index), value, reader)?;
    record.note_given(crate::FieldSet::single(index));
    Ok(())
}

/// Fills a value of the type of `field`. A caller's tags may be a mapping or a list, whichever the field has.
pub(crate) fn fill_as(
    field: &FieldShape,
    field_value: &mut dyn FieldValue,
    value: Ref<'_>,
    reader: &Reader,
) -> Result<()> {
    let takes_both = reader.names == Names::Any && reader.checked;
    let tags = if takes_both { tags::reshaped(field, value) } else { Ok(None) };
    let filled = tags.and_then(|tags| {
        let value = tags.as_ref().map_or(value, Value::view);
        fill(field_value, record::expose_secret_value(field, value), reader)
    });
    filled.map_err(|error| with_field(field, error))
}

/// Adds `field` to an error, and hides the value of a sensitive field.
#[cold]
pub fn with_field(field: &FieldShape, error: Error) -> Error {
    if field.sensitive {
        let hidden = Error::invalid(field.name, "has a value of the wrong type");
        hidden.with_wire_message(error.wire_message())
    } else {
        error.in_field(field.name)
    }
}

/// Error of a value of the wrong type. Long values are not repeated.
pub fn wrong_type(expected: &str, value: Ref<'_>) -> Error {
    let message = match value {
        Ref::Text(text) if text.len() <= 40 => format!("expected {expected}, found {text:?}"),
        value => format!("expected {expected}, found {}", value.type_name()),
    };
    Error::new(crate::ErrorKind::Invalid, message).with_wire_message(conversion_error(expected, value))
}

/// Text of the provider for a value of the wrong type.
fn conversion_error(expected: &str, value: Ref<'_>) -> String {
    let token = match value {
        Ref::Map(_) | Ref::Record(_) => {
            return "Start of structure or map found where not expected.".to_owned();
        }
        Ref::List(_) => return "Start of list found where not expected".to_owned(),
        Ref::Null => "NULL_VALUE",
        Ref::Bool(true) => "TRUE_VALUE",
        Ref::Bool(false) => "FALSE_VALUE",
        Ref::Int(_) | Ref::Float(_) => "NUMBER_VALUE",
        _ => "STRING_VALUE",
    };
    let wanted = match expected {
        "true or false" => "a Boolean",
        "a whole number" => "an Integer",
        "a number" => "a Double",
        "a datetime" => "a Timestamp",
        "bytes in base64" => "a Blob",
        "text" => "a String",
        "a list" => "a List",
        "a mapping" => "a Map",
        _ => "a Structure",
    };
    format!("{token} can not be converted to {wanted}")
}
