//! The locks and threads that the group-commit writer is made of: the standard ones, or, under `--cfg shuttle`,
//! those of the concurrency checker.

#[cfg(not(shuttle))]
pub(crate) use std::thread_local;

#[cfg(shuttle)]
pub(crate) use shuttle::thread_local;

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{Condvar, Mutex, MutexGuard},
    thread,
};

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{Condvar, Mutex, MutexGuard},
    thread,
};

/// Locks `mutex`, whatever a panicking thread may have left behind: no code of a caller runs under our locks, and
/// what they guard is never left half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Waits on `condvar`, with the same view of poisoning as [`lock`].
pub(crate) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner)
}
