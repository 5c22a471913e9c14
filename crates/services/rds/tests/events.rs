//! Events, subscriptions, maintenance and log files over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_rds::{
    ApplyPendingMaintenanceAction, CreateDBInstance, CreateEventSubscription, DeleteEventSubscription,
    DescribeDBLogFiles, DescribeEventSubscriptions, DescribeEvents, ModifyEventSubscription,
    RebootDBInstance, errors,
};
use nephos_rds_cases::Cloud;
use nephos_testing::ask;

const WEB: &str = "arn:aws:rds:us-east-1:123456789012:db:web";
const TOPIC: &str = "arn:aws:sns:us-east-1:123456789012:events";

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

/// Begins to create an instance without backups.
fn create(session: &Session) -> Result<()> {
    let create = CreateDBInstance::new("web", "db.t4g.micro", "postgres").engine_version("16.3");
    let create = create.allocated_storage(20).master_username("boss").master_user_password("correct-horse");
    ask(session, create.backup_retention_period(0)).map(drop)
}

/// Messages of the last minutes.
fn messages(session: &Session, minutes: i64) -> Result<Vec<String>> {
    let found = ask(session, DescribeEvents::new().duration(minutes))?;
    Ok(found.events().unwrap().iter().map(|event| event.message().unwrap().to_owned()).collect())
}

#[test]
fn events_have_the_times_of_the_changes() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session)?;
    assert_eq!(messages(&session, 60)?.len(), 0, "the instance is being created");
    advance(&cloud, 600);
    assert_eq!(messages(&session, 60)?, ["DB instance created"]);
    advance(&cloud, 3600);
    ask(&session, RebootDBInstance::new("web"))?;
    assert_eq!(messages(&session, 60)?, ["DB instance shutdown"]);
    advance(&cloud, 60);
    assert_eq!(messages(&session, 60)?, ["DB instance shutdown", "DB instance restarted"]);
    let found = ask(&session, DescribeEvents::new())?;
    let dates: Vec<_> = found.events().unwrap().iter().map(|event| event.date().unwrap()).collect();
    assert_eq!(dates[1].duration_since(dates[0]), SignedDuration::from_secs(60));
    Ok(())
}

#[test]
fn instance_that_is_being_created_has_no_log_files() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session)?;
    let error = ask(&session, DescribeDBLogFiles::new("web")).unwrap_err();
    assert_eq!(error.code(), errors::INSTANCE_NOT_READY.code);
    advance(&cloud, 600);
    let found = ask(&session, DescribeDBLogFiles::new("web"))?;
    assert_eq!(found.describe_db_log_files().unwrap().len(), 1);
    Ok(())
}

#[test]
fn maintenance_is_refused_while_another_change_is_applied() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session)?;
    advance(&cloud, 600);
    let apply = |opt_in: &str| ask(&session, ApplyPendingMaintenanceAction::new(WEB, "db-upgrade", opt_in));
    apply("immediate")?;
    for opt_in in ["immediate", "next-maintenance", "undo-opt-in"] {
        let error = apply(opt_in).unwrap_err();
        assert_eq!((error.code(), error.field()), (errors::INSTANCE_STATE.code, Some("ResourceIdentifier")));
    }
    advance(&cloud, 600);
    let error = apply("immediate").unwrap_err();
    assert_eq!(error.code(), errors::RESOURCE_NOT_FOUND.code, "the instance has the newest version");
    Ok(())
}

#[test]
fn subscription_takes_time_to_be_made_and_deleted() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    let status = || -> Result<Vec<String>> {
        let found = ask(&session, DescribeEventSubscriptions::new())?;
        let found = found.event_subscriptions_list().unwrap();
        Ok(found.iter().map(|one| one.status().unwrap().to_owned()).collect())
    };
    ask(&session, CreateEventSubscription::new("team", TOPIC))?;
    assert_eq!(status()?, ["creating"]);
    advance(&cloud, 5);
    assert_eq!(status()?, ["active"]);
    ask(&session, ModifyEventSubscription::new("team").enabled(false))?;
    assert_eq!(status()?, ["modifying"]);
    advance(&cloud, 5);
    ask(&session, DeleteEventSubscription::new("team"))?;
    assert_eq!(status()?, ["deleting"]);
    let error = ask(&session, DeleteEventSubscription::new("team")).unwrap_err();
    assert_eq!(error.code(), errors::SUBSCRIPTION_STATE.code);
    let error = ask(&session, ModifyEventSubscription::new("team").enabled(true)).unwrap_err();
    assert_eq!(error.code(), errors::SUBSCRIPTION_STATE.code);
    advance(&cloud, 5);
    assert_eq!(status()?.len(), 0);
    Ok(())
}
