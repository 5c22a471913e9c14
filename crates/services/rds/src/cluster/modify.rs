//! The operation that changes a cluster.

use super::{
    DBCluster, DBClusterAccess, DBClusterFeatures, DBClusterManager, DescribeDBClusters,
    pending::PendingClusterRow,
    require,
    settings::{refuse_for_engine, refuse_given},
};
use crate::{
    DBInstance, Filter, LogsExportConfiguration, errors, identifier,
    master_user::{self, Database, PasswordChange},
    settings,
};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{
    FromModel, ManagerOperation, Record, Resource, Result, Text, WorkflowContext, field_value::FieldType,
    operation, operation::missing_in_answer, retag,
};

/// Parameters of a change that say how a cluster is changed.
#[derive(Record)]
#[record(shared)]
pub struct DBClusterChange {
    /// New identifier.
    #[field(name = "NewDBClusterIdentifier", length(1..))]
    new_db_cluster_identifier: Option<Text>,
    /// True to apply a new identifier, password or version at once instead of in the maintenance window.
    apply_immediately: Option<bool>,
    /// Types of logs to export, or to export no longer.
    #[field(wire = "CloudwatchLogsExportConfiguration")]
    logs_export_configuration: Option<LogsExportConfiguration>,
    /// True to allow another major version.
    allow_major_version_upgrade: Option<bool>,
    /// True to rotate the managed password now.
    rotate_master_user_password: Option<bool>,
}

/// Parameters of a change of a cluster of relational databases.
#[derive(Record)]
#[record(shared)]
pub struct DBClusterModeChange {
    /// Parameter group of the instances, with another major version.
    #[field(name = "DBInstanceParameterGroupName")]
    db_instance_parameter_group_name: Option<Text>,
    /// Mode of the engine. It cannot be changed.
    engine_mode: Option<Text>,
    /// True to allow another mode of the engine. There is one mode only, so it is refused.
    allow_engine_mode_change: Option<bool>,
}

/// Changes a cluster. The identifier, the password and the version change in the maintenance window, or at once with
/// `ApplyImmediately`; other settings change at once.
#[operation(
    of = DBCluster, needs(db_cluster_identifier),
    takes(
        changeable, iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        http_endpoint_enabled(wire = "EnableHttpEndpoint"),
        performance_insights_enabled(wire = "EnablePerformanceInsights")
    ),
    except(tag_list), include(DBClusterAccess, DBClusterFeatures, DBClusterChange, DBClusterModeChange), wraps(db_cluster(name = "DBCluster")), effect = write,
    also_requires("iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"),
    subject = "cluster:{DBClusterIdentifier} + DBClusterParameterGroupName? cluster-pg:{DBClusterParameterGroupName} + \
        DBInstanceParameterGroupName? pg:{DBInstanceParameterGroupName} + OptionGroupName? og:{OptionGroupName}"
)]
pub struct ModifyDBCluster {}

impl Handler for ModifyDBCluster {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = require(cx, &self.db_cluster_identifier, "DBClusterIdentifier")?;
        before.check_available()?;
        let access = DBClusterAccess::from_given(self.clone());
        let features = DBClusterFeatures::from_given(self.clone());
        let change = DBClusterChange::from_given(self.clone());
        let mut cluster = before.clone();
        let mut row = PendingClusterRow::of(cx, &before)?;
        let row_before = row.clone();
        features.refuse_unsupported(before.version()?)?;
        let is_major = self.change_version(cx, &mut cluster, &access, &mut row)?;
        change.change_identifier(cx, &mut cluster)?;
        let (capacity, version) = (self.serverless_v2_scaling_configuration.take(), before.version()?);
        if before.is_multi_zone() {
            self.refuse_of_multi_zone(&before, capacity.is_some())?;
            self.take_hardware().change(&mut cluster, version, &mut row)?;
        } else {
            let is_resized =
                self.allocated_storage.is_some_and(|size| Some(size) != before.allocated_storage);
            refuse_for_engine(version.engine, &[("AllocatedStorage", is_resized)])?;
        }
        cluster.take_given(&mut self);
        cluster.set_capacity(version.engine, capacity.as_ref())?;
        cluster.check_settings(cx, version.engine, Some(&before))?;
        change.change_log_types(&mut cluster)?;
        cluster.change_certificate(cx, features.certificate())?;
        if let Some(ids) = access.vpc_security_group_ids.as_deref() {
            cluster.set_security_groups(cx, Some(ids))?;
        }
        if !is_major && let Some(group) = access.read_parameter_group(cx, version)? {
            cluster.set_parameter_group(group);
        }
        cluster.local_write_forwarding_status =
            features.write_forwarding().or(cluster.local_write_forwarding_status);
        let password = PasswordChange {
            password: access.master_user_password.as_ref(),
            is_managed: access.manage_master_user_password,
            rotate: change.rotate_master_user_password,
            crypto_key: access.master_user_secret_crypto_key_id.as_ref(),
            apply_immediately: change.apply_immediately == Some(true),
        };
        password.check(version.engine, cluster.master_user_secret.as_ref())?;
        // Everything was checked: from here on it is written.
        let is_reset = cluster.change_password(cx, &password, &mut row)?;
        if row != row_before {
            cx.put(row.clone())?;
        }
        let is_waiting = change.apply_immediately != Some(true)
            && (row != row_before || cluster.pending_modified_values != before.pending_modified_values);
        if is_waiting {
            cluster.schedule_pending(cx, false)?;
        }
        cluster.follow_change(cx, &before, change.apply_immediately == Some(true), is_reset)
    }
}

