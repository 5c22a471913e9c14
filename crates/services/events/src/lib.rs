//! Event buses, rules that select events by patterns or create them by schedules, delivery to targets, archives and replays.

mod access;
mod api_destination;
mod archive;
mod archive_calls;
mod archive_events;
mod archive_rule;
mod bus_calls;
mod bus_event;
mod bus_index;
mod connection;
mod connection_auth;
mod connection_changes;
mod connection_secret;
mod control_scope;
mod controls;
mod deliver;
mod delivery;
mod destination_call;
mod destination_rate;
mod destination_request;
pub mod errors;
mod event_bus;
mod event_rule;
mod event_target;
pub mod input;
mod paging;
pub mod pattern;
mod permission;
mod put_events;
mod put_rule;
mod put_targets;
mod recent_events;
mod remove_targets;
mod replay;
mod replay_run;
mod rule_state;
mod schedules;
mod sealed_texts;
mod tagging;
mod target_check;
mod target_parameters;
mod test_pattern;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
pub mod typed;

pub use api_destination::*;
pub use archive::*;
pub use archive_calls::*;
pub use bus_calls::*;
pub use connection::*;
pub use connection_auth::*;
pub use connection_changes::*;
pub use controls::*;
pub use deliver::{RetryAfter, TIMEOUT};
pub use delivery::*;
pub use destination_call::HTTP_FUNCTION;
pub use event_bus::*;
pub use event_rule::*;
pub use event_target::*;
pub use permission::*;
pub use put_events::*;
pub use put_rule::*;
pub use put_targets::*;
pub use recent_events::*;
pub use remove_targets::*;
pub use replay::*;
pub use rule_state::*;
pub use tagging::*;
pub use target_parameters::*;
pub use test_pattern::*;

use bus_event::BusEvent;
use delivery::{Invoke, Retry};
use event_bus::DEFAULT_BUS;
use nephos_cloud::{Control, Service, ServiceAccess, Table, WorkEntry};
use nephos_core::{
    Resource,
    shape::{Protocol, ServiceShape},
};

/// Description of the service: its kinds, operations and error codes.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "events",
    docs: "Event buses, rules that select events by patterns or schedules, and their targets.",
    api_version: "2015-10-07",
    protocol: Protocol::AwsJson { target: "AWSEvents.", version: "1.1", message: "message" },
    endpoint: "events",
    signing: "events",
    global: false,
    kinds: &[
        EventBus::KIND,
        EventRule::KIND,
        EventTarget::KIND,
        Archive::KIND,
        Replay::KIND,
        Connection::KIND,
        ApiDestination::KIND,
    ],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::VALIDATION,
    shows_values: true,
    invalid_token: errors::invalid_next_token,
    resource_keys: &[
        ("", &["aws:ResourceTag/${TagKey}"]),
        ("rule/", &["events:creatorAccount", "events:ManagedBy"]),
        ("{ResourceArn}", &["events:creatorAccount"]),
    ],
};

nephos_cloud::handlers! {
    CreateEventBus, DescribeEventBus, ListEventBuses, UpdateEventBus, DeleteEventBus,
    PutPermission, RemovePermission,
    PutRule, DescribeRule, ListRules, EnableRule, DisableRule, DeleteRule, TestEventPattern,
    PutEvents, PutTargets, ListTargetsByRule, ListRuleNamesByTarget, RemoveTargets,
    CreateArchive, DescribeArchive, ListArchives, UpdateArchive, DeleteArchive,
    StartReplay, DescribeReplay, ListReplays, CancelReplay,
    TagResource, UntagResource, ListTagsForResource,
    CreateConnection, DescribeConnection, ListConnections, UpdateConnection, DeauthorizeConnection, DeleteConnection,
    CreateApiDestination, DescribeApiDestination, ListApiDestinations, UpdateApiDestination, DeleteApiDestination,
}

/// Implementation of the service: handlers and tables.
pub static EVENTS: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[
        Control::new::<ListDeliveries>("event-deliveries"),
        Control::new::<RemoveDeliveries>("remove-event-deliveries"),
        Control::new::<ListRecentEvents>("recent-events"),
        Control::new::<PutServiceEvent>("service-event"),
        Control::new::<PutManagedRule>("managed-rule"),
        Control::new::<RemoveManagedRule>("remove-managed-rule"),
    ],
    views: &[],
    works: &[
        WorkEntry::new::<schedules::Occur>(),
        WorkEntry::new::<Retry>(),
        WorkEntry::new::<archive_events::Expire>(),
        WorkEntry::new::<replay_run::Advance>(),
        WorkEntry::callback::<Invoke>(),
        WorkEntry::callback::<destination_call::CallDestination>(),
        WorkEntry::new::<connection_changes::RemoveConnection>(),
    ],
    tables: &[
        Table::new::<EventBus>(),
        Table::new::<EventRule>(),
        Table::new::<EventTarget>(),
        Table::new::<event_target::RuleOfTargetRow>(),
        Table::new::<sealed_texts::SealedTextsRow>(),
        Table::new::<schedules::ScheduleRow>(),
        Table::new::<Delivery>(),
        Table::new::<RecentEvent>(),
        Table::new::<Archive>(),
        Table::new::<archive_events::ArchivedEvent>(),
        Table::new::<archive_events::ArchiveNumbers>(),
        Table::new::<Replay>(),
        Table::new::<Connection>(),
        Table::new::<ApiDestination>(),
        Table::new::<destination_call::DestinationCallRow>(),
        Table::new::<destination_rate::DestinationRateRow>(),
    ],
    access: ServiceAccess {
        find_resource: Some(tagging::find_resource),
        find_subjects: Some(access::find_subjects),
        ..ServiceAccess::NONE
    },
    crypto_keys: None,
};
