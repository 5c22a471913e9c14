//! Snapshots of instances: made by callers, copied, shared, upgraded and deleted; last ones of instances.

use super::{
    World,
    instances::{create, instances, request},
};
use nephos_cloud::AccessQuery;
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_rds::{
    CopyDBSnapshot, CreateDBSnapshot, DBSnapshot, DBSnapshotManager, DeleteDBInstance,
    DescribeDBSnapshotAttributes, DescribeDBSnapshots, Filter, ModifyDBInstance, ModifyDBSnapshot,
    ModifyDBSnapshotAttribute, StopDBInstance, errors,
};
use nephos_testing::{OTHER_ACCOUNT, ask, names};

pub(super) fn snapshots(session: &Session) -> DBSnapshotManager {
    DBSnapshot::objects(session)
}

/// Makes a snapshot of an instance.
pub(super) fn take(session: &Session, id: &str, instance: &str) -> Result<DBSnapshot> {
    let model = DBSnapshot::builder().db_snapshot_identifier(id).db_instance_identifier(instance).build()?;
    snapshots(session).create(&model).wait()
}

fn get(session: &Session, id: &str) -> Result<DBSnapshot> {
    Ok(snapshots(session).get(id).wait()?.unwrap())
}

pub(super) fn snapshot_is_made_described_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "postgres", "16.3")?;
    let model = DBSnapshot::builder().db_snapshot_identifier("One").db_instance_identifier("WEB").build()?;
    let made = snapshots(&session).create(&model).tag_list([("team", "web")]).wait()?;
    assert_eq!((made.require_name()?, made.status()), ("one", Some("creating")));
    assert_eq!(made.require_arn()?, "arn:aws:rds:us-east-1:123456789012:snapshot:one");
    assert_eq!((made.percent_progress(), made.snapshot_create_time()), (Some(0), None));
    let found = get(&session, "ONE")?;
    assert_eq!((found.status(), found.percent_progress()), (Some("available"), Some(100)));
    assert_eq!((found.engine(), found.engine_version()), (Some("postgres"), Some("16.3")));
    assert_eq!((found.port(), found.allocated_storage()), (Some(5432), Some(20)));
    assert_eq!((found.snapshot_type(), found.master_username()), (Some("manual"), Some("boss")));
    assert_eq!(found.option_group_name(), Some("default:postgres-16"));
    assert!(found.snapshot_create_time().is_some() && found.vpc_id().is_some());
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let source = found.source().wait()?.unwrap();
    assert_eq!((source.require_name()?, source.db_instance_status()), ("web", Some("available")));
    assert_eq!(get(&session, found.require_arn()?)?.require_name()?, "one");
    let deleted = found.delete().wait()?;
    assert_eq!(deleted.status(), Some("deleted"));
    let error = world.refused(&errors::SNAPSHOT_NOT_FOUND, "DBSnapshotIdentifier", || {
        ask(&session, DescribeDBSnapshots::new().db_snapshot_identifier("one"))
    });
    assert_eq!(error.message(), "DBSnapshot not found: one");
    assert_eq!(snapshots(&session).get("one").wait()?, None);
    Ok(())
}

pub(super) fn new_snapshots_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    take(&session, "one", "web")?;
    let refused = |code, field: &str, id: &str, instance: &str| {
        world.refused(code, field, || ask(&session, CreateDBSnapshot::new(id, instance)))
    };
    let error = refused(&errors::SNAPSHOT_EXISTS, "DBSnapshotIdentifier", "One", "web");
    assert_eq!(
        error.message(),
        "Cannot create the snapshot because a snapshot with the identifier one already exists."
    );
    let error = refused(&errors::INVALID, "DBSnapshotIdentifier", "1st", "web");
    assert_eq!(error.message(), "Invalid snapshot identifier:  1st");
    refused(&errors::INVALID, "DBSnapshotIdentifier", "a--b", "web");
    refused(&errors::INVALID, "DBSnapshotIdentifier", "rds:web", "web");
    refused(&errors::INSTANCE_NOT_FOUND, "DBInstanceIdentifier", "two", "none");
    instances(&session).stop("web").wait()?;
    let error = refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", "two", "web");
    assert_eq!(
        error.message(),
        "Cannot create a snapshot because the database instance web is not currently in the available state."
    );
    Ok(())
}

