//! Protection from web pages: accepted hosts and origins.
//!
//! A web page that the user visits can send requests to a loopback address, and by DNS rebinding even read the
//! responses. A server on a loopback address therefore accepts only hosts that no foreign page can have, and rejects
//! cross-origin requests of browsers.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN, REFERER, VARY,
    },
};
use nephos::{Error, ErrorKind, Result, Text};
use nephos_wire::HttpRequest;
use std::net::IpAddr;

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Accepted hosts of the server, and accepted origins of web pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct OriginPolicy {
    /// True on a loopback address: then `Host` is checked.
    pub(crate) check_host: bool,
    /// Accepted host names, in addition to those of this machine.
    hosts: Vec<Text>,
    /// Origins of the user's own pages.
    origins: Vec<Text>,
}

impl OriginPolicy {
    /// Accepts `Host: name`, with any port.
    pub(crate) fn add_host(&mut self, name: &str) -> Result<()> {
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if name.is_empty() || !name.bytes().all(valid) {
            return Err(Error::invalid("host", format!("{name:?} is not a host name, such as nephos.test")));
        }
        self.hosts.push(name.to_ascii_lowercase().into());
        Ok(())
    }

    /// Accepts requests of pages of `origin`.
    pub(crate) fn add_origin(&mut self, origin: &str) -> Result<()> {
        let origin = origin.trim_end_matches('/');
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if !authority.is_some_and(|rest| !rest.is_empty() && !rest.contains(['/', '?', '#', ' '])) {
            let message = format!("{origin:?} is not an origin, such as http://localhost:3000");
            return Err(Error::invalid("allow-origin", message));
        }
        self.origins.push(origin.to_ascii_lowercase().into());
        Ok(())
    }

    /// Rejects a request for a host that is not accepted, or of a page of another origin.
    pub(crate) fn check(&self, message: &HttpRequest) -> Result<()> {
        if self.check_host {
            self.check_hosts(message)?;
        }
        self.check_origin(message)
    }

    fn check_hosts(&self, message: &HttpRequest) -> Result<()> {
        let hosts = message.headers().get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
        for host in hosts.chain(message.uri().authority().map(|authority| authority.as_str())) {
            let name = host_name(host);
            if !is_local(name) && !self.hosts.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                let message =
                    format!("Host: {name:?} is not a host of this server; allow it with --host {name}");
                return Err(Error::new(ErrorKind::Denied, message));
            }
        }
        Ok(())
    }

    fn check_origin(&self, message: &HttpRequest) -> Result<()> {
        let text =
            |name: &HeaderName| message.headers().get(name).map(|value| value.to_str().unwrap_or("null"));
        let reject = |header: &str, origin: &str| {
            let message = format!(
                "{header}: cross-origin requests of {origin} are refused; allow them with --allow-origin"
            );
            Err(Error::new(ErrorKind::Denied, message))
        };
        if let Some(origin) = text(&ORIGIN) {
            return if self.accepts(message, origin) { Ok(()) } else { reject("Origin", origin) };
        }
        if let Some(referer) = text(&REFERER) {
            let origin = origin_of_url(referer);
            return if self.accepts(message, origin) { Ok(()) } else { reject("Referer", origin) };
        }
        match text(&SEC_FETCH_SITE) {
            None | Some("same-origin" | "none") => Ok(()),
            Some(site) => reject("Sec-Fetch-Site", site),
        }
    }

    fn accepts(&self, message: &HttpRequest, origin: &str) -> bool {
        let host = message.headers().get(HOST).and_then(|host| host.to_str().ok());
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let is_own = own.is_some_and(|own| host.is_some_and(|host| own.eq_ignore_ascii_case(host)));
        is_own || self.is_allowed(origin)
    }

    fn is_allowed(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| origin.eq_ignore_ascii_case(allowed))
    }

    /// Returns the `Origin` of a request, if it is an allowed one.
    pub(crate) fn allowed_origin(&self, message: &HttpRequest) -> Option<HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        let origin = message.headers().get(ORIGIN)?;
        self.is_allowed(origin.to_str().ok()?).then(|| origin.clone())
    }
}

/// Returns the headers of the response to a CORS preflight request; `None` if it is another request.
pub(crate) fn preflight(message: &HttpRequest) -> Option<HeaderMap> {
    if message.method() != Method::OPTIONS {
        return None;
    }
    message.headers().get(ACCESS_CONTROL_REQUEST_METHOD)?;
    let mut headers = HeaderMap::new();
    let methods = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    if let Some(wanted) = message.headers().get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    Some(headers)
}

/// Adds the CORS headers that let a page of `origin` read the response.
pub(crate) fn add_cors_headers(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let exposed = HeaderValue::from_static("x-amzn-requestid, x-amzn-errortype");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// Returns the host without its port.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(address, _)| address);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

/// True for host names of this machine, which no foreign page can have.
fn is_local(name: &str) -> bool {
    let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
    let last = name.rsplit('.').next().unwrap_or(name);
    last.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}

/// Returns the origin of a URL: scheme, host and port.
fn origin_of_url(address: &str) -> &str {
    let start = address.find("://").map_or(0, |at| at + 3);
    let end = address[start..].find(['/', '?', '#']).map_or(address.len(), |at| start + at);
    &address[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_hosts_are_local() {
        for host in [
            "localhost",
            "localhost:4566",
            "LOCALHOST:1",
            "a.localhost:1",
            "127.0.0.1:1",
            "127.9.9.9",
            "[::1]:4566",
            "[::1]",
        ] {
            assert!(is_local(host_name(host)), "{host}");
        }
        for host in [
            "",
            "evil.example:4566",
            "localhost.evil.example",
            "localhost.",
            "10.0.0.1:4566",
            "0.0.0.0:4566",
            "[::]:1",
            "127.0.0.1.evil.example",
            "notlocalhost",
            "127.1",
        ] {
            assert!(!is_local(host_name(host)), "{host}");
        }
    }

    #[test]
    fn invalid_hosts_and_origins_are_rejected() {
        let mut policy = OriginPolicy::default();
        for host in ["", "a b", "http://a", "a/b"] {
            assert!(policy.add_host(host).is_err(), "{host}");
        }
        for origin in ["", "a", "http://", "ftp://a", "http://a/b", "*"] {
            assert!(policy.add_origin(origin).is_err(), "{origin}");
        }
        policy.add_origin("http://localhost:3000/").unwrap();
        assert!(policy.is_allowed("http://localhost:3000") && !policy.is_allowed("http://localhost:3001"));
    }

    #[test]
    fn origin_of_url_ends_before_its_path() {
        for (address, origin) in [
            ("http://a.example:8080/x?y", "http://a.example:8080"),
            ("https://a.example", "https://a.example"),
            ("http://a?x", "http://a"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(origin_of_url(address), origin);
        }
    }
}
