//! Cron expressions with six fields: parsing, and finding the next matching time.

use jiff::{
    ToSpan,
    civil::{Date, DateTime, Time, Weekday},
};
use std::{collections::BTreeSet, ops::RangeInclusive};

/// A parsed cron expression: the times that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    minutes: BTreeSet<i16>,
    hours: BTreeSet<i16>,
    days: Vec<Day>,
    months: BTreeSet<i16>,
    years: BTreeSet<i16>,
}

/// Days of a month that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// `15`
    Date(i16),
    /// `L`
    LastDate,
    /// `15W`: the weekday from Monday to Friday of the same month that is nearest to the date.
    NearestWorkday(i16),
    /// `LW`
    LastWorkday,
    /// `MON`
    Weekday(i16),
    /// `MON#2`
    NthWeekday(i16, i8),
    /// `MONL`, `MON#L`
    LastWeekday(i16),
}

/// A field of a cron expression, and the values that it allows.
struct Field {
    name: &'static str,
    values: RangeInclusive<i16>,
    /// Names of the values, starting with the first value.
    names: &'static [&'static str],
}

const MINUTES: Field = Field { name: "minutes", values: 0..=59, names: &[] };
const HOURS: Field = Field { name: "hours", values: 0..=23, names: &[] };
const DAYS_OF_MONTH: Field = Field { name: "days of the month", values: 1..=31, names: &[] };
const MONTHS: Field = Field {
    name: "months",
    values: 1..=12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
};
const DAYS_OF_WEEK: Field = Field {
    name: "days of the week",
    values: 1..=7,
    names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
};
const YEARS: Field = Field { name: "years", values: 1970..=2199, names: &[] };

impl Cron {
    /// Parses minutes, hours, days of the month, months, days of the week and years.
    pub(super) fn parse(fields: &[String; 6]) -> Result<Self, String> {
        let [minutes, hours, days_of_month, months, days_of_week, years] =
            fields.each_ref().map(|field| field.to_ascii_uppercase());
        let days = match (days_of_month.as_str(), days_of_week.as_str()) {
            ("?", "?") => {
                return Err("the day of the month and the day of the week cannot both be ?".to_owned());
            }
            ("?", days) => parse_days(days, parse_day_of_week)?,
            (days, "?") => parse_days(days, parse_day_of_month)?,
            (month, week) => {
                let message = "the day of the month or the day of the week must be ?";
                return Err(format!("{message}, got {month} and {week}"));
            }
        };
        Ok(Self {
            minutes: MINUTES.parse(&minutes)?,
            hours: HOURS.parse(&hours)?,
            days,
            months: MONTHS.parse(&months)?,
            years: YEARS.parse(&years)?,
        })
    }

    /// Returns the next matching time after `time`, if there is one.
    pub(super) fn next_after(&self, time: DateTime) -> Option<DateTime> {
        let minute = time.with().second(0).subsec_nanosecond(0).build().ok()?;
        let start = minute.checked_add(1.minute()).ok()?;
        let today = start.date();
        if let Some(time) = self.first_time(start.time()).filter(|_| self.has_date(today)) {
            return Some(today.to_datetime(time));
        }
        let date = self.first_date(today.tomorrow().ok()?)?;
        Some(date.to_datetime(self.first_time(Time::midnight())?))
    }

    /// Returns the first matching time of a day, from `start` on.
    fn first_time(&self, start: Time) -> Option<Time> {
        let (hour, minute) = (i16::from(start.hour()), i16::from(start.minute()));
        let same_hour = self.minutes.range(minute..).next().filter(|_| self.hours.contains(&hour));
        let (hour, minute) = match same_hour {
            Some(minute) => (hour, *minute),
            None => (*self.hours.range(hour + 1..).next()?, *self.minutes.first()?),
        };
        Time::new(hour as i8, minute as i8, 0, 0).ok()
    }

    /// Returns the first matching day, from `start` on.
    fn first_date(&self, start: Date) -> Option<Date> {
        for &year in self.years.range(start.year()..) {
            for &month in &self.months {
                let first = Date::new(year, month as i8, 1).ok()?;
                if first.last_of_month() < start {
                    continue;
                }
                let days = first.max(start).series(1.day());
                let mut days = days.take_while(|day| day.month() == first.month());
                if let Some(day) = days.find(|day| self.has_day(*day)) {
                    return Some(day);
                }
            }
        }
        None
    }

    fn has_date(&self, date: Date) -> bool {
        let month = i16::from(date.month());
        self.years.contains(&date.year()) && self.months.contains(&month) && self.has_day(date)
    }

    fn has_day(&self, date: Date) -> bool {
        self.days.iter().any(|day| day.matches(date))
    }
}

