//! Replication groups: clusters, replicas, failover, tokens and user groups.

use super::World;
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_elasticache::{
    AuthTokenUpdateStrategyType, CacheCluster, CacheUserGroup, CreateCacheCluster, CreateReplicationGroup,
    CreateUserGroup, DecreaseReplicaCount, DeleteCacheCluster, DeleteReplicationGroup, DeleteUserGroup,
    DescribeReplicationGroups, IncreaseReplicaCount, ListAllowedNodeTypeModifications, ModifyCacheCluster,
    ModifyReplicationGroup, NodeGroup, ReplicationGroup, ReplicationGroupManager, TestFailover, errors,
};
use nephos_testing::{ask, names};

const TOKEN: &str = "correct-horse-battery";

fn groups(session: &Session) -> ReplicationGroupManager {
    ReplicationGroup::objects(session)
}

pub(super) fn request(id: &str) -> CreateReplicationGroup {
    CreateReplicationGroup::new(id, "web").cache_node_type("cache.t4g.micro")
}

pub(super) fn get(world: &World, id: &str) -> Result<ReplicationGroup> {
    Ok(groups(&world.session()).get(id).wait()?.unwrap())
}

fn cluster(world: &World, id: &str) -> Result<Option<CacheCluster>> {
    CacheCluster::objects(&world.session()).get(id).wait()
}

fn roles(group: &ReplicationGroup) -> Vec<(&str, &str)> {
    let shard = &group.node_groups().unwrap()[0];
    let members = shard.node_group_members().unwrap().iter();
    members.map(|member| (member.cache_cluster_id().unwrap(), member.current_role().unwrap())).collect()
}

fn primary_address(shard: &NodeGroup) -> &str {
    shard.primary_endpoint().unwrap().address().unwrap()
}

pub(super) fn create_then_get_returns_group(world: &World) -> Result<()> {
    let session = world.session();
    let model = ReplicationGroup::builder().replication_group_id("Web").description("the web");
    let model = model.cache_node_type("cache.t4g.micro").snapshot_retention_limit(5).build()?;
    let create = groups(&session).create(&model).num_cache_clusters(3).automatic_failover_enabled(true);
    let created = create.multi_az_enabled(true).port(7000).tags([("team", "web")]).wait()?;
    assert_eq!((created.require_name()?, created.status()), ("web", Some("creating")));
    assert_eq!((created.node_groups(), created.configuration_endpoint()), (None, None));
    assert_eq!(created.member_clusters().unwrap(), ["web-001", "web-002", "web-003"]);
    let web = get(world, "WEB")?;
    assert_eq!(web.require_arn()?, "arn:aws:elasticache:us-east-1:123456789012:replicationgroup:web");
    assert_eq!(
        (web.status(), web.description(), web.engine()),
        (Some("available"), Some("the web"), Some("redis"))
    );
    assert_eq!((web.cluster_enabled(), web.auth_token_enabled()), (Some(false), Some(false)));
    assert_eq!(web.automatic_failover().unwrap().as_str(), "enabled");
    assert_eq!(web.multi_az().unwrap().as_str(), "enabled");
    assert_eq!(web.storage_encryption_type().unwrap().as_str(), "none");
    assert_eq!(roles(&web), [("web-001", "primary"), ("web-002", "replica"), ("web-003", "replica")]);
    let shard = &web.node_groups().unwrap()[0];
    assert_eq!(
        (shard.node_group_id(), shard.status(), shard.slots()),
        (Some("0001"), Some("available"), None)
    );
    let address = primary_address(shard);
    assert!(
        address.starts_with("web.") && address.ends_with(".ng.0001.use1.cache.amazonaws.com"),
        "{address}"
    );
    let reader = shard.reader_endpoint().unwrap();
    assert!(reader.address().unwrap().starts_with("web-ro."), "{reader:?}");
    assert_eq!((reader.port(), web.configuration_endpoint()), (Some(7000), None));
    assert_eq!(web.snapshotting_cluster_id(), Some("web-002"));
    assert_eq!(web.tags_map().wait()?.len(), 1);
    let clusters = web.member_cache_clusters().wait()?;
    assert_eq!(names(&clusters)?, ["web-001", "web-002", "web-003"]);
    let zones: std::collections::BTreeSet<_> =
        clusters.iter().map(|cluster| cluster.preferred_availability_zone().unwrap()).collect();
    assert_eq!(zones.len(), 3);
    let retention: Vec<_> =
        clusters.iter().map(|cluster| cluster.snapshot_retention_limit().unwrap()).collect();
    assert_eq!(retention, [0, 5, 0]);
    assert_eq!((clusters[0].replication_group_id(), clusters[0].port()?), (Some("web"), 7000));
    let member = &shard.node_group_members().unwrap()[0];
    assert_eq!(member.read_endpoint().unwrap().address(), Some(clusters[0].hostname()?));
    assert_eq!(clusters[0].replication_group().wait()?.unwrap().require_name()?, "web");
    assert_eq!(names(&groups(&session).list().results().all().wait()?)?, ["web"]);
    assert_eq!(groups(&session).get("none").wait()?, None);
    Ok(())
}

