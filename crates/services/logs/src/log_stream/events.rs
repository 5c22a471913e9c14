//! Log events: their rows, and the operation `PutLogEvents`.

use crate::{
    LogGroup, LogStream, errors,
    log_group::{
        encryption::{self, CurrentKey},
        expiry::{self, DAY, HOUR},
    },
    log_stream::{
        self,
        entity::{self, Entity, RejectedEntityInfo},
    },
};
use nephos_cloud::{Addressed, Direction, Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Record, Resource, Result, Slot, Text, field_value::FieldType, operation};
use std::ops::ControlFlow;

/// Bytes that each event adds to the size of its message.
const EVENT_OVERHEAD: usize = 26;

/// Maximum size of a batch of events in bytes, including the overhead of each event.
const MAX_BATCH_BYTES: usize = 1_048_576;

/// A log event: a timestamp and a message.
#[derive(Resource)]
#[resource(hot, case = "camel", pk = "eventId", frozen)]
pub struct LogEvent {
    /// Name of the log group.
    #[field(not_on_wire, service_set)]
    pub(crate) log_group_name: Option<Text>,
    /// Name of the log stream.
    #[field(service_set)]
    pub(crate) log_stream_name: Option<Text>,
    /// Time of the event, in milliseconds since 1970.
    #[field(service_set)]
    pub(crate) timestamp: Option<i64>,
    /// Message of the event.
    #[field(service_set)]
    pub(crate) message: Option<Text>,
    /// Ingestion time, in milliseconds since 1970.
    #[field(service_set)]
    pub(crate) ingestion_time: Option<i64>,
    /// Unique ID of the event.
    #[field(service_set)]
    pub(crate) event_id: Option<Text>,
    pub(crate) slot: Slot,
}

impl Stored for LogEvent {
    const TABLE: &'static str = "logs/log-event";

    fn identify(&self, key: Key) -> Key {
        let (group, stream) = (self.log_group_name.as_deref(), self.log_stream_name.as_deref());
        let key = key.text(group.unwrap_or_default()).text(stream.unwrap_or_default());
        key.number(self.timestamp.unwrap_or(0)).number(self.number())
    }

    fn strip_derived(&mut self) {
        (self.log_group_name, self.log_stream_name, self.timestamp, self.event_id) = (None, None, None, None);
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        (self.log_group_name, self.log_stream_name) = (identity.text(), identity.text());
        let (time, number) = (identity.number().unwrap_or(0), identity.number().unwrap_or(0));
        self.timestamp = Some(time);
        self.event_id = Some(event_id(time, number, self.log_stream_name.as_deref().unwrap_or_default()));
    }
}

