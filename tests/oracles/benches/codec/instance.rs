//! A database instance, written by hand for serde, with every element that an answer may contain.

#![expect(non_snake_case, reason = "fields are named as elements")]
#![expect(dead_code, reason = "fields are decoded and dropped")]

use serde::Deserialize;

/// The answer to `DescribeDBInstances`.
#[derive(Deserialize)]
pub(super) struct Response {
    pub(super) DescribeDBInstancesResult: Page,
}

#[derive(Deserialize)]
pub(super) struct Page {
    pub(super) DBInstances: DBInstanceList,
    Marker: Option<String>,
}

macro_rules! structs {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {
        $(
            #[derive(Deserialize)]
            pub(super) struct $name {
                $($field: Option<$type>,)*
            }
        )*
    };
}

macro_rules! lists {
    ($($name:ident of $item:ident = $element:literal;)*) => {
        $(
            #[derive(Deserialize)]
            pub(super) struct $name {
                #[serde(default, rename = $element)]
                pub(super) items: Vec<$item>,
            }
        )*
    };
}

lists! {
    AutomatedBackupsReplicationList of DBInstanceAutomatedBackupsReplication = "DBInstanceAutomatedBackupsReplication";
    DBInstanceList of DBInstance = "DBInstance";
    DBInstanceRoleList of DBInstanceRole = "DBInstanceRole";
    DBInstanceStatusInfoList of DBInstanceStatusInfo = "DBInstanceStatusInfo";
    DBParameterGroupList of DBParameterGroupStatus = "DBParameterGroup";
    DBSecurityGroupList of DBSecurityGroupMembership = "DBSecurityGroup";
    DomainMembershipList of DomainMembership = "DomainMembership";
    OptionGroupMembershipList of OptionGroupMembership = "OptionGroupMembership";
    ProcessorFeatureList of ProcessorFeature = "ProcessorFeature";
    ReadReplicaDBClusterIdentifierList of String = "ReadReplicaDBClusterIdentifier";
    ReadReplicaDBInstanceIdentifierList of String = "ReadReplicaDBInstanceIdentifier";
    SubnetList of Subnet = "Subnet";
    TagList of Tag = "Tag";
    TextList of String = "member";
    VolumeList of AdditionalStorageVolumeOutput = "member";
    VpcSecurityGroupMembershipList of VpcSecurityGroupMembership = "VpcSecurityGroupMembership";
}

