//! Numbers of events and patterns, which are compared by value.

use nephos_core::Value;
use std::fmt;

/// A number: `300`, `300.0` and `3.0e2` are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    /// A whole number.
    Whole(i64),
    /// Bits of a number with a fraction, or of a whole number that is too large for the other variant.
    Float(u64),
}

/// Largest absolute value that operators compare.
const MAX_COMPARED: f64 = 5.0e9;

impl Number {
    /// Parses the digits of a JSON number.
    pub(super) fn parse(digits: &str) -> Self {
        match digits.parse() {
            Ok(whole) => Self::Whole(whole),
            Err(_) => Self::from_f64(digits.parse().unwrap_or(f64::NAN)),
        }
    }

    pub(super) fn from_f64(number: f64) -> Self {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        if number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number) {
            Self::Whole(number as i64)
        } else {
            Self::Float(number.to_bits())
        }
    }

    pub(super) fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Int(whole) => Some(Self::Whole(*whole)),
            Value::Float(number) => Some(Self::from_f64(*number)),
            _ => None,
        }
    }

    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(bits) => f64::from_bits(bits),
        }
    }

    /// Returns the number if operators can compare it: the provider limits them to five billions.
    pub(super) fn compared(self) -> Option<f64> {
        Some(self.as_f64()).filter(|number| number.abs() <= MAX_COMPARED)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(f),
            Self::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
        }
    }
}

/// Range of numbers of the operator `numeric`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) low: Bound,
    pub(super) high: Bound,
}

/// End of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) number: f64,
    /// True if the number itself belongs to the range.
    pub(super) included: bool,
    /// True if the pattern names the bound; otherwise it is the limit of the operator.
    pub(super) named: bool,
}

impl Bound {
    pub(super) fn new(number: f64, included: bool) -> Self {
        Self { number, included, named: true }
    }
}

impl Range {
    /// Range from `low`, up to `high`; without limits where there is no bound.
    pub(super) fn new(low: Option<Bound>, high: Option<Bound>) -> Self {
        let limit = |number| Bound { number, included: true, named: false };
        Self { low: low.unwrap_or(limit(-MAX_COMPARED)), high: high.unwrap_or(limit(MAX_COMPARED)) }
    }

    pub(super) fn contains(&self, number: Number) -> bool {
        let Some(number) = number.compared() else { return false };
        let Self { low, high } = self;
        (number > low.number || (low.included && number == low.number))
            && (number < high.number || (high.included && number == high.number))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high } = self;
        f.write_str("[")?;
        if low.named {
            write!(f, "\"{}\",{}", if low.included { ">=" } else { ">" }, Number::from_f64(low.number))?;
        }
        if low.named && high.named {
            f.write_str(",")?;
        }
        if high.named {
            write!(f, "\"{}\",{}", if high.included { "<=" } else { "<" }, Number::from_f64(high.number))?;
        }
        f.write_str("]")
    }
}
