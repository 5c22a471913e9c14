//! Events: what happened to the resources of the service, kept for 14 days and sent to the default event bus.

pub(crate) mod known;

pub(crate) use known::KnownEvent;

use crate::{
    DBInstance, DBInstanceManager, errors,
    filters::{self, Filter},
    identifier::Page,
};
use nephos_cloud::{Direction, EventTimeErrors, EventTimes, Handler, Stored, Tx};
use nephos_core::{Choice as _, Record, Result, Text, Timestamp, Value, choices, operation};

choices! {
    /// Type of the source of an event.
    #[derive(Eq)]
    pub enum SourceType {
        /// An instance.
        DbInstance = "db-instance",
        /// A parameter group.
        DbParameterGroup = "db-parameter-group",
        /// A DB security group. Accounts of today have none.
        DbSecurityGroup = "db-security-group",
        /// A snapshot.
        DbSnapshot = "db-snapshot",
        /// A cluster.
        DbCluster = "db-cluster",
        /// A snapshot of a cluster.
        DbClusterSnapshot = "db-cluster-snapshot",
        /// A custom version of an engine.
        CustomEngineVersion = "custom-engine-version",
        /// A proxy.
        DbProxy = "db-proxy",
        /// A deployment with two environments.
        BlueGreenDeployment = "blue-green-deployment",
        /// A group of shards.
        DbShardGroup = "db-shard-group",
        /// An integration with a data warehouse.
        ZeroEtl = "zero-etl",
    }
}

/// Categories of the events of each type of source.
const CATEGORIES: &[(SourceType, &[&str])] = &[
    (
        SourceType::DbInstance,
        &[
            "availability",
            "backtrack",
            "backup",
            "configuration change",
            "creation",
            "deletion",
            "failover",
            "failure",
            "low storage",
            "maintenance",
            "notification",
            "read replica",
            "recovery",
            "restoration",
            "security",
            "security patching",
        ],
    ),
    (SourceType::DbSecurityGroup, &["configuration change", "failure"]),
    (SourceType::DbParameterGroup, &["configuration change"]),
    (SourceType::DbSnapshot, &["creation", "deletion", "notification", "restoration"]),
    (
        SourceType::DbCluster,
        &[
            "configuration change",
            "creation",
            "deletion",
            "failover",
            "failure",
            "global failover",
            "maintenance",
            "notification",
        ],
    ),
    (SourceType::DbClusterSnapshot, &["backup", "notification"]),
    (SourceType::CustomEngineVersion, &["creation", "failure"]),
    (SourceType::DbProxy, &["configuration change", "creation", "deletion", "failure"]),
    (SourceType::BlueGreenDeployment, &["creation", "deletion", "failure", "notification"]),
];

/// True for a category of the events of a type of source, or of any type, in any case.
pub(crate) fn has_category(source: Option<&SourceType>, category: &str) -> bool {
    let of_source = CATEGORIES.iter().filter(|(known, _)| source.is_none_or(|source| source == known));
    of_source.flat_map(|(_, categories)| *categories).any(|known| known.eq_ignore_ascii_case(category))
}

/// Reads a type of source of a request, or refuses.
pub(crate) fn read_source_type(given: &str) -> Result<SourceType> {
    let found = CATEGORIES.iter().map(|(known, _)| known).find(|known| known.as_str() == given);
    found.cloned().ok_or_else(|| errors::source_type_invalid(given).with_field("SourceType"))
}

/// A start or a shutdown of the engine of an instance.
pub struct EngineEvent {
    /// Time.
    pub time: Timestamp,
    /// True for a start.
    pub is_start: bool,
    /// Version of the engine.
    pub version: Text,
}

/// Returns the starts and shutdowns of the engine of an instance, the oldest first.
pub(crate) fn engine_events(cx: &Tx<'_>, instance: &DBInstance) -> Result<Vec<EngineEvent>> {
    let rows: Vec<EventRow> = cx.all(&EventRow::table(cx.scope()))?;
    let own = rows.into_iter().filter(|row| row.resource_id == instance.dbi_resource_id);
    let read = |row: EventRow| {
        let is_start = known::is_start(row.event_id.as_deref()?)?;
        let time = Timestamp::from_millisecond(row.time?).ok()?;
        Some(EngineEvent { time, is_start, version: row.engine_version.unwrap_or_default() })
    };
    Ok(own.filter_map(read).collect())
}

/// Something that happened to a resource.
#[derive(Record)]
#[record(answer)]
pub struct Event {
    /// Identifier or name of the resource.
    source_identifier: Option<Text>,
    /// Type of the resource.
    source_type: Option<SourceType>,
    /// Text.
    message: Option<Text>,
    /// Categories.
    #[field(item = "EventCategory")]
    event_categories: Option<Vec<Text>>,
    /// Time.
    date: Option<Timestamp>,
    /// ARN of the resource. Events of parameter groups have none.
    source_arn: Option<Text>,
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
    /// Identifier or name of the resource.
    source_identifier: Option<Text>,
    /// ARN of the resource.
    source_arn: Option<Text>,
    /// ID of the event.
    event_id: Option<Text>,
    /// Categories.
    categories: Option<Vec<Text>>,
    /// Text.
    message: Option<Text>,
    /// For an instance: the identifier that no other instance ever has.
    resource_id: Option<Text>,
    /// For an instance: the version of its engine.
    engine_version: Option<Text>,
}

nephos_cloud::event_log! { EventRow in "rds/event"; ExpireEvents = "rds/expire-events" }

/// The resource that an event is about.
#[derive(Clone, Debug)]
pub(crate) struct Source<'s> {
    /// Type.
    pub(crate) kind: SourceType,
    /// Identifier or name.
    pub(crate) id: &'s str,
    /// ARN.
    pub(crate) arn: &'s str,
    /// Instance with log files.
    pub(crate) logged: Option<&'s DBInstance>,
}

