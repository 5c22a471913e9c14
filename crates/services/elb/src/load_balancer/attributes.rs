//! Attributes of load balancers: cross-zone load balancing, access log, connection draining, timeouts.

use super::{ClassicELB, ClassicELBManager, require};
use crate::errors;
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{
    ManagerOperation, Map, Record, Result, Text, WorkflowContext, field_value::FieldType, nearest, operation,
};

/// Default timeout of connection draining in seconds.
const DEFAULT_DRAINING_TIMEOUT: i64 = 300;

/// Default idle timeout of connections in seconds.
const DEFAULT_IDLE_TIMEOUT: i64 = 60;

/// Default interval of access logs in minutes.
const DEFAULT_EMIT_INTERVAL: i64 = 60;

/// The additional attribute: the handling of requests that may be an attack, with its values. The second one is the default.
const DESYNC_MITIGATION: &str = "elb.http.desyncmitigationmode";
const DESYNC_MODES: [&str; 3] = ["monitor", "defensive", "strictest"];

/// Distribution of requests over the instances of all zones.
#[derive(Record)]
pub struct CrossZoneLoadBalancing {
    /// True if it is enabled.
    #[field(required)]
    enabled: Option<bool>,
}

/// Access log of a load balancer. No requests are emulated, so that nothing is written to it.
#[derive(Record)]
pub struct AccessLog {
    /// True if the log is written.
    #[field(required)]
    enabled: Option<bool>,
    /// Bucket of the log.
    #[field(wire = "S3BucketName")]
    storage_bucket_name: Option<Text>,
    /// Interval in minutes: 5 or 60.
    emit_interval: Option<i64>,
    /// Prefix of the names of objects.
    #[field(wire = "S3BucketPrefix")]
    storage_bucket_prefix: Option<Text>,
}

/// Connection draining: instances that are deregistered finish their requests.
#[derive(Record)]
pub struct ConnectionDraining {
    /// True if it is enabled.
    #[field(required)]
    enabled: Option<bool>,
    /// Maximum time in seconds; 300 by default.
    timeout: Option<i64>,
}

impl ConnectionDraining {
    /// Returns the time in seconds that a deregistered instance has for its requests.
    pub(crate) fn seconds(&self) -> i64 {
        match self.enabled {
            Some(true) => self.timeout.unwrap_or(DEFAULT_DRAINING_TIMEOUT),
            _ => 0,
        }
    }
}

/// Timeout of connections.
#[derive(Record)]
pub struct ConnectionSettings {
    /// Time in seconds without data after which a connection is closed.
    #[field(required, range(1..=3600))]
    idle_timeout: Option<i64>,
}

/// An attribute with a name.
#[derive(Record)]
pub struct AdditionalAttribute {
    /// Name.
    #[field(length(..=256), pattern = "[a-zA-Z0-9.]+")]
    key: Option<Text>,
    /// Value.
    #[field(length(..=256), pattern = "[a-zA-Z0-9.]+")]
    value: Option<Text>,
}

/// Attributes of a load balancer.
#[derive(Record)]
pub struct LoadBalancerAttributes {
    /// Distribution of requests over the instances of all zones.
    cross_zone_load_balancing: Option<CrossZoneLoadBalancing>,
    /// Access log.
    access_log: Option<AccessLog>,
    /// Connection draining.
    connection_draining: Option<ConnectionDraining>,
    /// Timeout of connections.
    connection_settings: Option<ConnectionSettings>,
    /// Further attributes.
    #[field(length(..=10))]
    additional_attributes: Option<Vec<AdditionalAttribute>>,
}

impl LoadBalancerAttributes {
    /// Attributes of a new load balancer.
    pub(crate) fn defaults() -> Self {
        let mode =
            AdditionalAttribute { key: Some(DESYNC_MITIGATION.into()), value: Some(DESYNC_MODES[1].into()) };
        Self {
            cross_zone_load_balancing: Some(CrossZoneLoadBalancing { enabled: Some(false) }),
            access_log: Some(AccessLog {
                enabled: Some(false),
                storage_bucket_name: None,
                emit_interval: None,
                storage_bucket_prefix: None,
            }),
            connection_draining: Some(ConnectionDraining {
                enabled: Some(false),
                timeout: Some(DEFAULT_DRAINING_TIMEOUT),
            }),
            connection_settings: Some(ConnectionSettings { idle_timeout: Some(DEFAULT_IDLE_TIMEOUT) }),
            additional_attributes: Some(vec![mode]),
        }
    }

    /// Returns the attributes that `model` has values for.
    pub(crate) fn of_model(model: &ClassicELB) -> Self {
        let pairs = model.additional_attributes.as_ref().map(|attributes| attributes.iter());
        let pair = |(key, value): (&Text, &Text)| AdditionalAttribute {
            key: Some(key.clone()),
            value: Some(value.clone()),
        };
        Self {
            cross_zone_load_balancing: model
                .cross_zone_load_balancing
                .map(|enabled| CrossZoneLoadBalancing { enabled: Some(enabled) }),
            access_log: model.access_log.clone(),
            connection_draining: model.connection_draining.clone(),
            connection_settings: model.connection_settings.clone(),
            additional_attributes: pairs.map(|pairs| pairs.map(pair).collect()),
        }
    }

