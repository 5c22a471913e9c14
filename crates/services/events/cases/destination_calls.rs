//! Delivery to API destinations, by a function of the test.

use super::{World, connections::basic};
use nephos_cloud::{HTTP_FUNCTION, RetryAfter};
use nephos_core::{Error, ErrorKind, Result, Secret, Value, json, prelude::*};
use nephos_events::{
    ConnectionHeaderParameter, ConnectionHttpParameters, ConnectionState, Delivery, DeliveryState, EventBus,
    EventTarget, HttpParameters, ListDeliveries, PutEventsRequestEntry, RetryPolicy, errors,
};
use nephos_testing::SECOND;
use std::sync::{Arc, Mutex};

const URL: &str = "http://127.0.0.1:9/orders/*";
const ROLE: &str = "arn:aws:iam::123456789012:role/events";

/// Requests that the function got.
type Requests = Arc<Mutex<Vec<Value>>>;

impl World {
    /// Registers a function that keeps the requests, and fails with an error of this kind, if there is one.
    fn register_http(&self, failure: &Arc<Mutex<Option<ErrorKind>>>) -> Requests {
        let requests = Requests::default();
        let (received, failure) = (requests.clone(), failure.clone());
        let function = move |_: &nephos_core::Session, request: &Value| {
            received.lock().unwrap().push(request.clone());
            failure.lock().unwrap().map_or(Ok(()), |kind| Err(Error::new(kind, "no")))
        };
        self.cloud().register(HTTP_FUNCTION, Arc::new(function));
        requests
    }

    /// Creates a connection, an API destination with this URL, and a rule with it as a target.
    fn create_destination_target(&self, url: &str) -> Result<EventTarget> {
        self.create_connection("shop")?;
        let destination = self.create_destination("orders", "shop", url)?;
        self.create_rule("default", "r")?;
        let http = HttpParameters::builder()
            .path_parameter_values(["a b"])
            .header_parameters([("X-Team", "target"), ("Range", "none")])
            .query_string_parameters([("q", "1 2")]);
        let policy = RetryPolicy::builder().maximum_retry_attempts(2).build()?;
        let target = EventTarget::builder().rule("r").id("t").arn(destination.require_arn()?).role_arn(ROLE);
        let target = target.http_parameters(http.build()?).retry_policy(policy).build()?;
        EventTarget::objects(&self.session()).create(&target).wait()
    }

    /// Creates rows of an API destination: one call is made, and another one waits for the next second.
    pub(super) fn create_planned_call(&self) -> Result<()> {
        self.cloud().register(HTTP_FUNCTION, Arc::new(|_, _| Ok(())));
        self.create_connection("planned")?;
        let mut destination = self.create_destination("planned", "planned", URL)?;
        destination.set_invocation_rate_limit_per_second(1)?;
        destination.save().wait()?;
        let target =
            EventTarget::builder().rule("r").id("planned").arn(destination.require_arn()?).role_arn(ROLE);
        EventTarget::objects(&self.session()).create(&target.build()?).wait()?;
        self.send_order()?;
        self.send_order()
    }

