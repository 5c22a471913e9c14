//! Automatic snapshots of clusters: one a day at the start of the snapshot window, removed after the retention.

use super::CacheSnapshot;
use crate::{CacheCluster, cluster::read_snapshot_window};
use nephos_cloud::{Addressed, Stored, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text};

/// Schedules the next automatic snapshot of a cluster, if it has any.
pub(crate) fn schedule(cx: &mut Tx<'_>, cluster: &CacheCluster) -> Result<()> {
    let window = cluster.snapshot_window.as_deref();
    let Some(window) = window.filter(|_| cluster.snapshot_retention_limit.unwrap_or_default() > 0) else {
        return Ok(());
    };
    let work = AutomaticClusterSnapshot {
        cache_cluster_id: cluster.cache_cluster_id.clone(),
        snapshot_window: Some(window.into()),
    };
    cx.schedule(read_snapshot_window(window)?.next_start(cx.now()), &work)
}

/// Due work that takes an automatic snapshot of a cluster, every day.
#[derive(Record)]
#[record(row)]
pub(crate) struct AutomaticClusterSnapshot {
    /// ID of the cluster.
    cache_cluster_id: Option<Text>,
    /// Window when it was scheduled; another one has work of its own.
    snapshot_window: Option<Text>,
}

impl Work for AutomaticClusterSnapshot {
    const NAME: &'static str = "elasticache/automatic-cluster-snapshot";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let id = self.cache_cluster_id.unwrap_or_default();
        let Some(cluster) = CacheCluster::find_by(cx, &[&id])? else { return Ok(()) };
        let retention = cluster.snapshot_retention_limit.unwrap_or_default();
        if cluster.snapshot_window != self.snapshot_window || retention == 0 || cluster.status() == "deleting"
        {
            return Ok(());
        }
        let name: Text = format!("automatic.{id}-{}", cx.now().strftime("%Y-%m-%d-%H-%M")).into();
        if super::find(cx, &name)?.is_none() {
            let kept = SignedDuration::from_hours(24 * retention);
            for old in of_cluster(cx, &id)? {
                if old.time().is_some_and(|time| cx.now().duration_since(time) >= kept) {
                    cx.remove(&old)?;
                }
            }
            let snapshot = CacheSnapshot::of_cluster(cx, &cluster, name, "automated")?;
            cx.put_and_schedule_transition(snapshot)?;
            schedule(cx, &cluster)?;
        }
        Ok(())
    }
}

/// Returns the automatic snapshots of a cluster.
fn of_cluster(cx: &Tx<'_>, id: &str) -> Result<Vec<CacheSnapshot>> {
    let mut all: Vec<CacheSnapshot> = cx.all(&CacheSnapshot::table(cx.scope()))?;
    all.retain(|snapshot| snapshot.is_automatic() && snapshot.cache_cluster_id.as_deref() == Some(id));
    Ok(all)
}

/// Removes the automatic snapshots of a deleted cluster.
pub(crate) fn remove_of(cx: &mut Tx<'_>, id: &str) -> Result<()> {
    of_cluster(cx, id)?.iter().try_for_each(|snapshot| cx.remove(snapshot))
}
