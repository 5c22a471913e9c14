//! Error codes of the service, and its texts on the wire.

nephos_core::codes! {
    /// A parameter is invalid, or parameters cannot be combined.
    INVALID = "InvalidParameterException", 400, Invalid {
        invalid_next_token = "Invalid token.";
        invalid_name(what) =
            "{what} can have a maximum of 255 characters. Only letters, numbers, hyphens and underscores are allowed.";
        service_exists = "Creation of service was not idempotent.";
        service_is_scaled = "The service cannot be stopped while it is scaled above 0.";
        invalid_arn(arn) = "Invalid arn syntax: {arn}";
        too_many_names(max) = "A maximum of {max} names can be described in one request.";
        invalid_tag(key) = "The tag key {key} or its value is not valid.";
        reserved_tag(key) = "The tag key {key} is reserved.";
        duplicate_tag(key) = "Duplicate tag key {key}.";
        too_many_tags = "A resource can have a maximum of 50 tags.";
    }
    /// The request cannot be carried out.
    CLIENT = "ClientException", 400, Invalid {
        family_invalid =
            "Family contains invalid characters.";
        containers_missing = "Container list cannot be empty.";
        container_name_missing = "Container.name should not be null or empty.";
        container_image_missing = "Container.image should not be null or empty.";
        container_repeated(name) = "Container names must be unique: {name}";
        definition_not_found = "Unable to describe task definition.";
        definition_missing = "TaskDefinition not found.";
        definition_inactive = "TaskDefinition is inactive";
        definition_needed = "Task definition can not be blank.";
    }
    /// The cluster does not exist.
    CLUSTER_NOT_FOUND = "ClusterNotFoundException", 400, NotFound {
        cluster_not_found = "Cluster not found.";
    }
    /// The cluster has services.
    CLUSTER_CONTAINS_SERVICES = "ClusterContainsServicesException", 400, Conflict {
        cluster_contains_services = "The Cluster cannot be deleted while Services are active.";
    }
    /// The service does not exist.
    SERVICE_NOT_FOUND = "ServiceNotFoundException", 400, NotFound {
        service_not_found = "Service not found.";
    }
    /// The service is being deleted.
    SERVICE_NOT_ACTIVE = "ServiceNotActiveException", 400, InState {
        service_not_active = "Service was not ACTIVE.";
    }
    /// The resource does not exist.
    RESOURCE_NOT_FOUND = "ResourceNotFoundException", 400, NotFound {
        resource_not_found = "The specified resource cannot be found.";
    }
    /// Access is denied.
    DENIED = "AccessDeniedException", 400, Denied;
    /// The service failed.
    INTERNAL = "ServerException", 500, Internal;
}
