//! Service updates: patches that are released for the nodes of an engine, and applied to clusters and replication groups.

mod action;
mod batch;
mod target;

pub use action::{
    CacheNodeUpdateStatus, DescribeUpdateActions, DescribeUpdateActionsResponse, NodeGroupMemberUpdateStatus,
    NodeGroupUpdateStatus, NodeUpdateInitiatedBy, NodeUpdateStatus, SlaMet, TimeRangeFilter, UpdateAction,
    UpdateActionStatus,
};
pub(crate) use action::{UpdateActionRow, remove_of};
pub use batch::{
    BatchApplyUpdateAction, BatchStopUpdateAction, ProcessedUpdateAction, UnprocessedUpdateAction,
    UpdateActionResultsMessage, UpdateTargets,
};

use crate::{
    CacheCluster, CacheClusterManager,
    engine::{self, Engine},
    errors,
    identifier::Page,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, SignedDuration, Text, Timestamp, choices, operation};

choices! {
    /// Status of a service update.
    #[derive(Eq)]
    pub enum ServiceUpdateStatus {
        /// It can be applied.
        Available = "available",
        /// It was withdrawn. None was so far.
        Cancelled = "cancelled",
        /// It can no longer be applied.
        Expired = "expired",
    }
}

choices! {
    /// Severity of a service update.
    #[derive(Eq)]
    pub enum ServiceUpdateSeverity {
        /// Apply it at once, within 14 days.
        Critical = "critical",
        /// Apply it within 30 days.
        Important = "important",
        /// Apply it within 60 days.
        Medium = "medium",
        /// Apply it within 90 days.
        Low = "low",
    }
}

choices! {
    /// Type of a service update.
    #[derive(Eq)]
    pub enum ServiceUpdateType {
        /// It improves the security.
        SecurityUpdate = "security-update",
    }
}

/// A service update in the table.
#[derive(Debug)]
pub(crate) struct Update {
    name: &'static str,
    /// Time of the release, in seconds since 1970.
    released: i64,
    /// Days within which it should be applied, and those within which it can be.
    days: [i64; 2],
    severity: ServiceUpdateSeverity,
    /// Engines, each with the first version.
    engines: &'static [(Engine, &'static str)],
}

/// All service updates, the newest first. They are listed from their release on.
static UPDATES: [Update; 3] = [
    Update {
        name: "elasticache-20270301-001",
        released: 1_803_916_800,
        days: [14, 365],
        severity: ServiceUpdateSeverity::Critical,
        engines: &[(Engine::Memcached, "1.5.10"), (Engine::Redis, "5.0.6"), (Engine::Valkey, "7.2")],
    },
    Update {
        name: "elasticache-20260131-001",
        released: 1_769_862_600,
        days: [30, 365],
        severity: ServiceUpdateSeverity::Important,
        engines: &[(Engine::Redis, "5.0.6"), (Engine::Valkey, "7.2")],
    },
    Update {
        name: "elasticache-20240603-001",
        released: 1_717_430_400,
        days: [30, 365],
        severity: ServiceUpdateSeverity::Important,
        engines: &[(Engine::Memcached, "1.4.5"), (Engine::Redis, "2.6.13")],
    },
];

/// Estimated time of an update.
const ESTIMATE: &str = "30 minutes per node";

