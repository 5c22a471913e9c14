//! Links between images and the contents that they need.

use super::{ImageDetail, ImageLink};
use crate::layer;
use nephos_cloud::{Direction, Key, Stored, Tx};
use nephos_core::{Result, Text};

/// Type of the link to a layer or a configuration.
pub(crate) const LAYER: &str = "layer";
/// Type of the link to an image in a list.
pub(crate) const CHILD: &str = "child";
/// Type of the link to the image that another one is about.
pub(crate) const SUBJECT: &str = "subject";

fn links_to(cx: &Tx<'_>, repository: &str, link_type: &str, target: &str) -> Key {
    ImageLink::table(cx.scope()).text(repository).text(link_type).text(target)
}

/// True if an image needs the content.
pub(crate) fn has_links(cx: &Tx<'_>, repository: &str, link_type: &str, target: &str) -> Result<bool> {
    let range = links_to(cx, repository, link_type, target).prefix_range();
    Ok(cx.first::<ImageLink>(&range, Direction::Ascending)?.is_some())
}

/// Digests of the images that need the content.
pub(crate) fn images_with(cx: &Tx<'_>, repository: &str, link_type: &str, target: &str) -> Result<Vec<Text>> {
    let links: Vec<ImageLink> = cx.all(&links_to(cx, repository, link_type, target))?;
    Ok(links.into_iter().filter_map(|link| link.image_digest).collect())
}

/// Links an image to contents.
pub(super) fn add(cx: &mut Tx<'_>, image: &ImageDetail, link_type: &str, targets: &[Text]) -> Result<()> {
    targets.iter().try_for_each(|target| cx.put(link(image, link_type, target)))
}

/// Removes the links of an image to contents. A layer that no image needs any more is removed.
pub(super) fn remove(cx: &mut Tx<'_>, image: &ImageDetail, link_type: &str, targets: &[Text]) -> Result<()> {
    for target in targets {
        cx.remove(&link(image, link_type, target))?;
        if link_type == LAYER && !has_links(cx, image.repository(), LAYER, target)? {
            layer::remove(cx, image.repository(), target)?;
        }
    }
    Ok(())
}

fn link(image: &ImageDetail, link_type: &str, target: &Text) -> ImageLink {
    ImageLink {
        repository_name: image.repository_name.clone(),
        link_type: Some(link_type.into()),
        target: Some(target.clone()),
        image_digest: image.image_digest.clone(),
    }
}
