//! Operations that create, describe and delete serverless caches.

use super::{
    ConnectionType, MAX_NAME_LENGTH, ServerlessCache, ServerlessCacheManager, ServerlessCacheStatus,
    ServerlessPage, check_key, endpoint, engine,
    engine::Engine,
    find, modify, placement, require,
    snapshots::{self, automatic},
};
use crate::{
    Endpoint, StorageEncryptionType, errors,
    event::{self, CacheChange, Source},
    identifier, tagging, user_group,
};
use nephos_cloud::{DailyWindow, Handler, Quota, Stored, StoredResource, Tx, own_arn, tags::to_list};
use nephos_core::{Record, Result, Text, operation, with_tags};

/// Quota of serverless caches.
const CACHES: Quota = Quota { counter: "elasticache/serverless-caches", max: 40, what: "serverless caches" };

/// Creates a serverless cache.
#[operation(
    of = ServerlessCache, call = "create", model, overrides(tags), needs(serverless_cache_name, engine), takes(settable),
    wraps(serverless_cache), effect = write,
    subject = "serverlesscache:{ServerlessCacheName} + SnapshotArnsToRestore? {SnapshotArnsToRestore} \
        + UserGroupId? usergroup:{UserGroupId}", also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateServerlessCache {
    /// ARNs of snapshots of serverless caches with the same engine, whose data the cache starts with.
    #[field(item = "SnapshotArn")]
    pub snapshot_arns_to_restore: Option<Vec<Text>>,
}

impl Handler for CreateServerlessCache {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.serverless_cache_name, "ServerlessCacheName", MAX_NAME_LENGTH)?;
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        let engine = Engine::find(&self.engine, self.major_engine_version.as_deref())?;
        let restored = self.snapshot_arns_to_restore.take().unwrap_or_default();
        let mut cache = ServerlessCache::from_given(self);
        cache.serverless_cache_name = Some(name);
        cache.arn = own_arn(&cache, cx.scope());
        cache.tags = to_list(tags);
        cache.put_engine(engine);
        cache.check_connection(engine)?;
        if let Some(limits) = cache.cache_usage_limits.take() {
            cache.cache_usage_limits = limits.applied_to(None)?;
        }
        cache.check_snapshot_time()?;
        if find(cx, cache.own_name())?.is_some() {
            return Err(errors::serverless_cache_exists().with_field("ServerlessCacheName"));
        }
        cache.check_user_group(cx)?;
        for arn in &restored {
            snapshots::check_restorable(cx, arn, engine.name)?;
        }
        placement::place(cx, &mut cache)?;
        check_key(cx, cache.own_arn(), cache.crypto_key_id.as_deref())?;
        CACHES.add_one(cx, errors::too_many_serverless_caches)?;
        cache.complete_new(cx, engine);
        placement::attach(cx, &cache, &[])?;
        user_group::move_cache(cx, cache.own_name(), None, cache.user_group_id.as_deref())?;
        automatic::schedule(cx, &cache)?;
        modify::put_restored(cx, &cache, restored)?;
        cx.put_and_schedule_transition(cache.clone())?;
        Ok(cache.shown().into())
    }
}

impl ServerlessCache {
    /// Sets the engine and its versions.
    pub(super) fn put_engine(&mut self, engine: Engine) {
        self.engine = engine.name_text();
        self.major_engine_version = Some(engine.major.into());
        self.full_engine_version = Some(engine.full.into());
    }

