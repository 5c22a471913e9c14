//! Records and models: instances of the classes that are made from the shapes.

use crate::{
    errors::to_exception,
    secret::{SecretBytes, SecretStr},
    session::{Session, SessionOrCloud},
    shapes::Shape,
    values::{field_to_python, from_python, map_from, to_python, with_value},
};
use nephos::{Map, Strings, Value};
use nephos_core::{
    FieldSet, Ref, dynamic,
    json::{self, Writing},
    record::{self, Fields},
    shape::{RecordShape, Type},
};
use pyo3::{
    basic::CompareOp,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Base class of all records and models.
#[pyclass(frozen, subclass, weakref, module = "nephos", name = "Record")]
pub(crate) struct PyRecord {
    state: Mutex<State>,
}

struct State {
    /// The values. Copied before a change if they are shared.
    record: Arc<dyn Fields>,
    /// Lists, mappings and records that were read, with the indices of their fields. Python may have changed them in place since.
    views: Vec<(usize, Py<PyAny>)>,
}

/// A record on the way into its Python object.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Filled(pub(crate) Arc<dyn Fields>);

/// Makes the only reference to a record.
pub(crate) fn make_mut(shared: &mut Arc<dyn Fields>) -> &mut dyn Fields {
    // Read, because the check of `get_mut` is a write to memory that is shared, and is done once this way. Nothing makes weak references.
    if Arc::strong_count(shared) != 1 {
        *shared = Arc::from(shared.boxed_clone());
    }
    Arc::get_mut(shared).expect("nobody else has the new copy")
}

impl PyRecord {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn from_record(record: Arc<dyn Fields>) -> Self {
        Self { state: Mutex::new(State { record, views: Vec::new() }) }
    }

    /// Returns the value of the field of `shape` at `index`; none if the record has another shape.
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        shape: &'static RecordShape,
        index: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let record = {
            let state = self.lock();
            if !std::ptr::eq(state.record.shape(), shape) {
                return Ok(None);
            }
            let field = &state.record.shape().fields[index];
            match &field.ty {
                // These run no code of Python.
                Type::Bool | Type::Int | Type::Float | Type::Text if !field.sensitive => {
                    return to_python(py, state.record.field(index).view(), None).map(Some);
                }
                _ => {}
            }
            if let Some((_, view)) = state.views.iter().find(|(at, _)| *at == index) {
                return Ok(Some(view.bind(py).clone()));
            }
            state.record.clone()
        };
        let field = &record.shape().fields[index];
        let value = field_to_python(py, field, record.field(index).view())?;
        let is_mutable = matches!(field.ty, Type::List(_) | Type::Map(_) | Type::Record(_) | Type::Any);
        if is_mutable && !value.is_none() {
            let mut state = self.lock();
            // Another thread may have been faster, and its value is the one that is changed in place.
            if let Some((_, view)) = state.views.iter().find(|(at, _)| *at == index) {
                return Ok(Some(view.bind(py).clone()));
            }
            state.views.push((index, value.clone().unbind()));
        }
        Ok(Some(value))
    }

    /// Assigns the field of `shape` at `index`, with a caller's permissions; false if the record has another shape.
    pub(crate) fn set(
        &self,
        shape: &'static RecordShape,
        index: usize,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let py = value.py();
        let mut has_shape = true;
        let assigned = with_value(value, |value| {
            let mut state = self.lock();
            has_shape = std::ptr::eq(state.record.shape(), shape);
            if !has_shape {
                return Ok(None);
            }
            record::set_at(make_mut(&mut state.record), index, value)?;
            if state.views.is_empty() {
                return Ok(None);
            }
            // Dropped without the lock, because dropping may run code of Python.
            let at = state.views.iter().position(|(at, _)| *at == index);
            Ok(at.map(|at| state.views.swap_remove(at)))
        })?;
        assigned.map(|_dropped| has_shape).map_err(|error| to_exception(py, &error))
    }

    /// Returns the values, with what Python changed in place.
    pub(crate) fn current(&self, py: Python<'_>) -> PyResult<Arc<dyn Fields>> {
        let views: Vec<_> = {
            let state = self.lock();
            if state.views.is_empty() {
                return Ok(state.record.clone());
            }
            state.views.iter().map(|(index, view)| (*index, view.clone_ref(py))).collect()
        };
        for (index, view) in views {
            let value = from_python(view.bind(py))?;
            let mut state = self.lock();
            if !state.record.field(index).view().same(&value.view()) {
                let set = record::set_at(make_mut(&mut state.record), index, value.view());
                drop(state);
                set.map_err(|error| to_exception(py, &error))?;
            }
        }
        Ok(self.lock().record.clone())
    }

    /// Replaces the values.
    pub(crate) fn replace(&self, record: Arc<dyn Fields>) {
        let replaced = {
            let mut state = self.lock();
            state.record = record;
            std::mem::take(&mut state.views)
        };
        drop(replaced);
    }

    /// Returns the session of a model.
    pub(crate) fn session_of(&self) -> Option<nephos::Session> {
        self.lock().record.slot()?.session().cloned()
    }
}

