//! Operations on replays.

use super::{Replay, ReplayManager, ReplayState, run};
use crate::{Archive, EventBus, EventRule, archive, errors, event_bus, event_rule, paging::Page};
use nephos_cloud::{Addressed, Handler, Stored, Tx, own_arn};
use nephos_core::{Choice, Record, Result, Text, operation};
use run::ACTIVE_REPLAYS;

/// Sets the ARNs of listed replays, which the provider does not return.
fn with_arns(mut replays: Vec<Replay>) -> Vec<Replay> {
    for replay in &mut replays {
        replay.replay_arn = archive::arn_beside(replay, replay.event_source_arn.as_deref());
    }
    replays
}

/// Starts a replay of the events of an archive between two times, to the bus of the archive.
#[operation(
    of = Replay, call = "create", model, read_back,
    needs(replay_name, event_source_arn, event_start_time, event_end_time, destination), takes(settable),
    answers(replay_arn, state, state_reason, replay_start_time), effect = write,
    subject = "replay/{ReplayName} + {EventSourceArn} + {Destination.Arn}"
)]
pub struct StartReplay {}

impl StartReplay {
    /// Returns the bus of the destination, which must exist.
    fn require_bus(&self, cx: &Tx<'_>) -> Result<EventBus> {
        let arn = self.destination.arn.as_deref().unwrap_or_default();
        if EventBus::read_arn(arn).is_none() {
            return Err(errors::destination_not_bus().with_field("Destination.Arn").with_hint(arn));
        }
        event_bus::require(cx, Some(arn)).map_err(|error| error.with_field("Destination.Arn"))
    }

    /// Checks the archive, the rules and the times.
    fn check(&self, cx: &Tx<'_>, bus: &EventBus) -> Result<()> {
        let Some(archive) = Archive::find(cx, &self.event_source_arn, "EventSourceArn")? else {
            let name = self.event_source_arn.rsplit('/').next().unwrap_or_default();
            return Err(errors::archive_of_replay_not_found(name).with_field("EventSourceArn"));
        };
        if archive.event_source_arn != bus.arn {
            let hint = format!("the bus of the archive is {}", archive.event_source_arn.unwrap_or_default());
            return Err(errors::destination_other_bus().with_field("Destination.Arn").with_hint(hint));
        }
        let bus = bus.name.as_deref().unwrap_or_default();
        for arn in self.destination.filter_arns.iter().flatten() {
            let name = arn.rsplit('/').next().unwrap_or_default();
            let is_rule = event_rule::arn_of(cx.scope(), bus, name).as_str() == arn.as_str();
            if !is_rule || EventRule::find_by(cx, &[bus, name])?.is_none() {
                let refused = errors::rule_not_found(name, bus).with_field("Destination.FilterArns");
                return Err(refused.with_hint(arn.as_str()));
            }
        }
        Ok(())
    }
}

impl Handler for StartReplay {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if self.event_end_time <= self.event_start_time {
            return Err(errors::times_reversed().with_field("EventEndTime"));
        }
        let bus = self.require_bus(cx)?;
        self.check(cx, &bus)?;
        if Replay::find_by(cx, &[&self.replay_name])?.is_some() {
            return Err(errors::replay_exists(&self.replay_name));
        }
        ACTIVE_REPLAYS.add_one(cx, errors::too_many)?;
        let mut replay = Replay::from_given(self);
        replay.replay_arn = own_arn(&replay, cx.scope());
        replay.state = Some(ReplayState::Starting);
        replay.replay_start_time = Some(cx.now());
        run::start(cx, &replay)?;
        cx.put(replay.clone())?;
        Ok(replay.into())
    }
}

/// Describes a replay.
#[operation(of = Replay, call = "get", none_if_missing, needs(replay_name), effect = read, output = Replay)]
pub struct DescribeReplay {}

impl Handler for DescribeReplay {
    fn run(self, cx: &mut Tx<'_>) -> Result<Replay> {
        Replay::require(cx, &self.replay_name, "ReplayName")
    }
}

/// Lists replays, in order of their names. At most one filter can be given.
#[operation(of = Replay, call = "list", page(replays => with_arns, next_token), include(Page), effect = read)]
pub struct ListReplays {
    /// Prefix of the names of replays.
    #[field(like = Replay::replay_name)]
    pub name_prefix: Option<Text>,
    /// State of the replays.
    pub state: Option<ReplayState>,
    /// ARN of the archive.
    #[field(like = Replay::event_source_arn)]
    pub event_source_arn: Option<Text>,
}

impl Handler for ListReplays {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let given = [self.name_prefix.is_some(), self.event_source_arn.is_some(), self.state.is_some()];
        archive::check_filters("ListReplays", given)?;
        let prefix = self.name_prefix.as_deref().unwrap_or_default();
        let wanted = Replay::table(cx.scope()).text_prefix(prefix);
        let page = cx.page_rows(&self, &wanted, |mut replay: Replay| {
            // AWS does not return it.
            replay.replay_arn = None;
            let is_wanted = (self.state.is_none() || replay.state == self.state)
                && (self.event_source_arn.is_none() || replay.event_source_arn == self.event_source_arn);
            Ok(is_wanted.then_some(replay))
        })?;
        Ok(page.into())
    }
}

/// Cancels a replay that has not ended. Events that it sent stay sent.
#[operation(
    of = Replay, call = "cancel", on_model, needs(replay_name), effect = write,
    answers(replay_arn, state, state_reason)
)]
pub struct CancelReplay {}

impl Handler for CancelReplay {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut replay = Replay::require(cx, &self.replay_name, "ReplayName")?;
        if !matches!(replay.state, Some(ReplayState::Starting | ReplayState::Running)) {
            let state = replay.state.map(|state| format!("it is {}", state.as_str()));
            let refused = errors::replay_not_cancellable(&self.replay_name);
            return Err(refused.with_hint(state.unwrap_or_default()));
        }
        // The next step of the replay ends it.
        replay.state = Some(ReplayState::Cancelling);
        cx.put(replay.clone())?;
        Ok(replay.into())
    }
}
