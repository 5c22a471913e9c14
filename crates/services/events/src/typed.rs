//! Typed events: events of the provider's services as records, by source and type.
//!
//! ```
//! use nephos_events::typed::{EventDetail, TypedEvent};
//!
//! let event = TypedEvent::parse(
//!     r#"{"source": "aws.ecr", "detail-type": "ECR Image Action", "time": "2026-01-31T12:00:00Z",
//!         "detail": {"action-type": "PUSH", "repository-name": "web", "image-tag": "v1", "result": "SUCCESS"}}"#,
//! )?;
//! assert_eq!(event.to_string(), "2026-01-31T12:00:00Z aws.ecr ECR Image Action: PUSH of web:v1: SUCCESS");
//! let EventDetail::EcrImageAction(action) = event.detail() else { panic!("an action on an image") };
//! assert_eq!(action.repository_name(), Some("web"));
//! # Ok::<(), nephos_core::Error>(())
//! ```

mod api_call;
mod details;
mod records;

pub use api_call::ParsedRequest;
pub use details::EventDetail;
pub use records::*;

use details::find_kind;
use nephos_core::{
    Error, Map, Record, Result, Session, Text, Timestamp, Value,
    fill::{self, Names, Reader, Unknown},
    json,
    record::{self, Fields},
};
use std::fmt;

/// Reader of events: unknown members are ignored.
const READER: Reader = Reader { names: Names::Name, unknown: Unknown::Ignore, ..Reader::STRICT };

/// An event with its typed detail.
#[derive(Clone, Debug)]
pub struct TypedEvent {
    envelope: Envelope,
    detail: EventDetail,
    raw: Map<Value>,
    session: Option<Session>,
}

impl TypedEvent {
    /// Parses an event as a bus delivers it. The detail of an event that is not known is a map.
    ///
    /// # Errors
    ///
    /// Refused if the text is not a JSON object, or if a known event lacks a required member.
    pub fn parse(event: &str) -> Result<Self> {
        match json::parse(event.as_bytes())? {
            Value::Map(event) => Self::from_value(event),
            _ => Err(Error::invalid("event", "an event must be a JSON object")),
        }
    }

    /// Makes a typed event of a parsed one, such as the input of a function.
    pub fn from_value(event: Map<Value>) -> Result<Self> {
        let envelope: Envelope = read(&event)?;
        let detail = match event.get("detail") {
            Some(Value::Map(detail)) => detail,
            _ => return Err(Error::invalid("detail", "an event must have a detail, which is a JSON object")),
        };
        let kind =
            find_kind(envelope.source().unwrap_or_default(), envelope.detail_type().unwrap_or_default());
        let detail = match kind {
            Some(kind) => (kind.parse)(detail).map_err(|error| error.in_field("detail"))?,
            None => EventDetail::Other(detail.clone()),
        };
        Ok(Self { envelope, detail, raw: event, session: None })
    }

    /// Sets the session that lookups use.
    #[must_use]
    pub fn with_session(mut self, session: &Session) -> Self {
        self.session = Some(session.clone());
        self
    }

    /// Session that lookups use, in the Region of the event.
    pub fn session(&self) -> Option<Session> {
        let session = self.session.clone()?;
        Some(match self.envelope.region() {
            Some(region) => session.with_region(region),
            None => session,
        })
    }

    /// The members that all events have.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// The detail of the event.
    pub fn detail(&self) -> &EventDetail {
        &self.detail
    }

    /// The whole event, with the members that its type does not have.
    pub fn raw(&self) -> &Map<Value> {
        &self.raw
    }

    /// ARN of the load balancer that a call of its service was about; of a new one, from the answer.
    pub fn load_balancer_arn(&self) -> Option<&str> {
        let EventDetail::ApiCall(call) = &self.detail else { return None };
        if self.envelope.source() != Some("aws.elasticloadbalancing") {
            return None;
        }
        let given = call.request_parameters().and_then(|parameters| parameters.get("loadBalancerArn"));
        let created = || call.response_elements()?.get("loadBalancers")?.item(0)?.get("loadBalancerArn");
        given.or_else(created)?.as_text()
    }
}

/// One line for people: time, source, type, and the most important members of the detail.
impl fmt::Display for TypedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, detail_type) =
            (self.envelope.source().unwrap_or_default(), self.envelope.detail_type().unwrap_or_default());
        let time = self.envelope.time().map(|time| format!("{time:.0} ")).unwrap_or_default();
        let detail = self.detail.text();
        let colon = if detail.is_empty() { "" } else { ": " };
        let line = format!("{time}{source} {detail_type}{colon}{detail}");
        // Control characters would end the line, or reach the terminal.
        line.chars().try_for_each(|c| write!(f, "{}", if c.is_control() { ' ' } else { c }))
    }
}

/// Reads a record from the members of an event.
fn read<R: Record>(members: &Map<Value>) -> Result<R> {
    let mut record = R::blank();
    for (n, (name, value)) in members.iter().enumerate() {
        fill::fill_field(&mut record, name, value.view(), &READER, n)?;
    }
    record.validate()?;
    Ok(record)
}

/// Writes a template with members of a record in braces. Members that it lacks are left out, with the text between them and the
/// previous member.
fn render(template: &str, record: &dyn Fields) -> String {
    let mut text = String::new();
    for part in template.split_inclusive('}') {
        let Some((before, name)) = part.split_once('{') else {
            text.push_str(part);
            continue;
        };
        let value = record::get(record, name.trim_end_matches('}')).ok();
        if let Some(value) = value.as_ref().and_then(to_text) {
            text.push_str(before);
            text.push_str(&value);
        }
    }
    text
}

/// Writes a value in a line.
fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::List(items) => Some(items.iter().filter_map(to_text).collect::<Vec<_>>().join(", ")),
        Value::Map(members) => {
            let members =
                members.iter().filter_map(|(name, value)| Some(format!("{name} {}", to_text(value)?)));
            Some(members.collect::<Vec<_>>().join(", "))
        }
        Value::Null => None,
        value => value.view().text_form().map(Into::into),
    }
}

/// Members that all events have.
#[derive(Record)]
pub struct Envelope {
    /// Version of the form of events: `0`.
    #[field(name = "version")]
    version: Option<Text>,
    /// ID of the event.
    #[field(name = "id")]
    id: Option<Text>,
    /// Type of the event.
    #[field(name = "detail-type", required)]
    detail_type: Option<Text>,
    /// Source of the event.
    #[field(name = "source", required)]
    source: Option<Text>,
    /// Account of the event.
    #[field(name = "account")]
    account: Option<Text>,
    /// Time of the event.
    #[field(name = "time")]
    time: Option<Timestamp>,
    /// Region of the event.
    #[field(name = "region")]
    region: Option<Text>,
    /// ARNs of the resources that the event is about.
    #[field(name = "resources")]
    resources: Option<Vec<Text>>,
}
