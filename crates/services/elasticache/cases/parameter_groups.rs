//! Cache parameter groups, and the values of their parameters.

use super::World;
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_elasticache::{
    AddTagsToResource, CacheParameterGroup, CacheParameterGroupManager, CreateCacheCluster,
    CreateCacheParameterGroup, DeleteCacheCluster, DeleteCacheParameterGroup, DescribeCacheParameterGroups,
    DescribeCacheParameters, ListTagsForResource, ModifyCacheParameterGroup, Parameter, ParameterNameValue,
    ResetCacheParameterGroup, errors,
};
use nephos_testing::{HOUR, ask, names};

fn groups(session: &Session) -> CacheParameterGroupManager {
    CacheParameterGroup::objects(session)
}

fn create(session: &Session, name: &str, family: &str) -> Result<CacheParameterGroup> {
    let group = CacheParameterGroup::builder()
        .cache_parameter_group_name(name)
        .cache_parameter_group_family(family)
        .description("values");
    groups(session).create(&group.build()?).tags([("team", "web")]).wait()
}

fn values(given: &[(&str, &str)]) -> Vec<ParameterNameValue> {
    let value = |(name, value): &(&str, &str)| {
        ParameterNameValue::builder().parameter_name(*name).parameter_value(*value).build().unwrap()
    };
    given.iter().map(value).collect()
}

fn modify(session: &Session, name: &str, given: &[(&str, &str)]) -> Result<Text> {
    let answer = ask(session, ModifyCacheParameterGroup::new(name, values(given)))?;
    Ok(answer.cache_parameter_group_name().unwrap().into())
}

fn parameter(session: &Session, group: &str, name: &str) -> Parameter {
    let all = groups(session).parameters(group).wait().unwrap();
    all.into_iter().find(|parameter| parameter.parameter_name() == Some(name)).unwrap()
}

fn value(session: &Session, group: &str, name: &str) -> Option<String> {
    parameter(session, group, name).parameter_value().map(str::to_owned)
}

pub(super) fn parameter_group_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "Web-1", "redis7")?;
    assert_eq!(created.require_name()?, "web-1", "names are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:parametergroup:web-1");
    assert_eq!(created.is_global(), Some(false));
    let found = groups(&session).get("WEB-1").wait()?.unwrap();
    assert_eq!(found.cache_parameter_group_family(), Some("redis7"));
    assert_eq!(found.description(), Some("values"));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert_eq!(modify(&session, "web-1", &[("maxmemory-policy", "noeviction"), ("timeout", "20")])?, "web-1");
    assert_eq!(value(&session, "web-1", "maxmemory-policy").as_deref(), Some("noeviction"));
    assert_eq!(parameter(&session, "web-1", "timeout").source(), Some("user"));
    let changed = groups(&session).parameters("web-1").source("user").wait()?;
    let changed: Vec<_> = changed.iter().filter_map(Parameter::parameter_name).collect();
    assert_eq!(changed, ["maxmemory-policy", "timeout"]);
    let unchanged = groups(&session).parameters("web-1").source("system").wait()?;
    assert!(unchanged.iter().all(|parameter| parameter.source() == Some("system")));
    assert_eq!(groups(&session).parameters("web-1").source("engine-default").wait()?.len(), 0);
    found.modify(values(&[("timeout", "30")])).wait()?;
    assert_eq!(value(&session, "web-1", "timeout").as_deref(), Some("30"));
    found.reset().reset_all_parameters(true).wait()?;
    assert_eq!(found.parameters().source("user").wait()?.len(), 0);
    let mut found = found;
    found.tags_mut().wait()?.insert("team", "api")?;
    found.save().wait()?;
    assert_eq!(found.tags_map().wait()?.get("team").map(Text::as_str), Some("api"));
    modify(&session, "web-1", &[("timeout", "20")])?;
    found.delete().wait()?;
    assert_eq!(groups(&session).get("web-1").wait()?, None);
    create(&session, "web-1", "redis7")?;
    assert_eq!(value(&session, "web-1", "timeout").as_deref(), Some("0"), "a new group has default values");
    Ok(())
}

