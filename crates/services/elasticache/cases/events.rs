//! Events: what happened to clusters, groups, users and serverless caches.

use super::World;
use nephos_core::{Result, Session, Timestamp};
use nephos_elasticache::{
    CacheCluster, CreateCacheCluster, CreateCacheParameterGroup, CreateReplicationGroup,
    CreateServerlessCache, CreateServerlessCacheSnapshot, CreateSnapshot, CreateUser, DeleteCacheCluster,
    DeleteServerlessCache, DescribeEvents, Event, ModifyCacheCluster, ModifyCacheParameterGroup,
    ModifyServerlessCache, ParameterNameValue, RebootCacheCluster, SourceType, TestFailover, errors,
};
use nephos_testing::{DAY, HOUR, MINUTE, ask};

const NODE_TYPE: &str = "cache.t4g.micro";

/// Messages of the events of the last hour, the oldest first.
fn messages(session: &Session, request: DescribeEvents) -> Result<Vec<String>> {
    let found = ask(session, request)?;
    let texts = found.events().unwrap().iter().rev().map(|event| event.message().unwrap().to_owned());
    Ok(texts.collect())
}

fn of(source: SourceType) -> DescribeEvents {
    DescribeEvents::new().source_type(source)
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

pub(super) fn clusters_have_events(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, CreateCacheParameterGroup::new("small", "memcached1.6", "small"))?;
    let value = ParameterNameValue::builder().parameter_name("cas_disabled").parameter_value("1").build()?;
    ask(&session, ModifyCacheParameterGroup::new("small", [value]))?;
    let create = CreateCacheCluster::new("web").engine("memcached").cache_node_type(NODE_TYPE);
    let create = create.cache_parameter_group_name("small").preferred_availability_zone("us-east-1a");
    ask(&session, create)?;
    ask(&session, ModifyCacheCluster::new("web").num_cache_nodes(2).apply_immediately(true))?;
    let fewer = ModifyCacheCluster::new("web").num_cache_nodes(1).cache_node_ids_to_remove(["0002"]);
    ask(&session, fewer.apply_immediately(true))?;
    ask(&session, RebootCacheCluster::new("web", ["0001"]))?;
    ask(&session, DeleteCacheCluster::new("web"))?;
    assert_eq!(
        messages(&session, of(SourceType::CacheCluster).source_identifier("WEB"))?,
        [
            "Cache cluster created",
            "Updated to use a CacheParameterGroup small",
            "Added cache node 0001 in availability zone us-east-1a",
            "Increasing number of requested nodes",
            "Added cache node 0002 in availability zone us-east-1a",
            "Finished modifying number of nodes from 1 to 2",
            "Removed cache nodes 0002",
            "Cache node 0001 shutdown",
            "Cache node 0001 restarted",
            "Cache cluster deleted",
        ]
    );
    let changed = ["CacheParameterGroup small created", "Updated parameter cas_disabled to 1"];
    assert_eq!(messages(&session, of(SourceType::CacheParameterGroup))?, changed);
    assert_eq!(messages(&session, DescribeEvents::new().source_identifier("none"))?.len(), 0);
    assert_eq!(messages(&world.other_account(), DescribeEvents::new())?.len(), 0);
    assert_eq!(messages(&world.other_region(), DescribeEvents::new())?.len(), 0);
    Ok(())
}

pub(super) fn groups_users_and_snapshots_have_events(world: &World) -> Result<()> {
    let session = world.session();
    let create = CreateReplicationGroup::new("store", "store").cache_node_type(NODE_TYPE);
    ask(&session, create.num_cache_clusters(2).automatic_failover_enabled(true))?;
    ask(&session, TestFailover::new("store", "0001"))?;
    ask(&session, CreateSnapshot::new("one").replication_group_id("store"))?;
    assert_eq!(
        messages(&session, of(SourceType::ReplicationGroup))?,
        [
            "Replication group store created",
            "Automatic failover has been turned on for replication group store",
            "Test Failover API called for node group 0001",
            "Failover to replica node store-002 completed",
        ]
    );
    let of_clusters = messages(&session, of(SourceType::CacheCluster))?;
    let taken = "Snapshot succeeded for snapshot with ID 'one' of replication group with ID 'store'";
    assert_eq!(of_clusters.last().map(String::as_str), Some(taken));
    ask(&session, CreateUser::new("app", "app", "redis", "on").no_password_required(true))?;
    assert_eq!(messages(&session, of(SourceType::User))?, ["User app created"]);
    Ok(())
}