impl ModifyDBCluster {
    /// Refuses changes that clusters in several zones do not have.
    fn refuse_of_multi_zone(&self, cluster: &DBCluster, has_capacity: bool) -> Result<()> {
        let is_other_port = self.port.is_some() && self.port != cluster.port;
        refuse_for_engine(
            cluster.version()?.engine,
            &[
                ("Port", is_other_port),
                ("ServerlessV2ScalingConfiguration", has_capacity),
                ("DBInstanceParameterGroupName", self.db_instance_parameter_group_name.is_some()),
            ],
        )
    }

    /// Reads a new version; true if it is another major version.
    fn change_version(
        &mut self,
        cx: &Tx<'_>,
        cluster: &mut DBCluster,
        access: &DBClusterAccess,
        row: &mut PendingClusterRow,
    ) -> Result<bool> {
        let old = cluster.version()?;
        refuse_given(&[
            ("EngineMode", self.engine_mode.as_deref().is_some_and(|mode| mode != "provisioned")),
            ("AllowEngineModeChange", self.allow_engine_mode_change == Some(true)),
        ])?;
        let new = match self.engine_version.take() {
            Some(version) => old.engine.version(&version)?,
            None => old,
        };
        let is_major = old.is_other_major(new);
        let groups = self.db_instance_parameter_group_name.as_ref();
        if groups.is_some() && !is_major {
            let error = errors::member_group_without_major_upgrade();
            return Err(error.with_field("DBInstanceParameterGroupName"));
        }
        if new.name() == old.name() {
            return Ok(false);
        }
        let field = "EngineVersion";
        if !old.can_upgrade_to(new) {
            let error = errors::cannot_upgrade(old.engine.name, old.name(), new.name());
            return Err(error.with_field(field));
        }
        if is_major && self.allow_major_version_upgrade != Some(true) {
            return Err(errors::major_version_flag().with_field("AllowMajorVersionUpgrade"));
        }
        if cluster.writer().is_none() {
            return Err(errors::cluster_without_primary(cluster.id()).with_field(field));
        }
        cluster.check_versions_of_replicas(cx, new)?;
        if is_major {
            row.parameter_group = access.read_parameter_group(cx, new)?;
            row.member_parameter_group = groups.cloned();
        }
        cluster.pending().engine_version = Some(new.name().into());
        Ok(is_major)
    }
}

impl DBClusterChange {
    /// Reads a new identifier.
    fn change_identifier(&self, cx: &Tx<'_>, cluster: &mut DBCluster) -> Result<()> {
        let Some(given) = &self.new_db_cluster_identifier else { return Ok(()) };
        let field = "NewDBClusterIdentifier";
        let id = identifier::read(given, field, identifier::MAX_LENGTH)?;
        if id == cluster.id() {
            return Ok(());
        }
        if DBCluster::find_by(cx, &[&id])?.is_some() {
            return Err(errors::cluster_exists().with_field(field));
        }
        cluster.pending().db_cluster_identifier = Some(id);
        Ok(())
    }

    /// Changes the types of logs that are exported.
    fn change_log_types(&self, cluster: &mut DBCluster) -> Result<()> {
        let Some(change) = &self.logs_export_configuration else { return Ok(()) };
        let enabled = change.enable_log_types.as_deref().unwrap_or_default();
        let disabled = change.disable_log_types.as_deref().unwrap_or_default();
        for types in [enabled, disabled] {
            settings::check_log_types(cluster.version()?, types, "LogsExportConfiguration")?;
        }
        let mut types = cluster.enabled_log_exports.take().unwrap_or_default();
        types.retain(|one| !disabled.contains(one));
        for one in enabled {
            if !types.contains(one) {
                types.push(one.clone());
            }
        }
        cluster.enabled_log_exports = Some(types).filter(|types| !types.is_empty());
        Ok(())
    }
}

impl DBCluster {
    /// Changes the certificate authority of the servers.
    fn change_certificate(&mut self, cx: &Tx<'_>, authority: Option<&Text>) -> Result<()> {
        let Some(authority) = authority else { return Ok(()) };
        let mut server = DBInstance::blank();
        server.set_certificate(cx, authority)?;
        self.certificate_details = server.certificate_details;
        Ok(())
    }

    /// Sets the parameter group. Members use it after a reboot.
    fn set_parameter_group(&mut self, name: Text) {
        if self.db_cluster_parameter_group.as_ref() == Some(&name) {
            return;
        }
        self.db_cluster_parameter_group = Some(name);
        for member in self.db_cluster_members.iter_mut().flatten() {
            member.db_cluster_parameter_group_status = Some("pending-reboot".into());
        }
    }

