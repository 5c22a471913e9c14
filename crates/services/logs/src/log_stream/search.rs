//! Reading log events: of one stream forwards or backwards, and across the streams of a group in chronological order.

use crate::{
    LogGroup, errors,
    filter::pattern::Pattern,
    log_group::{
        self, LogGroupIdentifier, LogGroupNameOrIdentifier,
        encryption::{self, EventKeys},
    },
    log_stream::{
        self, LogStream,
        events::{self, LogEvent, LogEventManager},
        merged::MergedEvents,
    },
    policy::protection,
};
use nephos_cloud::{Addressed, Handler, Key, Scope, Tx, page_size};
use nephos_core::{
    Arn, Listing, Page, PageRequest, Record, Result, Text, WorkflowContext, operation, record_of,
};
use nephos_store::{Direction, KeyRange};
use std::ops::{Bound, ControlFlow, Range};

/// Maximum number of events scanned for a page; a page may be empty and still have a pagination token.
const MAX_SCANNED_EVENTS: usize = 100_000;

/// Maximum size of the messages on a page, in bytes.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// Earliest `startTime` of a search that starts with the newest event: 2024-01-01, in milliseconds since 1970.
const REVERSE_SINCE: i64 = 1_704_067_200_000;

/// Directions of pagination tokens.
const FORWARD: &str = "f";
const BACKWARD: &str = "b";

/// An event of a log stream.
#[record_of(of = LogEvent, answer, hot, case = "camel", takes(timestamp, message, ingestion_time))]
pub struct OutputLogEvent {}

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
    /// Starts with the oldest event, which is the default; otherwise with the newest. A pagination token keeps its order.
    start_from_head: Option<bool>,
}

/// Gets a page of the events of a log stream, forwards or backwards.
#[operation(
    of = LogStream, case = "camel", needs(log_stream_name),
    include(LogGroupNameOrIdentifier, EventRange),
    effect = read, output = StreamEvents,
    subject = "log-group:{logGroupIdentifier|logGroupName}:log-stream:{logStreamName}"
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

/// Parses the position of an event.
fn parse_position(position: &str) -> Result<(i64, i64, &str)> {
    let mut parts = position.splitn(3, ' ');
    match (parts.next().map(str::parse), parts.next().map(str::parse), parts.next()) {
        (Some(Ok(time)), Some(Ok(number)), Some(rest)) => Ok((time, number, rest)),
        _ => Err(errors::invalid_next_token().with_field("nextToken")),
    }
}

impl Handler for GetLogEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<StreamEvents> {
        log_group::check_plain_identifier(&self.log_group_identifier)?;
        let group = log_group::resolve_name(cx.scope(), &self.log_group_name, &self.log_group_identifier)?;
        let times = time_range(self.start_time, self.end_time)?;
        LogGroup::require(cx, group, "logGroupName")?;
        log_stream::require(cx, group, &self.log_stream_name)?;
        let query = Self { start_from_head: None, ..self.clone() };
        let position = cx.page_after(&query)?;
        let after = position.as_deref().map(parse_position).transpose()?;
        let forward = after
            .map_or(self.start_from_head == Some(true), |(.., direction_code)| direction_code == FORWARD);
        let direction = direction_of(forward);
        let stream = events::stream_prefix(cx.scope(), group, &self.log_stream_name);
        let mut range = key_range(&stream, &times);
        if let Some((time, number, _)) = after {
            range = range.after(stream.number(time).number(number).as_bytes(), direction);
        }
        let limit = page_size(&self);
        let (mut found, mut bytes) = (Vec::<LogEvent>::new(), 0);
        cx.scan::<LogEvent>(cx.scope(), &range, direction, |event| {
            bytes += event.message.as_deref().map_or(0, encryption::message_length);
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
        let keys = EventKeys::open(cx, group)?;
        found.iter_mut().try_for_each(|event| keys.unseal(cx, event))?;
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
            let hint = format!("{start} is later than {end}");
            Err(errors::invalid_time_range().with_field("startTime").with_hint(hint))
        }
        _ => Ok(start.unwrap_or(i64::MIN)..end.unwrap_or(i64::MAX)),
    }
}

/// Returns the key range of the events of a stream in the time range.
pub(crate) fn key_range(stream: &Key, times: &Range<i64>) -> KeyRange {
    let [start, end] = [times.start, times.end].map(|time| stream.clone().number(time));
    KeyRange::from_bounds::<&[u8]>((Bound::Included(start.as_bytes()), Bound::Excluded(end.as_bytes())))
}

