//! Scanning of the images of a registry: which repositories are scanned, and how often.

use super::RegistryRow;
use crate::{Repository, RepositoryManager, errors, wildcard};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Record, Result, Text, choices, operation, record_of};

choices! {
    /// Type of scanning.
    #[derive(Eq)]
    pub enum ScanType {
        /// Scanning of packages of the operating system, by the service itself.
        Basic = "BASIC",
        /// Scanning of all packages, by a service of its own.
        Enhanced = "ENHANCED",
    }
}

choices! {
    /// Time of scans.
    #[derive(Eq)]
    pub enum ScanFrequency {
        /// When an image is pushed.
        ScanOnPush = "SCAN_ON_PUSH",
        /// When an image is pushed, and again for each new vulnerability.
        ContinuousScan = "CONTINUOUS_SCAN",
        /// On request.
        Manual = "MANUAL",
    }
}

choices! {
    /// Type of a filter of repositories.
    pub enum ScanningRepositoryFilterType {
        /// A pattern in which `*` stands for any characters.
        Wildcard = "WILDCARD",
    }
}

/// Filter of the repositories of a rule.
#[derive(Record)]
#[record(case = "camel")]
pub struct ScanningRepositoryFilter {
    /// Pattern of names; without `*`, a part of them.
    #[field(required, length(1..=255), pattern = r"^[a-z0-9*](?:[._\-/a-z0-9*]?[a-z0-9*]+)*$")]
    filter: Option<Text>,
    /// Type of the filter.
    #[field(required)]
    filter_type: Option<ScanningRepositoryFilterType>,
}

impl ScanningRepositoryFilter {
    fn matches(&self, name: &str) -> bool {
        let filter = self.filter.as_deref().unwrap_or_default();
        if filter.contains('*') { wildcard::matches(filter, name) } else { name.contains(filter) }
    }
}

/// Rule of scanning.
#[derive(Record)]
#[record(case = "camel")]
pub struct RegistryScanningRule {
    /// Time of scans.
    #[field(required)]
    scan_frequency: Option<ScanFrequency>,
    /// Filters of repositories, of which one must match.
    #[field(required, length(..=100))]
    repository_filters: Option<Vec<ScanningRepositoryFilter>>,
}

/// Scanning of a registry.
#[derive(Record)]
#[record(case = "camel")]
pub struct RegistryScanningConfiguration {
    /// Type of scanning; basic by default.
    scan_type: Option<ScanType>,
    /// Rules.
    #[field(length(..=2))]
    rules: Option<Vec<RegistryScanningRule>>,
}

impl RegistryScanningConfiguration {
    /// Finds the scanning of the registry.
    fn find(cx: &Tx<'_>) -> Result<Self> {
        let none = || Self { scan_type: Some(ScanType::Basic), rules: Some(Vec::new()) };
        Ok(RegistryRow::find(cx)?.scanning_configuration.unwrap_or_else(none))
    }

    /// Refuses a rule with a frequency that the type of scanning does not have.
    fn check(&self) -> Result<()> {
        let other = match self.scan_type {
            Some(ScanType::Enhanced) => ScanFrequency::Manual,
            _ => ScanFrequency::ContinuousScan,
        };
        let rules = self.rules.as_deref().unwrap_or_default();
        if rules.iter().all(|rule| rule.scan_frequency.as_ref() != Some(&other)) {
            return Ok(());
        }
        let scan_type = self.scan_type.as_ref().unwrap_or(&ScanType::Basic);
        let reason = format!("Scan frequency {other} is not supported by scan type {scan_type}");
        Err(errors::invalid_parameter("rules", reason).with_field("rules"))
    }

    /// Returns the frequency of the last rule with a filter that matches the name of a repository, and the filter.
    fn applied(&self, repository: &str) -> Option<(ScanFrequency, ScanningRepositoryFilter)> {
        let rules = self.rules.iter().flatten();
        let mut all =
            rules.flat_map(|rule| rule.repository_filters.iter().flatten().map(move |filter| (rule, filter)));
        let (rule, filter) = all.rfind(|(_, filter)| filter.matches(repository))?;
        Some((rule.scan_frequency.clone()?, filter.clone()))
    }
}

/// Scanning of the registry of an account.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct GetRegistryScanningConfigurationResponse {
    /// Account of the registry.
    registry_id: Option<Text>,
    /// Scanning.
    scanning_configuration: Option<RegistryScanningConfiguration>,
}

/// Returns the scanning of the registry.
#[operation(
    of = Repository, case = "camel", call = "get_registry_scanning", effect = read,
    output = GetRegistryScanningConfigurationResponse, subject = "*"
)]
pub struct GetRegistryScanningConfiguration {}

impl Handler for GetRegistryScanningConfiguration {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetRegistryScanningConfigurationResponse> {
        Ok(GetRegistryScanningConfigurationResponse {
            registry_id: Some(cx.scope().account().into()),
            scanning_configuration: Some(RegistryScanningConfiguration::find(cx)?),
        })
    }
}

