//! Cache clusters: create, get, list, update, reboot, delete.

use super::{World, subnets};
use nephos_core::{Pk, Result, Session, prelude::*};
use nephos_ec2::{SecurityGroup, Subnet};
use nephos_elasticache::{
    CacheCluster, CacheClusterBuilder, CacheClusterManager, CacheParameterGroup, CacheSubnetGroup,
    CreateCacheCluster, DeleteCacheCluster, DescribeCacheClusters, LogDeliveryConfiguration,
    ModifyCacheCluster, ModifyCacheParameterGroup, ParameterNameValue, RebootCacheCluster, errors,
};
use nephos_testing::{ask, names};

fn clusters(session: &Session) -> CacheClusterManager {
    CacheCluster::objects(session)
}

fn builder(id: &str, engine: &str) -> CacheClusterBuilder {
    CacheCluster::builder().cache_cluster_id(id).engine(engine).cache_node_type("cache.t4g.micro")
}

fn create(world: &World, id: &str, engine: &str) -> Result<CacheCluster> {
    clusters(&world.session()).create(&builder(id, engine).build()?).wait()
}

fn get(world: &World, id: &str) -> Result<CacheCluster> {
    Ok(clusters(&world.session()).get(id).wait()?.unwrap())
}

fn request(id: &str, engine: &str) -> CreateCacheCluster {
    CreateCacheCluster::new(id).engine(engine).cache_node_type("cache.t4g.micro")
}

