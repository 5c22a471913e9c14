//! Cache clusters: nodes of one engine in the subnets of a group.

mod events;
pub(crate) mod log_delivery;
mod modify;
pub(crate) mod nodes;
mod operations;
mod pending;
mod relations;
pub(crate) mod settings;

pub use log_delivery::*;
pub use modify::*;
pub(crate) use nodes::domain;
pub use nodes::{CacheNode, Endpoint};
pub use operations::*;
pub(crate) use pending::{MaintenanceWork, PendingRow};
pub use pending::{PendingModifiedValues, ScaleConfig};
pub(crate) use settings::read_snapshot_window;

use crate::{CacheParameterGroup, CacheSubnetGroup, NetworkType, ReplicationGroup, errors};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
use nephos_ec2 as ec2;

choices! {
    /// Type of the addresses that clients discover nodes by.
    pub enum IpDiscovery {
        /// IPv4.
        Ipv4 = "ipv4",
        /// IPv6.
        Ipv6 = "ipv6",
    }
}

choices! {
    /// Use of encryption in transit while a cluster moves to it.
    pub enum TransitEncryptionMode {
        /// Encrypted and other connections are accepted.
        Preferred = "preferred",
        /// Only encrypted connections are accepted.
        Required = "required",
    }
}

/// The topic that is told about events of a cluster.
#[derive(Record)]
pub struct NotificationConfiguration {
    /// ARN of the topic.
    pub(crate) topic_arn: Option<Text>,
    /// Status: active or inactive.
    pub(crate) topic_status: Option<Text>,
}

/// A cache security group of a cluster. Accounts of today have none.
#[derive(Record)]
pub struct CacheSecurityGroupMembership {
    /// Name of the group.
    cache_security_group_name: Option<Text>,
    /// Status of the membership.
    status: Option<Text>,
}

/// The parameter group of a cluster.
#[derive(Record)]
pub struct CacheParameterGroupStatus {
    /// Name of the group.
    pub(crate) cache_parameter_group_name: Option<Text>,
    /// Status: in-sync, or pending-reboot if a node must be rebooted for a change.
    pub(crate) parameter_apply_status: Option<Text>,
    /// IDs of the nodes that must be rebooted.
    #[field(item = "CacheNodeId")]
    pub(crate) cache_node_ids_to_reboot: Option<Vec<Text>>,
}

impl CacheParameterGroupStatus {
    /// A group all of whose values are in effect.
    pub(crate) fn in_sync(name: Text) -> Self {
        Self {
            cache_parameter_group_name: Some(name),
            parameter_apply_status: Some("in-sync".into()),
            cache_node_ids_to_reboot: Some(Vec::new()),
        }
    }
}

/// A security group of a cluster.
#[derive(Record)]
pub struct SecurityGroupMembership {
    /// ID of the security group.
    pub(crate) security_group_id: Option<Text>,
    /// Status of the membership.
    pub(crate) status: Option<Text>,
}

