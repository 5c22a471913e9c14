//! Targets of service updates: clusters of their own, and replication groups.

use super::{Update, action::UpdateActionRow};
use crate::{CacheCluster, ReplicationGroup, engine, errors, replication_group};
use nephos_cloud::{Addressed, Stored, Tx};
use nephos_core::{Result, Text, Timestamp};

/// A node of a target.
pub(crate) struct Node {
    pub(super) cluster: Text,
    pub(super) id: Text,
    created: Option<Timestamp>,
}

impl Node {
    /// True if the node was created before the release of an update, which it does not have then.
    pub(super) fn is_outdated(&self, update: &Update) -> bool {
        self.created.is_some_and(|created| created < update.release())
    }
}

/// A cluster or a replication group to which service updates are applied.
pub(crate) struct Target {
    /// ID of the replication group, if it is one.
    pub(super) group: Option<Text>,
    /// ID of the cluster, if it is one.
    pub(super) cluster: Option<Text>,
    pub(super) version: &'static engine::Version,
    pub(super) created: Timestamp,
    /// Nodes by shards, in the order in which they are updated. A cluster has one shard.
    pub(super) shards: Vec<(Text, Vec<Node>)>,
}

impl Target {
    /// Reads a cluster.
    fn of_cluster(cluster: &CacheCluster) -> Result<Self> {
        Ok(Self {
            group: None,
            cluster: cluster.cache_cluster_id.clone(),
            version: engine::version(cluster.own_engine()?, cluster.engine_version.as_deref())?,
            created: cluster.cache_cluster_create_time.unwrap_or_default(),
            shards: vec![(Text::default(), nodes_of(cluster))],
        })
    }

    /// Reads a replication group; none if it has no clusters any more. Replicas are updated before their primary.
    fn of_group(cx: &Tx<'_>, group: &ReplicationGroup) -> Result<Option<Self>> {
        let Some(member) = group.member_rows(cx)?.into_iter().next() else { return Ok(None) };
        let mut shards = Vec::new();
        for (id, members) in group.members_by_shard() {
            let mut nodes = Vec::new();
            for member in members {
                nodes.extend(CacheCluster::find_by(cx, &[&member])?.iter().flat_map(nodes_of));
            }
            shards.push((id, nodes));
        }
        Ok(Some(Self {
            group: group.replication_group_id.clone(),
            cluster: None,
            created: group.replication_group_create_time.unwrap_or_default(),
            shards,
            ..Self::of_cluster(&member)?
        }))
    }

    /// Returns all targets of the account in the Region.
    pub(super) fn all(cx: &Tx<'_>) -> Result<Vec<Self>> {
        let mut targets = Vec::new();
        for group in cx.all::<ReplicationGroup>(&ReplicationGroup::table(cx.scope()))? {
            targets.extend(Self::of_group(cx, &group)?);
        }
        for cluster in cx.all::<CacheCluster>(&CacheCluster::table(cx.scope()))? {
            if cluster.replication_group_id.is_none() {
                targets.push(Self::of_cluster(&cluster)?);
            }
        }
        Ok(targets)
    }

    /// Finds the target of a row.
    pub(super) fn of_row(cx: &Tx<'_>, row: &UpdateActionRow) -> Result<Option<Self>> {
        match row.target.as_deref().and_then(|target| target.split_once('/')) {
            Some(("group", id)) => match replication_group::find(cx, id)? {
                Some(group) => Self::of_group(cx, &group),
                None => Ok(None),
            },
            Some((_, id)) => {
                CacheCluster::find_by(cx, &[id])?.map(|cluster| Self::of_cluster(&cluster)).transpose()
            }
            None => Ok(None),
        }
    }

    /// Finds a replication group that is available, or refuses.
    pub(super) fn require_group(cx: &Tx<'_>, id: &str) -> Result<Self> {
        let found = Self::of_group(cx, &replication_group::require_available(cx, id)?)?;
        found.ok_or_else(|| errors::replication_group_not_found(id))
    }

    /// Finds a cluster of its own that is available, or refuses.
    pub(super) fn require_cluster(cx: &Tx<'_>, id: &str) -> Result<Self> {
        let cluster = crate::cluster::require(cx, id)?;
        if let Some(group) = &cluster.replication_group_id {
            return Err(errors::update_of_member(id, group));
        }
        cluster.check_available()?;
        Self::of_cluster(&cluster)
    }

    /// ID of the cluster or the replication group.
    pub(super) fn id(&self) -> &str {
        self.group.as_deref().or(self.cluster.as_deref()).unwrap_or_default()
    }

    /// Part of the keys of rows.
    pub(super) fn key(&self) -> Text {
        key(self.group.is_some(), self.id())
    }

    /// True if the target has an action for an update: it is for the engine, and was available in the life of the target.
    pub(super) fn has_action(&self, update: &Update) -> bool {
        update.is_for(self.version) && self.created <= update.end()
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.shards.iter().flat_map(|(_, nodes)| nodes)
    }
}

/// Returns the part of the keys of rows for the target with this ID.
pub(super) fn key(is_group: bool, id: &str) -> Text {
    format!("{}/{id}", if is_group { "group" } else { "cluster" }).into()
}

fn nodes_of(cluster: &CacheCluster) -> Vec<Node> {
    let node = |node: &crate::CacheNode| Node {
        cluster: cluster.id().into(),
        id: node.id().into(),
        created: node.cache_node_create_time,
    };
    cluster.cache_nodes.iter().flatten().map(node).collect()
}
