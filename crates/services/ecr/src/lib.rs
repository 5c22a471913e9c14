//! Container repositories and images, their policies, and the registry of an account.
//!
//! ```
//! use nephos::{Cloud, Repository, ecr::{ImageScanningConfiguration, ImageTagMutability}, prelude::*};
//!
//! let repositories = Repository::objects(&Cloud::in_memory().session());
//! let repository = Repository::builder()
//!     .repository_name("web/api")
//!     .image_tag_mutability(ImageTagMutability::Mutable)
//!     .image_scanning_configuration(ImageScanningConfiguration::builder().scan_on_push(true).build()?);
//! let mut repository = repositories.create(&repository.build()?).wait()?;
//! assert_eq!(repository.repository_uri(), Some("123456789012.dkr.ecr.us-east-1.amazonaws.com/web/api"));
//!
//! repository.set_image_tag_mutability(ImageTagMutability::Immutable)?;
//! repository.save().wait()?;
//! repository.delete().wait()?;
//! assert!(repositories.get("web/api").wait()?.is_none());
//! # Ok::<(), nephos::Error>(())
//! ```

mod access;
mod authorization;
mod creation_template;
pub mod errors;
mod image;
mod layer;
pub mod lifecycle;
#[doc(hidden)]
pub mod paging;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod protocol;
mod pull_through_cache;
mod registry;
mod replication;
mod repository;
mod scan;
mod tagging;
#[doc(hidden)]
pub mod wildcard;

pub use authorization::*;
pub use creation_template::*;
pub use image::*;
pub use layer::*;
pub use lifecycle::{
    DeleteLifecyclePolicy, GetLifecyclePolicy, GetLifecyclePolicyPreview, ImageActionType,
    LifecyclePolicyPreview, LifecyclePolicyPreviewFilter, LifecyclePolicyPreviewResult,
    LifecyclePolicyPreviewStatus, LifecyclePolicyPreviewSummary, LifecyclePolicyRuleAction,
    LifecyclePolicyStorageClass, LifecyclePolicyTargetStorageClass, PutLifecyclePolicy,
    PutLifecyclePolicyResponse, RepositoryLifecyclePolicy, StartLifecyclePolicyPreview, StartedPreview,
    TransitioningImageTotalCount,
};
pub use pull_through_cache::*;
pub use registry::*;
pub use replication::*;
pub use repository::*;
pub use scan::*;
pub use tagging::*;

use nephos_core::shape::Protocol;

nephos_cloud::parts! {
    manifest: image::manifest,
}

nephos_cloud::service! {
    ECR = "ecr", "Container repositories and images, their policies, and the registry of an account.";
    shape {
        api_version: "2015-09-21",
        protocol: Protocol::AwsJson { target: "AmazonEC2ContainerRegistry_V20150921.", version: "1.1", message: "message" },
        endpoint: "api.ecr",
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[("", &["aws:ResourceTag/${TagKey}", "ecr:ResourceTag/${TagKey}"])],
    }
    kinds { Repository, Image }
    operations {
        CreateRepository, DescribeRepositories, DeleteRepository,
        PutImageTagMutability, PutImageScanningConfiguration,
        SetRepositoryPolicy, GetRepositoryPolicy, DeleteRepositoryPolicy,
        PutLifecyclePolicy, GetLifecyclePolicy, DeleteLifecyclePolicy, StartLifecyclePolicyPreview, GetLifecyclePolicyPreview,
        PutRegistryPolicy, GetRegistryPolicy, DeleteRegistryPolicy,
        DescribeRegistry, PutReplicationConfiguration,
        GetRegistryScanningConfiguration, PutRegistryScanningConfiguration, BatchGetRepositoryScanningConfiguration,
        GetAccountSetting, PutAccountSetting,
        CreatePullThroughCacheRule, DescribePullThroughCacheRules, UpdatePullThroughCacheRule, DeletePullThroughCacheRule,
        ValidatePullThroughCacheRule,
        CreateRepositoryCreationTemplate, DescribeRepositoryCreationTemplates, UpdateRepositoryCreationTemplate,
        DeleteRepositoryCreationTemplate,
        PutImage, BatchGetImage, BatchDeleteImage, DescribeImages, ListImages,
        ListImageReferrers, StartImageScan, DescribeImageScanFindings, DescribeImageReplicationStatus,
        GetAuthorizationToken, BatchCheckLayerAvailability, GetDownloadUrlForLayer, InitiateLayerUpload, UploadLayerPart, CompleteLayerUpload,
        TagResource, UntagResource, ListTagsForResource,
    }
    calls { RepositoryGet, RepositoryUpdate, RepositoryTag, RepositoryUntag, RepositoryListTags, ImageGet, ImageGetMany, ImageList, ImageDelete,
        RepositoryGetImages, RepositoryGetImage, ImageStartScan, ImageScanFindingsList,
        ImageReplicationStatusGet, ImageTaskDefinitions, ImageServices, ImageVulnerabilities, ImageInUse,
        ImageDockerdIsRunning, ImageDockerClient, ImageIsPulled, ImageDockerImage, ImageInfoLookup, ImageHistory, ImageClean,
        ImageCleanOtherVersions }
    controls {
        "image-findings" => SetImageFindings,
    }
    internal { ListScanFindings }
    works { RecordPull, ExpireLayer, ExpireUpload, lifecycle::EvaluateLifecyclePolicy }
    tables { Repository, repository::policy::PolicyRow, lifecycle::LifecyclePolicyRow, lifecycle::PreviewRow, registry::RegistryRow,
        PullThroughCacheRule, RepositoryCreationTemplate, ImageDetail, image::ManifestRow, image::ImageTagRow,
        image::ListedIdRow, image::ImageLink, scan::ScanRow, scan::FindingsRow, replication::ReplicationRow, layer::LayerRow, layer::UploadRow, }
    access {
        find_resource: Some(access::find_resource),
        actions: &["ecr:ReplicateImage", "ecr:BatchImportUpstreamImage"],
        find_subjects: Some(access::find_subjects),
    }
    tagged { tagging::TAGGED }
    http { protocol::FRONT }
}