/// Returns the shape of a class.
fn shape_of<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, Shape>> {
    let shape = class.getattr("__shape__").map_err(|_| {
        PyTypeError::new_err("only the classes of records can be instantiated, such as nephos.LogGroup")
    })?;
    Ok(shape.cast_into::<Shape>()?)
}

/// Makes an object of `class` from a record that `fill` fills.
fn build<'py>(
    class: &Bound<'py, PyType>,
    fill: impl FnOnce(&mut dyn Fields) -> nephos::Result<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut record = (shape_of(class)?.get().record.blank)();
    fill(&mut *record).map_err(|error| to_exception(class.py(), &error))?;
    class.call1((Filled(Arc::from(record)),))
}

/// Options of a dump.
#[derive(Clone, Copy)]
struct Dump {
    json: bool,
    exclude_none: bool,
    exclude_unset: bool,
    exclude_defaults: bool,
    by_alias: bool,
}

impl Dump {
    fn record<'py>(self, py: Python<'py>, record: &dyn Fields) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let set = dynamic::fields_set(record);
        for (index, field) in record.shape().fields.iter().enumerate() {
            let value = record.field(index).view();
            let is_default =
                || field.default.map_or(Value::Null, |default| default.to_value()).view().same(&value);
            if (self.exclude_none && value.is_null())
                || (self.exclude_unset && record.slot().is_some() && !set.contains(index))
                || (self.exclude_defaults && is_default())
            {
                continue;
            }
            let name = match field.details.aliases.first() {
                Some(alias) if self.by_alias => alias,
                _ => field.name,
            };
            let dumped = match value {
                Ref::Text(_) | Ref::Blob(_) if field.sensitive => {
                    self.leaf(py, field_to_python(py, field, value)?)?
                }
                value => self.value(py, value, Some(&field.ty))?,
            };
            dict.set_item(name, dumped)?;
        }
        for (key, value) in record.extra().into_iter().flatten() {
            dict.set_item(key.as_str(), self.value(py, value.view(), None)?)?;
        }
        Ok(dict)
    }

    fn value<'py>(
        self,
        py: Python<'py>,
        value: Ref<'_>,
        ty: Option<&'static Type>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Ref::Record(record) => Ok(self.record(py, record)?.into_any()),
            Ref::List(items) => {
                let of = match ty {
                    Some(Type::List(of)) => Some(*of),
                    _ => None,
                };
                let list = PyList::empty(py);
                for n in 0..items.len() {
                    list.append(self.value(py, items.item(n), of)?)?;
                }
                Ok(list.into_any())
            }
            Ref::Map(entries) => {
                let of = match ty {
                    Some(Type::Map(of)) => Some(*of),
                    _ => None,
                };
                let dict = PyDict::new(py);
                for n in 0..entries.len() {
                    let (key, value) = entries.entry(n);
                    dict.set_item(key, self.value(py, value, of)?)?;
                }
                Ok(dict.into_any())
            }
            Ref::Time(_) | Ref::Blob(_) if self.json => {
                let text = value.text_form().unwrap_or_default();
                Ok(PyString::new(py, &text).into_any())
            }
            Ref::Choice { name, .. } if self.json => Ok(PyString::new(py, name).into_any()),
            value => self.leaf(py, to_python(py, value, ty)?),
        }
    }

    /// Returns a scalar; a secret is hidden in JSON.
    fn leaf<'py>(self, py: Python<'py>, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.json && (value.cast::<SecretStr>().is_ok() || value.cast::<SecretBytes>().is_ok()) {
            return Ok(PyString::new(py, "**********").into_any());
        }
        Ok(value)
    }
}

