//! Services and operations by their names.

use crate::names;
use nephos::{Error, ErrorKind, REGISTRY, Value};
use nephos_core::shape::{OperationShape, ServiceShape};

/// Explains the service or operation `what`, or all services.
pub(super) fn explain(
    what: Option<&str>,
    explain_service: impl Fn(&ServiceShape) -> Value,
    explain_operation: impl FnOnce(&ServiceShape, &OperationShape) -> Value,
) -> Result<Value, Error> {
    let Some(what) = what else {
        return Ok(Value::List(REGISTRY.services.iter().map(|service| explain_service(service)).collect()));
    };
    let (name, part) = what.split_once('.').map_or((what, None), |(name, part)| (name, Some(part)));
    let service = find_service(name)?;
    match part {
        None => Ok(explain_service(service)),
        Some(part) => find_operation(service, part).map(|operation| explain_operation(service, operation)),
    }
}

pub(super) fn find_service(name: &str) -> Result<&'static ServiceShape, Error> {
    REGISTRY.service(name).ok_or_else(|| {
        let hint = names::hint(name, REGISTRY.services.iter().map(|service| service.name));
        Error::new(ErrorKind::NotFound, format!("service {name} does not exist{hint}"))
    })
}

fn find_operation(service: &ServiceShape, name: &str) -> Result<&'static OperationShape, Error> {
    let known = || service.operations.iter().copied();
    let found = known().find(|operation| operation.name == name || names::kebab(operation.name) == name);
    found.ok_or_else(|| {
        let hint = names::hint(name, known().map(|operation| operation.name));
        Error::new(ErrorKind::NotFound, format!("{} has no operation {name}{hint}", service.name))
    })
}
