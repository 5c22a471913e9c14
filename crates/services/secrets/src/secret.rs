//! Secrets: named values in versions, sealed, with a schedule for their rotation.

use super::{RotationRules, SERVICE, labels, rotation};
use nephos_core::{Map, Resource, Slot, Tag, Text, Timestamp};

/// A secret: a named value in versions, of which one is the current one.
#[derive(Resource)]
#[resource(
    service = SERVICE, arn = "ARN", name = "Name", pk = "ARN", mark = "ARN", tags = "Tags",
    calls(
        super::create::Create, super::describe::Get, super::describe::Describe, super::list::List,
        super::update::Update, super::delete::Delete, super::delete::Restore, super::value::GetValue,
        super::value::SetValue, super::batch::BatchGetValue, super::stage::UpdateVersionStage,
        super::rotate::Rotate, super::rotate::CancelRotation, super::password::RandomPassword,
        super::policy::SetResourcePolicy, super::policy::GetPolicy, super::policy::DeletePolicy,
        super::policy::ValidatePolicy, super::replicate::ReplicateToRegions, super::replicate::RemoveRegions,
        super::replicate::StopReplication, super::tagging::Tag, super::tagging::Untag, super::versions::Versions
    ),
    create = super::create::Create, update = super::update::Update, delete = super::delete::Delete,
    get = super::describe::Get,
)]
pub struct Secret {
    /// Name, unique within account and Region.
    #[field(required, fixed, length(1..=512))]
    pub(super) name: Option<Text>,
    /// Resource name: the name, and six random characters.
    #[field(name = "ARN", service_set)]
    pub(super) arn: Option<Text>,
    /// The partner who holds it, if it is held elsewhere.
    #[field(length(..=256))]
    pub(super) r#type: Option<Text>,
    /// What it is for.
    #[field(length(..=2048))]
    pub(super) description: Option<Text>,
    /// The key that its values are encrypted with; the provider's own if absent.
    #[field(wire = "KmsKeyId", length(..=2048))]
    pub(super) crypto_key_id: Option<Text>,
    /// Whether it is rotated on a schedule.
    #[field(service_set)]
    pub(super) rotation_enabled: Option<bool>,
    /// The function that rotates it.
    #[field(name = "RotationFunctionARN", wire = "RotationLambdaARN", service_set)]
    pub(super) rotation_function_arn: Option<Text>,
    /// When it is rotated.
    #[field(service_set)]
    pub(super) rotation_rules: Option<RotationRules>,
    /// What the partner who holds it needs to know to rotate it.
    #[field(service_set)]
    pub(super) external_secret_rotation_metadata: Option<Vec<rotation::MetadataItem>>,
    /// The role that is assumed to rotate it.
    #[field(service_set)]
    pub(super) external_secret_rotation_role_arn: Option<Text>,
    /// When it was rotated last.
    #[field(service_set)]
    pub(super) last_rotated_date: Option<Timestamp>,
    /// When anything of it changed last.
    #[field(service_set)]
    pub(super) last_changed_date: Option<Timestamp>,
    /// The day on which a value was read last in this Region.
    #[field(service_set)]
    pub(super) last_accessed_date: Option<Timestamp>,
    /// When it was deleted; absent unless it is scheduled for deletion.
    #[field(service_set)]
    pub(super) deleted_date: Option<Timestamp>,
    /// When it is rotated next, at the latest.
    #[field(service_set)]
    pub(super) next_rotation_date: Option<Timestamp>,
    /// Tags.
    pub(super) tags: Option<Vec<Tag>>,
    /// The labels of each version that has any.
    #[field(service_set, spellings = labels::SPELLINGS)]
    pub(super) secret_versions_to_stages: Option<Map<Vec<Text>>>,
    /// The service that manages it.
    #[field(service_set)]
    pub(super) owning_service: Option<Text>,
    /// When it was created.
    #[field(service_set)]
    pub(super) created_date: Option<Timestamp>,
    /// The Region of its primary, if it is one of several.
    #[field(service_set)]
    pub(super) primary_region: Option<Text>,
    pub(super) slot: Slot,
}
