//! Field discovery: names of the fields in log events, and the percentage of events that have them.

use crate::{
    LogGroup, LogGroupManager,
    log_group::{self, LogGroupNameOrIdentifier, encryption::EventKeys, expiry::MINUTE},
    log_stream::{self, merged::MergedEvents},
};
use nephos_cloud::{Addressed, Direction, Handler, Tx};
use nephos_core::{Record, Result, Text, Value, json, operation};
use std::collections::BTreeMap;

/// Fields that the service adds to every event.
const GENERATED_FIELDS: [&str; 5] = ["@ingestionTime", "@log", "@logStream", "@message", "@timestamp"];

/// A field of log events.
#[derive(Record)]
#[record(case = "camel")]
pub struct LogGroupField {
    /// Name of the field; names of generated fields begin with `@`.
    name: Option<Text>,
    /// Percentage of the events that have the field.
    #[field(range(0..=100))]
    percent: Option<i64>,
}

/// Gets the fields of the events of a log group, the most frequent first.
#[operation(
    of = LogGroup, call = "get_fields", wraps(log_group_fields: Vec<LogGroupField>), case = "camel",
    include(LogGroupNameOrIdentifier), one_of(log_group_name, log_group_identifier), effect = read,
    subject = "log-group:{logGroupIdentifier|logGroupName}:log-stream:"
)]
pub struct GetLogGroupFields {
    /// Middle of the time range, in seconds since 1970. The range is 8 minutes before and after it; by default the last
    /// 15 minutes.
    #[field(range(0..))]
    pub time: Option<i64>,
}

impl Handler for GetLogGroupFields {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let group = log_group::resolve_name(cx.scope(), &self.log_group_name, &self.log_group_identifier)?;
        LogGroup::require(cx, group, "logGroupName")?;
        let now = cx.now().as_millisecond();
        let times = match self.time.map(|seconds| seconds.saturating_mul(1000)) {
            Some(middle) => middle.saturating_sub(8 * MINUTE)..middle.saturating_add(8 * MINUTE + 1),
            None => now - 15 * MINUTE..now + 1,
        };
        let streams = log_stream::find_streams(cx, group, |stream| stream.overlaps(&times))?;
        let (mut events, mut counts) = (0_i64, BTreeMap::<Text, i64>::new());
        let keys = EventKeys::open(cx, group)?;
        let mut merged = MergedEvents::new(cx, &keys, group, streams, &times, Direction::Ascending, None)?;
        while let Some(event) = merged.next()? {
            events += 1;
            let mut names = GENERATED_FIELDS.map(Text::new).to_vec();
            if let Ok(value @ Value::Map(_)) =
                json::parse(event.message.as_deref().unwrap_or_default().as_bytes())
            {
                collect_names(&value, "", &mut names);
            }
            names.sort();
            names.dedup();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
        let fields = counts.into_iter().map(|(name, count)| LogGroupField {
            name: Some(name),
            // A field that less than 1 % of the events have still counts as 1 %.
            percent: Some((count * 100 / events).max(1)),
        });
        Ok(fields.collect::<Vec<_>>().into())
    }
}

/// Maximum number of fields that are discovered in an event.
const MAX_FIELDS: usize = 200;

/// Collects the paths of the values in a JSON event: `a.b` in objects, `a.0` in lists.
fn collect_names(value: &Value, path: &str, names: &mut Vec<Text>) {
    if names.len() >= MAX_FIELDS {
        return;
    }
    let child_path = |step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            entries.iter().for_each(|(key, value)| collect_names(value, &child_path(key), names));
        }
        Value::List(items) if !items.is_empty() => {
            items
                .iter()
                .enumerate()
                .for_each(|(n, item)| collect_names(item, &child_path(&n.to_string()), names));
        }
        _ if !path.is_empty() => names.push(path.into()),
        _ => {}
    }
}
