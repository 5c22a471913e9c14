//! Callbacks of a driven cloud. Several run at the same time, at most one for each destination, so that a destination that does not
//! respond delays only itself.

use crate::{
    FunctionCall, Kernel, Key,
    due::{self, Due},
    from_store_error, outside,
};
use nephos_core::{Result, Text, wait};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Maximum number of callbacks that run at the same time.
const MAX_RUNNING: usize = 64;

/// Maximum number of callbacks of one account that run at the same time.
const MAX_RUNNING_OF_ACCOUNT: usize = 8;

/// Account of a callback, and the function or the host that it calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Destination {
    account: Text,
    called: Text,
}

impl Destination {
    pub(crate) fn new(due: &Due, call: Option<&FunctionCall>) -> Self {
        let called = call.map(FunctionCall::destination).unwrap_or_default();
        Self { account: due.scope.account().into(), called }
    }
}

/// Callbacks that are due, and those that run.
#[derive(Debug, Default)]
pub(crate) struct Callbacks(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    /// Callbacks that are due, by their keys, which are in the order of their times. Those that run are still there.
    due: HashMap<Destination, BTreeMap<Key, Due>>,
    known: HashSet<Vec<u8>>,
    running: HashMap<Destination, Key>,
}

impl Queue {
    fn add(&mut self, destination: Destination, due: Due) {
        let key = due.key(due::CALLBACKS);
        self.known.insert(key.as_bytes().to_vec());
        self.due.entry(destination).or_default().insert(key, due);
    }

    /// Marks the callback that runs next, if there is one: the first one of a destination of which none runs.
    fn start_next(&mut self) -> Option<(Destination, Due)> {
        if self.running.len() >= MAX_RUNNING {
            return None;
        }
        let mut of_account = HashMap::<&str, usize>::new();
        for destination in self.running.keys() {
            *of_account.entry(&destination.account).or_default() += 1;
        }
        let is_free = |destination: &Destination| {
            let running = of_account.get(destination.account.as_str());
            running.is_none_or(|running| *running < MAX_RUNNING_OF_ACCOUNT)
                && !self.running.contains_key(destination)
        };
        let mut free = self.due.iter().filter(|(destination, _)| is_free(destination));
        let (destination, callbacks) = free.next()?;
        let (key, due) = callbacks.first_key_value()?;
        let started = (destination.clone(), due.clone());
        self.running.insert(destination.clone(), key.clone());
        Some(started)
    }
}

impl Callbacks {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the callbacks that are due, after the rows were replaced.
    pub(crate) fn forget(&self) {
        let mut queue = self.queue();
        queue.due.clear();
        queue.known.clear();
    }

    /// Marks a callback as running; false if another one of its destination runs.
    pub(crate) fn start(&self, destination: &Destination, due: &Due) -> bool {
        let mut queue = self.queue();
        if queue.running.contains_key(destination) {
            return false;
        }
        queue.running.insert(destination.clone(), due.key(due::CALLBACKS));
        true
    }

    /// Notes that a callback does not run any more, and was removed or will be found again.
    pub(crate) fn finish(&self, destination: &Destination, due: &Due) {
        let (mut queue, key) = (self.queue(), due.key(due::CALLBACKS));
        queue.running.remove(destination);
        queue.known.remove(key.as_bytes());
        if let Some(callbacks) = queue.due.get_mut(destination) {
            callbacks.remove(&key);
            if callbacks.is_empty() {
                queue.due.remove(destination);
            }
        }
    }
}

/// A callback that runs, until this is dropped: also if it panics, or its thread cannot be started.
struct Running {
    cloud: Kernel,
    destination: Destination,
    due: Due,
}

impl Running {
    fn run(self) {
        let (cloud, done) = (self.cloud.clone(), wait(self.cloud.run_callback(self.due.clone())));
        drop(self);
        // After an error of the store, the next round tries again.
        if done.is_ok() {
            cloud.0.next_due.wake();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cloud.0.callbacks.finish(&self.destination, &self.due);
    }
}

impl Kernel {
    /// Starts the callbacks that are due, each on a thread of its own, as far as they may run now. Nothing waits for them.
    pub(crate) fn start_callbacks(&self) -> Result<()> {
        let callbacks = &self.0.callbacks;
        let mut queue = callbacks.queue();
        // Read with the lock held: a callback that has ended is not found again.
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        for due in due::until(&snapshot, due::CALLBACKS, self.0.time.now(), |key| queue.known.contains(key))?
        {
            let destination = self.destination_of(&due);
            queue.add(destination, due);
        }
        drop(snapshot);
        let mut started = Vec::new();
        while let Some(next) = queue.start_next() {
            started.push(next);
        }
        drop(queue);
        let running: Vec<_> = started
            .into_iter()
            .map(|(destination, due)| Running { cloud: self.clone(), destination, due })
            .collect();
        running.into_iter().try_for_each(|running| outside::spawn("nephos-callback", move || running.run()))
    }

    /// Returns the destination of a callback.
    pub(crate) fn destination_of(&self, due: &Due) -> Destination {
        Destination::new(due, self.function_call(due).ok().flatten().as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;
    use nephos_core::Timestamp;

    fn callback(account: &str, called: &str, number: u8) -> (Destination, Due) {
        let scope = Scope::new(account, "us-east-1");
        let due = Due::new(Timestamp::UNIX_EPOCH, &scope, "test", vec![b'0' + number]);
        (Destination { account: account.into(), called: called.into() }, due)
    }

    #[test]
    fn one_callback_of_a_destination_runs_at_a_time_in_order() {
        let mut queue = Queue::default();
        for number in [2, 1] {
            let (destination, due) = callback("1", "a", number);
            queue.add(destination, due);
        }
        let (destination, first) = queue.start_next().unwrap();
        assert_eq!(first, callback("1", "a", 1).1);
        assert_eq!(queue.start_next(), None);
        let callbacks = Callbacks(Mutex::new(queue));
        assert!(!callbacks.start(&destination, &callback("1", "a", 3).1));
        callbacks.finish(&destination, &first);
        let (_, second) = callbacks.queue().start_next().unwrap();
        assert_eq!(second, callback("1", "a", 2).1);
        callbacks.finish(&destination, &second);
        assert!(callbacks.queue().due.is_empty() && callbacks.queue().known.is_empty());
    }

    #[test]
    fn accounts_do_not_take_all_places() {
        let mut queue = Queue::default();
        for account in 0..20 {
            for called in 0..20 {
                let (destination, due) = callback(&account.to_string(), &called.to_string(), 0);
                queue.add(destination, due);
            }
        }
        let mut of_account = HashMap::<Text, usize>::new();
        while let Some((destination, _)) = queue.start_next() {
            *of_account.entry(destination.account).or_default() += 1;
        }
        assert_eq!(of_account.values().sum::<usize>(), MAX_RUNNING);
        assert!(of_account.values().all(|count| *count <= MAX_RUNNING_OF_ACCOUNT));
    }
}
