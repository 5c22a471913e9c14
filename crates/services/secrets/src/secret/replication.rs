//! Replicas: copies of a secret in other Regions of the same cloud, updated after every change of the primary.

use crate::{
    Secret, SecretRow, errors,
    secret::{access, create, delete, list, policy, secret_row::find_with_suffix},
    version::{self, VersionRow, value},
};
use nephos_cloud::{DataKey, Scope, Stored, Tx, Work};
use nephos_core::{
    Error, ErrorKind, Record, Result, SignedDuration, Text, Timestamp, choices, field_value::FieldType,
    record_of,
};
use std::collections::HashSet;

choices! {
    /// Status of a replica.
    pub enum ReplicaStatus {
        /// The replica is up to date with the primary.
        InSync,
        /// The replica could not be created.
        Failed,
        /// The replica is being created or updated.
        InProgress,
    }
}

/// Region to replicate a secret to.
#[derive(Record)]
#[record(name = "ReplicaRegion")]
pub struct ReplicaRegion {
    /// Region of the replica.
    #[field(length(1..=128), pattern = r"([a-z]+-)+\d+", condition = "secretsmanager:AddReplicaRegions")]
    pub(crate) region: Option<Text>,
    /// Key that the replica is encrypted with; the provider's default key if absent.
    #[field(wire = "KmsKeyId", length(..=2048))]
    pub(crate) crypto_key_id: Option<Text>,
}

/// Status of a replica.
#[derive(Record)]
pub struct ReplicationStatus {
    /// Region of the replica.
    pub(crate) region: Option<Text>,
    /// Key that the replica is encrypted with; the alias of the provider's default key if none was chosen.
    #[field(wire = "KmsKeyId")]
    pub(crate) crypto_key_id: Option<Text>,
    /// Status of the replica.
    pub(crate) status: Option<ReplicaStatus>,
    /// Reason for the status.
    pub(crate) status_message: Option<Text>,
    /// Day on which a value of the replica was last read.
    pub(crate) last_accessed_date: Option<Timestamp>,
}

/// A replica, as stored in the row of its primary.
#[derive(Record)]
pub(crate) struct Replica {
    /// Region of the replica.
    pub(crate) region: Option<Text>,
    /// Key that the replica is encrypted with.
    pub(crate) crypto_key_id: Option<Text>,
    /// Status of the replica.
    pub(crate) status: Option<ReplicaStatus>,
    /// Reason for the status.
    pub(crate) status_message: Option<Text>,
    /// True if the replica overwrites a secret of the same name in its Region.
    pub(crate) overwrites: Option<bool>,
}

/// Alias of the provider's default key.
const DEFAULT_KEY_ALIAS: &str = "alias/aws/secretsmanager";

/// Delay until a replica is up to date with its primary.
const REPLICATION_DELAY: SignedDuration = SignedDuration::from_secs(10);

/// Finds the secret with this name in another Region.
fn find_in(cx: &Tx<'_>, there: &Scope, name: &str) -> Result<Option<SecretRow>> {
    cx.get_in(there, &SecretRow::table(there).text(name))
}

/// True if a secret of the same name in another Region is a replica of `primary`.
fn is_replica_of(secret: &SecretRow, primary: &SecretRow) -> bool {
    (&secret.suffix, &secret.primary_region) == (&primary.suffix, &primary.primary_region)
}

/// Returns the scope of the same account in another Region.
fn scope_in_region(scope: &Scope, region: &str) -> Scope {
    Scope::new(scope.account(), region)
}

/// Checks that a secret of `scope` with these replicas can be replicated to the Regions.
pub(crate) fn check_regions(scope: &Scope, replicas: &[Replica], regions: &[ReplicaRegion]) -> Result<()> {
    let refuse = |error: Error| Err(error.with_field("AddReplicaRegions"));
    let mut seen = HashSet::new();
    for wanted in regions {
        let Some(region) = &wanted.region else {
            return refuse(errors::replica_region_invalid().with_hint("every replica must have a Region"));
        };
        if region == scope.region() {
            let hint = format!("{region} is the Region of the secret; a replica must be in another Region");
            return refuse(errors::replica_region_invalid().with_hint(hint));
        }
        if !seen.insert(region) {
            return refuse(errors::replica_region_repeated(region));
        }
        let there = replicas.iter().find(|replica| replica.region.as_ref() == Some(region));
        // A replica that failed can be added again.
        if there.is_some_and(|there| there.status != Some(ReplicaStatus::Failed)) {
            return refuse(errors::replica_exists(region));
        }
    }
    Ok(())
}

/// Adds replicas in the Regions, which were checked. They are created when the change of the secret is stored.
pub(crate) fn add_replicas(
    cx: &mut Tx<'_>,
    secret: &mut SecretRow,
    regions: &[ReplicaRegion],
    overwrites: bool,
) -> Result<()> {
    if regions.is_empty() {
        return Ok(());
    }
    secret.primary_region = Some(cx.scope().region().into());
    let replicas = secret.replicas.get_or_insert_default();
    replicas.retain(|replica| regions.iter().all(|wanted| wanted.region != replica.region));
    replicas.extend(regions.iter().map(|wanted| Replica {
        region: wanted.region.clone(),
        crypto_key_id: wanted.crypto_key_id.clone().filter(|key| !key.is_empty()),
        status: Some(ReplicaStatus::InProgress),
        status_message: None,
        overwrites: overwrites.then_some(true),
    }));
    Ok(())
}

