//! The time of a cloud: an injected clock that the user advances or freezes. The difference is stored as a row.

use crate::{Kernel, Key, corrupt, from_store_error, shared, transport::Refusal};
use nephos_core::{Clock, Error, Map, Result, SignedDuration, Timestamp, Value, json, wait};
use nephos_store::{Txn, View};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

/// Difference between the time of the cloud and the time of its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Setting {
    /// Microseconds that the cloud is ahead of the clock.
    ahead: i64,
    /// Time at which the cloud is frozen, in microseconds since 1970.
    frozen: Option<i64>,
}

/// Time of a cloud.
pub(crate) struct Time {
    clock: Clock,
    setting: Mutex<Setting>,
    /// Held while the setting changes, in its row and here.
    changing: async_lock::Mutex<()>,
    advances: Mutex<Advances>,
}

/// Advances of the time that are under way.
#[derive(Default)]
struct Advances {
    count: usize,
    /// Time that the last of them leads to.
    end: Timestamp,
}

/// An advance of the time, until it is dropped.
pub(crate) struct Advance<'t> {
    time: &'t Time,
    pub(crate) target: Timestamp,
}

impl Drop for Advance<'_> {
    fn drop(&mut self) {
        self.time.advances().count -= 1;
    }
}

/// Key of the row that stores the setting of the clock.
pub(crate) fn key() -> Key {
    Key::of_cloud("clock")
}

impl Time {
    fn new(clock: Clock, setting: Setting) -> Self {
        let (changing, advances) = (async_lock::Mutex::default(), Mutex::default());
        Self { clock, setting: Mutex::new(setting), changing, advances }
    }

    /// Reads the setting of the clock from the rows of `view`.
    pub(crate) fn read(clock: Clock, view: &dyn View) -> Result<Self> {
        let time = Self::new(clock, Setting::default());
        time.reload(view)?;
        Ok(time)
    }

    /// Reads the setting again, after the rows were replaced.
    pub(crate) fn reload(&self, view: &dyn View) -> Result<()> {
        let mut setting = Setting::default();
        if let Some(row) = view.get(key().as_bytes()).map_err(from_store_error)? {
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
        Self::new(self.clock.clone(), *self.lock())
    }

    fn advances(&self) -> MutexGuard<'_, Advances> {
        self.advances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an advance to the time that `target` returns for the current time or, if others are under way, for the time that
    /// they lead to.
    fn begin_advance(&self, target: impl FnOnce(Timestamp) -> Result<Timestamp>) -> Result<Advance<'_>> {
        let mut advances = self.advances();
        let now = self.now();
        let start = if advances.count > 0 { now.max(advances.end) } else { now };
        let target = target(start)?;
        (advances.count, advances.end) = (advances.count + 1, start.max(target));
        Ok(Advance { time: self, target })
    }

    fn lock(&self) -> MutexGuard<'_, Setting> {
        self.setting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Timestamp {
        let setting = *self.lock();
        match setting.frozen {
            Some(at) => timestamp(at),
            None => timestamp(self.clock.now().as_microsecond().saturating_add(setting.ahead)),
        }
    }

    /// True if the clock under the setting runs.
    pub(crate) fn follows_system(&self) -> bool {
        self.clock.runs()
    }

    /// Returns the time by which the clock under the setting is ahead of `time` since 1970.
    pub(crate) fn since(&self, time: Duration) -> SignedDuration {
        self.clock.now().duration_since(Timestamp::UNIX_EPOCH)
            - SignedDuration::try_from(time).unwrap_or_default()
    }

    /// True if the time is frozen.
    pub(crate) fn is_frozen(&self) -> bool {
        self.lock().frozen.is_some() || !self.clock.runs()
    }

    /// Waits until nobody changes the setting.
    pub(crate) async fn start_change(&self) -> async_lock::MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// Returns the setting with which the time is `target`, unless it is later already.
    pub(crate) fn setting_after(&self, target: Timestamp) -> Setting {
        let is_frozen = self.lock().frozen.is_some();
        self.setting_at(target.max(self.now()), is_frozen)
    }

    /// Uses a setting whose row was written. Nobody else may be changing it.
    pub(crate) fn set(&self, setting: Setting) {
        *self.lock() = setting;
    }

