//! Update actions: the state of a service update on a cluster or a replication group.

use super::{
    ESTIMATE, ServiceUpdateSeverity, ServiceUpdateStatus, ServiceUpdateType, UPDATES, Update, accepts,
    batch::UpdateTargets,
    target::{self, Node, Target},
};
use crate::{CacheCluster, CacheClusterManager, SourceType, event, identifier::Page};
use nephos_cloud::{Handler, Stored, Transitions, Tx};
use nephos_core::{Record, Result, Text, Timestamp, choices, operation};

choices! {
    /// Status of an update action.
    #[derive(Eq)]
    pub enum UpdateActionStatus {
        /// The update is not applied.
        NotApplied = "not-applied",
        /// The update will start soon.
        WaitingToStart = "waiting-to-start",
        /// Nodes are being updated.
        InProgress = "in-progress",
        /// The update is being stopped.
        Stopping = "stopping",
        /// The update was stopped. It can be applied again.
        Stopped = "stopped",
        /// All nodes are updated.
        Complete = "complete",
        /// The update is being scheduled by the service. None is.
        Scheduling = "scheduling",
        /// The update is scheduled by the service. None is.
        Scheduled = "scheduled",
        /// The update can no longer be applied. Such actions are not listed.
        NotApplicable = "not-applicable",
    }
}

choices! {
    /// Status of the update of a node.
    #[derive(Eq)]
    pub enum NodeUpdateStatus {
        /// The update is not applied.
        NotApplied = "not-applied",
        /// The update of the node will start.
        WaitingToStart = "waiting-to-start",
        /// The node is being updated.
        InProgress = "in-progress",
        /// The update is being stopped, after this node.
        Stopping = "stopping",
        /// The update was stopped before this node.
        Stopped = "stopped",
        /// The node is updated.
        Complete = "complete",
    }
}

choices! {
    /// Who started the update of a node.
    #[derive(Eq)]
    pub enum NodeUpdateInitiatedBy {
        /// The service.
        System = "system",
        /// The customer.
        Customer = "customer",
    }
}

choices! {
    /// Whether an update was applied until the recommended time.
    #[derive(Eq)]
    pub enum SlaMet {
        /// It was.
        Yes = "yes",
        /// It was not.
        No = "no",
        /// That time is not over, or the nodes were created after it.
        NA = "n/a",
    }
}

/// Update of a node, in a row.
#[derive(Record)]
pub(crate) struct NodeUpdate {
    /// ID of the cluster.
    cache_cluster_id: Option<Text>,
    /// ID of the node.
    cache_node_id: Option<Text>,
    /// Start of the update.
    start: Option<Timestamp>,
    /// End of the update.
    end: Option<Timestamp>,
}

/// Row of an update action that was applied.
#[derive(Record)]
#[record(row)]
pub(crate) struct UpdateActionRow {
    /// The cluster or the replication group: `cluster/ID` or `group/ID`.
    pub(super) target: Option<Text>,
    /// Name of the service update.
    pub(super) service_update_name: Option<Text>,
    /// Status.
    pub(super) status: Option<UpdateActionStatus>,
    /// Time at which the update was applied.
    pub(super) initiated: Option<Timestamp>,
    /// Time of the last change of the status.
    pub(super) modified: Option<Timestamp>,
    /// Nodes whose updates were started.
    pub(super) nodes: Option<Vec<NodeUpdate>>,
}

nephos_cloud::stored! {
    UpdateActionRow in "elasticache/update-action" by target, service_update_name;
    states(
        "Status": "waiting-to-start" => "in-progress" 60 then UpdateActionRow::update_next,
        "in-progress" => "complete" 1800 then UpdateActionRow::update_next,
        "stopping" => "stopped" 60 then UpdateActionRow::stop,
    )
}

/// Removes the rows of a target that is removed.
pub(crate) fn remove_of(cx: &mut Tx<'_>, is_group: bool, id: &str) -> Result<()> {
    let rows = UpdateActionRow::table(cx.scope()).text(&target::key(is_group, id));
    UPDATES.iter().try_for_each(|update| cx.remove_row(&rows.clone().text(update.name)))
}

impl UpdateActionRow {
    fn node(&self, node: &Node) -> Option<&NodeUpdate> {
        let is_node = |update: &&NodeUpdate| {
            update.cache_cluster_id.as_ref() == Some(&node.cluster)
                && update.cache_node_id.as_ref() == Some(&node.id)
        };
        self.nodes.iter().flatten().find(is_node)
    }

