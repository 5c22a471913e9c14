//! Schedules as the provider writes them: `rate(10 days)`, `cron(0 8 1 * ? *)`, in UTC.

mod cron;

pub use cron::Cron;

use nephos_core::{Error, Result, SignedDuration, Timestamp};

/// Unit of a `rate`.
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
    /// Duration of `count` units.
    pub fn times(self, count: i64) -> SignedDuration {
        let seconds = match self {
            Self::Minutes => 60,
            Self::Hours => 60 * 60,
            Self::Days => 24 * 60 * 60,
        };
        SignedDuration::from_secs(count.saturating_mul(seconds))
    }
}

/// A recurring schedule.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// At a fixed interval.
    Rate {
        /// Number of units.
        count: i64,
        /// Unit.
        unit: Unit,
    },
    /// At the times that a cron expression matches.
    Cron {
        /// Minutes, hours, days of the month, months, days of the week and years, as written.
        fields: [String; 6],
        /// The parsed expression.
        cron: Box<Cron>,
    },
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(nephos_core::ErrorKind::Invalid, message)
}

impl Schedule {
    /// Parses a schedule expression.
    pub fn parse(text: &str) -> Result<Self> {
        let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(rate) = inside("rate") {
            return Self::parse_rate(rate);
        }
        match inside("cron") {
            Some(cron) => Self::parse_cron(cron),
            None => Err(invalid(format!(
                "a schedule must be like rate(10 days) or cron(0 8 1 * ? *), got {text:?}"
            ))),
        }
    }

    fn parse_rate(text: &str) -> Result<Self> {
        let wrong = || invalid(format!("a rate must be like rate(1 day) or rate(10 days), got rate({text})"));
        let (count, unit) = text.split_once(' ').ok_or_else(wrong)?;
        let digits = count.bytes().all(|byte| byte.is_ascii_digit());
        let count: i64 = count.parse().ok().filter(|count| digits && *count > 0).ok_or_else(wrong)?;
        let unit = match (unit, count) {
            ("minute", 1) => Unit::Minutes,
            ("hour", 1) => Unit::Hours,
            ("day", 1) => Unit::Days,
            ("minutes", 2..) => Unit::Minutes,
            ("hours", 2..) => Unit::Hours,
            ("days", 2..) => Unit::Days,
            _ => return Err(wrong()),
        };
        Ok(Self::Rate { count, unit })
    }

    fn parse_cron(text: &str) -> Result<Self> {
        let fields: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let count = fields.len();
        let Ok(fields) = <[String; 6]>::try_from(fields) else {
            return Err(invalid(format!(
                "a cron expression must have six fields, minutes hours day-of-month month day-of-week year, got {count}"
            )));
        };
        let cron = Cron::parse(&fields).map_err(|message| invalid(format!("cron({text}): {message}")))?;
        Ok(Self::Cron { fields, cron: Box::new(cron) })
    }

