//! Log groups as targets of event rules.

use crate::{CreateLogStream, InputLogEvent, PutEventsResult, PutLogEvents};
use nephos_cloud::{Handler, TargetEvent, Tx};
use nephos_core::{
    ErrorKind, Result, Text, Timestamp, Value,
    json::{self, Writing},
    record, time,
};

/// Writes the input of a rule to a log group, in the log stream with the name of the rule.
pub(crate) fn put(cx: &mut Tx<'_>, group: &str, event: &TargetEvent<'_>) -> Result<()> {
    let group = group.trim_end_matches(":*");
    let now = cx.now();
    let (time, message) = log_event(event.input).unwrap_or_else(|| (now, event.input.clone()));
    let answer = put_event(cx, group, event.rule, time, &message)?;
    // A log group takes no events from long ago, such as those older than its retention, nor from the future.
    if answer.rejected_log_events_info.is_some() {
        put_event(cx, group, event.rule, now, &message)?;
    }
    Ok(())
}

/// Returns time and message of input that a transformer gave the form of a log event: `{"timestamp": …, "message": …}`.
fn log_event(input: &str) -> Option<(Timestamp, Text)> {
    if !(input.contains(r#""timestamp""#) && input.contains(r#""message""#)) {
        return None;
    }
    let Ok(Value::Map(event)) = json::parse(input.as_bytes()) else { return None };
    let time = event.get("timestamp")?;
    let message = event.get("message").filter(|_| event.len() == 2)?;
    let time = match time {
        Value::Int(milliseconds) => Timestamp::from_millisecond(*milliseconds).ok()?,
        Value::Text(text) => time::parse(text)?,
        _ => return None,
    };
    let message =
        message.as_text().map_or_else(|| json::write(message.view(), Writing::SHOWN).into(), Text::new);
    Some((time, message))
}

fn put_event(
    cx: &mut Tx<'_>,
    group: &str,
    rule: &str,
    time: Timestamp,
    message: &Text,
) -> Result<PutEventsResult> {
    let event = InputLogEvent::builder().timestamp(time.as_millisecond()).message(message.clone()).build()?;
    let put = PutLogEvents::new(group, rule, vec![event]);
    record::check(&put)?;
    match put.put(cx) {
        // The first event of the rule creates the stream.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            CreateLogStream::new(group, rule).run(cx)?;
            put.put(cx)
        }
        answer => answer,
    }
}