impl LogEvent {
    /// Returns the number of the event within its stream.
    pub(crate) fn number(&self) -> i64 {
        let id = self.event_id.as_deref().unwrap_or_default();
        id.get(20..40).and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Returns the size of a stored event.
    fn stored_size(&self) -> i64 {
        let message = self.message.as_deref().unwrap_or_default();
        (encryption::message_length(message) + EVENT_OVERHEAD) as i64
    }
}

/// Returns an event ID: time and number, so that IDs sort like events, and a hash of the stream, as each stream has its
/// own numbers.
fn event_id(time: i64, number: i64, stream: &str) -> Text {
    let stream = stream
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    let mut id = String::with_capacity(56);
    push_padded(&mut id, time, 20);
    push_padded(&mut id, number, 20);
    push_padded(&mut id, (stream % 10_u64.pow(16)) as i64, 16);
    id.into()
}

/// Appends a number that is not negative, with zeros before it up to a width.
pub(crate) fn push_padded(text: &mut String, number: i64, width: usize) {
    const ZEROS: &str = "00000000000000000000000000000000000000000000000000000000";
    let digits = number.to_string();
    text.push_str(&ZEROS[..width.saturating_sub(digits.len())]);
    text.push_str(&digits);
}

fn stored_size(message: &str) -> usize {
    message.len() + EVENT_OVERHEAD
}

/// Returns the key prefix of the events of a stream.
pub(crate) fn stream_prefix(scope: &Scope, group: &str, stream: &str) -> Key {
    LogEvent::table(scope).text(group).text(stream)
}

/// Returns the key prefix of the events of all streams of a log group.
pub(crate) fn group_prefix(scope: &Scope, group: &str) -> Key {
    LogEvent::table(scope).text(group)
}

/// Removes the events of a stream that are older than `limit`, and returns the number of bytes freed.
pub(crate) fn remove_events(cx: &mut Tx<'_>, group: &str, stream: &str, limit: i64) -> Result<i64> {
    let (mut freed, mut keys) = (0, Vec::new());
    let range = stream_prefix(cx.scope(), group, stream).prefix_range();
    cx.scan::<LogEvent>(cx.scope(), &range, Direction::Ascending, |event| {
        if event.timestamp >= Some(limit) {
            return ControlFlow::Break(());
        }
        freed += event.stored_size();
        keys.push(event.key(cx.scope()));
        ControlFlow::Continue(())
    })?;
    keys.iter().try_for_each(|key| cx.remove_row(key))?;
    Ok(freed)
}

/// Returns the time of the oldest event of a stream.
pub(crate) fn oldest_timestamp(cx: &Tx<'_>, group: &str, stream: &str) -> Result<Option<i64>> {
    let range = stream_prefix(cx.scope(), group, stream).prefix_range();
    Ok(cx.first::<LogEvent>(&range, Direction::Ascending)?.and_then(|event| event.timestamp))
}

/// An event to write.
#[derive(Record)]
#[record(hot, case = "camel")]
pub struct InputLogEvent {
    /// Time of the event, in milliseconds since 1970.
    #[field(required, range(0..))]
    timestamp: Option<i64>,
    /// Message of the event.
    #[field(required, length(1..))]
    message: Option<Text>,
}

/// Puts events into a log stream.
#[operation(
    hot, of = LogEvent, call = "put", case = "camel",
    effect = write, output = PutEventsResult, subject = "log-group:{logGroupName}:log-stream:{logStreamName}"
)]
pub struct PutLogEvents {
    /// Name of the log group.
    #[field(like = LogStream::log_group_name)]
    pub log_group_name: Text,
    /// Name of the log stream.
    #[field(like = LogStream::log_stream_name)]
    pub log_stream_name: Text,
    /// Events in chronological order: at most 10,000, at most 1 MiB in total, within 24 hours.
    #[field(length(1..=10000))]
    pub log_events: Vec<InputLogEvent>,
    /// Sequence token; deprecated and not checked.
    #[field(wire_only, length(1..))]
    pub sequence_token: Option<Text>,
    /// Resource or service that the events are about. If it is invalid, it is rejected in the answer, and the events are
    /// still accepted.
    #[field(no_effect)]
    pub entity: Option<Entity>,
}

/// Events that were rejected, by their index in the batch.
#[derive(Record)]
#[record(case = "camel")]
pub struct RejectedLogEventsInfo {
    /// Index of the first event that is too far in the future.
    pub(crate) too_new_log_event_start_index: Option<i64>,
    /// Index after the last event that is too old.
    pub(crate) too_old_log_event_end_index: Option<i64>,
    /// Index after the last event that is older than the retention.
    pub(crate) expired_log_event_end_index: Option<i64>,
}

/// Response of `PutLogEvents`.
#[derive(Record)]
#[record(answer, case = "camel", name = "PutLogEventsResponse")]
pub struct PutEventsResult {
    /// Sequence token of the next write; deprecated and not checked.
    pub(crate) next_sequence_token: Option<Text>,
    /// Events that were rejected.
    pub(crate) rejected_log_events_info: Option<RejectedLogEventsInfo>,
    /// Reason why the entity was rejected.
    pub(crate) rejected_entity_info: Option<RejectedEntityInfo>,
}

