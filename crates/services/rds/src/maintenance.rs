//! Pending maintenance: upgrades to newer minor versions, and new certificates of servers. They are applied by request, at once or in
//! the maintenance window.

use crate::{
    DBCluster, DBInstance, DBInstanceManager, ModifyDBCluster, ModifyDBInstance, PendingModifiedValues,
    errors,
    filters::{self, Filter, Filters},
    identifier::Page,
    settings,
};
use nephos_cloud::{Addressed, Handler, Stored, Tx};
use nephos_core::{
    Error, Record, Result, SignedDuration, Text, Timestamp, field_value::FieldType, operation,
};

/// Action that upgrades a database to the newest minor version.
const UPGRADE: &str = "db-upgrade";

/// Action that renews the certificate of a server.
const ROTATION: &str = "ca-certificate-rotation";

/// Parameter with the ARN of a database.
const RESOURCE: &str = "ResourceIdentifier";

/// Days before the end of a certificate from which it can be renewed.
const ROTATION_DAYS: i64 = 90;

/// A maintenance action that is available for a resource.
#[derive(Record)]
#[record(answer)]
pub struct PendingMaintenanceAction {
    /// Action: db-upgrade or ca-certificate-rotation.
    action: Option<Text>,
    /// Time after which the action is applied by itself. There is none.
    auto_applied_after_date: Option<Timestamp>,
    /// Time at which the action is applied outside of the maintenance window. There is none.
    forced_apply_date: Option<Timestamp>,
    /// Request for the action: next-maintenance or immediate.
    opt_in_status: Option<Text>,
    /// Time at which the action is applied.
    current_apply_date: Option<Timestamp>,
    /// Description.
    description: Option<Text>,
}

/// Maintenance actions of a resource.
#[derive(Record)]
#[record(answer)]
pub struct ResourcePendingMaintenanceActions {
    /// ARN of the resource.
    resource_identifier: Option<Text>,
    /// Actions.
    #[field(item = "PendingMaintenanceAction")]
    pending_maintenance_action_details: Option<Vec<PendingMaintenanceAction>>,
}

/// A database with maintenance actions.
enum Target {
    Instance(Box<DBInstance>),
    Cluster(Box<DBCluster>),
}

/// An action that is available.
struct Available {
    action: &'static str,
    description: String,
    /// True if it waits for the maintenance window.
    is_waiting: bool,
}

impl Target {
    /// Finds the database with this ARN, or refuses.
    fn require(cx: &Tx<'_>, arn: &str) -> Result<Self> {
        let unknown = || errors::resource_not_found(arn).with_field(RESOURCE);
        if DBInstance::read_arn(arn).is_some() && cx.scope().owns(arn) {
            let found = DBInstance::find_by(cx, &DBInstance::read_arn(arn).unwrap_or_default())?;
            return found.map(|found| Self::Instance(Box::new(found))).ok_or_else(unknown);
        }
        if DBCluster::read_arn(arn).is_some() && cx.scope().owns(arn) {
            let found = DBCluster::find_by(cx, &DBCluster::read_arn(arn).unwrap_or_default())?;
            return found.map(|found| Self::Cluster(Box::new(found))).ok_or_else(unknown);
        }
        Err(unknown())
    }

    /// Returns all databases, in order of their ARNs.
    fn all(cx: &Tx<'_>) -> Result<Vec<Self>> {
        let clusters: Vec<DBCluster> = cx.all(&DBCluster::table(cx.scope()))?;
        let instances: Vec<DBInstance> = cx.all(&DBInstance::table(cx.scope()))?;
        let clusters = clusters.into_iter().map(|one| Self::Cluster(Box::new(one)));
        Ok(clusters.chain(instances.into_iter().map(|one| Self::Instance(Box::new(one)))).collect())
    }

    fn arn(&self) -> &str {
        match self {
            Self::Instance(instance) => instance.own_arn(),
            Self::Cluster(cluster) => cluster.own_arn(),
        }
    }

    /// True if the database has the value of a filter.
    fn has(&self, name: &str, value: &str) -> bool {
        let id = match self {
            Self::Instance(instance) if name == "db-instance-id" => instance.id(),
            Self::Cluster(cluster) if name == "db-cluster-id" => cluster.id(),
            _ => return false,
        };
        id.eq_ignore_ascii_case(value) || self.arn().eq_ignore_ascii_case(value)
    }

    /// Start of the next maintenance window.
    fn next_window(&self, now: Timestamp) -> Result<Timestamp> {
        let window = match self {
            Self::Instance(instance) => &instance.preferred_maintenance_window,
            Self::Cluster(cluster) => &cluster.preferred_maintenance_window,
        };
        Ok(settings::read_maintenance_window(window.as_deref().unwrap_or_default())?.next(now))
    }

