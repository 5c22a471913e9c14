//! The newest events of each bus with the rules that they matched, for people who follow a bus.

use crate::{
    BusEvent, BusName,
    controls::{self, scope::OfAccount},
    event_bus, event_rule,
    pattern::{self, Pattern},
};
use nephos_cloud::{Direction, Handler, Stored, Tx};
use nephos_core::{Record, Result, Text, Timestamp, json, operation};
use std::ops::ControlFlow;

/// Number of events that are kept for each bus.
const MAX_KEPT: i64 = 1000;

/// An event that a bus received.
#[derive(Record)]
#[record(answer, hot)]
pub struct RecentEvent {
    /// Name of the bus.
    event_bus_name: Option<Text>,
    /// Number of the event on its bus, in order of arrival.
    number: Option<i64>,
    /// Time of arrival.
    time: Option<Timestamp>,
    /// Names of the rules that it matched.
    rules: Option<Vec<Text>>,
    /// The event, as JSON.
    event: Option<Text>,
}

nephos_cloud::stored!(RecentEvent in "events/recent-event" by event_bus_name, number);

/// Name of the counter of the events of a bus.
fn counter(bus: &str) -> String {
    format!("events/recent-event/{bus}")
}

/// Records an event, and removes the oldest one if there are too many.
pub(crate) fn record(cx: &mut Tx<'_>, bus: &str, event: &BusEvent, rules: Vec<Text>) -> Result<()> {
    let number = cx.add_to_count(&counter(bus), 1)?;
    let oldest = RecentEvent::table(cx.scope()).text(bus).number(number - MAX_KEPT);
    if number > MAX_KEPT {
        cx.remove_row(&oldest)?;
    }
    cx.put(RecentEvent {
        event_bus_name: Some(bus.into()),
        number: Some(number),
        time: Some(cx.now()),
        rules: Some(rules),
        event: Some(event.text.clone()),
    })
}

/// Removes the events of a bus that is deleted.
pub(crate) fn forget(cx: &mut Tx<'_>, bus: &str) -> Result<()> {
    cx.remove_all(&RecentEvent::table(cx.scope()).text(bus).prefix_range())?;
    let counter = counter(bus);
    cx.add_to_count(&counter, -cx.count(&counter)?).map(drop)
}

/// Lists the newest events of a bus, oldest first. At most 1000 are kept. A test control.
#[operation(include(OfAccount), effect = read, output = RecentEvents, subject = "*")]
pub struct ListRecentEvents {
    /// Name of the bus; the default bus if it is not given.
    #[field(like = BusName::name)]
    pub event_bus_name: Option<Text>,
    /// Pattern that events must match.
    #[field(length(..=4096))]
    pub event_pattern: Option<Text>,
    /// Number of the event after which the list begins.
    pub after: Option<i64>,
}

/// Events that a bus received.
#[derive(Record)]
#[record(answer)]
pub struct RecentEvents {
    /// Events.
    pub(crate) events: Option<Vec<RecentEvent>>,
    /// Number of the newest event of the bus.
    pub(crate) last: Option<i64>,
}

impl Handler for ListRecentEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<RecentEvents> {
        let scope = controls::scope::read(cx, self.account.as_deref(), self.region.as_deref())?;
        let wanted = self.event_pattern.as_deref().map(event_rule::put::parse_pattern).transpose()?;
        cx.in_scope(&scope, |cx| {
            let bus = event_bus::require(cx, self.event_bus_name.as_deref())?.name.unwrap_or_default();
            let (mut events, mut last) = (Vec::new(), 0);
            let all = RecentEvent::table(&scope).text(&bus).prefix_range();
            cx.scan(&scope, &all, Direction::Ascending, |recent: RecentEvent| {
                last = recent.number.unwrap_or(last);
                let is_match = |pattern: &Pattern| {
                    let value = recent.event.as_deref().and_then(|event| json::parse(event.as_bytes()).ok());
                    let event = value.as_ref().and_then(pattern::Event::prepare);
                    event.is_some_and(|event| pattern.matches(&event))
                };
                if recent.number > self.after && wanted.as_ref().is_none_or(is_match) {
                    events.push(recent);
                }
                ControlFlow::Continue(())
            })?;
            Ok(RecentEvents { events: Some(events), last: Some(last) })
        })
    }
}
