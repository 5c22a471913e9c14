//! Calls over the wire: a server, and remote sessions.

use crate::served::{serve_cloud, session};
use nephos::{
    ErrorKind, LogGroup, Session, SignedDuration,
    prelude::*,
    services::logs::{InputLogEvent, LogEvent, LogStream},
};
#[test]
fn log_group_crud_over_the_wire() {
    let (cloud, address) = serve_cloud();
    let session = session(address, "test");
    let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build().unwrap();
    LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait().unwrap();

    let mut found = LogGroup::objects(&session).get("/web/api").wait().unwrap().unwrap();
    let here = LogGroup::objects(&cloud.session()).get("/web/api").wait().unwrap().unwrap();
    assert_eq!(found, here);
    assert_eq!(found.tags_map().wait().unwrap().get("team").map(|value| value.as_str()), Some("web"));

    found.set_retention_in_days(90).unwrap();
    found.tags_mut().wait().unwrap().insert("stage", "prod").unwrap();
    found.save().wait().unwrap();
    let here = LogGroup::objects(&cloud.session()).get("/web/api").wait().unwrap().unwrap();
    assert_eq!((found.clone(), here.retention_in_days()), (here, Some(90)));

    found.delete().wait().unwrap();
    assert_eq!(LogGroup::objects(&session).get("/web/api").wait().unwrap(), None);
}

#[test]
fn errors_keep_code_and_kind() {
    let (_cloud, address) = serve_cloud();
    let session = session(address, "test");
    let group =
        LogGroup::builder().log_group_name("/web/api").deletion_protection_enabled(true).build().unwrap();
    LogGroup::objects(&session).create(&group).wait().unwrap();

    let again = LogGroup::objects(&session).create(&group).wait().unwrap_err();
    assert_eq!((again.kind(), again.code()), (ErrorKind::AlreadyExists, "ResourceAlreadyExistsException"));
    assert!(again.request_id().is_some());
    let protected = LogGroup::objects(&session).delete("/web/api").wait().unwrap_err();
    assert_eq!((protected.kind(), protected.code()), (ErrorKind::Protected, "ValidationException"));
    let missing = LogGroup::objects(&session).delete("/web").wait().unwrap_err();
    assert_eq!((missing.kind(), missing.code()), (ErrorKind::NotFound, "ResourceNotFoundException"));
}

#[test]
fn pagination_is_followed_and_accounts_are_isolated() {
    let (_cloud, address) = serve_cloud();
    let (ours, theirs) = (session(address, "111111111111"), session(address, "222222222222"));
    for n in 0..120 {
        let group = LogGroup::builder().log_group_name(format!("/group/{n:03}")).build().unwrap();
        LogGroup::objects(&ours).create(&group).wait().unwrap();
    }
    let names = LogGroup::objects(&ours).list().results().all().wait().unwrap();
    assert!(
        names
            .iter()
            .map(|group| group.require_name().unwrap())
            .eq((0..120).map(|n| format!("/group/{n:03}")))
    );
    let found =
        LogGroup::objects(&ours).list().log_group_name_pattern("p/11").results().count().wait().unwrap();
    assert_eq!(found, 10);
    assert_eq!(LogGroup::objects(&theirs).list().results().count().wait().unwrap(), 0);
    let arn = names[7].require_arn().unwrap().to_owned();
    assert!(LogGroup::objects(&ours).get(arn.as_str()).wait().unwrap().is_some());
}

#[test]
fn log_events_expire_when_the_clock_advances() {
    let (cloud, address) = serve_cloud();
    let session = session(address, "test");
    let group = LogGroup::builder().log_group_name("/web").retention_in_days(1).build().unwrap();
    LogGroup::objects(&session).create(&group).wait().unwrap();
    let stream = LogStream::builder().log_group_name("/web").log_stream_name("a").build().unwrap();
    LogStream::objects(&session).create(&stream).wait().unwrap();
    let now = cloud.clock().now().as_millisecond();
    let event = InputLogEvent::builder().timestamp(now).message("hello").build().unwrap();
    LogEvent::objects(&session).put("/web", "a", vec![event]).wait().unwrap();
    assert_eq!(LogEvent::objects(&session).list("/web").results().count().wait().unwrap(), 1);
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(LogEvent::objects(&session).list("/web").results().count().wait().unwrap(), 0);
}

#[test]
fn unreachable_or_invalid_endpoint_is_an_error() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let session = Session::remote()
        .endpoint(format!("http://{unused}"))
        .keys("a", "b")
        .max_attempts(1)
        .build()
        .unwrap();
    let error = LogGroup::objects(&session).get("/web").wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    for wrong in [
        "ftp://x",
        "127.0.0.1:80",
        "http://",
        "http:// x",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:65616",
        "http://127.0.0.1:0",
        "http://127.0.0.1:+80",
        "http://127.0.0.1:",
        "http://[::1]:99999",
        "http://user:hidden@127.0.0.1:80",
    ] {
        let error = Session::remote().endpoint(wrong).keys("a", "b").build().unwrap_err();
        assert_eq!(error.field(), Some("endpoint"), "{wrong}: {error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
    assert_eq!(Session::remote().build().unwrap_err().kind(), ErrorKind::Denied);
}