    fn send_order(&self) -> Result<()> {
        let entry =
            PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail(r#"{"n": 1}"#);
        EventBus::objects(&self.session()).put_events("default", [entry.build()?]).strict(true).wait()?;
        self.advance(0)
    }

    fn deliveries(&self) -> Result<Vec<Delivery>> {
        Ok(self.cloud().control(ListDeliveries::new())?.deliveries().unwrap().to_vec())
    }
}

/// Text of a value that is a secret.
fn exposed(value: &Value) -> &str {
    value.as_secret().map_or("", Secret::expose)
}

pub(super) fn request_has_parameters_of_target_and_connection(world: &World) -> Result<()> {
    let requests = world.register_http(&Arc::default());
    world.create_destination_target(URL)?;
    let header =
        ConnectionHeaderParameter::builder().key("x-team").value("web").is_value_secret(true).build()?;
    let http = ConnectionHttpParameters::builder().header_parameters([header]).build()?;
    let mut connection = world.existing_connection("shop")?;
    let mut parameters = basic("hush")?;
    parameters.set_invocation_http_parameters(http)?;
    connection.set_auth_parameters(parameters)?;
    connection.save().wait()?;
    world.send_order()?;
    assert_eq!(world.deliveries()?, []);
    let requests = requests.lock().unwrap();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(
        (request["method"].as_text(), request["url"].as_text()),
        (Some("POST"), Some("http://127.0.0.1:9/orders/a%20b"))
    );
    let headers = request["headers"].as_map().unwrap();
    assert_eq!(exposed(&headers["Authorization"]), "Basic YW5uOmh1c2g=");
    assert_eq!(exposed(&headers["x-team"]), "web", "the connection wins");
    assert_eq!(headers.get("X-Team"), None);
    assert_eq!(exposed(&headers["Range"]), "bytes=0-1048575");
    assert_eq!(exposed(&headers["Content-Type"]), "application/json; charset=utf-8");
    assert_eq!(exposed(&request["query"]["q"]), "1 2");
    let body = json::parse(exposed(&request["body"]).as_bytes())?;
    assert_eq!(body["detail"]["n"].as_int(), Some(1));
    assert!(!format!("{request:?}").contains("YW5u"));
    Ok(())
}

pub(super) fn parameters_take_values_of_the_event(world: &World) -> Result<()> {
    let requests = world.register_http(&Arc::new(Mutex::new(Some(ErrorKind::Internal))));
    let mut target = world.create_destination_target("http://127.0.0.1:9/*/*")?;
    let http = HttpParameters::builder()
        .path_parameter_values(["$.detail.n", "$.source"])
        .header_parameters([("X-Path", "$.source")])
        .query_string_parameters([("type", "$.detail-type"), ("none", "$.detail.none"), ("sum", "$5")]);
    target.set_http_parameters(http.build()?)?;
    // The parameters come from the event, and not from the input.
    target.set_input(r#"{"constant": true}"#)?;
    target.save().wait()?;
    world.send_order()?;
    world.advance(SECOND)?;
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 2);
    for request in requests.iter() {
        assert_eq!(request["url"].as_text(), Some("http://127.0.0.1:9/1/shop"));
        let query = ["type", "none", "sum"].map(|name| exposed(&request["query"][name]));
        assert_eq!(query, ["Order", "", "$5"]);
        assert_eq!(exposed(&request["headers"]["X-Path"]), "$.source");
    }
    Ok(())
}

pub(super) fn requests_that_cannot_be_sent_stay_in_the_outbox(world: &World) -> Result<()> {
    world.create_destination_target(URL)?;
    world.send_order()?;
    let requests = world.register_http(&Arc::default());
    world.create_destination("far", "shop", "https://example.com/")?;
    let mut destination =
        nephos_events::ApiDestination::objects(&world.session()).get("orders").wait()?.unwrap();
    destination.set_invocation_endpoint("http://example.com/")?;
    destination.save().wait()?;
    world.send_order()?;
    let found = world.deliveries()?;
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|delivery| delivery.state() == Some(&DeliveryState::Delivered)));
    assert_eq!(requests.lock().unwrap().len(), 0);
    destination.delete().wait()?;
    world.send_order()?;
    let last = world.deliveries()?.pop().unwrap();
    assert_eq!((last.state(), last.error_code()), (Some(&DeliveryState::Failed), Some("NO_RESOURCE")));
    Ok(())
}

pub(super) fn failed_request_is_repeated_by_the_policy(world: &World) -> Result<()> {
    let failure = Arc::new(Mutex::new(Some(ErrorKind::Internal)));
    let requests = world.register_http(&failure);
    world.create_destination_target(URL)?;
    world.send_order()?;
    let pending = world.deliveries()?.pop().unwrap();
    assert_eq!((pending.state(), pending.attempts()), (Some(&DeliveryState::Pending), Some(1)));
    let has_text = |row: &[u8]| row.windows(4).any(|part| part == b"hush" || part == b"YW5u");
    assert!(!world.state()?.iter().any(|(_, row)| has_text(row)));
    world.advance(SECOND)?;
    assert_eq!(requests.lock().unwrap().len(), 2);
    *failure.lock().unwrap() = None;
    world.advance(2 * SECOND)?;
    assert_eq!((requests.lock().unwrap().len(), world.deliveries()?.len()), (3, 0));
    *failure.lock().unwrap() = Some(ErrorKind::Throttled);
    world.send_order()?;
    world.advance(60 * SECOND)?;
    let failed = world.deliveries()?.pop().unwrap();
    assert_eq!((failed.state(), failed.attempts()), (Some(&DeliveryState::Failed), Some(3)));
    assert_eq!(failed.exhausted_retry_condition(), Some("MaximumRetryAttempts"));
    assert_eq!(failed.error_code(), Some("THROTTLING"));
    // A request that the destination refuses is not repeated.
    *failure.lock().unwrap() = Some(ErrorKind::Invalid);
    world.send_order()?;
    let failed = world.deliveries()?.pop().unwrap();
    assert_eq!((failed.state(), failed.attempts()), (Some(&DeliveryState::Failed), Some(1)));
    let has_calls =
        |key: &[u8]| nephos_cloud::read_key(key).is_some_and(|(table, _)| table == "events/destination-call");
    assert!(!world.state()?.iter().any(|(key, _)| has_calls(key)));
    Ok(())
}