impl Source<'_> {
    /// Type of the events on the event bus, and the name of the source's type there; none for sources that send none.
    fn on_bus(&self) -> Option<(&'static str, &'static str)> {
        Some(match self.kind {
            SourceType::DbInstance => ("RDS DB Instance Event", "DB_INSTANCE"),
            SourceType::DbParameterGroup => ("RDS DB Parameter Group Event", "DB_PARAM"),
            SourceType::DbSnapshot => ("RDS DB Snapshot Event", "SNAPSHOT"),
            SourceType::DbCluster => ("RDS DB Cluster Event", "CLUSTER"),
            SourceType::DbClusterSnapshot => ("RDS DB Cluster Snapshot Event", "CLUSTER_SNAPSHOT"),
            _ => return None,
        })
    }
}

/// Records an event with the arguments of its message, and sends it to the default event bus.
pub(crate) fn record(
    cx: &mut Tx<'_>,
    source: &Source<'_>,
    event: &KnownEvent,
    arguments: &[&str],
) -> Result<()> {
    let message = Text::from(event.message_with(arguments));
    let has_arn = source.kind != SourceType::DbParameterGroup;
    cx.log_event(EventRow {
        time: None,
        number: None,
        source_type: Some(source.kind.clone()),
        source_identifier: Some(source.id.into()),
        source_arn: has_arn.then(|| source.arn.into()),
        event_id: Some(event.id.into()),
        categories: Some(event.categories.iter().map(|category| Text::new(category)).collect()),
        message: Some(message.clone()),
        resource_id: source.logged.and_then(|instance| instance.dbi_resource_id.clone()),
        engine_version: source.logged.and_then(|instance| instance.engine_version.clone()),
    })?;
    let Some((detail_type, source_type)) = source.on_bus().filter(|_| cx.has_own_events()) else {
        return Ok(());
    };
    let categories = event.categories.iter().map(|category| Value::from(*category)).collect();
    let detail: Value = [
        ("EventCategories", Value::List(categories)),
        ("SourceType", source_type.into()),
        ("SourceArn", source.arn.into()),
        ("Date", cx.now().to_string().into()),
        ("Message", message.into()),
        ("SourceIdentifier", source.id.into()),
        ("EventID", event.id.into()),
    ]
    .into_iter()
    .collect();
    cx.send_own_event("aws.rds", detail_type, &detail, vec![source.arn.into()])
}

/// Describes events of the last hour, of another duration or between two times, the oldest first. Events are kept for 14 days.
#[operation(
    of = DBInstance, call = "events", page(events(item = "Event"): Event, marker), include(Page), effect = read,
    access = list, subject = "*"
)]
pub struct DescribeEvents {
    /// Identifier or name of a resource; with it, the type is required.
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
    /// Categories, one of which an event must have.
    #[field(item = "EventCategory")]
    pub event_categories: Option<Vec<Text>>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

/// Errors for times that select no events.
const TIME_ERRORS: EventTimeErrors =
    EventTimeErrors { combined: errors::event_times_combined, reversed: errors::event_times_reversed };

impl DescribeEvents {
    fn accepts(&self, row: &EventRow) -> bool {
        let is_named =
            |given: &Text| row.source_identifier.as_ref().is_some_and(|id| id.eq_ignore_ascii_case(given));
        let categories = self.event_categories.as_deref().unwrap_or_default();
        let own = row.categories.as_deref().unwrap_or_default();
        self.source_identifier.as_ref().is_none_or(is_named)
            && (self.source_type.is_none() || self.source_type == row.source_type)
            && (categories.is_empty() || own.iter().any(|category| categories.contains(category)))
    }
}

impl Handler for DescribeEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        if self.source_identifier.is_some() && self.source_type.is_none() {
            return Err(errors::source_without_type().with_field("SourceType"));
        }
        let times = EventTimes { start: self.start_time, end: self.end_time, minutes: self.duration };
        let interval = times.interval(cx.now(), TIME_ERRORS)?;
        let accepts = |row: &EventRow| self.accepts(row);
        let (found, next) = cx.page_events(&self, interval, Direction::Ascending, accepts)?;
        Ok((found.into_iter().map(Event::from).collect::<Vec<_>>(), next).into())
    }
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        Self {
            source_identifier: row.source_identifier,
            source_type: row.source_type,
            message: row.message,
            event_categories: row.categories,
            date: row.time.and_then(|time| Timestamp::from_millisecond(time).ok()),
            source_arn: row.source_arn,
        }
    }
}

/// Categories of the events of a type of source.
#[derive(Record)]
#[record(answer)]
pub struct EventCategoriesMap {
    /// Type of the source.
    source_type: Option<Text>,
    /// Categories.
    #[field(item = "EventCategory")]
    event_categories: Option<Vec<Text>>,
}

/// Describes the categories of events of all types of sources, or of one.
#[operation(
    of = DBInstance, call = "event_categories",
    wraps(event_categories_map_list(item = "EventCategoriesMap"): Vec<EventCategoriesMap>),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeEventCategories {
    /// Type of the source.
    pub source_type: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeEventCategories {
    fn run(self, _cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let given = self.source_type.as_deref().map(read_source_type).transpose()?;
        let is_given = |(kind, _): &&(SourceType, _)| given.as_ref().is_none_or(|given| given == kind);
        let found = CATEGORIES.iter().filter(is_given);
        let map = |(kind, categories): &(SourceType, &[&str])| EventCategoriesMap {
            source_type: Some(kind.as_str().into()),
            event_categories: Some(categories.iter().map(|category| Text::new(category)).collect()),
        };
        Ok(found.map(map).collect::<Vec<_>>().into())
    }
}
