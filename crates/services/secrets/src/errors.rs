//! Error codes of the service, and its texts on the wire.

nephos_core::codes! {
    /// A parameter is invalid, or parameters cannot be combined.
    INVALID = "InvalidParameterException", 400, Invalid {
        replica_is_read_only =
            "Operation not permitted on a replica secret. Call must be made in primary secret's region.";
        secret_has_replicas(arn, regions) =
            "You can't delete secret {arn} that still has replica regions [{regions}].";
        replica_region_invalid = "Invalid replica region.";
        replica_region_repeated(region) = "You can't specify replica region {region} more than once.";
        replica_exists(region) = "The secret already has a replica in region {region}.";
        replica_missing(region) = "The secret has no replica in region {region}.";
        ids_or_filters_needed = "Either 'SecretIdList' or 'Filters' must be provided, but not both.";
        filters_needed(member) =
            "'Filters' not specified. 'Filters' must also be specified when '{member}' is provided.";
        forced_deletion_with_window =
            "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.";
        recovery_window_out_of_range =
            "The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).";
        password_too_short = "Password length is too short based on the required types.";
        text_and_binary_given =
            "You can't specify both a binary secret value and a string secret value in the same secret.";
        value_too_long(max) = "The secret value can't be longer than {max} bytes.";
        rotation_without_client_token =
            "You must provide a ClientRequestToken value. We recommend a UUID-type value.";
        token_without_value =
            "You can't specify ClientRequestToken without SecretString or SecretBinary.";
        version_id_needed = "You must specify MoveToVersionId, RemoveFromVersionId, or both.";
        label_is_attached(label, version) =
            "The parameter RemoveFromVersionId can't be empty. Staging label {label} is currently attached to version \
             {version}, so you must explicitly reference that version in RemoveFromVersionId.";
        label_is_not_attached(label) =
            "When you move staging label {label}, if you specify RemoveFromVersionId, it must be set to the version that \
             currently has the staging label {label}.";
        current_label_removed =
            "You can't remove staging label AWSCURRENT. Use MoveToVersionId to move it to another version.";
        rotation_days_and_schedule =
            "You cannot specify both rotation frequency and schedule expression together.";
        rotation_schedule_needed =
            "You must specify either AutomaticallyAfterDays or ScheduleExpression in RotationRules.";
        rotation_schedule_invalid(expression) = "The ScheduleExpression {expression} is not valid.";
        rotation_duration_invalid(duration) = "The Duration {duration} is not valid.";
        invalid_tag(key) = "The tag key '{key}' or its value isn't valid.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        duplicate_tag(key) = "You can't use the tag key '{key}' more than once.";
        too_many_tags = "You can't attach more than 50 tags to a secret.";
    }
    /// A parameter breaks the rule of its member, or a name contains a character that is not allowed.
    VALIDATION = "ValidationException", 400, Invalid {
        invalid_name =
            "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!";
    }
    /// The operation is not allowed in the current state of the secret.
    INVALID_REQUEST = "InvalidRequestException", 400, InState {
        name_scheduled_for_deletion =
            "You can't create this secret because a secret with this name is already scheduled for deletion.";
        secret_marked_for_deletion =
            "You can't perform this operation on the secret because it was marked for deletion.";
        secret_is_managed(service) = "Operation is not allowed on secret owned by {service}";
        not_a_replica = "You can't stop replication to a secret that is not a replica.";
        default_key_of_other_account =
            "You can't access a secret from a different AWS account if you encrypt the secret with the default KMS \
             service key.";
        client_token_missing =
            "You must provide a ClientRequestToken value. We recommend a UUID-type value.";
        value_missing = "You must provide either SecretString or SecretBinary.";
        label_of_other_version =
            "You provided a VersionStage that is not associated to the provided VersionId.";
        version_has_no_value(version) =
            "You can't move staging label AWSCURRENT to version {version} because it has no secret value.";
        no_rotation_function = "No Lambda rotation function ARN is associated with this secret.";
        rotation_in_progress = "A previous rotation isn't complete. That rotation will be reattempted.";
        rotation_token_invalid = "The RotationToken is not valid for this secret.";
        all_characters_excluded = "You can't generate a password because all characters are excluded.";
    }
    /// The secret, version or label does not exist.
    NOT_FOUND = "ResourceNotFoundException", 400, NotFound {
        secret_not_found = "Secrets Manager can't find the specified secret.";
        label_not_found(label) =
            "Secrets Manager can't find the specified secret value for staging label: {label}";
        version_not_found(version) =
            "Secrets Manager can't find the specified secret value for VersionId: {version}";
    }
    /// A secret with this name, or a version with this ID, already exists.
    EXISTS = "ResourceExistsException", 400, AlreadyExists {
        secret_exists(name) = "The operation failed because the secret {name} already exists.";
        token_in_use(token, arn) =
            "You can't use ClientRequestToken {token} because that value is already in use for a version of secret \
             {arn}.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        too_many_secrets = "You've exceeded the quota of secrets.";
        too_many_labels(max) = "You can't attach more than {max} staging labels to the versions of a secret.";
        too_many_versions(max) = "You can't create more than {max} versions of a secret.";
    }
    /// A resource policy is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocumentException", 400, Invalid {
        malformed_policy = "This policy has invalid syntax.";
    }
    /// A resource policy would grant access to everyone.
    PUBLIC_POLICY = "PublicPolicyException", 400, Protected {
        policy_is_public = "The resource policy grants broad access to the secret.";
    }
    /// A precondition is not met.
    PRECONDITION = "PreconditionNotMetException", 400, Conflict;
    /// A pagination token belongs to another listing, or has expired.
    INVALID_TOKEN = "InvalidNextTokenException", 400, Expired {
        invalid_next_token = "Invalid NextToken.";
    }
    /// Access is denied, to the caller or to the service on their behalf.
    DENIED = "AccessDeniedException", 400, Denied {
        function_not_invocable =
            "Secrets Manager cannot invoke the specified Lambda function. Ensure that the function policy grants access \
             to the principal secretsmanager.amazonaws.com.";
        key_access_denied = "Access to KMS is not allowed";
    }
    /// A value cannot be encrypted.
    ENCRYPTION = "EncryptionFailure", 400, InState {
        encryption_failed =
            "Secrets Manager can't encrypt the protected secret text using the provided KMS key. Check that the KMS key is \
             available, enabled, and not in an invalid state.";
    }
    /// A value cannot be decrypted.
    DECRYPTION = "DecryptionFailure", 400, Corrupt {
        decryption_failed =
            "Secrets Manager can't decrypt the protected secret text using the provided KMS key.";
    }
    /// The service failed.
    INTERNAL = "InternalServiceError", 500, Internal;
}
