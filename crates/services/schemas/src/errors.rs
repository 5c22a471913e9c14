//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter or document is invalid, or parameters cannot be combined.
    INVALID = "BadRequestException", 400, Invalid {
        registry_name_missing = "RegistryName is required.";
        registry_name_reserved(name) = "Registry name {name} is reserved.";
        registry_not_empty(name) = "Registry with name {name} is not empty.";
        only_version(version) = "Version {version} is the only version of the schema and cannot be deleted.";
        member_missing(member) = "{member} is required.";
        type_unknown(value) = "1 validation error detected: Value '{value}' at 'type' failed to satisfy constraint: Member must satisfy enum value set: [OpenApi3, JSONSchemaDraft4]";
        language_unknown(value) = "1 validation error detected: Value '{value}' at 'language' failed to satisfy constraint: Member must satisfy enum value set: [Python36, Java8, TypeScript3, Go1]";
        content_not_json = "Schema content is not valid JSON.";
        content_invalid = "Schema content is not valid.";
        content_invalid_at(path) = "Schema content is not valid at {path}.";
        export_type_unsupported(from, to) = "A schema of type {from} cannot be exported as {to}.";
        keywords_missing = "Keywords must contain at least one keyword.";
        event_not_json = "Event is not valid JSON.";
        event_no_object = "Event must be a JSON object.";
        event_member_missing(name) = "Event has no {name}.";
        event_too_complex = "The schema of the event is too large.";
        event_bus_arn_invalid(arn) = "SourceArn {arn} is not the ARN of an event bus.";
        event_bus_of_other_region(arn) = "Event bus {arn} is not in this Region.";
        event_bus_of_other_account(arn) = "Event bus {arn} does not belong to this account.";
        policy_malformed = "Policy is not a valid policy document.";
        resource_arn_invalid(arn) = "ResourceArn {arn} is not the ARN of a registry, schema or discoverer.";
        invalid_next_token = "The NextToken is not valid.";
        invalid_tag(key) = "The tag key {key} or its value is not valid.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        duplicate_tag(key) = "Duplicate tag key {key}.";
        too_many_tags = "A resource can have at most 50 tags.";
    }
    /// The caller is not authenticated.
    UNAUTHORIZED = "UnauthorizedException", 401, Denied;
    /// Access is denied, or the registry or schema belongs to the provider.
    FORBIDDEN = "ForbiddenException", 403, Denied {
        provider_owned = "You cannot modify AWS managed registries or schemas.";
        rule_refused = "The rule of the discoverer cannot be created on the event bus.";
    }
    /// The registry, schema, version, discoverer, code binding or policy does not exist.
    NOT_FOUND = "NotFoundException", 404, NotFound {
        registry_not_found(name) = "Registry with name {name} does not exist.";
        schema_not_found(name) = "Schema with name {name} does not exist.";
        version_not_found(schema, version) = "Schema with name {schema} and version {version} does not exist.";
        discoverer_not_found(id) = "Discoverer with id {id} does not exist.";
        binding_not_found(language, schema, version) = "Code binding for language {language} of schema with name {schema} and version {version} does not exist.";
        policy_not_found(name) = "Policy for registry with name {name} does not exist.";
        resource_not_found(arn) = "Resource {arn} does not exist.";
    }
    /// A resource with this name, or a discoverer for this event bus, already exists.
    EXISTS = "ConflictException", 409, AlreadyExists {
        registry_exists(name) = "Registry with name {name} already exists.";
        schema_exists(name) = "Schema with name {name} already exists.";
        discoverer_exists(arn) = "Discoverer for event bus {arn} already exists.";
    }
    /// The resource is no longer available.
    GONE = "GoneException", 410, InState;
    /// A precondition of the request is not met.
    PRECONDITION_FAILED = "PreconditionFailedException", 412, Conflict {
        revision_mismatch(id) = "RevisionId {id} does not match the current revision of the policy.";
    }
    /// The request rate is too high.
    THROTTLED = "TooManyRequestsException", 429, Throttled;
    /// The service failed.
    INTERNAL = "InternalServerErrorException", 500, Internal;
    /// The service is unavailable.
    UNAVAILABLE = "ServiceUnavailableException", 503, Internal;
}
