//! Dynamically typed values: owned ([`Value`]) and borrowed from a model ([`Ref`]).

use crate::{
    Secret,
    record::Fields,
    shape::{FieldShape, Literal, Spelling},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use indexmap::IndexMap;
use jiff::Timestamp;
use std::{borrow::Cow, cmp::Ordering, fmt, mem};
use zeroize::Zeroize as _;

/// Text of models: up to 24 bytes need no allocation.
pub type Text = compact_str::CompactString;

/// A mapping with text keys, in insertion order.
pub type Map<V> = IndexMap<Text, V, foldhash::fast::RandomState>;

/// Bytes, base64 in JSON. They may be secret: they are never printed, and zeroed when they are dropped.
///
/// ```
/// use nephos_core::Blob;
///
/// assert_eq!(format!("{:?}", Blob::from("hunter2")), "<7 bytes>");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Blob(pub Vec<u8>);

impl Drop for Blob {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}

impl Blob {
    /// Encodes the bytes in base64.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(&self.0)
    }

    /// Returns the bytes. The caller has to zero them.
    pub fn into_bytes(mut self) -> Vec<u8> {
        mem::take(&mut self.0)
    }

    /// Decodes base64.
    pub fn from_base64(text: &str) -> Option<Self> {
        STANDARD.decode(text).ok().map(Self)
    }
}

impl<B: Into<Vec<u8>>> From<B> for Blob {
    fn from(bytes: B) -> Self {
        Self(bytes.into())
    }
}

/// An owned value of any type.
#[derive(Clone, Default, PartialEq)]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, or the specification's spelling of an enum value.
    Text(Text),
    /// An instant.
    Time(Timestamp),
    /// Bytes.
    Blob(Blob),
    /// Text that must not be printed.
    Secret(Secret),
    /// A list.
    List(Vec<Value>),
    /// A mapping, or a record with its field names as keys.
    Map(Map<Value>),
}

impl Value {
    /// Borrows the value.
    pub fn view(&self) -> Ref<'_> {
        match self {
            Self::Null => Ref::Null,
            Self::Bool(value) => Ref::Bool(*value),
            Self::Int(value) => Ref::Int(*value),
            Self::Float(value) => Ref::Float(*value),
            Self::Text(value) => Ref::Text(value),
            Self::Time(value) => Ref::Time(*value),
            Self::Blob(value) => Ref::Blob(&value.0),
            Self::Secret(value) => Ref::Secret(value),
            Self::List(items) => Ref::List(items),
            Self::Map(entries) => Ref::Map(entries),
        }
    }

    /// True for null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the value of `key`, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    /// Returns the item at `index`, if this is a list that has it.
    pub fn item(&self, index: usize) -> Option<&Self> {
        self.as_list()?.get(index)
    }
}

/// Accessors: the value of one type, if it has that type.
macro_rules! accessors {
    ($($(#[$docs:meta])+ $name:ident: $variant:ident($value:ident) -> $ty:ty = $read:expr;)+) => {
        impl Value {
            $(
                $(#[$docs])+
                pub fn $name(&self) -> Option<$ty> {
                    match self {
                        Self::$variant($value) => Some($read),
                        _ => None,
                    }
                }
            )+
        }
    };
}

accessors! {
    /// Bool, if it is one.
    as_bool: Bool(value) -> bool = *value;
    /// Whole number, if it is one.
    as_int: Int(value) -> i64 = *value;
    /// Text, if it is one.
    as_text: Text(value) -> &str = value;
    /// Instant, if it is one.
    as_time: Time(value) -> Timestamp = *value;
    /// Bytes, if it has any.
    as_bytes: Blob(value) -> &[u8] = &value.0;
    /// Secret, if it is one.
    as_secret: Secret(value) -> &Secret = value;
    /// Items, if it is a list.
    as_list: List(items) -> &[Value] = items;
    /// Entries, if it is a mapping.
    as_map: Map(entries) -> &Map<Value> = entries;
}

impl Value {
    /// Number as a float, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            _ => None,
        }
    }
}

/// Returns the value of a key of a mapping; null if there is none, as in serde_json.
impl std::ops::Index<&str> for Value {
    type Output = Self;

    fn index(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(&Self::Null)
    }
}

/// Returns the item of a list; null if there is none.
impl std::ops::Index<usize> for Value {
    type Output = Self;

    fn index(&self, index: usize) -> &Self {
        self.item(index).unwrap_or(&Self::Null)
    }
}

impl<K: Into<Text>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

macro_rules! value_from {
    ($($from:ty => |$value:ident| $make:expr;)+) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $make
            }
        }
    )+};
}

