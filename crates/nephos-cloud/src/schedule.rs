//! Schedules as the provider writes them: `rate(10 days)`, `cron(0 8 1 * ? *)`, in UTC.

use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use nephos_core::{Error, Result, SignedDuration, Timestamp};

/// What the values of a `rate` are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days.
    Days,
}

impl Unit {
    /// So many of it.
    pub fn times(self, count: i64) -> SignedDuration {
        let seconds = match self {
            Self::Minutes => 60,
            Self::Hours => 60 * 60,
            Self::Days => 24 * 60 * 60,
        };
        SignedDuration::from_secs(count.saturating_mul(seconds))
    }
}

/// When something happens, again and again.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Every so often.
    Rate {
        /// How many.
        count: i64,
        /// Of what.
        unit: Unit,
    },
    /// At the times that a cron expression names.
    Cron {
        /// Minutes, hours, days of the month, months, days of the week and years, as they are written.
        fields: [String; 6],
        /// The same, to be evaluated.
        cron: Box<Cron>,
    },
}

/// The largest value that each field of a cron expression has; the smallest is 1 but for the first two.
const MOST: [u32; 6] = [59, 23, 31, 12, 7, 2199];

fn wrong(why: impl Into<String>) -> Error {
    Error::new(nephos_core::ErrorKind::Invalid, why)
}

impl Schedule {
    /// The schedule that `text` says.
    pub fn parse(text: &str) -> Result<Self> {
        let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(rate) = inside("rate") {
            return Self::rate(rate);
        }
        match inside("cron") {
            Some(cron) => Self::cron(cron),
            None => Err(wrong("a schedule is written like rate(10 days) or cron(0 8 1 * ? *)")),
        }
    }

    fn rate(text: &str) -> Result<Self> {
        let form = || wrong("a rate is written like rate(1 day) or rate(10 days)");
        let (count, unit) = text.trim().split_once(' ').ok_or_else(form)?;
        let digits = count.bytes().all(|byte| byte.is_ascii_digit());
        let count: i64 = count.parse().ok().filter(|count| digits && *count > 0).ok_or_else(form)?;
        let unit = match (unit.trim(), count) {
            ("minute", 1) => Unit::Minutes,
            ("hour", 1) => Unit::Hours,
            ("day", 1) => Unit::Days,
            ("minutes", 2..) => Unit::Minutes,
            ("hours", 2..) => Unit::Hours,
            ("days", 2..) => Unit::Days,
            _ => return Err(form()),
        };
        Ok(Self::Rate { count, unit })
    }

    fn cron(text: &str) -> Result<Self> {
        let fields: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let count = fields.len();
        let Ok(fields) = <[String; 6]>::try_from(fields) else {
            return Err(wrong(format!(
                "a cron expression has six fields, minutes hours day-of-month month day-of-week year, not {count}"
            )));
        };
        if (fields[2] == "?") == (fields[4] == "?") {
            let why = "of the day of the month and the day of the week, one is said and the other is ?";
            return Err(wrong(format!("cron({text}): {why}")));
        }
        let mut spelled = String::from("0");
        for (n, field) in fields.iter().enumerate() {
            spelled.push(' ');
            spelled.push_str(&field.split(',').map(|part| stepped(part, n)).collect::<Vec<_>>().join(","));
        }
        let parser = CronParser::builder()
            .seconds(Seconds::Required)
            .year(Year::Required)
            // The provider counts days of the week from Sunday, which is 1.
            .alternative_weekdays(true)
            .build();
        let cron = parser.parse(&spelled).map_err(|error| wrong(format!("cron({text}): {error}")))?;
        Ok(Self::Cron { fields, cron: Box::new(cron) })
    }

    /// The next time after `time`; none if there is none any more. A rate is counted from `time`.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Rate { count, unit } => time.checked_add(unit.times(*count)).ok(),
            Self::Cron { cron, .. } => {
                let start = jiff::tz::Offset::UTC.to_datetime(time);
                let next = cron.find_next_occurrence(&start, false).ok()?;
                jiff::tz::Offset::UTC.to_timestamp(next).ok()
            }
        }
    }
}

