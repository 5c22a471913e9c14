//! Events, prepared for matching.

use super::{address, choice::quoted, number::Number};
use nephos_core::Value;
use std::{fmt, net::IpAddr, ops};

/// An event as a list of the values of its fields, prepared once for all rules of a bus.
///
/// The name of a field has the names of the objects around it, with dots between them. Arrays have no names: a field in an array
/// has several values.
///
/// ```
/// use nephos_core::json;
/// use nephos_events::pattern::{Event, Pattern};
///
/// let value = json::parse(br#"{"source": "shop", "detail": {"items": [{"sku": "a"}, {"sku": "b"}]}}"#)?;
/// let event = Event::prepare(&value).expect("the event is an object");
/// let pattern = Pattern::parse(r#"{"detail": {"items": {"sku": ["b"]}}}"#).expect("the pattern is valid");
/// assert!(pattern.matches(&event));
/// # Ok::<(), nephos_core::Error>(())
/// ```
pub struct Event<'a> {
    /// Names of the fields, one after another.
    names: String,
    /// Sorted by name.
    fields: Vec<Field>,
    /// Values, those of one field side by side.
    values: Vec<FieldValue<'a>>,
    /// Items of arrays, those of one value side by side.
    items: Vec<Item>,
}

/// Name and values of a field, as ranges in the event.
struct Field {
    name: ops::Range<usize>,
    values: ops::Range<usize>,
}

/// Item of an array that is an object or an array: the number of the array in the event, and the index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Item {
    pub(super) array: u32,
    pub(super) index: u32,
}

/// One value of a field.
pub(super) struct FieldValue<'a> {
    pub(super) scalar: Scalar<'a>,
    /// Items around the value, as a range in the event; sorted.
    items: (u32, u32),
}

/// A value that is neither an object nor an array.
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Number(Number),
    /// A text, and the address that it is.
    Text {
        text: &'a str,
        address: Option<IpAddr>,
    },
}

impl<'a> Event<'a> {
    /// Prepares an event; none if it is no object.
    ///
    /// Values that JSON does not have, such as instants and bytes, are no values of fields.
    pub fn prepare(event: &'a Value) -> Option<Self> {
        let Value::Map(_) = event else { return None };
        let mut walk = Walk::default();
        walk.value(event);
        let Walk { names, mut found, items, .. } = walk;
        // Equal names are side by side afterwards, and their values in the order of the event.
        found.sort_by(|left, right| names[left.0.clone()].cmp(&names[right.0.clone()]));
        let mut fields: Vec<Field> = Vec::with_capacity(found.len());
        let mut values = Vec::with_capacity(found.len());
        for (name, value) in found {
            values.push(value);
            match fields.last_mut() {
                Some(field) if names[field.name.clone()] == names[name.clone()] => field.values.end += 1,
                _ => fields.push(Field { name, values: values.len() - 1..values.len() }),
            }
        }
        Some(Self { names, fields, values, items })
    }

    /// Returns the values of a field.
    pub(super) fn values(&self, name: &str) -> &[FieldValue<'a>] {
        match self.fields.binary_search_by(|field| self.names[field.name.clone()].cmp(name)) {
            Ok(at) => &self.values[self.fields[at].values.clone()],
            Err(_) => &[],
        }
    }

    /// Returns the names and values of all fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &[FieldValue<'a>])> {
        self.fields.iter().map(|field| (&self.names[field.name.clone()], &self.values[field.values.clone()]))
    }

    /// Returns the items of arrays around a value.
    pub(super) fn items(&self, value: &FieldValue<'_>) -> &[Item] {
        &self.items[value.items.0 as usize..value.items.1 as usize]
    }
}

/// Walk through the objects and arrays of an event.
#[derive(Default)]
struct Walk<'a> {
    names: String,
    path: String,
    /// Name of the last value, which the next one may share.
    last: ops::Range<usize>,
    found: Vec<(ops::Range<usize>, FieldValue<'a>)>,
    arrays: u32,
    around: Vec<Item>,
    /// Range of `around` in `items`, if it is there already.
    noted: Option<(u32, u32)>,
    items: Vec<Item>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &'a Value) {
        match value {
            Value::Map(map) => {
                for (name, value) in map {
                    let outer = self.path.len();
                    if outer > 0 {
                        self.path.push('.');
                    }
                    self.path.push_str(name);
                    self.value(value);
                    self.path.truncate(outer);
                }
            }
            Value::List(list) => {
                let array = self.arrays;
                self.arrays += 1;
                for (index, value) in (0..).zip(list) {
                    let is_container = matches!(value, Value::Map(_) | Value::List(_));
                    if is_container {
                        self.around.push(Item { array, index });
                        self.noted = None;
                    }
                    self.value(value);
                    if is_container {
                        self.around.pop();
                        self.noted = None;
                    }
                }
            }
            Value::Null => self.push(Scalar::Null),
            Value::Bool(value) => self.push(Scalar::Bool(*value)),
            Value::Text(text) => self.push(Scalar::Text { text, address: address::parse(text) }),
            value => {
                if let Some(number) = Number::from_value(value) {
                    self.push(Scalar::Number(number));
                }
            }
        }
    }

    fn push(&mut self, scalar: Scalar<'a>) {
        if self.names[self.last.clone()] != self.path || self.found.is_empty() {
            let start = self.names.len();
            self.names.push_str(&self.path);
            self.last = start..self.names.len();
        }
        let items = match self.noted {
            Some(items) => items,
            None => {
                let start = self.items.len() as u32;
                self.items.extend_from_slice(&self.around);
                (start, self.items.len() as u32)
            }
        };
        self.noted = Some(items);
        self.found.push((self.last.clone(), FieldValue { scalar, items }));
    }
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text { text, .. } => f.write_str(&quoted(text)),
        }
    }
}