    /// Returns the actions that are available.
    fn actions(&self, now: Timestamp) -> Result<Vec<Available>> {
        let mut actions = Vec::new();
        actions.extend(self.upgrade()?);
        if let Self::Instance(instance) = self {
            actions.extend(instance.rotation(now));
        }
        Ok(actions)
    }

    /// The upgrade to the newest minor version, for databases with automatic upgrades that do not wait for another version.
    fn upgrade(&self) -> Result<Option<Available>> {
        let (version, pending) = match self {
            Self::Instance(one) if one.is_upgraded_alone() => {
                let pending = one.pending_modified_values.as_ref();
                (one.own_version()?, pending.and_then(|pending| pending.engine_version.as_deref()))
            }
            Self::Cluster(one) if one.is_upgraded() => {
                let pending = one.pending_modified_values.as_ref();
                (one.version()?, pending.and_then(|pending| pending.engine_version.as_deref()))
            }
            _ => return Ok(None),
        };
        let newest = version.newest_minor().name();
        if version.is_newest_minor() || pending.is_some_and(|pending| pending != newest) {
            return Ok(None);
        }
        Ok(Some(Available {
            action: UPGRADE,
            description: format!("Automatic minor version upgrade to {} {newest}", version.engine.name),
            is_waiting: pending.is_some(),
        }))
    }

    /// Describes the actions; `immediate` is the one that is being applied.
    fn describe(
        &self,
        now: Timestamp,
        immediate: Option<Available>,
    ) -> Result<ResourcePendingMaintenanceActions> {
        let window = self.next_window(now)?;
        let describe =
            |one: Available, status: Option<&str>, time: Option<Timestamp>| PendingMaintenanceAction {
                action: Some(one.action.into()),
                auto_applied_after_date: None,
                forced_apply_date: None,
                opt_in_status: status.map(Text::new),
                current_apply_date: time,
                description: Some(one.description.into()),
            };
        let applied = immediate.as_ref().map(|one| one.action);
        let mut details: Vec<_> =
            immediate.into_iter().map(|one| describe(one, Some("immediate"), Some(now))).collect();
        for one in self.actions(now)?.into_iter().filter(|one| Some(one.action) != applied) {
            let (status, time) =
                if one.is_waiting { (Some("next-maintenance"), Some(window)) } else { (None, None) };
            details.push(describe(one, status, time));
        }
        Ok(ResourcePendingMaintenanceActions {
            resource_identifier: Some(self.arn().into()),
            pending_maintenance_action_details: Some(details),
        })
    }
}

impl DBInstance {
    /// True for an instance with automatic upgrades that is not upgraded with its cluster.
    fn is_upgraded_alone(&self) -> bool {
        self.auto_minor_version_upgrade == Some(true) && self.db_cluster_identifier.is_none()
    }

    /// Refuses an instance that is not available.
    fn check_available(&self) -> Result<()> {
        match self.status() {
            "available" => Ok(()),
            status => Err(errors::instance_not_available().with_hint(status).with_field(RESOURCE)),
        }
    }

    /// The new certificate, if the current one ends soon.
    fn rotation(&self, now: Timestamp) -> Option<Available> {
        let end = self.certificate_details.as_ref().and_then(|details| details.valid_till)?;
        let first = end.checked_sub(SignedDuration::from_hours(24 * ROTATION_DAYS)).ok()?;
        let pending = self.pending_modified_values.as_ref();
        (now >= first).then(|| Available {
            action: ROTATION,
            description: "Rotation of CA certificate".into(),
            is_waiting: pending.is_some_and(|pending| pending.ca_certificate_identifier.is_some()),
        })
    }

    /// Renews the certificate, at once or in the maintenance window.
    fn renew_certificate(&mut self, cx: &mut Tx<'_>, is_immediate: bool) -> Result<()> {
        self.check_available()?;
        let authority = self.ca_certificate_identifier.clone();
        let pending = self.pending_modified_values.get_or_insert_with(PendingModifiedValues::blank);
        pending.ca_certificate_identifier = authority;
        match self.pending_work() {
            Some(status) if is_immediate => self.begin_pending(cx, status),
            _ => {
                self.schedule_maintenance(cx)?;
                self.store(cx)
            }
        }
    }
}

impl DBCluster {
    /// True for a cluster with automatic upgrades that has instances.
    fn is_upgraded(&self) -> bool {
        self.auto_minor_version_upgrade == Some(true) && !self.members().is_empty()
    }
}

