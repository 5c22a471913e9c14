//! What a cluster refers to.

use super::{DBCluster, DBClusterManager};
use crate::{
    Credentials, DBClusterMember, DBClusterSnapshot, DBInstance, DBSubnetGroup, DescribeDBClusters,
    MasterUserSecret, VpcSecurityGroupMembership, master_user, settings,
};
use nephos_core::{Error, ErrorKind, ManagerOperation, Resource, Result, Text, WorkflowContext, operation};
use nephos_ec2 as ec2;

/// Finds the subnet group with this name, for a model.
pub(crate) async fn subnet_group_of(
    model: &impl Resource,
    name: Option<&Text>,
) -> Result<Option<DBSubnetGroup>> {
    let Some(name) = name else { return Ok(None) };
    DBSubnetGroup::objects(model.require_session()?).get(name.clone()).await
}

/// Finds the VPC of a subnet group, for a model.
pub(crate) async fn vpc_of(model: &impl Resource, group: Option<&Text>) -> Result<Option<ec2::Vpc>> {
    let group = subnet_group_of(model, group).await?;
    let Some(id) = group.and_then(|group| group.vpc_id) else { return Ok(None) };
    ec2::Vpc::objects(model.require_session()?).get(id).await
}

/// Finds the subnets of a subnet group, for a model.
pub(crate) async fn subnets_of(model: &impl Resource, group: Option<&Text>) -> Result<Vec<ec2::Subnet>> {
    let group = subnet_group_of(model, group).await?;
    let subnets = group.and_then(|group| group.subnets).unwrap_or_default();
    let ids: Vec<_> = subnets.into_iter().filter_map(|subnet| subnet.subnet_identifier).collect();
    ec2::find_subnets(model.require_session()?, ids).await
}

/// Finds security groups, for a model.
pub(crate) async fn security_groups_of(
    model: &impl Resource,
    groups: Option<&[VpcSecurityGroupMembership]>,
) -> Result<Vec<ec2::SecurityGroup>> {
    ec2::find_security_groups(model.require_session()?, settings::group_ids(groups)).await
}

/// Finds the managed secret of a database, for a model.
pub(crate) async fn secret_of(
    model: &impl Resource,
    secret: Option<&MasterUserSecret>,
) -> Result<Option<nephos_secrets::Secret>> {
    let Some(arn) = secret.and_then(|secret| secret.secret_arn.clone()) else { return Ok(None) };
    nephos_secrets::Secret::objects(model.require_session()?).get(arn).await
}

/// Finds the instances of a cluster, for a model.
pub(crate) async fn instances_of(
    model: &impl Resource,
    members: Option<&[DBClusterMember]>,
) -> Result<Vec<DBInstance>> {
    let instances = DBInstance::objects(model.require_session()?);
    let mut found = Vec::new();
    for member in members.unwrap_or_default() {
        if let Some(id) = &member.db_instance_identifier {
            found.extend(instances.get(id.clone()).await?);
        }
    }
    Ok(found)
}

/// Finds the snapshots of a cluster, for a model.
pub(crate) async fn snapshots_of(
    model: &impl Resource,
    resource_id: Option<&Text>,
) -> Result<Vec<DBClusterSnapshot>> {
    let Some(id) = resource_id else { return Ok(Vec::new()) };
    let snapshots = DBClusterSnapshot::objects(model.require_session()?);
    snapshots.list().db_cluster_resource_id(id.clone()).results().all().await
}

/// Reads the name and the password of the master user of a cluster from its managed secret.
pub(crate) async fn find_credentials(context: &WorkflowContext, id: &Text) -> Result<Credentials> {
    let mut describe = DescribeDBClusters::new();
    describe.db_cluster_identifier = Some(id.clone());
    let found = context.call(describe).await?.db_clusters.unwrap_or_default().into_iter().next();
    master_user::read_credentials(context, found.and_then(|cluster| cluster.master_user_secret)).await
}

/// Lookups and helpers that kinds of clusters share.
macro_rules! cluster_relations {
    ($kind:ident, $credentials:ident) => {
        pub(super) async fn find_subnet_group(cluster: &$kind) -> Result<Option<DBSubnetGroup>> {
            subnet_group_of(cluster, cluster.db_subnet_group.as_ref()).await
        }

        pub(super) async fn find_vpc(cluster: &$kind) -> Result<Option<ec2::Vpc>> {
            vpc_of(cluster, cluster.db_subnet_group.as_ref()).await
        }

        pub(super) async fn find_subnets(cluster: &$kind) -> Result<Vec<ec2::Subnet>> {
            subnets_of(cluster, cluster.db_subnet_group.as_ref()).await
        }

        pub(super) async fn find_security_groups(cluster: &$kind) -> Result<Vec<ec2::SecurityGroup>> {
            security_groups_of(cluster, cluster.vpc_security_groups.as_deref()).await
        }

        pub(super) async fn find_secret(cluster: &$kind) -> Result<Option<nephos_secrets::Secret>> {
            secret_of(cluster, cluster.master_user_secret.as_ref()).await
        }

        pub(super) async fn find_instances(cluster: &$kind) -> Result<Vec<DBInstance>> {
            instances_of(cluster, cluster.db_cluster_members.as_deref()).await
        }

        pub(super) async fn find_snapshots(cluster: &$kind) -> Result<Vec<DBClusterSnapshot>> {
            snapshots_of(cluster, cluster.db_cluster_resource_id.as_ref()).await
        }

        #[cfg(feature = "kms")]
        pub(super) async fn find_crypto_key(cluster: &$kind) -> Result<Option<nephos_kms::CryptoKey>> {
            nephos_kms::load_related(cluster, cluster.crypto_key_id.as_ref()).await
        }

        impl $kind {
            /// Host name of the writer.
            ///
            /// # Errors
            ///
            /// If it is not known: the cluster is not created yet.
            pub fn hostname(&self) -> Result<&str> {
                let unknown = || Error::new(ErrorKind::InState, "the endpoint of the cluster is not known");
                self.endpoint.as_deref().ok_or_else(unknown)
            }
        }

        /// Reads the name and the password of the master user from the managed secret.
        #[operation(kind = $kind, call = "credentials", on_model, effect = read, output = Credentials)]
        pub struct $credentials {
            /// Identifier of the cluster.
            #[field(name = "DBClusterIdentifier")]
            pub db_cluster_identifier: Text,
        }

        impl ManagerOperation for $credentials {
            async fn run(&self, context: &WorkflowContext) -> Result<Credentials> {
                find_credentials(context, &self.db_cluster_identifier).await
            }
        }
    };
}
pub(crate) use cluster_relations;

cluster_relations!(DBCluster, DBClusterCredentials);
