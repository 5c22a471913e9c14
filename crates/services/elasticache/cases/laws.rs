//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Result, Session, prelude::*};
use nephos_elasticache::{
    BatchApplyUpdateAction, CacheCluster, CacheParameterGroup, CacheSnapshot, CacheSubnetGroup, CacheUser,
    CacheUserGroup, ModifyCacheCluster, ModifyServerlessCache, ReplicationGroup, ServerlessCache,
    ServerlessCacheSnapshot,
};
use nephos_testing::{FilledResource, KindFacts, LawFacts, RemainingRows, Step, ask, filled_resource};

const SUBNET_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"CacheSubnetGroupName": "api", "CacheSubnetGroupDescription": "api", "SubnetIds": ["$Subnet.SubnetId"]}"#,
        r#"{"CacheSubnetGroupName": "web", "CacheSubnetGroupDescription": "web", "Tags": [{"Key": "team", "Value": "web"}],
        "SubnetIds": ["$Subnet0.SubnetId", "$Subnet.SubnetId"]}"#,
    ],
    ..KindFacts::of::<CacheSubnetGroup>()
};

const PARAMETER_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"CacheParameterGroupName": "api", "CacheParameterGroupFamily": "redis7", "Description": "api"}"#,
        r#"{"CacheParameterGroupName": "web", "CacheParameterGroupFamily": "memcached1.6", "Description": "web",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    extras: &[Step::last(
        "modify",
        r#"{"ParameterNameValues": [{"ParameterName": "cas_disabled", "ParameterValue": "1"}]}"#,
    )],
    calls_without_resource: &["engine_defaults", "engine_versions"],
    ..KindFacts::of::<CacheParameterGroup>()
};

const CLUSTER: KindFacts = KindFacts {
    examples: &[
        r#"{"CacheClusterId": "api", "Engine": "memcached", "CacheNodeType": "cache.t4g.micro", "NumCacheNodes": 2,
        "CacheSubnetGroupName": "$CacheSubnetGroup.CacheSubnetGroupName"}"#,
        r#"{"CacheClusterId": "web", "Engine": "redis", "CacheNodeType": "cache.t4g.micro",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    settings: &[
        r#"{"EngineVersion": "7.0"}"#,
        r#"{"PreferredAvailabilityZone": "us-east-1a"}"#,
        r#"{"PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "SnapshotWindow": "01:00-02:00"}"#,
        r#"{"LogDeliveryConfigurations": [{"LogType": "slow-log", "LogFormat": "text",
        "DestinationType": "kinesis-firehose",
        "DestinationDetails": {"KinesisFirehoseDetails": {"DeliveryStream": "logs"}}}]}"#,
    ],
    changes: &[
        r#"{"PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "SnapshotWindow": "01:00-02:00"}"#,
        r#"{"LogDeliveryConfigurations": [{"LogType": "slow-log", "LogFormat": "text",
        "DestinationType": "kinesis-firehose",
        "DestinationDetails": {"KinesisFirehoseDetails": {"DeliveryStream": "logs"}}}]}"#,
    ],
    never_created: &[
        ("PreferredOutpostArn", "there are no Outposts"),
        ("ReplicationGroupId", "an example has no replication group"),
    ],
    never_changed: &[
        ("CacheNodeType", "changes in the maintenance window"),
        ("Engine", "changes in the maintenance window"),
        ("EngineVersion", "changes in the maintenance window"),
        ("IpDiscovery", "subnets have IPv4 addresses only"),
        ("NumCacheNodes", "changes in the maintenance window"),
    ],
    calls_without_resource: &["update_actions"],
    ..KindFacts::of::<CacheCluster>()
};

