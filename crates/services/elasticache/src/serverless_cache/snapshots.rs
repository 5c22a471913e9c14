//! Snapshots of serverless caches.

pub(crate) mod automatic;
mod operations;

pub use operations::*;

use super::{ServerlessCache, check_key};
use crate::{
    errors,
    event::{self, Source},
    identifier,
};
use nephos_cloud::{Addressed, Scope, Stored, StoredResource, Tx, own_arn};
use nephos_core::{
    Choice as _, Record, Resource, Result, SignedDuration, Slot, Tag, Text, Timestamp, choices,
    field_value::FieldType as _,
};

choices! {
    /// Status of a snapshot of a serverless cache.
    #[derive(Eq)]
    pub enum ServerlessCacheSnapshotStatus {
        /// It is being created.
        Creating = "creating",
        /// It can be used.
        Available = "available",
        /// It is being deleted.
        Deleting = "deleting",
    }
}

choices! {
    /// Type of a snapshot of a serverless cache.
    #[derive(Eq)]
    pub enum ServerlessCacheSnapshotType {
        /// Taken by a caller.
        Manual = "manual",
        /// Taken every day by the service.
        Automated = "automated",
    }
}

/// Settings of a serverless cache at the time of a snapshot.
#[derive(Record)]
pub struct ServerlessCacheConfiguration {
    /// Name of the cache.
    pub(crate) serverless_cache_name: Option<Text>,
    /// Engine of the cache.
    pub(crate) engine: Option<Text>,
    /// Major version of the engine.
    pub(crate) major_engine_version: Option<Text>,
}

/// Maximum length of the name of a snapshot.
const MAX_NAME_LENGTH: usize = 255;

/// Number of snapshots of a cache that callers can take within 24 hours.
const MAX_MANUAL_PER_DAY: usize = 24;

/// A snapshot of a serverless cache.
#[derive(Resource)]
#[resource(
    arn("ARN", "serverlesscachesnapshot:{ServerlessCacheSnapshotName}"),
    not_found = |name| errors::serverless_snapshot_not_found(name),
    name = "ServerlessCacheSnapshotName", pk = "ServerlessCacheSnapshotName", exists_if = "ARN", tags = "Tags",
    derive_fields = fill_cache_name,
    relation(serverless_cache, one = ServerlessCache, with = find_cache)
)]
pub struct ServerlessCacheSnapshot {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and hyphens.
    #[field(required, fixed, length(1..=255))]
    pub(crate) serverless_cache_snapshot_name: Option<Text>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    pub(crate) arn: Option<Text>,
    /// KMS key that the snapshot is encrypted with; the key of the cache by default.
    #[field(fixed, wire = "KmsKeyId", length(1..=2048), condition = "elasticache:KmsKeyId")]
    pub(crate) crypto_key_id: Option<Text>,
    /// Type of the snapshot.
    #[field(service_set)]
    pub(crate) snapshot_type: Option<ServerlessCacheSnapshotType>,
    /// Status.
    #[field(service_set)]
    pub(crate) status: Option<ServerlessCacheSnapshotStatus>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_time: Option<Timestamp>,
    /// Time at which an automatic snapshot is removed.
    #[field(service_set)]
    pub(crate) expiry_time: Option<Timestamp>,
    /// Number of bytes of the data, as a text.
    #[field(service_set)]
    pub(crate) bytes_used_for_cache: Option<Text>,
    /// Settings of the cache.
    #[field(service_set)]
    pub(crate) serverless_cache_configuration: Option<ServerlessCacheConfiguration>,
    /// Name of the cache.
    #[field(required, fixed, length(1..=40), not_on_wire)]
    pub(crate) serverless_cache_name: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    ServerlessCacheSnapshot in "elasticache/serverless-snapshot" by serverless_cache_snapshot_name;
    arn arn;
    derived(serverless_cache_name) => restore_cache_name;
    states(
        "Status": "creating" => "available" 60 then complete_creation,
        "deleting" => removed 30
    )
}

/// Ends the creation of a snapshot.
fn complete_creation(snapshot: &mut ServerlessCacheSnapshot, cx: &mut Tx<'_>) -> Result<()> {
    let cache = snapshot.serverless_cache_name.as_deref().unwrap_or_default();
    let message = format!("Snapshot {} created for cache {cache}.", snapshot.own_name());
    event::write(cx, Source::Snapshot(snapshot), message)
}

/// Fills in the name of the cache from the settings that the service returns.
fn fill_cache_name(snapshot: &mut ServerlessCacheSnapshot) {
    if snapshot.serverless_cache_name.is_none() {
        let settings = snapshot.serverless_cache_configuration.as_ref();
        snapshot.serverless_cache_name = settings.and_then(|settings| settings.serverless_cache_name.clone());
    }
}

impl ServerlessCacheSnapshot {
    fn restore_cache_name(&mut self, _scope: &Scope) {
        fill_cache_name(self);
    }

    /// Creates a snapshot with the data of a cache.
    fn of_cache(cx: &Tx<'_>, cache: &ServerlessCache, name: Text) -> Self {
        let mut snapshot = Self::blank();
        snapshot.serverless_cache_configuration = Some(ServerlessCacheConfiguration {
            serverless_cache_name: cache.serverless_cache_name.clone(),
            engine: cache.engine.clone(),
            major_engine_version: cache.major_engine_version.clone(),
        });
        snapshot.bytes_used_for_cache = Some("0".into());
        snapshot.crypto_key_id = cache.crypto_key_id.clone();
        snapshot.complete_new(cx, name);
        snapshot
    }