pub(super) fn default_parameter_groups_exist_and_cannot_be_changed(world: &World) -> Result<()> {
    let session = world.session();
    let all = names(&groups(&session).list().results().all().wait()?)?;
    assert_eq!(all.len(), 19);
    assert!(all.is_sorted());
    for name in ["default.memcached1.4", "default.redis2.6", "default.redis6.x.cluster.on", "default.valkey8"]
    {
        assert!(all.iter().any(|found| found == name), "{name}");
    }
    let group = groups(&session).get("default.redis7").wait()?.unwrap();
    assert_eq!(group.description(), Some("Default parameter group for redis7"));
    let cluster = groups(&session).get("default.redis7.cluster.on").wait()?.unwrap();
    assert_eq!(
        cluster.description(),
        Some("Customized default parameter group for redis7 with cluster mode on")
    );
    assert_eq!(value(&session, "default.redis7", "cluster-enabled").as_deref(), Some("no"));
    assert_eq!(value(&session, "default.redis7.cluster.on", "cluster-enabled").as_deref(), Some("yes"));
    let text = "The parameter CacheParameterGroupName is not a valid identifier.";
    for error in [
        world.refused(&errors::INVALID, "CacheParameterGroupName", || {
            modify(&session, "default.redis7", &[("timeout", "20")])
        }),
        world.refused(&errors::INVALID, "CacheParameterGroupName", || {
            ask(&session, ResetCacheParameterGroup::new("default.redis7").reset_all_parameters(true))
        }),
        world.refused(&errors::INVALID, "CacheParameterGroupName", || {
            ask(&session, DeleteCacheParameterGroup::new("default.redis7"))
        }),
        world.refused(&errors::INVALID, "CacheParameterGroupName", || {
            create(&session, "default.redis7", "redis7")
        }),
    ] {
        assert!(error.message().starts_with(text), "{error}");
    }
    let arn = group.require_arn()?;
    ask(&session, AddTagsToResource::new(arn, [("stage", "test")]))?;
    let tags = ask(&session, ListTagsForResource::new(arn))?;
    assert_eq!(tags.tag_list().unwrap().len(), 1);
    assert_eq!(groups(&session).list().results().all().wait()?.len(), 19, "a tagged group is listed once");
    Ok(())
}

pub(super) fn parameter_groups_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis7")?;
    let error = world.refused(&errors::PARAMETER_GROUP_EXISTS, "CacheParameterGroupName", || {
        create(&session, "WEB", "redis7")
    });
    assert_eq!(error.message(), "Parameter group web already exists");
    for name in ["1a", "a--b", "a-", "a_b"] {
        let error = world.refused(&errors::INVALID, "CacheParameterGroupName", || {
            ask(&session, CreateCacheParameterGroup::new(name, "redis7", "values"))
        });
        assert!(
            error.message().starts_with("The parameter CacheParameterGroupName is not a valid identifier.")
        );
    }
    let error = world.refused(&errors::INVALID, "CacheParameterGroupFamily", || {
        ask(&session, CreateCacheParameterGroup::new("api", "redis8", "values"))
    });
    assert_eq!(error.message(), "CacheParameterGroupFamily redis8 is not a valid parameter group family.");
    let not_found = &errors::PARAMETER_GROUP_NOT_FOUND;
    for (error, text) in [
        (
            world.refused(not_found, "CacheParameterGroupName", || {
                ask(&session, DescribeCacheParameterGroups::new().cache_parameter_group_name("none"))
            }),
            "CacheParameterGroup none not found.",
        ),
        (
            world.refused(not_found, "CacheParameterGroupName", || {
                ask(&session, DescribeCacheParameters::new("none"))
            }),
            "CacheParameterGroup none not found.",
        ),
        (
            world.refused(not_found, "CacheParameterGroupName", || {
                modify(&session, "none", &[("timeout", "20")])
            }),
            "CacheParameterGroup not found: none",
        ),
        (
            world.refused(not_found, "CacheParameterGroupName", || {
                ask(&session, ResetCacheParameterGroup::new("none").reset_all_parameters(true))
            }),
            "CacheParameterGroup not found: none",
        ),
        (
            world.refused(not_found, "CacheParameterGroupName", || {
                ask(&session, DeleteCacheParameterGroup::new("none"))
            }),
            "CacheParameterGroupnot found: none",
        ),
        (
            world.refused(not_found, "ResourceName", || {
                let arn = "arn:aws:elasticache:us-east-1:123456789012:parametergroup:none";
                ask(&session, ListTagsForResource::new(arn))
            }),
            "none is not present",
        ),
    ] {
        assert_eq!(error.message(), text);
    }
    world.refused(&errors::INVALID, "Source", || {
        ask(&session, DescribeCacheParameters::new("web").source("users"))
    });
    world.cloud().run_in_transaction(|cx| cx.add_to_count("elasticache/parameter-groups", 149))?;
    let error = world.refused(&errors::PARAMETER_GROUP_QUOTA, None, || create(&session, "api", "redis7"));
    assert!(error.message().contains("maximum number of cache parameter groups"), "{error}");
    Ok(())
}

