//! Log streams: sequences of events of one source within a log group.

use super::errors;
use nephos_cloud::{Addressed, Direction, Key, Scope, Stored, Tx};
use nephos_core::{Resource, Result, Slot, Text};
use std::ops::Range;

pub(crate) mod entity;
pub(crate) mod event_target;
pub(crate) mod events;
pub(crate) mod merged;
mod operations;
pub(crate) mod search;

pub use operations::*;

/// A log stream: the events of one source within a log group.
#[derive(Resource)]
#[resource(
    hot, case = "camel", arn("arn", "log-group:{logGroupName}:log-stream:{logStreamName}"), name = "logStreamName",
    pk("logGroupName", "logStreamName"), exists_if = "creationTime",
    not_found = |name| errors::log_stream_not_found().with_hint(name)
)]
pub struct LogStream {
    /// Name of the log group.
    #[field(required, not_on_wire, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub(super) log_group_name: Option<Text>,
    /// Name of the log stream, unique within the log group.
    #[field(required, length(1..=512), pattern = "[^:*]*")]
    pub(super) log_stream_name: Option<Text>,
    /// Creation time, in milliseconds since 1970.
    #[field(service_set)]
    pub(super) creation_time: Option<i64>,
    /// Time of the oldest event, in milliseconds since 1970.
    #[field(service_set)]
    pub(super) first_event_timestamp: Option<i64>,
    /// Time of the newest event, in milliseconds since 1970.
    #[field(service_set)]
    pub(super) last_event_timestamp: Option<i64>,
    /// Ingestion time of the last write, in milliseconds since 1970.
    #[field(service_set)]
    pub(super) last_ingestion_time: Option<i64>,
    /// Sequence token of the next write; deprecated and not checked. Absent before the first event.
    #[field(service_set)]
    pub(super) upload_sequence_token: Option<Text>,
    /// ARN of the log stream.
    #[field(service_set)]
    pub(super) arn: Option<Text>,
    /// Number of bytes stored; always 0, as bytes are counted per log group.
    #[field(service_set)]
    pub(super) stored_bytes: Option<i64>,
    slot: Slot,
}

nephos_cloud::stored! {
    LogStream in "logs/log-stream" by log_group_name, log_stream_name; arn arn; derived(stored_bytes) => derive_bytes
}

impl LogStream {
    fn derive_bytes(&mut self, _scope: &Scope) {
        self.stored_bytes = Some(0);
    }

    /// Returns the number of the last event put; events are numbered from 1 and numbers are not reused.
    pub(super) fn last_event_number(&self) -> i64 {
        self.upload_sequence_token.as_deref().and_then(|token| token.parse().ok()).unwrap_or(0)
    }

    /// True if the stream may have events in the time range.
    pub(super) fn overlaps(&self, times: &Range<i64>) -> bool {
        self.first_event_timestamp.is_some_and(|first| first < times.end)
            && self.last_event_timestamp.is_some_and(|last| last >= times.start)
    }

    pub(super) fn set_last_event_number(&mut self, number: i64) {
        let mut token = String::with_capacity(56);
        events::push_padded(&mut token, number, 56);
        self.upload_sequence_token = Some(token.into());
    }
}

/// Returns the key prefix of the streams of a log group.
pub(super) fn group_prefix(scope: &Scope, group: &str) -> Key {
    LogStream::table(scope).text(group)
}

/// Returns the stream, or a not-found error.
pub(super) fn require(cx: &Tx<'_>, group: &str, stream: &str) -> Result<LogStream> {
    let found = LogStream::find_by(cx, &[group, stream])?;
    found.ok_or_else(|| LogStream::not_found(&format!("{stream} of {group}")))
}

/// Returns all streams of a log group that `is_wanted` accepts.
pub(super) fn find_streams(
    cx: &Tx<'_>,
    group: &str,
    is_wanted: impl Fn(&LogStream) -> bool,
) -> Result<Vec<LogStream>> {
    let mut streams = Vec::new();
    let range = group_prefix(cx.scope(), group).prefix_range();
    cx.gather(cx.scope(), &range, Direction::Ascending, is_wanted, usize::MAX, &mut streams)?;
    Ok(streams)
}
