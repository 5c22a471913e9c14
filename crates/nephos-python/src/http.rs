//! HTTP messages of Python as those of the server.

use bytes::Bytes;
use nephos_wire::{HttpRequest, HttpResponse};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};

/// Status, headers and body of a response.
pub(crate) type PyResponse<'py> = (u16, Vec<(String, String)>, Bound<'py, PyBytes>);

/// Creates a request. A client leaves `Host` to the HTTP library, so that it is added if it is missing.
pub(crate) fn to_request(
    method: &str,
    url: &str,
    headers: Vec<(String, String)>,
    body: &[u8],
) -> PyResult<HttpRequest> {
    let invalid =
        |what: &str, error: &dyn std::fmt::Display| PyValueError::new_err(format!("{what}: {error}"));
    let url: http::Uri = url.parse().map_err(|error| invalid("url", &error))?;
    let mut request = HttpRequest::new(Bytes::copy_from_slice(body));
    *request.method_mut() = method.parse().map_err(|error| invalid("method", &error))?;
    for (name, value) in headers {
        let key = http::HeaderName::try_from(&name).map_err(|error| invalid(&name, &error))?;
        let value = http::HeaderValue::try_from(&value).map_err(|error| invalid(&name, &error))?;
        request.headers_mut().append(key, value);
    }
    if let Some(host) = url.authority().filter(|_| !request.headers().contains_key(http::header::HOST)) {
        let host = http::HeaderValue::try_from(host.as_str()).map_err(|error| invalid("url", &error))?;
        request.headers_mut().insert(http::header::HOST, host);
    }
    // A server gets the path and the query only.
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse().map_err(|error| invalid("url", &error))?;
    Ok(request)
}

/// Returns the parts of a response.
pub(crate) fn to_python(py: Python<'_>, response: HttpResponse) -> PyResponse<'_> {
    let headers = response.headers().iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    (response.status().as_u16(), headers.collect(), PyBytes::new(py, response.body()))
}
