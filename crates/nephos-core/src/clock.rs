//! Clocks.

use jiff::{SignedDuration, Timestamp};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

/// Source of the current time: the system's clock, or a frozen time that is advanced by calls.
///
/// ```
/// use nephos_core::Clock;
/// use jiff::SignedDuration;
///
/// let clock = Clock::frozen("2026-01-31T12:00:00Z".parse()?);
/// clock.advance(SignedDuration::from_hours(1));
/// assert_eq!(clock.now().to_string(), "2026-01-31T13:00:00Z");
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone)]
pub struct Clock(Arc<Source>);

enum Source {
    /// System time, shifted by this many microseconds.
    System { ahead: AtomicI64 },
    /// Frozen time, in microseconds since 1970.
    Frozen { at: AtomicI64 },
    /// Time that advances by a step each time it is read.
    Stepped { at: AtomicI64, step: i64 },
}

impl Clock {
    /// Clock with the system's time.
    pub fn system() -> Self {
        Self(Arc::new(Source::System { ahead: AtomicI64::new(0) }))
    }

    /// Clock that stands still until it is advanced.
    pub fn frozen(at: Timestamp) -> Self {
        Self(Arc::new(Source::Frozen { at: AtomicI64::new(at.as_microsecond()) }))
    }

    /// Clock that advances by `step` each time it is read.
    pub fn stepped(at: Timestamp, step: SignedDuration) -> Self {
        let step = micros(step);
        Self(Arc::new(Source::Stepped { at: AtomicI64::new(at.as_microsecond()), step }))
    }

    /// Current time.
    pub fn now(&self) -> Timestamp {
        match &*self.0 {
            Source::System { ahead } => {
                from_micros(system_micros().saturating_add(ahead.load(Ordering::Acquire)))
            }
            Source::Frozen { at: now } => from_micros(now.load(Ordering::Acquire)),
            Source::Stepped { at: now, step } => from_micros(saturating_add(now, *step)),
        }
    }

    /// Advances the clock; a negative duration moves it back.
    pub fn advance(&self, by: SignedDuration) {
        let moved = match &*self.0 {
            Source::System { ahead } => ahead,
            Source::Frozen { at } | Source::Stepped { at, .. } => at,
        };
        saturating_add(moved, micros(by));
    }

    /// True if the time advances without calls of [`advance`](Self::advance).
    pub fn runs(&self) -> bool {
        !matches!(*self.0, Source::Frozen { .. })
    }
}

/// Adds with saturation and returns the previous value.
fn saturating_add(to: &AtomicI64, more: i64) -> i64 {
    let sum = |now: i64| Some(now.saturating_add(more));
    // The closure always returns a value, so this does not fail.
    to.fetch_update(Ordering::AcqRel, Ordering::Acquire, sum).unwrap_or_else(|now| now)
}

fn micros(duration: SignedDuration) -> i64 {
    let limit = if duration.is_negative() { i64::MIN } else { i64::MAX };
    i64::try_from(duration.as_micros()).unwrap_or(limit)
}

fn from_micros(micros: i64) -> Timestamp {
    let limited = micros.clamp(Timestamp::MIN.as_microsecond(), Timestamp::MAX.as_microsecond());
    Timestamp::from_microsecond(limited).unwrap_or(Timestamp::MAX)
}

#[expect(clippy::disallowed_methods, reason = "this is the one clock that everything else is given")]
fn system_micros() -> i64 {
    match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |micros| -micros),
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.0 {
            Source::System { .. } => "Clock(system)",
            Source::Frozen { .. } => "Clock(frozen)",
            Source::Stepped { .. } => "Clock(stepped)",
        })
    }
}
