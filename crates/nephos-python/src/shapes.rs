//! Descriptions of services, kinds, records, enums and calls, for the code in Python that makes classes of them.

use crate::{field::Field, operator::controls_of};
use nephos::REGISTRY;
use nephos_core::{
    dynamic::{self, Reach},
    nearest,
    shape::{ChoiceShape, Effect, Identity, KindShape, OperationShape, RecordShape, ServiceShape, Type},
};
use pyo3::prelude::*;
use std::{collections::HashSet, ptr};

/// Shape of a record.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Shape {
    pub(crate) record: &'static RecordShape,
    kind: Option<&'static KindShape>,
    /// Name in the specification.
    #[pyo3(get)]
    name: &'static str,
    /// Documentation.
    #[pyo3(get)]
    doc: &'static str,
    /// The same for all handles of the shape, and for no other shape.
    #[pyo3(get)]
    id: usize,
}

/// Shape of an enum.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Choice {
    pub(crate) choice: &'static ChoiceShape,
    /// Name in the specification.
    #[pyo3(get)]
    name: &'static str,
    /// Documentation.
    #[pyo3(get)]
    doc: &'static str,
    /// The same for all handles of the shape, and for no other shape.
    #[pyo3(get)]
    id: usize,
}

/// Shape of a kind.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Kind {
    kind: &'static KindShape,
    /// Name in the specification.
    #[pyo3(get)]
    name: &'static str,
}

/// Shape of a call of a manager.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Call {
    pub(crate) call: &'static OperationShape,
    /// Name on the manager, or of a test control.
    #[pyo3(get)]
    pub(crate) name: &'static str,
    /// Documentation.
    #[pyo3(get)]
    doc: &'static str,
}

/// Shape of a service.
#[pyclass(frozen, module = "nephos._nephos")]
pub(crate) struct Service {
    service: &'static ServiceShape,
    /// Name, as of its module.
    #[pyo3(get)]
    name: &'static str,
    /// Documentation.
    #[pyo3(get)]
    doc: &'static str,
}

impl Shape {
    pub(crate) fn new(record: &'static RecordShape, kind: Option<&'static KindShape>) -> Self {
        Self { record, kind, name: record.name, doc: record.docs, id: ptr::from_ref(record).addr() }
    }
}

impl Call {
    pub(crate) fn new(call: &'static OperationShape, name: &'static str) -> Self {
        Self { call, name, doc: call.docs }
    }
}

impl Choice {
    pub(crate) fn new(choice: &'static ChoiceShape) -> Self {
        Self { choice, name: choice.name, doc: choice.docs, id: ptr::from_ref(choice).addr() }
    }
}

#[pymethods]
impl Shape {
    /// Fields, as descriptors for the class.
    #[getter]
    fn fields(&self) -> Vec<Field> {
        fields_of(self.record)
    }

    /// Kind, if it is a model.
    #[getter]
    fn kind(&self) -> Option<Kind> {
        self.kind.map(|kind| Kind { kind, name: kind.name })
    }

    /// True if it keeps unknown fields.
    #[getter]
    fn extras(&self) -> bool {
        self.record.extras
    }
}

fn fields_of(record: &'static RecordShape) -> Vec<Field> {
    (0..record.fields.len()).map(|index| Field::new(record, index)).collect()
}

#[pymethods]
impl Choice {
    /// Values: name, name at the provider, documentation.
    #[getter]
    fn values(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        self.choice.values.iter().map(|value| (value.name, value.wire, value.docs)).collect()
    }
}

#[pymethods]
impl Kind {
    /// Name of the service.
    #[getter]
    fn service(&self) -> &'static str {
        (self.kind.service)().name
    }

    /// True if callers cannot change it.
    #[getter]
    fn frozen(&self) -> bool {
        self.kind.frozen
    }

    /// Identities that the kind has, of `arn`, `name` and `pk`.
    #[getter]
    fn identities(&self) -> Vec<&'static str> {
        let all = [("arn", &self.kind.arn), ("name", &self.kind.name_identity), ("pk", &self.kind.pk)];
        all.into_iter().filter(|(_, of)| !matches!(of, Identity::None)).map(|(name, _)| name).collect()
    }

    /// True if `pk` is a mapping.
    #[getter]
    fn has_composite_pk(&self) -> bool {
        matches!(self.kind.pk, Identity::Mapping(_))
    }

    /// Name of the field with the tags, if it has tags.
    #[getter]
    fn tags_field(&self) -> Option<&'static str> {
        self.kind.tags.map(|index| self.kind.record.fields[index].name)
    }

    /// Calls of the manager.
    #[getter]
    fn calls(&self) -> Vec<Call> {
        let calls = self.kind.calls().into_iter();
        calls.map(|call| Call::new(call, call.name)).collect()
    }

    /// Relations: name, record of the kind that it leads to, and whether it leads to many.
    #[getter]
    fn relations(&self) -> Vec<(&'static str, Shape, bool)> {
        let relations = self.kind.relations.iter();
        relations.map(|relation| (relation.name, shape_with_kind(relation.kind), relation.many)).collect()
    }

    /// Returns the error for a call that the kind does not have.
    fn unsupported(&self, py: Python<'_>, verb: &str) -> Py<PyAny> {
        crate::errors::to_exception(py, &dynamic::unsupported(self.kind, verb)).into_value(py).into_any()
    }
}

#[pymethods]
impl Call {
    /// Parameters.
    #[getter]
    fn params(&self) -> Vec<Field> {
        fields_of(self.call.params)
    }