const USER: KindFacts = KindFacts {
    examples: &[
        r#"{"UserId": "app", "UserName": "app", "Engine": "redis", "AccessString": "on ~app::* -@all +@read",
        "NoPasswordRequired": true}"#,
        r#"{"UserId": "web", "UserName": "web", "Engine": "valkey", "AccessString": "on ~* +@all",
        "Tags": [{"Key": "team", "Value": "web"}], "Passwords": ["correct-horse-battery"]}"#,
    ],
    changes: &[r#"{"AccessString": "on ~web::* -@all +get"}"#, r#"{"Engine": "redis"}"#],
    settings: &[r#"{"AccessString": "off -@all"}"#],
    changes_later: true,
    ..KindFacts::of::<CacheUser>()
};

const USER_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"UserGroupId": "app", "Engine": "redis", "UserIds": ["default", "$CacheUser0.UserId"]}"#,
        r#"{"UserGroupId": "web", "Engine": "valkey", "UserIds": ["$CacheUser.UserId"],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    changes: &[r#"{"UserIds": []}"#],
    changes_later: true,
    never_changed: &[("Engine", "depends on the users of the group")],
    ..KindFacts::of::<CacheUserGroup>()
};

const REPLICATION_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"ReplicationGroupId": "store", "Description": "store", "CacheNodeType": "cache.t4g.micro",
        "NumCacheClusters": 2, "PreferredMaintenanceWindow": "sun:05:00-sun:06:00"}"#,
        r#"{"ReplicationGroupId": "shards", "Description": "shards", "CacheNodeType": "cache.t4g.micro",
        "NumNodeGroups": 2, "ReplicasPerNodeGroup": 1, "PreferredMaintenanceWindow": "sun:05:00-sun:06:00",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    settings: &[
        r#"{"Engine": "valkey"}"#,
        r#"{"TransitEncryptionEnabled": true, "TransitEncryptionMode": "preferred"}"#,
        r#"{"AtRestEncryptionEnabled": true, "CryptoKeyId": "$CryptoKey.Arn"}"#,
    ],
    changes: &[
        r#"{"SnapshotWindow": "01:00-02:00"}"#,
        r#"{"LogDeliveryConfigurations": [{"LogType": "slow-log", "LogFormat": "text",
        "DestinationType": "kinesis-firehose",
        "DestinationDetails": {"KinesisFirehoseDetails": {"DeliveryStream": "logs"}}}]}"#,
    ],
    never_created: &[("UserGroupIds", "the groups of examples are still being created")],
    never_changed: &[
        ("CacheNodeType", "changes in the maintenance window"),
        ("ClusterMode", "changes in the maintenance window"),
        ("Engine", "changes in the maintenance window"),
        ("IpDiscovery", "subnets have IPv4 addresses only"),
        ("TransitEncryptionEnabled", "changes in the maintenance window"),
        ("TransitEncryptionMode", "changes in the maintenance window"),
    ],
    calls_without_resource: &["allowed_node_types"],
    ..KindFacts::of::<ReplicationGroup>()
};

/// Deletes the replication groups, whose clusters cannot be deleted alone.
fn delete_groups(session: &Session) -> Result<()> {
    let groups = ReplicationGroup::objects(session);
    for group in groups.list().results().all().wait()? {
        groups.delete(group.require_name()?).wait()?;
    }
    Ok(())
}

