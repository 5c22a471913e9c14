//! What can be given for a field: a value of its type, something that becomes one, or nothing.

use crate::{Blob, Map, Secret, Text};

/// Something that can be given for a field of type `T`.
///
/// ```
/// use nephos_core::{Give, Text};
///
/// fn text(value: impl Give<Text>) -> Option<Text> {
///     value.give()
/// }
///
/// assert_eq!(text("web"), Some("web".into()));
/// assert_eq!(text(None::<Text>), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a field of type `{T}`",
    label = "this is not what the field holds",
    note = "give a value of the field's type, one that becomes it (`&str` for `Text`, `i32` for `i64`, an array for a \
            list or a mapping), or `None`"
)]
pub trait Give<T> {
    /// The value; none clears the field.
    fn give(self) -> Option<T>;
}

impl<T> Give<T> for T {
    fn give(self) -> Option<T> {
        Some(self)
    }
}

impl<T> Give<T> for Option<T> {
    fn give(self) -> Option<T> {
        self
    }
}

macro_rules! gives {
    ($($from:ty => $to:ty, |$value:ident| $make:expr;)+) => {$(
        impl Give<$to> for $from {
            fn give(self) -> Option<$to> {
                let $value = self;
                Some($make)
            }
        }
    )+};
}

gives! {
    &str => Text, |value| value.into();
    String => Text, |value| value.into();
    &String => Text, |value| value.into();
    &Text => Text, |value| value.clone();
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

impl<T, V: Into<T>, const N: usize> Give<Vec<T>> for [V; N] {
    fn give(self) -> Option<Vec<T>> {
        Some(self.into_iter().map(Into::into).collect())
    }
}

impl<T, K: Into<Text>, V: Into<T>, const N: usize> Give<Map<T>> for [(K, V); N] {
    fn give(self) -> Option<Map<T>> {
        Some(self.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}
