//! Types that a field may have, and how a decoder fills a value without knowing its type.

mod scalar;

pub(crate) use scalar::parse_bool;

use crate::{
    Map, Text, Value,
    fill::Reader,
    json::{self, Input, Writing, close, write_scalar},
    record::{Fields, Record},
    shape::{ChoiceShape, Type},
    value::{Entries, Items, Ref},
};
use indexmap::map::Entry;
use std::any::Any;

pub use crate::shape::Spelling;

/// The form of the values that are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Spelling of names and enum values.
    pub spelling: Spelling,
    /// True if scalars may be texts, as in a form or an XML document.
    pub from_text: bool,
}

/// Error of a value that does not fit the type, with a description of what would fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch(pub &'static str);

/// Contents of a field value for a decoder to fill.
pub enum Open<'a> {
    /// A single value: [`FieldValue::put`] it.
    Scalar,
    /// A record: fill its fields.
    Record(&'a mut dyn Fields),
    /// A list: push items.
    List(&'a mut dyn Fill),
    /// A mapping: insert entries.
    Map(&'a mut dyn Fill),
    /// Anything: set it whole.
    Any(&'a mut Value),
}

/// A list or mapping being filled.
pub trait Fill {
    /// Adds an item, blank, to be filled. A mapping puts it under `key`; a list has no use for it.
    fn add(&mut self, key: &str) -> &mut dyn FieldValue;

    /// Returns the item at `index`, if there are so many.
    fn item_mut(&mut self, index: usize) -> Option<&mut dyn FieldValue>;
}

/// A value of a field that can be read and filled without knowing its type.
///
/// Each method is compiled once for each type, also a provided one. So what follows from these methods is a method of `dyn FieldValue`.
pub trait FieldValue: Any + Send + Sync {
    /// Borrowed view of the value.
    fn view(&self) -> Ref<'_>;

    /// Sets a scalar; on a mismatch the field value is unchanged. Null fits a value that can be null.
    fn put(&mut self, value: Ref<'_>, reading: Reading) -> Result<(), Mismatch>;

    /// Makes the field value present, to be filled; its content stays.
    fn reopen(&mut self) -> Open<'_>;

    /// A blank value of the same type.
    fn fresh(&self) -> Box<dyn FieldValue>;

    /// Takes the value out of another value of the same type, such as one that [`fresh`](Self::fresh) made. The other has
    /// any value afterwards. Returns false, and changes nothing, if it has another type.
    fn take_from(&mut self, other: &mut dyn FieldValue) -> bool;

    /// Fast path of a decoder: takes the next JSON value if it fits the type and is written in the usual way.
    /// Otherwise the position does not change, and the value is read by the general decoder.
    #[doc(hidden)]
    fn take_fast(&mut self, _input: &mut Input<'_>, _reading: Reading) -> bool {
        false
    }
}

impl dyn FieldValue {
    /// Makes the field value present and, if it can be null, empty, to be filled.
    pub fn open(&mut self) -> Open<'_> {
        self.put_null();
        self.reopen()
    }

    /// Sets it to null, or to a blank value if it cannot be null.
    pub fn clear(&mut self) {
        if !self.put_null() {
            let mut blank = self.fresh();
            self.take_from(&mut *blank);
        }
    }

    /// Sets it to null. Returns false if it cannot be null.
    fn put_null(&mut self) -> bool {
        self.put(Ref::Null, Reader::TRUSTED.reading).is_ok()
    }

    /// Calls `each` with every record in the value.
    pub fn each_record(&mut self, each: &mut dyn FnMut(&mut dyn Fields)) {
        if self.view().is_null() {
            return;
        }
        match self.reopen() {
            Open::Record(record) => each(record),
            Open::List(items) | Open::Map(items) => {
                let mut index = 0;
                while let Some(item) = items.item_mut(index) {
                    item.each_record(each);
                    index += 1;
                }
            }
            Open::Scalar | Open::Any(_) => {}
        }
    }
}

/// A type that a field may have.
#[diagnostic::on_unimplemented(
    message = "a field cannot be of type `{Self}`",
    label = "not a type for a field",
    note = "a field is an `Option` of bool, i64, f64, Text, Timestamp, Blob, Secret or Value, of an enum with \
            `derive(Choice)`, of a struct with `derive(Record)`, or of a `Vec` or `Map` of these"
)]
pub trait FieldType: FieldValue + Sized + Clone + PartialEq + std::fmt::Debug {
    /// Type in terms of shapes.
    const TYPE: Type;

    /// True if it can be null.
    const OPTIONAL: bool = false;

    /// Makes a value to fill.
    fn blank() -> Self;

    /// Reads the next JSON value, for [`FieldValue::take_fast`].
    #[doc(hidden)]
    #[inline]
    fn read_fast(_input: &mut Input<'_>, _reading: Reading) -> Option<Self> {
        None
    }

    /// Reads the next JSON value. Returns true if its content needs no check of enum values.
    #[doc(hidden)]
    #[inline]
    fn take_json(&mut self, input: &mut Input<'_>, reader: &Reader) -> crate::Result<bool> {
        let start = input.position();
        match Self::read_fast(input, reader.reading) {
            Some(value) => {
                *self = value;
                Ok(is_known(self.view()))
            }
            None => {
                input.go_back(start);
                input.any_field_value(self, reader)
            }
        }
    }

    /// Appends the value to `out` as JSON.
    #[doc(hidden)]
    #[inline]
    fn write_json(&self, out: &mut Vec<u8>, writing: Writing) {
        write_scalar(out, self.view(), writing);
    }

    /// Returns a value of this type whose type was erased; it may be optional there. None if it has another type.
    #[doc(hidden)]
    fn from_erased(erased: Option<Box<dyn FieldValue>>) -> Option<Self> {
        let mut value = None::<Self>;
        value.take_from(&mut *erased?);
        value
    }

    /// Reads the scalar `value` as this type.
    fn read(value: Ref<'_>, reading: Reading) -> Result<Self, Mismatch> {
        let mut read = Self::blank();
        read.put(value, reading)?;
        Ok(read)
    }
}

impl<R: Record> FieldValue for R {
    fn view(&self) -> Ref<'_> {
        Ref::Record(self)
    }

    fn put(&mut self, _value: Ref<'_>, _reading: Reading) -> Result<(), Mismatch> {
        Err(Mismatch("a record"))
    }

    fn reopen(&mut self) -> Open<'_> {
        Open::Record(self)
    }

    fn fresh(&self) -> Box<dyn FieldValue> {
        Box::new(Self::blank_record())
    }

    fn take_from(&mut self, other: &mut dyn FieldValue) -> bool {
        take_from(self, other)
    }
}

