//! Single values as text, as forms, XML, addresses and headers have them, and back.

use nephos_core::{
    Ref, Result, TimeForm, Timestamp, Type,
    field_value::{FieldValue, Spelling},
    fill::{self, Reader},
    json::{self, Writing},
    shape::FieldShape,
    time,
};

/// The value of `field`, or one within it, which is of type `ty`, as text. `usual` is how an instant is written if the
/// field does not say.
pub(crate) fn text_of(field: &FieldShape, ty: &Type, value: Ref<'_>, usual: TimeForm) -> String {
    let mut told = String::new();
    tell(field, ty, value, usual, |text| told.push_str(text));
    told
}

/// The same, told rather than kept.
pub(crate) fn tell(
    field: &FieldShape,
    ty: &Type,
    value: Ref<'_>,
    usual: TimeForm,
    mut tell: impl FnMut(&str),
) {
    match (value, ty) {
        // None of these protocols has a way to say anything but text: what they carry of it is JSON.
        (value, Type::Any) => tell(&json::write(value, Writing::WIRE)),
        (Ref::Text(text), _) => tell(field.spelled(text, Spelling::Wire)),
        (value, _) => tell_plain(value, if field.time == TimeForm::Usual { usual } else { field.time }, tell),
    }
}

/// Tells a single value as text.
pub(crate) fn tell_plain(value: Ref<'_>, form: TimeForm, mut tell: impl FnMut(&str)) {
    match value {
        Ref::Bool(value) => tell(if value { "true" } else { "false" }),
        Ref::Int(value) => tell(itoa::Buffer::new().format(value)),
        Ref::Float(value) => tell(&value.to_string()),
        Ref::Text(text) => tell(text),
        Ref::Choice { wire, .. } => tell(wire),
        Ref::Secret(secret) => tell(secret.expose()),
        Ref::Blob(bytes) => tell(&nephos_core::Blob(bytes.to_vec()).to_base64()),
        Ref::Time(instant) => {
            let mut text = Vec::with_capacity(32);
            time::write(&mut text, instant, form);
            tell(std::str::from_utf8(&text).unwrap_or_default());
        }
        value => tell(&json::write(value, Writing::WIRE)),
    }
}

/// The reader that takes scalars from text.
pub(crate) const fn from_text(mut reader: Reader) -> Reader {
    reader.reading.from_text = true;
    reader
}

/// Puts `text` into what `field` holds, or holds within it, which is of type `ty` and no list, mapping or record.
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
        Type::Time if field.time == TimeForm::EpochMillis => {
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

/// Puts a single value into what holds one.
fn put_plain(field_value: &mut dyn FieldValue, value: Ref<'_>, reader: &Reader) -> Result<()> {
    field_value.put(value, reader.reading).map_err(|mismatch| fill::wrong_type(mismatch.0, value))
}
