//! What the service offers: versions, classes, options, source Regions and quotas.

use super::{
    World,
    instances::{create, instances},
};
use nephos_core::{Result, Session, Text};
use nephos_rds::{
    CreateDBInstance, DBEngineVersion, DescribeAccountAttributes, DescribeDBEngineVersions,
    DescribeDBMajorEngineVersions, DescribeOrderableDBInstanceOptions, DescribeSourceRegions,
    DescribeValidDBInstanceModifications, Filter, ModifyDBInstance, OrderableDBInstanceOption,
    ProcessorFeature, StopDBInstance, errors,
};
use nephos_testing::ask;

fn versions(session: &Session, request: DescribeDBEngineVersions) -> Result<Vec<DBEngineVersion>> {
    Ok(ask(session, request)?.db_engine_versions().unwrap().to_vec())
}

fn numbers(session: &Session, request: DescribeDBEngineVersions) -> Result<Vec<String>> {
    let found = versions(session, request)?;
    Ok(found.iter().map(|version| version.engine_version().unwrap().to_owned()).collect())
}

pub(super) fn engine_versions_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let request = DescribeDBEngineVersions::new;
    assert_eq!(numbers(&session, request().engine("mysql").engine_version("8.4"))?.len(), 4);
    let newest = request().engine("mysql").default_only(true);
    assert_eq!(numbers(&session, newest)?, ["8.4.6"]);
    let newest = request().engine("mysql").engine_version("5.7").default_only(true);
    assert_eq!(numbers(&session, newest)?, ["5.7.44"]);
    let family = request().db_parameter_group_family("postgres17");
    assert_eq!(numbers(&session, family)?, ["17.1", "17.2", "17.4", "17.5", "17.6"]);
    let filters = vec![Filter::of("engine", "docdb"), Filter::of("engine-version", "4.0.0")];
    assert_eq!(numbers(&session, request().filters(filters))?, ["4.0.0"]);
    let serverless = Filter::of("engine-mode", "serverless");
    assert_eq!(numbers(&session, request().filters(vec![serverless]))?.len(), 0);
    assert_eq!(numbers(&session, request().engine("unknown"))?.len(), 0);
    let all = instances(&session).engine_versions().wait()?;
    assert!(all.len() > 300, "{} versions on several pages", all.len());

    let found = versions(&session, request().engine("mysql").engine_version("8.0.42"))?.remove(0);
    assert_eq!(found.db_engine_version_description(), Some("MySQL 8.0.42"));
    assert_eq!(found.db_parameter_group_family(), Some("mysql8.0"));
    assert_eq!((found.status(), found.supports_read_replica()), (Some("available"), Some(true)));
    let targets = found.valid_upgrade_target().unwrap();
    let targets: Vec<_> = targets
        .iter()
        .map(|to| (to.engine_version().unwrap(), to.auto_upgrade(), to.is_major_version_upgrade()))
        .collect();
    assert_eq!(targets[0], ("8.0.43", Some(true), Some(false)));
    assert_eq!(targets[1], ("8.4.3", Some(false), Some(true)));
    assert_eq!(found.supported_timezones(), None, "only if they are requested");
    let newest = versions(&session, request().engine("mysql").engine_version("8.4.6"))?.remove(0);
    assert_eq!(newest.valid_upgrade_target().unwrap().len(), 0);

    let lists = request().list_supported_character_sets(true).list_supported_timezones(true);
    let oracle = versions(&session, lists.clone().engine("oracle-ee").default_only(true))?.remove(0);
    assert_eq!(oracle.default_character_set().unwrap().character_set_name(), Some("AL32UTF8"));
    assert!(oracle.supported_character_sets().unwrap().len() > 30);
    assert_eq!(oracle.supported_nchar_character_sets().unwrap().len(), 2);
    assert_eq!(oracle.supported_timezones().unwrap().len(), 0);
    let sqlserver = versions(&session, lists.engine("sqlserver-ex").default_only(true))?.remove(0);
    assert!(sqlserver.supported_timezones().unwrap().len() > 50);
    let aurora = request().engine("aurora-mysql").default_only(true);
    let aurora = versions(&session, aurora)?.remove(0);
    assert_eq!(aurora.supports_parallel_query(), Some(true));
    assert_eq!(aurora.supported_engine_modes().unwrap(), ["provisioned"]);
    let capacity = aurora.serverless_v2_features_support().unwrap();
    assert_eq!((capacity.min_capacity(), capacity.max_capacity()), (Some(0.0), Some(256.0)));
    world.refused(&errors::INVALID, "Filters[0].Name", || {
        ask(&session, request().filters(vec![Filter::of("colour", "blue")]))
    });
    Ok(())
}

