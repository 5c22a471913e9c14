//! DB parameter groups, DB cluster parameter groups, and the values of their parameters.

use super::{World, instances};
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_rds::{
    AddTagsToResource, ApplyMethod, CopyDBClusterParameterGroup, CopyDBParameterGroup, CreateDBCluster,
    CreateDBClusterParameterGroup, CreateDBParameterGroup, DBClusterParameterGroup, DBInstance,
    DBParameterGroup, DBParameterGroupManager, DeleteDBClusterParameterGroup, DeleteDBParameterGroup,
    DescribeDBClusterParameterGroups, DescribeDBClusterParameters, DescribeDBParameterGroups,
    DescribeDBParameters, DescribeEngineDefaultParameters, Filter, ListTagsForResource,
    ModifyDBClusterParameterGroup, ModifyDBParameterGroup, Parameter, ResetDBClusterParameterGroup,
    ResetDBParameterGroup, errors,
};
use nephos_testing::{HOUR, ask, names};

fn groups(session: &Session) -> DBParameterGroupManager {
    DBParameterGroup::objects(session)
}

fn create(session: &Session, name: &str, family: &str) -> Result<DBParameterGroup> {
    let group = DBParameterGroup::builder()
        .db_parameter_group_name(name)
        .db_parameter_group_family(family)
        .description("values");
    groups(session).create(&group.build()?).tags([("team", "web")]).wait()
}

fn change(name: &str, value: &str, method: ApplyMethod) -> Vec<Parameter> {
    let change = Parameter::builder().parameter_name(name).parameter_value(value).apply_method(method);
    vec![change.build().unwrap()]
}

fn modify(session: &Session, group: &str, name: &str, value: &str, method: ApplyMethod) -> Result<Text> {
    let answer = ask(session, ModifyDBParameterGroup::new(group, change(name, value, method)))?;
    Ok(answer.db_parameter_group_name().unwrap().into())
}

fn parameter(session: &Session, group: &str, name: &str) -> Parameter {
    let filter = Filter::of("parameter-name", name);
    let found = groups(session).parameters(group).filters(vec![filter]).wait().unwrap();
    assert_eq!(found.len(), 1, "{name}");
    found.into_iter().next().unwrap()
}

fn value(session: &Session, group: &str, name: &str) -> Option<String> {
    parameter(session, group, name).parameter_value().map(str::to_owned)
}

/// Returns the status of the group of the instance `web`.
fn apply_status(session: &Session) -> Result<Option<Text>> {
    let instance = DBInstance::objects(session).get("web").wait()?.unwrap();
    let groups = instance.db_parameter_groups().unwrap_or_default();
    Ok(groups.iter().find_map(|group| group.parameter_apply_status()).map(Text::new))
}

pub(super) fn parameter_group_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "Web-1", "mysql8.0")?;
    assert_eq!(created.require_name()?, "web-1", "names are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:rds:us-east-1:123456789012:pg:web-1");
    let mut found = groups(&session).get("WEB-1").wait()?.unwrap();
    assert_eq!((found.db_parameter_group_family(), found.description()), (Some("mysql8.0"), Some("values")));
    assert_eq!(modify(&session, "web-1", "long_query_time", "0.5", ApplyMethod::Immediate)?, "web-1");
    modify(
        &session,
        "web-1",
        "max_connections",
        "{DBInstanceClassMemory/9531392}",
        ApplyMethod::PendingReboot,
    )?;
    let changed = found.parameters().source("user").wait()?;
    let changed: Vec<_> =
        changed.iter().map(|one| (one.parameter_name(), one.parameter_value(), one.apply_method())).collect();
    assert_eq!(
        changed,
        [
            (Some("long_query_time"), Some("0.5"), Some(&ApplyMethod::Immediate)),
            (
                Some("max_connections"),
                Some("{DBInstanceClassMemory/9531392}"),
                Some(&ApplyMethod::PendingReboot)
            ),
        ]
    );
    for source in ["system", "engine-default"] {
        let unchanged = found.parameters().source(source).wait()?;
        assert!(unchanged.len() > 10 && unchanged.iter().all(|one| one.source() == Some(source)));
    }
    found.tags_mut().wait()?.insert("team", "api")?;
    found.save().wait()?;
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("api"));
    found.delete().wait()?;
    assert_eq!(groups(&session).get("web-1").wait()?, None);
    create(&session, "web-1", "mysql8.0")?;
    assert_eq!(value(&session, "web-1", "long_query_time"), None, "a new group has default values");
    Ok(())
}

