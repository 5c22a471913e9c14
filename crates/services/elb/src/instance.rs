//! Instances that are registered with load balancers, and their health.

mod control;
pub(crate) mod registration;

pub use control::{Health, SetInstanceHealth};

use crate::{ClassicELB, ClassicELBManager, errors, limits::MAX_INSTANCES, load_balancer::require};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Record, Result, Text, operation};
use registration::{HealthContext, RegistrationRow};

/// An instance.
#[derive(Record)]
pub struct Instance {
    /// ID of the instance.
    pub(crate) instance_id: Option<Text>,
}

impl<T: Into<Text>> From<T> for Instance {
    fn from(id: T) -> Self {
        Self { instance_id: Some(id.into()) }
    }
}

impl Instance {
    /// ID of the instance.
    pub(crate) fn id(&self) -> &str {
        self.instance_id.as_deref().unwrap_or_default()
    }
}

/// State of an instance of a load balancer.
#[derive(Record)]
pub struct InstanceState {
    /// ID of the instance.
    instance_id: Option<Text>,
    /// State: InService, OutOfService or Unknown.
    state: Option<Text>,
    /// Cause of the state: ELB, Instance or N/A.
    reason_code: Option<Text>,
    /// Description of the cause.
    description: Option<Text>,
}

impl ClassicELB {
    /// True if the instance is registered.
    fn has_instance(&self, id: &str) -> bool {
        self.instances.iter().flatten().any(|instance| instance.id() == id)
    }
}

/// Registers instances with a load balancer. One that is registered is not an error.
#[operation(
    of = ClassicELB, call = "register_instances", on_model(instances), needs(load_balancer_name, instances),
    wraps(instances: Vec<Instance>), effect = write
)]
pub struct RegisterInstancesWithLoadBalancer {}

impl Handler for RegisterInstancesWithLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        if self.instances.is_empty() {
            return Err(errors::instances_missing().with_field("Instances"));
        }
        let mut new = Vec::new();
        for (n, instance) in self.instances.into_iter().enumerate() {
            let id = instance.id();
            let refuse = |error: nephos_core::Error| error.with_field(format!("Instances[{n}].InstanceId"));
            let found = nephos_ec2::instance(cx, id)?;
            let found = found.filter(|found| found.state_text() != "terminated");
            let found = found.ok_or_else(|| refuse(errors::instance_not_found(id)))?;
            if found.vpc_id() != balancer.vpc_id.as_deref() {
                return Err(refuse(errors::instance_in_other_vpc(id)));
            }
            if !balancer.has_instance(id) {
                new.push(RegistrationRow::new(&balancer, id, cx.now()));
                balancer.instances.get_or_insert_default().push(instance);
            }
        }
        if balancer.instances.as_ref().is_some_and(|all| all.len() > MAX_INSTANCES) {
            return Err(errors::too_many_instances(MAX_INSTANCES).with_field("Instances"));
        }
        new.into_iter().try_for_each(|row| cx.put(row))?;
        let registered = balancer.instances.clone().unwrap_or_default();
        cx.put(balancer)?;
        Ok(registered.into())
    }
}

/// Deregisters instances. With connection draining, they finish their requests first.
#[operation(
    of = ClassicELB, call = "deregister_instances", on_model(instances), needs(load_balancer_name, instances),
    wraps(instances: Vec<Instance>), effect = write
)]
pub struct DeregisterInstancesFromLoadBalancer {}

impl Handler for DeregisterInstancesFromLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let mut rows = Vec::new();
        for (n, instance) in self.instances.iter().enumerate() {
            let Some(mut row) = RegistrationRow::find(cx, balancer.own_name(), instance.id())? else {
                let error = errors::instance_not_found(instance.id());
                return Err(error.with_field(format!("Instances[{n}].InstanceId")));
            };
            if row.deregistered.is_none() {
                row.deregistered = Some(cx.now());
                rows.push(row);
            }
        }
        let left = balancer.instances.get_or_insert_default();
        left.retain(|instance| !self.instances.iter().any(|given| given.id() == instance.id()));
        let left = left.clone();
        rows.into_iter().try_for_each(|row| cx.put(row))?;
        cx.put(balancer)?;
        Ok(left.into())
    }
}

/// Describes the states of the registered instances, in order of registration, or those of the given instances.
#[operation(
    of = ClassicELB, call = "instance_health", on_model, needs(load_balancer_name), takes(instances),
    wraps(instance_states: Vec<InstanceState>), effect = read, subject = "*"
)]
pub struct DescribeInstanceHealth {}

impl Handler for DescribeInstanceHealth {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let balancer = require(cx, &self.load_balancer_name)?;
        let context = HealthContext::new(cx, &balancer);
        let rows = match self.instances.as_deref().unwrap_or_default() {
            [] => context.shown_rows(cx)?,
            given => {
                let find = |(n, instance): (usize, &Instance)| {
                    RegistrationRow::find(cx, balancer.own_name(), instance.id())?.ok_or_else(|| {
                        let error = errors::instance_not_found(instance.id());
                        error.with_field(format!("Instances[{n}].InstanceId"))
                    })
                };
                given.iter().enumerate().map(find).collect::<Result<_>>()?
            }
        };
        rows.iter().map(|row| context.describe(cx, row)).collect::<Result<Vec<_>>>().map(Into::into)
    }
}
