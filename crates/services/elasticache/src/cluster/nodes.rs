//! Nodes of clusters and their endpoints.

use super::CacheCluster;
use crate::engine::Engine;
use nephos_cloud::Tx;
use nephos_core::{Record, Text, Timestamp};

/// Maximum length of the ID of a cluster.
pub(crate) const MAX_ID_LENGTH: usize = 50;

/// Maximum number of nodes of a memcached cluster.
pub(crate) const MAX_NODES: i64 = 40;

/// Address and port of a node or a cluster.
#[derive(Record)]
pub struct Endpoint {
    /// Host name.
    pub(crate) address: Option<Text>,
    /// Port.
    pub(crate) port: Option<i64>,
}

impl Endpoint {
    pub(crate) fn new(address: impl Into<Text>, port: i64) -> Self {
        Self { address: Some(address.into()), port: Some(port) }
    }
}

/// A node of a cluster.
#[derive(Record)]
pub struct CacheNode {
    /// ID of the node: 0001, 0002 and so on.
    pub(crate) cache_node_id: Option<Text>,
    /// Status of the node: creating, available, rebooting or deleting.
    pub(crate) cache_node_status: Option<Text>,
    /// Time of creation.
    pub(crate) cache_node_create_time: Option<Timestamp>,
    /// Endpoint of the node.
    pub(crate) endpoint: Option<Endpoint>,
    /// Status of the parameters of the node.
    pub(crate) parameter_group_status: Option<Text>,
    /// Node that this one is a replica of.
    pub(crate) source_cache_node_id: Option<Text>,
    /// Zone of the node.
    pub(crate) customer_availability_zone: Option<Text>,
    /// ARN of the Outpost of the node.
    pub(crate) customer_outpost_arn: Option<Text>,
}

impl CacheNode {
    /// ID of the node.
    pub(crate) fn id(&self) -> &str {
        self.cache_node_id.as_deref().unwrap_or_default()
    }
}

/// Returns the code of a Region in host names: `use1`.
pub fn region_code(region: &str) -> String {
    let mut parts = region.split('-');
    let area = parts.next().unwrap_or_default();
    let direction: String = match parts.next().unwrap_or_default() {
        "northeast" => "ne".to_owned(),
        "northwest" => "nw".to_owned(),
        "southeast" => "se".to_owned(),
        "southwest" => "sw".to_owned(),
        other => other.chars().take(1).collect(),
    };
    format!("{area}{direction}{}", parts.next().unwrap_or_default())
}

/// Returns the domain of the host names of caches in the Region of the caller.
pub(crate) fn domain(cx: &Tx<'_>) -> String {
    let suffix = if cx.scope().region().starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("{}.cache.{suffix}", region_code(cx.scope().region()))
}

impl CacheCluster {
    /// Adds nodes in these zones, one in each.
    pub(crate) fn add_nodes(&mut self, cx: &Tx<'_>, zones: &[Text], port: i64) {
        let (id, part, domain) = (self.id().to_owned(), cx.scope().host_part(6), domain(cx));
        let nodes = self.cache_nodes.get_or_insert_default();
        let last = nodes.iter().filter_map(|node| node.id().parse::<i64>().ok()).max().unwrap_or_default();
        for (number, zone) in (last + 1..).zip(zones) {
            let node = format!("{number:04}");
            nodes.push(CacheNode {
                endpoint: Some(Endpoint::new(format!("{id}.{part}.{node}.{domain}"), port)),
                cache_node_id: Some(node.into()),
                cache_node_status: Some("available".into()),
                cache_node_create_time: Some(cx.now()),
                parameter_group_status: Some("in-sync".into()),
                source_cache_node_id: None,
                customer_availability_zone: Some(zone.clone()),
                customer_outpost_arn: None,
            });
        }
        self.update_nodes();
    }

    /// Updates what follows from the nodes: their number and their zone.
    pub(super) fn update_nodes(&mut self) {
        let nodes = self.cache_nodes.as_deref().unwrap_or_default();
        self.num_cache_nodes = i64::try_from(nodes.len()).ok();
        let mut zones = nodes.iter().map(|node| node.customer_availability_zone.clone());
        let first = zones.next().flatten();
        let is_same = zones.all(|zone| zone == first);
        self.preferred_availability_zone = if is_same { first } else { Some("Multiple".into()) };
    }

    /// Sets the endpoint by which clients of memcached find all nodes.
    pub(super) fn set_configuration_endpoint(&mut self, cx: &Tx<'_>, engine: Engine, port: i64) {
        if engine == Engine::Memcached {
            let address = format!("{}.{}.cfg.{}", self.id(), cx.scope().host_part(6), domain(cx));
            self.configuration_endpoint = Some(Endpoint::new(address, port));
        }
    }

    /// Port of the nodes.
    pub(crate) fn own_port(&self) -> i64 {
        let node = self.cache_nodes.iter().flatten().next();
        node.and_then(|node| node.endpoint.as_ref()?.port).unwrap_or_default()
    }

    /// Returns the cluster as it is described: without nodes unless they are asked for, and without what a cluster that is being
    /// created does not have yet.
    pub(crate) fn described(mut self, with_nodes: bool) -> Self {
        let is_creating = self.status() == "creating";
        if is_creating {
            self.cache_cluster_create_time = None;
            self.configuration_endpoint = None;
        }
        if is_creating || !with_nodes {
            self.cache_nodes = None;
        }
        self
    }
}
