//! Events of replication groups.

use super::{NodeGroup, ReplicationGroup};
use crate::{CacheCluster, SourceType, event};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Result, Text};

impl ReplicationGroup {
    /// Writes an event of the group.
    pub(super) fn write_event(&self, cx: &mut Tx<'_>, message: impl Into<Text>) -> Result<()> {
        event::write(cx, (SourceType::ReplicationGroup, self.id()), message)
    }

    /// Ends the creation.
    pub(super) fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, format!("Replication group {} created", self.id()))?;
        if self.has_failover() { self.write_failover(cx) } else { Ok(()) }
    }

    /// Writes the event of automatic failover that was turned on or off.
    fn write_failover(&self, cx: &mut Tx<'_>) -> Result<()> {
        let state = if self.has_failover() { "on" } else { "off" };
        let message =
            format!("Automatic failover has been turned {state} for replication group {}", self.id());
        self.write_event(cx, message)
    }

    /// Writes the events of changes that were applied.
    pub(super) fn write_applied(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        let mut is_special = false;
        if before.has_failover() != self.has_failover() {
            is_special = true;
            self.write_failover(cx)?;
        }
        if let Some(node_type) =
            self.cache_node_type.as_ref().filter(|_| before.cache_node_type != self.cache_node_type)
        {
            is_special = true;
            self.write_event(
                cx,
                format!("Succeeded applying modification to cache node type to {node_type}."),
            )?;
        }
        for shard in before.node_groups.iter().flatten() {
            let after = self.shard(shard.id()).and_then(NodeGroup::primary);
            let (Some(old), Some(new)) = (shard.primary(), after) else { continue };
            if old.id() != new.id() {
                is_special = true;
                self.write_promotion(cx, old.id(), new.id(), before.has_failover())?;
            }
        }
        if is_special {
            Ok(())
        } else {
            self.write_event(cx, format!("Replication group {} modified", self.id()))
        }
    }

    /// Writes the events of a replica that became the primary. A failover replaces the node of the old primary.
    fn write_promotion(&self, cx: &mut Tx<'_>, old: &str, new: &str, is_failover: bool) -> Result<()> {
        self.write_event(cx, format!("Failover to replica node {new} completed"))?;
        let Some(old) = CacheCluster::find_by(cx, &[old])?.filter(|_| is_failover) else { return Ok(()) };
        for node in old.cache_nodes.iter().flatten() {
            old.write_event(cx, format!("Recovering cache nodes {}", node.id()))?;
            old.write_event(cx, format!("Finished recovery for cache nodes {}", node.id()))?;
        }
        Ok(())
    }
}
