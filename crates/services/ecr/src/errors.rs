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
        media_type_missing = "image manifest mediatype not provided in manifest or parameter";
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
        repository_missing(name) = "The repository with name '{name}' does not exist";
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
    /// The repository has no preview of a lifecycle policy.
    PREVIEW_NOT_FOUND = "LifecyclePolicyPreviewNotFoundException", 400, NotFound {
        preview_not_found(name, registry) =
            "Lifecycle policy preview does not exist for the repository with name '{name}' in the registry with id '{registry}'";
    }
    /// A preview of a lifecycle policy runs.
    PREVIEW_IN_PROGRESS = "LifecyclePolicyPreviewInProgressException", 400, Conflict {
        preview_in_progress(name, registry) =
            "Lifecycle policy preview is in progress for the repository with name '{name}' in the registry with id '{registry}'";
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
    /// The image does not exist.
    IMAGE_NOT_FOUND = "ImageNotFoundException", 400, NotFound {
        image_missing(name) = "The image in the repository with name '{name}' does not exist";
        image_not_found(digest, tag, name, registry) =
            "The image with imageId {{imageDigest:'{digest}', imageTag:'{tag}'}} does not exist within the repository with name \
             '{name}' in the registry with id '{registry}'";
    }
    /// The same image with the same tag exists already.
    IMAGE_EXISTS = "ImageAlreadyExistsException", 400, AlreadyExists {
        image_exists(digest, tag, name, registry) =
            "Image with digest '{digest}' and tag '{tag}' already exists in the repository with name '{name}' in registry with \
             id '{registry}'";
    }
    /// The tag belongs to another image and cannot be moved.
    IMAGE_TAG_EXISTS = "ImageTagAlreadyExistsException", 400, AlreadyExists {
        image_tag_exists(tag, name) =
            "The image tag '{tag}' already exists in the '{name}' repository and cannot be overwritten because the repository \
             is immutable.";
    }
    /// The manifest has another digest.
    IMAGE_DIGEST_DIFFERS = "ImageDigestDoesNotMatchException", 400, Invalid {
        image_digest_differs(digest) = "Image digest does not match the digest of the manifest, which is '{digest}'";
    }
    /// Layers do not exist.
    LAYERS_NOT_FOUND = "LayersNotFoundException", 400, NotFound {
        layers_required(digests, name, registry) =
            "Layers with digests '[{digests}]' required for pushing image into repository with name '{name}' in the registry \
             with id '{registry}' do not exist";
        layer_not_found(digest, name, registry) =
            "The layer with digest '{digest}' does not exist within the repository with name '{name}' in the registry with id \
             '{registry}'";
    }
    /// Images of a list do not exist.
    IMAGES_NOT_FOUND = "ReferencedImagesNotFoundException", 400, NotFound {
        images_required(digests, name, registry) =
            "Images with digests '[{digests}]' required for pushing image into repository with name '{name}' in the registry \
             with id '{registry}' do not exist";
    }
    /// The image was never scanned.
    SCAN_NOT_FOUND = "ScanNotFoundException", 400, NotFound {
        scan_not_found(digest, tag, name, registry) =
            "Image scan does not exist for the image with '{{imageDigest:'{digest}', imageTag:'{tag}'}}' in the repository with \
             name '{name}' in the registry with id '{registry}'";
    }
    /// The image cannot be scanned.
    IMAGE_UNSUPPORTED = "UnsupportedImageTypeException", 400, Invalid {
        image_not_scannable(media_type) =
            "An artifact with media type '{media_type}' cannot be scanned. For more information, see the Amazon ECR \
             documentation.";
    }
    /// The image is in the archive.
    IMAGE_ARCHIVED = "ImageArchivedException", 400, InState {
        image_archived(digest) = "The image with digest '{digest}' is archived. Restore the image and try again.";
    }
    /// The operation cannot be used with the settings of the registry.
    VALIDATION = "ValidationException", 400, Invalid {
        scan_disabled = "This feature is disabled";
    }
    /// The upload does not exist.
    UPLOAD_NOT_FOUND = "UploadNotFoundException", 400, NotFound {
        upload_not_found(id, name, registry) =
            "Upload with id '{id}' could not be found for the repository with name '{name}' in the registry with id '{registry}'";
    }
    /// A part does not follow the parts before it.
    LAYER_PART_INVALID = "InvalidLayerPartException", 400, Invalid {
        layer_part_invalid(id, name, registry) =
            "Invalid layer part upload for upload with id '{id}' in the repository with name '{name}' in the registry with id \
             '{registry}'";
    }
    /// A part is too small.
    LAYER_PART_SMALL = "LayerPartTooSmallException", 400, Invalid {
        layer_part_small = "Layer parts must be at least 5 MiB in size, except for the last part.";
    }
    /// The upload has no parts.
    UPLOAD_EMPTY = "EmptyUploadException", 400, Invalid {
        upload_empty(id, name, registry) =
            "The upload with id '{id}' in the repository with name '{name}' in the registry with id '{registry}' does not \
             contain any layer parts";
    }
    /// The layer has another digest.
    LAYER_INVALID = "InvalidLayerException", 400, Invalid {
        layer_digest_differs = "None of the provided layer digests match the calculated layer digest";
    }
    /// The layer exists already.
    LAYER_EXISTS = "LayerAlreadyExistsException", 400, AlreadyExists {
        layer_exists(digest, name, registry) =
            "Layer with digest '{digest}' already exists in the repository with name '{name}' in registry with id '{registry}'";
    }
    /// A quota is exceeded.
    LIMIT = "LimitExceededException", 400, LimitExceeded {
        too_many_scans = "The scan quota per image has been exceeded. Wait and try again.";
        too_many_uploads = "The number of uploads in progress per registry exceeds the quota.";
        too_many_parts = "The number of parts of an upload exceeds the quota.";
        too_many_repositories = "The number of repositories per Region exceeds the quota.";
        too_many_cache_rules = "The number of pull through cache rules per registry exceeds the quota.";
        too_many_templates = "The number of repository creation templates per registry exceeds the quota.";
    }
    /// A KMS key cannot be used.
    KMS = "KmsException", 400, InState {
        key_unusable = "The operation failed due to a KMS exception.";
    }
    /// The digest of an image is malformed. Only in answers, for one image.
    IMAGE_DIGEST_INVALID = "InvalidImageDigest", 400, Invalid {
        image_digest_invalid =
            "Invalid request parameters: image digest should satisfy the regex '[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+'";
    }
    /// An image is named by neither a digest nor a tag. Only in answers, for one image.
    IMAGE_UNNAMED = "MissingDigestAndTag", 400, Invalid {
        image_unnamed = "Invalid request parameters: both tag and digest cannot be null";
    }
    /// The tag belongs to an image with another digest. Only in answers, for one image.
    IMAGE_TAG_DIFFERS = "ImageTagDoesNotMatchDigest", 400, Invalid {
        image_tag_differs = "Requested image tag does not match the image digest";
    }
    /// The image does not exist. Only in answers, for one image.
    IMAGE_OF_BATCH_NOT_FOUND = "ImageNotFound", 400, NotFound {
        image_of_batch_not_found = "Requested image not found";
    }
    /// A list of manifests needs the image. Only in answers, for one image.
    IMAGE_REFERENCED = "ImageReferencedByManifestList", 400, Conflict {
        image_referenced(digests) = "Requested image referenced by manifest list: [{digests}]";
    }
    /// The image is in the archive. Only in answers, for one image.
    IMAGE_INACCESSIBLE = "ImageInaccessible", 400, InState {
        image_inaccessible = "Requested image is archived";
    }
    /// Access is denied.
    DENIED = "AccessDeniedException", 400, Denied;
    /// The service failed.
    INTERNAL = "ServerException", 500, Internal;
}
