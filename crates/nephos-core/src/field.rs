//! Typed fields, for predicates and orders that are checked at compile time.

use crate::{
    AnyPredicate, Blob, IntoField, Lookup, Map, Order, Predicate, Record, Secret, Text, Timestamp, Value,
    field_value::FieldType,
};
use std::marker::PhantomData;

/// The field of type `T` at a path of `R`: `LogGroup::FIELDS.retention_in_days`.
pub struct Field<R, T> {
    path: &'static [&'static str],
    before: Vec<Text>,
    types: PhantomData<fn(&R) -> T>,
}

impl<R, T: FieldType> Field<R, T> {
    /// Makes the field at `path`, in names of the specification.
    #[doc(hidden)]
    pub const fn new(path: &'static [&'static str]) -> Self {
        Self { path, before: Vec::new(), types: PhantomData }
    }

    /// Path of names that leads to the field.
    pub fn path(&self) -> Vec<Text> {
        self.before.iter().cloned().chain(self.path.iter().map(|step| Text::new(step))).collect()
    }

    /// Returns the field `inner` of the record, or of each record of the list, that this field holds.
    pub fn then<S, U: FieldType>(&self, inner: &Field<S, U>) -> Field<R, U>
    where
        T: Holds<S>,
    {
        let before = self.path().into_iter().chain(inner.before.iter().cloned()).collect();
        Field { path: inner.path, before, types: PhantomData }
    }

    fn test(&self, lookup: Lookup, value: Value) -> Predicate<R> {
        let path = self.path();
        let path: Vec<&str> = path.iter().map(Text::as_str).collect();
        let test = AnyPredicate::test(&path, lookup, value);
        Predicate::new(test.expect("the value fits the lookup"))
    }

    /// Accepts models whose value is null.
    pub fn is_null(&self) -> Predicate<R> {
        self.test(Lookup::IsNull, Value::Bool(true))
    }

    /// Accepts models whose value is not null.
    pub fn is_set(&self) -> Predicate<R> {
        self.test(Lookup::IsNull, Value::Bool(false))
    }

    /// Accepts models by any lookup. The value is checked when this is called.
    pub fn lookup(&self, lookup: Lookup, value: impl Into<Value>) -> crate::Result<Predicate<R>> {
        let path = self.path();
        let path: Vec<&str> = path.iter().map(Text::as_str).collect();
        AnyPredicate::test(&path, lookup, value).map(Predicate::new)
    }

    /// Orders by this field, smallest first.
    pub fn asc(&self) -> Order {
        Order::ascending(self.path())
    }

    /// Orders by this field, largest first.
    pub fn desc(&self) -> Order {
        Order::descending(self.path())
    }
}

impl<R, T: FieldType + Compared> Field<R, T> {
    /// Accepts models whose value equals `value`; of a list, any item.
    pub fn eq(&self, value: impl IntoField<T::Item>) -> Predicate<R> {
        self.test(Lookup::Exact, to_value(value))
    }

    /// Accepts models whose value does not equal `value`; of a list, no item.
    pub fn ne(&self, value: impl IntoField<T::Item>) -> Predicate<R> {
        !self.eq(value)
    }

    /// Accepts models whose value is one of `values`.
    pub fn one_of<V: IntoField<T::Item>>(&self, values: impl IntoIterator<Item = V>) -> Predicate<R> {
        let values = values.into_iter().map(|value| to_value(value));
        self.test(Lookup::In, Value::List(values.collect()))
    }
}

impl<R, T: FieldType + Compared<Item: Ordered>> Field<R, T> {
    /// Accepts models whose value is greater than `value`.
    pub fn gt(&self, value: impl IntoField<T::Item>) -> Predicate<R> {
        self.test(Lookup::Gt, to_value(value))
    }

    /// Accepts models whose value is greater than or equal to `value`.
    pub fn ge(&self, value: impl IntoField<T::Item>) -> Predicate<R> {
        self.test(Lookup::Gte, to_value(value))
    }

    /// Accepts models whose value is less than `value`.
    pub fn lt(&self, value: impl IntoField<T::Item>) -> Predicate<R> {
        self.test(Lookup::Lt, to_value(value))
    }

    /// Accepts models whose value is less than or equal to `value`.
    pub fn le(&self, value: impl IntoField<T::Item>) -> Predicate<R> {
        self.test(Lookup::Lte, to_value(value))
    }
}

impl<R, T: FieldType + Compared<Item: TextLike>> Field<R, T> {
    /// Accepts models whose text contains `part`.
    pub fn contains(&self, part: &str) -> Predicate<R> {
        self.test(Lookup::Contains, part.into())
    }

    /// Accepts models whose text starts with `start`.
    pub fn starts_with(&self, start: &str) -> Predicate<R> {
        self.test(Lookup::StartsWith, start.into())
    }

    /// Accepts models whose text ends with `end`.
    pub fn ends_with(&self, end: &str) -> Predicate<R> {
        self.test(Lookup::EndsWith, end.into())
    }
}

/// Converts the argument of a lookup.
fn to_value<T: FieldType>(value: impl IntoField<T>) -> Value {
    value.into_field().view().to_value()
}

/// A field's type that can be compared: with the type within an option, list or mapping.
pub trait Compared {
    /// The type that is compared.
    type Item: FieldType;
}

impl<R: Record> Compared for R {
    type Item = Self;
}

impl<T: Compared> Compared for Option<T> {
    type Item = T::Item;
}

impl<T: Compared> Compared for Vec<T> {
    type Item = T::Item;
}

impl<T: Compared> Compared for Map<T> {
    type Item = T::Item;
}

/// A type whose values have an order.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have no order",
    label = "these cannot be ordered"
)]
pub trait Ordered {}

/// A type whose values are, or are written as, text.
#[diagnostic::on_unimplemented(message = "`{Self}` is not text", label = "these values are not text")]
pub trait TextLike {}

macro_rules! compared {
    ($($ty:ty: $($what:ident)*;)+) => {
        $(
            impl Compared for $ty {
                type Item = Self;
            }
            $(impl $what for $ty {})*
        )+
    };
}

compared! {
    bool: ;
    i64: Ordered;
    f64: Ordered;
    Text: Ordered TextLike;
    Timestamp: Ordered;
    Blob: ;
    Secret: ;
    Value: Ordered TextLike;
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
