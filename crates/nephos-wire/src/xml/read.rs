//! Decoding of XML elements into records, in one pass over the document.

use super::scan::{Scanner, Token};
use crate::{
    dialect::{Dialect, is_on_wire, xml_name},
    scalar,
};
use nephos_core::{
    FieldSet, Map, Ref, Result, Text, Type, Value,
    field_value::{FieldValue, Fill, Open},
    fill::{self, Reader},
    record::Fields,
    scan::begins_with,
    shape::{FieldShape, RecordShape},
};
use std::borrow::Cow;

/// Reader for the contents of elements.
const READER: Reader = scalar::from_text(Reader::ANSWER);

/// Elements of every response that are not part of the answer.
const METADATA_ELEMENTS: [&str; 2] = ["ResponseMetadata", "requestId"];

/// Number of fields that are compared with the next element: most are in order, and some are missing.
const MAX_LOOKAHEAD: usize = 4;

/// A document that is being decoded.
pub(crate) struct Document<'a> {
    scanner: Scanner<'a>,
    dialect: Dialect,
}

impl<'a> Document<'a> {
    /// Fills `record` from the root of `document`, or from the element `<operation>Result` in it, if there is one.
    pub(crate) fn read(
        document: &'a [u8],
        dialect: Dialect,
        operation: &str,
        record: &mut dyn Fields,
    ) -> Result<()> {
        let mut document = Self { scanner: Scanner::new(document)?, dialect };
        document.scanner.next()?;
        document.record(record, Some(operation))?;
        document.scanner.next().map(drop)
    }

    /// Decodes the whole `document` without a shape.
    pub(crate) fn element(document: &'a [u8]) -> Result<Element> {
        let mut document = Self { scanner: Scanner::new(document)?, dialect: Dialect::Query };
        document.scanner.next()?;
        let root = document.untyped()?;
        document.scanner.next()?;
        Ok(root)
    }

    /// Opens the next child of the open element; if there is none, closes the open element.
    fn child(&mut self) -> Result<Option<&'a str>> {
        loop {
            match self.scanner.next()? {
                Token::Open(name) => return Ok(Some(name)),
                Token::Close | Token::End => return Ok(None),
                Token::Text(_) => {}
            }
        }
    }

    /// Returns the text of the open element and closes it; child elements are skipped.
    fn text(&mut self) -> Result<Cow<'a, str>> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.scanner.next()? {
                Token::Open(_) => self.skip()?,
                Token::Close | Token::End => return Ok(text),
                Token::Text(more) => append(&mut text, more),
            }
        }
    }

    /// Skips the contents of the open element, and closes it.
    fn skip(&mut self) -> Result<()> {
        let mut open = 1;
        while open > 0 {
            match self.scanner.next()? {
                Token::Open(_) => open += 1,
                Token::Close | Token::End => open -= 1,
                Token::Text(_) => {}
            }
        }
        Ok(())
    }

    /// Decodes the open element without a shape, and closes it.
    fn untyped(&mut self) -> Result<Element> {
        let (mut text, mut children) = (Cow::Borrowed(""), Vec::new());
        loop {
            match self.scanner.next()? {
                Token::Open(name) => children.push((name.into(), self.untyped()?)),
                Token::Close | Token::End => return Ok(Element { text: text.into_owned(), children }),
                Token::Text(more) => append(&mut text, more),
            }
        }
    }

    /// Fills `record` from the open element, and closes it; unknown elements are skipped. `answer` is the name of the
    /// operation if this is its whole answer.
    fn record(&mut self, record: &mut dyn Fields, answer: Option<&str>) -> Result<()> {
        let shape = record.shape();
        let (mut given, mut expected) = (FieldSet::NONE, 0);
        loop {
            while let Some((index, text)) = self.leaf(shape, expected) {
                let field = &shape.fields[index];
                let put = put_text(record.field_mut(index), field, &field.ty, text);
                put.map_err(|error| fill::with_field(field, error))?;
                given.insert(index);
                expected = index + 1;
            }
            let Some(name) = self.child()? else { break };
            match (answer, find(shape, name, expected)) {
                (Some(operation), _) if name.strip_suffix("Result") == Some(operation) => {
                    self.record(record, None)?;
                }
                (_, Some(index)) => {
                    let field = &shape.fields[index];
                    let again = given.contains(index);
                    let filled = self.field(record.field_mut(index), field, again);
                    filled.map_err(|error| fill::with_field(field, error))?;
                    given.insert(index);
                    expected = index + 1;
                }
                (Some(_), None) if METADATA_ELEMENTS.contains(&name) => self.skip()?,
                (_, None) if shape.extras => {
                    let value = self.untyped()?.to_value();
                    READER.unknown(record, name, || value)?;
                }
                (_, None) => self.skip()?,
            }
        }
        if answer.is_none() || !given.is_empty() {
            record.note_given(given);
        }
        Ok(())
    }

    /// Reads the text of the next element, if it belongs to one of the fields expected next and has only text.
    /// Otherwise nothing is consumed.
    #[inline]
    fn leaf(&mut self, shape: &RecordShape, expected: usize) -> Option<(usize, &'a str)> {
        let likely = shape.fields.iter().enumerate().skip(expected).take(MAX_LOOKAHEAD);
        self.scanner.leaf(|rest| {
            let begins = |field: &FieldShape| begins_with(rest, field.xml_tags[0].as_bytes());
            let (index, field) = likely.into_iter().find(|(_, field)| begins(field))?;
            let is_leaf = !matches!(field.ty, Type::List(_) | Type::Map(_) | Type::Record(_));
            (is_leaf && is_on_wire(field)).then_some((index, field.xml_tags))
        })
    }

    /// Fills a field from the open element; `again` is true if there was one of the same name before.
    fn field(&mut self, field_value: &mut dyn FieldValue, field: &FieldShape, again: bool) -> Result<()> {
        if !self.dialect.items_in_xml(field).flat {
            return self.fill(field_value, field, &field.ty);
        }
        let at = match field_value.view() {
            Ref::List(items) if again => items.len(),
            _ => 0,
        };
        match (if again { field_value.reopen() } else { field_value.open() }, &field.ty) {
            (Open::List(list), Type::List(ty)) => {
                let filled = self.fill(list.add(""), field, ty);
                filled.map_err(|error| error.in_field(&format!("[{at}]")))
            }
            (Open::Map(map), Type::Map(ty)) => self.entry(map, field, ty),
            _ => self.fill(field_value, field, &field.ty),
        }
    }

    fn fill(&mut self, field_value: &mut dyn FieldValue, field: &FieldShape, ty: &Type) -> Result<()> {
        match (ty, field_value.open()) {
            (Type::List(ty), Open::List(list)) => {
                let mut n = 0;
                while self.child()?.is_some() {
                    let filled = self.fill(list.add(""), field, ty);
                    filled.map_err(|error| error.in_field(&format!("[{n}]")))?;
                    n += 1;
                }
                Ok(())
            }
            (Type::Map(ty), Open::Map(map)) => {
                while self.child()?.is_some() {
                    self.entry(map, field, ty)?;
                }
                Ok(())
            }
            (Type::Record(_), Open::Record(record)) => {
                self.record(record, None)?;
                record.settle();
                Ok(())
            }
            (Type::List(_) | Type::Map(_) | Type::Record(_), _) => {
                Err(fill::wrong_type("a list, a mapping or a record", Ref::Null))
            }
            (ty, _) => put_text(field_value, field, ty, &self.text()?),
        }
    }

    /// Adds an entry to `map` from the open element: the key comes first, then the value.
    fn entry(&mut self, map: &mut dyn Fill, field: &FieldShape, ty: &Type) -> Result<()> {
        let (mut key, mut added) = (None, false);
        while let Some(name) = self.child()? {
            match (name, &key) {
                ("key", None) => key = Some(self.text()?),
                ("value", Some(key)) if !added => {
                    let filled = self.fill(map.add(key), field, ty);
                    filled.map_err(|error| error.in_field(&format!("[{key}]")))?;
                    added = true;
                }
                _ => self.skip()?,
            }
        }
        if let (Some(key), false) = (&key, added) {
            map.add(key);
        }
        Ok(())
    }
}

