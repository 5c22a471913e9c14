//! Due work of a cloud that nobody calls: a task that waits for the next work and runs it.

use crate::{Kernel, clock::Stop, due::Earliest, lease::BEAT};
use event_listener::Event;
use nephos_core::{Result, Timestamp};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    task::Poll,
    time::Duration,
};

/// Shortest pause of the driver: work that is due and not done is being run by a call.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);

/// Longest pause of the driver, and its pause after an error.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const PAUSE_AFTER_ERROR: Duration = Duration::from_secs(1);

/// Lower bounds of the times of the earliest due work and callback, and the signal to a driver that they became lower.
pub(crate) struct NextDue {
    /// In microseconds since 1970.
    work: AtomicI64,
    callback: AtomicI64,
    /// What was scheduled since the last search for due work began. Locked while the bounds change.
    since_round: Mutex<Earliest>,
    is_driven: AtomicBool,
    changed: Event,
    /// Number of pieces of work and callbacks that were done.
    done: AtomicU64,
}

impl Default for NextDue {
    fn default() -> Self {
        let [work, callback] = [(), ()].map(|()| AtomicI64::new(i64::MIN));
        let (since_round, is_driven) = (Mutex::default(), AtomicBool::new(false));
        Self { work, callback, since_round, is_driven, changed: Event::new(), done: AtomicU64::new(0) }
    }
}

impl NextDue {
    fn since_round(&self) -> MutexGuard<'_, Earliest> {
        self.since_round.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the bounds to what `change` returns for each of them and its new time.
    fn change(&self, earliest: Earliest, change: impl Fn(i64, i64) -> i64) {
        for (bound, time) in [(&self.work, earliest.work), (&self.callback, earliest.callback)] {
            let time = time.map_or(i64::MAX, |time| time.as_microsecond());
            bound.store(change(bound.load(Ordering::Acquire), time), Ordering::Release);
        }
    }

    /// Forgets the bounds, after the rows were replaced.
    pub(crate) fn forget(&self) {
        let first = Some(Timestamp::MIN);
        self.add(Earliest { work: first, callback: first });
    }

    /// True if a driver runs: then calls do not run callbacks.
    pub(crate) fn is_driven(&self) -> bool {
        self.is_driven.load(Ordering::Acquire)
    }

    /// True if a call at `now` has to run due work first, or to wait for others who run it.
    pub(crate) fn is_reached(&self, now: Timestamp) -> bool {
        let reached = |bound: &AtomicI64| now.as_microsecond() >= bound.load(Ordering::Acquire);
        reached(&self.work) || (!self.is_driven() && reached(&self.callback))
    }

    /// Notes what a committed transaction scheduled.
    pub(crate) fn add(&self, earliest: Earliest) {
        if earliest.work.or(earliest.callback).is_none() {
            return;
        }
        let mut since_round = self.since_round();
        since_round.lower_to(earliest);
        self.change(earliest, i64::min);
        drop(since_round);
        self.wake();
    }

    /// Starts to look for due work. The bounds stay until the end of the round, because its work is not done before.
    pub(crate) fn start_round(&self) {
        *self.since_round() = Earliest::default();
    }

    /// Notes what is left at the end of a round.
    pub(crate) fn end_round(&self, left: Earliest) {
        let mut since_round = self.since_round();
        since_round.lower_to(left);
        self.change(*since_round, |_, time| time);
    }

    /// Counts work that was done.
    pub(crate) fn count_done(&self, count: usize) {
        self.done.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Number of pieces of work and callbacks that were done.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Wakes the driver: there is other work, or the clock changed.
    pub(crate) fn wake(&self) {
        self.changed.notify(1);
    }

    /// Time of the earliest work or callback.
    fn earliest(&self) -> i64 {
        self.work.load(Ordering::Acquire).min(self.callback.load(Ordering::Acquire))
    }
}

/// Marks a cloud as driven until it is dropped.
struct Driving(Kernel);

impl Drop for Driving {
    fn drop(&mut self) {
        let next_due = &self.0.0.next_due;
        next_due.is_driven.store(false, Ordering::Release);
        // Calls run the callbacks that the driver would have started.
        next_due.forget();
    }
}

impl Kernel {
    /// True if due work runs without calls.
    pub fn is_driven(&self) -> bool {
        self.0.next_due.is_driven()
    }

    /// Runs the due work and the callbacks that have fallen due. Calls do so as well.
    pub async fn run_pending(&self) -> Result<()> {
        self.run_due(None).await.map(drop)
    }

