//! Error codes of the service.

nephos_core::codes! {
    /// A parameter has an invalid value.
    INVALID = "InvalidParameterValue", 400, Invalid {
        invalid_next_token = "The token is invalid.";
        unknown_filter(name) = "The filter '{name}' is invalid";
        invalid_tag(key) = "Tag key '{key}' or its value is invalid.";
        reserved_tag = "Tag keys starting with 'aws:' are reserved for internal use";
        duplicate_tag(key) = "Duplicate tag key '{key}' specified.";
    }
    /// A required parameter is missing.
    MISSING = "MissingParameter", 400, Invalid {
        incomplete_filter = "The request must contain the parameter Filter.Value";
    }
    /// Parameters cannot be combined.
    COMBINATION = "InvalidParameterCombination", 400, Invalid;
    /// A security group and a subnet belong to different VPCs.
    OTHER_NETWORK = "InvalidParameter", 400, Invalid;
    /// The dry run succeeded.
    DRY_RUN = "DryRunOperation", 412, Conflict;
    /// There are too many filters, or too many values of a filter.
    TOO_MANY_FILTERS = "FilterLimitExceeded", 400, LimitExceeded {
        too_many_filters = "The maximum number of filter values specified on a single call is 200";
    }
    /// The resource is in use.
    DEPENDENCY = "DependencyViolation", 400, InState;
    /// The resource cannot be deleted by callers.
    CANNOT_DELETE = "CannotDelete", 400, Protected;
    /// The ID does not have the form of an ID of any kind of resource.
    ID = "InvalidID", 400, Invalid;
    /// The resource would have more than 50 tags.
    TOO_MANY_TAGS = "TagLimitExceeded", 400, LimitExceeded {
        too_many_tags = "More than 50 tags specified";
    }

    /// The VPC does not exist.
    VPC_NOT_FOUND = "InvalidVpcID.NotFound", 400, NotFound;
    /// The ID of the VPC is malformed.
    VPC_MALFORMED = "InvalidVpcID.Malformed", 400, Invalid;
    /// The CIDR block is not allowed for a VPC.
    VPC_RANGE = "InvalidVpc.Range", 400, Invalid;
    /// The default VPC exists already.
    DEFAULT_VPC_EXISTS = "DefaultVpcAlreadyExists", 400, AlreadyExists;
    /// The default VPC does not exist.
    NO_DEFAULT_VPC = "DefaultVpcDoesNotExist", 400, NotFound;
    /// A VPC must be specified, because there is no default VPC.
    VPC_NOT_SPECIFIED = "VPCIdNotSpecified", 400, Invalid;

    /// The subnet does not exist.
    SUBNET_NOT_FOUND = "InvalidSubnetID.NotFound", 400, NotFound;
    /// The ID of the subnet is malformed.
    SUBNET_MALFORMED = "InvalidSubnetID.Malformed", 400, Invalid;
    /// The CIDR block is not allowed for a subnet, or is outside of the VPC.
    SUBNET_RANGE = "InvalidSubnet.Range", 400, Invalid;
    /// The CIDR block overlaps that of another subnet.
    SUBNET_CONFLICT = "InvalidSubnet.Conflict", 400, Conflict;
    /// The zone has a default subnet already.
    DEFAULT_SUBNET_EXISTS = "DefaultSubnetAlreadyExistsInAvailabilityZone", 400, AlreadyExists;
    /// A subnet must be specified, because the default VPC has no matching default subnet.
    NO_SUBNET = "MissingInput", 400, Invalid;
    /// The subnet does not have enough free addresses.
    NO_ADDRESSES = "InsufficientFreeAddressesInSubnet", 400, LimitExceeded;
    /// The address is in use.
    ADDRESS_IN_USE = "InvalidIPAddress.InUse", 400, Conflict;

    /// The security group does not exist.
    GROUP_NOT_FOUND = "InvalidGroup.NotFound", 400, NotFound;
    /// The ID of the security group is malformed.
    GROUP_MALFORMED = "InvalidGroupId.Malformed", 400, Invalid;
    /// The VPC has a security group with this name already.
    GROUP_EXISTS = "InvalidGroup.Duplicate", 400, AlreadyExists;
    /// The security group has this rule already.
    RULE_EXISTS = "InvalidPermission.Duplicate", 400, AlreadyExists;
    /// The rule does not exist.
    RULE_NOT_FOUND = "InvalidPermission.NotFound", 400, NotFound;
    /// The rule with this ID does not exist.
    RULE_ID_NOT_FOUND = "InvalidSecurityGroupRuleId.NotFound", 400, NotFound;
    /// The prefix list does not exist.
    PREFIX_LIST_NOT_FOUND = "InvalidPrefixListID.NotFound", 400, NotFound;
    /// The security group would have too many rules.
    TOO_MANY_RULES = "RulesPerSecurityGroupLimitExceeded", 400, LimitExceeded;
    /// An instance would have too many security groups.
    TOO_MANY_GROUPS = "SecurityGroupsPerInterfaceLimitExceeded", 400, LimitExceeded;

    /// The instance does not exist.
    INSTANCE_NOT_FOUND = "InvalidInstanceID.NotFound", 400, NotFound;
    /// The ID of the instance is malformed.
    INSTANCE_MALFORMED = "InvalidInstanceID.Malformed", 400, Invalid;
    /// The ID of the image is malformed.
    IMAGE_MALFORMED = "InvalidAMIID.Malformed", 400, Invalid;
    /// The state of the instance does not allow the operation.
    INSTANCE_STATE = "IncorrectInstanceState", 400, InState;
    /// The idempotency token was used with other parameters.
    TOKEN_MISMATCH = "IdempotentParameterMismatch", 400, Conflict;
}