pub(super) fn group_is_updated_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").num_cache_clusters(2).engine_version("7.0"))?;
    let mut web = get(world, "web")?;
    web.set_description("other")?;
    web.set_snapshot_retention_limit(3)?;
    web.set_snapshot_window("05:00-06:00")?;
    web.save().wait()?;
    let web = get(world, "web")?;
    assert_eq!((web.description(), web.snapshot_window()), (Some("other"), Some("05:00-06:00")));
    assert_eq!((web.snapshotting_cluster_id(), web.snapshot_retention_limit()), (Some("web-002"), Some(3)));
    assert_eq!(cluster(world, "web-002")?.unwrap().snapshot_retention_limit(), Some(3));
    let modify = || ModifyReplicationGroup::new("web");
    groups(&session).update(&web).snapshotting_cluster_id("web-001").wait()?;
    assert_eq!(get(world, "web")?.snapshotting_cluster_id(), Some("web-001"));
    assert_eq!(cluster(world, "web-002")?.unwrap().snapshot_retention_limit(), Some(0));
    assert_eq!(cluster(world, "web-001")?.unwrap().snapshot_retention_limit(), Some(3));

    // Types and versions wait for the maintenance window, or are changed at once.
    let window =
        modify().preferred_maintenance_window("mon:01:00-mon:02:00").cache_node_type("cache.t4g.small");
    ask(&session, window)?;
    let first = cluster(world, "web-001")?.unwrap();
    assert_eq!(first.preferred_maintenance_window(), Some("mon:01:00-mon:02:00"));
    assert_eq!(first.pending_modified_values().unwrap().cache_node_type(), Some("cache.t4g.small"));
    assert_eq!(get(world, "web")?.cache_node_type(), Some("cache.t4g.micro"));
    world.advance_to("2026-02-02T00:59:59Z")?;
    assert_eq!(get(world, "web")?.cache_node_type(), Some("cache.t4g.micro"));
    world.advance_to("2026-02-02T01:00:01Z")?;
    assert_eq!(get(world, "web")?.cache_node_type(), Some("cache.t4g.small"));
    assert_eq!(cluster(world, "web-002")?.unwrap().cache_node_type(), Some("cache.t4g.small"));
    let upgrade = modify().engine("valkey").apply_immediately(true);
    let answer = ask(&session, upgrade)?;
    assert_eq!(answer.replication_group().unwrap().status(), Some("modifying"));
    let web = get(world, "web")?;
    assert_eq!((web.status(), web.engine()), (Some("available"), Some("valkey")));
    let second = cluster(world, "web-002")?.unwrap();
    assert_eq!((second.engine(), second.engine_version()), (Some("valkey"), Some("8.0")));
    assert_eq!(second.parameter_group().wait()?.unwrap().require_name()?, "default.valkey8");
    let error = world.refused(&errors::INVALID_COMBINATION, None, || ask(&session, modify()));
    assert_eq!(error.message(), "No modifications were requested");

    let deleted = ask(&session, DeleteReplicationGroup::new("web").retain_primary_cluster(true))?;
    assert_eq!(deleted.replication_group().unwrap().status(), Some("deleting"));
    assert_eq!(groups(&session).get("web").wait()?, None);
    assert_eq!(cluster(world, "web-002")?, None);
    assert_eq!(cluster(world, "web-001")?.unwrap().replication_group_id(), None);
    ask(&session, DeleteCacheCluster::new("web-001"))?;
    assert_eq!(cluster(world, "web-001")?, None);
    Ok(())
}

