//! Events in archives: stored in the transaction that publishes them, and removed when their retention ends.
//!
//! The rows are in order of the times of the events, which replays follow. The retention of an event begins at its arrival, or at its
//! own time if that is later. The work that removes events runs at full hours, so that there is one for all events of an hour.

use crate::{
    Archive, ArchiveState, BusEvent, EventBus, event_rule,
    pattern::{self, Pattern},
};
use nephos_cloud::{Addressed, Direction, Stored, Tx, Work};
use nephos_core::{
    Record, Result, Text, Timestamp, Value,
    json::{self, Writing},
};
use std::{collections::BTreeSet, ops::ControlFlow};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// Member of an event that has the name of the replay that it comes from.
pub(crate) const REPLAY_NAME: &str = "replay-name";

/// Row of an event in an archive.
#[derive(Record)]
#[record(row)]
pub(crate) struct ArchivedEvent {
    /// Name of the archive.
    archive_name: Option<Text>,
    /// Time of the event, in seconds since 1970.
    pub(crate) time: Option<i64>,
    /// Number of the event in the archive, in order of arrival.
    pub(crate) number: Option<i64>,
    /// Time of arrival.
    arrival: Option<Timestamp>,
    /// Size of the event, in bytes.
    size: Option<i64>,
    /// The event, as JSON.
    pub(crate) event: Option<Text>,
}

nephos_cloud::stored!(ArchivedEvent in "events/archived-event" by archive_name, time, number);

impl ArchivedEvent {
    /// Time at which the retention of the event begins, in seconds since 1970.
    fn retained_since(&self) -> i64 {
        let arrival = self.arrival.unwrap_or_default().as_second();
        arrival.max(self.time.unwrap_or_default())
    }
}

/// Row of the numbers of an archive.
#[derive(Record)]
#[record(row)]
pub(crate) struct ArchiveNumbers {
    /// Name of the archive.
    archive_name: Option<Text>,
    /// Number of the last event that arrived.
    last: Option<i64>,
    /// Number of events in the archive.
    count: Option<i64>,
    /// Size of the events in the archive, in bytes.
    size: Option<i64>,
}

nephos_cloud::stored!(ArchiveNumbers in "events/archive-numbers" by archive_name);

impl ArchiveNumbers {
    fn of_archive(cx: &Tx<'_>, name: &str) -> Result<Self> {
        let found = cx.get(&Self::table(cx.scope()).text(name))?;
        let empty = || Self { archive_name: Some(name.into()), last: None, count: None, size: None };
        Ok(found.unwrap_or_else(empty))
    }

    /// Adds a number of events and their size.
    fn add(&mut self, count: i64, size: i64) {
        self.count = Some(self.count.unwrap_or(0) + count);
        self.size = Some(self.size.unwrap_or(0) + size);
    }
}

/// Returns the number and the size of the events in an archive.
pub(crate) fn count(cx: &Tx<'_>, name: &str) -> Result<(Option<i64>, Option<i64>)> {
    let numbers = ArchiveNumbers::of_archive(cx, name)?;
    Ok((numbers.count.or(Some(0)), numbers.size.or(Some(0))))
}

/// An archive as the index of its bus has it.
pub(crate) struct CompiledArchive {
    name: Text,
    pattern: Option<Pattern>,
    retention_days: i64,
}

/// Returns the enabled archives of a bus.
pub(crate) fn compile(cx: &Tx<'_>, bus: &str) -> Result<Vec<CompiledArchive>> {
    let bus = Text::from(EventBus::arn_with(cx.scope(), &[bus]));
    let mut compiled = Vec::new();
    for archive in cx.all::<Archive>(&Archive::table(cx.scope()))? {
        if archive.event_source_arn.as_ref() != Some(&bus) || archive.state != Some(ArchiveState::Enabled) {
            continue;
        }
        compiled.push(CompiledArchive {
            name: archive.archive_name.unwrap_or_default(),
            pattern: archive.event_pattern.as_deref().map(event_rule::put::parse_pattern).transpose()?,
            retention_days: archive.retention_days.unwrap_or(0),
        });
    }
    Ok(compiled)
}

/// Stores an event in the archives whose patterns it matches. Events of replays are not archived.
pub(crate) fn store(cx: &mut Tx<'_>, archives: &[CompiledArchive], event: &BusEvent) -> Result<()> {
    if archives.is_empty() || event.value.get(REPLAY_NAME).is_some() {
        return Ok(());
    }
    let Some(prepared) = pattern::Event::prepare(&event.value) else { return Ok(()) };
    for archive in archives {
        if archive.pattern.as_ref().is_none_or(|pattern| pattern.matches(&prepared)) {
            archive.add(cx, event)?;
        }
    }
    Ok(())
}