pub(super) fn serverless_caches_have_events(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, CreateServerlessCache::new("web", "redis"))?;
    ask(&session, CreateServerlessCacheSnapshot::new("one", "web"))?;
    ask(&session, ModifyServerlessCache::new("web").description("changed"))?;
    ask(&session, DeleteServerlessCache::new("web"))?;
    assert_eq!(
        messages(&session, of(SourceType::ServerlessCache))?,
        [
            "Cache web is created and ready to use.",
            "Description updated for the cache web.",
            "Cache web was deleted."
        ]
    );
    let taken = messages(&session, of(SourceType::ServerlessCacheSnapshot).source_identifier("one"))?;
    assert_eq!(taken, ["Snapshot one created for cache web."]);
    Ok(())
}

pub(super) fn events_are_selected_by_time(world: &World) -> Result<()> {
    let session = world.session();
    let start = world.now();
    let create = |id: &str| CreateUser::new(id, id, "redis", "on").no_password_required(true);
    ask(&session, create("one"))?;
    world.advance(2 * HOUR)?;
    ask(&session, create("two"))?;
    let found = |request: DescribeEvents| -> Result<String> { Ok(messages(&session, request)?.join(", ")) };
    let (one, two, both) = ("User one created", "User two created", "User one created, User two created");
    let request = DescribeEvents::new;
    assert_eq!(found(request())?, two, "the last hour");
    assert_eq!(found(request().duration(119))?, two);
    assert_eq!(found(request().duration(120))?, both);
    assert_eq!(found(request().start_time(time(start)))?, both);
    assert_eq!(found(request().start_time(time(start + 1)))?, two);
    assert_eq!(found(request().start_time(time(start)).duration(60))?, one);
    assert_eq!(found(request().end_time(time(start + MINUTE)))?, one);
    assert_eq!(found(request().start_time(time(start)).end_time(time(start)))?, one);
    let reversed = request().start_time(time(start + 1)).end_time(time(start));
    world.refused(&errors::INVALID_COMBINATION, "StartTime", || ask(&session, reversed));
    let three = request().start_time(time(start)).end_time(time(start)).duration(1);
    world.refused(&errors::INVALID_COMBINATION, "Duration", || ask(&session, three));
    world.refused(&errors::INVALID, "Duration", || ask(&session, request().duration(0)));
    let event = ask(&session, request())?.events().unwrap()[0].clone();
    assert_eq!((event.source_identifier(), event.source_type()), (Some("two"), Some(&SourceType::User)));
    assert_eq!(event.date(), Some(time(world.now())));
    // The oldest event is removed after 14 days, at the next full hour.
    world.advance(14 * DAY - HOUR)?;
    assert_eq!(found(request().start_time(time(start)))?, two);
    world.advance(2 * HOUR)?;
    assert_eq!(found(request().start_time(time(start)))?, "");
    Ok(())
}

pub(super) fn events_are_paged(world: &World) -> Result<()> {
    let session = world.session();
    for number in 0..25 {
        let id = format!("user{number:02}");
        ask(&session, CreateUser::new(id.clone(), id, "redis", "on").no_password_required(true))?;
        world.advance(if number % 2 == 0 { 0 } else { 1 })?;
    }
    let page = ask(&session, DescribeEvents::new().max_records(20))?;
    let (first, marker) = (page.events().unwrap(), page.marker().unwrap());
    let rest = ask(&session, DescribeEvents::new().max_records(20).marker(marker))?;
    assert_eq!((first.len(), rest.events().unwrap().len(), rest.marker()), (20, 5, None));
    let all = CacheCluster::objects(&session).events().wait()?;
    let ids: Vec<_> = all.iter().filter_map(Event::source_identifier).collect();
    let wanted: Vec<_> = (0..25).rev().map(|number| format!("user{number:02}")).collect();
    assert_eq!(ids, wanted, "the newest first");
    Ok(())
}
