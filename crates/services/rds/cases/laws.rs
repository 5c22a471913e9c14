//! Facts about the kinds of the service for the laws over all kinds.

use nephos_core::{Result, Session};
use nephos_rds::{
    DBCluster, DBClusterParameterGroup, DBClusterSnapshot, DBInstance, DBParameterGroup, DBSnapshot,
    DBSubnetGroup, DocDBCluster, EventSubscription, ModifyCertificates, OptionGroup,
};
use nephos_testing::{FilledResource, KindFacts, LawFacts, RemainingRows, Step, ask, filled_resource};

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
        "AllocatedStorage": 20, "MasterUsername": "boss", "MasterUserPassword": "correct-horse", "BackupRetentionPeriod": 0,
        "PreferredMaintenanceWindow": "sun:05:00-sun:06:00", "PreferredBackupWindow": "01:00-02:00"}"#,
        r#"{"DBInstanceIdentifier": "web", "DBInstanceClass": "db.t3.medium", "Engine": "mysql", "EngineVersion": "8.0.35",
        "AllocatedStorage": 100, "MasterUsername": "boss", "MasterUserPassword": "correct-horse", "BackupRetentionPeriod": 0,
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
        r#"{"BackupRetentionPeriod": 7}"#,
        r#"{"EnabledLogExports": ["postgresql"]}"#,
        r#"{"LicenseModel": "postgresql-license"}"#,
        r#"{"Engine": "oracle-ee", "EngineVersion": "19.0.0.0.ru-2025-04.rur-2025-04.r1", "DBInstanceClass": "db.r5.xlarge", "AllocatedStorage": 200,
        "CharacterSetName": "AL32UTF8", "NcharCharacterSetName": "UTF8"}"#,
        r#"{"Engine": "sqlserver-se", "EngineVersion": "15.00.4430.1.v1", "DBInstanceClass": "db.r5.xlarge", "AllocatedStorage": 200,
        "Timezone": "UTC"}"#,
    ],
    changes: &[
        r#"{"AllocatedStorage": 200}"#,
        r#"{"AllocatedStorage": 400, "StorageType": "io1", "Iops": 4000}"#,
        r#"{"AllocatedStorage": 400, "StorageType": "gp3", "Iops": 12000, "StorageThroughput": 600}"#,
        r#"{"BackupRetentionPeriod": 7}"#,
        r#"{"CACertificateIdentifier": "rds-ca-ecc384-g1"}"#,
        r#"{"DBInstanceClass": "db.t4g.medium"}"#,
        r#"{"DedicatedLogVolume": true, "AllocatedStorage": 400, "StorageType": "io1", "Iops": 4000}"#,
        r#"{"EnabledLogExports": ["postgresql"]}"#,
        r#"{"EngineVersion": "16.4"}"#,
        r#"{"MultiAZ": true}"#,
        r#"{"MaxAllocatedStorage": 1000}"#,
        r#"{"MonitoringInterval": 60, "MonitoringRoleArn": "arn:aws:iam::123456789012:role/monitoring"}"#,
        r#"{"PerformanceInsightsEnabled": true, "PerformanceInsightsRetentionPeriod": 31}"#,
        r#"{"PreferredBackupWindow": "03:00-04:00"}"#,
        r#"{"PreferredMaintenanceWindow": "mon:05:00-mon:06:00"}"#,
    ],
    dependent_fields: &[
        (
            "PerformanceInsightsEnabled",
            &["PerformanceInsightsCryptoKeyId", "PerformanceInsightsRetentionPeriod"],
        ),
        ("StorageType", &["Iops", "StorageThroughput"]),
        ("AllocatedStorage", &["Iops", "StorageThroughput"]),
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
        ("AutomationMode", "there are no custom instances"),
        ("AwsBackupRecoveryPointArn", "there are no backup plans"),
        ("CustomerOwnedIpEnabled", "there are no Outposts"),
        ("DBCapacityReservationIdentifier", "there are no capacity reservations"),
        ("Engine", "changes for Oracle only"),
        ("LicenseModel", "engines of examples have one license"),
        ("NetworkType", "subnets have IPv4 addresses only"),
        ("PerformanceInsightsCryptoKeyId", "cannot be changed once it is set"),
        ("ProcessorFeatures", "examples are not of Oracle or SQL Server"),
        ("ReplicaMode", "examples are no replicas"),
        ("TdeCredentialArn", "there are no key stores"),
    ],
    update: r#"{"ApplyImmediately": true}"#,
    deletion: r#"{"SkipFinalSnapshot": true}"#,
    deletion_blockers: &[("update", r#"{"DeletionProtection": false}"#)],
    changes_later: true,
    calls_without_resource: &["engine_versions", "major_engine_versions", "orderable_options"],
    call_parameters: &[
        ("engine_versions", r#"{"DefaultOnly": true}"#),
        ("orderable_options", r#"{"DBInstanceClass": "db.t4g.micro"}"#),
        (
            "restore_to_point_in_time",
            r#"{"TargetDBInstanceIdentifier": "copy", "SourceDBInstanceIdentifier": "$.DBInstanceIdentifier",
            "UseLatestRestorableTime": true}"#,
        ),
        ("restore_from_snapshot", r#"{"DBInstanceIdentifier": "copy", "DBSnapshotIdentifier": "web"}"#),
        (
            "create_read_replica",
            r#"{"DBInstanceIdentifier": "copy", "SourceDBInstanceIdentifier": "$.DBInstanceIdentifier"}"#,
        ),
    ],
    prepared: &[
        Step::nth(0, "update", r#"{"BackupRetentionPeriod": 7}"#),
        Step::last("update", r#"{"BackupRetentionPeriod": 7}"#),
    ],
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
    settings: &[
        r#"{"AvailabilityZones": ["us-east-1a", "us-east-1b", "us-east-1c"]}"#,
        r#"{"StorageEncrypted": true, "CryptoKeyId": "$CryptoKey.Arn"}"#,
        r#"{"EnabledLogExports": ["postgresql"]}"#,
        r#"{"EngineMode": "provisioned", "NetworkType": "IPV4"}"#,
        r#"{"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.5, "MaxCapacity": 4.0}}"#,
        r#"{"StorageType": "aurora-iopt1"}"#,
        r#"{"PerformanceInsightsEnabled": true, "PerformanceInsightsRetentionPeriod": 31}"#,
        r#"{"DBSubnetGroup": "$DBSubnetGroup.DBSubnetGroupName"}"#,
    ],
    changes: &[
        r#"{"BackupRetentionPeriod": 7}"#,
        r#"{"EnabledLogExports": ["postgresql"]}"#,
        r#"{"PerformanceInsightsEnabled": true, "PerformanceInsightsRetentionPeriod": 31}"#,
        r#"{"PreferredBackupWindow": "03:00-04:00"}"#,
        r#"{"PreferredMaintenanceWindow": "mon:05:00-mon:06:00"}"#,
        r#"{"ServerlessV2ScalingConfiguration": {"MinCapacity": 1.0, "MaxCapacity": 4.0}}"#,
        r#"{"StorageType": "aurora-iopt1"}"#,
    ],
    dependent_fields: &[(
        "PerformanceInsightsEnabled",
        &["PerformanceInsightsCryptoKeyId", "PerformanceInsightsRetentionPeriod"],
    )],
    never_created: &[
        ("AllocatedStorage", "examples are no Multi-AZ clusters"),
        ("AwsBackupRecoveryPointArn", "there are no backup plans"),
        ("DBClusterInstanceClass", "examples are no Multi-AZ clusters"),
        ("DBSystemId", "there are no custom clusters"),
        ("GlobalClusterIdentifier", "there are no global clusters"),
        ("Iops", "examples are no Multi-AZ clusters"),
        ("MonitoringInterval", "examples are no Multi-AZ clusters"),
        ("MonitoringRoleArn", "examples are no Multi-AZ clusters"),
        ("PerformanceInsightsCryptoKeyId", "examples are no Multi-AZ clusters"),
        ("PubliclyAccessible", "examples are no Multi-AZ clusters"),
        ("ReplicationSourceIdentifier", "examples are no Multi-AZ clusters"),
    ],
    never_changed: &[
        ("AllocatedStorage", "examples are no Multi-AZ clusters"),
        ("AwsBackupRecoveryPointArn", "there are no backup plans"),
        ("DBClusterInstanceClass", "examples are no Multi-AZ clusters"),
        ("EngineVersion", "examples have no members"),
        ("Iops", "examples are no Multi-AZ clusters"),
        ("MonitoringInterval", "examples are no Multi-AZ clusters"),
        ("MonitoringRoleArn", "examples are no Multi-AZ clusters"),
        ("NetworkType", "subnets have IPv4 addresses only"),
        ("PerformanceInsightsCryptoKeyId", "cannot be changed once it is set"),
    ],
    call_parameters: &[
        (
            "restore_to_point_in_time",
            r#"{"DBClusterIdentifier": "copy", "SourceDBClusterIdentifier": "$.DBClusterIdentifier", "UseLatestRestorableTime": true}"#,
        ),
        (
            "restore_from_snapshot",
            r#"{"DBClusterIdentifier": "copy", "SnapshotIdentifier": "web", "Engine": "aurora-mysql"}"#,
        ),
    ],
    update: r#"{"ApplyImmediately": true}"#,
    deletion: r#"{"SkipFinalSnapshot": true}"#,
    deletion_blockers: &[("update", r#"{"DeletionProtection": false}"#)],
    changes_later: true,
    // Together with those of documents they reach the quota.
    fits_on_one_page: true,
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
    settings: &[
        r#"{"AvailabilityZones": ["us-east-1a", "us-east-1b", "us-east-1c"]}"#,
        r#"{"StorageEncrypted": true, "CryptoKeyId": "$CryptoKey.Arn"}"#,
        r#"{"EnabledLogExports": ["audit"]}"#,
        r#"{"NetworkType": "IPV4"}"#,
        r#"{"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.5, "MaxCapacity": 4.0}}"#,
        r#"{"StorageType": "iopt1"}"#,
        r#"{"EngineVersion": "4.0.0"}"#,
        r#"{"DBSubnetGroup": "$DBSubnetGroup.DBSubnetGroupName"}"#,
    ],
    changes: &[
        r#"{"BackupRetentionPeriod": 7}"#,
        r#"{"EnabledLogExports": ["audit"]}"#,
        r#"{"PreferredBackupWindow": "03:00-04:00"}"#,
        r#"{"PreferredMaintenanceWindow": "mon:05:00-mon:06:00"}"#,
        r#"{"ServerlessV2ScalingConfiguration": {"MinCapacity": 1.0, "MaxCapacity": 4.0}}"#,
        r#"{"StorageType": "iopt1"}"#,
    ],
    never_changed: &[
        ("EngineVersion", "examples have no members"),
        ("NetworkType", "subnets have IPv4 addresses only"),
    ],
    call_parameters: &[
        (
            "restore_to_point_in_time",
            r#"{"DBClusterIdentifier": "copy", "SourceDBClusterIdentifier": "$.DBClusterIdentifier", "UseLatestRestorableTime": true}"#,
        ),
        ("restore_from_snapshot", r#"{"DBClusterIdentifier": "copy", "SnapshotIdentifier": "orders"}"#),
    ],
    update: r#"{"ApplyImmediately": true}"#,
    deletion: r#"{"SkipFinalSnapshot": true}"#,
    deletion_blockers: &[("update", r#"{"DeletionProtection": false}"#)],
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

const EVENT_SUBSCRIPTION: KindFacts = KindFacts {
    examples: &[
        r#"{"CustSubscriptionId": "api", "SnsTopicArn": "arn:aws:sns:us-east-1:123456789012:api"}"#,
        r#"{"CustSubscriptionId": "web", "SnsTopicArn": "arn:aws:sns:us-east-1:123456789012:web", "SourceType": "db-instance",
        "EventCategoriesList": ["backup"], "Enabled": false, "Tags": [{"Key": "team", "Value": "web"}]}"#,
    ],
    settings: &[
        r#"{"SnsTopicArn": "arn:aws:sns:us-east-1:123456789012:other"}"#,
        r#"{"SourceType": "db-instance", "SourceIdsList": ["$DBInstance.DBInstanceIdentifier"]}"#,
        r#"{"EventCategoriesList": ["creation"]}"#,
    ],
    changes: &[
        r#"{"SnsTopicArn": "arn:aws:sns:us-east-1:123456789012:other"}"#,
        r#"{"SourceType": "db-cluster-snapshot"}"#,
        r#"{"EventCategoriesList": ["creation"]}"#,
    ],
    changes_later: true,
    fits_on_one_page: true,
    ..KindFacts::of::<EventSubscription>()
};

const CLUSTER_SNAPSHOT: KindFacts = KindFacts::excluded::<DBClusterSnapshot>(
    "needs a cluster that is available, and the clusters of examples are still being created",
);

/// Adds snapshots of an instance and of clusters, and another certificate authority of new instances.
fn fill_tables(session: &Session) -> Result<Vec<FilledResource>> {
    ask(session, ModifyCertificates::new().certificate_identifier("rds-ca-ecc384-g1"))?;
    let snapshot =
        DBSnapshot::builder().db_snapshot_identifier("web").db_instance_identifier("web").build()?;
    let snapshot = DBSnapshot::objects(session).create(&snapshot).wait()?;
    let mut filled = vec![filled_resource(&snapshot)];
    for id in ["orders", "web"] {
        let of_cluster =
            DBClusterSnapshot::builder().db_cluster_snapshot_identifier(id).db_cluster_identifier(id);
        let of_cluster = DBClusterSnapshot::objects(session).create(&of_cluster.build()?).wait()?;
        filled.push(filled_resource(&of_cluster));
    }
    Ok(filled)
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
        CLUSTER_SNAPSHOT,
        EVENT_SUBSCRIPTION,
    ],
    unchecked_references: &[
        (&["DBInstance stop DBSnapshotIdentifier"], "it names the snapshot that is made"),
        (
            &[
                "DBParameterGroup copy TargetDBParameterGroupIdentifier",
                "DBClusterParameterGroup copy TargetDBClusterParameterGroupIdentifier",
                "OptionGroup copy TargetOptionGroupIdentifier",
                "DBInstance restore_to_point_in_time TargetDBInstanceIdentifier",
            ],
            "it names what is made",
        ),
        (
            &[
                "DBCluster restore_to_point_in_time SourceDBClusterIdentifier",
                "DocDBCluster restore_to_point_in_time SourceDBClusterIdentifier",
                "DBInstance restore_to_point_in_time SourceDBInstanceIdentifier",
                "DBCluster restore_from_snapshot SnapshotIdentifier",
                "DocDBCluster restore_from_snapshot SnapshotIdentifier",
            ],
            "a copy does not name its source",
        ),
        (
            &[
                "DBCluster failover TargetDBInstanceIdentifier",
                "DocDBCluster failover TargetDBInstanceIdentifier",
            ],
            "examples have no members",
        ),
    ],
    unpaged: &[
        ("DescribeEngineDefaultParameters", "its pages are in a record of the answer"),
        ("DescribeEngineDefaultClusterParameters", "its pages are in a record of the answer"),
        ("DescribeDBInstanceAutomatedBackups", "instances of examples have no automated backups"),
        ("DescribeDBSnapshots", "examples have no snapshots"),
        ("DescribeDBClusterSnapshots", "examples have no snapshots"),
        ("DescribeDBLogFiles", "the instances of examples have one log file each"),
        (
            "DescribeOrderableDBInstanceOptions",
            "it has too many items; a case reads all pages of one version",
        ),
    ],
    timed_tables: &[
        ("rds/event", "events are kept by their time"),
        ("rds/backup", "automated snapshots have the time in their names"),
        ("rds/saved-instance", "automated snapshots have the time in their names"),
        ("rds/snapshot", "automated snapshots have the time in their names"),
    ],
    remaining_rows: &[
        (RemainingRows::Key("kms/alias", "alias/aws/rds"), "alias of a key that the provider manages"),
        (
            RemainingRows::Table("rds/default-authority"),
            "the authority of new instances is a setting of the account",
        ),
        (RemainingRows::Table("rds/event"), "events are kept for 14 days"),
    ],
    fill_tables,
    ..LawFacts::of(&nephos_rds::SERVICE)
};
