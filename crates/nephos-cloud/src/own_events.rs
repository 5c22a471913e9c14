//! The cloud's own events, which a setting switches on: after each successful write operation, an event about the call on the
//! default event bus of the caller's account and Region, and events of services about their resources. The events of global
//! services are in one Region, such as `us-east-1`.
//!
//! Read operations have no events: they would turn each read into a write.

use crate::{Caller, Kernel, Key, Scope, Service, Tx, corrupt, from_store_error};
use nephos_core::{
    Ref, Request, Result, Text, Timestamp, Value,
    field_value::Spelling,
    json::{self, Writing},
    record::Fields,
    shape::{Effect, FieldShape, Location, OperationShape, ServiceShape},
};
use nephos_store::View;
use std::sync::atomic::{AtomicBool, Ordering};

/// An event of the cloud itself, or of one of its services.
#[derive(Clone, Debug)]
pub struct OwnEvent<'e> {
    /// Source of the event, such as `aws.schemas`.
    pub source: &'e str,
    /// Type of the event.
    pub detail_type: &'e str,
    /// Content of the event: a JSON object, without secrets.
    pub detail: Text,
    /// ARNs of the resources that the event is about.
    pub resources: Vec<Text>,
}

/// Sends an event to the default event bus of the account and Region of the transaction. The service with event buses lists such a
/// function.
pub type SendOwnEvent = fn(&mut Tx<'_>, OwnEvent<'_>) -> Result<()>;

/// Placeholder of a secret.
const HIDDEN: &str = "<secret>";

/// The setting of a running cloud.
pub(crate) struct Setting(AtomicBool);

impl Setting {
    /// Reads the setting of a state; off if it has none.
    pub(crate) fn read(view: &dyn View) -> Result<Self> {
        match view.get(setting_key().as_bytes()).map_err(from_store_error)?.as_deref() {
            None => Ok(Self(AtomicBool::new(false))),
            Some(b"on") => Ok(Self(AtomicBool::new(true))),
            Some(_) => Err(corrupt("the row of the setting of the cloud's own events is malformed")),
        }
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn set(&self, is_on: bool) {
        self.0.store(is_on, Ordering::Release);
    }

    pub(crate) fn fork(&self) -> Self {
        Self(AtomicBool::new(self.get()))
    }
}

/// Key of the row with the setting. It has none while it is off.
pub(crate) fn setting_key() -> Key {
    Key::of_cloud("own-events")
}

impl Kernel {
    /// True if the cloud sends events of its own.
    pub fn own_events(&self) -> bool {
        self.0.own_events.get()
    }

    /// Switches the cloud's own events on or off. The setting is stored, and holds from the next request on.
    pub fn set_own_events(&self, is_on: bool) -> Result<()> {
        if is_on == self.own_events() {
            return Ok(());
        }
        let key = setting_key();
        let written = self.0.store.transact(move |txn| match is_on {
            false => txn.delete(key.as_bytes()),
            true => txn.put(key.as_bytes(), b"on"),
        });
        written.wait().map_err(from_store_error)?;
        self.0.own_events.set(is_on);
        Ok(())
    }
}

impl Tx<'_> {
    /// True if the cloud sends events of its own, and has event buses.
    pub fn has_own_events(&self) -> bool {
        self.own_events && self.event_bus().is_some()
    }

    /// Returns the service with event buses, if this cloud has it, and its function that sends events.
    fn event_bus(&self) -> Option<(&'static Service, SendOwnEvent)> {
        self.services.iter().find_map(|service| Some((*service, service.event_bus?)))
    }

    /// Sends an event of a service, such as `aws.schemas`, to the default event bus of this account and Region. No effect if the
    /// cloud does not send events of its own.
    pub fn send_own_event(
        &mut self,
        source: &str,
        detail_type: &str,
        detail: &Value,
        resources: Vec<Text>,
    ) -> Result<()> {
        let Some((service, send)) = self.event_bus().filter(|_| self.own_events) else { return Ok(()) };
        let detail = json::write(detail.view(), Writing::SHOWN).into();
        let event = OwnEvent { source, detail_type, detail, resources };
        self.as_service(service, |cx| send(cx, event))
    }
}

/// A call that gets an event if it succeeds.
pub(crate) struct ApiCall {
    service: &'static ServiceShape,
    operation: &'static OperationShape,
    parameters: Value,
}

impl ApiCall {
    /// Returns the call of a request, if it gets an event.
    pub(crate) fn of_request(request: &Request, tx: &Tx<'_>) -> Option<Self> {
        let Request { service, operation, params, .. } = request;
        if !tx.own_events || operation.effect != Effect::Write || !tx.has_own_events() {
            return None;
        }
        let mut data_operations = tx.services.iter().flat_map(|service| service.data_operations);
        let is_data = data_operations.any(|known| std::ptr::eq(*known, *operation));
        // Test controls are not operations of the service.
        let is_known = service.operations.iter().any(|known| std::ptr::eq(*known, *operation));
        let to_call = || Self { service, operation, parameters: to_members(&**params) };
        (is_known && !is_data).then(to_call)
    }