pub(super) fn default_parameter_groups_exist_and_cannot_be_changed(world: &World) -> Result<()> {
    let session = world.session();
    let all = names(&groups(&session).list().results().all().wait()?)?;
    assert!(all.len() > 40 && all.is_sorted());
    let clusters = DBClusterParameterGroup::objects(&session).list().results().all().wait()?;
    let clusters = names(&clusters)?;
    for (name, of_instances, of_clusters) in [
        ("default.mysql5.7", true, false),
        ("default.mysql8.0", true, true),
        ("default.postgres12", true, false),
        ("default.aurora-postgresql16", true, true),
        ("default.docdb5.0", true, true),
        ("default.sqlserver-ex-15.0", true, false),
    ] {
        assert_eq!(all.iter().any(|one| one == name), of_instances, "{name}");
        assert_eq!(clusters.iter().any(|one| one == name), of_clusters, "{name}");
    }
    let name = "default.mysql8.0";
    let group = groups(&session).get(name).wait()?.unwrap();
    assert_eq!(group.description(), Some("Default parameter group for mysql8.0"));
    let field = "DBParameterGroupName";
    for error in [
        world.refused(&errors::INVALID, field, || {
            modify(&session, name, "long_query_time", "1", ApplyMethod::Immediate)
        }),
        world.refused(&errors::INVALID, field, || ask(&session, ResetDBParameterGroup::new(name))),
    ] {
        assert_eq!(error.message(), "Cannot modify a default parameter group.");
    }
    let delete = || ask(&session, DeleteDBParameterGroup::new(name));
    let error = world.refused(&errors::PARAMETER_GROUP_STATE, field, delete);
    assert_eq!(error.message(), "Default DBParameterGroup cannot be deleted: default.mysql8.0");
    world.refused(&errors::INVALID, "SourceDBParameterGroupIdentifier", || {
        ask(&session, CopyDBParameterGroup::new(name, "copy", "copy"))
    });
    let arn = group.require_arn()?;
    ask(&session, AddTagsToResource::new(arn, [("stage", "test")]))?;
    assert_eq!(ask(&session, ListTagsForResource::new(arn))?.tag_list().unwrap().len(), 1);
    let listed = groups(&session).list().results().all().wait()?.len();
    assert_eq!(listed, all.len(), "a tagged group is listed once");
    Ok(())
}

pub(super) fn parameter_groups_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql8.0")?;
    let field = "DBParameterGroupName";
    let error = world.refused(&errors::PARAMETER_GROUP_EXISTS, field, || create(&session, "WEB", "mysql8.0"));
    assert_eq!(error.message(), "Parameter group web already exists");
    for name in ["1a", "a--b", "a-", "a.b"] {
        let request = CreateDBParameterGroup::new(name, "mysql8.0", "values");
        world.refused(&errors::INVALID, field, || ask(&session, request));
    }
    let family = CreateDBParameterGroup::new("api", "mysql9.9", "values");
    let error = world.refused(&errors::INVALID, "DBParameterGroupFamily", || ask(&session, family));
    assert_eq!(error.message(), "ParameterGroupFamily mysql9.9 is not a valid parameter group family");
    let cluster = CreateDBClusterParameterGroup::new("api", "postgres12", "values");
    world.refused(&errors::INVALID, "DBParameterGroupFamily", || ask(&session, cluster));
    let blank = CreateDBParameterGroup::new("api", "mysql8.0", " ");
    world.refused(&errors::INVALID, "Description", || ask(&session, blank));
    for error in [
        world.refused(&errors::PARAMETER_GROUP_NOT_FOUND, field, || {
            ask(&session, DescribeDBParameterGroups::new().db_parameter_group_name("none"))
        }),
        world.refused(&errors::PARAMETER_GROUP_NOT_FOUND, field, || {
            ask(&session, DescribeDBParameters::new("none"))
        }),
        world.refused(&errors::PARAMETER_GROUP_NOT_FOUND, field, || {
            modify(&session, "none", "long_query_time", "1", ApplyMethod::Immediate)
        }),
        world.refused(&errors::PARAMETER_GROUP_NOT_FOUND, field, || {
            ask(&session, DeleteDBParameterGroup::new("none"))
        }),
    ] {
        assert_eq!(error.message(), "DBParameterGroup not found: none");
    }
    let filter = DescribeDBParameterGroups::new().filters(vec![Filter::of("name", "web")]);
    world.refused(&errors::INVALID, "Filters[0].Name", || ask(&session, filter));
    Ok(())
}

