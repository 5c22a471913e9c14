//! Other services of a cloud: their resources as targets of rules, and their internal operations.

use nephos_cloud::{Cloud, Handler, Service, ServiceSet, TargetEvent, Tx};
use nephos_core::{Empty, Error, ErrorKind, Map, Record, Result, Text, operation, shape::Protocol};
use nephos_events::{
    DeliveryState, EVENTS, EventBus, EventRule, EventTarget, ListDeliveries, PutEventsRequestEntry, errors,
};
use nephos_testing::{OTHER_ACCOUNT, OTHER_REGION, ask, options};

// A service whose resources are targets, and which this crate does not know.
nephos_cloud::service! {
    PIPELINES = "pipelines", "Pipelines that events start.";
    shape {
        protocol: Protocol::AwsJson { target: "Pipelines.", version: "1.1", message: "message" },
        invalid: &errors::VALIDATION,
    }
    kinds {}
    operations { CountStarts, CallOperation }
    controls { "note-control" => NoteControl }
    internal { NoteInternally }
    tables {}
    event_targets {
        "pipeline/" => start,
    }
}

const COUNTER: &str = "pipelines/starts";

/// Starts the pipeline `build`, which is the only one.
fn start(cx: &mut Tx<'_>, name: &str, event: &TargetEvent<'_>) -> Result<()> {
    assert_eq!(event.rule, "r");
    assert!(event.input.contains(r#""source":"shop""#), "{}", event.input);
    match name {
        "build" => cx.add_to_count(COUNTER, 1).map(drop),
        name => Err(Error::new(ErrorKind::NotFound, format!("the pipeline {name} does not exist"))),
    }
}

/// Number of starts.
#[derive(Record)]
#[record(answer)]
struct Starts {
    /// Number of starts.
    count: Option<i64>,
}

/// Counts the starts of pipelines.
#[operation(effect = read, output = Starts, subject = "*")]
struct CountStarts {}

impl Handler for CountStarts {
    fn run(self, cx: &mut Tx<'_>) -> Result<Starts> {
        Ok(Starts { count: Some(cx.count(COUNTER)?) })
    }
}

/// Calls an operation of this service by its name.
#[operation(effect = write, subject = "*")]
struct CallOperation {
    /// Name of the operation.
    pub operation: Text,
}

impl Handler for CallOperation {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        cx.call_service("pipelines", &self.operation, &[])?;
        Ok(Empty {})
    }
}

/// A test control.
#[operation(effect = write, subject = "*")]
struct NoteControl {}

impl Handler for NoteControl {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        cx.add_to_count(COUNTER, 10)?;
        Ok(Empty {})
    }
}

/// An internal operation.
#[operation(effect = write, subject = "*")]
struct NoteInternally {}

impl Handler for NoteInternally {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        cx.add_to_count(COUNTER, 100)?;
        Ok(Empty {})
    }
}

#[derive(Debug)]
struct Services;

impl ServiceSet for Services {
    const SERVICES: &'static [&'static Service] = &[&EVENTS, &PIPELINES];
}

fn starts(session: &nephos_core::Session) -> i64 {
    ask(session, CountStarts::new()).unwrap().count.unwrap()
}

#[test]
fn resources_of_a_service_that_lists_them_are_targets() -> Result<()> {
    let cloud: Cloud<Services> = options::<Services>().in_memory();
    let session = cloud.session();
    let rule = EventRule::builder().name("r").event_pattern(r#"{"source": ["shop"]}"#).build()?;
    EventRule::objects(&session).create(&rule).wait()?;
    for (id, account, resource) in [
        ("own", "123456789012", "pipeline/build"),
        ("other", OTHER_ACCOUNT, "pipeline/build"),
        ("missing", "123456789012", "pipeline/none"),
        ("unlisted", "123456789012", "stage/build"),
    ] {
        let region = if account == OTHER_ACCOUNT { OTHER_REGION } else { "us-east-1" };
        let arn = format!("arn:aws:pipelines:{region}:{account}:{resource}");
        let target = EventTarget::builder().rule("r").id(id).arn(arn).build()?;
        EventTarget::objects(&session).create(&target).wait()?;
    }
    let event = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}").build()?;
    EventBus::objects(&session).put_events("default", vec![event; 2]).strict(true).wait()?;
    assert_eq!(starts(&session), 2);
    assert_eq!(starts(&session.with_account(OTHER_ACCOUNT).with_region(OTHER_REGION)), 0);
    let deliveries = cloud.control(ListDeliveries::new())?;
    let deliveries = deliveries.deliveries().unwrap().iter().map(|delivery| {
        let code = delivery.error_code().unwrap_or_default();
        (delivery.target_id().unwrap(), delivery.state().unwrap().clone(), code)
    });
    let expected = [
        ("missing", DeliveryState::Failed, "NO_RESOURCE"),
        ("other", DeliveryState::Failed, "NO_PERMISSIONS"),
        ("unlisted", DeliveryState::Delivered, ""),
    ];
    assert_eq!(deliveries.collect::<Vec<_>>(), [expected.clone(), expected].concat());
    Ok(())
}

#[test]
fn internal_operations_are_called_by_services_only() -> Result<()> {
    let cloud: Cloud<Services> = options::<Services>().in_memory();
    let session = cloud.session();
    ask(&session, CallOperation::new("NoteInternally"))?;
    assert_eq!(starts(&session), 100);
    let refused = [
        ask(&session, NoteInternally::new()).map(drop),
        cloud.control(NoteInternally::new()).map(drop),
        cloud.control_by_name("note-internally", &Map::default()).map(drop),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    cloud.control_by_name("note-control", &Map::default())?;
    assert_eq!(starts(&session), 110);
    let called = ask(&session, CallOperation::new("NoteControl")).unwrap_err();
    assert!(called.message().contains("pipelines has no operation NoteControl"), "{called}");
    assert_eq!(starts(&session), 110);
    Ok(())
}
