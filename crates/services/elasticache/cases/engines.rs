//! Versions of engines, and the default values of their parameters.

use super::World;
use nephos_core::{Result, Session, Text};
use nephos_elasticache::{
    CacheEngineVersion, CacheParameterGroup, DescribeCacheEngineVersions, DescribeCacheParameters,
    DescribeEngineDefaultParameters, Parameter, errors,
};
use nephos_testing::ask;

fn find(session: &Session, query: DescribeCacheEngineVersions) -> Result<Vec<String>> {
    let answer = ask(session, query)?;
    let text = |version: &CacheEngineVersion| {
        format!("{} {}", version.engine().unwrap(), version.engine_version().unwrap())
    };
    Ok(answer.cache_engine_versions().unwrap().iter().map(text).collect())
}

pub(super) fn engine_versions_are_filtered(world: &World) -> Result<()> {
    let session = world.session();
    let query = DescribeCacheEngineVersions::new;
    let all = CacheParameterGroup::objects(&session).engine_versions().wait()?;
    assert_eq!(all.len(), 35);
    let one = all.iter().find(|version| version.engine_version() == Some("5.0.5")).unwrap();
    assert_eq!(one.cache_parameter_group_family(), Some("redis5.0"));
    assert_eq!(one.cache_engine_description(), Some("Redis"));
    assert_eq!(one.cache_engine_version_description(), Some("redis version 5.0.5"));
    let valkey = ["valkey 7.2", "valkey 8.0", "valkey 8.1", "valkey 8.2"];
    assert_eq!(find(&session, query().engine("Valkey"))?, valkey);
    assert_eq!(find(&session, query().engine("redis").engine_version("6.x"))?, ["redis 6.0", "redis 6.2"]);
    assert_eq!(find(&session, query().engine_version("4.0.10"))?, ["redis 4.0.10"]);
    assert_eq!(find(&session, query().cache_parameter_group_family("redis7"))?, ["redis 7.0", "redis 7.1"]);
    assert_eq!(find(&session, query().default_only(true))?, ["memcached 1.6.22", "redis 7.1", "valkey 8.0"]);
    let of_family = query().cache_parameter_group_family("redis5.0").default_only(true);
    assert_eq!(find(&session, of_family)?, ["redis 5.0.6"]);
    assert_eq!(find(&session, query().engine_version("9"))?, [""; 0]);
    let error = world.refused(&errors::INVALID, "Engine", || find(&session, query().engine("radis")));
    assert!(error.message().contains("radis"), "{error}");
    Ok(())
}

pub(super) fn engine_versions_are_paged(world: &World) -> Result<()> {
    let session = world.session();
    let first = ask(&session, DescribeCacheEngineVersions::new().max_records(20))?;
    assert_eq!(first.cache_engine_versions().unwrap().len(), 20);
    let marker = first.marker().unwrap();
    let second = ask(&session, DescribeCacheEngineVersions::new().max_records(20).marker(marker))?;
    assert_eq!(second.cache_engine_versions().unwrap().len(), 15);
    assert_eq!(second.marker(), None);
    world.refused(&errors::INVALID, "Marker", || {
        ask(&session, DescribeCacheEngineVersions::new().engine("redis").marker(marker))
    });
    Ok(())
}

pub(super) fn default_values_depend_on_the_family(world: &World) -> Result<()> {
    let session = world.session();
    let defaults = |family: &str| {
        let answer = ask(&session, DescribeEngineDefaultParameters::new(family))?;
        Ok::<_, nephos_core::Error>(answer.engine_defaults().unwrap().clone())
    };
    let redis = defaults("redis5.0")?;
    assert_eq!(redis.cache_parameter_group_family(), Some("redis5.0"));
    let all = redis.parameters().unwrap();
    assert_eq!(all.len(), 57);
    let find = |name: &str| all.iter().find(|parameter| parameter.parameter_name() == Some(name)).unwrap();
    let timeout = find("timeout");
    assert_eq!(timeout.parameter_value(), Some("0"));
    assert_eq!(timeout.allowed_values(), Some("0,20-"));
    assert_eq!(timeout.data_type(), Some("integer"));
    assert_eq!(timeout.source(), Some("system"));
    assert_eq!(timeout.is_modifiable(), Some(true));
    assert_eq!(timeout.minimum_engine_version(), Some("5.0.0"));
    assert_eq!(timeout.change_type().map(ToString::to_string).as_deref(), Some("immediate"));
    assert_eq!(find("rename-commands").minimum_engine_version(), Some("5.0.3"));
    assert_eq!(find("notify-keyspace-events").parameter_value(), None);
    assert_eq!(find("cluster-enabled").is_modifiable(), Some(false));
    assert_eq!(find("databases").change_type().map(ToString::to_string).as_deref(), Some("requires-reboot"));
    let nodes = redis.cache_node_type_specific_parameters().unwrap();
    assert_eq!(nodes.len(), 3);
    let memcached = defaults("memcached1.6")?;
    let nodes = memcached.cache_node_type_specific_parameters().unwrap();
    let memory = nodes.iter().find(|node| node.parameter_name() == Some("max_cache_memory")).unwrap();
    let values = memory.cache_node_type_specific_values().unwrap();
    let micro = values.iter().find(|value| value.cache_node_type() == Some("cache.t3.micro")).unwrap();
    assert_eq!(micro.value(), Some("512"));
    assert!(memcached.parameters().unwrap().iter().all(|parameter| parameter.change_type().is_none()));
    let error = world.refused(&errors::INVALID, "CacheParameterGroupFamily", || defaults("redis5"));
    assert_eq!(error.message(), "CacheParameterGroupFamily redis5 is not a valid parameter group family.");
    Ok(())
}

pub(super) fn parameters_are_paged(world: &World) -> Result<()> {
    let session = world.session();
    let (mut seen, mut marker): (Vec<String>, Option<Text>) = (Vec::new(), None);
    for page in 0.. {
        let mut request = DescribeCacheParameters::new("default.redis7").max_records(20);
        request.marker = marker;
        let answer = ask(&session, request)?;
        let names = answer.parameters().unwrap().iter().filter_map(Parameter::parameter_name);
        seen.extend(names.map(str::to_owned));
        let has_nodes = !answer.cache_node_type_specific_parameters().unwrap_or_default().is_empty();
        assert_eq!(has_nodes, page == 0, "the first page has the parameters of node types");
        marker = answer.marker().map(Text::new);
        if marker.is_none() {
            break;
        }
    }
    let groups = CacheParameterGroup::objects(&session);
    let all = groups.parameters("default.redis7").wait()?;
    assert_eq!(seen, all.iter().filter_map(Parameter::parameter_name).collect::<Vec<_>>());
    let nodes = groups.node_type_parameters("default.redis7").wait()?;
    assert!(nodes.iter().any(|node| node.parameter_name() == Some("maxmemory")));
    let mut marker = None;
    let mut count = 0;
    loop {
        let mut request = DescribeEngineDefaultParameters::new("redis7").max_records(20);
        request.marker = marker;
        let answer = ask(&session, request)?;
        let defaults = answer.engine_defaults().unwrap();
        count += defaults.parameters().unwrap().len();
        marker = defaults.marker().map(Text::new);
        if marker.is_none() {
            break;
        }
    }
    assert_eq!(count, all.len());
    Ok(())
}
