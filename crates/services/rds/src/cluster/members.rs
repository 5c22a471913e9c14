//! The instances of clusters: one takes writes, the others are readers.

use super::{DBCluster, DBClusterMember};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Result, Text};

/// Order of promotion of an instance that was created without one.
pub(crate) const DEFAULT_TIER: i64 = 1;

impl DBCluster {
    /// Adds an instance; the first one takes writes.
    pub fn add_member(&mut self, instance: &str, tier: Option<i64>) {
        let is_first = self.members().is_empty();
        self.db_cluster_members.get_or_insert_default().push(DBClusterMember {
            db_instance_identifier: Some(instance.into()),
            is_cluster_writer: Some(is_first),
            db_cluster_parameter_group_status: Some("in-sync".into()),
            promotion_tier: Some(tier.unwrap_or(DEFAULT_TIER)),
        });
    }

    /// Removes an instance. If it took writes, another one does.
    pub(crate) fn remove_member(&mut self, instance: &str) {
        let members = self.db_cluster_members.get_or_insert_default();
        members.retain(|member| member.db_instance_identifier.as_deref() != Some(instance));
        if self.writer().is_none() {
            let next = self.next_writer().map(Text::new);
            self.set_writer(next.as_deref());
        }
    }

    /// Identifier of the instance that takes writes.
    pub fn writer(&self) -> Option<&str> {
        let writer = self.members().iter().find(|member| member.is_cluster_writer == Some(true));
        writer.and_then(|member| member.db_instance_identifier.as_deref())
    }

    /// Identifier of the reader that takes writes next: the first one with the lowest order of promotion.
    pub(crate) fn next_writer(&self) -> Option<&str> {
        let readers = self.members().iter().filter(|member| member.is_cluster_writer != Some(true));
        let next = readers.min_by_key(|member| member.promotion_tier.unwrap_or(DEFAULT_TIER));
        next.and_then(|member| member.db_instance_identifier.as_deref())
    }

    /// Lets this instance take writes, and no other one.
    pub(crate) fn set_writer(&mut self, instance: Option<&str>) {
        for member in self.db_cluster_members.iter_mut().flatten() {
            member.is_cluster_writer =
                Some(instance.is_some() && member.db_instance_identifier.as_deref() == instance);
        }
    }

    /// Adds a read replica.
    pub(crate) fn add_replica(&mut self, instance: &str) {
        self.read_replica_identifiers.get_or_insert_default().push(instance.into());
    }

    /// Removes a read replica.
    pub(crate) fn remove_replica(&mut self, instance: &str) {
        self.read_replica_identifiers.get_or_insert_default().retain(|known| known != instance);
    }

    /// Gives a read replica another identifier.
    pub(crate) fn rename_replica(&mut self, old: &str, new: &str) {
        for known in self.read_replica_identifiers.iter_mut().flatten() {
            if known == old {
                *known = new.into();
            }
        }
    }

    /// The member with this identifier.
    pub(crate) fn member_mut(&mut self, instance: &str) -> Option<&mut DBClusterMember> {
        let mut members = self.db_cluster_members.iter_mut().flatten();
        members.find(|member| member.db_instance_identifier.as_deref() == Some(instance))
    }
}

/// Changes the cluster with this identifier, if it exists.
pub(crate) fn change(cx: &mut Tx<'_>, id: Option<&str>, by: impl FnOnce(&mut DBCluster)) -> Result<()> {
    let Some(id) = id else { return Ok(()) };
    let Some(mut cluster) = DBCluster::find_by(cx, &[id])? else { return Ok(()) };
    by(&mut cluster);
    cx.put(cluster)
}
