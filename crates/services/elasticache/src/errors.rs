//! Error codes of the service, with the provider's texts.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "InvalidParameterValue", 400, Invalid {
        invalid_marker = "The parameter Marker is not valid.";
        identifier_invalid(parameter) = "The parameter {parameter} is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.";
        parameter_missing(parameter) = "The parameter {parameter} must be provided.";
        subnets_invalid(ids) = "Some input subnets in :[{ids}] are invalid.";
        parameter_null(parameter) = "The parameter {parameter} must be provided and must not be null.";
        cache_security_groups_refused = "Use of cache security groups is not permitted in this API version for your account.";
        outposts_unsupported = "Outposts are not available in this account.";
        snapshot_objects_unsupported = "Snapshots cannot be restored from objects of buckets, which do not exist here.";
        maintenance_window_invalid(window) = "Invalid maintenance window: {window}. It must have the form ddd:hh24:mi-ddd:hh24:mi and last at least 60 minutes.";
        snapshot_window_invalid(window) = "Invalid snapshot window: {window}. It must have the form hh24:mi-hh24:mi and last at least 60 minutes.";
        windows_overlap = "The snapshot window and maintenance window must not overlap.";
        security_group_invalid(id) = "Invalid security group: {id}";
        topic_invalid(arn) = "Invalid notification topic ARN: {arn}";
        topic_status_invalid(status) = "Invalid notification topic status: {status}. It must be active or inactive, and there must be a topic.";
        node_count_invalid = "The number of cache nodes must be at least 1.";
        node_not_found(id) = "Cache node {id} does not exist.";
        zone_without_subnet(zone) = "The cache subnet group has no subnet in the availability zone {zone}.";
        log_group_not_found(name) = "The log group {name} does not exist.";
        snapshot_source_invalid(source) = "Invalid snapshot source: {source}. It must be system or user.";
        default_subnet_group = "The default cache subnet group cannot be deleted.";
        invalid_tag(key) = "The tag {key} is not valid.";
        reserved_tag(key) = "Tag keys cannot start with aws: {key}";
        duplicate_tag(key) = "Duplicate tag key: {key}";
        family_invalid(family) = "CacheParameterGroupFamily {family} is not a valid parameter group family.";
        parameter_unknown(name) = "Parameter {name} doesn't exist";
        parameter_not_modifiable(name) = "The parameter {name} cannot be modified.";
        parameter_value_invalid(value, name) = "The value {value} is not valid for the parameter {name}.";
        update_of_member(id, group) = "Cache cluster {id} is a member of replication group {group}: apply the service update to the replication group.";
        update_not_applicable(update, id) = "Service update {update} is not applicable to {id}.";
        update_expired(update) = "Service update {update} is expired.";
        update_action_status(update, id, status) = "The action of service update {update} for {id} has status {status}.";
        update_targets_missing = "At least one of ReplicationGroupIds and CacheClusterIds must be specified.";
        version_too_specific(version, minor) = "Specific version selection is not allowed for '{version}', please use '{minor}'";
        cache_engine_unknown(engine, known) = "Unknown parameter for Engine: \"{engine}\", must be one of: {known}";
        node_type_unknown(name) = "The cache node type {name} is not valid.";
        engine_unknown(engine, known) = "Unknown parameter for Engine: \"{engine}\", must be one of: {known}";
        password_length = "Passwords length must be between 16-128 characters.";
        too_many_passwords = "A user can have at most 2 passwords.";
        authentication_type_unknown(given) = "Input Authentication type: {given} is not in the allowed list: [password,no-password-required,iam]";
        access_rule_missing = "Invalid access string: it has no rules";
        access_rule_unknown(rule) = "Invalid access string: unknown rule '{rule}'";
        access_rule_refused(rule) = "Invalid access string: rule '{rule}' is not allowed";
        access_rule_without_effect(rule, all) = "Invalid access string: rule '{rule}' has no effect after '{all}'";
        selector_not_closed(rule) = "Invalid access string: selector '{rule}' is not closed";
        default_user_fixed = "The default user cannot be modified or deleted.";
        filter_unknown(name) = "The filter {name} is not valid.";
        not_a_member(user, group) = "User {user} is not a member of user group {group}";
        member_already(user, group) = "User {user} is already a member of user group {group}";
        serverless_engine_invalid(engine) = "Engine {engine} is not supported for serverless caches. Must be one of: memcached, redis, valkey.";
        serverless_version_invalid(version, engine, versions) = "Major engine version {version} is not supported for engine {engine}. Must be one of: {versions}.";
        data_storage_invalid = "Invalid value for DataStorage limit. Must be between 1 and 5000. You can set the value to zero to remove the limit.";
        ecpu_invalid = "Invalid value for ECPUPerSecond limit. Must be between 1000 and 15000000. You can set the value to zero to remove the limit.";
        daily_snapshot_time_invalid(time) = "Invalid daily snapshot time: {time}. Must be in the format hh24:mi.";
        serverless_subnets_count = "A serverless cache must have 2 or 3 subnets.";
        serverless_subnets_zone(zone) = "The subnets of a serverless cache must be in different Availability Zones. More than one subnet is in {zone}.";
        serverless_group_missing(id) = "Security group {id} does not exist.";
        serverless_groups_missing = "A serverless cache must have at least one security group.";
        serverless_default_vpc_missing = "The account has no default subnets. Specify SubnetIds.";
        serverless_snapshot_arn_invalid(arn) = "{arn} is not the ARN of a serverless cache snapshot.";
        restored_snapshot_missing(arn) = "Serverless cache snapshot {arn} does not exist.";
        restored_snapshot_unavailable(arn, status) = "Serverless cache snapshot {arn} has status {status}. It must be available.";
        serverless_key_invalid(key) = "The KMS key {key} cannot be used.";
        auth_token_invalid = "Invalid AuthToken provided.";
        replica_count_invalid = "The number of replicas per node group must be within 0 and 5.";
        shard_count_invalid = "The number of node groups must be at least 1.";
        apply_immediately_required = "ApplyImmediately must be true for this operation.";
        not_in_replication_group(cluster, group) = "Cache cluster {cluster} is not a read replica of replication group {group}.";
        slots_invalid(slots) = "Invalid slots: {slots}. The slots of all node groups must be the slots 0-16383, each one once.";
        node_group_duplicate(id) = "The node group {id} is given twice.";
        several_user_groups = "A replication group can have at most one user group.";
        user_group_not_attached(id, group) = "User group {id} is not attached to replication group {group}.";
        user_group_attached_already(id, group) = "User group {id} is attached to replication group {group} already.";
        cluster_mode_needs_failover = "Redis with cluster mode enabled cannot be created with auto failover turned off.";
        replication_engine(engine) = "The engine {engine} does not support replication groups.";
        cluster_mode_compatible_at_first = "A replication group cannot be created with the cluster mode compatible.";
        transit_mode_order = "Encryption in transit must be turned on with the mode preferred first, and turned off from this mode.";
    }
    /// Parameters cannot be combined.
    INVALID_COMBINATION = "InvalidParameterCombination", 400, Invalid {
        snapshot_source_count = "Exactly one of CacheClusterId and ReplicationGroupId must be specified.";
        snapshot_of_other_engine(name) = "Snapshot {name} was taken from a cluster of another engine.";
        nothing_to_modify = "No modifications were requested";
        version_unknown(version, engine) = "Cannot find version {version} for {engine}";
        parameter_group_family(expected, found) = "Expected a parameter group of family {expected} but found one of family {found}";
        too_many_parameters = "Cannot modify more than 20 parameters in a single request";
        reset_all_and_some = "ResetAllParameters and ParameterNameValues cannot both be specified.";
        snapshots_unsupported = "Snapshots are not supported for engine memcached.";
        single_node_engine(engine) = "Cannot create a {engine} cluster with a NumCacheNodes parameter greater than 1.";
        zones_unsupported = "AZMode and PreferredAvailabilityZones are only supported for Memcached cache clusters.";
        zone_count(count) = "The number of availability zones must be the number of cache nodes, {count}.";
        zone_with_cross_az = "PreferredAvailabilityZone cannot be specified with the AZMode cross-az.";
        cross_az_needs_nodes = "The AZMode cross-az requires at least 2 cache nodes.";
        encryption_unsupported(engine) = "Encryption feature is not supported for engine {engine}.";
        encryption_needs_newer_version(version) = "Encryption features are not supported for engine version {version}. Please use engine version 1.6.12";
        token_without_replication_group = "AuthToken is only supported for replication groups with encryption in transit.";
        network_type_unsupported = "The network type is not supported by the subnets of the cache subnet group.";
        ip_discovery_unsupported = "The IP discovery type is not supported by the network type of the cache cluster.";
        engine_not_changeable(from, to) = "The engine {from} cannot be changed to {to}.";
        downgrade_refused(from, to) = "The engine version cannot be changed from {from} to {to}: downgrades are not supported.";
        node_type_not_changeable = "The cache node type of a Memcached cache cluster cannot be changed.";
        removed_nodes_count(count) = "CacheNodeIdsToRemove must name exactly {count} cache nodes.";
        log_delivery_incomplete(member) = "The log delivery configuration must have a value for {member}.";
        log_delivery_unsupported(engine) = "Log delivery is not supported for {engine}.";
        passwords_not_allowed(mode) = "Password field is not allowed with authentication type: {mode}";
        password_mode_without_password = "A user with Authentication Mode: password, must have at least one password";
        flag_against_mode(mode) = "No password required flag is true but provided authentication type is {mode}";
        passwords_given_twice = "Passwords provided via multiple arguments. Use only one argument";
        iam_name_differs = "User Id and User name must be same for authentication type: iam";
        access_strings_combined = "AccessString and AppendAccessString cannot be used together.";
        valkey_user_without_password(user) = "User {user} has no password. Users of the engine valkey must have a password or authenticate with iam.";
        valkey_member_without_password(user) = "User {user} has no password. Users without a password cannot be members of a user group of the engine valkey.";
        member_engine_differs(user, engine, group_engine) = "User {user} has the engine {engine}, which cannot be used in a user group of the engine {group_engine}.";
        several_modifications = "Serverless Cache modifications only support modifying one field per request.";
        minimum_above_maximum(limit) = "The minimum of the {limit} limit must not be greater than the maximum.";
        serverless_user_group_unsupported(engine) = "User groups are not supported for engine {engine}.";
        user_group_given_and_removed = "UserGroupId and RemoveUserGroup cannot be specified together.";
        serverless_groups_vpc(id, vpc) = "Security group {id} is not in VPC {vpc}.";
        serverless_engine_change(from, to) = "A serverless cache cannot be changed from {from} to {to}.";
        snapshot_engine_differs(snapshot, engine) = "Snapshot {snapshot} cannot be restored to a cache with engine {engine}.";
        serverless_network_type(network_type, subnet) = "Network type {network_type} is not supported by subnet {subnet}.";
        connection_type_unsupported(engine, version) = "Connection type public is not supported for engine {engine} version {version}.";
        replica_parameters = "Cannot specify additional cache cluster parameters when creating a replica cluster";
        replica_in_cluster_mode(group) = "Replication group {group} has cluster mode on: use IncreaseReplicaCount and DecreaseReplicaCount.";
        member_parameters(group) = "The cache cluster is a member of replication group {group}: use ModifyReplicationGroup.";
        primary_parameters = "Cannot specify additional cache cluster parameters when a replication group is created for a primary cluster.";
        failover_needs_replica = "When using automatic failover, there must be at least 2 cache clusters in the replication group.";
        failover_node_type = "Automatic failover is not supported for T1 and T2 cache node types.";
        failover_prevents_promotion = "The primary cluster cannot be changed while automatic failover is enabled.";
        failover_fixed_in_cluster_mode = "Automatic failover cannot be turned off for a replication group with cluster mode on.";
        multi_az_needs_failover = "Multi-AZ requires automatic failover.";
        multi_az_needs_replica = "Multi-AZ requires at least one replica in each node group.";
        counts_combined = "NumCacheClusters cannot be combined with ReplicasPerNodeGroup or more than one node group.";
        node_group_count(count) = "The number of node groups must be the number of node group configurations, {count}.";
        cluster_mode_off = "Several node groups require a parameter group with cluster mode on.";
        cluster_mode_conflict(name) = "The cluster mode conflicts with that of the parameter group {name}.";
        cluster_mode_on_required = "This operation requires a replication group with cluster mode on.";
        cluster_mode_off_required(parameter) = "{parameter} requires a replication group with cluster mode off.";
        cluster_mode_change(from, to) = "The cluster mode cannot be changed from {from} to {to}.";
        cluster_mode_version = "A change of the cluster mode requires engine version 7.0 or later.";
        replication_encryption_version(version) = "Encryption features are not supported for engine version {version}. Please use engine version 3.2.6";
        transit_change_version = "A change of encryption in transit requires engine version 7.0 or later.";
        transit_change_with_users = "Modification of transit encryption is not supported for access control enabled clusters.";
        transit_mode_without_encryption = "TransitEncryptionMode requires TransitEncryptionEnabled.";
        token_without_encryption = "AuthToken requires encryption in transit.";
        token_needs_encryption = "Encryption in transit cannot be turned off for a replication group with an auth token.";
        token_with_user_groups = "AuthToken and user groups cannot be used together.";
        token_strategy_without_token = "AuthTokenUpdateStrategy requires AuthToken.";
        token_deletion = "The auth token can be deleted only when user groups are added, and without a new AuthToken.";
        users_without_encryption = "User groups require encryption in transit.";
        users_version(version) = "User groups are not supported for engine version {version}. Please use engine version 6.0 or later.";
        user_group_engine(id, engine) = "User group {id} cannot be used with the engine {engine}.";
        key_without_encryption = "KmsKeyId requires AtRestEncryptionEnabled.";
        data_tiering_node_type = "Data tiering is supported for r6gd cache node types only, and required for them.";
        data_tiering_version = "Data tiering requires engine version 6.2 or later.";
        replica_counts_combined = "Exactly one of NewReplicaCount, ReplicaConfiguration and ReplicasToRemove must be specified.";
        replica_count_not_more(count) = "The new number of replicas must be greater than the current one, {count}.";
        replica_count_not_less(count) = "The new number of replicas must be less than the current one, {count}.";
        removed_node_groups(count) = "Exactly {count} node groups must be named in NodeGroupsToRemove, or the others in NodeGroupsToRetain.";
        resharding_zones(count) = "Availability zones must be given for each of the {count} node groups.";
        retain_in_cluster_mode = "The primary cluster cannot be retained for a replication group with cluster mode on.";
        event_times_combined = "Duration cannot be specified together with StartTime and EndTime.";
        event_times_reversed = "StartTime must not be later than EndTime.";
        one_of_cluster_and_group = "Exactly one of CacheClusterId and ReplicationGroupId must be specified.";
    }
    /// The ARN is not one of a resource of the service.
    INVALID_ARN = "InvalidARN", 400, Invalid {
        arn_components = "Input ARN string does not have 7 components.";
        arn_partition = "partition field is wrong. Expected value is aws";
        arn_service = "service field is wrong. Expected value is elasticache";
        arn_region = "Unauthorized call. Please check the region or customer id";
        arn_account = "The resource ARN does not belong to the caller's account.";
        arn_unknown(arn) = "ARN {arn} is invalid.";
    }
    /// A resource has the maximum number of tags.
    TOO_MANY_TAGS = "TagQuotaPerResourceExceeded", 400, LimitExceeded {
        too_many_tags = "The request cannot be processed because it would cause the resource to have more than the allowed number of tags.";
    }
    /// The subnet group exists already.
    SUBNET_GROUP_EXISTS = "CacheSubnetGroupAlreadyExists", 400, AlreadyExists {
        subnet_group_exists(name) = "Cache subnet group {name} already exists.";
    }
    /// The subnet group does not exist.
    SUBNET_GROUP_NOT_FOUND = "CacheSubnetGroupNotFoundFault", 400, NotFound {
        subnet_group_not_found(name) = "Cache subnet group {name} not found.";
        deleted_subnet_group_not_found(name) = "Cache Subnet Group {name} does not exist.";
        subnet_group_not_present(name) = "{name} is not present";
    }
    /// The subnet group is used by a cluster.
    SUBNET_GROUP_IN_USE = "CacheSubnetGroupInUse", 400, Conflict {
        subnet_group_in_use(name) = "Cache subnet group {name} is currently in use by a cache cluster.";
    }
    /// The quota of subnet groups is reached.
    SUBNET_GROUP_QUOTA = "CacheSubnetGroupQuotaExceeded", 400, LimitExceeded {
        too_many_subnet_groups = "The request cannot be processed because it would exceed the allowed number of cache subnet groups.";
    }
    /// A subnet group has the maximum number of subnets.
    SUBNET_QUOTA = "CacheSubnetQuotaExceededFault", 400, LimitExceeded {
        too_many_subnets = "The request cannot be processed because it would exceed the allowed number of subnets in a cache subnet group.";
    }
    /// Subnets are not in the same VPC.
    INVALID_SUBNET = "InvalidSubnet", 400, Invalid {
        subnets_of_several_vpcs(one, other) = "Subnets {one} and {other} are not in the same VPC.";
    }
    /// A subnet of the group is used by a cluster.
    SUBNET_IN_USE = "SubnetInUse", 400, Conflict {
        subnet_in_use(id) = "The subnet {id} is in use.";
    }
    /// The parameter group exists already.
    PARAMETER_GROUP_EXISTS = "CacheParameterGroupAlreadyExists", 400, AlreadyExists {
        parameter_group_exists(name) = "Parameter group {name} already exists";
    }
    /// The parameter group does not exist.
    PARAMETER_GROUP_NOT_FOUND = "CacheParameterGroupNotFound", 404, NotFound {
        described_parameter_group_not_found(name) = "CacheParameterGroup {name} not found.";
        parameter_group_not_found(name) = "CacheParameterGroup not found: {name}";
        deleted_parameter_group_not_found(name) = "CacheParameterGroupnot found: {name}";
        parameter_group_not_present(name) = "{name} is not present";
    }
    /// The parameter group is used by a cluster.
    PARAMETER_GROUP_STATE = "InvalidCacheParameterGroupState", 400, Conflict {
        parameter_group_in_use(name) = "One or more cache clusters are still members of this parameter group {name}, so the group cannot be deleted.";
    }
    /// The quota of parameter groups is reached.
    PARAMETER_GROUP_QUOTA = "CacheParameterGroupQuotaExceeded", 400, LimitExceeded {
        too_many_parameter_groups = "The request cannot be processed because it would exceed the maximum number of cache parameter groups.";
    }
    /// The cluster does not exist.
    CLUSTER_NOT_FOUND = "CacheClusterNotFound", 404, NotFound {
        cluster_not_found(id) = "CacheCluster not found: {id}";
        cluster_not_present(id) = "{id} is not present";
    }
    /// The service update does not exist.
    SERVICE_UPDATE_NOT_FOUND = "ServiceUpdateNotFoundFault", 404, NotFound {
        service_update_not_found(name) = "Service update {name} not found.";
    }
    /// The cluster exists already.
    CLUSTER_EXISTS = "CacheClusterAlreadyExists", 400, AlreadyExists {
        cluster_exists = "Cache cluster already exists";
    }
    /// The cluster is in another state.
    CLUSTER_STATE = "InvalidCacheClusterState", 400, InState {
        cluster_not_available(id) = "Cache cluster {id} is not in available state.";
        cluster_not_deletable(id) = "Cache cluster {id} is not in a valid state to be deleted.";
        only_replica(group) = "Cannot delete the cache cluster because it is the only read replica for replication group {group} which has autofailover enabled or pending. You can disable autofailover and then delete this cache cluster. Alternatively, to delete the entire replication group, use DeleteReplicationGroup.";
        primary_not_deletable(id, group) = "Cannot delete the cache cluster {id} because it is serving as primary for replication group {group}.";
        primary_in_group(id, group) = "Cache cluster {id} is a member of replication group {group} already.";
    }
    /// A cluster has the maximum number of nodes.
    CLUSTER_NODES = "NodeQuotaForClusterExceeded", 400, LimitExceeded {
        too_many_nodes_in_cluster(max) = "Cluster node quota exceeded. Each cluster can have at most {max} nodes in this region.";
    }
    /// The quota of nodes is reached.
    NODE_QUOTA = "NodeQuotaForCustomerExceeded", 400, LimitExceeded {
        too_many_nodes = "Customer node quota exceeded. You can have at most 300 nodes in this region";
    }
    /// The replication group does not exist.
    REPLICATION_GROUP_NOT_FOUND = "ReplicationGroupNotFoundFault", 404, NotFound {
        replication_group_not_found(id) = "ReplicationGroup {id} not found.";
        replication_group_not_present(id) = "{id} is not present";
    }
    /// The replication group exists already.
    REPLICATION_GROUP_EXISTS = "ReplicationGroupAlreadyExists", 400, AlreadyExists {
        replication_group_exists(id) = "Replication group {id} already exists.";
    }
    /// The replication group is in another state.
    REPLICATION_GROUP_STATE = "InvalidReplicationGroupState", 400, InState {
        replication_group_not_available(id) = "Replication group {id} is not in available state.";
    }
    /// The node group does not exist.
    NODE_GROUP_NOT_FOUND = "NodeGroupNotFoundFault", 404, NotFound {
        node_group_not_found(id) = "Node group {id} not found.";
    }
    /// A replication group has the maximum number of node groups.
    NODE_GROUP_QUOTA = "NodeGroupsPerReplicationGroupQuotaExceeded", 400, LimitExceeded {
        too_many_node_groups = "The request cannot be processed because it would exceed the maximum allowed number of node groups (shards) in a single replication group. The default maximum is 90";
    }
    /// The global replication group does not exist.
    GLOBAL_GROUP_NOT_FOUND = "GlobalReplicationGroupNotFoundFault", 404, NotFound {
        global_group_not_found(id) = "GlobalReplicationGroup {id} not found.";
    }
    /// Snapshots are not available for the request.
    SNAPSHOT_FEATURE = "SnapshotFeatureNotSupportedFault", 400, Unsupported {
        snapshot_feature_unsupported = "Snapshots are not supported for engine memcached.";
    }
    /// A failover cannot be tested.
    TEST_FAILOVER = "TestFailoverNotAvailableFault", 400, InState {
        failover_not_available(id) = "The failover of replication group {id} cannot be tested: it requires automatic failover and a replica.";
    }
    /// The crypto key cannot be used.
    INVALID_KEY = "InvalidKMSKeyFault", 400, Invalid {
        crypto_key_invalid(key) = "The KMS key {key} is not valid.";
    }
    /// Nothing has to be changed.
    NO_OPERATION = "NoOperationFault", 400, Invalid {
        no_operation = "The operation was not performed because no changes were required.";
    }
    /// The snapshot does not exist.
    SNAPSHOT_NOT_FOUND = "SnapshotNotFoundFault", 404, NotFound {
        snapshot_not_found(name) = "Snapshot {name} not found.";
        snapshot_not_present(name) = "{name} is not present";
    }
    /// The snapshot exists already.
    SNAPSHOT_EXISTS = "SnapshotAlreadyExistsFault", 400, AlreadyExists {
        snapshot_exists(name) = "Snapshot {name} already exists.";
    }
    /// Too many snapshots were taken.
    SNAPSHOT_QUOTA = "SnapshotQuotaExceededFault", 400, LimitExceeded {
        too_many_snapshots = "The maximum number of manual snapshots for this cluster taken within 24 hours has been reached";
    }
    /// The snapshot is in another state.
    SNAPSHOT_STATE = "InvalidSnapshotState", 400, InState {
        snapshot_not_available(name) = "Snapshot {name} is not in available state.";
    }
    /// The user exists already.
    USER_EXISTS = "UserAlreadyExists", 400, AlreadyExists {
        user_exists(id) = "User {id} already exists.";
    }
    /// The user does not exist.
    USER_NOT_FOUND = "UserNotFound", 404, NotFound {
        user_not_found(id) = "User {id} not found.";
        user_not_present(id) = "{id} is not present";
    }
    /// The quota of users is reached.
    USER_QUOTA = "UserQuotaExceeded", 400, LimitExceeded {
        too_many_users = "The request cannot be processed because it would exceed the allowed number of users.";
    }
    /// The user is not active.
    USER_STATE = "InvalidUserState", 400, Conflict {
        user_not_active(id, status) = "User {id} has status {status}. Only active users can be modified.";
    }
    /// Two members of a user group have the same user name.
    DUPLICATE_USER_NAME = "DuplicateUserName", 400, AlreadyExists {
        duplicate_user_name(name) = "The user group already has a user with the user name {name}.";
    }
    /// A user group of the engine redis has no default user.
    DEFAULT_USER_REQUIRED = "DefaultUserRequired", 400, Invalid {
        default_user_required = "User group needs to contain a user with the user name default.";
    }
    /// The default user is a member of a user group.
    DEFAULT_USER_IN_GROUP = "DefaultUserAssociatedToUserGroup", 400, Conflict {
        default_user_in_group(user, group) = "User {user} is the default user of user group {group}.";
    }
    /// The user group exists already.
    USER_GROUP_EXISTS = "UserGroupAlreadyExists", 400, AlreadyExists {
        user_group_exists(id) = "User Group {id} already exists.";
    }
    /// The user group does not exist.
    USER_GROUP_NOT_FOUND = "UserGroupNotFound", 404, NotFound {
        user_group_not_found(id) = "User Group {id} not found.";
        user_group_not_present(id) = "{id} is not present";
    }
    /// The quota of user groups, or of users in a group, is reached.
    USER_GROUP_QUOTA = "UserGroupQuotaExceeded", 400, LimitExceeded {
        too_many_user_groups = "The request cannot be processed because it would exceed the allowed number of user groups.";
        too_many_members = "The number of users exceeds the user group limit.";
    }
    /// The user group is not active, or it is in use.
    USER_GROUP_STATE = "InvalidUserGroupState", 400, Conflict {
        user_group_not_active(id, status) = "User group {id} has status {status}. Only active user groups can be modified.";
        user_group_attached(id, to) = "User group {id} is attached to {to}.";
    }
    /// The serverless cache exists already.
    SERVERLESS_CACHE_EXISTS = "ServerlessCacheAlreadyExistsFault", 400, AlreadyExists {
        serverless_cache_exists = "Serverless Cache already exists";
    }
    /// The serverless cache does not exist.
    SERVERLESS_CACHE_NOT_FOUND = "ServerlessCacheNotFoundFault", 404, NotFound {
        serverless_cache_not_found(name) = "Serverless Cache {name} not found.";
        serverless_cache_not_present(name) = "{name} is not present";
    }
    /// The state of the serverless cache does not allow the operation.
    SERVERLESS_CACHE_STATE = "InvalidServerlessCacheStateFault", 400, InState {
        serverless_cache_not_available(name, status) = "Serverless Cache {name} has status {status}. It must be available.";
    }
    /// The quota of serverless caches is reached.
    SERVERLESS_CACHE_QUOTA = "ServerlessCacheQuotaForCustomerExceededFault", 400, LimitExceeded {
        too_many_serverless_caches = "The request cannot be processed because it would exceed the allowed number of serverless caches.";
    }
    /// The snapshot exists already.
    SERVERLESS_SNAPSHOT_EXISTS = "ServerlessCacheSnapshotAlreadyExistsFault", 400, AlreadyExists {
        serverless_snapshot_exists(name) = "Serverless Cache Snapshot {name} already exists.";
    }
    /// The snapshot does not exist.
    SERVERLESS_SNAPSHOT_NOT_FOUND = "ServerlessCacheSnapshotNotFoundFault", 404, NotFound {
        serverless_snapshot_not_found(name) = "Serverless Cache Snapshot {name} not found.";
        serverless_snapshot_not_present(name) = "{name} is not present";
    }
    /// The state of the snapshot does not allow the operation.
    SERVERLESS_SNAPSHOT_STATE = "InvalidServerlessCacheSnapshotStateFault", 400, InState {
        serverless_snapshot_not_available(name, status) = "Serverless Cache Snapshot {name} has status {status}. It must be available.";
    }
    /// The quota of snapshots is reached.
    SERVERLESS_SNAPSHOT_QUOTA = "ServerlessCacheSnapshotQuotaExceededFault", 400, LimitExceeded {
        too_many_serverless_snapshots = "The maximum number of manual snapshots for this serverless cache taken within 24 hours has been reached";
    }
}