pub(super) fn create_then_get_returns_cluster(world: &World) -> Result<()> {
    let session = world.session();
    let model = builder("Web-1", "redis").engine_version("7.0").build()?;
    let created = clusters(&session).create(&model).tags([("team", "web")]).port(7000).wait()?;
    assert_eq!((created.require_name()?, created.cache_cluster_status()), ("web-1", Some("creating")));
    assert_eq!((created.cache_cluster_create_time(), created.cache_nodes()), (None, None));
    let found = get(world, "WEB-1")?;
    assert_eq!(found.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:cluster:web-1");
    assert_eq!(found.pk()?, Pk::Single(found.require_arn()?.into()));
    assert_eq!(found.cache_cluster_status(), Some("available"));
    assert_eq!(found.cache_cluster_create_time().unwrap().as_millisecond(), world.now());
    let group = found.cache_parameter_group().unwrap();
    assert_eq!(group.cache_parameter_group_name(), Some("default.redis7"));
    assert_eq!(group.parameter_apply_status(), Some("in-sync"));
    assert_eq!(found.cache_subnet_group_name(), Some("default"));
    assert_eq!((found.snapshot_retention_limit(), found.configuration_endpoint()), (Some(0), None));
    assert_eq!(found.port()?, 7000);
    let host = found.hostname()?;
    assert!(host.starts_with("web-1.") && host.ends_with(".0001.use1.cache.amazonaws.com"), "{host}");
    assert!(found.preferred_maintenance_window().is_some() && found.snapshot_window().is_some());
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert_eq!(found.subnet_group().wait()?.unwrap().require_name()?, "default");
    assert_eq!(found.vpc().wait()?.unwrap().is_default(), Some(true));
    assert_eq!(found.subnets().wait()?.len(), 3);
    assert_eq!(found.vpc_security_groups().wait()?[0].group_name(), Some("default"));
    let group = found.parameter_group().wait()?.unwrap();
    assert_eq!(group.require_name()?, "default.redis7");
    let listed = clusters(&session).list().results().all().wait()?;
    assert_eq!(names(&listed)?, ["web-1"]);
    assert_eq!(clusters(&session).get("none").wait()?, None);
    Ok(())
}

pub(super) fn memcached_has_several_nodes(world: &World) -> Result<()> {
    let session = world.session();
    let model = builder("web", "memcached").num_cache_nodes(3).build()?;
    clusters(&session).create(&model).az_mode("cross-az").wait()?;
    let web = get(world, "web")?;
    assert_eq!((web.num_cache_nodes(), web.preferred_availability_zone()), (Some(3), Some("Multiple")));
    let endpoint = web.configuration_endpoint().unwrap();
    assert!(endpoint.address().unwrap().contains(".cfg.use1."), "{endpoint:?}");
    assert_eq!((endpoint.port(), web.snapshot_window()), (Some(11211), None));
    let zones: Vec<_> =
        web.cache_nodes().unwrap().iter().map(|node| node.customer_availability_zone().unwrap()).collect();
    assert_eq!(zones, ["us-east-1a", "us-east-1b", "us-east-1c"]);

    // Fewer nodes need their IDs; more nodes are in the zones that are given.
    let shrink = |count: i64| ModifyCacheCluster::new("web").num_cache_nodes(count).apply_immediately(true);
    world.refused(&errors::INVALID_COMBINATION, "CacheNodeIdsToRemove", || ask(&session, shrink(2)));
    world.refused(&errors::INVALID, "CacheNodeIdsToRemove", || {
        ask(&session, shrink(2).cache_node_ids_to_remove(["0009"]))
    });
    ask(&session, shrink(2).cache_node_ids_to_remove(["0002"]))?;
    let web = get(world, "web")?;
    let ids: Vec<_> = web.cache_nodes().unwrap().iter().map(|node| node.cache_node_id().unwrap()).collect();
    assert_eq!(ids, ["0001", "0003"]);
    world.refused(&errors::INVALID_COMBINATION, "NewAvailabilityZones", || {
        ask(&session, shrink(4).new_availability_zones(["us-east-1b"]))
    });
    ask(&session, shrink(3).new_availability_zones(["us-east-1b"]))?;
    let web = get(world, "web")?;
    assert_eq!(web.cache_nodes().unwrap()[2].cache_node_id(), Some("0004"));
    assert_eq!(web.num_cache_nodes(), Some(3));
    Ok(())
}

pub(super) fn invalid_clusters_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web", "redis")?;
    let error =
        world.refused(&errors::CLUSTER_EXISTS, "CacheClusterId", || ask(&session, request("WEB", "redis")));
    assert_eq!(error.message(), "Cache cluster already exists");
    let error = world.refused(&errors::INVALID, "CacheNodeType", || {
        ask(&session, CreateCacheCluster::new("api").engine("redis"))
    });
    assert_eq!(error.message(), "The parameter CacheNodeType must be provided and must not be null.");
    let redis = || request("api", "redis");
    let memcached = || request("api", "memcached");
    let (value, combination) = (&errors::INVALID, &errors::INVALID_COMBINATION);
    let log = LogDeliveryConfiguration::from_json(r#"{"LogType": "slow-log", "LogFormat": "text"}"#)?;
    for (request, code, field) in [
        (request("a--b", "redis"), value, "CacheClusterId"),
        (request("api", "mysql"), value, "Engine"),
        (redis().engine_version("99"), combination, "EngineVersion"),
        (redis().cache_node_type("cache.big"), value, "CacheNodeType"),
        (redis().num_cache_nodes(2), combination, "NumCacheNodes"),
        (redis().az_mode("cross-az"), combination, "AZMode"),
        (redis().transit_encryption_enabled(true), combination, "TransitEncryptionEnabled"),
        (redis().auth_token("0123456789abcdef"), combination, "AuthToken"),
        (redis().cache_security_group_names(["web"]), value, "CacheSecurityGroupNames"),
        (redis().security_group_ids(["sg-0123456789abcdef0"]), value, "SecurityGroupIds"),
        (redis().preferred_maintenance_window("sun:00:00-sun:00:30"), value, "PreferredMaintenanceWindow"),
        (redis().snapshot_window("1-2"), value, "SnapshotWindow"),
        (
            redis().preferred_maintenance_window("sun:05:00-sun:06:00").snapshot_window("05:30-06:30"),
            value,
            "SnapshotWindow",
        ),
        (redis().notification_topic_arn("topic"), value, "NotificationTopicArn"),
        (redis().preferred_availability_zone("us-east-1x"), value, "PreferredAvailabilityZone"),
        (redis().network_type("ipv6"), combination, "NetworkType"),
        (redis().ip_discovery("ipv6"), combination, "IpDiscovery"),
        (redis().preferred_outpost_arn("arn"), value, "PreferredOutpostArn"),
        (redis().snapshot_arns(["arn:aws:s3:::b/o"]), value, "SnapshotArns"),
        (
            redis().log_delivery_configurations([log.clone()]),
            combination,
            "LogDeliveryConfigurations[0].DestinationType",
        ),
        (memcached().log_delivery_configurations([log]), combination, "LogDeliveryConfigurations[0].LogType"),
        (memcached().snapshot_retention_limit(1), combination, "SnapshotRetentionLimit"),
        (
            memcached().num_cache_nodes(2).preferred_availability_zones(["us-east-1a"]),
            combination,
            "PreferredAvailabilityZones",
        ),
        (
            memcached().engine_version("1.5.16").transit_encryption_enabled(true),
            combination,
            "TransitEncryptionEnabled",
        ),
    ] {
        world.refused(code, field, || ask(&session, request));
    }
    world.refused(&errors::CLUSTER_NODES, "NumCacheNodes", || ask(&session, memcached().num_cache_nodes(41)));
    world.refused(&errors::SUBNET_GROUP_NOT_FOUND, "CacheSubnetGroupName", || {
        ask(&session, redis().cache_subnet_group_name("none"))
    });
    world.refused(&errors::REPLICATION_GROUP_NOT_FOUND, "ReplicationGroupId", || {
        ask(&session, redis().replication_group_id("none"))
    });
    let error = world.refused(&errors::CLUSTER_NOT_FOUND, "CacheClusterId", || {
        ask(&session, DescribeCacheClusters::new().cache_cluster_id("none"))
    });
    assert_eq!(error.message(), "CacheCluster not found: none");
    Ok(())
}

pub(super) fn model_is_updated(world: &World) -> Result<()> {
    let session = world.session();
    create(world, "web", "redis")?;
    let mut web = get(world, "web")?;
    web.set_snapshot_retention_limit(7)?;
    web.set_preferred_maintenance_window("mon:01:00-mon:02:00")?;
    web.set_snapshot_window("05:00-06:00")?;
    web.set_auto_minor_version_upgrade(false)?;
    web.save().wait()?;
    let found = get(world, "web")?;
    assert_eq!((found.snapshot_retention_limit(), found.snapshot_window()), (Some(7), Some("05:00-06:00")));
    assert_eq!(found.auto_minor_version_upgrade(), Some(false));
    // Without `apply_immediately`, the type of the nodes waits for the maintenance window.
    web.set_cache_node_type("cache.t4g.small")?;
    web.save().wait()?;
    let found = get(world, "web")?;
    assert_eq!(found.cache_node_type(), Some("cache.t4g.micro"));
    assert_eq!(found.pending_modified_values().unwrap().cache_node_type(), Some("cache.t4g.small"));
    world.advance_to("2026-02-02T00:59:59Z")?;
    let found = get(world, "web")?;
    assert_eq!(found.cache_node_type(), Some("cache.t4g.micro"));
    assert_eq!(found.pending_modified_values().unwrap().cache_node_type(), Some("cache.t4g.small"));
    world.advance_to("2026-02-02T01:00:01Z")?;
    let found = get(world, "web")?;
    assert_eq!(found.cache_node_type(), Some("cache.t4g.small"));
    assert_eq!(found.pending_modified_values().unwrap().cache_node_type(), None);
    world.refused(&errors::INVALID_COMBINATION, None, || ask(&session, ModifyCacheCluster::new("web")));
    world.refused(&errors::INVALID_COMBINATION, "EngineVersion", || {
        ask(&session, ModifyCacheCluster::new("web").engine_version("6.2"))
    });
    ask(&session, ModifyCacheCluster::new("web").engine("valkey").apply_immediately(true))?;
    let found = get(world, "web")?;
    assert_eq!((found.engine(), found.engine_version()), (Some("valkey"), Some("8.0")));
    let group = found.cache_parameter_group().unwrap();
    assert_eq!(group.cache_parameter_group_name(), Some("default.valkey8"));
    Ok(())
}

pub(super) fn clusters_are_rebooted_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let group =
        CacheSubnetGroup::builder().cache_subnet_group_name("web").cache_subnet_group_description("web");
    let group = group.subnet_ids(subnets(&session)).build()?;
    CacheSubnetGroup::objects(&session).create(&group).wait()?;
    let web = builder("web", "redis").cache_subnet_group_name("web").build()?;
    clusters(&session).create(&web).wait()?;
    let rebooted = ask(&session, RebootCacheCluster::new("web", ["0001"]))?;
    let rebooted = rebooted.cache_cluster().unwrap();
    assert_eq!(rebooted.cache_cluster_status(), Some("rebooting cluster nodes"));
    world.refused(&errors::INVALID, "CacheNodeIdsToReboot", || {
        ask(&session, RebootCacheCluster::new("web", ["0002"]))
    });
    // What a cluster uses cannot be deleted.
    let error = world.refused(&errors::SUBNET_GROUP_IN_USE, "CacheSubnetGroupName", || {
        CacheSubnetGroup::objects(&session).delete("web").wait()
    });
    assert_eq!(error.message(), "Cache subnet group web is currently in use by a cache cluster.");
    let found = get(world, "web")?;
    let zone = found.preferred_availability_zone().unwrap().to_owned();
    let used = found.subnets().wait()?;
    let used = used.iter().find(|subnet| subnet.availability_zone() == Some(zone.as_str())).unwrap();
    Subnet::objects(&session).delete(used.subnet_id().unwrap()).wait().unwrap_err();
    let default = SecurityGroup::objects(&session).list().results().first().wait()?.unwrap();
    SecurityGroup::objects(&session).delete(default.group_id().unwrap()).wait().unwrap_err();
    let deleted = ask(&session, DeleteCacheCluster::new("web"))?;
    assert_eq!(deleted.cache_cluster().unwrap().cache_cluster_status(), Some("deleting"));
    assert_eq!(clusters(&session).get("web").wait()?, None);
    CacheSubnetGroup::objects(&session).delete("web").wait()?;
    world.refused(&errors::CLUSTER_NOT_FOUND, "CacheClusterId", || {
        ask(&session, DeleteCacheCluster::new("web"))
    });
    Ok(())
}

