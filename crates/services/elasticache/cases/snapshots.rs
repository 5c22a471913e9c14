//! Snapshots of clusters: manual, copied, last, automatic, restored.

use super::World;
use nephos_core::{Result, Session, prelude::*};
use nephos_elasticache::{
    CacheCluster, CacheSnapshot, CacheSnapshotManager, CopySnapshot, CreateCacheCluster,
    CreateReplicationGroup, CreateSnapshot, DeleteCacheCluster, DeleteReplicationGroup, DescribeSnapshots,
    ModifyCacheCluster, ReplicationGroup, errors,
};
use nephos_testing::{ask, names};

const DAY: i64 = 24 * 3600 * 1000;

fn snapshots(session: &Session) -> CacheSnapshotManager {
    CacheSnapshot::objects(session)
}

fn create_cluster(session: &Session, id: &str, engine: &str) -> Result<()> {
    let create = CreateCacheCluster::new(id).engine(engine).cache_node_type("cache.t4g.micro");
    ask(session, create.snapshot_window("05:00-06:00").preferred_maintenance_window("sun:01:00-sun:02:00"))?;
    Ok(())
}

fn request(name: &str, cluster: &str) -> CreateSnapshot {
    CreateSnapshot::new(name).cache_cluster_id(cluster)
}

pub(super) fn snapshots_are_taken_copied_restored_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    create_cluster(&session, "web", "redis")?;
    let model = CacheSnapshot::builder().snapshot_name("One").cache_cluster_id("web").build()?;
    let taken = snapshots(&session).create(&model).tags([("team", "web")]).wait()?;
    assert_eq!((taken.require_name()?, taken.snapshot_status()), ("one", Some("creating")));
    let found = snapshots(&session).get("one").wait()?.unwrap();
    assert_eq!((found.snapshot_status(), found.snapshot_source()), (Some("available"), Some("manual")));
    assert_eq!((found.engine(), found.port()), (Some("redis"), Some(6379)));
    assert_eq!(found.cache_cluster().wait()?.unwrap().require_name()?, "web");
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let error =
        world.refused(&errors::SNAPSHOT_EXISTS, "SnapshotName", || ask(&session, request("one", "web")));
    assert_eq!(error.message(), "Snapshot one already exists.");
    world.refused(&errors::INVALID_COMBINATION, "CacheClusterId", || {
        ask(&session, CreateSnapshot::new("two"))
    });
    world.refused(&errors::CLUSTER_NOT_FOUND, "CacheClusterId", || ask(&session, request("two", "none")));
    ask(&session, CopySnapshot::new("one", "two"))?;
    world.refused(&errors::INVALID, "TargetBucket", || {
        ask(&session, CopySnapshot::new("one", "three").target_bucket("bucket"))
    });
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "SourceSnapshotName", || {
        ask(&session, CopySnapshot::new("none", "three"))
    });
    assert_eq!(names(&snapshots(&session).list().results().all().wait()?)?, ["one", "two"]);
    ask(&session, CreateCacheCluster::new("copy").snapshot_name("two"))?;
    let copy = CacheCluster::objects(&session).get("copy").wait()?.unwrap();
    assert_eq!((copy.engine(), copy.cache_node_type()), (Some("redis"), Some("cache.t4g.micro")));
    world.refused(&errors::INVALID_COMBINATION, "Engine", || {
        ask(&session, CreateCacheCluster::new("other").snapshot_name("two").engine("valkey"))
    });
    snapshots(&session).delete("one").wait()?;
    let error = world.refused(&errors::SNAPSHOT_NOT_FOUND, "SnapshotName", || {
        ask(&session, DescribeSnapshots::new().snapshot_name("one"))
    });
    assert_eq!(error.message(), "Snapshot one not found.");
    Ok(())
}

