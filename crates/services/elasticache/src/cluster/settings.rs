//! Settings that clusters are created with and that can be changed: windows, security groups, topics.

use super::{CacheCluster, IpDiscovery, NotificationConfiguration, SecurityGroupMembership};
use crate::{
    NetworkType,
    engine::{self, Engine, Version},
    errors,
};
use nephos_cloud::{DailyWindow, Tx, WeeklyWindow};
use nephos_core::{Arn, Result, Text};
use nephos_ec2 as ec2;

/// Least length of a window in minutes.
const MIN_WINDOW: i64 = 60;

/// Reads a maintenance window.
pub(crate) fn read_maintenance_window(text: &str) -> Result<WeeklyWindow> {
    let window = WeeklyWindow::parse(text).filter(|window| window.minutes() >= MIN_WINDOW);
    window.ok_or_else(|| errors::maintenance_window_invalid(text).with_field("PreferredMaintenanceWindow"))
}

/// Reads a snapshot window.
pub(crate) fn read_snapshot_window(text: &str) -> Result<DailyWindow> {
    let window = DailyWindow::parse(text).filter(|window| window.minutes() >= MIN_WINDOW);
    window.ok_or_else(|| errors::snapshot_window_invalid(text).with_field("SnapshotWindow"))
}

/// Returns the windows of a cluster or a group, chosen where they are not given. Memcached has no snapshot window.
pub(crate) fn read_windows(
    cx: &Tx<'_>,
    engine: Engine,
    maintenance: Option<&str>,
    snapshot: Option<&str>,
) -> Result<(Text, Option<Text>)> {
    let maintenance = maintenance.map(read_maintenance_window).transpose()?;
    if engine == Engine::Memcached {
        if snapshot.is_some() {
            return Err(errors::snapshots_unsupported().with_field("SnapshotWindow"));
        }
        let window = maintenance.unwrap_or_else(|| WeeklyWindow::choose(cx.ids(), MIN_WINDOW, None));
        return Ok((window.to_string().into(), None));
    }
    let snapshot = snapshot.map(read_snapshot_window).transpose()?;
    let snapshot = snapshot.unwrap_or_else(|| DailyWindow::choose(cx.ids(), MIN_WINDOW, maintenance));
    let maintenance =
        maintenance.unwrap_or_else(|| WeeklyWindow::choose(cx.ids(), MIN_WINDOW, Some(snapshot)));
    if maintenance.overlaps(snapshot) {
        return Err(errors::windows_overlap().with_field("SnapshotWindow"));
    }
    Ok((maintenance.to_string().into(), Some(snapshot.to_string().into())))
}

/// Returns the security groups of a cluster in a VPC: the given ones, which must be in it, or the default one.
pub(crate) fn read_security_groups(
    cx: &Tx<'_>,
    vpc: &str,
    given: Option<&[Text]>,
) -> Result<Vec<SecurityGroupMembership>> {
    let membership = |id: &str| SecurityGroupMembership {
        security_group_id: Some(id.into()),
        status: Some("active".into()),
    };
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        let default = ec2::default_security_group(cx, vpc)?;
        return Ok(default.iter().filter_map(|group| group.group_id()).map(membership).collect());
    };
    for id in given {
        let found = ec2::security_group(cx, id)?;
        if found.is_none_or(|group| group.vpc_id() != Some(vpc)) {
            return Err(errors::security_group_invalid(id).with_field("SecurityGroupIds"));
        }
    }
    Ok(given.iter().map(|id| membership(id)).collect())
}

/// Refuses cache security groups, which accounts of today do not have.
pub(crate) fn refuse_cache_security_groups(given: Option<&[Text]>) -> Result<()> {
    match given {
        None | Some([]) => Ok(()),
        Some(_) => Err(errors::cache_security_groups_refused().with_field("CacheSecurityGroupNames")),
    }
}

/// Returns the notification configuration for a topic.
pub(crate) fn read_topic(arn: &str) -> Result<NotificationConfiguration> {
    let is_topic = matches!(Arn::parts(arn), Some([_, "sns", region, account, topic])
        if !region.is_empty() && !account.is_empty() && !topic.is_empty());
    if !is_topic {
        return Err(errors::topic_invalid(arn).with_field("NotificationTopicArn"));
    }
    Ok(NotificationConfiguration { topic_arn: Some(arn.into()), topic_status: Some("active".into()) })
}

/// Refuses types of addresses that the subnets do not have: they have IPv4 addresses.
pub(crate) fn check_network(network: Option<&NetworkType>, discovery: Option<&IpDiscovery>) -> Result<()> {
    if network.is_some_and(|network| *network != NetworkType::Ipv4) {
        return Err(errors::network_type_unsupported().with_field("NetworkType"));
    }
    if discovery.is_some_and(|discovery| *discovery != IpDiscovery::Ipv4) {
        return Err(errors::ip_discovery_unsupported().with_field("IpDiscovery"));
    }
    Ok(())
}

impl CacheCluster {
    /// Engine of the cluster.
    pub(crate) fn own_engine(&self) -> Result<Engine> {
        Engine::read(self.engine.as_deref().unwrap_or_default())
    }

    /// Version of the engine.
    pub(crate) fn own_version(&self) -> Result<&'static Version> {
        engine::version(self.own_engine()?, self.engine_version.as_deref())
    }

    /// Changes the windows and the retention of snapshots.
    pub(super) fn set_windows(
        &mut self,
        cx: &Tx<'_>,
        maintenance: Option<&str>,
        snapshot: Option<&str>,
        retention: Option<i64>,
    ) -> Result<()> {
        let engine = self.own_engine()?;
        if engine == Engine::Memcached && retention.is_some() {
            return Err(errors::snapshots_unsupported().with_field("SnapshotRetentionLimit"));
        }
        let maintenance = maintenance.or(self.preferred_maintenance_window.as_deref());
        let snapshot = snapshot.or(self.snapshot_window.as_deref());
        let (maintenance, snapshot) = read_windows(cx, engine, maintenance, snapshot)?;
        (self.preferred_maintenance_window, self.snapshot_window) = (Some(maintenance), snapshot);
        self.snapshot_retention_limit = retention.or(self.snapshot_retention_limit);
        Ok(())
    }
}
