//! Error codes of the service, with the texts that it sends.

nephos_core::codes! {
    /// A parameter, or a combination of parameters, is invalid.
    INVALID = "InvalidParameterException", 400, Invalid {
        identifier_invalid(identifier) = "1 validation error detected: Value '{identifier}' at 'logGroupIdentifier' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\w#+=/:,.@-]*";
        log_group_name_missing = "1 validation error detected: Value null at 'logGroupName' failed to satisfy constraint: Member must not be null";
        reserved_log_group_name = "Log groups starting with AWS/ are reserved for AWS.";
        log_group_name_or_arn_missing = "Either LogGroup name or LogGroup ARN is required.";
        name_too_long = "Invalid LogGroup or LogStream, both must have length less than or equal to 512.";
        not_a_log_group_arn = "The specified ARN is not a valid log group ARN.";
        not_a_taggable_arn = "The specified resourceArn is not the ARN of a log group or destination.";
        key_not_allowed(arn) = "The specified KMS key does not exist or is not allowed to be used with Arn '{arn}'";
        kms_key_not_found = "The specified KMS Key Id could not be found.";
        fixed_retention = "The retention of log groups in the DELIVERY log class cannot be changed.";
        prefix_and_pattern_given = "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.";
        given_with_identifiers(member) = "LogGroup identifiers and {member} are mutually exclusive parameters.";
        linked_accounts_not_included = "Account identifiers can only be specified if includeLinkedAccounts is true.";
        linked_group_without_arn = "LogGroup identifiers must be ARNs if includeLinkedAccounts is true.";
        account_not_linked(account) = "Account {account} is not linked to this account.";
        several_accounts_given = "Only one account ID can be specified in accountIdentifiers.";
        prefix_with_last_event_time = "Cannot order by LastEventTime with a logStreamNamePrefix.";
        invalid_next_token = "The specified nextToken is invalid.";
        invalid_tag(key) = "The tag key '{key}' or its value is not valid.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        duplicate_tag(key) = "Duplicate tag key '{key}' specified.";
        invalid_time_range = "The specified startTime must be less than or equal to endTime.";
        early_start_from_tail = "The specified startTime must be on or after January 1, 2024 if startFromHead is false.";
        stream_names_and_prefix_given = "LogStream names and LogStream name prefix are mutually exclusive parameters.";
        batch_too_large(bytes, limit) = "Upload too large: {bytes} bytes exceeds limit of {limit}";
        batch_not_chronological = "Log events in a single PutLogEvents request must be in chronological order.";
        batch_spans_too_long = "The batch of log events in a single PutLogEvents request cannot span more than 24 hours.";
        unclosed_filter_pattern(open, close) = "If a filter pattern starts with '{open}' it must end with '{close}'";
        invalid_term(term) = "Invalid character(s) in term '{term}'";
        invalid_filter_pattern = "Invalid filter pattern";
        invalid_metric_filter_pattern = "Invalid metric filter pattern";
        invalid_subscription_filter_pattern = "Invalid subscription filter pattern";
        invalid_metric_value(value) = "Invalid metric transformation: metric value '{value}' is neither a number nor a field of the filter pattern";
        dimensions_and_default_value_given = "Invalid metric transformation: dimensions and default value are mutually exclusive properties";
        invalid_dimension_name = "Invalid metric transformation: dimension names must have 1 to 255 characters";
        invalid_dimension_value(value) = "Invalid metric transformation: dimension value '{value}' is not a field of the filter pattern";
        too_many_dimensions = "Invalid metric transformation: a metric can have at most 3 dimensions, including emitSystemFieldDimensions";
        invalid_system_fields(supported) = "The provided system fields are invalid. The supported system fields are - [{supported}]";
        metric_name_without_namespace = "Both metricName and metricNamespace must be specified.";
        invalid_destination_arn = "The specified destinationArn is not a valid ARN.";
        unsupported_destination(vendor) = "PutSubscriptionFilter operation cannot work with destinationArn for vendor {vendor}";
        destination_role_missing(vendor) = "destinationArn for vendor {vendor} cannot be used without roleArn";
        destination_role_given(vendor) = "destinationArn for vendor {vendor} cannot be used with roleArn";
        invalid_role_arn = "The specified roleArn is not the ARN of an IAM role.";
        destination_not_reachable = "Could not deliver test message to specified destination. Check if the destination is valid.";
        destination_of_policy_not_found = "The specified destination does not exist.";
        access_policy_too_long = "The access policy cannot be larger than 5120 bytes.";
        organization_without_force_update = "The parameter forceUpdate must be true to grant access to an organization instead of accounts.";
        invalid_access_policy = "Invalid access policy.";
        invalid_resource_policy = "Could not convert to persistable policy.";
        resource_arn_with_account_scope = "A resourceArn cannot be specified with policyScope ACCOUNT.";
        revision_without_resource = "An expectedRevisionId can only be specified with a resourceArn.";
        revision_missing = "An expectedRevisionId is required for an existing resource policy of a log group.";
        invalid_data_protection_policy = "The specified data protection policy is not valid.";
        invalid_data_protection_policy_name = "Policy Name can only include alphanumeric characters, hyphens (-) and underscores (_)";
        selection_criteria_not_supported(policy_type) = "The parameter selectionCriteria is not supported for policyType {policy_type}.";
        dry_run_not_supported(policy_type) = "The parameter dryRun is not supported for policyType {policy_type}.";
    }
    /// The log group, log stream, filter, policy or destination does not exist.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound {
        log_group_not_found = "The specified log group does not exist.";
        log_stream_not_found = "The specified log stream does not exist.";
        metric_filter_not_found = "The specified metric filter does not exist.";
        subscription_filter_not_found = "The specified subscription filter does not exist.";
        destination_not_found = "The specified destination does not exist.";
        data_protection_policy_not_found = "The specified log group does not have a data protection policy.";
        policy_not_found(name) = "Policy with name [{name}] does not exist.";
    }
    /// A log group, log stream, filter or destination with this name already exists.
    EXISTS = "ResourceAlreadyExistsException", 400, AlreadyExists {
        log_group_exists = "The specified log group already exists";
        log_stream_exists = "The specified log stream already exists";
        metric_filter_exists = "The specified metric filter already exists";
        subscription_filter_exists = "The specified subscription filter already exists";
        destination_exists = "The specified destination already exists";
    }
    /// The log group is protected from deletion.
    PROTECTED = "ValidationException", 400, Protected {
        deletion_protected = "Cannot delete log group with deletion protection enabled. Disable deletion protection first.";
    }
    /// The log group is named twice.
    VALIDATION = "ValidationException", 400, Invalid {
        log_group_name_and_arn_given = "LogGroup name and LogGroup ARN are mutually exclusive parameters.";
    }
    /// The log group does not support this operation.
    INVALID_OPERATION = "InvalidOperationException", 400, InState {
        class_not_supported(operation, class) = "{operation} is not supported for log groups in the {class} log class.";
    }
    /// The caller is not authorized to do this.
    DENIED = "AccessDeniedException", 400, Denied {
        key_denied(arn) = "The specified KMS key does not exist or is not allowed to be used with Arn '{arn}'";
        function_of_other_account = "Cross-account lambda invocation passing is not allowed. You must use DestinationPolicies to create cross account lambda triggers.";
        destination_access_denied(account, arn) = "User with accountId: {account} is not authorized to perform: logs:PutSubscriptionFilter on resource: {arn}";
    }
    /// The resource was changed meanwhile: read it again, and retry.
    ABORTED = "OperationAbortedException", 400, Conflict {
        revision_mismatch = "The specified expectedRevisionId does not match the revision of the resource policy.";
    }
    /// The log group or destination would have more than 50 tags.
    TOO_MANY_TAGS = "TooManyTagsException", 400, LimitExceeded {
        too_many_tags = "The resource has more than 50 tags.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        limit_exceeded = "Resource limit exceeded.";
    }
    /// The service is unavailable.
    UNAVAILABLE = "ServiceUnavailableException", 500, Internal;
}
