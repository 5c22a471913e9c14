//! Events: what happened to instances, clusters and parameter groups.

use super::{World, instances::instances, snapshots};
use nephos_core::{Result, Session, Timestamp};
use nephos_rds::{
    ApplyMethod, CopyDBSnapshot, CreateDBCluster, CreateDBClusterSnapshot, CreateDBInstance,
    CreateDBInstanceReadReplica, CreateDBParameterGroup, DeleteDBCluster, DescribeEventCategories,
    DescribeEvents, Event, FailoverDBCluster, ModifyDBCluster, ModifyDBInstance, ModifyDBParameterGroup,
    Parameter, PromoteReadReplica, RebootDBInstance, RestoreDBInstanceFromDBSnapshot,
    RestoreDBInstanceToPointInTime, SourceType, StartDBCluster, StartDBInstance, StopDBCluster,
    StopDBInstance, errors,
};
use nephos_testing::{DAY, HOUR, MINUTE, ask};

/// Creates an instance whose backups are made in the morning. The clock starts at noon.
fn create(session: &Session, id: &str) -> Result<()> {
    let create = CreateDBInstance::new(id, "db.t4g.micro", "mysql").engine_version("8.0.35");
    let create = create.allocated_storage(20).master_username("boss").master_user_password("correct-horse");
    ask(session, create.preferred_backup_window("05:00-06:00")).map(drop)
}

/// Events that a request finds, the oldest first.
fn events(session: &Session, request: DescribeEvents) -> Result<Vec<Event>> {
    Ok(ask(session, request)?.events().unwrap().to_vec())
}

/// Messages of the events of the last hour.
fn messages(session: &Session, request: DescribeEvents) -> Result<Vec<String>> {
    let found = events(session, request)?;
    Ok(found.iter().map(|event| event.message().unwrap().to_owned()).collect())
}

fn of(source: SourceType, id: &str) -> DescribeEvents {
    DescribeEvents::new().source_type(source).source_identifier(id)
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

pub(super) fn instances_have_events(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let found = messages(&session, of(SourceType::DbInstance, "WEB"))?;
    let created = ["DB instance created", "Backing up DB instance", "Finished DB instance backup"];
    assert_eq!(found, created);
    let event = events(&session, of(SourceType::DbInstance, "web"))?.remove(0);
    assert_eq!(event.source_arn(), Some("arn:aws:rds:us-east-1:123456789012:db:web"));
    assert_eq!(event.event_categories().unwrap(), ["creation"]);
    assert_eq!(event.date(), Some(time(world.now())));
    world.advance(2 * HOUR)?;
    let change = ModifyDBInstance::new("web").apply_immediately(true);
    ask(&session, change.db_instance_class("db.t4g.small").engine_version("8.0.36").allocated_storage(40))?;
    ask(&session, RebootDBInstance::new("web"))?;
    ask(&session, StopDBInstance::new("web"))?;
    ask(&session, StartDBInstance::new("web"))?;
    instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    assert_eq!(
        messages(&session, of(SourceType::DbInstance, "web"))?,
        [
            "The engine version upgrade started.",
            "Applying modification to database instance class",
            "Applying modification to allocated storage",
            "DB instance shutdown",
            "The engine version upgrade finished.",
            "Database instance patched",
            "Finished applying modification to DB instance class",
            "Finished applying modification to allocated storage",
            "DB instance restarted",
            "DB instance shutdown",
            "DB instance restarted",
            "DB instance shutdown",
            "DB instance stopped",
            "DB instance started",
            "DB instance deleted",
        ]
    );
    Ok(())
}

pub(super) fn changes_of_instances_have_events(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    ask(&session, CreateDBParameterGroup::new("own", "mysql8.0", "own"))?;
    world.advance(2 * HOUR)?;
    let change = || ModifyDBInstance::new("web").apply_immediately(true);
    ask(&session, change().db_parameter_group_name("own"))?;
    ask(&session, change().multi_az(true))?;
    ask(&session, RebootDBInstance::new("web").force_failover(true))?;
    ask(&session, change().multi_az(false).backup_retention_period(0))?;
    ask(&session, change().master_user_password("better-horse"))?;
    ask(&session, ModifyDBInstance::new("web").db_port_number(5000))?;
    assert_eq!(
        messages(&session, of(SourceType::DbInstance, "web"))?,
        [
            "Updated to use DBParameterGroup own",
            "Applying modification to convert to a Multi-AZ DB instance",
            "Finished applying modification to convert to a Multi-AZ DB instance",
            "Multi-AZ instance failover started",
            "Multi-AZ instance failover completed",
            "DB instance shutdown",
            "DB instance restarted",
            "Applying modification to convert to a standard (Single-AZ) DB instance",
            "Finished applying modification to convert to a standard (Single-AZ) DB instance",
            "Disabled automated backups",
            "Reset master credentials",
            "DB instance shutdown",
            "DB instance restarted",
        ]
    );
    ask(&session, StopDBInstance::new("web"))?;
    super::advance_days(world, 7)?;
    let found = messages(&session, of(SourceType::DbInstance, "web"))?;
    let again = "DB instance is being started due to it exceeding the maximum allowed time being stopped.";
    assert_eq!(found, [again, "DB instance started"]);
    Ok(())
}

pub(super) fn clusters_have_events(world: &World) -> Result<()> {
    let session = world.session();
    let create = CreateDBCluster::new("data", "aurora-mysql").engine_version("8.0.mysql_aurora.3.04.0");
    ask(&session, create.master_username("boss").master_user_password("correct-horse"))?;
    for id in ["one", "two"] {
        let member = CreateDBInstance::new(id, "db.r6g.large", "aurora-mysql").db_cluster_identifier("data");
        ask(&session, member)?;
    }
    let change = |id: &str| ModifyDBCluster::new(id).apply_immediately(true);
    ask(&session, FailoverDBCluster::new("data").target_db_instance_identifier("two"))?;
    ask(&session, change("data").engine_version("8.0.mysql_aurora.3.05.2"))?;
    ask(&session, change("data").master_user_password("better-horse"))?;
    ask(&session, change("data").new_db_cluster_identifier("store"))?;
    ask(&session, StopDBCluster::new("store"))?;
    ask(&session, StartDBCluster::new("store"))?;
    for id in ["one", "two"] {
        instances(&session).delete(id).wait()?;
    }
    ask(&session, DeleteDBCluster::new("store").skip_final_snapshot(true))?;
    let all = messages(&session, DescribeEvents::new().source_type(SourceType::DbCluster))?;
    assert!(all[1].ends_with("AZ failover to DB instance: two"), "{}", all[1]);
    assert_eq!(
        (all[0].as_str(), &all[2..]),
        (
            "DB cluster created",
            &[
                "Completed failover to DB instance: two",
                "Database cluster upgrade is in progress",
                "Database cluster engine version has been upgraded",
                "Reset master credentials",
                "Renamed cluster from data to store",
                "DB cluster stopped",
                "DB cluster started",
                "DB cluster deleted",
            ]
            .map(str::to_owned)[..]
        )
    );
    let of_member = messages(&session, of(SourceType::DbInstance, "two"))?;
    assert_eq!(of_member[..2], ["DB instance created", "DB instance restarted"]);
    Ok(())
}

pub(super) fn parameter_groups_have_events(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, CreateDBParameterGroup::new("own", "mysql8.0", "own"))?;
    let value = Parameter::builder().parameter_name("max_connections").parameter_value("200");
    let value = value.apply_method(ApplyMethod::Immediate).build()?;
    ask(&session, ModifyDBParameterGroup::new("own", [value]))?;
    let [event] = &events(&session, of(SourceType::DbParameterGroup, "own"))?[..] else {
        panic!("one event")
    };
    assert_eq!(event.message(), Some("Updated parameter max_connections to 200 with apply method immediate"));
    assert_eq!(event.source_arn(), None);
    Ok(())
}

