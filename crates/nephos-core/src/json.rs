//! JSON in and out, under the specification's names or the wire's.

use crate::{
    Error, Map, Result, Text, Value,
    datum::{Datum, Open},
    fill::{Reader, told, wrong_type},
    record::Fields,
    shape::FieldShape,
    value::Ref,
};
use serde::{
    Deserializer as _, Serialize, Serializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
    ser::{SerializeMap, SerializeSeq},
};
use std::{cell::Cell, fmt};

/// Fills `record` from the JSON object in `json`.
pub fn read(record: &mut dyn Fields, json: &[u8], reader: &Reader) -> Result<()> {
    let refused = Cell::new(None);
    let mut source = serde_json::Deserializer::from_slice(json);
    let seed = RecordSeed { record, reader, refused: &refused };
    let read = source.deserialize_map(seed).and_then(|()| source.end());
    read.map_err(|error| refused.take().unwrap_or_else(|| malformed(&error)))
}

/// The value that `json` says.
pub fn parse(json: &[u8]) -> Result<Value> {
    let refused = Cell::new(None);
    let mut source = serde_json::Deserializer::from_slice(json);
    let mut value = Value::Null;
    let seed = DatumSeed { datum: &mut value, reader: &Reader::TRUSTED, refused: &refused };
    let read = seed.deserialize(&mut source).and_then(|()| source.end());
    read.map_err(|error| malformed(&error))?;
    Ok(value)
}

/// A `serde_json` message tells the place but may repeat the text; only the place is told on.
fn malformed(error: &serde_json::Error) -> Error {
    let what = match error.classify() {
        serde_json::error::Category::Eof => "the JSON ends too early",
        serde_json::error::Category::Data => "the JSON is not an object of fields",
        _ => "the text is not JSON",
    };
    let place = format!("{what}, at line {} column {}", error.line(), error.column());
    Error::new(crate::ErrorKind::Invalid, place)
}

/// How far down an error of ours is remembered while serde's goes up.
type Refused<'a> = &'a Cell<Option<Error>>;

fn refuse<E: de::Error>(refused: Refused<'_>, error: Error) -> E {
    refused.set(Some(error));
    E::custom("refused")
}

struct RecordSeed<'a> {
    record: &'a mut dyn Fields,
    reader: &'a Reader,
    refused: Refused<'a>,
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let shape = self.record.shape();
        let mut expected = 0;
        while let Some(found) = map.next_key_seed(KeySeed { shape, reader: self.reader, expected })? {
            match found {
                Key::Field(index) => {
                    expected = index + 1;
                    let datum = self.record.field_mut(index);
                    let field = &shape.fields[index];
                    let seed = DatumSeed { datum, reader: self.reader, refused: self.refused };
                    if let Err(error) = map.next_value_seed(seed) {
                        if let Some(error) = self.refused.take() {
                            self.refused.set(Some(told(field, error)));
                        }
                        return Err(error);
                    }
                    self.record.note_given(index);
                }
                Key::Unknown(key) => {
                    if shape.extras {
                        let mut value = Value::Null;
                        let seed =
                            DatumSeed { datum: &mut value, reader: self.reader, refused: self.refused };
                        map.next_value_seed(seed)?;
                        let kept = self.reader.unknown(self.record, &key, || value);
                        kept.map_err(|error| refuse(self.refused, error))?;
                    } else {
                        map.next_value::<de::IgnoredAny>()?;
                        let passed = self.reader.unknown(self.record, &key, || Value::Null);
                        passed.map_err(|error| refuse(self.refused, error))?;
                    }
                }
            }
        }
        self.record.settle();
        Ok(())
    }
}

enum Key {
    Field(usize),
    Unknown(Text),
}

struct KeySeed<'a> {
    shape: &'static crate::shape::RecordShape,
    reader: &'a Reader,
    expected: usize,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Key;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<Key, D::Error> {
        source.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Key, E> {
        Ok(match self.reader.find(self.shape, key, self.expected) {
            Some(index) => Key::Field(index),
            None => Key::Unknown(key.into()),
        })
    }
}

struct DatumSeed<'a> {
    datum: &'a mut dyn Datum,
    reader: &'a Reader,
    refused: Refused<'a>,
}

impl<'de> DeserializeSeed<'de> for DatumSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

impl DatumSeed<'_> {
    fn put<E: de::Error>(self, value: Ref<'_>) -> Result<(), E> {
        if value.is_null() {
            self.datum.clear();
            return Ok(());
        }
        let put = self.datum.put(value, self.reader.reading);
        put.map_err(|mismatch| refuse(self.refused, wrong_type(mismatch.0, value)))
    }
}

