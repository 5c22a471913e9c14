//! What an instance refers to.

use super::DBInstance;
use crate::{
    Credentials, DBCluster, DBInstanceManager, DBSnapshot, DBSubnetGroup, DocDBCluster, master_user,
};
use nephos_core::{
    Arn, Error, ErrorKind, ManagerOperation, Resource, Result, Text, WorkflowContext, operation,
};
use nephos_ec2 as ec2;
#[cfg(feature = "kms")]
use nephos_kms::CryptoKey;
use nephos_secrets::Secret;

pub(super) async fn find_subnet_group(instance: &DBInstance) -> Result<Option<DBSubnetGroup>> {
    let group = instance.db_subnet_group.as_ref();
    let Some(name) = group.and_then(|group| group.db_subnet_group_name.clone()) else { return Ok(None) };
    DBSubnetGroup::objects(instance.require_session()?).get(name).await
}

pub(super) async fn find_vpc(instance: &DBInstance) -> Result<Option<ec2::Vpc>> {
    let Some(id) = instance.db_subnet_group.as_ref().and_then(|group| group.vpc_id.clone()) else {
        return Ok(None);
    };
    ec2::Vpc::objects(instance.require_session()?).get(id).await
}

pub(super) async fn find_subnets(instance: &DBInstance) -> Result<Vec<ec2::Subnet>> {
    let subnets = instance.db_subnet_group.as_ref().and_then(|group| group.subnets.as_deref());
    let ids = subnets.unwrap_or_default().iter().filter_map(|subnet| subnet.subnet_identifier.clone());
    ec2::find_subnets(instance.require_session()?, ids.collect()).await
}

pub(super) async fn find_security_groups(instance: &DBInstance) -> Result<Vec<ec2::SecurityGroup>> {
    let ids = crate::settings::group_ids(instance.vpc_security_groups.as_deref());
    ec2::find_security_groups(instance.require_session()?, ids).await
}

#[cfg(feature = "kms")]
pub(super) async fn find_crypto_key(instance: &DBInstance) -> Result<Option<CryptoKey>> {
    nephos_kms::load_related(instance, instance.crypto_key_id.as_ref()).await
}

pub(super) async fn find_cluster(instance: &DBInstance) -> Result<Option<DBCluster>> {
    let Some(id) = instance.db_cluster_identifier.clone() else { return Ok(None) };
    DBCluster::objects(instance.require_session()?).get(id).await
}

pub(super) async fn find_document_cluster(instance: &DBInstance) -> Result<Option<DocDBCluster>> {
    let Some(id) = instance.db_cluster_identifier.clone() else { return Ok(None) };
    DocDBCluster::objects(instance.require_session()?).get(id).await
}

/// Finds an instance by the name that another instance has for it: its ARN, if it is in another Region.
async fn find_named(instance: &DBInstance, name: &Text) -> Result<Option<DBInstance>> {
    let session = instance.require_session()?;
    let session = match Arn::parts(name) {
        Some([_, _, region, ..]) => session.with_region(region),
        None => session.clone(),
    };
    DBInstance::objects(&session).get(name.clone()).await
}

pub(super) async fn find_source(instance: &DBInstance) -> Result<Option<DBInstance>> {
    match &instance.read_replica_source_db_instance_identifier {
        Some(name) => find_named(instance, name).await,
        None => Ok(None),
    }
}

pub(super) async fn find_replicas(instance: &DBInstance) -> Result<Vec<DBInstance>> {
    let mut found = Vec::new();
    for name in instance.read_replica_db_instance_identifiers.iter().flatten() {
        found.extend(find_named(instance, name).await?);
    }
    Ok(found)
}

pub(super) async fn find_snapshots(instance: &DBInstance) -> Result<Vec<DBSnapshot>> {
    let Some(id) = instance.dbi_resource_id.clone() else { return Ok(Vec::new()) };
    let snapshots = DBSnapshot::objects(instance.require_session()?);
    snapshots.list().dbi_resource_id(id).results().all().await
}

pub(super) async fn find_managed_secret(instance: &DBInstance) -> Result<Option<Secret>> {
    let secret = instance.master_user_secret.as_ref();
    let Some(arn) = secret.and_then(|secret| secret.secret_arn.clone()) else { return Ok(None) };
    Secret::objects(instance.require_session()?).get(arn).await
}

/// Reads the name and the password of the master user from the managed secret.
#[operation(kind = DBInstance, call = "credentials", on_model, effect = read, output = Credentials)]
pub struct DBInstanceCredentials {
    /// Identifier of the instance.
    #[field(name = "DBInstanceIdentifier")]
    pub db_instance_identifier: Text,
}

impl ManagerOperation for DBInstanceCredentials {
    async fn run(&self, context: &WorkflowContext) -> Result<Credentials> {
        let mut describe = crate::DescribeDBInstances::new();
        describe.db_instance_identifier = Some(self.db_instance_identifier.clone());
        let found = context.call(describe).await?.db_instances.unwrap_or_default().into_iter().next();
        master_user::read_credentials(context, found.and_then(|instance| instance.master_user_secret)).await
    }
}

impl DBInstance {
    /// Host name of the instance.
    ///
    /// # Errors
    ///
    /// If the endpoint is not known: the instance is being created.
    pub fn hostname(&self) -> Result<&str> {
        let endpoint = self.endpoint.as_ref();
        endpoint.and_then(|endpoint| endpoint.address.as_deref()).ok_or_else(unknown_endpoint)
    }

    /// Port of the instance.
    ///
    /// # Errors
    ///
    /// If the endpoint is not known: the instance is being created.
    pub fn port(&self) -> Result<i64> {
        self.own_port().ok_or_else(unknown_endpoint)
    }
}

fn unknown_endpoint() -> Error {
    Error::new(ErrorKind::InState, "the endpoint of the instance is not known")
}