value_from! {
    bool => |value| Self::Bool(value);
    i64 => |value| Self::Int(value);
    i32 => |value| Self::Int(value.into());
    u32 => |value| Self::Int(value.into());
    f64 => |value| Self::Float(value);
    &str => |value| Self::Text(value.into());
    String => |value| Self::Text(value.into());
    Text => |value| Self::Text(value);
    Timestamp => |value| Self::Time(value);
    Blob => |value| Self::Blob(value);
    Secret => |value| Self::Secret(value);
    Map<Value> => |value| Self::Map(value);
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(items: [V; N]) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A readable list.
pub trait Items: Send + Sync {
    /// Number of items.
    fn len(&self) -> usize;
    /// Returns the item at `index`, which must be less than [`len`](Self::len).
    fn item(&self, index: usize) -> Ref<'_>;
    /// True if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A readable mapping.
pub trait Entries: Send + Sync {
    /// Number of entries.
    fn len(&self) -> usize;
    /// Returns the entry at `index`, which must be less than [`len`](Self::len).
    fn entry(&self, index: usize) -> (&str, Ref<'_>);
    /// Returns the value of `key`.
    fn find(&self, key: &str) -> Option<Ref<'_>>;
    /// True if there are no entries.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A borrowed value of any type.
#[derive(Clone, Copy)]
pub enum Ref<'a> {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// An enum value: the specification's spelling and the wire's.
    Choice {
        /// Specification's spelling.
        name: &'a str,
        /// Wire's spelling.
        wire: &'a str,
        /// True if the specification has this value.
        known: bool,
    },
    /// An instant.
    Time(Timestamp),
    /// Bytes.
    Blob(&'a [u8]),
    /// Text that must not be printed.
    Secret(&'a Secret),
    /// A list.
    List(&'a dyn Items),
    /// A mapping.
    Map(&'a dyn Entries),
    /// A record or a model.
    Record(&'a dyn Fields),
}

impl<'a> Ref<'a> {
    /// True for null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Text of a text or an enum value.
    pub fn as_text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Choice { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Name of the type for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an int",
            Self::Float(_) => "a number",
            Self::Text(_) | Self::Choice { .. } => "text",
            Self::Time(_) => "a datetime",
            Self::Blob(_) => "bytes",
            Self::Secret(_) => "a secret",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
            Self::Record(_) => "a record",
        }
    }

    /// Text of a scalar, for text lookups; none for other values.
    pub fn text_form(&self) -> Option<Cow<'a, str>> {
        Some(match self {
            Self::Text(text) => Cow::Borrowed(*text),
            Self::Choice { name, .. } => Cow::Borrowed(*name),
            Self::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Self::Int(value) => Cow::Owned(value.to_string()),
            Self::Float(value) => Cow::Owned(value.to_string()),
            Self::Time(value) => Cow::Owned(value.to_string()),
            Self::Blob(bytes) => Cow::Owned(STANDARD.encode(bytes)),
            Self::Null | Self::Secret(_) | Self::List(_) | Self::Map(_) | Self::Record(_) => return None,
        })
    }

    /// Makes an owned value. Records become mappings with the specification's names, without null fields.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Text(text) => Value::Text((*text).into()),
            Self::Choice { name, .. } => Value::Text((*name).into()),
            Self::Time(value) => Value::Time(*value),
            Self::Blob(bytes) => Value::Blob(Blob(bytes.to_vec())),
            Self::Secret(secret) => Value::Secret((*secret).clone()),
            Self::List(items) => Value::List((0..items.len()).map(|n| items.item(n).to_value()).collect()),
            Self::Map(map) => {
                let entries = (0..map.len()).map(|n| map.entry(n));
                Value::Map(entries.map(|(key, value)| (key.into(), value.to_value())).collect())
            }
            Self::Record(record) => crate::record::to_value(*record),
        }
    }

    /// Compares two values, if they have an order: numbers, texts, instants, bools.
    pub fn compare(&self, other: &Ref<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(a), Ref::Bool(b)) => Some(a.cmp(b)),
            (Self::Int(a), Ref::Int(b)) => Some(a.cmp(b)),
            (Self::Int(a), Ref::Float(b)) => compare_int_float(*a, *b),
            (Self::Float(a), Ref::Int(b)) => compare_int_float(*b, *a).map(Ordering::reverse),
            (Self::Float(a), Ref::Float(b)) => a.partial_cmp(b),
            (Self::Time(a), Ref::Time(b)) => Some(a.cmp(b)),
            (Self::Time(a), Ref::Text(b)) => crate::time::parse(b).map(|b| a.cmp(&b)),
            (Self::Text(a), Ref::Time(b)) => crate::time::parse(a).map(|a| a.cmp(b)),
            (Self::Blob(a), Ref::Blob(b)) => Some(a.cmp(b)),
            _ => Some(self.as_text()?.cmp(other.as_text()?)),
        }
    }

    /// True if two values are equal: numbers by value, enum values by the specification's spelling, records and
    /// mappings entry by entry.
    pub fn same(&self, other: &Ref<'_>) -> bool {
        match (self, other) {
            (Self::Null, Ref::Null) => true,
            (Self::Secret(a), Ref::Secret(b)) => a == b,
            (Self::List(a), Ref::List(b)) => {
                a.len() == b.len() && (0..a.len()).all(|n| a.item(n).same(&b.item(n)))
            }
            (Self::Map(a), Ref::Map(b)) => {
                a.len() == b.len()
                    && (0..a.len()).all(|n| {
                        let (key, value) = a.entry(n);
                        b.find(key).is_some_and(|other| value.same(&other))
                    })
            }
            (Self::Record(a), Ref::Record(b)) => crate::record::same(*a, *b),
            (Self::Record(a), Ref::Map(_)) => crate::record::to_value(*a).view().same(other),
            (Self::Map(_), Ref::Record(b)) => self.same(&crate::record::to_value(*b).view()),
            _ => self.compare(other) == Some(Ordering::Equal),
        }
    }
}

/// Compares without rounding the whole number to a float.
fn compare_int_float(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // Every float from here on is larger than any i64.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if float >= LIMIT {
        return Some(Ordering::Less);
    }
    if float < -LIMIT {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    Some(int.cmp(&(whole as i64)).then_with(|| 0.0_f64.total_cmp(&(float - whole + 0.0))))
}

impl fmt::Debug for Ref<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(text) => text.fmt(f),
            Self::Choice { name, .. } => f.write_str(name),
            Self::Time(value) => fmt::Display::fmt(value, f),
            Self::Blob(bytes) => write!(f, "<{} bytes>", bytes.len()),
            Self::Secret(secret) => secret.fmt(f),
            Self::List(items) => f.debug_list().entries((0..items.len()).map(|n| items.item(n))).finish(),
            Self::Map(map) => f.debug_map().entries((0..map.len()).map(|n| map.entry(n))).finish(),
            Self::Record(record) => crate::record::debug(*record, f),
        }
    }
}

