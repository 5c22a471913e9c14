//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "ValidationError", 400, Invalid {
        invalid_marker = "Invalid Marker.";
        invalid_tag(key) = "The tag with key {key} is not valid.";
        user_not_created = "The user must be created before it is updated.";
        role_not_created = "The role must be created before it is updated.";
        policy_not_created = "The policy must be created before it is updated.";
        arn_not_parsed = "Invalid ARN:  Could not be parsed!";
        group_not_created = "The group must be created before it is updated.";
    }
    /// A value is not allowed.
    INVALID_INPUT = "InvalidInput", 400, Invalid {
        duplicate_tag = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        arn_invalid(arn) = "ARN {arn} is not valid.";
        status_not_settable(status) = "The status {status} cannot be set.";
    }
    /// The user, group, role, policy or key does not exist.
    NOT_FOUND = "NoSuchEntity", 404, NotFound {
        user_not_found(name) = "The user with name {name} cannot be found.";
        group_not_found(name) = "The group with name {name} cannot be found.";
        instance_profile_not_found(name) = "Instance Profile {name} cannot be found.";
        role_not_found(name) = "The role with name {name} cannot be found.";
        policy_not_found(arn) = "Policy {arn} was not found.";
        policy_not_attachable(arn) = "Policy {arn} does not exist or is not attachable.";
        policy_version_not_found(arn, version) = "Policy {arn} version {version} does not exist or is not attachable.";
        inline_policy_not_found(kind, name) = "The {kind} policy with name {name} cannot be found.";
        access_key_not_found(id) = "The Access Key with id {id} cannot be found";
    }
    /// A policy document is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocument", 400, Invalid {
        policy_not_json = "This policy contains invalid Json";
        policy_syntax = "Syntax errors in policy.";
        policy_sid_repeated = "Statement IDs (SID) in a single policy must be unique.";
        policy_without_actions = "Policy statement must contain actions.";
        policy_without_resources = "Policy statement must contain resources.";
        policy_principal(kind, name) = "Invalid principal in policy: \"{kind}\":\"{name}\"";
        policy_resource(resource) = "Resource {resource} must be in ARN format or \"*\".";
        policy_with_principal = "Policy document should not specify a principal.";
        trust_policy_with_resource(field) = "Has prohibited field {field}";
        trust_policy_without_principal = "Missing required field Principal";
        trust_policy_action = "AssumeRole policy may only specify STS AssumeRole actions.";
        policy_action_without_vendor = "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.";
    }
    /// A user, group, role or policy with this name already exists.
    EXISTS = "EntityAlreadyExists", 409, AlreadyExists {
        user_exists(name) = "User with name {name} already exists.";
        policy_exists(name) = "A policy called {name} already exists. Duplicate names are not allowed.";
        instance_profile_exists(name) = "Instance Profile {name} already exists.";
        role_exists(name) = "Role with name {name} already exists.";
        group_exists(name) = "Group with name {name} already exists.";
    }
    /// Something that belongs to the entity must be removed before it.
    DELETE_CONFLICT = "DeleteConflict", 409, Conflict {
        has_members = "Cannot delete entity, must remove users from group first.";
        role_in_instance_profile = "Cannot delete entity, must remove roles from instance profile first.";
        has_attached_policies = "Cannot delete entity, must detach all policies first.";
        has_inline_policies = "Cannot delete entity, must delete policies first.";
        policy_attached = "Cannot delete a policy attached to entities.";
        policy_has_versions = "This policy has more than one version. Before you delete a policy, you must delete the policy's versions. The default version is deleted with the policy.";
        default_version = "Cannot delete the default version of a policy.";
        has_access_keys = "Cannot delete entity, must delete access keys first.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceeded", 409, LimitExceeded {
        quota_exceeded(quota, max) = "Cannot exceed quota for {quota}: {max}";
        too_many_versions(max) = "A managed policy can have up to {max} versions. Before you create a new version, you must delete an existing version.";
        inline_policies_too_long(max, kind, name) = "Maximum policy size of {max} bytes exceeded for {kind} {name}";
        too_many_tags = "The number of tags has reached the maximum limit.";
    }
}
