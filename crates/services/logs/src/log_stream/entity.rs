//! Entities: the resources and services that log events are about.

use crate::{LogGroup, LogGroupClass};
use nephos_cloud::{Key, Scope, Stored, Tx};
use nephos_core::{Map, Record, Result, Text, choices};

choices! {
    /// Reason why an entity was rejected.
    pub enum EntityRejectionErrorType {
        /// The entity has no key attributes.
        InvalidEntity,
        /// The type is not a type of entities.
        InvalidTypeValue,
        /// The type does not have one of the key attributes.
        InvalidKeyAttributes,
        /// An attribute has an invalid name.
        InvalidAttributes,
        /// The entity is too large.
        EntitySizeTooLarge,
        /// The class of the log group does not support entities.
        UnsupportedLogGroupType,
        /// A key attribute is missing.
        MissingRequiredFields,
    }
}

/// A resource or service that log events are about.
#[derive(Record)]
#[record(case = "camel")]
pub struct Entity {
    /// Attributes that identify the entity: `Type`, and depending on it `Name`, `Environment`, `ResourceType` and
    /// `Identifier`.
    #[field(length(2..=4), each(length(1..=512)))]
    key_attributes: Option<Map<Text>>,
    /// Other attributes of the entity.
    #[field(length(..=10), each(length(1..=512)))]
    attributes: Option<Map<Text>>,
}

/// Types of entities, with the key attributes that each requires and allows besides `Type`.
const TYPES: [(&str, &[&str], &[&str]); 5] = [
    ("Service", &["Name", "Environment"], &[]),
    ("RemoteService", &["Name"], &["Environment"]),
    ("AWS::Service", &["Name"], &["Environment"]),
    ("Resource", &["ResourceType", "Identifier"], &["Environment"]),
    ("AWS::Resource", &["ResourceType", "Identifier"], &["Environment"]),
];

/// Maximum number of characters of the name of an attribute.
const MAX_NAME_LENGTH: usize = 256;

impl Entity {
    /// Checks the entity of events of a log group.
    pub(crate) fn check(&self, group: &LogGroup) -> Result<(), EntityRejectionErrorType> {
        if group.log_group_class != Some(LogGroupClass::Standard) {
            return Err(EntityRejectionErrorType::UnsupportedLogGroupType);
        }
        let keys = self.key_attributes.as_ref().ok_or(EntityRejectionErrorType::InvalidEntity)?;
        let kind = keys.get("Type").ok_or(EntityRejectionErrorType::MissingRequiredFields)?;
        let Some((_, required, allowed)) = TYPES.iter().find(|(name, ..)| name == kind) else {
            return Err(EntityRejectionErrorType::InvalidTypeValue);
        };
        let is_known = |key: &str| key == "Type" || required.contains(&key) || allowed.contains(&key);
        if !keys.keys().all(|key| is_known(key)) {
            return Err(EntityRejectionErrorType::InvalidKeyAttributes);
        }
        if !required.iter().all(|key| keys.contains_key(*key)) {
            return Err(EntityRejectionErrorType::MissingRequiredFields);
        }
        let has_valid_length = |name: &Text| (1..=MAX_NAME_LENGTH).contains(&name.chars().count());
        if !self.attributes.iter().flat_map(Map::keys).all(has_valid_length) {
            return Err(EntityRejectionErrorType::InvalidAttributes);
        }
        Ok(())
    }
}

/// Reason why the entity of log events was rejected.
#[derive(Record)]
#[record(case = "camel")]
pub struct RejectedEntityInfo {
    /// Type of the error.
    error_type: Option<EntityRejectionErrorType>,
}

impl RejectedEntityInfo {
    pub(crate) fn new(error_type: EntityRejectionErrorType) -> Self {
        Self { error_type: Some(error_type) }
    }
}

/// Row of the entity of the last events of a log stream.
#[derive(Record)]
#[record(row)]
pub(crate) struct EntityRow {
    /// Name of the log group.
    log_group_name: Option<Text>,
    /// Name of the log stream.
    log_stream_name: Option<Text>,
    /// Entity of the last events.
    entity: Option<Entity>,
}

nephos_cloud::stored!(EntityRow in "logs/entity" by log_group_name, log_stream_name);

/// Returns the key prefix of the entities of a log group.
pub(crate) fn group_prefix(scope: &Scope, group: &str) -> Key {
    EntityRow::table(scope).text(group)
}

/// Stores the entity of the last events of a log stream.
pub(crate) fn put_entity(cx: &mut Tx<'_>, group: &str, stream: &str, entity: Entity) -> Result<()> {
    cx.put(EntityRow {
        log_group_name: Some(group.into()),
        log_stream_name: Some(stream.into()),
        entity: Some(entity),
    })
}

/// Removes the entity of a log stream.
pub(crate) fn remove_entity(cx: &mut Tx<'_>, group: &str, stream: &str) -> Result<()> {
    cx.remove_row(&group_prefix(cx.scope(), group).text(stream))
}
