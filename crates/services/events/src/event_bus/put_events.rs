//! Sending events to buses.

use crate::{
    BusName, DEFAULT_BUS, EventBus, EventBusManager, SERVICE, errors,
    event_bus::{
        event::{NewEvent, publish},
        place_in_arn,
    },
};
use nephos_cloud::{Addressed, Handler, Scope, Stored, Tx};
use nephos_core::{
    Call, Error, ManagerOperation, OnModel, Record, Resource, Result, Text, Timestamp, Value,
    WorkflowContext, json, operation, record::Fields,
};

/// Maximum size of all entries of a request, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// Maximum depth of a detail.
const MAX_DEPTH: usize = 1000;

/// Maximum length of the type of an event, in characters.
const MAX_DETAIL_TYPE: usize = 128;

/// An event to send.
#[derive(Record)]
#[record(hot)]
pub struct PutEventsRequestEntry {
    /// Time of the event; the time of arrival if it is not given.
    pub(crate) time: Option<Timestamp>,
    /// Source of the event. Sources that begin with `aws.` are reserved.
    #[field(condition = "events:source")]
    pub(crate) source: Option<Text>,
    /// ARNs of the resources that the event is about.
    #[field(each(length(..=2048)))]
    pub(crate) resources: Option<Vec<Text>>,
    /// Type of the event.
    #[field(condition = "events:detail-type")]
    pub(crate) detail_type: Option<Text>,
    /// Content of the event: a JSON object, as text.
    pub(crate) detail: Option<Text>,
    /// Name or ARN of the bus; the default bus if it is not given.
    #[field(like = BusName::name)]
    pub(crate) event_bus_name: Option<Text>,
    /// Header that traces the event.
    #[field(no_effect, length(1..=500), printed_after = "kmsKeyIdentifier internalMetadata")]
    trace_header: Option<Text>,
}

/// Result of one entry.
#[derive(Record)]
#[record(answer)]
pub struct PutEventsResultEntry {
    /// ID of the event.
    event_id: Option<Text>,
    /// Error code.
    error_code: Option<Text>,
    /// Text of the error.
    error_message: Option<Text>,
}

/// Results of the entries, in their order.
#[derive(Record)]
#[record(answer)]
pub struct PutEventsResponse {
    /// Number of entries that failed.
    failed_entry_count: Option<i64>,
    /// Results of the entries.
    entries: Option<Vec<PutEventsResultEntry>>,
}

impl PutEventsResponse {
    /// Returns the first failure as an error, if there is one.
    fn into_error(self) -> Result<Self> {
        let entries = self.entries.iter().flatten().enumerate();
        let Some((n, failed)) = entries.into_iter().find(|(_, entry)| entry.error_code.is_some()) else {
            return Ok(self);
        };
        let error = errors::of_entry(failed.error_code.as_deref(), failed.error_message.as_deref());
        Err(error.with_field(format!("Entries[{n}]")))
    }
}

/// Sends events to buses. Entries that fail are returned, and the others are sent. An event for a bus that does not exist vanishes.
#[operation(
    hot, of = EventBus, effect = write, output = PutEventsResponse, subject = "event-bus/{Entries.EventBusName}"
)]
pub struct PutEvents {
    /// Events.
    #[field(length(1..=10))]
    pub entries: Vec<PutEventsRequestEntry>,
    /// ID of a global endpoint, which is part of the address that clients send to.
    #[field(no_effect, length(1..=50))]
    pub endpoint_id: Option<Text>,
}

impl PutEventsRequestEntry {
    /// Size of the entry as the provider counts it.
    fn size(&self) -> usize {
        let text = |text: &Option<Text>| text.as_ref().map_or(0, |text| text.len());
        let resources: usize = self.resources.iter().flatten().map(|resource| resource.len()).sum();
        let time = if self.time.is_some() { 14 } else { 0 };
        time + text(&self.source) + text(&self.detail_type) + text(&self.detail) + resources
    }

    /// Sends the event; returns its ID.
    fn send(self, cx: &mut Tx<'_>) -> Result<Text> {
        let required = |value: Option<Text>, name: &str| {
            value.filter(|value| !value.is_empty()).ok_or_else(|| errors::argument_missing(name))
        };
        let source = required(self.source, "Source")?;
        let detail_type = required(self.detail_type, "DetailType")?;
        let detail = required(self.detail, "Detail")?;
        if detail_type.chars().count() > MAX_DETAIL_TYPE {
            return Err(errors::detail_type_too_long(MAX_DETAIL_TYPE));
        }
        if source.starts_with("aws.") {
            return Err(errors::not_authorized_for_source());
        }
        let Ok(detail @ Value::Map(_)) = json::parse(detail.as_bytes()) else {
            return Err(errors::malformed_detail());
        };
        if depth(&detail) > MAX_DEPTH {
            return Err(errors::malformed_detail());
        }
        let (scope, bus) = place_of_bus(cx.scope(), self.event_bus_name.as_deref());
        if scope.account() != cx.scope().account() {
            let arn = EventBus::arn_with(&scope, &[&bus]);
            let values = condition_values(&source, &detail_type);
            cx.check_shared_entry(&SERVICE, "events:PutEvents", arn.as_str(), &values)?;
        }
        let resources = self.resources.unwrap_or_default();
        let time = self.time.unwrap_or(cx.now());
        let event = NewEvent { source: &source, detail_type: &detail_type, detail, resources, time };
        let event = event.into_event(cx.scope(), cx.ids().uuid());
        let id = event.id.clone();
        cx.in_scope(&scope, |cx| {
            let exists = bus == DEFAULT_BUS || cx.exists(&EventBus::table(&scope).text(&bus))?;
            if exists { publish(cx, &bus, &event) } else { Ok(()) }
        })?;
        Ok(id)
    }
}

