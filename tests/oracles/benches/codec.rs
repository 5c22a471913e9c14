//! Cost of encoding and decoding one log group, per protocol, compared with serde_json on an equal struct; and of decoding one
//! database instance from XML, compared with quick-xml and serde on an equal struct.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

#[path = "codec/instance.rs"]
mod instance;

use nephos::{
    Caller, Cloud, DBInstance, LogGroup, REGISTRY, RequestSource,
    shape::{Effect, OperationShape, Protocol, ServiceShape},
};
use nephos_core::{Request, record::Fields, wait};
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
        let (request, route) = request(logs, "DescribeLogGroups", "{}", protocol);
        let response = HttpResponse::new(text.clone().into());
        let plain = self::request(logs, "DescribeLogGroups", "{}", logs.protocol).0;
        let answer = nephos_wire::decode_answer(&plain, &response).unwrap_or_else(|error| panic!("{error}"));
        let message = nephos_wire::encode_answer(route, &*answer, "id");
        let write = || drop(black_box(nephos_wire::encode_answer(route, black_box(&*answer), "id")));
        let read = || drop(black_box(nephos_wire::decode_answer(&request, black_box(&message))));
        read();
        let (write, read) = (compare(rounds, write, serde_write), compare(rounds, read, serde_read));
        println!("| {name} | {:.0} ns | {:.2} | {:.0} ns | {:.2} |", write.0, write.1, read.0, read.1);
    }
    page_of_50(rounds);
    database_instance(rounds);
}

/// Compares decoding of the answer with one database instance.
fn database_instance(rounds: usize) {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let model = DBInstance::builder()
        .db_instance_identifier("orders-production")
        .db_instance_class("db.r6g.large")
        .engine("postgres")
        .engine_version("16.3")
        .allocated_storage(100)
        .multi_az(true)
        .master_username("boss")
        .tag_list([("team", "orders"), ("stage", "production")])
        .build()
        .expect("the instance is valid");
    let create = DBInstance::objects(&session).create(&model).master_user_password("correct-horse");
    create.wait().expect("the instance is new");
    let rds = REGISTRY.service("rds").expect("the service exists");
    let body = "Action=DescribeDBInstances&Version=2014-10-31";
    let (request, route) = request(rds, "DescribeDBInstances", body, rds.protocol);
    let answer = execute(&cloud, route, &Arc::new(HttpRequest::new(body.into())));
    let message = nephos_wire::encode_answer(route, &*answer, "id");
    let text = str::from_utf8(message.body()).expect("XML is text");
    let decode = || quick_xml::de::from_str::<instance::Response>(black_box(text));
    let theirs = decode().expect("the answer has the elements of the struct");
    assert_eq!(theirs.DescribeDBInstancesResult.DBInstances.items.len(), 1);
    let read = || drop(black_box(nephos_wire::decode_answer(&request, black_box(&message))));
    let (read, ratio) = compare(rounds, read, || drop(black_box(decode())));
    let length = text.len();
    println!(
        "\nA database instance, {length} bytes of XML: decoded in {read:.0} ns, {ratio:.2} of quick-xml with serde"
    );
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
    let logs = REGISTRY.service("logs").expect("the service exists");
    let (_, route) = request(logs, "DescribeLogGroups", "{}", logs.protocol);
    let message = Arc::new(HttpRequest::new("{}".into()));
    let page = execute(&cloud, route, &message);
    let execute = || drop(black_box(execute(&cloud, route, &message)));
    let write = || drop(black_box(nephos_wire::encode_answer(route, black_box(&*page), "id")));
    let (executed, ratio) = compare(rounds, execute, write);
    println!("\nA page of 50: executed in {executed:.0} ns, encoded in {:.0} ns", executed / ratio);
}

/// Executes a reading request of the root user of the default account.
fn execute(cloud: &Cloud, route: Route, message: &Arc<HttpRequest>) -> Box<dyn Fields> {
    let session = cloud.session();
    let message = message.clone();
    let make = move || nephos_wire::decode_request(route, &message);
    let source = RequestSource::new(Caller::root(session.account()), session.region());
    wait(cloud.request(source, Effect::Read, make)).unwrap_or_else(|error| panic!("{error}"))
}

/// Creates the request of a body, as a service of `protocol` would receive it.
fn request(
    known: &'static ServiceShape,
    operation: &str,
    body: &'static str,
    protocol: Protocol,
) -> (Request, Route) {
    let is_named = |known: &&&'static OperationShape| known.name == operation;
    let operation = *known.operations.iter().find(is_named).expect("the operation exists");
    let route = Route { service: known, operation };
    let request =
        nephos_wire::decode_request(route, &HttpRequest::new(body.into())).expect("the body is valid");
    // Shapes must be static.
    let service: &'static ServiceShape = Box::leak(Box::new(ServiceShape { protocol, ..*known }));
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
