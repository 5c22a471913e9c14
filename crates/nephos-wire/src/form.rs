//! Encoding and decoding of records as forms: `Name=value`, `A.B=value`, `Names.member.1=value`.

use crate::{
    dialect::{Dialect, Items, is_on_wire},
    scalar,
    unknown::UnknownPaths,
    uri,
};
use nephos_core::{
    Error, ErrorKind, FieldSet, Map, Ref, Result, Text, TimeForm, Type, Value,
    field_value::{FieldValue, Open},
    fill::{self, Reader},
    record::Fields,
    shape::{FieldShape, RecordShape},
};

/// Maximum depth of nested names.
const MAX_DEPTH: usize = 48;

/// Reader for the parameters in a form.
const READER: Reader = scalar::from_text(Reader::REQUEST);

/// Writer of a form.
pub(crate) struct Writer {
    dialect: Dialect,
    name: String,
    out: String,
}

impl Writer {
    /// Creates a form that begins with these pairs.
    pub(crate) fn new(dialect: Dialect, first: &[(&str, &str)]) -> Self {
        let mut writer = Self { dialect, name: String::new(), out: String::with_capacity(256) };
        first.iter().for_each(|(name, value)| writer.nested(name, |writer| writer.put(value)));
        writer
    }

    /// Returns the form.
    pub(crate) fn into_string(self) -> String {
        self.out
    }

    /// Adds the fields of `record`.
    pub(crate) fn record(&mut self, record: &dyn Fields) {
        let fields = record.shape().fields.iter().enumerate().filter(|(_, field)| is_on_wire(field));
        for (index, field) in fields {
            let value = record.field(index).view();
            match (value, field.ty) {
                (Ref::Null, _) => {}
                // An empty list is sent as its name with an empty value, to differ from none; EC2 makes no difference.
                (Ref::List(items), Type::List(_)) if items.is_empty() => {
                    if self.dialect == Dialect::Query {
                        self.nested(field.wire, |writer| writer.put(""));
                    }
                }
                (value, _) => {
                    let name = self.dialect.form_name(field);
                    let items = self.dialect.items_in_form(field);
                    self.nested(&name, |writer| writer.value(field, &field.ty, value, items));
                }
            }
        }
        for (key, value) in record.extra().into_iter().flatten() {
            self.nested(key, |writer| writer.write_untyped(value));
        }
    }

    fn nested(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let before = self.name.len();
        if before > 0 {
            self.name.push('.');
        }
        self.name.push_str(name);
        write(self);
        self.name.truncate(before);
    }

    fn put(&mut self, value: &str) {
        if !self.out.is_empty() {
            self.out.push('&');
        }
        uri::encode(&mut self.out, &self.name, false);
        self.out.push('=');
        uri::encode(&mut self.out, value, false);
    }

    fn value(&mut self, field: &FieldShape, ty: &Type, value: Ref<'_>, items: Items) {
        let inner = self.dialect.nested_items_in_form();
        match (value, ty) {
            (Ref::Record(record), _) => self.record(record),
            (Ref::List(list), Type::List(ty)) => {
                for n in 0..list.len() {
                    self.numbered(items, items.name, n, |writer| writer.item(field, ty, list.item(n), inner));
                }
            }
            (Ref::Map(map), Type::Map(ty)) => {
                for n in 0..map.len() {
                    let (key, value) = map.entry(n);
                    self.numbered(items, "entry", n, |writer| {
                        writer.nested("key", |writer| writer.put(key));
                        writer.nested("value", |writer| writer.item(field, ty, value, inner));
                    });
                }
            }
            (value, ty) => scalar::write_text(field, ty, value, TimeForm::Iso8601, |text| self.put(text)),
        }
    }

    /// Writes a numbered value. One without any output is written as its name with an empty value, so that the
    /// following items keep their numbers.
    fn item(&mut self, field: &FieldShape, ty: &Type, value: Ref<'_>, items: Items) {
        let before = self.out.len();
        self.value(field, ty, value, items);
        if self.out.len() == before {
            self.put("");
        }
    }

    fn numbered(&mut self, items: Items, name: &str, n: usize, write: impl FnOnce(&mut Self)) {
        let number = (n + 1).to_string();
        if items.flat {
            self.nested(&number, write);
        } else {
            self.nested(name, |writer| writer.nested(&number, write));
        }
    }

    /// Writes a value without a shape, from the extra fields of a record.
    fn write_untyped(&mut self, value: &Value) {
        match value {
            Value::Map(map) => {
                map.iter().for_each(|(key, value)| self.nested(key, |writer| writer.write_untyped(value)))
            }
            Value::List(list) => {
                let items = Items { name: "member", flat: false };
                for (n, value) in list.iter().enumerate() {
                    self.numbered(items, items.name, n, |writer| writer.write_untyped(value));
                }
            }
            value => {
                scalar::write_plain(value.view(), TimeForm::Iso8601, |text| self.put(text));
            }
        }
    }
}

/// A form, or the part of it below a name: a value, members, or, invalid, both.
#[derive(Debug, Default)]
pub(crate) struct Form {
    value: Option<Text>,
    members: Map<Form>,
}

impl Form {
    /// Adds a pair.
    pub(crate) fn add(&mut self, name: &str, value: Text) -> Result<()> {
        if name.bytes().filter(|byte| *byte == b'.').count() >= MAX_DEPTH {
            return Err(malformed(format!("a name can have at most {MAX_DEPTH} parts")));
        }
        let place = name.split('.').fold(self, |form, part| form.members.entry(part.into()).or_default());
        if place.value.replace(value).is_some() {
            return Err(malformed(format!("duplicate parameter {name:?}")));
        }
        Ok(())
    }

