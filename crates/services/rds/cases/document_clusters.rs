//! Clusters of document databases, a kind of their own over the operations on clusters.

use super::{
    World,
    clusters::{add_members, request},
};
use nephos_core::{ErrorKind, Result, Session, prelude::*};
use nephos_rds::{
    CreateDBInstance, DBCluster, DBInstance, DocDBCluster, DocDBClusterManager, Filter,
    LogsExportConfiguration, ServerlessV2ScalingConfiguration, errors,
};
use nephos_testing::{ask, names};

fn clusters(session: &Session) -> DocDBClusterManager {
    DocDBCluster::objects(session)
}

fn create(session: &Session, id: &str) -> Result<DocDBCluster> {
    let model = DocDBCluster::builder().db_cluster_identifier(id).master_username("root").build()?;
    clusters(session).create(&model).master_user_password("correct-horse").wait()
}

fn get(session: &Session, id: &str) -> Result<DocDBCluster> {
    Ok(clusters(session).get(id).wait()?.unwrap())
}

pub(super) fn document_cluster_is_created_from_its_model(world: &World) -> Result<()> {
    let session = world.session();
    let model = DocDBCluster::builder()
        .db_cluster_identifier("Docs")
        .master_username("root")
        .db_subnet_group("default");
    let model = model.enabled_log_exports(["audit"]).tags([("team", "web")]).build()?;
    assert_eq!(model.engine(), None, "the service gets docdb");
    let created = clusters(&session).create(&model).manage_master_user_password(true).wait()?;
    assert_eq!((created.require_name()?, created.status()), ("docs", Some("creating")));
    assert_eq!(created.engine(), Some("docdb"));
    assert_eq!(created.require_arn()?, "arn:aws:rds:us-east-1:123456789012:cluster:docs");
    let found = get(&session, "docs")?;
    assert_eq!((found.port(), found.engine_version()), (Some(27017), Some("5.0.0")));
    assert!(found.hostname()?.ends_with(".us-east-1.docdb.amazonaws.com"));
    assert_eq!(found.enabled_log_exports().unwrap(), ["audit"]);
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert_eq!(found.vpc().wait()?.unwrap().is_default(), Some(true));
    assert_eq!(found.credentials().wait()?.username(), Some("root"));
    let error = DocDBCluster::builder().engine("mysql").build().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("Engine")));
    let error = clusters(&session).create(&model).pre_signed_url("https://x").wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let elsewhere = create(&world.other_region(), "docs")?;
    assert_eq!(
        (found.hosted_zone_id(), elsewhere.hosted_zone_id()),
        (Some("ZNKXH85TT8WVW"), Some("ZNKXH85TT8WVW"))
    );
    Ok(())
}

pub(super) fn kinds_of_clusters_are_separate(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "docs")?;
    ask(&session, request("web", "aurora-mysql"))?;
    ask(&session, request("api", "docdb"))?;
    assert_eq!(names(&clusters(&session).list().results().all().wait()?)?, ["api", "docs"]);
    let filtered = clusters(&session).list().filters(vec![Filter::of("db-cluster-id", "docs")]);
    assert_eq!(names(&filtered.results().all().wait()?)?, ["docs"]);
    let other = clusters(&session).list().filters(vec![Filter::of("engine", "aurora-mysql")]);
    assert_eq!(other.results().all().wait()?.len(), 0);
    assert_eq!(clusters(&session).get("web").wait()?, None);
    assert_eq!(names(&DBCluster::objects(&session).list().results().all().wait()?)?, ["web"]);
    for (id, engine, cluster) in [("docs-1", "docdb", "docs"), ("web-1", "aurora-mysql", "web")] {
        let mut member = CreateDBInstance::new(id, "db.r5.large", engine);
        member.db_cluster_identifier = Some(cluster.into());
        ask(&session, member)?;
    }
    let instances = DBInstance::objects(&session);
    assert_eq!(names(&instances.list().results().all().wait()?)?, ["web-1"]);
    let members = instances.list().filters(vec![Filter::of("db-cluster-id", "docs")]);
    assert_eq!(names(&members.results().all().wait()?)?, ["docs-1"]);
    world.refused(&errors::CLUSTER_NOT_FOUND, "SourceDBClusterIdentifier", || {
        clusters(&session).restore_to_point_in_time("copy", "web").use_latest_restorable_time(true).wait()
    });
    let error = clusters(&session).get("").wait().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("DBClusterIdentifier")));
    Ok(())
}

pub(super) fn document_cluster_is_saved(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "docs")?;
    let mut docs = get(&session, "docs")?;
    docs.set_backup_retention_period(3)?;
    docs.set_deletion_protection(true)?;
    docs.tags_mut().wait()?.insert("stage", "test")?;
    let capacity = ServerlessV2ScalingConfiguration::builder().min_capacity(1.0).max_capacity(8.0).build()?;
    docs.set_serverless_v2_scaling_configuration(capacity)?;
    docs.save().wait()?;
    let found = get(&session, "docs")?;
    assert_eq!((found.backup_retention_period(), found.deletion_protection()), (Some(3), Some(true)));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert_eq!(found.serverless_v2_scaling_configuration().unwrap().max_capacity(), Some(8.0));
    let exported = LogsExportConfiguration::builder().enable_log_types(["profiler"]).build()?;
    clusters(&session).update(&found).logs_export_configuration(exported).wait()?;
    assert_eq!(get(&session, "docs")?.enabled_log_exports().unwrap(), ["profiler"]);
    let error = found.delete().skip_final_snapshot(true).wait().unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Protected, errors::INVALID_COMBINATION.code));
    let renamed =
        clusters(&session).update(&found).new_db_cluster_identifier("store").apply_immediately(true);
    renamed.wait()?;
    let mut store = get(&session, "store")?;
    store.set_deletion_protection(false)?;
    store.save().wait()?;
    let deleted = get(&session, "store")?.delete().skip_final_snapshot(true).wait()?;
    assert_eq!(deleted.status(), Some("deleting"));
    assert_eq!(clusters(&session).get("store").wait()?, None);
    Ok(())
}

pub(super) fn document_cluster_stops_starts_and_fails_over(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "docs")?;
    add_members(world, "docs", &["docs-1", "docs-2"])?;
    get(&session, "docs")?.failover().target_db_instance_identifier("docs-2").wait()?;
    let docs = get(&session, "docs")?;
    let writers =
        docs.db_cluster_members().unwrap().iter().filter(|member| member.is_cluster_writer() == Some(true));
    let writers: Vec<_> = writers.filter_map(|member| member.db_instance_identifier()).collect();
    assert_eq!(writers, ["docs-2"]);
    docs.stop().wait()?;
    assert_eq!(get(&session, "docs")?.status(), Some("stopped"));
    clusters(&session).start("docs").wait()?;
    assert_eq!(get(&session, "docs")?.status(), Some("available"));
    Ok(())
}
