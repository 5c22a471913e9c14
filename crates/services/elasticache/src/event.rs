//! Events: what happened to the resources of the service, kept for 14 days. Events of serverless caches and their snapshots are sent
//! to the default event bus, too.

use crate::{
    CacheCluster, CacheClusterManager, ServerlessCache, ServerlessCacheSnapshot, errors, identifier::Page,
};
use nephos_cloud::{Addressed, Direction, EventTimeErrors, EventTimes, Handler, StoredResource, Tx};
use nephos_core::{Choice as _, Record, Result, Text, Timestamp, Value, choices, operation};

choices! {
    /// Type of the source of an event.
    #[derive(Eq)]
    pub enum SourceType {
        /// A cluster.
        CacheCluster = "cache-cluster",
        /// A cache parameter group.
        CacheParameterGroup = "cache-parameter-group",
        /// A cache security group. Accounts of today have none.
        CacheSecurityGroup = "cache-security-group",
        /// A cache subnet group.
        CacheSubnetGroup = "cache-subnet-group",
        /// A replication group.
        ReplicationGroup = "replication-group",
        /// A serverless cache.
        ServerlessCache = "serverless-cache",
        /// A snapshot of a serverless cache.
        ServerlessCacheSnapshot = "serverless-cache-snapshot",
        /// A user.
        User = "user",
        /// A user group.
        UserGroup = "user-group",
    }
}

/// Something that happened to a resource.
#[derive(Record)]
#[record(answer)]
pub struct Event {
    /// ID or name of the resource.
    source_identifier: Option<Text>,
    /// Type of the resource.
    source_type: Option<SourceType>,
    /// Text.
    message: Option<Text>,
    /// Time.
    date: Option<Timestamp>,
}

/// Row of an event.
#[derive(Record)]
#[record(row)]
pub(crate) struct EventRow {
    /// Time, in milliseconds since 1970.
    time: Option<i64>,
    /// Number of the event among those of the same time.
    number: Option<i64>,
    /// Type of the resource.
    source_type: Option<SourceType>,
    /// ID or name of the resource.
    source_identifier: Option<Text>,
    /// Text.
    message: Option<Text>,
}

nephos_cloud::event_log! { EventRow in "elasticache/event"; ExpireEvents = "elasticache/expire-events" }

/// What happened to a serverless cache.
#[derive(Clone, Copy)]
pub(crate) enum CacheChange {
    /// It was created.
    Created,
    /// A setting was changed.
    Updated,
    /// It was deleted.
    Deleted,
}

/// The resource that an event is about.
pub(crate) enum Source<'s> {
    /// A resource whose events are not sent to the event bus, by its ID or name.
    Named(SourceType, &'s str),
    /// A serverless cache, what happened to it, and the ARNs of other resources that take part.
    Cache(&'s ServerlessCache, CacheChange, &'s [Text]),
    /// A snapshot of a serverless cache that was created.
    Snapshot(&'s ServerlessCacheSnapshot),
}

impl<'s> From<(SourceType, &'s str)> for Source<'s> {
    fn from((source_type, id): (SourceType, &'s str)) -> Self {
        Self::Named(source_type, id)
    }
}

/// An event on the event bus: its type, its category, the ARN of its source, and the ARNs of all resources.
type Sent<'s> = (&'static str, &'static str, &'s str, Vec<Text>);

