//! Databases: relational instances and clusters, document-database clusters, and what belongs to them.

mod cluster;
mod document_cluster;
mod engine;
pub mod errors;
mod filters;
mod identifier;
mod instance;
mod master_user;
mod option_group;
mod parameter_group;
mod records;
mod settings;
mod subnet_group;
mod tagging;
/// Handler cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "../cases/mod.rs"]
pub mod testing;
mod uses;
mod views;

pub use cluster::*;
pub use document_cluster::*;
pub use filters::Filter;
pub use identifier::Page;
pub use instance::*;
pub use option_group::*;
pub use parameter_group::*;
pub use records::*;
pub use subnet_group::*;
pub use tagging::*;

use instance::{InstanceMaintenance, InstancePasswordRotation, power::InstanceRestart};
use master_user::MasterPasswordRow;
pub use nephos_core::Empty;
use nephos_core::shape::Protocol;
use parameter_group::ParameterValueRow;
use uses::UseRow;

nephos_cloud::service! {
    RDS = "rds", "Databases: relational instances and clusters, document-database clusters, and what belongs to them.";
    shape {
        api_version: "2014-10-31",
        protocol: Protocol::AwsQuery { namespace: "http://rds.amazonaws.com/doc/2014-10-31/" },
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_marker,
    }
    kinds { DBSubnetGroup, DBParameterGroup, DBClusterParameterGroup, OptionGroup, DBInstance, DBCluster, DocDBCluster }
    operations {
        CreateDBSubnetGroup, DescribeDBSubnetGroups, ModifyDBSubnetGroup, DeleteDBSubnetGroup,
        CreateDBParameterGroup, DescribeDBParameterGroups, ModifyDBParameterGroup, ResetDBParameterGroup, CopyDBParameterGroup,
        DeleteDBParameterGroup, DescribeDBParameters, DescribeEngineDefaultParameters,
        CreateDBClusterParameterGroup, DescribeDBClusterParameterGroups, ModifyDBClusterParameterGroup,
        ResetDBClusterParameterGroup, CopyDBClusterParameterGroup, DeleteDBClusterParameterGroup,
        DescribeDBClusterParameters, DescribeEngineDefaultClusterParameters,
        CreateOptionGroup, DescribeOptionGroups, ModifyOptionGroup, CopyOptionGroup, DeleteOptionGroup,
        DescribeOptionGroupOptions,
        CreateDBInstance, DescribeDBInstances, ModifyDBInstance, DeleteDBInstance,
        StopDBInstance, StartDBInstance, RebootDBInstance,
        CreateDBInstanceReadReplica, PromoteReadReplica, SwitchoverReadReplica, AddRoleToDBInstance, RemoveRoleFromDBInstance,
        CreateDBCluster, DescribeDBClusters, ModifyDBCluster, DeleteDBCluster, StartDBCluster, StopDBCluster,
        RebootDBCluster, FailoverDBCluster, PromoteReadReplicaDBCluster, AddRoleToDBCluster, RemoveRoleFromDBCluster,
        AddTagsToResource, RemoveTagsFromResource, ListTagsForResource,
    }
    calls {
        DBInstanceGet, DBInstanceUpdate, DBInstanceCredentials, DBInstanceTag, DBInstanceUntag, DBInstanceListTags,
        DBSubnetGroupTag, DBSubnetGroupUntag, DBSubnetGroupListTags,
        DBParameterGroupUpdate, DBParameterGroupTag, DBParameterGroupUntag, DBParameterGroupListTags,
        DBClusterParameterGroupUpdate, DBClusterParameterGroupTag, DBClusterParameterGroupUntag, DBClusterParameterGroupListTags,
        OptionGroupUpdate, OptionGroupTag, OptionGroupUntag, OptionGroupListTags,
        DBClusterUpdate, DBClusterCredentials, DBClusterTag, DBClusterUntag, DBClusterListTags,
        DocDBClusterCreate, DocDBClusterGet, DocDBClusterList, DocDBClusterUpdate, DocDBClusterDelete, DocDBClusterStart,
        DocDBClusterStop, DocDBClusterFailover, DocDBClusterCredentials, DocDBClusterTag, DocDBClusterUntag, DocDBClusterListTags,
    }
    views { views::CLUSTER_MAP, views::DOCUMENT_CLUSTER_MAP }
    works {
        InstanceMaintenance, InstancePasswordRotation, InstanceRestart,
        cluster::ClusterMaintenanceWork, cluster::ClusterRotationWork, cluster::ClusterStartWork,
    }
    tables {
        DBSubnetGroup, DBParameterGroup, DBClusterParameterGroup, ParameterValueRow, OptionGroup,
        DBInstance, DBCluster, cluster::PendingClusterRow, instance::replica::RoleChangeRow, MasterPasswordRow, UseRow,
    }
    access {
        find_resource: Some(tagging::find_resource),
    }
    tagged { tagging::TAGGED }
}
