//! Operations on event buses.

use super::{
    BusName, DEFAULT_BUS, DeadLetterConfig, EventBus, EventBusManager, find, new_default_bus, recent_events,
    require,
};
use crate::{errors, event_rule, event_target, paging::Page, tagging};
use nephos_cloud::{Handler, Quota, Stored, Tx, own_arn, tags::to_list};
use nephos_core::{Empty, Record, Result, Text, operation, with_tags};

/// Quota of custom buses per account and Region.
const BUS_QUOTA: Quota = Quota { counter: "events/event-bus", max: 100, what: "event buses" };

fn check_queue(queue: Option<&DeadLetterConfig>) -> Result<()> {
    event_target::check::check_dead_letter_queue(queue).map_err(|error| error.with_field("DeadLetterConfig"))
}

/// Creates a custom bus.
#[operation(
    of = EventBus, call = "create", model, read_back, needs(name), takes(settable),
    answers(arn as event_bus_arn, description, kms_key_identifier, dead_letter_config, log_config),
    effect = write, also_requires("TagResource" = "Tags?")
)]
pub struct CreateEventBus {
    /// Name of the partner event source that the bus receives events from.
    #[field(length(1..=256), pattern = r"aws\.partner(/[\.\-_A-Za-z0-9]+){2,}")]
    pub event_source_name: Option<Text>,
}

impl Handler for CreateEventBus {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        if let Some(source) = &self.event_source_name {
            let hint = "partner event sources are not emulated";
            return Err(errors::source_not_found(source).with_field("EventSourceName").with_hint(hint));
        }
        if self.name.contains('/') {
            return Err(errors::bus_name_has_slash().with_field("Name"));
        }
        if find(cx, &self.name)?.is_some() {
            return Err(errors::bus_exists(&self.name));
        }
        check_queue(self.dead_letter_config.as_ref())?;
        BUS_QUOTA.add_one(cx, errors::too_many)?;
        let mut bus = EventBus::from_given(self);
        bus.arn = own_arn(&bus, cx.scope());
        bus.tags = to_list(tags);
        bus.creation_time = Some(cx.now());
        bus.clone().put_changed(cx)?;
        Ok(bus.into())
    }
}

/// Describes a bus; the default bus if no name is given.
#[operation(
    of = EventBus, call = "get", none_if_missing, with = with_tags, include(BusName), effect = read, output = EventBus
)]
pub struct DescribeEventBus {}

impl Handler for DescribeEventBus {
    fn run(self, cx: &mut Tx<'_>) -> Result<EventBus> {
        require(cx, self.name.as_deref())
    }
}

/// Lists buses, in order of their names.
#[operation(
    of = EventBus, call = "list", page(event_buses, next_token), include(Page),
    pushdown(name_prefix = "Name"), effect = read
)]
pub struct ListEventBuses {
    /// Prefix of the names of buses.
    #[field(like = EventBus::name)]
    pub name_prefix: Option<Text>,
}

impl Handler for ListEventBuses {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        // An account has few buses, so that all are read to put the default bus between them.
        let mut all: Vec<EventBus> = cx.all(&EventBus::table(cx.scope()).text_prefix(prefix))?;
        let is_default = |bus: &EventBus| bus.name.as_deref() == Some(DEFAULT_BUS);
        if DEFAULT_BUS.starts_with(prefix) && !all.iter().any(is_default) {
            all.push(new_default_bus(cx.scope()));
            all.sort_by(|a, b| a.name.cmp(&b.name));
        }
        Ok(cx.page_items(&self, all, |bus| bus.name.clone().unwrap_or_default())?.into())
    }
}

/// Replaces the description, crypto key, dead-letter queue and logs of a bus; those that are not given are removed.
#[operation(
    of = EventBus, call = "update", changes, replaces, takes(changeable), except(tags),
    answers(arn, name, kms_key_identifier, description, dead_letter_config, log_config), effect = write
)]
pub struct UpdateEventBus {
    /// Name of the bus; the default bus if it is not given.
    #[field(like = EventBus::name)]
    pub name: Option<Text>,
}

impl Handler for UpdateEventBus {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut bus = require(cx, self.name.take().as_deref())?;
        check_queue(self.dead_letter_config.as_ref())?;
        bus.replace_given(&mut self);
        bus.clone().put_changed(cx)?;
        Ok(bus.into())
    }
}

/// Deletes a custom bus, which must not have rules, also none of archives. No effect if it does not exist.
#[operation(of = EventBus, call = "delete", on_model, needs(name), effect = write)]
pub struct DeleteEventBus {}

impl Handler for DeleteEventBus {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if *self.name == *DEFAULT_BUS {
            return Err(errors::default_bus_not_deletable().with_field("Name"));
        }
        let Some(bus) = find(cx, &self.name)? else { return Ok(Empty {}) };
        if event_rule::has_rules(cx, &self.name)? {
            return Err(errors::bus_has_rules().with_field("Name").with_hint("delete its rules first"));
        }
        BUS_QUOTA.remove_one(cx)?;
        recent_events::forget(cx, &self.name)?;
        cx.remove(&bus)?;
        Ok(Empty {})
    }
}
