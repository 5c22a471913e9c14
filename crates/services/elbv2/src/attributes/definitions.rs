//! The attributes that there are, with their allowed values and defaults.

use super::Attributed;
use crate::{
    Listener, LoadBalancer, LoadBalancerScheme, LoadBalancerType, TargetGroup, TargetType, errors,
    protocol::Protocol, validation::unfit,
};
use MayBe::{Any, Bool, Cookie, Growing, Number, NumberOr, OneOf, Only};
use nephos_cloud::{ByArn, Tx};
use nephos_core::{Map, Result, Text};

/// An attribute that a resource can have.
pub(super) struct Known {
    pub(super) key: &'static str,
    may_be: MayBe,
    /// The default value.
    pub(super) usual: &'static str,
}

/// The allowed values of an attribute.
#[derive(Clone, Copy)]
enum MayBe {
    /// True or false.
    Bool,
    /// Only this.
    Only(&'static str),
    /// One of these.
    OneOf(&'static [&'static str]),
    /// A number within bounds.
    Number(i64, i64),
    /// The same, or a word instead.
    NumberOr(i64, i64, &'static str),
    /// A number within bounds that does not become smaller.
    Growing(i64, i64),
    /// Any text.
    Any,
    /// The name of a cookie.
    Cookie,
}

const fn known(key: &'static str, may_be: MayBe, usual: &'static str) -> Known {
    Known { key, may_be, usual }
}

/// Reserved prefix of the names of cookies.
const RESERVED_COOKIE_PREFIX: &str = "AWSALB";

impl Known {
    /// Refuses a value that the attribute cannot have.
    pub(super) fn check(&self, value: &str, before: Option<&Text>) -> Result<()> {
        let number = value.parse::<i64>().ok().filter(|number| number.to_string() == value);
        let within = |least: i64, most: i64| number.is_some_and(|number| (least..=most).contains(&number));
        let (fits, wanted) = match self.may_be {
            Bool => (["true", "false"].contains(&value), "true or false".to_owned()),
            Only(only) => (value == only, format!("{only}, which cannot be changed")),
            OneOf(values) => (values.contains(&value), format!("one of {}", values.join(", "))),
            Number(least, most) => (within(least, most), format!("a number from {least} to {most}")),
            NumberOr(least, most, word) => {
                (value == word || within(least, most), format!("{word} or a number from {least} to {most}"))
            }
            Growing(least, most) => {
                let least = before.and_then(|before| before.parse().ok()).unwrap_or(least);
                (within(least, most), format!("a number from {least} to {most}: it cannot be decreased"))
            }
            Any => return Ok(()),
            Cookie => (
                !value.starts_with(RESERVED_COOKIE_PREFIX),
                format!("a name that does not begin with {RESERVED_COOKIE_PREFIX}"),
            ),
        };
        if fits {
            return Ok(());
        }
        let why = format!("{} is {wanted}, not {value:?}", self.key);
        Err(errors::INVALID.with_message(why))
    }
}

/// Refuses attributes that do not go together.
pub(super) fn check_together(all: &[Known], set: &Map<Text>) -> Result<()> {
    let value = |key: &str| {
        let usual = all.iter().find(|known| known.key == key).map(|known| known.usual);
        set.get(key).map(Text::as_str).or(usual).unwrap_or_default()
    };
    for logs in ["access_logs", "connection_logs", "health_check_logs"] {
        let bucket = format!("{logs}.s3.bucket");
        if value(&format!("{logs}.s3.enabled")) == "true" && value(&bucket).is_empty() {
            return Err(unfit("Attributes", format!("{bucket} is required for logs to be written")));
        }
    }
    let (deregistered, unhealthy) =
        (value("target_failover.on_deregistration"), value("target_failover.on_unhealthy"));
    if deregistered != unhealthy {
        let why = "target_failover.on_deregistration and target_failover.on_unhealthy are the same";
        return Err(unfit("Attributes", why));
    }
    if value("load_balancing.algorithm.anomaly_mitigation") == "on"
        && value("load_balancing.algorithm.type") != "weighted_random"
    {
        let why = "anomalies are mitigated only with load_balancing.algorithm.type weighted_random";
        return Err(unfit("Attributes", why));
    }
    let drained = value("target_health_state.unhealthy.draining_interval_seconds");
    let terminated = value("target_health_state.unhealthy.connection_termination.enabled");
    if !["", "0"].contains(&drained) && terminated == "true" {
        let why = "unhealthy targets are drained only where their connections are not terminated";
        return Err(unfit("Attributes", why));
    }
    Ok(())
}

/// Attributes of logs that go to a bucket.
macro_rules! logs {
    ($logs:literal) => {
        [
            known(concat!($logs, ".s3.enabled"), Bool, "false"),
            known(concat!($logs, ".s3.bucket"), Any, ""),
            known(concat!($logs, ".s3.prefix"), Any, ""),
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

impl Attributed for LoadBalancer {
    fn known(&self, _cx: &Tx<'_>) -> Result<Vec<Known>> {
        let of = self.own_type();
        let application = of == LoadBalancerType::Application;
        let cross_zone = if application { Only("true") } else { Bool };
        let mut all = vec![
            known(super::DELETION_PROTECTION, Bool, "false"),
            known(CROSS_ZONE, cross_zone, boolean(application)),
        ];
        if of == LoadBalancerType::Gateway {
            return Ok(all);
        }
        let internal = self.scheme == Some(LoadBalancerScheme::Internal);
        all.extend(logs!("access_logs"));
        all.extend([
            known("ipv6.deny_all_igw_traffic", Bool, boolean(internal)),
            known("zonal_shift.config.enabled", Bool, "false"),
        ]);
        if !application {
            all.extend([
                known("dns_record.client_routing_policy", OneOf(CLIENT_ROUTING), "any_availability_zone"),
                known("secondary_ips.auto_assigned.per_subnet", Growing(0, 7), "0"),
            ]);
            return Ok(all);
        }
        let xff_modes = OneOf(&["append", "preserve", "remove"]);
        all.extend([
            known("idle_timeout.timeout_seconds", Number(1, 4000), "60"),
            known("client_keep_alive.seconds", Number(60, 604_800), "3600"),
        ]);
        all.extend(logs!("connection_logs"));
        all.extend(logs!("health_check_logs"));
        all.extend([
            known("routing.http.desync_mitigation_mode", OneOf(DESYNC_MODES), "defensive"),
            known("routing.http.drop_invalid_header_fields.enabled", Bool, "false"),
            known("routing.http.preserve_host_header.enabled", Bool, "false"),
            known("routing.http.x_amzn_tls_version_and_cipher_suite.enabled", Bool, "false"),
            known("routing.http.xff_client_port.enabled", Bool, "false"),
            known("routing.http.xff_header_processing.mode", xff_modes, "append"),
            known("routing.http2.enabled", Bool, "true"),
            known("waf.fail_open.enabled", Bool, "false"),
        ]);
        Ok(all)
    }
}

const TERMINATION: &str = "target_health_state.unhealthy.connection_termination.enabled";
const FAILOVER: MayBe = OneOf(&["rebalance", "no_rebalance"]);
const PERCENTAGE: MayBe = NumberOr(1, 100, "off");
const ALGORITHMS: &[&str] = &["round_robin", "least_outstanding_requests", "weighted_random"];

/// The attributes of target groups that decide from how many healthy targets on the group counts as healthy.
const HEALTHY_TARGETS: [Known; 4] = [
    known("target_group_health.dns_failover.minimum_healthy_targets.count", NumberOr(1, 1000, "off"), "1"),
    known("target_group_health.dns_failover.minimum_healthy_targets.percentage", PERCENTAGE, "off"),
    known("target_group_health.unhealthy_state_routing.minimum_healthy_targets.count", Number(1, 1000), "1"),
    known(
        "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage",
        PERCENTAGE,
        "off",
    ),
];

impl Attributed for TargetGroup {
    fn known(&self, _cx: &Tx<'_>) -> Result<Vec<Known>> {
        let behind = self.protocol.as_ref().map_or(LoadBalancerType::Application, Protocol::balancer);
        let function = self.is_function();
        let mut all = Vec::new();
        if !function {
            all.push(known(super::DEREGISTRATION_DELAY, Number(0, 3600), "300"));
        }
        let sticky: &'static [&'static str] = match behind {
            LoadBalancerType::Network => &["source_ip"],
            LoadBalancerType::Gateway => &["source_ip_dest_ip", "source_ip_dest_ip_proto"],
            _ => &["lb_cookie", "app_cookie"],
        };
        all.extend([
            known("stickiness.enabled", Bool, "false"),
            known("stickiness.type", OneOf(sticky), sticky[0]),
        ]);
        if behind == LoadBalancerType::Gateway {
            all.extend([
                known("target_failover.on_deregistration", FAILOVER, "no_rebalance"),
                known("target_failover.on_unhealthy", FAILOVER, "no_rebalance"),
                known("send_tcp_reset.on_unhealthy.enabled", Bool, "false"),
                known("send_tcp_reset.on_deregistration.enabled", Bool, "false"),
            ]);
            return Ok(all);
        }
        let as_balancer = "use_load_balancer_configuration";
        all.push(known(
            CROSS_ZONE,
            OneOf(&["true", "false", "use_load_balancer_configuration"]),
            as_balancer,
        ));
        all.extend(HEALTHY_TARGETS);
        if function {
            all.push(known("lambda.multi_value_headers.enabled", Bool, "false"));
        } else if behind == LoadBalancerType::Application {
            all.extend([
                known("load_balancing.algorithm.type", OneOf(ALGORITHMS), "round_robin"),
                known("load_balancing.algorithm.anomaly_mitigation", OneOf(&["on", "off"]), "off"),
                known("slow_start.duration_seconds", NumberOr(30, 900, "0"), "0"),
                known("stickiness.app_cookie.cookie_name", Cookie, ""),
                known("stickiness.app_cookie.duration_seconds", Number(1, 604_800), "86400"),
                known("stickiness.lb_cookie.duration_seconds", Number(1, 604_800), "86400"),
            ]);
        } else {
            all.extend(self.known_behind_network());
        }
        Ok(all)
    }
}

impl TargetGroup {
    fn known_behind_network(&self) -> [Known; 5] {
        let by_datagram = matches!(self.protocol, Some(Protocol::Udp | Protocol::TcpUdp));
        let by_address = self.target_type == Some(TargetType::Ip)
            && matches!(self.protocol, Some(Protocol::Tcp | Protocol::Tls));
        let unless_datagram = |value| if by_datagram { Only(value) } else { Bool };
        [
            known("deregistration_delay.connection_termination.enabled", Bool, boolean(by_datagram)),
            known("preserve_client_ip.enabled", unless_datagram("true"), boolean(!by_address)),
            known("proxy_protocol_v2.enabled", Bool, "false"),
            known(TERMINATION, unless_datagram("false"), boolean(!by_datagram)),
            known(super::UNHEALTHY_DRAINING, Number(0, 360_000), "0"),
        ]
    }
}

/// Headers of requests about a client's certificate and connection, which can be renamed.
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

/// Headers that a listener can add to responses.
const RESPONSE_HEADERS: [(&str, MayBe); 10] = [
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

impl Attributed for Listener {
    fn known(&self, cx: &Tx<'_>) -> Result<Vec<Known>> {
        let balancer = LoadBalancer::require(cx, self.balancer_arn(), Self::arn_field())?;
        let idle = known("tcp.idle_timeout.seconds", Number(60, 6000), "350");
        Ok(match balancer.own_type() {
            LoadBalancerType::Gateway => {
                vec![idle, known("send_tcp_reset.on_idle_timeout.enabled", Bool, "false")]
            }
            LoadBalancerType::Network if self.protocol == Some(Protocol::Tcp) => vec![idle],
            LoadBalancerType::Network => Vec::new(),
            _ => {
                let mut all = Vec::new();
                if self.protocol == Some(Protocol::Https) {
                    all.extend(REQUEST_HEADERS.map(|(key, header)| known(key, Any, header)));
                }
                all.push(known("routing.http.response.server.enabled", Bool, "true"));
                all.extend(RESPONSE_HEADERS.map(|(key, may_be)| known(key, may_be, "")));
                all
            }
        })
    }
}
