//! Canonical form of a request.

use super::{SignatureError, SignatureParts};
use crate::HttpRequest;
use http::{HeaderName, header};
use nephos_core::hex;
use sha2::{Digest, Sha256};

static CONTENT_HASH: HeaderName = HeaderName::from_static("x-amz-content-sha256");

/// Value in place of the hash of a body that is not signed, which S3 alone accepts.
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// Rejects a signature that does not cover the host and every `x-amz-` header.
pub(super) fn check_signed_headers(
    message: &HttpRequest,
    parts: &SignatureParts,
) -> Result<(), SignatureError> {
    let signed = |name: &str| parts.signed_header_names().any(|signed| signed == name);
    let mut needed =
        message.headers().keys().map(HeaderName::as_str).filter(|name| name.starts_with("x-amz-"));
    let missing =
        if signed(header::HOST.as_str()) { needed.find(|name| !signed(name)) } else { Some("host") };
    if let Some(name) = missing {
        return Err(SignatureError::WrongScope(format!(
            "'{name}' must be a 'SignedHeader' in the AWS Authorization."
        )));
    }
    // The host in the URI must be the one that is signed.
    let host = message.headers().get(header::HOST).map(http::HeaderValue::as_bytes);
    let address = message.uri().authority().map(|host| host.as_str().as_bytes());
    if host.is_some() && address.is_some() && host != address {
        return Err(SignatureError::Mismatch);
    }
    let mut names = parts.signed_header_names().enumerate();
    if names.any(|(n, name)| parts.signed_header_names().take(n).any(|before| before == name)) {
        return Err(SignatureError::Incomplete("a header occurs twice in SignedHeaders".into()));
    }
    Ok(())
}

/// Returns the canonical request.
pub(super) fn canonical_request(
    message: &HttpRequest,
    parts: &SignatureParts,
) -> Result<Vec<u8>, SignatureError> {
    let s3 = parts.scope.service == "s3";
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(message.method().as_str().as_bytes());
    out.push(b'\n');
    write_path(&mut out, message.uri().path(), s3);
    out.push(b'\n');
    write_query(&mut out, message.uri().query().unwrap_or_default(), parts.expires.is_some());
    out.push(b'\n');
    for name in parts.signed_header_names() {
        out.extend_from_slice(name.as_bytes());
        out.push(b':');
        write_header_values(&mut out, message, name)?;
        out.push(b'\n');
    }
    out.push(b'\n');
    out.extend_from_slice(parts.signed_headers.as_bytes());
    out.push(b'\n');
    out.extend_from_slice(body_hash(message, parts, s3)?.as_bytes());
    Ok(out)
}

/// Writes the path, normalized and encoded once more; for S3, where every path is a different object, unchanged.
fn write_path(out: &mut Vec<u8>, path: &str, s3: bool) {
    if s3 {
        return out.extend_from_slice(if path.is_empty() { b"/" } else { path.as_bytes() });
    }
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    for segment in &segments {
        out.push(b'/');
        encode(out, segment.as_bytes());
    }
    let is_folder = ["/", "/.", "/.."].iter().any(|end| path.ends_with(end));
    if segments.is_empty() || is_folder {
        out.push(b'/');
    }
}

/// Writes the query string: names and values in one encoding, sorted.
fn write_query(out: &mut Vec<u8>, query: &str, presigned: bool) {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(name, value)| {
        let reencode = |text: &str| {
            let mut out = Vec::with_capacity(text.len());
            encode(&mut out, &decode(text));
            out
        };
        (reencode(name), reencode(value))
    });
    let mut pairs: Vec<_> = pairs.filter(|(name, _)| !(presigned && name == b"X-Amz-Signature")).collect();
    pairs.sort();
    for (n, (name, value)) in pairs.iter().enumerate() {
        if n > 0 {
            out.push(b'&');
        }
        out.extend_from_slice(name);
        out.push(b'=');
        out.extend_from_slice(value);
    }
}

/// Writes all values of a header, without needless spaces.
fn write_header_values(out: &mut Vec<u8>, message: &HttpRequest, name: &str) -> Result<(), SignatureError> {
    let mut values = message.headers().get_all(name).iter().map(http::HeaderValue::as_bytes).peekable();
    if values.peek().is_none() {
        // In HTTP/2 the host is only in the URI.
        return match message.uri().authority() {
            Some(host) if name == header::HOST.as_str() => {
                out.extend_from_slice(host.as_str().as_bytes());
                Ok(())
            }
            _ => Err(SignatureError::WrongScope(format!("the signed header '{name}' is missing"))),
        };
    }
    for (n, value) in values.enumerate() {
        if n > 0 {
            out.push(b',');
        }
        let words = value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
        for (n, word) in words.enumerate() {
            if n > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(word);
        }
    }
    Ok(())
}

/// Returns the hash of the body, or the value in place of it.
fn body_hash(message: &HttpRequest, parts: &SignatureParts, s3: bool) -> Result<String, SignatureError> {
    let header = message.headers().get(&CONTENT_HASH);
    let hash = || hex::encode(&Sha256::digest(message.body()));
    match header.map(|header| header.as_bytes()) {
        Some(given) if s3 && given == UNSIGNED.as_bytes() => Ok(UNSIGNED.into()),
        Some(given) => Some(hash()).filter(|hash| hash.as_bytes() == given).ok_or(SignatureError::Mismatch),
        None if s3 && parts.expires.is_some() => Ok(UNSIGNED.into()),
        None => Ok(hash()),
    }
}

fn encode(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            _ => {
                let digit = |n: u8| b"0123456789ABCDEF"[usize::from(n)];
                out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 15)]);
            }
        }
    }
}

/// Decodes percent-encoding; an invalid escape is kept as it is.
fn decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    while let Some(&byte) = bytes.get(at) {
        let escaped = match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => Some((high * 16 + low) as u8),
            _ => None,
        };
        out.push(escaped.unwrap_or(if byte == b'+' { b' ' } else { byte }));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}
