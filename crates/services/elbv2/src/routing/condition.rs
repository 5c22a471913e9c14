//! Conditions: the requests that a rule matches.

mod check;

pub(crate) use check::normalize_conditions;

use nephos_core::{Record, Text, choices};

/// A condition on the host header.
#[derive(Record)]
pub struct HostHeaderConfig {
    /// Host names, with the wildcards `*` and `?`; not case-sensitive.
    #[field(each(length(1..=128)))]
    pub(crate) values: Option<Vec<Text>>,
    /// Regular expressions for host names.
    #[field(each(length(1..=128)))]
    pub(crate) regex_values: Option<Vec<Text>>,
}

/// A condition on the path.
#[derive(Record)]
pub struct PathPatternConfig {
    /// Paths, with the wildcards `*` and `?`; case-sensitive.
    #[field(each(length(1..=128)))]
    pub(crate) values: Option<Vec<Text>>,
    /// Regular expressions for paths.
    #[field(each(length(1..=128)))]
    pub(crate) regex_values: Option<Vec<Text>>,
}

/// A condition on an HTTP header.
#[derive(Record)]
pub struct HttpHeaderConfig {
    /// Name of the header.
    #[field(length(1..=40), pattern = "[!#$%&'*+.^_`|~0-9A-Za-z-]+")]
    pub(crate) http_header_name: Option<Text>,
    /// Values of the header, with the wildcards `*` and `?`.
    #[field(each(length(1..=128)))]
    pub(crate) values: Option<Vec<Text>>,
    /// Regular expressions for values of the header.
    #[field(each(length(1..=128)))]
    pub(crate) regex_values: Option<Vec<Text>>,
}

/// A key and value of the query string, or a value of any key.
#[derive(Record)]
pub struct QueryStringKeyValuePair {
    /// Key; any key if absent.
    #[field(length(1..=128))]
    pub(crate) key: Option<Text>,
    /// Value.
    #[field(required, length(1..=128))]
    pub(crate) value: Option<Text>,
}

/// A condition on the query string.
#[derive(Record)]
pub struct QueryStringConfig {
    /// Keys and values, one of which must match.
    pub(crate) values: Option<Vec<QueryStringKeyValuePair>>,
}

/// A condition on the HTTP request method.
#[derive(Record)]
pub struct HttpRequestMethodConfig {
    /// HTTP methods.
    #[field(each(length(1..=40), pattern = "[A-Z_-]+"))]
    pub(crate) values: Option<Vec<Text>>,
}

choices! {
    /// Type of the source IP addresses.
    pub enum SourceIpAddressType {
        /// IPv4.
        Ipv4 = "ipv4",
        /// IPv6.
        Ipv6 = "ipv6",
    }
}

/// A condition on the source IP address.
#[derive(Record)]
pub struct SourceIpConfig {
    /// CIDR blocks: `10.0.0.0/8`.
    #[field(length(..=5))]
    pub(crate) values: Option<Vec<Text>>,
    /// Type of the source IP addresses.
    ip_address_type: Option<SourceIpAddressType>,
}

/// A condition: the requests that a rule matches.
#[derive(Record)]
#[record(name = "RuleCondition")]
pub struct Condition {
    /// Type of the condition: the part of the request that is compared.
    #[field(
        length(..=64),
        one_of("http-header", "http-request-method", "host-header", "path-pattern", "query-string", "source-ip")
    )]
    pub(crate) field: Option<Text>,
    /// Values, for `host-header` and `path-pattern`.
    #[field(each(length(1..=128)))]
    pub(crate) values: Option<Vec<Text>>,
    /// Config for `host-header`.
    pub(crate) host_header_config: Option<HostHeaderConfig>,
    /// Config for `path-pattern`.
    pub(crate) path_pattern_config: Option<PathPatternConfig>,
    /// Config for `http-header`.
    pub(crate) http_header_config: Option<HttpHeaderConfig>,
    /// Config for `query-string`.
    pub(crate) query_string_config: Option<QueryStringConfig>,
    /// Config for `http-request-method`.
    pub(crate) http_request_method_config: Option<HttpRequestMethodConfig>,
    /// Config for `source-ip`.
    pub(crate) source_ip_config: Option<SourceIpConfig>,
    /// Regular expressions, for `http-header`, `host-header` and `path-pattern`.
    #[field(each(length(1..=128)))]
    pub(crate) regex_values: Option<Vec<Text>>,
}