pub(super) fn last_snapshot_outlives_the_cluster(world: &World) -> Result<()> {
    let session = world.session();
    create_cluster(&session, "web", "redis")?;
    create_cluster_without_window(&session)?;
    world.refused(&errors::SNAPSHOT_FEATURE, "FinalSnapshotIdentifier", || {
        ask(&session, DeleteCacheCluster::new("plain").final_snapshot_identifier("last"))
    });
    let deleted = ask(&session, DeleteCacheCluster::new("web").final_snapshot_identifier("last"))?;
    assert_eq!(deleted.cache_cluster().unwrap().cache_cluster_status(), Some("snapshotting"));
    assert_eq!(CacheCluster::objects(&session).get("web").wait()?, None);
    assert_eq!(snapshots(&session).get("last").wait()?.unwrap().snapshot_status(), Some("available"));
    let of = |id: &str| ask(&session, DescribeSnapshots::new().cache_cluster_id(id));
    assert_eq!(of("WEB")?.snapshots().unwrap().len(), 1, "a deleted cluster is known by its snapshot");
    assert_eq!(of("plain")?.snapshots().unwrap().len(), 0);
    let error = world.refused(&errors::CLUSTER_NOT_FOUND, "CacheClusterId", || of("none"));
    assert_eq!(error.message(), "CacheCluster not found: none");
    Ok(())
}

fn create_cluster_without_window(session: &Session) -> Result<()> {
    ask(session, CreateCacheCluster::new("plain").engine("memcached").cache_node_type("cache.t4g.micro"))?;
    Ok(())
}

pub(super) fn automatic_snapshots_follow_the_window(world: &World) -> Result<()> {
    let session = world.session();
    create_cluster(&session, "web", "redis")?;
    world.advance(DAY)?;
    assert_eq!(snapshots(&session).list().results().count().wait()?, 0, "no retention");
    ask(&session, ModifyCacheCluster::new("web").snapshot_retention_limit(2))?;
    world.advance(DAY)?;
    let all = snapshots(&session).list().snapshot_source("system").results().all().wait()?;
    assert_eq!(all.len(), 1);
    assert!(
        all[0].require_name()?.starts_with("automatic.web-") && all[0].require_name()?.ends_with("-05-00")
    );
    world.advance(5 * DAY)?;
    assert_eq!(snapshots(&session).list().results().count().wait()?, 2, "older ones are removed");
    assert_eq!(snapshots(&session).list().snapshot_source("user").results().count().wait()?, 0);
    ask(&session, DeleteCacheCluster::new("web"))?;
    world.advance(DAY)?;
    assert_eq!(snapshots(&session).list().results().count().wait()?, 0, "they go with the cluster");
    Ok(())
}

pub(super) fn replication_groups_are_saved_and_restored(world: &World) -> Result<()> {
    let session = world.session();
    let request = |id: &str| CreateReplicationGroup::new(id, "web");
    let create =
        request("web").cache_node_type("cache.t4g.micro").num_node_groups(2).replicas_per_node_group(1);
    ask(&session, create)?;
    ask(&session, CreateSnapshot::new("one").replication_group_id("web"))?;
    let describe = DescribeSnapshots::new().snapshot_name("one").show_node_group_config(true);
    let found = ask(&session, describe)?;
    let found = &found.snapshots().unwrap()[0];
    assert_eq!((found.replication_group_id(), found.num_node_groups()), (Some("web"), Some(2)));
    let shard = found.node_snapshots().unwrap()[1].node_group_configuration().unwrap();
    assert_eq!((shard.node_group_id(), shard.replica_count()), (Some("0002"), Some(1)));
    ask(&session, DeleteReplicationGroup::new("web").final_snapshot_identifier("last"))?;
    assert_eq!(snapshots(&session).get("last").wait()?.unwrap().snapshot_status(), Some("available"));
    ask(&session, request("copy").snapshot_name("last"))?;
    let copy = ReplicationGroup::objects(&session).get("copy").wait()?.unwrap();
    assert_eq!(copy.node_groups().unwrap().len(), 2);
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "SnapshotName", || {
        ask(&session, request("other").snapshot_name("none"))
    });
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "ServerlessCacheSnapshotName", || {
        ask(&session, request("other").serverless_cache_snapshot_name("none"))
    });
    Ok(())
}
