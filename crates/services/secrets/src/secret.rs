//! Secrets: named values in versions, encrypted at rest, with an optional rotation schedule.

use super::{OngoingRotation, Replica, ReplicationStatus, RotationRules, labels, rotation::MetadataItem};
use nephos_core::{Blob, Map, Record, Resource, Slot, Tag, Text, Timestamp};
#[cfg(feature = "kms")]
use nephos_kms::CryptoKey;

/// Declares a record with the fields that the kind, its row and its description share; the fields of that record alone
/// come after the name.
macro_rules! secret_record {
    ($(#[$($attribute:tt)*])* $vis:vis struct $name:ident { $($own:tt)* }) => {
        $(#[$($attribute)*])*
        $vis struct $name {
            /// Name of the secret, unique within account and Region.
            #[field(required, fixed, length(1..=512))]
            pub(super) name: Option<Text>,
            $($own)*
            /// Partner that holds the secret, if it is stored outside the provider.
            #[field(length(..=256), condition = "secretsmanager:Type", clear = "")]
            pub(super) r#type: Option<Text>,
            /// Description of the secret.
            #[field(length(..=2048), condition = "secretsmanager:Description", clear = "")]
            pub(super) description: Option<Text>,
            /// Key that the values are encrypted with; the provider's default key if absent.
            #[field(wire = "KmsKeyId", length(..=2048), condition = "secretsmanager:KmsKeyId", clear = "")]
            pub(super) crypto_key_id: Option<Text>,
            /// True if automatic rotation is turned on.
            #[field(service_set)]
            pub(super) rotation_enabled: Option<bool>,
            /// ARN of the rotation function.
            #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN", service_set)]
            pub(super) rotation_function_arn: Option<Text>,
            /// Rotation schedule.
            #[field(service_set)]
            pub(super) rotation_rules: Option<RotationRules>,
            /// Metadata that the partner needs to rotate the secret.
            #[field(service_set)]
            pub(super) external_secret_rotation_metadata: Option<Vec<MetadataItem>>,
            /// ARN of the role that is assumed to rotate the secret at the partner.
            #[field(service_set)]
            pub(super) external_secret_rotation_role_arn: Option<Text>,
            /// Time of the last rotation.
            #[field(service_set)]
            pub(super) last_rotated_date: Option<Timestamp>,
            /// Time of the last change of any kind.
            #[field(service_set)]
            pub(super) last_changed_date: Option<Timestamp>,
            /// Time of the deletion request; absent unless the secret is scheduled for deletion.
            #[field(service_set)]
            pub(super) deleted_date: Option<Timestamp>,
            /// Latest time of the next rotation.
            #[field(service_set)]
            pub(super) next_rotation_date: Option<Timestamp>,
            /// Tags.
            pub(super) tags: Option<Vec<Tag>>,
            /// Service that manages the secret.
            #[field(service_set)]
            pub(super) owning_service: Option<Text>,
            /// Time of creation.
            #[field(service_set)]
            pub(super) created_date: Option<Timestamp>,
            /// Region of the primary secret, if the secret is replicated.
            #[field(service_set)]
            pub(super) primary_region: Option<Text>,
        }
    };
}

secret_record! {
    /// A secret: a named value in versions, one of which is current.
    #[derive(Resource)]
    #[resource(
        arn = "ARN", name = "Name", pk = "ARN", saved_when = "ARN", tags = "Tags",
    )]
    #[cfg_attr(feature = "kms", resource(relation(crypto_key, one = CryptoKey, with = key_of)))]
    pub struct Secret {
        /// ARN of the secret: it ends with the name and six random characters.
        #[field(name = "ARN", service_set)]
        pub(super) arn: Option<Text>,
        /// Day on which a value was last read in this Region.
        #[field(service_set)]
        pub(super) last_accessed_date: Option<Timestamp>,
        /// Labels of each version that has any.
        #[field(service_set, spellings = labels::SPELLINGS)]
        pub(super) secret_versions_to_stages: Option<Map<Vec<Text>>>,
        pub(super) slot: Slot,
    }
}

secret_record! {
    /// Row of a secret, without the values of its versions.
    #[derive(Record)]
    #[record(hot, name = "Secret")]
    pub(crate) struct SecretRow {
        /// Random characters after the name in the ARN.
        pub(super) suffix: Option<Text>,
        /// Data key that the values are sealed with, itself sealed.
        #[field(sensitive)]
        pub(super) data_key: Option<Blob>,
        /// Time at which the secret is removed.
        pub(super) deletion_date: Option<Timestamp>,
        /// Version ID for each label.
        pub(super) stages: Option<Map<Text>>,
        /// Time at which the window of the next rotation opens.
        pub(super) rotation_opens: Option<Timestamp>,
        /// Rotation in progress.
        pub(super) rotation: Option<OngoingRotation>,
        /// Replicas.
        pub(super) replicas: Option<Vec<Replica>>,
    }
}

secret_record! {
    /// The description of a secret, with its replicas.
    #[derive(Record)]
    pub struct DescribeSecretResponse {
        /// ARN of the secret.
        #[field(name = "ARN")]
        pub(super) arn: Option<Text>,
        /// Day on which a value was last read in this Region.
        pub(super) last_accessed_date: Option<Timestamp>,
        /// Labels of each version that has any.
        #[field(spellings = labels::SPELLINGS)]
        pub(super) version_ids_to_stages: Option<Map<Vec<Text>>>,
        /// Status of each replica.
        pub(super) replication_status: Option<Vec<ReplicationStatus>>,
    }
}

/// Returns the crypto key of a secret; `None` if it has the provider's default key.
#[cfg(feature = "kms")]
async fn key_of(secret: &Secret) -> nephos_core::Result<Option<CryptoKey>> {
    nephos_kms::load_related(secret, secret.crypto_key_id.as_ref()).await
}

/// Parameter that identifies a secret.
#[derive(Record)]
#[record(shared)]
pub struct SecretId {
    /// Name or ARN of the secret.
    #[field(required, from = "ARN|Name", length(1..=2048), condition = "secretsmanager:SecretId")]
    secret_id: Option<Text>,
}

/// Parameters of a new version.
#[derive(Record)]
#[record(shared)]
pub struct NewVersion {
    /// Idempotency token, which is the ID of the new version.
    #[field(token, length(32..=64))]
    client_request_token: Option<Text>,
    /// Value, if it is binary.
    #[field(sensitive, length(1..=65_536))]
    secret_binary: Option<Blob>,
    /// Value, if it is text.
    #[field(length(1..=65_536))]
    secret_string: Option<nephos_core::Secret>,
}
