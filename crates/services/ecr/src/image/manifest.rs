//! Manifests: what an image is made of.

use crate::errors;
use nephos_core::{Error, Map, Result, Text, Value, json};

/// Media types of manifests of one image.
pub const IMAGES: &[&str] = &[
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.artifact.manifest.v1+json",
];
/// Media types of lists of manifests.
pub const LISTS: &[&str] =
    &["application/vnd.docker.distribution.manifest.list.v2+json", "application/vnd.oci.image.index.v1+json"];
/// Media types of the first form of manifests.
const FIRST_FORM: &[&str] = &[
    "application/vnd.docker.distribution.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v1+prettyjws",
];

/// True for the media type of a list of manifests.
pub(crate) fn is_list(media_type: &str) -> bool {
    LISTS.contains(&media_type)
}

/// A parsed manifest.
#[derive(Debug)]
pub struct Manifest {
    /// Media type.
    pub(crate) media_type: Text,
    /// Media type of the artifact.
    pub artifact_type: Option<Text>,
    /// Digests of the configuration and of the layers, each once.
    pub layers: Vec<Text>,
    /// Sum of the sizes of the configuration and the layers.
    pub size: i64,
    /// Digests of the images of a list, each once.
    pub children: Vec<Text>,
    /// Digest of the image that this one is about.
    pub subject: Option<Text>,
    /// Annotations.
    pub(crate) annotations: Map<Value>,
}

impl Manifest {
    /// Parses a manifest, whose media type the caller may give.
    pub fn parse(text: &str, given_type: Option<&str>) -> Result<Self> {
        let Ok(Value::Map(members)) = json::parse(text.as_bytes()) else {
            return Err(invalid("Invalid JSON syntax"));
        };
        let own_type = members.get("mediaType").and_then(Value::as_text);
        let media_type = match (given_type, own_type) {
            (Some(given), Some(own)) if given != own => {
                return Err(invalid(&format!("mediaType in manifest should be '{given}' not '{own}'")));
            }
            (Some(given), _) => given,
            (None, Some(own)) => own,
            (None, None) if members.get("schemaVersion") == Some(&Value::Int(1)) => FIRST_FORM[0],
            (None, None) => return Err(errors::media_type_missing().with_field("imageManifest")),
        };
        let mut manifest = Self {
            media_type: media_type.into(),
            artifact_type: members.get("artifactType").and_then(Value::as_text).map(Text::from),
            layers: Vec::new(),
            size: 0,
            children: Vec::new(),
            subject: None,
            annotations: match members.get("annotations") {
                Some(Value::Map(annotations)) => annotations.clone(),
                _ => Map::default(),
            },
        };
        if is_list(media_type) {
            for child in descriptors(&members, "manifests")? {
                push_new(&mut manifest.children, child.digest);
            }
        } else if IMAGES.contains(&media_type) {
            manifest.read_layers(&members)?;
        } else if FIRST_FORM.contains(&media_type) {
            manifest.read_first_form(&members)?;
        } else {
            return Err(invalid(&format!("Unsupported manifest media type '{media_type}'")));
        }
        manifest.subject =
            members.get("subject").map(Descriptor::read).transpose()?.map(|subject| subject.digest);
        Ok(manifest)
    }

    fn read_layers(&mut self, members: &Map<Value>) -> Result<()> {
        let config = members.get("config").map(Descriptor::read).transpose()?;
        if let Some(config) = &config
            && self.artifact_type.is_none()
        {
            self.artifact_type.clone_from(&config.media_type);
        }
        let layers = [descriptors(members, "layers")?, descriptors(members, "blobs")?].concat();
        if config.is_none() && layers.is_empty() {
            return Err(invalid("The manifest has neither a config nor layers"));
        }
        for content in config.into_iter().chain(layers) {
            self.size = self.size.saturating_add(content.size);
            push_new(&mut self.layers, content.digest);
        }
        Ok(())
    }

    /// Reads the layers of the first form, whose sizes are not in the manifest.
    fn read_first_form(&mut self, members: &Map<Value>) -> Result<()> {
        let Some(Value::List(layers)) = members.get("fsLayers") else {
            return Err(invalid("The manifest has no fsLayers"));
        };
        for layer in layers {
            let digest = layer.get("blobSum").and_then(Value::as_text);
            let digest = digest.ok_or_else(|| invalid("A layer of the manifest has no blobSum"))?;
            push_new(&mut self.layers, digest.into());
        }
        Ok(())
    }
}

/// A reference to a content.
#[derive(Clone, Debug)]
struct Descriptor {
    digest: Text,
    pub size: i64,
    media_type: Option<Text>,
}

impl Descriptor {
    fn read(value: &Value) -> Result<Self> {
        let digest = value.get("digest").and_then(Value::as_text);
        let digest = digest.filter(|digest| nephos_cloud::BlobDigest::parse(digest).is_some());
        let digest = digest.ok_or_else(|| invalid("A descriptor of the manifest has no sha256 digest"))?;
        let size = match value.get("size") {
            Some(Value::Int(size)) if *size >= 0 => *size,
            None => 0,
            _ => return Err(invalid("A descriptor of the manifest has an invalid size")),
        };
        let media_type = value.get("mediaType").and_then(Value::as_text).map(Text::from);
        Ok(Self { digest: digest.into(), size, media_type })
    }
}

/// Reads the list of descriptors under `name`; an absent one is empty.
fn descriptors(members: &Map<Value>, name: &str) -> Result<Vec<Descriptor>> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::List(items)) => items.iter().map(Descriptor::read).collect(),
        Some(_) => Err(invalid(&format!("{name} of the manifest is not a list"))),
    }
}

fn push_new(list: &mut Vec<Text>, digest: Text) {
    if !list.contains(&digest) {
        list.push(digest);
    }
}

fn invalid(reason: &str) -> Error {
    errors::invalid_parameter("ImageManifest", reason).with_field("imageManifest")
}