pub(super) fn parameter_values_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql8.0")?;
    for (name, value, text) in [
        ("work_mem", "64", "Could not find parameter with name: work_mem"),
        ("port", "3306", "The parameter port cannot be modified."),
        (
            "connect_timeout",
            "1",
            "Invalid parameter value: 1 for: connect_timeout allowed values are: 2-31536000",
        ),
        (
            "binlog_format",
            "rows",
            "Invalid parameter value: rows for: binlog_format allowed values are: ROW,STATEMENT,MIXED",
        ),
        ("slow_query_log", "on", "Invalid parameter value: on for: slow_query_log allowed values are: 0,1"),
    ] {
        let error = world.refused(&errors::INVALID, "Parameters", || {
            modify(&session, "web", name, value, ApplyMethod::PendingReboot)
        });
        assert_eq!(error.message(), text);
    }
    let error = world.refused(&errors::INVALID_COMBINATION, "Parameters", || {
        modify(&session, "web", "performance_schema", "1", ApplyMethod::Immediate)
    });
    assert_eq!(error.message(), "cannot use immediate apply method for static parameter");
    let twenty_one = vec![change("long_query_time", "1", ApplyMethod::Immediate); 21].concat();
    world.refused(&errors::INVALID, "Parameters", || {
        ask(&session, ModifyDBParameterGroup::new("web", twenty_one))
    });
    let incomplete = Parameter::builder().parameter_name("long_query_time").parameter_value("1").build()?;
    world.refused(&errors::INVALID, "Parameters", || {
        ask(&session, ModifyDBParameterGroup::new("web", vec![incomplete]))
    });
    Ok(())
}

pub(super) fn parameters_are_reset(world: &World) -> Result<()> {
    let session = world.session();
    let group = create(&session, "web", "postgres16")?;
    let set = || -> Result<()> {
        for (name, value) in [("work_mem", "128"), ("shared_buffers", "1000"), ("jit", "0")] {
            modify(&session, "web", name, value, ApplyMethod::PendingReboot)?;
        }
        Ok(())
    };
    let changed = || -> Result<usize> { Ok(group.parameters().source("user").wait()?.len()) };
    set()?;
    let one = Parameter::builder().parameter_name("shared_buffers").apply_method(ApplyMethod::PendingReboot);
    let one = vec![one.build()?];
    group.reset().parameters(one.clone()).wait()?;
    assert_eq!(changed()?, 2);
    assert_eq!(value(&session, "web", "shared_buffers").as_deref(), Some("{DBInstanceClassMemory/32768}"));
    let both = ResetDBParameterGroup::new("web").reset_all_parameters(true).parameters(one);
    world.refused(&errors::INVALID_COMBINATION, "Parameters", || ask(&session, both));
    group.reset().wait()?;
    assert_eq!(changed()?, 0);
    set()?;
    group.reset().reset_all_parameters(true).wait()?;
    assert_eq!(changed()?, 0);
    Ok(())
}

pub(super) fn parameter_groups_are_copied(world: &World) -> Result<()> {
    let session = world.session();
    let group = create(&session, "web", "postgres16")?;
    modify(&session, "web", "work_mem", "128", ApplyMethod::Immediate)?;
    let copy = group.copy("Copy", "a copy").tags(vec![Tag::new("team", "api")]).wait()?;
    assert_eq!((copy.require_name()?, copy.description()), ("copy", Some("a copy")));
    assert_eq!(value(&session, "copy", "work_mem").as_deref(), Some("128"));
    modify(&session, "copy", "work_mem", "256", ApplyMethod::Immediate)?;
    assert_eq!(value(&session, "web", "work_mem").as_deref(), Some("128"), "the original has its own values");
    let arn = group.require_arn()?;
    ask(&session, CopyDBParameterGroup::new(arn, "other", "a copy"))?;
    world.refused(&errors::PARAMETER_GROUP_EXISTS, "TargetDBParameterGroupIdentifier", || {
        ask(&session, CopyDBParameterGroup::new("web", "other", "a copy"))
    });
    for source in ["none", &arn.replace("us-east-1", "eu-west-1")] {
        world.refused(&errors::PARAMETER_GROUP_NOT_FOUND, "SourceDBParameterGroupIdentifier", || {
            ask(&session, CopyDBParameterGroup::new(source, "third", "a copy"))
        });
    }
    Ok(())
}

pub(super) fn used_parameter_groups_are_kept_and_mark_their_users(world: &World) -> Result<()> {
    let session = world.session();
    let group = create(&session, "web", "postgres16")?;
    let instance = instances::request("web", "postgres").engine_version("16").db_parameter_group_name("web");
    ask(&session, instance)?;
    world.advance(HOUR)?;
    modify(&session, "web", "work_mem", "128", ApplyMethod::Immediate)?;
    assert_eq!(apply_status(&session)?.as_deref(), Some("in-sync"));
    modify(&session, "web", "shared_buffers", "1000", ApplyMethod::PendingReboot)?;
    assert_eq!(apply_status(&session)?.as_deref(), Some("pending-reboot"));
    let delete = || group.clone().delete().wait();
    let error = world.refused(&errors::PARAMETER_GROUP_STATE, "DBParameterGroupName", delete);
    assert_eq!(
        error.message(),
        "One or more database instances are still members of this parameter group web, so the group cannot be deleted"
    );
    DBInstance::objects(&session).delete("web").skip_final_snapshot(true).wait()?;
    world.advance(HOUR)?;
    group.delete().wait()?;
    Ok(())
}

