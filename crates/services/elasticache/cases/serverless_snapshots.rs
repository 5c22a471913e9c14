//! Snapshots of serverless caches: taken by callers and by the clock, copied, restored and deleted.

use super::{
    World,
    serverless_caches::{create, get},
};
use nephos_core::{Result, Session, prelude::*};
use nephos_elasticache::{
    AddTagsToResource, CopyServerlessCacheSnapshot, CreateServerlessCache, CreateServerlessCacheSnapshot,
    DeleteServerlessCache, DeleteServerlessCacheSnapshot, DescribeServerlessCacheSnapshots,
    ModifyServerlessCache, ServerlessCache, ServerlessCacheSnapshot, ServerlessCacheSnapshotManager,
    ServerlessCacheSnapshotStatus, ServerlessCacheSnapshotType, StorageEncryptionType, errors,
};
use nephos_testing::{DAY, HOUR, ask, names};

fn snapshots(session: &Session) -> ServerlessCacheSnapshotManager {
    ServerlessCacheSnapshot::objects(session)
}

fn take(session: &Session, name: &str, cache: &str) -> Result<ServerlessCacheSnapshot> {
    let snapshot =
        ServerlessCacheSnapshot::builder().serverless_cache_snapshot_name(name).serverless_cache_name(cache);
    snapshots(session).create(&snapshot.build()?).tags([("team", "web")]).wait()
}

fn list(session: &Session) -> Result<Vec<String>> {
    names(&snapshots(session).list().results().all().wait()?)
}

pub(super) fn snapshot_lifecycle(world: &World) -> Result<()> {
    let session = world.session();
    let cache = create(&session, "web", "valkey")?;
    let created = take(&session, "Before-Release", "WEB")?;
    assert_eq!(created.require_name()?, "before-release", "names are kept in lower case");
    let arn = "arn:aws:elasticache:us-east-1:123456789012:serverlesscachesnapshot:before-release";
    assert_eq!(created.require_arn()?, arn);
    assert_eq!(created.status(), Some(&ServerlessCacheSnapshotStatus::Creating));
    let found = snapshots(&session).get("BEFORE-RELEASE").wait()?.unwrap();
    assert_eq!(found.status(), Some(&ServerlessCacheSnapshotStatus::Available));
    assert_eq!(found.snapshot_type(), Some(&ServerlessCacheSnapshotType::Manual));
    assert_eq!((found.expiry_time(), found.bytes_used_for_cache()), (None, Some("0")));
    let settings = found.serverless_cache_configuration().unwrap();
    assert_eq!(settings.serverless_cache_name(), Some("web"));
    assert_eq!((settings.engine(), settings.major_engine_version()), (Some("valkey"), Some("8")));
    assert_eq!(found.serverless_cache_name(), Some("web"));
    assert_eq!(found.serverless_cache().wait()?.unwrap().require_name()?, "web");
    assert_eq!(names(&cache.snapshots().wait()?)?, ["before-release"]);
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let tags = ask(&session, AddTagsToResource::new(arn, [("stage", "test")]))?;
    assert_eq!(tags.tag_list().unwrap().len(), 2);
    let deleted = ask(&session, DeleteServerlessCacheSnapshot::new("before-release"))?;
    let deleted = deleted.serverless_cache_snapshot().unwrap();
    assert_eq!(deleted.status(), Some(&ServerlessCacheSnapshotStatus::Deleting));
    assert_eq!(snapshots(&session).get("before-release").wait()?, None);
    Ok(())
}

pub(super) fn snapshots_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    take(&session, "one", "web")?;
    let field = "ServerlessCacheSnapshotName";
    for name in ["1a", "a--b", "a-", "automatic.web"] {
        world.refused(&errors::INVALID, field, || take(&session, name, "web"));
    }
    world.refused(&errors::SERVERLESS_SNAPSHOT_EXISTS, field, || take(&session, "ONE", "web"));
    let cache = "ServerlessCacheName";
    world.refused(&errors::SERVERLESS_CACHE_NOT_FOUND, cache, || take(&session, "two", "none"));
    let missing = &errors::SERVERLESS_SNAPSHOT_NOT_FOUND;
    world.refused(missing, field, || ask(&session, DeleteServerlessCacheSnapshot::new("none")));
    let describe = DescribeServerlessCacheSnapshots::new().serverless_cache_snapshot_name("none");
    world.refused(missing, field, || ask(&session, describe));
    let source = "SourceServerlessCacheSnapshotName";
    world.refused(missing, source, || ask(&session, CopyServerlessCacheSnapshot::new("none", "two")));
    let target = "TargetServerlessCacheSnapshotName";
    let copy = CopyServerlessCacheSnapshot::new("one", "one");
    world.refused(&errors::SERVERLESS_SNAPSHOT_EXISTS, target, || ask(&session, copy));
    let copy = CopyServerlessCacheSnapshot::new("one", "a--b");
    world.refused(&errors::INVALID, target, || ask(&session, copy));
    let delete = DeleteServerlessCache::new("web").final_snapshot_name("one");
    world.refused(&errors::SERVERLESS_SNAPSHOT_EXISTS, "FinalSnapshotName", || ask(&session, delete));
    Ok(())
}

