//! Databases: relational instances and clusters, document-database clusters, and what belongs to them.

mod access;
mod backup;
mod catalog;
mod certificate;
mod cluster;
mod document_cluster;
#[doc(hidden)]
pub mod engine;
pub mod errors;
mod event;
mod event_subscription;
mod filters;
mod identifier;
mod instance;
mod log_file;
mod maintenance;
mod master_user;
mod option_group;
mod parameter_group;
mod records;
mod settings;
mod snapshot;
mod subnet_group;
mod tagging;
mod uses;
mod views;

pub use backup::*;
pub use catalog::*;
pub use certificate::{
    Certificate, DescribeCertificates, DescribeCertificatesResponse, ModifyCertificates,
    ModifyCertificatesResponse,
};
pub use cluster::*;
pub use document_cluster::*;
pub use event::{
    DescribeEventCategories, DescribeEventCategoriesResponse, DescribeEvents, DescribeEventsResponse, Event,
    EventCategoriesMap, SourceType,
};
pub use event_subscription::*;
pub use filters::Filter;
pub use identifier::Page;
pub use instance::*;
pub use log_file::*;
pub use maintenance::*;
pub use option_group::*;
pub use parameter_group::*;
pub use records::*;
pub use snapshot::*;
pub use subnet_group::*;
pub use tagging::*;

use instance::{InstanceMaintenance, InstancePasswordRotation, power::InstanceRestart};
use master_user::MasterPasswordRow;
pub use nephos_core::Empty;
use nephos_core::shape::Protocol;
use parameter_group::ParameterValueRow;
use uses::UseRow;

nephos_cloud::parts! {
    event: event,
    known: event::known,
    storage: instance::storage,
    format: log_file::format,
    table: option_group::table,
    tables: parameter_group::tables,
    values: parameter_group::values,
}

nephos_cloud::service! {
    RDS = "rds", "Databases: relational instances and clusters, document-database clusters, and what belongs to them.";
    shape {
        api_version: "2014-10-31",
        protocol: Protocol::AwsQuery { namespace: "http://rds.amazonaws.com/doc/2014-10-31/" },
        lower_case_names: true,
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_marker,
    }
    kinds {
        DBSubnetGroup, DBParameterGroup, DBClusterParameterGroup, OptionGroup, DBInstance, DBCluster, DocDBCluster, DBSnapshot,
        DBClusterSnapshot, EventSubscription,
    }
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
        CreateDBSnapshot, DescribeDBSnapshots, DeleteDBSnapshot, CopyDBSnapshot, ModifyDBSnapshot,
        DescribeDBSnapshotAttributes, ModifyDBSnapshotAttribute,
        CreateDBClusterSnapshot, DescribeDBClusterSnapshots, DeleteDBClusterSnapshot, CopyDBClusterSnapshot,
        DescribeDBClusterSnapshotAttributes, ModifyDBClusterSnapshotAttribute,
        RestoreDBInstanceFromDBSnapshot, RestoreDBInstanceToPointInTime,
        RestoreDBClusterFromSnapshot, RestoreDBClusterToPointInTime,
        DescribeDBInstanceAutomatedBackups, DeleteDBInstanceAutomatedBackup,
        DescribeDBClusterAutomatedBackups, DeleteDBClusterAutomatedBackup,
        DescribeDBEngineVersions, DescribeDBMajorEngineVersions, DescribeOrderableDBInstanceOptions,
        DescribeValidDBInstanceModifications, DescribeSourceRegions, DescribeAccountAttributes,
        DescribeCertificates, ModifyCertificates,
        DescribeEvents, DescribeEventCategories,
        DescribePendingMaintenanceActions, ApplyPendingMaintenanceAction,
        DescribeDBLogFiles, DownloadDBLogFilePortion,
        CreateEventSubscription, DescribeEventSubscriptions, ModifyEventSubscription, DeleteEventSubscription,
        AddSourceIdentifierToSubscription, RemoveSourceIdentifierFromSubscription,
        AddTagsToResource, RemoveTagsFromResource, ListTagsForResource,
    }
    calls {
        DBInstanceGet, DBInstanceList, DBInstanceUpdate, DBInstanceCredentials, DBInstanceTag, DBInstanceUntag, DBInstanceListTags,
        DBSubnetGroupTag, DBSubnetGroupUntag, DBSubnetGroupListTags,
        DBParameterGroupUpdate, DBParameterGroupTag, DBParameterGroupUntag, DBParameterGroupListTags,
        DBClusterParameterGroupUpdate, DBClusterParameterGroupTag, DBClusterParameterGroupUntag, DBClusterParameterGroupListTags,
        OptionGroupUpdate, OptionGroupTag, OptionGroupUntag, OptionGroupListTags,
        DBClusterGet, DBClusterUpdate, DBClusterCredentials, DBClusterTag, DBClusterUntag, DBClusterListTags,
        DBClusterSnapshotUpdate, DBClusterSnapshotTag, DBClusterSnapshotUntag, DBClusterSnapshotListTags,
        DBSnapshotTag, DBSnapshotUntag, DBSnapshotListTags,
        EventSubscriptionTag, EventSubscriptionUntag, EventSubscriptionListTags,
        DocDBClusterCreate, DocDBClusterGet, DocDBClusterList, DocDBClusterUpdate, DocDBClusterDelete, DocDBClusterStart,
        DocDBClusterRestoreToPointInTime, DocDBClusterRestoreFromSnapshot,
        DocDBClusterStop, DocDBClusterFailover, DocDBClusterCredentials, DocDBClusterTag, DocDBClusterUntag, DocDBClusterListTags,
    }
    views { views::CLUSTER_MAP, views::DOCUMENT_CLUSTER_MAP }
    works {
        InstanceMaintenance, InstancePasswordRotation, InstanceRestart,
        backup::InstanceBackup, backup::RetainedBackupExpiry, backup::ClusterBackup, backup::RetainedClusterBackupExpiry,
        cluster::ClusterMaintenanceWork, cluster::ClusterRotationWork, cluster::ClusterStartWork,
        event::ExpireEvents,
    }
    tables {
        DBSubnetGroup, DBParameterGroup, DBClusterParameterGroup, ParameterValueRow, OptionGroup,
        DBInstance, DBCluster, cluster::PendingClusterRow, instance::modification::ModificationRow, MasterPasswordRow, UseRow,
        DBSnapshot, DBClusterSnapshot, snapshot::SavedInstanceRow, snapshot::SavedClusterRow,
        snapshot::sharing::SnapshotShareRow, snapshot::sharing::SharedSnapshotRow,
        backup::BackupRow, backup::BackupTagsRow, DBInstanceAutomatedBackup, DBClusterAutomatedBackup,
        certificate::DefaultAuthorityRow, event::EventRow, EventSubscription,
    }
    access {
        find_resource: Some(tagging::find_resource),
        find_subjects: Some(access::find_subjects),
        find_grants: Some(snapshot::sharing::find_grants),
    }
    tagged { tagging::TAGGED }
}
