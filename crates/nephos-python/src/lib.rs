//! The module `nephos._nephos`: what the Python package is made of.

mod cloud;
mod errors;
mod http;

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
    #[pymodule_export]
    use super::{cloud::Cloud, main};
}