/// Describes the maintenance actions of instances and clusters that have some, in order of their ARNs.
#[operation(
    of = DBInstance, call = "pending_maintenance_actions",
    page(
        pending_maintenance_actions(item = "ResourcePendingMaintenanceActions"): ResourcePendingMaintenanceActions, marker
    ),
    include(Page), effect = read, access = list, subject = "db:*"
)]
pub struct DescribePendingMaintenanceActions {
    /// ARN of one instance or cluster.
    pub resource_identifier: Option<Text>,
    /// Filters: db-cluster-id or db-instance-id.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribePendingMaintenanceActions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), &["db-cluster-id", "db-instance-id"])?;
        let targets = match &self.resource_identifier {
            Some(arn) => vec![Target::require(cx, arn)?],
            None => Target::all(cx)?,
        };
        let mut found = Vec::new();
        for target in targets.iter().filter(|target| accepts(&filters, target)) {
            if !target.actions(cx.now())?.is_empty() {
                found.push(target.describe(cx.now(), None)?);
            }
        }
        let position =
            |one: &ResourcePendingMaintenanceActions| one.resource_identifier.clone().unwrap_or_default();
        Ok(cx.page_items(&self, found, position)?.into())
    }
}

fn accepts(filters: &Filters<'_>, target: &Target) -> bool {
    filters.match_all(|name, value| target.has(name, value))
}

/// Applies a maintenance action of an instance or a cluster: at once, in the next maintenance window, or no longer.
#[operation(
    of = DBInstance, call = "apply_maintenance", on_model(apply_action, opt_in_type),
    wraps(resource_pending_maintenance_actions: ResourcePendingMaintenanceActions), effect = write
)]
pub struct ApplyPendingMaintenanceAction {
    /// ARN of the instance or the cluster.
    #[field(from_field = "DBInstanceArn")]
    pub resource_identifier: Text,
    /// Action: db-upgrade or ca-certificate-rotation.
    pub apply_action: Text,
    /// When it is applied: immediate, next-maintenance, or undo-opt-in to apply it no longer in the next maintenance window.
    #[field(one_of("immediate", "next-maintenance", "undo-opt-in"))]
    pub opt_in_type: Text,
}

impl Handler for ApplyPendingMaintenanceAction {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let target = Target::require(cx, &self.resource_identifier)?;
        let action = target.actions(cx.now())?.into_iter().find(|one| one.action == self.apply_action);
        let Some(action) = action else {
            let error = errors::action_not_found(&self.apply_action, target.arn());
            return Err(error.with_field("ApplyAction"));
        };
        let is_immediate = self.opt_in_type == "immediate";
        if self.opt_in_type == "undo-opt-in" {
            target.undo(cx, action.action)?;
        } else {
            target.apply(cx, action.action, is_immediate)?;
        }
        let after = Target::require(cx, &self.resource_identifier)?;
        Ok(after.describe(cx.now(), Some(action).filter(|_| is_immediate))?.into())
    }
}

/// Returns an error of a change as one of the resource of the request.
fn of_resource(error: Error) -> Error {
    error.with_field(RESOURCE)
}

impl Target {
    /// Applies an action, at once or in the maintenance window.
    fn apply(self, cx: &mut Tx<'_>, action: &str, is_immediate: bool) -> Result<()> {
        match self {
            Self::Instance(mut one) if action == ROTATION => one.renew_certificate(cx, is_immediate),
            Self::Instance(one) => {
                let newest = one.own_version()?.newest_minor().name();
                let change = ModifyDBInstance::new(one.id()).engine_version(newest);
                change.apply_immediately(is_immediate).run(cx).map(drop).map_err(of_resource)
            }
            Self::Cluster(one) => {
                let newest = one.version()?.newest_minor().name();
                let change = ModifyDBCluster::new(one.id()).engine_version(newest);
                change.apply_immediately(is_immediate).run(cx).map(drop).map_err(of_resource)
            }
        }
    }

    /// Takes back an action that waits for the maintenance window.
    fn undo(self, cx: &mut Tx<'_>, action: &str) -> Result<()> {
        match self {
            Self::Instance(mut one) => {
                one.check_available()?;
                if let Some(pending) = &mut one.pending_modified_values {
                    match action {
                        ROTATION => pending.ca_certificate_identifier = None,
                        _ => pending.engine_version = None,
                    }
                }
                one.store(cx)
            }
            Self::Cluster(mut one) => {
                one.check_available().map_err(of_resource)?;
                if let Some(pending) = &mut one.pending_modified_values {
                    pending.engine_version = None;
                }
                one.show_pending_in_members(cx)?;
                cx.put(*one)
            }
        }
    }
}