impl Literal {
    /// Converts the literal into a value.
    pub fn to_value(self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Float(value) => Value::Float(value),
            Self::Text(value) => value.into(),
            Self::EmptyList => Value::List(Vec::new()),
            Self::EmptyMap => Value::Map(Default::default()),
        }
    }
}

impl FieldShape {
    /// Converts the texts in a value to the wire's or the specification's spelling.
    pub fn respelled(&self, value: Ref<'_>, spelling: Spelling) -> Value {
        match value {
            Ref::Text(text) => self.spelled(text, spelling).into(),
            Ref::List(items) => {
                Value::List((0..items.len()).map(|n| self.respelled(items.item(n), spelling)).collect())
            }
            Ref::Map(entries) => {
                let entries = (0..entries.len()).map(|n| entries.entry(n));
                Value::Map(
                    entries.map(|(key, value)| (key.into(), self.respelled(value, spelling))).collect(),
                )
            }
            value => value.to_value(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_and_fractions_compare_without_rounding() {
        let order = |a: i64, b: f64| Ref::Int(a).compare(&Ref::Float(b));
        assert_eq!(order(3, 3.0), Some(Ordering::Equal));
        assert_eq!(order(3, 3.5), Some(Ordering::Less));
        assert_eq!(order(-3, -3.5), Some(Ordering::Greater));
        assert_eq!(order(i64::MAX, 9_223_372_036_854_775_808.0), Some(Ordering::Less));
        assert_eq!(order(i64::MIN, -9_223_372_036_854_775_808.0), Some(Ordering::Equal));
        assert_eq!(order(0, -0.0), Some(Ordering::Equal));
        assert_eq!(order(0, f64::NAN), None);
        assert_eq!(order(9_007_199_254_740_993, 9_007_199_254_740_992.0), Some(Ordering::Greater));
    }

    #[test]
    fn mappings_are_the_same_in_any_order() {
        let map = |pairs: [(&str, i64); 2]| {
            Value::Map(pairs.into_iter().map(|(k, v)| (k.into(), Value::Int(v))).collect())
        };
        assert!(map([("a", 1), ("b", 2)]).view().same(&map([("b", 2), ("a", 1)]).view()));
        assert!(!map([("a", 1), ("b", 2)]).view().same(&map([("a", 1), ("b", 3)]).view()));
    }
}
