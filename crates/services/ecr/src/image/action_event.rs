//! Events about pushes and deletions of images.

use super::ImageDetail;
use nephos_cloud::Tx;
use nephos_core::{Result, Text, Value};

/// A push or a deletion of an image.
#[derive(Clone, Copy, Debug)]
pub(super) enum ImageAction {
    Push,
    Delete,
}

impl ImageAction {
    /// Sends the event about an image, by its tag if it was pushed or deleted by one.
    pub(super) fn send(self, cx: &mut Tx<'_>, image: &ImageDetail, tag: Option<&Text>) -> Result<()> {
        let action = match self {
            Self::Push => "PUSH",
            Self::Delete => "DELETE",
        };
        let members = [
            ("result", Some("SUCCESS")),
            ("repository-name", image.repository_name.as_deref()),
            ("image-digest", image.image_digest.as_deref()),
            ("action-type", Some(action)),
            ("image-tag", tag.map(|tag| tag.as_str())),
            ("manifest-media-type", image.image_manifest_media_type.as_deref()),
            ("artifact-media-type", image.artifact_media_type.as_deref()),
        ];
        let present = members.into_iter().filter_map(|(name, value)| Some((name, Value::from(value?))));
        cx.send_own_event("aws.ecr", "ECR Image Action", &present.collect(), Vec::new())
    }
}
