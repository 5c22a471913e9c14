//! Fuzz targets over all services, with a driver for the stable compiler.
//!
//! A target is a function of bytes that must not panic. The driver takes the inputs in `corpus/TARGET`, changes them at random, and
//! saves an input that fails.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for the terminal")]

mod corpus;
mod driver;
mod message;
mod mutation;
mod options;
mod record;
mod targets;

use options::{Action, Options};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let passed = match &options.action {
        Action::Fuzz => driver::run(&options),
        Action::Replay(file) => driver::replay(&options, file),
        Action::Record => record::run(),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
