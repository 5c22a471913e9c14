//! Calls of API destinations.
//!
//! A request is made in the transaction that delivers the event, and is kept sealed until it was sent, because it contains the
//! authorization. After the commit, the HTTP client of the cloud sends it. A server registers one that sends requests to addresses
//! on this machine.

use crate::{
    ApiDestination, Connection, ConnectionState, Delivery, connection,
    delivery::{
        self,
        deliver::{Attempt, Failure},
    },
};
use nephos_cloud::{Addressed, Callback, FunctionCall, Stored, Tx};
use nephos_core::{
    Blob, ErrorKind, Map, Record, Result, Secret, Text, Value,
    json::{self, Writing},
};
use zeroize::Zeroizing;

/// Row of a request that was not sent yet.
#[derive(Record)]
#[record(row)]
pub(crate) struct DestinationCallRow {
    /// Number of the delivery.
    number: Option<i64>,
    /// Name of the connection.
    connection: Option<Text>,
    /// The request, as JSON, sealed.
    sealed: Option<Blob>,
}

nephos_cloud::stored!(DestinationCallRow in "events/destination-call" by number);

impl DestinationCallRow {
    fn find(cx: &Tx<'_>, number: Option<i64>) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).number(number.unwrap_or_default()))
    }

    /// Opens the request.
    fn open(&self, cx: &Tx<'_>) -> Result<Value> {
        let Some(sealed) = &self.sealed else { return Ok(Value::Null) };
        json::parse(&cx.open(&place(&self.number.unwrap_or_default().to_string()), sealed)?)
    }
}

/// Place that requests are sealed for.
fn place(number: &str) -> [&str; 2] {
    [DestinationCallRow::TABLE, number]
}

/// True for the ARN of an API destination.
pub(crate) fn is_destination(arn: &str) -> bool {
    ApiDestination::read_arn(arn).is_some()
}

/// Makes the request of a delivery to an API destination, and plans its call.
pub(crate) fn prepare(cx: &mut Tx<'_>, delivery: &Delivery) -> Result<Attempt> {
    let arn = delivery.target_arn.as_deref().unwrap_or_default();
    let Some(destination) = ApiDestination::find(cx, arn, "Arn")? else {
        return Ok(Attempt::Failed(Failure::new(
            "NO_RESOURCE",
            format!("API destination {arn} does not exist."),
        )));
    };
    let url = destination.invocation_endpoint.as_deref().unwrap_or_default();
    if !cx.has_http() || !delivery::destination_request::is_on_this_machine(url) {
        return Ok(Attempt::Outbox);
    }
    let (connection, secret) = match authorization(cx, &destination)? {
        Ok(found) => found,
        Err(reason) => return Ok(Attempt::Failed(Failure::unauthorized(reason))),
    };
    let endpoint = secret.get("authorization_endpoint").and_then(Value::as_text);
    if endpoint.is_some_and(|endpoint| !delivery::destination_request::is_on_this_machine(endpoint)) {
        return Ok(Attempt::Outbox);
    }
    let ty = connection.authorization_type.as_ref();
    let Some(ty) = ty else { return Ok(Attempt::Outbox) };
    let (http, input) = (delivery.http_parameters.as_ref(), delivery.input.clone().unwrap_or_default());
    let request = delivery::destination_request::build(&destination, ty, &secret, http, &input);
    let request = Zeroizing::new(json::write_bytes(request.view(), Writing::EXPOSED));
    let number = delivery.number;
    let sealed = cx.seal(&place(&number.unwrap_or_default().to_string()), &request)?;
    cx.put(DestinationCallRow { number, connection: connection.name, sealed: Some(sealed) })?;
    let time = delivery::destination_rate::plan_call(cx, &destination)?;
    cx.callback(time, &CallDestination { number })?;
    Ok(Attempt::Planned(time))
}

/// Returns the connection of an API destination and the content of its secret, or the reason why there is none.
fn authorization(
    cx: &mut Tx<'_>,
    destination: &ApiDestination,
) -> Result<Result<(Connection, Map<Value>), &'static str>> {
    let arn = destination.connection_arn.as_deref().unwrap_or_default();
    let Some(connection) = Connection::find(cx, arn, "ConnectionArn")? else {
        return Ok(Err("The connection of the API destination does not exist."));
    };
    if connection.connection_state != Some(ConnectionState::Authorized) {
        return Ok(Err("The connection of the API destination is not authorized."));
    }
    let secret = connection.secret_arn.clone().unwrap_or_default();
    match connection::secret::SECRETS.read(cx, &secret)? {
        Some(content) => Ok(Ok((connection, content))),
        None => {
            let reason = "The secret of the connection cannot be read.";
            connection.put_deauthorized(cx, reason)?;
            Ok(Err(reason))
        }
    }
}

/// Call of the API destination that is the target of a delivery.
#[derive(Record)]
#[record(row)]
pub(crate) struct CallDestination {
    /// Number of the delivery.
    number: Option<i64>,
}

impl Callback for CallDestination {
    const NAME: &'static str = "events/call-destination";

    fn function_call(&self, cx: &Tx<'_>) -> Result<Option<FunctionCall>> {
        let Some(row) = DestinationCallRow::find(cx, self.number)? else { return Ok(None) };
        let Value::Map(mut event) = row.open(cx)? else { return Ok(None) };
        hide(&mut event);
        if let Some(Value::Map(token)) = event.get_mut("token") {
            hide(token);
        }
        event.insert("time".into(), cx.now().as_millisecond().into());
        Ok(Some(FunctionCall::http(Value::Map(event))))
    }

    fn complete(self, outcome: Result<()>, cx: &mut Tx<'_>) -> Result<()> {
        let row = DestinationCallRow::find(cx, self.number)?;
        let Some(mut delivery) = delivery::find_pending(cx, self.number)? else { return Ok(()) };
        // The first attempt was counted when the delivery was stored.
        let is_repeated = delivery.error_code.is_some();
        delivery.attempts = Some(delivery.attempts.unwrap_or(0) + i64::from(is_repeated));
        let attempt = match outcome {
            Ok(()) => Attempt::Delivered,
            Err(error) => {
                let name = row.as_ref().and_then(|row| row.connection.clone()).unwrap_or_default();
                if error.kind() == ErrorKind::Denied
                    && let Some(connection) = Connection::find_by(cx, &[&name])?
                    && connection.connection_state == Some(ConnectionState::Authorized)
                {
                    connection.put_deauthorized(cx, error.message())?;
                }
                Attempt::Failed(Failure::from_destination(&error))
            }
        };
        if let Some(row) = row {
            cx.remove(&row)?;
        }
        delivery.complete_attempt(cx, attempt)
    }
}

/// Makes secrets of headers, query and body.
fn hide(request: &mut Map<Value>) {
    let to_secret = |value: &mut Value| {
        if let Some(text) = value.as_text() {
            *value = Value::Secret(Secret::from(text));
        }
    };
    for name in ["headers", "query"] {
        if let Some(Value::Map(pairs)) = request.get_mut(name) {
            pairs.values_mut().for_each(to_secret);
        }
    }
    request.get_mut("body").into_iter().for_each(to_secret);
}
