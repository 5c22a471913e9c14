//! The cloud's time: an injected clock that the user moves ahead or freezes. Where it stands is a row.

use crate::{Kernel, Key, corrupt};
use nephos_core::{Clock, Error, Map, Result, SignedDuration, Timestamp, Value, json, wait};
use nephos_store::View;
use std::sync::{Mutex, PoisonError};

/// How the cloud's time differs from its clock's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Setting {
    /// By how many microseconds the cloud is ahead.
    ahead: i64,
    /// Where the time stands still, in microseconds since 1970.
    frozen: Option<i64>,
}

/// The time of a cloud.
pub(crate) struct Time {
    clock: Clock,
    setting: Mutex<Setting>,
}

/// The key of the row that says where the time stands.
pub(crate) fn key() -> Key {
    Key::table(crate::kernel::OWN).text("clock")
}

impl Time {
    /// The time as the rows of `view` say it stands.
    pub(crate) fn read(clock: Clock, view: &dyn View) -> Result<Self> {
        let time = Self { clock, setting: Mutex::default() };
        time.read_again(view)?;
        Ok(time)
    }

    /// Takes over what the rows say, after they were replaced.
    pub(crate) fn read_again(&self, view: &dyn View) -> Result<()> {
        let mut setting = Setting::default();
        if let Some(row) = view.get(key().as_bytes()).map_err(crate::stored)? {
            let Ok(Value::Map(row)) = json::parse(&row) else {
                return Err(corrupt("the clock cannot be read"));
            };
            setting.ahead = row.get("ahead").and_then(Value::as_int).unwrap_or(0);
            setting.frozen = row.get("frozen").and_then(Value::as_int);
        }
        *self.lock() = setting;
        Ok(())
    }

    /// The same time for a fork, which moves on by itself.
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

    /// The time of day stands still.
    pub(crate) fn is_frozen(&self) -> bool {
        self.lock().frozen.is_some() || !self.clock.runs()
    }

    fn setting_at(&self, now: Timestamp, frozen: bool) -> Setting {
        let ahead = now.as_microsecond().saturating_sub(self.clock.now().as_microsecond());
        Setting { ahead, frozen: frozen.then(|| now.as_microsecond()) }
    }

    /// What the row says once it is `now`; and how to make it so when the row is written.
    pub(crate) fn setting_row(&self, now: Timestamp) -> (Vec<u8>, impl FnOnce() + '_) {
        let frozen = self.lock().frozen.is_some();
        self.becoming(self.setting_at(now, frozen))
    }

    fn becoming(&self, setting: Setting) -> (Vec<u8>, impl FnOnce() + '_) {
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

/// The time of a cloud, to be looked at and moved.
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

/// What a move of the time did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The time now.
    pub now: Timestamp,
    /// How much work fell due and was done.
    pub done: usize,
}

impl CloudClock {
    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.0.0.time.now()
    }

    /// Whether the time stands still until it is moved.
    pub fn is_frozen(&self) -> bool {
        self.0.0.time.is_frozen()
    }

    /// Moves the time on and does what falls due meanwhile, in order, each piece of work at its own time.
    pub fn advance(&self, by: SignedDuration) -> Result<Moved> {
        if by.is_negative() {
            return Err(Error::invalid("by", "time only moves forwards: work that was done stays done"));
        }
        let target =
            self.now().checked_add(by).map_err(|_| Error::invalid("by", "leads beyond the year 9999"))?;
        self.set(target)
    }

    /// Moves the time on to `target`, as [`advance`](Self::advance) does.
    pub fn set(&self, target: Timestamp) -> Result<Moved> {
        if target < self.now() {
            let why = format!("time only moves forwards, and it is {} already", self.now());
            return Err(Error::invalid("time", why));
        }
        wait(self.0.move_to(target))
    }

    /// Lets the time stand still from now on.
    pub fn freeze(&self) -> Result<()> {
        let time = &self.0.0.time;
        self.write(time.setting_at(time.now(), true))
    }

    /// Lets the time run on from where it stands.
    pub fn run(&self) -> Result<()> {
        let time = &self.0.0.time;
        self.write(time.setting_at(time.now(), false))
    }

    fn write(&self, setting: Setting) -> Result<()> {
        let (row, settle) = self.0.0.time.becoming(setting);
        self.0.put_meta(&key(), row)?;
        settle();
        Ok(())
    }
}
