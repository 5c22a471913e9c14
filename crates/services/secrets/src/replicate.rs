//! Replicating secrets to other Regions, and ending that.

use super::{
    ReplicaRegion, ReplicationStatus, SERVICE, Secret, SecretManager, errors,
    kept::{self, Kept},
    replication,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Steppable, Steps, Text, operation};

/// Replicates a secret to more Regions.
#[operation(service = SERVICE, effect = write, output = SecretReplication, subject = "secret:{SecretId}")]
pub struct ReplicateSecretToRegions {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The Regions.
    #[field(length(1..))]
    pub add_replica_regions: Vec<ReplicaRegion>,
    /// Whether a replica takes the place of a secret of the same name.
    pub force_overwrite_replica_secret: Option<bool>,
}

/// How far the replicas of a secret are.
#[derive(Record)]
#[record(name = "ReplicateSecretToRegionsResponse")]
pub struct SecretReplication {
    /// The secret's resource name.
    #[field(name = "ARN")]
    arn: Option<Text>,
    /// How far its replicas are.
    replication_status: Option<Vec<ReplicationStatus>>,
}

impl Handler for ReplicateSecretToRegions {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretReplication> {
        let mut kept = kept::require_own(cx, &self.secret_id)?;
        replication::check(
            cx.scope(),
            kept.replicas.as_deref().unwrap_or_default(),
            &self.add_replica_regions,
        )?;
        let overwrites = self.force_overwrite_replica_secret == Some(true);
        replication::add(cx, &mut kept, &self.add_replica_regions, overwrites)?;
        SecretReplication::of(cx, kept)
    }
}

impl SecretReplication {
    /// How far the replicas of a secret are that was changed, and is kept so.
    fn of(cx: &mut Tx<'_>, kept: Kept) -> Result<Self> {
        let replicas = kept.replicas.as_deref().unwrap_or_default();
        let replication_status = Some(replication::status(cx, &kept, replicas)?);
        let arn = kept.arn(cx.scope()).into();
        kept.put_changed(cx)?;
        Ok(Self { arn: Some(arn), replication_status })
    }
}

/// Removes the replicas of a secret in some Regions.
#[operation(service = SERVICE, effect = write, output = SecretReplication, subject = "secret:{SecretId}")]
pub struct RemoveRegionsFromReplication {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
    /// The Regions.
    #[field(length(1..), each(length(1..=128), pattern = r"([a-z]+-)+\d+"))]
    pub remove_replica_regions: Vec<Text>,
}

impl Handler for RemoveRegionsFromReplication {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecretReplication> {
        let mut kept = kept::require_own(cx, &self.secret_id)?;
        let has =
            |region: &Text| kept.replicas.iter().flatten().any(|known| known.region.as_ref() == Some(region));
        if let Some(region) = self.remove_replica_regions.iter().find(|region| !has(region)) {
            let why = format!("secret {} has no replica in {region}", kept.called());
            return Err(errors::INVALID.because(why).with_field("RemoveReplicaRegions"));
        }
        replication::remove(cx, &mut kept, &self.remove_replica_regions)?;
        SecretReplication::of(cx, kept)
    }
}

/// Makes a secret of its own out of a replica. It is called in the replica's Region.
#[operation(service = SERVICE, effect = write, output = StopReplicationToReplicaResponse, subject = "secret:{SecretId}")]
pub struct StopReplicationToReplica {
    /// The replica's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
}

/// What was a replica.
#[derive(Record)]
pub struct StopReplicationToReplicaResponse {
    /// Its resource name.
    #[field(name = "ARN")]
    arn: Option<Text>,
}

impl Handler for StopReplicationToReplica {
    fn run(self, cx: &mut Tx<'_>) -> Result<StopReplicationToReplicaResponse> {
        let mut kept = kept::require(cx, &self.secret_id)?;
        if !kept.is_replica(cx.scope()) {
            let why = format!("secret {} is no replica in {}", kept.called(), cx.scope().region());
            return Err(errors::INVALID_REQUEST.because(why));
        }
        replication::promote(cx, &mut kept)?;
        let arn = kept.arn(cx.scope()).into();
        kept.put_changed(cx)?;
        Ok(StopReplicationToReplicaResponse { arn: Some(arn) })
    }
}

/// Replicates a secret to more Regions.
#[operation(kind = Secret, call = "replicate_to_regions", effect = write, output = SecretReplication)]
pub struct ReplicateToRegions {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The Regions.
    #[field(length(1..))]
    pub add_replica_regions: Vec<ReplicaRegion>,
    /// Whether a replica takes the place of a secret of the same name.
    pub force_overwrite_replica_secret: Option<bool>,
}

impl Steppable for ReplicateToRegions {
    async fn run(&self, steps: &Steps) -> Result<SecretReplication> {
        let replicate =
            ReplicateSecretToRegions::new(self.secret_id.clone(), self.add_replica_regions.clone());
        steps.call(replicate.force_overwrite_replica_secret(self.force_overwrite_replica_secret)).await
    }
}

/// Removes the replicas of a secret in some Regions.
#[operation(kind = Secret, call = "remove_regions", effect = write, output = SecretReplication)]
pub struct RemoveRegions {
    /// The secret's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
    /// The Regions.
    #[field(length(1..), each(length(1..=128), pattern = r"([a-z]+-)+\d+"))]
    pub remove_replica_regions: Vec<Text>,
}

impl Steppable for RemoveRegions {
    async fn run(&self, steps: &Steps) -> Result<SecretReplication> {
        let regions = self.remove_replica_regions.clone();
        steps.call(RemoveRegionsFromReplication::new(self.secret_id.clone(), regions)).await
    }
}

/// Makes a secret of its own out of a replica. It is called in the replica's Region.
#[operation(
    kind = Secret, call = "stop_replication", effect = write, output = StopReplicationToReplicaResponse, instance
)]
pub struct StopReplication {
    /// The replica's name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for StopReplication {
    async fn run(&self, steps: &Steps) -> Result<StopReplicationToReplicaResponse> {
        steps.call(StopReplicationToReplica::new(self.secret_id.clone())).await
    }
}
