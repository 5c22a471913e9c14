//! Macros for enums of the specification.

/// Everything that makes an enum a choice.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_choice {
    ($choice:ident, $name:literal, $docs:literal {
        $($value:ident = $index:literal, $spelled:literal, $wire:literal, $about:literal;)*
    } $unknown:ident) => {
        impl $crate::field_value::Choice for $choice {
            const SHAPE: &'static $crate::shape::ChoiceShape = {
                static SHAPE: $crate::shape::ChoiceShape = $crate::shape::ChoiceShape {
                    name: $name,
                    docs: $docs,
                    values: &[
                        $($crate::shape::ChoiceValue { name: $spelled, wire: $wire, docs: $about },)*
                    ],
                };
                &SHAPE
            };

            fn index(&self) -> Option<usize> {
                match self {
                    $(Self::$value => Some($index),)*
                    Self::$unknown(_) => None,
                }
            }

            fn from_index(index: usize) -> Self {
                match index {
                    $($index => Self::$value,)*
                    _ => unreachable!("the shape has as many values as the enum"),
                }
            }

            fn from_unknown(text: &str) -> Self {
                Self::$unknown(text.into())
            }

            fn unknown(&self) -> Option<&str> {
                match self {
                    Self::$unknown(text) => Some(text),
                    _ => None,
                }
            }
        }

        #[doc(hidden)]
        impl $crate::field_value::FieldValue for $choice {
            fn view(&self) -> $crate::Ref<'_> {
                $crate::field_value::view_choice(self)
            }

            fn put(
                &mut self,
                value: $crate::Ref<'_>,
                reading: $crate::field_value::Reading,
            ) -> ::core::result::Result<(), $crate::field_value::Mismatch> {
                *self = $crate::field_value::read_choice(value, reading)?;
                Ok(())
            }

            fn reopen(&mut self) -> $crate::field_value::Open<'_> {
                $crate::field_value::Open::Scalar
            }

            fn fresh(&self) -> Box<dyn $crate::field_value::FieldValue> {
                Box::new(<Self as $crate::field_value::FieldType>::blank())
            }

            fn take_from(&mut self, other: &mut dyn $crate::field_value::FieldValue) -> bool {
                $crate::field_value::take_from(self, other)
            }
        }

        #[doc(hidden)]
        impl $crate::field_value::FieldType for $choice {
            const TYPE: $crate::shape::Type =
                $crate::shape::Type::Choice(<Self as $crate::field_value::Choice>::SHAPE);

            fn blank() -> Self {
                Self::$unknown($crate::Text::const_new(""))
            }

            fn read(
                value: $crate::Ref<'_>,
                reading: $crate::field_value::Reading,
            ) -> ::core::result::Result<Self, $crate::field_value::Mismatch> {
                $crate::field_value::read_choice(value, reading)
            }

            fn read_fast(input: &mut $crate::json::Input<'_>, reading: $crate::field_value::Reading) -> Option<Self> {
                $crate::field_value::fast_choice(input, reading)
            }
        }

        #[doc(hidden)]
        impl $crate::ByReference for $choice {}

        #[doc(hidden)]
        impl $crate::Compared for $choice {
            type Item = Self;
        }

        #[doc(hidden)]
        impl $crate::TextLike for $choice {}

        impl ::core::fmt::Display for $choice {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($crate::field_value::Choice::as_str(self))
            }
        }

        // Unknown text is kept here. The check of the field rejects it with the nearest value.
        impl $crate::IntoField<$choice> for &str {
            fn into_field(self) -> $choice {
                $crate::field_value::choice_from_text(self)
            }
        }

        impl $crate::IntoOptional<$choice> for &str {
            fn into_optional(self) -> Option<$choice> {
                Some($crate::field_value::choice_from_text(self))
            }
        }

        impl $crate::IntoOptional<$choice> for Option<&str> {
            fn into_optional(self) -> Option<$choice> {
                self.map($crate::field_value::choice_from_text)
            }
        }

        impl ::core::str::FromStr for $choice {
            type Err = $crate::Error;

            fn from_str(text: &str) -> $crate::Result<Self> {
                $crate::field_value::parse_choice(text)
            }
        }

        impl From<$choice> for $crate::Value {
            fn from(choice: $choice) -> Self {
                Self::Text($crate::field_value::Choice::as_str(&choice).into())
            }
        }
    };
}

/// Declares an enum of the specification: each value with its name where that is not the variant's own, and, after `=>`,
/// the provider's spelling where it differs. The last variant, `Unknown`, is added: it keeps a value that this version
/// does not know.
///
/// ```
/// nephos_core::choices! {
///     /// Kind of a target.
///     pub enum TargetType {
///         /// An instance.
///         Instance = "instance",
///         /// A function.
///         Function = "function" => "lambda",
///     }
/// }
///
/// # use nephos_core::field_value::{FieldValue, Spelling};
/// assert_eq!(TargetType::Function.view().as_text(), Some("function"));
/// assert_eq!(TargetType::Unknown("new".into()).view().as_text(), Some("new"));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $name:ident {
            $($(#[$about:meta])* $value:ident $(= $text:literal $(=> $wire:literal)?)?,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive($crate::Choice, Clone, Debug, PartialEq)]
        #[non_exhaustive]
        $vis enum $name {
            $(
                $(#[$about])*
                $(#[choice($text $(, wire = $wire)?)])?
                $value,
            )+
            /// A value that this version does not know.
            #[choice(unknown)]
            Unknown($crate::Text),
        }
    };
}