    /// Ends the updates of nodes, and returns the nodes to update next: one of each shard.
    fn finish_nodes(&mut self, cx: &Tx<'_>) -> Result<Vec<NodeUpdate>> {
        let now = cx.now();
        self.modified = Some(now);
        for node in self.nodes.iter_mut().flatten() {
            node.end.get_or_insert(now);
        }
        let name = self.service_update_name.as_deref();
        let update = UPDATES.iter().find(|update| Some(update.name) == name);
        let (Some(update), Some(target)) = (update, Target::of_row(cx, self)?) else { return Ok(Vec::new()) };
        let is_next = |node: &&Node| node.is_outdated(update) && self.node(node).is_none();
        let next = target.shards.iter().filter_map(|(_, nodes)| nodes.iter().find(is_next));
        let started = |node: &Node| NodeUpdate {
            cache_cluster_id: Some(node.cluster.clone()),
            cache_node_id: Some(node.id.clone()),
            start: Some(now),
            end: None,
        };
        Ok(next.map(started).collect())
    }

    /// Updates the next nodes. Without any, the update is complete.
    fn update_next(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        loop {
            let next = self.finish_nodes(cx)?;
            if next.is_empty() {
                return self.complete(cx);
            }
            self.nodes.get_or_insert_default().extend(next);
            // Transitions that take no time update all nodes at once.
            if cx.transitions() == Transitions::Realistic {
                self.status = Some(UpdateActionStatus::InProgress);
                return Ok(());
            }
        }
    }

    /// Stops the update after the nodes that are being updated.
    fn stop(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        if self.finish_nodes(cx)?.is_empty() { self.complete(cx) } else { Ok(()) }
    }

    fn complete(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.status = Some(UpdateActionStatus::Complete);
        let clusters = self.nodes.iter().flatten().filter_map(|node| node.cache_cluster_id.as_deref());
        let mut clusters: Vec<_> = clusters.collect();
        clusters.dedup();
        let mut write = |id| event::write(cx, (SourceType::CacheCluster, id), "Cache cluster patched");
        clusters.into_iter().try_for_each(&mut write)
    }
}

