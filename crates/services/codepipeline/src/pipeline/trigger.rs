//! Variables of a pipeline, and triggers that start it.

use super::ActionDeclaration;
use nephos_core::{Record, Text, choices};

choices! {
    /// Provider of a trigger.
    pub enum PipelineTriggerProviderType {
        /// A connection to a repository.
        CodeStarSourceConnection = "CodeStarSourceConnection",
    }
}

choices! {
    /// Event of a pull request.
    pub enum GitPullRequestEventType {
        /// It was opened.
        Open = "OPEN",
        /// It was updated.
        Updated = "UPDATED",
        /// It was closed.
        Closed = "CLOSED",
    }
}

/// A variable of a pipeline.
#[derive(Record)]
#[record(case = "camel")]
pub struct PipelineVariableDeclaration {
    /// Name of the variable, unique within the pipeline.
    #[field(required, length(1..=128), pattern = r"[A-Za-z0-9@\-_]+")]
    pub(crate) name: Option<Text>,
    /// Value of executions that do not give one.
    #[field(length(1..=1000), pattern = r".*")]
    pub(crate) default_value: Option<Text>,
    /// Description.
    #[field(length(..=200), pattern = r".*")]
    description: Option<Text>,
}

/// Patterns of Git tags.
#[derive(Record)]
#[record(case = "camel")]
pub struct GitTagFilterCriteria {
    /// Patterns of which one must match.
    #[field(length(1..=8), each(length(1..=255)))]
    includes: Option<Vec<Text>>,
    /// Patterns of which none may match.
    #[field(length(1..=8), each(length(1..=255)))]
    excludes: Option<Vec<Text>>,
}

/// Patterns of branches.
#[derive(Record)]
#[record(case = "camel")]
pub struct GitBranchFilterCriteria {
    /// Patterns of which one must match.
    #[field(length(1..=8), each(length(1..=255), pattern = r".*"))]
    includes: Option<Vec<Text>>,
    /// Patterns of which none may match.
    #[field(length(1..=8), each(length(1..=255), pattern = r".*"))]
    excludes: Option<Vec<Text>>,
}

/// Patterns of paths of files.
#[derive(Record)]
#[record(case = "camel")]
pub struct GitFilePathFilterCriteria {
    /// Patterns of which one must match.
    #[field(like = GitBranchFilterCriteria::includes)]
    includes: Option<Vec<Text>>,
    /// Patterns of which none may match.
    #[field(like = GitBranchFilterCriteria::excludes)]
    excludes: Option<Vec<Text>>,
}

/// Filter of pushes: by tags, or by branches and paths.
#[derive(Record)]
#[record(case = "camel")]
pub struct GitPushFilter {
    /// Tags.
    pub(crate) tags: Option<GitTagFilterCriteria>,
    /// Branches.
    pub(crate) branches: Option<GitBranchFilterCriteria>,
    /// Paths of files.
    pub(crate) file_paths: Option<GitFilePathFilterCriteria>,
}

/// Filter of pull requests.
#[derive(Record)]
#[record(case = "camel")]
pub struct GitPullRequestFilter {
    /// Events; all if they are not given.
    #[field(length(1..=3))]
    events: Option<Vec<GitPullRequestEventType>>,
    /// Branches.
    branches: Option<GitBranchFilterCriteria>,
    /// Paths of files.
    file_paths: Option<GitFilePathFilterCriteria>,
}

/// Changes of a repository that start a pipeline.
#[derive(Record)]
#[record(case = "camel")]
pub struct GitConfiguration {
    /// Name of the source action with the connection to the repository.
    #[field(required, like = ActionDeclaration::name)]
    pub(crate) source_action_name: Option<Text>,
    /// Filters of pushes.
    #[field(length(1..=3))]
    pub(crate) push: Option<Vec<GitPushFilter>>,
    /// Filters of pull requests.
    #[field(length(1..=3))]
    pub(crate) pull_request: Option<Vec<GitPullRequestFilter>>,
}

/// A trigger: changes that start the pipeline.
#[derive(Record)]
#[record(case = "camel")]
pub struct PipelineTriggerDeclaration {
    /// Provider of the trigger.
    #[field(required)]
    provider_type: Option<PipelineTriggerProviderType>,
    /// Changes that start the pipeline.
    #[field(required)]
    pub(crate) git_configuration: Option<GitConfiguration>,
}
