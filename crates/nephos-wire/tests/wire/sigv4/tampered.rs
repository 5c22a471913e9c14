//! A signed request is rejected after any change.

use super::{noon, plain, sign_with_crate, verify};
use bytes::Bytes;
use http::HeaderValue;
use nephos_wire::HttpRequest;
use proptest::{prelude::*, sample::Index};

fn any_message() -> impl Strategy<Value = HttpRequest> {
    let segment = "([a-zA-Z0-9._~-]|%[0-9A-F][0-9A-F]|[:@,;=$!*'()]){1,8}";
    let path = proptest::collection::vec(segment, 0..4).prop_map(|parts| format!("/{}", parts.join("/")));
    let pair = "([a-zA-Z0-9._~-]|%[2-7][0-9A-E]){1,6}=([a-zA-Z0-9._~+-]|%[2-7][0-9A-E]|%C3%A9){0,6}";
    let query = proptest::collection::vec(pair, 0..5).prop_map(|pairs| pairs.join("&"));
    let method = prop_oneof![Just("GET"), Just("POST"), Just("PUT"), Just("DELETE")];
    (method, path, query, "[!-~]{1,12}", any::<Vec<u8>>()).prop_map(|(method, path, query, header, body)| {
        let query = if query.is_empty() { query } else { format!("?{query}") };
        let message = http::Request::builder().method(method).uri(format!("{path}{query}"));
        message.header("host", "x.test").header("x-amz-meta", header).body(body.into()).unwrap()
    })
}

/// Changes one byte in a signed part of a message; `None` if the result means the same.
fn tampered(message: &HttpRequest, part: usize, at: Index, flip: u8) -> Option<HttpRequest> {
    let mut changed = message.clone();
    let flipped = |text: &[u8]| {
        let mut bytes = text.to_vec();
        let at = at.index(bytes.len().max(1));
        *bytes.get_mut(at)? ^= flip;
        Some(bytes)
    };
    match part {
        0 => {
            *changed.method_mut() =
                http::Method::from_bytes(&flipped(message.method().as_str().as_bytes())?).ok()?
        }
        1 => *changed.body_mut() = flipped(message.body())?.into(),
        2 => {
            let value = flipped(message.headers()["x-amz-meta"].as_bytes())?;
            // Leading, trailing and repeated spaces are not signed.
            if value.contains(&b' ') || value.contains(&b'\t') {
                return None;
            }
            changed.headers_mut().insert("x-amz-meta", HeaderValue::from_bytes(&value).ok()?);
        }
        3 => {
            let value = flipped(message.headers()["host"].as_bytes())?;
            changed.headers_mut().insert("host", HeaderValue::from_bytes(&value).ok()?);
        }
        4 => {
            let (path, query) = (message.uri().path(), message.uri().query());
            let path = String::from_utf8(flipped(path.as_bytes())?).ok()?;
            if same_path(&path, message.uri().path()) {
                return None;
            }
            let query = query.map(|query| format!("?{query}")).unwrap_or_default();
            *changed.uri_mut() = format!("{path}{query}").parse().ok()?;
        }
        _ => {
            let query = String::from_utf8(flipped(message.uri().query()?.as_bytes())?).ok()?;
            *changed.uri_mut() = format!("{}?{query}", message.uri().path()).parse().ok()?;
            if same_query(changed.uri().query(), message.uri().query()) {
                return None;
            }
        }
    }
    (changed.uri() != message.uri()
        || changed.method() != message.method()
        || changed.body() != message.body()
        || changed.headers() != message.headers())
    .then_some(changed)
}

/// True if two paths are equivalent: dots and empty segments are ignored.
fn same_path(a: &str, b: &str) -> bool {
    let plain = |path: &str| {
        let segments = path.split('/').filter(|segment| !segment.is_empty() && *segment != ".");
        (segments.map(str::to_owned).collect::<Vec<_>>(), path.ends_with('/'))
    };
    a.contains("..") || plain(a) == plain(b)
}

/// True if two query strings are equivalent: in another order, or with other escapes.
fn same_query(a: Option<&str>, b: Option<&str>) -> bool {
    let pairs = |query: Option<&str>| {
        let mut pairs: Vec<_> = query
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (unescaped(name), unescaped(value)))
            .collect();
        pairs.sort();
        pairs
    };
    pairs(a) == pairs(b)
}

fn unescaped(text: &str) -> Vec<u8> {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let escape = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], escape) {
            (b'%', Some(byte)) if bytes[at + 1] != b'+' => {
                out.push(byte);
                at += 3;
            }
            (b'+', _) => {
                out.push(b' ');
                at += 1;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn request_signed_by_aws_sigv4_is_accepted(message in any_message(), presigned: bool) {
        let message = sign_with_crate(message, "schemas", noon(), presigned);
        let caller = verify(&message, "schemas", noon());
        prop_assert!(caller.is_ok(), "{:?}\n{:?}", caller, message);
    }

    #[test]
    fn changed_request_is_rejected(
        message in any_message(),
        presigned: bool,
        part in 0..6_usize,
        at: Index,
        flip in 1..128_u8,
    ) {
        let message = sign_with_crate(message, "schemas", noon(), presigned);
        if let Some(changed) = tampered(&message, part, at, flip) {
            prop_assert!(verify(&changed, "schemas", noon()).is_err(), "{:?}\n{:?}", message, changed);
        }
    }

    #[test]
    fn changed_signature_is_rejected(at: Index, flip in 1..128_u8) {
        let message = sign_with_crate(plain(), "sts", noon(), false);
        let mut header = message.headers()["authorization"].as_bytes().to_vec();
        let at = at.index(header.len());
        header[at] ^= flip;
        let mut changed = message.clone();
        // Commas and spaces between the parts have no meaning.
        if let Ok(value) = HeaderValue::from_bytes(&header) && header[at] != b' ' && header[at] ^ flip != b' ' {
            changed.headers_mut().insert("authorization", value);
            prop_assert!(verify(&changed, "sts", noon()).is_err(), "{:?}", changed);
        }
    }

    #[test]
    fn random_signature_is_rejected(header in "(AWS4-HMAC-SHA256 )?[ -~]{0,80}", query in "(X-Amz-[A-Z][a-z]{3,9}=[a-z0-9%]{0,9}&){0,6}") {
        let message = http::Request::get(format!("/?X-Amz-Algorithm=AWS4-HMAC-SHA256&{query}")).body(Bytes::new()).unwrap();
        prop_assert!(verify(&message, "sts", noon()).is_err());
        let message = http::Request::get("/").header("authorization", header).body(Bytes::new()).unwrap();
        prop_assert!(verify(&message, "sts", noon()).is_err());
    }
}