impl Update {
    /// Service updates that are released, the newest first.
    fn all(now: Timestamp) -> impl Iterator<Item = &'static Self> {
        UPDATES.iter().filter(move |update| update.release() <= now)
    }

    /// Finds a service update that is released, or refuses.
    fn require(name: &str, now: Timestamp) -> Result<&'static Self> {
        let found = Self::all(now).find(|update| update.name == name);
        found.ok_or_else(|| errors::service_update_not_found(name).with_field("ServiceUpdateName"))
    }

    fn release(&self) -> Timestamp {
        Timestamp::from_second(self.released).unwrap_or(Timestamp::MAX)
    }

    /// The last second of this number of days after the release.
    fn after(&self, days: i64) -> Timestamp {
        self.release() + SignedDuration::from_secs(days * 24 * 3600 - 1)
    }

    /// Time until which it should be applied.
    fn due(&self) -> Timestamp {
        self.after(self.days[0])
    }

    /// Time until which it can be applied.
    fn end(&self) -> Timestamp {
        self.after(self.days[1])
    }

    fn status(&self, now: Timestamp) -> ServiceUpdateStatus {
        if now > self.end() { ServiceUpdateStatus::Expired } else { ServiceUpdateStatus::Available }
    }

    /// True if it is for this version of an engine.
    fn is_for(&self, version: &engine::Version) -> bool {
        let first = self.engines.iter().find(|(engine, _)| *engine == version.engine());
        let first = first.and_then(|(engine, first)| engine::version(*engine, Some(first)).ok());
        first.is_some_and(|first| version.parts() >= first.parts())
    }

    fn describe(&self, now: Timestamp) -> ServiceUpdate {
        let join = |text: fn(&(Engine, &str)) -> String| -> Text {
            self.engines.iter().map(text).collect::<Vec<_>>().join(", ").into()
        };
        ServiceUpdate {
            service_update_name: Some(self.name.into()),
            service_update_release_date: Some(self.release()),
            service_update_end_date: Some(self.end()),
            service_update_severity: Some(self.severity.clone()),
            service_update_recommended_apply_by_date: Some(self.due()),
            service_update_status: Some(self.status(now)),
            service_update_description: Some(
                "Upgrades to improve the security, reliability, and operational performance of your ElastiCache nodes".into(),
            ),
            service_update_type: Some(ServiceUpdateType::SecurityUpdate),
            engine: Some(join(|(engine, _)| engine.name().to_owned())),
            engine_version: Some(join(|(engine, first)| format!("{} {first} and onwards", engine.name()))),
            auto_update_after_recommended_apply_by_date: Some(false),
            estimated_update_time: Some(ESTIMATE.into()),
        }
    }
}

/// A service update.
#[derive(Record)]
#[record(answer)]
pub struct ServiceUpdate {
    /// Name.
    service_update_name: Option<Text>,
    /// Time of the release.
    service_update_release_date: Option<Timestamp>,
    /// Time after which it can no longer be applied.
    service_update_end_date: Option<Timestamp>,
    /// Severity.
    service_update_severity: Option<ServiceUpdateSeverity>,
    /// Time until which it should be applied.
    service_update_recommended_apply_by_date: Option<Timestamp>,
    /// Status.
    service_update_status: Option<ServiceUpdateStatus>,
    /// Description.
    service_update_description: Option<Text>,
    /// Type.
    service_update_type: Option<ServiceUpdateType>,
    /// Engines.
    engine: Option<Text>,
    /// Versions of the engines.
    engine_version: Option<Text>,
    /// True if it is applied in a maintenance window after the recommended time. None is.
    auto_update_after_recommended_apply_by_date: Option<bool>,
    /// Estimated time of the update.
    estimated_update_time: Option<Text>,
}

/// Describes service updates, the newest first.
#[operation(
    of = CacheCluster, call = "service_updates", page(service_updates(item = "ServiceUpdate"): ServiceUpdate, marker), include(Page),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeServiceUpdates {
    /// Name of one service update.
    pub service_update_name: Option<Text>,
    /// Statuses; all by default.
    #[field(length(..=3))]
    pub service_update_status: Option<Vec<ServiceUpdateStatus>>,
}

impl Handler for DescribeServiceUpdates {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let now = cx.now();
        let found = match &self.service_update_name {
            Some(name) => vec![Update::require(name, now)?],
            None => Update::all(now).collect(),
        };
        let found = found
            .into_iter()
            .filter(|update| accepts(self.service_update_status.as_ref(), &update.status(now)));
        Ok(cx.page_list(&self, found.map(|update| update.describe(now)))?.into())
    }
}

/// True if a filter has this value, no values, or is not given.
fn accepts<T: PartialEq>(filter: Option<&Vec<T>>, value: &T) -> bool {
    filter.is_none_or(|values| values.is_empty() || values.contains(value))
}