    /// Fills `record` from the members.
    pub(crate) fn read(&self, record: &mut dyn Fields, dialect: Dialect) -> Result<()> {
        let shape = record.shape();
        for (key, member) in &self.members {
            let Some(index) = shape.fields.iter().position(|field| dialect.is_form_name(field, key)) else {
                READER.unknown(record, key, || member.to_value())?;
                continue;
            };
            let field = &shape.fields[index];
            member
                .fill(record.field_mut(index), field, &field.ty, dialect.items_in_form(field), dialect)
                .map_err(|error| fill::with_field(field, error))?;
            record.note_given(FieldSet::single(index));
        }
        Ok(())
    }

    fn fill(
        &self,
        field_value: &mut dyn FieldValue,
        field: &FieldShape,
        ty: &Type,
        items: Items,
        dialect: Dialect,
    ) -> Result<()> {
        let inner = dialect.nested_items_in_form();
        match (field_value.open(), ty) {
            (Open::Record(record), _) => {
                self.reject_value("a record")?;
                self.read(record, dialect)?;
                record.settle();
                Ok(())
            }
            (Open::List(list), Type::List(ty)) => {
                self.reject_value("a list")?;
                for (n, item) in self.numbered(items, items.name)?.into_iter().enumerate() {
                    item.fill(list.add(""), field, ty, inner, dialect)
                        .map_err(|error| error.in_field(&format!("[{n}]")))?;
                }
                Ok(())
            }
            (Open::Map(map), Type::Map(ty)) => {
                self.reject_value("a mapping")?;
                for entry in self.numbered(items, "entry")? {
                    let (key, value) = entry.key_and_value()?;
                    value
                        .fill(map.add(key), field, ty, inner, dialect)
                        .map_err(|error| error.in_field(&format!("[{key}]")))?;
                }
                Ok(())
            }
            _ => {
                let text = self.only_value()?;
                scalar::put(field_value, field, ty, text, &READER)
            }
        }
    }

    /// Rejects a value where members are expected.
    fn reject_value(&self, expected: &str) -> Result<()> {
        match self.value.as_deref() {
            None | Some("") => Ok(()),
            Some(text) => Err(fill::wrong_type(expected, Ref::Text(text))),
        }
    }

    /// Returns the value; rejects members.
    fn only_value(&self) -> Result<&str> {
        match (self.members.first(), &self.value) {
            (None, Some(value)) => Ok(value),
            (Some((key, _)), _) => Err(Error::invalid(key.as_str(), "this parameter has no members")),
            (None, None) => Ok(""),
        }
    }

    /// Returns the items, ordered by their numbers. Gaps are allowed: the length is the number of items.
    fn numbered(&self, items: Items, name: &str) -> Result<Vec<&Self>> {
        let numbered = if items.flat {
            self
        } else {
            let Some(numbered) = self.members.get(name) else { return Ok(Vec::new()) };
            numbered.reject_value("a number after the name")?;
            numbered
        };
        let mut found = Vec::with_capacity(numbered.members.len());
        for (key, item) in &numbered.members {
            let number = key.parse::<u32>().ok().filter(|number| number.to_string() == *key);
            let number =
                number.ok_or_else(|| Error::invalid(key.as_str(), "expected the number of an item"))?;
            found.push((number, item));
        }
        found.sort_by_key(|(number, _)| *number);
        Ok(found.into_iter().map(|(_, item)| item).collect())
    }

    fn key_and_value(&self) -> Result<(&str, &Self)> {
        match (self.members.get("key"), self.members.get("value")) {
            (Some(key), Some(value)) => Ok((key.only_value()?, value)),
            _ => Err(Error::new(ErrorKind::Invalid, "an entry requires `key` and `value`")),
        }
    }

    /// Adds the paths of the members that no field of `shape` has to `found`. `outer` is the path of the record, with a dot at
    /// its end.
    pub(crate) fn unknown_members(
        &self,
        shape: &RecordShape,
        dialect: Dialect,
        outer: &str,
        found: &mut UnknownPaths,
    ) {
        for (key, member) in &self.members {
            if found.is_full() {
                return;
            }
            let path = format!("{outer}{key}");
            match shape.fields.iter().find(|field| dialect.is_form_name(field, key)) {
                Some(field) => member.unknown_in(&field.ty, dialect, &path, found),
                None if shape.extras => {}
                None => found.add(&path),
            }
        }
    }

    /// Adds the unknown members in a value of type `ty`: of a list, below the number of an item; of a mapping, below `value`.
    fn unknown_in(&self, ty: &Type, dialect: Dialect, path: &str, found: &mut UnknownPaths) {
        match ty {
            _ if found.is_full() => {}
            Type::Record(shape) => self.unknown_members(shape, dialect, &format!("{path}."), found),
            Type::List(item) | Type::Map(item) => {
                for (key, member) in &self.members {
                    let is_item = match ty {
                        Type::List(_) => key.parse::<u32>().is_ok(),
                        _ => key == "value",
                    };
                    let ty = if is_item { item } else { ty };
                    member.unknown_in(ty, dialect, &format!("{path}.{key}"), found);
                }
            }
            _ => {}
        }
    }

    fn to_value(&self) -> Value {
        if let (None, Some(value)) = (self.members.first(), &self.value) {
            return value.as_str().into();
        }
        let members = self.members.iter();
        Value::Map(members.map(|(key, member)| (key.clone(), member.to_value())).collect())
    }
}

/// Creates the error for a form that cannot be decoded.
fn malformed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}
