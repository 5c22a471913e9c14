//! Listings of task definitions and of their families.

use super::{FamilyRow, TaskDefinition, TaskDefinitionStatus};
use crate::paging::Page;
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Result, Text, choices, operation};

choices! {
    /// Families by the status of their revisions.
    #[derive(Eq)]
    pub enum TaskDefinitionFamilyStatus {
        /// A revision is active.
        Active = "ACTIVE",
        /// No revision is active.
        Inactive = "INACTIVE",
        /// All families.
        All = "ALL",
    }
}

choices! {
    /// Order of a listing.
    #[derive(Eq)]
    pub enum SortOrder {
        /// Oldest revisions first.
        Asc = "ASC",
        /// Newest revisions first.
        Desc = "DESC",
    }
}

/// Lists families of task definitions, in order of their names.
#[operation(
    of = TaskDefinition, case = "camel", page(families: Text, next_token), include(Page), effect = read, subject = "*"
)]
pub struct ListTaskDefinitionFamilies {
    /// Prefix of the names.
    pub family_prefix: Option<Text>,
    /// Families by the status of their revisions; with an active one by default.
    pub status: Option<TaskDefinitionFamilyStatus>,
}

impl Handler for ListTaskDefinitionFamilies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let rows =
            FamilyRow::table(cx.scope()).text_prefix(self.family_prefix.as_deref().unwrap_or_default());
        let status = self.status.clone().unwrap_or(TaskDefinitionFamilyStatus::Active);
        let page = cx.page_rows(&self, &rows, |row: FamilyRow| {
            let family = row.family.clone().unwrap_or_default();
            let revisions = TaskDefinition::table(cx.scope()).text(&family);
            let is_active = cx.all::<TaskDefinition>(&revisions)?.iter().any(TaskDefinition::is_active);
            let is_wanted = match status {
                TaskDefinitionFamilyStatus::Active => is_active,
                TaskDefinitionFamilyStatus::Inactive => !is_active,
                _ => true,
            };
            Ok(is_wanted.then_some(family))
        })?;
        Ok(page.into())
    }
}

/// Lists the ARNs of task definitions, in order of families and revisions.
#[operation(
    of = TaskDefinition, case = "camel", page(task_definition_arns: Text, next_token), include(Page), effect = read, subject = "*"
)]
pub struct ListTaskDefinitions {
    /// Family.
    pub family_prefix: Option<Text>,
    /// Status; active by default.
    pub status: Option<TaskDefinitionStatus>,
    /// Order; oldest revisions first by default.
    pub sort: Option<SortOrder>,
}

impl Handler for ListTaskDefinitions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let table = TaskDefinition::table(cx.scope());
        let rows = match &self.family_prefix {
            Some(family) => table.text(family),
            None => table,
        };
        let status = self.status.clone().unwrap_or(TaskDefinitionStatus::Active);
        let mut all: Vec<TaskDefinition> = cx.all(&rows)?;
        all.retain(|definition| definition.status.as_ref() == Some(&status));
        if self.sort == Some(SortOrder::Desc) {
            all.reverse();
        }
        let arns = all.into_iter().filter_map(|definition| definition.task_definition_arn);
        Ok(cx.page_list(&self, arns)?.into())
    }
}
