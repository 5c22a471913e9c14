//! Responses, decoded as the remote client does. The first line has the operation, as `service.Operation`, and the status.

use crate::{corpus, message, targets::requests::find_route};
use bytes::Bytes;
use nephos_core::Request;
use nephos_wire::HttpResponse;
use std::{collections::BTreeMap, sync::LazyLock};

/// Requests of the operations, by `service.Operation`. An input is also decoded as the answer to some others.
static REQUESTS: LazyLock<BTreeMap<String, Request>> = LazyLock::new(|| {
    let messages = corpus::read("requests");
    let messages = messages.iter().filter_map(|input| message::parse(input));
    let requests =
        messages.filter_map(|message| nephos_wire::decode_request(find_route(&message).ok()?, &message).ok());
    requests.map(|request| (name_of(&request), request)).collect()
});

/// Number of other operations that an input is decoded for.
const OTHERS: usize = 3;

/// Name of the operation of a request in inputs.
fn name_of(request: &Request) -> String {
    format!("{}.{}", request.service.name, request.operation.name)
}

pub(crate) fn check(data: &[u8]) {
    let (first, body) = message::split_line(data);
    let mut words = first.split(' ');
    let name = words.next().unwrap_or_default();
    let status = words.next().and_then(|status| status.parse().ok()).unwrap_or(200);
    let mut response = HttpResponse::new(Bytes::copy_from_slice(body));
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::OK);
    for header in words {
        if let Some((name, value)) = header.split_once(':')
            && let (Ok(name), Ok(value)) =
                (name.parse::<http::HeaderName>(), value.parse::<http::HeaderValue>())
        {
            response.headers_mut().insert(name, value);
        }
    }
    let number = data.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let others =
        (0..OTHERS).filter_map(|n| REQUESTS.values().nth((number / (n + 1)) % REQUESTS.len().max(1)));
    for request in REQUESTS.get(name).into_iter().chain(others) {
        if let Err(error) = nephos_wire::decode_answer(request, &response) {
            assert!(!error.to_string().is_empty(), "an error has a text");
        }
    }
}
