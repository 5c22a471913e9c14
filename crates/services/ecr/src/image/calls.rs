//! Calls on images: get, list and delete.

use super::{
    BatchDeleteImage, BatchGetImage, DeletedImages, FoundImages, Image, ImageIdentifier, ImageManager,
    ImagesFilter, ListImages, read::check_none_failed,
};
use crate::{Repository, RepositoryManager, access::RegistryId};
use nephos_core::{
    ErrorKind, Listing, ManagerOperation, Page, PageRequest, Record, Result, Text, WorkflowContext, operation,
};

/// Number of images that one request returns with their manifests.
const BATCH: i64 = 100;

/// Gets an image with its manifest; none if it does not exist.
#[operation(kind = Image, call = "get", case = "camel", include(RegistryId), effect = read, output = Option<Image>)]
pub struct ImageGet {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digest or tag of the image.
    #[field(from_field = "imageId")]
    pub image_id: ImageIdentifier,
    /// Media types of manifests that the caller understands; all if they are not given.
    pub accepted_media_types: Option<Vec<Text>>,
}

impl ManagerOperation for ImageGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Image>> {
        let mut get = BatchGetImage::new(&self.repository_name, [self.image_id.clone()]);
        get.accepted_media_types.clone_from(&self.accepted_media_types);
        get.registry_id.clone_from(&self.registry_id);
        let found = match context.call(get).await {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        match found.failures.into_iter().flatten().find(|failure| !failure.is_missing()) {
            Some(failure) => Err(failure.into_error("imageId")),
            None => Ok(found.images.and_then(|images| images.into_iter().next())),
        }
    }
}

/// Gets images with their manifests, and the reasons why others were not found.
#[operation(kind = Image, call = "get_many", case = "camel", include(RegistryId), effect = read, output = FoundImages)]
pub struct ImageGetMany {
    /// Name of the repository.
    #[field(like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digests or tags of the images.
    #[field(length(1..=100))]
    pub image_ids: Vec<ImageIdentifier>,
    /// Media types of manifests that the caller understands; all if they are not given.
    pub accepted_media_types: Option<Vec<Text>>,
    /// True if the call fails when any image was not found.
    pub strict: Option<bool>,
}

impl ManagerOperation for ImageGetMany {
    async fn run(&self, context: &WorkflowContext) -> Result<FoundImages> {
        let found = context.call(BatchGetImage::from_given(self.clone())).await?;
        if self.strict == Some(true) {
            check_none_failed(found.failures.as_ref(), "imageIds")?;
        }
        Ok(found)
    }
}

/// Lists the images of a repository with their manifests: one for each tag, and those without tags.
#[operation(kind = Image, call = "list", case = "camel", pages, include(RegistryId), effect = read, output = Page<Image>)]
pub struct ImageList {
    /// Name of the repository.
    #[field(like = Repository::repository_name)]
    pub repository_name: Text,
    /// Filter of the images.
    pub filter: Option<ImagesFilter>,
}

impl Listing for ImageList {
    type Model = Image;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<Image>> {
        let mut list = ListImages::new(&self.repository_name).max_results(BATCH);
        list.filter.clone_from(&self.filter);
        list.registry_id.clone_from(&self.registry_id);
        list.next_token.clone_from(&request.token);
        let found = context.call(list).await?;
        let ids = found.image_ids.unwrap_or_default();
        if ids.is_empty() {
            return Ok(Page { items: Vec::new(), next_token: found.next_token });
        }
        let mut get = BatchGetImage::new(&self.repository_name, ids);
        get.registry_id.clone_from(&self.registry_id);
        let items = context.call(get).await?.images.unwrap_or_default();
        Ok(Page { items, next_token: found.next_token })
    }
}

/// Deletes an image, or one of its tags.
#[operation(kind = Image, call = "delete", case = "camel", include(RegistryId), effect = write, output = DeletedImages)]
pub struct ImageDelete {
    /// Name of the repository.
    #[field(like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digest or tag of the image.
    pub image_id: ImageIdentifier,
    /// True if the call fails when the image was not deleted.
    pub strict: Option<bool>,
}

impl ManagerOperation for ImageDelete {
    async fn run(&self, context: &WorkflowContext) -> Result<DeletedImages> {
        let mut delete = BatchDeleteImage::new(&self.repository_name, [self.image_id.clone()]);
        delete.registry_id.clone_from(&self.registry_id);
        let deleted = context.call(delete).await?;
        if self.strict == Some(true) {
            deleted.check()?;
        }
        Ok(deleted)
    }
}

/// Gets images of a repository with their manifests; those that do not exist are left out.
#[operation(kind = Repository, call = "get_images", case = "camel", include(RegistryId), effect = read, output = Vec<Image>)]
pub struct RepositoryGetImages {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digests or tags of the images.
    #[field(length(1..=100))]
    pub image_ids: Vec<ImageIdentifier>,
    /// Media types of manifests that the caller understands; all if they are not given.
    pub accepted_media_types: Option<Vec<Text>>,
}

impl ManagerOperation for RepositoryGetImages {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Image>> {
        let found = context.call(BatchGetImage::from_given(self.clone())).await?;
        Ok(found.images.unwrap_or_default())
    }
}

/// Gets an image of a repository with its manifest; none if it does not exist.
#[operation(
    kind = Repository, call = "get_image", on_model(image_id), case = "camel", include(RegistryId), effect = read, output = Option<Image>
)]
pub struct RepositoryGetImage {
    /// Name of the repository.
    #[field(from_field = "repositoryName", like = Repository::repository_name)]
    pub repository_name: Text,
    /// Digest or tag of the image.
    pub image_id: ImageIdentifier,
    /// Media types of manifests that the caller understands; all if they are not given.
    pub accepted_media_types: Option<Vec<Text>>,
}

impl ManagerOperation for RepositoryGetImage {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Image>> {
        ImageGet::from_given(self.clone()).run(context).await
    }
}
