//! The error codes of the service.

nephos_core::codes! {
    /// A parameter breaks a rule, or does not go with another.
    INVALID = "ValidationError", 400, Invalid;
    /// There is no such ALPN policy.
    ALPN_POLICY_NOT_FOUND = "ALPNPolicyNotFound", 400, NotFound;
    /// There is no such elastic address.
    ALLOCATION_ID_NOT_FOUND = "AllocationIdNotFound", 400, NotFound;
    /// The zone has no balancers of this type.
    ZONE_NOT_SUPPORTED = "AvailabilityZoneNotSupported", 400, Unsupported;
    /// The capacity of the balancer is being changed.
    CAPACITY_PENDING = "CapacityReservationPending", 400, InState;
    /// There is no such certificate here.
    CERTIFICATE_NOT_FOUND = "CertificateNotFound", 400, NotFound;
    /// The balancer has a listener on that port already.
    DUPLICATE_LISTENER = "DuplicateListener", 400, AlreadyExists;
    /// There is a balancer of that name already, with other settings.
    DUPLICATE_LOAD_BALANCER = "DuplicateLoadBalancerName", 400, AlreadyExists;
    /// A tag's key is given twice.
    DUPLICATE_TAG_KEYS = "DuplicateTagKeys", 400, Invalid;
    /// There is a target group of that name already, with other settings.
    DUPLICATE_TARGET_GROUP = "DuplicateTargetGroupName", 400, AlreadyExists;
    /// There is a trust store of that name already.
    DUPLICATE_TRUST_STORE = "DuplicateTrustStoreName", 400, AlreadyExists;
    /// The health of targets is not available.
    HEALTH_UNAVAILABLE = "HealthUnavailable", 500, Internal;
    /// The protocols of listener and target group do not go together.
    INCOMPATIBLE_PROTOCOLS = "IncompatibleProtocols", 400, Invalid;
    /// The settings do not go together.
    INVALID_CONFIGURATION = "InvalidConfigurationRequest", 400, Invalid;
    /// The actions do not make a rule.
    INVALID_ACTION = "InvalidLoadBalancerAction", 400, Invalid;
    /// The balancer cannot have that scheme.
    INVALID_SCHEME = "InvalidScheme", 400, Invalid;
    /// There is no such security group in the balancer's network.
    INVALID_SECURITY_GROUP = "InvalidSecurityGroup", 400, Invalid;
    /// The subnets are not such as a balancer can be in.
    INVALID_SUBNET = "InvalidSubnet", 400, Invalid;
    /// The target does not exist, or is not one for this target group.
    INVALID_TARGET = "InvalidTarget", 400, Invalid;
    /// There is no such listener.
    LISTENER_NOT_FOUND = "ListenerNotFound", 400, NotFound;
    /// There is no such load balancer.
    LOAD_BALANCER_NOT_FOUND = "LoadBalancerNotFound", 400, NotFound;
    /// What is asked for is not allowed, such as deleting what is protected.
    NOT_PERMITTED = "OperationNotPermitted", 400, Protected;
    /// Another rule of the listener has that priority.
    PRIORITY_IN_USE = "PriorityInUse", 400, AlreadyExists;
    /// Something still depends on the resource.
    IN_USE = "ResourceInUse", 400, Conflict;
    /// There is no such rule.
    RULE_NOT_FOUND = "RuleNotFound", 400, NotFound;
    /// There is no such security policy.
    SSL_POLICY_NOT_FOUND = "SSLPolicyNotFound", 400, NotFound;
    /// There is no such subnet.
    SUBNET_NOT_FOUND = "SubnetNotFound", 400, NotFound;
    /// The target group serves another balancer.
    ASSOCIATION_LIMIT = "TargetGroupAssociationLimit", 400, LimitExceeded;
    /// There is no such target group.
    TARGET_GROUP_NOT_FOUND = "TargetGroupNotFound", 400, NotFound;
    /// There are too many actions.
    TOO_MANY_ACTIONS = "TooManyActions", 400, LimitExceeded;
    /// There are too many certificates.
    TOO_MANY_CERTIFICATES = "TooManyCertificates", 400, LimitExceeded;
    /// The balancer has as many listeners as it may have.
    TOO_MANY_LISTENERS = "TooManyListeners", 400, LimitExceeded;
    /// The account has as many balancers as it may have.
    TOO_MANY_LOAD_BALANCERS = "TooManyLoadBalancers", 400, LimitExceeded;
    /// The target is registered as often as it may be.
    TOO_MANY_REGISTRATIONS = "TooManyRegistrationsForTargetId", 400, LimitExceeded;
    /// The balancer has as many rules as it may have.
    TOO_MANY_RULES = "TooManyRules", 400, LimitExceeded;
    /// The resource has as many tags as it may have.
    TOO_MANY_TAGS = "TooManyTags", 400, LimitExceeded;
    /// There are as many target groups as there may be.
    TOO_MANY_TARGET_GROUPS = "TooManyTargetGroups", 400, LimitExceeded;
    /// There are as many targets as there may be.
    TOO_MANY_TARGETS = "TooManyTargets", 400, LimitExceeded;
    /// The balancer leads to as many target groups as it may lead to.
    TOO_MANY_UNIQUE_TARGET_GROUPS = "TooManyUniqueTargetGroupsPerLoadBalancer", 400, LimitExceeded;
    /// The account has as many trust stores as it may have.
    TOO_MANY_TRUST_STORES = "TooManyTrustStores", 400, LimitExceeded;
    /// A listener verifies certificates against the trust store.
    TRUST_STORE_IN_USE = "TrustStoreInUse", 400, Conflict;
    /// There is no such trust store.
    TRUST_STORE_NOT_FOUND = "TrustStoreNotFound", 400, NotFound;
    /// The trust store is not active.
    TRUST_STORE_NOT_READY = "TrustStoreNotReady", 400, InState;
    /// The protocol is not one for this.
    UNSUPPORTED_PROTOCOL = "UnsupportedProtocol", 400, Unsupported;
}
