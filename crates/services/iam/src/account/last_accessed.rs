//! Reports about services that the policies of a user, group, role or policy allow, and their last use.

mod report;

use crate::{AccountSummary, AccountSummaryManager, errors, paging::Page};
use nephos_cloud::{Handler, Stored as _, Transitions, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, choices, operation};
use report::Covered;

/// Time that the provider takes to generate a report.
const DURATION: SignedDuration = SignedDuration::from_secs(5);

/// Time for which a report is kept.
const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

choices! {
    /// Level of detail of a report.
    pub enum UsageGranularity {
        /// Last use of services.
        ServiceLevel = "SERVICE_LEVEL",
        /// Last use of services and of their actions. The use of actions is not recorded here.
        ActionLevel = "ACTION_LEVEL",
    }
}

choices! {
    /// Status of a report.
    pub enum JobStatus {
        /// The report is being generated.
        InProgress = "IN_PROGRESS",
        /// The report is ready.
        Completed = "COMPLETED",
        /// The report could not be generated.
        Failed = "FAILED",
    }
}

choices! {
    /// Kind of an entity that uses services.
    pub enum AccessingEntityType {
        /// A user.
        User = "USER",
        /// A role.
        Role = "ROLE",
        /// A group.
        Group = "GROUP",
    }
}

/// Row of a report. Its content is read when it is requested.
#[derive(Record)]
#[record(row)]
pub(crate) struct JobRow {
    /// ID of the report.
    job_id: Option<Text>,
    /// ARN of the user, group, role or policy.
    arn: Option<Text>,
    /// Level of detail.
    granularity: Option<UsageGranularity>,
    /// Time of the request.
    created: Option<Timestamp>,
    /// Time at which the report is ready.
    completed: Option<Timestamp>,
}

nephos_cloud::stored!(JobRow in "iam/last-accessed-job" by job_id);

impl JobRow {
    fn require(cx: &Tx<'_>, job_id: &str) -> Result<Self> {
        let found = cx.get(&Self::table(cx.scope()).text(job_id))?;
        found.ok_or_else(|| errors::job_not_found(job_id).with_field("JobId"))
    }

    /// Status, and the time at which the report was ready.
    fn status(&self, cx: &Tx<'_>) -> (JobStatus, Option<Timestamp>) {
        match self.completed.filter(|time| *time <= cx.now()) {
            Some(time) => (JobStatus::Completed, Some(time)),
            None => (JobStatus::InProgress, None),
        }
    }

    /// Finds the entity that a completed report is about; `None` before that, and if the entity was deleted.
    fn covered(&self, cx: &Tx<'_>) -> Result<Option<Covered>> {
        match self.status(cx) {
            (JobStatus::Completed, _) => Covered::find(cx, self.arn.as_deref().unwrap_or_default()),
            _ => Ok(None),
        }
    }
}

/// Removes a report.
#[derive(Record)]
#[record(row)]
pub(crate) struct JobExpiry {
    /// ID of the report.
    job_id: Option<Text>,
}

impl Work for JobExpiry {
    const NAME: &'static str = "iam/last-accessed-job-expiry";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        cx.remove_row(&JobRow::table(cx.scope()).text(self.job_id.as_deref().unwrap_or_default()))
    }
}

/// Generates a report about the services that a user, group, role or policy allows, and their last use.
#[operation(
    of = AccountSummary, call = "generate_last_accessed_details", effect = write, access = read,
    output = GenerateServiceLastAccessedDetailsResponse, subject = "{Arn}"
)]
pub struct GenerateServiceLastAccessedDetails {
    /// ARN of the user, group, role or policy.
    #[field(length(20..=2048))]
    pub arn: Text,
    /// Level of detail; that of services by default. The use of actions is not recorded here.
    #[field(no_effect)]
    pub granularity: Option<UsageGranularity>,
}

/// ID of a report.
#[derive(Record)]
#[record(answer)]
pub struct GenerateServiceLastAccessedDetailsResponse {
    /// ID of the report.
    job_id: Option<Text>,
}

impl Handler for GenerateServiceLastAccessedDetails {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateServiceLastAccessedDetailsResponse> {
        if Covered::find(cx, &self.arn)?.is_none() {
            return Err(errors::principal_not_found(&self.arn).with_field("Arn"));
        }
        let completed = match cx.transitions() {
            Transitions::Instant => cx.now(),
            Transitions::Realistic => cx.now().checked_add(DURATION).unwrap_or(Timestamp::MAX),
        };
        let job_id = Text::from(cx.ids().uuid().to_string());
        cx.put(JobRow {
            job_id: Some(job_id.clone()),
            arn: Some(self.arn),
            granularity: Some(self.granularity.unwrap_or(UsageGranularity::ServiceLevel)),
            created: Some(cx.now()),
            completed: Some(completed),
        })?;
        cx.schedule(cx.now() + LIFETIME, &JobExpiry { job_id: Some(job_id.clone()) })?;
        Ok(GenerateServiceLastAccessedDetailsResponse { job_id: Some(job_id) })
    }
}

/// ID of an existing report.
#[derive(Record)]
#[record(shared)]
pub struct ExistingJob {
    /// ID of the report.
    #[field(required, length(36..=36))]
    job_id: Option<Text>,
}

/// Reason for which a report could not be generated.
#[derive(Record)]
#[record(answer)]
pub struct ErrorDetails {
    /// Description of the error.
    message: Option<Text>,
    /// Code of the error.
    code: Option<Text>,
}

/// Last use of an action. It is not recorded here.
#[derive(Record)]
#[record(answer)]
pub struct TrackedActionLastAccessed {
    /// Name of the action.
    action_name: Option<Text>,
    /// ARN of the last user or role.
    last_accessed_entity: Option<Text>,
    /// Time of the last request.
    last_accessed_time: Option<Timestamp>,
    /// Region of the last request.
    last_accessed_region: Option<Text>,
}

