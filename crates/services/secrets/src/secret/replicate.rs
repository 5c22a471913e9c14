//! Operations on replicas: add, remove, promote.

use crate::{
    ReplicaRegion, ReplicationStatus, Secret, SecretManager, SecretRow,
    cross_account::SecretHandler,
    errors,
    secret::{SecretId, replication, secret_row},
};
use nephos_cloud::Tx;
use nephos_core::{Result, Text, operation, record_of};

/// Replicates a secret to more Regions.
#[operation(
    of = Secret, include(SecretId), call = "replicate_to_regions",
    effect = write, output = SecretReplication, subject = "secret:{SecretId}"
)]
pub struct ReplicateSecretToRegions {
    /// Regions to replicate the secret to.
    #[field(length(1..))]
    pub add_replica_regions: Vec<ReplicaRegion>,
    /// True if a replica overwrites a secret of the same name in its Region.
    #[field(condition = "secretsmanager:ForceOverwriteReplicaSecret")]
    pub force_overwrite_replica_secret: Option<bool>,
}

/// Status of the replicas of a secret.
#[record_of(of = Secret, takes(arn), answer, name = "ReplicateSecretToRegionsResponse")]
pub struct SecretReplication {
    /// Status of each replica.
    replication_status: Option<Vec<ReplicationStatus>>,
}

impl SecretHandler for ReplicateSecretToRegions {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretReplication> {
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        replication::check_regions(
            cx.scope(),
            secret.replicas.as_deref().unwrap_or_default(),
            &self.add_replica_regions,
        )?;
        let overwrites = self.force_overwrite_replica_secret == Some(true);
        replication::add_replicas(cx, &mut secret, &self.add_replica_regions, overwrites)?;
        SecretReplication::store(cx, secret)
    }
}

impl SecretReplication {
    /// Stores a changed secret, and returns the status of its replicas.
    fn store(cx: &mut Tx<'_>, secret: SecretRow) -> Result<Self> {
        let replicas = secret.replicas.as_deref().unwrap_or_default();
        let replication_status = Some(replication::replica_statuses(cx, &secret, replicas)?);
        let arn = secret.arn(cx.scope()).into();
        secret.put_changed(cx)?;
        Ok(Self { arn: Some(arn), replication_status })
    }
}

/// Removes replicas of a secret.
#[operation(
    of = Secret, include(SecretId), call = "remove_regions",
    effect = write, output = SecretReplication, subject = "secret:{SecretId}"
)]
pub struct RemoveRegionsFromReplication {
    /// Regions of the replicas to remove.
    #[field(length(1..), each(length(1..=128), pattern = r"([a-z]+-)+\d+"))]
    pub remove_replica_regions: Vec<Text>,
}

impl SecretHandler for RemoveRegionsFromReplication {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<SecretReplication> {
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let has = |region: &Text| {
            secret.replicas.iter().flatten().any(|known| known.region.as_ref() == Some(region))
        };
        if let Some(region) = self.remove_replica_regions.iter().find(|region| !has(region)) {
            let error = errors::replica_missing(region).with_field("RemoveReplicaRegions");
            return Err(error.with_hint(secret.own_name()));
        }
        replication::remove_replicas(cx, &mut secret, &self.remove_replica_regions)?;
        SecretReplication::store(cx, secret)
    }
}

/// Promotes a replica to a standalone secret. The call must be made in the Region of the replica.
#[operation(
    of = Secret, include(SecretId), call = "stop_replication", on_model,
    effect = write, answers(arn), subject = "secret:{SecretId}"
)]
pub struct StopReplicationToReplica {}

impl SecretHandler for StopReplicationToReplica {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<StopReplicationToReplicaResponse> {
        let mut secret = secret_row::require(cx, &self.secret_id)?;
        if !secret.is_replica(cx.scope()) {
            let hint = format!("secret {} in {}", secret.own_name(), cx.scope().region());
            return Err(errors::not_a_replica().with_hint(hint));
        }
        replication::promote_replica(cx, &mut secret)?;
        let arn = secret.arn(cx.scope()).into();
        secret.put_changed(cx)?;
        Ok(StopReplicationToReplicaResponse { arn: Some(arn) })
    }
}
