//! HTTP messages of Python as those of the server.

use bytes::Bytes;
use nephos_wire::{HttpRequest, HttpResponse};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict, PyString},
};

/// Status, headers and body of a response.
pub(crate) type PyResponse<'py> = (u16, Vec<(String, String)>, Bound<'py, PyBytes>);

/// Creates a request. `headers` is a mapping, or an iterable of pairs; values are texts or bytes. A client leaves `Host` to the HTTP
/// library, so that it is added if it is missing.
pub(crate) fn to_request(
    method: &str,
    url: &str,
    headers: &Bound<'_, PyAny>,
    body: &[u8],
) -> PyResult<HttpRequest> {
    let url: http::Uri = url.parse().map_err(|error| invalid("url", &error))?;
    let mut request = HttpRequest::new(Bytes::copy_from_slice(body));
    *request.method_mut() = method.parse().map_err(|error| invalid("method", &error))?;
    match headers.cast::<PyDict>() {
        Ok(headers) => {
            headers.iter().try_for_each(|(name, value)| append(request.headers_mut(), &name, &value))?
        }
        Err(_) => {
            for pair in headers.try_iter()? {
                let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
                append(request.headers_mut(), &name, &value)?;
            }
        }
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

/// Appends a header.
fn append(headers: &mut http::HeaderMap, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let name = name.cast::<PyString>()?.to_str()?;
    let key = http::HeaderName::from_bytes(name.as_bytes()).map_err(|error| invalid(name, &error))?;
    let value = match value.cast::<PyBytes>() {
        Ok(bytes) => http::HeaderValue::from_bytes(bytes.as_bytes()),
        Err(_) => http::HeaderValue::from_bytes(value.cast::<PyString>()?.to_str()?.as_bytes()),
    };
    headers.append(key, value.map_err(|error| invalid(name, &error))?);
    Ok(())
}

fn invalid(what: &str, error: &dyn std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{what}: {error}"))
}

/// Returns the parts of a response.
pub(crate) fn to_python(py: Python<'_>, response: HttpResponse) -> PyResponse<'_> {
    let headers = response.headers().iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    (response.status().as_u16(), headers.collect(), PyBytes::new(py, response.body()))
}