pub(super) fn snapshots_are_counted(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    for n in 0..100 {
        ask(&session, CreateDBSnapshot::new(format!("s{n}"), "web"))?;
    }
    let error =
        world.refused(&errors::SNAPSHOT_QUOTA, None, || ask(&session, CreateDBSnapshot::new("more", "web")));
    assert_eq!(
        error.message(),
        "The request cannot be processed because it would exceed the maximum number of snapshots."
    );
    snapshots(&session).delete("s0").wait()?;
    ask(&session, CreateDBSnapshot::new("more", "web"))?;
    let page = ask(&session, DescribeDBSnapshots::new().snapshot_type("manual").max_records(20))?;
    assert_eq!(page.db_snapshots().unwrap().len(), 20);
    assert!(page.marker().is_some());
    let manual = snapshots(&session).list().snapshot_type("manual").results();
    assert_eq!(manual.count().wait()?, 100, "each item of all pages once");
    Ok(())
}

pub(super) fn snapshots_are_found_by_filters(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    create(&session, "api", "postgres", "16")?;
    let web = take(&session, "one", "web")?;
    take(&session, "two", "api")?;
    let list = || snapshots(&session).list().snapshot_type("manual");
    let filter = |name: &str, value: &str| vec![Filter::of(name, value)];
    let found = |filters: Vec<Filter>| names(&list().filters(filters).results().all().wait()?);
    assert_eq!(found(filter("db-instance-id", "web"))?, ["one"]);
    assert_eq!(found(filter("db-instance-id", "arn:aws:rds:us-east-1:123456789012:db:api"))?, ["two"]);
    assert_eq!(found(filter("db-snapshot-id", "two"))?, ["two"]);
    assert_eq!(found(filter("engine", "mysql"))?, ["one"]);
    assert_eq!(found(filter("snapshot-type", "automated"))?.len(), 0);
    let resource = web.dbi_resource_id().unwrap();
    assert_eq!(found(filter("dbi-resource-id", resource))?, ["one"]);
    assert_eq!(names(&list().dbi_resource_id(resource).results().all().wait()?)?, ["one"]);
    assert_eq!(names(&list().db_instance_identifier("API").results().all().wait()?)?, ["two"]);
    world.refused(&errors::INVALID, "Filters[0].Name", || found(filter("zone", "a")));
    world.refused(&errors::INVALID, "SnapshotType", || {
        ask(&session, DescribeDBSnapshots::new().snapshot_type("other"))
    });
    Ok(())
}

pub(super) fn snapshots_are_copied(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    ask(&session, ModifyDBInstance::new("web").copy_tags_to_snapshot(true))?;
    let web = instances(&session).get("web").wait()?.unwrap();
    instances(&session).tag(web.require_arn()?, vec![Tag::new("team", "web")]).wait()?;
    let one = take(&session, "one", "web")?;
    assert_eq!(get(&session, "one")?.tags_map().wait()?.len(), 1, "tags of the instance");
    let copy = get(&session, "one")?.copy("two").tags([("stage", "test")]).wait()?;
    assert_eq!((copy.require_name()?, copy.status()), ("two", Some("creating")));
    assert_eq!(copy.source_db_snapshot_identifier(), Some(one.require_arn()?));
    assert_eq!(copy.source_region(), Some("us-east-1"));
    assert_eq!(get(&session, "two")?.tags_map().wait()?.len(), 1, "only the given ones");
    ask(&session, CopyDBSnapshot::new("one", "three").copy_tags(true))?;
    let three = get(&session, "three")?;
    assert_eq!(three.tags_map().wait()?.get("team").map(Text::as_str), Some("web"));
    let original = get(&session, "one")?;
    assert_eq!(three.original_snapshot_create_time(), original.original_snapshot_create_time());
    world.refused(&errors::SNAPSHOT_EXISTS, "TargetDBSnapshotIdentifier", || {
        ask(&session, CopyDBSnapshot::new("one", "two"))
    });
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "SourceDBSnapshotIdentifier", || {
        ask(&session, CopyDBSnapshot::new("none", "four"))
    });
    world.refused(&errors::INVALID_COMBINATION, "SnapshotTarget", || {
        ask(&session, CopyDBSnapshot::new("one", "four").snapshot_target("outposts"))
    });
    world.refused(&errors::INVALID_COMBINATION, "CopyOptionGroup", || {
        ask(&session, CopyDBSnapshot::new("one", "four").copy_option_group(true))
    });
    world.refused(&errors::CUSTOM_ZONE_NOT_FOUND, "TargetCustomAvailabilityZone", || {
        ask(&session, CopyDBSnapshot::new("one", "four").target_custom_availability_zone("rds-caz-1"))
    });
    world.refused(&errors::OPTION_GROUP_NOT_FOUND, "OptionGroupName", || {
        ask(&session, CopyDBSnapshot::new("one", "four").option_group_name("none"))
    });
    Ok(())
}