impl CompiledArchive {
    fn add(&self, cx: &mut Tx<'_>, event: &BusEvent) -> Result<()> {
        let now = cx.now();
        let time = event.value.get("time").and_then(Value::as_text).and_then(|time| time.parse().ok());
        let mut numbers = ArchiveNumbers::of_archive(cx, &self.name)?;
        let (number, size) = (numbers.last.unwrap_or(0) + 1, size_of(&event.value));
        numbers.last = Some(number);
        numbers.add(1, size);
        cx.put(numbers)?;
        let row = ArchivedEvent {
            archive_name: Some(self.name.clone()),
            time: Some(time.unwrap_or(now).as_second()),
            number: Some(number),
            arrival: Some(now),
            size: Some(size),
            event: Some(event.text.clone()),
        };
        schedule_expiry(cx, &self.name, self.retention_days, hour_after(row.retained_since()))?;
        cx.put(row)
    }
}

/// Size of an event as the provider counts it.
fn size_of(event: &Value) -> i64 {
    let text = |name: &str| event.get(name).and_then(Value::as_text).map_or(0, str::len);
    let detail = event.get("detail").map_or(0, |detail| json::write(detail.view(), Writing::EXPOSED).len());
    let resources = match event.get("resources") {
        Some(Value::List(resources)) => resources.iter().filter_map(Value::as_text).map(str::len).sum(),
        _ => 0,
    };
    let size = text("source") + text("detail-type") + text("time") + detail + resources;
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// Returns the first full hour that is not before a time, in seconds since 1970.
fn hour_after(second: i64) -> i64 {
    second.saturating_add(HOUR - 1).div_euclid(HOUR).saturating_mul(HOUR)
}

/// Schedules the removal of the events whose retention began up to a time, in seconds since 1970.
fn schedule_expiry(cx: &mut Tx<'_>, archive: &str, retention_days: i64, since: i64) -> Result<()> {
    if retention_days == 0 {
        return Ok(());
    }
    match Timestamp::from_second(since.saturating_add(retention_days.saturating_mul(DAY))) {
        Ok(time) => cx.schedule(time, &Expire { archive_name: Some(archive.into()) }),
        // The retention does not end before the end of time.
        Err(_) => Ok(()),
    }
}

/// Schedules the removal of all events of an archive, after its retention was changed.
pub(crate) fn schedule_expiry_of_all(cx: &mut Tx<'_>, archive: &Archive) -> Result<()> {
    let name = archive.archive_name.as_deref().unwrap_or_default();
    let mut hours = BTreeSet::new();
    let all = ArchivedEvent::table(cx.scope()).text(name).prefix_range();
    cx.scan(cx.scope(), &all, Direction::Ascending, |row: ArchivedEvent| {
        hours.insert(hour_after(row.retained_since()));
        ControlFlow::Continue(())
    })?;
    let retention_days = archive.retention_days.unwrap_or(0);
    hours.into_iter().try_for_each(|hour| schedule_expiry(cx, name, retention_days, hour))
}

/// Removal of the events of an archive whose retention has ended.
#[derive(Record)]
#[record(row)]
pub(crate) struct Expire {
    /// Name of the archive.
    archive_name: Option<Text>,
}

impl Work for Expire {
    const NAME: &'static str = "events/expire";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let name = self.archive_name.as_deref().unwrap_or_default();
        let Some(archive) = Archive::find_by(cx, &[name])? else { return Ok(()) };
        let retention = archive.retention_days.unwrap_or(0).saturating_mul(DAY);
        if retention == 0 {
            return Ok(());
        }
        let last = cx.now().as_second().saturating_sub(retention);
        let mut expired = Vec::new();
        let all = ArchivedEvent::table(cx.scope()).text(name).prefix_range();
        cx.scan(cx.scope(), &all, Direction::Ascending, |row: ArchivedEvent| {
            if row.time > Some(last) {
                return ControlFlow::Break(());
            }
            if row.retained_since() <= last {
                expired.push(row);
            }
            ControlFlow::Continue(())
        })?;
        if expired.is_empty() {
            return Ok(());
        }
        let mut numbers = ArchiveNumbers::of_archive(cx, name)?;
        for row in expired {
            numbers.add(-1, -row.size.unwrap_or(0));
            cx.remove(&row)?;
        }
        cx.put(numbers)
    }
}

/// Removes all events of an archive.
pub(crate) fn remove_all(cx: &mut Tx<'_>, name: &str) -> Result<()> {
    let all = ArchivedEvent::table(cx.scope()).text(name).prefix_range();
    cx.remove_all(&all)?;
    cx.remove_row(&ArchiveNumbers::table(cx.scope()).text(name))
}

/// Reads events of an archive in order of their times: those after a time and number, before the time `end`, and at most `max`.
pub(crate) fn read(
    cx: &Tx<'_>,
    archive: &str,
    after: (i64, i64),
    end: Timestamp,
    max: usize,
) -> Result<Vec<ArchivedEvent>> {
    let prefix = ArchivedEvent::table(cx.scope()).text(archive);
    let rest = prefix.prefix_range_after(&prefix.clone().number(after.0).number(after.1));
    let mut found = Vec::new();
    cx.scan(cx.scope(), &rest, Direction::Ascending, |row: ArchivedEvent| {
        let time = Timestamp::from_second(row.time.unwrap_or_default()).unwrap_or(Timestamp::MAX);
        if time >= end {
            return ControlFlow::Break(());
        }
        found.push(row);
        if found.len() < max { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}
