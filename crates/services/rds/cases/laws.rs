//! Facts about the kinds of the service for the laws over all kinds.

use crate::{
    DBCluster, DBClusterParameterGroup, DBInstance, DBParameterGroup, DBSnapshot, DBSubnetGroup,
    DocDBCluster, OptionGroup,
};
use nephos_cloud::testing::{FilledResource, KindFacts, LawFacts, Step, filled_resource};
use nephos_core::{Result, Session};

const SUBNET_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"DBSubnetGroupName": "api", "DBSubnetGroupDescription": "api",
        "SubnetIds": ["$Subnet0.SubnetId", "$Subnet.SubnetId"]}"#,
        r#"{"DBSubnetGroupName": "web", "DBSubnetGroupDescription": "web", "Tags": [{"Key": "team", "Value": "web"}],
        "SubnetIds": ["$Subnet.SubnetId", "$Subnet0.SubnetId"]}"#,
    ],
    ..KindFacts::of::<DBSubnetGroup>()
};

const INSTANCE: KindFacts = KindFacts {
    examples: &[
        r#"{"DBInstanceIdentifier": "api", "DBInstanceClass": "db.t4g.micro", "Engine": "postgres", "EngineVersion": "16.3",
        "AllocatedStorage": 20, "MasterUsername": "boss", "MasterUserPassword": "correct-horse",
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00"}"#,
        r#"{"DBInstanceIdentifier": "web", "DBInstanceClass": "db.t3.medium", "Engine": "mysql", "EngineVersion": "8.0.35",
        "AllocatedStorage": 100, "MasterUsername": "boss", "MasterUserPassword": "correct-horse",
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00",
        "DBSubnetGroupName": "$DBSubnetGroup.DBSubnetGroupName", "TagList": [{"Key": "team", "Value": "web"}]}"#,
    ],
    settings: &[
        r#"{"DBName": "shop"}"#,
        r#"{"StorageType": "io1", "Iops": 3000, "AllocatedStorage": 100}"#,
        r#"{"StorageType": "gp3", "StorageThroughput": 500, "AllocatedStorage": 400}"#,
        r#"{"MaxAllocatedStorage": 1000}"#,
        r#"{"AvailabilityZone": "us-east-1a"}"#,
        r#"{"MonitoringInterval": 60, "MonitoringRoleArn": "arn:aws:iam::123456789012:role/monitoring"}"#,
        r#"{"PerformanceInsightsEnabled": true, "PerformanceInsightsRetentionPeriod": 31}"#,
        r#"{"PerformanceInsightsEnabled": true, "PerformanceInsightsCryptoKeyId": "$CryptoKey.Arn"}"#,
        r#"{"CryptoKeyId": "$CryptoKey.Arn"}"#,
        r#"{"CACertificateIdentifier": "rds-ca-ecc384-g1"}"#,
        r#"{"BackupTarget": "region", "NetworkType": "IPV4"}"#,
    ],
    changes: &[
        r#"{"MaxAllocatedStorage": 1000}"#,
        r#"{"MonitoringInterval": 60, "MonitoringRoleArn": "arn:aws:iam::123456789012:role/monitoring"}"#,
        r#"{"PerformanceInsightsEnabled": true, "PerformanceInsightsRetentionPeriod": 31}"#,
        r#"{"PreferredBackupWindow": "03:00-04:00"}"#,
        r#"{"PreferredMaintenanceWindow": "mon:05:00-mon:06:00"}"#,
    ],
    not_returned: &["DbInstancePort"],
    never_created: &[
        ("ReplicaMode", "creation does not take it"),
        ("AutomationMode", "creation does not take it"),
        ("AwsBackupRecoveryPointArn", "creation does not take it"),
        ("TdeCredentialArn", "there are no key stores"),
        ("CustomIamInstanceProfile", "there are no custom instances"),
        ("DBSystemId", "there are no custom instances"),
        ("DBCapacityReservationIdentifier", "there are no capacity reservations"),
        ("DBClusterIdentifier", "a member leaves settings to its cluster"),
        ("AdditionalStorageVolumes", "examples are not of Oracle or SQL Server"),
        ("ProcessorFeatures", "examples are not of Oracle or SQL Server"),
    ],
    never_changed: &[
        ("AdditionalStorageVolumes", "examples are not of Oracle or SQL Server"),
        ("AllocatedStorage", "changes in the maintenance window"),
        ("AutomationMode", "there are no custom instances"),
        ("AwsBackupRecoveryPointArn", "there are no backup plans"),
        ("BackupRetentionPeriod", "changes in the maintenance window"),
        ("CACertificateIdentifier", "changes in the maintenance window"),
        ("CustomerOwnedIpEnabled", "there are no Outposts"),
        ("DBCapacityReservationIdentifier", "there are no capacity reservations"),
        ("DBInstanceClass", "changes in the maintenance window"),
        ("DbInstancePort", "answers have 0"),
        ("DedicatedLogVolume", "changes in the maintenance window"),
        ("Engine", "changes for Oracle only"),
        ("EngineVersion", "changes in the maintenance window"),
        ("Iops", "changes in the maintenance window"),
        ("LicenseModel", "changes in the maintenance window"),
        ("MultiAZ", "changes in the maintenance window"),
        ("MultiTenant", "examples are not of Oracle"),
        ("NetworkType", "subnets have IPv4 addresses only"),
        ("PerformanceInsightsCryptoKeyId", "cannot be changed once it is set"),
        ("ProcessorFeatures", "examples are not of Oracle or SQL Server"),
        ("ReplicaMode", "examples are no replicas"),
        ("StorageThroughput", "changes in the maintenance window"),
        ("StorageType", "changes in the maintenance window"),
        ("TdeCredentialArn", "there are no key stores"),
    ],
    deletion: r#"{"SkipFinalSnapshot": true}"#,
    changes_later: true,
    ..KindFacts::of::<DBInstance>()
};