pub(super) fn snapshots_are_copied(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    let key = world.crypto_key("copies");
    let one = take(&session, "one", "web")?;
    world.advance(HOUR)?;
    let copy = one.copy("Two").crypto_key_id(key.as_str()).wait()?;
    assert_eq!(copy.require_name()?, "two");
    let copy = snapshots(&session).get("two").wait()?.unwrap();
    assert_eq!(copy.crypto_key_id(), Some(key.as_str()));
    assert_eq!(copy.serverless_cache_name(), Some("web"));
    assert!(copy.create_time() > one.create_time());
    assert_eq!(copy.tags_map().wait()?.len(), 0, "tags are not copied");
    ask(&session, CopyServerlessCacheSnapshot::new("one", "three").tags([("team", "web")]))?;
    assert_eq!(snapshots(&session).get("three").wait()?.unwrap().tags_map().wait()?.len(), 1);
    assert_eq!(list(&session)?, ["one", "three", "two"]);
    Ok(())
}

pub(super) fn snapshots_have_the_key_of_the_cache(world: &World) -> Result<()> {
    let session = world.session();
    let (key, other) = (world.crypto_key("caches"), world.crypto_key("snapshots"));
    let cache = ServerlessCache::builder().serverless_cache_name("web").engine("redis");
    let cache = cache.crypto_key_id(key.as_str()).snapshot_retention_limit(1).build()?;
    ServerlessCache::objects(&session).create(&cache).wait()?;
    let cache = get(&session, "web")?;
    assert_eq!(cache.crypto_key_id(), Some(key.as_str()));
    assert_eq!(cache.storage_encryption_type(), Some(&StorageEncryptionType::SseKms));
    assert_eq!(take(&session, "one", "web")?.crypto_key_id(), Some(key.as_str()));
    ask(&session, CreateServerlessCacheSnapshot::new("two", "web").crypto_key_id(other.as_str()))?;
    assert_eq!(snapshots(&session).get("two").wait()?.unwrap().crypto_key_id(), Some(other.as_str()));
    world.advance(DAY)?;
    let automatic = snapshots(&session).get("automatic.web-2026-02-01-04-00").wait()?.unwrap();
    assert_eq!(automatic.crypto_key_id(), Some(key.as_str()));
    Ok(())
}

pub(super) fn snapshots_are_selected(world: &World) -> Result<()> {
    let session = world.session();
    for cache in ["api", "web"] {
        create(&session, cache, "redis")?;
        take(&session, &format!("{cache}-one"), cache)?;
    }
    ask(&session, ModifyServerlessCache::new("web").snapshot_retention_limit(1))?;
    world.advance(DAY)?;
    let select = |query: DescribeServerlessCacheSnapshots| {
        let found = ask(&session, query)?;
        names(found.serverless_cache_snapshots().unwrap())
    };
    let all = DescribeServerlessCacheSnapshots::new;
    assert_eq!(select(all())?, ["api-one", "automatic.web-2026-02-01-04-00", "web-one"]);
    assert_eq!(select(all().serverless_cache_name("API"))?, ["api-one"]);
    let automated = all().snapshot_type(ServerlessCacheSnapshotType::Automated);
    assert_eq!(select(automated)?, ["automatic.web-2026-02-01-04-00"]);
    let manual = all().snapshot_type(ServerlessCacheSnapshotType::Manual).serverless_cache_name("web");
    assert_eq!(select(manual)?, ["web-one"]);
    assert_eq!(select(all().serverless_cache_name("none"))?, [""; 0]);
    let first = ask(&session, all().max_results(1))?;
    let next = all().max_results(1).next_token(first.next_token().unwrap());
    assert_eq!(select(next)?, ["automatic.web-2026-02-01-04-00"]);
    Ok(())
}

pub(super) fn final_snapshot_outlives_the_cache(world: &World) -> Result<()> {
    let session = world.session();
    let cache = ServerlessCache::builder().serverless_cache_name("web").engine("redis");
    let cache = cache.snapshot_retention_limit(2).build()?;
    ServerlessCache::objects(&session).create(&cache).wait()?;
    world.advance(DAY)?;
    take(&session, "one", "web")?;
    assert_eq!(list(&session)?, ["automatic.web-2026-02-01-04-00", "one"]);
    ask(&session, DeleteServerlessCache::new("web").final_snapshot_name("Last"))?;
    assert_eq!(list(&session)?, ["last", "one"], "automatic snapshots are deleted with the cache");
    let last = snapshots(&session).get("last").wait()?.unwrap();
    assert_eq!(last.status(), Some(&ServerlessCacheSnapshotStatus::Available));
    assert_eq!(last.serverless_cache().wait()?, None);
    Ok(())
}