    /// Runs due work and callbacks as they fall due, until the future is dropped. Meanwhile calls do not run callbacks, and callbacks
    /// of different destinations run at the same time, so that a slow function delays nobody else. `sleep` waits for a duration of
    /// real time.
    pub async fn drive<S: Future>(&self, sleep: impl Fn(Duration) -> S) {
        self.0.next_due.is_driven.store(true, Ordering::Release);
        let _driving = Driving(self.clone());
        // Others schedule work in a shared cloud, and may die while they have the lease.
        let is_shared = self.is_shared();
        let mut beat = pin!(is_shared.then(|| sleep(BEAT)));
        loop {
            let mut changed = pin!(self.0.next_due.changed.listen());
            let done = self.run_due_work(None, false, &Stop::default()).await;
            let pause =
                match done.and_then(|_| if self.holds_lease() { self.start_callbacks() } else { Ok(()) }) {
                    Ok(()) => self.pause_until_due(),
                    Err(_) => PAUSE_AFTER_ERROR,
                };
            let mut slept = pin!(sleep(pause));
            let mut has_beaten = false;
            poll_fn(|task| {
                has_beaten = beat.as_mut().as_pin_mut().is_some_and(|beat| beat.poll(task).is_ready());
                let is_woken = changed.as_mut().poll(task).is_ready() || slept.as_mut().poll(task).is_ready();
                if is_woken || has_beaten { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            if has_beaten {
                // Without an answer of the database, the lease is kept or taken at the next beat.
                let _ = self.keep_lease(true).await;
                beat.set(Some(sleep(BEAT)));
            }
        }
    }

    /// Returns the time until the next work falls due.
    fn pause_until_due(&self) -> Duration {
        let time = &self.0.time;
        if time.is_frozen() {
            return LONGEST_PAUSE;
        }
        let micros = self.0.next_due.earliest().saturating_sub(time.now().as_microsecond());
        Duration::from_micros(u64::try_from(micros).unwrap_or(0)).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloud, Scope, Tx, Work, due};
    use nephos_core::{Clock, Record, SignedDuration, field_value::FieldType, wait};
    use std::task::{Context, Waker};

    /// Due work that no service of the cloud implements: it ends as failed.
    #[derive(Record)]
    struct Unknown {
        /// Any text.
        about: Option<nephos_core::Text>,
    }

    impl Work for Unknown {
        const NAME: &'static str = "test/unknown";

        fn run(self, _cx: &mut Tx<'_>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn driver_waits_for_the_next_work_and_runs_it() {
        let start = Timestamp::UNIX_EPOCH;
        let clock = Clock::stepped(start, SignedDuration::ZERO);
        let cloud = Cloud::<()>::options().clock(clock.clone()).in_memory();
        let (pauses, is_over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        let sleep = |pause: Duration| {
            pauses.lock().unwrap().push(pause);
            poll_fn(|_| if is_over.swap(false, Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending })
        };
        let mut drive = pin!(cloud.drive(sleep));
        let mut last_pause = || {
            assert!(drive.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            *pauses.lock().unwrap().last().unwrap()
        };
        assert_eq!(last_pause(), LONGEST_PAUSE);
        let scope = Scope::from_session(&cloud.session()).unwrap();
        let schedule = |seconds: i64| {
            let time = start + SignedDuration::from_secs(seconds);
            cloud.write_in(scope.clone(), move |tx| tx.schedule(time, &Unknown::blank())).unwrap();
        };
        schedule(50);
        assert_eq!(last_pause(), Duration::from_secs(50), "new work wakes the driver");
        schedule(5);
        assert_eq!(last_pause(), Duration::from_secs(5));
        clock.advance(SignedDuration::from_secs(5));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(last_pause(), Duration::from_secs(45));
        assert_eq!(cloud.failed_work().unwrap().len(), 1);
        cloud.clock().advance(SignedDuration::from_secs(20)).unwrap();
        assert_eq!(last_pause(), Duration::from_secs(25), "a change of the clock wakes the driver");
        cloud.clock().freeze().unwrap();
        assert_eq!(last_pause(), LONGEST_PAUSE);
        assert!(cloud.0.next_due.is_driven());
    }

    #[test]
    fn calls_wait_for_due_work_until_its_round_has_ended() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let work = |second: i64| Earliest { work: Some(at(second)), callback: None };
        let next = NextDue::default();
        assert!(next.is_reached(at(0)), "rows of an earlier process are not known");
        next.start_round();
        next.end_round(work(50));
        assert_eq!((next.is_reached(at(49)), next.is_reached(at(50))), (false, true));
        next.start_round();
        assert!(next.is_reached(at(50)), "the round has not done its work");
        next.add(work(70));
        next.end_round(work(90));
        assert_eq!((next.is_reached(at(69)), next.is_reached(at(70))), (false, true));
        next.start_round();
        next.forget();
        next.end_round(Earliest::default());
        assert!(next.is_reached(at(0)), "the rows were replaced after the round had read them");
    }

    #[test]
    fn work_that_was_deleted_since_it_was_found_does_not_run() {
        let cloud = Cloud::<()>::options().clock(Clock::frozen(Timestamp::UNIX_EPOCH)).in_memory();
        let scope = Scope::from_session(&cloud.session()).unwrap();
        cloud.write_in(scope, |tx| tx.schedule(tx.now(), &Unknown::blank())).unwrap();
        let found = due::first(&cloud.0.store.snapshot().unwrap(), due::WORK).unwrap().unwrap();
        cloud.reset().unwrap();
        assert_eq!(wait(cloud.run_scheduled(found, Timestamp::UNIX_EPOCH, false)).unwrap(), 0);
        assert_eq!(cloud.failed_work().unwrap(), []);
    }

    #[test]
    fn cloud_is_driven_until_the_driver_is_dropped() {
        let cloud = Cloud::<()>::in_memory();
        {
            let mut drive = pin!(cloud.drive(|_| std::future::pending::<()>()));
            assert!(drive.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert!(cloud.0.next_due.is_driven());
        }
        assert!(!cloud.0.next_due.is_driven());
    }
}
