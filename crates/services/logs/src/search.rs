//! Reading log events: of one stream forwards or backwards, and across the streams of a group in chronological order.

use super::{
    SERVICE, errors,
    events::{self, LogEvent, LogEventManager},
    log_group::{self, LogGroupIdentifier, LogGroupNameOrIdentifier},
    log_stream::{self, LogStream},
    pattern::Pattern,
    protection,
};
use nephos_cloud::{Handler, Key, Scope, Tx, page_size};
use nephos_core::{Arn, Listing, Page, PageRequest, Record, Result, Text, WorkflowContext, operation};
use nephos_store::{Direction, KeyRange};
use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, VecDeque},
    ops::{Bound, ControlFlow, Range},
};

/// Maximum number of events scanned for a page; a page may be empty and still have a pagination token.
const MAX_SCANNED_EVENTS: usize = 100_000;

/// Maximum size of the messages on a page, in bytes.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// Directions of the pagination tokens of `GetLogEvents`.
const FORWARD: &str = "f";
const BACKWARD: &str = "b";

/// An event of a log stream.
#[derive(Record)]
#[record(hot, case = "camel")]
pub struct OutputLogEvent {
    /// Time of the event, in milliseconds since 1970.
    timestamp: Option<i64>,
    /// Message of the event.
    message: Option<Text>,
    /// Ingestion time, in milliseconds since 1970.
    ingestion_time: Option<i64>,
}

/// Parameters that select events by time, page size and masking.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct EventRange {
    /// Start of the time range, inclusive, in milliseconds since 1970.
    #[field(range(0..))]
    start_time: Option<i64>,
    /// End of the time range, exclusive, in milliseconds since 1970.
    #[field(range(0..))]
    end_time: Option<i64>,
    /// Maximum number of results on a page; by default up to 10,000 that fit into 1 MiB.
    #[field(page_size, range(1..=10000))]
    limit: Option<i64>,
    /// Returns the original messages, without masking by data protection policies.
    unmask: Option<bool>,
}

/// Parameters that select events by stream and filter pattern.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct EventFilter {
    /// Names of the streams to search.
    #[field(length(1..=100), each(length(1..=512), pattern = "[^:*]*"))]
    log_stream_names: Option<Vec<Text>>,
    /// Prefix of the names of the streams to search.
    #[field(like = LogStream::log_stream_name)]
    log_stream_name_prefix: Option<Text>,
    /// Filter pattern that the events match.
    #[field(length(..=1024))]
    filter_pattern: Option<Text>,
}

/// Gets a page of the events of a log stream, forwards or backwards.
#[operation(
    service = SERVICE, of = LogStream, case = "camel", needs(log_stream_name),
    also(LogGroupNameOrIdentifier, EventRange),
    effect = read, output = StreamEvents, subject = "log-group:{logGroupIdentifier|logGroupName}"
)]
pub struct GetLogEvents {
    /// Pagination token of the previous page, forwards or backwards.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// Starts with the oldest event; by default with the newest.
    pub start_from_head: Option<bool>,
}

/// A page of the events of a stream.
#[derive(Record)]
#[record(answer, case = "camel", name = "GetLogEventsResponse")]
pub struct StreamEvents {
    /// Events, oldest first.
    events: Option<Vec<OutputLogEvent>>,
    /// Pagination token of later events; at the end of the stream, the token of the request.
    next_forward_token: Option<Text>,
    /// Pagination token of earlier events; at the start of the stream, the token of the request.
    next_backward_token: Option<Text>,
}

/// Formats the position of an event: its time and number, and its stream or the direction of the token.
fn format_position(time: i64, number: i64, rest: &str) -> String {
    format!("{time} {number} {rest}")
}

fn parse_position(position: &str) -> Result<(i64, i64, &str)> {
    let mut parts = position.splitn(3, ' ');
    match (parts.next().map(str::parse), parts.next().map(str::parse), parts.next()) {
        (Some(Ok(time)), Some(Ok(number)), Some(rest)) => Ok((time, number, rest)),
        _ => Err(errors::invalid("nextToken", "The specified nextToken is invalid.")),
    }
}