    fn setting_at(&self, now: Timestamp, frozen: bool) -> Setting {
        let ahead = now.as_microsecond().saturating_sub(self.clock.now().as_microsecond());
        Setting { ahead, frozen: frozen.then(|| now.as_microsecond()) }
    }
}

impl Setting {
    /// Returns the row that stores the setting.
    pub(crate) fn to_row(self) -> Vec<u8> {
        let mut row = Map::default();
        row.insert("ahead".into(), Value::Int(self.ahead));
        if let Some(at) = self.frozen {
            row.insert("frozen".into(), Value::Int(at));
        }
        json::write(Value::Map(row).view(), json::Writing::EXPOSED).into_bytes()
    }
}

impl Kernel {
    /// Sets the time to `target`, unless it is later already.
    pub(crate) async fn set_time(&self, target: Timestamp) -> Result<()> {
        self.change_time(|time| time.setting_after(target)).await
    }

    /// Changes the setting of the clock to what `change` makes of the current time.
    async fn change_time(&self, change: impl Fn(&Time) -> Setting) -> Result<()> {
        let inner = &*self.0;
        let changing = inner.time.start_change().await;
        let setting = loop {
            let setting = change(&inner.time);
            let (cloud, row) = (self.0.clone(), setting.to_row());
            let written = inner.store.transact(move |txn: &mut Txn<'_>| {
                cloud.check_current(txn, Timestamp::MIN, false).map_err(Refusal::from)?;
                txn.put(key().as_bytes(), &row).map_err(Refusal::from)
            });
            match written.await {
                Ok(()) => break setting,
                // Another server changed the clock meanwhile.
                Err(refusal) if shared::is_stale(&refusal.error) => self.refresh()?,
                Err(refusal) => return Err(refusal.error),
            }
        };
        inner.time.set(setting);
        drop(changing);
        inner.next_due.wake();
        Ok(())
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
pub struct CloudClock(pub(crate) Kernel, pub(crate) Stop);

/// Signal that an advance of the time should end early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| stop.load(Ordering::Acquire))
    }
}

/// Result of advancing the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAdvance {
    /// The time now.
    pub now: Timestamp,
    /// Number of pieces of due work and callbacks that ran.
    pub done: usize,
}