/// Returns the values of condition keys that the policy of a bus can ask for when an event is sent to it.
pub(crate) fn condition_values<'v>(source: &'v str, detail_type: &'v str) -> [(&'static str, &'v str); 2] {
    [("events:source", source), ("events:detail-type", detail_type)]
}

/// Returns the depth of a value.
fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Map(members) => members.values().map(depth).max(),
        Value::List(items) => items.iter().map(depth).max(),
        _ => return 0,
    };
    1 + below.unwrap_or(0)
}

/// Returns the account, Region and name of a bus that is given by its name or ARN; the default bus if it is not given.
fn place_of_bus(own: &Scope, given: Option<&str>) -> (Scope, Text) {
    let given = given.unwrap_or(DEFAULT_BUS);
    let (scope, name) = place_in_arn(given).unwrap_or_else(|| (own.clone(), given));
    (scope, name.into())
}

/// Returns the ARNs of the buses that the entries of a request name.
pub(crate) fn bus_arns(own: &Scope, params: &dyn Fields) -> Vec<Text> {
    let mut arns = Vec::new();
    if let Some((at, _)) = params.shape().field("Entries")
        && let Value::List(entries) = params.field(at).view().to_value()
    {
        for entry in entries {
            let (scope, bus) = place_of_bus(own, entry.get("EventBusName").and_then(Value::as_text));
            arns.push(Text::from(EventBus::arn_with(&scope, &[&bus])));
        }
    }
    arns.sort_unstable();
    arns.dedup();
    arns
}

impl Handler for PutEvents {
    fn run(self, cx: &mut Tx<'_>) -> Result<PutEventsResponse> {
        if self.entries.iter().map(PutEventsRequestEntry::size).sum::<usize>() > MAX_BYTES {
            return Err(errors::entries_too_large().with_field("Entries"));
        }
        let mut failed_entry_count = 0;
        let mut entries = Vec::with_capacity(self.entries.len());
        for entry in self.entries {
            entries.push(match entry.send(cx) {
                Ok(id) => PutEventsResultEntry { event_id: Some(id), error_code: None, error_message: None },
                Err(error) if is_of_entry(&error) => {
                    failed_entry_count += 1;
                    PutEventsResultEntry {
                        event_id: None,
                        error_code: Some(error.code().into()),
                        error_message: Some(error.message().into()),
                    }
                }
                Err(error) => return Err(error),
            });
        }
        Ok(PutEventsResponse { failed_entry_count: Some(failed_entry_count), entries: Some(entries) })
    }
}

/// True for an error that is returned for one entry, and not for the whole request.
fn is_of_entry(error: &Error) -> bool {
    matches!(error.kind(), nephos_core::ErrorKind::Invalid | nephos_core::ErrorKind::Denied)
}

/// Sends events to a bus. Entries without a bus are sent to this one.
#[operation(
    kind = EventBus, of = EventBus, call = "put_events", needs(name), effect = write, output = PutEventsResponse
)]
pub struct EventBusPutEvents {
    /// Events.
    #[field(like = PutEvents::entries)]
    pub entries: Vec<PutEventsRequestEntry>,
    /// ID of a global endpoint, which is part of the address that clients send to.
    #[field(no_effect, like = PutEvents::endpoint_id)]
    pub endpoint_id: Option<Text>,
    /// True if the call fails when any entry fails.
    pub strict: Option<bool>,
}

impl ManagerOperation for EventBusPutEvents {
    async fn run(&self, context: &WorkflowContext) -> Result<PutEventsResponse> {
        let mut put = PutEvents::from_given(self.clone());
        for entry in &mut put.entries {
            entry.event_bus_name.get_or_insert_with(|| self.name.clone());
        }
        let answer = context.call(put).await?;
        if self.strict == Some(true) { answer.into_error() } else { Ok(answer) }
    }
}

impl EventBus {
    /// Sends events to the bus. Entries that name another bus are sent to that one.
    pub fn put_events(&self, entries: impl Into<Vec<PutEventsRequestEntry>>) -> EventBusPutEventsCall {
        let params = EventBusPutEvents::for_model_except(self, &["Entries"]);
        let params = params.map(|mut params| {
            params.entries = entries.into();
            params
        });
        EventBusPutEventsCall(Call::on_model(self.require_session().cloned(), params))
    }
}