/// A cache cluster.
#[derive(Resource)]
#[resource(
    arn("ARN", "cluster:{CacheClusterId}"),
    not_found = |id| errors::cluster_not_found(id),
    name = "CacheClusterId", pk = "ARN", exists_if = "ARN", tags = "Tags",
    relation(parameter_group, one = CacheParameterGroup, with = relations::find_parameter_group),
    relation(subnet_group, one = CacheSubnetGroup, with = relations::find_subnet_group),
    relation(vpc, one = ec2::Vpc, with = relations::find_vpc),
    relation(subnets, many = ec2::Subnet, with = relations::find_subnets),
    relation(vpc_security_groups, many = ec2::SecurityGroup, with = relations::find_security_groups),
    relation(replication_group, one = ReplicationGroup, with = relations::find_replication_group)
)]
pub struct CacheCluster {
    /// ID, unique within account and Region and kept in lower case: a letter, then letters, digits and single hyphens.
    #[field(fixed, length(1..))]
    pub(crate) cache_cluster_id: Option<Text>,
    /// Number of nodes: 1 for redis and valkey, up to 40 for memcached.
    #[field(default = 1)]
    pub(crate) num_cache_nodes: Option<i64>,
    /// Type of the nodes: `cache.t4g.micro`, for example.
    #[field(condition = "elasticache:CacheNodeType")]
    pub(crate) cache_node_type: Option<Text>,
    /// Engine: memcached, redis or valkey.
    #[field(condition = "elasticache:EngineType")]
    pub(crate) engine: Option<Text>,
    /// Version of the engine; the newest by default.
    #[field(condition = "elasticache:EngineVersion")]
    pub(crate) engine_version: Option<Text>,
    /// Endpoint by which clients of memcached find all nodes.
    #[field(service_set)]
    pub(crate) configuration_endpoint: Option<Endpoint>,
    /// Page with clients to download.
    #[field(service_set)]
    pub(crate) client_download_landing_page: Option<Text>,
    /// Status: creating, available, modifying, `rebooting cluster nodes`, snapshotting or deleting.
    #[field(service_set)]
    pub(crate) cache_cluster_status: Option<Text>,
    /// Zone of the nodes; `Multiple` if they are in several.
    #[field(fixed)]
    pub(crate) preferred_availability_zone: Option<Text>,
    /// ARN of the Outpost of the nodes. There are none, so every one is refused.
    #[field(fixed)]
    pub(crate) preferred_outpost_arn: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) cache_cluster_create_time: Option<Timestamp>,
    /// Window of the week in which changes are applied: `sun:23:00-mon:01:30` in UTC, at least an hour.
    pub(crate) preferred_maintenance_window: Option<Text>,
    /// Changes that are not applied yet.
    #[field(service_set)]
    pub(crate) pending_modified_values: Option<PendingModifiedValues>,
    /// Topic that is told about events.
    #[field(service_set)]
    pub(crate) notification_configuration: Option<NotificationConfiguration>,
    /// Cache security groups.
    #[field(service_set, item = "CacheSecurityGroup")]
    pub(crate) cache_security_groups: Option<Vec<CacheSecurityGroupMembership>>,
    /// Parameter group.
    #[field(service_set)]
    pub(crate) cache_parameter_group: Option<CacheParameterGroupStatus>,
    /// Name of the subnet group; `default` by default.
    #[field(fixed)]
    pub(crate) cache_subnet_group_name: Option<Text>,
    /// Nodes.
    #[field(service_set, item = "CacheNode")]
    pub(crate) cache_nodes: Option<Vec<CacheNode>>,
    /// True if new minor versions are installed in the maintenance window; true by default.
    pub(crate) auto_minor_version_upgrade: Option<bool>,
    /// Security groups.
    #[field(service_set)]
    pub(crate) security_groups: Option<Vec<SecurityGroupMembership>>,
    /// ID of the replication group.
    #[field(fixed)]
    pub(crate) replication_group_id: Option<Text>,
    /// Days that automatic snapshots are kept; 0 for none. For redis and valkey.
    #[field(range(0..=35), condition = "elasticache:SnapshotRetentionLimit")]
    pub(crate) snapshot_retention_limit: Option<i64>,
    /// Window of the day in which snapshots are taken: `05:30-06:30` in UTC, at least an hour. For redis and valkey.
    pub(crate) snapshot_window: Option<Text>,
    /// True if clients need a token.
    #[field(service_set)]
    pub(crate) auth_token_enabled: Option<bool>,
    /// Time of the last change of the token.
    #[field(service_set)]
    pub(crate) auth_token_last_modified_date: Option<Timestamp>,
    /// True if connections are encrypted.
    #[field(fixed)]
    pub(crate) transit_encryption_enabled: Option<bool>,
    /// True if data are encrypted at rest.
    #[field(service_set)]
    pub(crate) at_rest_encryption_enabled: Option<bool>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    pub(crate) arn: Option<Text>,
    /// True if the replication group of the cluster delivers logs.
    #[field(service_set)]
    pub(crate) replication_group_log_delivery_enabled: Option<bool>,
    /// Destinations of the logs.
    #[field(item = "LogDeliveryConfiguration")]
    pub(crate) log_delivery_configurations: Option<Vec<LogDeliveryConfiguration>>,
    /// Type of addresses; IPv4 by default.
    #[field(fixed)]
    pub(crate) network_type: Option<NetworkType>,
    /// Type of addresses that clients discover nodes by; IPv4 by default.
    pub(crate) ip_discovery: Option<IpDiscovery>,
    /// Use of encryption in transit.
    #[field(service_set)]
    pub(crate) transit_encryption_mode: Option<TransitEncryptionMode>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    CacheCluster in "elasticache/cluster" by cache_cluster_id;
    arn arn;
    states(
        "CacheClusterStatus":
        "creating" => "available" 300 then CacheCluster::finish_creation,
        "modifying" => "available" 120 then CacheCluster::apply_pending,
        "snapshotting" => "available" 60 then CacheCluster::finish_snapshot,
        "rebooting cluster nodes" => "available" 60 then CacheCluster::finish_reboot,
        "deleting" => removed 120 then CacheCluster::clean_up
    )
}

/// Finds the cluster with this ID, in any case, or refuses.
pub(crate) fn require(cx: &Tx<'_>, id: &str) -> Result<CacheCluster> {
    let id = crate::identifier::read(id, "CacheClusterId", nodes::MAX_ID_LENGTH)?;
    let found = CacheCluster::find_by(cx, &[&id])?;
    found.ok_or_else(|| errors::cluster_not_found(&id).with_field("CacheClusterId"))
}

impl CacheCluster {
    /// ID of the cluster.
    pub(crate) fn id(&self) -> &str {
        self.cache_cluster_id.as_deref().unwrap_or_default()
    }

    /// Status of the cluster.
    pub(crate) fn status(&self) -> &str {
        self.cache_cluster_status.as_deref().unwrap_or_default()
    }

    /// Refuses a change of a cluster that is not available.
    pub(crate) fn check_available(&self) -> Result<()> {
        match self.status() {
            "available" => Ok(()),
            _ => Err(errors::cluster_not_available(self.id())
                .with_field("CacheClusterId")
                .with_hint(self.status())),
        }
    }

    /// IDs of the security groups.
    pub(crate) fn group_ids(&self) -> Vec<Text> {
        let groups = self.security_groups.iter().flatten();
        groups.filter_map(|group| group.security_group_id.clone()).collect()
    }
}
