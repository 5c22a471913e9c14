//! HTTP requests as inputs: `METHOD uri header:value …` in the first line, with tabs for the spaces of values; then the body.

use bytes::Bytes;
use nephos_wire::HttpRequest;

/// Splits an input into its first line and the rest.
pub(crate) fn split_line(data: &[u8]) -> (&str, &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let first = std::str::from_utf8(&data[..end]).unwrap_or_default();
    (first, data.get(end + 1..).unwrap_or_default())
}

/// Parses a request; `None` if no HTTP server would accept it.
pub(crate) fn parse(data: &[u8]) -> Option<HttpRequest> {
    let (first, body) = split_line(data);
    let mut words = first.split(' ');
    let mut message = http::Request::builder().method(words.next()?).uri(words.next()?);
    for header in words {
        let (name, value) = header.split_once(':')?;
        message = message.header(name, value.replace('\t', " "));
    }
    message.body(Bytes::copy_from_slice(body)).ok()
}

/// Writes a request as an input, with the headers that `keep` accepts.
pub(crate) fn write(message: &HttpRequest, keep: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut line = format!("{} {}", message.method(), message.uri());
    for (name, value) in message.headers().iter().filter(|(name, _)| keep(name.as_str())) {
        let value = String::from_utf8_lossy(value.as_bytes()).replace(' ', "\t");
        line.push_str(&format!(" {name}:{value}"));
    }
    line.push('\n');
    [line.as_bytes(), message.body()].concat()
}
