//! Requests of all protocols, decoded and answered by a cloud with all services. No answer has the status 500.

use crate::{corpus, message};
use nephos::{
    Caller, Cloud, CloudOptions, DEFAULT_ACCOUNT, DEFAULT_REGION, Kernel, REGISTRY, RequestSource, wait,
};
use nephos_wire::{HttpRequest, HttpResponse, Route};
use std::sync::LazyLock;

/// Header of inputs with the service in the credential scope.
pub(crate) const SERVICE_HEADER: &str = "x-signed-for";

/// A cloud with the resources that the committed requests create. Each input gets a fork of it.
static CLOUD: LazyLock<Cloud> = LazyLock::new(|| {
    let cloud = options().in_memory();
    create_resources(&cloud, |_| true);
    cloud
});

/// Options of a cloud in which the same inputs have the same effects.
pub(crate) fn options() -> CloudOptions {
    let noon = "2026-01-31T12:00:00Z".parse().expect("the literal is a timestamp");
    Cloud::options().clock(nephos::Clock::frozen(noon)).seed(7)
}

/// Executes the committed requests that create something in the services that `is_wanted` accepts.
pub(crate) fn create_resources(cloud: &Kernel, is_wanted: fn(&str) -> bool) {
    for message in corpus::read("requests").iter().filter_map(|input| message::parse(input)) {
        let Ok(route) = find_route(&message) else { continue };
        let creates = ["Create", "Put", "Run"].iter().any(|verb| route.operation.name.starts_with(verb));
        if creates && is_wanted(route.service.name) {
            let _ = answer(cloud, route, message);
        }
    }
}

pub(crate) fn check(data: &[u8]) {
    let Some(message) = message::parse(data) else { return };
    let signed_for = signed_for(&message);
    let protocol = nephos_wire::protocol(&REGISTRY, &message, signed_for);
    let (protocol, answered) = match find_route(&message) {
        Ok(route) => {
            let _ = nephos_wire::unknown_members(route, &message);
            let fork = CLOUD.fork().expect("a cloud in memory can be forked");
            (route.service.protocol, answer(&fork, route, message))
        }
        Err(error) => (protocol, Err(error)),
    };
    let response = answered.unwrap_or_else(|error| nephos_wire::encode_error(protocol, &error, "id"));
    assert_ne!(response.status(), 500, "{}", String::from_utf8_lossy(response.body()));
}

fn signed_for(message: &HttpRequest) -> Option<&str> {
    message.headers().get(SERVICE_HEADER).and_then(|name| name.to_str().ok())
}

/// Finds the operation of a request.
pub(crate) fn find_route(message: &HttpRequest) -> nephos::Result<Route> {
    nephos_wire::route(&REGISTRY, message, signed_for(message))
}

fn answer(cloud: &Kernel, route: Route, message: HttpRequest) -> nephos::Result<HttpResponse> {
    let source = RequestSource::new(Caller::root(DEFAULT_ACCOUNT), DEFAULT_REGION);
    let make = move || nephos_wire::decode_request(route, &message);
    let answer = wait(cloud.request(source, route.operation.effect, make))?;
    Ok(nephos_wire::encode_answer(route, &*answer, "id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_requests_have_valid_parameters() {
        for input in corpus::read("requests") {
            let message = message::parse(&input).unwrap();
            let decoded = nephos_wire::decode_request(find_route(&message).unwrap(), &message);
            assert!(decoded.is_ok(), "{}: {}", String::from_utf8_lossy(&input), decoded.unwrap_err());
        }
    }
}
