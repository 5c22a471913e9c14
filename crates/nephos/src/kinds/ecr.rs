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

/// An image with its manifest. It is read-only: images are pushed by container clients, or by `put_image`.
///
/// ```
/// # use nephos::{Cloud, Image, Repository, ecr::{ImageIdentifier, ImageScanningConfiguration, ImageTagMutability}, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let web = Repository::builder()
/// #     .repository_name("web")
/// #     .image_tag_mutability(ImageTagMutability::Mutable)
/// #     .image_scanning_configuration(ImageScanningConfiguration::builder().build()?);
/// # Repository::objects(&session).create(&web.build()?).wait()?;
/// let list = r#"{"mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []}"#;
/// Repository::objects(&session).put_image("web", list).image_tag("v1").wait()?;
/// let image = Image::objects(&session).get("web", ImageIdentifier::builder().image_tag("v1").build()?).wait()?;
/// assert_eq!(image.and_then(|image| image.image_manifest().map(str::to_owned)).as_deref(), Some(list));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ecr::Image;