impl<R: Record> FieldType for R {
    const TYPE: Type = Type::Record(R::SHAPE);

    fn blank() -> Self {
        Self::blank_record()
    }

    fn write_json(&self, out: &mut Vec<u8>, writing: Writing) {
        json::write_record(out, self, writing);
    }
}

/// True if a scalar can be sent: false only for unknown enum values.
#[inline]
fn is_known(scalar: Ref<'_>) -> bool {
    !matches!(scalar, Ref::Choice { known: false, .. })
}

/// Body of `FieldValue::take_from` of every type that cannot be null.
#[doc(hidden)]
pub fn take_from<T: FieldType>(field: &mut T, other: &mut dyn FieldValue) -> bool {
    let other: &mut dyn Any = other;
    let Some(other) = other.downcast_mut::<T>() else { return false };
    // `swap` would be compiled as four functions.
    *field = std::mem::replace(other, T::blank());
    true
}

impl<T: FieldType> FieldValue for Option<T> {
    fn view(&self) -> Ref<'_> {
        match self {
            Some(value) => value.view(),
            None => Ref::Null,
        }
    }

    fn put(&mut self, value: Ref<'_>, reading: Reading) -> Result<(), Mismatch> {
        if value.is_null() {
            *self = None;
            return Ok(());
        }
        *self = Some(T::read(value, reading)?);
        Ok(())
    }

    fn reopen(&mut self) -> Open<'_> {
        match T::TYPE {
            // A scalar is made by `put`.
            Type::Bool | Type::Int | Type::Float | Type::Text | Type::Time | Type::Blob | Type::Secret => {
                Open::Scalar
            }
            Type::Choice(_) => Open::Scalar,
            _ => match self {
                Some(value) => value.reopen(),
                None => self.insert(T::blank()).reopen(),
            },
        }
    }

    fn take_fast(&mut self, input: &mut Input<'_>, reading: Reading) -> bool {
        let start = input.position();
        match T::read_fast(input, reading) {
            Some(value) => {
                *self = Some(value);
                true
            }
            None => {
                input.go_back(start);
                false
            }
        }
    }

    fn fresh(&self) -> Box<dyn FieldValue> {
        Box::new(None::<T>)
    }

    /// Takes an optional or a required value.
    fn take_from(&mut self, other: &mut dyn FieldValue) -> bool {
        let any: &mut dyn Any = other;
        if let Some(other) = any.downcast_mut::<Self>() {
            *self = other.take();
            return true;
        }
        let mut required = T::blank();
        let taken = required.take_from(other);
        if taken {
            *self = Some(required);
        }
        taken
    }
}

