//! Lazy result sets.

use crate::{
    classes::{list_of_models, shared_instance},
    errors::to_exception,
    values::{from_python, to_python},
};
use nephos::{AnyPredicate, Error, Order, Ref};
use nephos_core::{
    dynamic::{self, AnyResults},
    record::Fields,
    wait,
};
use pyo3::{
    exceptions::{PyIndexError, PyTypeError, PyUserWarning, PyValueError},
    prelude::*,
    types::{PyDict, PySlice, PyTuple},
};
use std::{
    ffi::CString,
    sync::{Arc, Mutex, PoisonError},
};

/// Models that are fetched lazily, page by page, and kept. No method changes the set.
#[pyclass(frozen, module = "nephos", generic)]
pub(crate) struct ResultSet {
    results: AnyResults,
}

/// Iterator over the models of a result set.
#[pyclass(frozen, module = "nephos._nephos")]
struct ResultIterator {
    results: Mutex<AnyResults>,
}

impl ResultSet {
    pub(crate) fn new(results: AnyResults) -> Self {
        Self { results }
    }

    /// Waits for a query without the GIL.
    fn query<T: Send>(
        &self,
        py: Python<'_>,
        query: impl AsyncFnOnce(&AnyResults) -> nephos::Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| wait(query(&self.results))).map_err(|error| to_exception(py, &error))
    }
}

/// Number of names in the text of a result set.
const SHOWN: i64 = 3;

/// Returns the name of a model, or else another identity.
fn display_name(model: &dyn Fields) -> String {
    let identities = ["name", "arn", "pk"].into_iter();
    let mut known = identities.filter_map(|which| dynamic::identity(model, which)?.ok());
    let identity = known.find(|value| !value.view().is_null()).unwrap_or_default();
    match identity.as_text() {
        Some(text) => text.to_owned(),
        None => format!("{identity:?}"),
    }
}

fn optional<'py>(py: Python<'py>, model: Option<Arc<dyn Fields>>) -> PyResult<Bound<'py, PyAny>> {
    match model {
        Some(model) => shared_instance(py, model),
        None => Ok(py.None().into_bound(py)),
    }
}

fn paths(paths: &Bound<'_, PyTuple>) -> PyResult<Vec<String>> {
    paths.iter().map(|path| path.extract()).collect()
}

#[pymethods]
impl ResultSet {
    /// Returns the models that match all criteria, each a `field__lookup` with its value.
    #[pyo3(signature = (**criteria))]
    fn filter(&self, py: Python<'_>, criteria: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut tests = Vec::new();
        let kind = self.results.kind();
        for (criterion, value) in criteria.into_iter().flatten() {
            let test = AnyPredicate::parse(&criterion.extract::<String>()?, from_python(&value)?);
            tests.push(test.map_err(|error| to_exception(py, &error))?);
        }
        let criteria = AnyPredicate::All(tests);
        // Such a filter matches nothing by contract, which hides a typing error.
        if let Err(error) = criteria.check_names(kind) {
            let name = error.field().unwrap_or_default();
            let message = format!("the filter matches nothing: {name}: {}", error.message());
            let message = CString::new(message)?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
        }
        Ok(Self::new(self.results.filter(criteria)))
    }

    /// Returns the models in another order: a path of fields, with `-` before it for descending.
    fn order_by(&self, py: Python<'_>, path: &str) -> PyResult<Self> {
        let order = Order::from(path);
        order.check_names(self.results.kind()).map_err(|error| to_exception(py, &error))?;
        Ok(Self::new(self.results.order_by(order)))
    }

    /// Returns the models with these fields, also if the listing omits them.
    #[pyo3(signature = (*fields))]
    fn with_fields(&self, fields: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let fields = paths(fields)?;
        Ok(Self::new(self.results.with_fields(&fields.iter().map(String::as_str).collect::<Vec<_>>())))
    }