/// Returns the index of the field for an element of that name; the likely one is `expected`.
fn find(shape: &RecordShape, name: &str, expected: usize) -> Option<usize> {
    let matches_name = |field: &FieldShape| xml_name(field) == name && is_on_wire(field);
    match shape.fields.get(expected) {
        Some(field) if matches_name(field) => Some(expected),
        _ => shape.fields.iter().position(matches_name),
    }
}

/// Sets a field, or a nested value of it, of type `ty`, from `text`.
fn put_text(field_value: &mut dyn FieldValue, field: &FieldShape, ty: &Type, text: &str) -> Result<()> {
    // Services write an empty element for a missing value; the field keeps its default.
    if needs_text(ty) && text.chars().all(char::is_whitespace) {
        return Ok(());
    }
    scalar::put(field_value, field, ty, text, &READER)
}

/// True if a value of this type cannot be written as empty text.
fn needs_text(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int | Type::Float | Type::Time | Type::Choice(_))
}

/// Appends `more` to `text`.
fn append<'a>(text: &mut Cow<'a, str>, more: Cow<'a, str>) {
    if text.is_empty() {
        *text = more;
    } else {
        text.to_mut().push_str(&more);
    }
}

/// An element without a shape: its children with their names, or, if there are none, its text.
#[derive(Debug, Default)]
pub(crate) struct Element {
    /// Text of the element.
    pub(crate) text: String,
    children: Vec<(Text, Self)>,
}

impl Element {
    /// Returns the child of that name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|(child, _)| child == name).map(|(_, child)| child)
    }

    fn to_value(&self) -> Value {
        if self.children.is_empty() {
            return self.text.as_str().into();
        }
        if self.children.iter().all(|(name, _)| name == "member" || name == "item") {
            return Value::List(self.children.iter().map(|(_, child)| child.to_value()).collect());
        }
        Value::Map(
            self.children.iter().map(|(name, child)| (name.clone(), child.to_value())).collect::<Map<_>>(),
        )
    }
}
