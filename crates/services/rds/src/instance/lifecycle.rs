//! What happens to an instance by itself: it becomes available, is described, and leaves nothing behind.

use super::{DBInstance, PendingModifiedValues, create::INSTANCES, modification::ModificationRow};
use crate::{
    UsedSubnetGroup, cluster, event::known, master_user, settings, subnet_group, subnet_group::DBSubnetGroup,
    uses,
};
use nephos_cloud::{Addressed, Tx, Work};
use nephos_core::{Record, Result, Text, Timestamp, field_value::FieldType};
use nephos_ec2 as ec2;

impl DBInstance {
    /// Sets the subnet group. Only its name is stored; answers have the whole group.
    pub(crate) fn set_subnet_group(&mut self, group: DBSubnetGroup) {
        self.db_subnet_group = Some(UsedSubnetGroup::from(group));
    }

    /// Name of the subnet group.
    pub(crate) fn subnet_group_name(&self) -> &str {
        let group = self.db_subnet_group.as_ref();
        group.and_then(|group| group.db_subnet_group_name.as_deref()).unwrap_or_default()
    }

    /// Keeps only the name of the subnet group, for the row.
    fn stored(mut self) -> Self {
        let name = self.db_subnet_group.take().and_then(|group| group.db_subnet_group_name);
        let mut group = UsedSubnetGroup::blank();
        group.db_subnet_group_name = name;
        self.db_subnet_group = Some(group);
        self
    }

    /// Stores the instance, and schedules what happens next.
    pub(crate) fn store(&self, cx: &mut Tx<'_>) -> Result<()> {
        cx.put_and_schedule_transition(self.clone().stored())
    }

    /// Stores the instance. Nothing happens next by itself.
    pub(crate) fn keep(&self, cx: &mut Tx<'_>) -> Result<()> {
        cx.put(self.clone().stored())
    }

    /// Stores a new instance, and notes what it uses.
    pub(crate) fn store_new(&self, cx: &mut Tx<'_>) -> Result<()> {
        self.attach(cx, None)?;
        cluster::members::change(cx, self.db_cluster_identifier.as_deref(), |cluster| {
            cluster.add_member(self.id(), self.promotion_tier);
        })?;
        self.schedule_rotation(cx)?;
        self.store(cx)
    }

    /// Name of the parameter group.
    pub(crate) fn parameter_group(&self) -> Option<&str> {
        self.db_parameter_groups.iter().flatten().next()?.db_parameter_group_name.as_deref()
    }

    /// Name of the option group.
    pub(crate) fn option_group_name(&self) -> Option<&str> {
        self.option_group_memberships.iter().flatten().next()?.option_group_name.as_deref()
    }

    /// ARNs of the groups that the instance uses.
    fn used_groups(&self, cx: &Tx<'_>) -> Vec<Text> {
        let named = [("subgrp", self.subnet_group_name())].into_iter();
        let named = named.chain(self.parameter_group().map(|name| ("pg", name)));
        let named = named.chain(self.option_group_name().map(|name| ("og", name)));
        named.map(|(kind, name)| Text::new(cx.scope().arn("rds", &[kind, ":", name]).as_str())).collect()
    }

    /// Subnets with network interfaces of the instance.
    pub(crate) fn used_subnets(&self, cx: &Tx<'_>) -> Result<Vec<Text>> {
        let Some(group) = subnet_group::find(cx, self.subnet_group_name())? else { return Ok(Vec::new()) };
        let zones = [&self.availability_zone, &self.secondary_availability_zone];
        let is_used = |zone: &str| zones.iter().any(|used| used.as_deref() == Some(zone));
        let subnets = group.subnets.iter().flatten().filter(|subnet| is_used(subnet.zone()));
        Ok(subnets.filter_map(|subnet| subnet.subnet_identifier.clone()).collect())
    }

    /// Attaches the instance to its network and its groups, instead of what it used `before`.
    pub(crate) fn attach(&self, cx: &mut Tx<'_>, before: Option<&Self>) -> Result<()> {
        let (subnets, groups) = match before {
            Some(before) => (before.used_subnets(cx)?, before.used_groups(cx)),
            None => (Vec::new(), Vec::new()),
        };
        let after = self.used_subnets(cx)?;
        let security = settings::group_ids(self.vpc_security_groups.as_deref());
        ec2::update_attachments(cx, self.own_arn(), &subnets, &after, &security)?;
        uses::update(cx, self.own_arn(), &groups, &self.used_groups(cx))
    }