    /// True if no attribute has a value.
    pub(crate) fn is_empty(&self) -> bool {
        self == &Self::blank()
    }

    /// Sets the attributes that have values in `model`.
    pub(crate) fn put_into(self, model: &mut ClassicELB) {
        if let Some(setting) = self.cross_zone_load_balancing {
            model.cross_zone_load_balancing = setting.enabled;
        }
        model.access_log = self.access_log.or(model.access_log.take());
        model.connection_draining = self.connection_draining.or(model.connection_draining.take());
        model.connection_settings = self.connection_settings.or(model.connection_settings.take());
        if let Some(attributes) = self.additional_attributes {
            let pairs = attributes.into_iter().filter_map(|attribute| attribute.key.zip(attribute.value));
            model.additional_attributes.get_or_insert_with(Map::default).extend(pairs);
        }
    }

    /// Validates the attributes, and completes them by defaults.
    fn completed(mut self) -> Result<Self> {
        if let Some(log) = &mut self.access_log {
            if !matches!(log.emit_interval, None | Some(5 | 60)) {
                return Err(errors::emit_interval_invalid().with_field("AccessLog.EmitInterval"));
            }
            if log.enabled == Some(true) {
                if log.storage_bucket_name.is_none() {
                    return Err(errors::bucket_missing().with_field("AccessLog.StorageBucketName"));
                }
                log.emit_interval.get_or_insert(DEFAULT_EMIT_INTERVAL);
            }
        }
        if let Some(draining) = &mut self.connection_draining {
            let timeout = *draining.timeout.get_or_insert(DEFAULT_DRAINING_TIMEOUT);
            if !(1..=3600).contains(&timeout) {
                return Err(errors::draining_timeout_invalid().with_field("ConnectionDraining.Timeout"));
            }
        }
        for attribute in self.additional_attributes.iter().flatten() {
            let (key, value) = (
                attribute.key.as_deref().unwrap_or_default(),
                attribute.value.as_deref().unwrap_or_default(),
            );
            let field = "AdditionalAttributes";
            if key != DESYNC_MITIGATION {
                let hint = nearest::hint(key, [DESYNC_MITIGATION]);
                return Err(errors::additional_attribute_unknown(key).with_field(field).with_hint(hint));
            }
            if !DESYNC_MODES.contains(&value) {
                let hint = nearest::hint(value, DESYNC_MODES);
                let error = errors::additional_attribute_invalid(key, value);
                return Err(error.with_field(field).with_hint(hint));
            }
        }
        Ok(self)
    }
}

/// Describes the attributes of a load balancer.
#[operation(
    of = ClassicELB, call = "describe_attributes", on_model, needs(load_balancer_name),
    wraps(load_balancer_attributes: LoadBalancerAttributes), effect = read, subject = "*"
)]
pub struct DescribeLoadBalancerAttributes {}

impl Handler for DescribeLoadBalancerAttributes {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(LoadBalancerAttributes::of_model(&require(cx, &self.load_balancer_name)?).into())
    }
}

/// Changes attributes of a load balancer. What is not given stays.
#[operation(
    of = ClassicELB, call = "modify_attributes", on_model(load_balancer_attributes), needs(load_balancer_name),
    effect = write, output = ModifyLoadBalancerAttributesOutput
)]
pub struct ModifyLoadBalancerAttributes {
    /// Attributes to change.
    pub load_balancer_attributes: LoadBalancerAttributes,
}

/// Changed attributes of a load balancer.
#[derive(Record)]
#[record(answer)]
pub struct ModifyLoadBalancerAttributesOutput {
    /// Name of the load balancer.
    load_balancer_name: Option<Text>,
    /// Attributes that were changed.
    load_balancer_attributes: Option<LoadBalancerAttributes>,
}

impl Handler for ModifyLoadBalancerAttributes {
    fn run(self, cx: &mut Tx<'_>) -> Result<ModifyLoadBalancerAttributesOutput> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let attributes = self.load_balancer_attributes.completed();
        let attributes = attributes.map_err(|error| error.in_field("LoadBalancerAttributes"))?;
        attributes.clone().put_into(&mut balancer);
        cx.put(balancer)?;
        Ok(ModifyLoadBalancerAttributesOutput {
            load_balancer_name: Some(self.load_balancer_name),
            load_balancer_attributes: Some(attributes),
        })
    }
}

/// Sends the attributes that a model has values for.
#[operation(kind = ClassicELB, call = "update_attributes", effect = write, output = ())]
pub struct ClassicELBUpdateAttributes {
    /// The load balancer.
    #[field(model, name = "model")]
    pub model: ClassicELB,
}

impl ManagerOperation for ClassicELBUpdateAttributes {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let attributes = LoadBalancerAttributes::of_model(&self.model);
        context.call(ModifyLoadBalancerAttributes::new(self.model.own_name(), attributes)).await?;
        Ok(())
    }
}
