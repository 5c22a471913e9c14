//! Classes that were made from the shapes. Python's code makes each of them once, when it is first needed.

use crate::{
    record::Filled,
    shapes::{Choice, Shape, shape_with_kind},
};
use nephos_core::{
    record::Fields,
    shape::{ChoiceShape, RecordShape},
};
use pyo3::{
    intern,
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyString, PyType},
};
use std::{
    collections::HashMap,
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

/// Objects by the address of their shape.
struct Cache<T>(Mutex<HashMap<usize, Py<T>>>);

impl<T> Cache<T> {
    fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    /// Returns the object of a shape. `make` runs code of Python, so that the lock is not held.
    fn get_or_make<'py>(
        &self,
        py: Python<'py>,
        key: usize,
        make: impl FnOnce() -> PyResult<Bound<'py, T>>,
    ) -> PyResult<Bound<'py, T>> {
        let known = |cache: &Self| {
            let map = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
            map.get(&key).map(|object| object.bind(py).clone())
        };
        if let Some(found) = known(self) {
            return Ok(found);
        }
        let made = make()?;
        // Another thread may have been faster.
        if let Some(found) = known(self) {
            return Ok(found);
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone().unbind());
        Ok(made)
    }
}

/// Returns the class of a record.
pub(crate) fn class_of<'py>(py: Python<'py>, record: &'static RecordShape) -> PyResult<Bound<'py, PyType>> {
    static CLASSES: PyOnceLock<Cache<PyType>> = PyOnceLock::new();
    CLASSES.get_or_init(py, Cache::new).get_or_make(py, ptr::from_ref(record).addr(), || {
        let make = py.import("nephos._classes")?.getattr("record_class")?;
        Ok(make.call1((shape_with_kind(record),))?.cast_into()?)
    })
}

/// Makes an object of the class of a record.
pub(crate) fn instance<'py>(py: Python<'py>, record: Box<dyn Fields>) -> PyResult<Bound<'py, PyAny>> {
    shared_instance(py, Arc::from(record))
}

/// Makes an object of the class of a record, which is copied when either is changed.
pub(crate) fn shared_instance<'py>(py: Python<'py>, record: Arc<dyn Fields>) -> PyResult<Bound<'py, PyAny>> {
    class_of(py, record.shape())?.call1((Filled(record),))
}

/// Makes a list of models, which Jupyter shows as a table.
pub(crate) fn list_of_models<'py>(
    py: Python<'py>,
    models: Vec<Arc<dyn Fields>>,
) -> PyResult<Bound<'py, PyAny>> {
    let models = models.into_iter().map(|model| shared_instance(py, model));
    let models = models.collect::<PyResult<Vec<_>>>()?;
    py.import(intern!(py, "nephos._models"))?.getattr(intern!(py, "ModelList"))?.call1((models,))
}

/// Returns the class of an enum.
fn choice_class<'py>(py: Python<'py>, shape: &'static ChoiceShape) -> PyResult<Bound<'py, PyType>> {
    static CLASSES: PyOnceLock<Cache<PyType>> = PyOnceLock::new();
    CLASSES.get_or_init(py, Cache::new).get_or_make(py, ptr::from_ref(shape).addr(), || {
        let make = py.import("nephos._classes")?.getattr("choice_class")?;
        Ok(make.call1((Choice::new(shape),))?.cast_into()?)
    })
}

/// Returns the member of an enum; a value that the specification does not have stays text.
pub(crate) fn choice<'py>(
    py: Python<'py>,
    shape: &'static ChoiceShape,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let members = choice_class(py, shape)?.getattr(intern!(py, "_value2member_map_"))?;
    let member = members.cast::<PyDict>()?.get_item(name)?;
    Ok(member.unwrap_or_else(|| PyString::new(py, name).into_any()))
}

/// Returns the class of a record.
#[pyfunction]
pub(crate) fn class_of_record<'py>(shape: &Bound<'py, Shape>) -> PyResult<Bound<'py, PyType>> {
    class_of(shape.py(), shape.get().record)
}

/// Returns the class of an enum.
#[pyfunction]
pub(crate) fn class_of_choice<'py>(choice: &Bound<'py, Choice>) -> PyResult<Bound<'py, PyType>> {
    choice_class(choice.py(), choice.get().choice)
}
