//! Custom action types, which an account defines for its own job workers.

use super::{ActionConfigurationProperty, ActionType, ArtifactDetails};
use crate::{
    errors,
    pipeline::{ActionOwner, ActionTypeId},
};
use nephos_cloud::{Scope, Stored, Tx};
use nephos_core::{Error, Result, Tag, Text, field_value::FieldType, record_of};

/// Row of a custom action type. A deleted one is kept: its version cannot be used for another definition.
#[record_of(
    of = ActionType, case = "camel",
    takes(settings, action_configuration_properties, input_artifact_details, output_artifact_details), row
)]
pub(crate) struct CustomTypeRow {
    /// Category.
    pub(super) category: Option<Text>,
    /// Provider.
    pub(super) provider: Option<Text>,
    /// Version.
    pub(super) version: Option<Text>,
    /// True if the type was deleted.
    pub(super) is_deleted: Option<bool>,
    /// Tags.
    #[field(name = "Tags")]
    pub(crate) tags: Option<Vec<Tag>>,
}

nephos_cloud::stored!(CustomTypeRow in "codepipeline/custom-action-type" by category, provider, version);

impl CustomTypeRow {
    /// ARN of the type.
    pub(crate) fn arn(&self, scope: &Scope) -> Text {
        let [category, provider, version] =
            [&self.category, &self.provider, &self.version].map(|part| part.as_deref().unwrap_or_default());
        scope.arn("codepipeline", &["actiontype:Custom/", category, "/", provider, "/", version]).into()
    }

    /// True if the type was deleted.
    pub(crate) fn is_deleted(&self) -> bool {
        self.is_deleted == Some(true)
    }

    /// Returns the type as a model.
    pub(crate) fn into_model(self) -> ActionType {
        let mut model = ActionType::blank();
        let category =
            nephos_core::field_value::choice_from_text(self.category.as_deref().unwrap_or_default());
        model.id = Some(ActionTypeId {
            category: Some(category),
            owner: Some(ActionOwner::Custom),
            provider: self.provider,
            version: self.version,
        });
        model.settings = self.settings;
        model.action_configuration_properties = self.action_configuration_properties;
        model.input_artifact_details = self.input_artifact_details;
        model.output_artifact_details = self.output_artifact_details;
        model
    }

    /// True if both define the same actions.
    pub(super) fn has_definition_of(&self, other: &Self) -> bool {
        self.settings == other.settings
            && self.action_configuration_properties == other.action_configuration_properties
            && self.input_artifact_details == other.input_artifact_details
            && self.output_artifact_details == other.output_artifact_details
    }
}

/// Finds a custom type, deleted or not.
pub(crate) fn find_row(
    cx: &Tx<'_>,
    category: &str,
    provider: &str,
    version: &str,
) -> Result<Option<CustomTypeRow>> {
    cx.get(&CustomTypeRow::table(cx.scope()).text(category).text(provider).text(version))
}

/// Finds a custom type that was not deleted.
pub(crate) fn find_available(cx: &Tx<'_>, id: &ActionTypeId) -> Result<Option<ActionType>> {
    let category = id.category.as_ref().map(ToString::to_string).unwrap_or_default();
    let provider = id.provider.as_deref().unwrap_or_default();
    let version = id.version.as_deref().unwrap_or_default();
    let row = find_row(cx, &category, provider, version)?;
    Ok(row.filter(|row| !row.is_deleted()).map(CustomTypeRow::into_model))
}

/// Refuses numbers of artifacts that contradict each other.
pub(super) fn check_counts(details: &ArtifactDetails, member: &'static str) -> Result<()> {
    if details.minimum_count > details.maximum_count {
        return Err(errors::artifact_counts_reversed(member).with_field(member));
    }
    Ok(())
}

/// Refuses properties that contradict each other.
pub(super) fn check_properties(properties: &[ActionConfigurationProperty]) -> Result<()> {
    let refused = |error: Error| Err(error.with_field("configurationProperties"));
    for (n, property) in properties.iter().enumerate() {
        let name = property.name.as_deref().unwrap_or_default();
        if properties[..n].iter().any(|other| other.name == property.name) {
            return refused(errors::property_repeated(name));
        }
        if property.queryable == Some(true)
            && (property.required != Some(true) || property.secret == Some(true))
        {
            return refused(errors::queryable_optional(name));
        }
    }
    if properties.iter().filter(|property| property.queryable == Some(true)).count() > 1 {
        return refused(errors::several_queryable());
    }
    Ok(())
}
