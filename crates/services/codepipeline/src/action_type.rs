//! Action types: what actions of pipelines run, with their artifacts and configuration.

mod calls;
mod custom;
mod detail;
mod operations;
pub(crate) mod provided;

pub use calls::*;
pub(crate) use custom::{CustomTypeRow, find_row};
pub use detail::*;
pub use operations::*;

use crate::{
    errors,
    pipeline::{ActionOwner, ActionTypeId},
};
use nephos_cloud::Tx;
use nephos_core::{Record, Resource, Result, Slot, Text, choices};

choices! {
    /// Type of the value of a configuration property.
    pub enum ActionConfigurationPropertyType {
        /// A text.
        String = "String",
        /// A number.
        Number = "Number",
        /// True or false.
        Boolean = "Boolean",
    }
}

/// Numbers of artifacts that actions of a type take or produce.
#[derive(Record)]
#[record(case = "camel")]
pub struct ArtifactDetails {
    /// Minimum number.
    #[field(required, range(0..=5))]
    pub(crate) minimum_count: Option<i64>,
    /// Maximum number.
    #[field(required, range(0..=5))]
    pub(crate) maximum_count: Option<i64>,
}

/// Addresses that the console shows for actions of a type.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionTypeSettings {
    /// Address of a page to configure the service that runs the actions.
    #[field(length(1..=2048))]
    third_party_configuration_url: Option<Text>,
    /// Template of the address of the resource that an action uses.
    #[field(length(1..=2048))]
    pub(crate) entity_url_template: Option<Text>,
    /// Template of the address of an execution of an action.
    #[field(length(1..=2048))]
    pub(crate) execution_url_template: Option<Text>,
    /// Template of the address of a page to change the configuration.
    #[field(length(1..=2048))]
    pub(crate) revision_url_template: Option<Text>,
}

/// A property of the configuration of actions of a type.
#[derive(Record)]
#[record(case = "camel")]
pub struct ActionConfigurationProperty {
    /// Name.
    #[field(required, length(1..=50))]
    pub(crate) name: Option<Text>,
    /// True if actions must have it.
    #[field(required)]
    pub(crate) required: Option<bool>,
    /// True if it identifies the resource that an action uses.
    #[field(required)]
    pub(crate) key: Option<bool>,
    /// True if its value is never returned.
    #[field(required)]
    pub(crate) secret: Option<bool>,
    /// True if job workers can ask for jobs by its value. At most one property can be, which is required and not secret.
    pub(crate) queryable: Option<bool>,
    /// Description.
    #[field(length(1..=160))]
    pub(crate) description: Option<Text>,
    /// Type of its value.
    r#type: Option<ActionConfigurationPropertyType>,
}

/// An action type.
#[derive(Resource)]
#[resource(
    case = "camel",
    pk("id.category", "id.provider", "id.version"),
    not_found = |id| errors::action_type_missing(id)
)]
pub struct ActionType {
    /// Identity of the action type. Types that callers create are owned by their account.
    #[field(required, fixed)]
    pub(crate) id: Option<ActionTypeId>,
    /// Addresses that the console shows.
    #[field(fixed)]
    pub(crate) settings: Option<ActionTypeSettings>,
    /// Properties of the configuration.
    #[field(fixed, length(..=10))]
    pub(crate) action_configuration_properties: Option<Vec<ActionConfigurationProperty>>,
    /// Numbers of artifacts that actions take.
    #[field(required)]
    pub(crate) input_artifact_details: Option<ArtifactDetails>,
    /// Numbers of artifacts that actions produce.
    #[field(required)]
    pub(crate) output_artifact_details: Option<ArtifactDetails>,
    /// Description, of types for customers of a provider.
    #[field(not_in_list, not_on_wire, like = ActionTypeDeclaration::description)]
    pub(crate) description: Option<Text>,
    /// Executor of the actions, of types for customers of a provider.
    #[field(not_in_list, not_on_wire)]
    pub(crate) executor: Option<ActionTypeExecutor>,
    /// Accounts that can use the type, of types for customers of a provider.
    #[field(not_in_list, not_on_wire)]
    pub(crate) permissions: Option<ActionTypePermissions>,
    /// Properties of the configuration, in the form of types for customers of a provider.
    #[field(not_in_list, not_on_wire, like = ActionTypeDeclaration::properties)]
    pub(crate) properties: Option<Vec<ActionTypeProperty>>,
    /// Addresses that the console shows, in the form of types for customers of a provider.
    #[field(not_in_list, not_on_wire)]
    pub(crate) urls: Option<ActionTypeUrls>,
    slot: Slot,
}

impl ActionType {
    /// Owner of the type.
    pub(crate) fn owner(&self) -> Option<&ActionOwner> {
        self.id.as_ref()?.owner.as_ref()
    }

    /// Properties of the configuration.
    pub(crate) fn properties_list(&self) -> &[ActionConfigurationProperty] {
        self.action_configuration_properties.as_deref().unwrap_or_default()
    }
}

/// Finds an action type that actions in the scope can use.
pub(crate) fn find(cx: &Tx<'_>, id: &ActionTypeId) -> Result<Option<ActionType>> {
    match id.owner {
        Some(ActionOwner::Custom) => custom::find_available(cx, id),
        _ => Ok(provided::find(id)),
    }
}
