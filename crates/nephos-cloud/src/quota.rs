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
        if cx.settings.quotas && cx.count(self.counter)? >= self.max {
            let hint = format!("an account can have at most {} {} in a Region", self.max, self.what);
            return Err(exceeded().with_hint(hint));
        }
        cx.add_to_count(self.counter, 1).map(drop)
    }

    /// Counts one fewer.
    pub fn remove_one(&self, cx: &mut Tx<'_>) -> Result<()> {
        cx.add_to_count(self.counter, -1).map(drop)
    }
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
        let counter = self.counter_of(parent);
        if cx.settings.quotas && cx.count(&counter)? >= self.max {
            let hint = format!("{} can have at most {} {}", self.parent, self.max, self.what);
            return Err(exceeded().with_hint(hint));
        }
        cx.add_to_count(&counter, 1).map(drop)
    }

    /// Counts one fewer of a parent.
    pub fn remove_one(&self, cx: &mut Tx<'_>, parent: &str) -> Result<()> {
        cx.add_to_count(&self.counter_of(parent), -1).map(drop)
    }
}
