//! Quotas: how many of something an account may have in a Region.

use crate::Tx;
use nephos_core::{Code, Result};

/// A quota of an account in a Region, counted as resources come and go.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// The name of the counter.
    pub counter: &'static str,
    /// The most there may be.
    pub max: i64,
    /// The plural of what is counted, for the refusal.
    pub what: &'static str,
}

impl Quota {
    /// Counts one more, if that is allowed.
    pub fn add_one(&self, cx: &mut Tx<'_>, exceeded: &'static Code) -> Result<()> {
        if cx.count(self.counter)? >= self.max {
            return Err(exceeded.with_message(format!(
                "an account can have at most {} {} in a Region",
                self.max, self.what
            )));
        }
        cx.add_to_count(self.counter, 1).map(drop)
    }

    /// Counts one fewer.
    pub fn remove_one(&self, cx: &mut Tx<'_>) -> Result<()> {
        cx.add_to_count(self.counter, -1).map(drop)
    }
}
