//! Operations on log streams.

use super::{LogStream, LogStreamManager, entity, events, find_streams, group_prefix, require};
use crate::{
    Empty, LogGroup, errors, filter,
    log_group::{self, LogGroupNameOrIdentifier},
};
use nephos_cloud::{Addressed, Direction, Handler, Tx, page_size};
use nephos_core::{
    Listing, ManagerOperation, Page, PageRequest, Record, Result, Text, WorkflowContext, choices, operation,
};

/// Creates a log stream.
#[operation(
    of = LogStream, call = "create", model, case = "camel", needs(log_group_name, log_stream_name),
    effect = write
)]
pub struct CreateLogStream {}

impl Handler for CreateLogStream {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        LogGroup::require(cx, &self.log_group_name, "logGroupName")?;
        if cx.exists(&group_prefix(cx.scope(), &self.log_group_name).text(&self.log_stream_name))? {
            return Err(errors::log_stream_exists().with_hint(self.log_stream_name.as_str()));
        }
        let mut stream = LogStream::from_given(self);
        stream.creation_time = Some(cx.now().as_millisecond());
        cx.put(stream)?;
        Ok(Empty {})
    }
}

/// Deletes a log stream with all its events.
#[operation(
    of = LogStream, call = "delete", on_model, case = "camel", needs(log_group_name, log_stream_name),
    effect = write
)]
pub struct DeleteLogStream {}

impl Handler for DeleteLogStream {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = LogGroup::require(cx, &self.log_group_name, "logGroupName")?;
        let stream = require(cx, &self.log_group_name, &self.log_stream_name)?;
        group.check_unprotected()?;
        let freed = events::remove_events(cx, &self.log_group_name, &self.log_stream_name, i64::MAX)?;
        group.stored_bytes = Some(group.stored_bytes.unwrap_or(0) - freed);
        cx.put(group)?;
        cx.remove(&stream)?;
        entity::remove_entity(cx, &self.log_group_name, &self.log_stream_name)?;
        Ok(Empty {})
    }
}

choices! {
    /// Order of a listing of log streams.
    pub enum OrderBy {
        /// Order by name.
        LogStreamName,
        /// Order by the time of the newest event.
        LastEventTime,
    }
}

/// Parameters of a listing of log streams.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct LogStreamQuery {
    /// Prefix of the stream names; not allowed with `orderBy` `LastEventTime`.
    #[field(like = LogStream::log_stream_name)]
    log_stream_name_prefix: Option<Text>,
    /// Sort order of the listing; by name by default.
    order_by: Option<OrderBy>,
    /// Descending order.
    descending: Option<bool>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size, range(1..=50))]
    limit: Option<i64>,
}

/// Describes the streams of a log group.
#[operation(
    case = "camel", include(LogGroupNameOrIdentifier, LogStreamQuery),
    page(log_streams: LogStream, next_token), effect = read, subject = "log-group:{logGroupIdentifier|logGroupName}:log-stream:",
    access = list
)]
pub struct DescribeLogStreams {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
}

impl Handler for DescribeLogStreams {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        log_group::check_plain_identifier(&self.log_group_identifier)?;
        let group = log_group::resolve_name(cx.scope(), &self.log_group_name, &self.log_group_identifier)?;
        LogGroup::require(cx, group, "logGroupName")?;
        let by_time = self.order_by == Some(OrderBy::LastEventTime);
        if by_time && self.log_stream_name_prefix.is_some() {
            return Err(errors::prefix_with_last_event_time().with_field("logStreamNamePrefix"));
        }
        let page = if by_time { self.list_by_time(cx, group)? } else { self.list_by_name(cx, group)? };
        Ok(page.into())
    }
}

impl DescribeLogStreams {
    fn list_by_name(&self, cx: &Tx<'_>, group: &str) -> Result<(Vec<LogStream>, Option<Text>)> {
        let prefix = self.log_stream_name_prefix.as_deref().unwrap_or_default();
        let direction =
            if self.descending == Some(true) { Direction::Descending } else { Direction::Ascending };
        let rows = group_prefix(cx.scope(), group).text_prefix(prefix);
        cx.page_rows_in(self, &rows, direction, |stream| Ok(Some(stream)))
    }

    /// Lists streams by the time of the newest event. No index has this order, so all streams are read.
    fn list_by_time(&self, cx: &Tx<'_>, group: &str) -> Result<(Vec<LogStream>, Option<Text>)> {
        let descending = self.descending == Some(true);
        let sort_key = |stream: &LogStream| {
            // Streams without events sort first.
            let newest = stream.last_event_timestamp.unwrap_or(i64::MIN);
            (newest, stream.log_stream_name.clone().unwrap_or_default())
        };
        let position = cx.page_after(self)?;
        let after = position.as_deref().and_then(|after| after.split_once(' '));
        let after = after.and_then(|(time, name)| Some((time.parse::<i64>().ok()?, Text::new(name))));
        let mut found = find_streams(cx, group, |stream| match &after {
            Some(after) if descending => sort_key(stream) < *after,
            Some(after) => sort_key(stream) > *after,
            None => true,
        })?;
        found.sort_by_cached_key(sort_key);
        if descending {
            found.reverse();
        }
        let size = page_size(self);
        let more = found.len() > size;
        found.truncate(size);
        let next = found.last().filter(|_| more).map(|last| {
            let (time, name) = sort_key(last);
            cx.page_token(self, &format!("{time} {name}"))
        });
        Ok((found, next))
    }
}

/// Gets a log stream; `None` if it does not exist.
#[operation(
    kind = LogStream, of = LogStream, call = "get", case = "camel", needs(log_group_name, log_stream_name),
    effect = read, output = Option<LogStream>
)]
pub struct LogStreamGet {}

impl ManagerOperation for LogStreamGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<LogStream>> {
        let describe = DescribeLogStreams::from_given(self.clone());
        let describe = describe.log_stream_name_prefix(self.log_stream_name.clone()).limit(1);
        let found = context.find(describe).await?.and_then(|found| found.log_streams);
        Ok(filter::first_named(found, &self.log_stream_name).map(|mut stream| {
            // The response does not contain the group name.
            stream.log_group_name = Some(self.log_group_name.clone());
            stream
        }))
    }
}

/// Lists the streams of a log group, ordered by name.
#[operation(
    kind = LogStream, of = LogStream, call = "list", pages, case = "camel", needs(log_group_name),
    include(LogStreamQuery), effect = read, output = Page<LogStream>
)]
pub struct LogStreamList {}

impl Listing for LogStreamList {
    type Model = LogStream;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<LogStream>> {
        let describe = DescribeLogStreams::from_given(self.clone()).next_token(request.token.clone());
        let found = context.call(describe).await?;
        let mut items = found.log_streams.unwrap_or_default();
        // The response does not contain the group name.
        items.iter_mut().for_each(|stream| stream.log_group_name = Some(self.log_group_name.clone()));
        Ok(Page { items, next_token: found.next_token })
    }
}
