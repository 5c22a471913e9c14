//! What a cluster refers to.

use super::CacheCluster;
use crate::{CacheParameterGroup, CacheSubnetGroup, ReplicationGroup};
use nephos_core::{Error, ErrorKind, Resource, Result};
use nephos_ec2 as ec2;

pub(super) async fn find_parameter_group(cluster: &CacheCluster) -> Result<Option<CacheParameterGroup>> {
    let group = cluster.cache_parameter_group.as_ref();
    let Some(name) = group.and_then(|group| group.cache_parameter_group_name.clone()) else {
        return Ok(None);
    };
    CacheParameterGroup::objects(cluster.require_session()?).get(name).await
}

pub(super) async fn find_subnet_group(cluster: &CacheCluster) -> Result<Option<CacheSubnetGroup>> {
    let Some(name) = cluster.cache_subnet_group_name.clone() else { return Ok(None) };
    CacheSubnetGroup::objects(cluster.require_session()?).get(name).await
}

pub(super) async fn find_vpc(cluster: &CacheCluster) -> Result<Option<ec2::Vpc>> {
    let group = find_subnet_group(cluster).await?;
    let Some(id) = group.and_then(|group| group.vpc_id) else { return Ok(None) };
    ec2::Vpc::objects(cluster.require_session()?).get(id).await
}

pub(super) async fn find_subnets(cluster: &CacheCluster) -> Result<Vec<ec2::Subnet>> {
    let group = find_subnet_group(cluster).await?;
    let subnets = group.and_then(|group| group.subnets).unwrap_or_default();
    let ids: Vec<_> = subnets.into_iter().filter_map(|subnet| subnet.subnet_identifier).collect();
    ec2::find_subnets(cluster.require_session()?, ids).await
}

pub(super) async fn find_security_groups(cluster: &CacheCluster) -> Result<Vec<ec2::SecurityGroup>> {
    ec2::find_security_groups(cluster.require_session()?, cluster.group_ids()).await
}

pub(super) async fn find_replication_group(cluster: &CacheCluster) -> Result<Option<ReplicationGroup>> {
    let Some(id) = cluster.replication_group_id.clone() else { return Ok(None) };
    ReplicationGroup::objects(cluster.require_session()?).get(id).await
}

impl CacheCluster {
    /// Host name of the first node.
    ///
    /// # Errors
    ///
    /// If the endpoint is not known: the cluster is being created, or a listing left out the nodes.
    pub fn hostname(&self) -> Result<&str> {
        let endpoint = self.first_endpoint();
        endpoint.and_then(|endpoint| endpoint.address.as_deref()).ok_or_else(unknown_endpoint)
    }

    /// Port of the first node.
    ///
    /// # Errors
    ///
    /// If the endpoint is not known: the cluster is being created, or a listing left out the nodes.
    pub fn port(&self) -> Result<i64> {
        self.first_endpoint().and_then(|endpoint| endpoint.port).ok_or_else(unknown_endpoint)
    }

    fn first_endpoint(&self) -> Option<&super::Endpoint> {
        self.cache_nodes.iter().flatten().next().and_then(|node| node.endpoint.as_ref())
    }
}

fn unknown_endpoint() -> Error {
    Error::new(ErrorKind::InState, "the endpoint of the first node is not known")
}