impl Handler for GetLogEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<StreamEvents> {
        let group = log_group::resolve_name(cx.scope(), &self.log_group_name, &self.log_group_identifier)?;
        let times = time_range(self.start_time, self.end_time)?;
        log_group::require(cx, group)?;
        log_stream::require(cx, group, &self.log_stream_name)?;
        let query = Self { start_from_head: None, ..self.clone() };
        let position = cx.page_after(&query)?;
        let after = position.as_deref().map(parse_position).transpose()?;
        let forward = after
            .map_or(self.start_from_head == Some(true), |(.., direction_code)| direction_code == FORWARD);
        let direction = if forward { Direction::Ascending } else { Direction::Descending };
        let stream = events::stream_prefix(cx.scope(), group, &self.log_stream_name);
        let mut range = key_range(&stream, &times);
        if let Some((time, number, _)) = after {
            range = range.after(stream.number(time).number(number).as_bytes(), direction);
        }
        let limit = page_size(&self);
        let (mut found, mut bytes) = (Vec::<LogEvent>::new(), 0);
        cx.scan::<LogEvent>(cx.scope(), &range, direction, |event| {
            bytes += event.message.as_deref().map_or(0, str::len);
            if bytes > MAX_PAGE_BYTES && !found.is_empty() {
                return ControlFlow::Break(());
            }
            found.push(event);
            if found.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if !forward {
            found.reverse();
        }
        // An empty page keeps the position of both tokens. At an end, the token that led there is returned unchanged.
        let page_token = |event: Option<&LogEvent>, direction_code: &str, end: i64| {
            let same_direction = after.is_some_and(|(.., previous)| previous == direction_code);
            if let (None, true, Some(token)) = (event, same_direction, &self.next_token) {
                return token.clone();
            }
            let found = event.map(|event| (event.timestamp.unwrap_or(0), event.number()));
            let (time, number) = found.or(after.map(|(time, number, _)| (time, number))).unwrap_or((end, 0));
            cx.page_token(&query, &format_position(time, number, direction_code))
        };
        let forward_token = page_token(found.last(), FORWARD, i64::MIN);
        let backward_token = page_token(found.first(), BACKWARD, i64::MAX);
        let mask = protection::group_mask(cx, group, self.unmask)?;
        let events = found.into_iter().map(|event| OutputLogEvent {
            timestamp: event.timestamp,
            message: event.message.map(|message| mask.apply(message, event.ingestion_time)),
            ingestion_time: event.ingestion_time,
        });
        Ok(StreamEvents {
            events: Some(events.collect()),
            next_forward_token: Some(forward_token),
            next_backward_token: Some(backward_token),
        })
    }
}

/// Returns the time range of the request.
fn time_range(start: Option<i64>, end: Option<i64>) -> Result<Range<i64>> {
    match (start, end) {
        (Some(start), Some(end)) if start > end => {
            Err(errors::invalid("startTime", format!("{start} must not be later than endTime {end}")))
        }
        _ => Ok(start.unwrap_or(i64::MIN)..end.unwrap_or(i64::MAX)),
    }
}

/// Returns the key range of the events of a stream in the time range.
fn key_range(stream: &Key, times: &Range<i64>) -> KeyRange {
    let [start, end] = [times.start, times.end].map(|time| stream.clone().number(time));
    KeyRange::from_bounds::<&[u8]>((Bound::Included(start.as_bytes()), Bound::Excluded(end.as_bytes())))
}

/// Searches the events of a log group, in chronological order.
#[operation(
    service = SERVICE, case = "camel", also(LogGroupNameOrIdentifier, EventFilter, EventRange),
    effect = read, output = FilteredEvents, subject = "log-group:{logGroupIdentifier|logGroupName}"
)]
pub struct FilterLogEvents {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// Chronological order across streams; deprecated, the order is always chronological.
    pub interleaved: Option<bool>,
}

/// A page of matching events.
#[derive(Record)]
#[record(answer, case = "camel", name = "FilterLogEventsResponse")]
pub struct FilteredEvents {
    /// Events, oldest first.
    events: Option<Vec<LogEvent>>,
    /// Streams that were searched; deprecated and always empty.
    searched_log_streams: Option<Vec<SearchedLogStream>>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
}

