//! Cron expressions of six fields: reading them, and finding the next time that one names.

use jiff::{
    ToSpan,
    civil::{Date, DateTime, Time, Weekday},
};
use std::{collections::BTreeSet, ops::RangeInclusive};

/// The times that a cron expression names.
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
    /// `15W`: the day from Monday to Friday of the same month that is nearest to the date.
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

/// What a field can contain.
struct Field {
    name: &'static str,
    values: RangeInclusive<i16>,
    /// Names of the values, from the first one on.
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
    /// Reads minutes, hours, days of the month, months, days of the week and years.
    pub(super) fn parse(fields: &[String; 6]) -> Result<Self, String> {
        let [minutes, hours, days_of_month, months, days_of_week, years] =
            fields.each_ref().map(|field| field.to_ascii_uppercase());
        let days = match (days_of_month.as_str(), days_of_week.as_str()) {
            ("?", "?") => {
                return Err("the day of the month and the day of the week must not both be ?".to_owned());
            }
            ("?", days) => read_days(days, day_of_week)?,
            (days, "?") => read_days(days, day_of_month)?,
            (month, week) => {
                let why = "the day of the month or the day of the week must be ?";
                return Err(format!("{why}, got {month} and {week}"));
            }
        };
        Ok(Self {
            minutes: MINUTES.read(&minutes)?,
            hours: HOURS.read(&hours)?,
            days,
            months: MONTHS.read(&months)?,
            years: YEARS.read(&years)?,
        })
    }

    /// The next time after `time`; none if there is none any more.
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

    /// The first time of a day that is not before `start`.
    fn first_time(&self, start: Time) -> Option<Time> {
        let (hour, minute) = (i16::from(start.hour()), i16::from(start.minute()));
        let same_hour = self.minutes.range(minute..).next().filter(|_| self.hours.contains(&hour));
        let (hour, minute) = match same_hour {
            Some(minute) => (hour, *minute),
            None => (*self.hours.range(hour + 1..).next()?, *self.minutes.first()?),
        };
        Time::new(hour as i8, minute as i8, 0, 0).ok()
    }

    /// The first day that is not before `start`.
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

/// The number of a day of the week: Sunday is 1.
fn weekday(date: Date) -> i16 {
    i16::from(date.weekday().to_sunday_one_offset())
}

/// The day from Monday to Friday in the month of `date` that is nearest to it.
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

/// Reads a field of days, whose items `read_item` reads.
fn read_days(text: &str, read_item: fn(&str) -> Result<Vec<Day>, String>) -> Result<Vec<Day>, String> {
    // In either field, `*` is every day.
    if text == "*" {
        return Ok(DAYS_OF_MONTH.values.map(Day::Date).collect());
    }
    let items: Vec<_> = text.split(',').map(read_item).collect::<Result<_, _>>()?;
    Ok(items.concat())
}

fn day_of_month(item: &str) -> Result<Vec<Day>, String> {
    Ok(match item.strip_suffix('W') {
        Some("L") => vec![Day::LastWorkday],
        Some(day) if !day.is_empty() => vec![Day::NearestWorkday(DAYS_OF_MONTH.value(day)?)],
        None if item == "L" => vec![Day::LastDate],
        _ => DAYS_OF_MONTH.item(item)?.map(Day::Date).collect(),
    })
}

fn day_of_week(item: &str) -> Result<Vec<Day>, String> {
    if let Some((days, nth)) = item.split_once('#') {
        let days = DAYS_OF_WEEK.item(days)?;
        if nth == "L" {
            return Ok(days.map(Day::LastWeekday).collect());
        }
        let nth = number(nth).filter(|nth| (1..=5).contains(nth));
        let nth = nth.ok_or_else(|| format!("# is followed by 1 to 5 or L, got {item}"))? as i8;
        return Ok(days.map(|day| Day::NthWeekday(day, nth)).collect());
    }
    Ok(match item.strip_suffix('L') {
        // The last day of the week.
        Some("") => vec![Day::Weekday(*DAYS_OF_WEEK.values.end())],
        Some(day) => vec![Day::LastWeekday(DAYS_OF_WEEK.value(day)?)],
        None => DAYS_OF_WEEK.item(item)?.map(Day::Weekday).collect(),
    })
}

impl Field {
    /// The values of a whole field: `*`, or items with commas between them.
    fn read(&self, text: &str) -> Result<BTreeSet<i16>, String> {
        if text == "*" {
            return Ok(self.values.clone().collect());
        }
        let items: Vec<_> = text.split(',').map(|item| self.item(item)).collect::<Result<_, _>>()?;
        Ok(items.into_iter().flatten().collect())
    }

    /// The values of one item: `5`, `2-6`, and with a step `*/2`, `/2`, `2-6/2`, `5/2`, which is `5-59/2` in minutes.
    fn item(&self, item: &str) -> Result<impl Iterator<Item = i16> + use<>, String> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (item, None),
        };
        let (min, max) = (*self.values.start(), *self.values.end());
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (self.value(first)?, self.value(last)?),
            None if step.is_some() && ["", "*"].contains(&range) => (min, max),
            None if step.is_some() => (self.value(range)?, max),
            None => {
                let value = self.value(range)?;
                (value, value)
            }
        };
        if first > last {
            return Err(format!("a range of {} must not end before it starts, got {item}", self.name));
        }
        let step = match step {
            Some(step) => number(step)
                .filter(|step| *step > 0)
                .ok_or_else(|| format!("a step of {} must be a positive number, got {item}", self.name))?,
            None => 1,
        };
        Ok((first..=last).step_by(step as usize))
    }

    /// A single value, by its number or its name.
    fn value(&self, text: &str) -> Result<i16, String> {
        if text.is_empty() {
            return Err(format!("a number is missing in the {}", self.name));
        }
        let (min, max) = (*self.values.start(), *self.values.end());
        let named = self.names.iter().zip(min..).find(|(name, _)| **name == text).map(|(_, value)| value);
        let value = named.or_else(|| number(text)).filter(|value| self.values.contains(value));
        value.ok_or_else(|| format!("{} are from {min} to {max}, got {text}", self.name))
    }
}

/// A number written in digits only.
fn number(text: &str) -> Option<i16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