structs! {
    Endpoint { Address: String, Port: i64, HostedZoneId: String }
    DBSecurityGroupMembership { DBSecurityGroupName: String, Status: String }
    VpcSecurityGroupMembership { VpcSecurityGroupId: String, Status: String }
    DBParameterGroupStatus { DBParameterGroupName: String, ParameterApplyStatus: String }
    AvailabilityZone { Name: String }
    Outpost { Arn: String }
    Subnet { SubnetIdentifier: String, SubnetAvailabilityZone: AvailabilityZone, SubnetOutpost: Outpost,
        SubnetStatus: String }
    DBSubnetGroup { DBSubnetGroupName: String, DBSubnetGroupDescription: String, VpcId: String,
        SubnetGroupStatus: String, Subnets: SubnetList, DBSubnetGroupArn: String, SupportedNetworkTypes:
        TextList }
    PendingCloudwatchLogsExports { LogTypesToEnable: TextList, LogTypesToDisable: TextList }
    ProcessorFeature { Name: String, Value: String }
    PendingModifiedValues { DBInstanceClass: String, AllocatedStorage: i64, MasterUserPassword: String,
        Port: i64, BackupRetentionPeriod: i64, MultiAZ: bool, EngineVersion: String, LicenseModel: String,
        Iops: i64, StorageThroughput: i64, DBInstanceIdentifier: String, StorageType: String,
        CACertificateIdentifier: String, DBSubnetGroupName: String, PendingCloudwatchLogsExports:
        PendingCloudwatchLogsExports, ProcessorFeatures: ProcessorFeatureList, AutomationMode: String,
        ResumeFullAutomationModeTime: String, MultiTenant: bool, IAMDatabaseAuthenticationEnabled: bool,
        DedicatedLogVolume: bool, Engine: String, AdditionalStorageVolumes: VolumeList,
        DBCapacityReservationIdentifier: String }
    OptionGroupMembership { OptionGroupName: String, Status: String }
    DBInstanceStatusInfo { StatusType: String, Normal: bool, Status: String, Message: String }
    DomainMembership { Domain: String, Status: String, FQDN: String, IAMRoleName: String, OU: String,
        AuthSecretArn: String, DnsIps: TextList }
    DBInstanceRole { RoleArn: String, FeatureName: String, Status: String }
    Tag { Key: String, Value: String }
    DBInstanceAutomatedBackupsReplication { DBInstanceAutomatedBackupsArn: String }
    CertificateDetails { CAIdentifier: String, ValidTill: String }
    MasterUserSecret { SecretArn: String, SecretStatus: String, KmsKeyId: String }
    AdditionalStorageVolumeOutput { VolumeName: String, StorageVolumeStatus: String, StorageOperationStatus:
        String, StorageOperationPercentProgress: i64, AllocatedStorage: i64, IOPS: i64, MaxAllocatedStorage:
        i64, StorageThroughput: i64, StorageType: String }
    DBInstance { DBInstanceIdentifier: String, DBInstanceClass: String, Engine: String, DBInstanceStatus:
        String, MasterUsername: String, DBName: String, Endpoint: Endpoint, AllocatedStorage: i64,
        InstanceCreateTime: String, PreferredBackupWindow: String, BackupRetentionPeriod: i64,
        DBSecurityGroups: DBSecurityGroupList, VpcSecurityGroups: VpcSecurityGroupMembershipList,
        DBParameterGroups: DBParameterGroupList, AvailabilityZone: String, DBSubnetGroup: DBSubnetGroup,
        PreferredMaintenanceWindow: String, UpgradeRolloutOrder: String, PendingModifiedValues:
        PendingModifiedValues, LatestRestorableTime: String, MultiAZ: bool, EngineVersion: String,
        AutoMinorVersionUpgrade: bool, ReadReplicaSourceDBInstanceIdentifier: String,
        ReadReplicaDBInstanceIdentifiers: ReadReplicaDBInstanceIdentifierList,
        ReadReplicaDBClusterIdentifiers: ReadReplicaDBClusterIdentifierList, ReplicaMode: String,
        LicenseModel: String, Iops: i64, StorageThroughput: i64, OptionGroupMemberships:
        OptionGroupMembershipList, CharacterSetName: String, NcharCharacterSetName: String,
        SecondaryAvailabilityZone: String, PubliclyAccessible: bool, StatusInfos: DBInstanceStatusInfoList,
        StorageType: String, StorageEncryptionType: String, TdeCredentialArn: String, DbInstancePort: i64,
        DBClusterIdentifier: String, StorageEncrypted: bool, KmsKeyId: String, DbiResourceId: String,
        CACertificateIdentifier: String, DomainMemberships: DomainMembershipList, CopyTagsToSnapshot: bool,
        MonitoringInterval: i64, EnhancedMonitoringResourceArn: String, MonitoringRoleArn: String,
        PromotionTier: i64, DBInstanceArn: String, Timezone: String, IAMDatabaseAuthenticationEnabled: bool,
        DatabaseInsightsMode: String, PerformanceInsightsEnabled: bool, PerformanceInsightsKMSKeyId: String,
        PerformanceInsightsRetentionPeriod: i64, EnabledCloudwatchLogsExports: TextList,
        ProcessorFeatures: ProcessorFeatureList, DeletionProtection: bool, AssociatedRoles:
        DBInstanceRoleList, ListenerEndpoint: Endpoint, MaxAllocatedStorage: i64, TagList: TagList,
        AutomationMode: String, ResumeFullAutomationModeTime: String, CustomerOwnedIpEnabled: bool,
        NetworkType: String, ActivityStreamStatus: String, ActivityStreamKmsKeyId: String,
        ActivityStreamKinesisStreamName: String, ActivityStreamMode: String,
        ActivityStreamEngineNativeAuditFieldsIncluded: bool, AwsBackupRecoveryPointArn: String,
        DBInstanceAutomatedBackupsReplications: AutomatedBackupsReplicationList, BackupTarget:
        String, AutomaticRestartTime: String, CustomIamInstanceProfile: String, ActivityStreamPolicyStatus:
        String, CertificateDetails: CertificateDetails, DBSystemId: String, MasterUserSecret:
        MasterUserSecret, ReadReplicaSourceDBClusterIdentifier: String, PercentProgress: String,
        MultiTenant: bool, DedicatedLogVolume: bool, IsStorageConfigUpgradeAvailable: bool,
        EngineLifecycleSupport: String, AdditionalStorageVolumes: VolumeList, StorageVolumeStatus: String,
        StorageOperationStatus: String, StorageOperationPercentProgress: i64,
        DBCapacityReservationIdentifier: String }
}
