//! States of replication groups over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_elasticache::{
    CacheCluster, CreateReplicationGroup, DeleteReplicationGroup, IncreaseReplicaCount,
    ModifyReplicationGroup, ModifyReplicationGroupShardConfiguration, ReplicationGroup, TestFailover, errors,
};
use nephos_elasticache_cases::Cloud;
use nephos_testing::ask;

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

fn request() -> CreateReplicationGroup {
    CreateReplicationGroup::new("web", "web").cache_node_type("cache.t4g.micro")
}

fn group(session: &Session) -> Result<ReplicationGroup> {
    Ok(ReplicationGroup::objects(session).get("web").wait()?.unwrap())
}

fn status(session: &Session) -> Result<String> {
    Ok(group(session)?.status().unwrap().to_owned())
}

fn primary(session: &Session) -> Result<String> {
    let group = group(session)?;
    let members = group.node_groups().unwrap()[0].node_group_members().unwrap();
    let found = members.iter().find(|member| member.current_role() == Some("primary"));
    Ok(found.unwrap().cache_cluster_id().unwrap().to_owned())
}

#[test]
fn group_is_created_changed_and_deleted_after_some_time() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    ask(&session, request().num_cache_clusters(2).automatic_failover_enabled(true))?;
    advance(&cloud, 299);
    assert_eq!(status(&session)?, "creating");
    for refused in [
        ask(&session, ModifyReplicationGroup::new("web").snapshot_retention_limit(1)).map(drop),
        ask(&session, DeleteReplicationGroup::new("web")).map(drop),
        ask(&session, TestFailover::new("web", "0001")).map(drop),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.code(), errors::REPLICATION_GROUP_STATE.code);
        assert_eq!(error.message(), "Replication group web is not in available state.");
    }
    advance(&cloud, 1);
    assert_eq!(status(&session)?, "available");
    ask(&session, TestFailover::new("web", "0001"))?;
    advance(&cloud, 119);
    assert_eq!((status(&session)?, primary(&session)?), ("modifying".into(), "web-001".into()));
    advance(&cloud, 1);
    assert_eq!((status(&session)?, primary(&session)?), ("available".into(), "web-002".into()));

    // A new replica takes longer than the change of the group, which waits for it.
    ask(&session, IncreaseReplicaCount::new("web", true).new_replica_count(2))?;
    advance(&cloud, 299);
    assert_eq!(status(&session)?, "modifying");
    advance(&cloud, 61);
    assert_eq!(status(&session)?, "available");

    ask(&session, DeleteReplicationGroup::new("web"))?;
    assert_eq!(status(&session)?, "deleting");
    advance(&cloud, 120);
    assert_eq!(ReplicationGroup::objects(&session).get("web").wait()?, None);
    assert_eq!(CacheCluster::objects(&session).list().results().all().wait()?.len(), 0);
    Ok(())
}

#[test]
fn slots_are_moved_after_some_time() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    ask(&session, request().num_node_groups(2))?;
    advance(&cloud, 300);
    let reshard = ModifyReplicationGroupShardConfiguration::new("web", 1, true);
    ask(&session, reshard.node_groups_to_remove(["0001"]))?;
    advance(&cloud, 60);
    let found = group(&session)?;
    let resharding = found.pending_modified_values().unwrap().resharding().unwrap();
    assert_eq!(resharding.slot_migration().unwrap().progress_percentage(), Some(50.0));
    assert_eq!(found.node_groups().unwrap()[0].slots(), Some("0-8191"));
    assert_eq!(found.node_groups().unwrap()[0].status(), Some("modifying"));
    advance(&cloud, 60);
    let found = group(&session)?;
    assert_eq!((found.status(), found.node_groups().unwrap().len()), (Some("available"), 1));
    assert_eq!(found.node_groups().unwrap()[0].slots(), Some("0-16383"));
    assert_eq!(found.member_clusters().unwrap(), ["web-0002-001"]);
    Ok(())
}
