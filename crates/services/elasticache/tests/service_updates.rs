//! Service updates and events over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_elasticache::{
    BatchApplyUpdateAction, BatchStopUpdateAction, CreateCacheCluster, CreateReplicationGroup,
    DeleteCacheCluster, DescribeEvents, DescribeUpdateActions, UpdateAction,
};
use nephos_elasticache_cases::Cloud;
use nephos_testing::ask;

const UPDATE: &str = "elasticache-20260131-001";

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

fn action(session: &Session) -> Result<UpdateAction> {
    let request = DescribeUpdateActions::new().show_node_level_update_status(true);
    Ok(ask(session, request)?.update_actions().unwrap()[0].clone())
}

/// Status, number of updated nodes, and statuses of the nodes of the first shard.
fn summary(session: &Session) -> Result<String> {
    let action = action(session)?;
    let shard = &action.node_group_update_status().unwrap()[0];
    let nodes = shard.node_group_member_update_status().unwrap().iter();
    let nodes: Vec<_> = nodes.map(|node| node.node_update_status().unwrap().to_string()).collect();
    let status = action.update_action_status().unwrap();
    Ok(format!("{status} {}: {}", action.nodes_updated().unwrap(), nodes.join(" ")))
}

#[test]
fn nodes_are_updated_one_after_the_other() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    let create = CreateReplicationGroup::new("web", "web").cache_node_type("cache.t4g.micro");
    ask(&session, create.num_node_groups(2).replicas_per_node_group(1))?;
    advance(&cloud, 3600);
    assert_eq!(summary(&session)?, "not-applied 0/4: not-applied not-applied");
    let apply = || BatchApplyUpdateAction::new(UPDATE).replication_group_ids(["web"]);
    let stop = || BatchStopUpdateAction::new(UPDATE).replication_group_ids(["web"]);
    ask(&session, apply())?;
    assert_eq!(summary(&session)?, "waiting-to-start 0/4: waiting-to-start waiting-to-start");
    advance(&cloud, 60);
    assert_eq!(summary(&session)?, "in-progress 0/4: in-progress waiting-to-start");
    ask(&session, stop())?;
    assert_eq!(summary(&session)?, "stopping 0/4: stopping stopped");
    advance(&cloud, 60);
    assert_eq!(summary(&session)?, "stopped 2/4: complete stopped");
    assert_eq!(ask(&session, stop())?.unprocessed_update_actions().unwrap().len(), 1);
    advance(&cloud, 1800);
    ask(&session, apply())?;
    advance(&cloud, 60 + 1799);
    assert_eq!(summary(&session)?, "in-progress 2/4: complete in-progress");
    advance(&cloud, 1);
    assert_eq!(summary(&session)?, "complete 4/4: complete complete");
    let node = action(&session)?.node_group_update_status().unwrap()[0].clone();
    let [replica, primary] = node.node_group_member_update_status().unwrap() else { panic!("{node:?}") };
    assert_eq!(replica.cache_cluster_id(), Some("web-0001-002"), "the primary is the last");
    let length = primary.node_update_end_date().unwrap() - primary.node_update_start_date().unwrap();
    assert_eq!(length.get_seconds(), 1800);
    let events = ask(&session, DescribeEvents::new())?;
    let messages = events.events().unwrap().iter().map(|event| event.message().unwrap());
    assert_eq!(messages.filter(|message| *message == "Cache cluster patched").count(), 4);
    Ok(())
}

#[test]
fn events_are_written_when_changes_end() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    let count = || -> Result<usize> { Ok(ask(&session, DescribeEvents::new())?.events().unwrap().len()) };
    ask(&session, CreateCacheCluster::new("web").engine("redis").cache_node_type("cache.t4g.micro"))?;
    advance(&cloud, 299);
    assert_eq!(count()?, 0);
    advance(&cloud, 1);
    assert_eq!(count()?, 2, "the cluster and its node");
    ask(&session, DeleteCacheCluster::new("web"))?;
    advance(&cloud, 119);
    assert_eq!(count()?, 2);
    advance(&cloud, 1);
    assert_eq!(count()?, 3);
    Ok(())
}
