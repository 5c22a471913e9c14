//! Option groups and their options.

use super::{World, instances};
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_ec2::{SecurityGroup, Vpc};
use nephos_rds::{
    AddTagsToResource, CopyOptionGroup, CreateOptionGroup, DBInstance, DeleteOptionGroup,
    DescribeOptionGroupOptions, DescribeOptionGroups, GroupOption, ListTagsForResource, ModifyOptionGroup,
    OptionConfiguration, OptionGroup, OptionGroupManager, OptionSetting, errors,
};
use nephos_testing::{HOUR, ask, names};

fn groups(session: &Session) -> OptionGroupManager {
    OptionGroup::objects(session)
}

fn create(session: &Session, name: &str, engine: &str, major: &str) -> Result<OptionGroup> {
    let group =
        OptionGroup::builder().option_group_name(name).engine_name(engine).major_engine_version(major);
    groups(session).create(&group.option_group_description("options").build()?).tags([("team", "web")]).wait()
}

fn settings(given: &[(&str, &str)]) -> Vec<OptionSetting> {
    let setting = |(name, value): &(&str, &str)| OptionSetting::builder().name(*name).value(*value).build();
    given.iter().map(|one| setting(one).unwrap()).collect()
}

fn option(name: &str, given: &[(&str, &str)]) -> OptionConfiguration {
    OptionConfiguration::builder().option_name(name).option_settings(settings(given)).build().unwrap()
}

fn include(session: &Session, group: &str, option: OptionConfiguration) -> Result<OptionGroup> {
    let answer = ask(session, ModifyOptionGroup::new(group).options_to_include(vec![option]))?;
    Ok(answer.option_group().unwrap().clone())
}

fn remove(session: &Session, group: &str, option: &str) -> Result<OptionGroup> {
    let answer = ask(session, ModifyOptionGroup::new(group).options_to_remove(vec![option.into()]))?;
    Ok(answer.option_group().unwrap().clone())
}

fn value(option: &GroupOption, name: &str) -> Option<String> {
    let setting = option.option_settings().unwrap().iter().find(|one| one.name() == Some(name)).unwrap();
    setting.value().map(str::to_owned)
}

/// Returns the default security group of the default VPC.
fn security_group(session: &Session) -> Result<Text> {
    let all = SecurityGroup::objects(session).list().results().all().wait()?;
    Ok(all[0].group_id().unwrap().into())
}

pub(super) fn option_group_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "Web-1", "mysql", "8.0")?;
    assert_eq!(created.require_name()?, "web-1", "names are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:rds:us-east-1:123456789012:og:web-1");
    assert_eq!(created.allows_vpc_and_non_vpc_instance_memberships(), Some(true));
    include(&session, "web-1", option("MARIADB_AUDIT_PLUGIN", &[("SERVER_AUDIT_EVENTS", "CONNECT")]))?;
    include(&session, "web-1", option("MARIADB_AUDIT_PLUGIN", &[("SERVER_AUDIT_FILE_ROTATIONS", "3")]))?;
    let mut found = groups(&session).get("WEB-1").wait()?.unwrap();
    let options = found.options().unwrap();
    assert_eq!((options.len(), options[0].option_name()), (1, Some("MARIADB_AUDIT_PLUGIN")));
    assert_eq!(value(&options[0], "SERVER_AUDIT_EVENTS").as_deref(), Some("CONNECT"), "settings stay");
    assert_eq!(value(&options[0], "SERVER_AUDIT_FILE_ROTATIONS").as_deref(), Some("3"));
    assert_eq!(value(&options[0], "SERVER_AUDIT_QUERY_LOG_LIMIT").as_deref(), Some("1024"));
    let default = OptionSetting::builder().name("SERVER_AUDIT_EVENTS").build()?;
    let change = OptionConfiguration::builder().option_name("MARIADB_AUDIT_PLUGIN");
    let changed = include(&session, "web-1", change.option_settings(vec![default]).build()?)?;
    let changed = &changed.options().unwrap()[0];
    assert_eq!(value(changed, "SERVER_AUDIT_EVENTS").as_deref(), Some("CONNECT,QUERY"));
    found.tags_mut().wait()?.insert("team", "api")?;
    found.save().wait()?;
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("api"));
    let left = found.modify().options_to_remove(vec!["MARIADB_AUDIT_PLUGIN".into()]).wait()?;
    assert!(left.options().unwrap().is_empty());
    found.delete().wait()?;
    assert_eq!(groups(&session).get("web-1").wait()?, None);
    Ok(())
}