pub(super) fn values_are_checked_by_type(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis7")?;
    create(&session, "items", "memcached1.6")?;
    for (group, name, allowed) in [
        ("web", "maxmemory-policy", "allkeys-lfu"),
        ("web", "timeout", "20"),
        ("web", "slowlog-log-slower-than", "-1"),
        ("web", "notify-keyspace-events", "AKE"),
        ("web", "notify-keyspace-events", ""),
        ("web", "rename-commands", "FLUSHALL gone KEYS none"),
        ("web", "cluster-enabled", "yes"),
        ("items", "chunk_size_growth_factor", "2.5"),
        ("items", "cas_disabled", "1"),
    ] {
        modify(&session, group, &[(name, allowed)])?;
        assert_eq!(value(&session, group, name).unwrap_or_default(), allowed, "{name}");
    }
    for (group, name, wrong) in [
        ("web", "maxmemory-policy", "allkeys"),
        ("web", "timeout", "19"),
        ("web", "timeout", "soon"),
        ("web", "timeout", ""),
        ("web", "activedefrag", "true"),
        ("web", "reserved-memory-percent", "101"),
        ("web", "notify-keyspace-events", "Q"),
        ("web", "rename-commands", "CONFIG none"),
        ("items", "chunk_size_growth_factor", "1"),
        ("items", "cas_disabled", "yes"),
        ("items", "max_item_size", "1.5"),
    ] {
        let error = world.refused(&errors::INVALID, "ParameterNameValues", || {
            modify(&session, group, &[("timeout", "30"), (name, wrong)][usize::from(group == "items")..])
        });
        assert_eq!(error.message(), format!("The value {wrong} is not valid for the parameter {name}."));
    }
    for (group, name) in [("web", "maxclients"), ("web", "appendonly"), ("items", "config_max")] {
        let error = world
            .refused(&errors::INVALID, "ParameterNameValues", || modify(&session, group, &[(name, "1")]));
        assert_eq!(error.message(), format!("The parameter {name} cannot be modified."));
    }
    for (group, name) in [("web", "reserved-memory"), ("web", "chunk_size"), ("items", "timeout")] {
        let error = world
            .refused(&errors::INVALID, "ParameterNameValues", || modify(&session, group, &[(name, "1")]));
        assert_eq!(error.message(), format!("Parameter {name} doesn't exist"));
    }
    let error = world.refused(&errors::INVALID, "ParameterNameValues", || modify(&session, "web", &[]));
    assert_eq!(error.message(), "The parameter ParameterNameValues must be provided.");
    let nameless = vec![ParameterNameValue::builder().parameter_value("1").build()?];
    let error = world.refused(&errors::INVALID, "ParameterNameValues", || {
        ask(&session, ModifyCacheParameterGroup::new("web", nameless))
    });
    assert_eq!(error.message(), "The parameter ParameterName must be provided.");
    let valueless = vec![ParameterNameValue::builder().parameter_name("timeout").build()?];
    world.refused(&errors::INVALID, "ParameterNameValues", || {
        ask(&session, ModifyCacheParameterGroup::new("web", valueless))
    });
    let many = [("timeout", "20"); 21];
    let error =
        world.refused(&errors::INVALID_COMBINATION, "ParameterNameValues", || modify(&session, "web", &many));
    assert_eq!(error.message(), "Cannot modify more than 20 parameters in a single request");
    Ok(())
}