    /// Returns the first model, or none.
    fn first<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        optional(py, self.query(py, async |results| results.get(0).await)?)
    }

    /// Returns the number of models.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.query(py, async |results| results.count().await)
    }

    /// True if there is a model.
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        self.query(py, async |results| Ok(results.get(0).await?.is_some()))
    }

    /// Returns all models as a list.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list_of_models(py, self.query(py, async |results| results.all().await)?)
    }

    /// Returns for each model a mapping from each path to its value; without paths, all fields.
    #[pyo3(signature = (*fields))]
    fn values<'py>(&self, py: Python<'py>, fields: &Bound<'py, PyTuple>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let fields = paths(fields)?;
        let rows = self.query(py, async |results| {
            results.values(&fields.iter().map(String::as_str).collect::<Vec<_>>()).await
        })?;
        rows.iter().map(|row| to_python(py, Ref::Map(row), None)).collect()
    }

    /// Returns for each model a tuple of the values at the paths; with `flat`, the values at the only path.
    #[pyo3(signature = (*fields, flat = false))]
    fn values_list<'py>(
        &self,
        py: Python<'py>,
        fields: &Bound<'py, PyTuple>,
        flat: bool,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let fields = paths(fields)?;
        if flat && fields.len() != 1 {
            return Err(PyValueError::new_err(format!("flat needs exactly one path, got {}", fields.len())));
        }
        let rows = self.query(py, async |results| {
            results.values_list(&fields.iter().map(String::as_str).collect::<Vec<_>>()).await
        })?;
        let row = |row: &Vec<nephos::Value>| {
            let values = row.iter().map(|value| to_python(py, value.view(), None));
            let mut values = values.collect::<PyResult<Vec<_>>>()?;
            match values.pop() {
                Some(only) if flat => Ok(only),
                last => {
                    values.extend(last);
                    Ok(PyTuple::new(py, values)?.into_any())
                }
            }
        };
        rows.iter().map(row).collect()
    }

    fn __iter__(&self) -> ResultIterator {
        ResultIterator { results: Mutex::new(self.results.clone()) }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.count(py)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        self.exists(py)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let bound = |name: &str| slice.getattr(name)?.extract::<Option<i64>>();
            let step = bound("step")?.unwrap_or(1);
            if step == 0 {
                return Err(PyValueError::new_err("slice step cannot be zero"));
            }
            let sliced = self.results.slice(bound("start")?, bound("stop")?, step);
            return Ok(Bound::new(py, Self::new(sliced))?.into_any());
        }
        let index: i64 = index.extract().map_err(|_| {
            PyTypeError::new_err(format!("an index is a whole number or a slice, found {index:?}"))
        })?;
        let found: Result<_, Error> = py.detach(|| wait(self.results.model_at(index)));
        match found {
            Ok(model) => shared_instance(py, model),
            Err(error) if error.is_value_error() && error.field() == Some("index") => {
                Err(PyIndexError::new_err(format!("index {index} is out of range")))
            }
            Err(error) => Err(to_exception(py, &error)),
        }
    }

    fn __add__(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        let other = &other.get().results;
        if !std::ptr::eq(self.results.kind(), other.kind()) {
            let message =
                format!("{} and {} cannot be in one result set", self.results.kind().name, other.kind().name);
            return Err(PyTypeError::new_err(message));
        }
        Ok(Self::new(self.results.chain(other)))
    }

    /// Shows the first names, or no names if they cannot be fetched.
    fn __repr__(&self, py: Python<'_>) -> String {
        let kind = self.results.kind().name;
        let first = py.detach(|| wait(self.results.slice(None, Some(SHOWN + 1), 1).all()));
        let first = first.unwrap_or_default();
        let mut names: Vec<_> = first.iter().map(|model| display_name(&**model)).collect();
        if names.len() > SHOWN as usize {
            names.pop();
            names.push("…".to_owned());
        }
        if names.is_empty() {
            return format!("<ResultSet of {kind}>");
        }
        format!("<ResultSet of {kind}: {}>", names.join(", "))
    }

    /// Returns the first models as a table, for Jupyter; secrets are hidden.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let of_records = slf.py().import("nephos._html")?.getattr("of_records")?;
        of_records.call1((slf.get().results.kind().name, slf))
    }

    fn __aiter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("nephos._async")?.call_method1("iterate", (slf,))
    }

    /// Returns the first model, or none.
    fn afirst<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        later(slf, "first", PyTuple::empty(slf.py()))
    }

    /// Returns the number of models.
    fn acount<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        later(slf, "count", PyTuple::empty(slf.py()))
    }

    /// True if there is a model.
    fn aexists<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        later(slf, "exists", PyTuple::empty(slf.py()))
    }

    /// Returns all models as a list.
    fn aall<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        later(slf, "all", PyTuple::empty(slf.py()))
    }

    /// Returns the model at an index.
    fn aget<'py>(slf: &Bound<'py, Self>, index: i64) -> PyResult<Bound<'py, PyAny>> {
        later(slf, "__getitem__", (index,).into_pyobject(slf.py())?)
    }
}

/// Returns a coroutine that calls the method on another thread.
fn later<'py>(
    results: &Bound<'py, ResultSet>,
    method: &str,
    args: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let run = results.py().import("nephos._async")?.getattr("run")?;
    run.call1((results.getattr(method)?, args))
}

#[pymethods]
impl ResultIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = py.detach(|| {
            let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            wait(results.try_next())
        });
        let next = next.map_err(|error| to_exception(py, &error))?;
        next.map(|model| shared_instance(py, model)).transpose()
    }
}
