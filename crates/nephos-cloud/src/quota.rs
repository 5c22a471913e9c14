//! Quotas: the maximum number of resources of an account in a Region.

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