/// A stream that was searched.
#[derive(Record)]
#[record(case = "camel")]
pub struct SearchedLogStream {
    /// Name of the stream.
    log_stream_name: Option<Text>,
    /// True if the whole stream was searched.
    searched_completely: Option<bool>,
}

impl Handler for FilterLogEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<FilteredEvents> {
        let group = log_group::resolve_name(cx.scope(), &self.log_group_name, &self.log_group_identifier)?;
        let times = time_range(self.start_time, self.end_time)?;
        if self.log_stream_names.is_some() && self.log_stream_name_prefix.is_some() {
            return Err(errors::invalid("logStreamNamePrefix", "cannot be used with logStreamNames"));
        }
        let pattern = Pattern::parse(self.filter_pattern.as_deref().unwrap_or_default())?;
        log_group::require(cx, group)?;
        let position = cx.page_after(&self)?;
        let streams = self.matching_streams(cx, group, &times)?;
        let mut merged = MergedEvents::new(cx, group, streams, &times, position.as_deref())?;
        let limit = page_size(&self);
        let mask = protection::group_mask(cx, group, self.unmask)?;
        let (mut found, mut bytes, mut next_token) = (Vec::new(), 0, None);
        let mut scanned = 0;
        while let Some(mut event) = merged.next()? {
            scanned += 1;
            let position = position_of(&event);
            let message = event.message.as_deref().unwrap_or_default();
            if pattern.matches(message) {
                bytes += message.len();
                event.message = event.message.map(|message| mask.apply(message, event.ingestion_time));
                found.push(event);
            }
            let full = found.len() == limit || bytes > MAX_PAGE_BYTES || scanned == MAX_SCANNED_EVENTS;
            if full && merged.has_more() {
                next_token = Some(cx.page_token(&self, &position));
                break;
            }
        }
        Ok(FilteredEvents { events: Some(found), searched_log_streams: Some(Vec::new()), next_token })
    }
}

impl FilterLogEvents {
    /// Returns the selected streams that have events in the time range.
    fn matching_streams(&self, cx: &Tx<'_>, group: &str, times: &Range<i64>) -> Result<Vec<LogStream>> {
        let in_range = |stream: &LogStream| stream.overlaps(times);
        if let Some(names) = &self.log_stream_names {
            let found = names.iter().map(|name| log_stream::require(cx, group, name));
            let mut found = found.collect::<Result<Vec<_>>>()?;
            found.retain(in_range);
            return Ok(found);
        }
        let prefix = self.log_stream_name_prefix.as_deref().unwrap_or_default();
        let has_prefix = |stream: &LogStream| {
            stream.log_stream_name.as_deref().is_some_and(|name| name.starts_with(prefix))
        };
        log_stream::find_streams(cx, group, |stream| has_prefix(stream) && in_range(stream))
    }
}

/// Returns the position of an event among all events of its group.
fn position_of(event: &LogEvent) -> String {
    let stream = event.log_stream_name.as_deref().unwrap_or_default();
    format_position(event.timestamp.unwrap_or(0), event.number(), stream)
}

/// Number of events that are read from a stream at a time.
const READ_BATCH_SIZE: usize = 256;

/// Events of several streams, ordered by time, stream and number.
pub(super) struct MergedEvents<'t, 'x> {
    cx: &'t Tx<'x>,
    sources: Vec<StreamSource>,
    heap: BinaryHeap<Reverse<(i64, Text, i64, usize)>>,
}

/// A stream: the keys not yet read, and the events read ahead.
struct StreamSource {
    name: Text,
    stream: Key,
    rest: KeyRange,
    read: VecDeque<LogEvent>,
}