/// Replaces the scanning of the registry.
#[operation(
    of = Repository, case = "camel", call = "set_registry_scanning",
    wraps(registry_scanning_configuration: RegistryScanningConfiguration), effect = write, subject = "*"
)]
pub struct PutRegistryScanningConfiguration {
    /// Type of scanning; basic by default.
    pub scan_type: Option<ScanType>,
    /// Rules; none by default.
    #[field(like = RegistryScanningConfiguration::rules)]
    pub rules: Option<Vec<RegistryScanningRule>>,
}

impl Handler for PutRegistryScanningConfiguration {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let configuration = RegistryScanningConfiguration {
            scan_type: Some(self.scan_type.unwrap_or(ScanType::Basic)),
            rules: Some(self.rules.unwrap_or_default()),
        };
        configuration.check()?;
        RegistryRow::change(cx, |registry| registry.scanning_configuration = Some(configuration.clone()))?;
        Ok(configuration.into())
    }
}

/// Scanning of a repository, as the rules of the registry and its own setting determine it.
#[record_of(of = Repository, case = "camel", takes(repository_arn, repository_name), answer)]
pub struct RepositoryScanningConfiguration {
    /// The setting of the repository: true to scan images when they are pushed.
    scan_on_push: Option<bool>,
    /// Time of scans.
    scan_frequency: Option<ScanFrequency>,
    /// Filter of the registry that matches the repository.
    applied_scan_filters: Option<Vec<ScanningRepositoryFilter>>,
}

/// How the images of a repository are scanned.
pub(crate) struct RepositoryScanning {
    /// Type of scanning of the registry.
    pub(crate) scan_type: ScanType,
    /// Time of scans.
    pub(crate) frequency: ScanFrequency,
}

/// Finds how the images of a repository are scanned.
pub(crate) fn scanning_of(cx: &Tx<'_>, repository: &Repository) -> Result<RepositoryScanning> {
    let registry = RegistryScanningConfiguration::find(cx)?;
    let own = RepositoryScanningConfiguration::new(repository.clone(), &registry);
    Ok(RepositoryScanning {
        scan_type: registry.scan_type.unwrap_or(ScanType::Basic),
        frequency: own.scan_frequency.unwrap_or(ScanFrequency::Manual),
    })
}

impl RepositoryScanningConfiguration {
    fn new(repository: Repository, registry: &RegistryScanningConfiguration) -> Self {
        let own = repository.image_scanning_configuration.as_ref().and_then(|own| own.scan_on_push);
        let is_scanned_on_push = own == Some(true);
        let by_default = if is_scanned_on_push { ScanFrequency::ScanOnPush } else { ScanFrequency::Manual };
        let applied = registry.applied(repository.repository_name.as_deref().unwrap_or_default());
        let (frequency, filter) = applied.unzip();
        let frequency = frequency.unwrap_or(by_default);
        Self {
            scan_on_push: Some(is_scanned_on_push),
            scan_frequency: Some(frequency),
            applied_scan_filters: Some(filter.into_iter().collect()),
            ..Self::from(repository)
        }
    }
}

choices! {
    /// Reason for which the scanning of a repository is not returned.
    pub enum ScanningConfigurationFailureCode {
        /// The repository does not exist.
        RepositoryNotFound = "REPOSITORY_NOT_FOUND",
    }
}

/// A repository whose scanning is not returned.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RepositoryScanningConfigurationFailure {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// Reason.
    failure_code: Option<ScanningConfigurationFailureCode>,
    /// Reason in words.
    failure_reason: Option<Text>,
}

/// Scanning of several repositories.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct BatchGetRepositoryScanningConfigurationResponse {
    /// Repositories that exist.
    scanning_configurations: Option<Vec<RepositoryScanningConfiguration>>,
    /// Repositories that do not exist.
    failures: Option<Vec<RepositoryScanningConfigurationFailure>>,
}

/// Returns the scanning of several repositories.
#[operation(
    of = Repository, case = "camel", call = "get_scanning", effect = read,
    output = BatchGetRepositoryScanningConfigurationResponse, subject = "repository/{repositoryNames}"
)]
pub struct BatchGetRepositoryScanningConfiguration {
    /// Names of the repositories.
    #[field(length(1..=25), each(like = Repository::repository_name))]
    pub repository_names: Vec<Text>,
}

impl Handler for BatchGetRepositoryScanningConfiguration {
    fn run(self, cx: &mut Tx<'_>) -> Result<BatchGetRepositoryScanningConfigurationResponse> {
        let registry = RegistryScanningConfiguration::find(cx)?;
        let mut found = Vec::new();
        let mut failures = Vec::new();
        for name in self.repository_names {
            match Repository::find_by(cx, &[&name])? {
                Some(repository) => found.push(RepositoryScanningConfiguration::new(repository, &registry)),
                None => {
                    let reason = errors::repository_not_found(&name, cx.scope().account());
                    failures.push(RepositoryScanningConfigurationFailure {
                        repository_name: Some(name),
                        failure_code: Some(ScanningConfigurationFailureCode::RepositoryNotFound),
                        failure_reason: Some(reason.wire_message().into()),
                    });
                }
            }
        }
        Ok(BatchGetRepositoryScanningConfigurationResponse {
            scanning_configurations: Some(found),
            failures: Some(failures),
        })
    }
}
