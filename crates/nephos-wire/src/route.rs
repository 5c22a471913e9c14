//! Which operation of which service a message is for.

use crate::{
    HttpRequest, INVALID_ACTION, NOT_FOUND, TARGET, UNKNOWN_OPERATION, dialect::Dialect, query, uri,
};
use nephos_core::{
    Error, Registry, Result,
    nearest::suggest,
    shape::{OperationShape, Protocol, ServiceShape},
};

/// An operation of a service.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The service.
    pub service: &'static ServiceShape,
    /// The operation.
    pub operation: &'static OperationShape,
}

/// The operation that `message` is for. `signed_for` is the service that its signature names, if it has one.
///
/// It is told by the target header, by `Action` and `Version` in a form, or by method and path.
pub fn route(registry: &Registry, message: &HttpRequest, signed_for: Option<&str>) -> Result<Route> {
    if let Some(target) = message.headers().get(&TARGET) {
        return by_target(registry, target.to_str().unwrap_or_default());
    }
    if let Some((action, version)) = query::action(message) {
        return by_action(registry, message, signed_for, &action, version.as_deref());
    }
    by_path(registry, message, signed_for)
}

/// Services by path whose clients read nothing but XML, by the names that requests are signed for. None of them is here.
const IN_XML: [&str; 3] = ["cloudfront", "route53", "s3"];

/// The protocol in which `message` is answered if it leads to no operation.
pub fn protocol(registry: &Registry, message: &HttpRequest, signed_for: Option<&str>) -> Protocol {
    if message.headers().contains_key(&TARGET) {
        return Protocol::AwsJson { target: "", version: "1.1" };
    }
    let Some((_, version)) = query::action(message) else {
        let in_xml = signed_for.is_some_and(|name| IN_XML.contains(&name));
        return if in_xml { Protocol::AwsQuery { namespace: "" } } else { Protocol::RestJson };
    };
    let speaks = |service: &&&ServiceShape| dialect(service).is_some();
    let of_the_version = |service: &&&ServiceShape| version.as_deref() == Some(service.api_version);
    let signed = |service: &&&ServiceShape| signed_for == Some(service.signing);
    let services = || registry.services.iter().filter(speaks);
    let meant = services().filter(signed).find(of_the_version).or_else(|| services().find(signed));
    let meant = meant.or_else(|| services().find(of_the_version));
    meant.map_or(Protocol::AwsQuery { namespace: "" }, |service| service.protocol)
}

fn dialect(service: &ServiceShape) -> Option<Dialect> {
    match service.protocol {
        Protocol::AwsQuery { .. } => Some(Dialect::Query),
        Protocol::Ec2Query { .. } => Some(Dialect::Ec2),
        _ => None,
    }
}

fn by_action(
    registry: &Registry,
    message: &HttpRequest,
    signed_for: Option<&str>,
    action: &str,
    version: Option<&str>,
) -> Result<Route> {
    let services = || {
        let services = registry.services.iter().copied();
        services.filter_map(|service| Some((service, dialect(service)?))).filter(|(service, _)| {
            signed_for.is_none_or(|name| name == service.signing)
                && version.is_none_or(|version| version == service.api_version)
        })
    };
    let routes = services().filter_map(|(service, dialect)| {
        let operation = service.operations.iter().find(|operation| operation.name == action)?;
        Some((Route { service, operation }, dialect))
    });
    // Two services may share name, version and actions: then the one that knows what is asked for is meant.
    let strangers = |(route, dialect): &(Route, Dialect)| {
        query::names(message).filter(|name| !query::knows(route.operation, *dialect, name)).count()
    };
    if let Some((route, _)) = routes.min_by_key(strangers) {
        return Ok(route);
    }
    let names = services().flat_map(|(service, _)| service.operations.iter().map(|operation| operation.name));
    let hint = suggest(action, names);
    let version = version.unwrap_or("NO_VERSION_SPECIFIED");
    Err(INVALID_ACTION.with_message(format!("Could not find operation {action} for version {version}{hint}")))
}

fn by_target(registry: &Registry, target: &str) -> Result<Route> {
    for service in registry.services {
        let Protocol::AwsJson { target: prefix, .. } = service.protocol else { continue };
        if let Some(name) = target.strip_prefix(prefix) {
            return named(service, name);
        }
    }
    Err(UNKNOWN_OPERATION.with_message(format!("no service has the target {target:?}")))
}

/// The operation of that name.
fn named(service: &'static ServiceShape, name: &str) -> Result<Route> {
    match service.operations.iter().find(|operation| operation.name == name) {
        Some(operation) => Ok(Route { service, operation }),
        None => {
            let hint = suggest(name, service.operations.iter().map(|operation| operation.name));
            Err(UNKNOWN_OPERATION.with_message(format!("{} has no operation {name:?}{hint}", service.name)))
        }
    }
}

fn by_path(registry: &Registry, message: &HttpRequest, signed_for: Option<&str>) -> Result<Route> {
    let (method, path) = (message.method().as_str(), message.uri().path());
    let services = registry.services.iter().copied().filter(|service| service.protocol == Protocol::RestJson);
    let services = services.filter(|service| signed_for.is_none_or(|name| name == service.signing));
    let mut found: Option<Route> = None;
    for service in services {
        for operation in service.operations {
            let Some(http) = operation.http.filter(|http| http.method == method) else { continue };
            if uri::labels(http.path, path).is_none() {
                continue;
            }
            // Of two templates, the one that leaves less open is meant: `/names/all` before `/names/{name}`.
            let better = found.is_none_or(|found| openness(found) > openness(Route { service, operation }));
            if better {
                found = Some(Route { service, operation });
            }
        }
    }
    found.ok_or_else(|| nothing_here(method, path))
}

fn openness(route: Route) -> usize {
    route.operation.http.map_or(0, |http| http.path.matches('{').count())
}

fn nothing_here(method: &str, path: &str) -> Error {
    NOT_FOUND.with_message(format!("no operation is at {method} {path}"))
}