pub(super) fn automatic_snapshots_are_taken_and_expire(world: &World) -> Result<()> {
    let session = world.session();
    let cache = ServerlessCache::builder().serverless_cache_name("web").engine("redis");
    let cache = cache.snapshot_retention_limit(2).daily_snapshot_time("13:30").build()?;
    ServerlessCache::objects(&session).create(&cache).wait()?;
    assert_eq!(list(&session)?, [""; 0]);
    world.advance(2 * HOUR)?;
    assert_eq!(list(&session)?, ["automatic.web-2026-01-31-13-30"]);
    let first = snapshots(&session).get("automatic.web-2026-01-31-13-30").wait()?.unwrap();
    assert_eq!(first.snapshot_type(), Some(&ServerlessCacheSnapshotType::Automated));
    assert_eq!(first.expiry_time().unwrap().to_string(), "2026-02-02T13:30:00Z");
    world.advance(DAY)?;
    assert_eq!(list(&session)?, ["automatic.web-2026-01-31-13-30", "automatic.web-2026-02-01-13-30"]);
    world.advance(DAY)?;
    assert_eq!(list(&session)?, ["automatic.web-2026-02-01-13-30", "automatic.web-2026-02-02-13-30"]);
    let last = "automatic.web-2026-02-02-13-30";
    let kept = snapshots(&session).get(last).wait()?.unwrap().copy("kept").wait()?;
    assert_eq!(
        (kept.expiry_time(), kept.snapshot_type()),
        (None, Some(&ServerlessCacheSnapshotType::Manual))
    );
    ask(&session, DeleteServerlessCacheSnapshot::new(last))?;
    assert_eq!(list(&session)?, ["automatic.web-2026-02-01-13-30", "kept"]);
    Ok(())
}

pub(super) fn automatic_snapshots_follow_the_settings(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    let modify = || ModifyServerlessCache::new("web");
    world.advance(2 * DAY)?;
    assert_eq!(list(&session)?, [""; 0]);
    ask(&session, modify().snapshot_retention_limit(1))?;
    ask(&session, modify().daily_snapshot_time("20:15"))?;
    world.advance(DAY)?;
    assert_eq!(list(&session)?, ["automatic.web-2026-02-02-20-15"], "none at the time before");
    ask(&session, modify().snapshot_retention_limit(0))?;
    world.advance(2 * DAY)?;
    assert_eq!(list(&session)?, [""; 0]);
    ask(&session, modify().snapshot_retention_limit(1))?;
    get(&session, "web")?.delete().wait()?;
    world.advance(2 * DAY)?;
    assert_eq!(list(&session)?, [""; 0], "a deleted cache has no snapshots");
    Ok(())
}

pub(super) fn caches_are_restored_from_snapshots(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    let arn = take(&session, "one", "web")?.require_arn()?.to_owned();
    let restore = |engine: &str, arn: &str| {
        ask(&session, CreateServerlessCache::new("copy", engine).snapshot_arns_to_restore([arn]))
    };
    let field = "SnapshotArnsToRestore";
    world.refused(&errors::INVALID_COMBINATION, field, || restore("valkey", &arn));
    world.refused(&errors::INVALID, field, || restore("redis", &arn.replace(":one", ":two")));
    world.refused(&errors::INVALID, field, || restore("redis", &arn.replace("us-east-1", "eu-west-1")));
    world.refused(&errors::INVALID, field, || restore("redis", "arn:aws:s3:::bucket/key"));
    world.refused(&errors::INVALID, field, || restore("redis", "one"));
    restore("redis", &arn)?;
    assert_eq!(get(&session, "copy")?.engine(), Some("redis"));
    let model = ServerlessCache::builder().serverless_cache_name("other").engine("redis").build()?;
    ServerlessCache::objects(&session).create(&model).snapshot_arns_to_restore([arn.as_str()]).wait()?;
    Ok(())
}

pub(super) fn memcached_has_snapshots(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, CreateServerlessCache::new("web", "memcached").snapshot_retention_limit(1))?;
    world.advance(DAY)?;
    let automatic = list(&session)?;
    assert_eq!(automatic.len(), 1, "{automatic:?}");
    let taken = take(&session, "one", "web")?;
    let arn = taken.require_arn()?.to_owned();
    assert_eq!(taken.serverless_cache_configuration().unwrap().engine(), Some("memcached"));
    let restore =
        |engine: &str| CreateServerlessCache::new("copy", engine).snapshot_arns_to_restore([arn.as_str()]);
    let field = "SnapshotArnsToRestore";
    world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, restore("redis")));
    ask(&session, restore("memcached"))?;
    ask(&session, DeleteServerlessCache::new("web").final_snapshot_name("last"))?;
    assert_eq!(list(&session)?, ["last", "one"]);
    Ok(())
}

pub(super) fn quota_of_snapshots_is_enforced(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis")?;
    for number in 0..24 {
        take(&session, &format!("web-{number}"), "web")?;
    }
    world.refused(&errors::SERVERLESS_SNAPSHOT_QUOTA, None, || take(&session, "web-24", "web"));
    let copy = CopyServerlessCacheSnapshot::new("web-0", "web-24");
    world.refused(&errors::SERVERLESS_SNAPSHOT_QUOTA, None, || ask(&session, copy));
    world.advance(DAY)?;
    take(&session, "web-24", "web")?;
    Ok(())
}