const CLUSTER: KindFacts = KindFacts {
    examples: &[
        r#"{"DBClusterIdentifier": "api", "Engine": "aurora-postgresql", "MasterUsername": "boss", "MasterUserPassword": "correct-horse",
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00"}"#,
        r#"{"DBClusterIdentifier": "web", "Engine": "aurora-mysql", "EngineVersion": "8.0.mysql_aurora.3.04.0",
        "MasterUsername": "boss", "MasterUserPassword": "correct-horse", "TagList": [{"Key": "team", "Value": "web"}],
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00"}"#,
    ],
    deletion: r#"{"SkipFinalSnapshot": true}"#,
    changes_later: true,
    ..KindFacts::of::<DBCluster>()
};

const DOCUMENT_CLUSTER: KindFacts = KindFacts {
    examples: &[
        r#"{"DBClusterIdentifier": "documents", "MasterUsername": "boss", "MasterUserPassword": "correct-horse",
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00"}"#,
        r#"{"DBClusterIdentifier": "orders", "MasterUsername": "boss", "MasterUserPassword": "correct-horse",
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    deletion: r#"{"SkipFinalSnapshot": true}"#,
    changes_later: true,
    ..KindFacts::of::<DocDBCluster>()
};

const PARAMETER_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"DBParameterGroupName": "api", "DBParameterGroupFamily": "mysql8.0", "Description": "api"}"#,
        r#"{"DBParameterGroupName": "web", "DBParameterGroupFamily": "postgres16", "Description": "web",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    extras: &[Step::last(
        "modify",
        r#"{"Parameters": [{"ParameterName": "work_mem", "ParameterValue": "128", "ApplyMethod": "immediate"}]}"#,
    )],
    calls_without_resource: &["engine_defaults"],
    ..KindFacts::of::<DBParameterGroup>()
};

const CLUSTER_PARAMETER_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"DBClusterParameterGroupName": "api", "DBParameterGroupFamily": "aurora-mysql8.0", "Description": "api"}"#,
        r#"{"DBClusterParameterGroupName": "web", "DBParameterGroupFamily": "docdb5.0", "Description": "web",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    extras: &[Step::last(
        "modify",
        r#"{"Parameters": [{"ParameterName": "tls", "ParameterValue": "disabled", "ApplyMethod": "pending-reboot"}]}"#,
    )],
    calls_without_resource: &["engine_defaults"],
    ..KindFacts::of::<DBClusterParameterGroup>()
};

const OPTION_GROUP: KindFacts = KindFacts {
    examples: &[
        r#"{"OptionGroupName": "api", "EngineName": "mysql", "MajorEngineVersion": "8.0", "OptionGroupDescription": "api"}"#,
        r#"{"OptionGroupName": "web", "EngineName": "mariadb", "MajorEngineVersion": "10.11", "OptionGroupDescription": "web",
        "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    extras: &[Step::last("modify", r#"{"OptionsToInclude": [{"OptionName": "MARIADB_AUDIT_PLUGIN"}]}"#)],
    calls_without_resource: &["engine_options"],
    ..KindFacts::of::<OptionGroup>()
};

const SNAPSHOT: KindFacts = KindFacts::excluded::<DBSnapshot>(
    "needs an instance that is available, and the instances of examples are still being created",
);

/// Adds a snapshot of an instance.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    let snapshot =
        DBSnapshot::builder().db_snapshot_identifier("web").db_instance_identifier("web").build()?;
    let snapshot = DBSnapshot::objects(session).create(&snapshot).wait()?;
    Ok(vec![filled_resource(&snapshot)])
}

/// Facts for the laws over all kinds.
pub static LAWS: LawFacts = LawFacts {
    kinds: &[
        SUBNET_GROUP,
        PARAMETER_GROUP,
        CLUSTER_PARAMETER_GROUP,
        OPTION_GROUP,
        INSTANCE,
        CLUSTER,
        DOCUMENT_CLUSTER,
        SNAPSHOT,
    ],
    unpaged: &[
        ("DescribeEngineDefaultParameters", "its pages are in a record of the answer"),
        ("DescribeEngineDefaultClusterParameters", "its pages are in a record of the answer"),
        ("DescribeDBSnapshots", "examples have no snapshots"),
    ],
    fill_tables,
    ..LawFacts::of(&crate::SERVICE)
};