/// A part of a field, with the end of a range that steps begin written out: `0/15` is `0-59/15`.
fn stepped(part: &str, field: usize) -> String {
    let Some((start, step)) = part.split_once('/') else { return part.to_owned() };
    let most = MOST[field];
    match start {
        "" => format!("*/{step}"),
        start if start.bytes().all(|byte| byte.is_ascii_digit()) => format!("{start}-{most}/{step}"),
        start => format!("{start}/{step}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(schedule: &str, from: &str, count: usize) -> Vec<String> {
        let schedule = Schedule::parse(schedule).unwrap();
        let mut time: Timestamp = from.parse().unwrap();
        let mut next = || {
            time = schedule.next_after(time)?;
            Some(time.to_string())
        };
        (0..count).map_while(|_| next()).collect()
    }

    #[test]
    fn rates_count_from_where_they_are_asked() {
        assert_eq!(
            times("rate(1 day)", "2026-01-31T12:00:00Z", 2),
            ["2026-02-01T12:00:00Z", "2026-02-02T12:00:00Z"]
        );
        assert_eq!(times("rate(90 minutes)", "2026-01-31T12:00:00Z", 1), ["2026-01-31T13:30:00Z"]);
        assert_eq!(times("rate(2 hours)", "2026-12-31T23:00:00Z", 1), ["2027-01-01T01:00:00Z"]);
    }

    #[test]
    fn cron_expressions_name_times() {
        for (schedule, from, expected) in [
            ("cron(0 8 * * ? *)", "2026-01-31T08:00:00Z", "2026-02-01T08:00:00Z"),
            ("cron(0/15 * * * ? *)", "2026-01-31T08:50:00Z", "2026-01-31T09:00:00Z"),
            ("cron(0 /8 * * ? *)", "2026-01-31T08:00:00Z", "2026-01-31T16:00:00Z"),
            ("cron(0 6/12 * * ? *)", "2026-01-31T08:00:00Z", "2026-01-31T18:00:00Z"),
            ("cron(0 16 L * ? *)", "2026-01-31T16:00:00Z", "2026-02-28T16:00:00Z"),
            ("cron(0 17 ? * MON#1 *)", "2026-01-31T16:00:00Z", "2026-02-02T17:00:00Z"),
            ("cron(0 0 ? * 1 *)", "2026-01-31T16:00:00Z", "2026-02-01T00:00:00Z"),
            ("cron(0 0 ? * 2-6 *)", "2026-01-31T16:00:00Z", "2026-02-02T00:00:00Z"),
            ("cron(0 8 1 1/2 ? *)", "2026-01-31T16:00:00Z", "2026-03-01T08:00:00Z"),
            ("cron(0 8 29 2 ? *)", "2026-01-31T16:00:00Z", "2028-02-29T08:00:00Z"),
            ("cron(0 8 1 JAN ? 2027)", "2026-01-31T16:00:00Z", "2027-01-01T08:00:00Z"),
        ] {
            assert_eq!(times(schedule, from, 1), [expected], "{schedule}");
        }
        assert!(times("cron(0 8 1 JAN ? 2020)", "2026-01-31T16:00:00Z", 1).is_empty());
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in [
            "",
            "10 days",
            "rate()",
            "rate(0 days)",
            "rate(1 days)",
            "rate(2 day)",
            "rate(+2 days)",
            "rate(2 weeks)",
            "rate(2 days",
            "cron(* * * * *)",
            "cron(0 8 * * * *)",
            "cron(0 8 ? * ? *)",
            "cron(60 8 * * ? *)",
            "cron(0 24 * * ? *)",
            "cron(0 8 32 * ? *)",
            "cron(0 8 * * ? * *)",
            "cron(x 8 * * ? *)",
            "cron(0 8 ? * 8 *)",
        ] {
            let error = Schedule::parse(text).map(drop).expect_err(text);
            assert_eq!(error.to_string().lines().count(), 1);
        }
    }
}