/// Searches the events of a log group, in chronological order or the reverse.
#[operation(
    case = "camel", include(LogGroupNameOrIdentifier, EventFilter, EventRange),
    effect = read, output = FilteredEvents, subject = "log-group:{logGroupIdentifier|logGroupName}:log-stream:"
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
    /// Events, in the order of the search.
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
            return Err(errors::stream_names_and_prefix_given().with_field("logStreamNamePrefix"));
        }
        if self.start_from_head == Some(false) && self.start_time.is_some_and(|start| start < REVERSE_SINCE) {
            return Err(errors::early_start_from_tail().with_field("startTime"));
        }
        let pattern = Pattern::parse(self.filter_pattern.as_deref().unwrap_or_default())?;
        LogGroup::require(cx, group, "logGroupName")?;
        let query = Self { start_from_head: None, ..self.clone() };
        let position = cx.page_after(&query)?;
        let after = position.as_deref().map(parse_search_position).transpose()?;
        // The token keeps the direction of the first page.
        let direction = after.map_or(direction_of(self.start_from_head != Some(false)), |(first, _)| first);
        let after = after.map(|(_, after)| after);
        let streams = self.matching_streams(cx, group, &times)?;
        let keys = EventKeys::open(cx, group)?;
        let mut merged = MergedEvents::new(cx, &keys, group, streams, &times, direction, after)?;
        let limit = page_size(&self);
        let mask = protection::group_mask(cx, group, self.unmask)?;
        let (mut found, mut bytes, mut scanned, mut last) = (Vec::new(), 0, 0, None);
        let (mut is_match, mut is_full) = (false, false);
        while let Some(mut event) = merged.next_if(|event| {
            let message = event.message.as_deref().unwrap_or_default();
            let exceeds = |size: usize| bytes + size > MAX_PAGE_BYTES && !found.is_empty();
            is_full = scanned == MAX_SCANNED_EVENTS || found.len() == limit;
            is_match = !is_full && pattern.matches(message);
            is_full |= is_match && exceeds(message.len());
            !is_full
        })? {
            scanned += 1;
            last = Some(position_of(&event, direction));
            if is_match {
                bytes += event.message.as_deref().map_or(0, str::len);
                event.message = event.message.map(|message| mask.apply(message, event.ingestion_time));
                found.push(event);
            }
        }
        let next_token = last.filter(|_| is_full).map(|last| cx.page_token(&query, &last));
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

/// Returns the position of an event among all events of its group, and the direction of the search.
fn position_of(event: &LogEvent, direction: Direction) -> String {
    let code = if direction == Direction::Ascending { FORWARD } else { BACKWARD };
    let stream = event.log_stream_name.as_deref().unwrap_or_default();
    format_position(event.timestamp.unwrap_or(0), event.number(), &format!("{code}{stream}"))
}

/// Parses the direction of a search, and the position of an event: its time, number and stream.
fn parse_search_position(position: &str) -> Result<(Direction, (i64, i64, &str))> {
    let (time, number, rest) = parse_position(position)?;
    let (is_forward, stream) = match rest.strip_prefix(BACKWARD) {
        Some(stream) => (false, stream),
        None => (true, rest.strip_prefix(FORWARD).unwrap_or(rest)),
    };
    Ok((direction_of(is_forward), (time, number, stream)))
}

fn direction_of(forward: bool) -> Direction {
    if forward { Direction::Ascending } else { Direction::Descending }
}

/// Lists the events of a log group, in chronological order.
#[operation(
    kind = LogEvent, call = "list", pages, case = "camel", include(LogGroupIdentifier, EventFilter, EventRange),
    effect = read, output = Page<LogEvent>
)]
pub struct LogEventList {}

impl Listing for LogEventList {
    type Model = LogEvent;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<LogEvent>> {
        let mut filter = FilterLogEvents::from_given(self.clone()).next_token(request.token.clone());
        let scope = Scope::new(context.session().account(), context.session().region());
        let group =
            Text::new(log_group::parse_identifier(&scope, &self.log_group_identifier, "logGroupIdentifier")?);
        // Send a name as `logGroupName`: not every server supports identifiers.
        if Arn::parts(&self.log_group_identifier).is_none() {
            (filter.log_group_name, filter.log_group_identifier) = (Some(group.clone()), None);
        }
        let found = context.call(filter).await?;
        let mut items = found.events.unwrap_or_default();
        items.iter_mut().for_each(|event| event.log_group_name = Some(group.clone()));
        Ok(Page { items, next_token: found.next_token })
    }
}
