//! Event buses, rules that select events by patterns or create them by schedules, delivery to targets, archives and replays.

#[doc(hidden)]
pub mod access;
mod api_destination;
mod archive;
mod connection;
mod controls;
mod delivery;
pub mod errors;
mod event_bus;
mod event_rule;
mod event_target;
pub mod input;
mod paging;
pub mod pattern;
mod replay;
mod tagging;
pub mod typed;
mod views;

pub use api_destination::*;
pub use archive::*;
pub use connection::*;
pub use controls::*;
pub use delivery::*;
pub use event_bus::*;
pub use event_rule::*;
pub use event_target::*;
pub use replay::*;
pub use tagging::*;

use event_bus::event::BusEvent;
use nephos_core::shape::Protocol;

nephos_cloud::parts! {
    destination_request: delivery::destination_request,
    event_rule: event_rule,
}

nephos_cloud::service! {
    EVENTS = "events", "Event buses, rules that select events by patterns or schedules, and their targets.";
    shape {
        api_version: "2015-10-07",
        protocol: Protocol::AwsJson { target: "AWSEvents.", version: "1.1", message: "message" },
        invalid: &errors::VALIDATION,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[
            ("", &["aws:ResourceTag/${TagKey}"]),
            ("rule/", &["events:creatorAccount", "events:ManagedBy"]),
            ("{ResourceArn}", &["events:creatorAccount"]),
        ],
    }
    kinds {
        EventBus, EventRule, EventTarget, Archive, Replay, Connection, ApiDestination,
    }
    operations {
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
    calls {
        EventTargetCreate, EventTargetGet, EventTargetUpdate,
        EventTargetDelete, EventTargetRules, EventTargetPut, EventTargetRemove,

        EventRuleUpdate, EventRuleDelete, EventRuleTargets, EventRuleListByTarget, EventRuleTag,
        EventRuleUntag, EventRuleListTags, EventBusRules,
        EventBusPutEvents, EventBusTag, EventBusUntag, EventBusListTags,
    }
    controls {
        "event-deliveries" => ListDeliveries,
        "remove-event-deliveries" => RemoveDeliveries,
        "recent-events" => ListRecentEvents,
        "service-event" => PutServiceEvent,
        "managed-rule" => PutManagedRule,
        "remove-managed-rule" => RemoveManagedRule,
    }
    internal { PutManagedRule, RemoveManagedRule }
    service_views { views::VIEWS }
    works {
        event_rule::schedules::Occur, Retry, archive::events::Expire, replay::run::Advance,
    }
    callbacks {
        Invoke, delivery::destination_call::CallDestination,
    }
    tables {
        EventBus, EventRule, EventTarget, event_target::RuleOfTargetRow, event_target::sealed_texts::SealedTextsRow,
        event_rule::schedules::ScheduleRow, Delivery, RecentEvent, Archive, archive::events::ArchivedEvent,
        archive::events::ArchiveNumbers, Replay, Connection, ApiDestination,
        delivery::destination_call::DestinationCallRow, delivery::destination_rate::DestinationRateRow,
    }
    access {
        find_resource: Some(tagging::find_resource),
        find_subjects: Some(access::find_subjects),
    }
    event_bus { controls::send_own_event }
    data_operations { PutEvents }
    tagged { tagging::TAGGED }
}
