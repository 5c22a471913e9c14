//! Cost of encoding and decoding one log group, per protocol, compared with serde_json on an equal struct.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use nephos::{
    Caller, Cloud, LogGroup, REGISTRY, RequestSource,
    shape::{Effect, Protocol, ServiceShape},
};
use nephos_core::{Request, wait};
use nephos_wire::{HttpRequest, HttpResponse, Route};
use serde::{Deserialize, Serialize};
use std::{hint::black_box, sync::Arc, time::Instant};

/// Allocator of the program that uses this crate.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A page, written by hand for serde.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    log_groups: Option<Vec<Group>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

/// A log group, written by hand for serde.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    log_group_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creation_time: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retention_in_days: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric_filter_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kms_key_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_protection_status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inherited_properties: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_group_class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_group_arn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_protection_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bearer_token_authentication_enabled: Option<bool>,
}

/// Number of calls in a round.
const CALLS: u32 = 5_000;

const GROUP: &str = r#"{"logGroups":[{"logGroupName":"/aws/lambda/orders-production-api","creationTime":1769860800000,
"retentionInDays":30,"metricFilterCount":2,"arn":"arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/orders-production-api:*",
"storedBytes":1048576,"kmsKeyId":"arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
"logGroupClass":"STANDARD","logGroupArn":"arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/orders-production-api",
"deletionProtectionEnabled":false,"bearerTokenAuthenticationEnabled":false}]}"#;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let rounds = if quick { 5 } else { 21 };
    let page: Page = serde_json::from_str(GROUP).expect("the text is a page");
    let text = serde_json::to_vec(&page).expect("a page can be written");

    let logs = REGISTRY.service("logs").expect("the service exists");
    println!("| One log group | Write | / serde_json | Read | / serde_json |\n|---|---:|---:|---:|---:|");
    let serde_write = || drop(black_box(serde_json::to_vec(black_box(&page))));
    let serde_read = || drop(black_box(serde_json::from_slice::<Page>(black_box(&text))));
    for (name, protocol) in [
        ("awsJson 1.1", logs.protocol),
        ("restJson1", Protocol::RestJson),
        ("awsQuery", Protocol::AwsQuery { namespace: "http://logs.amazonaws.com/doc/2014-03-28/" }),
        ("EC2 query", Protocol::Ec2Query { namespace: "http://logs.amazonaws.com/doc/2014-03-28/" }),
    ] {
        let (request, route) = request(protocol);
        let response = HttpResponse::new(text.clone().into());
        let plain = Request { service: logs, ..self::request(logs.protocol).0 };
        let answer = nephos_wire::decode_answer(&plain, &response).unwrap_or_else(|error| panic!("{error}"));
        let message = nephos_wire::encode_answer(route, &*answer, "id");
        let write = || drop(black_box(nephos_wire::encode_answer(route, black_box(&*answer), "id")));
        let read = || drop(black_box(nephos_wire::decode_answer(&request, black_box(&message))));
        read();
        let (write, read) = (compare(rounds, write, serde_write), compare(rounds, read, serde_read));
        println!("| {name} | {:.0} ns | {:.2} | {:.0} ns | {:.2} |", write.0, write.1, read.0, read.1);
    }
    page_of_50(rounds);
}

/// Measures the work of the server for a page, without the connection.
fn page_of_50(rounds: usize) {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    for n in 0..1000 {
        let group = LogGroup::builder().log_group_name(format!("/team-{:02}/service-{n:07}", n % 37)).build();
        LogGroup::objects(&session)
            .create(&group.expect("the group is valid"))
            .wait()
            .expect("the group is new");
    }
    let (_, route) = request(REGISTRY.service("logs").expect("the service exists").protocol);
    let message = Arc::new(HttpRequest::new("{}".into()));
    let execute_page = || {
        let message = message.clone();
        let make = move || nephos_wire::decode_request(route, &message);
        let source = RequestSource::new(Caller::root(session.account()), session.region());
        wait(cloud.request(source, Effect::Read, make)).unwrap_or_else(|error| panic!("{error}"))
    };
    let page = execute_page();
    let execute = || drop(black_box(execute_page()));
    let write = || drop(black_box(nephos_wire::encode_answer(route, black_box(&*page), "id")));
    let (executed, ratio) = compare(rounds, execute, write);
    println!("\nA page of 50: executed in {executed:.0} ns, encoded in {:.0} ns", executed / ratio);
}

/// Creates a request for log groups, as a service of `protocol` would receive it.
fn request(protocol: Protocol) -> (Request, Route) {
    let logs = REGISTRY.service("logs").expect("the service exists");
    let operation = *logs
        .operations
        .iter()
        .find(|known| known.name == "DescribeLogGroups")
        .expect("the operation exists");
    let route = Route { service: logs, operation };
    let request =
        nephos_wire::decode_request(route, &HttpRequest::new("{}".into())).expect("an empty object is valid");
    // Shapes must be static.
    let service: &'static ServiceShape = Box::leak(Box::new(ServiceShape { protocol, ..*logs }));
    (Request { service, ..request }, Route { service, operation })
}

/// Returns the median time of `ours` in nanoseconds, and the median ratio to `theirs`, measured alternately.
fn compare(rounds: usize, ours: impl Fn(), theirs: impl Fn()) -> (f64, f64) {
    let time = |call: &dyn Fn()| {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    };
    let rounds: Vec<_> = (0..rounds).map(|_| (time(&ours), time(&theirs))).collect();
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    (
        median(rounds.iter().map(|round| round.0).collect()),
        median(rounds.iter().map(|round| round.0 / round.1).collect()),
    )
}
