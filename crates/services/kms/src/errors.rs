//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule, or parameters cannot be combined.
    VALIDATION = "ValidationException", 400, Invalid {
        usage_missing =
            "You must specify a KeyUsage value for all KMS keys except for symmetric encryption keys.";
        usage_incompatible(usage, spec) = "KeyUsage {usage} is not compatible with KeySpec {spec}";
        spec_unsupported(spec) = "KeySpec {spec} is not supported in this region";
        specs_given = "You cannot specify KeySpec and CustomerMasterKeySpec in the same request. CustomerMasterKeySpec is deprecated.";
        alias_prefix = "Alias must start with the prefix \"alias/\". Please see https://docs.aws.amazon.com/kms/latest/developerguide/kms-alias.html";
        grantee_missing = "You must specify either GranteePrincipal or GranteeServicePrincipal, but not both.";
        retiring_principals_given =
            "You cannot specify RetiringPrincipal and RetiringServicePrincipal in the same request.";
        service_grant_incomplete =
            "A grant to a service principal requires a SourceArn grant constraint and a retiring principal.";
        grant_of_only_create_grant = "Grants must not contain only the CreateGrant operation.";
        grant_operation_unsupported(operation, usage, spec) =
            "Operation {operation} is not valid for a key with KeyUsage {usage} and KeySpec {spec}";
        grant_constraints_given = "More than one constraint supplied";
        grant_constraint_unsupported(spec) =
            "Encryption context grant constraints are not supported for KeySpec {spec}";
        grant_constraint_too_large =
            "A grant constraint can have at most 8 encryption context pairs with values of at most 384 characters.";
        retiring_principal_missing =
            "You must specify either RetiringPrincipal or RetiringServicePrincipal, but not both.";
        grant_to_retire_missing = "You must specify either a GrantToken, or a GrantId and a KeyId.";
        window_out_of_range(days) =
            "1 validation error detected: Value '{days}' at 'pendingWindowInDays' failed to satisfy constraint: Member must have value greater than or equal to 7";
        window_too_long(days) =
            "1 validation error detected: Value '{days}' at 'pendingWindowInDays' failed to satisfy constraint: Member must have value less than or equal to 30";
    }
    /// A key, alias or grant does not exist.
    NOT_FOUND = "NotFoundException", 400, NotFound {
        key_id_invalid(id) = "Invalid keyId '{id}'";
        key_not_found(arn) = "Key '{arn}' does not exist";
        alias_not_found(arn) = "Alias {arn} is not found.";
        region_invalid(region) = "Invalid arn {region}";
        policy_not_found = "No such policy exists";
        grant_not_found(id) = "Grant {id} is not found.";
    }
    /// An ARN is malformed, or names something that the operation cannot take.
    INVALID_ARN = "InvalidArnException", 400, Invalid {
        not_a_key_arn(arn) = "{arn} is not a valid key ARN.";
        not_a_principal(arn) = "{arn} is not the ARN of a valid principal.";
    }
    /// An alias with this name exists.
    EXISTS = "AlreadyExistsException", 400, AlreadyExists {
        alias_exists(arn) = "An alias with the name {arn} already exists";
    }
    /// The name of an alias is not allowed.
    INVALID_ALIAS_NAME = "InvalidAliasNameException", 400, Invalid {
        alias_name_reserved = "Alias name is reserved: names that begin with alias/aws/ belong to the provider.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        too_many_keys = "You have reached the maximum number of keys in this account and region.";
        too_many_aliases(arn) = "{arn} has the maximum number of aliases.";
        too_many_grants(arn) = "{arn} has the maximum number of grants.";
    }
    /// A tag is not allowed.
    TAG = "TagException", 400, Invalid {
        invalid_tag(key) = "Tag key or value is not valid: {key}";
        duplicate_tag = "Duplicate tag keys";
        too_many_tags = "Too many tags";
        reserved_tag = "Tags beginning with aws: are reserved";
    }
    /// The operation is not supported for this key.
    UNSUPPORTED = "UnsupportedOperationException", 400, Invalid {
        store_unsupported = "Custom key stores are not supported.";
        origin_unsupported(origin) = "Origin {origin} is not supported.";
        managed_key(arn) = "{arn} is an AWS managed key, which this operation does not support.";
        alias_target_differs = "Alias target keys must be of the same type and usage.";
    }
    /// The usage or type of the key does not allow the operation.
    INVALID_USAGE = "InvalidKeyUsageException", 400, Invalid {
        key_not_symmetric(arn) = "{arn} is not a symmetric encryption key.";
    }
    /// The key is disabled.
    DISABLED = "DisabledException", 400, InState {
        key_disabled(arn) = "{arn} is disabled.";
    }
    /// The state of the key does not allow the operation.
    INVALID_STATE = "KMSInvalidStateException", 400, InState {
        key_pending_deletion(arn) = "{arn} is pending deletion.";
        key_pending_replica_deletion(arn) = "{arn} is pending replica deletion.";
        key_pending_import(arn) = "{arn} is pending import.";
        key_creating(arn) = "{arn} is creating.";
        key_updating(arn) = "{arn} is updating.";
        key_not_pending_deletion(arn) = "{arn} is not pending deletion.";
    }
    /// A key policy is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocumentException", 400, Invalid {
        malformed_policy = "The new key policy contains a syntax error.";
        invalid_principals = "Policy contains a statement with one or more invalid principals.";
        policy_locks_out = "The new key policy will not allow you to update the key policy in the future.";
    }
    /// The ID of a grant is malformed.
    INVALID_GRANT_ID = "InvalidGrantIdException", 400, Invalid {
        grant_id_invalid(id) = "Invalid grant ID {id}";
    }
    /// The token of a grant is not valid.
    INVALID_GRANT_TOKEN = "InvalidGrantTokenException", 400, Invalid {
        grant_token_invalid = "Invalid grant token";
    }
    /// The request would have succeeded, but it is a dry run.
    DRY_RUN = "DryRunOperationException", 412, Conflict {
        dry_run_succeeded = "The request would have succeeded, but the DryRun option is set.";
    }
    /// Neither a policy nor a grant allows the request.
    DENIED = "AccessDeniedException", 400, Denied;
    /// A pagination token is not valid.
    INVALID_MARKER = "InvalidMarkerException", 400, Invalid {
        invalid_marker = "Could not deserialize marker";
    }
    /// The service failed.
    INTERNAL = "KMSInternalException", 500, Internal {
        material_unreadable = "The key material could not be read.";
    }
}