pub(super) fn classes_depend_on_engines_and_versions(world: &World) -> Result<()> {
    let session = world.session();
    let request = |class: &str, engine: &str, version: &str| {
        let request = CreateDBInstance::new("web", class, engine).engine_version(version);
        request.allocated_storage(20).master_username("boss").master_user_password("correct-horse")
    };
    world.refused(&errors::INVALID, "DBInstanceClass", || {
        ask(&session, request("db.m5.3xlarge", "mysql", "8.0"))
    });
    let old = || ask(&session, request("db.t4g.micro", "mysql", "5.7.44"));
    let error = world.refused(&errors::INVALID_COMBINATION, "DBInstanceClass", old);
    assert_eq!(
        error.message(),
        "RDS does not support creating a DB instance with the following combination: \
         DBInstanceClass=db.t4g.micro, Engine=mysql, EngineVersion=5.7.44, LicenseModel=general-public-license. \
         For supported combinations of instance class and database engine version, see the documentation."
    );
    world.refused(&errors::INVALID_COMBINATION, "DBInstanceClass", || {
        ask(&session, request("db.c6gd.large", "mysql", "8.0"))
    });
    ask(&session, request("db.t3.micro", "mysql", "5.7.44"))?;
    let larger = |class: &str| ModifyDBInstance::new("web").db_instance_class(class).apply_immediately(true);
    world.refused(&errors::INVALID_COMBINATION, "DBInstanceClass", || ask(&session, larger("db.m6g.large")));
    ask(&session, larger("db.m5.large"))?;

    let oracle = |class: &str, name: &str, value: &str| {
        let feature = ProcessorFeature::builder().name(name).value(value).build().unwrap();
        let request = CreateDBInstance::new("ora", class, "oracle-ee").processor_features(vec![feature]);
        request.allocated_storage(20).master_username("boss").master_user_password("correct-horse")
    };
    for (class, name, value) in [
        ("db.m5.4xlarge", "coreCount", "3"),
        ("db.m5.4xlarge", "threadsPerCore", "4"),
        ("db.m5.4xlarge", "colour", "1"),
    ] {
        world.refused(&errors::INVALID, "ProcessorFeatures", || ask(&session, oracle(class, name, value)));
    }
    world.refused(&errors::INVALID_COMBINATION, "ProcessorFeatures", || {
        ask(&session, oracle("db.t3.large", "coreCount", "1"))
    });
    ask(&session, oracle("db.m5.4xlarge", "coreCount", "4")).map(drop)
}

fn options(
    session: &Session,
    request: DescribeOrderableDBInstanceOptions,
) -> Result<Vec<OrderableDBInstanceOption>> {
    Ok(ask(session, request)?.orderable_db_instance_options().unwrap().to_vec())
}

pub(super) fn options_of_instances_are_paged(world: &World) -> Result<()> {
    let session = world.session();
    let request = DescribeOrderableDBInstanceOptions::new;
    let one = request("postgres").engine_version("16.3").db_instance_class("db.t4g.micro");
    let found = options(&session, one.clone())?;
    let types: Vec<_> = found.iter().map(|option| option.storage_type().unwrap()).collect();
    assert_eq!(types, ["gp2", "gp3", "io1", "io2", "standard"]);
    let io1 = &found[2];
    assert_eq!((io1.min_storage_size(), io1.max_storage_size()), (Some(100), Some(65_536)));
    assert_eq!((io1.min_iops_per_gib(), io1.max_iops_per_gib()), (Some(0.5), Some(50.0)));
    assert_eq!((io1.supports_performance_insights(), io1.vpc()), (Some(false), Some(true)));
    assert_eq!((io1.multi_az_capable(), io1.supports_clusters()), (Some(true), Some(false)));
    assert_eq!(io1.availability_zones().unwrap().len(), 3);
    assert_eq!(options(&session, one.clone().vpc(false))?.len(), 0);
    assert_eq!(options(&session, one.license_model("license-included"))?.len(), 0);
    assert_eq!(options(&session, request("postgres").db_instance_class("db.t2.micro"))?.len(), 0);

    let disks = request("mysql").engine_version("8.0.36").db_instance_class("db.m6gd.large");
    assert_eq!(options(&session, disks)?[0].supports_clusters(), Some(true));
    let serverless = request("aurora-postgresql").engine_version("16.4").db_instance_class("db.serverless");
    let serverless = options(&session, serverless)?;
    assert_eq!(serverless.len(), 2, "aurora and aurora-iopt1");
    assert_eq!(serverless[0].supported_activity_stream_modes().unwrap().len(), 0);
    assert_eq!((serverless[0].min_storage_size(), serverless[0].supports_iops()), (None, Some(false)));
    let oracle = request("oracle-ee").db_instance_class("db.m5.2xlarge").max_records(20);
    let oracle = options(&session, oracle)?.remove(0);
    let cores = &oracle.available_processor_features().unwrap()[0];
    assert_eq!((cores.name(), cores.allowed_values()), (Some("coreCount"), Some("2,4")));
    assert_eq!(oracle.available_additional_storage_volumes_options().unwrap().len(), 2);

    let mut seen: Vec<Text> = Vec::new();
    let mut marker: Option<Text> = None;
    loop {
        let mut page = request("mariadb").engine_version("11.4").max_records(1000);
        page.marker = marker;
        let answer = ask(&session, page)?;
        let found = answer.orderable_db_instance_options().unwrap();
        let name = |option: &OrderableDBInstanceOption| {
            let parts = [option.engine_version(), option.db_instance_class(), option.storage_type()];
            Text::from(parts.map(Option::unwrap).join(" "))
        };
        seen.extend(found.iter().map(name));
        marker = answer.marker().map(Text::new);
        if marker.is_none() {
            break;
        }
    }
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert!(all > 1000 && seen.len() == all, "each of {all} options once, {} of them differ", seen.len());
    world.refused(&errors::INVALID, "Engine", || ask(&session, request("oracle")));
    world.refused(&errors::INVALID, "MaxRecords", || ask(&session, request("mysql").max_records(1001)));
    Ok(())
}

