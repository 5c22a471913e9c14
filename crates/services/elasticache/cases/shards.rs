//! Replication groups with cluster mode on: shards and their slots.

use super::{
    World,
    replication_groups::{get, request},
};
use nephos_core::{Result, prelude::*};
use nephos_elasticache::{
    CacheCluster, ConfigureShard, CreateCacheCluster, DeleteCacheCluster, DeleteReplicationGroup,
    IncreaseReplicaCount, ModifyReplicationGroup, ModifyReplicationGroupShardConfiguration,
    NodeGroupConfiguration, ReplicationGroup, TestFailover, errors,
};
use nephos_testing::ask;

fn slots(group: &ReplicationGroup) -> Vec<(&str, &str)> {
    let shards = group.node_groups().unwrap().iter();
    shards.map(|shard| (shard.node_group_id().unwrap(), shard.slots().unwrap())).collect()
}

fn reshard(count: i64) -> ModifyReplicationGroupShardConfiguration {
    ModifyReplicationGroupShardConfiguration::new("web", count, true)
}

pub(super) fn cluster_mode_has_shards(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").num_node_groups(2).replicas_per_node_group(1))?;
    let web = get(world, "web")?;
    assert_eq!((web.cluster_enabled(), web.snapshotting_cluster_id()), (Some(true), None));
    assert_eq!(web.cluster_mode().unwrap().as_str(), "enabled");
    assert_eq!(web.automatic_failover().unwrap().as_str(), "enabled");
    assert_eq!(slots(&web), [("0001", "0-8191"), ("0002", "8192-16383")]);
    let ids = ["web-0001-001", "web-0001-002", "web-0002-001", "web-0002-002"];
    assert_eq!(web.member_clusters().unwrap(), ids);
    let shard = &web.node_groups().unwrap()[0];
    assert_eq!((shard.primary_endpoint(), shard.reader_endpoint()), (None, None));
    let member = &shard.node_group_members().unwrap()[0];
    assert_eq!((member.current_role(), member.read_endpoint()), (None, None));
    let endpoint = web.configuration_endpoint().unwrap();
    assert!(endpoint.address().unwrap().contains(".clustercfg.use1."), "{endpoint:?}");
    let first = CacheCluster::objects(&session).get("web-0001-001").wait()?.unwrap();
    assert_eq!(first.parameter_group().wait()?.unwrap().require_name()?, "default.redis7.cluster.on");
    let encrypted = request("tls").cluster_mode("enabled").transit_encryption_enabled(true);
    ask(&session, encrypted)?;
    let tls = get(world, "tls")?;
    assert!(tls.configuration_endpoint().unwrap().address().unwrap().starts_with("clustercfg.tls."));
    assert_eq!(slots(&tls), [("0001", "0-16383")]);
    ask(&session, TestFailover::new("web", "1"))?;
    assert_eq!(get(world, "web")?.status(), Some("available"));

    // The clusters are changed with the group only.
    let field = "CacheClusterId";
    world.refused(&errors::CLUSTER_STATE, field, || ask(&session, DeleteCacheCluster::new("web-0001-002")));
    world.refused(&errors::INVALID_COMBINATION, field, || {
        ask(&session, DeleteCacheCluster::new("web-0001-001"))
    });
    world.refused(&errors::INVALID_COMBINATION, "ReplicationGroupId", || {
        ask(&session, CreateCacheCluster::new("extra").replication_group_id("web"))
    });
    world.refused(&errors::INVALID_COMBINATION, "AutomaticFailoverEnabled", || {
        ask(&session, ModifyReplicationGroup::new("web").automatic_failover_enabled(false))
    });
    world.refused(&errors::INVALID_COMBINATION, "RetainPrimaryCluster", || {
        ask(&session, DeleteReplicationGroup::new("web").retain_primary_cluster(true))
    });
    ask(&session, DeleteReplicationGroup::new("web"))?;
    assert_eq!(CacheCluster::objects(&session).list().results().all().wait()?.len(), 1);
    Ok(())
}

