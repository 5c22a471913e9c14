//! Events of clusters.

use super::{CacheCluster, CacheNode};
use crate::{
    SourceType,
    event::{self, Source},
    parameter_group,
};
use nephos_cloud::Tx;
use nephos_core::{Result, Text};

/// Message after a parameter group was given to a cluster.
fn parameter_group_message(name: &str) -> String {
    format!("Updated to use a CacheParameterGroup {name}")
}

impl CacheCluster {
    /// The cluster as the source of an event.
    fn source(&self) -> Source<'_> {
        (SourceType::CacheCluster, self.id()).into()
    }

    /// Writes an event of the cluster.
    pub(crate) fn write_event(&self, cx: &mut Tx<'_>, message: impl Into<Text>) -> Result<()> {
        event::write(cx, self.source(), message)
    }

    /// Ends the creation.
    pub(super) fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "Cache cluster created")?;
        let parameters = self.parameter_group_name();
        if !parameter_group::is_default(parameters) {
            self.write_event(cx, parameter_group_message(parameters))?;
        }
        self.cache_nodes.iter().flatten().try_for_each(|node| self.write_added(cx, node))
    }

    fn write_added(&self, cx: &mut Tx<'_>, node: &CacheNode) -> Result<()> {
        let zone = node.customer_availability_zone.as_deref().unwrap_or_default();
        self.write_event(cx, format!("Added cache node {} in availability zone {zone}", node.id()))
    }

    /// Writes the events of a change of parameter group or security groups.
    pub(crate) fn write_changed_settings(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        if before.parameter_group_name() != self.parameter_group_name() {
            self.write_event(cx, parameter_group_message(self.parameter_group_name()))?;
        }
        if before.security_groups != self.security_groups {
            self.write_event(cx, "Applied change to security group")?;
        }
        Ok(())
    }

    /// Writes the event of pending changes that are started.
    pub(super) fn write_started(&self, cx: &mut Tx<'_>) -> Result<()> {
        let wanted = self.pending_modified_values.as_ref().and_then(|pending| pending.num_cache_nodes);
        if wanted > self.num_cache_nodes {
            self.write_event(cx, "Increasing number of requested nodes")?;
        }
        Ok(())
    }

    /// Writes the events of pending changes that were applied.
    pub(super) fn write_applied(&self, cx: &mut Tx<'_>, before: &Self) -> Result<()> {
        let nodes = |cluster: &Self| cluster.cache_nodes.clone().unwrap_or_default();
        let without = |nodes: Vec<CacheNode>, other: &[CacheNode]| -> Vec<CacheNode> {
            nodes.into_iter().filter(|node| !other.iter().any(|known| known.id() == node.id())).collect()
        };
        let removed = without(nodes(before), &nodes(self));
        if !removed.is_empty() {
            let ids: Vec<_> = removed.iter().map(CacheNode::id).collect();
            self.write_event(cx, format!("Removed cache nodes {}", ids.join(", ")))?;
        }
        let added = without(nodes(self), &nodes(before));
        added.iter().try_for_each(|node| self.write_added(cx, node))?;
        if !added.is_empty() {
            let [from, to] = [before, self].map(|cluster| cluster.num_cache_nodes.unwrap_or_default());
            self.write_event(cx, format!("Finished modifying number of nodes from {from} to {to}"))?;
        }
        if before.engine_version != self.engine_version {
            nodes(before).iter().try_for_each(|node| self.write_restart(cx, node.id()))?;
            self.write_event(cx, "Cache cluster patched")?;
        }
        if let Some(node_type) =
            self.cache_node_type.as_ref().filter(|_| before.cache_node_type != self.cache_node_type)
        {
            self.write_event(
                cx,
                format!("Succeeded applying modification to cache node type to {node_type}."),
            )?;
        }
        self.write_changed_settings(cx, before)
    }

    /// Writes the events of a node that was shut down and started again.
    pub(crate) fn write_restart(&self, cx: &mut Tx<'_>, node: &str) -> Result<()> {
        self.write_event(cx, format!("Cache node {node} shutdown"))?;
        self.write_event(cx, format!("Cache node {node} restarted"))
    }
}
