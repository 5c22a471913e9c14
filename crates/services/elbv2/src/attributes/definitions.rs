//! Definitions of attributes: keys, allowed values and defaults.

use super::HasAttributes;
use crate::{
    Listener, LoadBalancer, LoadBalancerScheme, LoadBalancerType, Protocol, TargetGroup, TargetType, errors,
    validation::wire_name,
};
use AllowedValues::{Any, Bool, Cookie, Growing, NoStickiness, Number, NumberOr, OneOf, Only, Stickiness};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Error, Map, Result, Text};

/// Definition of an attribute.
pub(super) struct AttributeDefinition {
    pub(super) key: &'static str,
    allowed: AllowedValues,
    /// Default value.
    pub(super) default: &'static str,
}

/// Allowed values of an attribute.
#[derive(Clone, Copy)]
enum AllowedValues {
    /// `true` or `false`.
    Bool,
    /// Only this value.
    Only(&'static str),
    /// One of these values.
    OneOf(&'static [&'static str]),
    /// A number from a minimum to a maximum.
    Number(i64, i64),
    /// A number from a minimum to a maximum, or this word.
    NumberOr(i64, i64, &'static str),
    /// A number from a minimum to a maximum that cannot be decreased.
    Growing(i64, i64),
    /// Any text.
    Any,
    /// Name of a cookie.
    Cookie,
    /// One of these types of stickiness, for target groups of this protocol.
    Stickiness(&'static [&'static str], &'static str),
    /// `false`: target groups of protocol TLS do not support stickiness.
    NoStickiness,
}

/// Types of stickiness of all protocols.
const STICKINESS_TYPES: [&str; 5] =
    ["lb_cookie", "app_cookie", "source_ip", "source_ip_dest_ip", "source_ip_dest_ip_proto"];

const fn attribute(key: &'static str, allowed: AllowedValues, default: &'static str) -> AttributeDefinition {
    AttributeDefinition { key, allowed, default }
}

/// Reserved prefix of the names of cookies.
const RESERVED_COOKIE_PREFIX: &str = "AWSALB";

impl AttributeDefinition {
    /// Refuses a value that is not allowed; `before` is the current one.
    pub(super) fn check(&self, value: &str, before: Option<&Text>) -> Result<()> {
        let key = self.key;
        let number = value.parse::<i64>().ok().filter(|number| number.to_string() == value);
        let in_range = |min: i64, max: i64| number.is_some_and(|number| (min..=max).contains(&number));
        let not_one_of = |values: &[&str]| errors::attribute_not_one_of(key, value, values.join(", "));
        let (fits, error) = match self.allowed {
            Any => return Ok(()),
            Bool => (["true", "false"].contains(&value), not_one_of(&["true", "false"])),
            Only(only) => (value == only, errors::attribute_not_changeable(key, only)),
            OneOf(values) => (values.contains(&value), not_one_of(values)),
            Number(min, max) => (in_range(min, max), errors::attribute_not_in_range(key, value, min, max)),
            NumberOr(min, max, word) => {
                let error = errors::attribute_not_in_range(key, value, min, max);
                (value == word || in_range(min, max), error.with_hint(format!("or {word}")))
            }
            Growing(min, max) => {
                let min = before.and_then(|before| before.parse().ok()).unwrap_or(min);
                let error = errors::attribute_not_in_range(key, value, min, max);
                (in_range(min, max), error.with_hint("it cannot be decreased"))
            }
            Cookie => {
                let prefix = RESERVED_COOKIE_PREFIX;
                (!value.starts_with(prefix), errors::attribute_prefix_reserved(key, value, prefix))
            }
            Stickiness(types, protocol) => {
                let error = if STICKINESS_TYPES.contains(&value) {
                    errors::stickiness_type_unsupported(value, protocol)
                        .with_hint(format!("supported are {}", types.join(", ")))
                } else {
                    not_one_of(&STICKINESS_TYPES)
                };
                (types.contains(&value), error)
            }
            NoStickiness if value == "true" => (false, errors::stickiness_on_tls()),
            NoStickiness => (value == "false", not_one_of(&["true", "false"])),
        };
        if fits { Ok(()) } else { Err(error) }
    }
}

/// Refuses conflicting attributes.
pub(super) fn check_together(all: &[AttributeDefinition], set: &Map<Text>) -> Result<()> {
    let value = |key: &str| {
        let default =
            all.iter().find(|definition| definition.key == key).map(|definition| definition.default);
        set.get(key).map(Text::as_str).or(default).unwrap_or_default()
    };
    for logs in ["access_logs", "connection_logs", "health_check_logs"] {
        let bucket = format!("{logs}.s3.bucket");
        if value(&format!("{logs}.s3.enabled")) == "true" && value(&bucket).is_empty() {
            let error = errors::log_bucket_missing(&bucket, format!("{logs}.s3.enabled"));
            return Err(error.with_field("Attributes"));
        }
    }
    let refuse = |error: Error| Err(error.with_field("Attributes"));
    if value("target_failover.on_deregistration") != value("target_failover.on_unhealthy") {
        return refuse(errors::failover_attributes_differ());
    }
    if value("load_balancing.algorithm.anomaly_mitigation") == "on"
        && value("load_balancing.algorithm.type") != "weighted_random"
    {
        return refuse(errors::anomaly_mitigation_algorithm());
    }
    let sticky = value(STICKINESS) == "true" && value("stickiness.type") == "app_cookie";
    if sticky && value("stickiness.app_cookie.cookie_name").is_empty() {
        return refuse(errors::stickiness_cookie_missing());
    }
    let drained = value("target_health_state.unhealthy.draining_interval_seconds");
    let terminated = value("target_health_state.unhealthy.connection_termination.enabled");
    if !["", "0"].contains(&drained) && terminated == "true" {
        return refuse(errors::draining_with_termination());
    }
    Ok(())
}

const STICKINESS: &str = "stickiness.enabled";

/// Declares the attributes of logs that are written to a bucket.
macro_rules! logs {
    ($logs:literal) => {
        [
            attribute(concat!($logs, ".s3.enabled"), Bool, "false"),
            attribute(concat!($logs, ".s3.bucket"), Any, ""),
            attribute(concat!($logs, ".s3.prefix"), Any, ""),
        ]
    };
}

const fn boolean(default: bool) -> &'static str {
    if default { "true" } else { "false" }
}

