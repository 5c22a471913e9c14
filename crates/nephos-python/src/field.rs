//! Descriptors of fields: reading and validated assignment of attributes.

use crate::{record::PyRecord, shapes::type_to_python, values::to_python};
use nephos_core::shape::{FieldShape, Presence, RecordShape, Rule};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};

/// A field of a record, as a data descriptor of its class.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Field {
    record: &'static RecordShape,
    index: usize,
    pub(crate) field: &'static FieldShape,
}

impl Field {
    pub(crate) fn new(record: &'static RecordShape, index: usize) -> Self {
        let field = &record.fields[index];
        Self { record, index, field }
    }

    /// Returns the record of an object of the class that has this field.
    fn record_of<'a>(&self, object: &'a Bound<'_, PyAny>) -> PyResult<&'a PyRecord> {
        Ok(object.cast::<PyRecord>().map_err(|_| self.wrong_class(object))?.get())
    }

    #[cold]
    fn wrong_class(&self, object: &Bound<'_, PyAny>) -> PyErr {
        PyTypeError::new_err(format!(
            "{} is a field of {}, not of {object:?}",
            self.field.name, self.record.name
        ))
    }
}

#[pymethods]
impl Field {
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if object.is_none() {
            return Ok(slf.clone().into_any());
        }
        let this = slf.get();
        let found = this.record_of(object)?.get(slf.py(), this.record, this.index)?;
        found.ok_or_else(|| this.wrong_class(object))
    }

    fn __set__(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.record_of(object)?.set(self.record, self.index, value)? {
            true => Ok(()),
            false => Err(self.wrong_class(object)),
        }
    }

    fn __delete__(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.__set__(object, &object.py().None().into_bound(object.py()))
    }

    /// Name in the specification.
    #[getter]
    fn name(&self) -> &'static str {
        self.field.name
    }

    /// Name at the provider.
    #[getter]
    fn wire_name(&self) -> &'static str {
        self.field.wire
    }

    /// Other names that are accepted.
    #[getter]
    fn aliases(&self) -> Vec<&'static str> {
        self.field.details.aliases.to_vec()
    }

    /// Documentation.
    #[getter]
    fn doc(&self) -> &'static str {
        self.field.docs
    }

    /// Type in the notation of the specification.
    #[getter]
    fn type_name(&self) -> String {
        self.field.ty.to_string()
    }

    /// Type as nested tuples, which end in a name, an enum or a record.
    #[getter]
    fn r#type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        type_to_python(py, &self.field.ty)
    }

    /// True if a caller must set it.
    #[getter]
    fn is_required(&self) -> bool {
        self.field.presence == Presence::Required
    }

    /// True if the service sets it, and callers cannot assign it.
    #[getter]
    fn is_service_set(&self) -> bool {
        self.field.presence == Presence::ServiceSet
    }

    /// True if the value must not be printed.
    #[getter]
    fn is_sensitive(&self) -> bool {
        self.field.sensitive
    }

    /// True if it cannot be changed once the resource exists.
    #[getter]
    fn is_fixed(&self) -> bool {
        self.field.fixed
    }

    /// True for tags, which are taken as a list and as a mapping.
    #[getter]
    fn is_tags(&self) -> bool {
        nephos_core::tags::is_tags(self.field)
    }

    /// True for the parameter that takes the whole model.
    #[getter]
    fn is_model(&self) -> bool {
        self.field.details.model
    }

    /// True for a parameter of the operation on the wire that a manager's call does not have.
    #[getter]
    fn is_wire_only(&self) -> bool {
        self.field.details.wire_only
    }

    /// Name of the model's field that a parameter is taken from.
    #[getter]
    fn source(&self) -> &'static str {
        self.field.source()
    }

    /// Default value.
    #[getter]
    fn default<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.field.default {
            Some(default) => to_python(py, default.to_value().view(), Some(&self.field.ty)),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// Rules of the value, in the words of JSON Schema.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rules_to_python(py, self.field.rules)
    }

    fn __repr__(&self) -> String {
        format!("<field {}.{}: {}>", self.record.name, self.field.name, self.field.ty)
    }
}

fn rules_to_python<'py>(py: Python<'py>, rules: &[Rule]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for rule in rules {
        match rule {
            Rule::Length { min, max } => dict.set_item("length", (*min, *max))?,
            Rule::Range { min, max } => dict.set_item("range", (*min, *max))?,
            Rule::Pattern(pattern) => dict.set_item("pattern", pattern.as_str())?,
            Rule::OneOf(literals) => {
                let values = literals.iter().map(|literal| to_python(py, literal.to_value().view(), None));
                dict.set_item("enum", values.collect::<PyResult<Vec<_>>>()?)?;
            }
            Rule::Each(rules) => dict.set_item("items", rules_to_python(py, rules)?)?,
        }
    }
    Ok(dict)
}