pub(super) fn snapshots_have_events(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    snapshots::take(&session, "one", "web")?;
    ask(&session, CopyDBSnapshot::new("one", "two"))?;
    let other = world.other_region();
    let arn = "arn:aws:rds:us-east-1:123456789012:snapshot:one";
    ask(&other, CopyDBSnapshot::new(arn, "two").pre_signed_url("https://x"))?;
    snapshots::snapshots(&session).delete("one").wait()?;
    let of_snapshot = |session: &Session, id: &str| messages(session, of(SourceType::DbSnapshot, id));
    assert_eq!(
        of_snapshot(&session, "one")?,
        ["Creating manual snapshot", "Manual snapshot created", "Deleted user snapshot"]
    );
    assert_eq!(
        of_snapshot(&session, "two")?,
        [
            "Started copy of snapshot one in region us-east-1",
            "Finished copy of snapshot one in region us-east-1"
        ]
    );
    assert_eq!(
        of_snapshot(&other, "two")?,
        [
            "Started copy of snapshot one from region us-east-1",
            "Finished copy of snapshot one from region us-east-1 in 1 minutes",
        ]
    );
    let all = messages(&session, DescribeEvents::new().source_type(SourceType::DbSnapshot))?;
    assert_eq!(all[..2], ["Creating automated snapshot", "Automated snapshot created"]);
    Ok(())
}

pub(super) fn snapshots_of_clusters_have_events(world: &World) -> Result<()> {
    let session = world.session();
    let create = CreateDBCluster::new("data", "aurora-mysql");
    ask(&session, create.master_username("boss").master_user_password("correct-horse"))?;
    ask(&session, CreateDBClusterSnapshot::new("one", "data"))?;
    let found = messages(&session, of(SourceType::DbClusterSnapshot, "one"))?;
    assert_eq!(found, ["Creating manual cluster snapshot", "Manual cluster snapshot created"]);
    Ok(())
}

