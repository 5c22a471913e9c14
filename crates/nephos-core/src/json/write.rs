//! Writes values as JSON, and through serde in other formats.

use crate::{
    FieldSet, TimeForm,
    field_value::{FieldType, Spelling},
    record::Fields,
    shape::{FieldShape, Location, RecordShape, ServiceShape, TagNames},
    tags::is_tag,
    time,
    value::Ref,
};
use ::serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};
use jiff::Timestamp;
use std::io::Write;

/// Form in which values are written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// True for names of the wire instead of those of the specification.
    pub wire: bool,
    /// True if secrets are written.
    pub expose: bool,
    /// Form of instants, where their field has none of its own.
    pub time: TimeForm,
    /// Names of the members of tags on the wire.
    pub tags: TagNames,
}

impl Writing {
    /// For people: names of the specification, secrets hidden.
    pub const SHOWN: Self =
        Self { wire: false, expose: false, time: TimeForm::Iso8601, tags: TagNames::Usual };

    /// For reading back: names of the specification, secrets included.
    pub const EXPOSED: Self =
        Self { wire: false, expose: true, time: TimeForm::Iso8601, tags: TagNames::Usual };

    /// For bodies of requests and responses: names of the wire, secrets included.
    pub const WIRE: Self =
        Self { wire: true, expose: true, time: TimeForm::EpochSeconds, tags: TagNames::Usual };

    /// For bodies of requests and responses of `service`.
    pub fn for_service(service: &ServiceShape) -> Self {
        Self { tags: service.tag_names, ..Self::WIRE }
    }

    fn name(self, field: &FieldShape) -> &'static str {
        if self.wire { field.wire } else { field.name }
    }

    /// True if the field is written at all.
    fn writes(self, field: &FieldShape) -> bool {
        !self.wire || field.location == Location::Body
    }

    fn hides(self, field: &FieldShape) -> bool {
        field.sensitive && !self.expose
    }
}

/// Placeholder of a secret.
const HIDDEN: &str = "<secret>";

/// Writes `value` as JSON.
pub fn write(value: Ref<'_>, writing: Writing) -> String {
    String::from_utf8(write_bytes(value, writing)).expect("the JSON is UTF-8")
}

/// Writes `value` as JSON bytes.
pub fn write_bytes(value: Ref<'_>, writing: Writing) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    write_to(&mut out, value, writing);
    out
}

/// Appends `value` as JSON to `out`.
pub fn write_to(out: &mut Vec<u8>, value: Ref<'_>, writing: Writing) {
    match value {
        Ref::List(items) => {
            out.push(b'[');
            for n in 0..items.len() {
                write_to(out, items.item(n), writing);
                out.push(b',');
            }
            close(out, b']');
        }
        Ref::Map(map) => {
            out.push(b'{');
            for n in 0..map.len() {
                let (key, value) = map.entry(n);
                string(out, key);
                out.push(b':');
                write_to(out, value, writing);
                out.push(b',');
            }
            close(out, b'}');
        }
        Ref::Record(record) => write_record(out, record, writing),
        scalar => write_scalar(out, scalar, writing),
    }
}

/// Ends a list or object whose parts all end with a comma.
pub(crate) fn close(out: &mut Vec<u8>, end: u8) {
    match out.last_mut() {
        Some(last @ b',') => *last = end,
        _ => out.push(end),
    }
}