pub(super) fn existing_cluster_becomes_primary(world: &World) -> Result<()> {
    let session = world.session();
    let create = |id: &str, engine: &str| {
        ask(&session, CreateCacheCluster::new(id).engine(engine).cache_node_type("cache.t4g.micro"))
    };
    create("own", "redis")?;
    create("other", "memcached")?;
    let request = || CreateReplicationGroup::new("web", "web").primary_cluster_id("Own");
    let field = "PrimaryClusterId";
    world.refused(&errors::CLUSTER_NOT_FOUND, field, || ask(&session, request().primary_cluster_id("none")));
    world.refused(&errors::INVALID, field, || ask(&session, request().primary_cluster_id("other")));
    world.refused(&errors::INVALID_COMBINATION, "Engine", || ask(&session, request().engine("redis")));
    ask(&session, request().num_cache_clusters(2))?;
    let web = get(world, "web")?;
    assert_eq!(roles(&web), [("own", "primary"), ("web-002", "replica")]);
    assert_eq!(cluster(world, "own")?.unwrap().replication_group_id(), Some("web"));
    let again = CreateReplicationGroup::new("api", "api").primary_cluster_id("own");
    world.refused(&errors::CLUSTER_STATE, field, || ask(&session, again));
    Ok(())
}

pub(super) fn replicas_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").num_cache_clusters(2).automatic_failover_enabled(true))?;
    let increase = |count: i64| IncreaseReplicaCount::new("web", true).new_replica_count(count);
    let decrease = |count: i64| DecreaseReplicaCount::new("web", true).new_replica_count(count);
    let error = world.refused(&errors::INVALID, "NewReplicaCount", || ask(&session, increase(6)));
    assert_eq!(error.message(), "The number of replicas per node group must be within 0 and 5.");
    world.refused(&errors::INVALID, "ApplyImmediately", || {
        ask(&session, IncreaseReplicaCount::new("web", false).new_replica_count(2))
    });
    world.refused(&errors::NO_OPERATION, "NewReplicaCount", || ask(&session, increase(1)));
    world.refused(&errors::INVALID_COMBINATION, "NewReplicaCount", || ask(&session, increase(0)));
    world.refused(&errors::INVALID_COMBINATION, "NewReplicaCount", || {
        ask(&session, IncreaseReplicaCount::new("web", true))
    });
    let answer = ask(&session, increase(3))?;
    let answer = answer.replication_group().unwrap();
    assert_eq!((answer.status(), answer.member_clusters().unwrap().len()), (Some("modifying"), 4));
    assert_eq!(get(world, "web")?.status(), Some("available"));
    assert_eq!(cluster(world, "web-004")?.unwrap().cache_cluster_status(), Some("available"));
    let remove = |id: &str| DecreaseReplicaCount::new("web", true).replicas_to_remove([id]);
    world.refused(&errors::INVALID, "ReplicasToRemove", || ask(&session, remove("web-001")));
    ask(&session, remove("web-002"))?;
    assert_eq!(get(world, "web")?.member_clusters().unwrap(), ["web-001", "web-003", "web-004"]);
    assert_eq!(cluster(world, "web-002")?, None);
    ask(&session, decrease(1))?;
    assert_eq!(get(world, "web")?.member_clusters().unwrap(), ["web-001", "web-003"]);
    let error = world.refused(&errors::INVALID_COMBINATION, "NewReplicaCount", || ask(&session, decrease(0)));
    let text =
        "When using automatic failover, there must be at least 2 cache clusters in the replication group.";
    assert_eq!(error.message(), text);
    assert_eq!(world.cloud().run_in_transaction(|cx| cx.count("elasticache/nodes"))?, 2);
    Ok(())
}