pub(super) fn parameters_take_effect_after_a_reboot(world: &World) -> Result<()> {
    let session = world.session();
    let group = CacheParameterGroup::builder().cache_parameter_group_name("web").description("web");
    let group = group.cache_parameter_group_family("memcached1.6").build()?;
    CacheParameterGroup::objects(&session).create(&group).wait()?;
    let web = builder("web", "memcached").num_cache_nodes(2).build()?;
    clusters(&session).create(&web).cache_parameter_group_name("web").wait()?;
    let change = |name: &str, value: &str| -> Result<_> {
        let json = format!("{{\"ParameterName\": \"{name}\", \"ParameterValue\": \"{value}\"}}");
        let change = ModifyCacheParameterGroup::new("web", [ParameterNameValue::from_json(json)?]);
        ask(&session, change)
    };
    change("idle_timeout", "60")?;
    let found = get(world, "web")?;
    let status = found.cache_parameter_group().unwrap();
    assert_eq!(status.parameter_apply_status(), Some("pending-reboot"));
    assert_eq!(status.cache_node_ids_to_reboot().unwrap(), ["0001", "0002"]);
    ask(&session, RebootCacheCluster::new("web", ["0001"]))?;
    let found = get(world, "web")?;
    assert_eq!(found.cache_parameter_group().unwrap().cache_node_ids_to_reboot().unwrap(), ["0002"]);
    assert_eq!(found.cache_parameter_group().unwrap().parameter_apply_status(), Some("pending-reboot"));
    ask(&session, RebootCacheCluster::new("web", ["0002"]))?;
    let found = get(world, "web")?;
    assert_eq!(found.cache_parameter_group().unwrap().parameter_apply_status(), Some("in-sync"));
    world.refused(&errors::PARAMETER_GROUP_STATE, "CacheParameterGroupName", || {
        CacheParameterGroup::objects(&session).delete("web").wait()
    });
    Ok(())
}
