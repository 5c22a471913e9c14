//! Service updates and their actions on clusters and replication groups.

use super::World;
use nephos_core::{Result, Session};
use nephos_elasticache::{
    BatchApplyUpdateAction, BatchStopUpdateAction, CacheCluster, CreateCacheCluster, CreateReplicationGroup,
    DeleteCacheCluster, DescribeServiceUpdates, DescribeUpdateActions, NodeUpdateStatus, ServiceUpdateStatus,
    SlaMet, TimeRangeFilter, UpdateAction, UpdateActionStatus, errors,
};
use nephos_testing::{DAY, HOUR, ask};

const OLD: &str = "elasticache-20240603-001";
const NEW: &str = "elasticache-20260131-001";
const NEXT: &str = "elasticache-20270301-001";

/// Creates a cluster of redis, one of memcached and a replication group, and advances the clock beyond the release of an update.
fn create_before_release(world: &World, session: &Session) -> Result<()> {
    let cluster =
        |id: &str, engine| CreateCacheCluster::new(id).engine(engine).cache_node_type("cache.t4g.micro");
    ask(session, cluster("api", "redis"))?;
    ask(session, cluster("web", "memcached").num_cache_nodes(2))?;
    let group = CreateReplicationGroup::new("store", "store").cache_node_type("cache.t4g.micro");
    ask(session, group.num_node_groups(2).replicas_per_node_group(1))?;
    world.advance(HOUR)
}

fn actions(session: &Session, request: DescribeUpdateActions) -> Result<Vec<UpdateAction>> {
    Ok(ask(session, request)?.update_actions().unwrap().to_vec())
}

/// Targets, status and number of updated nodes of the actions.
fn summary(session: &Session, request: DescribeUpdateActions) -> Result<Vec<String>> {
    let line = |action: &UpdateAction| {
        let id = action.replication_group_id().or(action.cache_cluster_id()).unwrap();
        let status = action.update_action_status().unwrap();
        format!("{id} {status} {}", action.nodes_updated().unwrap())
    };
    Ok(actions(session, request)?.iter().map(line).collect())
}

pub(super) fn service_updates_are_listed_from_their_release_on(world: &World) -> Result<()> {
    let session = world.session();
    let names = |request: DescribeServiceUpdates| -> Result<Vec<String>> {
        let found = ask(&session, request)?;
        let names = found.service_updates().unwrap().iter();
        Ok(names.map(|update| update.service_update_name().unwrap().to_owned()).collect())
    };
    let request = DescribeServiceUpdates::new;
    assert_eq!(names(request())?, [OLD]);
    world.refused(&errors::SERVICE_UPDATE_NOT_FOUND, "ServiceUpdateName", || {
        ask(&session, request().service_update_name(NEW))
    });
    world.advance(HOUR)?;
    assert_eq!(names(request())?, [NEW, OLD], "the newest first");
    assert_eq!(names(request().service_update_status([ServiceUpdateStatus::Available]))?, [NEW]);
    assert_eq!(names(request().service_update_status([ServiceUpdateStatus::Expired]))?, [OLD]);
    assert_eq!(names(request().service_update_status([ServiceUpdateStatus::Cancelled]))?.len(), 0);
    let found = ask(&session, request().service_update_name(NEW))?;
    let update = &found.service_updates().unwrap()[0];
    assert_eq!(update.engine(), Some("redis, valkey"));
    assert_eq!(update.engine_version(), Some("redis 5.0.6 and onwards, valkey 7.2 and onwards"));
    assert_eq!(update.service_update_release_date().unwrap().to_string(), "2026-01-31T12:30:00Z");
    let due = update.service_update_recommended_apply_by_date().unwrap();
    assert_eq!(due.to_string(), "2026-03-02T12:29:59Z");
    assert_eq!(update.service_update_end_date().unwrap().to_string(), "2027-01-31T12:29:59Z");
    world.advance(400 * DAY)?;
    assert_eq!(CacheCluster::objects(&session).service_updates().wait()?.len(), 3);
    assert_eq!(names(request().service_update_status([ServiceUpdateStatus::Available]))?, [NEXT]);
    Ok(())
}

