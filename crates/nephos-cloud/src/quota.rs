//! Quotas: the maximum number of resources of an account in a Region, or of a parent.

use crate::Tx;
use nephos_core::{Error, Result};

/// A quota of an account in a Region. The number of resources is counted as they are created and deleted.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Name of the counter.
    pub counter: &'static str,
    /// Maximum number.
    pub max: i64,
    /// Plural of what is counted, for hints.
    pub what: &'static str,
}

impl Quota {
    /// Counts one more; refused with `exceeded` if the quota is reached.
    pub fn add_one(&self, cx: &mut Tx<'_>, exceeded: impl FnOnce() -> Error) -> Result<()> {
        let hint = || format!("an account can have at most {} {} in a Region", self.max, self.what);
        add_one(cx, self.counter, self.max, exceeded, hint)
    }

    /// Counts one fewer.
    pub fn remove_one(&self, cx: &mut Tx<'_>) -> Result<()> {
        cx.add_to_count(self.counter, -1).map(drop)
    }
}

/// Counts one more; refused with `exceeded` and a hint if there are `max` and quotas hold.
fn add_one(
    cx: &mut Tx<'_>,
    counter: &str,
    max: i64,
    exceeded: impl FnOnce() -> Error,
    hint: impl FnOnce() -> String,
) -> Result<()> {
    let has_quotas = cx.settings.quotas;
    let check = |count: i64| {
        if has_quotas && count >= max { Err(exceeded().with_hint(hint())) } else { Ok(()) }
    };
    cx.add_to_count_if(counter, 1, check).map(drop)
}

/// A quota of each parent, such as the rules of an event bus. Each parent has a counter of its own.
#[derive(Clone, Copy, Debug)]
pub struct ParentQuota {
    /// Start of the names of the counters.
    pub counter: &'static str,
    /// Maximum number.
    pub max: i64,
    /// The parent with its article, for hints: `an event bus`.
    pub parent: &'static str,
    /// Plural of what is counted, for hints.
    pub what: &'static str,
}

impl ParentQuota {
    fn counter_of(&self, parent: &str) -> String {
        format!("{}/{parent}", self.counter)
    }

    /// Counts one more of a parent; refused with `exceeded` if the quota is reached.
    pub fn add_one(&self, cx: &mut Tx<'_>, parent: &str, exceeded: impl FnOnce() -> Error) -> Result<()> {
        let hint = || format!("{} can have at most {} {}", self.parent, self.max, self.what);
        add_one(cx, &self.counter_of(parent), self.max, exceeded, hint)
    }

    /// Counts one fewer of a parent.
    pub fn remove_one(&self, cx: &mut Tx<'_>, parent: &str) -> Result<()> {
        cx.add_to_count(&self.counter_of(parent), -1).map(drop)
    }
}