impl<'de> Visitor<'de> for DatumSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.put(Ref::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.put(Ref::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.put(Ref::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.put(Ref::Int(value)),
            Err(_) => self.put(Ref::Float(value as f64)),
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.put(Ref::Float(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.put(Ref::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let (reader, refused) = (self.reader, self.refused);
        match self.datum.open() {
            Open::List(list) => {
                let mut n = 0;
                loop {
                    // An item is added before it is known whether there is one.
                    match seq.next_element_seed(ItemSeed { list, reader, refused }) {
                        Ok(Some(())) => n += 1,
                        Ok(None) => return Ok(()),
                        Err(error) => {
                            if let Some(error) = refused.take() {
                                refused.set(Some(error.within(&format!("[{n}]"))));
                            }
                            return Err(error);
                        }
                    }
                }
            }
            Open::Any(any) => {
                let mut items = Vec::new();
                loop {
                    let mut item = Value::Null;
                    let seed = DatumSeed { datum: &mut item, reader, refused };
                    if seq.next_element_seed(seed)?.is_none() {
                        break;
                    }
                    items.push(item);
                }
                *any = Value::List(items);
                Ok(())
            }
            other => Err(refuse(refused, wrong_type(name_of(&other), Ref::List(&Vec::<Value>::new())))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (reader, refused) = (self.reader, self.refused);
        match self.datum.open() {
            Open::Record(record) => RecordSeed { record, reader, refused }.visit_map(map),
            Open::Map(filling) => {
                while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
                    let seed = DatumSeed { datum: filling.add(&key), reader, refused };
                    if let Err(error) = map.next_value_seed(seed) {
                        if let Some(error) = refused.take() {
                            refused.set(Some(error.within(&format!("[{key}]"))));
                        }
                        return Err(error);
                    }
                }
                Ok(())
            }
            Open::Any(any) => {
                let mut entries = Map::new();
                while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
                    let mut value = Value::Null;
                    map.next_value_seed(DatumSeed { datum: &mut value, reader, refused })?;
                    entries.insert(key.as_ref().into(), value);
                }
                *any = Value::Map(entries);
                Ok(())
            }
            other => Err(refuse(refused, wrong_type(name_of(&other), Ref::Map(&Map::<Value>::new())))),
        }
    }
}

fn name_of(open: &Open<'_>) -> &'static str {
    match open {
        Open::Scalar => "a single value",
        Open::Record(_) => "a record",
        Open::List(_) => "a list",
        Open::Map(_) => "a mapping",
        Open::Any(_) => "anything",
    }
}

struct ItemSeed<'a> {
    list: &'a mut dyn crate::datum::Fill,
    reader: &'a Reader,
    refused: Refused<'a>,
}

impl<'de> DeserializeSeed<'de> for ItemSeed<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        DatumSeed { datum: self.list.add(""), reader: self.reader, refused: self.refused }.deserialize(source)
    }
}

/// How a record is written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// Under the wire's names instead of the specification's.
    pub wire: bool,
    /// With what no printed form may show.
    pub expose: bool,
}

impl Writing {
    /// For people: the specification's names, secrets hidden.
    pub const SHOWN: Self = Self { wire: false, expose: false };

    /// For reading back: the specification's names, secrets included.
    pub const EXPOSED: Self = Self { wire: false, expose: true };
}

/// What stands for a secret.
const HIDDEN: &str = "<secret>";

/// A value on its way out through a serde format.
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
            Ref::Record(record) => write_record(record, writing, out),
        }
    }
}

fn write_record<S: Serializer>(record: &dyn Fields, writing: Writing, out: S) -> Result<S::Ok, S::Error> {
    let mut map = out.serialize_map(None)?;
    for (index, field) in record.shape().fields.iter().enumerate() {
        let value = record.field(index).view();
        if value.is_null() {
            continue;
        }
        let name = if writing.wire { field.wire } else { field.name };
        let value = if hides(field, writing) { Ref::Text(HIDDEN) } else { value };
        map.serialize_entry(name, &Written { value, writing })?;
    }
    for (key, value) in record.extra().into_iter().flatten() {
        map.serialize_entry(key.as_str(), &Written { value: value.view(), writing })?;
    }
    map.end()
}

fn hides(field: &FieldShape, writing: Writing) -> bool {
    field.sensitive && !writing.expose
}

/// `value` as JSON.
pub fn write(value: Ref<'_>, writing: Writing) -> String {
    let mut out = Vec::with_capacity(256);
    // Writing to memory fails only for what JSON cannot say, and there is nothing of that kind in a value.
    let written = serde_json::to_writer(&mut out, &Written { value, writing });
    debug_assert!(written.is_ok(), "a value can always be written");
    String::from_utf8(out).unwrap_or_default()
}
