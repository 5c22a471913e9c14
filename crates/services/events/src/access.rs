//! Buses and rules in decisions: their real ARNs.
//!
//! The ARN of a rule depends on its bus, which may be left out of a request, or be given by its ARN.

use crate::{ApiDestination, Connection, EventBus, event_bus, event_rule};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Arn, Request, Result, Text};

/// Finds the bus or the rule that a request is about, if it does not name it by its ARN.
pub fn find_subjects(
    cx: &mut Tx<'_>,
    request: &Request,
    action: &str,
    _arn: &Arn,
) -> Result<Option<Vec<Text>>> {
    let params = &*request.params;
    if action == "events:PutEvents" {
        let buses = event_bus::put_events::bus_arns(cx.scope(), params);
        // Without entries, it is about no bus in particular.
        return Ok(Some(buses).filter(|buses| !buses.is_empty()));
    }
    let name = |prefix: &str| {
        let (at, _) =
            params.shape().field("Name").filter(|_| request.operation.subject.starts_with(prefix))?;
        params.field(at).view().as_text().map(Text::from)
    };
    // Their ARNs end with an ID. A new one has none yet.
    if let Some(name) = name("connection/") {
        return Ok(Connection::find_by(cx, &[&name])?.and_then(|found| Some(vec![found.connection_arn?])));
    }
    if let Some(name) = name("api-destination/") {
        return Ok(
            ApiDestination::find_by(cx, &[&name])?.and_then(|found| Some(vec![found.api_destination_arn?]))
        );
    }
    // The resource of `iam:PassRole` is a role, and operations on tags have the ARN of the resource.
    let (Some(bus), true) = (
        params.shape().field("EventBusName").or_else(|| params.shape().field("Name")),
        action.starts_with("events:"),
    ) else {
        return Ok(None);
    };
    let text = |name: &str| params.shape().field(name).and_then(|(at, _)| params.field(at).view().as_text());
    // A bus of another account or Region is refused by the operation.
    let Ok(bus) = event_bus::name_of(cx.scope(), params.field(bus.0).view().as_text()) else {
        return Ok(None);
    };
    let has_rule = request.operation.subject.starts_with("rule/");
    let arn = match text("Rule").or_else(|| text("Name")) {
        Some(rule) if has_rule => event_rule::arn_of(cx.scope(), bus, rule),
        _ => EventBus::arn_with(cx.scope(), &[bus]),
    };
    Ok(Some(vec![arn.into()]))
}
