//! The fuzz targets: functions of bytes that must not panic.

mod answers;
mod control;
mod events;
mod policies;
pub(crate) mod requests;
mod signatures;
mod state_file;

/// A fuzz target.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Checks one input; panics if it fails.
    pub(crate) check: fn(&[u8]),
    /// True if a panic of any thread is a failure, also one that is caught.
    pub(crate) any_thread: bool,
}

/// All targets.
pub(crate) static ALL: &[Target] = &[
    Target { name: "requests", check: requests::check, any_thread: true },
    Target { name: "answers", check: answers::check, any_thread: true },
    Target { name: "signatures", check: signatures::check, any_thread: true },
    Target { name: "control", check: control::check, any_thread: true },
    Target { name: "events", check: events::check, any_thread: true },
    Target { name: "policies", check: policies::check, any_thread: true },
    // The store turns panics of the database library into errors.
    Target { name: "state-file", check: state_file::check, any_thread: false },
];
