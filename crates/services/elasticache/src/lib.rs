//! Caches: clusters of redis, valkey and memcached, their users and groups of users.

mod cluster;
mod engine;
pub mod errors;
mod event;
mod identifier;
mod parameter_group;
mod replication_group;
mod serverless_cache;
mod service_update;
mod snapshot;
mod subnet_group;
mod tagging;
mod user;
mod user_group;

pub use cluster::*;
pub use engine::{CacheEngineVersion, DescribeCacheEngineVersions, DescribeCacheEngineVersionsResponse};
pub use event::{DescribeEvents, DescribeEventsResponse, Event, SourceType};
pub use identifier::Page;
pub use parameter_group::*;
pub use replication_group::*;
pub use serverless_cache::*;
pub use service_update::*;
pub use snapshot::*;
pub use subnet_group::*;
pub use tagging::*;
pub use user::*;
pub use user_group::*;

pub use nephos_core::Empty;
use nephos_core::shape::Protocol;
use serverless_cache::automatic::{AutomaticSnapshot, SnapshotExpiry};

nephos_cloud::parts! {
    nodes: cluster::nodes,
    engine: engine,
    node_types: engine::node_types,
    versions: engine::versions,
    parameter_group: parameter_group,
    tables: parameter_group::tables,
    values: parameter_group::values,
    shards: replication_group::shards,
    token: replication_group::token,
    access_string: user::access_string,
}

nephos_cloud::service! {
    ELASTICACHE = "elasticache", "Caches: clusters of redis, valkey and memcached, their users and groups of users.";
    shape {
        api_version: "2015-02-02",
        protocol: Protocol::AwsQuery { namespace: "http://elasticache.amazonaws.com/doc/2015-02-02/" },
        lower_case_names: true,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_marker,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}"])],
    }
    kinds {
        CacheSubnetGroup, CacheParameterGroup, CacheCluster, CacheUser, CacheUserGroup, ServerlessCache,
        ServerlessCacheSnapshot, CacheSnapshot, ReplicationGroup,
    }
    operations {
        CreateCacheCluster, DescribeCacheClusters, ModifyCacheCluster, RebootCacheCluster, DeleteCacheCluster,
        CreateCacheSubnetGroup, DescribeCacheSubnetGroups, ModifyCacheSubnetGroup, DeleteCacheSubnetGroup,
        CreateCacheParameterGroup, DescribeCacheParameterGroups, ModifyCacheParameterGroup,
        ResetCacheParameterGroup, DeleteCacheParameterGroup, DescribeCacheParameters,
        DescribeEngineDefaultParameters, DescribeCacheEngineVersions,
        CreateUser, DescribeUsers, ModifyUser, DeleteUser,
        CreateUserGroup, DescribeUserGroups, ModifyUserGroup, DeleteUserGroup,
        CreateServerlessCache, DescribeServerlessCaches, ModifyServerlessCache, DeleteServerlessCache,
        CreateServerlessCacheSnapshot, CopyServerlessCacheSnapshot, DeleteServerlessCacheSnapshot,
        DescribeServerlessCacheSnapshots,
        CreateSnapshot, CopySnapshot, DescribeSnapshots, DeleteSnapshot,
        CreateReplicationGroup, DescribeReplicationGroups, ModifyReplicationGroup, DeleteReplicationGroup,
        IncreaseReplicaCount, DecreaseReplicaCount, ModifyReplicationGroupShardConfiguration, TestFailover,
        ListAllowedNodeTypeModifications, DescribeEvents,
        DescribeServiceUpdates, DescribeUpdateActions, BatchApplyUpdateAction, BatchStopUpdateAction,
        AddTagsToResource, RemoveTagsFromResource, ListTagsForResource,
    }
    calls {
        CacheSnapshotUpdate, CacheSnapshotTag, CacheSnapshotUntag, CacheSnapshotListTags,
        CacheClusterGet, CacheClusterUpdate, CacheClusterTag, CacheClusterUntag, CacheClusterListTags,
        CacheSubnetGroupTag, CacheSubnetGroupUntag, CacheSubnetGroupListTags,
        CacheParameterGroupUpdate, CacheParameterGroupNodeTypeParameters,
        CacheParameterGroupTag, CacheParameterGroupUntag, CacheParameterGroupListTags,
        CacheUserGet, CacheUserUpdate, CacheUserTag, CacheUserUntag, CacheUserListTags,
        CacheUserGroupUpdate, CacheUserGroupTag, CacheUserGroupUntag, CacheUserGroupListTags,
        ServerlessCacheTag, ServerlessCacheUntag, ServerlessCacheListTags,
        ServerlessCacheSnapshotTag, ServerlessCacheSnapshotUntag, ServerlessCacheSnapshotListTags,
        ReplicationGroupUpdate, ReplicationGroupTag, ReplicationGroupUntag, ReplicationGroupListTags,
    }
    works {
        cluster::MaintenanceWork, snapshot::AutomaticClusterSnapshot,
        AutomaticSnapshot, SnapshotExpiry,
        replication_group::GroupMaintenanceWork,
        event::ExpireEvents,
    }
    tables {
        CacheCluster, cluster::PendingRow, CacheSnapshot, CacheSubnetGroup, CacheParameterGroup, ParameterValuesRow, ParameterGroupUseRow,
        CacheUser, UserPasswordsRow, CacheUserGroup,
        ServerlessCache, ServerlessCacheSnapshot, ServerlessChangeRow,
        ReplicationGroup, replication_group::GroupChangeRow, replication_group::AuthTokensRow,
        event::EventRow, service_update::UpdateActionRow,
    }
    access {
        find_resource: Some(tagging::find_resource),
    }
    tagged { tagging::TAGGED }
}
