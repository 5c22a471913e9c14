//! Records as XML elements, and back.

use crate::{
    dialect::{Dialect, Items, in_xml, travels},
    scalar,
};
use nephos_core::{
    Error, ErrorKind, FieldSet, Map, Ref, Result, Text, TimeForm, Type, Value,
    datum::{Datum, Open},
    fill::{self, Reader},
    record::Fields,
    shape::FieldShape,
};
use quick_xml::events::Event;

/// How deep elements may be nested.
const DEEPEST: usize = 96;

/// As what elements hold is read.
const READER: Reader = scalar::from_text(Reader::ANSWER);

/// A document being written.
pub(crate) struct Writer {
    dialect: Dialect,
    out: String,
}

impl Writer {
    /// A new document.
    pub(crate) fn new(dialect: Dialect) -> Self {
        let out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        Self { dialect, out }
    }

    /// The document.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out.into_bytes()
    }

    /// An element of this namespace, holding what `write` writes.
    pub(crate) fn root(&mut self, name: &str, namespace: &str, write: impl FnOnce(&mut Self)) {
        self.out.extend(["<", name]);
        if !namespace.is_empty() {
            self.out.push_str(" xmlns=\"");
            escape(&mut self.out, namespace);
            self.out.push('"');
        }
        self.out.push('>');
        write(self);
        self.out.extend(["</", name, ">"]);
    }

    /// An element, holding what `write` writes.
    pub(crate) fn element(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.root(name, "", write);
    }

    /// An element that holds `text`.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.element(name, |writer| escape(&mut writer.out, text));
    }

    /// The elements of what `record` holds.
    pub(crate) fn record(&mut self, record: &dyn Fields) {
        let fields = record.shape().fields.iter().enumerate().filter(|(_, field)| travels(field));
        for (index, field) in fields {
            let value = record.field(index).view();
            let items = self.dialect.items_in_xml(field);
            match value {
                Ref::Null => {}
                Ref::List(list) if items.flat => {
                    for n in 0..list.len() {
                        self.element(in_xml(field), |writer| writer.item(field, &field.ty, list.item(n)));
                    }
                }
                Ref::Map(map) if items.flat => {
                    for n in 0..map.len() {
                        self.element(in_xml(field), |writer| writer.entry(field, &field.ty, map.entry(n)));
                    }
                }
                value => self.element(in_xml(field), |writer| writer.value(field, &field.ty, value, items)),
            }
        }
        for (key, value) in record.extra().into_iter().flatten() {
            self.free(key, value);
        }
    }

    fn value(&mut self, field: &FieldShape, ty: &Type, value: Ref<'_>, items: Items) {
        match (value, ty) {
            (Ref::Record(record), _) => self.record(record),
            (Ref::List(list), Type::List(_)) => {
                for n in 0..list.len() {
                    self.element(items.name, |writer| writer.item(field, ty, list.item(n)));
                }
            }
            (Ref::Map(map), Type::Map(_)) => {
                for n in 0..map.len() {
                    self.element("entry", |writer| writer.entry(field, ty, map.entry(n)));
                }
            }
            (value, ty) => escape(&mut self.out, &scalar::text_of(field, ty, value, TimeForm::Iso8601)),
        }
    }

    /// What is in a list or mapping of type `of`.
    fn item(&mut self, field: &FieldShape, of: &Type, value: Ref<'_>) {
        if let Type::List(ty) | Type::Map(ty) = of {
            let inner = self.dialect.inner_in_xml();
            self.value(field, ty, value, inner);
        }
    }

    fn entry(&mut self, field: &FieldShape, of: &Type, (key, value): (&str, Ref<'_>)) {
        self.text("key", key);
        self.element("value", |writer| writer.item(field, of, value));
    }

    /// What a record keeps without knowing it.
    fn free(&mut self, name: &str, value: &Value) {
        // What cannot be the name of an element has no place in a document.
        if !is_name(name) {
            return;
        }
        self.element(name, |writer| match value {
            Value::Map(map) => map.iter().for_each(|(key, value)| writer.free(key, value)),
            Value::List(list) => {
                let name = writer.dialect.inner_in_xml().name;
                list.iter().for_each(|value| writer.free(name, value));
            }
            value => escape(&mut writer.out, &scalar::plain(value.view(), TimeForm::Iso8601)),
        });
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Adds `text` to `out` as XML has it.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // Readers make a line feed of a bare carriage return.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            // XML has no way to say these, and a document with them cannot be read at all.
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
}

/// An element: its children, or, if there are none, its text.
#[derive(Debug, Default)]
pub(crate) struct Element {
    /// The name, without a namespace.
    pub(crate) name: Text,
    /// The text in it.
    pub(crate) text: String,
    /// The elements in it.
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// The root of `document`.
    pub(crate) fn parse(document: &[u8]) -> Result<Self> {
        let document = std::str::from_utf8(document).map_err(|_| wrong("the document is not UTF-8"))?;
        let mut reader = quick_xml::Reader::from_str(document);
        let (mut open, mut root) = (Vec::<Self>::new(), None);
        loop {
            let closed = match reader.read_event().map_err(|error| wrong(error.to_string()))? {
                Event::Start(tag) => {
                    if open.len() == DEEPEST {
                        return Err(wrong("elements are nested too deep"));
                    }
                    open.push(Self { name: tag.local_name().as_ref().into(), ..Self::default() });
                    None
                }
                Event::Empty(tag) => Some(Self { name: tag.local_name().as_ref().into(), ..Self::default() }),
                Event::End(_) => open.pop(),
                Event::Text(text) => add_text(&mut open, &text.xml10_content()),
                Event::CData(text) => add_text(&mut open, &text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let mut buffer = [0; 4];
                    let text = match reference.resolve_char_ref().map_err(|error| wrong(error.to_string()))? {
                        Some(character) => &*character.encode_utf8(&mut buffer),
                        None => named(&reference.xml10_content())?,
                    };
                    add_text(&mut open, text)
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => None,
            };
            match (closed, open.last_mut()) {
                (Some(element), Some(parent)) => parent.children.push(element),
                (Some(element), None) if root.is_none() => root = Some(element),
                (Some(_), None) => return Err(wrong("the document has two roots")),
                (None, _) => {}
            }
        }
        match root {
            Some(root) if open.is_empty() => Ok(root),
            _ => Err(wrong("the document ends too early")),
        }
    }

    /// The child of that name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Fills `record` from the children; those it does not know are passed over.
    pub(crate) fn read(&self, record: &mut dyn Fields, dialect: Dialect) -> Result<()> {
        let shape = record.shape();
        let mut given = FieldSet::NONE;
        let find = |name: &str| shape.fields.iter().position(|field| travels(field) && in_xml(field) == name);
        for (at, child) in self.children.iter().enumerate() {
            let Some(index) = find(&child.name) else {
                READER.unknown(record, &child.name, || child.to_value())?;
                continue;
            };
            let field = &shape.fields[index];
            let items = dialect.items_in_xml(field);
            let datum = record.field_mut(index);
            let filled = if items.flat && matches!(field.ty, Type::List(_) | Type::Map(_)) {
                if given.contains(index) {
                    continue;
                }
                let same = self.children[at..].iter().filter(|other| other.name == child.name);
                fill_all(same, datum, field, &field.ty, dialect)
            } else if is_blank(child, &field.ty) {
                Ok(())
            } else {
                child.fill(datum, field, &field.ty, dialect)
            };
            filled.map_err(|error| fill::told(field, error))?;
            given.insert(index);
        }
        record.note_given(given);
        Ok(())
    }

    fn fill(&self, datum: &mut dyn Datum, field: &FieldShape, ty: &Type, dialect: Dialect) -> Result<()> {
        match ty {
            Type::List(_) | Type::Map(_) => fill_all(self.children.iter(), datum, field, ty, dialect),
            Type::Record(_) => match datum.open() {
                Open::Record(record) => {
                    self.read(record, dialect)?;
                    record.settle();
                    Ok(())
                }
                _ => Err(fill::wrong_type("a record", Ref::Null)),
            },
            // What is not there has the value that is there before anything is.
            ty if is_blank(self, ty) => Ok(()),
            ty => scalar::put(datum, field, ty, &self.text, &READER),
        }
    }

    fn to_value(&self) -> Value {
        if self.children.is_empty() {
            return self.text.as_str().into();
        }
        if self.children.iter().all(|child| child.name == "member" || child.name == "item") {
            return Value::List(self.children.iter().map(Self::to_value).collect());
        }
        Value::Map(
            self.children.iter().map(|child| (child.name.clone(), child.to_value())).collect::<Map<_>>(),
        )
    }
}

/// Fills a list or mapping from its items.
fn fill_all<'e>(
    mut items: impl Iterator<Item = &'e Element>,
    datum: &mut dyn Datum,
    field: &FieldShape,
    ty: &Type,
    dialect: Dialect,
) -> Result<()> {
    match (datum.open(), ty) {
        (Open::List(list), Type::List(ty)) => items.enumerate().try_for_each(|(n, item)| {
            let filled = item.fill(list.add(""), field, ty, dialect);
            filled.map_err(|error| error.within(&format!("[{n}]")))
        }),
        (Open::Map(map), Type::Map(ty)) => items.try_for_each(|entry| {
            let Some(key) = entry.child("key") else { return Ok(()) };
            let datum = map.add(&key.text);
            let Some(value) = entry.child("value") else { return Ok(()) };
            value.fill(datum, field, ty, dialect).map_err(|error| error.within(&format!("[{}]", key.text)))
        }),
        _ => Err(fill::wrong_type("a list or a mapping", Ref::Null)),
    }
}

/// Whether an element says nothing that a value of this type could be: services write so what they do not have.
fn is_blank(element: &Element, ty: &Type) -> bool {
    let needs_text = matches!(ty, Type::Bool | Type::Int | Type::Float | Type::Time | Type::Choice(_));
    needs_text && element.text.trim().is_empty()
}

fn add_text(open: &mut [Element], text: &str) -> Option<Element> {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
    None
}

fn named(entity: &str) -> Result<&'static str> {
    Ok(match entity {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "quot" => "\"",
        "apos" => "'",
        _ => return Err(wrong(format!("&{entity}; stands for nothing"))),
    })
}

fn wrong(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, why)
}