/// A service that policies allow, and its last use.
#[derive(Record)]
#[record(answer)]
pub struct ServiceLastAccessed {
    /// Name of the service for people.
    pub(super) service_name: Option<Text>,
    /// Time of the last request; absent if there was none.
    pub(super) last_authenticated: Option<Timestamp>,
    /// Name of the service in actions.
    pub(super) service_namespace: Option<Text>,
    /// ARN of the last user or role.
    pub(super) last_authenticated_entity: Option<Text>,
    /// Region of the last request.
    pub(super) last_authenticated_region: Option<Text>,
    /// Number of users and roles that used the service.
    pub(super) total_authenticated_entities: Option<i64>,
    /// Last uses of actions. They are not recorded here.
    pub(super) tracked_actions_last_accessed: Option<Vec<TrackedActionLastAccessed>>,
}

/// Returns a report: the services that the policies allow, in order of their names in actions, and their last use.
#[operation(
    of = AccountSummary, call = "last_accessed_details", include(ExistingJob, Page), effect = read,
    output = GetServiceLastAccessedDetailsResponse, subject = "*"
)]
pub struct GetServiceLastAccessedDetails {}

/// A page of a report about services.
#[derive(Record)]
#[record(answer)]
pub struct GetServiceLastAccessedDetailsResponse {
    /// Status of the report.
    job_status: Option<JobStatus>,
    /// Level of detail.
    job_type: Option<UsageGranularity>,
    /// Time of the request.
    job_creation_date: Option<Timestamp>,
    /// Services.
    services_last_accessed: Option<Vec<ServiceLastAccessed>>,
    /// Time at which the report was ready.
    job_completion_date: Option<Timestamp>,
    /// True if there is another page.
    is_truncated: Option<bool>,
    /// Pagination token of the next page.
    marker: Option<Text>,
    /// Reason for which the report could not be generated.
    error: Option<ErrorDetails>,
}

impl Handler for GetServiceLastAccessedDetails {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetServiceLastAccessedDetailsResponse> {
        let job = JobRow::require(cx, &self.job_id)?;
        let services = job.covered(cx)?.map_or(Ok(Vec::new()), |covered| covered.services(cx))?;
        let key = |service: &ServiceLastAccessed| service.service_namespace.clone().unwrap_or_default();
        let (services, marker) = cx.page_items(&self, services, key)?;
        let (status, completed) = job.status(cx);
        Ok(GetServiceLastAccessedDetailsResponse {
            job_status: Some(status),
            job_type: job.granularity,
            job_creation_date: job.created,
            services_last_accessed: Some(services),
            job_completion_date: completed,
            is_truncated: Some(marker.is_some()),
            marker,
            error: None,
        })
    }
}

/// A user or role in a report.
#[derive(Record)]
#[record(answer)]
pub struct EntityInfo {
    /// ARN of the entity.
    pub(super) arn: Option<Text>,
    /// Name of the entity.
    pub(super) name: Option<Text>,
    /// Kind of the entity.
    pub(super) r#type: Option<AccessingEntityType>,
    /// Unique ID of the entity.
    pub(super) id: Option<Text>,
    /// Path of the entity.
    pub(super) path: Option<Text>,
}

/// A user or role in a report, and its last use of a service.
#[derive(Record)]
#[record(answer)]
pub struct EntityDetails {
    /// The user or role.
    pub(super) entity_info: Option<EntityInfo>,
    /// Time of its last request; absent if there was none.
    pub(super) last_authenticated: Option<Timestamp>,
}

/// Returns the users and roles of a report, and their last use of a service.
#[operation(
    of = AccountSummary, call = "last_accessed_entities", include(ExistingJob, Page), effect = read,
    output = GetServiceLastAccessedDetailsWithEntitiesResponse, subject = "*"
)]
pub struct GetServiceLastAccessedDetailsWithEntities {
    /// Name of the service in actions: `logs`.
    #[field(length(1..=64), pattern = r"[\w-]*")]
    pub service_namespace: Text,
}

/// A page of a report about users and roles.
#[derive(Record)]
#[record(answer)]
pub struct GetServiceLastAccessedDetailsWithEntitiesResponse {
    /// Status of the report.
    job_status: Option<JobStatus>,
    /// Time of the request.
    job_creation_date: Option<Timestamp>,
    /// Time at which the report was ready.
    job_completion_date: Option<Timestamp>,
    /// Users and roles.
    entity_details_list: Option<Vec<EntityDetails>>,
    /// True if there is another page.
    is_truncated: Option<bool>,
    /// Pagination token of the next page.
    marker: Option<Text>,
    /// Reason for which the report could not be generated.
    error: Option<ErrorDetails>,
}

impl Handler for GetServiceLastAccessedDetailsWithEntities {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetServiceLastAccessedDetailsWithEntitiesResponse> {
        let job = JobRow::require(cx, &self.job_id)?;
        let covered = job.covered(cx)?;
        let entities =
            covered.map_or(Ok(Vec::new()), |covered| covered.entities(cx, &self.service_namespace))?;
        let key = |entity: &EntityDetails| {
            entity.entity_info.as_ref().and_then(|info| info.id.clone()).unwrap_or_default()
        };
        let (entities, marker) = cx.page_items(&self, entities, key)?;
        let (status, completed) = job.status(cx);
        Ok(GetServiceLastAccessedDetailsWithEntitiesResponse {
            job_status: Some(status),
            job_creation_date: job.created,
            job_completion_date: completed,
            entity_details_list: Some(entities),
            is_truncated: Some(marker.is_some()),
            marker,
            error: None,
        })
    }
}
