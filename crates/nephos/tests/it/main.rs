//! Tests of the whole library, in one program, because each would link all services.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod access;
mod cloud;
mod encryption;
mod events;
mod events_archives;
mod imports;
mod kill;
mod own_events;