impl<T: FieldType> FieldType for Option<T> {
    const TYPE: Type = T::TYPE;
    const OPTIONAL: bool = true;

    fn blank() -> Self {
        None
    }

    fn from_erased(erased: Option<Box<dyn FieldValue>>) -> Option<Self> {
        let Some(mut erased) = erased.filter(|value| !value.view().is_null()) else { return Some(None) };
        let mut value = None;
        value.take_from(&mut *erased).then_some(value)
    }

    #[inline]
    fn write_json(&self, out: &mut Vec<u8>, writing: Writing) {
        match self {
            Some(value) => value.write_json(out, writing),
            None => write_scalar(out, Ref::Null, writing),
        }
    }

    #[inline]
    fn take_json(&mut self, input: &mut Input<'_>, reader: &Reader) -> crate::Result<bool> {
        let start = input.position();
        if let Type::Record(_) | Type::List(_) | Type::Map(_) = T::TYPE {
            if let Some(b'{' | b'[') = input.peek() {
                return self.insert(T::blank()).take_json(input, reader);
            }
        } else if let Some(value) = T::read_fast(input, reader.reading) {
            return Ok(is_known(self.insert(value).view()));
        }
        input.go_back(start);
        input.any_field_value(self, reader)
    }
}

impl<T: FieldType> FieldValue for Vec<T> {
    fn view(&self) -> Ref<'_> {
        Ref::List(self)
    }

    fn put(&mut self, _value: Ref<'_>, _reading: Reading) -> Result<(), Mismatch> {
        Err(Mismatch("a list"))
    }

    fn reopen(&mut self) -> Open<'_> {
        Open::List(self)
    }

    fn fresh(&self) -> Box<dyn FieldValue> {
        Box::new(Self::new())
    }

    fn take_from(&mut self, other: &mut dyn FieldValue) -> bool {
        take_from(self, other)
    }
}

