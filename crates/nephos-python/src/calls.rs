//! Calls of managers and of models.

use crate::{
    classes,
    errors::to_exception,
    record::PyRecord,
    results::ResultSet,
    session::Session,
    shapes::Call,
    values::{from_python, map_from, to_python},
};
use nephos::{Change, Error, ErrorKind, Map, Ref, Text, Value};
use nephos_core::{
    FieldSet,
    dynamic::{self, AnyCall, AnyOutput, Reach},
    fill::Reader,
    record::Fields,
    shape::{FieldShape, OperationShape, Presence, RecordShape},
    wait,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::{iter, sync::Arc};

/// Returns the parameters that may be given by position, in the specification's order: the required ones. On a model, it has the
/// others.
pub(crate) fn positional(
    call: &'static OperationShape,
    on_model: bool,
) -> impl Iterator<Item = &'static FieldShape> {
    let is_of_model = move |param: &FieldShape| {
        let kind = call.kind.filter(|_| on_model);
        let is_argument = call.arguments.contains(&param.rust_name);
        on_model && param.details.model
            || kind.is_some_and(|kind| !is_argument && kind.record.field_at(param.source()).is_some())
    };
    call.params.fields.iter().filter(move |param| {
        (param.details.model || param.presence == Presence::Required)
            && !param.details.wire_only
            && !is_of_model(param)
    })
}

/// Arguments of a call, independent of Python.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) values: Vec<(String, Value)>,
    /// Model for the parameter that takes one.
    model: Option<Arc<dyn Fields>>,
}

/// Reads the arguments of a call.
pub(crate) fn read_arguments(
    call: &'static OperationShape,
    on_model: bool,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Given> {
    let py = args.py();
    let mut given = Given::default();
    let mut take = |name: &str, value: &Bound<'_, PyAny>| -> PyResult<()> {
        let param = call.params.field(name).map(|(_, param)| param);
        if param.is_some_and(|param| param.details.model)
            && let Ok(model) = value.cast::<PyRecord>()
        {
            given.model = Some(model.get().current(py)?);
            return Ok(());
        }
        given.values.push((name.to_owned(), from_python(value)?));
        Ok(())
    };
    let mut named: Vec<(String, Bound<'_, PyAny>)> = Vec::new();
    let twice = |name: &str| {
        PyTypeError::new_err(format!("{}() got multiple values for argument '{name}'", call.name))
    };
    for (name, value) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        let name = parameter_name(call, &name).to_owned();
        if named.iter().any(|(other, _)| *other == name) {
            return Err(twice(&name));
        }
        named.push((name, value));
    }
    let mut positions = positional(call, on_model);
    for (n, value) in args.iter().enumerate() {
        let Some(param) = positions.next() else {
            let message = format!(
                "{}() takes {n} positional arguments but {} were given; the others are keywords",
                call.name,
                args.len()
            );
            return Err(PyTypeError::new_err(message));
        };
        if named.iter().any(|(name, _)| name == param.name) {
            return Err(twice(param.name));
        }
        take(param.name, &value)?;
    }
    for (name, value) in &named {
        // An argument that is None is one that is not given.
        if !value.is_none() {
            take(name, value)?;
        }
    }
    Ok(given)
}

/// Returns the name of the parameter, or of the field of the model, that is called `name` in any way. An identity may have the name
/// of its field.
fn parameter_name<'a>(call: &'static OperationShape, name: &'a str) -> &'a str {
    let takes_model = call.params.fields.iter().any(|param| param.details.model);
    let of_model = call.kind.filter(|_| takes_model).map(|kind| kind.record);
    let find = |find: &dyn Fn(&'static RecordShape) -> Option<usize>| {
        let mut records = iter::once(call.params).chain(of_model);
        records.find_map(|record| Some(record.fields[find(record)?].name))
    };
    find(&|record| record.find(name, 0))
        .or_else(|| find(&|record| Reader::STRICT.find(record, name, 0)))
        .or_else(|| positional(call, false).find(|param| param.source() == name).map(|param| param.name))
        .unwrap_or(name)
}