    /// Sets what the service sets on a new snapshot that a caller takes.
    fn complete_new(&mut self, cx: &Tx<'_>, name: Text) {
        self.serverless_cache_snapshot_name = Some(name);
        self.arn = own_arn(self, cx.scope());
        self.create_time = Some(cx.now());
        self.expiry_time = None;
        self.status = Some(ServerlessCacheSnapshotStatus::Creating);
        self.snapshot_type = Some(ServerlessCacheSnapshotType::Manual);
        fill_cache_name(self);
    }

    fn is_automatic(&self) -> bool {
        self.snapshot_type == Some(ServerlessCacheSnapshotType::Automated)
    }

    /// Refuses a snapshot that is not available; `field` is the parameter with its name.
    fn check_available(&self, field: &str) -> Result<()> {
        if self.status == Some(ServerlessCacheSnapshotStatus::Available) {
            return Ok(());
        }
        let error = errors::serverless_snapshot_not_available(self.own_name(), self.status_text());
        Err(error.with_field(field))
    }

    fn status_text(&self) -> &str {
        self.status.as_ref().map(ServerlessCacheSnapshotStatus::as_str).unwrap_or_default()
    }
}

/// Finds a snapshot by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<ServerlessCacheSnapshot>> {
    ServerlessCacheSnapshot::find_by(cx, &[name])
}

/// Finds a snapshot by its name, in any case, or refuses; `field` is the parameter with the name.
fn require(cx: &Tx<'_>, name: &str, field: &str) -> Result<ServerlessCacheSnapshot> {
    find(cx, name)?.ok_or_else(|| errors::serverless_snapshot_not_found(name).with_field(field))
}

/// Returns the name of a new snapshot as it is stored, or refuses; `field` is the parameter with the name.
fn read_new_name(cx: &Tx<'_>, name: &str, field: &str) -> Result<Text> {
    let name = identifier::read(name, field, MAX_NAME_LENGTH)?;
    match find(cx, &name)? {
        Some(_) => Err(errors::serverless_snapshot_exists(&name).with_field(field)),
        None => Ok(name),
    }
}

/// Refuses one more snapshot with the data of a cache than callers can take within 24 hours.
fn check_quota(cx: &Tx<'_>, cache: &str) -> Result<()> {
    let day_ago = cx.now() - SignedDuration::from_hours(24);
    let is_counted = |snapshot: &&ServerlessCacheSnapshot| {
        !snapshot.is_automatic() && snapshot.create_time.is_some_and(|time| time > day_ago)
    };
    if cx.has_quotas() && of_cache(cx, cache)?.iter().filter(is_counted).count() >= MAX_MANUAL_PER_DAY {
        return Err(errors::too_many_serverless_snapshots());
    }
    Ok(())
}

/// Returns the snapshots of a cache.
fn of_cache(cx: &Tx<'_>, cache: &str) -> Result<Vec<ServerlessCacheSnapshot>> {
    let mut all: Vec<ServerlessCacheSnapshot> = cx.all(&ServerlessCacheSnapshot::table(cx.scope()))?;
    all.retain(|snapshot| snapshot.serverless_cache_name.as_deref() == Some(cache));
    Ok(all)
}

/// Takes the last snapshot of a cache that is deleted.
pub(super) fn take_final(cx: &mut Tx<'_>, cache: &ServerlessCache, name: &str) -> Result<()> {
    let name = read_new_name(cx, name, "FinalSnapshotName")?;
    check_quota(cx, cache.own_name())?;
    let snapshot = ServerlessCacheSnapshot::of_cache(cx, cache, name);
    check_key(cx, snapshot.own_arn(), snapshot.crypto_key_id.as_deref())?;
    cx.put_and_schedule_transition(snapshot)
}

/// Refuses an ARN of a snapshot that cannot be restored to a cache with this engine.
pub(super) fn check_restorable(cx: &Tx<'_>, arn: &str, engine: &str) -> Result<()> {
    let field = "SnapshotArnsToRestore";
    let Some(name) = ServerlessCacheSnapshot::read_arn(arn).map(|names| names.concat()) else {
        return Err(errors::serverless_snapshot_arn_invalid(arn).with_field(field));
    };
    let found = find(cx, &name)?.filter(|_| cx.scope().owns(arn));
    let snapshot = found.ok_or_else(|| errors::restored_snapshot_missing(arn).with_field(field))?;
    if snapshot.status != Some(ServerlessCacheSnapshotStatus::Available) {
        return Err(errors::restored_snapshot_unavailable(arn, snapshot.status_text()).with_field(field));
    }
    let settings = snapshot.serverless_cache_configuration.as_ref();
    if settings.and_then(|settings| settings.engine.as_deref()) != Some(engine) {
        return Err(errors::snapshot_engine_differs(&name, engine).with_field(field));
    }
    Ok(())
}

async fn find_cache(snapshot: &ServerlessCacheSnapshot) -> Result<Option<ServerlessCache>> {
    let Some(name) = &snapshot.serverless_cache_name else { return Ok(None) };
    ServerlessCache::objects(snapshot.require_session()?).get(name.clone()).await
}
