//! Conversions into the types of fields, for arguments of setters.

use crate::{Blob, Map, Record, Secret, Text, Value, field_value::FieldType};

/// A value that can be given for a required field or parameter of type `T`. `None` cannot.
///
/// ```
/// use nephos_core::{IntoField, Text};
///
/// fn text(value: impl IntoField<Text>) -> Text {
///     value.into_field()
/// }
///
/// assert_eq!(text("web"), "web");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a field of type `{T}`",
    label = "not a value of this field",
    note = "give a value of the field's type, or one that becomes it: `&str` for `Text` or an enum, `i32` for `i64`, an \
            array for a list or a mapping"
)]
pub trait IntoField<T> {
    /// Converts the value into the type of the field.
    fn into_field(self) -> T;
}

/// A value that can be given for an optional field or parameter of type `T`; `None` clears it.
///
/// ```
/// use nephos_core::{IntoOptional, Text};
///
/// fn text(value: impl IntoOptional<Text>) -> Option<Text> {
///     value.into_optional()
/// }
///
/// assert_eq!(text("web"), Some("web".into()));
/// assert_eq!(text(Some("web")), Some("web".into()));
/// assert_eq!(text(None::<Text>), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a field of type `{T}`",
    label = "not a value of this field",
    note = "give a value of the field's type, one that becomes it (`&str` for `Text` or an enum, `i32` for `i64`, an \
            array for a list or a mapping), or `None`"
)]
pub trait IntoOptional<T> {
    /// Converts the value into the type of the field.
    fn into_optional(self) -> Option<T>;
}

impl<T> IntoField<T> for T {
    fn into_field(self) -> T {
        self
    }
}

impl<T> IntoOptional<T> for T {
    fn into_optional(self) -> Option<T> {
        Some(self)
    }
}

impl<T> IntoOptional<T> for Option<T> {
    fn into_optional(self) -> Option<T> {
        self
    }
}

macro_rules! conversions {
    ($($from:ty => $to:ty, |$value:ident| $make:expr;)+) => {$(
        impl IntoField<$to> for $from {
            fn into_field(self) -> $to {
                let $value = self;
                $make
            }
        }

        impl IntoOptional<$to> for $from {
            fn into_optional(self) -> Option<$to> {
                Some(self.into_field())
            }
        }
    )+};
}

conversions! {
    &str => Text, |value| value.into();
    String => Text, |value| value.into();
    &String => Text, |value| value.into();
    &str => Secret, |value| value.into();
    String => Secret, |value| value.into();
    Vec<u8> => Blob, |value| Blob(value);
    &[u8] => Blob, |value| Blob(value.to_vec());
    i32 => i64, |value| value.into();
    u16 => i64, |value| value.into();
    u32 => i64, |value| value.into();
    i32 => f64, |value| value.into();
    &[&str] => Vec<Text>, |value| value.iter().copied().map(Text::from).collect();
}

impl<T: FieldType> IntoField<T> for &T {
    fn into_field(self) -> T {
        self.clone()
    }
}

impl<T: FieldType> IntoOptional<T> for &T {
    fn into_optional(self) -> Option<T> {
        Some(self.clone())
    }
}

impl<T: FieldType> IntoField<Vec<T>> for &[T] {
    fn into_field(self) -> Vec<T> {
        self.to_vec()
    }
}

impl<T: FieldType> IntoOptional<Vec<T>> for &[T] {
    fn into_optional(self) -> Option<Vec<T>> {
        Some(self.to_vec())
    }
}

// Results of getters: the field of one model can be given for another's.

impl IntoOptional<Text> for Option<&str> {
    fn into_optional(self) -> Option<Text> {
        self.map(Text::new)
    }
}

impl<T: ByReference> IntoOptional<T> for Option<&T> {
    fn into_optional(self) -> Option<T> {
        self.cloned()
    }
}

/// A type whose getters return a reference: records, enums, mappings, bytes, secrets, values of any type.
///
/// Numbers, bools and instants are returned by value, so that `None` can be given for them without its type.
#[doc(hidden)]
pub trait ByReference: FieldType {}

impl<R: Record> ByReference for R {}
impl<T: FieldType> ByReference for Map<T> {}
impl ByReference for Blob {}
impl ByReference for Secret {}
impl ByReference for Value {}

impl<T: FieldType> IntoOptional<Vec<T>> for Option<&[T]> {
    fn into_optional(self) -> Option<Vec<T>> {
        self.map(<[T]>::to_vec)
    }
}

impl<T, V: Into<T>, const N: usize> IntoField<Vec<T>> for [V; N] {
    fn into_field(self) -> Vec<T> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<T, V: Into<T>, const N: usize> IntoOptional<Vec<T>> for [V; N] {
    fn into_optional(self) -> Option<Vec<T>> {
        Some(self.into_field())
    }
}

impl<T, K: Into<Text>, V: Into<T>, const N: usize> IntoField<Map<T>> for [(K, V); N] {
    fn into_field(self) -> Map<T> {
        self.into_iter().map(|(key, value)| (key.into(), value.into())).collect()
    }
}

impl<T, K: Into<Text>, V: Into<T>, const N: usize> IntoOptional<Map<T>> for [(K, V); N] {
    fn into_optional(self) -> Option<Map<T>> {
        Some(self.into_field())
    }
}
