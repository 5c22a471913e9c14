//! Tests of event patterns.

use crate::{EventRule, EventRuleManager, errors, event_rule::put::parse_pattern, pattern::Event};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, Value, json, operation};

/// Fields that an event to test must have. The provider's documentation lists `resources`, too, but events without it are tested.
const REQUIRED: &[&str] = &["id", "account", "source", "time", "region", "detail-type"];

/// Tests whether an event matches a pattern.
#[operation(
    of = EventRule, call = "test_pattern", needs(event_pattern), effect = read,
    output = TestedPattern, subject = "*"
)]
pub struct TestEventPattern {
    /// Event, as JSON.
    pub event: Text,
}

/// Result of the test of a pattern.
#[derive(Record)]
#[record(answer, name = "TestEventPatternResponse")]
pub struct TestedPattern {
    /// True if the event matches.
    result: Option<bool>,
}

impl Handler for TestEventPattern {
    fn run(self, _cx: &mut Tx<'_>) -> Result<TestedPattern> {
        let pattern = parse_pattern(&self.event_pattern)?;
        let invalid = |hint: String| errors::event_invalid().with_field("Event").with_hint(hint);
        let event =
            json::parse(self.event.as_bytes()).map_err(|reason| invalid(reason.message().to_string()))?;
        let Value::Map(fields) = &event else {
            return Err(invalid("an event must be a JSON object".to_owned()));
        };
        if let Some(missing) = REQUIRED.iter().find(|name| fields.get(**name).is_none()) {
            return Err(invalid(format!(
                "an event must have {}, and {missing} is missing",
                REQUIRED.join(", ")
            )));
        }
        let Some(prepared) = Event::prepare(&event) else {
            return Err(invalid("an event must be a JSON object".to_owned()));
        };
        Ok(TestedPattern { result: Some(pattern.matches(&prepared)) })
    }
}
