//! Health checks of the instances of a load balancer.

use super::{ClassicELB, ClassicELBManager, require};
use crate::{errors, instance::registration};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Error, Record, Result, Text, operation};

/// Health check of the instances of a load balancer.
#[derive(Record)]
#[record(check = HealthCheck::check)]
pub struct HealthCheck {
    /// Target: `TCP:port`, `SSL:port`, `HTTP:port/path` or `HTTPS:port/path`.
    #[field(required)]
    pub(crate) target: Option<Text>,
    /// Seconds between two checks of an instance.
    #[field(required, range(5..=300))]
    pub(crate) interval: Option<i64>,
    /// Seconds without a response after which a check fails.
    #[field(required, range(2..=60))]
    pub(crate) timeout: Option<i64>,
    /// Number of failed checks in a row after which an instance is out of service.
    #[field(required, range(2..=10))]
    pub(crate) unhealthy_threshold: Option<i64>,
    /// Number of passed checks in a row after which an instance is in service.
    #[field(required, range(2..=10))]
    pub(crate) healthy_threshold: Option<i64>,
}

impl HealthCheck {
    /// The health check of a new load balancer: a connection to the port of its first listener.
    pub(crate) fn of_port(port: i64) -> Self {
        Self {
            target: Some(format!("TCP:{port}").into()),
            interval: Some(30),
            timeout: Some(5),
            unhealthy_threshold: Some(2),
            healthy_threshold: Some(10),
        }
    }

    /// Refuses a malformed target, and a timeout that is not less than the interval.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(target) = &self.target {
            check_target(target).map_err(|error| error.with_field("Target"))?;
        }
        match (self.timeout, self.interval) {
            (Some(timeout), Some(interval)) if timeout >= interval => {
                Err(errors::timeout_too_long().with_field("Timeout"))
            }
            _ => Ok(()),
        }
    }
}

fn check_target(target: &str) -> Result<()> {
    let (scheme, rest) = target.split_once(':').unwrap_or((target, ""));
    let scheme = scheme.to_ascii_uppercase();
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let has_path = match scheme.as_str() {
        "HTTP" | "HTTPS" => true,
        "TCP" | "SSL" => false,
        _ => return Err(errors::target_scheme()),
    };
    let (port, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    match (has_path, path.is_empty()) {
        (true, true) => Err(errors::target_path(scheme)),
        (false, false) => Err(errors::target_without_path(scheme)),
        _ if !is_port(port) => Err(errors::target_port()),
        _ => Ok(()),
    }
}

/// Replaces the health check of the instances of a load balancer.
#[operation(
    of = ClassicELB, call = "configure_health_check", on_model(health_check), needs(load_balancer_name, health_check),
    wraps(health_check: HealthCheck), effect = write
)]
pub struct ConfigureHealthCheck {}

impl Handler for ConfigureHealthCheck {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let in_field = |error: Error| error.in_field("HealthCheck");
        self.health_check.check().map_err(in_field)?;
        registration::record_states(cx, &balancer)?;
        balancer.health_check = Some(self.health_check.clone());
        cx.put(balancer)?;
        Ok(self.health_check.into())
    }
}
