//! Routing of a message to an operation of a service.

use crate::{
    HttpRequest, INVALID_ACTION, NOT_FOUND, TARGET, UNKNOWN_OPERATION, dialect::Dialect, query, uri,
};
use nephos_core::{
    Error, Registry, Result, nearest,
    shape::{OperationShape, Protocol, ServiceShape},
};

/// An operation of a service.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Service of the operation.
    pub service: &'static ServiceShape,
    /// Operation of the request.
    pub operation: &'static OperationShape,
}

/// Finds the operation that `message` is for. `signed_for` is the service in the credential scope, if there is one.
///
/// The operation is found by the target header, by `Action` and `Version` in a form, both at the path `/` only, or by method
/// and path.
pub fn route(registry: &Registry, message: &HttpRequest, signed_for: Option<&str>) -> Result<Route> {
    let path = message.uri().path();
    if let Some(target) = message.headers().get(&TARGET) {
        return match path {
            ROOT => by_target(registry, target.to_str().unwrap_or_default()),
            _ => Err(not_found(message.method().as_str(), path)),
        };
    }
    let texts = query::form_texts(message);
    match query::action(texts).filter(|_| path == ROOT) {
        Some((action, version)) => {
            query::check_pair_count(texts)?;
            by_action(registry, message, signed_for, &action, version.as_deref())
        }
        None => by_path(registry, message, signed_for),
    }
}

/// Path of all operations of services with JSON targets or forms.
const ROOT: &str = "/";

/// Signing names of services with `restXml`, whose clients read only XML. None of them is implemented.
const XML_SERVICES: [&str; 3] = ["cloudfront", "route53", "s3"];

/// Returns the protocol of the response to a `message` without an operation.
pub fn protocol(registry: &Registry, message: &HttpRequest, signed_for: Option<&str>) -> Protocol {
    if message.headers().contains_key(&TARGET) {
        return Protocol::AwsJson { target: "", version: "1.1", message: "message" };
    }
    let is_query = |service: &&&ServiceShape| dialect(service).is_some();
    let is_signed_for = |service: &&&ServiceShape| signed_for == Some(service.signing);
    let services = || registry.services.iter().filter(is_query);
    let Some((_, version)) = query::action(query::form_texts(message)) else {
        // The action of a form is in its body, which may not be here.
        let is_form = message.uri().path() == ROOT && query::has_form_content_type(message);
        let in_xml = is_form || signed_for.is_some_and(|name| XML_SERVICES.contains(&name));
        let service = services().find(is_signed_for).filter(|_| is_form);
        return match (service, in_xml) {
            (Some(service), _) => service.protocol,
            (None, true) => Protocol::AwsQuery { namespace: "" },
            (None, false) => Protocol::RestJson,
        };
    };
    let has_version = |service: &&&ServiceShape| version.as_deref() == Some(service.api_version);
    let service =
        services().filter(is_signed_for).find(has_version).or_else(|| services().find(is_signed_for));
    let service = service.or_else(|| services().find(has_version));
    service.map_or(Protocol::AwsQuery { namespace: "" }, |service| service.protocol)
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
    let routes: Vec<_> = routes.collect();
    if let [(route, _)] = routes[..] {
        return Ok(route);
    }
    // Two services may have the same signing name, version and actions: the one that knows more of the parameters wins.
    let unknown_params = |(route, dialect): &(Route, Dialect)| {
        query::param_names(message).filter(|name| !query::has_param(route.operation, *dialect, name)).count()
    };
    if let Some((route, _)) = routes.into_iter().min_by_key(unknown_params) {
        return Ok(route);
    }
    let names = services().flat_map(|(service, _)| service.operations.iter().map(|operation| operation.name));
    let hint = nearest::hint(action, names);
    let message = match (services().next(), version) {
        (Some((service, _)), Some(_)) => format!("{} has no operation {action:?}", service.name),
        (_, version) => {
            let version = version.unwrap_or("NO_VERSION_SPECIFIED");
            format!("Could not find operation {action} for version {version}")
        }
    };
    Err(INVALID_ACTION.with_message(message).with_hint(hint))
}

fn by_target(registry: &Registry, target: &str) -> Result<Route> {
    for service in registry.services {
        let Protocol::AwsJson { target: prefix, .. } = service.protocol else { continue };
        if let Some(name) = target.strip_prefix(prefix) {
            return find_operation(service, name);
        }
    }
    Err(UNKNOWN_OPERATION.with_message(format!("no service has the target {target:?}")))
}

/// Finds the operation of that name.
fn find_operation(service: &'static ServiceShape, name: &str) -> Result<Route> {
    match service.operations.iter().find(|operation| operation.name == name) {
        Some(operation) => Ok(Route { service, operation }),
        None => {
            let hint = nearest::hint(name, service.operations.iter().map(|operation| operation.name));
            let message = format!("{} has no operation {name:?}", service.name);
            Err(UNKNOWN_OPERATION.with_message(message).with_hint(hint))
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
            if uri::match_template(http.path, path).is_none() {
                continue;
            }
            // Of two matching templates the one with fewer labels wins: `/names/all` before `/names/{name}`.
            let better =
                found.is_none_or(|found| label_count(found) > label_count(Route { service, operation }));
            if better {
                found = Some(Route { service, operation });
            }
        }
    }
    found.ok_or_else(|| not_found(method, path))
}

fn label_count(route: Route) -> usize {
    route.operation.http.map_or(0, |http| http.path.matches('{').count())
}

fn not_found(method: &str, path: &str) -> Error {
    NOT_FOUND.with_message(format!("no operation has {method} {path}"))
}