pub(super) fn default_option_groups_exist_and_cannot_be_changed(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let all = names(&groups(&session).list().results().all().wait()?)?;
    for name in ["default:mysql-8-0", "default:postgres-16", "default:mariadb-10-11", "web"] {
        assert!(all.iter().any(|one| one == name), "{name}");
    }
    let request = DescribeOptionGroups::new().engine_name("mysql").major_engine_version("8.0");
    let found = ask(&session, request)?;
    assert_eq!(names(found.option_groups_list().unwrap())?, ["default:mysql-8-0", "web"]);
    let name = "default:mysql-8-0";
    let group = groups(&session).get(name).wait()?.unwrap();
    let arn = group.require_arn()?;
    assert_eq!(arn, "arn:aws:rds:us-east-1:123456789012:og:default:mysql-8-0");
    world.refused(&errors::INVALID, "OptionGroupName", || {
        include(&session, name, option("MARIADB_AUDIT_PLUGIN", &[]))
    });
    world.refused(&errors::OPTION_GROUP_STATE, "OptionGroupName", || {
        ask(&session, DeleteOptionGroup::new(name))
    });
    ask(&session, AddTagsToResource::new(arn, [("stage", "test")]))?;
    assert_eq!(ask(&session, ListTagsForResource::new(arn))?.tag_list().unwrap().len(), 1);
    let listed = groups(&session).list().results().all().wait()?.len();
    assert_eq!(listed, all.len(), "a tagged group is listed once");
    Ok(())
}

pub(super) fn option_groups_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let error = world
        .refused(&errors::OPTION_GROUP_EXISTS, "OptionGroupName", || create(&session, "WEB", "mysql", "8.0"));
    assert_eq!(error.message(), "An option group named web already exists.");
    world.refused(&errors::INVALID, "OptionGroupName", || create(&session, "a--b", "mysql", "8.0"));
    for engine in ["none", "aurora-mysql"] {
        let error = world.refused(&errors::INVALID, "EngineName", || create(&session, "api", engine, "8.0"));
        assert_eq!(error.message(), format!("Invalid DB engine: {engine}"));
    }
    let error = world.refused(&errors::INVALID_COMBINATION, "MajorEngineVersion", || {
        create(&session, "api", "mysql", "8.0.40")
    });
    assert_eq!(error.message(), "Cannot find major version 8.0.40 for mysql");
    let blank = CreateOptionGroup::new("api", "mysql", "8.0", " ");
    let error = world.refused(&errors::INVALID, "OptionGroupDescription", || ask(&session, blank));
    assert_eq!(
        error.message(),
        "The parameter OptionGroupDescription must be provided and must not be blank."
    );
    let request = DescribeOptionGroups::new().option_group_name("none");
    let error = world.refused(&errors::OPTION_GROUP_NOT_FOUND, "OptionGroupName", || ask(&session, request));
    assert_eq!(error.message(), "Specified OptionGroupName: none not found.");
    let both = DescribeOptionGroups::new().option_group_name("web").engine_name("mysql");
    world.refused(&errors::INVALID_COMBINATION, "OptionGroupName", || ask(&session, both));
    let alone = DescribeOptionGroups::new().major_engine_version("8.0");
    world.refused(&errors::INVALID_COMBINATION, "MajorEngineVersion", || ask(&session, alone));
    Ok(())
}