pub(super) fn databases_require_groups_of_their_family(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "postgres16")?;
    let instance = |group: &str, version: &str| {
        instances::request("db", "postgres").engine_version(version).db_parameter_group_name(group)
    };
    let refused = |code, instance| world.refused(code, "DBParameterGroupName", || ask(&session, instance));
    let error = refused(&errors::INVALID_COMBINATION, instance("web", "15"));
    assert_eq!(
        error.message(),
        "The Parameter Group web with DBParameterGroupFamily postgres16 cannot be used for this instance. \
         Please use a Parameter Group with DBParameterGroupFamily postgres15"
    );
    refused(&errors::PARAMETER_GROUP_NOT_FOUND, instance("none", "15"));
    ask(&session, instance("WEB", "16"))?;
    let mut other = instance("default.postgres15", "15");
    other.db_instance_identifier = "other".into();
    ask(&session, other)?;
    let cluster = CreateDBCluster::new("docs", "docdb").db_cluster_parameter_group_name("none");
    let cluster = cluster.master_username("boss").master_user_password("correct-horse");
    world.refused(&errors::CLUSTER_PARAMETER_GROUP_NOT_FOUND, "DBClusterParameterGroupName", || {
        ask(&session, cluster)
    });
    Ok(())
}

pub(super) fn cluster_parameter_groups_have_values_of_their_own(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "aurora-mysql8.0")?;
    let created = ask(&session, CreateDBClusterParameterGroup::new("web", "aurora-mysql8.0", "values"))?;
    let group = created.db_cluster_parameter_group().unwrap();
    assert_eq!(
        group.db_cluster_parameter_group_arn(),
        Some("arn:aws:rds:us-east-1:123456789012:cluster-pg:web")
    );
    let binlog = change("binlog_format", "ROW", ApplyMethod::PendingReboot);
    ask(&session, ModifyDBClusterParameterGroup::new("web", binlog))?;
    let found = ask(&session, DescribeDBClusterParameters::new("web").source("user"))?;
    let found = &found.parameters().unwrap()[0];
    assert_eq!((found.parameter_name(), found.parameter_value()), (Some("binlog_format"), Some("ROW")));
    assert_eq!(found.supported_engine_modes().unwrap(), ["provisioned"]);
    assert!(groups(&session).parameters("web").source("user").wait()?.is_empty());
    ask(&session, CopyDBClusterParameterGroup::new("web", "copy", "a copy"))?;
    ask(&session, ResetDBClusterParameterGroup::new("web"))?;
    let count = |name: &str| -> Result<usize> {
        let found = ask(&session, DescribeDBClusterParameters::new(name).source("user"))?;
        Ok(found.parameters().unwrap().len())
    };
    assert_eq!((count("web")?, count("copy")?), (0, 1));
    ask(&session, DeleteDBClusterParameterGroup::new("web"))?;
    let error = world.refused(&errors::PARAMETER_GROUP_NOT_FOUND, "DBClusterParameterGroupName", || {
        let request = DescribeDBClusterParameterGroups::new().db_cluster_parameter_group_name("web");
        ask(&session, request)
    });
    assert_eq!(error.message(), "DBClusterParameterGroup not found: web");
    assert!(groups(&session).get("web").wait()?.is_some(), "the group of instances is still there");
    Ok(())
}

pub(super) fn engine_defaults_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let found = ask(&session, DescribeEngineDefaultParameters::new("postgres16").max_records(20))?;
    let defaults = found.engine_defaults().unwrap();
    assert_eq!(defaults.db_parameter_group_family(), Some("postgres16"));
    assert_eq!(defaults.parameters().unwrap().len(), 20);
    let more = DescribeEngineDefaultParameters::new("postgres16").marker(defaults.marker().unwrap());
    let more = ask(&session, more)?;
    let more = more.engine_defaults().unwrap().parameters().unwrap();
    assert!(more.len() > 20);
    let force_ssl = more.iter().find(|one| one.parameter_name() == Some("rds.force_ssl")).unwrap();
    assert_eq!((force_ssl.parameter_value(), force_ssl.source()), (Some("1"), Some("system")));
    assert_eq!((force_ssl.apply_type(), force_ssl.apply_method()), (Some("dynamic"), None));
    world.refused(&errors::INVALID, "DBParameterGroupFamily", || {
        ask(&session, DescribeEngineDefaultParameters::new("postgres"))
    });
    Ok(())
}