const CROSS_ZONE: &str = "load_balancing.cross_zone.enabled";
const DESYNC_MODES: &[&str] = &["monitor", "defensive", "strictest"];
const CLIENT_ROUTING: &[&str] =
    &["availability_zone_affinity", "partial_availability_zone_affinity", "any_availability_zone"];

impl HasAttributes for LoadBalancer {
    const NOUN: &'static str = "Load balancer";

    fn unknown_attribute(&self, cx: &Tx<'_>, key: &str) -> Result<Error> {
        let mut other = self.clone();
        for kind in [LoadBalancerType::Application, LoadBalancerType::Network, LoadBalancerType::Gateway] {
            other.r#type = Some(kind);
            if super::has_attribute(&other, cx, key)? {
                return Ok(errors::attribute_unsupported_for_type(key, wire_name(&self.own_type())));
            }
        }
        Ok(errors::attribute_not_recognized(Self::NOUN, key))
    }

    fn definitions(&self, _cx: &Tx<'_>) -> Result<Vec<AttributeDefinition>> {
        let balancer_type = self.own_type();
        let application = balancer_type == LoadBalancerType::Application;
        let cross_zone = if application { Only("true") } else { Bool };
        let mut all = vec![
            attribute(super::DELETION_PROTECTION, Bool, "false"),
            attribute(CROSS_ZONE, cross_zone, boolean(application)),
        ];
        if balancer_type == LoadBalancerType::Gateway {
            return Ok(all);
        }
        let internal = self.scheme == Some(LoadBalancerScheme::Internal);
        all.extend(logs!("access_logs"));
        all.extend([
            attribute("ipv6.deny_all_igw_traffic", Bool, boolean(internal)),
            attribute("zonal_shift.config.enabled", Bool, "false"),
        ]);
        if !application {
            all.extend([
                attribute("dns_record.client_routing_policy", OneOf(CLIENT_ROUTING), "any_availability_zone"),
                attribute("secondary_ips.auto_assigned.per_subnet", Growing(0, 7), "0"),
            ]);
            return Ok(all);
        }
        let xff_modes = OneOf(&["append", "preserve", "remove"]);
        all.extend([
            attribute("idle_timeout.timeout_seconds", Number(1, 4000), "60"),
            attribute("client_keep_alive.seconds", Number(60, 604_800), "3600"),
        ]);
        all.extend(logs!("connection_logs"));
        all.extend(logs!("health_check_logs"));
        all.extend([
            attribute("routing.http.desync_mitigation_mode", OneOf(DESYNC_MODES), "defensive"),
            attribute("routing.http.drop_invalid_header_fields.enabled", Bool, "false"),
            attribute("routing.http.preserve_host_header.enabled", Bool, "false"),
            attribute("routing.http.x_amzn_tls_version_and_cipher_suite.enabled", Bool, "false"),
            attribute("routing.http.xff_client_port.enabled", Bool, "false"),
            attribute("routing.http.xff_header_processing.mode", xff_modes, "append"),
            attribute("routing.http2.enabled", Bool, "true"),
            attribute("waf.fail_open.enabled", Bool, "false"),
        ]);
        Ok(all)
    }
}