impl<T: FieldType> FieldType for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn blank() -> Self {
        Self::new()
    }

    fn write_json(&self, out: &mut Vec<u8>, writing: Writing) {
        out.push(b'[');
        let start = out.len();
        for (n, item) in self.iter().enumerate() {
            item.write_json(out, writing);
            out.push(b',');
            if n == 0 {
                // The other items are about as long, some longer.
                let long = out.len() - start + 16;
                out.reserve(long * (self.len() - 1));
            }
        }
        close(out, b']');
    }

    fn take_json(&mut self, input: &mut Input<'_>, reader: &Reader) -> crate::Result<bool> {
        if !input.try_enter(b'[')? {
            return input.any_field_value(self, reader);
        }
        let mut more = !input.skip_if_empty(b']');
        let mut known = true;
        if more && self.capacity() == 0 {
            // Allocations whose size is about a power of two are the fastest.
            self.reserve_exact((128 / size_of::<T>().max(1)).clamp(4, 16));
        }
        while more {
            let start = input.position();
            if let Some(item) = T::read_fast(input, reader.reading) {
                known &= is_known(item.view());
                self.push(item);
            } else {
                input.go_back(start);
                let at = self.len();
                self.push(T::blank());
                match self[at].take_json(input, reader) {
                    Ok(item) => known &= item,
                    Err(error) => return Err(error.in_field(&format!("[{at}]"))),
                }
            }
            more = input.has_next(b']')?;
        }
        input.leave();
        Ok(known)
    }
}

impl<T: FieldType> Fill for Vec<T> {
    fn add(&mut self, _key: &str) -> &mut dyn FieldValue {
        let at = self.len();
        self.push(T::blank());
        &mut self[at]
    }

    fn item_mut(&mut self, index: usize) -> Option<&mut dyn FieldValue> {
        match self.get_mut(index) {
            Some(item) => Some(item),
            None => None,
        }
    }
}

impl<T: FieldType> Items for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Ref<'_> {
        self[index].view()
    }
}

impl<T: FieldType> FieldValue for Map<T> {
    fn view(&self) -> Ref<'_> {
        Ref::Map(self)
    }

    fn put(&mut self, _value: Ref<'_>, _reading: Reading) -> Result<(), Mismatch> {
        Err(Mismatch("a mapping"))
    }

    fn reopen(&mut self) -> Open<'_> {
        Open::Map(self)
    }

    fn fresh(&self) -> Box<dyn FieldValue> {
        Box::new(Self::default())
    }

    fn take_from(&mut self, other: &mut dyn FieldValue) -> bool {
        take_from(self, other)
    }
}

impl<T: FieldType> FieldType for Map<T> {
    const TYPE: Type = Type::Map(&T::TYPE);

    fn blank() -> Self {
        Self::default()
    }

    fn take_json(&mut self, input: &mut Input<'_>, reader: &Reader) -> crate::Result<bool> {
        if !input.try_enter(b'{')? {
            return input.any_field_value(self, reader);
        }
        let mut more = !input.skip_if_empty(b'}');
        let mut known = true;
        if more && self.is_empty() {
            *self = Self::with_capacity_and_hasher(4, Default::default());
        }
        while more {
            let key = match input.fast_key() {
                Some(key) => Text::new(key),
                None => {
                    let key = input.key()?;
                    input.colon()?;
                    key.into()
                }
            };
            let start = input.position();
            if let Some(value) = T::read_fast(input, reader.reading) {
                known &= is_known(value.view());
                put_entry(self, key, value);
            } else {
                input.go_back(start);
                let mut value = T::blank();
                match value.take_json(input, reader) {
                    Ok(entry) => known &= entry,
                    Err(error) => return Err(error.in_field(&format!("[{key}]"))),
                }
                put_entry(self, key, value);
            }
            more = input.has_next(b'}')?;
        }
        input.leave();
        Ok(known)
    }
}

/// Inserts an entry without returning the old value.
#[inline]
fn put_entry<T>(map: &mut Map<T>, key: Text, value: T) {
    match map.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(value);
        }
        Entry::Occupied(mut entry) => drop(entry.insert(value)),
    }
}

impl<T: FieldType> Fill for Map<T> {
    fn add(&mut self, key: &str) -> &mut dyn FieldValue {
        if self.is_empty() {
            self.reserve(4);
        }
        let (at, _) = self.insert_full(key.into(), T::blank());
        &mut self[at]
    }

    fn item_mut(&mut self, index: usize) -> Option<&mut dyn FieldValue> {
        match self.get_index_mut(index) {
            Some((_, value)) => Some(value),
            None => None,
        }
    }
}

