//! Kinds of container repositories.

/// Container repository: a collection of images under one name.
///
/// ```
/// # use nephos::{Cloud, Repository, ecr::{ImageScanningConfiguration, ImageTagMutability}, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let repositories = Repository::objects(&session);
/// let web = Repository::builder()
///     .repository_name("web")
///     .image_tag_mutability(ImageTagMutability::Immutable)
///     .image_scanning_configuration(ImageScanningConfiguration::builder().scan_on_push(true).build()?)
///     .tags([("team", "web")]);
/// let web = repositories.create(&web.build()?).wait()?;
/// assert_eq!(repositories.get("web").wait()?, Some(web));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ecr::Repository;
