//! Operations on action types: create, list and delete.

use super::{
    ActionType, ActionTypeManager,
    custom::{self, CustomTypeRow, check_counts, check_properties, find_row},
    provided,
};
use crate::{
    errors,
    pipeline::{ActionCategory, ActionOwner, ActionTypeId},
    tagging,
};
use nephos_cloud::{Handler, Quota, Scope, Stored, Tx, tags::to_list};
use nephos_core::{Empty, Record, Result, Tag, Text, operation};

/// Quota of custom action types per account and Region.
const CUSTOM_TYPES: Quota =
    Quota { counter: "codepipeline/custom-action-type", max: 50, what: "custom action types" };

/// Identity of a custom action type.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct CustomTypeId {
    /// Category.
    #[field(required, from_field = "id.category")]
    category: Option<ActionCategory>,
    /// Provider.
    #[field(required, from_field = "id.provider", like = ActionTypeId::provider)]
    provider: Option<Text>,
    /// Version.
    #[field(required, from_field = "id.version", like = ActionTypeId::version)]
    version: Option<Text>,
}

/// Creates a custom action type. Its owner is always the account.
#[operation(
    of = ActionType, case = "camel", call = "create", model, returns(action_type: ActionType), include(CustomTypeId),
    needs(input_artifact_details, output_artifact_details),
    takes(settings, action_configuration_properties as configuration_properties), effect = write,
    output = CreateCustomActionTypeOutput, subject = "actiontype:Custom/{category}/{provider}/{version}"
)]
pub struct CreateCustomActionType {
    /// Tags.
    pub tags: Option<Vec<Tag>>,
}

/// Answer of [`CreateCustomActionType`].
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CreateCustomActionTypeOutput {
    /// The action type.
    pub(super) action_type: Option<ActionType>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

impl Handler for CreateCustomActionType {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        check_counts(&self.input_artifact_details, "inputArtifactDetails")?;
        check_counts(&self.output_artifact_details, "outputArtifactDetails")?;
        check_properties(self.configuration_properties.as_deref().unwrap_or_default())?;
        let category = self.category.to_string();
        let row = CustomTypeRow {
            category: Some(category.as_str().into()),
            provider: Some(self.provider.clone()),
            version: Some(self.version.clone()),
            settings: self.settings,
            action_configuration_properties: Some(self.configuration_properties.unwrap_or_default()),
            input_artifact_details: Some(self.input_artifact_details),
            output_artifact_details: Some(self.output_artifact_details),
            is_deleted: None,
            tags: to_list(tags),
        };
        let existing = find_row(cx, &category, &self.provider, &self.version)?;
        if existing.as_ref().is_some_and(|existing| !existing.has_definition_of(&row)) {
            let refused = errors::action_type_exists(category, &self.provider, &self.version);
            return Err(refused.with_field("version"));
        }
        if existing.is_none_or(|existing| existing.is_deleted()) {
            CUSTOM_TYPES.add_one(cx, errors::too_many_action_types)?;
        }
        let tags = row.tags.clone();
        let action_type = Some(row.clone().into_model());
        cx.put(row)?;
        Ok(CreateCustomActionTypeOutput { action_type, tags })
    }
}

/// Lists action types: those of the provider, of partners, and custom ones.
#[operation(
    of = ActionType, case = "camel", call = "list", page(action_types, next_token), effect = read, access = read
)]
pub struct ListActionTypes {
    /// Owner of the types; all if it is not given.
    pub action_owner_filter: Option<ActionOwner>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=2048))]
    pub next_token: Option<Text>,
    /// Region of the types; all provided types exist in every Region.
    #[field(length(4..=30))]
    pub region_filter: Option<Text>,
}

impl Handler for ListActionTypes {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let place = match &self.region_filter {
            Some(region) => Scope::new(cx.scope().account(), region),
            None => cx.scope().clone(),
        };
        let custom: Vec<CustomTypeRow> = cx.all(&CustomTypeRow::table(&place))?;
        let available = custom.into_iter().filter(|row| !row.is_deleted());
        let provided = provided::TYPES.iter().map(provided::ProvidedType::to_model);
        let all = provided.chain(available.map(CustomTypeRow::into_model));
        let owner = &self.action_owner_filter;
        let all = all.filter(|one| owner.is_none() || one.owner() == owner.as_ref());
        Ok(cx.page_list(&self, all)?.into())
    }
}

/// Marks a custom action type as deleted. Its version can only be used again with the same definition. A type that does not exist is
/// no error.
#[operation(
    of = ActionType, case = "camel", call = "delete", on_model, include(CustomTypeId), effect = write,
    subject = "actiontype:Custom/{category}/{provider}/{version}"
)]
pub struct DeleteCustomActionType {}

impl Handler for DeleteCustomActionType {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let found = custom::find_row(cx, &self.category.to_string(), &self.provider, &self.version)?;
        let Some(mut row) = found.filter(|row| !row.is_deleted()) else { return Ok(Empty {}) };
        CUSTOM_TYPES.remove_one(cx)?;
        row.is_deleted = Some(true);
        row.tags = None;
        cx.put(row)?;
        Ok(Empty {})
    }
}
