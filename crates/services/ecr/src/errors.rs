//! Error codes of the service, and its texts on the wire.

nephos_core::codes! {
    /// A parameter is invalid, or parameters cannot be combined.
    INVALID = "InvalidParameterException", 400, Invalid {
        invalid_parameter(member, reason) =
            "Invalid parameter at '{member}' failed to satisfy constraint: '{reason}'";
        repository_name_invalid =
            "Invalid parameter at 'repositoryName' failed to satisfy constraint: 'must satisfy regular expression \
             '(?:[a-z0-9]+(?:[._-][a-z0-9]+)*/)*[a-z0-9]+(?:[._-][a-z0-9]+)*''";
        invalid_repository_policy =
            "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid repository policy provided'";
        invalid_registry_policy =
            "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid registry policy provided'";
        principal_not_found =
            "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Principal not found'";
        policy_locks_out =
            "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'The policy would prevent you from setting another \
             policy in the future'";
        invalid_lifecycle_policy(reason) =
            "Invalid parameter at 'LifecyclePolicyText' failed to satisfy constraint: 'Lifecycle policy validation failure: \
             {reason}'";
        replication_to_source =
            "Invalid parameter at 'replicationConfiguration' failed to satisfy constraint: 'Replication destination cannot be \
             the same as the source registry'";
        invalid_next_token =
            "Invalid parameter at 'nextToken' failed to satisfy constraint: 'Invalid token'";
    }
    /// A tag is invalid, or a key appears twice.
    INVALID_TAG = "InvalidTagParameterException", 400, Invalid {
        invalid_tag(key) = "The tag key '{key}' or its value is not valid.";
        reserved_tag(key) = "The tag key '{key}' is not valid: tags that begin with aws: are reserved.";
        duplicate_tag(key) = "The tag key '{key}' is specified more than once.";
    }
    /// A repository has too many tags.
    TOO_MANY_TAGS = "TooManyTagsException", 400, LimitExceeded {
        too_many_tags = "A repository can have a maximum of 50 tags.";
    }
    /// The repository does not exist.
    REPOSITORY_NOT_FOUND = "RepositoryNotFoundException", 400, NotFound {
        repository_not_found(name, registry) =
            "The repository with name '{name}' does not exist in the registry with id '{registry}'";
    }
    /// A repository with this name exists already.
    REPOSITORY_EXISTS = "RepositoryAlreadyExistsException", 400, AlreadyExists {
        repository_exists(name, registry) =
            "The repository with name '{name}' already exists in the registry with id '{registry}'";
    }
    /// The repository contains images.
    REPOSITORY_NOT_EMPTY = "RepositoryNotEmptyException", 400, Conflict {
        repository_not_empty(name, registry) =
            "The repository with name '{name}' in registry with id '{registry}' cannot be deleted because it still \
             contains images";
    }
    /// The repository has no policy.
    REPOSITORY_POLICY_NOT_FOUND = "RepositoryPolicyNotFoundException", 400, NotFound {
        repository_policy_not_found(name, registry) =
            "Repository policy does not exist for the repository with name '{name}' in the registry with id '{registry}'";
    }
    /// The repository has no lifecycle policy.
    LIFECYCLE_POLICY_NOT_FOUND = "LifecyclePolicyNotFoundException", 400, NotFound {
        lifecycle_policy_not_found(name, registry) =
            "Lifecycle policy does not exist for the repository with name '{name}' in the registry with id '{registry}'";
    }
    /// The registry has no policy.
    REGISTRY_POLICY_NOT_FOUND = "RegistryPolicyNotFoundException", 400, NotFound {
        registry_policy_not_found(registry) = "Registry policy does not exist in the registry with id '{registry}'";
    }
    /// A pull-through cache rule with this prefix exists already.
    CACHE_RULE_EXISTS = "PullThroughCacheRuleAlreadyExistsException", 400, AlreadyExists {
        cache_rule_exists(prefix, registry) =
            "A pull through cache rule with prefix '{prefix}' already exists in the registry with id '{registry}'";
    }
    /// The pull-through cache rule does not exist.
    CACHE_RULE_NOT_FOUND = "PullThroughCacheRuleNotFoundException", 400, NotFound {
        cache_rule_not_found(prefix, registry) =
            "The pull through cache rule with prefix '{prefix}' does not exist in the registry with id '{registry}'";
    }
    /// The upstream registry is not supported.
    UPSTREAM_UNSUPPORTED = "UnsupportedUpstreamRegistryException", 400, Invalid {
        upstream_unsupported = "The specified upstream registry isn't supported.";
    }
    /// The secret of a pull-through cache rule does not exist.
    SECRET_NOT_FOUND = "SecretNotFoundException", 400, InState {
        secret_not_found =
            "The ARN of the secret specified in the pull through cache rule was not found. Update the pull through cache rule \
             with a valid secret ARN and try again.";
    }
    /// A repository creation template with this prefix exists already.
    TEMPLATE_EXISTS = "TemplateAlreadyExistsException", 400, AlreadyExists {
        template_exists(prefix, registry) =
            "The repository creation template with prefix '{prefix}' already exists in the registry with id '{registry}'";
    }
    /// The repository creation template does not exist.
    TEMPLATE_NOT_FOUND = "TemplateNotFoundException", 400, NotFound {
        template_not_found(prefix, registry) =
            "The repository creation template with prefix '{prefix}' does not exist in the registry with id '{registry}'";
    }
    /// A quota is exceeded.
    LIMIT = "LimitExceededException", 400, LimitExceeded {
        too_many_repositories = "The number of repositories per Region exceeds the quota.";
        too_many_cache_rules = "The number of pull through cache rules per registry exceeds the quota.";
        too_many_templates = "The number of repository creation templates per registry exceeds the quota.";
    }
    /// A KMS key cannot be used.
    KMS = "KmsException", 400, InState {
        key_unusable = "The operation failed due to a KMS exception.";
    }
    /// Access is denied.
    DENIED = "AccessDeniedException", 400, Denied;
    /// The service failed.
    INTERNAL = "ServerException", 500, Internal;
}