pub(super) fn replicas_are_clusters(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").num_cache_clusters(2).automatic_failover_enabled(true))?;
    let replica = || CreateCacheCluster::new("extra").replication_group_id("WEB");
    let error =
        world.refused(&errors::INVALID_COMBINATION, "Engine", || ask(&session, replica().engine("redis")));
    let text = "Cannot specify additional cache cluster parameters when creating a replica cluster";
    assert_eq!(error.message(), text);
    ask(&session, replica().preferred_availability_zone("us-east-1b"))?;
    let extra = cluster(world, "extra")?.unwrap();
    assert_eq!((extra.engine(), extra.replication_group_id()), (Some("redis"), Some("web")));
    assert_eq!(extra.preferred_availability_zone(), Some("us-east-1b"));
    assert_eq!(get(world, "web")?.member_clusters().unwrap(), ["extra", "web-001", "web-002"]);
    let error = world.refused(&errors::CLUSTER_STATE, "CacheClusterId", || {
        ask(&session, DeleteCacheCluster::new("web-001"))
    });
    assert!(error.message().contains("serving as primary"), "{error}");
    world.refused(&errors::INVALID_COMBINATION, "CacheNodeType", || {
        ask(&session, ModifyCacheCluster::new("web-001").cache_node_type("cache.t4g.small"))
    });
    ask(&session, DeleteCacheCluster::new("web-002"))?;
    assert_eq!(roles(&get(world, "web")?), [("web-001", "primary"), ("extra", "replica")]);
    let error = world.refused(&errors::CLUSTER_STATE, "CacheClusterId", || {
        ask(&session, DeleteCacheCluster::new("extra"))
    });
    let text = "Cannot delete the cache cluster because it is the only read replica for replication group web \
                which has autofailover enabled or pending. You can disable autofailover and then delete this \
                cache cluster. Alternatively, to delete the entire replication group, use DeleteReplicationGroup.";
    assert_eq!(error.message(), text);
    let off = ModifyReplicationGroup::new("web").automatic_failover_enabled(false).apply_immediately(true);
    ask(&session, off)?;
    ask(&session, DeleteCacheCluster::new("extra"))?;
    assert_eq!(get(world, "web")?.member_clusters().unwrap(), ["web-001"]);
    let listed = CacheCluster::objects(&session).list().show_cache_clusters_not_in_replication_groups(true);
    assert_eq!(listed.results().all().wait()?.len(), 0);
    Ok(())
}

pub(super) fn failover_promotes_a_replica(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").num_cache_clusters(2))?;
    let failover = || TestFailover::new("web", "0001");
    world.refused(&errors::TEST_FAILOVER, "ReplicationGroupId", || ask(&session, failover()));
    world.refused(&errors::NODE_GROUP_NOT_FOUND, "NodeGroupId", || {
        ask(&session, TestFailover::new("web", "2"))
    });
    let modify = || ModifyReplicationGroup::new("web").apply_immediately(true);
    ask(&session, modify().primary_cluster_id("web-002"))?;
    assert_eq!(roles(&get(world, "web")?), [("web-001", "replica"), ("web-002", "primary")]);
    world.refused(&errors::INVALID_COMBINATION, "MultiAZEnabled", || {
        ask(&session, modify().multi_az_enabled(true))
    });
    ask(&session, modify().automatic_failover_enabled(true).multi_az_enabled(true))?;
    let web = get(world, "web")?;
    assert_eq!(web.automatic_failover().unwrap().as_str(), "enabled");
    assert_eq!(web.multi_az().unwrap().as_str(), "enabled");
    let answer = ask(&session, failover())?;
    let pending = answer.replication_group().unwrap().pending_modified_values().unwrap().clone();
    assert_eq!(pending.primary_cluster_id(), Some("web-001"));
    let web = get(world, "web")?;
    assert_eq!(roles(&web), [("web-001", "primary"), ("web-002", "replica")]);
    assert_eq!(web.pending_modified_values().unwrap().primary_cluster_id(), None);
    world.refused(&errors::INVALID_COMBINATION, "PrimaryClusterId", || {
        ask(&session, modify().primary_cluster_id("web-002"))
    });

    // What waits for the maintenance window keeps waiting after other changes.
    let off = ModifyReplicationGroup::new("web").automatic_failover_enabled(false).multi_az_enabled(false);
    ask(&session, off)?;
    ask(&session, ModifyReplicationGroup::new("web").description("other"))?;
    let web = get(world, "web")?;
    assert_eq!(web.automatic_failover().unwrap().as_str(), "enabled");
    let pending = web.pending_modified_values().unwrap();
    assert_eq!(pending.automatic_failover_status().unwrap().as_str(), "disabled");
    ask(&session, modify())?;
    let web = get(world, "web")?;
    assert_eq!(web.automatic_failover().unwrap().as_str(), "disabled");
    assert_eq!(web.multi_az().unwrap().as_str(), "disabled");
    Ok(())
}