impl Day {
    fn matches(self, date: Date) -> bool {
        match self {
            Self::Date(day) => i16::from(date.day()) == day,
            Self::LastDate => date == date.last_of_month(),
            Self::NearestWorkday(day) => {
                date.with().day(day as i8).build().is_ok_and(|day| nearest_workday(day) == date)
            }
            Self::LastWorkday => nearest_workday(date.last_of_month()) == date,
            Self::Weekday(day) => weekday(date) == day,
            Self::NthWeekday(day, nth) => weekday(date) == day && (date.day() - 1) / 7 + 1 == nth,
            Self::LastWeekday(day) => weekday(date) == day && date.day() + 7 > date.days_in_month(),
        }
    }
}

/// Number of the day of the week; Sunday is 1.
fn weekday(date: Date) -> i16 {
    i16::from(date.weekday().to_sunday_one_offset())
}

/// Returns the weekday from Monday to Friday in the month of `date` that is nearest to it.
fn nearest_workday(date: Date) -> Date {
    let days = match date.weekday() {
        Weekday::Saturday if date.day() == 1 => 2,
        Weekday::Saturday => -1,
        Weekday::Sunday if date == date.last_of_month() => -2,
        Weekday::Sunday => 1,
        _ => 0,
    };
    date.saturating_add(days.days())
}

/// Parses a field of days, with `parse_item` for each of its items.
fn parse_days(text: &str, parse_item: fn(&str) -> Result<Vec<Day>, String>) -> Result<Vec<Day>, String> {
    // In both fields, `*` is every day.
    if text == "*" {
        return Ok(DAYS_OF_MONTH.values.map(Day::Date).collect());
    }
    let items: Vec<_> = text.split(',').map(parse_item).collect::<Result<_, _>>()?;
    Ok(items.concat())
}

fn parse_day_of_month(item: &str) -> Result<Vec<Day>, String> {
    Ok(match item.strip_suffix('W') {
        Some("L") => vec![Day::LastWorkday],
        Some(day) if !day.is_empty() => vec![Day::NearestWorkday(DAYS_OF_MONTH.parse_value(day)?)],
        None if item == "L" => vec![Day::LastDate],
        _ => DAYS_OF_MONTH.parse_item(item)?.map(Day::Date).collect(),
    })
}

fn parse_day_of_week(item: &str) -> Result<Vec<Day>, String> {
    if let Some((days, nth)) = item.split_once('#') {
        let days = DAYS_OF_WEEK.parse_item(days)?;
        if nth == "L" {
            return Ok(days.map(Day::LastWeekday).collect());
        }
        let nth = parse_number(nth).filter(|nth| (1..=5).contains(nth));
        let nth = nth.ok_or_else(|| format!("# must be followed by 1 to 5 or L, got {item}"))? as i8;
        return Ok(days.map(|day| Day::NthWeekday(day, nth)).collect());
    }
    Ok(match item.strip_suffix('L') {
        // `L` alone is the last day of the week.
        Some("") => vec![Day::Weekday(*DAYS_OF_WEEK.values.end())],
        Some(day) => vec![Day::LastWeekday(DAYS_OF_WEEK.parse_value(day)?)],
        None => DAYS_OF_WEEK.parse_item(item)?.map(Day::Weekday).collect(),
    })
}

impl Field {
    /// Parses a whole field: `*`, or items with commas between them.
    fn parse(&self, text: &str) -> Result<BTreeSet<i16>, String> {
        if text == "*" {
            return Ok(self.values.clone().collect());
        }
        let items: Vec<_> = text.split(',').map(|item| self.parse_item(item)).collect::<Result<_, _>>()?;
        Ok(items.into_iter().flatten().collect())
    }

    /// Parses one item: `5`, `2-6`, or with a step `*/2`, `/2`, `2-6/2`, `5/2`; the last is `5-59/2` in minutes.
    fn parse_item(&self, item: &str) -> Result<impl Iterator<Item = i16> + use<>, String> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (item, None),
        };
        let (min, max) = (*self.values.start(), *self.values.end());
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (self.parse_value(first)?, self.parse_value(last)?),
            None if step.is_some() && ["", "*"].contains(&range) => (min, max),
            None if step.is_some() => (self.parse_value(range)?, max),
            None => {
                let value = self.parse_value(range)?;
                (value, value)
            }
        };
        if first > last {
            return Err(format!("a range of {} must not end before it starts, got {item}", self.name));
        }
        let step = match step {
            Some(step) => parse_number(step)
                .filter(|step| *step > 0)
                .ok_or_else(|| format!("a step of {} must be a positive number, got {item}", self.name))?,
            None => 1,
        };
        Ok((first..=last).step_by(step as usize))
    }

    /// Parses a single value: its number or its name.
    fn parse_value(&self, text: &str) -> Result<i16, String> {
        if text.is_empty() {
            return Err(format!("a number is missing in the {}", self.name));
        }
        let (min, max) = (*self.values.start(), *self.values.end());
        let named = self.names.iter().zip(min..).find(|(name, _)| **name == text).map(|(_, value)| value);
        let value = named.or_else(|| parse_number(text)).filter(|value| self.values.contains(value));
        value.ok_or_else(|| format!("{} must be from {min} to {max}, got {text}", self.name))
    }
}

/// Parses a number of digits only.
fn parse_number(text: &str) -> Option<i16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