impl Source<'_> {
    fn source_type(&self) -> SourceType {
        match self {
            Self::Named(source_type, _) => source_type.clone(),
            Self::Cache(..) => SourceType::ServerlessCache,
            Self::Snapshot(_) => SourceType::ServerlessCacheSnapshot,
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Named(_, id) => id,
            Self::Cache(cache, ..) => cache.own_name(),
            Self::Snapshot(snapshot) => snapshot.own_name(),
        }
    }

    /// Returns the event on the event bus; none for a resource that has none.
    fn sent(&self, cx: &Tx<'_>) -> Option<Sent<'_>> {
        match self {
            Self::Named(..) => None,
            Self::Cache(cache, change, others) => {
                let (detail_type, category) = match change {
                    CacheChange::Created => ("Cache Created", "creation"),
                    CacheChange::Updated => ("Cache Updated", "configuration change"),
                    CacheChange::Deleted => ("Cache Deleted", "deletion"),
                };
                let resources = [&[Text::new(cache.own_arn())], *others].concat();
                Some((detail_type, category, cache.own_arn(), resources))
            }
            Self::Snapshot(snapshot) => {
                let cache = snapshot.serverless_cache_name.as_deref().unwrap_or_default();
                let cache = Text::from(ServerlessCache::arn_with(cx.scope(), &[cache]));
                let resources = vec![cache, snapshot.own_arn().into()];
                Some(("Snapshot Created", "creation", snapshot.own_arn(), resources))
            }
        }
    }
}

/// Writes an event, and sends it to the default event bus if it is one of a serverless cache or its snapshot.
pub(crate) fn write<'s>(
    cx: &mut Tx<'_>,
    source: impl Into<Source<'s>>,
    message: impl Into<Text>,
) -> Result<()> {
    let (source, message) = (source.into(), message.into());
    cx.log_event(EventRow {
        time: None,
        number: None,
        source_type: Some(source.source_type()),
        source_identifier: Some(source.id().into()),
        message: Some(message.clone()),
    })?;
    let Some((detail_type, category, arn, resources)) = source.sent(cx).filter(|_| cx.has_own_events())
    else {
        return Ok(());
    };
    let detail: Value = [
        ("EventCategories", Value::List(vec![category.into()])),
        ("EventID", cx.ids().uuid().into()),
        ("Message", message.into()),
        ("SourceArn", arn.into()),
        ("SourceIdentifier", source.id().into()),
        ("SourceType", source.source_type().as_str().into()),
    ]
    .into_iter()
    .collect();
    cx.send_own_event("aws.elasticache", detail_type, &detail, resources)
}

/// Describes events of the last hour, of another duration or between two times, the newest first. Events are kept for 14 days.
#[operation(
    of = CacheCluster, call = "events", page(events(item = "Event"): Event, marker), include(Page), effect = read,
    access = list, subject = "*"
)]
pub struct DescribeEvents {
    /// ID or name of a resource.
    pub source_identifier: Option<Text>,
    /// Type of the resources.
    pub source_type: Option<SourceType>,
    /// Start of the time.
    pub start_time: Option<Timestamp>,
    /// End of the time; now by default.
    pub end_time: Option<Timestamp>,
    /// Number of minutes before the end, or after the start if only that is given; 60 by default.
    #[field(range(1..))]
    pub duration: Option<i64>,
}

/// Errors for times that select no events.
const TIME_ERRORS: EventTimeErrors =
    EventTimeErrors { combined: errors::event_times_combined, reversed: errors::event_times_reversed };

impl DescribeEvents {
    fn accepts(&self, row: &EventRow) -> bool {
        let is_named =
            |given: &Text| row.source_identifier.as_ref().is_some_and(|id| id.eq_ignore_ascii_case(given));
        self.source_identifier.as_ref().is_none_or(is_named)
            && (self.source_type.is_none() || self.source_type == row.source_type)
    }
}

impl Handler for DescribeEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let times = EventTimes { start: self.start_time, end: self.end_time, minutes: self.duration };
        let interval = times.interval(cx.now(), TIME_ERRORS)?;
        let accepts = |row: &EventRow| self.accepts(row);
        let (found, next) = cx.page_events(&self, interval, Direction::Descending, accepts)?;
        Ok((found.into_iter().map(Event::from).collect::<Vec<_>>(), next).into())
    }
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        Self {
            source_identifier: row.source_identifier,
            source_type: row.source_type,
            message: row.message,
            date: row.time.and_then(|time| Timestamp::from_millisecond(time).ok()),
        }
    }
}