const TERMINATION: &str = "target_health_state.unhealthy.connection_termination.enabled";
const FAILOVER: AllowedValues = OneOf(&["rebalance", "no_rebalance"]);
const PERCENTAGE: AllowedValues = NumberOr(1, 100, "off");
const ALGORITHMS: &[&str] = &["round_robin", "least_outstanding_requests", "weighted_random"];

/// Attributes of target groups: minimum numbers of healthy targets for the group to count as healthy.
const HEALTHY_TARGETS: [AttributeDefinition; 4] = [
    attribute(
        "target_group_health.dns_failover.minimum_healthy_targets.count",
        NumberOr(1, 1000, "off"),
        "1",
    ),
    attribute("target_group_health.dns_failover.minimum_healthy_targets.percentage", PERCENTAGE, "off"),
    attribute(
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count",
        Number(1, 1000),
        "1",
    ),
    attribute(
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage",
        PERCENTAGE,
        "off",
    ),
];

impl HasAttributes for TargetGroup {
    const NOUN: &'static str = "Target group";

    fn unknown_attribute(&self, cx: &Tx<'_>, key: &str) -> Result<Error> {
        let mut other = self.clone();
        other.target_type = Some(TargetType::Instance);
        if self.is_function() && super::has_attribute(&other, cx, key)? {
            return Ok(errors::function_attribute_unsupported(key));
        }
        Ok(errors::attribute_not_recognized(Self::NOUN, key))
    }

    fn definitions(&self, _cx: &Tx<'_>) -> Result<Vec<AttributeDefinition>> {
        let balancer_type =
            self.protocol.as_ref().map_or(LoadBalancerType::Application, Protocol::balancer_type);
        let function = self.is_function();
        let mut all = Vec::new();
        if !function {
            all.push(attribute(super::DEREGISTRATION_DELAY, Number(0, 3600), "300"));
        }
        let sticky: &'static [&'static str] = match balancer_type {
            LoadBalancerType::Network => &["source_ip"],
            LoadBalancerType::Gateway => &["source_ip_dest_ip", "source_ip_dest_ip_proto"],
            _ => &["lb_cookie", "app_cookie"],
        };
        let protocol = self.protocol.as_ref();
        let allowed = if protocol == Some(&Protocol::Tls) { NoStickiness } else { Bool };
        let types = protocol.map_or(OneOf(sticky), |protocol| Stickiness(sticky, protocol.static_name()));
        all.extend([attribute(STICKINESS, allowed, "false"), attribute("stickiness.type", types, sticky[0])]);
        if balancer_type == LoadBalancerType::Gateway {
            all.extend([
                attribute("target_failover.on_deregistration", FAILOVER, "no_rebalance"),
                attribute("target_failover.on_unhealthy", FAILOVER, "no_rebalance"),
                attribute("send_tcp_reset.on_unhealthy.enabled", Bool, "false"),
                attribute("send_tcp_reset.on_deregistration.enabled", Bool, "false"),
            ]);
            return Ok(all);
        }
        let as_balancer = "use_load_balancer_configuration";
        all.push(attribute(
            CROSS_ZONE,
            OneOf(&["true", "false", "use_load_balancer_configuration"]),
            as_balancer,
        ));
        all.extend(HEALTHY_TARGETS);
        if function {
            all.push(attribute("lambda.multi_value_headers.enabled", Bool, "false"));
        } else if balancer_type == LoadBalancerType::Application {
            all.extend([
                attribute("load_balancing.algorithm.type", OneOf(ALGORITHMS), "round_robin"),
                attribute("load_balancing.algorithm.anomaly_mitigation", OneOf(&["on", "off"]), "off"),
                attribute("slow_start.duration_seconds", NumberOr(30, 900, "0"), "0"),
                attribute("stickiness.app_cookie.cookie_name", Cookie, ""),
                attribute("stickiness.app_cookie.duration_seconds", Number(1, 604_800), "86400"),
                attribute("stickiness.lb_cookie.duration_seconds", Number(1, 604_800), "86400"),
            ]);
        } else {
            all.extend(self.network_definitions());
        }
        Ok(all)
    }
}

