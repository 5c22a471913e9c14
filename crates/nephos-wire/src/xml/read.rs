//! XML elements as records. A document is read once, from its beginning to its end, straight into the record it is of.

use super::scan::{Scanner, Token};
use crate::{
    dialect::{Dialect, in_xml, travels},
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

/// As what elements hold is read.
const READER: Reader = scalar::from_text(Reader::ANSWER);

/// What every answer has around the record that it is of.
const AROUND: [&str; 2] = ["ResponseMetadata", "requestId"];

/// How many fields are looked at for the element that comes next: most are in order, and some are missing.
const LIKELY: usize = 4;

/// A document being read.
pub(crate) struct Document<'a> {
    scanner: Scanner<'a>,
    dialect: Dialect,
}

impl<'a> Document<'a> {
    /// Fills `record` from the root of `document`; or, if there is one in it, from the element called `operation` and
    /// `Result`.
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

    /// The whole of `document`, whatever it is.
    pub(crate) fn element(document: &'a [u8]) -> Result<Element> {
        let mut document = Self { scanner: Scanner::new(document)?, dialect: Dialect::Query };
        document.scanner.next()?;
        let root = document.any()?;
        document.scanner.next()?;
        Ok(root)
    }

    /// Opens the next element within the one that is open; closes that one if there is none.
    fn child(&mut self) -> Result<Option<&'a str>> {
        loop {
            match self.scanner.next()? {
                Token::Open(name) => return Ok(Some(name)),
                Token::Close | Token::End => return Ok(None),
                Token::Text(_) => {}
            }
        }
    }

    /// The text within the element that is open, which is closed; elements in it are passed over.
    fn text(&mut self) -> Result<Cow<'a, str>> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.scanner.next()? {
                Token::Open(_) => self.skip()?,
                Token::Close | Token::End => return Ok(text),
                Token::Text(more) => join(&mut text, more),
            }
        }
    }

    /// Passes over what is within the element that is open, and closes it.
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

    /// The element that is open, whatever it holds; it is closed.
    fn any(&mut self) -> Result<Element> {
        let (mut text, mut children) = (Cow::Borrowed(""), Vec::new());
        loop {
            match self.scanner.next()? {
                Token::Open(name) => children.push((name.into(), self.any()?)),
                Token::Close | Token::End => return Ok(Element { text: text.into_owned(), children }),
                Token::Text(more) => join(&mut text, more),
            }
        }
    }

    /// Fills `record` from the element that is open, and closes it; what the record does not know is passed over. `answer`
    /// names the operation if this is the whole of its answer.
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
                (Some(_), None) if AROUND.contains(&name) => self.skip()?,
                (_, None) if shape.extras => {
                    let value = self.any()?.to_value();
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

    /// The text of the element that comes next, if it is of one of the fields that probably do, and of nothing but text; it
    /// is passed.
    #[inline]
    fn leaf(&mut self, shape: &RecordShape, expected: usize) -> Option<(usize, &'a str)> {
        let likely = shape.fields.iter().enumerate().skip(expected).take(LIKELY);
        self.scanner.leaf(|rest| {
            let begins = |field: &FieldShape| begins_with(rest, field.xml_tags[0].as_bytes());
            let (index, field) = likely.into_iter().find(|(_, field)| begins(field))?;
            let is_leaf = !matches!(field.ty, Type::List(_) | Type::Map(_) | Type::Record(_));
            (is_leaf && travels(field)).then_some((index, field.xml_tags))
        })
    }

    /// Fills a field from the element that is open; `again` if there was one of its name before.
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

    /// Adds an entry to `map` from the element that is open: its key comes first, then its value.
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

/// The field that an element of that name is of; it is probably the one at `expected`.
fn find(shape: &RecordShape, name: &str, expected: usize) -> Option<usize> {
    let is_it = |field: &FieldShape| in_xml(field) == name && travels(field);
    match shape.fields.get(expected) {
        Some(field) if is_it(field) => Some(expected),
        _ => shape.fields.iter().position(is_it),
    }
}

/// Puts `text` into what `field` holds, or holds within it, which is of type `ty`.
fn put_text(field_value: &mut dyn FieldValue, field: &FieldShape, ty: &Type, text: &str) -> Result<()> {
    // Services write so what they do not have, and what is not there has the value that is there before anything is.
    if needs_text(ty) && text.chars().all(char::is_whitespace) {
        return Ok(());
    }
    scalar::put(field_value, field, ty, text, &READER)
}

/// Whether there is no value of this type that is said by nothing.
fn needs_text(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int | Type::Float | Type::Time | Type::Choice(_))
}

/// Adds `more` to `text`.
fn join<'a>(text: &mut Cow<'a, str>, more: Cow<'a, str>) {
    if text.is_empty() {
        *text = more;
    } else {
        text.to_mut().push_str(&more);
    }
}

/// An element of which nothing is known: its children with their names, or, if there are none, its text.
#[derive(Debug, Default)]
pub(crate) struct Element {
    /// The text in it.
    pub(crate) text: String,
    children: Vec<(Text, Self)>,
}

impl Element {
    /// The child of that name.
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
