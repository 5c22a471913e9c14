//! Replays, which send events of an archive to its bus again.

mod operations;
pub(crate) mod run;

pub use operations::*;

use crate::{archive, errors};
use nephos_cloud::{Direction, Stored, Tx};
use nephos_core::{Record, Resource, Result, Slot, Text, Timestamp, choices};
use std::ops::ControlFlow;

choices! {
    /// State of a replay.
    #[derive(Eq)]
    pub enum ReplayState {
        /// The replay will send events soon.
        Starting = "STARTING",
        /// The replay sends events.
        Running = "RUNNING",
        /// The replay is being cancelled.
        Cancelling = "CANCELLING",
        /// All events were sent.
        Completed = "COMPLETED",
        /// The replay was cancelled.
        Cancelled = "CANCELLED",
        /// The replay could not go on.
        Failed = "FAILED",
    }
}

/// Destination of a replay.
#[derive(Record)]
pub struct ReplayDestination {
    /// ARN of the bus of the archive.
    #[field(required, length(1..=1600))]
    pub(crate) arn: Option<Text>,
    /// ARNs of the rules that receive the events; all rules of the bus if it is not given.
    #[field(each(length(1..=1600)))]
    pub(crate) filter_arns: Option<Vec<Text>>,
}

/// A replay: sends events of an archive to its bus again.
#[derive(Resource)]
#[resource(
    arn("ReplayArn", "replay/{ReplayName}"), name = "ReplayName", pk = "ReplayName", exists_if = "ReplayStartTime",
    no_delete, not_found = |name| errors::replay_not_found(name)
)]
pub struct Replay {
    /// Name of the replay, unique within account and Region.
    #[field(fixed, length(1..=64), pattern = r"[\.\-_A-Za-z0-9]+")]
    pub(crate) replay_name: Option<Text>,
    /// ARN of the replay.
    #[field(service_set)]
    pub(crate) replay_arn: Option<Text>,
    /// Description.
    #[field(not_in_list, fixed, length(..=512))]
    description: Option<Text>,
    /// State of the replay.
    #[field(service_set)]
    pub(crate) state: Option<ReplayState>,
    /// Reason of the state.
    #[field(service_set)]
    pub(crate) state_reason: Option<Text>,
    /// ARN of the archive.
    #[field(fixed, like = archive::Archive::event_source_arn)]
    pub(crate) event_source_arn: Option<Text>,
    /// Destination of the events.
    #[field(not_in_list, fixed)]
    pub(crate) destination: Option<ReplayDestination>,
    /// Time of the first events to send, by the times of the events.
    #[field(fixed)]
    pub(crate) event_start_time: Option<Timestamp>,
    /// Time before which events are sent, by the times of the events.
    #[field(fixed)]
    pub(crate) event_end_time: Option<Timestamp>,
    /// Time of the last event that was sent.
    #[field(service_set)]
    pub(crate) event_last_replayed_time: Option<Timestamp>,
    /// Start of the replay.
    #[field(service_set)]
    replay_start_time: Option<Timestamp>,
    /// End of the replay.
    #[field(service_set)]
    pub(crate) replay_end_time: Option<Timestamp>,
    slot: Slot,
}

nephos_cloud::stored!(Replay in "events/replay" by replay_name; arn replay_arn);

impl Replay {
    /// True if the replay has not ended.
    fn is_active(&self) -> bool {
        use ReplayState::{Cancelling, Running, Starting};
        matches!(self.state, Some(Starting | Running | Cancelling))
    }
}

/// Returns the name of a replay that sends events of an archive and has not ended.
pub(crate) fn find_active(cx: &Tx<'_>, archive: Option<&str>) -> Result<Option<Text>> {
    let mut found = None;
    let all = Replay::table(cx.scope()).prefix_range();
    cx.scan(cx.scope(), &all, Direction::Ascending, |replay: Replay| {
        if replay.is_active() && replay.event_source_arn.as_deref() == archive {
            found = replay.replay_name;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