pub(super) fn later_attempt_that_the_destination_wants_is_respected(world: &World) -> Result<()> {
    let wait = Arc::new(Mutex::new(30));
    let (wanted, calls) = (wait.clone(), Arc::new(Mutex::new(0)));
    let count = calls.clone();
    let function = move |_: &nephos_core::Session, _: &Value| {
        *count.lock().unwrap() += 1;
        Err(Error::new(ErrorKind::Throttled, "busy").with_source(RetryAfter(*wanted.lock().unwrap())))
    };
    world.cloud().register(HTTP_FUNCTION, Arc::new(function));
    let mut target = world.create_destination_target(URL)?;
    world.send_order()?;
    let pending = world.deliveries()?.pop().unwrap();
    let next = pending.next_attempt().unwrap().as_millisecond();
    assert_eq!((next - world.now(), pending.error_code()), (30 * SECOND, Some("THROTTLING")));
    world.advance(30 * SECOND - 1)?;
    assert_eq!(*calls.lock().unwrap(), 1);
    // The time of the policy counts if it is later, and the age of the event ends both.
    *wait.lock().unwrap() = 1;
    world.advance(1)?;
    let next = world.deliveries()?[0].next_attempt().unwrap().as_millisecond();
    assert_eq!((*calls.lock().unwrap(), next - world.now()), (2, 2 * SECOND));
    let policy = RetryPolicy::builder().maximum_event_age_in_seconds(60).build()?;
    target.set_retry_policy(policy)?;
    target.save().wait()?;
    *wait.lock().unwrap() = 1_000_000;
    world.advance(2 * SECOND)?;
    let next = world.deliveries()?[0].next_attempt().unwrap().as_millisecond();
    assert_eq!(next - world.now(), 28 * SECOND);
    // A negative number ends the attempts.
    *wait.lock().unwrap() = -1;
    world.send_order()?;
    let failed = world.deliveries()?.pop().unwrap();
    assert_eq!((failed.state(), failed.attempts()), (Some(&DeliveryState::Failed), Some(1)));
    Ok(())
}

pub(super) fn refused_authorization_deauthorizes_the_connection(world: &World) -> Result<()> {
    let failure = Arc::new(Mutex::new(Some(ErrorKind::Denied)));
    let requests = world.register_http(&failure);
    world.create_destination_target(URL)?;
    world.send_order()?;
    let mut connection = world.existing_connection("shop")?;
    assert_eq!(connection.connection_state(), Some(&ConnectionState::Deauthorized));
    assert_eq!(connection.state_reason(), Some("no"));
    *failure.lock().unwrap() = None;
    world.advance(SECOND)?;
    assert_eq!(requests.lock().unwrap().len(), 1, "nothing is sent without authorization");
    assert_eq!(world.deliveries()?[0].error_code(), Some("NO_PERMISSIONS"));
    connection.set_auth_parameters(basic("other")?)?;
    connection.save().wait()?;
    assert_eq!(world.existing_connection("shop")?.connection_state(), Some(&ConnectionState::Authorized));
    world.advance(10 * SECOND)?;
    assert_eq!((requests.lock().unwrap().len(), world.deliveries()?.len()), (2, 0));
    // A secret that somebody deleted has the same effect.
    let secret = connection.secret_arn().unwrap();
    world.call_internal(nephos_secrets::SetSecretOwner::new(secret))?;
    nephos_secrets::Secret::objects(&world.session())
        .delete(secret)
        .force_delete_without_recovery(true)
        .wait()?;
    world.send_order()?;
    assert_eq!(world.existing_connection("shop")?.connection_state(), Some(&ConnectionState::Deauthorized));
    assert_eq!(world.deliveries()?.len(), 1);
    let mut changed = world.existing_connection("shop")?;
    changed.set_auth_parameters(basic("third")?)?;
    changed.save().wait()?;
    let changed = world.existing_connection("shop")?;
    assert_eq!(
        (changed.connection_state(), changed.state_reason()),
        (Some(&ConnectionState::Authorized), None)
    );
    assert_ne!(changed.secret_arn(), Some(secret));
    Ok(())
}

pub(super) fn calls_beyond_the_rate_wait_for_the_next_second(world: &World) -> Result<()> {
    let requests = world.register_http(&Arc::default());
    world.create_destination_target(URL)?;
    let mut destination =
        nephos_events::ApiDestination::objects(&world.session()).get("orders").wait()?.unwrap();
    destination.set_invocation_rate_limit_per_second(2)?;
    destination.save().wait()?;
    for _ in 0..5 {
        world.send_order()?;
    }
    let count = || requests.lock().unwrap().len();
    assert_eq!(count(), 2);
    assert_eq!(world.deliveries()?.len(), 3);
    world.advance(SECOND)?;
    assert_eq!(count(), 4);
    world.advance(SECOND)?;
    assert_eq!((count(), world.deliveries()?.len()), (5, 0));
    Ok(())
}

pub(super) fn target_needs_a_role(world: &World) -> Result<()> {
    world.create_connection("shop")?;
    let destination = world.create_destination("orders", "shop", URL)?;
    world.create_rule("default", "r")?;
    let create = || world.create_target("r", "t", destination.require_arn()?);
    let refused = world.refused(&errors::VALIDATION, "Targets", create);
    assert_eq!(refused.message(), format!("RoleArn is required for target {}.", destination.require_arn()?));
    Ok(())
}
