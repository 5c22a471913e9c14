//! Error codes of the service, with their texts.

nephos_core::codes! {
    /// A parameter has an invalid value.
    INVALID = "InvalidParameterValue", 400, Invalid {
        cidr_block_malformed(text) =
            "Value ({text}) for parameter cidrBlock is invalid. This is not a valid CIDR block.";
        ipv6_cidr_block_invalid(text) = "invalid value for parameter ipv6-cidr-block: {text}";
        cidr_malformed(cidr) = "CIDR block {cidr} is malformed";
        vpc_tenancy_invalid(tenancy) = "Invalid value '{tenancy}' for instanceTenancy. Must be default or dedicated.";
        border_group_unknown(group) = "Invalid value '{group}' for ipv6CidrBlockNetworkBorderGroup.";
        outpost_not_found(arn) = "Value ({arn}) for parameter outpostArn is invalid. The Outpost does not exist.";
        zone_unknown(zone) = "Invalid availability zone: [{zone}]";
        zone_of_subnet_differs(zone, subnet) =
            "The availability zone '{zone}' is not the availability zone of the subnet '{subnet}'.";
        volume_in_other_zone(zone, own) =
            "The volume's availability zone '{zone}' is not the instance's availability zone '{own}'.";
        region_unknown(region) = "Invalid region provided: [{region}]";
        address_outside(address) = "Address {address} does not fall within the subnet's address range";
        address_reserved(address) = "Address {address} is in subnet's reserved address range";
        ipv6_address_outside(address, range) =
            "Address {address} does not fall within the subnet's IPv6 CIDR block {range}";
        subnet_without_ipv6(subnet) = "The subnet '{subnet}' does not have an associated IPv6 CIDR block.";
        primary_ipv6_without_address = "A primary IPv6 address requires an IPv6 address.";
        ipv6_addresses_and_prefixes =
            "You can and can only specify one of ipv6-addresses or ipv6-addresses-count  ipv6-prefix and ipv6-prefix-count.";
        instance_type_malformed(value) = "Invalid value '{value}' for InstanceType.";
        instance_type_unknown(value) = "The following supplied instance types do not exist: [{value}]";
        attribute_value_invalid(value, attribute) = "Invalid value '{value}' for {attribute}.";
        attribute_not_modifiable(attribute) =
            "Value ({attribute}) for parameter attribute is invalid. The attribute cannot be modified.";
        count_too_small(value, name) = "Invalid value '{value}' for {name}. Must be greater than or equal to 1.";
        min_count_too_large(min, max) =
            "Invalid value '{min}' for minCount. Must be less than or equal to maxCount, {max}.";
        no_dedicated_host =
            "You do not have a host with a matching configuration and sufficient capacity.";
        cpu_credits_unknown(value) = "Invalid value '{value}' for CpuCredits.";
        user_data_malformed = "Invalid BASE64 encoding of user data.";
        user_data_too_long = "User data is limited to 16384 bytes";
        profile_name_invalid(name) =
            "Value ({name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name";
        profile_arn_invalid(arn) =
            "Value ({arn}) for parameter iamInstanceProfile.arn is invalid. Invalid IAM Instance Profile ARN";
        volume_too_small(size, min, named) =
            "Volume of {size}GiB is too small for volume type {named}; minimum is {min}GiB.";
        volume_too_large(size, max, named) =
            "Volume of {size}GiB is too large for volume type {named}; maximum is {max}GiB.";
        device_index_missing = "Each network interface requires a device index.";
        device_index_repeated(index) = "Each network interface requires a unique device index. Device index '{index}' is repeated.";
        interface_type_unknown(value) = "Invalid value '{value}' for InterfaceType.";
        no_primary_interface = "When specifying network interfaces, you must include a device at index 0";
        several_primary_addresses = "Only one primary private IP address can be specified.";
        license_configuration_not_found(arn) =
            "Value ({arn}) for parameter licenseSpecifications is invalid. The license configuration does not exist.";
        group_name_reserved = "Cannot use reserved security group name: default";
        group_name_like_id(name) =
            "Value ({name}) for parameter GroupName is invalid. Group names may not be in the format sg-*.";
        text_invalid(what, plural) =
            "Invalid {what}. Valid {plural} are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{{}}!$*";
        permission_repeated = "The same permission must not appear multiple times";
        protocol_unknown(value) = "Invalid value '{value}' for IP protocol. Unknown protocol.";
        ports_missing = "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.";
        port_out_of_range(port) = "TCP/UDP port ({port}) out of range";
        port_range_invalid(from, to) = "Invalid TCP/UDP port range ({from}:{to})";
        icmp_invalid(from, to) = "ICMP type or code ({from}:{to}) out of range";
        resource_type_not_taggable(value) =
            "'{value}' is not a valid taggable resource type for this operation.";
        tag_key_reserved(key) =
            "Value ( {key} ) for parameter key is invalid. Tag keys starting with 'aws:' are reserved for internal use";
        invalid_tag(key) = "Tag key '{key}' or its value is invalid.";
        duplicate_tag(key) = "Duplicate tag key '{key}' specified.";
        unknown_filter(name) = "The filter '{name}' is invalid";
        invalid_next_token = "The token is invalid.";
        tag_key_missing = "Tag key cannot be null or empty.";
    }
    /// A required parameter is missing.
    MISSING = "MissingParameter", 400, Invalid {
        parameter_missing(name) = "The request must contain the parameter {name}";
        incomplete_filter = "The request must contain the parameter Filter.Value";
        source_missing = "Missing source specification: include source security group or CIDR information";
        volume_without_size = "The request must contain the parameter size or snapshotId";
        volume_without_iops(named) = "The parameter iops must be specified for {named} volumes.";
        launch_template_unclear =
            "Either a launch template ID or a launch template name must be specified in the request, not both.";
    }
    /// Parameters cannot be combined.
    COMBINATION = "InvalidParameterCombination", 400, Invalid {
        no_attribute = "No attributes specified.";
        several_attributes(names) = "Fields for multiple attribute types specified: {names}";
        parameters_combined(one, other) = "The parameter {one} cannot be used with the parameter {other}";
        interfaces_and_instance_parameter(what) =
            "Network interfaces and an instance-level {what} may not be specified on the same request";
        ipv6_addresses_and_count =
            "IPv6 addresses and IPv6 address count may not be specified on the same request";
        public_address_with_several_interfaces =
            "The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.";
        interfaces_in_several_zones =
            "The network interfaces of an instance must be in the same availability zone.";
        address_for_several_instances =
            "A specific IP address may not be specified when launching more than one instance.";
        profile_name_and_arn =
            "The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'";
        volume_parameter_unsupported(parameter, named) =
            "The parameter {parameter} is not supported for {named} volumes.";
        spot_options_without_spot = "The parameter SpotOptions requires the market type spot.";
        netmask_without_pool(family) = "The parameter {family}NetmaskLength requires the parameter {family}IpamPoolId.";
        border_group_without_ipv6 =
            "The parameter ipv6CidrBlockNetworkBorderGroup requires the parameter amazonProvidedIpv6CidrBlock.";
        ipv6_block_without_pool = "The parameter Ipv6CidrBlock requires the parameter Ipv6Pool.";
        native_subnet_without_ipv6 = "The parameter Ipv6Native requires an IPv6 CIDR block.";
        partition_without_group = "The parameter partitionNumber requires a partition placement group.";
        affinity_without_host = "The parameter affinity requires the tenancy host.";
    }
    /// A parameter requires another one.
    PARAMETER_DEPENDENCY = "InvalidParameterDependency", 400, Invalid {
        key_without_encryption = "The parameter KmsKeyId requires the parameter Encrypted to be set.";
        initialization_rate_without_snapshot =
            "The parameter VolumeInitializationRate requires the parameter SnapshotId to be set.";
    }
    /// The operation does not take the parameter.
    UNKNOWN_PARAMETER = "UnknownParameter", 400, Invalid {
        parameter_unknown(name) = "The parameter {name} is not recognized";
    }
    /// A security group and a subnet belong to different VPCs.
    OTHER_NETWORK = "InvalidParameter", 400, Invalid {
        group_in_other_network(group, subnet) =
            "Security group {group} and subnet {subnet} belong to different networks.";
    }
    /// The dry run succeeded.
    DRY_RUN = "DryRunOperation", 412, Conflict {
        dry_run_succeeded = "Request would have succeeded, but DryRun flag is set.";
    }
    /// There are too many filters, or too many values of a filter.
    TOO_MANY_FILTERS = "FilterLimitExceeded", 400, LimitExceeded {
        too_many_filters = "The maximum number of filter values specified on a single call is 200";
    }
    /// The resource is in use.
    DEPENDENCY = "DependencyViolation", 400, InState {
        has_dependencies(what, id) = "The {what} '{id}' has dependencies and cannot be deleted.";
        has_dependent_object(id) = "resource {id} has a dependent object";
    }
    /// The resource cannot be deleted by callers.
    CANNOT_DELETE = "CannotDelete", 400, Protected {
        default_group_protected(id) =
            "the specified group: \"{id}\" name: \"default\" cannot be deleted by a user";
    }
    /// The instance is protected from being stopped or terminated.
    NOT_PERMITTED = "OperationNotPermitted", 400, Protected {
        instance_protected(id, verb, attribute) =
            "The instance '{id}' may not be {verb}. Modify its '{attribute}' instance attribute and try again.";
    }
    /// The service does not support this, or no longer.
    UNSUPPORTED = "UnsupportedOperation", 400, Unsupported {
        spot_attribute_unsupported(attribute) = "Modifying '{attribute}' is not supported for spot instances.";
        elastic_gpu_withdrawn = "Amazon Elastic Graphics is no longer available.";
        elastic_inference_withdrawn = "Amazon Elastic Inference is no longer available.";
        carrier_address_unsupported = "Carrier IP addresses are only supported for subnets in a Wavelength Zone.";
    }
    /// The ID does not have the form of an ID of any kind of resource.
    ID = "InvalidID", 400, Invalid {
        id_invalid(id) = "The ID '{id}' is not valid";
    }
    /// The resource would have more than 50 tags.
    TOO_MANY_TAGS = "TagLimitExceeded", 400, LimitExceeded {
        too_many_tags = "The maximum number of Tags for a resource has been reached.";
    }

    /// The VPC does not exist.
    VPC_NOT_FOUND = "InvalidVpcID.NotFound", 400, NotFound {
        vpc_not_found(id) = "The vpc ID '{id}' does not exist";
    }
    /// The ID of the VPC is malformed.
    VPC_MALFORMED = "InvalidVpcID.Malformed", 400, Invalid {
        vpc_malformed(id) = "Invalid id: \"{id}\" (expecting \"vpc-...\")";
    }
    /// The CIDR block is not allowed for a VPC.
    VPC_RANGE = "InvalidVpc.Range", 400, Invalid {
        vpc_range_invalid(cidr) = "The CIDR '{cidr}' is invalid.";
    }
    /// The account has the maximum number of VPCs in the Region.
    TOO_MANY_VPCS = "VpcLimitExceeded", 400, LimitExceeded {
        too_many_vpcs = "The maximum number of VPCs has been reached.";
    }
    /// The default VPC exists already.
    DEFAULT_VPC_EXISTS = "DefaultVpcAlreadyExists", 400, AlreadyExists {
        default_vpc_exists = "A Default VPC already exists for this account in this region.";
    }
    /// The default VPC does not exist.
    NO_DEFAULT_VPC = "DefaultVpcDoesNotExist", 400, NotFound {
        default_vpc_not_found = "There is no default VPC for this account in this region.";
    }
    /// A VPC must be specified, because there is no default VPC.
    VPC_NOT_SPECIFIED = "VPCIdNotSpecified", 400, Invalid {
        vpc_not_specified = "No default VPC for this user";
    }
    /// The IPAM pool does not exist.
    IPAM_POOL_NOT_FOUND = "InvalidIpamPoolId.NotFound", 400, NotFound {
        ipam_pool_not_found(id) = "The IPAM pool ({id}) does not exist.";
    }
    /// The pool of IPv6 addresses does not exist.
    IPV6_POOL_NOT_FOUND = "InvalidIpv6PoolID.NotFound", 400, NotFound {
        ipv6_pool_not_found(id) = "The ipv6Pool ID '{id}' does not exist";
    }

    /// The subnet does not exist.
    SUBNET_NOT_FOUND = "InvalidSubnetID.NotFound", 400, NotFound {
        subnet_not_found(id) = "The subnet ID '{id}' does not exist";
    }
    /// The ID of the subnet is malformed.
    SUBNET_MALFORMED = "InvalidSubnetID.Malformed", 400, Invalid {
        subnet_malformed(id) = "Invalid id: \"{id}\" (expecting \"subnet-...\")";
    }
    /// The CIDR block is not allowed for a subnet, or is outside of the VPC.
    SUBNET_RANGE = "InvalidSubnet.Range", 400, Invalid {
        subnet_range_invalid(cidr) = "The CIDR '{cidr}' is invalid.";
    }
    /// The CIDR block overlaps that of another subnet.
    SUBNET_CONFLICT = "InvalidSubnet.Conflict", 400, Conflict {
        subnet_conflict(cidr) = "The CIDR '{cidr}' conflicts with another subnet";
        subnet_ipv6_conflict(cidr) = "The IPv6 CIDR '{cidr}' conflicts with another subnet";
    }
    /// The zone has a default subnet already.
    DEFAULT_SUBNET_EXISTS = "DefaultSubnetAlreadyExistsInAvailabilityZone", 400, AlreadyExists {
        default_subnet_exists(id, zone) = "'{id}' is already the default subnet in {zone}.";
    }
    /// A subnet must be specified, because the default VPC has no matching default subnet.
    NO_SUBNET = "MissingInput", 400, Invalid {
        no_default_subnet(vpc) = "No subnets found for the default VPC '{vpc}'. Please specify a subnet.";
    }
    /// The subnet does not have enough free addresses.
    NO_ADDRESSES = "InsufficientFreeAddressesInSubnet", 400, LimitExceeded {
        not_enough_addresses(subnet) =
            "There are not enough free addresses in subnet '{subnet}' to satisfy the requested number of instances.";
    }
    /// The subnet does not have enough free blocks of addresses.
    NO_PREFIXES = "InsufficientCidrBlocks", 400, LimitExceeded {
        not_enough_prefixes(subnet) =
            "The specified subnet '{subnet}' does not have enough free cidr blocks to satisfy the request.";
    }
    /// The address is in use.
    ADDRESS_IN_USE = "InvalidIPAddress.InUse", 400, Conflict {
        address_in_use(address) = "Address {address} is in use.";
    }
    /// A network interface would have too many addresses.
    TOO_MANY_ADDRESSES = "PrivateIpAddressLimitExceeded", 400, LimitExceeded {
        too_many_addresses = "Number of private addresses will exceed limit.";
    }
    /// The network interface does not exist.
    INTERFACE_NOT_FOUND = "InvalidNetworkInterfaceID.NotFound", 400, NotFound {
        interface_not_found(id) = "The networkInterface ID '{id}' does not exist";
    }
    /// The ID of the network interface is malformed.
    INTERFACE_MALFORMED = "InvalidNetworkInterfaceId.Malformed", 400, Invalid {
        interface_malformed(id) = "Invalid id: \"{id}\" (expecting \"eni-...\")";
    }
    /// The secondary subnet does not exist.
    SECONDARY_SUBNET_NOT_FOUND = "InvalidSecondarySubnetId.NotFound", 400, NotFound {
        secondary_subnet_not_found(id) = "The secondarySubnet ID '{id}' does not exist";
    }

    /// The security group does not exist.
    GROUP_NOT_FOUND = "InvalidGroup.NotFound", 400, NotFound {
        group_not_found(id) = "The security group '{id}' does not exist";
        group_name_not_found(name, vpc) = "The security group '{name}' does not exist in default VPC '{vpc}'";
        networks_differ = "You have specified two resources that belong to different networks.";
    }
    /// The ID of the security group is malformed.
    GROUP_MALFORMED = "InvalidGroupId.Malformed", 400, Invalid {
        group_malformed(id) = "Invalid id: \"{id}\" (expecting \"sg-...\")";
    }
    /// The VPC has a security group of this name.
    GROUP_EXISTS = "InvalidGroup.Duplicate", 400, AlreadyExists {
        group_exists(name, vpc) = "The security group '{name}' already exists for VPC '{vpc}'";
    }
    /// The security group has this rule already.
    RULE_EXISTS = "InvalidPermission.Duplicate", 400, AlreadyExists {
        rule_exists(rule) = "the specified rule \"{rule}, ALLOW\" already exists";
    }
    /// The rule does not exist.
    RULE_NOT_FOUND = "InvalidPermission.NotFound", 400, NotFound {
        rule_not_found = "The specified rule does not exist in this security group.";
    }
    /// The rule with this ID does not exist.
    RULE_ID_NOT_FOUND = "InvalidSecurityGroupRuleId.NotFound", 400, NotFound {
        rule_id_not_found(id) = "The security group rule ID '{id}' does not exist";
    }
    /// The ID of the rule is malformed.
    RULE_ID_MALFORMED = "InvalidSecurityGroupRuleId.Malformed", 400, Invalid {
        rule_id_malformed(id) = "Invalid id: \"{id}\" (expecting \"sgr-...\")";
    }
    /// The prefix list does not exist.
    PREFIX_LIST_NOT_FOUND = "InvalidPrefixListID.NotFound", 400, NotFound {
        prefix_list_not_found(id) = "The prefix list ID '{id}' does not exist";
    }
    /// The VPC peering connection does not exist.
    PEERING_NOT_FOUND = "InvalidVpcPeeringConnectionID.NotFound", 400, NotFound {
        peering_not_found(id) = "The vpcPeeringConnection ID '{id}' does not exist";
    }
    /// The security group would have too many rules.
    TOO_MANY_RULES = "RulesPerSecurityGroupLimitExceeded", 400, LimitExceeded {
        too_many_rules = "The maximum number of rules per security group has been reached.";
    }
    /// A network interface would have too many security groups.
    TOO_MANY_GROUPS = "SecurityGroupsPerInterfaceLimitExceeded", 400, LimitExceeded {
        too_many_groups = "The maximum number of security groups per interface has been reached.";
    }

    /// The instance does not exist.
    INSTANCE_NOT_FOUND = "InvalidInstanceID.NotFound", 400, NotFound {
        instance_not_found(id) = "The instance ID '{id}' does not exist";
    }
    /// The ID of the instance is malformed.
    INSTANCE_MALFORMED = "InvalidInstanceID.Malformed", 400, Invalid {
        instance_malformed(id) = "Invalid id: \"{id}\" (expecting \"i-...\")";
    }
    /// The instance has several network interfaces, of which the operation needs one.
    INSTANCE_ID = "InvalidInstanceID", 400, Invalid {
        several_interfaces(id) =
            "There are multiple interfaces attached to instance '{id}'. Please specify an interface ID for the operation instead.";
    }
    /// The instance cannot have this value of an attribute.
    INSTANCE_ATTRIBUTE = "InvalidInstanceAttributeValue", 400, Invalid {
        instance_type_not_allowed(from, to) = "Modifying the instance type from {from} to {to} is not allowed.";
        device_not_mapped(name) = "No device is currently mapped at {name}";
        volume_not_mapped(volume, name) = "The volume '{volume}' is not mapped at {name}";
        device_not_modifiable(name) =
            "Only the DeleteOnTermination attribute of the device mapped at {name} can be modified";
    }
    /// The ID of the image, kernel or RAM disk is malformed.
    IMAGE_MALFORMED = "InvalidAMIID.Malformed", 400, Invalid {
        image_malformed(id) = "Invalid id: \"{id}\" (expecting \"ami-...\")";
        kernel_malformed(id) = "Invalid id: \"{id}\" (expecting \"aki-...\")";
        ramdisk_malformed(id) = "Invalid id: \"{id}\" (expecting \"ari-...\")";
    }
    /// The state of the instance does not allow the operation.
    INSTANCE_STATE = "IncorrectInstanceState", 400, InState {
        instance_in_wrong_state(id, verb) =
            "The instance '{id}' is not in a state from which it can be {verb}.";
        instance_not_stopped(id) = "The instance '{id}' is not in the 'stopped' state.";
    }
    /// The idempotency token was used with other parameters.
    TOKEN_MISMATCH = "IdempotentParameterMismatch", 400, Conflict {
        token_mismatch =
            "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).";
    }
    /// The instance was not configured for hibernation.
    NO_HIBERNATION = "UnsupportedHibernationConfiguration", 400, Unsupported {
        hibernation_not_configured(id) =
            "The instance can't be hibernated because it was not configured at launch for hibernation: {id}";
    }
    /// The launch template does not exist.
    LAUNCH_TEMPLATE_NOT_FOUND = "InvalidLaunchTemplateId.NotFound", 400, NotFound {
        launch_template_not_found(id) = "The specified launch template, with template ID {id}, does not exist.";
    }
    /// The launch template with this name does not exist.
    LAUNCH_TEMPLATE_NAME_NOT_FOUND = "InvalidLaunchTemplateName.NotFoundException", 400, NotFound {
        launch_template_name_not_found(name) =
            "The specified launch template, with template name {name}, does not exist.";
    }
    /// The ID of the launch template is malformed.
    LAUNCH_TEMPLATE_MALFORMED = "InvalidLaunchTemplateId.Malformed", 400, Invalid {
        launch_template_malformed(id) = "Invalid id: \"{id}\" (expecting \"lt-...\")";
    }
    /// A block device of an instance is invalid.
    BLOCK_DEVICE = "InvalidBlockDeviceMapping", 400, Invalid {
        device_name_repeated(name) = "The device '{name}' is used in more than one block-device mapping";
        volume_and_virtual_name(name) = "The device '{name}' has both an EBS volume and a virtual name";
    }
    /// The snapshot does not exist.
    SNAPSHOT_NOT_FOUND = "InvalidSnapshot.NotFound", 400, NotFound {
        snapshot_not_found(id) = "The snapshot '{id}' does not exist.";
    }
    /// The placement group does not exist.
    PLACEMENT_GROUP_UNKNOWN = "InvalidPlacementGroup.Unknown", 400, NotFound {
        placement_group_unknown(name) = "The Placement Group '{name}' is unknown.";
    }
    /// The dedicated host does not exist.
    HOST_NOT_FOUND = "InvalidHostID.NotFound", 400, NotFound {
        host_not_found(id) = "The host ID '{id}' does not exist";
        host_group_not_found(arn) = "The host resource group '{arn}' does not exist";
    }
    /// The capacity reservation does not exist.
    RESERVATION_NOT_FOUND = "InvalidCapacityReservationId.NotFound", 400, NotFound {
        capacity_reservation_not_found(id) = "The capacity reservation ID '{id}' does not exist";
    }
    /// There is no capacity reservation for the instance.
    RESERVATION_EXCEEDED = "ReservationCapacityExceeded", 400, LimitExceeded {
        no_reserved_capacity =
            "The requested reservation does not have sufficient compatible and available capacity for this request.";
    }
}
