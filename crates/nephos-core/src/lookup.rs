//! The thirty lookups of filters.

use crate::{Error, Result, Text, Value, field_value, time, value::Ref};
use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};
use regex::Regex;
use std::{cmp::Ordering, fmt};

macro_rules! lookups {
    ($($(#[doc = $docs:literal])+ $variant:ident = $name:literal),+ $(,)?) => {
        /// Comparison of a value in a filter.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Lookup {
            $($(#[doc = $docs])+ $variant),+
        }

        impl Lookup {
            /// All lookups.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Name of the lookup in the text form, after the last `__`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}

lookups! {
    /// Equal.
    Exact = "exact",
    /// Equal, ignoring case.
    IExact = "iexact",
    /// Contains the text.
    Contains = "contains",
    /// Contains the text, ignoring case.
    IContains = "icontains",
    /// Starts with the text.
    StartsWith = "startswith",
    /// Starts with the text, ignoring case.
    IStartsWith = "istartswith",
    /// Ends with the text.
    EndsWith = "endswith",
    /// Ends with the text, ignoring case.
    IEndsWith = "iendswith",
    /// Matches the regular expression anywhere.
    Regex = "regex",
    /// Matches the regular expression anywhere, ignoring case.
    IRegex = "iregex",
    /// Equal to one of several values.
    In = "in",
    /// Greater than.
    Gt = "gt",
    /// Greater than or equal.
    Gte = "gte",
    /// Less than.
    Lt = "lt",
    /// Less than or equal.
    Lte = "lte",
    /// Null (`true`), or not (`false`).
    IsNull = "isnull",
    /// Mapping with the key.
    HasKey = "has_key",
    /// Date, in UTC.
    Date = "date",
    /// Time of day, in UTC.
    Time = "time",
    /// Year, in UTC.
    Year = "year",
    /// Month, in UTC, January = 1.
    Month = "month",
    /// Day of the month, in UTC.
    Day = "day",
    /// Hour, in UTC.
    Hour = "hour",
    /// Minute, in UTC.
    Minute = "minute",
    /// Second, in UTC.
    Second = "second",
    /// Quarter of the year, in UTC, 1 to 4.
    Quarter = "quarter",
    /// Year of the ISO week, in UTC.
    IsoYear = "iso_year",
    /// ISO week, in UTC.
    Week = "week",
    /// Day of the week, in UTC, Monday = 1 … Sunday = 7.
    IsoWeekDay = "iso_week_day",
    /// Day of the week, in UTC, Sunday = 1 … Saturday = 7.
    WeekDay = "week_day",
}

impl Lookup {
    /// Finds the lookup of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|lookup| lookup.name() == name)
    }

    /// True for lookups of a date or a time of day.
    pub(crate) fn is_time_lookup(self) -> bool {
        use Lookup as L;
        matches!(
            self,
            L::Date | L::Time | L::Year | L::Month | L::Day | L::Hour | L::Minute | L::Second | L::Quarter
        ) || matches!(self, L::IsoYear | L::Week | L::IsoWeekDay | L::WeekDay)
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A lookup with its argument, compiled.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    Same(Value),
    SameFolded(String),
    Text {
        position: TextMatch,
        fold: bool,
        wanted: Text,
    },
    Regex(Regex),
    In(Vec<Value>),
    Order {
        value: Value,
        accepts: fn(Ordering) -> bool,
    },
    IsNull(bool),
    HasKey(Text),
    Date(Date),
    Time(Time),
    Part {
        part: fn(&DateTime) -> i64,
        wanted: i64,
    },
    /// Matches no value, because no field can have the argument.
    Never,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TextMatch {
    Contains,
    StartsWith,
    EndsWith,
}

impl Matcher {
    /// Compiles `lookup` with `value`; an error for an argument that the lookup cannot take.
    pub(crate) fn new(lookup: Lookup, value: Value) -> Result<Self> {
        use Lookup as L;
        let text = |position, fold| {
            let Some(wanted) = value.view().text_form() else { return Ok(Self::Never) };
            let wanted = if fold { wanted.to_lowercase().into() } else { wanted.as_ref().into() };
            Ok(Self::Text { position, fold, wanted })
        };
        let order = |accepts| Ok(Self::Order { value: value.clone(), accepts });
        match lookup {
            L::Exact if value == Value::Null => Ok(Self::IsNull(true)),
            L::Exact => Ok(Self::Same(value)),
            L::IExact => Ok(match value.view().text_form() {
                Some(text) => Self::SameFolded(text.to_lowercase()),
                None if value == Value::Null => Self::IsNull(true),
                None => Self::Never,
            }),
            L::Contains => text(TextMatch::Contains, false),
            L::IContains => text(TextMatch::Contains, true),
            L::StartsWith => text(TextMatch::StartsWith, false),
            L::IStartsWith => text(TextMatch::StartsWith, true),
            L::EndsWith => text(TextMatch::EndsWith, false),
            L::IEndsWith => text(TextMatch::EndsWith, true),
            L::Regex | L::IRegex => {
                let expression = value
                    .view()
                    .text_form()
                    .ok_or_else(|| invalid_argument(lookup, "takes an expression"))?;
                let built =
                    regex::RegexBuilder::new(&expression).case_insensitive(lookup == L::IRegex).build();
                let invalid =
                    |_| invalid_argument(lookup, &format!("{expression:?} is not a regular expression"));
                built.map(Self::Regex).map_err(invalid)
            }
            L::In => match value {
                Value::List(items) => Ok(Self::In(items)),
                Value::Map(map) => Ok(Self::In(map.into_keys().map(Value::Text).collect())),
                _ => Err(invalid_argument(lookup, "takes a list")),
            },
            L::Gt => order(Ordering::is_gt),
            L::Gte => order(Ordering::is_ge),
            L::Lt => order(Ordering::is_lt),
            L::Lte => order(Ordering::is_le),
            L::IsNull => as_bool(&value)
                .map(Self::IsNull)
                .ok_or_else(|| invalid_argument(lookup, "takes true or false")),
            L::HasKey => match value {
                Value::Text(key) => Ok(Self::HasKey(key)),
                _ => Err(invalid_argument(lookup, "takes a key")),
            },
            L::Date => as_date(&value)
                .map(Self::Date)
                .ok_or_else(|| invalid_argument(lookup, "takes a date like 2026-01-31")),
            L::Time => as_time(&value)
                .map(Self::Time)
                .ok_or_else(|| invalid_argument(lookup, "takes a time like 12:30:00")),
            _ => {
                let wanted =
                    as_int(&value).ok_or_else(|| invalid_argument(lookup, "takes a whole number"))?;
                Ok(Self::Part { part: time_part(lookup), wanted })
            }
        }
    }

    /// True if null matches.
    pub(crate) fn accepts_null(&self) -> bool {
        matches!(self, Self::IsNull(true))
    }

    /// True if `value`, which is not null, matches. A list matches if any of its items does.
    pub(crate) fn accepts(&self, value: Ref<'_>) -> bool {
        if let Ref::List(items) = value {
            let whole = matches!(self, Self::Same(Value::List(_))) && self.accepts_one(value);
            let mut items = (0..items.len()).map(|n| items.item(n)).filter(|item| !item.is_null());
            return whole || items.any(|item| self.accepts(item));
        }
        self.accepts_one(value)
    }

    fn accepts_one(&self, value: Ref<'_>) -> bool {
        match self {
            Self::Same(wanted) => value.same(&wanted.view()),
            Self::SameFolded(wanted) => value.text_form().is_some_and(|text| text.to_lowercase() == *wanted),
            Self::Text { position, fold, wanted } => match value.text_form() {
                Some(text) if *fold => position.test(&text.to_lowercase(), wanted),
                Some(text) => position.test(&text, wanted),
                None => false,
            },
            Self::Regex(regex) => value.text_form().is_some_and(|text| regex.is_match(&text)),
            Self::In(items) => items.iter().any(|item| value.same(&item.view())),
            Self::Order { value: wanted, accepts } => value.compare(&wanted.view()).is_some_and(accepts),
            Self::IsNull(wanted) => !wanted,
            Self::HasKey(key) => match value {
                Ref::Map(map) => map.find(key).is_some(),
                Ref::Record(record) => record.shape().field(key).is_some(),
                _ => false,
            },
            Self::Date(wanted) => utc(value).is_some_and(|utc| utc.date() == *wanted),
            Self::Time(wanted) => utc(value).is_some_and(|utc| utc.time() == *wanted),
            Self::Part { part, wanted } => utc(value).is_some_and(|utc| part(&utc) == *wanted),
            Self::Never => false,
        }
    }
}

impl TextMatch {
    fn test(self, text: &str, wanted: &str) -> bool {
        match self {
            Self::Contains => text.contains(wanted),
            Self::StartsWith => text.starts_with(wanted),
            Self::EndsWith => text.ends_with(wanted),
        }
    }
}

fn invalid_argument(lookup: Lookup, message: &str) -> Error {
    Error::invalid(lookup.name(), message)
}

fn utc(value: Ref<'_>) -> Option<DateTime> {
    match value {
        Ref::Time(instant) => Some(TimeZone::UTC.to_datetime(instant)),
        _ => None,
    }
}

fn time_part(lookup: Lookup) -> fn(&DateTime) -> i64 {
    match lookup {
        Lookup::Year => |at| at.year().into(),
        Lookup::Month => |at| at.month().into(),
        Lookup::Day => |at| at.day().into(),
        Lookup::Hour => |at| at.hour().into(),
        Lookup::Minute => |at| at.minute().into(),
        Lookup::Second => |at| at.second().into(),
        Lookup::Quarter => |at| i64::from((at.month() - 1) / 3 + 1),
        Lookup::IsoYear => |at| at.date().iso_week_date().year().into(),
        Lookup::Week => |at| at.date().iso_week_date().week().into(),
        Lookup::IsoWeekDay => |at| at.weekday().to_monday_one_offset().into(),
        _ => |at| at.weekday().to_sunday_one_offset().into(),
    }
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Text(text) => field_value::parse_bool(text),
        _ => None,
    }
}

fn as_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn as_date(value: &Value) -> Option<Date> {
    match value {
        Value::Time(instant) => Some(TimeZone::UTC.to_datetime(*instant).date()),
        Value::Text(text) => time::parse(text).map(|at| TimeZone::UTC.to_datetime(at).date()),
        _ => None,
    }
}

fn as_time(value: &Value) -> Option<Time> {
    match value {
        Value::Time(instant) => Some(TimeZone::UTC.to_datetime(*instant).time()),
        Value::Text(text) => {
            // An instant is converted to UTC; a time of day alone is in UTC.
            let instant = text.parse().ok().map(|at: Timestamp| TimeZone::UTC.to_datetime(at).time());
            instant.or_else(|| text.parse().ok())
        }
        _ => None,
    }
}
