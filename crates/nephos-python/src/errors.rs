//! Errors as exceptions.

use nephos::Error;
use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// Returns the exception of `nephos.errors` for an error.
pub(crate) fn to_exception(py: Python<'_>, error: &Error) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let of_error = py.import("nephos.errors")?.getattr("of_error")?;
        let facts = (
            format!("{:?}", error.kind()),
            (error.is_value_error(), error.is_runtime_error()),
            error.to_string(),
            error.code(),
            error.status(),
            error.field(),
            error.hint(),
            error.operation(),
            error.request_id(),
            error.retryable(),
        );
        Ok(PyErr::from_value(of_error.call1(facts)?))
    };
    make().unwrap_or_else(|_| PyRuntimeError::new_err(error.to_string()))
}
