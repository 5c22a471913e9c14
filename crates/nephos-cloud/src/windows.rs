//! Windows of time in UTC that come again: every week for maintenance, every day for backups.

use nephos_core::{Ids, SignedDuration, Timestamp};
use std::fmt;

const MINUTES_PER_HOUR: i64 = 60;
const MINUTES_PER_DAY: i64 = 24 * MINUTES_PER_HOUR;
const MINUTES_PER_WEEK: i64 = 7 * MINUTES_PER_DAY;

/// Names of days. The first of January 1970 was a Thursday.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const FIRST_DAY: i64 = 3;

/// A window of each week: `sun:23:00-mon:01:30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeeklyWindow {
    /// Minute of the week, from Monday.
    start: i64,
    minutes: i64,
}

/// A window of each day: `05:30-06:30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyWindow {
    /// Minute of the day.
    start: i64,
    minutes: i64,
}

impl WeeklyWindow {
    /// Reads a window; none if it does not have the form `ddd:hh24:mi-ddd:hh24:mi`.
    pub fn parse(text: &str) -> Option<Self> {
        let (start, end) = text.split_once('-')?;
        let (start, end) = (minute_of_week(start)?, minute_of_week(end)?);
        Some(Self { start, minutes: (end - start).rem_euclid(MINUTES_PER_WEEK) })
    }

    /// Length in minutes.
    pub fn minutes(self) -> i64 {
        self.minutes
    }

    /// Chooses a window of this many minutes that starts at a whole or half hour and does not overlap with `other`.
    pub fn choose(ids: &Ids, minutes: i64, other: Option<DailyWindow>) -> Self {
        let start = choose_start(ids, MINUTES_PER_WEEK);
        let chosen = Self { start, minutes };
        match other {
            Some(other) if chosen.overlaps(other) => {
                Self { start: (day_of(start) + other.end()).rem_euclid(MINUTES_PER_WEEK), minutes }
            }
            _ => chosen,
        }
    }

    /// True if the windows have a minute in common.
    pub fn overlaps(self, daily: DailyWindow) -> bool {
        let starts = (0..7).map(|day| day * MINUTES_PER_DAY + daily.start);
        starts.into_iter().any(|start| {
            let from_own = (start - self.start).rem_euclid(MINUTES_PER_WEEK);
            let from_other = (self.start - start).rem_euclid(MINUTES_PER_WEEK);
            from_own < self.minutes || from_other < daily.minutes
        })
    }

    /// Returns the next start of the window, or `now` within it.
    pub fn next(self, now: Timestamp) -> Timestamp {
        next(now, FIRST_DAY * MINUTES_PER_DAY, MINUTES_PER_WEEK, self.start, self.minutes)
    }
}

impl DailyWindow {
    /// Reads a window; none if it does not have the form `hh24:mi-hh24:mi`.
    pub fn parse(text: &str) -> Option<Self> {
        let (start, end) = text.split_once('-')?;
        let (start, end) = (minute_of_day(start)?, minute_of_day(end)?);
        Some(Self { start, minutes: (end - start).rem_euclid(MINUTES_PER_DAY) })
    }

    /// Reads a time of day, as a window without length; none if it does not have the form `hh24:mi`.
    pub fn at(time: &str) -> Option<Self> {
        Some(Self { start: minute_of_day(time)?, minutes: 0 })
    }

    /// Length in minutes.
    pub fn minutes(self) -> i64 {
        self.minutes
    }

    /// True in the minute in which the window starts.
    pub fn starts_at(self, now: Timestamp) -> bool {
        now.as_second().div_euclid(60).rem_euclid(MINUTES_PER_DAY) == self.start
    }

    /// Chooses a window of this many minutes that starts at a whole or half hour and does not overlap with `other`.
    pub fn choose(ids: &Ids, minutes: i64, other: Option<WeeklyWindow>) -> Self {
        let chosen = Self { start: choose_start(ids, MINUTES_PER_DAY), minutes };
        match other {
            Some(other) if other.overlaps(chosen) => {
                let end = (other.start + other.minutes).rem_euclid(MINUTES_PER_DAY);
                Self { start: end, minutes }
            }
            _ => chosen,
        }
    }

    /// Returns the first start of the window after `now`.
    pub fn next_start(self, now: Timestamp) -> Timestamp {
        next(now, 0, MINUTES_PER_DAY, self.start, 0)
    }

    fn end(self) -> i64 {
        self.start + self.minutes
    }
}

/// Returns the next start of a window that comes again after `period` minutes, or `now` within its `minutes`. `offset` is the minute
/// of the period at the beginning of 1970.
fn next(now: Timestamp, offset: i64, period: i64, start: i64, minutes: i64) -> Timestamp {
    let (minute, second) = (now.as_second().div_euclid(60), now.as_second().rem_euclid(60));
    let since = (minute + offset - start).rem_euclid(period);
    if since < minutes {
        return now;
    }
    let wait = SignedDuration::from_secs((period - since) * 60 - second);
    let wait = wait - SignedDuration::from_nanos(i64::from(now.subsec_nanosecond()));
    now.checked_add(wait).unwrap_or(Timestamp::MAX)
}

