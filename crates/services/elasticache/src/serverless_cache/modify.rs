//! Changes of serverless caches.

use super::{
    CacheUsageLimits, MAX_NAME_LENGTH, ServerlessCache, ServerlessCacheManager, ServerlessCacheStatus,
    engine::Engine, placement, require, snapshots::automatic,
};
use crate::{
    errors,
    event::{self, CacheChange, Source},
    identifier, user_group,
};
use nephos_cloud::{Handler, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType, operation, record_of};

/// Changes one setting of a serverless cache. It has an effect when the cache is available again.
#[operation(
    of = ServerlessCache, call = "update", changes, needs(serverless_cache_name), takes(changeable), except(tags),
    wraps(serverless_cache), effect = write,
    subject = "serverlesscache:{ServerlessCacheName} + UserGroupId? usergroup:{UserGroupId}"
)]
pub struct ModifyServerlessCache {
    /// True to remove the user group.
    pub remove_user_group: Option<bool>,
}

/// Row of a change that has no effect yet.
#[record_of(
    of = ServerlessCache,
    takes(
        serverless_cache_name, description, engine, major_engine_version, security_group_ids, user_group_id,
        snapshot_retention_limit, daily_snapshot_time
    ),
    row
)]
pub(crate) struct ServerlessChangeRow {
    /// All limits of the usage after the change, if they change.
    limits: Option<CacheUsageLimits>,
    /// True if no limit is left.
    remove_limits: Option<bool>,
    /// True if the user group is removed.
    remove_user_group: Option<bool>,
    /// ARNs of the snapshots that a new cache is restored from.
    restored_snapshot_arns: Option<Vec<Text>>,
}

nephos_cloud::stored!(ServerlessChangeRow in "elasticache/serverless-change" by serverless_cache_name);

impl ModifyServerlessCache {
    /// Refuses a request that changes nothing, or more than one setting. Engine and version are one, and so are the user group and
    /// its removal.
    fn check_count(&self) -> Result<()> {
        let removes = self.remove_user_group == Some(true);
        if removes && self.user_group_id.is_some() {
            return Err(errors::user_group_given_and_removed().with_field("RemoveUserGroup"));
        }
        let given = [
            self.description.is_some(),
            self.cache_usage_limits.is_some(),
            self.user_group_id.is_some() || removes,
            self.security_group_ids.is_some(),
            self.snapshot_retention_limit.is_some(),
            self.daily_snapshot_time.is_some(),
            self.engine.is_some() || self.major_engine_version.is_some(),
        ];
        match given.into_iter().filter(|is_given| *is_given).count() {
            0 => Err(errors::nothing_to_modify()),
            1 => Ok(()),
            _ => Err(errors::several_modifications()),
        }
    }
}

impl Handler for ModifyServerlessCache {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.serverless_cache_name, "ServerlessCacheName", MAX_NAME_LENGTH)?;
        self.check_count()?;
        let mut cache = require(cx, &name)?;
        cache.check_available()?;
        let limits = self.cache_usage_limits.take();
        let description = self.description.take();
        let removes_user_group = self.remove_user_group;
        let mut change = ServerlessChangeRow::from_given(self);
        change.serverless_cache_name = Some(name);
        // An empty description removes the one before, when the change ends.
        change.description = description;
        change.remove_user_group = removes_user_group;
        if let Some(limits) = limits {
            change.limits = limits.applied_to(cache.cache_usage_limits.as_ref())?;
            change.remove_limits = Some(change.limits.is_none());
        }
        if change.engine.is_some() || change.major_engine_version.is_some() {
            let engine = cache.current_engine()?;
            let engine = engine.change(change.engine.as_deref(), change.major_engine_version.as_deref())?;
            change.engine = engine.name_text();
            change.major_engine_version = Some(engine.major.into());
        }
        let groups = change.security_group_ids.clone().unwrap_or_default();
        if change.security_group_ids.is_some() {
            placement::check_new_groups(cx, &cache, &groups)?;
        }
        change.check_settings(cx, &cache)?;
        // Neither the groups before the change nor those after it can be deleted until it ends.
        placement::attach(cx, &cache, &groups)?;
        cx.put(change)?;
        cache.status = Some(ServerlessCacheStatus::Modifying);
        cx.put_and_schedule_transition(cache.clone())?;
        Ok(cache.into())
    }
}

