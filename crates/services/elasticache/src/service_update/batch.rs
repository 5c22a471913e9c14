//! Service updates are applied and stopped.

use super::{
    Update,
    action::{Action, UpdateActionRow, UpdateActionStatus},
    target::Target,
};
use crate::{CacheCluster, CacheClusterManager, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Error, ErrorKind, Record, Result, Text, operation};

/// Clusters and replication groups of an operation on service updates.
#[derive(Record)]
#[record(shared)]
pub struct UpdateTargets {
    /// IDs of replication groups.
    #[field(length(..=20))]
    replication_group_ids: Option<Vec<Text>>,
    /// IDs of clusters that are not members of replication groups.
    #[field(length(..=20))]
    cache_cluster_ids: Option<Vec<Text>>,
}

/// An action that was applied or stopped.
#[derive(Record)]
#[record(answer)]
pub struct ProcessedUpdateAction {
    /// ID of the replication group.
    replication_group_id: Option<Text>,
    /// ID of the cluster.
    cache_cluster_id: Option<Text>,
    /// Name of the service update.
    service_update_name: Option<Text>,
    /// Status of the action.
    update_action_status: Option<UpdateActionStatus>,
}

/// An action that could not be applied or stopped.
#[derive(Record)]
#[record(answer)]
pub struct UnprocessedUpdateAction {
    /// ID of the replication group.
    replication_group_id: Option<Text>,
    /// ID of the cluster.
    cache_cluster_id: Option<Text>,
    /// Name of the service update.
    service_update_name: Option<Text>,
    /// Code of the error.
    error_type: Option<Text>,
    /// Text of the error.
    error_message: Option<Text>,
}

/// Results of an operation on several actions.
#[derive(Record)]
#[record(answer)]
pub struct UpdateActionResultsMessage {
    /// Actions that were applied or stopped.
    #[field(item = "ProcessedUpdateAction")]
    processed_update_actions: Option<Vec<ProcessedUpdateAction>>,
    /// Actions that could not be applied or stopped.
    #[field(item = "UnprocessedUpdateAction")]
    unprocessed_update_actions: Option<Vec<UnprocessedUpdateAction>>,
}

/// Applies a service update to clusters and replication groups, one node of each shard after the other.
#[operation(
    of = CacheCluster, call = "apply_update", include(UpdateTargets), effect = write, output = UpdateActionResultsMessage,
    subject = "ReplicationGroupIds? replicationgroup:{ReplicationGroupIds} + cluster:{CacheClusterIds}"
)]
pub struct BatchApplyUpdateAction {
    /// Name of the service update.
    pub service_update_name: Text,
}

impl Handler for BatchApplyUpdateAction {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let update = Update::require(&self.service_update_name, cx.now())?;
        let change = |cx: &mut Tx<'_>, action: Action<'_>| {
            if cx.now() > update.end() {
                return Err(errors::update_expired(update.name));
            }
            let now = Some(cx.now());
            let row = action.row.unwrap_or_else(|| UpdateActionRow {
                target: Some(action.target.key()),
                service_update_name: Some(update.name.into()),
                status: None,
                initiated: None,
                modified: None,
                nodes: None,
            });
            Ok(UpdateActionRow { initiated: now, ..row })
        };
        let from = [UpdateActionStatus::NotApplied, UpdateActionStatus::Stopped];
        let batch = Batch { update, from: &from, to: UpdateActionStatus::WaitingToStart };
        batch.run(cx, self.replication_group_ids, self.cache_cluster_ids, change)
    }
}

/// Stops a service update on clusters and replication groups, after the nodes that are being updated.
#[operation(
    of = CacheCluster, call = "stop_update", include(UpdateTargets), effect = write, output = UpdateActionResultsMessage,
    subject = "ReplicationGroupIds? replicationgroup:{ReplicationGroupIds} + cluster:{CacheClusterIds}"
)]
pub struct BatchStopUpdateAction {
    /// Name of the service update.
    pub service_update_name: Text,
}

impl Handler for BatchStopUpdateAction {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let update = Update::require(&self.service_update_name, cx.now())?;
        let change = |_: &mut Tx<'_>, action: Action<'_>| {
            let id = action.target.id().to_owned();
            action.row.ok_or_else(|| errors::update_not_applicable(update.name, id))
        };
        let from = [UpdateActionStatus::WaitingToStart, UpdateActionStatus::InProgress];
        let batch = Batch { update, from: &from, to: UpdateActionStatus::Stopping };
        batch.run(cx, self.replication_group_ids, self.cache_cluster_ids, change)
    }
}

/// A change of several actions from one of these statuses to another.
struct Batch<'b> {
    update: &'static Update,
    from: &'b [UpdateActionStatus],
    to: UpdateActionStatus,
}

impl Batch<'_> {
    fn run(
        &self,
        cx: &mut Tx<'_>,
        groups: Option<Vec<Text>>,
        clusters: Option<Vec<Text>>,
        change: impl Fn(&mut Tx<'_>, Action<'_>) -> Result<UpdateActionRow>,
    ) -> Result<UpdateActionResultsMessage> {
        let groups = groups.into_iter().flatten().map(|id| (Some(id), None));
        let clusters = clusters.into_iter().flatten().map(|id| (None, Some(id)));
        let all: Vec<_> = groups.chain(clusters).collect();
        if all.is_empty() {
            return Err(errors::update_targets_missing().with_field("ReplicationGroupIds"));
        }
        let name = Some(Text::from(self.update.name));
        let (mut processed, mut unprocessed) = (Vec::new(), Vec::new());
        for (replication_group_id, cache_cluster_id) in all {
            let target = match (&replication_group_id, &cache_cluster_id) {
                (Some(id), _) => Target::require_group(cx, id),
                (None, id) => Target::require_cluster(cx, id.as_deref().unwrap_or_default()),
            };
            match target.and_then(|target| self.change_one(cx, &target, &change)) {
                Ok(()) => processed.push(ProcessedUpdateAction {
                    replication_group_id,
                    cache_cluster_id,
                    service_update_name: name.clone(),
                    update_action_status: Some(self.to.clone()),
                }),
                Err(error) if is_of_entry(&error) => unprocessed.push(UnprocessedUpdateAction {
                    replication_group_id,
                    cache_cluster_id,
                    service_update_name: name.clone(),
                    error_type: Some(error.code().into()),
                    error_message: Some(error.message().into()),
                }),
                Err(error) => return Err(error),
            }
        }
        Ok(UpdateActionResultsMessage {
            processed_update_actions: Some(processed),
            unprocessed_update_actions: Some(unprocessed),
        })
    }

    fn change_one(
        &self,
        cx: &mut Tx<'_>,
        target: &Target,
        change: impl Fn(&mut Tx<'_>, Action<'_>) -> Result<UpdateActionRow>,
    ) -> Result<()> {
        if !target.has_action(self.update) {
            return Err(errors::update_not_applicable(self.update.name, target.id()));
        }
        let action = Action::of(cx, target, self.update)?;
        let status = action.status();
        if !self.from.contains(&status) {
            return Err(errors::update_action_status(self.update.name, target.id(), status));
        }
        let row = change(cx, action)?;
        cx.put_and_schedule_transition(UpdateActionRow {
            status: Some(self.to.clone()),
            modified: Some(cx.now()),
            ..row
        })
    }
}

/// True if an error is one of an entry, and not one of the whole request.
fn is_of_entry(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid | ErrorKind::InState)
}
