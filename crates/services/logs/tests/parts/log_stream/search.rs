//! Tests of `log_stream::search`.

use crate::endpoint::session_answering;
use nephos_core::field_value::FieldType;
use nephos_logs::LogEvent;
use nephos_logs::parts::search::*;
use std::sync::{Arc, Mutex};

#[test]
fn list_sends_a_name_as_log_group_name_and_an_arn_as_identifier() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let recorded = requests.clone();
    let session = session_answering(move |request| {
        recorded.lock().unwrap().push(format!("{request:?}"));
        Box::new(FilteredEvents::blank())
    });
    let arn = format!("arn:aws:logs:{}:{}:log-group:/web", session.region(), session.account());
    for identifier in ["/web", arn.as_str()] {
        LogEvent::objects(&session).list(identifier).results().all().wait().unwrap();
    }
    let requests = requests.lock().unwrap();
    assert!(requests[0].contains(r#"logGroupName: "/web""#), "{}", requests[0]);
    assert!(requests[1].contains(&format!("logGroupIdentifier: {arn:?}")), "{}", requests[1]);
}
