//! Error codes of the service, with the provider's texts.

nephos_core::codes! {
    /// A parameter is invalid or conflicts with another.
    INVALID = "ValidationError", 400, Invalid {
        name_too_long = "LoadBalancer name cannot be longer than 32 characters";
        name_characters = "LoadBalancer name cannot contain characters that are not letters, or digits or the dash.";
        name_dash = "LoadBalancer name cannot begin or end with a dash";
        invalid_marker = "Invalid marker";
        zones_or_subnets_missing = "Either AvailabilityZones or SubnetIds must be specified";
        zones_and_subnets_given = "Only one of SubnetIds or AvailabilityZones may be specified";
        listeners_missing = "Listeners cannot be empty";
        certificate_missing = "Secure Listeners need to specify a SSLCertificateId";
        security_groups_missing = "SecurityGroups must not be empty";
        zone_not_found(zone) = "Availability Zone {zone} does not exist";
        zones_missing = "AvailabilityZones must not be empty";
        subnets_missing = "Subnets must not be empty";
        instances_missing = "Instances must not be empty";
        target_scheme = "HealthCheck Target must begin with one of HTTP, TCP, HTTPS, SSL";
        target_port = "HealthCheck Target port must be between 1 and 65535";
        target_path(scheme) = "HealthCheck {scheme} Target must specify a port followed by a path that begins with '/', e.g. {scheme}:80/ping";
        target_without_path(scheme) = "HealthCheck {scheme} Target must specify a port only, e.g. {scheme}:80";
        timeout_too_long = "HealthCheck timeout must be less than interval";
        emit_interval_invalid = "EmitInterval must be 5 or 60 minutes";
        bucket_missing = "S3BucketName must be specified when access logs are enabled";
        draining_timeout_invalid = "ConnectionDraining Timeout must be between 1 and 3600 seconds";
        policy_name_invalid = "PolicyName must only contain alphanumeric characters and dashes";
        expiration_invalid = "CookieExpirationPeriod must be greater than 0";
        cookie_name_missing = "CookieName must not be empty";
        invalid_tag(key) = "Tag key '{key}' or its value is not valid";
        reserved_tag(key) = "Tag keys starting with 'aws:' are reserved for system use: '{key}'";
        not_created = "The load balancer must be created before it is modified.";
        not_removable(field) = "{field} cannot be removed from a load balancer.";
        zones_differ = "AvailabilityZones are not those of the Subnets.";
        policy_needs_attributes(name) = "Policy '{name}' cannot be created by its name: create it with its type and attributes.";
        policy_not_changeable(name) = "Policy '{name}' exists with other settings and cannot be changed.";
        arn_invalid(arn) = "'{arn}' is not the ARN of a classic load balancer.";
    }
    /// The load balancer does not exist.
    LOAD_BALANCER_NOT_FOUND = "LoadBalancerNotFound", 400, NotFound {
        load_balancer_not_found(name) = "There is no ACTIVE Load Balancer named '{name}'";
    }
    /// A load balancer with that name and other settings exists.
    DUPLICATE_LOAD_BALANCER = "DuplicateLoadBalancerName", 400, AlreadyExists {
        load_balancer_exists(name) = "Load Balancer named {name} already exists and it is configured with different parameters.";
    }
    /// The quota of load balancers is reached.
    TOO_MANY_LOAD_BALANCERS = "TooManyLoadBalancers", 400, LimitExceeded {
        too_many_load_balancers = "Exceeded quota of account";
    }
    /// The certificate does not exist.
    CERTIFICATE_NOT_FOUND = "CertificateNotFound", 400, NotFound {
        certificate_not_found(arn) = "Server Certificate not found for the key: {arn}";
    }
    /// A listener on that port with other settings exists.
    DUPLICATE_LISTENER = "DuplicateListener", 400, AlreadyExists {
        listener_exists(balancer, port) = "A listener already exists for {balancer} with LoadBalancerPort {port}, but with a different InstancePort, Protocol, or SSLCertificateId";
    }
    /// The load balancer has no listener on that port.
    LISTENER_NOT_FOUND = "ListenerNotFound", 400, NotFound {
        listener_not_found(balancer, port) = "The specified load balancer {balancer} does not have a listener configured at the port {port}";
    }
    /// The protocol is not supported.
    UNSUPPORTED_PROTOCOL = "UnsupportedProtocol", 400, Invalid {
        protocol_unsupported(protocol) = "The protocol {protocol} is not supported";
    }
    /// The scheme is unknown.
    INVALID_SCHEME = "InvalidScheme", 400, Invalid {
        scheme_invalid(scheme) = "'{scheme}' is not a valid scheme";
    }
    /// A security group does not exist.
    INVALID_SECURITY_GROUP = "InvalidSecurityGroup", 400, Invalid {
        security_group_not_found = "One or more of the specified security groups do not exist.";
    }
    /// A subnet does not exist.
    SUBNET_NOT_FOUND = "SubnetNotFound", 400, NotFound {
        subnet_not_found(id) = "The subnet ID '{id}' does not exist";
    }
    /// The instance does not exist, or was never registered.
    INVALID_INSTANCE = "InvalidInstance", 400, Invalid {
        instance_not_found(id) = "Could not find EC2 instance {id}.";
        instance_in_other_vpc(id) = "EC2 instance {id} is not in the same VPC as ELB.";
    }
    /// The load balancer has no such policy.
    POLICY_NOT_FOUND = "PolicyNotFound", 400, NotFound {
        policy_not_found(policy, balancer) = "There is no policy with name {policy} for load balancer {balancer}";
        sample_policy_not_found(policy) = "There is no policy with name {policy}";
    }
    /// There is no such policy type.
    POLICY_TYPE_NOT_FOUND = "PolicyTypeNotFound", 400, NotFound {
        policy_type_not_found(name) = "There is no policy type with name {name}";
    }
    /// The load balancer has a policy with that name.
    DUPLICATE_POLICY = "DuplicatePolicyName", 400, AlreadyExists {
        policy_exists(policy, balancer) = "Policy {policy} already exists for load balancer {balancer}";
    }
    /// The load balancer has the maximum number of policies.
    TOO_MANY_POLICIES = "TooManyPolicies", 400, LimitExceeded {
        too_many_policies = "The quota for the number of policies for this load balancer has been reached.";
    }
    /// There is no such attribute.
    ATTRIBUTE_NOT_FOUND = "LoadBalancerAttributeNotFound", 400, NotFound {
        additional_attribute_unknown(key) = "Load balancer attribute {key} does not exist";
    }
    /// A tag key occurs twice.
    DUPLICATE_TAG_KEYS = "DuplicateTagKeys", 400, Invalid {
        duplicate_tag(key) = "Tag key was specified more than once: {key}";
    }
    /// The load balancer has the maximum number of tags.
    TOO_MANY_TAGS = "TooManyTags", 400, LimitExceeded {
        too_many_tags = "The quota for the number of tags that can be assigned to a load balancer has been reached";
    }
    /// The requested configuration is not possible.
    INVALID_CONFIGURATION = "InvalidConfigurationRequest", 409, Conflict {
        default_vpc_missing = "Default VPC not found";
        zone_given_twice = "ELB cannot be attached to multiple subnets in the same AZ.";
        subnets_of_several_vpcs = "Subnets must be in the same VPC.";
        security_group_in_other_vpc(id, vpc) = "Security group {id} does not belong to VPC {vpc}";
        last_subnet(name) = "Requested configuration change for LoadBalancer \"{name}\" is invalid because you attempted to detach all the subnets for this LoadBalancer and a LoadBalancer cannot be attached to zero subnets in VPC.";
        last_zone(name) = "Requested configuration change for LoadBalancer \"{name}\" is invalid because you attempted to disable all the Availability Zones for this LoadBalancer.";
        zones_in_vpc(name) = "Availability Zones of LoadBalancer \"{name}\" are those of its subnets: attach it to subnets or detach it from them.";
        protocols_mixed(front, back) = "Listener protocol {front} and instance protocol {back} are at different Internet protocol layers.";
        instance_port_mixed(port) = "Listeners with the same instance port {port} must have instance protocols that are both secure or both not secure.";
        too_many_listeners(max) = "A load balancer can have at most {max} listeners.";
        too_many_instances(max) = "A load balancer can have at most {max} registered instances.";
        policy_not_enabled(name) = "{name} cannot be enabled";
        policy_in_use(name) = "You cannot delete policy [{name}] since it is enabled or referred by other enabled policy.";
        attribute_unknown(name, kind) = "Attribute {name} is not defined for policy type {kind}";
        attribute_value_invalid(value, name) = "Value {value} is not valid for policy attribute {name}";
        attribute_missing(name, kind) = "Attribute {name} must be specified for policy type {kind}";
        attribute_repeated(name) = "Attribute {name} must be specified only once";
        instance_port_unused(port) = "There is no listener with instance port {port}";
        additional_attribute_invalid(key, value) = "'{value}' is not a valid value of attribute {key}";
        listener_not_secure(port) = "The listener on port {port} does not use HTTPS or SSL.";
    }
}
