//! Retries: which errors are retried, with which backoff, and within which budget.

use nephos_core::{Error, ErrorKind, Ids};
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

/// Retry policy with exponential backoff.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retries {
    pub(super) attempts: u32,
    /// Maximum delay after the first attempt; it doubles with each further attempt.
    initial_backoff: Duration,
    max_backoff: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 3,
            initial_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(20),
        }
    }
}

impl Retries {
    /// Returns the delay after `attempt`: random up to the limit (jitter), so that clients do not retry all at once.
    pub(super) fn backoff(&self, attempt: u32, ids: &Ids) -> Duration {
        let limit = self
            .initial_backoff
            .saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)))
            .min(self.max_backoff);
        let micros = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(ids.below(micros.max(1)))
    }
}

/// True if the same request may succeed later.
pub(super) fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Transport)
        || (error.kind() == ErrorKind::Internal && error.status() >= 500)
}

/// Retry budget: limits retries against an endpoint that fails most requests.
#[derive(Debug)]
pub(super) struct Budget(AtomicI64);

/// Initial and maximum value of the budget.
const MAX_BUDGET: i64 = 500;

/// Cost of a retry.
const RETRY_COST: i64 = 5;

impl Budget {
    pub(super) fn new() -> Self {
        Self(AtomicI64::new(MAX_BUDGET))
    }

    /// Takes the cost of a retry from the budget; returns false if it is used up.
    pub(super) fn spend(&self) -> bool {
        let spent = |left: i64| (left >= RETRY_COST).then(|| left - RETRY_COST);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, spent).is_ok()
    }

    /// Returns a little to the budget after a success.
    pub(super) fn refund(&self) {
        let earned = |left: i64| Some((left + 1).min(MAX_BUDGET));
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, earned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_up_to_a_limit() {
        let (retries, ids) = (Retries::default(), Ids::seeded(1));
        for attempt in 1..40 {
            let limit = Duration::from_millis(100).saturating_mul(2_u32.saturating_pow(attempt - 1));
            assert!(retries.backoff(attempt, &ids) <= limit.min(Duration::from_secs(20)), "{attempt}");
        }
    }

    #[test]
    fn budget_is_used_up_and_refunded() {
        let budget = Budget::new();
        assert_eq!((0..1000).filter(|_| budget.spend()).count(), 100);
        (0..4).for_each(|_| budget.refund());
        assert!(!budget.spend());
        budget.refund();
        assert!(budget.spend());
    }
}