/// Appends a single value to `out`. Lists and records work, too.
// Where the type is known at compile time, one branch is left.
#[inline(always)]
pub(crate) fn write_scalar(out: &mut Vec<u8>, value: Ref<'_>, writing: Writing) {
    match value {
        Ref::Null => out.extend_from_slice(b"null"),
        Ref::Bool(true) => out.extend_from_slice(b"true"),
        Ref::Bool(false) => out.extend_from_slice(b"false"),
        // Zero and other small numbers are the most frequent by far.
        Ref::Int(value @ 0..10) => out.push(b'0' + value as u8),
        Ref::Int(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Ref::Float(value) if value.is_finite() => drop(write!(out, "{value:?}")),
        Ref::Float(_) => out.extend_from_slice(b"null"),
        Ref::Text(text) => string(out, text),
        Ref::Choice { name, wire, .. } => string(out, if writing.wire { wire } else { name }),
        Ref::Time(instant) => write_time(out, instant, writing.time),
        Ref::Blob(bytes) => string(out, &crate::Blob(bytes.to_vec()).to_base64()),
        Ref::Secret(secret) => string(out, if writing.expose { secret.expose() } else { HIDDEN }),
        Ref::List(_) | Ref::Map(_) | Ref::Record(_) => write_to(out, value, writing),
    }
}

/// Appends a record to `out`.
pub fn write_record(out: &mut Vec<u8>, record: &dyn Fields, writing: Writing) {
    let shape = record.shape();
    if writing.tags != TagNames::Usual && is_tag(shape) {
        return write_tag(out, record, writing.tags);
    }
    out.push(b'{');
    let mut writer = Writer { out, shape, plain: shape.plain, writing };
    if !record.write_fields(&mut writer) {
        for index in 0..shape.fields.len() {
            writer.put_view(index, record.field(index).view());
        }
    }
    for (key, value) in record.extra().into_iter().flatten() {
        string(out, key);
        out.push(b':');
        write_to(out, value.view(), writing);
        out.push(b',');
    }
    close(out, b'}');
}

/// Appends a tag with other names of its members.
fn write_tag(out: &mut Vec<u8>, tag: &dyn Fields, names: TagNames) {
    out.push(b'{');
    for (index, field) in tag.shape().fields.iter().enumerate() {
        if let Some(text) = tag.field(index).view().as_text() {
            string(out, names.wire(field));
            out.push(b':');
            string(out, text);
            out.push(b',');
        }
    }
    close(out, b'}');
}

/// An encoder of a record: each field is written with its static type.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    shape: &'static RecordShape,
    /// Fields that are written the same way everywhere, except for their keys.
    plain: FieldSet,
    writing: Writing,
}

impl Writer<'_> {
    /// Writes a field and its key, which is its name in quotes with the colon, unless it is null.
    // The length of a key is a constant at each call, so this is a move or two.
    #[inline(always)]
    pub fn put<const N: usize, const W: usize, T: FieldType>(
        &mut self,
        index: usize,
        key: &[u8; N],
        wire_key: &[u8; W],
        field_value: &T,
    ) {
        if !self.plain.contains(index) {
            return self.put_view(index, field_value.view());
        }
        if field_value.view().is_null() {
            return;
        }
        if self.writing.wire {
            self.out.extend_from_slice(wire_key);
        } else {
            self.out.extend_from_slice(key);
        }
        field_value.write_json(self.out, self.writing);
        self.out.push(b',');
    }

    /// Writes a field whose type is not known, or that has a location or a form of its own.
    pub(crate) fn put_view(&mut self, index: usize, value: Ref<'_>) {
        let (field, writing) = (&self.shape.fields[index], self.writing);
        if value.is_null() || !writing.writes(field) {
            return;
        }
        self.out.extend_from_slice(if writing.wire { field.wire_key } else { field.key }.as_bytes());
        if writing.hides(field) {
            string(self.out, HIDDEN);
        } else if writing.wire {
            write_on_wire(self.out, field, value, writing);
        } else {
            write_to(self.out, value, writing);
        }
        self.out.push(b',');
    }
}

/// Writes the value of a field that may have a form of its own on the wire.
fn write_on_wire(out: &mut Vec<u8>, field: &FieldShape, value: Ref<'_>, writing: Writing) {
    let time = if field.details.time == TimeForm::Usual { writing.time } else { field.details.time };
    let writing = Writing { time, ..writing };
    if field.details.spellings.is_empty() {
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

/// A value to be written through a serde format.
#[derive(Debug)]
pub struct Written<'a> {
    /// Value to write.
    pub value: Ref<'a>,
    /// Form in which it is written.
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