    /// Changes the password: a given one is pending, a managed one changes at once. True for the latter.
    fn change_password(
        &mut self,
        cx: &mut Tx<'_>,
        change: &PasswordChange<'_>,
        row: &mut PendingClusterRow,
    ) -> Result<bool> {
        if let Some(password) = change.password.filter(|_| change.is_managed.is_none()) {
            row.set_password(cx, password)?;
            self.pending().master_user_password = Some(master_user::MASK.into());
            return Ok(false);
        }
        let arn = self.own_arn().to_owned();
        let resource_id = self.db_cluster_resource_id.clone().unwrap_or_default();
        let database = Database { kind: "cluster", arn: &arn, resource_id: &resource_id };
        let had_secret = self.master_user_secret.is_some();
        let username = self.master_username.clone();
        let is_changed = change.apply(cx, &database, username.as_ref(), &mut self.master_user_secret)?;
        if !had_secret {
            self.schedule_rotation(cx)?;
        }
        Ok(is_changed)
    }

    /// Stores a changed cluster, and starts or schedules what is pending. The answer still has the status before.
    fn follow_change(
        mut self,
        cx: &mut Tx<'_>,
        before: &Self,
        is_immediate: bool,
        is_reset: bool,
    ) -> Result<ModifyDBClusterResponse> {
        let status = match self.status_of_pending(&PendingClusterRow::of(cx, &self)?) {
            Some(status) if is_immediate => Some(status),
            None if is_reset => Some("resetting-master-credentials"),
            _ if self.differs_beside_pending(before) => Some("modifying"),
            _ => None,
        };
        if self.used_groups(cx)? != before.used_groups(cx)?
            || self.vpc_security_groups != before.vpc_security_groups
        {
            self.note_uses(cx, Some(before))?;
        }
        if self.preferred_backup_window != before.preferred_backup_window {
            self.schedule_backup(cx)?;
        }
        if self.backup_retention_period < before.backup_retention_period {
            self.follow_retention(cx)?;
        }
        if self != *before {
            self.pass_to_members(cx, before)?;
        }
        self.show_pending_in_members(cx)?;
        let answer = self.clone().described(cx)?;
        match status {
            Some(status) => self.enter(cx, status)?,
            None => cx.put(self)?,
        }
        Ok(answer.into())
    }

    /// True if more than what is pending differs.
    fn differs_beside_pending(&self, before: &Self) -> bool {
        let mut same = before.clone();
        same.pending_modified_values.clone_from(&self.pending_modified_values);
        *self != same
    }

    /// Passes settings that members have from their cluster on to them.
    fn pass_to_members(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        self.change_members(cx, |instance, _| {
            if self.vpc_security_groups != before.vpc_security_groups {
                instance.vpc_security_groups.clone_from(&self.vpc_security_groups);
            }
            instance.backup_retention_period = self.backup_retention_period;
            instance.preferred_backup_window.clone_from(&self.preferred_backup_window);
            if self.is_multi_zone() {
                instance.follow_cluster(self)?;
            }
            Ok(())
        })
    }
}

/// Changes a cluster to what the model describes: what was changed since the model was read.
#[operation(
    kind = DBCluster, call = "update", include(DBClusterAccess, DBClusterFeatures, DBClusterChange, DBClusterModeChange), effect = write, output = DBCluster
)]
pub struct DBClusterUpdate {
    /// Model of the resource.
    #[field(model, name = "model")]
    pub model: DBCluster,
}

impl ManagerOperation for DBClusterUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<DBCluster> {
        send_changes(context, &self.model, self).await
    }
}

/// Sends what changed in a model, and what is given beside it; then the tags. Returns the cluster, which may have another
/// identifier afterwards.
pub(crate) async fn send_changes<M>(
    context: &WorkflowContext,
    model: &M,
    beside: &(impl Record + Clone),
) -> Result<M>
where
    M: Resource + From<DBCluster>,
{
    let mut given = ModifyDBCluster::from_given(beside.clone());
    let id = model.name()?.map(Text::new).unwrap_or_default();
    let is_given = given != ModifyDBCluster::new("");
    given.db_cluster_identifier = id.clone();
    let changes = ModifyDBCluster::changes_of(model)?;
    let mut resource_id = None;
    if changes.is_some() || is_given {
        let mut modify = changes.unwrap_or_else(|| ModifyDBCluster::new(id.clone()));
        modify.take_given(&mut given);
        let answer = context.call(modify).await?;
        resource_id = answer.db_cluster.and_then(|cluster| cluster.db_cluster_resource_id);
    }
    let describe = match resource_id {
        Some(id) => DescribeDBClusters::new().filters(vec![Filter::of("db-cluster-resource-id", &id)]),
        None => DescribeDBClusters::new().db_cluster_identifier(id),
    };
    let find = async || {
        let found = context.call(describe.clone()).await?.db_clusters.unwrap_or_default().into_iter().next();
        found.map(M::from).ok_or_else(|| missing_in_answer("DBClusters"))
    };
    let found = find().await?;
    retag(context, model, &found).await?;
    find().await
}