    /// Returns the next time after `time`, if there is one. A rate is counted from `time`.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Rate { count, unit } => time.checked_add(unit.times(*count)).ok(),
            Self::Cron { cron, .. } => {
                let start = jiff::tz::Offset::UTC.to_datetime(time);
                jiff::tz::Offset::UTC.to_timestamp(cron.next_after(start)?).ok()
            }
        }
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
    fn rate_is_counted_from_the_time_passed() {
        assert_eq!(
            times("rate(1 day)", "2026-01-31T12:00:00Z", 2),
            ["2026-02-01T12:00:00Z", "2026-02-02T12:00:00Z"]
        );
        assert_eq!(times("rate(90 minutes)", "2026-01-31T12:00:00Z", 1), ["2026-01-31T13:30:00Z"]);
        assert_eq!(times("rate(2 hours)", "2026-12-31T23:00:00Z", 1), ["2027-01-01T01:00:00Z"]);
    }

    #[test]
    fn cron_expressions_match_times() {
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
            ("cron(0 8 ? * * *)", "2026-01-31T16:00:00Z", "2026-02-01T08:00:00Z"),
            ("cron(0 0 ? * */3 *)", "2026-02-01T00:00:00Z", "2026-02-04T00:00:00Z"),
            ("cron(0 0 ? * mon-Fri *)", "2026-02-06T00:00:00Z", "2026-02-09T00:00:00Z"),
            ("cron(0 0 1 feb-APR/2,JUN ? *)", "2026-04-01T00:00:00Z", "2026-06-01T00:00:00Z"),
            ("cron(5,10-20/5,50/5 9-17 * * ? *)", "2026-01-31T09:20:00Z", "2026-01-31T09:50:00Z"),
            ("cron(5,10-20/5,50/5 9-17 * * ? *)", "2026-01-31T17:55:00Z", "2026-02-01T09:05:00Z"),
            ("cron(0 0 1 1 ? 2026/5)", "2026-01-01T00:00:00Z", "2031-01-01T00:00:00Z"),
            ("cron(59 23 31 12 ? *)", "2026-12-31T23:58:59.999Z", "2026-12-31T23:59:00Z"),
            ("cron(59 23 31 12 ? *)", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"),
            ("cron(0 0 29 2 ? *)", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"),
            // The last day, and the weekdays nearest to a date or to the last day.
            ("cron(0 0 L * ? *)", "2028-02-01T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("cron(0 0 LW * ? *)", "2026-02-01T00:00:00Z", "2026-02-27T00:00:00Z"),
            ("cron(0 0 LW * ? *)", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"),
            ("cron(0 0 4W * ? *)", "2026-07-01T00:00:00Z", "2026-07-03T00:00:00Z"),
            ("cron(0 0 5W * ? *)", "2026-07-01T00:00:00Z", "2026-07-06T00:00:00Z"),
            ("cron(0 0 6W * ? *)", "2026-07-01T00:00:00Z", "2026-07-06T00:00:00Z"),
            ("cron(0 0 1W * ? *)", "2026-07-31T00:00:00Z", "2026-08-03T00:00:00Z"),
            ("cron(0 0 31W * ? *)", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"),
            ("cron(0 0 31W * ? *)", "2026-06-01T00:00:00Z", "2026-07-31T00:00:00Z"),
            ("cron(0 0 15,L * ? *)", "2026-01-15T00:00:00Z", "2026-01-31T00:00:00Z"),
            ("cron(0 0 L,LW * ? *)", "2026-02-27T00:00:00Z", "2026-02-28T00:00:00Z"),
            // The nth and the last of a weekday in the month.
            ("cron(0 0 ? * 6#5 *)", "2026-02-01T00:00:00Z", "2026-05-29T00:00:00Z"),
            ("cron(0 0 ? * MON-WED#2 *)", "2026-02-01T00:00:00Z", "2026-02-09T00:00:00Z"),
            ("cron(0 0 ? * L *)", "2026-02-01T00:00:00Z", "2026-02-07T00:00:00Z"),
            ("cron(0 0 ? * 2L *)", "2026-02-01T00:00:00Z", "2026-02-23T00:00:00Z"),
            ("cron(0 0 ? * SATL *)", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z"),
            ("cron(0 0 ? * FRI#L *)", "2026-01-01T00:00:00Z", "2026-01-30T00:00:00Z"),
        ] {
            assert_eq!(times(schedule, from, 1), [expected], "{schedule}");
        }
        for schedule in ["cron(0 8 1 JAN ? 2020)", "cron(0 8 30 2 ? *)", "cron(0 8 31 2,4,6,9,11 ? *)"] {
            assert!(times(schedule, "2026-01-31T16:00:00Z", 1).is_empty(), "{schedule}");
        }
    }

    #[test]
    fn malformed_schedules_are_refused() {
        for text in [
            "",
            "10 days",
            "rate()",
            "rate(0 days)",
            "rate(1 days)",
            "rate(2 day)",
            "rate(+2 days)",
            "rate(2 weeks)",
            "rate( 2 days )",
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
            "cron(0 8 ? * 0 *)",
            "cron(0 8 0 * ? *)",
            "cron(0 8 * 13 ? *)",
            "cron(0 8 * * ? 1969)",
            "cron(0 8 * * ? 2200)",
            "cron(JAN 8 * * ? *)",
            "cron(0 8 * MON ? *)",
            "cron(0 8 * JANUARY ? *)",
            "cron(0, 8 * * ? *)",
            "cron(0,* 8 * * ? *)",
            "cron(0 17-9 * * ? *)",
            "cron(0 8 ? * FRI-SUN *)",
            "cron(0 -9 * * ? *)",
            "cron(0 8-9-10 * * ? *)",
            "cron(0/0 8 * * ? *)",
            "cron(0/ 8 * * ? *)",
            "cron(0/5/5 8 * * ? *)",
            "cron(+5 8 * * ? *)",
            "cron(? 8 * * ? *)",
            "cron(L 8 * * ? *)",
            "cron(0 8 5L * ? *)",
            "cron(0 8 L-3 * ? *)",
            "cron(0 8 W * ? *)",
            "cron(0 8 1-5W * ? *)",
            "cron(0 8 32W * ? *)",
            "cron(0 8 1#1 * ? *)",
            "cron(0 8 ? * 2-4L *)",
            "cron(0 8 ? * 2W *)",
            "cron(0 8 ? * 2#0 *)",
            "cron(0 8 ? * 2#6 *)",
            "cron(0 8 ? * 2# *)",
            "cron(0 8 ? * *#1 *)",
        ] {
            let error = Schedule::parse(text).map(drop).expect_err(text);
            assert_eq!(error.to_string().lines().count(), 1);
        }
        for (text, message) in [
            ("cron(0 24 * * ? *)", "cron(0 24 * * ? *): hours must be from 0 to 23, got 24"),
            ("cron(0, 8 * * ? *)", "cron(0, 8 * * ? *): a number is missing in the minutes"),
            ("cron(0 8 ? * 8 *)", "cron(0 8 ? * 8 *): days of the week must be from 1 to 7, got 8"),
            (
                "cron(0 8 * * * *)",
                "cron(0 8 * * * *): the day of the month or the day of the week must be ?, got * and *",
            ),
            (
                "cron(0 8 ? * FRI-SUN *)",
                "cron(0 8 ? * FRI-SUN *): a range of days of the week must not end before it starts, got FRI-SUN",
            ),
        ] {
            assert_eq!(Schedule::parse(text).map(drop).expect_err(text).message(), message);
        }
    }
}
