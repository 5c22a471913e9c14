//! Secrets: named values in versions, encrypted at rest, with an optional rotation schedule.

pub(crate) mod access;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod filters;
pub(crate) mod list;
pub(crate) mod managed;
pub(crate) mod policy;
pub(crate) mod replicate;
pub(crate) mod replication;
pub(crate) mod rotate;
pub(crate) mod rotation;
pub(crate) mod secret_row;
pub(crate) mod tagging;
pub(crate) mod update;
pub(crate) mod window;

use crate::{
    OngoingRotation, Replica, ReplicationStatus, RotationRules, secret::rotation::MetadataItem,
    version::labels,
};
use nephos_core::{Blob, Map, Record, Resource, Slot, Tag, Text, Timestamp, record_of};
#[cfg(feature = "kms")]
use nephos_kms::CryptoKey;

/// A secret: a named value in versions, one of which is current.
#[derive(Resource)]
#[resource(arn = "ARN", name = "Name", pk = "ARN", exists_if = "ARN", tags = "Tags")]
#[cfg_attr(feature = "kms", resource(relation(crypto_key, one = CryptoKey, with = key_of)))]
pub struct Secret {
    /// Name of the secret, unique within account and Region.
    #[field(required, fixed, length(1..=512))]
    pub(crate) name: Option<Text>,
    /// ARN of the secret: it ends with the name and six random characters.
    #[field(name = "ARN", service_set)]
    pub(crate) arn: Option<Text>,
    /// Day on which a value was last read in this Region.
    #[field(service_set)]
    pub(crate) last_accessed_date: Option<Timestamp>,
    /// Labels of each version that has any.
    #[field(service_set, spellings = labels::SPELLINGS)]
    pub(crate) secret_versions_to_stages: Option<Map<Vec<Text>>>,
    /// Partner that holds the secret, if it is stored outside the provider.
    #[field(length(..=256), condition = "secretsmanager:Type", clear = "")]
    pub(crate) r#type: Option<Text>,
    /// Description of the secret.
    #[field(length(..=2048), condition = "secretsmanager:Description", clear = "")]
    pub(crate) description: Option<Text>,
    /// Key that the values are encrypted with; the provider's default key if absent.
    #[field(wire = "KmsKeyId", length(..=2048), condition = "secretsmanager:KmsKeyId", clear = "")]
    pub(crate) crypto_key_id: Option<Text>,
    /// True if automatic rotation is turned on.
    #[field(service_set)]
    pub(crate) rotation_enabled: Option<bool>,
    /// ARN of the rotation function.
    #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN", service_set)]
    pub(crate) rotation_function_arn: Option<Text>,
    /// Rotation schedule.
    #[field(service_set)]
    pub(crate) rotation_rules: Option<RotationRules>,
    /// Metadata that the partner needs to rotate the secret.
    #[field(service_set)]
    pub(crate) external_secret_rotation_metadata: Option<Vec<MetadataItem>>,
    /// ARN of the role that is assumed to rotate the secret at the partner.
    #[field(service_set)]
    pub(crate) external_secret_rotation_role_arn: Option<Text>,
    /// Time of the last rotation.
    #[field(service_set)]
    pub(crate) last_rotated_date: Option<Timestamp>,
    /// Time of the last change of any kind.
    #[field(service_set)]
    pub(crate) last_changed_date: Option<Timestamp>,
    /// Time of the deletion request; absent unless the secret is scheduled for deletion.
    #[field(service_set)]
    pub(crate) deleted_date: Option<Timestamp>,
    /// Latest time of the next rotation.
    #[field(service_set)]
    pub(crate) next_rotation_date: Option<Timestamp>,
    /// Tags.
    pub(crate) tags: Option<Vec<Tag>>,
    /// Service that manages the secret.
    #[field(service_set)]
    pub(crate) owning_service: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) created_date: Option<Timestamp>,
    /// Region of the primary secret, if the secret is replicated.
    #[field(service_set)]
    pub(crate) primary_region: Option<Text>,
    pub(crate) slot: Slot,
}

/// Row of a secret, without the values of its versions.
#[record_of(
    of = Secret, row, hot, name = "Secret", takes(all),
    except(arn, last_accessed_date, secret_versions_to_stages)
)]
pub struct SecretRow {
    /// Random characters after the name in the ARN.
    pub(crate) suffix: Option<Text>,
    /// Data key that the values are sealed with, itself sealed.
    #[field(sensitive)]
    pub(crate) data_key: Option<Blob>,
    /// Time at which the secret is removed.
    pub(crate) deletion_date: Option<Timestamp>,
    /// Version ID for each label.
    pub(crate) stages: Option<Map<Text>>,
    /// Time at which the window of the next rotation opens.
    pub(crate) rotation_opens: Option<Timestamp>,
    /// Rotation in progress.
    pub(crate) rotation: Option<OngoingRotation>,
    /// Replicas.
    pub(crate) replicas: Option<Vec<Replica>>,
}

/// The description of a secret, with its replicas.
#[record_of(of = Secret, takes(all, secret_versions_to_stages as version_ids_to_stages))]
pub struct DescribeSecretResponse {
    /// Status of each replica.
    pub(crate) replication_status: Option<Vec<ReplicationStatus>>,
}

/// ARN and name of the secret that was changed.
#[record_of(of = Secret, takes(arn, name))]
pub struct SecretName {}

/// ARN and name of the secret that was changed, and the ID of its new version.
#[record_of(of = Secret, takes(arn, name))]
pub struct SecretVersionName {
    /// ID of the version, if there is one.
    pub(crate) version_id: Option<Text>,
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
    #[field(required, from_field = "ARN|Name", length(1..=2048), condition = "secretsmanager:SecretId")]
    secret_id: Option<Text>,
}

/// Parameters of a new version.
#[derive(Record)]
#[record(shared)]
pub struct NewVersion {
    /// Idempotency token, which is the ID of the new version.
    #[field(idempotency_token, length(32..=64))]
    client_request_token: Option<Text>,
    /// Value, if it is binary.
    #[field(sensitive, length(1..=65_536))]
    secret_binary: Option<Blob>,
    /// Value, if it is text.
    #[field(length(1..=65_536))]
    secret_string: Option<nephos_core::Secret>,
}
