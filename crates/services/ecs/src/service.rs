//! Services: a number of tasks of a task definition that are kept running. No task runs here.

mod calls;
mod operations;

pub use calls::*;
pub use operations::*;

use crate::{cluster, errors};
use nephos_cloud::{Addressed, Scope, StoredResource, Tx, own_arn};
use nephos_core::{Arn, Resource, Result, Slot, Tag, Text, Timestamp, Value, choices};

choices! {
    /// Capacity that tasks run on.
    #[derive(Eq)]
    pub enum LaunchType {
        /// Instances.
        Ec2 = "EC2",
        /// Capacity without instances.
        Fargate = "FARGATE",
        /// Machines elsewhere.
        External = "EXTERNAL",
        /// Instances that the provider manages.
        ManagedInstances = "MANAGED_INSTANCES",
    }
}

choices! {
    /// Number of tasks.
    #[derive(Eq)]
    pub enum SchedulingStrategy {
        /// As many as are desired.
        Replica = "REPLICA",
        /// One on each instance.
        Daemon = "DAEMON",
    }
}

/// A service: a number of tasks of a task definition that are kept running.
#[derive(Resource)]
#[resource(
    case = "camel", arn("serviceArn", "service/{clusterName}/{serviceName}"), name = "serviceName", pk = "serviceArn",
    exists_if = "serviceArn", tags = "tags", not_found = |_| errors::service_not_found()
)]
pub struct Service {
    /// ARN of the service.
    #[field(service_set)]
    pub(crate) service_arn: Option<Text>,
    /// Name of the service, unique in the cluster.
    #[field(required, fixed)]
    pub(crate) service_name: Option<Text>,
    /// Name of the cluster.
    #[field(service_set, not_on_wire)]
    pub(crate) cluster_name: Option<Text>,
    /// ARN of the cluster.
    #[field(service_set)]
    pub(crate) cluster_arn: Option<Text>,
    /// Status: `ACTIVE`, or `DRAINING` while it is being deleted.
    #[field(service_set)]
    pub(crate) status: Option<Text>,
    /// Number of tasks that should run.
    #[field(range(0..))]
    pub(crate) desired_count: Option<i64>,
    /// Number of tasks that run; none run here.
    #[field(service_set)]
    running_count: Option<i64>,
    /// Number of tasks that start.
    #[field(service_set)]
    pending_count: Option<i64>,
    /// Capacity that tasks run on.
    #[field(fixed)]
    launch_type: Option<LaunchType>,
    /// Version of the platform.
    platform_version: Option<Text>,
    /// ARN of the task definition; on creation also family, or family and revision.
    pub(crate) task_definition: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    created_at: Option<Timestamp>,
    /// Seconds in which failed health checks do not count.
    health_check_grace_period_seconds: Option<i64>,
    /// Number of tasks: as desired, or one on each instance.
    #[field(fixed)]
    scheduling_strategy: Option<SchedulingStrategy>,
    /// Target groups and classic load balancers that tasks are registered with.
    load_balancers: Option<Vec<Value>>,
    /// Registries of service discovery.
    service_registries: Option<Vec<Value>>,
    /// Capacity providers and their shares.
    capacity_provider_strategy: Option<Vec<Value>>,
    /// Numbers of tasks during a deployment.
    deployment_configuration: Option<Value>,
    /// Rules for the choice of an instance.
    placement_constraints: Option<Vec<Value>>,
    /// Order in which instances are chosen.
    placement_strategy: Option<Vec<Value>>,
    /// Subnets and security groups of tasks.
    network_configuration: Option<Value>,
    /// System that deploys the service: `ECS`, `CODE_DEPLOY` or `EXTERNAL`.
    deployment_controller: Option<Value>,
    /// True if tasks get the tags of cluster and service.
    #[field(name = "enableECSManagedTags")]
    enable_ecs_managed_tags: Option<bool>,
    /// Origin of the tags of tasks: `SERVICE`, `TASK_DEFINITION` or `NONE`.
    propagate_tags: Option<Text>,
    /// True if commands can be run in containers.
    enable_execute_command: Option<bool>,
    /// Tasks are moved between Availability Zones: `ENABLED` or `DISABLED`.
    availability_zone_rebalancing: Option<Text>,
    /// ARN of the caller that created it.
    #[field(service_set)]
    created_by: Option<Text>,
    /// Tags.
    #[field(not_in_list)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    Service in "ecs/service" by cluster_name, service_name;
    derived(service_arn, cluster_arn) => set_arns;
    states("status": "DRAINING" => removed 60)
}

impl Service {
    fn set_arns(&mut self, scope: &Scope) {
        self.service_arn = own_arn(self, scope);
        let cluster = self.cluster_name.as_deref().unwrap_or_default();
        self.cluster_arn = Some(scope.arn("ecs", &["cluster/", cluster]).into());
    }

    pub(crate) fn is_active(&self) -> bool {
        self.status.as_deref() == Some("ACTIVE")
    }
}

/// Name of a service that is given by name or ARN.
fn name_of(given: &str) -> &str {
    given.parse::<Arn>().map_or(given, |_| given.rsplit_once('/').map_or(given, |(_, name)| name))
}

/// Finds a service of a cluster by name or ARN.
fn find(cx: &Tx<'_>, cluster: Option<&str>, given: &str) -> Result<Option<Service>> {
    Service::find_by(cx, &[cluster::name_of(cluster), name_of(given)])
}

/// Finds a service of a cluster by name or ARN, or refuses.
fn require(cx: &Tx<'_>, cluster: Option<&str>, given: &str) -> Result<Service> {
    let cluster = cluster::require(cx, cluster)?;
    let missing = || errors::service_not_found().with_field("service");
    find(cx, Some(cluster.own_name()), given)?.ok_or_else(missing)
}
