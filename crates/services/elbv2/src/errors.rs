//! Error codes of the service, with the provider's texts.

nephos_core::codes! {
    /// A parameter is invalid or conflicts with another.
    INVALID = "ValidationError", 400, Invalid {
        invalid_arn(arn, kind) = "'{arn}' is not a valid {kind} ARN";
        invalid_marker = "Invalid marker";
        invalid_tag(key) = "Tag key '{key}' or its value is not valid";
        reserved_tag(key) = "Tag keys starting with 'aws:' are reserved for system use: '{key}'";
        arn_of_unknown_kind(arn) = "'{arn}' is not a valid ARN.";
        arns_and_parent_given(items, parent) = "{items} ARNs and a {parent} ARN cannot be specified at the same time";
        arns_or_parent_missing(items, parent) = "You must specify either {items} ARNs or a {parent} ARN";
        names_and_arns_given(items, kind) = "{items} names and {kind} ARNs cannot be specified at the same time";
        group_selectors_given = "Target group names, target group ARNs, and a load balancer ARN cannot be specified at the same time";
        too_many_balancers_selected(max, count) = "Up to {max} load balancers can be described at a time, but {count} were specified";
        too_many_selected(max, items) = "You cannot describe more than '{max}' {items}s at a time";
        setting_missing(what) = "A {what} must be specified";
        given_twice(what, value) = "{what} '{value}' was provided multiple times";
        both_given(one, other) = "You cannot specify both '{one}' and '{other}'.";
        one_of_missing(one, other) = "You must specify either '{one}' or '{other}'.";
        resource_not_created = "The resource must be created before it is modified.";
        regex_invalid(value) = "'{value}' is not a valid regular expression.";
        cidr_invalid(value) = "'{value}' is not a valid CIDR block.";
        address_invalid(value, version) = "'{value}' is not a valid {version} address";

        group_name_too_long(name, max) = "Target group name '{name}' cannot be longer than '{max}' characters";
        group_name_characters(name) = "Target group name '{name}' can only contain characters that are alphanumeric characters or hyphens(-)";
        group_name_hyphen(name) = "Target group name '{name}' cannot begin or end with '-'";
        group_name_differs(name, other) = "Target group name '{name}' differs from the name '{other}'.";
        balancer_name_too_long(name, max) = "The load balancer name '{name}' cannot be longer than '{max}' characters";
        balancer_name_characters(name) = "The load balancer name '{name}' can only contain characters that are alphanumeric characters and hyphens(-)";
        balancer_name_hyphen(name) = "The load balancer name '{name}' cannot begin or end with '-'";
        balancer_name_reserved(name, prefix) = "The load balancer name '{name}' cannot begin with '{prefix}'";

        subnets_missing = "At least one subnet must be specified";
        too_few_zones = "At least two subnets in two different Availability Zones must be specified";
        subnet_removal(kind) = "Subnet removal is not supported for {kind} Load Balancers. You must specify all existing subnets along with any new ones";
        security_groups_missing = "At least one security group must be specified.";
        source_nat_prefix_invalid(value) = "'{value}' must be 'auto_assigned' or an IPv6 CIDR block with a prefix length of 80.";

        gateway_listener_setting(what) = "A {what} cannot be specified for gateway listeners";
        listener_protocol_unsupported(protocol, protocols) = "Listener protocol '{protocol}' must be one of '{protocols}'";
        certificate_missing(protocol) = "A certificate must be specified for {protocol} listeners";
        certificate_unsupported(protocol) = "A certificate cannot be specified for {protocol} listeners";
        ssl_policy_missing(protocol) = "An SSL policy must be specified for {protocol} listeners";
        // The provider spells it so.
        ssl_policy_unsupported(protocol) = "An SSL policy cannot be specifed for {protocol} listeners";
        certificate_is_default_given = "'IsDefault' cannot be specified for a certificate.";
        alpn_policy_count = "Exactly one ALPN policy must be specified.";
        verify_setting_given(field) = "'{field}' can only be specified for the mutual authentication mode 'verify'.";
        verify_trust_store_missing = "A trust store ARN must be specified for the mutual authentication mode 'verify'.";

        type_setting_unsupported(what, target_type) = "{what} cannot be specified for target groups with target type '{target_type}'";
        type_protocol_unsupported(protocol, target_type) = "Protocol '{protocol}' cannot be specified for target groups with target type '{target_type}'.";
        protocol_setting_unsupported(what, protocol) = "{what} cannot be specified for target groups with the {protocol} protocol.";
        protocol_setting_missing(what, protocol) = "{what} must be specified for target groups with the {protocol} protocol.";
        vpc_not_found(vpc) = "The VPC ID '{vpc}' is not found";
        geneve_port(port) = "Port must be '{port}' for target groups with the GENEVE protocol.";
        target_port_differs(port) = "Port must be '{port}', the port of the target group.";
        zone_missing(address) = "You must specify a valid Availability Zone or select 'all' for all enabled Availability zones, since the IP address '{address}' is outside the VPC";
        health_check_disabled(target_type) = "Health check enabled must be true for target groups with target type '{target_type}'";
        health_check_protocol_unsupported(protocol, protocols) = "Health check protocol '{protocol}' must be one of '{protocols}'";
        health_check_timeout_too_long = "Health check interval must be greater than the timeout.";
        health_check_path_invalid(path) = "Health check path '{path}' must begin with a '/' character.";
        health_check_port_invalid(port) = "Health check port '{port}' must be 'traffic-port' or a number between '1-65535' inclusive.";
        matcher_code_missing(kind) = "Health check matcher {kind} code cannot be empty";
        matcher_code_unsupported(kind) = "Health check matcher {kind} code cannot be specified for this target group.";
        matcher_code_invalid(kind, code, min, max) = "Health check matcher {kind} code '{code}' must be between '{min}-{max}' inclusive";

        attribute_not_recognized(kind, key) = "{kind} attribute key '{key}' is not recognized";
        attribute_not_in_range(key, value, min, max) = "'{key}' value '{value}' must be between '{min}-{max}' inclusive";
        attribute_not_one_of(key, value, values) = "'{key}' value '{value}' must be one of [{values}]";
        attribute_not_changeable(key, value) = "'{key}' must be '{value}' and cannot be changed.";
        attribute_prefix_reserved(key, value, prefix) = "'{key}' value '{value}' cannot begin with '{prefix}'.";
        failover_attributes_differ = "Target group attribute keys 'target_failover.on_unhealthy' and 'target_failover.on_deregistration' must both be set to the same value for this target group";

        conditions_missing = "A rule must have at least one condition.";
        condition_repeated(field) = "A rule can only have one '{field}' condition";
        too_many_condition_values(max) = "A rule can only have '{max}' condition values";
        too_many_condition_wildcards(max) = "A rule can only have '{max}' condition wildcards";
        condition_value_missing = "A condition value must be specified";
        condition_config_missing(config, field) = "A '{config}' must be specified with '{field}'";
        condition_setting_unsupported(setting, field) = "The '{setting}' field is not compatible with '{field}'";
        condition_values_given_twice(setting, config, field) = "You cannot provide both {setting} and '{config}' for a condition of type '{field}'";
        header_name_host = "The 'HttpHeaderName' value cannot be 'Host'; use a condition of type 'host-header'.";
        transform_repeated(kind) = "A rule can only have one transform of type '{kind}'.";
        transform_config_unsupported(config, kind) = "'{config}' cannot be specified for transforms of type '{kind}'.";
        transform_rewrite_count(kind) = "Exactly one rewrite must be specified for transforms of type '{kind}'.";

        actions_missing = "At least one action must be specified";
        stickiness_duration_missing = "'DurationSeconds' must be specified if target group stickiness is enabled.";
        claim_reserved(name) = "The claim '{name}' is always validated and cannot be specified as an additional claim.";
        claim_value_with_space(value) = "The claim value '{value}' cannot contain a space for the format 'space-separated-values'.";

        health_reason_given(health) = "'reason' cannot be specified for the health '{health}'.";
        health_reason_invalid(reasons) = "'reason' must be one of [{reasons}].";
    }
    /// The ALPN policy does not exist.
    ALPN_POLICY_NOT_FOUND = "ALPNPolicyNotFound", 400, NotFound {
        alpn_policy_not_found(name) = "ALPN policy '{name}' is not supported.";
    }
    /// The elastic IP address does not exist.
    ALLOCATION_ID_NOT_FOUND = "AllocationIdNotFound", 400, NotFound {
        allocation_not_found(id) = "The allocation ID '{id}' does not exist";
    }
    /// The trust store is not associated with the resource.
    ASSOCIATION_NOT_FOUND = "AssociationNotFound", 400, NotFound {
        association_not_found = "The specified association does not exist.";
    }
    /// The zone does not support load balancers of this type.
    ZONE_NOT_SUPPORTED = "AvailabilityZoneNotSupported", 400, Unsupported {
        zone_unsupported(zone, kind) = "Availability Zone '{zone}' is not supported for load balancers with type '{kind}'";
    }
    /// The object with the CA certificates bundle does not exist.
    BUNDLE_NOT_FOUND = "CaCertificatesBundleNotFound", 400, NotFound {
        bundle_not_found = "The specified ca certificate bundle does not exist.";
    }
    /// The capacity of the load balancer was decreased twice within a day.
    CAPACITY_DECREASES = "CapacityDecreaseRequestLimitExceeded", 400, LimitExceeded {
        too_many_capacity_decreases = "You've exceeded the daily capacity decrease limit for this reservation.";
    }
    /// A capacity reservation of the load balancer is pending.
    CAPACITY_PENDING = "CapacityReservationPending", 400, InState {
        capacity_pending = "There is a pending capacity reservation.";
    }
    /// The capacity units are more than a load balancer can reserve.
    CAPACITY_UNITS = "CapacityUnitsLimitExceeded", 400, LimitExceeded {
        too_many_capacity_units = "You've exceeded the capacity units limit.";
    }
    /// The certificate does not exist in this account and Region.
    CERTIFICATE_NOT_FOUND = "CertificateNotFound", 400, NotFound {
        certificate_not_found(arn) = "Certificate '{arn}' not found";
    }
    /// The association belongs to the account of the trust store: it ends with the listener, or by a change of the listener.
    SAME_ACCOUNT = "DeleteAssociationSameAccount", 400, Conflict {
        association_in_same_account = "The specified association can't be within the same account.";
    }
    /// The load balancer already has a listener on that port.
    DUPLICATE_LISTENER = "DuplicateListener", 400, AlreadyExists {
        listener_exists(balancer) = "A listener already exists on this port for this load balancer '{balancer}'";
    }
    /// A load balancer with that name and different settings exists.
    DUPLICATE_LOAD_BALANCER = "DuplicateLoadBalancerName", 400, AlreadyExists {
        balancer_exists(name) = "A load balancer with the same name '{name}' exists, but with different settings";
    }
    /// A tag key occurs twice.
    DUPLICATE_TAG_KEYS = "DuplicateTagKeys", 400, Invalid {
        duplicate_tag(key) = "Tag key '{key}' was specified more than once";
    }
    /// A target group with that name and different settings exists.
    DUPLICATE_TARGET_GROUP = "DuplicateTargetGroupName", 400, AlreadyExists {
        group_exists(name) = "A target group with the same name '{name}' exists, but with different settings";
    }
    /// A trust store with that name exists.
    DUPLICATE_TRUST_STORE = "DuplicateTrustStoreName", 400, AlreadyExists {
        trust_store_exists(name) = "A trust store with the same name '{name}' exists";
    }
    /// The health of targets is unavailable.
    HEALTH_UNAVAILABLE = "HealthUnavailable", 500, Internal {
        health_unavailable = "The health of the specified targets could not be retrieved due to an internal error.";
    }
    /// The protocols of listener and target group are incompatible.
    INCOMPATIBLE_PROTOCOLS = "IncompatibleProtocols", 400, Invalid {
        protocols_incompatible(group) = "The listener and the following target groups have incompatible protocols: '{group}'";
        balancer_targets_unsupported(protocol) = "Listener protocol '{protocol}' is not supported with a target group with the target type 'alb'";
        function_targets_unsupported(kind) = "Target groups with target type 'lambda' are not supported for load balancers with type '{kind}'";
    }
    /// The capacity is not available. The cloud in this process always has capacity.
    INSUFFICIENT_CAPACITY = "InsufficientCapacity", 500, Internal;
    /// The CA certificates bundle is invalid. The cloud in this process does not read bundles.
    INVALID_BUNDLE = "InvalidCaCertificatesBundle", 400, Invalid;
    /// The settings are incompatible.
    INVALID_CONFIGURATION = "InvalidConfigurationRequest", 400, Invalid {
        security_group_in_other_vpc(group, vpc) = "Security group '{group}' does not belong to VPC '{vpc}'";
        security_groups_on_gateway = "Security Groups are not supported for Gateway Load Balancers.";
        security_groups_added = "You cannot set security groups on a Network Load Balancer which was created without any security groups.";
        unsupported_for_type(what, kind) = "{what} are not supported for load balancers with type '{kind}'";
        unsupported_for_scheme(what, scheme) = "{what} are not supported for load balancers with scheme '{scheme}'";
        unsupported_for_address_type(what, address_type) = "{what} are not supported for load balancers with IP address type '{address_type}'";
        address_type_unsupported(address_type, kind, scheme) = "IP address type '{address_type}' is not supported for load balancers with type '{kind}' and scheme '{scheme}'.";
        source_nat_prefix_disabled = "Source NAT prefixes can only be specified if 'EnablePrefixForIpv6SourceNat' is 'on'.";
        zone_given_twice = "A load balancer cannot be attached to multiple subnets in the same Availability Zone";
        address_outside_subnet(address, subnet) = "The IP address '{address}' is not in the CIDR block of the subnet '{subnet}'.";
        capacity_with_tls_listener = "Capacity reservations are not supported for network load balancers with TLS listeners.";
        unsupported_for_listener(what, protocol) = "{what} cannot be specified for {protocol} listeners.";
        group_in_other_vpc(group, balancer) = "Target group '{group}' is in a different VPC than load balancer '{balancer}'";
        health_check_protocol_mismatch(protocol, group_protocol) = "Health check protocol '{protocol}' is not supported for target groups with the {group_protocol} protocol";
        unsupported_for_tcp_checks(what) = "{what} are not supported for TCP health checks";
        stickiness_type_unsupported(kind, protocol) = "Stickiness type '{kind}' is not supported for target groups with the {protocol} protocol";
        stickiness_on_tls = "You cannot enable stickiness on target groups with the TLS protocol";
        stickiness_cookie_missing = "You must set an application cookie name to enable stickiness of type 'app_cookie'";
        function_attribute_unsupported(key) = "A target group with target type 'lambda' does not support the attribute {key}";
        attribute_unsupported_for_type(key, kind) = "Load balancer attribute key '{key}' is not supported on load balancers with type '{kind}'";
        log_bucket_missing(key, enabled) = "'{key}' must be specified if '{enabled}' is 'true'.";
        anomaly_mitigation_algorithm = "'load_balancing.algorithm.anomaly_mitigation' can only be 'on' if 'load_balancing.algorithm.type' is 'weighted_random'.";
        draining_with_termination = "'target_health_state.unhealthy.draining_interval_seconds' can only be specified if 'target_health_state.unhealthy.connection_termination.enabled' is 'false'.";
    }
    /// An action is invalid, or the actions are incompatible.
    INVALID_ACTION = "InvalidLoadBalancerAction", 400, Invalid {
        action_type_unsupported(action, kind) = "The action type '{action}' is not valid with {kind} load balancer";
        action_count_on_type(kind) = "Only one action can be specified with {kind} load balancer.";
        routing_action_count = "The actions must include exactly one action of type 'forward', 'redirect' or 'fixed-response'.";
        routing_action_not_last = "The last action must be of type 'forward', 'redirect' or 'fixed-response'.";
        authenticating_action_count = "The actions can include only one action of type 'authenticate-oidc', 'authenticate-cognito' or 'jwt-validation'.";
        authentication_without_https(action) = "Actions of type '{action}' are supported only on HTTPS listeners";
        action_order_missing = "An order must be specified for each action if there is more than one.";
        action_order_repeated(order) = "Order '{order}' was provided multiple times";
        action_field_missing(action, field) = "For actions of type '{action}', you must specify the following fields: '{field}'";
        action_field_unsupported(action, field) = "For actions of type '{action}', you cannot specify the following fields: '{field}'";
        client_secrets_given = "You cannot specify both 'ClientSecret' and 'UseExistingClientSecret'.";
        client_secret_unknown(issuer, client) = "There is no existing client secret for the issuer '{issuer}' and the client ID '{client}'.";
        forward_groups_differ = "'ForwardConfig' must have the same target group as 'TargetGroupArn'.";
        too_many_forward_groups(max) = "An action can only have '{max}' target groups";
        forward_group_repeated(group) = "Target group '{group}' was provided multiple times";
        grpc_without_https(protocol) = "Listener protocol '{protocol}' is not supported with a target group with the protocol-version 'GRPC'";
        redirect_path_invalid(placeholders) = "The Path parameter must be a valid path, should start with a '/' and may contain up to one of each of these placeholders: {placeholders}.";
        redirect_part_invalid(part, placeholders) = "The {part} parameter may contain only these placeholders: {placeholders}.";
        redirect_port_invalid(placeholder) = "The Port parameter must be a number between '1-65535' inclusive, or '{placeholder}'.";
        redirect_to_http = "You cannot redirect HTTPS to HTTP";
        redirect_loop = "The redirect configuration is not valid because it creates a loop.";
    }
    /// The revocation file is invalid. The cloud in this process does not read revocation files.
    INVALID_REVOCATION = "InvalidRevocationContent", 400, Invalid;
    /// The load balancer cannot have that scheme.
    INVALID_SCHEME = "InvalidScheme", 400, Invalid {
        scheme_unsupported(kind) = "A scheme cannot be specified for load balancers with type '{kind}'.";
    }
    /// The security group does not exist.
    INVALID_SECURITY_GROUP = "InvalidSecurityGroup", 400, Invalid {
        security_group_not_found(group) = "The security group '{group}' does not exist";
    }
    /// A subnet is in another VPC or has too few free addresses.
    INVALID_SUBNET = "InvalidSubnet", 400, Invalid {
        subnet_in_other_vpc(subnet, vpc) = "Subnet '{subnet}' does not belong to VPC '{vpc}'";
        subnet_full(subnet, min) = "Not enough IP space available in {subnet}. ELB requires at least {min} free IP addresses in each subnet.";
    }
    /// The target does not exist or is invalid for the target group.
    INVALID_TARGET = "InvalidTarget", 400, Invalid {
        target_id_invalid(what, id) = "{what} '{id}' is not valid";
        target_address_invalid(address, version) = "The IP address '{address}' is not a valid {version} address";
        target_address_outside(address, vpc) = "The IP address '{address}' is neither in the VPC '{vpc}' nor in a private CIDR block.";
        instances_not_found(id) = "The following instances do not exist: '{id}'";
        targets_in_other_vpc(vpc, id) = "The following targets are not in the target group VPC '{vpc}': '{id}'";
        targets_not_running(id) = "The following targets are not in a running state and cannot be registered: '{id}'";
        target_balancer_not_found(arn) = "Load balancer '{arn}' not found";
        target_balancer_type(arn) = "Load balancer '{arn}' is not an application load balancer.";
        target_balancer_without_listener(arn, port) = "Load balancer '{arn}' does not have a listener on port '{port}'.";
        target_not_registered(id) = "The following targets are not registered: '{id}'";
    }
    /// The listener does not exist.
    LISTENER_NOT_FOUND = "ListenerNotFound", 400, NotFound {
        listeners_not_found = "One or more listeners not found";
    }
    /// The load balancer does not exist.
    LOAD_BALANCER_NOT_FOUND = "LoadBalancerNotFound", 400, NotFound {
        load_balancers_not_found(which) = "Load balancers '[{which}]' not found";
    }
    /// The operation is not permitted, for example because of deletion protection.
    NOT_PERMITTED = "OperationNotPermitted", 400, Protected {
        balancer_protected(arn) = "Load balancer '{arn}' cannot be deleted because deletion protection is enabled";
        default_rule_fixed(arn, change) = "Default rule '{arn}' cannot be {change}";
        default_certificate_fixed = "The default certificate of a listener cannot be removed.";
    }
    /// Another rule of the listener has that priority.
    PRIORITY_IN_USE = "PriorityInUse", 400, AlreadyExists {
        priority_in_use(priority) = "Priority '{priority}' is currently in use";
    }
    /// An earlier request is not complete. The cloud in this process completes each request at once.
    PRIOR_REQUEST = "PriorRequestNotComplete", 429, Throttled;
    /// The resource is in use.
    IN_USE = "ResourceInUse", 400, Conflict {
        group_in_use(arn) = "Target group '{arn}' is currently in use by a listener or a rule";
        balancer_in_use(arn) = "Load balancer '{arn}' is currently in use by a target group";
    }
    /// The resource does not exist.
    RESOURCE_NOT_FOUND = "ResourceNotFound", 400, NotFound {
        resource_not_found = "The specified resource does not exist.";
    }
    /// The object with the revocation file does not exist.
    REVOCATION_NOT_FOUND = "RevocationContentNotFound", 400, NotFound {
        revocation_not_found = "The specified revocation file does not exist.";
    }
    /// The trust store has no revocation file with that ID.
    REVOCATION_ID_NOT_FOUND = "RevocationIdNotFound", 400, NotFound {
        revocation_id_not_found = "The specified revocation ID does not exist.";
    }
    /// The rule does not exist.
    RULE_NOT_FOUND = "RuleNotFound", 400, NotFound {
        rules_not_found = "One or more rules not found";
    }
    /// The security policy does not exist.
    SSL_POLICY_NOT_FOUND = "SSLPolicyNotFound", 400, NotFound {
        ssl_policy_not_found(name) = "SSL policy '{name}' not found";
    }
    /// The subnet does not exist.
    SUBNET_NOT_FOUND = "SubnetNotFound", 400, NotFound {
        subnet_not_found(subnet) = "The subnet ID '{subnet}' does not exist";
    }
    /// The target group is used by another load balancer.
    ASSOCIATION_LIMIT = "TargetGroupAssociationLimit", 400, LimitExceeded {
        group_used_by_other_balancer(group) = "The following target groups cannot be associated with more than one load balancer: {group}";
    }
    /// The target group does not exist.
    TARGET_GROUP_NOT_FOUND = "TargetGroupNotFound", 400, NotFound {
        target_groups_not_found(which) = "Target groups '{which}' not found";
    }
    /// A rule or listener has too many actions.
    TOO_MANY_ACTIONS = "TooManyActions", 400, LimitExceeded {
        too_many_actions(max) = "A rule can only have '{max}' actions";
    }
    /// A listener has too many certificates.
    TOO_MANY_CERTIFICATES = "TooManyCertificates", 400, LimitExceeded {
        too_many_default_certificates = "A listener can only have one default certificate.";
        too_many_certificates = "The maximum number of certificates has been reached";
    }
    /// The load balancer has the maximum number of listeners.
    TOO_MANY_LISTENERS = "TooManyListeners", 400, LimitExceeded {
        too_many_listeners(balancer) = "The maximum number of listeners on load balancer {balancer} has been reached";
    }
    /// The account has the maximum number of load balancers.
    TOO_MANY_LOAD_BALANCERS = "TooManyLoadBalancers", 400, LimitExceeded {
        too_many_load_balancers = "The maximum number of load balancers has been reached";
    }
    /// The target has the maximum number of registrations.
    TOO_MANY_REGISTRATIONS = "TooManyRegistrationsForTargetId", 400, LimitExceeded {
        too_many_registrations(id) = "The maximum number of registrations has been reached for target '{id}'";
    }
    /// The load balancer has the maximum number of rules.
    TOO_MANY_RULES = "TooManyRules", 400, LimitExceeded {
        too_many_rules(balancer) = "The maximum number of rules on load balancer {balancer} has been reached";
    }
    /// The resource has the maximum number of tags.
    TOO_MANY_TAGS = "TooManyTags", 400, LimitExceeded {
        too_many_tags = "A maximum of 50 tags is allowed per resource";
    }
    /// The account has the maximum number of target groups.
    TOO_MANY_TARGET_GROUPS = "TooManyTargetGroups", 400, LimitExceeded {
        too_many_target_groups = "The maximum number of target groups has been reached";
    }
    /// The target group has the maximum number of targets.
    TOO_MANY_TARGETS = "TooManyTargets", 400, LimitExceeded {
        too_many_targets(max) = "The maximum number of targets per target group '{max}' has been reached";
    }
    /// The load balancer routes to the maximum number of target groups.
    TOO_MANY_UNIQUE_TARGET_GROUPS = "TooManyUniqueTargetGroupsPerLoadBalancer", 400, LimitExceeded {
        too_many_groups_of_balancer = "The maximum number of unique target groups per load balancer has been reached";
    }
    /// The trust store has the maximum number of revocation files.
    TOO_MANY_REVOCATIONS = "TooManyTrustStoreRevocationEntries", 400, LimitExceeded {
        too_many_revocations = "The specified trust store has too many revocation entries.";
    }
    /// The account has the maximum number of trust stores.
    TOO_MANY_TRUST_STORES = "TooManyTrustStores", 400, LimitExceeded {
        too_many_trust_stores = "The maximum number of trust stores has been reached";
    }
    /// A listener uses the trust store.
    TRUST_STORE_IN_USE = "TrustStoreInUse", 400, Conflict {
        trust_store_in_use = "The specified trust store is currently in use.";
    }
    /// The trust store does not exist.
    TRUST_STORE_NOT_FOUND = "TrustStoreNotFound", 400, NotFound {
        trust_stores_not_found = "One or more trust stores not found";
    }
    /// The trust store is not active.
    TRUST_STORE_NOT_READY = "TrustStoreNotReady", 400, InState {
        trust_store_not_ready = "The specified trust store is not active.";
    }
    /// The protocol is not supported. A protocol that the load balancer does not support is a `ValidationError`.
    UNSUPPORTED_PROTOCOL = "UnsupportedProtocol", 400, Unsupported;
}
