//! Event buses, which receive events and match them with rules. The default bus exists in every account and Region.

pub(crate) mod event;
pub(crate) mod index;
mod operations;
mod permission;
pub(crate) mod put_events;
pub(crate) mod recent_events;

pub use operations::*;
pub use permission::*;
pub use put_events::*;
pub use recent_events::*;

use crate::errors;
use nephos_cloud::{Addressed, Scope, Tx, own_arn};
use nephos_core::{
    Arn, Record, Resource, Result, Slot, Tag, Text, Timestamp, choices, field_value::FieldType,
};

/// Name of the bus that exists in every account and Region.
pub(crate) const DEFAULT_BUS: &str = "default";

/// Time of creation of the default buses: the provider's first day with them.
const DEFAULT_BUS_CREATED: &str = "2019-07-11T00:00:00Z";

choices! {
    /// Inclusion of event details in logs.
    pub enum IncludeDetail {
        /// Details are left out.
        None = "NONE",
        /// Details are included.
        Full = "FULL",
    }
}

choices! {
    /// Level of logs.
    pub enum LogLevel {
        /// No logs.
        Off = "OFF",
        /// Errors.
        Error = "ERROR",
        /// Errors and main steps.
        Info = "INFO",
        /// All steps.
        Trace = "TRACE",
    }
}

/// Queue for events that could not be delivered.
#[derive(Record)]
pub struct DeadLetterConfig {
    /// ARN of the queue.
    #[field(length(1..=1600))]
    pub(crate) arn: Option<Text>,
}

/// Logs of a bus.
#[derive(Record)]
pub struct LogConfig {
    /// Inclusion of event details.
    include_detail: Option<IncludeDetail>,
    /// Level.
    level: Option<LogLevel>,
}

/// An event bus: receives events and matches them with its rules.
#[derive(Resource)]
#[resource(
    arn("Arn", "event-bus/{Name}"), name = "Name", pk = "Name", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::bus_not_found(name)
)]
pub struct EventBus {
    /// Name of the bus, unique within account and Region.
    #[field(fixed, length(1..=256), pattern = r"[/\.\-_A-Za-z0-9]+")]
    pub(crate) name: Option<Text>,
    /// ARN of the bus.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Description.
    #[field(length(..=512))]
    pub(crate) description: Option<Text>,
    /// ID, ARN or alias of the crypto key that encrypts events.
    #[field(not_in_list, no_effect, length(..=2048), pattern = r"^[a-zA-Z0-9_\-/:]*$")]
    pub(crate) kms_key_identifier: Option<Text>,
    /// Queue for events that could not be delivered.
    #[field(not_in_list, no_effect)]
    pub(crate) dead_letter_config: Option<DeadLetterConfig>,
    /// Policy of the bus: accounts that can send events to it.
    #[field(service_set)]
    pub(crate) policy: Option<Text>,
    /// Logs of the bus.
    #[field(not_in_list, no_effect)]
    pub(crate) log_config: Option<LogConfig>,
    /// Time of creation; the default bus is as old as the service.
    #[field(service_set)]
    creation_time: Option<Timestamp>,
    /// Time of the last change.
    #[field(service_set)]
    pub(crate) last_modified_time: Option<Timestamp>,
    /// Service that manages the bus.
    #[field(service_set)]
    managed_by: Option<Text>,
    /// Tags.
    #[field(not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(EventBus in "events/event-bus" by name; arn arn);

impl EventBus {
    /// Stores the bus, with the current time as that of its last change.
    pub(crate) fn put_changed(mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.last_modified_time = Some(cx.now());
        cx.put(self)
    }
}

/// Returns the name of a bus that is given by its name or its ARN; the default bus if it is not given. A bus of another
/// account or Region does not exist for the caller.
pub(crate) fn name_of<'a>(scope: &Scope, given: Option<&'a str>) -> Result<&'a str> {
    let Some(given) = given else { return Ok(DEFAULT_BUS) };
    if !given.starts_with("arn:") {
        return Ok(given);
    }
    match place_in_arn(given) {
        Some((place, name)) if place == *scope => Ok(name),
        _ => {
            let hint = format!("expected a bus of account {} in Region {}", scope.account(), scope.region());
            Err(errors::bus_not_found(given).with_hint(hint))
        }
    }
}

/// Returns the account, Region and name in the ARN of a bus; none if it is no such ARN.
pub(crate) fn place_in_arn(arn: &str) -> Option<(Scope, &str)> {
    let name = *EventBus::read_arn(arn)?.first()?;
    let [_, _, region, account, _] = Arn::parts(arn)?;
    Some((Scope::new(account, region), name))
}

/// Finds the bus `name`. The default bus is stored only after it was changed.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<EventBus>> {
    let found = EventBus::find_by(cx, &[name])?;
    if found.is_some() || name != DEFAULT_BUS {
        return Ok(found);
    }
    Ok(Some(new_default_bus(cx.scope())))
}

/// Creates the model of a default bus that was never changed.
fn new_default_bus(scope: &Scope) -> EventBus {
    let mut bus = EventBus::blank();
    bus.name = Some(DEFAULT_BUS.into());
    bus.arn = own_arn(&bus, scope);
    bus.creation_time = DEFAULT_BUS_CREATED.parse().ok();
    bus.last_modified_time = bus.creation_time;
    bus
}

/// Returns the bus that is given by its name or ARN, or an error if it does not exist.
pub(crate) fn require(cx: &Tx<'_>, given: Option<&str>) -> Result<EventBus> {
    let name = name_of(cx.scope(), given)?;
    find(cx, name)?.ok_or_else(|| errors::bus_not_found(name))
}

/// Parameter that names a bus.
#[derive(Record)]
#[record(shared)]
pub struct BusName {
    /// Name or ARN of the bus; the default bus if it is not given.
    #[field(
        from_field = "Name", length(1..=1600),
        pattern = r"(arn:aws[\w-]*:events:[a-z]+-[a-z]+-[\w-]+:[0-9]{12}:event-bus\/)?[/\.\-_A-Za-z0-9]+"
    )]
    name: Option<Text>,
}