pub(super) fn tokens_need_encryption_and_are_not_shown(world: &World) -> Result<()> {
    let session = world.session();
    let error = world.refused(&errors::INVALID, "AuthToken", || {
        ask(&session, request("web").transit_encryption_enabled(true).auth_token("short"))
    });
    assert_eq!(error.message(), "Invalid AuthToken provided.");
    world.refused(&errors::INVALID_COMBINATION, "AuthToken", || {
        ask(&session, request("web").auth_token(TOKEN))
    });
    ask(&session, request("web").transit_encryption_enabled(true).auth_token(TOKEN))?;
    let web = get(world, "web")?;
    assert_eq!((web.auth_token_enabled(), web.transit_encryption_enabled()), (Some(true), Some(true)));
    assert_eq!(web.auth_token_last_modified_date().unwrap().as_millisecond(), world.now());
    assert_eq!(web.transit_encryption_mode().unwrap().as_str(), "required");
    let address = primary_address(&web.node_groups().unwrap()[0]);
    assert!(address.starts_with("master.web."), "{address}");
    let first = cluster(world, "web-001")?.unwrap();
    assert!(first.hostname()?.starts_with("web-001.web."), "{first:?}");
    assert_eq!(first.auth_token_enabled(), Some(true));
    let modify = || ModifyReplicationGroup::new("web").apply_immediately(true);
    let other = "another-horse-battery";
    let answer = ask(&session, modify().auth_token(other))?;
    let pending = answer.replication_group().unwrap().pending_modified_values().unwrap().clone();
    assert_eq!(pending.auth_token_status().unwrap().as_str(), "ROTATING");
    let _ = get(world, "web")?;
    ask(&session, modify().auth_token(other).auth_token_update_strategy(AuthTokenUpdateStrategyType::Set))?;
    assert_eq!(get(world, "web")?.pending_modified_values().unwrap().auth_token_status(), None);
    let delete = || modify().auth_token_update_strategy(AuthTokenUpdateStrategyType::Delete);
    world.refused(&errors::INVALID_COMBINATION, "AuthTokenUpdateStrategy", || ask(&session, delete()));
    let state = format!("{:?}", world.state());
    assert!(!state.contains(TOKEN) && !state.contains(other));

    // A user group replaces the token.
    ask(&session, CreateUserGroup::new("team", "redis").user_ids(["default"]))?;
    world.refused(&errors::INVALID_COMBINATION, "UserGroupIdsToAdd", || {
        ask(&session, modify().user_group_ids_to_add(["team"]))
    });
    ask(&session, delete().user_group_ids_to_add(["team"]))?;
    let web = get(world, "web")?;
    assert_eq!(
        (web.auth_token_enabled(), web.user_group_ids().unwrap()),
        (Some(false), &["team".into()][..])
    );
    Ok(())
}