fn choose_start(ids: &Ids, period: i64) -> i64 {
    let half_hours = u64::try_from(period / 30).unwrap_or(1);
    i64::try_from(ids.below(half_hours)).unwrap_or_default() * 30
}

fn day_of(minute: i64) -> i64 {
    minute - minute % MINUTES_PER_DAY
}

fn minute_of_day(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str, limit: i64| {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| digits && *number < limit)
    };
    Some(number(hour, 24)? * MINUTES_PER_HOUR + number(minute, 60)?)
}

fn minute_of_week(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(':')?;
    let day = DAYS.iter().position(|name| name.eq_ignore_ascii_case(day))?;
    Some(i64::try_from(day).ok()? * MINUTES_PER_DAY + minute_of_day(time)?)
}

impl fmt::Display for DailyWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(f, self.start)?;
        f.write_str("-")?;
        write_time(f, self.end())
    }
}

impl fmt::Display for WeeklyWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_day_and_time(f, self.start)?;
        f.write_str("-")?;
        write_day_and_time(f, (self.start + self.minutes).rem_euclid(MINUTES_PER_WEEK))
    }
}

fn write_day_and_time(f: &mut fmt::Formatter<'_>, minute: i64) -> fmt::Result {
    write!(f, "{}:", DAYS[usize::try_from(minute / MINUTES_PER_DAY).unwrap_or_default()])?;
    write_time(f, minute)
}

fn write_time(f: &mut fmt::Formatter<'_>, minute: i64) -> fmt::Result {
    let minute = minute.rem_euclid(MINUTES_PER_DAY);
    write!(f, "{:02}:{:02}", minute / MINUTES_PER_HOUR, minute % MINUTES_PER_HOUR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a timestamp")
    }

    #[test]
    fn windows_are_printed_as_they_are_read() {
        for text in ["sun:23:00-mon:01:30", "sat:13:00-sat:14:00", "mon:00:00-mon:01:00"] {
            assert_eq!(WeeklyWindow::parse(text).map(|window| window.to_string()).as_deref(), Some(text));
        }
        for text in ["05:30-06:30", "23:30-00:30"] {
            assert_eq!(DailyWindow::parse(text).map(|window| window.to_string()).as_deref(), Some(text));
        }
        let capitals = WeeklyWindow::parse("Sun:23:00-Mon:01:30").map(|window| window.to_string());
        assert_eq!(capitals.as_deref(), Some("sun:23:00-mon:01:30"));
        for text in ["sun:24:00-mon:01:30", "sun-mon", "day:23:00-mon:01:30", "sun:3:00-mon:01:30", ""] {
            assert_eq!(WeeklyWindow::parse(text), None, "{text}");
        }
        assert_eq!(DailyWindow::parse("05:60-06:30"), None);
    }

    #[test]
    fn next_start_is_in_the_future_or_now() {
        let window = WeeklyWindow::parse("sun:23:00-mon:01:30").expect("a window");
        // The first of November 2026 is a Sunday.
        assert_eq!(window.next(at("2026-11-01T22:59:30.5Z")), at("2026-11-01T23:00:00Z"));
        assert_eq!(window.next(at("2026-11-02T01:29:59Z")), at("2026-11-02T01:29:59Z"));
        assert_eq!(window.next(at("2026-11-02T01:30:00Z")), at("2026-11-08T23:00:00Z"));
        let daily = DailyWindow::parse("05:30-06:30").expect("a window");
        assert_eq!(daily.next_start(at("2026-11-02T05:29:59Z")), at("2026-11-02T05:30:00Z"));
        assert_eq!(daily.next_start(at("2026-11-02T05:30:00Z")), at("2026-11-03T05:30:00Z"));
        assert!(daily.starts_at(at("2026-11-02T05:30:59Z")) && !daily.starts_at(at("2026-11-02T05:31:00Z")));
        assert_eq!(
            DailyWindow::at("05:30").map(|time| time.next_start(at("2026-11-02T05:30:30Z"))),
            Some(at("2026-11-03T05:30:00Z"))
        );
        for time in ["", "24:00", "12:60", "1:00", "12:0", "12", "+1:00", "12:00:00"] {
            assert_eq!(DailyWindow::at(time), None, "{time}");
        }
    }

    #[test]
    fn chosen_windows_do_not_overlap() {
        let ids = Ids::seeded(7);
        // Enough for the last window of a week, which ends in the next one.
        for _ in 0..20_000 {
            let daily = DailyWindow::choose(&ids, 60, None);
            let weekly = WeeklyWindow::choose(&ids, 60, Some(daily));
            assert!(!weekly.overlaps(daily), "{weekly} {daily}");
            assert_eq!(WeeklyWindow::parse(&weekly.to_string()), Some(weekly));
            let daily = DailyWindow::choose(&ids, 60, Some(weekly));
            assert!(!weekly.overlaps(daily), "{weekly} {daily}");
        }
        let overlaps = |weekly, daily| {
            WeeklyWindow::parse(weekly)
                .expect("a window")
                .overlaps(DailyWindow::parse(daily).expect("a window"))
        };
        assert!(overlaps("sun:23:00-mon:01:00", "00:30-01:30"));
        assert!(overlaps("sun:05:00-sun:06:00", "04:30-05:30"));
        assert!(!overlaps("sun:05:00-sun:06:00", "06:00-07:00"));
    }
}
