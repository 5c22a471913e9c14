//! Which attributes there are, what they may be, and what they usually are.

use super::unfit;
use crate::{
    Listener, LoadBalancer, LoadBalancerScheme, LoadBalancerType, TargetGroup, TargetType, protocol::Protocol,
};
use nephos_core::{Error, ErrorKind, Map, Result, Text};

/// An attribute that a resource can have.
pub(super) struct Known {
    pub(super) key: &'static str,
    may_be: MayBe,
    /// What it is unless it is set.
    pub(super) usual: Text,
}

/// What an attribute may be.
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
    Text,
    /// The name of a cookie.
    Cookie,
}

fn known(key: &'static str, may_be: MayBe, usual: impl Into<Text>) -> Known {
    Known { key, may_be, usual: usual.into() }
}

/// What cookies of applications must not begin with.
const RESERVED_COOKIES: &str = "AWSALB";

impl Known {
    /// Refuses a value that the attribute cannot have.
    pub(super) fn check(&self, value: &str, before: Option<&Text>) -> Result<()> {
        let number = value.parse::<i64>().ok().filter(|number| number.to_string() == value);
        let within = |least: i64, most: i64| number.is_some_and(|number| (least..=most).contains(&number));
        let (fits, wanted) = match self.may_be {
            MayBe::Bool => (["true", "false"].contains(&value), "true or false".to_owned()),
            MayBe::Only(only) => (value == only, format!("{only}, which cannot be changed")),
            MayBe::OneOf(values) => (values.contains(&value), format!("one of {}", values.join(", "))),
            MayBe::Number(least, most) => (within(least, most), format!("a number from {least} to {most}")),
            MayBe::NumberOr(least, most, word) => {
                (value == word || within(least, most), format!("{word} or a number from {least} to {most}"))
            }
            MayBe::Growing(least, most) => {
                let least = before.and_then(|before| before.parse().ok()).unwrap_or(least);
                (within(least, most), format!("a number from {least} to {most}: it cannot be decreased"))
            }
            MayBe::Text => return Ok(()),
            MayBe::Cookie => (
                !value.starts_with(RESERVED_COOKIES),
                format!("a name that does not begin with {RESERVED_COOKIES}"),
            ),
        };
        if fits {
            return Ok(());
        }
        let why = format!("{} is {wanted}, not {value:?}", self.key);
        Err(Error::new(ErrorKind::Invalid, why).with_code(&crate::errors::INVALID))
    }
}

