//! The program from the user's view: command lines in, text and exit codes out.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod access;
mod bulk;
mod calls;
mod cloud;
mod complete;
mod composite_keys;
mod endpoint;
mod errors;
mod events;
mod harness;
mod kill;
mod laws;
mod map;
mod output;
mod pipelines;
mod process;
mod roles;
mod secrets;
mod serving;
mod sharing;
mod storage;
mod terminal;
mod tour;
mod walls;