/// Declares a record of the update of a node, with further fields before the common ones.
macro_rules! node_status {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),* }) => {
        $(#[$doc])*
        #[derive(Record)]
        #[record(answer)]
        pub struct $name {
            $($(#[$field_doc])* $field: Option<Text>,)*
            /// ID of the node.
            cache_node_id: Option<Text>,
            /// Status of the update.
            node_update_status: Option<NodeUpdateStatus>,
            /// Time at which the old node is deleted. It has none: old nodes are deleted when the update ends.
            node_deletion_date: Option<Timestamp>,
            /// Start of the update.
            node_update_start_date: Option<Timestamp>,
            /// End of the update.
            node_update_end_date: Option<Timestamp>,
            /// Who started the update.
            node_update_initiated_by: Option<NodeUpdateInitiatedBy>,
            /// Time at which the update was applied.
            node_update_initiated_date: Option<Timestamp>,
            /// Time of the last change of the status.
            node_update_status_modified_date: Option<Timestamp>,
        }

        impl $name {
            fn of_node(action: &Action<'_>, node: &Node) -> Self {
                let update = action.row.as_ref().and_then(|row| row.node(node));
                let [start, end] = [update.and_then(|update| update.start), update.and_then(|update| update.end)];
                let initiated = action.row.as_ref().and_then(|row| row.initiated).filter(|_| node.is_outdated(action.update));
                Self {
                    $($field: Some(node.cluster.clone()),)*
                    cache_node_id: Some(node.id.clone()),
                    node_update_status: Some(action.status_of(node)),
                    node_deletion_date: None,
                    node_update_start_date: start,
                    node_update_end_date: end,
                    node_update_initiated_by: initiated.map(|_| NodeUpdateInitiatedBy::Customer),
                    node_update_initiated_date: initiated,
                    node_update_status_modified_date: end.or(start).or(Some(action.modified())),
                }
            }
        }
    };
}

node_status! {
    /// Update of a node of a cluster.
    CacheNodeUpdateStatus {}
}

node_status! {
    /// Update of a node of a shard.
    NodeGroupMemberUpdateStatus {
        /// ID of the cluster.
        cache_cluster_id
    }
}

/// Updates of the nodes of a shard.
#[derive(Record)]
#[record(answer)]
pub struct NodeGroupUpdateStatus {
    /// ID of the shard.
    node_group_id: Option<Text>,
    /// Updates of the nodes.
    #[field(item = "NodeGroupMemberUpdateStatus")]
    node_group_member_update_status: Option<Vec<NodeGroupMemberUpdateStatus>>,
}

/// The state of a service update on a cluster or a replication group.
#[derive(Record)]
#[record(answer)]
pub struct UpdateAction {
    /// ID of the replication group.
    replication_group_id: Option<Text>,
    /// ID of the cluster, which is not a member of a replication group.
    cache_cluster_id: Option<Text>,
    /// Name of the service update.
    service_update_name: Option<Text>,
    /// Time of its release.
    service_update_release_date: Option<Timestamp>,
    /// Its severity.
    service_update_severity: Option<ServiceUpdateSeverity>,
    /// Its status.
    service_update_status: Option<ServiceUpdateStatus>,
    /// Time until which it should be applied.
    service_update_recommended_apply_by_date: Option<Timestamp>,
    /// Its type.
    service_update_type: Option<ServiceUpdateType>,
    /// Time from which it can be applied.
    update_action_available_date: Option<Timestamp>,
    /// Status of the action.
    update_action_status: Option<UpdateActionStatus>,
    /// Number of updated nodes and number of nodes: `1/3`.
    nodes_updated: Option<Text>,
    /// Time of the last change of the status.
    update_action_status_modified_date: Option<Timestamp>,
    /// Whether it was applied until the recommended time.
    sla_met: Option<SlaMet>,
    /// Updates of the nodes of a replication group.
    #[field(item = "NodeGroupUpdateStatus")]
    node_group_update_status: Option<Vec<NodeGroupUpdateStatus>>,
    /// Updates of the nodes of a cluster.
    #[field(item = "CacheNodeUpdateStatus")]
    cache_node_update_status: Option<Vec<CacheNodeUpdateStatus>>,
    /// Estimated time of the update.
    estimated_update_time: Option<Text>,
    /// Engine.
    engine: Option<Text>,
}

/// A service update on a target.
pub(super) struct Action<'a> {
    pub(super) target: &'a Target,
    pub(super) update: &'static Update,
    /// Its row. An action that was never applied has none.
    pub(super) row: Option<UpdateActionRow>,
}

impl<'a> Action<'a> {
    /// Reads an action.
    pub(super) fn of(cx: &Tx<'_>, target: &'a Target, update: &'static Update) -> Result<Self> {
        let key = UpdateActionRow::table(cx.scope()).text(&target.key()).text(update.name);
        Ok(Self { target, update, row: cx.get(&key)? })
    }

    /// Status. Nodes that were created after the release have the update.
    pub(super) fn status(&self) -> UpdateActionStatus {
        let is_outdated = self.target.nodes().any(|node| node.is_outdated(self.update));
        let default = if is_outdated { UpdateActionStatus::NotApplied } else { UpdateActionStatus::Complete };
        self.row.as_ref().and_then(|row| row.status.clone()).unwrap_or(default)
    }

    fn status_of(&self, node: &Node) -> NodeUpdateStatus {
        let started = self.row.as_ref().and_then(|row| row.node(node));
        let is_stopped = matches!(self.status(), UpdateActionStatus::Stopping | UpdateActionStatus::Stopped);
        match started {
            _ if !node.is_outdated(self.update) => NodeUpdateStatus::Complete,
            Some(update) if update.end.is_some() => NodeUpdateStatus::Complete,
            Some(_) if is_stopped => NodeUpdateStatus::Stopping,
            Some(_) => NodeUpdateStatus::InProgress,
            None if is_stopped => NodeUpdateStatus::Stopped,
            None if self.row.is_some() => NodeUpdateStatus::WaitingToStart,
            None => NodeUpdateStatus::NotApplied,
        }
    }

    /// Time from which the target had the action.
    fn available(&self) -> Timestamp {
        self.update.release().max(self.target.created)
    }

    fn modified(&self) -> Timestamp {
        self.row.as_ref().and_then(|row| row.modified).unwrap_or_else(|| self.available())
    }

    fn sla_met(&self, now: Timestamp) -> SlaMet {
        let due = self.update.due();
        let is_complete = self.status() == UpdateActionStatus::Complete;
        if self.target.created > due {
            SlaMet::NA
        } else if is_complete && self.modified() <= due {
            SlaMet::Yes
        } else if now > due {
            SlaMet::No
        } else {
            SlaMet::NA
        }
    }

    fn describe(&self, now: Timestamp, with_nodes: bool) -> UpdateAction {
        let Self { target, update, .. } = self;
        let is_updated = |node: &&Node| self.status_of(node) == NodeUpdateStatus::Complete;
        let updated = target.nodes().filter(is_updated).count();
        let shard = |(id, nodes): &(Text, Vec<Node>)| NodeGroupUpdateStatus {
            node_group_id: Some(id.clone()),
            node_group_member_update_status: Some(
                nodes.iter().map(|node| NodeGroupMemberUpdateStatus::of_node(self, node)).collect(),
            ),
        };
        let groups = with_nodes && target.group.is_some();
        let clusters = with_nodes && target.cluster.is_some();
        UpdateAction {
            replication_group_id: target.group.clone(),
            cache_cluster_id: target.cluster.clone(),
            service_update_name: Some(update.name.into()),
            service_update_release_date: Some(update.release()),
            service_update_severity: Some(update.severity.clone()),
            service_update_status: Some(update.status(now)),
            service_update_recommended_apply_by_date: Some(update.due()),
            service_update_type: Some(ServiceUpdateType::SecurityUpdate),
            update_action_available_date: Some(self.available()),
            update_action_status: Some(self.status()),
            nodes_updated: Some(format!("{updated}/{}", target.nodes().count()).into()),
            update_action_status_modified_date: Some(self.modified()),
            sla_met: Some(self.sla_met(now)),
            node_group_update_status: groups.then(|| target.shards.iter().map(shard).collect()),
            cache_node_update_status: clusters
                .then(|| target.nodes().map(|node| CacheNodeUpdateStatus::of_node(self, node)).collect()),
            estimated_update_time: Some(ESTIMATE.into()),
            engine: Some(target.version.engine().name().into()),
        }
    }
}

/// A range of times.
#[derive(Record)]
pub struct TimeRangeFilter {
    /// Start.
    start_time: Option<Timestamp>,
    /// End.
    end_time: Option<Timestamp>,
}

impl TimeRangeFilter {
    fn contains(&self, time: Timestamp) -> bool {
        self.start_time.is_none_or(|start| start <= time) && self.end_time.is_none_or(|end| time <= end)
    }
}

/// Describes update actions, those that became available last first.
#[operation(
    of = CacheCluster, call = "update_actions", page(update_actions(item = "UpdateAction"): UpdateAction, marker),
    include(UpdateTargets, Page), effect = read, access = list,
    subject = "ReplicationGroupIds? replicationgroup:{ReplicationGroupIds} + cluster:{CacheClusterIds}"
)]
pub struct DescribeUpdateActions {
    /// Name of a service update.
    pub service_update_name: Option<Text>,
    /// Engine.
    pub engine: Option<Text>,
    /// Statuses of service updates.
    #[field(length(..=3))]
    pub service_update_status: Option<Vec<ServiceUpdateStatus>>,
    /// Times of the releases.
    pub service_update_time_range: Option<TimeRangeFilter>,
    /// Statuses of the actions.
    #[field(length(..=9))]
    pub update_action_status: Option<Vec<UpdateActionStatus>>,
    /// True to describe the updates of nodes.
    pub show_node_level_update_status: Option<bool>,
}

