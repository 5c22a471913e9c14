//! Defaults and validation of target groups.

use super::{ResponseCodeMatcher, TargetGroup, TargetGroupIpAddressType, TargetType};
use crate::{LoadBalancerType, Protocol, errors, network, validation::refuse_fields};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, field_value::FieldType};

/// Port of the GENEVE protocol.
const GENEVE_PORT: i64 = 6081;

impl TargetGroup {
    /// Fills in defaults and validates the settings.
    pub(super) fn normalized(mut self, cx: &Tx<'_>) -> Result<Self> {
        let target_type = self.target_type.get_or_insert(TargetType::Instance).clone();
        self.ip_address_type.get_or_insert(TargetGroupIpAddressType::Ipv4);
        if target_type == TargetType::Function {
            self.refuse_for_function(&[
                ("Protocol", "Protocol"),
                ("Port", "Port"),
                ("VpcId", "VPC ID"),
                ("ProtocolVersion", "Protocol version"),
                ("TargetControlPort", "Target control port"),
            ])?;
        } else {
            self.check_network(cx, &target_type)?;
        }
        self.check_version()?;
        self.fill_health_check();
        self.check_health_check()?;
        Ok(self)
    }

    /// Refuses fields that a target group of type function cannot have, each with its noun in errors.
    fn refuse_for_function(&self, fields: &[(&'static str, &str)]) -> Result<()> {
        fields.iter().try_for_each(|(field, what)| {
            refuse_fields(self, &[*field], |_| {
                errors::type_setting_unsupported(what, self.target_type_name())
            })
        })
    }

    fn check_network(&self, cx: &Tx<'_>, target_type: &TargetType) -> Result<()> {
        let needed = |what, field| errors::setting_missing(what).with_field(field);
        let protocol = self.protocol.as_ref().ok_or_else(|| needed("protocol", "Protocol"))?;
        let port = self.port.ok_or_else(|| needed("port", "Port"))?;
        let vpc = self.vpc_id.as_deref().ok_or_else(|| needed("VPC ID", "VpcId"))?;
        if network::vpc_cidr_blocks(cx, vpc)?.is_none() {
            return Err(errors::vpc_not_found(vpc).with_field("VpcId"));
        }
        if *protocol == Protocol::Geneve && port != GENEVE_PORT {
            return Err(errors::geneve_port(GENEVE_PORT).with_field("Port").with_hint(format!("got {port}")));
        }
        if *target_type == TargetType::Alb && !matches!(protocol, Protocol::Tcp | Protocol::Tls) {
            return Err(errors::type_protocol_unsupported(protocol.name(), self.target_type_name())
                .with_field("Protocol")
                .with_hint("expected TCP or TLS"));
        }
        if self.target_control_port.is_some() && !protocol.is_http() {
            return Err(errors::protocol_setting_unsupported("Target control port", protocol.name())
                .with_field("TargetControlPort"));
        }
        Ok(())
    }

    fn check_version(&mut self) -> Result<()> {
        let is_http = self.protocol.as_ref().is_some_and(Protocol::is_http);
        if is_http {
            self.protocol_version.get_or_insert("HTTP1".into());
            return Ok(());
        }
        refuse_fields(self, &["ProtocolVersion"], |_| {
            errors::protocol_setting_unsupported("Protocol version", self.protocol_name())
        })
    }

    fn is_grpc(&self) -> bool {
        self.protocol_version.as_deref() == Some("GRPC")
    }

    /// Returns the type of load balancer that can route to the target group.
    fn balancer_type(&self) -> LoadBalancerType {
        self.protocol.as_ref().map_or(LoadBalancerType::Application, Protocol::balancer_type)
    }

    /// True if health checks use HTTP or HTTPS.
    fn has_http_health_check(&self) -> bool {
        self.health_check_protocol.as_ref().is_some_and(Protocol::is_http)
    }

    /// Fills in defaults of health checks.
    fn fill_health_check(&mut self) {
        let function = self.is_function();
        let geneve = self.protocol == Some(Protocol::Geneve);
        let by_http = function
            || self.balancer_type() == LoadBalancerType::Application
            || self.target_type == Some(TargetType::Alb);
        let default_protocol = if by_http { Protocol::Http } else { Protocol::Tcp };
        self.health_check_enabled.get_or_insert(!function);
        if !function {
            self.health_check_protocol.get_or_insert(default_protocol);
            let port: Text = if geneve { "80".into() } else { "traffic-port".into() };
            self.health_check_port.get_or_insert(port);
        }
        let (interval, timeout) = match &self.protocol {
            None => (35, 30),
            Some(Protocol::Geneve) => (10, 5),
            Some(Protocol::Http) => (30, 6),
            Some(_) => (30, 10),
        };
        self.health_check_interval_seconds.get_or_insert(interval);
        self.health_check_timeout_seconds.get_or_insert(timeout);
        self.healthy_threshold_count.get_or_insert(5);
        self.unhealthy_threshold_count.get_or_insert(if function { 5 } else { 2 });
        if function || self.has_http_health_check() {
            let grpc = self.is_grpc();
            let path: Text = if grpc { "/AWS.ALB/healthcheck".into() } else { "/".into() };
            self.health_check_path.get_or_insert(path);
            let matcher = self.matcher.get_or_insert_with(ResponseCodeMatcher::blank);
            if matcher.http_code.is_none() && matcher.grpc_code.is_none() {
                match &self.protocol {
                    _ if grpc => matcher.grpc_code = Some("12".into()),
                    None | Some(Protocol::Http | Protocol::Https) => matcher.http_code = Some("200".into()),
                    Some(_) => matcher.http_code = Some("200-399".into()),
                }
            }
        }
    }

    /// Refuses health check settings that are invalid for the target group or conflict with each other.
    pub(super) fn check_health_check(&self) -> Result<()> {
        let function = self.is_function();
        if function {
            self.refuse_for_function(&[
                ("HealthCheckProtocol", "Health check protocol"),
                ("HealthCheckPort", "Health check port"),
            ])?;
        } else if self.health_check_enabled == Some(false) {
            return Err(
                errors::health_check_disabled(self.target_type_name()).with_field("HealthCheckEnabled")
            );
        }
        let protocol = self.health_check_protocol.as_ref();
        if let Some(protocol) = protocol.filter(|protocol| !protocol.is_http() && **protocol != Protocol::Tcp)
        {
            return Err(errors::health_check_protocol_unsupported(protocol.name(), "HTTP, HTTPS, TCP")
                .with_field("HealthCheckProtocol"));
        }
        let by_request = self.balancer_type() == LoadBalancerType::Application
            || self.target_type == Some(TargetType::Alb);
        if by_request && protocol == Some(&Protocol::Tcp) {
            return Err(errors::health_check_protocol_mismatch("TCP", self.protocol_name())
                .with_field("HealthCheckProtocol")
                .with_hint("expected HTTP or HTTPS"));
        }
        self.check_port()?;
        let (interval, timeout) = (self.health_check_interval_seconds, self.health_check_timeout_seconds);
        // TCP health checks may have both at 10 seconds, as network load balancers once required.
        let equal = self.has_http_health_check() && timeout.is_some() && timeout == interval;
        if timeout > interval || equal {
            return Err(errors::health_check_timeout_too_long().with_field("HealthCheckTimeoutSeconds"));
        }
        if !function && !self.has_http_health_check() {
            let refusal = errors::unsupported_for_tcp_checks;
            refuse_fields(self, &["HealthCheckPath"], |_| refusal("Health check paths"))?;
            refuse_fields(self, &["Matcher"], |_| refusal("Health check matchers"))?;
        }
        if let Some(path) = self.health_check_path.as_deref().filter(|path| !path.starts_with('/')) {
            return Err(errors::health_check_path_invalid(path).with_field("HealthCheckPath"));
        }
        self.matcher.as_ref().map_or(Ok(()), |matcher| self.check_matcher(matcher))
    }

    fn check_port(&self) -> Result<()> {
        let Some(port) = self.health_check_port.as_deref().filter(|port| *port != "traffic-port") else {
            return Ok(());
        };
        match port.parse::<u16>() {
            Ok(1..) => Ok(()),
            _ => Err(errors::health_check_port_invalid(port).with_field("HealthCheckPort")),
        }
    }

    fn check_matcher(&self, matcher: &ResponseCodeMatcher) -> Result<()> {
        let (http, grpc) = (("HTTP", matcher.http_code.as_deref()), ("gRPC", matcher.grpc_code.as_deref()));
        let ((kind, codes), (other, other_codes)) = if self.is_grpc() { (grpc, http) } else { (http, grpc) };
        let max = match self.balancer_type() {
            _ if self.is_grpc() => 99,
            LoadBalancerType::Network => 599,
            LoadBalancerType::Gateway => 399,
            _ => 499,
        };
        let (min, field) = if self.is_grpc() { (0, "GrpcCode") } else { (200, "HttpCode") };
        if other_codes.is_some() {
            return Err(errors::matcher_code_unsupported(other).with_field("Matcher"));
        }
        let Some(codes) = codes else {
            return Err(errors::matcher_code_missing(kind).with_field("Matcher"));
        };
        for part in codes.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse::<i64>().ok().filter(|code| (min..=max).contains(code));
            let bounds = number(first).zip(number(last)).filter(|(first, last)| first <= last);
            if bounds.is_none() {
                return Err(
                    errors::matcher_code_invalid(kind, part, min, max).with_field(format!("Matcher.{field}"))
                );
            }
        }
        Ok(())
    }
}
