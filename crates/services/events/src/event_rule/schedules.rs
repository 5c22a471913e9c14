//! Schedules of rules on the clock.
//!
//! Each enabled rule with a schedule has one piece of due work: its next occurrence. A rule that is stored again starts again, and
//! the work of its former schedule does nothing, because its start differs from the one in the row of the rule.

use crate::{
    DEFAULT_BUS, EventRule, RuleState, delivery,
    event_bus::{self, event::NewEvent, index::CompiledRule},
};
use nephos_cloud::{Addressed, Stored, Tx, Work, schedule::Schedule};
use nephos_core::{Map, Record, Result, SignedDuration, Text, Timestamp, Value};

/// Time for which missed occurrences are made up for: as long as deliveries are tried, so that older ones would reach nobody.
const MADE_UP_FOR: SignedDuration = SignedDuration::from_secs(delivery::deliver::DEFAULT_AGE);

/// Row of a running schedule.
#[derive(Record)]
#[record(row)]
pub(crate) struct ScheduleRow {
    /// Name of the rule.
    rule: Option<Text>,
    /// Unique ID of this start.
    start: Option<Text>,
}

nephos_cloud::stored!(ScheduleRow in "events/schedule" by rule);

/// The next occurrence of a schedule.
#[derive(Record)]
#[record(row)]
pub(crate) struct Occur {
    /// Name of the rule.
    rule: Option<Text>,
    /// ID of the start that it belongs to.
    start: Option<Text>,
}

/// Returns the next time of the schedule of a rule, if it is enabled and has one.
fn next_time(rule: &EventRule, now: Timestamp) -> Option<Timestamp> {
    if rule.state == Some(RuleState::Disabled) {
        return None;
    }
    let schedule = Schedule::parse(rule.schedule_expression.as_deref()?).ok()?;
    schedule.next_after(now)
}

/// Starts the schedule of a rule, if it is enabled and has one. A schedule that runs ends.
pub(crate) fn start(cx: &mut Tx<'_>, rule: &EventRule) -> Result<()> {
    let Some(time) = next_time(rule, cx.now()) else { return stop(cx, rule) };
    let start = cx.ids().uuid();
    cx.put(ScheduleRow { rule: rule.name.clone(), start: Some(start.clone()) })?;
    cx.schedule(time, &Occur { rule: rule.name.clone(), start: Some(start) })
}

/// Ends the schedule of a rule.
pub(crate) fn stop(cx: &mut Tx<'_>, rule: &EventRule) -> Result<()> {
    // Rules of other buses have no schedules.
    if rule.event_bus_name.as_deref().is_some_and(|bus| bus != DEFAULT_BUS) {
        return Ok(());
    }
    cx.remove(&ScheduleRow { rule: rule.name.clone(), start: None })
}

impl Work for Occur {
    const NAME: &'static str = "events/occur";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let name = self.rule.as_deref().unwrap_or_default();
        let row: Option<ScheduleRow> = cx.get(&ScheduleRow::table(cx.scope()).text(name))?;
        if row.is_none_or(|row| row.start != self.start) {
            return Ok(());
        }
        let Some(rule) = EventRule::find_by(cx, &[DEFAULT_BUS, name])? else { return Ok(()) };
        let oldest = cx.present().and_then(|present| present.checked_sub(MADE_UP_FOR).ok());
        let after = match oldest.filter(|oldest| *oldest > cx.now()) {
            Some(oldest) => oldest,
            None => {
                occur(cx, &rule)?;
                cx.now()
            }
        };
        match next_time(&rule, after) {
            Some(time) => cx.schedule(time, &self),
            None => Ok(()),
        }
    }
}

/// Sends the event of an occurrence to the targets of its rule.
fn occur(cx: &mut Tx<'_>, rule: &EventRule) -> Result<()> {
    let compiled = CompiledRule::read(cx, DEFAULT_BUS, rule)?;
    let event = NewEvent {
        source: "aws.events",
        detail_type: "Scheduled Event",
        detail: Value::Map(Map::default()),
        resources: vec![compiled.arn.clone()],
        time: cx.now(),
    };
    let event = event.into_event(cx.scope(), cx.ids().uuid());
    event_bus::recent_events::record(cx, DEFAULT_BUS, &event, vec![compiled.name.clone()])?;
    delivery::deliver::to_targets(cx, DEFAULT_BUS, &compiled, &event)
}