pub(super) fn snapshots_are_copied_from_other_regions(world: &World) -> Result<()> {
    let (here, there) = (world.session(), world.other_region());
    ask(&here, request("web", "mysql"))?;
    let plain = take(&here, "one", "web")?;
    let copy = ask(&there, CopyDBSnapshot::new(plain.require_arn()?, "one").pre_signed_url("https://x"))?;
    let copy = copy.db_snapshot().unwrap();
    assert_eq!(copy.require_arn()?, "arn:aws:rds:eu-west-1:123456789012:snapshot:one");
    assert_eq!(
        (copy.source_region(), copy.source_db_snapshot_identifier()),
        (Some("us-east-1"), Some(plain.require_arn()?))
    );
    assert_eq!(get(&there, "one")?.status(), Some("available"));
    assert_eq!(snapshots(&there).get(plain.require_arn()?).wait()?, None, "a snapshot belongs to its Region");
    let key = world.crypto_key_in("eu-west-1", "copies");
    ask(&here, CopyDBSnapshot::new("one", "secret").crypto_key_id(world.crypto_key("own")))?;
    assert_eq!(get(&here, "secret")?.encrypted(), Some(true));
    let secret = get(&here, "secret")?;
    let error = world.refused(&errors::INVALID, "CryptoKeyId", || {
        ask(&there, CopyDBSnapshot::new(secret.require_arn()?, "two"))
    });
    assert_eq!(error.message(), "Must specify new KMS key for cross region encrypted snapshot copy.");
    ask(&there, CopyDBSnapshot::new(secret.require_arn()?, "two").crypto_key_id(key.as_str()))?;
    assert_eq!(get(&there, "two")?.crypto_key_id(), Some(key.as_str()));
    Ok(())
}

pub(super) fn snapshots_are_shared_with_accounts(world: &World) -> Result<()> {
    let (session, other) = (world.session(), world.other_account());
    ask(&session, request("web", "mysql"))?;
    let one = take(&session, "one", "web")?;
    let arn = one.require_arn()?;
    let share = |add: &[&str], remove: &[&str]| {
        let texts = |values: &[&str]| values.iter().map(|value| Text::new(value)).collect::<Vec<_>>();
        let change = ModifyDBSnapshotAttribute::new("one", "restore").values_to_add(texts(add));
        ask(&session, change.values_to_remove(texts(remove)))
    };
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "SourceDBSnapshotIdentifier", || {
        ask(&other, CopyDBSnapshot::new(arn, "copy"))
    });
    let is_allowed = |action: &str| {
        let principal = format!("arn:aws:iam::{OTHER_ACCOUNT}:root").into();
        let (action, resource) = (action.into(), arn.into());
        let query = AccessQuery { principal, action, resource, context: Vec::new() };
        Ok::<_, nephos_core::Error>(world.cloud().explain_access(&query)?.allowed)
    };
    assert_eq!(is_allowed("rds:CopyDBSnapshot")?, Some(false));
    share(&[OTHER_ACCOUNT], &[])?;
    assert_eq!(is_allowed("rds:CopyDBSnapshot")?, Some(true));
    assert_eq!(is_allowed("rds:DeleteDBSnapshot")?, Some(false));
    let attributes = ask(&session, DescribeDBSnapshotAttributes::new("one"))?;
    let attributes = attributes.db_snapshot_attributes_result().unwrap();
    let restore = &attributes.db_snapshot_attributes().unwrap()[0];
    assert_eq!((restore.attribute_name(), restore.attribute_values().unwrap().len()), (Some("restore"), 1));
    let manual = || snapshots(&other).list();
    assert_eq!(manual().results().count().wait()?, 0, "shared ones are not included by default");
    let shared = manual().snapshot_type("shared").results().all().wait()?;
    assert_eq!(names(&shared)?, [arn], "another account sees its ARN");
    assert_eq!((shared[0].snapshot_type(), shared[0].master_username()), (Some("shared"), Some("boss")));
    assert_eq!(manual().include_shared(true).results().count().wait()?, 1);
    assert_eq!(manual().include_public(true).results().count().wait()?, 0);
    assert_eq!(snapshots(&session).list().snapshot_type("shared").results().count().wait()?, 0);
    ask(&other, CopyDBSnapshot::new(arn, "copy"))?;
    assert_eq!(get(&other, "copy")?.require_arn()?, "arn:aws:rds:us-east-1:210987654321:snapshot:copy");
    world.refused(&errors::INVALID_COMBINATION, "CopyTags", || {
        ask(&other, CopyDBSnapshot::new(arn, "tagged").copy_tags(true))
    });
    share(&["all"], &[OTHER_ACCOUNT])?;
    assert_eq!(manual().snapshot_type("shared").results().count().wait()?, 0);
    assert_eq!(names(&manual().snapshot_type("public").results().all().wait()?)?, [arn]);
    snapshots(&session).delete("one").wait()?;
    assert_eq!(manual().snapshot_type("public").results().count().wait()?, 0);
    Ok(())
}

