//! Round trips to the database per call.

use nephos::{
    Cloud, CloudKey, EventBus, EventRule, EventTarget, LogGroup, events::PutEventsRequestEntry, prelude::*,
};
use nephos_postgres::Counts;
use nephos_store::OpenOptions;
use nephos_store_testing::postgres::Server;

/// Round trips of `call`, when it is done for the second time.
fn count(counts: &Counts, mut call: impl FnMut(usize)) -> u64 {
    call(0);
    let before = counts.round_trips();
    call(1);
    counts.round_trips() - before
}

#[test]
fn calls_cost_few_round_trips() {
    let Some(server) = Server::start() else { return };
    let options = Cloud::options().key(CloudKey::new([7; 32]));
    let (store, counts) =
        nephos_postgres::open_counted(&server.address("trips"), &OpenOptions::new()).unwrap();
    let cloud = options.open_shared_store(store).unwrap();
    let session = cloud.session();
    let groups = LogGroup::objects(&session);
    let name = |number: usize| format!("/trips/{number}");
    let create = count(&counts, |number| {
        let group = LogGroup::builder().log_group_name(name(number)).build().unwrap();
        groups.create(&group).wait().map(drop).unwrap();
    });
    let get = count(&counts, |number| assert!(groups.get(name(number)).wait().unwrap().is_some()));
    let page =
        count(&counts, |_| assert_eq!(groups.list().page(None::<&str>).wait().unwrap().items.len(), 2));
    // A rule whose target is a log group: an event is published and delivered in one transaction.
    EventRule::objects(&session).create(&rule()).wait().unwrap();
    let log = groups.get(name(0)).wait().unwrap().unwrap().require_arn().unwrap().to_string();
    let target = EventTarget::builder().rule("orders").id("log").arn(log.as_str()).build().unwrap();
    EventTarget::objects(&session).create(&target).wait().unwrap();
    let put = count(&counts, |_| {
        let entry = PutEventsRequestEntry::builder()
            .source("shop")
            .detail_type("order")
            .detail("{}")
            .build()
            .unwrap();
        EventBus::objects(&session).put_events("default", [entry]).strict(true).wait().map(drop).unwrap();
    });
    println!("round trips: create {create}, get {get}, page {page}, put an event with a target {put}");
    assert!(
        create <= 6 && get <= 3 && page <= 3 && put <= 7,
        "create {create}, get {get}, page {page}, put {put}"
    );
}

fn rule() -> EventRule {
    EventRule::builder().name("orders").event_pattern(r#"{"source":["shop"]}"#).build().unwrap()
}
