//! Typed fields, for predicates and orders that are checked when they are compiled.

use crate::{Lookup, Order, Predicate, Text, Value, datum::DatumType};
use std::marker::PhantomData;

/// The field of type `T` at a path of `R`: `LogGroup::FIELDS.retention_in_days`.
pub struct Field<R, T> {
    path: &'static [&'static str],
    before: Vec<Text>,
    types: PhantomData<fn(&R) -> T>,
}

impl<R, T: DatumType> Field<R, T> {
    /// The field named in `path`, by the specification.
    #[doc(hidden)]
    pub const fn new(path: &'static [&'static str]) -> Self {
        Self { path, before: Vec::new(), types: PhantomData }
    }

    /// The path of names that leads here.
    pub fn path(&self) -> Vec<Text> {
        self.before.iter().cloned().chain(self.path.iter().map(|step| Text::new(step))).collect()
    }

    /// The field `inner` of the record, or of each record of the list, that this field holds.
    pub fn then<S, U: DatumType>(&self, inner: &Field<S, U>) -> Field<R, U>
    where
        T: Holds<S>,
    {
        let before = self.path().into_iter().chain(inner.before.iter().cloned()).collect();
        Field { path: inner.path, before, types: PhantomData }
    }

    fn ask(&self, lookup: Lookup, value: Value) -> Predicate {
        let path = self.path();
        let path: Vec<&str> = path.iter().map(Text::as_str).collect();
        // These lookups take any value of the field's type.
        Predicate::test(&path, lookup, value).unwrap_or(Predicate::Any(Vec::new()))
    }

    /// The same as `value`.
    pub fn eq(&self, value: impl Into<Value>) -> Predicate {
        self.ask(Lookup::Exact, value.into())
    }

    /// Not the same as `value`.
    pub fn ne(&self, value: impl Into<Value>) -> Predicate {
        !self.eq(value)
    }

    /// Greater than `value`.
    pub fn gt(&self, value: impl Into<Value>) -> Predicate {
        self.ask(Lookup::Gt, value.into())
    }

    /// Greater than `value`, or the same.
    pub fn ge(&self, value: impl Into<Value>) -> Predicate {
        self.ask(Lookup::Gte, value.into())
    }

    /// Less than `value`.
    pub fn lt(&self, value: impl Into<Value>) -> Predicate {
        self.ask(Lookup::Lt, value.into())
    }

    /// Less than `value`, or the same.
    pub fn le(&self, value: impl Into<Value>) -> Predicate {
        self.ask(Lookup::Lte, value.into())
    }

    /// One of `values`.
    pub fn one_of<V: Into<Value>>(&self, values: impl IntoIterator<Item = V>) -> Predicate {
        self.ask(Lookup::In, Value::List(values.into_iter().map(Into::into).collect()))
    }

    /// Null.
    pub fn is_null(&self) -> Predicate {
        self.ask(Lookup::IsNull, Value::Bool(true))
    }

    /// Not null.
    pub fn is_set(&self) -> Predicate {
        self.ask(Lookup::IsNull, Value::Bool(false))
    }

    /// Text that contains `part`.
    pub fn contains(&self, part: &str) -> Predicate {
        self.ask(Lookup::Contains, part.into())
    }

    /// Text that starts with `start`.
    pub fn starts_with(&self, start: &str) -> Predicate {
        self.ask(Lookup::StartsWith, start.into())
    }

    /// Text that ends with `end`.
    pub fn ends_with(&self, end: &str) -> Predicate {
        self.ask(Lookup::EndsWith, end.into())
    }

    /// Any lookup. A value that the lookup cannot take is refused.
    pub fn lookup(&self, lookup: Lookup, value: impl Into<Value>) -> crate::Result<Predicate> {
        let path = self.path();
        let path: Vec<&str> = path.iter().map(Text::as_str).collect();
        Predicate::test(&path, lookup, value)
    }

    /// Smallest first.
    pub fn asc(&self) -> Order {
        Order::ascending(self.path())
    }

    /// Largest first.
    pub fn desc(&self) -> Order {
        Order::descending(self.path())
    }
}

impl<R, T> std::fmt::Debug for Field<R, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.before).entries(self.path).finish()
    }
}

/// A type that holds records of type `R`: itself, optionally, or in a list.
pub trait Holds<R> {}

impl<R> Holds<R> for R {}
impl<R> Holds<R> for Option<R> {}
impl<R> Holds<R> for Vec<R> {}
impl<R> Holds<R> for Option<Vec<R>> {}
