//! Clusters: groups of services.

mod operations;

pub use operations::*;

use crate::{Service, errors};
use nephos_cloud::{Addressed, Direction, Stored, StoredResource, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Value};

/// Cluster of requests that name none.
pub(crate) const DEFAULT: &str = "default";

/// Setting of a cluster.
#[derive(Record)]
#[record(case = "camel")]
pub struct ClusterSetting {
    /// Name: `containerInsights`.
    name: Option<Text>,
    /// Value.
    value: Option<Text>,
}

/// A cluster: a group of services.
#[derive(Resource)]
#[resource(
    case = "camel", arn("clusterArn", "cluster/{clusterName}"), name = "clusterName", pk = "clusterName",
    exists_if = "clusterArn", tags = "tags", not_found = |_| errors::cluster_not_found()
)]
pub struct Cluster {
    /// Name of the cluster, unique within account and Region; `default` if it is not given.
    #[field(fixed)]
    pub(crate) cluster_name: Option<Text>,
    /// ARN of the cluster.
    #[field(service_set)]
    pub(crate) cluster_arn: Option<Text>,
    /// Status: `ACTIVE`.
    #[field(service_set)]
    status: Option<Text>,
    /// Number of container instances; there are none.
    #[field(service_set)]
    registered_container_instances_count: Option<i64>,
    /// Number of running tasks; there are none.
    #[field(service_set)]
    running_tasks_count: Option<i64>,
    /// Number of tasks that start; there are none.
    #[field(service_set)]
    pending_tasks_count: Option<i64>,
    /// Number of services.
    #[field(service_set)]
    active_services_count: Option<i64>,
    /// Settings.
    #[field(fixed)]
    settings: Option<Vec<ClusterSetting>>,
    /// Names of capacity providers.
    #[field(fixed)]
    capacity_providers: Option<Vec<Text>>,
    /// Capacity providers of services without their own, and their shares.
    #[field(fixed)]
    default_capacity_provider_strategy: Option<Vec<Value>>,
    /// Encryption, and the log of commands that are run in containers.
    #[field(fixed)]
    configuration: Option<Value>,
    /// Namespace of services without their own.
    #[field(fixed)]
    service_connect_defaults: Option<Value>,
    /// Tags.
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    Cluster in "ecs/cluster" by cluster_name;
    arn cluster_arn
}

/// Name of the cluster that a request names, by name or ARN; the default cluster if it names none.
pub(crate) fn name_of(given: Option<&str>) -> &str {
    let given = given.unwrap_or(DEFAULT);
    Cluster::read_arn(given).and_then(|names| names.first().copied()).unwrap_or(given)
}

/// Finds the cluster that a request names, or refuses.
pub(crate) fn require(cx: &Tx<'_>, given: Option<&str>) -> Result<Cluster> {
    Cluster::require(cx, given.unwrap_or(DEFAULT), "cluster").map_err(|error| error.with_field("cluster"))
}

impl Cluster {
    /// Sets the number of services.
    fn with_counts(mut self, cx: &Tx<'_>) -> Result<Self> {
        let services = cx.all::<Service>(&Service::table(cx.scope()).text(self.own_name()))?;
        let active = services.iter().filter(|service| service.is_active()).map(|_| 1).sum();
        self.active_services_count = Some(active);
        for count in [
            &mut self.registered_container_instances_count,
            &mut self.running_tasks_count,
            &mut self.pending_tasks_count,
        ] {
            *count = Some(0);
        }
        Ok(self)
    }

    /// True if a service of the cluster is there, also one that is being deleted.
    fn has_services(&self, cx: &Tx<'_>) -> Result<bool> {
        let range = Service::table(cx.scope()).text(self.own_name()).prefix_range();
        Ok(cx.first::<Service>(&range, Direction::Ascending)?.is_some())
    }
}
