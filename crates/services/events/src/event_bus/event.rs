//! Events as buses carry them, and their way through a bus: matching, recording, delivery.

use crate::{
    archive, delivery,
    event_bus::{self, index::CompiledRule},
};
use nephos_cloud::{Scope, Tx};
use nephos_core::{
    Result, Text, TimeForm, Timestamp, Value,
    json::{self, Writing},
    time,
};
use std::sync::{Arc, atomic::AtomicUsize};

/// An event on its way.
#[derive(Clone)]
pub(crate) struct BusEvent {
    pub(crate) id: Text,
    /// The event with its envelope.
    pub(crate) value: Value,
    /// The event as JSON.
    pub(crate) text: Text,
    /// True if it came from another bus: then it goes to no third one.
    pub(crate) is_forwarded: bool,
    /// Number of its deliveries, also on other buses.
    pub(crate) deliveries: Arc<AtomicUsize>,
}

/// Content of a new event.
pub(crate) struct NewEvent<'a> {
    pub(crate) source: &'a str,
    pub(crate) detail_type: &'a str,
    pub(crate) detail: Value,
    pub(crate) resources: Vec<Text>,
    pub(crate) time: Timestamp,
}

/// Writes a time as events have it: with whole seconds.
pub(crate) fn write_time(time: Timestamp) -> Text {
    let mut text = Vec::with_capacity(20);
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    time::write(&mut text, whole, TimeForm::Iso8601);
    String::from_utf8(text).unwrap_or_default().into()
}

impl NewEvent<'_> {
    /// Creates the event in an account and Region.
    pub(crate) fn into_event(self, scope: &Scope, id: Text) -> BusEvent {
        let resources = self.resources.into_iter().map(Value::from).collect();
        let members = [
            ("version", "0".into()),
            ("id", id.clone().into()),
            ("detail-type", self.detail_type.into()),
            ("source", self.source.into()),
            ("account", scope.account().into()),
            ("time", write_time(self.time).into()),
            ("region", scope.region().into()),
            ("resources", Value::List(resources)),
            ("detail", self.detail),
        ];
        BusEvent::new(id, Value::from_iter(members))
    }
}

impl BusEvent {
    pub(crate) fn new(id: Text, value: Value) -> Self {
        let text = json::write(value.view(), Writing::EXPOSED).into();
        Self { id, value, text, is_forwarded: false, deliveries: Arc::default() }
    }
}

/// Sends an event through a bus of this account and Region: archives it, records it, and delivers it to the targets of the rules
/// that it matches.
pub(crate) fn publish(cx: &mut Tx<'_>, bus: &str, event: &BusEvent) -> Result<()> {
    publish_to(cx, bus, event, |_| true)
}

/// Sends an event through a bus like [`publish`], but only to those of its rules that are wanted.
pub(crate) fn publish_to(
    cx: &mut Tx<'_>,
    bus: &str,
    event: &BusEvent,
    is_wanted: impl Fn(&CompiledRule) -> bool,
) -> Result<()> {
    let index = event_bus::index::of_bus(cx, bus)?;
    archive::events::store(cx, &index.archives, event)?;
    let mut rules = index.matches(&event.value);
    rules.retain(|rule| is_wanted(rule));
    event_bus::recent_events::record(cx, bus, event, rules.iter().map(|rule| rule.name.clone()).collect())?;
    for rule in rules {
        delivery::deliver::to_targets(cx, bus, rule, event)?;
    }
    Ok(())
}