pub(super) fn update_actions_are_filtered(world: &World) -> Result<()> {
    let session = world.session();
    create_before_release(world, &session)?;
    let new = CreateCacheCluster::new("new").engine("valkey").cache_node_type("cache.t4g.micro");
    ask(&session, new)?;
    let request = DescribeUpdateActions::new;
    let all = ["new complete 1/1", "store not-applied 0/4", "api not-applied 0/1"];
    assert_eq!(summary(&session, request())?, all, "memcached has no action");
    assert_eq!(summary(&session, request().engine("valkey"))?, all[..1]);
    assert_eq!(summary(&session, request().cache_cluster_ids(["API", "none"]))?, all[2..]);
    let both = request().replication_group_ids(["store"]).cache_cluster_ids(["api"]);
    assert_eq!(summary(&session, both)?, all[1..]);
    assert_eq!(summary(&session, request().service_update_name(NEW))?, all);
    assert_eq!(summary(&session, request().service_update_name(OLD))?.len(), 0, "it ended before");
    let complete = request().update_action_status([UpdateActionStatus::Complete]);
    assert_eq!(summary(&session, complete)?, all[..1]);
    let expired = request().service_update_status([ServiceUpdateStatus::Expired]);
    assert_eq!(summary(&session, expired)?.len(), 0);
    let release = actions(&session, request())?[0].service_update_release_date().unwrap();
    let range = TimeRangeFilter::builder();
    let since = request().service_update_time_range(range.start_time(release).build()?);
    assert_eq!(summary(&session, since)?, all);
    let until = TimeRangeFilter::builder().end_time(release - nephos_core::SignedDuration::from_secs(1));
    assert_eq!(summary(&session, request().service_update_time_range(until.build()?))?.len(), 0);
    let store = actions(&session, request().show_node_level_update_status(true))?[1].clone();
    assert_eq!((store.engine(), store.sla_met()), (Some("redis"), Some(&SlaMet::NA)));
    let shards = store.node_group_update_status().unwrap();
    let node = &shards[1].node_group_member_update_status().unwrap()[0];
    assert_eq!((shards[1].node_group_id(), node.cache_cluster_id()), (Some("0002"), Some("store-0002-002")));
    assert_eq!(node.node_update_status(), Some(&NodeUpdateStatus::NotApplied));
    assert_eq!(actions(&session, request())?[1].node_group_update_status(), None);
    Ok(())
}

pub(super) fn update_is_applied_to_clusters_and_groups(world: &World) -> Result<()> {
    let session = world.session();
    create_before_release(world, &session)?;
    let apply = || BatchApplyUpdateAction::new(NEW);
    world.refused(&errors::INVALID, "ReplicationGroupIds", || ask(&session, apply()));
    world.refused(&errors::SERVICE_UPDATE_NOT_FOUND, "ServiceUpdateName", || {
        ask(&session, BatchApplyUpdateAction::new(NEXT).cache_cluster_ids(["api"]))
    });
    let given = apply().replication_group_ids(["store", "none"]);
    let result = ask(&session, given.cache_cluster_ids(["api", "api", "web", "store-0001-001", "none"]))?;
    let processed = result.processed_update_actions().unwrap();
    assert_eq!((processed.len(), processed[0].replication_group_id()), (2, Some("store")));
    assert_eq!(processed[1].cache_cluster_id(), Some("api"));
    assert_eq!(processed[1].update_action_status(), Some(&UpdateActionStatus::WaitingToStart));
    let errors: Vec<_> = result.unprocessed_update_actions().unwrap().iter().collect();
    let types: Vec<_> = errors.iter().map(|error| error.error_type().unwrap()).collect();
    assert_eq!(
        types,
        [
            "ReplicationGroupNotFoundFault",
            "InvalidParameterValue",
            "InvalidParameterValue",
            "InvalidParameterValue",
            "CacheClusterNotFound"
        ]
    );
    let twice = format!("The action of service update {NEW} for api has status waiting-to-start.");
    assert_eq!(errors[1].error_message(), Some(twice.as_str()));
    let request = DescribeUpdateActions::new;
    assert_eq!(summary(&session, request())?, ["store complete 4/4", "api complete 1/1"]);
    let api = &actions(&session, request().show_node_level_update_status(true))?[1];
    assert_eq!(api.sla_met(), Some(&SlaMet::Yes));
    assert_eq!(
        api.cache_node_update_status().unwrap()[0].node_update_status(),
        Some(&NodeUpdateStatus::Complete)
    );
    let stop = ask(&session, BatchStopUpdateAction::new(NEW).cache_cluster_ids(["api"]))?;
    assert_eq!(stop.processed_update_actions().unwrap().len(), 0);
    assert_eq!(stop.unprocessed_update_actions().unwrap()[0].error_type(), Some("InvalidParameterValue"));
    // A new cluster with the same ID has an action of its own.
    ask(&session, DeleteCacheCluster::new("api"))?;
    assert_eq!(summary(&session, request())?, ["store complete 4/4"]);
    world.advance(400 * DAY)?;
    let late = ask(&session, BatchApplyUpdateAction::new(NEXT).cache_cluster_ids(["web"]))?;
    assert_eq!(late.processed_update_actions().unwrap().len(), 1);
    Ok(())
}

pub(super) fn expired_update_is_not_applied(world: &World) -> Result<()> {
    let session = world.session();
    create_before_release(world, &session)?;
    world.advance(400 * DAY)?;
    let found = actions(&session, DescribeUpdateActions::new().service_update_name(NEW))?;
    assert_eq!(found[0].service_update_status(), Some(&ServiceUpdateStatus::Expired));
    assert_eq!(found[0].sla_met(), Some(&SlaMet::No));
    let result = ask(&session, BatchApplyUpdateAction::new(NEW).cache_cluster_ids(["api"]))?;
    let error = &result.unprocessed_update_actions().unwrap()[0];
    let text = format!("Service update {NEW} is expired.");
    assert_eq!(error.error_message(), Some(text.as_str()));
    Ok(())
}
