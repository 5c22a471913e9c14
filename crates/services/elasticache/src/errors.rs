//! Error codes of the service, with the provider's texts.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "InvalidParameterValue", 400, Invalid {
        invalid_marker = "The parameter Marker is not valid.";
        identifier_invalid(parameter) = "The parameter {parameter} is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.";
        parameter_missing(parameter) = "The parameter {parameter} must be provided.";
        subnets_invalid(ids) = "Some input subnets in :[{ids}] are invalid.";
        default_subnet_group = "The default cache subnet group cannot be deleted.";
        invalid_tag(key) = "The tag {key} is not valid.";
        reserved_tag(key) = "Tag keys cannot start with aws: {key}";
        duplicate_tag(key) = "Duplicate tag key: {key}";
        family_invalid(family) = "CacheParameterGroupFamily {family} is not a valid parameter group family.";
        parameter_unknown(name) = "Parameter {name} doesn't exist";
        parameter_not_modifiable(name) = "The parameter {name} cannot be modified.";
        parameter_value_invalid(value, name) = "The value {value} is not valid for the parameter {name}.";
        version_too_specific(version, minor) = "Specific version selection is not allowed for '{version}', please use '{minor}'";
        cache_engine_unknown(engine, known) = "Unknown parameter for Engine: \"{engine}\", must be one of: {known}";
        node_type_unknown(name) = "The cache node type {name} is not valid.";
    }
    /// Parameters cannot be combined.
    INVALID_COMBINATION = "InvalidParameterCombination", 400, Invalid {
        nothing_to_modify = "No modifications were requested";
        version_unknown(version, engine) = "Cannot find version {version} for {engine}";
        parameter_group_family(expected, found) = "Expected a parameter group of family {expected} but found one of family {found}";
        too_many_parameters = "Cannot modify more than 20 parameters in a single request";
        reset_all_and_some = "ResetAllParameters and ParameterNameValues cannot both be specified.";
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
}
