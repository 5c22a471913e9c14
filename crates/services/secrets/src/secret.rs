//! Secrets: named values in versions, sealed, with a schedule for their rotation.

use super::{
    OngoingRotation, Replica, ReplicationStatus, RotationRules, SERVICE, batch, create, delete, describe,
    labels, list, password, policy, replicate, rotate, rotation::MetadataItem, stage, tagging, update, value,
    versions,
};
use nephos_core::{Blob, Map, Record, Resource, Slot, Tag, Text, Timestamp};

/// Declares a record with the fields that the kind, its row and its description have in common; its own come after the name.
macro_rules! secret_record {
    ($(#[$($attribute:tt)*])* $vis:vis struct $name:ident { $($own:tt)* }) => {
        $(#[$($attribute)*])*
        $vis struct $name {
            /// Name, unique within account and Region.
            #[field(required, fixed, length(1..=512))]
            pub(super) name: Option<Text>,
            $($own)*
            /// Partner who holds it, if it is held elsewhere.
            #[field(length(..=256))]
            pub(super) r#type: Option<Text>,
            /// Description.
            #[field(length(..=2048))]
            pub(super) description: Option<Text>,
            /// Key that its values are encrypted with; the provider's own if absent.
            #[field(wire = "KmsKeyId", length(..=2048))]
            pub(super) crypto_key_id: Option<Text>,
            /// True if it is rotated on a schedule.
            #[field(service_set)]
            pub(super) rotation_enabled: Option<bool>,
            /// ARN of the function that rotates it.
            #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN", service_set)]
            pub(super) rotation_function_arn: Option<Text>,
            /// Schedule of its rotation.
            #[field(service_set)]
            pub(super) rotation_rules: Option<RotationRules>,
            /// Metadata that the partner who holds it needs to rotate it.
            #[field(service_set)]
            pub(super) external_secret_rotation_metadata: Option<Vec<MetadataItem>>,
            /// ARN of the role that is assumed to rotate it.
            #[field(service_set)]
            pub(super) external_secret_rotation_role_arn: Option<Text>,
            /// Time of its last rotation.
            #[field(service_set)]
            pub(super) last_rotated_date: Option<Timestamp>,
            /// Time of its last change of any kind.
            #[field(service_set)]
            pub(super) last_changed_date: Option<Timestamp>,
            /// Time of its deletion; absent unless it is scheduled for deletion.
            #[field(service_set)]
            pub(super) deleted_date: Option<Timestamp>,
            /// Time of its next rotation, at the latest.
            #[field(service_set)]
            pub(super) next_rotation_date: Option<Timestamp>,
            /// Tags.
            pub(super) tags: Option<Vec<Tag>>,
            /// Service that manages it.
            #[field(service_set)]
            pub(super) owning_service: Option<Text>,
            /// Time of its creation.
            #[field(service_set)]
            pub(super) created_date: Option<Timestamp>,
            /// Region of its primary, if it is replicated.
            #[field(service_set)]
            pub(super) primary_region: Option<Text>,
        }
    };
}

secret_record! {
    /// A secret: a named value in versions, of which one is the current one.
    #[derive(Resource)]
    #[resource(
        service = SERVICE, arn = "ARN", name = "Name", pk = "ARN", saved_when = "ARN", tags = "Tags",
        calls(
            create::SecretCreate, describe::SecretGet, describe::DescribeSecret, list::ListSecrets, update::SecretUpdate,
            delete::DeleteSecret, delete::RestoreSecret, value::GetSecretValue, value::PutSecretValue,
            batch::SecretBatchGetValue, stage::UpdateSecretVersionStage, rotate::RotateSecret, rotate::CancelRotateSecret,
            password::GetRandomPassword, policy::PutResourcePolicy, policy::GetResourcePolicy,
            policy::DeleteResourcePolicy, policy::ValidateResourcePolicy, replicate::ReplicateSecretToRegions,
            replicate::RemoveRegionsFromReplication, replicate::StopReplicationToReplica, tagging::TagResource,
            tagging::UntagResource, versions::SecretListVersions
        ),
        create = create::SecretCreate, update = update::SecretUpdate, delete = delete::DeleteSecret, get = describe::SecretGet,
    )]
    pub struct Secret {
        /// ARN: the name, and six random characters.
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
    /// A secret without the values of its versions: its row.
    #[derive(Record)]
    #[record(hot, name = "Secret")]
    pub(crate) struct SecretRow {
        /// Random characters after the name in its ARN.
        pub(super) suffix: Option<Text>,
        /// Key that its values are sealed with here.
        #[field(sensitive)]
        pub(super) data_key: Option<Blob>,
        /// Time at which it is removed.
        pub(super) deletion_date: Option<Timestamp>,
        /// Version that each label is on.
        pub(super) stages: Option<Map<Text>>,
        /// Time at which the window of its next rotation opens.
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
        /// ARN.
        #[field(name = "ARN")]
        pub(super) arn: Option<Text>,
        /// Day on which a value was last read in this Region.
        pub(super) last_accessed_date: Option<Timestamp>,
        /// Labels of each version that has any.
        #[field(spellings = labels::SPELLINGS)]
        pub(super) version_ids_to_stages: Option<Map<Vec<Text>>>,
        /// Status of its replicas.
        pub(super) replication_status: Option<Vec<ReplicationStatus>>,
    }
}

/// The parameter that names a secret.
#[derive(Record)]
#[record(shared)]
pub struct SecretId {
    /// Name or ARN of the secret.
    #[field(required, from = "ARN", length(1..=2048))]
    secret_id: Option<Text>,
}

/// The parameters of a new version.
#[derive(Record)]
#[record(shared)]
pub struct NewVersion {
    /// Idempotency token, which is the ID of the new version.
    #[field(token, length(32..=64))]
    client_request_token: Option<Text>,
    /// Value, if it is bytes.
    #[field(sensitive, length(1..=65_536))]
    secret_binary: Option<Blob>,
    /// Value, if it is text.
    #[field(length(1..=65_536))]
    secret_string: Option<nephos_core::Secret>,
}
