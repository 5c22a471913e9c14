//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "ValidationError", 400, Invalid {
        invalid_marker = "Invalid Marker.";
        invalid_tag(key) = "The tag with key {key} is not valid.";
        user_not_created = "The user must be created before it is updated.";
        group_not_created = "The group must be created before it is updated.";
    }
    /// A value is not allowed.
    INVALID_INPUT = "InvalidInput", 400, Invalid {
        duplicate_tag = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        status_not_settable(status) = "The status {status} cannot be set.";
    }
    /// The user, group, role, policy or key does not exist.
    NOT_FOUND = "NoSuchEntity", 404, NotFound {
        user_not_found(name) = "The user with name {name} cannot be found.";
        group_not_found(name) = "The group with name {name} cannot be found.";
        access_key_not_found(id) = "The Access Key with id {id} cannot be found";
    }
    /// A user, group, role or policy with this name already exists.
    EXISTS = "EntityAlreadyExists", 409, AlreadyExists {
        user_exists(name) = "User with name {name} already exists.";
        group_exists(name) = "Group with name {name} already exists.";
    }
    /// Something that belongs to the entity must be removed before it.
    DELETE_CONFLICT = "DeleteConflict", 409, Conflict {
        has_members = "Cannot delete entity, must remove users from group first.";
        has_access_keys = "Cannot delete entity, must delete access keys first.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceeded", 409, LimitExceeded {
        quota_exceeded(quota, max) = "Cannot exceed quota for {quota}: {max}";
        too_many_tags = "The number of tags has reached the maximum limit.";
    }
}
