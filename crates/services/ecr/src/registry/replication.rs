//! Replication of images to other registries: the rules of the registry.

use super::RegistryRow;
use crate::{Repository, RepositoryManager, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, choices, operation};

choices! {
    /// Type of a filter of repositories.
    pub enum RepositoryFilterType {
        /// A prefix of names.
        PrefixMatch = "PREFIX_MATCH",
    }
}

/// Filter of the repositories of a rule.
#[derive(Record)]
#[record(case = "camel")]
pub struct RepositoryFilter {
    /// Prefix of names.
    #[field(
        required, length(2..=256), pattern = "^(?:[a-z0-9]+(?:[._-][a-z0-9]*)*/)*[a-z0-9]*(?:[._-][a-z0-9]*)*$"
    )]
    filter: Option<Text>,
    /// Type of the filter.
    #[field(required)]
    filter_type: Option<RepositoryFilterType>,
}

/// A registry that images are replicated to.
#[derive(Record)]
#[record(case = "camel")]
pub struct ReplicationDestination {
    /// Region.
    #[field(required, length(2..=25), pattern = "[0-9a-z-]{2,25}")]
    pub(crate) region: Option<Text>,
    /// Account.
    #[field(required, pattern = "[0-9]{12}")]
    pub(crate) registry_id: Option<Text>,
}

/// Rule of replication.
#[derive(Record)]
#[record(case = "camel")]
pub struct ReplicationRule {
    /// Registries that images are replicated to.
    #[field(required, length(..=100))]
    destinations: Option<Vec<ReplicationDestination>>,
    /// Filters of repositories, of which one must match; all repositories if there are none.
    #[field(length(1..=100))]
    repository_filters: Option<Vec<RepositoryFilter>>,
}

impl ReplicationRule {
    fn matches(&self, repository: &str) -> bool {
        let is_start = |filter: &RepositoryFilter| {
            filter.filter.as_deref().is_some_and(|prefix| repository.starts_with(prefix))
        };
        self.repository_filters.as_ref().is_none_or(|filters| filters.iter().any(is_start))
    }
}

/// Returns the registries that images of a repository are replicated to, each once.
pub(crate) fn replication_destinations(cx: &Tx<'_>, repository: &str) -> Result<Vec<ReplicationDestination>> {
    let configuration = RegistryRow::find(cx)?.replication_configuration;
    let rules = configuration.and_then(|configuration| configuration.rules).unwrap_or_default();
    let mut found: Vec<ReplicationDestination> = Vec::new();
    for rule in rules.into_iter().filter(|rule| rule.matches(repository)) {
        for destination in rule.destinations.into_iter().flatten() {
            if !found.contains(&destination) {
                found.push(destination);
            }
        }
    }
    Ok(found)
}

/// Replication of a registry.
#[derive(Record)]
#[record(case = "camel")]
pub struct ReplicationConfiguration {
    /// Rules.
    #[field(required, length(..=25))]
    rules: Option<Vec<ReplicationRule>>,
}

/// Replaces the replication of the registry.
#[operation(
    of = Repository, case = "camel", call = "set_replication",
    wraps(replication_configuration: ReplicationConfiguration), effect = write, subject = "*"
)]
pub struct PutReplicationConfiguration {
    /// Replication.
    pub replication_configuration: ReplicationConfiguration,
}

impl Handler for PutReplicationConfiguration {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let configuration = self.replication_configuration;
        let rules = configuration.rules.as_deref().unwrap_or_default();
        let is_source = |destination: &ReplicationDestination| {
            destination.region.as_deref() == Some(cx.scope().region())
                && destination.registry_id.as_deref() == Some(cx.scope().account())
        };
        if rules.iter().flat_map(|rule| rule.destinations.iter().flatten()).any(is_source) {
            return Err(errors::replication_to_source().with_field("replicationConfiguration"));
        }
        RegistryRow::change(cx, |registry| registry.replication_configuration = Some(configuration.clone()))?;
        Ok(configuration.into())
    }
}

/// Settings of a registry.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct DescribeRegistryResponse {
    /// Account of the registry.
    registry_id: Option<Text>,
    /// Replication.
    replication_configuration: Option<ReplicationConfiguration>,
}

/// Describes the registry.
#[operation(
    of = Repository, case = "camel", call = "describe_registry", effect = read, output = DescribeRegistryResponse,
    subject = "*"
)]
pub struct DescribeRegistry {}

impl Handler for DescribeRegistry {
    fn run(self, cx: &mut Tx<'_>) -> Result<DescribeRegistryResponse> {
        let set = RegistryRow::find(cx)?.replication_configuration;
        let none = || ReplicationConfiguration { rules: Some(Vec::new()) };
        Ok(DescribeRegistryResponse {
            registry_id: Some(cx.scope().account().into()),
            replication_configuration: Some(set.unwrap_or_else(none)),
        })
    }
}