/// Refuses attributes that do not go together.
pub(super) fn check_together(all: &[Known], set: &Map<Text>) -> Result<()> {
    let value = |key: &str| {
        let usual = all.iter().find(|known| known.key == key).map(|known| known.usual.as_str());
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

/// The attributes of a balancer.
pub(super) fn of_load_balancer(balancer: &LoadBalancer) -> Vec<Known> {
    use MayBe::{Bool, Growing, Number, OneOf, Only, Text};
    let kind = balancer.own_type();
    let application = kind == LoadBalancerType::Application;
    let mut all = vec![
        known(super::DELETION_PROTECTION, Bool, "false"),
        match application {
            true => known("load_balancing.cross_zone.enabled", Only("true"), "true"),
            false => known("load_balancing.cross_zone.enabled", Bool, "false"),
        },
    ];
    if kind == LoadBalancerType::Gateway {
        return all;
    }
    let internal = balancer.scheme == Some(LoadBalancerScheme::Internal);
    all.extend([
        known("access_logs.s3.enabled", Bool, "false"),
        known("access_logs.s3.bucket", Text, ""),
        known("access_logs.s3.prefix", Text, ""),
        known("ipv6.deny_all_igw_traffic", Bool, if internal { "true" } else { "false" }),
        known("zonal_shift.config.enabled", Bool, "false"),
    ]);
    if application {
        all.extend([
            known("idle_timeout.timeout_seconds", Number(1, 4000), "60"),
            known("client_keep_alive.seconds", Number(60, 604_800), "3600"),
            known("connection_logs.s3.enabled", Bool, "false"),
            known("connection_logs.s3.bucket", Text, ""),
            known("connection_logs.s3.prefix", Text, ""),
            known("health_check_logs.s3.enabled", Bool, "false"),
            known("health_check_logs.s3.bucket", Text, ""),
            known("health_check_logs.s3.prefix", Text, ""),
            known(
                "routing.http.desync_mitigation_mode",
                OneOf(&["monitor", "defensive", "strictest"]),
                "defensive",
            ),
            known("routing.http.drop_invalid_header_fields.enabled", Bool, "false"),
            known("routing.http.preserve_host_header.enabled", Bool, "false"),
            known("routing.http.x_amzn_tls_version_and_cipher_suite.enabled", Bool, "false"),
            known("routing.http.xff_client_port.enabled", Bool, "false"),
            known(
                "routing.http.xff_header_processing.mode",
                OneOf(&["append", "preserve", "remove"]),
                "append",
            ),
            known("routing.http2.enabled", Bool, "true"),
            known("waf.fail_open.enabled", Bool, "false"),
        ]);
    } else {
        all.extend([
            known(
                "dns_record.client_routing_policy",
                OneOf(&[
                    "availability_zone_affinity",
                    "partial_availability_zone_affinity",
                    "any_availability_zone",
                ]),
                "any_availability_zone",
            ),
            known("secondary_ips.auto_assigned.per_subnet", Growing(0, 7), "0"),
        ]);
    }
    all
}

/// The attributes of a target group.
pub(super) fn of_target_group(group: &TargetGroup) -> Vec<Known> {
    use MayBe::{Bool, Cookie, Number, NumberOr, OneOf, Only};
    let protocol = group.protocol.as_ref();
    let behind = protocol.map_or(LoadBalancerType::Application, Protocol::balancer);
    let function = group.is_function();
    let mut all = Vec::new();
    if !function {
        all.push(known(super::DEREGISTRATION_DELAY, Number(0, 3600), "300"));
    }
    let sticky: &[&str] = match behind {
        LoadBalancerType::Network => &["source_ip"],
        LoadBalancerType::Gateway => &["source_ip_dest_ip", "source_ip_dest_ip_proto"],
        _ => &["lb_cookie", "app_cookie"],
    };
    all.extend([
        known("stickiness.enabled", Bool, "false"),
        known("stickiness.type", OneOf(sticky), sticky[0]),
    ]);
    if behind == LoadBalancerType::Gateway {
        let either = OneOf(&["rebalance", "no_rebalance"]);
        all.extend([
            known("target_failover.on_deregistration", either, "no_rebalance"),
            known("target_failover.on_unhealthy", either, "no_rebalance"),
            known("send_tcp_reset.on_unhealthy.enabled", Bool, "false"),
            known("send_tcp_reset.on_deregistration.enabled", Bool, "false"),
        ]);
        return all;
    }
    all.extend([
        known(
            "load_balancing.cross_zone.enabled",
            OneOf(&["true", "false", "use_load_balancer_configuration"]),
            "use_load_balancer_configuration",
        ),
        known(
            "target_group_health.dns_failover.minimum_healthy_targets.count",
            NumberOr(1, 1000, "off"),
            "1",
        ),
        known(
            "target_group_health.dns_failover.minimum_healthy_targets.percentage",
            NumberOr(1, 100, "off"),
            "off",
        ),
        known(
            "target_group_health.unhealthy_state_routing.minimum_healthy_targets.count",
            Number(1, 1000),
            "1",
        ),
        known(
            "target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage",
            NumberOr(1, 100, "off"),
            "off",
        ),
    ]);
    if function {
        all.push(known("lambda.multi_value_headers.enabled", Bool, "false"));
        return all;
    }
    if behind == LoadBalancerType::Application {
        all.extend([
            known(
                "load_balancing.algorithm.type",
                OneOf(&["round_robin", "least_outstanding_requests", "weighted_random"]),
                "round_robin",
            ),
            known("load_balancing.algorithm.anomaly_mitigation", OneOf(&["on", "off"]), "off"),
            known("slow_start.duration_seconds", NumberOr(30, 900, "0"), "0"),
            known("stickiness.app_cookie.cookie_name", Cookie, ""),
            known("stickiness.app_cookie.duration_seconds", Number(1, 604_800), "86400"),
            known("stickiness.lb_cookie.duration_seconds", Number(1, 604_800), "86400"),
        ]);
        return all;
    }
    let by_datagram = matches!(protocol, Some(Protocol::Udp | Protocol::TcpUdp));
    let by_address =
        group.target_type == Some(TargetType::Ip) && matches!(protocol, Some(Protocol::Tcp | Protocol::Tls));
    all.extend([
        known(
            "deregistration_delay.connection_termination.enabled",
            Bool,
            if by_datagram { "true" } else { "false" },
        ),
        match by_datagram {
            true => known("preserve_client_ip.enabled", Only("true"), "true"),
            false => known("preserve_client_ip.enabled", Bool, if by_address { "false" } else { "true" }),
        },
        known("proxy_protocol_v2.enabled", Bool, "false"),
        match by_datagram {
            true => known(TERMINATION, Only("false"), "false"),
            false => known(TERMINATION, Bool, "true"),
        },
        known(super::UNHEALTHY_DRAINING, Number(0, 360_000), "0"),
    ]);
    all
}

const TERMINATION: &str = "target_health_state.unhealthy.connection_termination.enabled";

/// The headers of requests that tell of a client's certificate and connection, which can be renamed.
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

/// The headers of answers that a listener can add.
const ANSWER_HEADERS: [&str; 8] = [
    "routing.http.response.strict_transport_security.header_value",
    "routing.http.response.access_control_allow_origin.header_value",
    "routing.http.response.access_control_allow_methods.header_value",
    "routing.http.response.access_control_allow_headers.header_value",
    "routing.http.response.access_control_expose_headers.header_value",
    "routing.http.response.access_control_max_age.header_value",
    "routing.http.response.content_security_policy.header_value",
    "routing.http.response.x_frame_options.header_value",
];

/// The attributes of a listener.
pub(super) fn of_listener(balancer: &LoadBalancer, listener: &Listener) -> Vec<Known> {
    use MayBe::{Bool, Number, OneOf, Text};
    let idle = || known("tcp.idle_timeout.seconds", Number(60, 6000), "350");
    match balancer.own_type() {
        LoadBalancerType::Gateway => {
            vec![idle(), known("send_tcp_reset.on_idle_timeout.enabled", Bool, "false")]
        }
        LoadBalancerType::Network if listener.protocol == Some(Protocol::Tcp) => vec![idle()],
        LoadBalancerType::Network => Vec::new(),
        _ => {
            let mut all = Vec::new();
            if listener.protocol == Some(Protocol::Https) {
                all.extend(REQUEST_HEADERS.map(|(key, header)| known(key, Text, header)));
            }
            all.push(known("routing.http.response.server.enabled", Bool, "true"));
            all.extend(ANSWER_HEADERS.map(|key| known(key, Text, "")));
            all.extend([
                known(
                    "routing.http.response.access_control_allow_credentials.header_value",
                    OneOf(&["", "true"]),
                    "",
                ),
                known(
                    "routing.http.response.x_content_type_options.header_value",
                    OneOf(&["", "nosniff"]),
                    "",
                ),
            ]);
            all
        }
    }
}