impl<'t, 'x> MergedEvents<'t, 'x> {
    /// Merges the events in the time range; with a position, only those after it.
    pub(super) fn new(
        cx: &'t Tx<'x>,
        group: &str,
        streams: Vec<LogStream>,
        times: &Range<i64>,
        position: Option<&str>,
    ) -> Result<Self> {
        let after = position.map(parse_position).transpose()?;
        let sources = streams.into_iter().map(|stream| {
            let name = stream.log_stream_name.unwrap_or_default();
            let stream = events::stream_prefix(cx.scope(), group, &name);
            let mut rest = key_range(&stream, times);
            if let Some((time, number, last)) = after {
                let last = match name.as_str().cmp(last) {
                    Ordering::Less => stream.clone().number(time).number(i64::MAX),
                    Ordering::Equal => stream.clone().number(time).number(number),
                    Ordering::Greater => stream.clone().number(time),
                };
                rest = rest.after(last.as_bytes(), Direction::Ascending);
            }
            StreamSource { name, stream, rest, read: VecDeque::new() }
        });
        let mut merged = Self { cx, sources: sources.collect(), heap: BinaryHeap::new() };
        (0..merged.sources.len()).try_for_each(|at| merged.queue_next(at))?;
        Ok(merged)
    }

    /// Pushes the next event of a source on the heap.
    fn queue_next(&mut self, at: usize) -> Result<()> {
        let source = &mut self.sources[at];
        if source.read.is_empty() {
            let read = &mut source.read;
            self.cx.scan(self.cx.scope(), &source.rest, Direction::Ascending, |event: LogEvent| {
                read.push_back(event);
                if read.len() == READ_BATCH_SIZE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let Some(last) = source.read.back() {
                let last = source.stream.clone().number(last.timestamp.unwrap_or(0)).number(last.number());
                source.rest = source.rest.after(last.as_bytes(), Direction::Ascending);
            }
        }
        if let Some(event) = source.read.front() {
            self.heap.push(Reverse((event.timestamp.unwrap_or(0), source.name.clone(), event.number(), at)));
        }
        Ok(())
    }

    fn has_more(&self) -> bool {
        !self.heap.is_empty()
    }

    pub(super) fn next(&mut self) -> Result<Option<LogEvent>> {
        let Some(Reverse((.., at))) = self.heap.pop() else { return Ok(None) };
        let event = self.sources[at].read.pop_front();
        self.queue_next(at)?;
        Ok(event)
    }
}

/// Lists the events of a log group, in chronological order.
#[operation(
    kind = LogEvent, call = "list", pages, case = "camel", also(LogGroupIdentifier, EventFilter, EventRange),
    effect = read, output = Page<LogEvent>
)]
pub struct LogEventList {}

impl Listing for LogEventList {
    type Model = LogEvent;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<LogEvent>> {
        let mut filter = FilterLogEvents::from_given(self.clone()).next_token(request.token.clone());
        // Send a name as `logGroupName`: not every server supports identifiers.
        if Arn::parts(&self.log_group_identifier).is_none() {
            filter.log_group_name = filter.log_group_identifier.take();
        }
        let found = context.call(filter).await?;
        let scope = Scope::new(context.session().account(), context.session().region());
        let group =
            Text::new(log_group::parse_identifier(&scope, &self.log_group_identifier, "logGroupIdentifier")?);
        let mut items = found.events.unwrap_or_default();
        items.iter_mut().for_each(|event| event.log_group_name = Some(group.clone()));
        Ok(Page { items, next_token: found.next_token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::session_answering;
    use nephos_core::field_value::FieldType;
    use std::sync::{Arc, Mutex};

    #[test]
    fn list_sends_a_name_as_log_group_name_and_an_arn_as_identifier() {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = requests.clone();
        let session = session_answering(move |request| {
            recorded.lock().unwrap().push(format!("{request:?}"));
            Box::new(FilteredEvents::blank())
        });
        let arn = format!("arn:aws:logs:{}:{}:log-group:/web", session.region(), session.account());
        for identifier in ["/web", arn.as_str()] {
            LogEvent::objects(&session).list(identifier).results().all().wait().unwrap();
        }
        let requests = requests.lock().unwrap();
        assert!(requests[0].contains(r#"logGroupName: "/web""#), "{}", requests[0]);
        assert!(requests[1].contains(&format!("logGroupIdentifier: {arn:?}")), "{}", requests[1]);
    }
}