pub(super) fn valid_modifications_follow_from_the_instance(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web", "mysql", "8.0.35")?;
    let found = web.valid_modifications().wait()?;
    let storage = found.storage().unwrap();
    assert_eq!(storage.len(), 5);
    let size = storage[0].storage_size().unwrap()[0].clone();
    assert_eq!((storage[0].storage_type(), size.from(), size.to()), (Some("gp2"), Some(20), Some(65_536)));
    ask(&session, ModifyDBInstance::new("web").allocated_storage(50).apply_immediately(true))?;
    let found = ask(&session, DescribeValidDBInstanceModifications::new("WEB"))?;
    let found = found.valid_db_instance_modifications_message().unwrap();
    assert_eq!(found.storage().unwrap()[0].storage_size().unwrap()[0].from(), Some(50), "not smaller");
    assert_eq!(found.valid_processor_features().unwrap().len(), 0);
    assert_eq!(found.additional_storage().unwrap().supports_additional_storage_volumes(), Some(false));
    world.refused(&errors::INSTANCE_NOT_FOUND, "DBInstanceIdentifier", || {
        ask(&session, DescribeValidDBInstanceModifications::new("none"))
    });
    ask(&session, StopDBInstance::new("web"))?;
    world.refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", || {
        ask(&session, DescribeValidDBInstanceModifications::new("web"))
    });
    Ok(())
}

pub(super) fn regions_and_major_versions_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let regions = ask(&session, DescribeSourceRegions::new())?;
    let regions: Vec<_> =
        regions.source_regions().unwrap().iter().map(|region| region.region_name().unwrap()).collect();
    assert!(regions.contains(&"eu-west-1") && !regions.contains(&"us-east-1"), "{regions:?}");
    let one = ask(&session, DescribeSourceRegions::new().region_name("eu-west-1"))?;
    let [one] = one.source_regions().unwrap() else { panic!("one Region") };
    assert_eq!(one.endpoint(), Some("https://rds.eu-west-1.amazonaws.com"));
    let major = DescribeDBMajorEngineVersions::new().engine("mysql").major_engine_version("5.7");
    let major = ask(&session, major)?;
    let [major] = major.db_major_engine_versions().unwrap() else { panic!("one version") };
    let [standard, extended] = major.supported_engine_lifecycles().unwrap() else { panic!("two times") };
    assert_eq!(standard.lifecycle_support_end_date().unwrap().to_string(), "2024-02-29T23:59:59.999Z");
    assert_eq!(extended.lifecycle_support_start_date().unwrap().to_string(), "2024-03-01T00:00:00Z");
    let commercial = DescribeDBMajorEngineVersions::new().engine("sqlserver-ee");
    let commercial = ask(&session, commercial)?;
    let commercial = commercial.db_major_engine_versions().unwrap();
    assert_eq!((commercial.len(), commercial[0].supported_engine_lifecycles()), (3, None));
    Ok(())
}

pub(super) fn quotas_count_what_is_used(world: &World) -> Result<()> {
    let session = world.session();
    let used = |name: &str| -> Result<Option<i64>> {
        let quotas = ask(&session, DescribeAccountAttributes::new())?;
        let quotas = quotas.account_quotas().unwrap().to_vec();
        let quota = quotas.iter().find(|quota| quota.account_quota_name() == Some(name)).unwrap();
        assert!(quota.max() > quota.used(), "{quota:?}");
        Ok(quota.used())
    };
    assert_eq!(used("DBInstances")?, Some(0));
    create(&session, "web", "mysql", "8.0.35")?;
    assert_eq!((used("DBInstances")?, used("AllocatedStorage")?), (Some(1), Some(20)));
    instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    assert_eq!((used("DBInstances")?, used("AllocatedStorage")?), (Some(0), Some(0)));
    Ok(())
}
