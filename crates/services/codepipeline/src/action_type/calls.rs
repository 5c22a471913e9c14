//! Calls of the manager that take or return whole action types: update and get.

use super::{
    ActionType, ActionTypeManager, GetActionType, ListActionTypes, UpdateActionType,
    detail::{ActionTypeDeclaration, owner_on_wire},
};
use crate::{
    errors,
    pipeline::{ActionCategory, ActionOwner, ActionTypeId},
};
use nephos_core::{ManagerOperation, Result, Text, WorkflowContext, operation};

/// Updates an action type for customers of a provider: sends all that it declares. Custom types cannot be updated.
#[operation(kind = ActionType, case = "camel", call = "update", effect = write, output = ())]
pub struct ActionTypeUpdate {
    /// The action type.
    #[field(model, name = "model")]
    pub model: ActionType,
}

impl ManagerOperation for ActionTypeUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let model = &self.model;
        if model.owner() == Some(&ActionOwner::Custom) {
            return Err(errors::custom_type_fixed().with_field("id.owner"));
        }
        if model.executor.is_none() {
            return Err(errors::invalid_parameter("executor is required").with_field("executor"));
        }
        context.call(UpdateActionType::new(ActionTypeDeclaration::from(model.clone()))).await.map(drop)
    }
}

/// Gets an action type; none if it does not exist. Types of the provider and of partners have details that listings do not have.
#[operation(kind = ActionType, case = "camel", call = "get", effect = read, output = Option<ActionType>)]
pub struct ActionTypeGet {
    /// Category.
    #[field(from_field = "id.category")]
    pub category: ActionCategory,
    /// Owner.
    #[field(from_field = "id.owner")]
    pub owner: ActionOwner,
    /// Provider.
    #[field(from_field = "id.provider", like = ActionTypeId::provider)]
    pub provider: Text,
    /// Version.
    #[field(from_field = "id.version", like = ActionTypeId::version)]
    pub version: Text,
}

impl ManagerOperation for ActionTypeGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<ActionType>> {
        let Some(mut found) = self.find_listed(context).await? else { return Ok(None) };
        if self.owner != ActionOwner::Custom {
            let owner = owner_on_wire(&self.owner);
            let get =
                GetActionType::new(self.category.clone(), owner, self.provider.clone(), self.version.clone());
            if let Some(ActionTypeDeclaration {
                description, executor, permissions, properties, urls, ..
            }) = context.find(get).await?.and_then(|found| found.action_type)
            {
                found.description = description;
                found.executor = executor;
                found.permissions = permissions;
                found.properties = properties;
                found.urls = urls;
            }
        }
        Ok(Some(found))
    }
}

impl ActionTypeGet {
    /// Finds the type in the listing: the service returns custom types by no other operation.
    async fn find_listed(&self, context: &WorkflowContext) -> Result<Option<ActionType>> {
        let mut list = ListActionTypes::new();
        list.action_owner_filter = Some(self.owner.clone());
        loop {
            let page = context.call(list.clone()).await?;
            let is_this = |one: &ActionType| {
                one.id.as_ref().is_some_and(|id| {
                    id.category.as_ref() == Some(&self.category)
                        && id.provider.as_ref() == Some(&self.provider)
                        && id.version.as_ref() == Some(&self.version)
                })
            };
            if let Some(found) = page.action_types.into_iter().flatten().find(is_this) {
                return Ok(Some(found));
            }
            match page.next_token {
                Some(token) => list.next_token = Some(token),
                None => return Ok(None),
            }
        }
    }
}
