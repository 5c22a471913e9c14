//! The control endpoint under `/_nephos/`.

use crate::served::{logs, send, serve_cloud, session};
use nephos::LogGroup;

#[test]
fn state_digest_changes_with_the_state() {
    let (cloud, address) = serve_cloud();
    let state = || {
        let answer = send(address, "GET", "/_nephos/state", "");
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("x-amzn-requestid").map(str::len), Some(36));
        (answer.field("digest"), answer.field("rows"))
    };
    let empty = state();
    assert_eq!(empty.0.len(), 64);
    assert_eq!(empty.1, cloud.rows().unwrap().len().to_string());

    assert_eq!(logs(address, "test", "CreateLogGroup", "{\"logGroupName\":\"/a\"}").status, 200);
    let one = state();
    assert_ne!((&empty.0, &empty.1), (&one.0, &one.1));
    assert_eq!(logs(address, "test", "CreateLogGroup", "{\"logGroupName\":\"/a\"}").status, 400);
    assert_eq!(state(), one, "a refused request must change nothing");
    // The same rows give the same digest, in any cloud.
    let fork = cloud.fork().unwrap();
    assert_eq!(fork.rows().unwrap(), cloud.rows().unwrap());
    assert_eq!(
        logs(address, "test", "PutRetentionPolicy", "{\"logGroupName\":\"/a\",\"retentionInDays\":1}").status,
        200
    );
    let two = state();
    assert_eq!(two.1, one.1);
    assert_ne!(two.0, one.0);
    assert_eq!(send(address, "POST", "/_nephos/reset", "").status, 200);
    assert_eq!(state(), empty);
}

#[test]
fn link_control_links_accounts() {
    let (cloud, address) = serve_cloud();
    let there = cloud.session().with_account("222222222222");
    let group = LogGroup::builder().log_group_name("/theirs").build().unwrap();
    LogGroup::objects(&there).create(&group).wait().unwrap();
    let seen = || {
        let body = "{\"includeLinkedAccounts\":true}";
        logs(address, "111111111111", "DescribeLogGroups", body).text().contains("/theirs")
    };
    assert!(!seen());
    let link = |body: &str| send(address, "POST", "/_nephos/links", body);
    let answer = link("{\"monitoring\":\"111111111111\",\"source\":\"222222222222\"}");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(seen());

    let rows = cloud.rows().unwrap();
    for (wrong, field) in [
        ("{\"monitoring\":\"111111111111\"}", "source"),
        ("{\"monitoring\":\"111111111111\",\"source\":\"2\"}", "account"),
        ("{\"monitoring\":\"111111111111\",\"source\":\"333333333333\",\"both\":true}", "both"),
        ("[]", "body"),
    ] {
        let answer = link(wrong);
        assert_eq!(answer.status, 400, "{wrong}");
        assert!(answer.field("Message").contains(field), "{}", answer.text());
    }
    assert_eq!(cloud.rows().unwrap(), rows);
}

#[test]
fn health_check_supports_head() {
    let (_, address) = serve_cloud();
    let answer = send(address, "HEAD", "/_nephos/health", "");
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    assert_eq!(send(address, "GET", "/_nephos/health", "").field("status"), "ok");
    assert_eq!(send(address, "POST", "/_nephos/health", "").status, 404);
}

#[test]
fn clock_is_advanced_by_days() {
    let (cloud, address) = serve_cloud();
    let before = cloud.clock().now();
    assert_eq!(send(address, "POST", "/_nephos/clock", "{\"advance\":\"31d\"}").status, 200);
    assert_eq!(cloud.clock().now().duration_since(before).as_hours(), 31 * 24);
    let refused = send(address, "POST", "/_nephos/clock", "{\"advance\":\"soon\"}");
    assert_eq!((refused.status, refused.field("Code")), (400, "ValidationError".into()));
}

#[test]
fn manual_has_a_line_for_each_control_request() {
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    let (_, address) = serve_cloud();
    let message = send(address, "GET", "/_nephos/nonsense", "").field("Message");
    let (_, list) = message.split_once("there are ").unwrap();
    let (mut method, mut count) = ("", 0);
    for request in list.split(", ").flat_map(|part| part.split(" and ")) {
        let path = match request.split_once(' ') {
            Some((own, path)) => {
                method = own;
                path
            }
            None => request,
        };
        assert!(manual.contains(&format!("\n| `{method} {path}` |")), "{method} {path}");
        count += 1;
    }
    assert!(count > 25, "{list}");
}

#[test]
fn metrics_count_requests_by_operation_and_code() {
    let (cloud, address) = serve_cloud();
    let session = session(address, "123456789012").with_region("us-east-1");
    let group = LogGroup::builder().log_group_name("/a").build().unwrap();
    LogGroup::objects(&session).create(&group).wait().unwrap();
    LogGroup::objects(&session).create(&group).wait().unwrap_err();
    let answer = send(address, "GET", "/_nephos/metrics", "");
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("text/plain; version=0.0.4; charset=utf-8"))
    );
    let text = answer.text();
    for line in [
        r#"nephos_requests_total{service="logs",operation="CreateLogGroup",code=""} 1"#,
        r#"nephos_requests_total{service="logs",operation="CreateLogGroup",code="ResourceAlreadyExistsException"} 1"#,
        r#"nephos_request_duration_seconds_bucket{service="logs",operation="CreateLogGroup",le="+Inf"} 2"#,
        r#"nephos_request_duration_seconds_count{service="logs",operation="CreateLogGroup"} 2"#,
        "nephos_due_work 0",
        "nephos_due_callbacks 0",
        "nephos_oldest_due_seconds 0",
        "nephos_forks 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
    }
    assert!(cloud.counters().unwrap().commits > 0);
}
