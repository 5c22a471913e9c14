//! The program as its users meet it: command lines in, text and exit codes out.

mod bulk;
mod calls;
mod cloud;
mod complete;
mod errors;
mod harness;
mod kill;
mod laws;
mod output;
mod process;
mod tour;
