//! Forks of a served cloud: created, used and dropped by requests.

use crate::{
    served::{logs, noon, send, send_with, serve_cloud, session},
    signing::{Wire, serve_strict},
};
use nephos::{Cloud, LogGroup, Session, prelude::*};

fn group(name: &str) -> LogGroup {
    LogGroup::builder().log_group_name(name).build().unwrap()
}

fn names(session: &Session) -> Vec<String> {
    let groups = LogGroup::objects(session).list().results().all().wait().unwrap();
    groups.iter().map(|group| group.require_name().unwrap().to_owned()).collect()
}

#[test]
fn fork_starts_with_the_state_of_the_cloud_and_is_independent() {
    let (_, address) = serve_cloud();
    let main = session(address, "test");
    LogGroup::objects(&main).create(&group("/both")).wait().unwrap();
    let made = send(address, "POST", "/_nephos/fork", "{\"name\":\"try\"}");
    assert_eq!(
        (made.status, made.field("name"), made.field("path")),
        (200, "try".into(), "/_nephos/forks/try".into())
    );

    let endpoint = format!("http://{address}{}", made.field("path"));
    let fork = Session::remote().endpoint(endpoint).keys("test", "secret").build().unwrap();
    assert_eq!(names(&fork), ["/both"]);
    LogGroup::objects(&fork).create(&group("/fork")).wait().unwrap();
    LogGroup::objects(&fork).delete("/both").wait().unwrap();
    LogGroup::objects(&main).create(&group("/main")).wait().unwrap();
    assert_eq!((names(&fork), names(&main)), (vec!["/fork".into()], vec!["/both".into(), "/main".into()]));

    // The same by a header, and for a service with paths.
    let target = [("X-Amz-Target", "Logs_20140328.DescribeLogGroups"), ("X-Nephos-Fork", "try")];
    assert!(send_with(address, "POST", "/", &target, b"{}").text().contains("/fork"));
    let fork = |method, path: &str| send(address, method, &format!("/_nephos/forks/try{path}"), "{}");
    assert_eq!(fork("POST", "/v1/registries/name/web").status, 201);
    assert_eq!(fork("GET", "/v1/registries/name/web").status, 200);
    assert_eq!(fork("DELETE", "/v1/registries/name/web").status, 204);
    assert_eq!(send(address, "GET", "/v1/registries/name/web", "").status, 404);
}

#[test]
fn fork_has_its_own_control_endpoint() {
    let (cloud, address) = serve_cloud();
    assert_eq!(logs(address, "test", "CreateLogGroup", "{\"logGroupName\":\"/a\"}").status, 200);
    assert_eq!(send(address, "POST", "/_nephos/fork", "{\"name\":\"one\"}").status, 200);
    let state = |path: &str| send(address, "GET", &format!("{path}/_nephos/state"), "").field("digest");
    let one = "/_nephos/forks/one";
    assert_eq!(state(one), state(""));

    let before = cloud.clock().now();
    let moved = send(address, "POST", &format!("{one}/_nephos/clock"), "{\"advance\":3600}");
    assert_eq!((moved.status, moved.field("now")), (200, "2026-01-31T13:00:00Z".into()));
    assert_eq!(cloud.clock().now(), before);
    assert_eq!(send(address, "POST", &format!("{one}/_nephos/fork"), "{\"name\":\"two\"}").status, 200);
    assert_eq!(send(address, "POST", &format!("{one}/_nephos/reset"), "").status, 200);
    let two = "/_nephos/forks/two";
    assert_eq!(
        send(address, "GET", &format!("{two}/_nephos/clock"), "").field("now"),
        "2026-01-31T13:00:00Z"
    );
    assert_ne!(state(one), state(two));
    assert!(!cloud.rows().unwrap().is_empty());

    let listed = send(address, "GET", "/_nephos/forks", "");
    assert!(listed.text().contains("\"one\"") && listed.text().contains("\"two\""), "{}", listed.text());
    assert_eq!(send(address, "DELETE", one, "").status, 200);
    assert_eq!(send(address, "DELETE", one, "").status, 404);
    assert_eq!(send(address, "GET", &format!("{one}/_nephos/clock"), "").status, 404);
    assert_eq!(send(address, "GET", &format!("{two}/_nephos/clock"), "").status, 200);
    for (body, status) in [("{\"name\":\"two\"}", 409), ("{\"name\":\"a/b\"}", 400), ("{\"nam\":\"a\"}", 400)]
    {
        let refused = send(address, "POST", "/_nephos/fork", body);
        assert_eq!(refused.status, status, "{}", refused.text());
    }
    assert_eq!(send(address, "POST", "/_nephos/fork", "").field("name"), "fork-1");
}

#[test]
fn missing_fork_error_uses_the_protocol_of_the_service() {
    let (cloud, address) = serve_cloud();
    let before = cloud.rows().unwrap();
    let create = |path: &str, fork: &str| {
        let target = ("X-Amz-Target", "Logs_20140328.CreateLogGroup");
        send_with(address, "POST", path, &[target, ("X-Nephos-Fork", fork)], b"{\"logGroupName\":\"/a\"}")
    };
    let missing = create("/", "none");
    assert_eq!((missing.status, missing.header("x-amzn-errortype")), (404, Some("NoSuchFork")));
    assert_eq!(send(address, "POST", "/_nephos/fork", "{\"name\":\"try\"}").status, 200);
    assert_eq!(create("/_nephos/forks/try/", "other").status, 400);
    assert_eq!(cloud.rows().unwrap(), before);
    assert_eq!(create("/_nephos/forks/try/", "try").status, 200);
    assert_eq!(cloud.rows().unwrap(), before);
}

#[test]
fn fork_in_path_or_header_must_be_signed() {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let (address, signer) = serve_strict(&cloud);
    let control = signer.clone().for_service("nephos");
    for name in ["one", "two"] {
        let made = Wire::new("POST", "/_nephos/fork", &format!("{{\"name\":\"{name}\"}}"));
        assert_eq!(made.clone().send(address).status, 403);
        assert_eq!(made.signed(address, &control).send(address).status, 200);
    }
    let list = |path: &str| Wire { path: path.into(), ..Wire::logs("DescribeLogGroups", "{}") };
    let by_path = list("/_nephos/forks/one/").signed(address, &signer);
    assert_eq!(by_path.send(address).status, 200);
    assert_eq!(list("/_nephos/forks/one/").presigned(address, &signer).send(address).status, 200);
    let other_fork = Wire { path: "/_nephos/forks/two/".into(), ..by_path.clone() };
    assert_eq!(other_fork.send(address).status, 400);
    let main = Wire { path: "/".into(), ..by_path };
    assert_eq!(main.send(address).status, 400);
    let around = Wire { path: "/_nephos/forks/two/../../../".into(), ..list("/").signed(address, &signer) };
    assert_eq!(around.send(address).status, 403, "a path with `..` is signed in its normalized form");
    let by_header = list("/").with("x-nephos-fork", "one").signed(address, &signer);
    assert_eq!(by_header.send(address).status, 200);
    assert_eq!(by_header.with("x-nephos-fork", "two").send(address).status, 400);
    let added = list("/").signed(address, &signer).with("x-nephos-fork", "one").send(address);
    assert!(added.text().contains("'x-nephos-fork' must be"), "{}", added.text());
    let unsigned = list("/").with("x-nephos-fork", "none").send(address);
    assert_eq!(unsigned.header("x-amzn-errortype"), Some("MissingAuthenticationTokenException"));
}