impl ServerlessChangeRow {
    /// Refuses a malformed time of snapshots, and a user group that the cache cannot have.
    fn check_settings(&self, cx: &Tx<'_>, cache: &ServerlessCache) -> Result<()> {
        let mut changed = cache.clone();
        changed.daily_snapshot_time = self.daily_snapshot_time.clone();
        changed.check_snapshot_time()?;
        changed.user_group_id = self.user_group_id.clone();
        changed.check_user_group(cx)
    }
}

impl ServerlessCache {
    fn current_engine(&self) -> Result<Engine> {
        Engine::find(self.own_engine(), self.major_engine_version.as_deref())
    }
}

/// Removes the row of a change that ends, and returns it.
fn take_change(cache: &ServerlessCache, cx: &mut Tx<'_>) -> Result<Option<ServerlessChangeRow>> {
    let key = ServerlessChangeRow::table(cx.scope()).text(cache.own_name());
    let change = cx.get::<ServerlessChangeRow>(&key)?;
    change.iter().try_for_each(|change| cx.remove(change))?;
    Ok(change)
}

/// Notes the snapshots that a new cache is restored from, until it is created.
pub(super) fn put_restored(cx: &mut Tx<'_>, cache: &ServerlessCache, arns: Vec<Text>) -> Result<()> {
    if arns.is_empty() {
        return Ok(());
    }
    let serverless_cache_name = cache.serverless_cache_name.clone();
    let restored_snapshot_arns = Some(arns);
    cx.put(ServerlessChangeRow {
        serverless_cache_name,
        restored_snapshot_arns,
        ..ServerlessChangeRow::blank()
    })
}

/// Ends the creation of a cache.
pub(super) fn complete_creation(cache: &mut ServerlessCache, cx: &mut Tx<'_>) -> Result<()> {
    let restored =
        take_change(cache, cx)?.and_then(|change| change.restored_snapshot_arns).unwrap_or_default();
    let outcome = if restored.is_empty() {
        "is created and ready to use."
    } else {
        "is created and data was restored from snapshot. Your cache is ready to use."
    };
    let source = Source::Cache(cache, CacheChange::Created, &restored);
    event::write(cx, source, format!("Cache {} {outcome}", cache.own_name()))
}

impl ServerlessChangeRow {
    /// The setting that changes, as events name it.
    fn setting(&self) -> &'static str {
        let settings = [
            ("Limits", self.remove_limits.is_some()),
            ("SecurityGroups", self.security_group_ids.is_some()),
            ("UserGroup", self.user_group_id.is_some() || self.remove_user_group == Some(true)),
            ("Description", self.description.is_some()),
            ("SnapshotRetentionLimit", self.snapshot_retention_limit.is_some()),
            ("DailySnapshotTime", self.daily_snapshot_time.is_some()),
        ];
        settings.into_iter().find(|(_, is_changed)| *is_changed).map_or("Engine", |(setting, _)| setting)
    }
}

/// Carries out the change of a cache that becomes available again.
pub(super) fn complete(cache: &mut ServerlessCache, cx: &mut Tx<'_>) -> Result<()> {
    let Some(mut change) = take_change(cache, cx)? else { return Ok(()) };
    let setting = change.setting();
    let user_group = cache.user_group_id.clone();
    if change.remove_user_group == Some(true) {
        cache.user_group_id = None;
    }
    if let Some(removes) = change.remove_limits {
        cache.cache_usage_limits = change.limits.take().filter(|_| !removes);
    }
    cache.take_given(&mut change);
    cache.put_engine(cache.current_engine()?);
    placement::attach(cx, cache, &[])?;
    user_group::move_cache(cx, cache.own_name(), user_group.as_deref(), cache.user_group_id.as_deref())?;
    let source = Source::Cache(cache, CacheChange::Updated, &[]);
    event::write(cx, source, format!("{setting} updated for the cache {}.", cache.own_name()))?;
    automatic::schedule(cx, cache)
}