impl Given {
    /// Fills the parameters of a call.
    fn fill(
        &self,
        call: &'static OperationShape,
        on: Option<&dyn Fields>,
        params: &mut dyn Fields,
    ) -> nephos::Result<()> {
        if let Some(model) = on {
            let names = self.values.iter().map(|(name, _)| name.as_str());
            let names: Vec<_> = names.chain(call.arguments.iter().copied()).collect();
            dynamic::fill_from_model(params, call, model, &names)?;
        }
        match &self.model {
            Some(model) => take_model(params, call, &**model)?,
            // A model without fields is one, too, such as that of a key with all defaults.
            None if on.is_none() && call.name != "update" => note_model(params),
            None => {}
        }
        for (name, value) in &self.values {
            dynamic::fill_parameter(params, name, value.view(), &Reader::STRICT)?;
        }
        Ok(())
    }
}

/// Fills the parameter that takes the whole model.
fn take_model(params: &mut dyn Fields, call: &OperationShape, model: &dyn Fields) -> nephos::Result<()> {
    let Some(index) = params.shape().fields.iter().position(|param| param.details.model) else {
        return Ok(());
    };
    let expected = call.kind.map(|kind| kind.record);
    if let Some(expected) = expected.filter(|expected| !std::ptr::eq(*expected, model.shape())) {
        let message = format!("expected {}, found {}", expected.name, model.shape().name);
        return Err(Error::invalid(params.shape().fields[index].name, message));
    }
    if let Some(mut model) = model.boxed_clone().into_value() {
        params.field_mut(index).take_from(&mut *model);
        params.note_given(FieldSet::single(index));
    }
    Ok(())
}

/// Notes that the model is given.
fn note_model(params: &mut dyn Fields) {
    if let Some(index) = params.shape().fields.iter().position(|param| param.details.model) {
        params.field_mut(index).each_record(&mut |_| ());
        params.note_given(FieldSet::single(index));
    }
}

/// Returns the session of a call: the one that is given, or that of the model.
fn session_of(
    call: &OperationShape,
    session: Option<&Bound<'_, Session>>,
    model: Option<&Bound<'_, PyRecord>>,
) -> nephos::Result<nephos::Session> {
    let given = session.map(|session| session.get().session().clone());
    given.or_else(|| model?.get().session_of()).ok_or_else(|| {
        let kind = call.kind.map_or("the call", |kind| kind.name);
        let message = format!(
            "there is no session for {kind}.{}; enter one with `with cloud.session():`, or use objects.using(session)",
            call.name
        );
        Error::new(ErrorKind::NoSession, message)
    })
}

/// A call with its arguments and its session, before it runs.
struct PreparedCall {
    call: &'static OperationShape,
    given: Given,
    /// Model that runs the call on itself.
    on: Option<Arc<dyn Fields>>,
    session: nephos::Session,
}

impl PreparedCall {
    fn read<'py>(
        call: &Bound<'py, Call>,
        session: Option<&Bound<'py, Session>>,
        model: Option<&Bound<'py, PyRecord>>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let (py, call) = (call.py(), call.get().call);
        let given = read_arguments(call, model.is_some(), args, kwargs)?;
        let on = model.map(|model| model.get().current(py)).transpose()?;
        let session = session_of(call, session, model).map_err(|error| to_exception(py, &error))?;
        Ok(Self { call, given, on, session })
    }

    /// Fills the parameters of the call.
    fn fill(&self, params: &mut dyn Fields) -> nephos::Result<()> {
        self.given.fill(self.call, self.on.as_deref(), params)
    }

    /// Returns the call with its parameters.
    fn call(&self) -> nephos::Result<AnyCall> {
        dynamic::call(self.call, &self.session, &mut |params| self.fill(params))
    }
}

