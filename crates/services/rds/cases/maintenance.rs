//! Pending maintenance: upgrades to the newest minor version, and new certificates.

use super::{World, advance_days, instances::instances};
use nephos_core::{Result, Session};
use nephos_rds::{
    ApplyPendingMaintenanceAction, CreateDBCluster, CreateDBInstance, DBCluster,
    DescribePendingMaintenanceActions, Filter, ModifyDBInstance, PendingMaintenanceAction,
    ResourcePendingMaintenanceActions, StopDBInstance, errors,
};
use nephos_testing::ask;

const WEB: &str = "arn:aws:rds:us-east-1:123456789012:db:web";
const DATA: &str = "arn:aws:rds:us-east-1:123456789012:cluster:data";

/// Creates an instance with its maintenance window on Monday. The clock starts on Saturday.
fn create(session: &Session, id: &str, version: &str) -> Result<()> {
    let create = CreateDBInstance::new(id, "db.t4g.micro", "postgres").engine_version(version);
    let create = create.allocated_storage(20).master_username("boss").master_user_password("correct-horse");
    ask(session, create.preferred_maintenance_window("mon:01:00-mon:02:00")).map(drop)
}

fn all(
    session: &Session,
    request: DescribePendingMaintenanceActions,
) -> Result<Vec<ResourcePendingMaintenanceActions>> {
    Ok(ask(session, request)?.pending_maintenance_actions().unwrap().to_vec())
}

/// Actions of a resource.
fn actions(session: &Session, arn: &str) -> Result<Vec<PendingMaintenanceAction>> {
    let found = all(session, DescribePendingMaintenanceActions::new().resource_identifier(arn))?;
    let details = found.iter().flat_map(|one| one.pending_maintenance_action_details().unwrap().to_vec());
    Ok(details.collect())
}

fn version(session: &Session, id: &str) -> Result<String> {
    let found = instances(session).get(id).wait()?.unwrap();
    Ok(found.engine_version().unwrap().to_owned())
}

pub(super) fn minor_upgrade_waits_for_the_window(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "16.3")?;
    create(&session, "new", "16.10")?;
    create(&session, "fixed", "16.3")?;
    ask(&session, ModifyDBInstance::new("fixed").auto_minor_version_upgrade(false))?;
    let found = all(&session, DescribePendingMaintenanceActions::new())?;
    let [found] = &found[..] else { panic!("one resource: {found:?}") };
    assert_eq!(found.resource_identifier(), Some(WEB));
    let [action] = &actions(&session, WEB)?[..] else { panic!("one action") };
    assert_eq!(action.action(), Some("db-upgrade"));
    assert_eq!(action.description(), Some("Automatic minor version upgrade to postgres 16.10"));
    assert_eq!((action.opt_in_status(), action.current_apply_date()), (None, None));

    let web = instances(&session).get("web").wait()?.unwrap();
    let applied = web.apply_maintenance("db-upgrade", "next-maintenance").wait()?;
    let [action] = applied.pending_maintenance_action_details().unwrap() else { panic!("one action") };
    assert_eq!(action.opt_in_status(), Some("next-maintenance"));
    assert_eq!(action.current_apply_date().unwrap().to_string(), "2026-02-02T01:00:00Z");
    let undo = |opt_in: &str| ApplyPendingMaintenanceAction::new(WEB, "db-upgrade", opt_in);
    ask(&session, undo("undo-opt-in"))?;
    assert_eq!(actions(&session, WEB)?[0].opt_in_status(), None);
    advance_days(world, 7)?;
    assert_eq!(version(&session, "web")?, "16.3", "the request was taken back");
    ask(&session, undo("next-maintenance"))?;
    world.advance_to("2026-02-09T00:59:59Z")?;
    assert_eq!(version(&session, "web")?, "16.3");
    world.advance_to("2026-02-09T01:00:01Z")?;
    assert_eq!(version(&session, "web")?, "16.10");
    assert_eq!(actions(&session, WEB)?.len(), 0);
    Ok(())
}

pub(super) fn maintenance_is_applied_at_once(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "16.3")?;
    let apply = |arn: &str| ApplyPendingMaintenanceAction::new(arn, "db-upgrade", "immediate");
    let applied = ask(&session, apply(WEB))?;
    let applied = applied.resource_pending_maintenance_actions().unwrap().clone();
    assert_eq!(applied.pending_maintenance_action_details().unwrap()[0].opt_in_status(), Some("immediate"));
    assert_eq!(version(&session, "web")?, "16.10");

    let cluster = CreateDBCluster::new("data", "aurora-postgresql").engine_version("16.4");
    ask(&session, cluster.master_username("boss").master_user_password("correct-horse"))?;
    assert_eq!(actions(&session, DATA)?.len(), 0, "it has no instances");
    let member = CreateDBInstance::new("one", "db.r6g.large", "aurora-postgresql");
    ask(&session, member.db_cluster_identifier("data"))?;
    let of_clusters = vec![Filter::of("db-cluster-id", "DATA")];
    let found = all(&session, DescribePendingMaintenanceActions::new().filters(of_clusters))?;
    assert_eq!(found.len(), 1, "the cluster, not its instance");
    ask(&session, apply(DATA))?;
    let cluster = DBCluster::objects(&session).get("data").wait()?.unwrap();
    assert_eq!(cluster.engine_version(), Some("16.10"));
    assert_eq!(version(&session, "one")?, "16.10");
    Ok(())
}

pub(super) fn certificates_are_renewed_before_they_end(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "16.10")?;
    assert_eq!(actions(&session, WEB)?.len(), 0);
    advance_days(world, 300)?;
    let [action] = &actions(&session, WEB)?[..] else { panic!("one action") };
    assert_eq!(action.action(), Some("ca-certificate-rotation"));
    let end = || -> Result<_> {
        let web = instances(&session).get("web").wait()?.unwrap();
        Ok(web.certificate_details().unwrap().valid_till().unwrap())
    };
    let before = end()?;
    let apply = |opt_in: &str| ApplyPendingMaintenanceAction::new(WEB, "ca-certificate-rotation", opt_in);
    ask(&session, apply("next-maintenance"))?;
    assert_eq!(end()?, before);
    advance_days(world, 7)?;
    assert!(end()? > before);
    assert_eq!(actions(&session, WEB)?.len(), 0);
    Ok(())
}

pub(super) fn maintenance_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "16.3")?;
    let apply = |arn: &str, action: &str, opt_in: &str| {
        ask(&session, ApplyPendingMaintenanceAction::new(arn, action, opt_in))
    };
    for arn in ["arn:aws:rds:us-east-1:123456789012:db:none", "web", &WEB.replace("us-east-1", "eu-west-1")] {
        world.refused(&errors::RESOURCE_NOT_FOUND, "ResourceIdentifier", || {
            apply(arn, "db-upgrade", "immediate")
        });
        world.refused(&errors::RESOURCE_NOT_FOUND, "ResourceIdentifier", || {
            ask(&session, DescribePendingMaintenanceActions::new().resource_identifier(arn))
        });
    }
    world.refused(&errors::RESOURCE_NOT_FOUND, "ApplyAction", || apply(WEB, "system-update", "immediate"));
    world.refused(&errors::INVALID, "OptInType", || apply(WEB, "db-upgrade", "later"));
    ask(&session, StopDBInstance::new("web"))?;
    world.refused(&errors::INSTANCE_STATE, "ResourceIdentifier", || apply(WEB, "db-upgrade", "immediate"));
    Ok(())
}