pub(super) fn sharing_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web", "mysql"))?;
    take(&session, "one", "web")?;
    ask(&session, CopyDBSnapshot::new("one", "secret").crypto_key_id(world.crypto_key("own")))?;
    let share = |id: &str, attribute: &str, account: &str| {
        let change = ModifyDBSnapshotAttribute::new(id, attribute);
        ask(&session, change.values_to_add(vec![Text::new(account)]))
    };
    world.refused(&errors::INVALID, "AttributeName", || share("one", "read", "all"));
    world.refused(&errors::INVALID, "ValuesToAdd", || share("one", "restore", "12345"));
    world.refused(&errors::INVALID, "ValuesToAdd", || share("secret", "restore", "all"));
    create(&session, "default-key", "mysql", "8.0")?;
    take(&session, "default", "default-key")?;
    let error = world.refused(&errors::INVALID, "ValuesToAdd", || share("default", "restore", OTHER_ACCOUNT));
    assert_eq!(error.message(), "Snapshots that are encrypted with the default KMS key cannot be shared.");
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "DBSnapshotIdentifier", || share("none", "restore", "all"));
    let accounts: Vec<Text> = (0..21).map(|n| Text::from(format!("{:012}", 100 + n))).collect();
    world.refused(&errors::SHARED_SNAPSHOT_QUOTA, "ValuesToAdd", || {
        ask(&session, ModifyDBSnapshotAttribute::new("one", "restore").values_to_add(accounts))
    });
    Ok(())
}

pub(super) fn snapshot_is_upgraded(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0.35")?;
    take(&session, "one", "web")?;
    let mut one = get(&session, "one")?;
    one.set_engine_version("8.4")?;
    one.tags_mut().wait()?.insert("stage", "test")?;
    one.save().wait()?;
    let found = get(&session, "one")?;
    assert!(found.engine_version().unwrap().starts_with("8.4."));
    assert_eq!((found.status(), found.option_group_name()), (Some("available"), Some("default:mysql-8-4")));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let error = world.refused(&errors::INVALID_COMBINATION, "EngineVersion", || {
        ask(&session, ModifyDBSnapshot::new("one").engine_version("8.0.35"))
    });
    assert!(error.message().starts_with("Cannot upgrade mysql from 8.4."), "{error}");
    world.refused(&errors::INVALID_COMBINATION, "OptionGroupName", || {
        ask(&session, ModifyDBSnapshot::new("one").option_group_name("default:mysql-8-4"))
    });
    Ok(())
}

pub(super) fn last_snapshot_outlives_the_instance(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    take(&session, "one", "web")?;
    let delete =
        |snapshot: &str| ask(&session, DeleteDBInstance::new("web").final_db_snapshot_identifier(snapshot));
    world.refused(&errors::SNAPSHOT_EXISTS, "FinalDBSnapshotIdentifier", || delete("one"));
    world.refused(&errors::INVALID, "FinalDBSnapshotIdentifier", || delete("a--b"));
    delete("last")?;
    assert_eq!(instances(&session).get("web").wait()?, None);
    let last = get(&session, "last")?;
    assert_eq!((last.status(), last.db_instance_identifier()), (Some("available"), Some("web")));
    create(&session, "web", "mysql", "8.0")?;
    assert_eq!(last.source().wait()?, None, "another instance of this name is not its source");
    Ok(())
}

pub(super) fn snapshot_is_made_before_a_stop(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    take(&session, "one", "web")?;
    let stop = |snapshot: &str| ask(&session, StopDBInstance::new("web").db_snapshot_identifier(snapshot));
    world.refused(&errors::SNAPSHOT_EXISTS, "DBSnapshotIdentifier", || stop("one"));
    stop("two")?;
    assert_eq!(get(&session, "two")?.status(), Some("available"));
    assert_eq!(instances(&session).get("web").wait()?.unwrap().db_instance_status(), Some("stopped"));
    Ok(())
}