    /// Sends the event of the call, in the Region of the service.
    pub(crate) fn send(self, tx: &mut Tx<'_>, answer: &dyn Fields) -> Result<()> {
        let scope = Scope::new(tx.scope.account(), self.service.signing_region(tx.scope.region()));
        tx.in_scope(&scope, |tx| self.send_here(tx, answer))
    }

    fn send_here(self, tx: &mut Tx<'_>, answer: &dyn Fields) -> Result<()> {
        let mut detail = vec![
            ("eventVersion", "1.11".into()),
            ("userIdentity", to_user_identity(&tx.caller)),
            ("eventTime", whole_seconds(tx.now)),
            ("eventSource", format!("{}.amazonaws.com", self.service.endpoint).into()),
            ("eventName", self.operation.name.into()),
            ("awsRegion", tx.scope.region().into()),
            ("requestParameters", or_null(self.parameters)),
            ("responseElements", or_null(to_members(answer))),
            ("requestID", tx.ids.uuid().into()),
            ("eventID", tx.ids.uuid().into()),
            ("readOnly", false.into()),
            ("eventType", "AwsApiCall".into()),
            ("apiVersion", self.service.api_version.into()),
            ("managementEvent", true.into()),
            ("recipientAccountId", tx.scope.account().into()),
            ("eventCategory", "Management".into()),
        ];
        if let Some(source) = &tx.source {
            let address = source.address.map(|address| Value::from(address.to_string()));
            let agent = source.user_agent.clone().map(Value::from);
            detail.extend(address.map(|address| ("sourceIPAddress", address)));
            detail.extend(agent.map(|agent| ("userAgent", agent)));
        }
        let source = format!("aws.{}", self.service.endpoint);
        tx.send_own_event(&source, "AWS API Call via CloudTrail", &Value::from_iter(detail), Vec::new())
    }
}

fn whole_seconds(time: Timestamp) -> Value {
    format!("{time:.0}").into()
}

/// Null instead of an empty mapping.
fn or_null(value: Value) -> Value {
    match &value {
        Value::Map(members) if members.is_empty() => Value::Null,
        _ => value,
    }
}

/// Describes the caller of an operation.
fn to_user_identity(caller: &Caller) -> Value {
    let principal = caller.principal();
    let resource = principal.arn.rsplit(':').next().unwrap_or_default();
    let (kind, name) = match resource.split_once('/') {
        Some(("user", path)) => ("IAMUser", path.rsplit('/').next()),
        Some(("assumed-role", _)) => ("AssumedRole", None),
        Some(("federated-user", _)) => ("FederatedUser", None),
        _ => ("Root", None),
    };
    let mut identity = vec![
        ("type", kind.into()),
        ("principalId", caller.user_id().into()),
        ("arn", principal.arn.clone().into()),
        ("accountId", caller.account().into()),
    ];
    identity.extend(caller.access_key_id().map(|key| ("accessKeyId", key.into())));
    identity.extend(name.map(|name| ("userName", name.into())));
    if let (Some(("assumed-role", session)), Some(id)) = (resource.split_once('/'), caller.identity()) {
        let role = session.split('/').next().unwrap_or_default();
        let issuer = Value::from_iter([
            ("type", Value::from("Role")),
            ("principalId", id.into()),
            ("accountId", caller.account().into()),
            ("userName", role.into()),
        ]);
        identity.push(("sessionContext", Value::from_iter([("sessionIssuer", issuer)])));
    }
    Value::from_iter(identity)
}

/// Converts a record as records of API calls have it: names of the wire that begin with a small letter, without null fields, and
/// with secrets hidden.
fn to_members(record: &dyn Fields) -> Value {
    let fields = record.shape().fields.iter().enumerate();
    let known =
        fields.filter(|(_, field)| !matches!(field.location, Location::NotOnWire | Location::Payload));
    let members = known.filter_map(|(index, field)| {
        let value = record.field(index).view();
        (!value.is_null()).then(|| (with_small_letter(field.wire), to_member(field, value)))
    });
    members.collect()
}

fn with_small_letter(name: &str) -> Text {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_ascii_lowercase())
        .into_iter()
        .chain(letters)
        .collect::<String>()
        .into()
}

fn to_member(field: &FieldShape, value: Ref<'_>) -> Value {
    match value {
        _ if field.sensitive => HIDDEN.into(),
        Ref::Secret(_) => HIDDEN.into(),
        Ref::Choice { wire, .. } => wire.into(),
        Ref::Record(record) => to_members(record),
        Ref::List(items) => Value::List((0..items.len()).map(|n| to_member(field, items.item(n))).collect()),
        Ref::Map(map) => {
            let entries = (0..map.len()).map(|n| map.entry(n));
            entries.map(|(key, value)| (Text::from(key), to_member(field, value))).collect()
        }
        Ref::Time(time) => whole_seconds(time),
        Ref::Text(_) => field.respelled(value, Spelling::Wire),
        value => value.to_value(),
    }
}
