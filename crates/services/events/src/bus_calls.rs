//! Calls of the manager of buses.

use super::{
    DescribeEventBus, EventBus, EventBusManager, UpdateEventBus,
    event_bus::{BusName, CreateEventBus},
    tagging,
};
use nephos_core::{
    FromModel, ManagerOperation, Record, Resource, Result, Text, WorkflowContext, operation, retag,
};

/// Fetches a bus with its tags.
async fn fetch(context: &WorkflowContext, name: Option<Text>) -> Result<EventBus> {
    let mut describe = DescribeEventBus::new();
    describe.name = name;
    tagging::with_tags(context, context.call(describe).await?).await
}

/// Returns a bus with its tags, if it exists; the default bus if no name is given.
#[operation(kind = EventBus, of = EventBus, call = "get", also(BusName), effect = read, output = Option<EventBus>)]
pub struct EventBusGet {}

impl ManagerOperation for EventBusGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<EventBus>> {
        match context.find(DescribeEventBus::from_given(self.clone())).await? {
            Some(found) => tagging::with_tags(context, found).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Creates a custom bus.
#[operation(kind = EventBus, call = "create", effect = write, output = EventBus)]
pub struct EventBusCreate {
    /// The bus.
    #[field(model, name = "model")]
    pub model: EventBus,
    /// Name of the partner event source that the bus receives events from.
    #[field(like = CreateEventBus::event_source_name)]
    pub event_source_name: Option<Text>,
}

impl ManagerOperation for EventBusCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<EventBus> {
        let mut create = CreateEventBus::from_model(&self.model)?;
        create.event_source_name = self.event_source_name.clone();
        context.call(create).await?;
        fetch(context, self.model.name.clone()).await
    }
}

/// Changes the settings and tags of a bus, where the model was changed.
#[operation(kind = EventBus, call = "update", effect = write, output = EventBus)]
pub struct EventBusUpdate {
    /// The bus.
    #[field(model, name = "model")]
    pub model: EventBus,
}

impl ManagerOperation for EventBusUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<EventBus> {
        let model = &self.model;
        model.check_changes()?;
        let mut current = fetch(context, model.name.clone()).await?;
        let arn = current.arn.clone().unwrap_or_default();
        // The service replaces all settings, and a model of a listing does not have all of them.
        let before = current.clone();
        for field in model.changed() {
            match field {
                "Description" => current.description.clone_from(&model.description),
                "KmsKeyIdentifier" => current.kms_key_identifier.clone_from(&model.kms_key_identifier),
                "DeadLetterConfig" => current.dead_letter_config.clone_from(&model.dead_letter_config),
                "LogConfig" => current.log_config.clone_from(&model.log_config),
                _ => {}
            }
        }
        if current != before {
            context.call(UpdateEventBus::from_model(&current)?).await?;
        }
        retag::<tagging::Tagging>(context, &arn, model).await?;
        fetch(context, model.name.clone()).await
    }
}
