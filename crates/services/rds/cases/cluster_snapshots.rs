//! Snapshots of clusters: made by callers and by the service, copied, shared and deleted.

use super::{World, advance_days, clusters::request};
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_rds::{
    CopyDBClusterSnapshot, CreateDBCluster, CreateDBClusterSnapshot, DBCluster, DBClusterSnapshot,
    DBClusterSnapshotManager, DeleteDBCluster, DeleteDBClusterAutomatedBackup, DeleteDBClusterSnapshot,
    DescribeDBClusterAutomatedBackups, DescribeDBClusterSnapshots, Filter, ModifyDBCluster,
    ModifyDBClusterSnapshotAttribute, errors,
};
use nephos_testing::{OTHER_ACCOUNT, ask, names};

fn snapshots(session: &Session) -> DBClusterSnapshotManager {
    DBClusterSnapshot::objects(session)
}

/// Makes a snapshot of a cluster.
pub(super) fn take(session: &Session, id: &str, cluster: &str) -> Result<DBClusterSnapshot> {
    let model =
        DBClusterSnapshot::builder().db_cluster_snapshot_identifier(id).db_cluster_identifier(cluster);
    snapshots(session).create(&model.build()?).wait()
}

fn get(session: &Session, id: &str) -> Result<DBClusterSnapshot> {
    Ok(snapshots(session).get(id).wait()?.unwrap())
}

fn with_windows(create: CreateDBCluster) -> CreateDBCluster {
    create.preferred_backup_window("05:00-06:00").preferred_maintenance_window("sun:08:00-sun:09:00")
}

pub(super) fn snapshot_is_made_described_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    ask(
        &session,
        request("web", "aurora-mysql").copy_tags_to_snapshot(true).tag_list(vec![Tag::new("team", "web")]),
    )?;
    let made = take(&session, "One", "WEB")?;
    assert_eq!((made.require_name()?, made.status()), ("one", Some("creating")));
    assert_eq!(made.require_arn()?, "arn:aws:rds:us-east-1:123456789012:cluster-snapshot:one");
    let found = get(&session, "ONE")?;
    assert_eq!((found.status(), found.percent_progress()), (Some("available"), Some(100)));
    assert_eq!((found.engine(), found.master_username()), (Some("aurora-mysql"), Some("root")));
    assert_eq!(
        (found.snapshot_type(), found.port(), found.allocated_storage()),
        (Some("manual"), Some(0), Some(0))
    );
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("web"));
    assert_eq!(found.source().wait()?.unwrap().require_name()?, "web");
    let cluster = DBCluster::objects(&session).get("web").wait()?.unwrap();
    assert_eq!(cluster.status(), Some("available"));
    let mut changed = get(&session, "one")?;
    changed.tags_mut().wait()?.insert("stage", "test")?;
    changed.save().wait()?;
    assert_eq!(get(&session, "one")?.tags_map().wait()?.len(), 2);
    found.delete().wait()?;
    let error = world.refused(&errors::CLUSTER_SNAPSHOT_NOT_FOUND, "DBClusterSnapshotIdentifier", || {
        ask(&session, DescribeDBClusterSnapshots::new().db_cluster_snapshot_identifier("one"))
    });
    assert_eq!(error.message(), "DBClusterSnapshot not found: one");
    Ok(())
}

