//! Actions that redirect clients.

use crate::{Protocol, errors};
use nephos_core::{Error, Record, Result, Text, choices, nearest};

choices! {
    /// Status code of a redirect.
    pub enum RedirectStatusCode {
        /// Permanent redirect.
        Http301 = "HTTP_301",
        /// Temporary redirect.
        Http302 = "HTTP_302",
    }
}

/// A redirect to `protocol://host:port/path?query`. Absent parts are taken from the request. The placeholders `#{protocol}`,
/// `#{host}`, `#{port}`, `#{path}` (without its leading slash) and `#{query}` stand for parts of the request.
#[derive(Record)]
pub struct RedirectConfig {
    /// Protocol: HTTP, HTTPS or `#{protocol}`.
    #[field(one_of("HTTP", "HTTPS", "#{protocol}"))]
    pub protocol: Option<Text>,
    /// Port: 1 to 65535, or `#{port}`.
    #[field(pattern = r"[0-9]{1,5}|#\{port\}")]
    pub port: Option<Text>,
    /// Host.
    #[field(length(1..=128))]
    pub host: Option<Text>,
    /// Path, with a leading slash.
    #[field(length(1..=128), pattern = "/.*")]
    pub path: Option<Text>,
    /// Query string, without a leading question mark.
    #[field(length(..=128), pattern = r"([^?].*)?")]
    pub query: Option<Text>,
    /// Status code: permanent (HTTP_301) or temporary (HTTP_302).
    #[field(required)]
    pub status_code: Option<RedirectStatusCode>,
}

const SAME_PROTOCOL: &str = "#{protocol}";
const SAME_HOST: &str = "#{host}";
const SAME_PORT: &str = "#{port}";
const SAME_PATH: &str = "/#{path}";
const SAME_QUERY: &str = "#{query}";

/// Placeholders for parts of the request.
const PLACEHOLDERS: [&str; 5] = [SAME_PROTOCOL, SAME_HOST, SAME_PORT, "#{path}", SAME_QUERY];

impl RedirectConfig {
    /// Fills in defaults and validates the config; refuses a redirect loop of this listener.
    pub fn normalized(mut self, listener: &Protocol, listener_port: Option<i64>) -> Result<Self> {
        self.protocol.get_or_insert(SAME_PROTOCOL.into());
        self.host.get_or_insert(SAME_HOST.into());
        self.port.get_or_insert(SAME_PORT.into());
        self.path.get_or_insert(SAME_PATH.into());
        self.query.get_or_insert(SAME_QUERY.into());
        let part = |part: &Option<Text>| part.clone().unwrap_or_default();
        let (protocol, port) = (part(&self.protocol), part(&self.port));
        let (host, path) = (part(&self.host), part(&self.path));
        for (text, field) in [(&host, "Host"), (&path, "Path"), (&part(&self.query), "Query")] {
            check_placeholders(text, field).map_err(|error| error.with_field(field))?;
        }
        if port != SAME_PORT && !port.parse::<u16>().is_ok_and(|port| port > 0) {
            return Err(errors::redirect_port_invalid(SAME_PORT)
                .with_field("Port")
                .with_hint(format!("got {port}")));
        }
        if *listener == Protocol::Https && protocol == "HTTP" {
            return Err(errors::redirect_to_http().with_field("Protocol"));
        }
        let own_port = listener_port.map(|port| port.to_string()).unwrap_or_default();
        let changes = (protocol != SAME_PROTOCOL && protocol != listener.name())
            || host != SAME_HOST
            || (port != SAME_PORT && port != own_port)
            || path != SAME_PATH;
        if !changes {
            return Err(errors::redirect_loop().with_hint("change the protocol, host, port or path"));
        }
        Ok(self)
    }
}

/// Refuses unknown placeholders in a part of the URL.
fn check_placeholders(text: &str, part: &str) -> Result<()> {
    for (start, _) in text.match_indices("#{") {
        let rest = &text[start..];
        if !PLACEHOLDERS.iter().any(|placeholder| rest.starts_with(placeholder)) {
            let word = rest.split_inclusive('}').next().unwrap_or(rest);
            let hint = format!("got {word}; {}", nearest::hint(word, PLACEHOLDERS));
            return Err(unknown_placeholder(part).with_hint(hint));
        }
    }
    Ok(())
}

fn unknown_placeholder(part: &str) -> Error {
    let placeholders = PLACEHOLDERS.map(|placeholder| format!("'{placeholder}'")).join(", ");
    match part {
        "Path" => errors::redirect_path_invalid(placeholders),
        part => errors::redirect_part_invalid(part, placeholders),
    }
}