/// Schedules the update of the replicas after a change of the secret.
pub(crate) fn schedule_update(cx: &mut Tx<'_>, secret: &mut SecretRow) -> Result<()> {
    let Some(replicas) = &mut secret.replicas else { return Ok(()) };
    let mut followers =
        replicas.iter_mut().filter(|replica| replica.status != Some(ReplicaStatus::Failed)).peekable();
    if followers.peek().is_none() {
        return Ok(());
    }
    followers.for_each(|replica| replica.status = Some(ReplicaStatus::InProgress));
    cx.schedule_transition(
        REPLICATION_DELAY,
        &ReplicaUpdate { name: secret.name.clone(), suffix: secret.suffix.clone() },
    )
}

/// Returns the status of the replicas of a secret.
pub(crate) fn replica_statuses(
    cx: &Tx<'_>,
    secret: &SecretRow,
    replicas: &[Replica],
) -> Result<Vec<ReplicationStatus>> {
    let to_status = |replica: &Replica| {
        let region = replica.region.as_deref().unwrap_or_default();
        let last = match replica.status {
            Some(ReplicaStatus::Failed) => None,
            _ => access::last_access_in(cx, &scope_in_region(cx.scope(), region), secret.own_name())?,
        };
        Ok(ReplicationStatus {
            region: replica.region.clone(),
            crypto_key_id: Some(replica.crypto_key_id.clone().unwrap_or(Text::const_new(DEFAULT_KEY_ALIAS))),
            status: replica.status.clone(),
            status_message: replica.status_message.clone(),
            last_accessed_date: last,
        })
    };
    replicas.iter().map(to_status).collect()
}

/// Due work that updates the replicas of a secret.
#[record_of(of = Secret, takes(name), row)]
pub(crate) struct ReplicaUpdate {
    /// Random characters after the name in the ARN.
    suffix: Option<Text>,
}

impl Work for ReplicaUpdate {
    const NAME: &'static str = "secretsmanager/replicate";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(mut primary) = find_with_suffix(cx, &self.name, &self.suffix)? else { return Ok(()) };
        let mut replicas = primary.replicas.take().unwrap_or_default();
        for replica in &mut replicas {
            if replica.status != Some(ReplicaStatus::InProgress) {
                continue;
            }
            (replica.status, replica.status_message) = match update_replica(cx, &primary, replica)? {
                None => (Some(ReplicaStatus::InSync), None),
                Some(message) => (Some(ReplicaStatus::Failed), Some(message)),
            };
            replica.overwrites = None;
        }
        primary.replicas = Some(replicas).filter(|replicas| !replicas.is_empty());
        // A new status of replicas does not change LastChangedDate.
        cx.put(primary)
    }
}

/// Creates or updates one replica; returns a message if that is not possible.
fn update_replica(cx: &mut Tx<'_>, primary: &SecretRow, replica: &Replica) -> Result<Option<Text>> {
    let here = cx.scope().clone();
    let there = scope_in_region(&here, replica.region.as_deref().unwrap_or_default());
    let known = find_in(cx, &there, primary.own_name())?;
    if let Some(other) = known.as_ref().filter(|known| !is_replica_of(known, primary)) {
        if replica.overwrites != Some(true) {
            let message = format!(
                "Replication failed: Secret name {} already exists in region {}.",
                primary.own_name(),
                there.region()
            );
            return Ok(Some(message.into()));
        }
        // Overwriting a replica, or a secret with replicas, would break its replication.
        if other.primary_region.is_some() {
            let message = format!(
                "Replication failed: Secret {} in region {} is a replica or has replicas.",
                primary.own_name(),
                there.region()
            );
            return Ok(Some(message.into()));
        }
    }
    let (known, other) = match known {
        Some(known) if is_replica_of(&known, primary) => (Some(known), None),
        other => (None, other),
    };
    let values = versions_to_copy(cx, primary, &there);
    let prepared = values.and_then(|values| {
        let (secret, key) =
            cx.in_scope(&there, |cx| prepare_replica(cx, primary, known.as_ref(), replica))?;
        Ok((values, secret, key))
    });
    let (values, secret, key) = match prepared {
        Ok(prepared) => prepared,
        Err(error) if error.kind() == ErrorKind::Internal => return Err(error),
        Err(error) => return Ok(Some(format!("Replication failed: {}", error.message()).into())),
    };
    let attached = policy::find(cx, primary)?;
    cx.in_scope(&there, |cx| {
        if let Some(other) = &other {
            delete::remove(cx, other)?;
        }
        write_replica(cx, secret, known.is_none(), &key, values, attached)
    })?;
    Ok(None)
}

