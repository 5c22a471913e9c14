//! Error codes of the service.

nephos_core::codes! {
    /// A parameter is invalid or conflicts with another.
    INVALID = "ValidationError", 400, Invalid {
        invalid_arn(arn, kind) = "'{arn}' is not a valid {kind} ARN";
        invalid_marker = "Invalid marker";
        invalid_tag(key) = "Tag key '{key}' or its value is not valid";
        reserved_tag(key) = "Tag keys starting with 'aws:' are reserved for system use: '{key}'";
    }
    /// The ALPN policy does not exist.
    ALPN_POLICY_NOT_FOUND = "ALPNPolicyNotFound", 400, NotFound;
    /// The elastic IP address does not exist.
    ALLOCATION_ID_NOT_FOUND = "AllocationIdNotFound", 400, NotFound;
    /// The zone does not support load balancers of this type.
    ZONE_NOT_SUPPORTED = "AvailabilityZoneNotSupported", 400, Unsupported;
    /// A capacity reservation of the load balancer is pending.
    CAPACITY_PENDING = "CapacityReservationPending", 400, InState;
    /// The certificate does not exist in this account and Region.
    CERTIFICATE_NOT_FOUND = "CertificateNotFound", 400, NotFound;
    /// The load balancer already has a listener on that port.
    DUPLICATE_LISTENER = "DuplicateListener", 400, AlreadyExists;
    /// A load balancer with that name and different settings exists.
    DUPLICATE_LOAD_BALANCER = "DuplicateLoadBalancerName", 400, AlreadyExists;
    /// A tag key occurs twice.
    DUPLICATE_TAG_KEYS = "DuplicateTagKeys", 400, Invalid {
        duplicate_tag(key) = "Tag key '{key}' was specified more than once";
    }
    /// A target group with that name and different settings exists.
    DUPLICATE_TARGET_GROUP = "DuplicateTargetGroupName", 400, AlreadyExists;
    /// A trust store with that name exists.
    DUPLICATE_TRUST_STORE = "DuplicateTrustStoreName", 400, AlreadyExists;
    /// The health of targets is unavailable.
    HEALTH_UNAVAILABLE = "HealthUnavailable", 500, Internal;
    /// The protocols of listener and target group are incompatible.
    INCOMPATIBLE_PROTOCOLS = "IncompatibleProtocols", 400, Invalid;
    /// The settings are incompatible.
    INVALID_CONFIGURATION = "InvalidConfigurationRequest", 400, Invalid;
    /// An action is invalid, or the actions are incompatible.
    INVALID_ACTION = "InvalidLoadBalancerAction", 400, Invalid;
    /// The load balancer cannot have that scheme.
    INVALID_SCHEME = "InvalidScheme", 400, Invalid;
    /// The security group does not exist in the VPC of the load balancer.
    INVALID_SECURITY_GROUP = "InvalidSecurityGroup", 400, Invalid;
    /// A subnet is in another VPC or has too few free addresses.
    INVALID_SUBNET = "InvalidSubnet", 400, Invalid;
    /// The target does not exist or is invalid for the target group.
    INVALID_TARGET = "InvalidTarget", 400, Invalid;
    /// The listener does not exist.
    LISTENER_NOT_FOUND = "ListenerNotFound", 400, NotFound {
        listeners_not_found = "One or more listeners not found";
    }
    /// The load balancer does not exist.
    LOAD_BALANCER_NOT_FOUND = "LoadBalancerNotFound", 400, NotFound {
        load_balancers_not_found = "One or more load balancers not found";
    }
    /// The operation is not permitted, for example because of deletion protection.
    NOT_PERMITTED = "OperationNotPermitted", 400, Protected;
    /// Another rule of the listener has that priority.
    PRIORITY_IN_USE = "PriorityInUse", 400, AlreadyExists;
    /// The resource is in use.
    IN_USE = "ResourceInUse", 400, Conflict;
    /// The rule does not exist.
    RULE_NOT_FOUND = "RuleNotFound", 400, NotFound {
        rules_not_found = "One or more rules not found";
    }
    /// The security policy does not exist.
    SSL_POLICY_NOT_FOUND = "SSLPolicyNotFound", 400, NotFound;
    /// The subnet does not exist.
    SUBNET_NOT_FOUND = "SubnetNotFound", 400, NotFound;
    /// The target group is used by another load balancer.
    ASSOCIATION_LIMIT = "TargetGroupAssociationLimit", 400, LimitExceeded;
    /// The target group does not exist.
    TARGET_GROUP_NOT_FOUND = "TargetGroupNotFound", 400, NotFound {
        target_groups_not_found = "One or more target groups not found";
    }
    /// A rule or listener has too many actions.
    TOO_MANY_ACTIONS = "TooManyActions", 400, LimitExceeded;
    /// A listener has too many certificates.
    TOO_MANY_CERTIFICATES = "TooManyCertificates", 400, LimitExceeded;
    /// The load balancer has the maximum number of listeners.
    TOO_MANY_LISTENERS = "TooManyListeners", 400, LimitExceeded;
    /// The account has the maximum number of load balancers.
    TOO_MANY_LOAD_BALANCERS = "TooManyLoadBalancers", 400, LimitExceeded {
        too_many_load_balancers = "The maximum number of load balancers has been reached";
    }
    /// The target has the maximum number of registrations.
    TOO_MANY_REGISTRATIONS = "TooManyRegistrationsForTargetId", 400, LimitExceeded;
    /// The load balancer has the maximum number of rules.
    TOO_MANY_RULES = "TooManyRules", 400, LimitExceeded;
    /// The resource has the maximum number of tags.
    TOO_MANY_TAGS = "TooManyTags", 400, LimitExceeded {
        too_many_tags = "A maximum of 50 tags is allowed per resource";
    }
    /// The account has the maximum number of target groups.
    TOO_MANY_TARGET_GROUPS = "TooManyTargetGroups", 400, LimitExceeded {
        too_many_target_groups = "The maximum number of target groups has been reached";
    }
    /// The target group has the maximum number of targets.
    TOO_MANY_TARGETS = "TooManyTargets", 400, LimitExceeded;
    /// The load balancer routes to the maximum number of target groups.
    TOO_MANY_UNIQUE_TARGET_GROUPS = "TooManyUniqueTargetGroupsPerLoadBalancer", 400, LimitExceeded;
    /// The account has the maximum number of trust stores.
    TOO_MANY_TRUST_STORES = "TooManyTrustStores", 400, LimitExceeded {
        too_many_trust_stores = "The maximum number of trust stores has been reached";
    }
    /// A listener uses the trust store.
    TRUST_STORE_IN_USE = "TrustStoreInUse", 400, Conflict;
    /// The trust store does not exist.
    TRUST_STORE_NOT_FOUND = "TrustStoreNotFound", 400, NotFound {
        trust_stores_not_found = "One or more trust stores not found";
    }
    /// The trust store is not active.
    TRUST_STORE_NOT_READY = "TrustStoreNotReady", 400, InState;
    /// The protocol is not supported.
    UNSUPPORTED_PROTOCOL = "UnsupportedProtocol", 400, Unsupported;
}