#[pymethods]
impl PyRecord {
    #[classmethod]
    #[new]
    #[pyo3(signature = (*args, **values))]
    fn new(
        cls: &Bound<'_, PyType>,
        args: &Bound<'_, PyTuple>,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Ok(first) = args.get_item(0) {
            if let Ok(filled) = first.cast::<Filled>() {
                return Ok(Self::from_record(filled.get().0.clone()));
            }
            let message = format!("{} takes its fields as keyword arguments", cls.name()?);
            return Err(PyTypeError::new_err(message));
        }
        let mut record = (shape_of(cls)?.get().record.blank)();
        let values = map_from(values)?;
        let filled = dynamic::validate(&mut *record, &values);
        filled.map_err(|error| to_exception(cls.py(), &error))?;
        Ok(Self::from_record(Arc::from(record)))
    }

    /// Builds a record from a mapping, or from another record, and checks it.
    #[classmethod]
    fn model_validate<'py>(cls: &Bound<'py, PyType>, obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if obj.is_instance(cls)? {
            return Ok(obj.clone());
        }
        match from_python(obj)? {
            Value::Map(values) => build(cls, |record| dynamic::validate(record, &values)),
            other => {
                let message = format!("expected a mapping, found {}", other.view().type_name());
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// Builds a record from JSON, and checks it.
    #[classmethod]
    fn model_validate_json<'py>(
        cls: &Bound<'py, PyType>,
        json_data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let json: Vec<u8> = match json_data.cast::<PyString>() {
            Ok(text) => text.to_str()?.as_bytes().to_vec(),
            Err(_) => json_data.extract()?,
        };
        build(cls, |record| dynamic::from_json(record, &json))
    }

    /// Builds a record from a mapping whose leaves are all texts, and checks it.
    #[classmethod]
    #[pyo3(signature = (obj, *, strict = None, context = None, by_alias = None, by_name = None))]
    fn model_validate_strings<'py>(
        cls: &Bound<'py, PyType>,
        obj: &Bound<'py, PyDict>,
        strict: Option<bool>,
        context: Option<&Bound<'py, PyAny>>,
        by_alias: Option<bool>,
        by_name: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let strings = map_from(Some(obj))?;
        let context = context.map(from_python).transpose()?;
        let options =
            Strings { strict: strict.unwrap_or(false), context: context.as_ref(), by_alias, by_name };
        build(cls, |record| dynamic::validate_strings(record, &strings, &options))
    }

    /// Builds a record from trusted values: defaults are applied, nothing is checked.
    #[classmethod]
    #[pyo3(signature = (_fields_set = None, **values))]
    fn model_construct<'py>(
        cls: &Bound<'py, PyType>,
        _fields_set: Option<&Bound<'py, PyAny>>,
        values: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = map_from(values)?;
        let names = match _fields_set {
            Some(set) => {
                Some(set.try_iter()?.map(|name| name?.extract()).collect::<PyResult<Vec<String>>>()?)
            }
            None => None,
        };
        build(cls, |record| {
            let names: Option<Vec<&str>> =
                names.as_ref().map(|names| names.iter().map(String::as_str).collect());
            dynamic::construct(record, names.as_deref(), &values);
            Ok(())
        })
    }

    /// Returns the fields as a mapping. `mode="json"` has only values that JSON has.
    #[pyo3(signature = (*, mode = "python", exclude_none = false, exclude_unset = false, exclude_defaults = false, by_alias = false))]
    fn _dump<'py>(
        &self,
        py: Python<'py>,
        mode: &str,
        exclude_none: bool,
        exclude_unset: bool,
        exclude_defaults: bool,
        by_alias: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let json = match mode {
            "python" => false,
            "json" => true,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "mode: expected 'python' or 'json', found {mode:?}"
                )));
            }
        };
        let dump = Dump { json, exclude_none, exclude_unset, exclude_defaults, by_alias };
        dump.record(py, &*self.current(py)?)
    }

    /// Names of the fields that were set.
    #[getter]
    fn model_fields_set<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PySet>> {
        let record = self.current(py)?;
        let set = match record.slot() {
            Some(_) => dynamic::fields_set(&*record),
            None => {
                let fields = 0..record.shape().fields.len();
                fields.filter(|index| !record.field(*index).view().is_null()).collect()
            }
        };
        pyo3::types::PySet::new(py, names(&*record, set))
    }

    /// Unknown fields that the record was given, if it keeps them.
    #[getter]
    fn model_extra<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let record = self.current(py)?;
        record.extra().map(|extra| to_python(py, Ref::Map(extra), None)).transpose()
    }

    /// Names of the fields that a save sends.
    #[getter]
    fn model_changed(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let record = self.current(py)?;
        Ok(names(&*record, dynamic::changed_fields(&*record)))
    }

    /// True if the service has the resource.
    #[getter]
    fn is_saved(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(dynamic::is_saved(&*self.current(py)?))
    }

    /// Returns a copy with other values in some fields.
    #[pyo3(signature = (*, update = None))]
    fn model_copy<'py>(
        slf: &Bound<'py, Self>,
        update: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let copy = slf.get_type().call1((Filled(slf.get().current(slf.py())?),))?;
        for (name, value) in update.into_iter().flatten() {
            copy.setattr(name.cast::<PyString>()?, value)?;
        }
        Ok(copy)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::model_copy(slf, None)
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Self::model_copy(slf, None)
    }

    /// Applies a regular expression to a text attribute: returns the first group, or a mapping of the named groups.
    #[pyo3(signature = (attribute, transformer = None))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        attribute: &str,
        transformer: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = dynamic::transform(&*self.current(py)?, attribute, transformer);
        to_python(py, value.map_err(|error| to_exception(py, &error))?.view(), None)
    }

    /// Sets or removes the session of a model: a session, or that of a cloud.
    fn set_session(&self, session: Option<SessionOrCloud<'_>>) {
        let session = session.map(|given| given.session());
        let mut state = self.lock();
        dynamic::set_session(make_mut(&mut state.record), session);
    }

    /// Session that a model came from or was given.
    #[getter(session)]
    fn py_session(&self) -> Option<Session> {
        self.session_of().map(Session::from)
    }

    /// Takes the values of another record of the same class.
    fn _replace(&self, other: &Bound<'_, Self>) -> PyResult<()> {
        let record = other.get().current(other.py())?;
        if !std::ptr::eq(record.shape(), self.lock().record.shape()) {
            return Err(PyTypeError::new_err("the other record is of another class"));
        }
        self.replace(record);
        Ok(())
    }

    /// Returns the identity `arn`, `name` or `pk`.
    fn _identity<'py>(&self, py: Python<'py>, which: &str) -> PyResult<Bound<'py, PyAny>> {
        match dynamic::identity(&*self.current(py)?, which) {
            Some(Ok(value)) => to_python(py, value.view(), None),
            Some(Err(error)) => Err(to_exception(py, &error)),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// Returns the state for `pickle`: JSON with all values, and the names of the fields that were set.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let record = slf.get().current(py)?;
        let json = json::write_bytes(Ref::Record(&*record), Writing::EXPOSED);
        let set = names(&*record, dynamic::fields_set(&*record));
        let restore = py.import("nephos._nephos")?.getattr("_restore")?;
        (restore, (slf.get_type(), PyBytes::new(py, &json), set)).into_pyobject(py)
    }

    fn __richcmp__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let is_same = record::same(&*slf.get().current(py)?, &*other.get().current(py)?);
        Ok(match op {
            CompareOp::Eq => is_same.into_pyobject(py)?.to_owned().into_any().unbind(),
            CompareOp::Ne => (!is_same).into_pyobject(py)?.to_owned().into_any().unbind(),
            _ => py.NotImplemented(),
        })
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        let record = slf.get().current(py)?;
        let mut parts = Vec::new();
        for (index, field) in record.shape().fields.iter().enumerate() {
            let value = record.field(index).view();
            match value {
                Ref::Null => {}
                // Of other types than text and bytes.
                Ref::List(_) | Ref::Map(_) | Ref::Record(_) if field.sensitive => {
                    parts.push(format!("{}=<secret>", field.name));
                }
                value => {
                    let value = field_to_python(py, field, value)?;
                    parts.push(format!("{}={}", field.name, value.repr()?));
                }
            }
        }
        for (key, value) in record.extra().into_iter().flatten() {
            parts.push(format!("{key}={}", to_python(py, value.view(), None)?.repr()?));
        }
        Ok(format!("{}({})", slf.get_type().name()?, parts.join(", ")))
    }
}

fn names(record: &dyn Fields, set: FieldSet) -> Vec<&'static str> {
    set.iter().filter_map(|index| record.shape().fields.get(index)).map(|field| field.name).collect()
}

/// Makes a record of `class` again from its pickled state.
#[pyfunction]
pub(crate) fn _restore<'py>(
    class: &Bound<'py, PyType>,
    json: &[u8],
    fields_set: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    build(class, |record| {
        let values = match json::parse(json)? {
            Value::Map(values) => values,
            _ => Map::default(),
        };
        let names: Vec<_> = fields_set.iter().map(String::as_str).collect();
        dynamic::construct(record, Some(&names), &values);
        Ok(())
    })
}
