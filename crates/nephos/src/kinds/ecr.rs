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

/// Container image with its manifest, which a container client pushed.
///
/// ```
/// # use nephos::{Cloud, Image, Repository, prelude::*};
/// # use nephos::ecr::{ImageIdentifier, ImageScanningConfiguration, ImageTagMutability};
/// # let session = Cloud::in_memory().session();
/// # let repositories = Repository::objects(&session);
/// # let web = Repository::builder()
/// #     .repository_name("web")
/// #     .image_tag_mutability(ImageTagMutability::Immutable)
/// #     .image_scanning_configuration(ImageScanningConfiguration::builder().scan_on_push(true).build()?);
/// # repositories.create(&web.build()?).wait()?;
/// # repositories.put_image("web", r#"{"schemaVersion": 1, "fsLayers": []}"#).image_tag("v1").wait()?;
/// let id = ImageIdentifier::builder().image_tag("v1").build()?;
/// let image = Image::objects(&session).get("web", id).wait()?.unwrap();
/// let findings = image.scan_findings().wait()?;
/// assert_eq!(findings[0].image_scan_findings().unwrap().findings().unwrap().len(), 0);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ecr::Image;