    /// Detaches the instance from its network and its groups.
    pub(crate) fn detach(&self, cx: &mut Tx<'_>) -> Result<()> {
        let subnets = self.used_subnets(cx)?;
        ec2::update_attachments(cx, self.own_arn(), &subnets, &[], &[])?;
        uses::update(cx, self.own_arn(), &self.used_groups(cx), &[])
    }

    /// Returns the instance as it is described: with its whole subnet group, and without what an instance that is being created does
    /// not have yet.
    pub(crate) fn described(self, cx: &Tx<'_>) -> Result<Self> {
        let group = subnet_group::find(cx, self.subnet_group_name())?;
        Ok(self.described_in(group.map(UsedSubnetGroup::from), cx.now()))
    }

    /// Returns the instance as it is described, with its subnet group.
    pub(crate) fn described_in(mut self, group: Option<UsedSubnetGroup>, now: Timestamp) -> Self {
        self.latest_restorable_time = self.latest_restorable(now);
        self.db_subnet_group = group.or(self.db_subnet_group);
        self.tag_list.get_or_insert_default();
        if self.status() == "creating" {
            self.endpoint = None;
            self.instance_create_time = None;
        }
        self
    }

    /// True if automated backups of the instance are made. Those of a member are made for its cluster.
    pub(crate) fn has_backups(&self) -> bool {
        self.backup_retention_period.unwrap_or_default() > 0 && self.db_cluster_identifier.is_none()
    }

    /// Ends the creation. An instance with automated backups makes the first one.
    pub(crate) fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.pending_modified_values = Some(PendingModifiedValues::blank());
        master_user::activate(self.master_user_secret.as_mut());
        for group in self.option_group_memberships.iter_mut().flatten() {
            group.status = Some("in-sync".into());
        }
        self.join_domains();
        self.record(cx, &known::INSTANCE_CREATED, &[])?;
        self.start_replication(cx)?;
        if self.has_backups() {
            return self.begin_backups(cx);
        }
        self.db_instance_status = Some("available".into());
        Ok(())
    }

    /// Ends a backup, after which an instance with automated backups can be restored.
    pub(super) fn finish_backup(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if self.has_backups() && self.latest_restorable_time.is_none() {
            self.latest_restorable_time = self.instance_create_time;
        }
        self.record(cx, &known::BACKUP_FINISHED, &[])
    }

    /// Removes what a deleted instance leaves behind.
    pub(crate) fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.record(cx, &known::INSTANCE_DELETED, &[])?;
        self.detach(cx)?;
        self.leave_source(cx)?;
        ModificationRow::take(cx, self.id())?;
        let resource = self.dbi_resource_id.clone().unwrap_or_default();
        master_user::remove(cx, &resource, self.master_user_secret.as_ref())?;
        let id = self.id().to_owned();
        cluster::members::change(cx, self.db_cluster_identifier.as_deref(), |cluster| {
            cluster.remove_member(&id);
        })?;
        INSTANCES.remove_one(cx)
    }

    /// Schedules the rotation of a managed password.
    pub(crate) fn schedule_rotation(&self, cx: &mut Tx<'_>) -> Result<()> {
        let Some(secret) = &self.master_user_secret else { return Ok(()) };
        let work = InstancePasswordRotation {
            db_instance_identifier: self.db_instance_identifier.clone(),
            secret_arn: secret.secret_arn.clone(),
        };
        cx.schedule(master_user::next_rotation(cx), &work)
    }
}

/// Due work: rotates the managed password of an instance.
#[derive(Record)]
pub(crate) struct InstancePasswordRotation {
    /// Identifier of the instance.
    db_instance_identifier: Option<Text>,
    /// ARN of the secret; another one has work of its own.
    secret_arn: Option<Text>,
}

impl Work for InstancePasswordRotation {
    const NAME: &'static str = "rds/instance-password-rotation";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.db_instance_identifier.unwrap_or_default();
        let Some(instance) = DBInstance::find_by(cx, &[&id])? else { return Ok(()) };
        let Some(secret) = instance.master_user_secret.as_ref() else { return Ok(()) };
        if secret.secret_arn != self.secret_arn {
            return Ok(());
        }
        master_user::rotate(cx, secret, instance.master_username.as_ref())?;
        instance.schedule_rotation(cx)
    }
}
