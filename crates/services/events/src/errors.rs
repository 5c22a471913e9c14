//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule, or parameters cannot be combined.
    VALIDATION = "ValidationException", 400, Invalid {
        invalid_next_token = "Parameter NextToken is not valid.";
        bus_name_has_slash = "Event bus name must not contain '/'.";
        default_bus_not_deletable = "Cannot delete event bus default.";
        bus_has_rules = "EventBus can't be deleted since it has rules.";
        pattern_or_schedule_missing = "Parameter(s) EventPattern or ScheduleExpression must be specified.";
        schedule_on_custom_bus = "ScheduleExpression is supported only on the default event bus.";
        schedule_invalid = "Parameter ScheduleExpression is not valid.";
        rule_has_targets = "Rule can't be deleted since it has targets.";
        auth_member_missing(path) =
            "1 validation error detected: Value null at 'authParameters.{path}' failed to satisfy constraint: Member must not be null";
        rule_missing =
            "1 validation error detected: Value null at 'rule' failed to satisfy constraint: Member must not be null";
        target_arn_invalid(arn) = "Parameter {arn} is not valid. Reason: Provided Arn is not in correct format.";
        target_parameters_missing(name, id) = "Parameter(s) {name} must be specified for target: {id}.";
        dead_letter_queue_invalid =
            "Parameter DeadLetterConfig.Arn is not valid. Reason: Must contain an SQS queue ARN.";
        dead_letter_queue_is_fifo =
            "Parameter DeadLetterConfig.Arn is not valid. Reason: FIFO queues are not supported.";
        role_required(arn) = "RoleArn is required for target {arn}.";
        ecs_parameters_invalid(id, reason) = "EcsParameters for target {id} is not valid. Reason: {reason}.";
        inputs_given(id) = "Only one of Input, InputPath, or InputTransformer must be provided for target {id}.";
        input_not_json(id) = "JSON syntax error in input for target {id}";
        path_invalid(name, id) = "Invalid {name} for target {id}.";
        variable_name_invalid(id, name) = "InputPathsMap for target {id} contains invalid key {name}.";
        placeholder_invalid(id, name) = "InputTemplate for target {id} contains invalid placeholder {name}.";
        placeholder_needs_object(id, name) =
            "InputTemplate for target {id} contains placeholder {name} valid only for JSON template.";
        template_invalid(id) = "Invalid InputTemplate for target {id}.";
        event_invalid = "Parameter Event is not valid.";
        rule_not_managed(name) = "Rule {name} is not managed by a service.";
        entries_too_large = "Total size of the entries in the request is over the limit.";
        permission_action_unsupported = "Provided value in parameter 'action' is not supported.";
        permission_incomplete(names) = "Parameter(s) {names} must be specified.";
        permission_forms_given = "Action, Principal, StatementId and Condition could not be combined with Policy parameter.";
        statement_and_all_given = "StatementId could not be combined with All parameter.";
        condition_part_unsupported(part) = "Provided value in parameter 'condition.{part}' is not supported.";
        condition_value_invalid = "Provided value in parameter 'condition.value' is invalid.";
        policy_not_json = "This policy contains invalid Json";
        not_a_policy = "This text appears not to be a policy";
        policy_field_missing(field) = "Missing required field {field}";
        policy_without_statements = "Could not parse the policy: Statement is empty!";
        condition_of_account = "Parameter Condition is not valid. Reason: Only the principal * is supported.";
        malformed_policy = "Parameter Policy is not valid. Reason: The policy document is malformed.";
        invalid_tag(key) = "Tag key or value is not valid: {key}";
        reserved_tag = "Tag keys starting with 'aws:' are reserved for system use.";
        duplicate_tag(key) = "Duplicate tag key: {key}";
        too_many_tags = "A resource can have at most 50 tags.";
        archive_of_replay_not_found(name) =
            "Parameter EventSourceArn is not valid. Reason: Archive {name} does not exist.";
        archive_pattern_removed = "The event pattern of an archive cannot be removed.";
        destination_not_bus = "Parameter Destination.Arn is not valid. Reason: Must contain an event bus ARN.";
        destination_other_bus =
            "Parameter Destination.Arn is not valid. Reason: Cross event bus replay is not permitted.";
        times_reversed =
            "Parameter EventEndTime is not valid. Reason: EventStartTime must be before EventEndTime.";
        filters_given(operation) =
            "At most one filter is allowed for {operation}. Use either : State, EventSourceArn, or NamePrefix.";
        auth_parameters_of_other_type(parameters, ty) =
            "Parameter {parameters} cannot be specified with the authorization type {ty}.";
        endpoint_invalid(name) = "Parameter {name} is not valid. Reason: It must be a URL that begins with https:// or http://.";
        connection_update_incomplete = "Failed to update the connection(s). At least one of the following is required: Description, KmsKeyIdentifier, AuthorizationType with BasicAuthParameters, ApiKeyAuthParameters, or OAuthParameters.";
        secret_not_stored(reason) = "The secret of the connection cannot be stored. Reason: {reason}";
        resource_arn_invalid = "Parameter ResourceARN is not valid. Reason: Provided Arn is not in correct format.";
    }
    /// A bus, rule or other thing that does not exist.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound {
        bus_not_found(name) = "Event bus {name} does not exist.";
        rule_not_found(rule, bus) = "Rule {rule} does not exist on EventBus {bus}.";
        target_not_found(rule, id) = "Rule '{rule}' does not have a target with the Id '{id}'.";
        source_not_found(name) = "Event source {name} does not exist.";
        archive_not_found(name) = "Archive {name} does not exist.";
        replay_not_found(name) = "Replay {name} does not exist.";
        connection_not_found(name) = "Failed to describe the connection(s). Connection '{name}' does not exist.";
        api_destination_not_found(name) =
            "Failed to describe the api-destination(s). An api-destination '{name}' does not exist.";
        resource_configuration_not_found(arn) = "Resource configuration {arn} does not exist.";
        statement_not_found = "Statement with the provided id does not exist.";
    }
    /// A bus, archive, replay, connection or API destination with this name exists.
    EXISTS = "ResourceAlreadyExistsException", 400, AlreadyExists {
        bus_exists(name) = "Event bus {name} already exists.";
        rule_exists(name) = "Rule {name} already exists.";
        archive_exists(name) = "Archive {name} already exists.";
        replay_exists(name) = "Replay {name} already exists.";
        connection_exists(name) = "Connection {name} already exists.";
        api_destination_exists(name) = "An api-destination '{name}' already exists.";
    }
    /// A replay has ended.
    ILLEGAL_STATUS = "IllegalStatusException", 400, InState {
        replay_not_cancellable(name) = "Replay {name} is not in a valid state for this operation.";
    }
    /// An archive is in use by a replay, or a connection is being deleted.
    CONCURRENT_MODIFICATION = "ConcurrentModificationException", 400, Conflict {
        archive_in_use = "There is concurrent modification on a rule, target, archive, or replay.";
        connection_deleting(name) = "Connection {name} is being deleted.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        too_many = "The requested resource exceeds the maximum number allowed.";
    }
    /// The cloud lacks a service that is needed.
    INTERNAL = "InternalException", 500, Unsupported {
        secrets_not_available = "Connections keep their authorization in secrets, and this cloud has no secrets service.";
    }
    /// An event pattern is not valid.
    INVALID_PATTERN = "InvalidEventPatternException", 400, Invalid {
        pattern_invalid(reason) = "Event pattern is not valid. Reason: {reason}";
    }
    /// A rule that a service manages cannot be changed.
    MANAGED_RULE = "ManagedRuleException", 400, Protected {
        rule_managed(rule) = "Rule '{rule}' is managed by an AWS service can only be modified if force is True.";
    }
    /// An entry lacks a member, or has an invalid one. Only in answers, for one entry.
    INVALID_ARGUMENT = "InvalidArgument", 400, Invalid {
        detail_type_too_long(max) =
            "Parameter DetailType is not valid. Reason: DetailType must have at most {max} characters.";
        argument_missing(name) = "Parameter {name} is not valid. Reason: {name} is a required argument.";
    }
    /// The detail of an entry is no JSON object. Only in answers, for one entry.
    MALFORMED_DETAIL = "MalformedDetail", 400, Invalid {
        malformed_detail = "Detail is malformed.";
    }
    /// The source of an entry is reserved for the provider. Only in answers, for one entry.
    NOT_AUTHORIZED_FOR_SOURCE = "NotAuthorizedForSourceException", 400, Denied {
        not_authorized_for_source = "Not authorized for the source.";
    }
    /// A bus of another account does not allow the request.
    ACCESS_DENIED = "AccessDeniedException", 400, Denied {
        bus_of_other_account(user, action, arn) =
            "User: {user} is not authorized to perform: events:{action} on resource: {arn} because no resource-based policy allows the events:{action} action";
    }
    /// The policy of a bus is too long.
    POLICY_TOO_LONG = "PolicyLengthExceededException", 400, Invalid {
        policy_too_long = "The policy exceeds the maximum length of 10240 characters.";
    }
}

/// Returns the error that an answer has for one entry of a request.
pub(crate) fn of_entry(code: Option<&str>, message: Option<&str>) -> nephos_core::Error {
    let known = ALL.iter().find(|known| Some(known.code) == code);
    known.unwrap_or(&&VALIDATION).with_message(message.unwrap_or_default())
}
