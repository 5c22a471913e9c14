//! Events of several streams in one order.

use crate::{
    log_group::encryption::EventKeys,
    log_stream::{
        LogStream,
        events::{self, LogEvent},
        search::key_range,
    },
};
use nephos_cloud::{Key, Tx};
use nephos_core::{Result, Text};
use nephos_store::{Direction, KeyRange};
use std::{
    cmp::Ordering,
    collections::{BinaryHeap, VecDeque},
    ops::{ControlFlow, Range},
};

/// Number of events that are read from a stream at a time.
const READ_BATCH_SIZE: usize = 256;

/// Events of several streams, ordered by time, stream and number, or in the reverse order.
pub(crate) struct MergedEvents<'t, 'x> {
    cx: &'t Tx<'x>,
    keys: &'t EventKeys,
    direction: Direction,
    sources: Vec<StreamSource>,
    heap: BinaryHeap<Head>,
}

/// A stream: the keys not yet read, and the events read ahead.
struct StreamSource {
    name: Text,
    stream: Key,
    rest: KeyRange,
    read: VecDeque<LogEvent>,
}

/// The next event of a source. The greatest head is the one to return next.
#[derive(PartialEq, Eq)]
struct Head {
    /// Time, stream and number of the event.
    order: (i64, Text, i64),
    direction: Direction,
    /// Index of the source.
    at: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = (&self.order, self.at).cmp(&(&other.order, other.at));
        if self.direction == Direction::Ascending { order.reverse() } else { order }
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'t, 'x> MergedEvents<'t, 'x> {
    /// Merges the events in the time range; with the time, number and stream of an event, only those after it.
    pub(crate) fn new(
        cx: &'t Tx<'x>,
        keys: &'t EventKeys,
        group: &str,
        streams: Vec<LogStream>,
        times: &Range<i64>,
        direction: Direction,
        after: Option<(i64, i64, &str)>,
    ) -> Result<Self> {
        let sources = streams.into_iter().map(|stream| {
            let name = stream.log_stream_name.unwrap_or_default();
            let stream = events::stream_prefix(cx.scope(), group, &name);
            let mut rest = key_range(&stream, times);
            if let Some((time, number, last)) = after {
                // Events of the same time are ordered by stream.
                let end = |number: i64| stream.clone().number(time).number(number);
                let last = match name.as_str().cmp(last) {
                    Ordering::Equal => end(number),
                    Ordering::Less => end(i64::MAX),
                    Ordering::Greater => end(i64::MIN),
                };
                rest = rest.after(last.as_bytes(), direction);
            }
            StreamSource { name, stream, rest, read: VecDeque::new() }
        });
        let mut merged = Self { cx, keys, direction, sources: sources.collect(), heap: BinaryHeap::new() };
        (0..merged.sources.len()).try_for_each(|at| merged.queue_next(at))?;
        Ok(merged)
    }

    /// Pushes the next event of a source on the heap.
    fn queue_next(&mut self, at: usize) -> Result<()> {
        let (source, direction) = (&mut self.sources[at], self.direction);
        if source.read.is_empty() {
            let read = &mut source.read;
            self.cx.scan(self.cx.scope(), &source.rest, direction, |event: LogEvent| {
                read.push_back(event);
                if read.len() == READ_BATCH_SIZE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            for event in &mut source.read {
                self.keys.unseal(self.cx, event)?;
            }
            if let Some(last) = source.read.back() {
                let last = source.stream.clone().number(last.timestamp.unwrap_or(0)).number(last.number());
                source.rest = source.rest.after(last.as_bytes(), direction);
            }
        }
        if let Some(event) = source.read.front() {
            let order = (event.timestamp.unwrap_or(0), source.name.clone(), event.number());
            self.heap.push(Head { order, direction, at });
        }
        Ok(())
    }

    /// Returns the next event.
    pub(crate) fn next(&mut self) -> Result<Option<LogEvent>> {
        self.next_if(|_| true)
    }

    /// Returns the next event if `is_wanted` accepts it.
    pub(crate) fn next_if(&mut self, is_wanted: impl FnOnce(&LogEvent) -> bool) -> Result<Option<LogEvent>> {
        let Some(at) = self.heap.peek().map(|head| head.at) else { return Ok(None) };
        let Some(event) = self.sources[at].read.pop_front_if(|event| is_wanted(event)) else {
            return Ok(None);
        };
        self.heap.pop();
        self.queue_next(at)?;
        Ok(Some(event))
    }
}
