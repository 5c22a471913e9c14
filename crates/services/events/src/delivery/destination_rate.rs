//! Rate of the calls of an API destination.

use crate::{ApiDestination, DEFAULT_RATE};
use nephos_cloud::{Stored, Tx};
use nephos_core::{Record, Result, Text, Timestamp};

/// Row of the last second that calls of an API destination are planned for.
#[derive(Record)]
#[record(row)]
pub(crate) struct DestinationRateRow {
    /// Name of the API destination.
    name: Option<Text>,
    /// Second, since 1970.
    second: Option<i64>,
    /// Number of calls in that second.
    count: Option<i64>,
}

nephos_cloud::stored!(DestinationRateRow in "events/destination-rate" by name);

/// Plans a call of an API destination; returns its time, which is later than now if the rate is exceeded.
pub(crate) fn plan_call(cx: &mut Tx<'_>, destination: &ApiDestination) -> Result<Timestamp> {
    let name = destination.name.clone().unwrap_or_default();
    let limit = destination.invocation_rate_limit_per_second.unwrap_or(DEFAULT_RATE);
    let now = cx.now().as_second();
    let planned: Option<DestinationRateRow> = cx.get(&DestinationRateRow::table(cx.scope()).text(&name))?;
    let (second, count) =
        planned.map_or((now, 0), |row| (row.second.unwrap_or(now), row.count.unwrap_or_default()));
    let (second, count) = match second {
        past if past < now => (now, 1),
        second if count < limit => (second, count + 1),
        second => (second + 1, 1),
    };
    cx.put(DestinationRateRow { name: Some(name), second: Some(second), count: Some(count) })?;
    Ok(Timestamp::from_second(second).unwrap_or(Timestamp::MAX).max(cx.now()))
}

/// Forgets the calls of an API destination.
pub(crate) fn remove(cx: &mut Tx<'_>, name: &str) -> Result<()> {
    cx.remove(&DestinationRateRow { name: Some(name.into()), second: None, count: None })
}
