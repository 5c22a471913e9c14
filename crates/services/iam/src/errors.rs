//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "ValidationError", 400, Invalid {
        invalid_marker = "Invalid Marker.";
        path_invalid = "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric characters and/or / characters.";
        path_prefix_invalid = "The specified value for pathPrefix is invalid. It must begin with the / character and contain only alphanumeric characters and/or / characters.";
        invalid_tag(key) = "The tag with key {key} is not valid.";
        not_created(kind) = "The {kind} must be created before it is updated.";
        issuer_invalid = "Invalid Open ID Connect Provider URL";
        password_missing = "1 validation error detected: Value at 'password' failed to satisfy constraint: Member must not be null";
        service_name_invalid = "ServiceName must match [a-zA-Z0-9.-]*";
        service_credential_of_other_user(name, id) = "User {name} does not have a service specific credential with id {id}";
        user_name_required = "Must specify userName when calling with non-User credentials";
        arn_not_parsed = "Invalid ARN:  Could not be parsed!";
    }
    /// A value is not allowed.
    INVALID_INPUT = "InvalidInput", 400, Invalid {
        duplicate_tag = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        arn_invalid(arn) = "ARN {arn} is not valid.";
        source_arn_invalid(arn) = "Invalid Entity Arn: {arn} does not clearly define entity type and name.";
        resource_names_invalid(name) = "ResourceNames are not in a valid ARN format: {name}.";
        resource_owner_invalid(owner) = "'{owner}' is not a valid as a Resource Owner.";
        action_invalid(action) = "Invalid action: {action}.";
        simulated_policy_invalid(input, reason) = "{input} is not a valid policy: {reason}";
        one_boundary = "PermissionsBoundaryPolicyInputList can have at most one policy.";
        caller_required = "CallerArn is required if ResourcePolicy is given and the policies are not those of a user.";
        custom_suffix(service) = "Custom suffix is not allowed for {service}";
        linked_role_exists(name) = "Service role name {name} has been taken in this account, please try a different suffix.";
        service_not_linked(service) = "{service} does not support service-linked roles.";
        path_reserved = "The path /aws-service-role/ is reserved for service-linked roles.";
        status_not_settable(status) = "Operation does not support status {status}";
        all_users_and_name_given = "Cannot list credentials for all users if a username is given";
        too_many_thumbprints(max) = "Thumbprint list must contain fewer than {max} entries.";
        key_set_invalid = "The key set must be an object with a list of keys, each with a kty.";
        metadata_not_parsed = "Could not parse metadata";
        private_key_invalid = "The private key is not valid.";
        encryption_without_key = "AssertionEncryptionMode Required needs a private key.";
    }
    /// The caller is not allowed to do this.
    ACCESS_DENIED = "AccessDenied", 403, Denied {
        managed_policy_denied(caller, action, arn) = "User: {caller} is not authorized to perform: iam:{action} on resource: policy {arn}";
        old_password_wrong = "The old password was incorrect.";
        called_with_session(operation) = "Cannot call {operation} with session credentials";
    }
    /// The session cannot call this service.
    INVALID_TOKEN = "InvalidClientTokenId", 403, Denied {
        token_invalid = "The security token included in the request is invalid";
    }
    /// Only the provider can change the role.
    UNMODIFIABLE = "UnmodifiableEntity", 400, Conflict {
        role_protected(name) = "Cannot perform the operation on the protected role '{name}' - this role is only modifiable by AWS";
    }
    /// Only service-linked roles can have the policy.
    NOT_ATTACHABLE = "PolicyNotAttachable", 400, Conflict {
        service_role_policy = "Cannot attach a Service Role Policy to a Customer Role.";
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
        deletion_task_not_found(id) = "Deletion task {id} cannot be found.";
        access_key_not_found(id) = "The Access Key with id {id} cannot be found";
        alias_not_found(alias) = "The account alias {alias} cannot be found.";
        password_policy_not_found(account) = "The Password Policy with domain name {account} cannot be found.";
        no_password_policy = "The account policy with name PasswordPolicy cannot be found.";
        login_profile_not_found(name) = "Login Profile for User {name} cannot be found.";
        open_id_provider_not_found(arn) = "OpenIDConnect Provider not found for arn {arn}";
        saml_provider_not_found(arn) = "Manifest not found for arn {arn}";
        private_key_not_found(id) = "The private key with id {id} cannot be found.";
        server_certificate_not_found(name) = "The Server Certificate with name {name} cannot be found.";
        signing_certificate_not_found(id) = "The Certificate with id {id} cannot be found.";
        public_key_not_found(id) = "The Public Key with id {id} cannot be found.";
        service_credential_not_found(id) = "No such credential {id} exists";
        service_not_supported(service) = "No such service {service} is supported for Service Specific Credentials";
        job_not_found(id) = "The job with id {id} cannot be found.";
        principal_not_found(arn) = "ARN {arn} was not found.";
        mfa_device_of_other_user = "MFA Device invalid for user.";
        mfa_device_not_found(serial) = "MFA Device with serial number {serial} does not exist.";
    }
    /// A policy document is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocument", 400, Invalid {
        policy_not_json = "This policy contains invalid Json";
        policy_syntax = "Syntax errors in policy.";
        policy_version_old = "Policy document must be version 2012-10-17 or greater.";
        policy_legacy = "The policy failed legacy parsing";
        policy_sid = "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*";
        policy_action_colons = "Actions/Condition can contain only one colon.";
        policy_vendor(vendor) = "Vendor {vendor} is not valid";
        policy_resource_vendor = "Resource vendor must be fully qualified and cannot contain regexes.";
        policy_partition(partition, arn) = "Partition \"{partition}\" is not valid for resource \"{arn}\".";
        policy_identity_region(resource) = "IAM resource {resource} cannot contain region information.";
        policy_region(resource) = "Resource {resource} can not contain region information.";
        policy_identity_path(starts) = "IAM resource path must either be \"*\" or start with {starts}.";
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
        alias_exists(alias) = "The account alias {alias} already exists.";
        login_profile_exists(name) = "Login Profile for user {name} already exists.";
        open_id_provider_exists(url) = "Provider with url {url} already exists.";
        saml_provider_exists(name) = "SAMLProvider {name} already exists.";
        server_certificate_exists(name) = "The Server Certificate with name {name} already exists.";
        mfa_device_exists = "MFA device already exists.";
        mfa_device_of_user(name) = "MFA Device for user {name} already exists.";
        mfa_device_assigned = "MFA Device is already in use.";
    }
    /// Something that belongs to the entity must be removed before it.
    DELETE_CONFLICT = "DeleteConflict", 409, Conflict {
        certificate_in_use(id, user) = "Certificate: {id} is currently in use by {user}. Please remove it first before deleting it from IAM.";
        has_members = "Cannot delete entity, must remove users from group first.";
        role_in_instance_profile = "Cannot delete entity, must remove roles from instance profile first.";
        has_attached_policies = "Cannot delete entity, must detach all policies first.";
        has_inline_policies = "Cannot delete entity, must delete policies first.";
        policy_attached = "Cannot delete a policy attached to entities.";
        policy_has_versions = "This policy has more than one version. Before you delete a policy, you must delete the policy's versions. The default version is deleted with the policy.";
        default_version = "Cannot delete the default version of a policy.";
        has_access_keys = "Cannot delete entity, must delete access keys first.";
        has_login_profile = "Cannot delete entity, must delete login profile first.";
        has_signing_certificates = "Cannot delete entity, must delete signing certificates first.";
        has_public_keys = "Cannot delete entity, must delete SSH public keys first.";
        has_service_credentials = "Cannot delete entity, must remove referenced objects first.";
        has_mfa_devices = "Cannot delete entity, must remove tokens from principal first.";
        mfa_device_in_use = "MFA VirtualDevice in use. Must deactivate first.";
    }
    /// A password breaks the password policy of the account.
    PASSWORD_VIOLATION = "PasswordPolicyViolation", 400, Invalid {
        password_violation = "Password does not conform to the account password policy.";
        password_kinds(count, requirements) = "Password should meet {count} more of the following requirements: {requirements}";
    }
    /// Only a user can call the operation.
    INVALID_USER_TYPE = "InvalidUserType", 400, Invalid {
        caller_not_user = "Only IAM Users can change their own password";
    }
    /// A certificate or its private key is malformed.
    MALFORMED_CERTIFICATE = "MalformedCertificate", 400, Invalid {
        certificate_not_parsed = "Unable to parse certificate. Please ensure the certificate is in PEM format.";
        certificate_malformed(body) = "Certificate {body} is malformed.";
        private_key_not_parsed = "Invalid Private Key.";
        chain_invalid(index) = "Unable to validate certificate chain. The certificate chain must start with the immediate signing certificate, followed by any intermediaries in order. The index within the chain of the invalid certificate is: {index}";
        certificate_not_valid_now = "The certificate is not valid at this time.";
    }
    /// The certificate is not valid at this time.
    INVALID_CERTIFICATE = "InvalidCertificate", 400, Invalid {
        certificate_invalid = "The certificate is not valid at this time.";
    }
    /// The user already has the certificate.
    DUPLICATE_CERTIFICATE = "DuplicateCertificate", 409, AlreadyExists {
        certificate_duplicate = "The certificate is already associated with a user.";
    }
    /// The private key does not belong to the certificate.
    KEY_PAIR_MISMATCH = "KeyPairMismatch", 400, Invalid {
        key_pair_mismatch = "The private key does not match the certificate.";
    }
    /// An SSH public key is malformed or of a wrong type.
    INVALID_PUBLIC_KEY = "InvalidPublicKey", 400, Invalid {
        public_key_invalid = "The public key is invalid. It must be an RSA key with at least 2048 bits.";
    }
    /// The encoding of an SSH public key is not known.
    UNRECOGNIZED_ENCODING = "UnrecognizedPublicKeyEncoding", 400, Invalid {
        public_key_encoding = "The public key encoding is not recognized. It must be SSH or PEM.";
    }
    /// The user already has the SSH public key.
    DUPLICATE_PUBLIC_KEY = "DuplicateSSHPublicKey", 400, AlreadyExists {
        public_key_duplicate = "The SSH public key is already associated with the specified user.";
    }
    /// The codes of an MFA device are wrong.
    INVALID_CODE = "InvalidAuthenticationCode", 403, Denied {
        code_invalid = "Authentication code for device is not valid.";
    }
    /// The account has no credential report.
    REPORT_NOT_PRESENT = "ReportNotPresent", 410, InState {
        report_not_present = "No report exists.";
    }
    /// The credential report is older than four hours.
    REPORT_EXPIRED = "ReportExpired", 410, Expired {
        report_expired = "The report has expired.";
    }
    /// The credential report is being generated.
    REPORT_IN_PROGRESS = "ReportInProgress", 404, InState {
        report_in_progress = "The report is being generated.";
    }
    /// A quota is exceeded.
    LIMIT_EXCEEDED = "LimitExceeded", 409, LimitExceeded {
        quota_exceeded(quota, max) = "Cannot exceed quota for {quota}: {max}";
        too_many_versions(max) = "A managed policy can have up to {max} versions. Before you create a new version, you must delete an existing version.";
        inline_policies_too_long(max, kind, name) = "Maximum policy size of {max} bytes exceeded for {kind} {name}";
        too_many_tags = "The number of tags has reached the maximum limit.";
    }
}