const SERVERLESS_CACHE: KindFacts = KindFacts {
    examples: &[
        r#"{"ServerlessCacheName": "api", "Engine": "redis", "SubnetIds": ["$Subnet0.SubnetId", "$Subnet.SubnetId"],
        "SnapshotRetentionLimit": 1, "DailySnapshotTime": "03:00",
        "CacheUsageLimits": {"DataStorage": {"Maximum": 10, "Unit": "GB"}}}"#,
        r#"{"ServerlessCacheName": "web", "Engine": "valkey", "MajorEngineVersion": "7",
        "SubnetIds": ["$Subnet0.SubnetId", "$Subnet.SubnetId"], "SecurityGroupIds": ["$SecurityGroup.GroupId"],
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    settings: &[r#"{"CryptoKeyId": "$CryptoKey.Arn"}"#],
    never_created: &[("UserGroupId", "the groups of examples are still being created")],
    never_changed: &[("UserGroupId", "the groups of examples are still being created")],
    changes: &[
        r#"{"Engine": "valkey"}"#,
        r#"{"CacheUsageLimits": {"ECPUPerSecond": {"Minimum": 1000, "Maximum": 5000}}}"#,
        r#"{"DailySnapshotTime": "05:30"}"#,
        r#"{"SecurityGroupIds": ["$SecurityGroup0.GroupId"]}"#,
    ],
    dependent_fields: &[("Engine", &["MajorEngineVersion"])],
    changes_later: true,
    ..KindFacts::of::<ServerlessCache>()
};

const SERVERLESS_SNAPSHOT: KindFacts = KindFacts::excluded::<ServerlessCacheSnapshot>(
    "needs a cache that is available, and the caches of examples are still being created",
);

const SNAPSHOT: KindFacts = KindFacts::excluded::<CacheSnapshot>(
    "needs a cluster that is available, and the clusters of examples are still being created",
);

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    unchecked_references: &[
        (
            &[
                "CacheCluster apply_update ReplicationGroupIds",
                "CacheCluster stop_update ReplicationGroupIds",
            ],
            "needs a service update",
        ),
        (&["ServerlessCache delete FinalSnapshotName"], "it names the snapshot that is made"),
        (
            &[
                "ReplicationGroup create CacheParameterGroupName",
                "ReplicationGroup create CacheSubnetGroupName",
                "ReplicationGroup create SecurityGroupIds",
                "ReplicationGroup update SecurityGroupIds",
            ],
            "its members show it",
        ),
        (
            &["ReplicationGroup create SnapshotName", "ReplicationGroup create ServerlessCacheSnapshotName"],
            "a copy does not name its source",
        ),
        (&["ReplicationGroup test_failover NodeGroupId"], "it is the number of a shard"),
    ],
    kinds: &[
        SUBNET_GROUP,
        PARAMETER_GROUP,
        CLUSTER,
        USER,
        USER_GROUP,
        SERVERLESS_CACHE,
        SERVERLESS_SNAPSHOT,
        SNAPSHOT,
        REPLICATION_GROUP,
    ],
    unpaged: &[
        ("DescribeEngineDefaultParameters", "its pages are in a record of the answer"),
        ("DescribeServerlessCacheSnapshots", "examples have no snapshots"),
        ("DescribeSnapshots", "examples have no snapshots"),
    ],
    timed_tables: &[("elasticache/event", "events are kept by their time")],
    remaining_rows: &[
        (RemainingRows::Table("elasticache/event"), "events are kept for 14 days"),
        (RemainingRows::Key("elasticache/subnet-group", "default"), "the default group cannot be deleted"),
        (RemainingRows::Key("elasticache/user", "default"), "the default user cannot be deleted"),
    ],
    fill_tables,
    clean_up: delete_groups,
    ..LawFacts::of(&nephos_elasticache::SERVICE)
};

/// Adds snapshots of a serverless cache and of a cluster, a service update, and changes that have no effect yet.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    let snapshot =
        ServerlessCacheSnapshot::builder().serverless_cache_snapshot_name("api").serverless_cache_name("api");
    let snapshot = ServerlessCacheSnapshot::objects(session).create(&snapshot.build()?).wait()?;
    ask(session, ModifyServerlessCache::new("web").description("changed"))?;
    ask(session, BatchApplyUpdateAction::new("elasticache-20260131-001").cache_cluster_ids(["web"]))?;
    let cluster = CacheSnapshot::builder().snapshot_name("web").cache_cluster_id("web").build()?;
    let cluster = CacheSnapshot::objects(session).create(&cluster).wait()?;
    ask(session, ModifyCacheCluster::new("api").num_cache_nodes(3))?;
    Ok(vec![filled_resource(&snapshot), filled_resource(&cluster)])
}
