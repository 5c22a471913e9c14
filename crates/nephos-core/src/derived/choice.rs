//! What makes an enum a choice.

/// Everything that makes an enum a choice.
#[doc(hidden)]
#[macro_export]
macro_rules! derived_choice {
    ($choice:ident, $name:literal, $docs:literal {
        $($value:ident = $index:literal, $spelled:literal, $wire:literal, $about:literal;)*
    } $unknown:ident) => {
        impl $crate::datum::Choice for $choice {
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

        impl $crate::datum::FieldValue for $choice {
            fn view(&self) -> $crate::Ref<'_> {
                $crate::datum::view_choice(self)
            }

            fn put(
                &mut self,
                value: $crate::Ref<'_>,
                reading: $crate::datum::Reading,
            ) -> ::core::result::Result<(), $crate::datum::Mismatch> {
                *self = $crate::datum::read_choice(value, reading)?;
                Ok(())
            }

            fn open(&mut self) -> $crate::datum::Open<'_> {
                $crate::datum::Open::Scalar
            }

            fn clear(&mut self) {
                *self = <Self as $crate::datum::FieldType>::blank();
            }

            fn fresh(&self) -> Box<dyn $crate::datum::FieldValue> {
                Box::new(<Self as $crate::datum::FieldType>::blank())
            }

            fn take_from(&mut self, other: &mut dyn $crate::datum::FieldValue) {
                $crate::datum::take_from(self, other);
            }
        }

        impl $crate::datum::FieldType for $choice {
            const TYPE: $crate::shape::Type =
                $crate::shape::Type::Choice(<Self as $crate::datum::Choice>::SHAPE);

            fn blank() -> Self {
                Self::$unknown($crate::Text::const_new(""))
            }

            fn read(
                value: $crate::Ref<'_>,
                reading: $crate::datum::Reading,
            ) -> ::core::result::Result<Self, $crate::datum::Mismatch> {
                $crate::datum::read_choice(value, reading)
            }

            fn usual(input: &mut $crate::json::Input<'_>, reading: $crate::datum::Reading) -> Option<Self> {
                $crate::datum::usual_choice(input, reading)
            }
        }

        impl $crate::Compared for $choice {
            type Item = Self;
        }

        impl $crate::TextLike for $choice {}

        impl ::core::fmt::Display for $choice {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($crate::datum::Choice::as_str(self))
            }
        }

        impl From<$choice> for $crate::Value {
            fn from(choice: $choice) -> Self {
                Self::Text($crate::datum::Choice::as_str(&choice).into())
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
/// # use nephos_core::datum::{FieldValue, Spelling};
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