/// A version, and its value unless the replica already has it.
type VersionCopy = (VersionRow, Option<value::Plaintext>);

/// Returns the versions of a secret, with the values that the replica in `there` does not have.
fn versions_to_copy(cx: &mut Tx<'_>, primary: &SecretRow, there: &Scope) -> Result<Vec<VersionCopy>> {
    let mut copied = Vec::new();
    for mut version in version::find_all(cx, primary.own_name())? {
        let id = version.version_id.as_deref().unwrap_or_default();
        let key = version::key_prefix(there, primary.own_name()).text(id);
        let known = cx.get_in::<VersionRow>(there, &key)?;
        let plain = match &known {
            Some(known) if known.binary == version.binary => None,
            _ => value::open(cx, primary, &version)?,
        };
        // Each Region has data keys of its own.
        version.data_key = known.and_then(|known| known.data_key);
        copied.push((version, plain));
    }
    Ok(copied)
}

/// Returns the row of the replica in its Region, and the data key that its values are sealed with.
fn prepare_replica(
    cx: &mut Tx<'_>,
    primary: &SecretRow,
    known: Option<&SecretRow>,
    replica: &Replica,
) -> Result<(SecretRow, DataKey)> {
    let mut secret = primary.clone();
    secret.crypto_key_id = replica.crypto_key_id.clone();
    (secret.rotation, secret.rotation_opens) = (None, None);
    secret.replicas = None;
    secret.data_key = known.and_then(|known| known.data_key.clone());
    secret.created_date = known.map_or(Some(cx.now()), |known| known.created_date);
    let key = secret.open_or_create_data_key(cx)?;
    Ok((secret, key))
}

/// Writes the replica in its Region.
fn write_replica(
    cx: &mut Tx<'_>,
    secret: SecretRow,
    is_new: bool,
    key: &DataKey,
    values: Vec<VersionCopy>,
    attached: Option<policy::PolicyRow>,
) -> Result<()> {
    if is_new {
        cx.add_to_count(create::SECRETS_QUOTA.counter, 1)?;
        list::index(cx, &secret)?;
    }
    for old in version::find_all(cx, secret.own_name())? {
        if !values.iter().any(|(version, _)| version.version_id == old.version_id) {
            value::remove_version(cx, &secret, old.version_id.as_deref().unwrap_or_default())?;
        }
    }
    for (mut version, plain) in values {
        version.crypto_key_id = secret.crypto_key_id.clone();
        match plain {
            Some(plain) => value::put(cx, &secret, key, version, &plain)?,
            None => cx.put(version)?,
        }
    }
    match attached {
        Some(attached) => cx.put(attached)?,
        None => cx.remove_row(&policy::key(cx.scope(), secret.own_name()))?,
    }
    cx.put(secret)
}

/// Removes the replicas of a secret in these Regions.
pub(crate) fn remove_replicas(cx: &mut Tx<'_>, secret: &mut SecretRow, regions: &[Text]) -> Result<()> {
    let replicas = secret.replicas.take().unwrap_or_default();
    let (removed, left): (Vec<_>, Vec<_>) = replicas
        .into_iter()
        .partition(|replica| replica.region.as_ref().is_some_and(|region| regions.contains(region)));
    for replica in removed {
        let there = scope_in_region(cx.scope(), replica.region.as_deref().unwrap_or_default());
        let known = find_in(cx, &there, secret.own_name())?;
        if let Some(known) = known.filter(|known| is_replica_of(known, secret)) {
            cx.in_scope(&there, |cx| delete::remove(cx, &known))?;
        }
    }
    set_replicas(secret, left);
    Ok(())
}

/// Promotes a replica to a standalone secret, and removes it from its primary.
pub(crate) fn promote_replica(cx: &mut Tx<'_>, replica: &mut SecretRow) -> Result<()> {
    let here = cx.scope().clone();
    let there = scope_in_region(&here, replica.primary_region.take().as_deref().unwrap_or_default());
    let primary = find_in(cx, &there, replica.own_name())?;
    if let Some(mut primary) = primary.filter(|primary| primary.suffix == replica.suffix) {
        let mut left = primary.replicas.take().unwrap_or_default();
        left.retain(|other| other.region.as_deref() != Some(here.region()));
        set_replicas(&mut primary, left);
        cx.in_scope(&there, |cx| cx.put(primary))?;
    }
    // The rotation function belongs to the primary and is in another Region.
    replica.end_rotation();
    Ok(())
}

/// Sets the replicas of a secret; one without replicas is no longer a primary.
fn set_replicas(secret: &mut SecretRow, left: Vec<Replica>) {
    if left.is_empty() {
        secret.primary_region = None;
    }
    secret.replicas = (!left.is_empty()).then_some(left);
}

impl ReplicaRegion {
    /// Returns a replica in `region`, encrypted with the provider's default key.
    pub fn new(region: impl Into<Text>) -> Self {
        let mut replica = Self::blank();
        replica.region = Some(region.into());
        replica
    }
}
