//! The newest primary of the database that a process has seen. After a failover, the old primary may come back and accept writes
//! again: it is refused as if it were down.

use std::{
    io,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use crate::pool::lock;

/// Facts that tell an old primary from the current one, shared by all connections of a process.
#[derive(Default)]
pub(crate) struct Newest {
    /// Identifier of the database cluster.
    system: OnceLock<String>,
    /// Newest timeline. Each promotion of a standby begins one.
    timeline: AtomicU32,
    /// True if all hosts were asked since the last connection was lost.
    is_settled: AtomicBool,
    /// Row of the writer of this process in the table of writers, and the number of its last acknowledged transaction.
    acknowledged: Mutex<Option<Acknowledged>>,
}

/// The last transaction of this process that was acknowledged at some moment. A database that is asked for it after that moment
/// has it.
#[derive(Clone, Copy)]
pub(crate) struct Acknowledged {
    pub(crate) slot: [u8; 16],
    number: i64,
}

impl Acknowledged {
    /// Refuses a database that lacks transactions of this process. `stored` is the number of the last one there, if it has any.
    pub(crate) fn admit(self, stored: Option<i64>) -> io::Result<()> {
        match stored {
            Some(stored) if stored < self.number => {
                let missing = self.number - stored;
                let message = format!("this database lacks the last {missing} writes of this server");
                Err(io::Error::other(message))
            }
            _ => Ok(()),
        }
    }
}

impl Newest {
    pub(crate) fn timeline(&self) -> u32 {
        self.timeline.load(Ordering::Acquire)
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.is_settled.load(Ordering::Acquire)
    }

    pub(crate) fn set_settled(&self, is_settled: bool) {
        self.is_settled.store(is_settled, Ordering::Release);
    }

    pub(crate) fn acknowledge(&self, slot: [u8; 16], number: i64) {
        *lock(&self.acknowledged) = Some(Acknowledged { slot, number });
    }

    pub(crate) fn acknowledged(&self) -> Option<Acknowledged> {
        *lock(&self.acknowledged)
    }

    /// Refuses a primary of another database, or of an earlier timeline than was seen.
    pub(crate) fn admit(&self, system: &str, timeline: u32) -> io::Result<()> {
        let known = self.system.get_or_init(|| system.to_owned());
        if known != system {
            let message =
                format!("this is another database: its system identifier is {system}, and was {known}");
            return Err(io::Error::other(message));
        }
        let newest = self.timeline.fetch_max(timeline, Ordering::AcqRel);
        if timeline < newest {
            let message = format!(
                "this is an old primary: it is on timeline {timeline}, and another one was promoted to timeline {newest}"
            );
            return Err(io::Error::other(message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_timelines_other_databases_and_missing_commits_are_refused() {
        let newest = Newest::default();
        newest.admit("7", 1).unwrap();
        newest.admit("7", 3).unwrap();
        newest.admit("7", 3).unwrap();
        assert!(newest.admit("7", 2).unwrap_err().to_string().contains("timeline 2"));
        assert!(newest.admit("8", 4).unwrap_err().to_string().contains("another database"));
        assert_eq!(newest.timeline(), 3);
        assert!(newest.acknowledged().is_none());
        newest.acknowledge([1; 16], 5);
        let acknowledged = newest.acknowledged().unwrap();
        acknowledged.admit(Some(5)).unwrap();
        acknowledged.admit(None).unwrap();
        assert!(acknowledged.admit(Some(3)).unwrap_err().to_string().contains("lacks the last 2 writes"));
        // A write that is acknowledged while the database answers is not missing.
        newest.acknowledge([1; 16], 6);
        acknowledged.admit(Some(5)).unwrap();
    }
}
