//! Manifests: what an image is made of.

use crate::errors;
use nephos_cloud::{BlobDigest, Tx};
use nephos_core::{Error, Map, Result, Text, Value, json};
use std::{collections::HashSet, sync::Arc};

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

/// Maximum number of layers, or of images in a list, of a manifest.
const MAX_PARTS: usize = 4_200;

/// Size from which a manifest is parsed outside of the transaction.
const LARGE: usize = 32 << 10;

/// True for the media type of a list of manifests.
pub(crate) fn is_list(media_type: &str) -> bool {
    LISTS.contains(&media_type)
}

/// A parsed manifest.
#[derive(Debug)]
pub struct Manifest {
    /// Digest of the text.
    pub(crate) digest: Text,
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
    /// Parses the manifest of a request; a large one outside of its transaction.
    pub(crate) fn read(cx: &mut Tx<'_>, text: &Text, given_type: Option<&Text>) -> Result<Arc<Self>> {
        if text.len() < LARGE {
            return Self::parse(text, given_type.map(Text::as_str)).map(Arc::new);
        }
        let text = text.clone();
        let given_type = given_type.cloned();
        cx.compute(move || Self::parse(&text, given_type.as_deref()).map(Arc::new))
    }

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
            digest: BlobDigest::of(text.as_bytes()).to_string().into(),
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
            let children = descriptors(&members, "manifests")?;
            manifest.children = distinct(children.into_iter().map(|child| child.digest));
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
        let contents = || config.iter().chain(&layers);
        self.size = contents().fold(0, |size, content| size.saturating_add(content.size));
        self.layers = distinct(contents().map(|content| content.digest.clone()));
        Ok(())
    }

    /// Reads the layers of the first form, whose sizes are not in the manifest.
    fn read_first_form(&mut self, members: &Map<Value>) -> Result<()> {
        let Some(Value::List(layers)) = members.get("fsLayers") else {
            return Err(invalid("The manifest has no fsLayers"));
        };
        check_count(layers)?;
        let digests = layers.iter().map(|layer| {
            let digest = layer.get("blobSum").and_then(Value::as_text).map(Text::from);
            digest.ok_or_else(|| invalid("A layer of the manifest has no blobSum"))
        });
        self.layers = distinct(digests.collect::<Result<Vec<_>>>()?.into_iter());
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
        let digest = digest.filter(|digest| BlobDigest::parse(digest).is_some());
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
        Some(Value::List(items)) => {
            check_count(items)?;
            items.iter().map(Descriptor::read).collect()
        }
        Some(_) => Err(invalid(&format!("{name} of the manifest is not a list"))),
    }
}

/// Refuses more parts than a manifest can have.
fn check_count(items: &[Value]) -> Result<()> {
    match items.len() {
        ..=MAX_PARTS => Ok(()),
        count => {
            Err(invalid(&format!("A manifest can have at most {MAX_PARTS} layers or images, got {count}")))
        }
    }
}

/// Returns each digest once, in order.
fn distinct(digests: impl Iterator<Item = Text>) -> Vec<Text> {
    let mut known = HashSet::new();
    digests.filter(|digest| known.insert(digest.clone())).collect()
}

fn invalid(reason: &str) -> Error {
    errors::invalid_parameter("ImageManifest", reason).with_field("imageManifest")
}
