//! Availability and download of layers.

use super::find;
use crate::{
    Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors,
    image::is_digest,
    repository,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, choices, operation};

choices! {
    /// Availability of a layer.
    #[derive(Eq)]
    pub enum LayerAvailability {
        /// The layer is in the repository.
        Available = "AVAILABLE",
        /// The layer is not in the repository.
        Unavailable = "UNAVAILABLE",
        /// The layer is in the archive.
        Archived = "ARCHIVED",
    }
}

choices! {
    /// Reason why the availability of a layer is unknown.
    pub enum LayerFailureCode {
        /// The digest is malformed.
        InvalidLayerDigest = "InvalidLayerDigest",
        /// The digest is missing.
        MissingLayerDigest = "MissingLayerDigest",
    }
}

/// A layer.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct Layer {
    /// Digest of the layer.
    layer_digest: Option<Text>,
    /// Availability.
    layer_availability: Option<LayerAvailability>,
    /// Size in bytes.
    layer_size: Option<i64>,
}

/// A layer whose availability is unknown.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct LayerFailure {
    /// Digest of the request.
    layer_digest: Option<Text>,
    /// Reason as a code.
    failure_code: Option<LayerFailureCode>,
    /// Reason as a text.
    failure_reason: Option<Text>,
}

/// Availability of layers.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CheckedLayers {
    /// Layers.
    layers: Option<Vec<Layer>>,
    /// Layers whose availability is unknown.
    failures: Option<Vec<LayerFailure>>,
}

/// Returns the availability of layers in a repository.
#[operation(
    of = Repository, case = "camel", call = "check_layers", needs(repository_name), include(RegistryId), effect = read,
    output = CheckedLayers
)]
pub struct BatchCheckLayerAvailability {
    /// Digests of the layers.
    #[field(length(1..=100), each(length(..=1000)))]
    pub layer_digests: Vec<Text>,
}

impl Handler for BatchCheckLayerAvailability {
    fn run(self, cx: &mut Tx<'_>) -> Result<CheckedLayers> {
        run_in_registry(cx, self, |operation, cx| {
            repository::require(cx, &operation.repository_name)?;
            let mut layers = Vec::new();
            let mut failures = Vec::new();
            for digest in operation.layer_digests {
                if !is_digest(&digest) {
                    failures.push(LayerFailure {
                        failure_reason: Some(format!("Invalid layer digest '{digest}'").into()),
                        failure_code: Some(LayerFailureCode::InvalidLayerDigest),
                        layer_digest: Some(digest),
                    });
                    continue;
                }
                match find(cx, &operation.repository_name, &digest)? {
                    Some(row) => layers.push(Layer {
                        layer_digest: Some(digest),
                        layer_availability: Some(LayerAvailability::Available),
                        layer_size: row.layer_size,
                    }),
                    None => layers.push(Layer {
                        layer_digest: Some(digest),
                        layer_availability: Some(LayerAvailability::Unavailable),
                        layer_size: None,
                    }),
                }
            }
            Ok(CheckedLayers { layers: Some(layers), failures: Some(failures) })
        })
    }
}

/// Address of a layer.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct LayerDownload {
    /// Address that the layer is downloaded from.
    download_url: Option<Text>,
    /// Digest of the layer.
    layer_digest: Option<Text>,
}

/// Returns the address that a layer is downloaded from.
#[operation(
    of = Repository, case = "camel", call = "get_download_url", needs(repository_name), include(RegistryId), effect = read,
    output = LayerDownload
)]
pub struct GetDownloadUrlForLayer {
    /// Digest of the layer.
    #[field(pattern = "[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+")]
    pub layer_digest: Text,
}

impl Handler for GetDownloadUrlForLayer {
    fn run(self, cx: &mut Tx<'_>) -> Result<LayerDownload> {
        run_in_registry(cx, self, |operation, cx| {
            let name = &operation.repository_name;
            repository::require(cx, name)?;
            let digest = operation.layer_digest.clone();
            if find(cx, name, &digest)?.is_none() {
                let refused = errors::layer_not_found(&digest, name, cx.scope().account());
                return Err(refused.with_field("layerDigest"));
            }
            let download_url = super::download_url(None, cx.scope(), name, &digest);
            Ok(LayerDownload { download_url: Some(download_url), layer_digest: Some(digest) })
        })
    }
}