/// Runs a call of a manager, or of a model on itself.
#[pyfunction]
#[pyo3(signature = (call, session, model, args, kwargs))]
pub(crate) fn run_call<'py>(
    py: Python<'py>,
    call: &Bound<'py, Call>,
    session: Option<&Bound<'py, Session>>,
    model: Option<&Bound<'py, PyRecord>>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let prepared = PreparedCall::read(call, session, model, args, kwargs)?;
    let failed = |error: Error| to_exception(py, &error);
    if let Reach::List(_) = dynamic::reach(prepared.call) {
        let results = dynamic::results(prepared.call, &prepared.session, &mut |params| prepared.fill(params));
        return Ok(Bound::new(py, ResultSet::new(results.map_err(failed)?))?.into_any());
    }
    let answer = py.detach(|| wait(prepared.call()?.run()));
    answer_to_python(py, prepared.call, answer.map_err(failed)?)
}

/// Runs a call, rolls it back, and returns its answer and the changes.
#[pyfunction]
#[pyo3(signature = (call, session, model, args, kwargs))]
pub(crate) fn preview_call<'py>(
    py: Python<'py>,
    call: &Bound<'py, Call>,
    session: Option<&Bound<'py, Session>>,
    model: Option<&Bound<'py, PyRecord>>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Bound<'py, PyAny>, Changes<'py>)> {
    let prepared = PreparedCall::read(call, session, model, args, kwargs)?;
    let preview = py.detach(|| prepared.call()?.preview().wait());
    let preview = preview.map_err(|error| to_exception(py, &error))?;
    Ok((answer_to_python(py, prepared.call, preview.answer)?, changes_to_python(py, &preview.changes)?))
}

fn answer_to_python<'py>(
    py: Python<'py>,
    call: &'static OperationShape,
    answer: AnyOutput,
) -> PyResult<Bound<'py, PyAny>> {
    match answer {
        Some(answer) => to_python(py, answer.view(), call.output.as_ref()),
        None => Ok(py.None().into_bound(py)),
    }
}

/// Changed rows: the resource, its fields before and after.
type Changes<'py> = Vec<(String, Bound<'py, PyAny>, Bound<'py, PyAny>)>;

fn changes_to_python<'py>(py: Python<'py>, changes: &[Change]) -> PyResult<Changes<'py>> {
    let side = |map: &Map<Value>| to_python(py, Ref::Map(map), None);
    let change = |change: &Change| Ok((change.row.to_string(), side(&change.before)?, side(&change.after)?));
    changes.iter().map(change).collect()
}

/// Creates the resource of a model, or updates it if it is saved, and refreshes the model.
#[pyfunction]
#[pyo3(signature = (model, kwargs))]
pub(crate) fn save_model(
    py: Python<'_>,
    model: &Bound<'_, PyRecord>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let set = parameters(kwargs)?;
    let mut record = model.get().current(py)?.boxed_clone();
    let saved = py.detach(|| wait(dynamic::save(&mut *record, &set)));
    saved.map_err(|error| to_exception(py, &error))?;
    model.get().replace(Arc::from(record));
    Ok(())
}

/// Saves a model, rolls that back, and returns the model as it would be, and the changes.
#[pyfunction]
#[pyo3(signature = (model, kwargs))]
pub(crate) fn preview_save<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyRecord>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Bound<'py, PyAny>, Changes<'py>)> {
    let set = parameters(kwargs)?;
    let mut record = model.get().current(py)?.boxed_clone();
    let changes = py.detach(|| wait(dynamic::preview_save(&mut *record, &set)));
    let changes = changes.map_err(|error| to_exception(py, &error))?;
    Ok((classes::instance(py, record)?, changes_to_python(py, &changes)?))
}

fn parameters(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(Text, Value)>> {
    Ok(map_from(kwargs)?.into_iter().collect())
}

/// Looks up a relation of a model: a model, none, or a list of models.
#[pyfunction]
pub(crate) fn look_up<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyRecord>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let record = model.get().current(py)?;
    let found = py.detach(|| record.related(name).map(wait));
    let found = found.transpose().map_err(|error| to_exception(py, &error))?;
    match found {
        Some(nephos::relation::Found::One(Some(model))) => classes::shared_instance(py, model),
        Some(nephos::relation::Found::Many(models)) => classes::list_of_models(py, models),
        _ => Ok(py.None().into_bound(py)),
    }
}
