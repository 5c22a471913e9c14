//! The time of a cloud: an injected clock that the user advances or freezes. The difference is stored as a row.

use crate::{Kernel, Key, corrupt};
use nephos_core::{Clock, Error, Map, Result, SignedDuration, Timestamp, Value, json, wait};
use nephos_store::View;
use std::sync::{Mutex, PoisonError};

/// Difference between the time of the cloud and the time of its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Setting {
    /// Microseconds that the cloud is ahead of the clock.
    ahead: i64,
    /// Time at which the cloud is frozen, in microseconds since 1970.
    frozen: Option<i64>,
}

/// Time of a cloud.
pub(crate) struct Time {
    clock: Clock,
    setting: Mutex<Setting>,
}

/// Key of the row that stores the setting of the clock.
pub(crate) fn key() -> Key {
    Key::of_cloud("clock")
}

impl Time {
    /// Reads the setting of the clock from the rows of `view`.
    pub(crate) fn read(clock: Clock, view: &dyn View) -> Result<Self> {
        let time = Self { clock, setting: Mutex::default() };
        time.reload(view)?;
        Ok(time)
    }

    /// Reads the setting again, after the rows were replaced.
    pub(crate) fn reload(&self, view: &dyn View) -> Result<()> {
        let mut setting = Setting::default();
        if let Some(row) = view.get(key().as_bytes()).map_err(crate::from_store_error)? {
            let Ok(Value::Map(row)) = json::parse(&row) else {
                return Err(corrupt("the row of the clock is malformed"));
            };
            setting.ahead = row.get("ahead").and_then(Value::as_int).unwrap_or(0);
            setting.frozen = row.get("frozen").and_then(Value::as_int);
        }
        *self.lock() = setting;
        Ok(())
    }

    /// Copies the time for a fork, whose clock is independent from then on.
    pub(crate) fn fork(&self) -> Self {
        Self { clock: self.clock.clone(), setting: Mutex::new(*self.lock()) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Setting> {
        self.setting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Timestamp {
        let setting = *self.lock();
        match setting.frozen {
            Some(at) => timestamp(at),
            None => timestamp(self.clock.now().as_microsecond().saturating_add(setting.ahead)),
        }
    }

    /// True if the time is frozen.
    pub(crate) fn is_frozen(&self) -> bool {
        self.lock().frozen.is_some() || !self.clock.runs()
    }

    fn setting_at(&self, now: Timestamp, frozen: bool) -> Setting {
        let ahead = now.as_microsecond().saturating_sub(self.clock.now().as_microsecond());
        Setting { ahead, frozen: frozen.then(|| now.as_microsecond()) }
    }

    /// Returns the row for the time `now`, and a function that applies the setting once the row is written.
    pub(crate) fn setting_row(&self, now: Timestamp) -> (Vec<u8>, impl FnOnce() + '_) {
        let frozen = self.lock().frozen.is_some();
        self.prepare(self.setting_at(now, frozen))
    }

    /// Returns the row of `setting`, and a function that applies it once the row is written.
    fn prepare(&self, setting: Setting) -> (Vec<u8>, impl FnOnce() + '_) {
        let mut row = Map::default();
        row.insert("ahead".into(), Value::Int(setting.ahead));
        if let Some(at) = setting.frozen {
            row.insert("frozen".into(), Value::Int(at));
        }
        let row = json::write(Value::Map(row).view(), json::Writing::EXPOSED).into_bytes();
        (row, move || *self.lock() = setting)
    }
}

fn timestamp(micros: i64) -> Timestamp {
    let limited = micros.clamp(Timestamp::MIN.as_microsecond(), Timestamp::MAX.as_microsecond());
    Timestamp::from_microsecond(limited).unwrap_or(Timestamp::MAX)
}

/// The clock of a cloud: reads, advances, freezes and resumes its time.
///
/// ```
/// use nephos::{Cloud, SignedDuration};
///
/// let cloud = Cloud::in_memory();
/// let before = cloud.clock().now();
/// cloud.clock().advance(SignedDuration::from_hours(24))?;
/// assert!(cloud.clock().now().duration_since(before) >= SignedDuration::from_hours(24));
/// # Ok::<(), nephos::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CloudClock(pub(crate) Kernel);

/// Result of advancing the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAdvance {
    /// The time now.
    pub now: Timestamp,
    /// Number of pieces of due work and callbacks that ran.
    pub done: usize,
}

impl CloudClock {
    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.0.0.time.now()
    }

    /// True if the time changes only when it is advanced.
    pub fn is_frozen(&self) -> bool {
        self.0.0.time.is_frozen()
    }

    /// Advances the time and runs the work that falls due in between, in order, each at its own time.
    pub fn advance(&self, by: SignedDuration) -> Result<ClockAdvance> {
        if by.is_negative() {
            return Err(Error::invalid("by", "time cannot move backwards: work that was done stays done"));
        }
        let target = self
            .now()
            .checked_add(by)
            .map_err(|_| Error::invalid("by", "leads to a time after the year 9999"))?;
        self.set(target)
    }

    /// Advances the time to `target`, as [`advance`](Self::advance) does.
    pub fn set(&self, target: Timestamp) -> Result<ClockAdvance> {
        if target < self.now() {
            let message = format!("time cannot move backwards: it is {}, got {target}", self.now());
            return Err(Error::invalid("time", message));
        }
        wait(self.0.advance_to(target))
    }

    /// Freezes the time.
    pub fn freeze(&self) -> Result<()> {
        let time = &self.0.0.time;
        self.write(time.setting_at(time.now(), true))
    }

    /// Lets the time run again, from where it was frozen.
    pub fn run(&self) -> Result<()> {
        let time = &self.0.0.time;
        self.write(time.setting_at(time.now(), false))
    }

    fn write(&self, setting: Setting) -> Result<()> {
        let (row, apply) = self.0.0.time.prepare(setting);
        self.0.put_meta(&key(), row)?;
        apply();
        self.0.0.next_due.wake();
        Ok(())
    }
}
