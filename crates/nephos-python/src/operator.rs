//! Calls of the operator of a cloud: test controls, and questions about permissions.

use crate::{
    calls::read_arguments,
    classes,
    cloud::Cloud,
    errors::to_exception,
    shapes::{Call, Shape},
    values::{from_python, to_python},
};
use nephos::{AccessQuery, AllServices, ExplainedAccess, LoggedDecision, Map, Text, Value};
use nephos_cloud::ServiceSet;
use nephos_core::{Record, record::Fields, shape::ServiceShape};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::ptr;

/// Returns the test controls of a service as calls.
pub(crate) fn controls_of(service: &'static ServiceShape) -> Vec<Call> {
    let controls = AllServices::SERVICES.iter().flat_map(|service| service.controls);
    let of_service = controls.filter(|control| ptr::eq((control.operation().service)(), service));
    of_service.map(|control| Call::new(control.operation(), control.name)).collect()
}

/// Sets a test control, and returns its answer; none if it has no fields.
#[pyfunction]
pub(crate) fn run_control<'py>(
    cloud: &Bound<'py, Cloud>,
    control: &Bound<'py, Call>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cloud.py();
    let call = control.get();
    let given = read_arguments(call.call, false, args, kwargs)?;
    let values: Map<Value> =
        given.values.into_iter().map(|(name, value)| (Text::from(name), value)).collect();
    let cloud = cloud.get();
    let name = call.name;
    let answer = py.detach(|| cloud.kernel().control_by_name(name, &values));
    let answer = answer.map_err(|error| to_exception(py, &error))?;
    if answer.shape().fields.is_empty() {
        return Ok(py.None().into_bound(py));
    }
    classes::instance(py, answer)
}

/// Shapes of the records about permissions.
#[pyfunction]
pub(crate) fn access_shapes() -> [Shape; 2] {
    [Shape::new(ExplainedAccess::SHAPE, None), Shape::new(LoggedDecision::SHAPE, None)]
}

/// Decides over a request that is not made. A value of `context` is a text, a number, a bool or a list of them.
#[pyfunction]
pub(crate) fn explain_access<'py>(
    cloud: &Bound<'py, Cloud>,
    principal: &str,
    action: &str,
    resource: &str,
    context: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cloud.py();
    let mut query = AccessQuery {
        principal: principal.into(),
        action: action.into(),
        resource: resource.into(),
        context: Vec::new(),
    };
    for (key, value) in context {
        let key: String = key.extract()?;
        let values = match from_python(&value)? {
            Value::List(values) => values,
            value => vec![value],
        };
        for value in values {
            let text = value.view().text_form().ok_or_else(|| {
                let message = "must be a text, a number, a bool or a list of them";
                to_exception(py, &nephos::Error::invalid(key.as_str(), message))
            })?;
            query.context.push((Text::from(key.as_str()), Text::from(&*text)));
        }
    }
    let cloud = cloud.get();
    let explained = py.detach(|| cloud.kernel().explain_access(&query));
    classes::instance(py, Box::new(explained.map_err(|error| to_exception(py, &error))?))
}

/// Returns the logged decisions in the order of their times.
#[pyfunction]
pub(crate) fn decisions<'py>(
    cloud: &Bound<'py, Cloud>,
    principal: Option<&str>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = cloud.py();
    let cloud = cloud.get();
    let decisions = py.detach(|| cloud.kernel().decisions(principal));
    let decisions = decisions.map_err(|error| to_exception(py, &error))?.into_iter();
    decisions.map(|decision| classes::instance(py, Box::new(decision) as Box<dyn Fields>)).collect()
}

/// Removes all logged decisions.
#[pyfunction]
pub(crate) fn clear_decisions(py: Python<'_>, cloud: &Bound<'_, Cloud>) -> PyResult<()> {
    let cloud = cloud.get();
    py.detach(|| cloud.kernel().clear_decisions()).map_err(|error| to_exception(py, &error))
}

/// Makes the smallest policy that allows the logged requests.
#[pyfunction]
pub(crate) fn smallest_policy<'py>(
    cloud: &Bound<'py, Cloud>,
    principal: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cloud.py();
    let cloud = cloud.get();
    let decisions = py.detach(|| cloud.kernel().decisions(principal));
    let decisions = decisions.map_err(|error| to_exception(py, &error))?;
    to_python(py, nephos::smallest_policy(&decisions).view(), None)
}