pub(super) fn snapshots_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web", "aurora-mysql"))?;
    ask(&session, request("docs", "docdb"))?;
    take(&session, "one", "web")?;
    take(&session, "two", "docs")?;
    let refused = |code, field: &str, id: &str, cluster: &str| {
        world.refused(code, field, || ask(&session, CreateDBClusterSnapshot::new(id, cluster)))
    };
    refused(&errors::CLUSTER_SNAPSHOT_EXISTS, "DBClusterSnapshotIdentifier", "One", "web");
    refused(&errors::INVALID, "DBClusterSnapshotIdentifier", "1st", "web");
    refused(&errors::INVALID, "DBClusterSnapshotIdentifier", &"a".repeat(64), "web");
    refused(&errors::CLUSTER_NOT_FOUND, "DBClusterIdentifier", "three", "none");
    DBCluster::objects(&session).stop("web").wait()?;
    let error = refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", "three", "web");
    assert_eq!(
        error.message(),
        "Can't create a snapshot because the database cluster web isn't currently in the available state."
    );
    let filter = |name: &str, value: &str| vec![Filter::of(name, value)];
    let found = |filters| names(&snapshots(&session).list().filters(filters).results().all().wait()?);
    assert_eq!(found(filter("db-cluster-id", "web"))?, ["one"]);
    assert_eq!(found(filter("db-cluster-snapshot-id", "two"))?, ["two"]);
    assert_eq!(found(filter("engine", "docdb"))?, ["two"]);
    assert_eq!(found(filter("snapshot-type", "automated"))?.len(), 0);
    world.refused(&errors::INVALID_COMBINATION, "DBClusterIdentifier", || {
        let describe = DescribeDBClusterSnapshots::new().db_cluster_identifier("web");
        ask(&session, describe.db_cluster_snapshot_identifier("one"))
    });
    Ok(())
}

pub(super) fn snapshots_are_copied(world: &World) -> Result<()> {
    let (here, there) = (world.session(), world.other_region());
    ask(&here, request("web", "aurora-mysql"))?;
    let one = take(&here, "one", "web")?;
    let copy = get(&here, "one")?.copy("two").tags([("stage", "test")]).wait()?;
    assert_eq!(
        (copy.status(), copy.source_db_cluster_snapshot_arn()),
        (Some("copying"), Some(one.require_arn()?))
    );
    assert_eq!(get(&here, "two")?.status(), Some("available"));
    ask(&there, CopyDBClusterSnapshot::new(one.require_arn()?, "one"))?;
    assert_eq!(get(&there, "one")?.require_arn()?, "arn:aws:rds:eu-west-1:123456789012:cluster-snapshot:one");
    let own_key = world.crypto_key("own");
    world.refused(&errors::INVALID_COMBINATION, "CryptoKeyId", || {
        ask(&here, CopyDBClusterSnapshot::new("one", "three").crypto_key_id(own_key.clone()))
    });
    ask(&here, request("secret", "aurora-mysql").storage_encrypted(true))?;
    let secret = take(&here, "secret", "secret")?;
    world.refused(&errors::INVALID, "CryptoKeyId", || {
        ask(&there, CopyDBClusterSnapshot::new(secret.require_arn()?, "secret"))
    });
    let key = world.crypto_key_in("eu-west-1", "copies");
    ask(&there, CopyDBClusterSnapshot::new(secret.require_arn()?, "secret").crypto_key_id(key.as_str()))?;
    assert_eq!(get(&there, "secret")?.crypto_key_id(), Some(key.as_str()));
    world.refused(&errors::CLUSTER_SNAPSHOT_EXISTS, "TargetDBClusterSnapshotIdentifier", || {
        ask(&here, CopyDBClusterSnapshot::new("one", "two"))
    });
    Ok(())
}

pub(super) fn snapshots_are_shared_with_accounts(world: &World) -> Result<()> {
    let (session, other) = (world.session(), world.other_account());
    ask(&session, request("web", "aurora-mysql"))?;
    let one = take(&session, "one", "web")?;
    let arn = one.require_arn()?;
    let accounts = vec![Text::new(OTHER_ACCOUNT)];
    ask(&session, ModifyDBClusterSnapshotAttribute::new("one", "restore").values_to_add(accounts))?;
    let shared = snapshots(&other).list().include_shared(true).results().all().wait()?;
    assert_eq!((names(&shared)?, shared[0].snapshot_type()), (vec![arn.to_owned()], Some("shared")));
    ask(&other, CopyDBClusterSnapshot::new(arn, "copy"))?;
    let attributes = get(&session, "one")?.attributes().wait()?;
    assert_eq!(attributes.db_cluster_snapshot_attributes().unwrap()[0].attribute_values().unwrap().len(), 1);
    let both = ask(&session, request("same", "aurora-mysql"));
    both?;
    take(&session, "same", "same")?;
    assert_eq!(
        snapshots(&other).list().include_shared(true).results().count().wait()?,
        2,
        "only what is shared"
    );
    Ok(())
}