    /// Shape of the model of its kind.
    #[getter]
    fn model(&self) -> Option<Shape> {
        self.call.kind.map(|kind| Shape::new(kind.record, Some(kind)))
    }

    /// Type of the answer; none if there is no answer.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.call.output.as_ref().map(|output| type_to_python(py, output)).transpose()
    }

    /// True if a model can run it on itself.
    #[getter]
    fn instance(&self) -> bool {
        self.call.instance
    }

    /// True if it returns a result set.
    #[getter]
    fn is_listing(&self) -> bool {
        matches!(dynamic::reach(self.call), Reach::List(_))
    }

    /// True if it may write.
    #[getter]
    fn writes(&self) -> bool {
        self.call.effect == Effect::Write
    }

    /// Names of the parameters that may be given by position; on a model, those that are not taken from it.
    fn positional(&self, on_model: bool) -> Vec<&'static str> {
        crate::calls::positional(self.call, on_model).map(|param| param.name).collect()
    }
}

#[pymethods]
impl Service {
    /// Records of the service, those of its kinds first.
    #[getter]
    fn records(&self) -> Vec<Shape> {
        let mut found = Found::default();
        self.collect(&mut found);
        found.records
    }

    /// Enums of the service.
    #[getter]
    fn choices(&self) -> Vec<Choice> {
        let mut found = Found::default();
        self.collect(&mut found);
        found.choices
    }

    /// Test controls of the service.
    #[getter]
    fn controls(&self) -> Vec<Call> {
        controls_of(self.service)
    }

    /// Names of the kinds of the service.
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        self.service.kinds.iter().map(|kind| kind.name).collect()
    }
}

impl Service {
    fn collect(&self, found: &mut Found) {
        for kind in self.service.kinds {
            found.seen.insert(ptr::from_ref(kind.record).addr());
            found.records.push(Shape::new(kind.record, Some(kind)));
        }
        for kind in self.service.kinds {
            kind.record.fields.iter().for_each(|field| found.add(&field.ty));
            kind.relations.iter().for_each(|relation| found.add(&Type::Record(relation.kind)));
        }
        let controls = controls_of(self.service);
        let calls = self.service.calls.iter().flat_map(|calls| calls.iter().copied());
        for call in calls.chain(controls.iter().map(|control| control.call)) {
            call.params.fields.iter().for_each(|field| found.add(&field.ty));
            call.output.iter().for_each(|output| found.add(output));
        }
    }
}

/// Records and enums that are found in types.
#[derive(Default)]
struct Found {
    seen: HashSet<usize>,
    records: Vec<Shape>,
    choices: Vec<Choice>,
}

impl Found {
    fn add(&mut self, ty: &Type) {
        match ty {
            Type::Choice(choice) if self.seen.insert(ptr::from_ref(*choice).addr()) => {
                self.choices.push(Choice::new(choice));
            }
            Type::Record(record) => {
                let shape = shape_with_kind(record);
                // Models of other services are in the modules of these.
                if shape.kind.is_none() && self.seen.insert(shape.id) {
                    self.records.push(shape);
                    record.fields.iter().for_each(|field| self.add(&field.ty));
                }
            }
            Type::List(of) | Type::Map(of) => self.add(of),
            _ => {}
        }
    }
}

/// Returns the shape of a record, which may be that of a kind.
pub(crate) fn shape_with_kind(record: &'static RecordShape) -> Shape {
    Shape::new(record, REGISTRY.kinds().find(|kind| ptr::eq(kind.record, record)))
}

/// Returns a type as nested tuples: `("int",)`, `("list", ("record", shape))`.
pub(crate) fn type_to_python<'py>(py: Python<'py>, ty: &Type) -> PyResult<Bound<'py, PyAny>> {
    let simple = |name: &str| (name,).into_pyobject(py).map(Bound::into_any);
    match ty {
        Type::Bool => simple("bool"),
        Type::Int => simple("int"),
        Type::Float => simple("float"),
        Type::Text => simple("str"),
        Type::Time => simple("datetime"),
        Type::Blob => simple("bytes"),
        Type::Secret => simple("secret"),
        Type::Any => simple("any"),
        Type::Choice(choice) => ("choice", Choice::new(choice)).into_pyobject(py).map(Bound::into_any),
        Type::Record(record) => ("record", shape_with_kind(record)).into_pyobject(py).map(Bound::into_any),
        Type::List(of) => ("list", type_to_python(py, of)?).into_pyobject(py).map(Bound::into_any),
        Type::Map(of) => ("dict", type_to_python(py, of)?).into_pyobject(py).map(Bound::into_any),
    }
}

/// All services.
#[pyfunction]
pub(crate) fn services() -> Vec<Service> {
    let service =
        |service: &&'static ServiceShape| Service { service, name: service.name, doc: service.docs };
    REGISTRY.services.iter().map(service).collect()
}

/// Names of all kinds, each with the name of its service.
#[pyfunction]
pub(crate) fn kind_names() -> Vec<(&'static str, &'static str)> {
    REGISTRY.kinds().map(|kind| (kind.name, (kind.service)().name)).collect()
}

/// Returns the shape of the model of a kind.
#[pyfunction]
pub(crate) fn kind_shape(name: &str) -> Option<Shape> {
    let kind = REGISTRY.kinds().find(|kind| kind.name == name)?;
    Some(Shape::new(kind.record, Some(kind)))
}

/// Returns a suffix for an error message: the nearest known name, if one is near.
#[pyfunction]
pub(crate) fn suggest(wrong: &str, known: Vec<String>) -> String {
    nearest::suggest(wrong, known.iter().map(String::as_str))
}
