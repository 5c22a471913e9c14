//! Scalars, and the values that each is read from.

use super::{FieldType, FieldValue, Mismatch, Open, Reading, take_from};
use crate::{Blob, Secret, Text, json::Input, shape::Type, time, value::Ref};
use jiff::Timestamp;

macro_rules! scalar {
    ($ty:ty, $shape:ident, $blank:expr, |$this:ident| $view:expr, |$value:ident, $reading:ident| $put:expr, $want:literal $(, |$input:ident| $fast:expr)?) => {
        impl FieldValue for $ty {
            fn view(&self) -> Ref<'_> {
                let $this = self;
                $view
            }

            fn put(&mut self, value: Ref<'_>, reading: Reading) -> Result<(), Mismatch> {
                *self = Self::read(value, reading)?;
                Ok(())
            }

            fn reopen(&mut self) -> Open<'_> {
                Open::Scalar
            }

            fn take_fast(&mut self, input: &mut Input<'_>, reading: Reading) -> bool {
                let start = input.position();
                match Self::read_fast(input, reading) {
                    Some(value) => {
                        *self = value;
                        true
                    }
                    None => {
                        input.go_back(start);
                        false
                    }
                }
            }

            fn fresh(&self) -> Box<dyn FieldValue> {
                Box::new(Self::blank())
            }

            fn take_from(&mut self, other: &mut dyn FieldValue) -> bool {
                take_from(self, other)
            }
        }

        impl FieldType for $ty {
            const TYPE: Type = Type::$shape;

            fn blank() -> Self {
                $blank
            }

            #[inline]
            fn read($value: Ref<'_>, $reading: Reading) -> Result<Self, Mismatch> {
                $put.ok_or(Mismatch($want))
            }

            // A value returned through memory would be slower.
            #[inline(always)]
            fn read_fast(_input: &mut Input<'_>, _reading: Reading) -> Option<Self> {
                $(let $input = _input;
                return $fast;)?
                #[allow(unreachable_code, reason = "reached by types without a fast path")]
                None
            }
        }
    };
}

scalar!(
    bool,
    Bool,
    false,
    |this| Ref::Bool(*this),
    |value, reading| bool_from(value, reading),
    "true or false",
    |input| input.fast_bool()
);
scalar!(
    i64,
    Int,
    0,
    |this| Ref::Int(*this),
    |value, reading| int_from(value, reading),
    "a whole number",
    |input| input.fast_int()
);
scalar!(
    f64,
    Float,
    0.0,
    |this| Ref::Float(*this),
    |value, reading| float_from(value, reading),
    "a number",
    |input| input.fast_float()
);
scalar!(
    Text,
    Text,
    Text::const_new(""),
    |this| Ref::Text(this),
    |value, _reading| text_from(value),
    "text",
    |input| input.fast_text_inline().map(Text::new)
);
scalar!(
    Timestamp,
    Time,
    Timestamp::UNIX_EPOCH,
    |this| Ref::Time(*this),
    |value, _reading| time_from(value),
    "a datetime",
    |input| time::parse_fast(input.fast_text()?.as_bytes())
);
scalar!(
    Blob,
    Blob,
    Blob(Vec::new()),
    |this| Ref::Blob(&this.0),
    |value, _reading| blob_from(value),
    "bytes in base64"
);
scalar!(
    Secret,
    Secret,
    Secret::default(),
    |this| Ref::Secret(this),
    |value, _reading| secret_from(value),
    "text"
);

fn bool_from(value: Ref<'_>, reading: Reading) -> Option<bool> {
    match value {
        Ref::Bool(value) => Some(value),
        Ref::Text(text) if reading.from_text => parse_bool(text),
        _ => None,
    }
}

/// Parses a bool in any of its spellings.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "1" | "yes" | "y" | "on" => Some(true),
        "false" | "f" | "0" | "no" | "n" | "off" => Some(false),
        _ => None,
    }
}

fn int_from(value: Ref<'_>, reading: Reading) -> Option<i64> {
    match value {
        Ref::Int(value) => Some(value),
        // A number without a fraction counts as a whole number in any notation.
        Ref::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(value as i64),
        Ref::Text(text) if reading.from_text => text.trim().parse().ok(),
        _ => None,
    }
}

fn float_from(value: Ref<'_>, reading: Reading) -> Option<f64> {
    match value {
        Ref::Float(value) => Some(value),
        Ref::Int(value) => Some(value as f64),
        Ref::Text(text) if reading.from_text => {
            text.trim().parse().ok().filter(|value: &f64| value.is_finite())
        }
        _ => None,
    }
}

fn text_from(value: Ref<'_>) -> Option<Text> {
    value.as_text().map(Text::new)
}

fn time_from(value: Ref<'_>) -> Option<Timestamp> {
    match value {
        Ref::Time(value) => Some(value),
        Ref::Int(seconds) => Timestamp::from_second(seconds).ok(),
        Ref::Float(seconds) => time::from_seconds(seconds),
        Ref::Text(text) => time::parse(text),
        _ => None,
    }
}

fn blob_from(value: Ref<'_>) -> Option<Blob> {
    match value {
        Ref::Blob(bytes) => Some(Blob(bytes.to_vec())),
        Ref::Text(text) => Blob::from_base64(text),
        _ => None,
    }
}

fn secret_from(value: Ref<'_>) -> Option<Secret> {
    match value {
        Ref::Secret(secret) => Some(secret.clone()),
        _ => value.as_text().map(Secret::from),
    }
}
