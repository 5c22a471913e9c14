//! Tests of the whole library, in one program, because each would link all services.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod access;
mod cloud;
#[cfg(feature = "postgres")]
mod database;
mod encryption;
mod events;
mod events_archives;
mod imports;
mod kill;
mod own_events;
mod pipeline_events;
mod pipeline_relations;
mod testing_guide;