impl CloudClock {
    /// Returns the clock with advances that end when `stop` is true, after the work that runs then. The time is that of the work that
    /// was done last, and the rest runs when its time comes.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        Self(self.0, Stop(Some(stop)))
    }

    /// The time now. In a database that cannot be reached, it is the time that was known last.
    pub fn now(&self) -> Timestamp {
        let _ = self.know_changes_of_others();
        self.0.0.time.now()
    }

    /// True if the time changes only when it is advanced.
    pub fn is_frozen(&self) -> bool {
        self.0.0.time.is_frozen()
    }

    /// Advances the time and runs the work that falls due in between, in order, each at its own time. It begins where other
    /// advances that are under way end.
    pub fn advance(&self, by: SignedDuration) -> Result<ClockAdvance> {
        if by.is_negative() {
            return Err(Error::invalid("by", "time cannot move backwards: work that was done stays done"));
        }
        self.know_changes_of_others()?;
        let advance = self.0.0.time.begin_advance(|start| {
            start.checked_add(by).map_err(|_| Error::invalid("by", "leads to a time after the year 9999"))
        })?;
        wait(self.0.advance_to(advance.target, &self.1))
    }

    /// Advances the time to `target`, as [`advance`](Self::advance) does.
    pub fn set(&self, target: Timestamp) -> Result<ClockAdvance> {
        self.check_not_before(target)?;
        self.know_changes_of_others()?;
        let advance = self.0.0.time.begin_advance(|_| Ok(target))?;
        wait(self.0.advance_to(advance.target, &self.1))
    }

    /// Moves the time to `target` without running the work that falls due in between: it is made up for afterwards, as in a cloud that
    /// was closed until then.
    pub fn start_at(&self, target: Timestamp) -> Result<()> {
        self.check_not_before(target)?;
        wait(self.0.set_time(target))
    }

    fn check_not_before(&self, target: Timestamp) -> Result<()> {
        let now = self.now();
        if target >= now {
            return Ok(());
        }
        Err(Error::invalid("time", format!("time cannot move backwards: it is {now}, got {target}")))
    }

    /// Reads the setting of the clock again, if another server may have changed it.
    fn know_changes_of_others(&self) -> Result<()> {
        if self.0.is_shared() { self.0.refresh() } else { Ok(()) }
    }

    /// Freezes the time.
    pub fn freeze(&self) -> Result<()> {
        wait(self.0.change_time(|time| time.setting_at(time.now(), true)))
    }

    /// Lets the time run again, from where it was frozen.
    pub fn run(&self) -> Result<()> {
        wait(self.0.change_time(|time| time.setting_at(time.now(), false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloud, Scope, Tx, Work};
    use nephos_core::Record;

    #[test]
    fn advance_begins_where_others_under_way_end() {
        let start = Timestamp::UNIX_EPOCH;
        let time = Time::new(Clock::frozen(start), Setting::default());
        let hours = |hours: i64| start + SignedDuration::from_hours(hours);
        let by_hour = || time.begin_advance(|start| Ok(start + SignedDuration::from_hours(1))).unwrap();
        let (first, second) = (by_hour(), by_hour());
        assert_eq!((first.target, second.target), (hours(1), hours(2)));
        let set = time.begin_advance(|_| Ok(hours(5))).unwrap();
        assert_eq!(by_hour().target, hours(6));
        assert!(time.begin_advance(|_| Err(Error::invalid("by", "no"))).is_err());
        drop((first, second, set));
        assert_eq!(by_hour().target, hours(1), "the others were given up");
    }

    /// Due work that does nothing.
    #[derive(Record)]
    struct Idle {
        /// Number of the piece.
        number: Option<i64>,
    }

    impl Work for Idle {
        const NAME: &'static str = "test/idle";

        fn run(self, _cx: &mut Tx<'_>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn advance_is_stopped_and_a_late_start_runs_nothing() {
        let start = Timestamp::UNIX_EPOCH;
        let cloud = Cloud::<()>::options().clock(Clock::frozen(start)).in_memory();
        let scope = Scope::from_session(&cloud.session()).unwrap();
        let schedule = |second: i64| {
            let idle = Idle { number: Some(second) };
            let time = start + SignedDuration::from_secs(second);
            cloud.write_in(scope.clone(), move |tx| tx.schedule(time, &idle)).unwrap();
        };
        (1..=3).for_each(schedule);
        let hour = SignedDuration::from_hours(1);
        let stopped = cloud.clock().stopped_by(Arc::new(true.into())).advance(hour).unwrap();
        assert_eq!(stopped, ClockAdvance { now: start, done: 0 });
        let goes_on = cloud.clock().stopped_by(Arc::default()).advance(hour).unwrap();
        assert_eq!(goes_on, ClockAdvance { now: start + hour, done: 3 });
        schedule(4000);
        cloud.clock().start_at(start + hour * 2).unwrap();
        let overdue = || cloud.overdue().unwrap().0;
        let late = start + SignedDuration::from_secs(4000);
        assert_eq!((cloud.clock().now(), overdue()), (start + hour * 2, Some(late)));
        wait(cloud.run_pending()).unwrap();
        assert_eq!(overdue(), None);
        assert!(cloud.clock().start_at(start).unwrap_err().message().contains("cannot move backwards"));
    }

    #[test]
    fn concurrent_changes_of_the_clock_lose_nothing() {
        let (threads, steps) = (8, 50);
        let cloud = Cloud::<()>::options().clock(Clock::frozen(Timestamp::UNIX_EPOCH)).in_memory();
        std::thread::scope(|scope| {
            for n in 0..threads {
                let clock = cloud.clock();
                scope.spawn(move || {
                    for _ in 0..steps {
                        let before = clock.now();
                        clock.advance(SignedDuration::from_secs(1)).unwrap();
                        let changed = if n % 2 == 0 { clock.freeze() } else { clock.run() };
                        changed.unwrap();
                        assert!(clock.now() > before, "time moved backwards");
                    }
                });
            }
        });
        assert_eq!(cloud.clock().now().as_second(), threads * steps);
    }
}
