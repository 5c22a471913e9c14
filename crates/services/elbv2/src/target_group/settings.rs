//! Defaults and validation of target groups.

use super::{ResponseCodeMatcher, TargetGroup, TargetGroupIpAddressType, TargetType};
use crate::{
    LoadBalancerType, network,
    protocol::Protocol,
    validation::{invalid, invalid_configuration, refuse_fields},
};
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
            let network = ["Protocol", "Port", "VpcId", "ProtocolVersion", "TargetControlPort"];
            self.refuse_for_function(&network)?;
        } else {
            self.check_network(cx, &target_type)?;
        }
        self.check_version()?;
        self.fill_health_check();
        self.check_health_check()?;
        Ok(self)
    }

    /// Refuses fields that a target group of type function cannot have.
    fn refuse_for_function(&self, fields: &[&'static str]) -> Result<()> {
        refuse_fields(self, fields, |field| {
            invalid(field, "is not allowed for target groups of type function")
        })
    }

    fn check_network(&self, cx: &Tx<'_>, target_type: &TargetType) -> Result<()> {
        let needed = |field| invalid(field, "is required unless the target type is function");
        let protocol = self.protocol.as_ref().ok_or_else(|| needed("Protocol"))?;
        let port = self.port.ok_or_else(|| needed("Port"))?;
        let vpc = self.vpc_id.as_deref().ok_or_else(|| needed("VpcId"))?;
        if network::vpc_cidr_blocks(cx, vpc)?.is_none() {
            return Err(invalid("VpcId", format!("VPC {vpc} does not exist")));
        }
        if *protocol == Protocol::Geneve && port != GENEVE_PORT {
            return Err(invalid("Port", format!("must be {GENEVE_PORT} for protocol GENEVE, got {port}")));
        }
        if *target_type == TargetType::Alb && !matches!(protocol, Protocol::Tcp | Protocol::Tls) {
            let message = format!("must be TCP or TLS for target type alb, got {}", protocol.name());
            return Err(invalid("Protocol", message));
        }
        if self.target_control_port.is_some() && !protocol.is_http() {
            return Err(invalid("TargetControlPort", "is only allowed for protocols HTTP and HTTPS"));
        }
        Ok(())
    }

    fn check_version(&mut self) -> Result<()> {
        let is_http = self.protocol.as_ref().is_some_and(Protocol::is_http);
        if is_http {
            self.protocol_version.get_or_insert("HTTP1".into());
            return Ok(());
        }
        refuse_fields(self, &["ProtocolVersion"], |field| {
            invalid(field, "is only allowed for protocols HTTP and HTTPS")
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
            self.refuse_for_function(&["HealthCheckProtocol", "HealthCheckPort"])?;
        } else if self.health_check_enabled == Some(false) {
            return Err(invalid("HealthCheckEnabled", "can only be false for target type function"));
        }
        let protocol = self.health_check_protocol.as_ref();
        if let Some(protocol) = protocol.filter(|protocol| !protocol.is_http() && **protocol != Protocol::Tcp)
        {
            let message = format!("must be HTTP, HTTPS or TCP, got {}", protocol.name());
            return Err(invalid("HealthCheckProtocol", message));
        }
        let by_request = self.balancer_type() == LoadBalancerType::Application
            || self.target_type == Some(TargetType::Alb);
        if by_request && protocol == Some(&Protocol::Tcp) {
            let message = "must be HTTP or HTTPS for this target group, got TCP";
            return Err(invalid_configuration("HealthCheckProtocol", message));
        }
        self.check_port()?;
        let (interval, timeout) = (self.health_check_interval_seconds, self.health_check_timeout_seconds);
        // TCP health checks may have both at 10 seconds, as network load balancers once required.
        let equal = self.has_http_health_check() && timeout.is_some() && timeout == interval;
        if timeout > interval || equal {
            let message = "Health check interval must be greater than the timeout.";
            return Err(invalid("HealthCheckTimeoutSeconds", message));
        }
        if !function && !self.has_http_health_check() {
            let refusal =
                |field| invalid_configuration(field, "is only allowed for HTTP and HTTPS health checks");
            refuse_fields(self, &["HealthCheckPath", "Matcher"], refusal)?;
        }
        if let Some(path) = self.health_check_path.as_deref().filter(|path| !path.starts_with('/')) {
            return Err(invalid("HealthCheckPath", format!("{path:?} must begin with /")));
        }
        self.matcher.as_ref().map_or(Ok(()), |matcher| self.check_matcher(matcher))
    }

    fn check_port(&self) -> Result<()> {
        let Some(port) = self.health_check_port.as_deref().filter(|port| *port != "traffic-port") else {
            return Ok(());
        };
        match port.parse::<u16>() {
            Ok(1..) => Ok(()),
            _ => Err(invalid(
                "HealthCheckPort",
                format!("{port} must be a number from 1 to 65535 or traffic-port"),
            )),
        }
    }

    fn check_matcher(&self, matcher: &ResponseCodeMatcher) -> Result<()> {
        let (codes, field, min, max) = match (&matcher.http_code, &matcher.grpc_code, self.is_grpc()) {
            (None, Some(codes), true) => (codes, "GrpcCode", 0, 99),
            (Some(codes), None, false) => {
                let max = match self.balancer_type() {
                    LoadBalancerType::Network => 599,
                    LoadBalancerType::Gateway => 399,
                    _ => 499,
                };
                (codes, "HttpCode", 200, max)
            }
            (_, _, true) => {
                return Err(invalid("Matcher", "must have only GrpcCode for protocol version GRPC"));
            }
            _ => {
                let message = "must have only HttpCode unless the protocol version is GRPC";
                return Err(invalid("Matcher", message));
            }
        };
        for part in codes.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse::<i64>().ok().filter(|code| (min..=max).contains(code));
            let bounds = number(first).zip(number(last)).filter(|(first, last)| first <= last);
            if bounds.is_none() {
                let message = format!("{part} must be a code or range within {min} to {max}");
                return Err(invalid(&format!("Matcher.{field}"), message));
            }
        }
        Ok(())
    }
}