pub(super) fn parameters_are_reset(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "valkey8")?;
    let given = [("timeout", "20"), ("activedefrag", "yes"), ("databases", "4")];
    modify(&session, "web", &given)?;
    let reset = |given: Option<Vec<ParameterNameValue>>, all: Option<bool>| {
        let mut request = ResetCacheParameterGroup::new("web");
        request.parameter_name_values = given;
        request.reset_all_parameters = all;
        ask(&session, request)
    };
    let named = |name: &str| Some(vec![ParameterNameValue::builder().parameter_name(name).build().unwrap()]);
    let answer = reset(named("timeout"), None)?;
    assert_eq!(answer.cache_parameter_group_name(), Some("web"));
    assert_eq!(value(&session, "web", "timeout").as_deref(), Some("0"));
    assert_eq!(value(&session, "web", "activedefrag").as_deref(), Some("yes"));
    let error = world.refused(&errors::INVALID, "ParameterNameValues", || reset(named("none"), None));
    assert_eq!(error.message(), "Parameter none doesn't exist");
    world.refused(&errors::INVALID, "ParameterNameValues", || reset(None, None));
    world.refused(&errors::INVALID, "ParameterNameValues", || reset(None, Some(false)));
    world.refused(&errors::INVALID_COMBINATION, "ParameterNameValues", || {
        reset(named("activedefrag"), Some(true))
    });
    reset(None, Some(true))?;
    assert_eq!(groups(&session).parameters("web").source("user").wait()?.len(), 0);
    assert_eq!(value(&session, "web", "databases").as_deref(), Some("16"));
    Ok(())
}

pub(super) fn used_parameter_group_stays(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis6.x")?;
    assert_eq!(parameter(&session, "web", "databases").is_modifiable(), Some(true));
    let cluster = CreateCacheCluster::new("one")
        .engine("redis")
        .engine_version("6.2")
        .cache_node_type("cache.t4g.micro");
    ask(&session, cluster.num_cache_nodes(1).cache_parameter_group_name("web"))?;
    assert_eq!(parameter(&session, "web", "databases").is_modifiable(), Some(false));
    let error = world.refused(&errors::PARAMETER_GROUP_STATE, "CacheParameterGroupName", || {
        ask(&session, DeleteCacheParameterGroup::new("web"))
    });
    assert_eq!(
        error.message(),
        "One or more cache clusters are still members of this parameter group web, so the group cannot be deleted."
    );
    let error = world.refused(&errors::INVALID, "ParameterNameValues", || {
        modify(&session, "web", &[("cluster-enabled", "yes")])
    });
    assert_eq!(error.message(), "The parameter cluster-enabled cannot be modified.");
    modify(&session, "web", &[("timeout", "20")])?;
    world.advance(HOUR)?;
    ask(&session, DeleteCacheCluster::new("one"))?;
    world.advance(HOUR)?;
    ask(&session, DeleteCacheParameterGroup::new("web"))?;
    Ok(())
}

pub(super) fn clusters_need_a_group_of_their_family(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "redis6.x")?;
    let request = |group: &str| {
        let request = CreateCacheCluster::new("one").engine("redis").cache_node_type("cache.t4g.micro");
        request.num_cache_nodes(1).engine_version("7.0").cache_parameter_group_name(group)
    };
    let refused =
        |code, group: &str| world.refused(code, "CacheParameterGroupName", || ask(&session, request(group)));
    let error = refused(&errors::INVALID_COMBINATION, "web");
    assert_eq!(
        error.message(),
        "Expected a parameter group of family redis7 but found one of family redis6.x"
    );
    let error = refused(&errors::PARAMETER_GROUP_NOT_FOUND, "none");
    assert_eq!(error.message(), "CacheParameterGroup not found: none");
    ask(&session, request("default.redis7"))?;
    Ok(())
}