pub(super) fn options_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    create(&session, "ora", "oracle-ee", "19")?;
    let error =
        world.refused(&errors::INVALID, "OptionsToInclude", || ask(&session, ModifyOptionGroup::new("web")));
    assert_eq!(error.message(), "At least one option must be added, modified, or removed.");
    let audit = "MARIADB_AUDIT_PLUGIN";
    for (group, given, text) in [
        ("web", option("OEM", &[]), "Unknown option: OEM"),
        (
            "web",
            option(audit, &[("version", "1")]),
            "We do not support setting: version for MARIADB_AUDIT_PLUGIN",
        ),
        (
            "web",
            option(audit, &[("SERVER_AUDIT_FILE_ROTATIONS", "101")]),
            "Invalid value 101 for setting SERVER_AUDIT_FILE_ROTATIONS of MARIADB_AUDIT_PLUGIN",
        ),
        (
            "web",
            option("MEMCACHED", &[]),
            "At least one security group must be specified for the MEMCACHED option.",
        ),
    ] {
        let error = world.refused(&errors::INVALID, "OptionsToInclude", || include(&session, group, given));
        assert_eq!(error.message(), text);
    }
    for (given, text) in [
        (
            option("OEM_AGENT", &[]),
            "OEM_AGENT option requires a version number. Valid versions are 13.4.0.9.v1,13.5.0.0.v1",
        ),
        (option("APEX-DEV", &[]), "The APEX-DEV option requires the APEX option."),
    ] {
        let error = world
            .refused(&errors::INVALID_COMBINATION, "OptionsToInclude", || include(&session, "ora", given));
        assert_eq!(error.message(), text);
    }
    let unknown = OptionConfiguration::builder().option_name("MEMCACHED");
    let unknown = unknown.vpc_security_group_memberships(vec!["sg-0123456789abcdef0".into()]).build()?;
    world.refused(&errors::INVALID, "OptionsToInclude", || include(&session, "web", unknown));
    world.refused(&errors::INVALID, "OptionsToRemove", || remove(&session, "web", audit));
    let both = ModifyOptionGroup::new("web").options_to_include(vec![option(audit, &[])]);
    let both = both.options_to_remove(vec![audit.into()]);
    world.refused(&errors::INVALID_COMBINATION, "OptionsToRemove", || ask(&session, both));
    Ok(())
}

pub(super) fn options_with_ports_bind_the_group_to_a_vpc(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let memcached = |groups: Vec<Text>| {
        let option = OptionConfiguration::builder().option_name("MEMCACHED");
        option.vpc_security_group_memberships(groups).build()
    };
    let group = security_group(&session)?;
    let found = include(&session, "web", memcached(vec![group.clone()])?)?;
    let option = &found.options().unwrap()[0];
    assert_eq!(option.port(), Some(11211));
    assert_eq!(option.vpc_security_group_memberships().unwrap()[0].status(), Some("active"));
    assert!(found.vpc_id().is_some());
    assert_eq!(found.allows_vpc_and_non_vpc_instance_memberships(), Some(false));
    let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
    let vpc = vpc.vpc_id().unwrap();
    let all = SecurityGroup::objects(&session).list().results().all().wait()?;
    let other: Text = all.iter().find(|one| one.vpc_id() == Some(vpc)).unwrap().group_id().unwrap().into();
    world.refused(&errors::INVALID, "OptionsToInclude", || {
        include(&session, "web", memcached(vec![group.clone(), other.clone()]).unwrap())
    });
    let found = remove(&session, "web", "MEMCACHED")?;
    assert_eq!((found.vpc_id(), found.allows_vpc_and_non_vpc_instance_memberships()), (None, Some(true)));
    Ok(())
}

pub(super) fn secret_settings_are_not_kept(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "ora", "oracle-ee", "19")?;
    let given = [("AGENT_REGISTRATION_PASSWORD", "open sesame"), ("OMS_HOST", "oms"), ("OMS_PORT", "4903")];
    let agent = OptionConfiguration::builder().option_name("OEM_AGENT").option_version("13.5.0.0.v1");
    let agent = agent.vpc_security_group_memberships(vec![security_group(&session)?]);
    let incomplete = agent.clone().option_settings(settings(&given[..2])).build()?;
    world.refused(&errors::INVALID, "OptionsToInclude", || include(&session, "ora", incomplete));
    let found = include(&session, "ora", agent.option_settings(settings(&given)).build()?)?;
    let option = &found.options().unwrap()[0];
    assert_eq!(value(option, "AGENT_REGISTRATION_PASSWORD").as_deref(), Some("****"));
    assert_eq!(value(option, "OMS_PORT").as_deref(), Some("4903"));
    let oem = OptionConfiguration::builder().option_name("OEM");
    let oem = oem.vpc_security_group_memberships(vec![security_group(&session)?]).build()?;
    let error =
        world.refused(&errors::INVALID_COMBINATION, "OptionsToInclude", || include(&session, "ora", oem));
    assert!(error.message().contains("OEM_AGENT"), "{error}");
    Ok(())
}

