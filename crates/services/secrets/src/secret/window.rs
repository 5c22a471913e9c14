//! Rotation windows, which open on a schedule and close after a duration.

use crate::{RotationRules, errors, secret::access::start_of_day};
use nephos_cloud::schedule::{Schedule, Unit};
use nephos_core::{Error, Result, SignedDuration, Timestamp};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Minimum interval between two windows.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_hours(4);

/// Number of windows that are computed to check the rules.
const CHECKED_WINDOWS: usize = 64;

/// Time in which a rotation is started, and failed steps are retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Start.
    pub opens: Timestamp,
    /// End.
    pub closes: Timestamp,
}

/// Parsed rotation rules.
struct Plan {
    schedule: Schedule,
    /// Duration of a window, if the rules set one.
    hours: Option<SignedDuration>,
}

impl Plan {
    fn parse(rules: &RotationRules) -> Result<Self> {
        let schedule = match (&rules.schedule_expression, rules.automatically_after_days) {
            (Some(text), _) => {
                Schedule::parse(text).map_err(|error| invalid_schedule(rules, error.message()))?
            }
            (None, Some(days)) => Schedule::Rate { count: days, unit: Unit::Days },
            (None, None) => return Err(errors::rotation_schedule_needed().with_field("RotationRules")),
        };
        let hours = rules.duration.as_deref().and_then(|text| text.strip_suffix('h'));
        let hours = hours.and_then(|text| text.parse::<i64>().ok());
        if hours.is_some_and(|hours| !(1..=24).contains(&hours)) {
            return Err(invalid_duration(rules, "must be between 1h and 24h"));
        }
        Ok(Self { schedule, hours: hours.map(SignedDuration::from_hours) })
    }

    /// True if windows open several times a day.
    fn is_hourly(&self) -> bool {
        match &self.schedule {
            Schedule::Rate { unit, .. } => *unit != Unit::Days,
            Schedule::Cron { fields, .. } => !fields[1].bytes().all(|byte| byte.is_ascii_digit()),
        }
    }

    /// Returns the first window that opens after `time`.
    fn next(&self, time: Timestamp) -> Option<Window> {
        let opens = match &self.schedule {
            // Rates in days count from midnight, rates in hours from the full hour.
            Schedule::Rate { unit: Unit::Days, .. } => self.schedule.next_after(start_of_day(time))?,
            Schedule::Rate { .. } => self.schedule.next_after(start_of_hour(time))?,
            Schedule::Cron { .. } => self.schedule.next_after(time)?,
        };
        let closes = match self.hours {
            Some(hours) => opens.checked_add(hours).ok()?,
            None if self.is_hourly() => opens.checked_add(HOUR).ok()?,
            None => end_of_day(opens)?,
        };
        Some(Window { opens, closes })
    }

    /// Checks the schedule and the duration of `rules`, which were parsed, by means of the next windows.
    fn check(&self, rules: &RotationRules, now: Timestamp) -> Result<()> {
        let refuse_schedule = |reason: &str| Err(invalid_schedule(rules, reason));
        let refuse_duration = |reason: &str| Err(invalid_duration(rules, reason));
        if let Schedule::Cron { fields, .. } = &self.schedule
            && (fields[0] != "0" || fields[5] != "*")
        {
            return refuse_schedule("minutes must be 0 and the year must be *, as in cron(0 8 1 * ? *)");
        }
        if matches!(self.schedule, Schedule::Rate { unit: Unit::Minutes, .. }) {
            return refuse_schedule("the unit of a rate must be hours or days");
        }
        let mut windows = Vec::new();
        let mut time = now;
        while windows.len() < CHECKED_WINDOWS
            && let Some(window) = self.next(time)
        {
            time = window.opens;
            windows.push(window);
        }
        if windows.is_empty() {
            return refuse_schedule("it has no time in the future");
        }
        for window in &windows {
            if end_of_day(window.opens).is_some_and(|end| window.closes > end) {
                return refuse_duration("a rotation window must not extend into the next UTC day");
            }
        }
        for pair in windows.windows(2) {
            if pair[1].opens.duration_since(pair[0].opens) < MIN_INTERVAL {
                return refuse_schedule("rotations must be at least 4 hours apart");
            }
            if pair[0].closes > pair[1].opens {
                return refuse_duration("a rotation window must not extend into the next window");
            }
        }
        Ok(())
    }
}

/// Returns the error for an invalid schedule.
fn invalid_schedule(rules: &RotationRules, reason: &str) -> Error {
    let expression = rules.schedule_expression.as_deref().unwrap_or_default();
    errors::rotation_schedule_invalid(expression).with_field("ScheduleExpression").with_hint(reason)
}

/// Returns the error for an invalid duration of windows.
fn invalid_duration(rules: &RotationRules, reason: &str) -> Error {
    let duration = rules.duration.as_deref().unwrap_or_default();
    errors::rotation_duration_invalid(duration).with_field("Duration").with_hint(reason)
}

fn start_of_hour(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second() - time.as_second().rem_euclid(3600)).unwrap_or(time)
}

/// Returns the end of the UTC day of `time`, which is the start of the next day.
fn end_of_day(time: Timestamp) -> Option<Timestamp> {
    start_of_day(time).checked_add(DAY).ok()
}

/// Checks rotation rules.
pub fn check_rules(rules: &RotationRules, now: Timestamp) -> Result<()> {
    if rules.automatically_after_days.is_some() && rules.schedule_expression.is_some() {
        return Err(errors::rotation_days_and_schedule().with_field("RotationRules"));
    }
    let in_rules = |error: Error| match error.field() {
        Some("RotationRules") => error,
        _ => error.in_field("RotationRules"),
    };
    Plan::parse(rules).and_then(|plan| plan.check(rules, now)).map_err(in_rules)
}

/// Returns the first window that opens after `time`.
pub fn next_window(rules: &RotationRules, time: Timestamp) -> Option<Window> {
    Plan::parse(rules).ok()?.next(time)
}

/// Returns the number of days between two times, counted from the start of the first day; at least 1.
pub fn days_between(from: Timestamp, to: Timestamp) -> i64 {
    let seconds = to.duration_since(start_of_day(from)).as_secs();
    (seconds / DAY.as_secs()).max(1)
}
