//! Paths of the registry.

use nephos_cloud::BlobDigest;
use nephos_core::{Text, percent};

/// Resource that a path names.
#[derive(Debug, PartialEq, Eq)]
pub enum Route {
    /// The registry itself.
    Version,
    /// Tags of a repository.
    Tags { name: Text },
    /// Images that are about another one.
    Referrers { name: Text, digest: Text },
    /// The manifest with a tag or a digest.
    Manifest { name: Text, reference: Text },
    /// A blob.
    Blob { name: Text, digest: BlobDigest },
    /// Uploads of a repository.
    Uploads { name: Text },
    /// An upload.
    Upload { name: Text, id: Text },
}

impl Route {
    pub fn parse(path: &str) -> Option<Self> {
        let path = percent::decode(path, false)?;
        let rest = path.strip_prefix("/v2/")?;
        if rest.is_empty() {
            return Some(Self::Version);
        }
        let parts: Vec<_> = rest.split('/').collect();
        let name = |count: usize| {
            let parts = parts.get(..parts.len().checked_sub(count)?)?;
            let is_plain = !parts.is_empty() && parts.iter().all(|part| !part.is_empty());
            is_plain.then(|| Text::from(parts.join("/")))
        };
        match &parts[..] {
            [.., "tags", "list"] => Some(Self::Tags { name: name(2)? }),
            [.., "blobs", "uploads", ""] | [.., "blobs", "uploads"] => {
                let count = if parts.last() == Some(&"") { 3 } else { 2 };
                Some(Self::Uploads { name: name(count)? })
            }
            [.., "blobs", "uploads", id] => Some(Self::Upload { name: name(3)?, id: (*id).into() }),
            [.., "blobs", digest] => Some(Self::Blob { name: name(2)?, digest: BlobDigest::parse(digest)? }),
            [.., "manifests", reference] if !reference.is_empty() => {
                Some(Self::Manifest { name: name(2)?, reference: (*reference).into() })
            }
            [.., "referrers", digest] => Some(Self::Referrers { name: name(2)?, digest: (*digest).into() }),
            _ => None,
        }
    }
}
