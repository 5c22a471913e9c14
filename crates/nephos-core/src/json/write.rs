//! Writing values as JSON, and through serde for other formats.

use crate::{
    TimeForm,
    datum::Spelling,
    record::Fields,
    shape::{FieldShape, Location},
    time,
    value::Ref,
};
use jiff::Timestamp;
use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};
use std::io::Write;

/// How a value is written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// Under the wire's names instead of the specification's.
    pub wire: bool,
    /// With what no printed form may show.
    pub expose: bool,
    /// How instants are written where their field does not say.
    pub time: TimeForm,
}

impl Writing {
    /// For people: the specification's names, secrets hidden.
    pub const SHOWN: Self = Self { wire: false, expose: false, time: TimeForm::Iso8601 };

    /// For reading back: the specification's names, secrets included.
    pub const EXPOSED: Self = Self { wire: false, expose: true, time: TimeForm::Iso8601 };

    /// For the body of a message between a client and a service: the wire's names, secrets included.
    pub const WIRE: Self = Self { wire: true, expose: true, time: TimeForm::EpochSeconds };

    fn name(self, field: &FieldShape) -> &'static str {
        if self.wire { field.wire } else { field.name }
    }

    /// Whether the field is written at all.
    fn writes(self, field: &FieldShape) -> bool {
        !self.wire || field.location == Location::Body
    }

    fn hides(self, field: &FieldShape) -> bool {
        field.sensitive && !self.expose
    }
}

/// What stands for a secret.
const HIDDEN: &str = "<secret>";

/// `value` as JSON.
pub fn write(value: Ref<'_>, writing: Writing) -> String {
    let mut out = Vec::with_capacity(512);
    write_to(&mut out, value, writing);
    String::from_utf8(out).expect("only text is written")
}

/// Adds `value` as JSON to `out`.
pub fn write_to(out: &mut Vec<u8>, value: Ref<'_>, writing: Writing) {
    match value {
        Ref::Null => out.extend_from_slice(b"null"),
        Ref::Bool(true) => out.extend_from_slice(b"true"),
        Ref::Bool(false) => out.extend_from_slice(b"false"),
        Ref::Int(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Ref::Float(value) if value.is_finite() => drop(write!(out, "{value:?}")),
        Ref::Float(_) => out.extend_from_slice(b"null"),
        Ref::Text(text) => string(out, text),
        Ref::Choice { name, wire, .. } => string(out, if writing.wire { wire } else { name }),
        Ref::Time(instant) => write_time(out, instant, writing.time),
        Ref::Blob(bytes) => string(out, &crate::Blob(bytes.to_vec()).to_base64()),
        Ref::Secret(secret) => string(out, if writing.expose { secret.expose() } else { HIDDEN }),
        Ref::List(items) => {
            out.push(b'[');
            for n in 0..items.len() {
                if n > 0 {
                    out.push(b',');
                }
                write_to(out, items.item(n), writing);
            }
            out.push(b']');
        }
        Ref::Map(map) => {
            out.push(b'{');
            for n in 0..map.len() {
                if n > 0 {
                    out.push(b',');
                }
                let (key, value) = map.entry(n);
                string(out, key);
                out.push(b':');
                write_to(out, value, writing);
            }
            out.push(b'}');
        }
        Ref::Record(record) => write_record(out, record, writing),
    }
}

fn write_record(out: &mut Vec<u8>, record: &dyn Fields, writing: Writing) {
    out.push(b'{');
    let start = out.len();
    for (index, field) in record.shape().fields.iter().enumerate() {
        let value = record.field(index).view();
        if value.is_null() || !writing.writes(field) {
            continue;
        }
        if out.len() > start {
            out.push(b',');
        }
        let key = if writing.wire { field.wire_key } else { field.key };
        out.extend_from_slice(key.as_bytes());
        if writing.hides(field) {
            string(out, HIDDEN);
        } else if writing.wire {
            write_on_wire(out, field, value, writing);
        } else {
            write_to(out, value, writing);
        }
    }
    for (key, value) in record.extra().into_iter().flatten() {
        if out.len() > start {
            out.push(b',');
        }
        string(out, key);
        out.push(b':');
        write_to(out, value.view(), writing);
    }
    out.push(b'}');
}

/// The value of a field that may have a form of its own on the wire.
fn write_on_wire(out: &mut Vec<u8>, field: &FieldShape, value: Ref<'_>, writing: Writing) {
    let time = if field.time == TimeForm::Usual { writing.time } else { field.time };
    let writing = Writing { time, ..writing };
    if field.spellings.is_empty() {
        return write_to(out, value, writing);
    }
    write_to(out, field.respelled(value, Spelling::Wire).view(), writing);
}

fn write_time(out: &mut Vec<u8>, instant: Timestamp, form: TimeForm) {
    let quoted = !matches!(form, TimeForm::EpochSeconds | TimeForm::EpochMillis);
    if quoted {
        out.push(b'"');
    }
    time::write(out, instant, form);
    if quoted {
        out.push(b'"');
    }
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = super::input::plain_until(bytes, from);
        out.extend_from_slice(&bytes[from..at]);
        let Some(&special) = bytes.get(at) else { break };
        match special {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            control => drop(write!(out, "\\u{control:04x}")),
        }
        from = at + 1;
    }
    out.push(b'"');
}

/// A value on its way out through a serde format.
#[derive(Debug)]
pub struct Written<'a> {
    /// The value.
    pub value: Ref<'a>,
    /// How it is written.
    pub writing: Writing,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let writing = self.writing;
        match self.value {
            Ref::Null => out.serialize_unit(),
            Ref::Bool(value) => out.serialize_bool(value),
            Ref::Int(value) => out.serialize_i64(value),
            Ref::Float(value) => out.serialize_f64(value),
            Ref::Text(text) => out.serialize_str(text),
            Ref::Choice { name, wire, .. } => out.serialize_str(if writing.wire { wire } else { name }),
            Ref::Time(value) => out.collect_str(&value),
            Ref::Blob(bytes) => out.serialize_str(&crate::Blob(bytes.to_vec()).to_base64()),
            Ref::Secret(secret) => out.serialize_str(if writing.expose { secret.expose() } else { HIDDEN }),
            Ref::List(items) => {
                let mut seq = out.serialize_seq(Some(items.len()))?;
                for n in 0..items.len() {
                    seq.serialize_element(&Written { value: items.item(n), writing })?;
                }
                seq.end()
            }
            Ref::Map(entries) => {
                let mut map = out.serialize_map(Some(entries.len()))?;
                for n in 0..entries.len() {
                    let (key, value) = entries.entry(n);
                    map.serialize_entry(key, &Written { value, writing })?;
                }
                map.end()
            }
            Ref::Record(record) => {
                let mut map = out.serialize_map(None)?;
                for (index, field) in record.shape().fields.iter().enumerate() {
                    let value = record.field(index).view();
                    if !value.is_null() && writing.writes(field) {
                        let value = if writing.hides(field) { Ref::Text(HIDDEN) } else { value };
                        map.serialize_entry(writing.name(field), &Written { value, writing })?;
                    }
                }
                for (key, value) in record.extra().into_iter().flatten() {
                    map.serialize_entry(key.as_str(), &Written { value: value.view(), writing })?;
                }
                map.end()
            }
        }
    }
}