impl PutLogEvents {
    fn check(&self) -> Result<()> {
        let bytes: usize = self
            .log_events
            .iter()
            .map(|event| stored_size(event.message.as_deref().unwrap_or_default()))
            .sum();
        if bytes > MAX_BATCH_BYTES {
            let hint = format!("including {EVENT_OVERHEAD} bytes per event");
            return Err(errors::batch_too_large(bytes, MAX_BATCH_BYTES)
                .with_field("logEvents")
                .with_hint(hint));
        }
        if self.log_events.windows(2).any(|pair| pair[0].timestamp > pair[1].timestamp) {
            return Err(errors::batch_not_chronological().with_field("logEvents"));
        }
        let time = |event: Option<&InputLogEvent>| event.and_then(|event| event.timestamp).unwrap_or(0);
        if time(self.log_events.last()) - time(self.log_events.first()) > DAY {
            return Err(errors::batch_spans_too_long().with_field("logEvents"));
        }
        Ok(())
    }
}

impl Handler for PutLogEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<PutEventsResult> {
        self.put(cx)
    }
}

impl PutLogEvents {
    /// Puts the events.
    pub(crate) fn put(&self, cx: &mut Tx<'_>) -> Result<PutEventsResult> {
        self.check()?;
        let mut group = LogGroup::require(cx, &self.log_group_name, "logGroupName")?;
        let mut stream = log_stream::require(cx, &self.log_group_name, &self.log_stream_name)?;
        let now = cx.now().as_millisecond();
        let time = |event: &InputLogEvent| event.timestamp.unwrap_or(0);
        let before = |limit: i64| self.log_events.partition_point(|event| time(event) < limit);
        let (old, new) = (before(now - 14 * DAY), before(now + 2 * HOUR + 1));
        let expired = expiry::expiry_cutoff(&group, now).map_or(0, before);
        let rejected = RejectedLogEventsInfo {
            too_new_log_event_start_index: (new < self.log_events.len()).then_some(new as i64),
            too_old_log_event_end_index: (old > expired).then_some(old as i64),
            expired_log_event_end_index: (expired > 0).then_some(expired as i64),
        };
        let entity = self.entity.as_ref().map(|entity| entity.check(&group)).transpose();
        let accepted = &self.log_events[old.max(expired).min(new)..new];
        let key = if accepted.is_empty() { None } else { CurrentKey::open_or_create(cx, &group)? };
        let mut number = stream.last_event_number();
        for event in accepted {
            number += 1;
            let mut row = LogEvent {
                log_group_name: Some(self.log_group_name.clone()),
                log_stream_name: Some(self.log_stream_name.clone()),
                timestamp: event.timestamp,
                message: event.message.clone(),
                ingestion_time: Some(now),
                event_id: Some(event_id(time(event), number, &self.log_stream_name)),
                slot: Slot::default(),
            };
            encryption::seal(cx, key.as_ref(), &mut row)?;
            group.stored_bytes = Some(group.stored_bytes.unwrap_or(0) + row.stored_size());
            cx.put(row)?;
        }
        stream.set_last_event_number(number);
        let next_sequence_token = stream.upload_sequence_token.clone();
        if let (Some(first), Some(last)) = (accepted.first().map(time), accepted.last().map(time)) {
            if stream.first_event_timestamp.is_none_or(|oldest| first < oldest) {
                stream.first_event_timestamp = Some(first);
                expiry::schedule_expiry(cx, &group, first)?;
            }
            stream.last_event_timestamp = stream.last_event_timestamp.max(Some(last));
            stream.last_ingestion_time = Some(now);
            if let (Ok(_), Some(entity)) = (&entity, self.entity.clone()) {
                entity::put_entity(cx, &self.log_group_name, &self.log_stream_name, entity)?;
            }
            cx.put(group)?;
            cx.put(stream)?;
        }
        let rejected = Some(rejected).filter(|rejected| *rejected != RejectedLogEventsInfo::blank());
        Ok(PutEventsResult {
            next_sequence_token,
            rejected_log_events_info: rejected,
            rejected_entity_info: entity.err().map(RejectedEntityInfo::new),
        })
    }
}
