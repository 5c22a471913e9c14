//! Service-linked roles: roles that only their service can assume and that only the provider can change.

use crate::{
    Role,
    entity::{self, Entity},
    errors,
    policy::{
        attachment::{self, Use},
        managed,
    },
    role::{
        ExistingRole,
        linked_services::{self, LinkedService},
    },
};
use nephos_cloud::{Handler, Stored, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text, choices, nearest, operation};

/// Path of service-linked roles, before the name of the service.
const PATH: &str = "/aws-service-role/";

/// Time for which the status of a deletion is kept.
const TASK_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// True if the role is a service-linked role.
pub(crate) fn is_linked(role: &Role) -> bool {
    role.identity()[0].starts_with(PATH)
}

/// Refuses a path that only service-linked roles have.
pub(crate) fn check_path(path: Option<&Text>) -> Result<()> {
    match path.filter(|path| path.starts_with(PATH)) {
        Some(_) => Err(errors::path_reserved().with_field("Path")),
        None => Ok(()),
    }
}

/// Creates the role that a service assumes to act for the account. It has a policy of the provider.
#[operation(of = Role, wraps(role), effect = write, subject = "role/aws-service-role/{AWSServiceName}/*")]
pub struct CreateServiceLinkedRole {
    /// Principal of the service: `rds.amazonaws.com`.
    #[field(name = "AWSServiceName", length(1..=128), pattern = r"[\w+=,.@-]+", condition = "iam:AWSServiceName")]
    pub aws_service_name: Text,
    /// Description of the role.
    #[field(like = Role::description)]
    pub description: Option<Text>,
    /// Suffix of the name of the role, for services that can have several.
    #[field(length(1..=64), pattern = r"[\w+=,.@-]+")]
    pub custom_suffix: Option<Text>,
}

impl Handler for CreateServiceLinkedRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = &self.aws_service_name;
        let Some(service) = LinkedService::find(name) else {
            let refused = errors::service_not_linked(name).with_field("AWSServiceName");
            let known: Vec<_> = linked_services::principals().collect();
            return Err(refused.with_hint(nearest::hint(name, known.iter().map(String::as_str))));
        };
        let role_name = match &self.custom_suffix {
            Some(_) if !service.has_suffix() => {
                return Err(errors::custom_suffix(name).with_field("CustomSuffix"));
            }
            Some(suffix) => Text::from(format!("{}_{suffix}", service.role_name())),
            None => service.role_name().into(),
        };
        if entity::find::<Role>(cx, &role_name)?.is_some() {
            return Err(errors::linked_role_exists(&role_name));
        }
        let trust = format!(
            r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"Service":"{name}"}},"Action":"sts:AssumeRole"}}]}}"#
        );
        let description = self.description.or_else(|| service.description().map(Text::const_new));
        let role = Role::new_linked(role_name, format!("{PATH}{name}/").into(), trust.into(), description);
        let mut role = crate::role::create(cx, role)?;
        if let Some(policy) = managed::find_by_name(cx, service.policy)? {
            attachment::add_use(cx, &role, policy, Use::Attached)?;
        }
        role.max_session_duration = None;
        Ok(role.with_encoded_policy().into())
    }
}

choices! {
    /// Status of the deletion of a service-linked role.
    pub enum DeletionTaskStatus {
        /// The role was deleted.
        Succeeded = "SUCCEEDED",
        /// The deletion is in progress.
        InProgress = "IN_PROGRESS",
        /// The role is in use, and was not deleted.
        Failed = "FAILED",
        /// The deletion has not started.
        NotStarted = "NOT_STARTED",
    }
}

/// Row of the deletion of a service-linked role.
#[derive(Record)]
#[record(row)]
pub(crate) struct DeletionTaskRow {
    /// ID of the deletion.
    task_id: Option<Text>,
    /// Status.
    status: Option<DeletionTaskStatus>,
}

nephos_cloud::stored!(DeletionTaskRow in "iam/role-deletion" by task_id);

/// Removes the status of a deletion.
#[derive(Record)]
#[record(row)]
pub(crate) struct DeletionTaskExpiry {
    /// ID of the deletion.
    task_id: Option<Text>,
}

impl Work for DeletionTaskExpiry {
    const NAME: &'static str = "iam/role-deletion-expiry";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        cx.remove(&DeletionTaskRow { task_id: self.task_id, status: None })
    }
}

/// Deletes a service-linked role. Resources of the services here do not use it, so the deletion always succeeds.
#[operation(
    of = Role, include(ExistingRole), wraps(deletion_task_id: Text), effect = write,
    subject = "role/aws-service-role/*/{RoleName}"
)]
pub struct DeleteServiceLinkedRole {}

impl Handler for DeleteServiceLinkedRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let role: Option<Role> = entity::find(cx, &self.role_name)?;
        let role = role.filter(is_linked).ok_or_else(|| errors::role_not_found(&self.role_name))?;
        let [path, name, _] = role.identity();
        let task_id = Text::from(format!("task{path}{name}/{}", cx.ids().uuid()));
        attachment::remove_uses(cx, &role, Use::Attached)?;
        crate::role::remove(cx, &role)?;
        cx.put(DeletionTaskRow {
            task_id: Some(task_id.clone()),
            status: Some(DeletionTaskStatus::Succeeded),
        })?;
        cx.schedule(cx.now() + TASK_LIFETIME, &DeletionTaskExpiry { task_id: Some(task_id.clone()) })?;
        Ok(task_id.into())
    }
}

/// Returns the status of the deletion of a service-linked role, for a day after it.
#[operation(
    of = Role, effect = read, output = GetServiceLinkedRoleDeletionStatusResponse,
    subject = "role/aws-service-role/*"
)]
pub struct GetServiceLinkedRoleDeletionStatus {
    /// ID of the deletion.
    #[field(length(1..=1000))]
    pub deletion_task_id: Text,
}

/// Resources that use a role, in a Region.
#[derive(Record)]
#[record(answer)]
pub struct RoleUsage {
    /// Region of the resources.
    region: Option<Text>,
    /// ARNs of the resources.
    resources: Option<Vec<Text>>,
}

/// Reason for which a deletion failed.
#[derive(Record)]
#[record(answer)]
pub struct DeletionTaskFailureReason {
    /// Description of the reason.
    reason: Option<Text>,
    /// Resources that use the role.
    role_usage_list: Option<Vec<RoleUsage>>,
}

/// Status of a deletion.
#[derive(Record)]
#[record(answer)]
pub struct GetServiceLinkedRoleDeletionStatusResponse {
    /// Status.
    status: Option<DeletionTaskStatus>,
    /// Reason for which the deletion failed.
    reason: Option<DeletionTaskFailureReason>,
}

impl Handler for GetServiceLinkedRoleDeletionStatus {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetServiceLinkedRoleDeletionStatusResponse> {
        let row: Option<DeletionTaskRow> =
            cx.get(&DeletionTaskRow::table(cx.scope()).text(&self.deletion_task_id))?;
        let row = row.ok_or_else(|| errors::deletion_task_not_found(&self.deletion_task_id))?;
        Ok(GetServiceLinkedRoleDeletionStatusResponse { status: row.status, reason: None })
    }
}
