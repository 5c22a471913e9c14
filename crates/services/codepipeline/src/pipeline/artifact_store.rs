//! Stores of the artifacts of a pipeline.

use nephos_core::{Record, Text, choices};

choices! {
    /// Type of an artifact store.
    pub enum ArtifactStoreType {
        /// A bucket.
        S3 = "S3",
    }
}

choices! {
    /// Type of an encryption key.
    pub enum EncryptionKeyType {
        /// A crypto key.
        Kms = "KMS",
    }
}

/// Key that encrypts the artifacts.
#[derive(Record)]
#[record(case = "camel")]
pub struct EncryptionKey {
    /// ID, ARN or alias of the crypto key.
    #[field(required, length(1..=400))]
    pub(crate) id: Option<Text>,
    /// Type of the key.
    #[field(required)]
    r#type: Option<EncryptionKeyType>,
}

/// Store of the artifacts of a pipeline in a Region.
#[derive(Record)]
#[record(case = "camel")]
pub struct ArtifactStore {
    /// Type of the store.
    #[field(required)]
    r#type: Option<ArtifactStoreType>,
    /// Name of the bucket.
    #[field(required, length(3..=63), pattern = r"[a-zA-Z0-9\-\.]+")]
    pub(crate) location: Option<Text>,
    /// Key that encrypts the artifacts; the one that the provider manages if it is not given.
    pub(crate) encryption_key: Option<EncryptionKey>,
}