pub(super) fn restores_have_events(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    snapshots::take(&session, "one", "web")?;
    world.advance(HOUR)?;
    ask(&session, RestoreDBInstanceFromDBSnapshot::new("copy").db_snapshot_identifier("one"))?;
    let request = RestoreDBInstanceToPointInTime::new("earlier").source_db_instance_identifier("web");
    ask(&session, request.use_latest_restorable_time(true))?;
    let copy = messages(&session, of(SourceType::DbInstance, "copy"))?;
    assert!(copy.iter().any(|message| message == "Restored from snapshot one"), "{copy:?}");
    let earlier = messages(&session, of(SourceType::DbInstance, "earlier"))?;
    let restored = |message: &String| message.starts_with("Restored from DB instance web to 20");
    assert!(earlier.iter().any(restored), "{earlier:?}");
    Ok(())
}

pub(super) fn replicas_have_events(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    ask(&session, CreateDBInstanceReadReplica::new("copy").source_db_instance_identifier("web"))?;
    ask(&session, PromoteReadReplica::new("copy"))?;
    let request = of(SourceType::DbInstance, "copy").event_categories(["read replica"]);
    let expected = ["Replication for the Read Replica resumed", "Replication streaming has been terminated"];
    assert_eq!(messages(&session, request)?, expected);
    Ok(())
}

pub(super) fn events_are_selected_and_expire(world: &World) -> Result<()> {
    let session = world.session();
    let start = world.now();
    create(&session, "one")?;
    world.advance(2 * HOUR)?;
    create(&session, "two")?;
    let request = DescribeEvents::new;
    let count = |request: DescribeEvents| -> Result<usize> { Ok(events(&session, request)?.len()) };
    let of_instances = || request().source_type(SourceType::DbInstance);
    assert_eq!(count(request())?, 5, "those of the last hour, with those of the first snapshot");
    assert_eq!(count(of_instances())?, 3);
    assert_eq!(count(of_instances().duration(120))?, 6);
    assert_eq!(count(of_instances().duration(120).event_categories(["creation"]))?, 2);
    assert_eq!(count(of_instances().duration(120).event_categories(["creation", "backup"]))?, 6);
    assert_eq!(count(of_instances().start_time(time(start)).duration(60))?, 3);
    assert_eq!(count(of_instances().end_time(time(start + MINUTE)))?, 3);
    assert_eq!(count(request().source_type(SourceType::DbCluster))?, 0);
    assert_eq!(events(&world.other_region(), request())?.len(), 0);
    let error = world.refused(&errors::INVALID_COMBINATION, "SourceType", || {
        ask(&session, request().source_identifier("one"))
    });
    assert_eq!(error.message(), "Cannot specify source identifier without source type");
    world.refused(&errors::INVALID_COMBINATION, "StartTime", || {
        ask(&session, request().start_time(time(start + 1)).end_time(time(start)))
    });
    world.refused(&errors::INVALID_COMBINATION, "Duration", || {
        ask(&session, request().start_time(time(start)).end_time(time(start)).duration(1))
    });
    // The oldest events are removed after 14 days, at the next full hour.
    world.advance(14 * DAY - HOUR)?;
    assert_eq!(count(of_instances().start_time(time(start)).event_categories(["creation"]))?, 1);
    world.advance(2 * HOUR)?;
    assert_eq!(count(of_instances().start_time(time(start)).event_categories(["creation"]))?, 0);
    Ok(())
}

pub(super) fn events_are_paged(world: &World) -> Result<()> {
    let session = world.session();
    for number in 0..9 {
        create(&session, &format!("web{number}"))?;
        world.advance(if number % 2 == 0 { 0 } else { 1 })?;
    }
    let request = || DescribeEvents::new().source_type(SourceType::DbInstance).max_records(20);
    let page = ask(&session, request())?;
    let rest = ask(&session, request().marker(page.marker().unwrap()))?;
    let (first, rest_events) = (page.events().unwrap(), rest.events().unwrap());
    assert_eq!((first.len(), rest_events.len(), rest.marker()), (20, 7, None));
    let all = instances(&session).events().wait()?;
    let created: Vec<_> = all
        .iter()
        .filter(|event| event.message() == Some("DB instance created"))
        .filter_map(Event::source_identifier)
        .collect();
    let expected: Vec<_> = (0..9).map(|number| format!("web{number}")).collect();
    assert_eq!(created, expected, "the oldest first");
    Ok(())
}

pub(super) fn categories_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let all = ask(&session, DescribeEventCategories::new())?;
    assert_eq!(all.event_categories_map_list().unwrap().len(), 9);
    let one = ask(&session, DescribeEventCategories::new().source_type("db-parameter-group"))?;
    let [one] = one.event_categories_map_list().unwrap() else { panic!("one type") };
    assert_eq!(one.event_categories().unwrap(), ["configuration change"]);
    world.refused(&errors::INVALID, "SourceType", || {
        ask(&session, DescribeEventCategories::new().source_type("db-table"))
    });
    Ok(())
}
