//! What the service raises.

nephos_core::codes! {
    /// A parameter has a value that it cannot have.
    INVALID = "InvalidParameterValue", 400, Invalid;
    /// A parameter that is needed is not given.
    MISSING = "MissingParameter", 400, Invalid;
    /// Parameters exclude each other.
    COMBINATION = "InvalidParameterCombination", 400, Invalid;
    /// A security group and a subnet are of different networks.
    OTHER_NETWORK = "InvalidParameter", 400, Invalid;
    /// The dry run succeeded.
    DRY_RUN = "DryRunOperation", 412, Conflict;
    /// There are too many filters, or values of one.
    TOO_MANY_FILTERS = "FilterLimitExceeded", 400, LimitExceeded;
    /// The resource is in use.
    DEPENDENCY = "DependencyViolation", 400, InState;
    /// The resource is not for callers to delete.
    CANNOT_DELETE = "CannotDelete", 400, Protected;
    /// The id is that of no kind of resource.
    ID = "InvalidID", 400, Invalid;
    /// The resource would have more than 50 tags.
    TOO_MANY_TAGS = "TagLimitExceeded", 400, LimitExceeded;

    /// There is no such VPC.
    VPC_NOT_FOUND = "InvalidVpcID.NotFound", 400, NotFound;
    /// The id is not written like that of a VPC.
    VPC_MALFORMED = "InvalidVpcID.Malformed", 400, Invalid;
    /// A VPC cannot have this range of addresses.
    VPC_RANGE = "InvalidVpc.Range", 400, Invalid;
    /// There is a default VPC already.
    DEFAULT_VPC_EXISTS = "DefaultVpcAlreadyExists", 400, AlreadyExists;
    /// There is no default VPC.
    NO_DEFAULT_VPC = "DefaultVpcDoesNotExist", 400, NotFound;
    /// A VPC has to be named, because there is no default VPC.
    VPC_NOT_SPECIFIED = "VPCIdNotSpecified", 400, Invalid;

    /// There is no such subnet.
    SUBNET_NOT_FOUND = "InvalidSubnetID.NotFound", 400, NotFound;
    /// The id is not written like that of a subnet.
    SUBNET_MALFORMED = "InvalidSubnetID.Malformed", 400, Invalid;
    /// The range of addresses is not one that a subnet can have, or not within the VPC's.
    SUBNET_RANGE = "InvalidSubnet.Range", 400, Invalid;
    /// The range of addresses overlaps that of another subnet.
    SUBNET_CONFLICT = "InvalidSubnet.Conflict", 400, Conflict;
    /// There is a default subnet in the zone already.
    DEFAULT_SUBNET_EXISTS = "DefaultSubnetAlreadyExistsInAvailabilityZone", 400, AlreadyExists;
    /// A subnet has to be named, because the default VPC has none that would do.
    NO_SUBNET = "MissingInput", 400, Invalid;
    /// The subnet has too few free addresses.
    NO_ADDRESSES = "InsufficientFreeAddressesInSubnet", 400, LimitExceeded;
    /// The address is taken.
    ADDRESS_IN_USE = "InvalidIPAddress.InUse", 400, Conflict;

    /// There is no such security group.
    GROUP_NOT_FOUND = "InvalidGroup.NotFound", 400, NotFound;
    /// The id is not written like that of a security group.
    GROUP_MALFORMED = "InvalidGroupId.Malformed", 400, Invalid;
    /// There is a security group of that name in the VPC already.
    GROUP_EXISTS = "InvalidGroup.Duplicate", 400, AlreadyExists;
    /// There is such a rule already.
    RULE_EXISTS = "InvalidPermission.Duplicate", 400, AlreadyExists;
    /// There is no such rule.
    RULE_NOT_FOUND = "InvalidPermission.NotFound", 400, NotFound;
    /// There is no rule of that id.
    RULE_ID_NOT_FOUND = "InvalidSecurityGroupRuleId.NotFound", 400, NotFound;
    /// There is no such list of prefixes.
    PREFIX_LIST_NOT_FOUND = "InvalidPrefixListID.NotFound", 400, NotFound;
    /// The security group would have too many rules.
    TOO_MANY_RULES = "RulesPerSecurityGroupLimitExceeded", 400, LimitExceeded;
    /// An instance would have too many security groups.
    TOO_MANY_GROUPS = "SecurityGroupsPerInterfaceLimitExceeded", 400, LimitExceeded;

    /// There is no such instance.
    INSTANCE_NOT_FOUND = "InvalidInstanceID.NotFound", 400, NotFound;
    /// The id is not written like that of an instance.
    INSTANCE_MALFORMED = "InvalidInstanceID.Malformed", 400, Invalid;
    /// The id is not written like that of an image.
    IMAGE_MALFORMED = "InvalidAMIID.Malformed", 400, Invalid;
    /// The instance is in a state that does not allow this.
    INSTANCE_STATE = "IncorrectInstanceState", 400, InState;
    /// The token was used for a call with other parameters.
    TOKEN_MISMATCH = "IdempotentParameterMismatch", 400, Conflict;
}