    /// Refuses a public endpoint, which only newer versions have.
    fn check_connection(&self, engine: Engine) -> Result<()> {
        match self.connection_type {
            Some(ConnectionType::Public) => {
                let error = errors::connection_type_unsupported(engine.name, engine.major);
                Err(error.with_field("ConnectionType"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a malformed time of automatic snapshots.
    pub(super) fn check_snapshot_time(&self) -> Result<()> {
        match &self.daily_snapshot_time {
            Some(time) if DailyWindow::at(time).is_none() => {
                Err(errors::daily_snapshot_time_invalid(time).with_field("DailySnapshotTime"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a user group that does not exist, and one of an engine without user groups.
    pub(super) fn check_user_group(&self, cx: &Tx<'_>) -> Result<()> {
        let Some(id) = &self.user_group_id else { return Ok(()) };
        if !engine::has_user_groups(self.own_engine()) {
            let error = errors::serverless_user_group_unsupported(self.own_engine());
            return Err(error.with_field("UserGroupId"));
        }
        user_group::require(cx, id)?.check_active()
    }

    /// Sets what the service sets on a new cache: endpoints, time, status and defaults.
    fn complete_new(&mut self, cx: &Tx<'_>, engine: Engine) {
        let address = endpoint::new_address(cx, self.own_name());
        let (port, reader_port) = engine.ports();
        self.endpoint = Some(Endpoint::new(address.clone(), port));
        self.reader_endpoint = Some(Endpoint::new(address, reader_port));
        self.create_time = Some(cx.now());
        self.status = Some(ServerlessCacheStatus::Creating);
        self.storage_encryption_type = Some(match self.crypto_key_id {
            Some(_) => StorageEncryptionType::SseKms,
            None => StorageEncryptionType::SseElasticache,
        });
        self.connection_type.get_or_insert(ConnectionType::Vpc);
        self.snapshot_retention_limit.get_or_insert(0);
        self.daily_snapshot_time.get_or_insert_with(|| automatic::DEFAULT_TIME.into());
    }
}

/// Describes serverless caches, in order of their names.
#[operation(
    of = ServerlessCache, call = "list", page(serverless_caches, next_token), include(ServerlessPage),
    find(serverless_cache_name), with = with_tags, effect = read, access = list
)]
pub struct DescribeServerlessCaches {
    /// Name of one cache.
    pub serverless_cache_name: Option<Text>,
}

impl Handler for DescribeServerlessCaches {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let page = match &self.serverless_cache_name {
            Some(name) => cx.page_list(&self, [require(cx, name)?.shown()])?,
            None => {
                let caches = ServerlessCache::table(cx.scope());
                cx.page_rows(&self, &caches, |cache: ServerlessCache| Ok(Some(cache.shown())))?
            }
        };
        Ok(page.into())
    }
}

/// Deletes a serverless cache, with its automatic snapshots. A last snapshot can be taken.
#[operation(
    of = ServerlessCache, call = "delete", on_model, needs(serverless_cache_name), wraps(serverless_cache), effect = write,
    subject = "serverlesscache:{ServerlessCacheName} \
        + FinalSnapshotName? serverlesscachesnapshot:{FinalSnapshotName}"
)]
pub struct DeleteServerlessCache {
    /// Name of a snapshot that is taken before the deletion.
    #[field(length(1..))]
    pub final_snapshot_name: Option<Text>,
}

impl Handler for DeleteServerlessCache {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.serverless_cache_name, "ServerlessCacheName", MAX_NAME_LENGTH)?;
        let mut cache = require(cx, &name)?;
        cache.check_available()?;
        if let Some(name) = &self.final_snapshot_name {
            snapshots::take_final(cx, &cache, name)?;
        }
        cache.status = Some(ServerlessCacheStatus::Deleting);
        cx.put_and_schedule_transition(cache.clone())?;
        Ok(cache.into())
    }
}

/// Removes what belongs to a cache whose deletion ends.
pub(super) fn complete_deletion(cache: &mut ServerlessCache, cx: &mut Tx<'_>) -> Result<()> {
    placement::detach(cx, cache)?;
    user_group::move_cache(cx, cache.own_name(), cache.user_group_id.as_deref(), None)?;
    automatic::remove_all(cx, cache.own_name())?;
    let source = Source::Cache(cache, CacheChange::Deleted, &[]);
    event::write(cx, source, format!("Cache {} was deleted.", cache.own_name()))?;
    CACHES.remove_one(cx)
}
