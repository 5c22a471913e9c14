//! The thirty lookups that a filter can ask for.

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
        /// What a filter asks of a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Lookup {
            $($(#[doc = $docs])+ $variant),+
        }

        impl Lookup {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name in the text form, after the last `__`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}

lookups! {
    /// The same.
    Exact = "exact",
    /// The same, whatever the letter case.
    IExact = "iexact",
    /// Text that contains.
    Contains = "contains",
    /// Text that contains, whatever the letter case.
    IContains = "icontains",
    /// Text that starts with.
    StartsWith = "startswith",
    /// Text that starts with, whatever the letter case.
    IStartsWith = "istartswith",
    /// Text that ends with.
    EndsWith = "endswith",
    /// Text that ends with, whatever the letter case.
    IEndsWith = "iendswith",
    /// Text in which the expression is found.
    Regex = "regex",
    /// Text in which the expression is found, whatever the letter case.
    IRegex = "iregex",
    /// One of several.
    In = "in",
    /// Greater.
    Gt = "gt",
    /// Greater or the same.
    Gte = "gte",
    /// Less.
    Lt = "lt",
    /// Less or the same.
    Lte = "lte",
    /// Null (`true`), or not (`false`).
    IsNull = "isnull",
    /// A mapping that has the key.
    HasKey = "has_key",
    /// The date, in UTC.
    Date = "date",
    /// The time of day, in UTC.
    Time = "time",
    /// The year, in UTC.
    Year = "year",
    /// The month, in UTC, January = 1.
    Month = "month",
    /// The day of the month, in UTC.
    Day = "day",
    /// The hour, in UTC.
    Hour = "hour",
    /// The minute, in UTC.
    Minute = "minute",
    /// The second, in UTC.
    Second = "second",
    /// The quarter of the year, in UTC, 1 to 4.
    Quarter = "quarter",
    /// The year of the ISO week, in UTC.
    IsoYear = "iso_year",
    /// The ISO week, in UTC.
    Week = "week",
    /// The day of the week, in UTC, Monday = 1 … Sunday = 7.
    IsoWeekDay = "iso_week_day",
    /// The day of the week, in UTC, Sunday = 1 … Saturday = 7.
    WeekDay = "week_day",
}

impl Lookup {
    /// The lookup of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|lookup| lookup.name() == name)
    }

    /// True for the lookups on a date or a time of day.
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

/// A lookup with what it looks for, made ready.
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
    /// The value asked for can be had by no field.
    Never,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TextMatch {
    Contains,
    StartsWith,
    EndsWith,
}

impl Matcher {
    /// Makes ready `lookup` for `value`; refuses what no value could ever be asked.
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
                let expression =
                    value.view().text_form().ok_or_else(|| invalid_argument(lookup, "takes an expression"))?;
                let built =
                    regex::RegexBuilder::new(&expression).case_insensitive(lookup == L::IRegex).build();
                let message = |_| invalid_argument(lookup, &format!("{expression:?} is not a regular expression"));
                built.map(Self::Regex).map_err(message)
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
            L::IsNull => as_bool(&value).map(Self::IsNull).ok_or_else(|| invalid_argument(lookup, "takes true or false")),
            L::HasKey => match value {
                Value::Text(key) => Ok(Self::HasKey(key)),
                _ => Err(invalid_argument(lookup, "takes a key")),
            },
            L::Date => {
                as_date(&value).map(Self::Date).ok_or_else(|| invalid_argument(lookup, "takes a date like 2026-01-31"))
            }
            L::Time => {
                as_time(&value).map(Self::Time).ok_or_else(|| invalid_argument(lookup, "takes a time like 12:30:00"))
            }
            _ => {
                let wanted = as_int(&value).ok_or_else(|| invalid_argument(lookup, "takes a whole number"))?;
                Ok(Self::Part { part: time_part(lookup), wanted })
            }
        }
    }

    /// Whether the question is answered by null, too.
    pub(crate) fn accepts_null(&self) -> bool {
        matches!(self, Self::IsNull(true))
    }

    /// Whether `value`, which is not null, is what was asked for. A list is if any of its items is.
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
            // An instant is brought to UTC; a time of day alone is one of UTC.
            let instant = text.parse().ok().map(|at: Timestamp| TimeZone::UTC.to_datetime(at).time());
            instant.or_else(|| text.parse().ok())
        }
        _ => None,
    }
}
