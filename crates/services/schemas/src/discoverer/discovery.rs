//! Discovery: a started discoverer infers schemas from the events of its bus, to which a rule of its own connects it.

use crate::{
    CreateSchema, Discoverer, DiscovererState, Empty, SchemaType, UpdateSchema,
    discoverer::{self, inference::build_document, widen::widen_document},
    errors,
    registry::provider::DISCOVERED,
    schema::{self, versions},
};
use nephos_cloud::{Handler, Scope, TargetEvent, Tx};
use nephos_core::{Arn, ErrorKind, Result, Text, Value as CoreValue, operation};
use serde_json::{Map, Value};

/// Maximum length of a discovered document, which is that of every document.
const MAX_CONTENT: usize = 100_000;

/// Maximum length of the name of a rule.
pub const MAX_RULE_NAME: usize = 64;

/// Source of events about schemas. Discovery of these would create events about themselves.
const OWN_SOURCE: &str = "aws.schemas";

/// Gives an event to a discoverer, as its event bus does. A started discoverer stores a schema of the event, or a new version if
/// the event has something new. A test control.
#[operation(effect = write, subject = "*")]
pub struct DiscoverEvent {
    /// ARN of the discoverer.
    pub discoverer_arn: Text,
    /// The event with its envelope, as JSON.
    pub event: Text,
}

impl Handler for DiscoverEvent {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let Some([_, "schemas", region, account, resource]) = Arn::parts(&self.discoverer_arn) else {
            return Err(errors::resource_arn_invalid(&self.discoverer_arn).with_field("DiscovererArn"));
        };
        let scope = Scope::new(account, region);
        let id = resource.strip_prefix("discoverer/").unwrap_or_default();
        cx.in_scope(&scope, |cx| {
            let discoverer = discoverer::require(cx, id)?;
            let event = match serde_json::from_str(&self.event) {
                Ok(Value::Object(event)) => event,
                Ok(_) => return Err(errors::event_no_object().with_field("Event")),
                Err(error) => {
                    return Err(errors::event_not_json().with_field("Event").with_hint(error.to_string()));
                }
            };
            discover(cx, &discoverer, &event)
        })
    }
}

/// Gives an event to a discoverer that is the target of a rule.
pub(crate) fn put(cx: &mut Tx<'_>, _id: &str, event: &TargetEvent<'_>) -> Result<()> {
    DiscoverEvent::new(event.arn, event.input.clone()).run(cx).map(drop)
}

/// Returns a member of an event that must be a text.
fn require_text<'e>(event: &'e Map<String, Value>, name: &str) -> Result<&'e str> {
    let text = event.get(name).and_then(Value::as_str);
    text.ok_or_else(|| errors::event_member_missing(name).with_field("Event"))
}

/// Stores what an event tells about its schema.
fn discover(cx: &mut Tx<'_>, discoverer: &Discoverer, event: &Map<String, Value>) -> Result<Empty> {
    let (source, detail_type) = (require_text(event, "source")?, require_text(event, "detail-type")?);
    if !event.get("detail").is_some_and(Value::is_object) {
        return Err(errors::event_member_missing("detail").with_field("Event"));
    }
    let is_own = event.get("account").and_then(Value::as_str) == Some(cx.scope().account());
    let is_wanted = is_own || discoverer.cross_account != Some(false);
    if discoverer.state != Some(DiscovererState::Started) || !is_wanted || source == OWN_SOURCE {
        return Ok(Empty {});
    }
    let name = schema_name(source, detail_type);
    if !cx.exists(&schema::key_prefix(cx.scope(), DISCOVERED).text(&name))? {
        let content = check_length(build_document(std::slice::from_ref(event)))?;
        CreateSchema::new(content, DISCOVERED, name, SchemaType::OpenApi3).run(cx)?;
        return Ok(Empty {});
    }
    let (_, version) = versions::find(cx, DISCOVERED, &name, None)?;
    let content = version.content.as_deref().unwrap_or_default();
    // A document that someone replaced by one of another form stays.
    let Ok(before) = serde_json::from_str::<Value>(content) else { return Ok(Empty {}) };
    let mut document = before.clone();
    if widen_document(&mut document, event) && document != before {
        let mut update = UpdateSchema::new(DISCOVERED, name);
        update.content = Some(check_length(document)?);
        update.run(cx)?;
    }
    Ok(Empty {})
}

fn check_length(document: Value) -> Result<Text> {
    let content = document.to_string();
    if content.len() > MAX_CONTENT {
        return Err(errors::event_too_complex().with_field("Event"));
    }
    Ok(content.into())
}

/// Returns the name of the schema of events: `shop@OrderPlaced` for the detail type `Order placed`.
pub fn schema_name(source: &str, detail_type: &str) -> Text {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || ".-_@".contains(c);
    let mut name: String = source.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
    name.push('@');
    let length = name.len();
    for word in detail_type.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.extend(letters);
    }
    if name.len() == length {
        name.push_str("Event");
    }
    name.into()
}

/// Returns the name of the rule that sends the events of a bus to its discoverer.
pub fn rule_name(id: &str) -> Text {
    let allowed = id.chars().map(|c| if c == '/' { '-' } else { c });
    "Schemas-".chars().chain(allowed).take(MAX_RULE_NAME).collect::<String>().into()
}

impl Discoverer {
    /// Name of the event bus, and of the rule on it.
    fn bus_and_rule(&self) -> (&str, Text) {
        let id = self.discoverer_id.as_deref().unwrap_or_default();
        (id.strip_prefix(discoverer::ID_PREFIX).unwrap_or_default(), rule_name(id))
    }

    /// Connects the discoverer to its event bus, or disconnects it if it is stopped. No effect if the bus does not exist: a
    /// discoverer of a bus that is created later has to be started again.
    pub(crate) fn connect(&self, cx: &mut Tx<'_>) -> Result<()> {
        if self.state != Some(DiscovererState::Started) {
            return self.disconnect(cx);
        }
        let (bus, rule) = self.bus_and_rule();
        let values = [
            ("Name", rule.into()),
            ("ManagedBy", "schemas.amazonaws.com".into()),
            ("EventPattern", r#"{"account":[{"prefix":""}]}"#.into()),
            ("TargetArn", self.discoverer_arn.clone().unwrap_or_default().into()),
            ("EventBusName", bus.into()),
            ("Account", cx.scope().account().into()),
            ("Region", cx.scope().region().into()),
        ];
        call_events(cx, "PutManagedRule", &values)
    }

    /// Disconnects the discoverer from its event bus.
    pub(crate) fn disconnect(&self, cx: &mut Tx<'_>) -> Result<()> {
        let (bus, rule) = self.bus_and_rule();
        let values = [
            ("Name", rule.into()),
            ("EventBusName", bus.into()),
            ("Account", cx.scope().account().into()),
            ("Region", cx.scope().region().into()),
        ];
        call_events(cx, "RemoveManagedRule", &values)
    }
}

/// Calls an internal operation of event buses, if the cloud has them and the bus exists.
fn call_events(cx: &mut Tx<'_>, operation: &str, values: &[(&str, CoreValue)]) -> Result<()> {
    match cx.call_service("events", operation, values) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Corrupt) => Err(error),
        Err(error) => Err(errors::rule_refused().with_hint(error.message())),
    }
}
