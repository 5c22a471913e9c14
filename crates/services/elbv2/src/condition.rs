//! Conditions: which requests a rule is for.

mod check;

pub(super) use check::normalize_conditions;

use nephos_core::{Record, Text, choices};

/// Hosts that requests are for.
#[derive(Record)]
pub struct HostHeaderConfig {
    /// Hosts, with `*` and `?` for any characters; letter case does not matter.
    #[field(each(length(1..=128)))]
    pub(super) values: Option<Vec<Text>>,
    /// Expressions that hosts match.
    #[field(each(length(1..=128)))]
    pub(super) regex_values: Option<Vec<Text>>,
}

/// Paths that requests are for.
#[derive(Record)]
pub struct PathPatternConfig {
    /// Paths, with `*` and `?` for any characters; letter case matters.
    #[field(each(length(1..=128)))]
    pub(super) values: Option<Vec<Text>>,
    /// Expressions that paths match.
    #[field(each(length(1..=128)))]
    pub(super) regex_values: Option<Vec<Text>>,
}

/// A header that requests have.
#[derive(Record)]
pub struct HttpHeaderConfig {
    /// Its name.
    #[field(length(1..=40), pattern = "[!#$%&'*+.^_`|~0-9A-Za-z-]+")]
    pub(super) http_header_name: Option<Text>,
    /// What it says, with `*` and `?` for any characters.
    #[field(each(length(1..=128)))]
    pub(super) values: Option<Vec<Text>>,
    /// Expressions that it matches.
    #[field(each(length(1..=128)))]
    pub(super) regex_values: Option<Vec<Text>>,
}

/// A pair, or a value of any key, in the query of a request.
#[derive(Record)]
pub struct QueryStringKeyValuePair {
    /// The key; any key if absent.
    #[field(length(1..=128))]
    pub(super) key: Option<Text>,
    /// The value.
    #[field(required, length(1..=128))]
    pub(super) value: Option<Text>,
}

/// What the query of a request has.
#[derive(Record)]
pub struct QueryStringConfig {
    /// One of these.
    pub(super) values: Option<Vec<QueryStringKeyValuePair>>,
}

/// How requests are made.
#[derive(Record)]
pub struct HttpRequestMethodConfig {
    /// Methods.
    #[field(each(length(1..=40), pattern = "[A-Z_-]+"))]
    pub(super) values: Option<Vec<Text>>,
}

choices! {
    /// Which addresses are meant.
    pub enum SourceIpAddressType {
        /// IPv4.
        Ipv4 = "ipv4",
        /// IPv6.
        Ipv6 = "ipv6",
    }
}

/// Where requests come from.
#[derive(Record)]
pub struct SourceIpConfig {
    /// Blocks of addresses: `10.0.0.0/8`.
    #[field(length(..=5))]
    pub(super) values: Option<Vec<Text>>,
    /// Which addresses are meant.
    ip_address_type: Option<SourceIpAddressType>,
}

/// Which requests a rule is for.
#[derive(Record)]
#[record(name = "RuleCondition")]
pub struct Condition {
    /// What is looked at.
    #[field(
        length(..=64),
        one_of("http-header", "http-request-method", "host-header", "path-pattern", "query-string", "source-ip")
    )]
    pub(super) field: Option<Text>,
    /// What is wanted, for hosts and paths.
    #[field(each(length(1..=128)))]
    pub(super) values: Option<Vec<Text>>,
    /// Hosts.
    pub(super) host_header_config: Option<HostHeaderConfig>,
    /// Paths.
    pub(super) path_pattern_config: Option<PathPatternConfig>,
    /// A header.
    pub(super) http_header_config: Option<HttpHeaderConfig>,
    /// Queries.
    pub(super) query_string_config: Option<QueryStringConfig>,
    /// Methods.
    pub(super) http_request_method_config: Option<HttpRequestMethodConfig>,
    /// Addresses.
    pub(super) source_ip_config: Option<SourceIpConfig>,
    /// Expressions, for headers, hosts and paths.
    #[field(each(length(1..=128)))]
    pub(super) regex_values: Option<Vec<Text>>,
}