impl DescribeUpdateActions {
    fn accepts_update(&self, update: &Update, now: Timestamp) -> bool {
        self.service_update_name.as_ref().is_none_or(|name| name == update.name)
            && accepts(self.service_update_status.as_ref(), &update.status(now))
            && self.service_update_time_range.as_ref().is_none_or(|range| range.contains(update.release()))
    }

    fn accepts_target(&self, target: &Target) -> bool {
        let names = |ids: &Option<Vec<Text>>, id: &Option<Text>| {
            let id = id.as_deref().unwrap_or_default();
            ids.iter().flatten().any(|given| given.eq_ignore_ascii_case(id))
        };
        let given = self.replication_group_ids.iter().chain(&self.cache_cluster_ids).flatten().count();
        let engine = target.version.engine().name();
        self.engine.as_ref().is_none_or(|given| given.eq_ignore_ascii_case(engine))
            && (given == 0
                || names(&self.replication_group_ids, &target.group)
                || names(&self.cache_cluster_ids, &target.cluster))
    }
}

impl Handler for DescribeUpdateActions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let now = cx.now();
        let with_nodes = self.show_node_level_update_status == Some(true);
        let mut found = Vec::new();
        for target in Target::all(cx)?.iter().filter(|target| self.accepts_target(target)) {
            for update in Update::all(now).filter(|update| target.has_action(update)) {
                let action = Action::of(cx, target, update)?;
                if self.accepts_update(update, now)
                    && accepts(self.update_action_status.as_ref(), &action.status())
                {
                    found.push(action.describe(now, with_nodes));
                }
            }
        }
        found.sort_by_key(|action| std::cmp::Reverse(action.update_action_available_date));
        Ok(cx.page_list(&self, found)?.into())
    }
}
