//! The decoders as functions of bytes. The first line has the parameters; the rest is the body.

use crate::toys::{REGISTRY, by_ec2_form, by_form, by_path, by_target};
use bytes::Bytes;
use nephos_core::{Operation as _, Request, Timestamp};
use nephos_wire::{
    HttpRequest, HttpResponse, decode_answer, decode_request, protocol, route,
    sigv4::{Key, Keys, SignatureParts, Verifier},
};

fn lines(data: &[u8]) -> (&str, &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let first = std::str::from_utf8(&data[..end]).unwrap_or_default();
    (first, data.get(end + 1..).unwrap_or_default())
}

/// Parses `METHOD uri [header:value …]` in the first line, then the body.
fn message(data: &[u8]) -> Option<HttpRequest> {
    let (first, body) = lines(data);
    let mut words = first.split(' ');
    let mut message = http::Request::builder().method(words.next()?).uri(words.next()?);
    for header in words {
        let (name, value) = header.split_once(':')?;
        message = message.header(name, value.replace('\t', " "));
    }
    message.body(Bytes::copy_from_slice(body)).ok()
}

/// Decodes a request as a server does; returns true on success.
pub fn request(data: &[u8]) -> bool {
    let Some(message) = message(data) else { return false };
    let _ = protocol(&REGISTRY, &message, None);
    route(&REGISTRY, &message, None).and_then(|route| decode_request(route, &message)).is_ok()
}

/// Decodes an answer as a client does; returns true on success. The first line has the status.
pub fn answer(data: &[u8]) -> bool {
    let (first, body) = lines(data);
    let Some(status) = first.parse().ok().and_then(|status| http::StatusCode::from_u16(status).ok()) else {
        return false;
    };
    let mut message = HttpResponse::new(Bytes::copy_from_slice(body));
    *message.status_mut() = status;
    let requests = [
        Request::new(by_target::GrowTree::new("x")),
        Request::new(by_path::GrowTree::new("x")),
        Request::new(by_form::GrowTree::new("x")),
        Request::new(by_ec2_form::GrowTree::new("x")),
        Request::new(by_form::FellTree::new("x")),
    ];
    debug_assert_eq!(by_form::GrowTree::OPERATION.name, requests[2].operation.name);
    // `count` decodes for all of them, also after a success.
    requests.iter().filter(|request| decode_answer(request, &message).is_ok()).count() > 0
}

struct KnownKeys;

impl Keys for KnownKeys {
    fn find_key(&self, _: &str) -> Option<Key> {
        Some(Key { secret: "secret".into(), session_token: None, account: "1".into() })
    }
}

/// Reads and verifies the signature of a request; returns true if it could be read.
pub fn signature(data: &[u8]) -> bool {
    let Some(message) = message(data) else { return false };
    let Ok(parts) = SignatureParts::from_request(&message) else { return false };
    let noon = Timestamp::from_second(1_769_860_800).unwrap_or_default();
    assert!(
        Verifier::new(KnownKeys).verify(&message, &parts, &parts.scope.service, noon).is_err(),
        "no input is signed with this secret"
    );
    true
}