pub(super) fn used_option_groups_and_their_options_are_kept(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "sql", "sqlserver-ee", "15.00")?;
    include(&session, "sql", option("TDE", &[]))?;
    let instance = instances::request("web", "sqlserver-ee").engine_version("15.00").option_group_name("sql");
    let instance = instance.license_model("license-included");
    let mut instance = instance.allocated_storage(200);
    instance.db_instance_class = "db.r5.xlarge".into();
    ask(&session, instance)?;
    world.refused(&errors::OPTION_GROUP_STATE, "OptionsToRemove", || remove(&session, "sql", "TDE"));
    let delete = || ask(&session, DeleteOptionGroup::new("sql"));
    let error = world.refused(&errors::OPTION_GROUP_STATE, "OptionGroupName", delete);
    assert_eq!(error.message(), "The option group 'sql' cannot be deleted because it is in use.");
    world.advance(HOUR)?;
    DBInstance::objects(&session).delete("web").skip_final_snapshot(true).wait()?;
    world.advance(HOUR)?;
    remove(&session, "sql", "TDE")?;
    delete()?;
    create(&session, "ora", "oracle-ee", "19")?;
    include(&session, "ora", option("Timezone", &[("TIME_ZONE", "Europe/Berlin")]))?;
    world.refused(&errors::OPTION_GROUP_STATE, "OptionsToRemove", || remove(&session, "ora", "Timezone"));
    Ok(())
}

pub(super) fn option_groups_are_copied(world: &World) -> Result<()> {
    let session = world.session();
    let group = create(&session, "web", "mysql", "8.0")?;
    include(&session, "web", option("MARIADB_AUDIT_PLUGIN", &[("SERVER_AUDIT_EVENTS", "QUERY")]))?;
    let copy = group.copy("copy", "a copy").wait()?;
    assert_eq!((copy.require_name()?, copy.engine_name()), ("copy", Some("mysql")));
    assert_eq!((copy.source_option_group(), copy.source_account_id()), (Some("web"), Some("123456789012")));
    assert!(copy.copy_timestamp().is_some());
    assert_eq!(value(&copy.options().unwrap()[0], "SERVER_AUDIT_EVENTS").as_deref(), Some("QUERY"));
    ask(&session, CopyOptionGroup::new(group.require_arn()?, "other", "a copy"))?;
    world.refused(&errors::OPTION_GROUP_EXISTS, "TargetOptionGroupIdentifier", || {
        ask(&session, CopyOptionGroup::new("web", "other", "a copy"))
    });
    world.refused(&errors::OPTION_GROUP_NOT_FOUND, "SourceOptionGroupIdentifier", || {
        ask(&session, CopyOptionGroup::new("none", "third", "a copy"))
    });
    Ok(())
}

pub(super) fn options_of_engines_are_described(world: &World) -> Result<()> {
    let session = world.session();
    let found = groups(&session).engine_options("mysql").major_engine_version("8.0").wait()?;
    let found_names: Vec<_> = found.iter().map(|one| one.name().unwrap()).collect();
    assert_eq!(found_names, ["MARIADB_AUDIT_PLUGIN", "MEMCACHED"]);
    assert_eq!((found[1].port_required(), found[1].default_port()), (Some(true), Some(11211)));
    let setting = &found[0].option_group_option_settings().unwrap()[1];
    assert_eq!(
        (setting.setting_name(), setting.default_value()),
        (Some("SERVER_AUDIT_EVENTS"), Some("CONNECT,QUERY"))
    );
    let all = groups(&session).engine_options("mysql").wait()?;
    assert_eq!(all.len(), 5, "two of 5.7 and 8.0, one of 8.4");
    let agent = groups(&session).engine_options("oracle-ee").wait()?;
    let agent = agent.iter().find(|one| one.name() == Some("OEM_AGENT")).unwrap();
    let versions = agent.option_group_option_versions().unwrap();
    assert_eq!((versions[0].is_default(), versions[1].is_default()), (Some(false), Some(true)));
    world.refused(&errors::INVALID, "EngineName", || ask(&session, DescribeOptionGroupOptions::new("none")));
    Ok(())
}

pub(super) fn databases_require_option_groups_of_their_version(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let instance = |id: &str, group: &str, version: &str| {
        let mut instance = instances::request(id, "mysql").engine_version(version).option_group_name(group);
        instance.db_instance_class = "db.m6g.large".into();
        instance
    };
    ask(&session, instance("one", "WEB", "8.0"))?;
    ask(&session, instance("two", "default:mysql-8-4", "8.4"))?;
    let refused = |code, group: &str| {
        world.refused(code, "OptionGroupName", || ask(&session, instance("three", group, "8.4")))
    };
    refused(&errors::INVALID_COMBINATION, "web");
    refused(&errors::OPTION_GROUP_NOT_FOUND, "none");
    Ok(())
}
