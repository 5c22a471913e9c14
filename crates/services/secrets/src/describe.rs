//! Looking at secrets, without their values.

use super::{ReplicationStatus, RotationRules, SERVICE, Secret, SecretManager, kept, labels, rotation};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    ErrorKind, Map, Record, Result, Steppable, Steps, Tag, Text, Timestamp, operation, shape::RecordShape,
    tags,
};

/// Describes a secret.
#[operation(service = SERVICE, effect = read, output = DescribeSecretResponse, subject = "secret:{SecretId}")]
pub struct DescribeSecret {
    /// The secret's name or resource name.
    #[field(length(1..=2048))]
    pub secret_id: Text,
}

/// All that is told of a secret, the replicas included.
#[derive(Record)]
pub struct DescribeSecretResponse {
    /// Resource name.
    #[field(name = "ARN")]
    pub(super) arn: Option<Text>,
    /// Name, unique within account and Region.
    pub(super) name: Option<Text>,
    /// The partner who holds it, if it is held elsewhere.
    pub(super) r#type: Option<Text>,
    /// What it is for.
    pub(super) description: Option<Text>,
    /// The key that its values are encrypted with; the provider's own if absent.
    #[field(wire = "KmsKeyId")]
    pub(super) crypto_key_id: Option<Text>,
    /// Whether it is rotated on a schedule.
    pub(super) rotation_enabled: Option<bool>,
    /// The function that rotates it.
    #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN")]
    pub(super) rotation_function_arn: Option<Text>,
    /// When it is rotated.
    pub(super) rotation_rules: Option<RotationRules>,
    /// What the partner who holds it needs to know to rotate it.
    pub(super) external_secret_rotation_metadata: Option<Vec<rotation::MetadataItem>>,
    /// The role that is assumed to rotate it.
    pub(super) external_secret_rotation_role_arn: Option<Text>,
    /// When it was rotated last.
    pub(super) last_rotated_date: Option<Timestamp>,
    /// When anything of it changed last.
    pub(super) last_changed_date: Option<Timestamp>,
    /// The day on which a value was read last in this Region.
    pub(super) last_accessed_date: Option<Timestamp>,
    /// When it was deleted; absent unless it is scheduled for deletion.
    pub(super) deleted_date: Option<Timestamp>,
    /// When it is rotated next, at the latest.
    pub(super) next_rotation_date: Option<Timestamp>,
    /// Tags.
    pub(super) tags: Option<Vec<Tag>>,
    /// The labels of each version that has any.
    #[field(spellings = labels::SPELLINGS)]
    pub(super) version_ids_to_stages: Option<Map<Vec<Text>>>,
    /// The service that manages it.
    pub(super) owning_service: Option<Text>,
    /// When it was created.
    pub(super) created_date: Option<Timestamp>,
    /// The Region of its primary, if it is one of several.
    pub(super) primary_region: Option<Text>,
    /// How far its replicas are.
    pub(super) replication_status: Option<Vec<ReplicationStatus>>,
}

impl DescribeSecretResponse {
    /// The tags as a mapping.
    pub fn tags_map(&self) -> Map<Text> {
        tags::to_map(self.tags.as_deref().unwrap_or_default())
    }

    /// The description of one tag.
    pub fn tag_class() -> &'static RecordShape {
        Tag::SHAPE
    }
}

impl Handler for DescribeSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<DescribeSecretResponse> {
        kept::require(cx, &self.secret_id)?.described(cx)
    }
}

/// The secret that `id` names, which must exist.
pub(super) async fn secret(steps: &Steps, id: Text) -> Result<Secret> {
    steps.call(DescribeSecret::new(id)).await.map(Secret::from)
}

/// A secret, if there is one.
#[operation(kind = Secret, call = "get", effect = read, output = Option<Secret>)]
pub struct Get {
    /// Its name or resource name.
    #[field(from = "Name", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<Secret>> {
        match secret(steps, self.secret_id.clone()).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }
}

/// All that is told of a secret, the replicas included.
#[operation(kind = Secret, call = "describe", effect = read, output = DescribeSecretResponse, instance)]
pub struct Describe {
    /// Its name or resource name.
    #[field(from = "ARN", length(1..=2048))]
    pub secret_id: Text,
}

impl Steppable for Describe {
    async fn run(&self, steps: &Steps) -> Result<DescribeSecretResponse> {
        steps.call(DescribeSecret::new(self.secret_id.clone())).await
    }
}
