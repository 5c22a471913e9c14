//! Error codes of the service, with the provider's texts.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "InvalidParameterValue", 400, Invalid {
        invalid_marker = "Invalid marker value";
        identifier_invalid(parameter) = "The parameter {parameter} is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.";
        identifier_too_long(parameter, max) = "The parameter {parameter} is not a valid identifier because it is longer than {max} characters.";
        parameter_blank(parameter) = "The parameter {parameter} must be provided and must not be blank.";
        engine_invalid = "Invalid DB engine";
        members_of_multi_zone_cluster = "CreateDBInstance can't be used to create a DB instance in a Multi-AZ DB cluster. Use CreateDBCluster instead.";
        member_not_changeable(engine) = "Modifying cluster instances isn't supported for DB engine {engine}";
        cluster_class_needed = "DBClusterInstanceClass is required.";
        member_of_multi_zone_cluster(engine) = "Deleting cluster instances isn't supported for DB engine {engine}";
        role_invalid(arn) = "Invalid role ARN: {arn}";
        class_invalid(class) = "Invalid DB Instance class: {class}";
        storage_type_invalid(kind) = "Invalid storage type: {kind}";
        port_invalid(port) = "Invalid port {port}. The port must be between 1150 and 65535.";
        retention_invalid(days) = "Invalid backup retention period: {days}. It must be between 0 and 35 days.";
        db_name_invalid = "DBName must begin with a letter and contain only alphanumeric characters.";
        zone_without_subnet(zone) = "The DB subnet group has no subnet in the Availability Zone {zone}.";
        monitoring_interval_invalid(interval) = "Invalid MonitoringInterval {interval}. Valid values are 0, 1, 5, 10, 15, 30 and 60.";
        monitoring_role_invalid = "IAM role ARN value is invalid or does not include the required permissions for: ENHANCED_MONITORING";
        performance_insights_retention(days) = "Invalid Performance Insights retention period: {days}. Valid values are 7, 731, and a number of months times 31.";
        processor_feature_invalid(name) = "Invalid processor feature: {name}";
        volume_name_invalid(name) = "Invalid storage volume name: {name}";
        cluster_identifier_invalid(parameter) = "The parameter {parameter} is not a valid identifier. Identifiers must either be an ARN or begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.";
        engine_without_clusters(engine) = "Value {engine} for parameter Engine is invalid. Reason: engine {engine} not supported";
        engine_mode_unavailable(mode) = "The engine mode {mode} you requested is currently unavailable.";
        cluster_database_name_invalid = "DatabaseName must begin with a letter and contain only alphanumeric characters.";
        zone_invalid(zone) = "The Availability Zone {zone} is not valid.";
        replication_in_region = "Replication from cluster in same region is not supported";
        capacity_incomplete = "Both MinCapacity and MaxCapacity must be specified when you initialize Serverless v2 scaling configuration.";
        max_capacity_small(capacity, least) = "Serverless v2 maximum capacity {capacity} isn't valid. The maximum capacity must be at least {least}.";
        max_capacity_large(capacity, most) = "Serverless v2 maximum capacity {capacity} isn't valid. The maximum capacity must be at most {most}.";
        min_capacity_small(capacity, least) = "Serverless v2 minimum capacity {capacity} isn't valid. The minimum capacity must be at least {least}.";
        min_capacity_large = "The Serverless v2 minimum capacity must not be greater than the maximum capacity.";
        capacity_step(capacity) = "Serverless v2 capacity {capacity} isn't valid. Specify a multiple of 0.5.";
        auto_pause_invalid = "SecondsUntilAutoPause must be between 300 and 86400, and needs a minimum capacity of 0.";
        cluster_storage_type_invalid(storage, engine) = "Invalid storage type {storage} for engine {engine}.";
        window_malformed(text) = "Invalid day:hour:minute value {text}";
        maintenance_window_short = "The maintenance window must be at least 30 minutes.";
        maintenance_window_long = "Maintenance window must be less than 24 hours.";
        backup_window_short = "The backup window must be at least 30 minutes.";
        windows_overlap = "The backup window and maintenance window must not overlap.";
        security_group_invalid(id) = "Invalid security group , groupId= {id}, groupName=.";
        master_name_invalid = "MasterUsername must begin with a letter and contain only alphanumeric characters and underscores.";
        master_name_long(max) = "MasterUsername must be at most {max} characters long.";
        master_name_reserved(name) = "MasterUsername {name} cannot be used as it is a reserved word used by the engine";
        password_characters = "The parameter MasterUserPassword is not a valid password. Only printable ASCII characters besides '/', '@', '\"', ' ' may be used.";
        password_short = "The parameter MasterUserPassword is not a valid password because it is shorter than 8 characters.";
        password_long(max) = "The parameter MasterUserPassword is not a valid password because it is longer than {max} characters.";
        secret_key_without_managed_password = "A ManageMasterUserPassword value is required when MasterUserSecretKmsKeyId is specified.";
        source_type_invalid(kind) = "Invalid source type: {kind}";
        language_unsupported(parameter, value, engine) = "{parameter} {value} isn't supported for DB engine {engine}.";
        filter_unknown(name) = "Unrecognized filter name: {name}";
        resource_name_invalid(arn) = "Invalid resource name: {arn}";
        subnet_group_name_invalid = "The parameter DBSubnetGroupName is not a valid identifier. It can have up to 255 letters, digits, spaces, periods, underscores and hyphens.";
        subnet_group_name_reserved = "The DB subnet group name default is reserved.";
        subnets_invalid(ids) = "Some input subnets in :[{ids}] are invalid.";
        family_invalid(family) = "ParameterGroupFamily {family} is not a valid parameter group family";
        default_parameter_group_changed = "Cannot modify a default parameter group.";
        default_parameter_group_copied = "Cannot copy a default parameter group.";
        parameter_unknown(name) = "Could not find parameter with name: {name}";
        parameter_not_modifiable(name) = "The parameter {name} cannot be modified.";
        parameter_value(value, name, allowed) = "Invalid parameter value: {value} for: {name} allowed values are: {allowed}";
        too_many_parameters = "Cannot modify more than 20 parameters in a single request";
        option_engine_invalid(engine) = "Invalid DB engine: {engine}";
        options_missing = "At least one option must be added, modified, or removed.";
        option_unknown(name) = "Unknown option: {name}";
        option_not_in_group(name) = "The option {name} is not in the option group.";
        option_setting_unknown(setting, option) = "We do not support setting: {setting} for {option}";
        option_setting_value(value, setting, option) = "Invalid value {value} for setting {setting} of {option}";
        option_setting_fixed(setting, option) = "The setting {setting} of {option} cannot be modified.";
        option_setting_needed(option, setting) = "The {option} option requires the setting {setting}.";
        option_version_unknown(version, option) = "Invalid version {version} for {option}";
        option_without_port(option) = "The {option} option has no port and no security groups.";
        option_needs_security_group(option) = "At least one security group must be specified for the {option} option.";
        options_of_several_vpcs = "The security groups of all options must be in the same VPC.";
        default_option_group_changed = "Cannot modify a default option group.";
        snapshot_identifier_invalid(id) = "Invalid snapshot identifier:  {id}";
        snapshot_of_cluster_member = "The specified instance is a member of a cluster and a snapshot cannot be created directly. Please use the CreateDBClusterSnapshot API instead.";
        snapshot_type_invalid(name) = "Invalid snapshot type: {name}";
        attribute_unknown(name) = "Invalid attribute name: {name}";
        account_invalid(account) = "Invalid account: {account}";
        encrypted_snapshot_public = "Encrypted snapshots cannot be shared with all accounts.";
        default_key_shared = "Snapshots that are encrypted with the default KMS key cannot be shared.";
        restore_type_invalid(name) = "Invalid restore type: {name}. Valid values are full-copy and copy-on-write.";
        restore_time_late(what, time) = "The specified {what} cannot be restored to a time later than {time}.";
        restore_time_early(what, time) = "The specified {what} cannot be restored to a time earlier than {time}.";
        key_for_other_region_needed = "Must specify new KMS key for cross region encrypted snapshot copy.";
        key_for_other_account_needed = "Must specify new KMS key for cross account encrypted snapshot copy.";
        tagged_type_invalid(given, expected) = "Invalid resource type for tags: {given}. Valid values: {expected}";
        domain_name_invalid(name) = "Invalid fully qualified domain name: {name}. It can have up to 64 characters.";
        domain_unit_invalid(unit) = "Invalid organizational unit: {unit}. It must be in the distinguished name format and can have up to 64 characters.";
        domain_addresses_invalid = "DomainDnsIps must have two IPv4 addresses.";
        domain_secret_invalid(arn) = "The secret {arn} doesn't exist or can't be accessed.";
        invalid_tag(key) = "The tag {key} is not valid.";
        reserved_tag(key) = "Tag keys cannot start with aws: {key}";
        duplicate_tag(key) = "Duplicate tag key: {key}";
        too_many_tags = "A resource can have at most 50 tags.";
    }
    /// Parameters cannot be combined.
    INVALID_COMBINATION = "InvalidParameterCombination", 400, Invalid {
        filter_empty(name) = "The list of values of the filter {name} must not be empty.";
        version_unknown(version, engine) = "Cannot find version {version} for {engine}";
        parameter_group_family(name, family, expected) = "The Parameter Group {name} with DBParameterGroupFamily {family} cannot be used for this instance. Please use a Parameter Group with DBParameterGroupFamily {expected}";
        static_parameter_immediate = "cannot use immediate apply method for static parameter";
        major_version_unknown(major, engine) = "Cannot find major version {major} for {engine}";
        option_version_needed(option, versions) = "{option} option requires a version number. Valid versions are {versions}";
        option_needs_option(option, other) = "The {option} option requires the {other} option.";
        options_conflict(option, other) = "The {option} option cannot be used with the {other} option.";
        option_included_and_removed(option) = "The {option} option cannot be both included and removed.";
        option_group_name_or_engine = "OptionGroupName cannot be specified together with EngineName or MajorEngineVersion.";
        major_version_without_engine = "EngineName must be specified when MajorEngineVersion is specified.";
        option_group_version(name, engine, major, expected, version) = "The option group {name} for {engine} {major} cannot be used for a database of {expected} {version}.";
        reset_all_and_some = "Parameters cannot be specified together with ResetAllParameters.";
        combination_unsupported(class, engine, version, license) = "RDS does not support creating a DB instance with the following combination: DBInstanceClass={class}, Engine={engine}, EngineVersion={version}, LicenseModel={license}. For supported combinations of instance class and database engine version, see the documentation.";
        cannot_upgrade(engine, from, to) = "Cannot upgrade {engine} from {from} to {to}";
        major_version_flag = "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.";
        engine_not_changeable(from, to) = "You can't change the engine from {from} to {to}.";
        change_cluster_instead(what) = "The specified DB Instance is a member of a cluster. Modify {what} for the DB Cluster using the ModifyDbCluster API";
        storage_not_reducible(size, current) = "The allocated storage can't be reduced from {current} to {size}.";
        default_processor_features = "You can't specify ProcessorFeatures when UseDefaultProcessorFeatures is set.";
        multi_tenant_kept = "You can't change the multi-tenant configuration back to the single-tenant configuration.";
        multi_tenant_not_immediate = "You must specify apply immediately when changing to the multi-tenant configuration.";
        backups_needed_for_replicas = "Backups can't be turned off for a DB instance with read replicas.";
        replica_mode_unsupported = "The replica mode can be set for Oracle and Db2 read replicas only.";
        replica_of_two_sources = "SourceDBInstanceIdentifier can't be specified together with SourceDBClusterIdentifier.";
        replicas_unsupported(engine) = "Read replicas aren't supported for DB engine {engine}.";
        replicas_in_region_only(engine) = "Cross-Region read replicas aren't supported for DB engine {engine}.";
        replica_of_managed_password = "You can't create a read replica because the source manages its master user password in AWS Secrets Manager.";
        replica_parameter_group(engine) = "A parameter group can't be specified during Read Replica creation for the following DB engine: {engine}";
        replica_option_group = "The read replica must use the option group of its source.";
        replica_storage_size = "You can't specify the allocated storage of a read replica for SQL Server.";
        replica_storage_small = "Allocated storage size can't be less than the source instance size.";
        replica_storage_of_cluster = "The allocated storage of the read replica must be the same as that of the source Multi-AZ DB cluster.";
        encrypted_replica_of_unencrypted = "You can't create an encrypted read replica from an unencrypted DB instance.";
        unencrypted_replica_of_encrypted = "Cannot create a cross region unencrypted read replica from encrypted source.";
        presigned_url_not_needed = "Your request does not require the preSignedUrl parameter. Please remove the preSignedUrl parameter and try your request again.";
        replica_without_backups(engine) = "DB Backups not supported on a read replica for engine {engine}";
        failover_without_standby = "You can't force a failover because the instance isn't configured for Multi-AZ.";
        storage_size_invalid(engine, kind, size) = "Invalid storage size for engine name {engine} and storage type {kind}: {size}";
        iops_needed(kind) = "The storage type {kind} requires iops to be specified.";
        iops_not_supported(kind) = "You can't specify IOPS for the storage type {kind}.";
        iops_out_of_range(min, max) = "IOPS must be between {min} and {max}.";
        iops_ratio = "The ratio of IOPS to allocated storage must be between 0.5 and 50.";
        throughput_not_supported(kind) = "You can't specify storage throughput for the storage type {kind}.";
        throughput_out_of_range(min, max) = "Storage throughput must be between {min} and {max}.";
        gp3_too_small(engine, threshold) = "You can't specify IOPS or storage throughput for engine {engine} and a storage size less than {threshold}.";
        max_storage_too_small = "Max storage size must be greater than storage size";
        key_without_encryption = "You can't specify a KMS key for a DB instance that isn't encrypted.";
        zone_with_multi_az = "Requesting a specific availability zone is not valid for Multi-AZ instances.";
        monitoring_role_needed = "A MonitoringRoleARN value is required if you specify a MonitoringInterval value other than 0.";
        monitoring_interval_needed = "You must specify a MonitoringInterval value other than 0 when you specify a MonitoringRoleARN value.";
        performance_insights_off = "You can't set Performance Insights options when Performance Insights is turned off.";
        performance_insights_key = "You can't change your Performance Insights KMS key.";
        processor_features_unsupported(engine) = "Processor features aren't supported for DB engine {engine}.";
        volumes_unsupported(engine) = "Additional storage volumes aren't supported for DB engine {engine}.";
        multi_tenant_unsupported(engine) = "The multi-tenant configuration isn't supported for DB engine {engine}.";
        db_name_for_sqlserver = "DBName must be null for engine: sqlserver";
        engine_of_cluster(engine, own) = "The engine name requested for your DB instance ({engine}) doesn't match the engine name of your DB cluster ({own}).";
        set_for_cluster(what) = "The requested DB Instance will be a member of a DB Cluster. Set {what} for the DB Cluster.";
        instances_not_stoppable(engine) = "{engine} DB instances are not eligible for stopping and starting.";
        clusters_not_stoppable(engine) = "{engine} DB clusters are not eligible for stopping and starting.";
        engine_of_source(engine, own) = "The engine name requested for your DB cluster ({engine}) doesn't match the engine name of its source ({own}).";
        replica_has_setting(parameter) = "{parameter} can't be specified for a read replica: it has that of its source.";
        replica_version(version, own) = "The version {version} of the read replica doesn't fit to the version {own} of its source: it must have the same major version, and not be older.";
        cluster_version_unsupported(engine, version) = "Multi-AZ DB clusters aren't supported for DB engine {engine} {version}.";
        snapshot_needed = "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.";
        snapshot_skipped = "FinalDBSnapshotIdentifier can not be specified when SkipFinalSnapshot is true.";
        snapshot_of_replica = "FinalDBSnapshotIdentifier can not be specified when deleting a replica instance";
        snapshot_of_member = "FinalDBSnapshotIdentifier can not be specified when deleting a cluster instance";
        cluster_and_snapshot = "DBClusterIdentifier and DBClusterSnapshotIdentifier can't be specified together.";
        snapshot_not_in_zones = "The snapshot must be one of a Multi-AZ DB cluster.";
        restore_sources = "Only one source of a restore can be specified.";
        restore_time_and_latest(parameter) = "Cannot specify both {parameter} and UseLatestRestorableTime";
        restore_time_needed(parameter) = "Either {parameter} or UseLatestRestorableTime must be specified.";
        restore_time_of_clone = "RestoreToTime cannot be specified when RestoreType is copy-on-write";
        monitoring_of_restored = "You can enable Performance Insights or set the Enhanced Monitoring interval only when restoring from a source Aurora Limitless DB cluster";
        key_for_unencrypted_source = "You can't specify a KMS key to restore a DB cluster that isn't encrypted.";
        storage_less_than_snapshot = "The allocated storage size can't be less than the source snapshot or backup size.";
        storage_less_than_source = "Allocated storage size can't be less than the source instance size.";
        db_name_of_restored = "DBName must be null when Restoring for this Engine.";
        backup_id_and_arn = "DbiResourceId and DBInstanceAutomatedBackupsArn can't be specified together.";
        tags_of_shared_snapshot = "CopyTags can't be specified when copying a snapshot of another account.";
        copy_not_encrypted = "You can't specify a KMS key to copy a snapshot that isn't encrypted.";
        snapshot_copy_unsupported = "Option groups can't be copied with a snapshot, and there are no local zones.";
        source_type_of_sources = "SourceType can't be changed while the subscription has source identifiers.";
        source_without_type = "Cannot specify source identifier without source type";
        event_times_combined = "Duration cannot be specified together with StartTime and EndTime.";
        event_times_reversed = "StartTime must not be later than EndTime.";
        certificate_and_removal = "CertificateIdentifier can't be specified when RemoveCustomerOverride is set to true.";
        domain_of_both_kinds = "Specify the parameters for either AWS Managed Active Directory or self-managed Active Directory";
        domain_needed = "Domain must be specified together with DomainIAMRoleName.";
        domain_unsupported(engine) = "Self-managed Active Directory isn't supported for DB engine {engine}.";
        domain_incomplete = "DomainFqdn, DomainOu, DomainAuthSecretArn and DomainDnsIps must be specified together.";
        domain_and_removal = "DisableDomain can't be specified together with parameters for a domain.";
        key_store_unsupported = "TDE credentials are not supported.";
        custom_unsupported = "Custom DB engines are not supported.";
        outposts_unsupported = "Outposts are not supported.";
        reservations_unsupported = "DB capacity reservations are not supported.";
        db_security_groups_refused = "DB security groups can't be used: the account only supports VPC security groups.";
        cluster_parameter_unsupported(parameter, engine) = "{parameter} isn't supported for DB engine {engine}.";
        cluster_feature_unsupported(parameter) = "{parameter} isn't supported.";
        member_group_without_major_upgrade = "The parameter db-instance-parameter-group-name can only be specified for a major version upgrade.";
        cluster_snapshot_and_skip = "You cannot specify both FinalDBSnapshotIdentifier and SkipFinalSnapshot";
        crypto_key_without_encryption = "KmsKeyId can't be specified unless StorageEncrypted is set to true.";
        optimized_storage_too_early(time) = "You can't change the storage type to I/O-Optimized before {time}.";
        security_group_of_other_vpc(vpc, other) = "The DB instance and EC2 security group are in different VPCs. The DB instance is in {vpc} and the EC2 security group is in {other}";
        log_types_invalid(types, engine, version) = "You cannot use the log types '{types}' with engine version {engine} {version}. For supported log types, see the documentation.";
        password_with_managed_password = "MasterUserPassword can't be specified when ManageMasterUserPassword is set to true.";
        password_needed = "MasterUserPassword must be provided when ManageMasterUserPassword is set to false.";
        secret_key_not_changeable = "You can't change the KMS key of a managed master user password.";
        rotation_without_managed_password = "You can't rotate the master user password because it isn't managed in AWS Secrets Manager.";
        rotation_not_immediate = "You must specify apply immediately when rotating the master user password.";
        secrets_not_available = "AWS Secrets Manager is not available.";
        secret_not_stored(reason) = "The secret of the master user could not be stored: {reason}";
    }
    /// The database is protected from deletion.
    PROTECTED = "InvalidParameterCombination", 400, Protected {
        instance_protected = "Cannot delete protected DB Instance, please disable deletion protection and try again.";
        cluster_protected = "Cannot delete protected Cluster, please disable deletion protection and try again.";
    }
    /// Subnets cannot be used together.
    INVALID_SUBNET = "InvalidSubnet", 400, Invalid {
        subnets_of_several_vpcs(one, other) = "Subnets {one} and {other} are not in the same VPC.";
    }
    /// The subnets are in too few zones.
    TOO_FEW_ZONES = "DBSubnetGroupDoesNotCoverEnoughAZs", 400, Invalid {
        too_few_zones(needed, count) = "DB Subnet Group doesn't meet availability zone coverage requirement. Please add subnets to cover at least {needed} availability zones. Current coverage: {count}";
    }
    /// The subnet group exists already.
    SUBNET_GROUP_EXISTS = "DBSubnetGroupAlreadyExists", 400, AlreadyExists {
        subnet_group_exists(name) = "The DB subnet group '{name}' already exists.";
    }
    /// The subnet group does not exist.
    SUBNET_GROUP_NOT_FOUND = "DBSubnetGroupNotFoundFault", 404, NotFound {
        subnet_group_not_found(name) = "DBSubnetGroup '{name}' not found.";
    }
    /// The subnet group is in use, or cannot be changed.
    SUBNET_GROUP_STATE = "InvalidDBSubnetGroupStateFault", 400, Conflict {
        default_subnet_group = "The default DB subnet group cannot be deleted.";
        subnet_group_in_use(name, what, id) = "Cannot delete the subnet group '{name}' because at least one database {what}: {id} is still using it.";
    }
    /// A read replica has the subnet group of its source.
    SUBNET_GROUP_NOT_ALLOWED = "DBSubnetGroupNotAllowedFault", 400, Invalid {
        subnet_group_not_allowed = "DbSubnetGroupName should not be specified for read replicas that are created in the same region as the master";
    }
    /// The subnet group is in another VPC than that of another read replica.
    SUBNET_GROUP_INVALID = "InvalidDBSubnetGroupFault", 400, Invalid {
        subnet_group_of_other_replica = "The DBSubnetGroup doesn't belong to the same VPC as that of an existing cross-region read replica of the same source instance.";
    }
    /// A subnet is used by an instance of the group.
    SUBNET_IN_USE = "SubnetAlreadyInUse", 400, Conflict {
        subnet_in_use(id) = "The subnet {id} is in use by a database instance.";
    }
    /// There are too many subnet groups.
    SUBNET_GROUP_QUOTA = "DBSubnetGroupQuotaExceeded", 400, LimitExceeded {
        too_many_subnet_groups = "The request cannot be processed because it would exceed the maximum number of DB subnet groups.";
    }
    /// The group has too many subnets.
    SUBNET_QUOTA = "DBSubnetQuotaExceededFault", 400, LimitExceeded {
        too_many_subnets = "The request cannot be processed because it would exceed the maximum number of subnets in a DB subnet group.";
    }
    /// The parameter group exists already.
    PARAMETER_GROUP_EXISTS = "DBParameterGroupAlreadyExists", 400, AlreadyExists {
        parameter_group_exists(name) = "Parameter group {name} already exists";
    }
    /// The parameter group does not exist.
    PARAMETER_GROUP_NOT_FOUND = "DBParameterGroupNotFound", 404, NotFound {
        parameter_group_not_found(name) = "DBParameterGroup not found: {name}";
        cluster_parameter_group_not_found(name) = "DBClusterParameterGroup not found: {name}";
    }
    /// The parameter group of a cluster does not exist.
    CLUSTER_PARAMETER_GROUP_NOT_FOUND = "DBClusterParameterGroupNotFound", 404, NotFound {
        cluster_parameter_group_unknown(name) = "DBClusterParameterGroup not found: {name}";
    }
    /// The parameter group is in use, or cannot be deleted.
    PARAMETER_GROUP_STATE = "InvalidDBParameterGroupState", 400, Conflict {
        parameter_group_in_use(name) = "One or more database instances are still members of this parameter group {name}, so the group cannot be deleted";
        cluster_parameter_group_in_use(name) = "One or more database clusters are still members of this parameter group {name}, so the group cannot be deleted";
        default_parameter_group_deleted(name) = "Default DBParameterGroup cannot be deleted: {name}";
        default_cluster_parameter_group_deleted(name) = "Default DBClusterParameterGroup cannot be deleted: {name}";
    }
    /// There are too many parameter groups.
    PARAMETER_GROUP_QUOTA = "DBParameterGroupQuotaExceeded", 400, LimitExceeded {
        too_many_parameter_groups = "The request cannot be processed because it would exceed the maximum number of DB parameter groups.";
    }
    /// The option group exists already.
    OPTION_GROUP_EXISTS = "OptionGroupAlreadyExistsFault", 400, AlreadyExists {
        option_group_exists(name) = "An option group named {name} already exists.";
    }
    /// The option group does not exist.
    OPTION_GROUP_NOT_FOUND = "OptionGroupNotFoundFault", 404, NotFound {
        option_group_not_found(name) = "Specified OptionGroupName: {name} not found.";
    }
    /// The option group is in use, or cannot be changed.
    OPTION_GROUP_STATE = "InvalidOptionGroupStateFault", 400, Conflict {
        option_group_in_use(name) = "The option group '{name}' cannot be deleted because it is in use.";
        default_option_group_deleted(name) = "The default option group '{name}' cannot be deleted.";
        option_permanent(option) = "The permanent option {option} cannot be removed from the option group.";
        option_persistent(option) = "The persistent option {option} cannot be removed while the option group is in use.";
    }
    /// There are too many option groups.
    OPTION_GROUP_QUOTA = "OptionGroupQuotaExceededFault", 400, LimitExceeded {
        too_many_option_groups = "The request cannot be processed because it would exceed the maximum number of option groups.";
    }
    /// The instance does not exist.
    INSTANCE_NOT_FOUND = "DBInstanceNotFound", 404, NotFound {
        instance_not_found(id) = "DBInstance {id} not found.";
    }
    /// The instance exists already.
    INSTANCE_EXISTS = "DBInstanceAlreadyExists", 400, AlreadyExists {
        instance_exists = "DB instance already exists";
    }
    /// The instance is in a state in which this cannot be done.
    INSTANCE_STATE = "InvalidDBInstanceState", 400, InState {
        failover_target_unknown(id) = "Cannot find target instance: {id}";
        instance_not_in_available_state(id) = "Instance {id} is not in available state.";
        instance_not_stopped(id) = "Instance {id} is not stopped, it cannot be started.";
        power_of_replica = "Cannot stop or start a Read-Replica instance";
        instance_not_available = "Database instance is not in available state.";
        instance_stopped = "You can't modify a stopped DB instance.";
        not_a_replica = "DB Instance is not a read replica";
        replica_of_member = "You can't create a read replica of a DB instance in a DB cluster.";
        cluster_replica_of_replica = "You can't create a Multi-AZ DB cluster read replica of a read replica or of a DB instance in a DB cluster.";
        replica_of_replica(engine) = "You can't create a read replica of a read replica for DB engine {engine}.";
        replica_needs_backups = "Automated backups are not enabled for this database instance. To enable automated backups, use ModifyDBInstance to set the backup retention period to a non-zero value.";
        replica_series_too_long(max) = "A series of read replicas can have at most {max} read replicas.";
        switchover_unsupported(engine) = "You can't switch over a read replica for DB engine {engine}.";
        cannot_reboot = "Instance cannot currently reboot due to an in-progress management operation.";
        instance_being_deleted(id) = "Instance {id} is already being deleted.";
        snapshot_of_unavailable_instance(id) = "Cannot create a snapshot because the database instance {id} is not currently in the available state.";
    }
    /// There are too many instances.
    INSTANCE_QUOTA = "InstanceQuotaExceeded", 400, LimitExceeded {
        too_many_instances = "The request cannot be processed because it would exceed the maximum number of DB instances.";
        too_many_replicas(max) = "The source can have at most {max} read replicas.";
    }
    /// Another database must be upgraded first.
    UPGRADE_DEPENDENCY = "DBUpgradeDependencyFailure", 400, Conflict {
        replicas_not_upgraded(ids) = "One or more of the DB Instance's read replicas need to be upgraded: {ids}";
    }
    /// The snapshot does not exist.
    SNAPSHOT_NOT_FOUND = "DBSnapshotNotFound", 404, NotFound {
        snapshot_not_found(id) = "DBSnapshot not found: {id}";
    }
    /// The snapshot exists already.
    SNAPSHOT_EXISTS = "DBSnapshotAlreadyExists", 400, AlreadyExists {
        snapshot_exists(id) = "Cannot create the snapshot because a snapshot with the identifier {id} already exists.";
    }
    /// The snapshot is in a state in which this cannot be done.
    SNAPSHOT_STATE = "InvalidDBSnapshotState", 400, InState {
        snapshot_not_available(id, status) = "The snapshot {id} is in {status} state but expected it to be one of available.";
        automated_snapshot_kept = "automated snapshots cannot be deleted.";
        automated_snapshot_not_shareable = "Automated snapshots cannot be shared.";
        automated_snapshot_not_upgradable = "Automated snapshots cannot be upgraded.";
    }
    /// There are too many manual snapshots.
    SNAPSHOT_QUOTA = "SnapshotQuotaExceeded", 400, LimitExceeded {
        too_many_snapshots = "The request cannot be processed because it would exceed the maximum number of snapshots.";
    }
    /// The snapshot is shared with too many accounts.
    SHARED_SNAPSHOT_QUOTA = "SharedSnapshotQuotaExceeded", 400, LimitExceeded {
        too_many_shares = "The request cannot be processed because it would exceed the maximum number of accounts that a snapshot can be shared with.";
    }
    /// The snapshot of a cluster does not exist.
    CLUSTER_SNAPSHOT_NOT_FOUND = "DBClusterSnapshotNotFoundFault", 404, NotFound {
        cluster_snapshot_not_found(id) = "DBClusterSnapshot not found: {id}";
    }
    /// The snapshot of a cluster exists already.
    CLUSTER_SNAPSHOT_EXISTS = "DBClusterSnapshotAlreadyExistsFault", 400, AlreadyExists {
        cluster_snapshot_exists(id) = "Cannot create the snapshot because a snapshot with the identifier {id} already exists.";
    }
    /// The snapshot of a cluster is in a state in which this cannot be done.
    CLUSTER_SNAPSHOT_STATE = "InvalidDBClusterSnapshotStateFault", 400, InState {
        cluster_snapshot_not_available(id, status) = "The snapshot {id} is in {status} state but expected it to be one of available.";
        automated_cluster_snapshot_kept = "Only manual snapshots may be deleted.";
        automated_cluster_snapshot_not_shareable = "Only manual snapshots may be shared.";
    }
    /// The automated backups do not exist.
    AUTOMATED_BACKUP_NOT_FOUND = "DBInstanceAutomatedBackupNotFound", 404, NotFound {
        automated_backup_not_found(id) = "DBInstanceAutomatedBackup not found: {id}";
    }
    /// The automated backups cannot be deleted.
    AUTOMATED_BACKUP_STATE = "InvalidDBInstanceAutomatedBackupState", 400, InState {
        automated_backup_in_use = "Only the retained automated backups of a deleted DB instance can be deleted.";
    }
    /// The automated backups of a cluster do not exist.
    CLUSTER_BACKUP_NOT_FOUND = "DBClusterAutomatedBackupNotFoundFault", 404, NotFound {
        cluster_backup_not_found(id) = "DBClusterAutomatedBackup not found: {id}";
    }
    /// The automated backups of a cluster cannot be deleted.
    CLUSTER_BACKUP_STATE = "InvalidDBClusterAutomatedBackupStateFault", 400, InState {
        cluster_backup_in_use = "Only the retained automated backups of a deleted DB cluster can be deleted.";
    }
    /// The database has no automated backups to restore from.
    RESTORE_NOT_ENABLED = "PointInTimeRestoreNotEnabled", 400, InState {
        restore_not_enabled(id) = "Point in time restore is not enabled for {id}: there are no automated backups.";
    }
    /// The zone of a customer does not exist.
    CUSTOM_ZONE_NOT_FOUND = "CustomAvailabilityZoneNotFound", 404, NotFound {
        custom_zone_not_found(id) = "Custom Availability Zone {id} not found.";
    }
    /// The certificate authority does not exist.
    CERTIFICATE_NOT_FOUND = "CertificateNotFound", 404, NotFound {
        certificate_not_found(id) = "Certificate not found: {id}";
    }
    /// The directory of users does not exist.
    DOMAIN_NOT_FOUND = "DomainNotFoundFault", 404, NotFound {
        domain_not_found(id) = "Domain {id} not found.";
    }
    /// The instance has the role already.
    ROLE_EXISTS = "DBInstanceRoleAlreadyExists", 400, AlreadyExists {
        role_exists(arn, id) = "Role {arn} alreday assigned to Instance {id}";
        feature_exists(feature, id) = "Feature {feature} alreday assigned to Instance {id}";
    }
    /// The instance does not have the role.
    ROLE_NOT_FOUND = "DBInstanceRoleNotFound", 404, NotFound {
        role_not_found(arn, id) = "Role {arn} is not assigned to Instance {id}";
    }
    /// The recovery point does not exist.
    BACKUP_POLICY_NOT_FOUND = "BackupPolicyNotFoundFault", 404, NotFound {
        recovery_point_not_found(arn) = "The recovery point {arn} does not exist.";
    }
    /// The VPC does not have what is needed.
    NETWORK_STATE = "InvalidVPCNetworkStateFault", 400, Conflict {
        no_internet_gateway = "Cannot create a publicly accessible DBInstance. The specified VPC has no internet gateway attached.Update the VPC and then try again";
    }
    /// The cluster does not exist.
    CLUSTER_NOT_FOUND = "DBClusterNotFoundFault", 404, NotFound {
        cluster_not_found(id) = "DBCluster {id} not found.";
    }
    /// The cluster exists already.
    CLUSTER_EXISTS = "DBClusterAlreadyExistsFault", 400, AlreadyExists {
        cluster_exists = "DB Cluster already exists";
    }
    /// There are too many clusters.
    CLUSTER_QUOTA = "DBClusterQuotaExceededFault", 403, LimitExceeded {
        too_many_clusters = "The request cannot be processed because it would exceed the maximum number of DB clusters.";
    }
    /// The status of the cluster does not allow the operation.
    CLUSTER_STATE = "InvalidDBClusterStateFault", 400, InState {
        cluster_not_available(id) = "DBCluster {id} is not available.";
        last_member_of_source = "Cannot delete the last instance of the master cluster. Delete the replica cluster before deleting the last master cluster instance.";
        cluster_status_unexpected(id, status, expected) = "DbCluster {id} is in {status} state but expected it to be one of {expected}.";
        cluster_has_members = "Cluster cannot be deleted, it still contains DB instances in non-deleting state.";
        cluster_not_available_for_snapshot(id) = "Can't create a snapshot because the database cluster {id} isn't currently in the available state.";
        cluster_without_primary(id) = "Cannot modify engine version without a healthy primary instance in DB cluster: {id}";
        too_few_members(id) = "Database cluster:{id} should have at least two database instances for failover";
        cluster_is_no_replica(id) = "DB cluster {id} is not a read replica.";
        cluster_replicas_not_upgraded(ids) = "One or more of the DB Cluster's read replicas need to be upgraded: {ids}";
        cluster_not_rebootable(id) = "DB cluster {id} cannot be rebooted because it is not a Multi-AZ DB cluster.";
    }
    /// The role is associated with the cluster already.
    CLUSTER_ROLE_EXISTS = "DBClusterRoleAlreadyExists", 400, AlreadyExists {
        cluster_role_exists(arn, id) = "Role ARN {arn} is already associated with DB Cluster: {id}. Verify your role ARN and try again.";
    }
    /// The role is not associated with the cluster.
    CLUSTER_ROLE_NOT_FOUND = "DBClusterRoleNotFound", 404, NotFound {
        cluster_role_not_found(arn, id) = "Role ARN {arn} cannot be found for DB Cluster: {id}. Verify your role ARN and try again.";
    }
    /// The cluster has too many roles.
    CLUSTER_ROLE_QUOTA = "DBClusterRoleQuotaExceeded", 400, LimitExceeded {
        too_many_cluster_roles(id) = "The maximum number of roles is already associated with DB Cluster: {id}.";
    }
    /// The global cluster does not exist.
    GLOBAL_CLUSTER_NOT_FOUND = "GlobalClusterNotFoundFault", 404, NotFound {
        global_cluster_not_found(id) = "Global cluster {id} not found";
    }
    /// The event subscription does not exist.
    SUBSCRIPTION_NOT_FOUND = "SubscriptionNotFound", 404, NotFound {
        subscription_not_found(name) = "Subscription {name} not found.";
    }
    /// The event subscription exists already.
    SUBSCRIPTION_EXISTS = "SubscriptionAlreadyExist", 400, AlreadyExists {
        subscription_exists(name) = "Subscription {name} already exists.";
    }
    /// The category of events does not exist.
    CATEGORY_NOT_FOUND = "SubscriptionCategoryNotFound", 404, NotFound {
        category_not_found(category) = "The supplied category {category} does not exist.";
    }
    /// There are too many event subscriptions.
    SUBSCRIPTION_QUOTA = "EventSubscriptionQuotaExceeded", 400, LimitExceeded {
        too_many_subscriptions = "The request cannot be processed because it would exceed the maximum number of event subscriptions.";
    }
    /// The event subscription is being changed.
    SUBSCRIPTION_STATE = "InvalidEventSubscriptionState", 400, InState {
        subscription_being_changed(name) = "Subscription {name} is being deleted.";
    }
    /// The topic is not valid.
    TOPIC_INVALID = "SNSInvalidTopic", 400, Invalid {
        topic_invalid(arn) = "SNS topic {arn} is not valid.";
    }
    /// The resource, or what is asked of it, does not exist.
    RESOURCE_NOT_FOUND = "ResourceNotFoundFault", 404, NotFound {
        resource_not_found(arn) = "The specified resource {arn} was not found.";
        action_not_found(action, arn) = "The pending maintenance action {action} was not found for the resource {arn}.";
    }
    /// The log file does not exist.
    LOG_FILE_NOT_FOUND = "DBLogFileNotFoundFault", 404, NotFound {
        log_file_not_found(name) = "DBLog File: {name}, is not found on the DB instance";
    }
    /// The instance has no log files yet.
    INSTANCE_NOT_READY = "DBInstanceNotReady", 400, InState {
        instance_not_ready(id) = "DB instance {id} is not ready.";
    }
    /// The source of events does not exist.
    SOURCE_NOT_FOUND = "SourceNotFound", 404, NotFound {
        source_not_found(id) = "Could not find source: {id}";
    }
    /// The crypto key cannot be used.
    CRYPTO_KEY = "KMSKeyNotAccessibleFault", 400, Invalid {
        source_key_not_accessible(key) = "The source snapshot KMS key [{key}] does not exist, is not enabled or you do not have permissions to access it.";
        crypto_key_not_accessible(key) = "Specified KMS key [{key}] does not exist, is not enabled or you do not have permissions to access it.";
    }
    /// The subnets do not have the type of addresses.
    NETWORK_TYPE = "NetworkTypeNotSupported", 400, Invalid {
        network_type_unsupported(name) = "The network type {name} is not supported by the DB subnet group.";
    }
}