impl TargetGroup {
    fn network_definitions(&self) -> [AttributeDefinition; 5] {
        let by_datagram = matches!(self.protocol, Some(Protocol::Udp | Protocol::TcpUdp));
        let by_address = self.target_type == Some(TargetType::Ip)
            && matches!(self.protocol, Some(Protocol::Tcp | Protocol::Tls));
        let unless_datagram = |value| if by_datagram { Only(value) } else { Bool };
        [
            attribute("deregistration_delay.connection_termination.enabled", Bool, boolean(by_datagram)),
            attribute("preserve_client_ip.enabled", unless_datagram("true"), boolean(!by_address)),
            attribute("proxy_protocol_v2.enabled", Bool, "false"),
            attribute(TERMINATION, unless_datagram("false"), boolean(!by_datagram)),
            attribute(super::UNHEALTHY_DRAINING, Number(0, 360_000), "0"),
        ]
    }
}

/// Request headers about the certificate and connection of a client, which can be renamed.
const REQUEST_HEADERS: [(&str, &str); 8] = [
    (
        "routing.http.request.x_amzn_mtls_clientcert_serial_number.header_name",
        "X-Amzn-Mtls-Clientcert-Serial-Number",
    ),
    ("routing.http.request.x_amzn_mtls_clientcert_issuer.header_name", "X-Amzn-Mtls-Clientcert-Issuer"),
    ("routing.http.request.x_amzn_mtls_clientcert_subject.header_name", "X-Amzn-Mtls-Clientcert-Subject"),
    ("routing.http.request.x_amzn_mtls_clientcert_validity.header_name", "X-Amzn-Mtls-Clientcert-Validity"),
    ("routing.http.request.x_amzn_mtls_clientcert_leaf.header_name", "X-Amzn-Mtls-Clientcert-Leaf"),
    ("routing.http.request.x_amzn_mtls_clientcert.header_name", "X-Amzn-Mtls-Clientcert"),
    ("routing.http.request.x_amzn_tls_version.header_name", "X-Amzn-Tls-Version"),
    ("routing.http.request.x_amzn_tls_cipher_suite.header_name", "X-Amzn-Tls-Cipher-Suite"),
];

/// Response headers that a listener can add.
const RESPONSE_HEADERS: [(&str, AllowedValues); 10] = [
    ("routing.http.response.strict_transport_security.header_value", Any),
    ("routing.http.response.access_control_allow_origin.header_value", Any),
    ("routing.http.response.access_control_allow_methods.header_value", Any),
    ("routing.http.response.access_control_allow_headers.header_value", Any),
    ("routing.http.response.access_control_expose_headers.header_value", Any),
    ("routing.http.response.access_control_max_age.header_value", Any),
    ("routing.http.response.content_security_policy.header_value", Any),
    ("routing.http.response.x_frame_options.header_value", Any),
    ("routing.http.response.access_control_allow_credentials.header_value", OneOf(&["", "true"])),
    ("routing.http.response.x_content_type_options.header_value", OneOf(&["", "nosniff"])),
];

impl HasAttributes for Listener {
    const NOUN: &'static str = "Listener";

    fn definitions(&self, cx: &Tx<'_>) -> Result<Vec<AttributeDefinition>> {
        let balancer = LoadBalancer::require(cx, self.balancer_arn(), Self::arn_field())?;
        let idle = attribute("tcp.idle_timeout.seconds", Number(60, 6000), "350");
        Ok(match balancer.own_type() {
            LoadBalancerType::Gateway => {
                vec![idle, attribute("send_tcp_reset.on_idle_timeout.enabled", Bool, "false")]
            }
            LoadBalancerType::Network if self.protocol == Some(Protocol::Tcp) => vec![idle],
            LoadBalancerType::Network => Vec::new(),
            _ => {
                let mut all = Vec::new();
                if self.protocol == Some(Protocol::Https) {
                    all.extend(REQUEST_HEADERS.map(|(key, header)| attribute(key, Any, header)));
                }
                all.push(attribute("routing.http.response.server.enabled", Bool, "true"));
                all.extend(RESPONSE_HEADERS.map(|(key, allowed)| attribute(key, allowed, "")));
                all
            }
        })
    }
}
