//! Operations on task definitions: register, describe and deregister.

use super::{Compatibility, FamilyRow, TaskDefinition, TaskDefinitionManager, TaskDefinitionStatus, find};
use crate::{errors, paging::is_name, tagging};
use nephos_cloud::{Handler, Stored, Tx, tags::to_list};
use nephos_core::{ManagerOperation, Record, Result, Tag, Text, WorkflowContext, choices, operation};
use std::collections::HashSet;

/// A task definition with its tags.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct TaggedTaskDefinition {
    /// Task definition.
    task_definition: Option<TaskDefinition>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

impl TaggedTaskDefinition {
    fn new(definition: TaskDefinition, has_tags: bool) -> Self {
        let tags = definition.tags.clone().filter(|_| has_tags);
        Self { task_definition: Some(definition), tags }
    }

    /// Returns the task definition with its tags.
    pub fn into_model(self) -> Option<TaskDefinition> {
        let mut definition = self.task_definition?;
        definition.tags = self.tags;
        Some(definition)
    }
}

/// Registers a revision of a task definition.
#[operation(
    of = TaskDefinition, case = "camel", call = "create", model, needs(family, container_definitions), takes(settable),
    returns(task_definition: TaskDefinition), with = nephos_core::with_tags, effect = write,
    output = TaggedTaskDefinition, subject = "*",
    also_requires(
        "TagResource" = "tags?",
        "iam:PassRole to ecs-tasks.amazonaws.com" =
            "taskRoleArn? role/{taskRoleArn} + executionRoleArn? role/{executionRoleArn}"
    )
)]
pub struct RegisterTaskDefinition {}

impl Handler for RegisterTaskDefinition {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<TaggedTaskDefinition> {
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        self.check()?;
        let last: Option<FamilyRow> = cx.get(&FamilyRow::table(cx.scope()).text(&self.family))?;
        let revision = last.and_then(|last| last.last_revision).unwrap_or(0) + 1;
        let mut definition = TaskDefinition::from_given(self);
        definition.revision = Some(revision);
        definition.set_arn(cx.scope());
        definition.status = Some(TaskDefinitionStatus::Active);
        definition.registered_at = Some(cx.now());
        definition.registered_by = Some(cx.caller().principal().arn);
        definition.tags = to_list(tags);
        let compatibilities = definition.requires_compatibilities.clone();
        definition.compatibilities = Some(compatibilities.unwrap_or_else(|| vec![Compatibility::Ec2]));
        for container in definition.container_definitions.iter_mut().flatten() {
            container.cpu.get_or_insert(0);
            container.essential.get_or_insert(true);
            container.port_mappings.get_or_insert_default();
            container.environment.get_or_insert_default();
            container.mount_points.get_or_insert_default();
            container.volumes_from.get_or_insert_default();
            container.system_controls.get_or_insert_default();
        }
        cx.put(FamilyRow { family: definition.family.clone(), last_revision: Some(revision) })?;
        cx.put(definition.clone())?;
        Ok(TaggedTaskDefinition::new(definition, true))
    }
}

impl RegisterTaskDefinition {
    fn check(&self) -> Result<()> {
        if !is_name(&self.family) {
            return Err(errors::family_invalid().with_field("family"));
        }
        let refused = |error: nephos_core::Error| Err(error.with_field("containerDefinitions"));
        if self.container_definitions.is_empty() {
            return refused(errors::containers_missing());
        }
        let mut names = HashSet::new();
        for container in &self.container_definitions {
            let name = container.name.as_deref().unwrap_or_default();
            if name.is_empty() {
                return refused(errors::container_name_missing());
            }
            if container.image.as_deref().unwrap_or_default().is_empty() {
                return refused(errors::container_image_missing());
            }
            if !names.insert(name) {
                return refused(errors::container_repeated(name));
            }
        }
        Ok(())
    }
}

choices! {
    /// Facts of a description that must be asked for.
    #[derive(Eq)]
    pub enum TaskDefinitionField {
        /// Tags.
        Tags = "TAGS",
    }
}

/// Describes a task definition.
#[operation(
    of = TaskDefinition, case = "camel", effect = read, output = TaggedTaskDefinition, subject = "*"
)]
pub struct DescribeTaskDefinition {
    /// Family, family and revision, or ARN. Without a revision, it is the newest that is active.
    pub task_definition: Text,
    /// Facts that are added.
    pub include: Option<Vec<TaskDefinitionField>>,
}

impl Handler for DescribeTaskDefinition {
    fn run(self, cx: &mut Tx<'_>) -> Result<TaggedTaskDefinition> {
        let missing = || errors::definition_not_found().with_field("taskDefinition");
        let found = find(cx, &self.task_definition)?.ok_or_else(missing)?;
        let has_tags = self.include.iter().flatten().any(|included| *included == TaskDefinitionField::Tags);
        Ok(TaggedTaskDefinition::new(found, has_tags))
    }
}

/// Deregisters a revision: services that use it stay, and new ones cannot.
#[operation(
    of = TaskDefinition, case = "camel", call = "deregister", on_model, wraps(task_definition), effect = write, subject = "*"
)]
pub struct DeregisterTaskDefinition {
    /// Family and revision, or ARN.
    #[field(from_field = "taskDefinitionArn")]
    pub task_definition: Text,
}

impl Handler for DeregisterTaskDefinition {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let missing = || errors::definition_missing().with_field("taskDefinition");
        let name =
            self.task_definition.rsplit_once('/').map_or(self.task_definition.as_str(), |(_, name)| name);
        if !name.contains(':') {
            return Err(missing());
        }
        let mut definition = find(cx, &self.task_definition)?.ok_or_else(missing)?;
        if definition.is_active() {
            definition.status = Some(TaskDefinitionStatus::Inactive);
            definition.deregistered_at = Some(cx.now());
            cx.put(definition.clone())?;
        }
        Ok(definition.into())
    }
}

/// Gets a task definition with its tags; none if it does not exist.
#[operation(kind = TaskDefinition, call = "get", case = "camel", effect = read, output = Option<TaskDefinition>)]
pub struct TaskDefinitionGet {
    /// Family, family and revision, or ARN. Without a revision, it is the newest that is active.
    #[field(from_field = "taskDefinitionArn")]
    pub task_definition: Text,
}

impl ManagerOperation for TaskDefinitionGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<TaskDefinition>> {
        let mut describe = DescribeTaskDefinition::new(&self.task_definition);
        describe.include = Some(vec![TaskDefinitionField::Tags]);
        match context.call(describe).await {
            Err(error) if error.code() == errors::CLIENT.code => Ok(None),
            found => Ok(found?.into_model()),
        }
    }
}
