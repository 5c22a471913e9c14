//! Trying again: when it may help, after how long, and how much of it altogether.

use nephos_core::{Error, ErrorKind, Ids};
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

/// How requests are tried again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retries {
    pub(super) attempts: u32,
    /// The longest pause after the first attempt; each later one may be twice as long.
    first: Duration,
    longest: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self { attempts: 3, first: Duration::from_millis(100), longest: Duration::from_secs(20) }
    }
}

impl Retries {
    /// How long to pause after `attempt`: anything up to the limit, so that clients do not come back all at once.
    pub(super) fn pause(&self, attempt: u32, ids: &Ids) -> Duration {
        let limit =
            self.first.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1))).min(self.longest);
        let micros = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(ids.below(micros.max(1)))
    }
}

/// Whether the same request may succeed a little later.
pub(super) fn is_passing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Transport)
        || (error.kind() == ErrorKind::Internal && error.status() >= 500)
}

/// What may be spent on trying again: an endpoint in trouble is not made to answer everything three times.
#[derive(Debug)]
pub(super) struct Budget(AtomicI64);

/// What there is at the start, and at most.
const FULL: i64 = 500;

/// What an attempt costs that comes after a failure.
const COST: i64 = 5;

impl Budget {
    pub(super) fn new() -> Self {
        Self(AtomicI64::new(FULL))
    }

    /// Whether there is enough for another attempt.
    pub(super) fn spend(&self) -> bool {
        let spent = |left: i64| (left >= COST).then(|| left - COST);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, spent).is_ok()
    }

    /// An answer earns a little back.
    pub(super) fn refund(&self) {
        let earned = |left: i64| Some((left + 1).min(FULL));
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, earned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let (retries, ids) = (Retries::default(), Ids::seeded(1));
        for attempt in 1..40 {
            let limit = Duration::from_millis(100).saturating_mul(2_u32.saturating_pow(attempt - 1));
            assert!(retries.pause(attempt, &ids) <= limit.min(Duration::from_secs(20)), "{attempt}");
        }
    }

    #[test]
    fn a_budget_runs_out_and_is_earned_back() {
        let budget = Budget::new();
        assert_eq!((0..1000).filter(|_| budget.spend()).count(), 100);
        (0..4).for_each(|_| budget.refund());
        assert!(!budget.spend());
        budget.refund();
        assert!(budget.spend());
    }
}
