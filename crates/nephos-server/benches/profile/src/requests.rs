//! The measured requests.

use crate::load::{form_request, signed_request};

/// A request that is measured.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    /// Prepares a server, to which the function sends requests, with a number of resources.
    pub(crate) prepare: fn(send: &dyn Fn(Vec<u8>), fill: usize),
    /// Returns the request with a number.
    pub(crate) make: fn(n: u64) -> Vec<u8>,
}

/// All measured requests.
pub(crate) const REQUESTS: [Measured; 8] = [
    Measured { name: "health", prepare: |_, _| (), make: |_| health() },
    Measured {
        name: "create-group",
        prepare: |send, _| (0..1_000).for_each(|n| send(create_group("test", n))),
        // In other accounts, because of the quota.
        make: |n| create_group(&account(n, 100_000), n),
    },
    Measured {
        name: "page",
        prepare: |send, fill| (0..fill as u64).for_each(|n| send(create_group("test", n))),
        make: |_| logs("test", "DescribeLogGroups", "{}"),
    },
    Measured {
        name: "identity",
        prepare: |_, _| (),
        make: |_| form_request("sts", "test", "Action=GetCallerIdentity&Version=2011-06-15"),
    },
    Measured {
        name: "create-user",
        prepare: |_, _| (),
        make: |n| {
            let body = format!("Action=CreateUser&Version=2010-05-08&UserName=user-{n}");
            form_request("iam", &account(n, 4_000), &body)
        },
    },
    Measured { name: "put-events", prepare: prepare_events, make: |_| put_events() },
    Measured {
        name: "get-secret",
        prepare: |send, fill| (0..fill as u64).for_each(|n| send(create_secret(n))),
        make: |n| {
            secrets("GetSecretValue", &format!(r#"{{"SecretId":"web/database-{}"}}"#, n * 7_919 % 1_000))
        },
    },
    Measured { name: "create-secret", prepare: |_, _| (), make: create_secret },
];

/// Returns the request with a name.
pub(crate) fn find(name: &str) -> &'static Measured {
    REQUESTS.iter().find(|request| request.name == name).unwrap_or_else(|| {
        let names: Vec<_> = REQUESTS.iter().map(|request| request.name).collect();
        panic!("{name} is not a request; choose one of {}", names.join(", "))
    })
}

/// Returns another account for each `size` numbers.
fn account(n: u64, size: u64) -> String {
    format!("{:012}", 100_000_000_000 + n / size)
}

fn health() -> Vec<u8> {
    b"GET /_nephos/health HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec()
}

fn logs(key: &str, operation: &str, body: &str) -> Vec<u8> {
    signed_request("logs", key, &format!("Logs_20140328.{operation}"), body)
}

fn create_group(key: &str, n: u64) -> Vec<u8> {
    let name = format!("/team-{:02}/service-{n:07}", n % 37);
    logs(key, "CreateLogGroup", &format!(r#"{{"logGroupName":"{name}"}}"#))
}

fn secrets(operation: &str, body: &str) -> Vec<u8> {
    signed_request("secretsmanager", "test", &format!("secretsmanager.{operation}"), body)
}

fn create_secret(n: u64) -> Vec<u8> {
    let body =
        format!(r#"{{"Name":"web/database-{n}","SecretString":"hunter2","ClientRequestToken":"{n:032}"}}"#);
    secrets("CreateSecret", &body)
}

fn events(operation: &str, body: &str) -> Vec<u8> {
    signed_request("events", "test", &format!("AWSEvents.{operation}"), body)
}

fn prepare_events(send: &dyn Fn(Vec<u8>), _: usize) {
    send(logs("test", "CreateLogGroup", r#"{"logGroupName":"/events"}"#));
    send(events("PutRule", r#"{"Name":"orders","EventPattern":"{\"source\":[\"shop\"]}"}"#));
    let arn = "arn:aws:logs:us-east-1:123456789012:log-group:/events";
    send(events("PutTargets", &format!(r#"{{"Rule":"orders","Targets":[{{"Id":"log","Arn":"{arn}"}}]}}"#)));
}

fn put_events() -> Vec<u8> {
    let entry = r#"{"Source":"shop","DetailType":"Order","Detail":"{\"total\":7}"}"#;
    events("PutEvents", &format!(r#"{{"Entries":[{entry}]}}"#))
}