impl<T: FieldType> Entries for Map<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn entry(&self, index: usize) -> (&str, Ref<'_>) {
        let (key, value) = self.get_index(index).expect("the index is below the length");
        (key, value.view())
    }

    fn find(&self, key: &str) -> Option<Ref<'_>> {
        self.get(key).map(FieldValue::view)
    }
}

impl FieldValue for Value {
    fn view(&self) -> Ref<'_> {
        self.view()
    }

    fn put(&mut self, value: Ref<'_>, _reading: Reading) -> Result<(), Mismatch> {
        *self = value.to_value();
        Ok(())
    }

    fn reopen(&mut self) -> Open<'_> {
        Open::Any(self)
    }

    fn fresh(&self) -> Box<dyn FieldValue> {
        Box::new(Self::Null)
    }

    fn take_from(&mut self, other: &mut dyn FieldValue) -> bool {
        take_from(self, other)
    }
}

impl FieldType for Value {
    const TYPE: Type = Type::Any;

    fn blank() -> Self {
        Self::Null
    }
}

/// An enum: values with a spelling in the specification and one on the wire, and a variant for unknown values.
pub trait Choice: FieldType {
    /// Shape of the enum.
    const SHAPE: &'static ChoiceShape;

    /// Index of the value; `None` for an unknown one.
    fn index(&self) -> Option<usize>;

    /// Returns the value at `index`.
    fn from_index(index: usize) -> Self;

    /// Makes an unknown value, which keeps its text.
    fn from_unknown(text: &str) -> Self;

    /// Text of an unknown value.
    fn unknown(&self) -> Option<&str>;

    /// Text of the value in the specification's spelling.
    fn as_str(&self) -> &str {
        match self.index() {
            Some(index) => Self::SHAPE.values[index].name,
            None => self.unknown().unwrap_or_default(),
        }
    }
}

/// Body of `FieldValue::view` of an enum.
#[doc(hidden)]
pub fn view_choice<C: Choice>(choice: &C) -> Ref<'_> {
    match choice.index() {
        Some(index) => {
            let value = &C::SHAPE.values[index];
            Ref::Choice { name: value.name, wire: value.wire, known: true }
        }
        None => {
            let text = choice.unknown().unwrap_or_default();
            Ref::Choice { name: text, wire: text, known: false }
        }
    }
}

/// Body of `FieldType::read_fast` of an enum.
#[doc(hidden)]
#[inline]
pub fn fast_choice<C: Choice>(input: &mut Input<'_>, reading: Reading) -> Option<C> {
    let text = input.fast_text()?;
    Some(choice(text, find_choice(C::SHAPE, text, reading)))
}

#[inline]
fn choice<C: Choice>(text: &str, index: Option<usize>) -> C {
    match index {
        Some(index) => C::from_index(index),
        None => C::from_unknown(text),
    }
}

fn find_choice(shape: &ChoiceShape, text: &str, reading: Reading) -> Option<usize> {
    match reading.spelling {
        Spelling::Neutral => shape.find(text),
        Spelling::Wire => shape.find_wire(text),
    }
}

/// Returns the enum value of `text` in the specification's spelling; an unknown value if there is none.
pub fn choice_from_text<C: Choice>(text: &str) -> C {
    choice(text, C::SHAPE.find(text))
}

/// Returns the enum value of `text` in the specification's spelling.
///
/// # Errors
///
/// `Invalid`, with the nearest value, if the enum has no such value.
pub fn parse_choice<C: Choice>(text: &str) -> crate::Result<C> {
    let Some(index) = C::SHAPE.find(text) else {
        return Err(crate::rules::unknown_choice(C::SHAPE, text));
    };
    Ok(C::from_index(index))
}

/// Body of `FieldValue::put` of an enum.
#[doc(hidden)]
pub fn read_choice<C: Choice>(value: Ref<'_>, reading: Reading) -> Result<C, Mismatch> {
    let text = value.as_text().ok_or(Mismatch("text"))?;
    Ok(choice(text, find_choice(C::SHAPE, text, reading)))
}
