//! Encoding and decoding of single values as text, for forms, XML, URIs and headers.

use nephos_core::{
    Ref, Result, TimeForm, Timestamp, Type,
    field_value::{FieldValue, Spelling},
    fill::{self, Reader},
    json::{self, Writing},
    shape::FieldShape,
    time,
};

/// Encodes the value of `field`, or a nested value, of type `ty`, as text. `usual` is the format of a timestamp if the
/// field has none.
pub(crate) fn to_text(field: &FieldShape, ty: &Type, value: Ref<'_>, usual: TimeForm) -> String {
    let mut encoded = String::new();
    write_text(field, ty, value, usual, |text| encoded.push_str(text));
    encoded
}

/// Encodes a value like [`to_text`], and passes the text to a callback.
pub(crate) fn write_text(
    field: &FieldShape,
    ty: &Type,
    value: Ref<'_>,
    usual: TimeForm,
    mut write: impl FnMut(&str),
) {
    match (value, ty) {
        // These protocols have only text: an untyped value is encoded as JSON.
        (value, Type::Any) => write(&json::write(value, Writing::WIRE)),
        (Ref::Text(text), _) => write(field.spelled(text, Spelling::Wire)),
        (value, _) => write_plain(
            value,
            if field.details.time == TimeForm::Usual { usual } else { field.details.time },
            write,
        ),
    }
}

/// Encodes a single value as text, and passes it to a callback.
pub(crate) fn write_plain(value: Ref<'_>, form: TimeForm, mut write: impl FnMut(&str)) {
    match value {
        Ref::Bool(value) => write(if value { "true" } else { "false" }),
        Ref::Int(value) => write(itoa::Buffer::new().format(value)),
        Ref::Float(value) => write(&value.to_string()),
        Ref::Text(text) => write(text),
        Ref::Choice { wire, .. } => write(wire),
        Ref::Secret(secret) => write(secret.expose()),
        Ref::Blob(bytes) => write(&nephos_core::Blob(bytes.to_vec()).to_base64()),
        Ref::Time(timestamp) => {
            let mut text = Vec::with_capacity(32);
            time::write(&mut text, timestamp, form);
            write(std::str::from_utf8(&text).unwrap_or_default());
        }
        value => write(&json::write(value, Writing::WIRE)),
    }
}

/// Returns the reader with scalars decoded from text.
pub(crate) const fn from_text(mut reader: Reader) -> Reader {
    reader.reading.from_text = true;
    reader
}

/// Sets a field, or a nested value of it, of type `ty` and not a list, mapping or record, from `text`.
pub(crate) fn put(
    field_value: &mut dyn FieldValue,
    field: &FieldShape,
    ty: &Type,
    text: &str,
    reader: &Reader,
) -> Result<()> {
    match ty {
        Type::Text => put_plain(field_value, Ref::Text(field.spelled(text, Spelling::Neutral)), reader),
        Type::Bool | Type::Int | Type::Float | Type::Choice(_) => {
            put_plain(field_value, Ref::Text(text), reader)
        }
        Type::Blob => fill::fill(field_value, Ref::Text(text.trim()), reader),
        Type::Time if field.details.time == TimeForm::EpochMillis => {
            let millis = text.trim().parse().ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
            fill::fill(field_value, millis.map_or(Ref::Text(text), Ref::Time), reader)
        }
        Type::Any => match json::parse(text.as_bytes()) {
            Ok(value) => fill::fill(field_value, value.view(), reader),
            Err(_) => fill::fill(field_value, Ref::Text(text), reader),
        },
        _ => fill::fill(field_value, Ref::Text(text), reader),
    }
}

/// Sets a field of a single value.
fn put_plain(field_value: &mut dyn FieldValue, value: Ref<'_>, reader: &Reader) -> Result<()> {
    field_value.put(value, reader.reading).map_err(|mismatch| fill::wrong_type(mismatch.0, value))
}
