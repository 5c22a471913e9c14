//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule, or parameters cannot be combined.
    VALIDATION = "ValidationException", 400, Invalid {
        tag_member_missing(n, member) = "1 validation error detected: Value null at 'tags.{n}.member.{member}' failed to satisfy constraint: Member must not be null";
        usage_missing =
            "You must specify a KeyUsage value for all KMS keys except for symmetric encryption keys.";
        usage_incompatible(usage, spec) = "KeyUsage {usage} is not compatible with KeySpec {spec}";
        spec_unsupported(spec) = "KeySpec {spec} is not supported in this region";
        specs_given = "You cannot specify KeySpec and CustomerMasterKeySpec in the same request. CustomerMasterKeySpec is deprecated.";
        alias_prefix = "Alias must start with the prefix \"alias/\". Please see https://docs.aws.amazon.com/kms/latest/developerguide/kms-alias.html";
        valid_to_missing = "A validTo date must be set if the ExpirationModel is KEY_MATERIAL_EXPIRES";
        valid_to_given = "A validTo date cannot be set if the ExpirationModel is KEY_MATERIAL_DOES_NOT_EXPIRE";
        valid_to_in_past = "ValidTo must be in the future";
        valid_to_too_late = "ValidTo must be less than 365 days in the future";
        new_material_id_given = "KeyMaterialId cannot be specified with an ImportType of NEW_KEY_MATERIAL";
        wrapping_spec_unsupported(spec) = "WrappingKeySpec {spec} is not supported in this region";
        wrapping_incompatible(algorithm, wrapping_spec, spec) =
            "Wrapping algorithm {algorithm} and wrapping key spec {wrapping_spec} cannot be used to import a {spec} key.";
        grantee_missing = "You must specify either GranteePrincipal or GranteeServicePrincipal, but not both.";
        retiring_principals_given =
            "You cannot specify RetiringPrincipal and RetiringServicePrincipal in the same request.";
        service_grant_incomplete =
            "A grant to a service principal requires a SourceArn grant constraint and a retiring principal.";
        grant_of_only_create_grant = "Grants must not contain only the CreateGrant operation.";
        grant_operations_unsupported(operations, kind, usage, valid) =
            "Operations [{operations}] are not supported when creating a grant for {kind} KMS key with key usage {usage}. Valid operations are [{valid}]";
        grant_constraints_given = "More than one constraint supplied";
        grant_constraint_unsupported =
            "EncryptionContext is supported only when creating a grant for a symmetric encryption KMS key.";
        grant_constraint_too_large =
            "A grant constraint can have at most 8 encryption context pairs with values of at most 384 characters.";
        retiring_principal_missing =
            "You must specify either RetiringPrincipal or RetiringServicePrincipal, but not both.";
        grant_to_retire_missing = "You must specify either a GrantToken, or a GrantId and a KeyId.";
        window_out_of_range(days) =
            "1 validation error detected: Value '{days}' at 'pendingWindowInDays' failed to satisfy constraint: Member must have value greater than or equal to 7";
        window_too_long(days) =
            "1 validation error detected: Value '{days}' at 'pendingWindowInDays' failed to satisfy constraint: Member must have value less than or equal to 30";
        member_missing(member) =
            "1 validation error detected: Value null at '{member}' failed to satisfy constraint: Member must not be null";
        plaintext_too_long(algorithm, spec, limit) =
            "Algorithm {algorithm} and key spec {spec} cannot encrypt data larger than {limit} bytes.";
        context_unsupported = "EncryptionContext is not supported when encrypting/decrypting with asymmetric CMKs.";
        digest_length(algorithm) = "Digest is invalid length for algorithm {algorithm}.";
        message_type_of_algorithm(form, algorithm) = "Message type {form} is incompatible with algorithm {algorithm}.";
        message_type_of_spec(form, spec) = "Message type {form} is incompatible with key spec {spec}.";
        length_unclear = "Please specify either number of bytes or key spec.";
        number_missing = "NumberOfBytes is required.";
        public_key_invalid = "";
    }
    /// A key, alias or grant does not exist.
    NOT_FOUND = "NotFoundException", 400, NotFound {
        key_id_invalid(id) = "Invalid keyId '{id}'";
        key_not_found(arn) = "Key '{arn}' does not exist";
        alias_not_found(arn) = "Alias {arn} is not found.";
        material_not_found(id, arn) = "Key material '{id}' of key '{arn}' does not exist";
        region_invalid(region) = "Invalid arn {region}";
        policy_not_found = "No such policy exists";
        grant_not_found(id) = "Grant {id} is not found.";
    }
    /// An ARN is malformed, or names something that the operation cannot take.
    INVALID_ARN = "InvalidArnException", 400, Invalid {
        not_a_key_arn(arn) = "{arn} is not a valid key ARN.";
        not_a_principal(arn) = "ARN does not refer to a valid principal: {arn}";
        alias_unsupported = "Key Aliases are not supported for this operation.";
    }
    /// An alias with this name, or a key with this ARN, exists.
    EXISTS = "AlreadyExistsException", 400, AlreadyExists {
        alias_exists(arn) = "An alias with the name {arn} already exists";
        key_exists(arn) = "Key '{arn}' already exists";
    }
    /// The name of an alias is not allowed.
    INVALID_ALIAS_NAME = "InvalidAliasNameException", 400, Invalid {
        alias_name_reserved = "Alias name is reserved: names that begin with alias/aws/ belong to the provider.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceededException", 400, LimitExceeded {
        too_many_keys = "You have reached the maximum number of keys in this account and region.";
        too_many_rotations(arn) =
            "The on-demand rotations limit has been reached for the given keyId. No more on-demand rotations can be performed for this key: {arn}";
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
        origin_invalid(arn, origin) = "{arn} origin is {origin} which is not valid for this operation.";
        spec_invalid(arn, spec) = "{arn} key spec is {spec} which is not valid for this operation.";
        not_a_primary(arn) = "{arn} is not a multi-region primary key.";
        other_partition(region) = "Region {region} is not in the partition of the primary key.";
        wrapping_algorithm_unsupported(algorithm) = "WrappingAlgorithm {algorithm} is not supported.";
        managed_key(arn) = "{arn} is an AWS managed key, which this operation does not support.";
        recipient_unsupported = "Recipient is not supported.";
        message_type_unsupported(form) = "Message type {form} is not supported.";
        pair_spec_unsupported(spec) = "KeyPairSpec {spec} is not supported in this region.";
        no_public_key = "";
        rotation_unsupported = "";
        alias_target_differs = "Alias target keys must be of the same type and usage.";
    }
    /// The usage or type of the key does not allow the operation.
    INVALID_USAGE = "InvalidKeyUsageException", 400, Invalid {
        usage_invalid(arn, usage, operation) = "{arn} key usage is {usage} which is not valid for {operation}.";
        algorithm_incompatible(algorithm, spec) = "Algorithm {algorithm} is incompatible with key spec {spec}.";
        data_key_of_pair = "You cannot generate a data key with an asymmetric CMK";
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
        rotation_not_pending(arn) = "No available key material pending rotation for the key: {arn}.";
        other_material_pending(id, arn, pending) =
            "New key material (id: {id}) cannot be imported into KMS key {arn}, because another key material (id: {pending}) is pending rotation.";
        key_not_pending_deletion(arn) = "{arn} is not pending deletion.";
    }
    /// The key of the request is not the one of the ciphertext.
    INCORRECT_KEY = "IncorrectKeyException", 400, Invalid {
        incorrect_key = "The key ID in the request does not identify a CMK that can perform this operation.";
    }
    /// The ciphertext is damaged, or its encryption context is another one.
    INVALID_CIPHERTEXT = "InvalidCiphertextException", 400, Invalid {
        invalid_ciphertext = "";
    }
    /// The signature is not valid.
    INVALID_SIGNATURE = "KMSInvalidSignatureException", 400, Invalid {
        invalid_signature = "";
    }
    /// The message authentication code is not valid.
    INVALID_MAC = "KMSInvalidMacException", 400, Invalid {
        invalid_mac = "";
    }
    /// The dry run succeeded.
    DRY_RUN = "DryRunOperationException", 400, Conflict {
        dry_run_succeeded = "The request would have succeeded, but the DryRun option is set.";
    }
    /// The key of a ciphertext does not exist in this Region, or the caller may not use it.
    ACCESS_DENIED = "AccessDeniedException", 400, Denied {
        ciphertext_key_missing(principal, action) =
            "User: {principal} is not authorized to perform: kms:{action} on the resource associated with this ciphertext because the resource does not exist in this Region, no resource-based policies allow access, or a resource-based policy explicitly denies access";
    }
    /// A rotation of the key is in progress, or begins soon.
    CONFLICT = "ConflictException", 400, Conflict {
        rotation_in_progress(arn) = "A rotation of {arn} is in progress or scheduled to begin within the next 20 minutes.";
    }
    /// Key material is malformed, or not the expected one.
    INCORRECT_MATERIAL = "IncorrectKeyMaterialException", 400, Invalid {
        material_invalid = "";
    }
    /// An import token is not valid for this key.
    INVALID_IMPORT_TOKEN = "InvalidImportTokenException", 400, Invalid {
        import_token_invalid = "";
    }
    /// An import token has expired.
    EXPIRED_IMPORT_TOKEN = "ExpiredImportTokenException", 400, Expired {
        import_token_expired = "";
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
    /// A pagination token is not valid.
    INVALID_MARKER = "InvalidMarkerException", 400, Invalid {
        invalid_marker = "Could not deserialize marker";
        invalid_marker_of_rotations = "";
    }
    /// The service failed.
    INTERNAL = "KMSInternalException", 500, Internal {
        material_unreadable = "The key material could not be read.";
    }
}