pub(super) fn user_groups_are_attached(world: &World) -> Result<()> {
    let session = world.session();
    for (id, engine) in [("team", "redis"), ("other", "redis"), ("new", "valkey")] {
        let users = if engine == "redis" { vec![Text::new("default")] } else { Vec::new() };
        ask(&session, CreateUserGroup::new(id, engine).user_ids(users))?;
    }
    let encrypted = || request("web").transit_encryption_enabled(true);
    let field = "UserGroupIds";
    world.refused(&errors::USER_GROUP_NOT_FOUND, field, || {
        ask(&session, encrypted().user_group_ids(["none"]))
    });
    let combination = &errors::INVALID_COMBINATION;
    world.refused(combination, field, || ask(&session, request("web").user_group_ids(["team"])));
    world.refused(combination, field, || ask(&session, encrypted().user_group_ids(["new"])));
    world.refused(combination, field, || {
        ask(&session, encrypted().engine_version("5.0.6").user_group_ids(["team"]))
    });
    world.refused(combination, "AuthToken", || {
        ask(&session, encrypted().user_group_ids(["team"]).auth_token(TOKEN))
    });
    world.refused(&errors::INVALID, field, || ask(&session, encrypted().user_group_ids(["team", "other"])));
    ask(&session, request("plain").transit_encryption_enabled(true))?;
    world.refused(combination, "AuthToken", || {
        let change = ModifyReplicationGroup::new("plain").user_group_ids_to_add(["other"]);
        ask(&session, change.auth_token(TOKEN))
    });
    ask(&session, encrypted().user_group_ids(["Team"]))?;
    let web = get(world, "web")?;
    assert_eq!(names(&web.user_groups().wait()?)?, ["team"]);
    let group = |id: &str| -> Result<CacheUserGroup> {
        Ok(CacheUserGroup::objects(&session).get(id).wait()?.unwrap())
    };
    assert_eq!(group("team")?.replication_groups().unwrap(), ["web"]);
    world.refused(&errors::USER_GROUP_STATE, "UserGroupId", || ask(&session, DeleteUserGroup::new("team")));
    let modify = || ModifyReplicationGroup::new("web");
    let error = world.refused(combination, "TransitEncryptionMode", || {
        ask(&session, modify().transit_encryption_mode("preferred"))
    });
    let text = "Modification of transit encryption is not supported for access control enabled clusters.";
    assert_eq!(error.message(), text);
    world.refused(&errors::INVALID, "UserGroupIdsToRemove", || {
        ask(&session, modify().user_group_ids_to_remove(["other"]))
    });
    let swap = modify().user_group_ids_to_add(["other"]).user_group_ids_to_remove(["team"]);
    let answer = ask(&session, swap)?;
    let pending = answer.replication_group().unwrap().pending_modified_values().unwrap().clone();
    assert_eq!(pending.user_groups().unwrap().user_group_ids_to_add().unwrap(), ["other"]);
    assert_eq!(get(world, "web")?.user_group_ids().unwrap(), ["other"]);
    assert_eq!(group("team")?.replication_groups().map(<[Text]>::len), Some(0));
    ask(&session, DeleteReplicationGroup::new("web"))?;
    assert_eq!(group("other")?.replication_groups().map(<[Text]>::len), Some(0));
    Ok(())
}

pub(super) fn transit_encryption_is_changed_step_by_step(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web"))?;
    let modify = || ModifyReplicationGroup::new("web").apply_immediately(true);
    world.refused(&errors::INVALID, "TransitEncryptionEnabled", || {
        ask(&session, modify().transit_encryption_enabled(true))
    });
    ask(&session, modify().transit_encryption_enabled(true).transit_encryption_mode("preferred"))?;
    let web = get(world, "web")?;
    assert_eq!(web.transit_encryption_mode().unwrap().as_str(), "preferred");
    assert!(primary_address(&web.node_groups().unwrap()[0]).starts_with("master.web."));
    assert!(cluster(world, "web-001")?.unwrap().hostname()?.starts_with("web-001.web."));
    ask(&session, modify().transit_encryption_mode("required"))?;
    assert_eq!(get(world, "web")?.transit_encryption_mode().unwrap().as_str(), "required");
    world.refused(&errors::INVALID, "TransitEncryptionEnabled", || {
        ask(&session, modify().transit_encryption_enabled(false))
    });
    ask(&session, modify().transit_encryption_mode("preferred"))?;
    let _ = get(world, "web")?;
    ask(&session, modify().transit_encryption_enabled(false))?;
    let web = get(world, "web")?;
    assert_eq!((web.transit_encryption_enabled(), web.transit_encryption_mode()), (Some(false), None));
    Ok(())
}

