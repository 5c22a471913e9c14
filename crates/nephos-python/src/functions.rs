//! Functions of Python that a cloud calls: rotation functions of secrets, and targets of event rules.

use crate::{session::Session, values::to_python};
use nephos::{Error, ErrorKind, Function, Value};
use pyo3::{
    PyTraverseError, PyVisit,
    exceptions::{PyTypeError, PyValueError},
    intern,
    prelude::*,
    types::PyString,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Functions of a cloud by name or ARN.
///
/// They belong to the Python object of the cloud, and the cloud itself refers to them weakly. So a function that refers to its cloud
/// makes a cycle that Python's garbage collector can see.
#[derive(Default)]
pub(crate) struct Functions(Arc<Table>);

type Table = Mutex<HashMap<String, Py<PyAny>>>;

impl Functions {
    /// Registers a function with the cloud, replacing a previous one.
    pub(crate) fn register(&self, cloud: &nephos::Cloud, name: String, function: Bound<'_, PyAny>) {
        let py = function.py();
        cloud.register(name.as_str(), self.caller(name.clone()));
        let replaced = {
            let mut functions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            functions.insert(name, function.unbind())
        };
        // Dropped without the lock, because dropping may run code of Python.
        drop(replaced.map(|replaced| replaced.into_bound(py)));
    }

    /// Registers the same functions with a fork of the cloud.
    pub(crate) fn fork(&self, py: Python<'_>, cloud: &nephos::Cloud) -> Self {
        let copies: HashMap<_, _> = {
            let functions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            functions.iter().map(|(name, function)| (name.clone(), function.clone_ref(py))).collect()
        };
        let names: Vec<_> = copies.keys().cloned().collect();
        let fork = Self(Arc::new(Mutex::new(copies)));
        for name in names {
            cloud.register(name.as_str(), fork.caller(name.clone()));
        }
        fork
    }

    /// Returns the function that is registered by a name.
    pub(crate) fn find<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
        find(&self.0, py, name)
    }

    /// Returns what the cloud calls, on a thread of its own and outside of a transaction.
    fn caller(&self, name: String) -> Function {
        let table = Arc::downgrade(&self.0);
        Arc::new(move |session: &nephos::Session, event: &Value| call(&table, &name, session, event))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A thread that holds the lock holds the GIL, too, and starts no collection meanwhile.
        let Ok(functions) = self.0.try_lock() else { return Ok(()) };
        functions.values().try_for_each(|function| visit.call(function))
    }

    pub(crate) fn clear(&self) {
        let functions = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(functions);
    }
}

fn find<'py>(table: &Table, py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
    let functions = table.lock().unwrap_or_else(PoisonError::into_inner);
    functions.get(name).map(|function| function.bind(py).clone())
}

/// Calls a function; an exception is the failure of the call.
fn call(table: &Weak<Table>, name: &str, session: &nephos::Session, event: &Value) -> nephos::Result<()> {
    Python::attach(|py| {
        let function = table.upgrade().and_then(|table| find(&table, py, name));
        let Some(function) = function else {
            let message = format!(
                "the nephos.Cloud that the function {name} was registered with does not exist any more"
            );
            return Err(Error::new(ErrorKind::NotFound, message));
        };
        let run = || -> PyResult<()> {
            let event = to_python(py, event.view(), None)?;
            let session = Bound::new(py, Session::from(session.clone()))?;
            let run = py.import("nephos._functions")?.getattr(intern!(py, "run"))?;
            run.call1((function, name, session, event)).map(drop)
        };
        run().map_err(|error| to_failure(py, &error))
    })
}

/// Returns the failure for an exception: its class and its message.
fn to_failure(py: Python<'_>, error: &PyErr) -> Error {
    let class = error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
    let message = error.value(py).str().map(|text| text.to_string()).unwrap_or_default();
    let text = if message.is_empty() { class } else { format!("{class}: {message}") };
    Error::new(ErrorKind::Internal, text)
}

/// Returns a name of a function, which must not be empty.
pub(crate) fn check(name: &Bound<'_, PyString>, function: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = name.to_str()?;
    if name.is_empty() {
        let message = "name: expected the name or ARN of the function, found an empty string";
        return Err(PyValueError::new_err(message));
    }
    if !function.is_callable() {
        let class = function.get_type();
        let message = format!("function: expected a callable, found {}", class.qualname()?);
        return Err(PyTypeError::new_err(message));
    }
    Ok(name.to_owned())
}