pub(super) fn last_snapshot_outlives_the_cluster(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web", "docdb"))?;
    take(&session, "one", "web")?;
    let delete =
        |snapshot: &str| ask(&session, DeleteDBCluster::new("web").final_db_snapshot_identifier(snapshot));
    world.refused(&errors::CLUSTER_SNAPSHOT_EXISTS, "FinalDBSnapshotIdentifier", || delete("one"));
    delete("last")?;
    assert_eq!(get(&session, "last")?.status(), Some("available"));
    assert_eq!(names(&snapshots(&session).list().results().all().wait()?)?, ["last", "one"]);
    Ok(())
}

pub(super) fn automated_snapshots_follow_the_window(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, with_windows(request("web", "aurora-mysql")).backup_retention_period(3))?;
    let automated = || names(&snapshots(&session).list().snapshot_type("automated").results().all().wait()?);
    advance_days(world, 2)?;
    assert_eq!(automated()?, ["rds:web-2026-02-01-05-00", "rds:web-2026-02-02-05-00"]);
    let error = world.refused(&errors::CLUSTER_SNAPSHOT_STATE, "DBClusterSnapshotIdentifier", || {
        ask(&session, DeleteDBClusterSnapshot::new("rds:web-2026-02-01-05-00"))
    });
    assert_eq!(error.message(), "Only manual snapshots may be deleted.");
    advance_days(world, 3)?;
    assert_eq!(automated()?.len(), 3);
    ask(&session, ModifyDBCluster::new("web").backup_retention_period(1))?;
    assert_eq!(automated()?, ["rds:web-2026-02-05-05-00"]);
    let rename = ModifyDBCluster::new("web").new_db_cluster_identifier("store").apply_immediately(true);
    ask(&session, rename.preferred_backup_window("06:00-07:00"))?;
    advance_days(world, 1)?;
    assert_eq!(automated()?, ["rds:store-2026-02-06-06-00"]);
    ask(&session, DeleteDBCluster::new("store").skip_final_snapshot(true))?;
    assert_eq!(automated()?.len(), 0);
    Ok(())
}

pub(super) fn backups_of_clusters_are_kept_after_deletion(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, with_windows(request("web", "aurora-mysql")).backup_retention_period(2))?;
    let describe = || ask(&session, DescribeDBClusterAutomatedBackups::new());
    let active = describe()?;
    let active = &active.db_cluster_automated_backups().unwrap()[0];
    assert_eq!((active.status(), active.db_cluster_identifier()), (Some("active"), Some("web")));
    let id = active.db_cluster_resource_id().unwrap();
    world.refused(&errors::CLUSTER_BACKUP_STATE, "DbClusterResourceId", || {
        ask(&session, DeleteDBClusterAutomatedBackup::new(id))
    });
    let delete = |id: &str| {
        let delete = DeleteDBCluster::new(id).skip_final_snapshot(true);
        ask(&session, delete.delete_automated_backups(false))
    };
    delete("web")?;
    let kept = describe()?;
    assert_eq!(kept.db_cluster_automated_backups().unwrap()[0].status(), Some("retained"));
    advance_days(world, 1)?;
    assert_eq!(describe()?.db_cluster_automated_backups().unwrap().len(), 1);
    advance_days(world, 1)?;
    assert_eq!(describe()?.db_cluster_automated_backups().unwrap().len(), 0, "the retention is over");
    ask(&session, request("api", "aurora-mysql"))?;
    delete("api")?;
    let id =
        describe()?.db_cluster_automated_backups().unwrap()[0].db_cluster_resource_id().unwrap().to_owned();
    ask(&session, DeleteDBClusterAutomatedBackup::new(id.as_str()))?;
    world.refused(&errors::CLUSTER_BACKUP_NOT_FOUND, "DbClusterResourceId", || {
        ask(&session, DescribeDBClusterAutomatedBackups::new().db_cluster_resource_id(id.as_str()))
    });
    Ok(())
}