pub(super) fn invalid_groups_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web"))?;
    let error = world
        .refused(&errors::REPLICATION_GROUP_EXISTS, "ReplicationGroupId", || ask(&session, request("WEB")));
    assert_eq!(error.message(), "Replication group web already exists.");
    let (value, combination) = (&errors::INVALID, &errors::INVALID_COMBINATION);
    let api = || request("api");
    for (request, code, field) in [
        (request("a--b"), value, "ReplicationGroupId"),
        (CreateReplicationGroup::new("api", "api"), value, "CacheNodeType"),
        (api().engine("memcached"), value, "Engine"),
        (api().engine_version("99"), combination, "EngineVersion"),
        (api().cache_node_type("cache.big"), value, "CacheNodeType"),
        (api().automatic_failover_enabled(true), combination, "AutomaticFailoverEnabled"),
        (
            api().cache_node_type("cache.t2.micro").num_cache_clusters(2).automatic_failover_enabled(true),
            combination,
            "AutomaticFailoverEnabled",
        ),
        (api().num_cache_clusters(2).multi_az_enabled(true), combination, "MultiAZEnabled"),
        (api().num_cache_clusters(7), value, "NumCacheClusters"),
        (api().replicas_per_node_group(6), value, "ReplicasPerNodeGroup"),
        (api().num_node_groups(0), value, "NumNodeGroups"),
        (api().num_cache_clusters(2).replicas_per_node_group(1), combination, "NumCacheClusters"),
        (
            api().num_cache_clusters(2).preferred_cache_cluster_azs(["us-east-1a"]),
            combination,
            "PreferredCacheClusterAZs",
        ),
        (api().preferred_cache_cluster_azs(["us-east-1x"]), value, "PreferredCacheClusterAZs"),
        (api().data_tiering_enabled(true), combination, "DataTieringEnabled"),
        (api().cache_node_type("cache.r6gd.xlarge"), combination, "DataTieringEnabled"),
        (api().transit_encryption_mode("required"), combination, "TransitEncryptionMode"),
        (
            api().engine_version("3.2.4").transit_encryption_enabled(true),
            combination,
            "TransitEncryptionEnabled",
        ),
        (api().crypto_key_id("alias/own"), combination, "CryptoKeyId"),
        (api().network_type("ipv6"), combination, "NetworkType"),
        (api().cache_security_group_names(["web"]), value, "CacheSecurityGroupNames"),
        (api().snapshot_arns(["arn:aws:s3:::b/o"]), value, "SnapshotArns"),
        (api().cluster_mode("compatible"), value, "ClusterMode"),
    ] {
        world.refused(code, field, || ask(&session, request));
    }
    world.refused(&errors::GLOBAL_GROUP_NOT_FOUND, "GlobalReplicationGroupId", || {
        ask(&session, api().global_replication_group_id("all"))
    });
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "SnapshotName", || ask(&session, api().snapshot_name("old")));
    world.refused(&errors::INVALID_KEY, "CryptoKeyId", || {
        ask(&session, api().at_rest_encryption_enabled(true).crypto_key_id("a key"))
    });
    ask(&session, CreateCacheCluster::new("api-001").engine("redis").cache_node_type("cache.t4g.micro"))?;
    world.refused(&errors::CLUSTER_EXISTS, "ReplicationGroupId", || ask(&session, api()));
    world.cloud().run_in_transaction(|cx| cx.add_to_count("elasticache/nodes", 297))?;
    world.refused(&errors::NODE_QUOTA, None, || ask(&session, request("big").num_cache_clusters(2)));
    let missing: [&dyn Fn() -> Result<()>; 3] = [
        &|| ask(&session, ModifyReplicationGroup::new("none")).map(drop),
        &|| ask(&session, DeleteReplicationGroup::new("none")).map(drop),
        &|| ask(&session, DescribeReplicationGroups::new().replication_group_id("none")).map(drop),
    ];
    for call in missing {
        let error = world.refused(&errors::REPLICATION_GROUP_NOT_FOUND, "ReplicationGroupId", call);
        assert_eq!(error.message(), "ReplicationGroup none not found.");
    }
    Ok(())
}

pub(super) fn allowed_node_types_are_listed(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web").cache_node_type("cache.t4g.small"))?;
    let list = ListAllowedNodeTypeModifications::new;
    for allowed in [
        ask(&session, list().replication_group_id("web"))?,
        ask(&session, list().cache_cluster_id("web-001"))?,
    ] {
        let down = allowed.scale_down_modifications().unwrap();
        assert_eq!(down, ["cache.t2.micro", "cache.t3.micro", "cache.t4g.micro"]);
        assert!(allowed.scale_up_modifications().unwrap().contains(&"cache.m5.large".into()));
    }
    world.refused(&errors::INVALID_COMBINATION, "ReplicationGroupId", || ask(&session, list()));
    Ok(())
}
