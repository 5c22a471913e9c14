//! The steps of replays, as due work: each sends a batch of events and records it in one transaction, so that a process that ends
//! between two steps loses no event and repeats none.

use crate::{
    BusEvent, Replay, ReplayState,
    archive::{
        self,
        events::{ArchivedEvent, REPLAY_NAME},
    },
    event_bus,
};
use nephos_cloud::{Addressed, Quota, Tx, Work};
use nephos_core::{Map, Record, Result, SignedDuration, Text, Timestamp, Value, json};

/// Quota of replays of an account and Region that have not ended.
pub(crate) const ACTIVE_REPLAYS: Quota =
    Quota { counter: "events/active-replay", max: 10, what: "active replays" };

/// Number of events that a step sends.
const BATCH: usize = 100;

/// Duration until a replay runs, and between its steps, with realistic transitions.
const STARTING: SignedDuration = SignedDuration::from_secs(10);
const STEP: SignedDuration = SignedDuration::from_secs(1);

/// The next step of a replay.
#[derive(Record)]
#[record(row)]
pub(crate) struct Advance {
    /// Name of the replay.
    replay_name: Option<Text>,
    /// Number of the step.
    step: Option<i64>,
    /// Time of the last event that was sent, in seconds since 1970.
    time: Option<i64>,
    /// Number of the last event that was sent, in the archive.
    number: Option<i64>,
}

/// Schedules the first step of a replay.
pub(crate) fn start(cx: &mut Tx<'_>, replay: &Replay) -> Result<()> {
    let first = Advance {
        replay_name: replay.replay_name.clone(),
        step: Some(0),
        // Times of events have whole seconds.
        time: replay.event_start_time.map(|time| time.as_second()),
        number: Some(0),
    };
    cx.schedule_transition(STARTING, &first)
}

impl Work for Advance {
    const NAME: &'static str = "events/replay";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let name = self.replay_name.as_deref().unwrap_or_default();
        let Some(mut replay) = Replay::find_by(cx, &[name])? else { return Ok(()) };
        match replay.state {
            Some(ReplayState::Starting) => {
                replay.state = Some(ReplayState::Running);
                self.continue_later(cx, replay)
            }
            Some(ReplayState::Running) => self.send_batch(cx, replay),
            Some(ReplayState::Cancelling) => replay.end(cx, ReplayState::Cancelled),
            _ => Ok(()),
        }
    }
}

impl Advance {
    /// Stores the replay, and schedules the next step.
    fn continue_later(mut self, cx: &mut Tx<'_>, replay: Replay) -> Result<()> {
        self.step = Some(self.step.unwrap_or(0) + 1);
        cx.put(replay)?;
        cx.schedule_transition(STEP, &self)
    }

    fn send_batch(mut self, cx: &mut Tx<'_>, mut replay: Replay) -> Result<()> {
        let destination = replay.destination.clone();
        let (bus, rules) = destination.map(|found| (found.arn, found.filter_arns)).unwrap_or_default();
        let Ok(bus) = event_bus::require(cx, bus.as_deref()).map(|bus| bus.name.unwrap_or_default()) else {
            replay.state_reason = Some("The event bus does not exist.".into());
            return replay.end(cx, ReplayState::Failed);
        };
        let archive = replay.event_source_arn.as_deref().and_then(|arn| arn.rsplit('/').next());
        let after = (self.time.unwrap_or_default(), self.number.unwrap_or_default());
        let end = replay.event_end_time.unwrap_or_default();
        let batch = archive::events::read(cx, archive.unwrap_or_default(), after, end, BATCH)?;
        for row in &batch {
            if let Some(event) = replay.make_event(row) {
                let is_wanted = |arn: &Text| rules.as_ref().is_none_or(|rules| rules.contains(arn));
                event_bus::event::publish_to(cx, &bus, &event, |rule| is_wanted(&rule.arn))?;
            }
        }
        if let Some(last) = batch.last() {
            (self.time, self.number) = (last.time, last.number);
            let time = last.time.and_then(|time| Timestamp::from_second(time).ok());
            replay.event_last_replayed_time = time;
        }
        if batch.len() < BATCH {
            replay.end(cx, ReplayState::Completed)
        } else {
            self.continue_later(cx, replay)
        }
    }
}

impl Replay {
    /// Makes the event of an archive with the name of the replay in its envelope.
    fn make_event(&self, row: &ArchivedEvent) -> Option<BusEvent> {
        let Ok(Value::Map(archived)) = json::parse(row.event.as_ref()?.as_bytes()) else { return None };
        let id = archived.get("id").and_then(Value::as_text)?.into();
        let mut members = Map::default();
        for (name, value) in archived {
            if name == "resources" {
                members.insert(REPLAY_NAME.into(), self.replay_name.clone().unwrap_or_default().into());
            }
            members.insert(name, value);
        }
        Some(BusEvent::new(id, Value::Map(members)))
    }

    /// Ends the replay in this state.
    fn end(mut self, cx: &mut Tx<'_>, state: ReplayState) -> Result<()> {
        (self.state, self.replay_end_time) = (Some(state), Some(cx.now()));
        ACTIVE_REPLAYS.remove_one(cx)?;
        cx.put(self)
    }
}