pub(super) fn shards_are_configured(world: &World) -> Result<()> {
    let session = world.session();
    let shard = |json: &str| NodeGroupConfiguration::from_json(json);
    let first = r#"{"NodeGroupId": "5", "Slots": "0-99", "PrimaryAvailabilityZone": "us-east-1b",
        "ReplicaAvailabilityZones": ["us-east-1c"]}"#;
    let create = |second: &str| -> Result<_> {
        let shards = [shard(first)?, shard(second)?];
        ask(&session, request("web").node_group_configuration(shards))
    };
    let field = "NodeGroupConfiguration";
    let overlapping = r#"{"Slots": "99-16383"}"#;
    for refused in [
        overlapping,
        r#"{"ReplicaCount": 6, "Slots": "100-16383"}"#,
        r#"{"NodeGroupId": "0005", "Slots": "100-16383"}"#,
        r#"{"PrimaryAvailabilityZone": "us-east-1x", "Slots": "100-16383"}"#,
        r#"{"PrimaryOutpostArn": "arn", "Slots": "100-16383"}"#,
    ] {
        world.refused(&errors::INVALID, field, || create(refused));
    }
    world.refused(&errors::INVALID_COMBINATION, "NumNodeGroups", || {
        let shards = [shard(first)?, shard(overlapping)?];
        ask(&session, request("web").num_node_groups(3).node_group_configuration(shards))
    });
    // Zones must be as many as the replicas of each shard.
    world.refused(&errors::INVALID_COMBINATION, field, || {
        let shards = [shard(first)?, shard(r#"{"Slots": "100-16383"}"#)?];
        ask(&session, request("web").replicas_per_node_group(2).node_group_configuration(shards))
    });
    let off = request("web").num_node_groups(2).cache_parameter_group_name("default.redis7");
    world.refused(&errors::INVALID_COMBINATION, "NumNodeGroups", || ask(&session, off));
    let off = request("web").num_node_groups(2).automatic_failover_enabled(false);
    let error = world.refused(&errors::INVALID, "AutomaticFailoverEnabled", || ask(&session, off));
    let text = "Redis with cluster mode enabled cannot be created with auto failover turned off.";
    assert_eq!(error.message(), text);
    world.refused(&errors::NODE_GROUP_QUOTA, "NumNodeGroups", || {
        ask(&session, request("web").num_node_groups(91))
    });
    create(r#"{"Slots": "100-16383", "ReplicaCount": 2}"#)?;
    let web = get(world, "web")?;
    assert_eq!(slots(&web), [("0005", "0-99"), ("0002", "100-16383")]);
    let members = web.node_groups().unwrap()[0].node_group_members().unwrap();
    let zones: Vec<_> = members.iter().map(|member| member.preferred_availability_zone().unwrap()).collect();
    assert_eq!(zones, ["us-east-1b", "us-east-1c"]);
    assert_eq!(web.node_groups().unwrap()[1].node_group_members().unwrap().len(), 3);

    // Replicas are added to some shards, in given zones.
    let configure = |json: &str| -> Result<_> {
        let shards = [ConfigureShard::from_json(json)?];
        ask(&session, IncreaseReplicaCount::new("web", true).replica_configuration(shards))
    };
    world.refused(&errors::NODE_GROUP_NOT_FOUND, "ReplicaConfiguration", || {
        configure(r#"{"NodeGroupId": "9", "NewReplicaCount": 2}"#)
    });
    configure(
        r#"{"NodeGroupId": "5", "NewReplicaCount": 2,
        "PreferredAvailabilityZones": ["us-east-1a", "us-east-1b", "us-east-1c"]}"#,
    )?;
    let web = get(world, "web")?;
    let added = &web.node_groups().unwrap()[0].node_group_members().unwrap()[2];
    assert_eq!(added.cache_cluster_id(), Some("web-0005-003"));
    assert_eq!(added.preferred_availability_zone(), Some("us-east-1a"));
    Ok(())
}

pub(super) fn shards_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("off"))?;
    world.refused(&errors::INVALID_COMBINATION, "ReplicationGroupId", || {
        ask(&session, ModifyReplicationGroupShardConfiguration::new("off", 2, true))
    });
    ask(&session, request("web").num_node_groups(2).replicas_per_node_group(1))?;
    world.refused(&errors::NO_OPERATION, "NodeGroupCount", || ask(&session, reshard(2)));
    let answer = ask(&session, reshard(4))?;
    let answer = answer.replication_group().unwrap();
    let resharding = answer.pending_modified_values().unwrap().resharding().unwrap();
    assert_eq!(resharding.slot_migration().unwrap().progress_percentage(), Some(0.0));
    assert_eq!(answer.node_groups().unwrap()[3].status(), Some("creating"));
    let web = get(world, "web")?;
    assert_eq!(web.pending_modified_values().unwrap().resharding(), None);
    let even = [("0001", "0-4095"), ("0002", "4096-8191"), ("0003", "8192-12287"), ("0004", "12288-16383")];
    assert_eq!(slots(&web), even);
    assert_eq!(web.member_clusters().unwrap().len(), 8);
    let field = "NodeGroupsToRemove";
    world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, reshard(3)));
    world.refused(&errors::INVALID_COMBINATION, field, || {
        ask(&session, reshard(3).node_groups_to_remove(["0001", "0002"]))
    });
    world.refused(&errors::NODE_GROUP_NOT_FOUND, field, || {
        ask(&session, reshard(3).node_groups_to_remove(["0009"]))
    });
    ask(&session, reshard(3).node_groups_to_remove(["0002"]))?;
    let web = get(world, "web")?;
    assert_eq!(slots(&web), [("0001", "0-5460"), ("0003", "5461-10921"), ("0004", "10922-16383")]);
    ask(&session, reshard(1).node_groups_to_retain(["0003"]))?;
    let web = get(world, "web")?;
    assert_eq!(slots(&web), [("0003", "0-16383")]);
    assert_eq!(web.member_clusters().unwrap(), ["web-0003-001", "web-0003-002"]);
    ask(&session, reshard(2))?;
    assert_eq!(get(world, "web")?.member_clusters().unwrap()[0], "web-0001-001");
    assert_eq!(world.cloud().run_in_transaction(|cx| cx.count("elasticache/nodes"))?, 5);
    Ok(())
}

pub(super) fn cluster_mode_is_turned_on(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").num_cache_clusters(2).automatic_failover_enabled(true))?;
    let modify = |mode: &str| ModifyReplicationGroup::new("web").cluster_mode(mode).apply_immediately(true);
    world.refused(&errors::INVALID_COMBINATION, "ClusterMode", || ask(&session, modify("enabled")));
    ask(&session, modify("compatible"))?;
    let web = get(world, "web")?;
    assert_eq!(web.cluster_mode().unwrap().as_str(), "compatible");
    assert!(web.configuration_endpoint().is_some());
    assert!(web.node_groups().unwrap()[0].primary_endpoint().is_some());
    ask(&session, modify("enabled"))?;
    let web = get(world, "web")?;
    assert_eq!((web.cluster_enabled(), slots(&web)), (Some(true), vec![("0001", "0-16383")]));
    assert_eq!(web.node_groups().unwrap()[0].primary_endpoint(), None);
    let first = CacheCluster::objects(&session).get("web-001").wait()?.unwrap();
    assert_eq!(first.parameter_group().wait()?.unwrap().require_name()?, "default.redis7.cluster.on");
    Ok(())
}
