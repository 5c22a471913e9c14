//! Single values as text, as forms, XML, addresses and headers have them, and back.

use nephos_core::{
    Ref, Result, TimeForm, Timestamp, Type,
    datum::{Datum, Spelling},
    fill::{self, Reader},
    json::{self, Writing},
    shape::FieldShape,
    time,
};

/// The value of `field`, or one within it, which is of type `ty`, as text. `usual` is how an instant is written if the
/// field does not say.
pub(crate) fn text_of(field: &FieldShape, ty: &Type, value: Ref<'_>, usual: TimeForm) -> String {
    match (value, ty) {
        // None of these protocols has a way to say anything but text: what they carry of it is JSON.
        (value, Type::Any) => json::write(value, Writing::WIRE),
        (Ref::Text(text), _) => field.spelled(text, Spelling::Wire).to_owned(),
        (value, _) => plain(value, if field.time == TimeForm::Usual { usual } else { field.time }),
    }
}

/// A single value as text.
pub(crate) fn plain(value: Ref<'_>, form: TimeForm) -> String {
    match value {
        Ref::Bool(value) => value.to_string(),
        Ref::Int(value) => value.to_string(),
        Ref::Float(value) => value.to_string(),
        Ref::Text(text) => text.to_owned(),
        Ref::Choice { wire, .. } => wire.to_owned(),
        Ref::Secret(secret) => secret.expose().to_owned(),
        Ref::Blob(bytes) => nephos_core::Blob(bytes.to_vec()).to_base64(),
        Ref::Time(instant) => {
            let mut text = Vec::new();
            time::write(&mut text, instant, form);
            String::from_utf8(text).unwrap_or_default()
        }
        value => json::write(value, Writing::WIRE),
    }
}

/// The reader that takes scalars from text.
pub(crate) const fn from_text(mut reader: Reader) -> Reader {
    reader.reading.from_text = true;
    reader
}

/// Puts `text` into what `field` holds, or holds within it, which is of type `ty` and no list, mapping or record.
pub(crate) fn put(
    datum: &mut dyn Datum,
    field: &FieldShape,
    ty: &Type,
    text: &str,
    reader: &Reader,
) -> Result<()> {
    match ty {
        Type::Text => fill::fill(datum, Ref::Text(field.spelled(text, Spelling::Neutral)), reader),
        Type::Blob => fill::fill(datum, Ref::Text(text.trim()), reader),
        Type::Time if field.time == TimeForm::EpochMillis => {
            let millis = text.trim().parse().ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
            fill::fill(datum, millis.map_or(Ref::Text(text), Ref::Time), reader)
        }
        Type::Any => match json::parse(text.as_bytes()) {
            Ok(value) => fill::fill(datum, value.view(), reader),
            Err(_) => fill::fill(datum, Ref::Text(text), reader),
        },
        _ => fill::fill(datum, Ref::Text(text), reader),
    }
}
