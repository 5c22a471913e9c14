//! The module `nephos._nephos`: what the Python package is made of.

mod calls;
mod classes;
mod cloud;
mod errors;
mod field;
mod functions;
mod http;
mod operator;
mod record;
mod results;
mod secret;
mod session;
mod shapes;
mod values;

use pyo3::prelude::*;
use std::{ffi::OsString, path::PathBuf};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the program `nephos` with these arguments, of which the first is its path, and returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    let program = argv.first().map(PathBuf::from);
    py.detach(|| nephos_cli::run_process(argv, program))
}

#[pymodule]
mod _nephos {
    /// Version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::{
        calls::{look_up, preview_call, preview_save, run_call, save_model},
        classes::{class_of_choice, class_of_record},
        cloud::{Cloud, parse_duration},
        field::Field,
        main,
        operator::{access_shapes, clear_decisions, decisions, explain_access, run_control, smallest_policy},
        record::{_restore, PyRecord},
        results::ResultSet,
        secret::{SecretBytes, SecretStr},
        session::Session,
        shapes::{Call, Choice, Kind, Service, Shape, kind_names, kind_shape, services, suggest},
    };
}
