//! Log groups: create, write events, search them, keep them for a while.
//!
//! `cargo run -p nephos-examples --example log_groups`

use nephos::{
    Cloud, LogEvent, LogGroup, LogStream, Result, SignedDuration, prelude::*, services::logs::InputLogEvent,
};

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let cloud = Cloud::in_memory();
    let session = cloud.session();

    let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build()?;
    LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait()?;
    let stream = LogStream::builder().log_group_name("/web/api").log_stream_name("host-1").build()?;
    LogStream::objects(&session).create(&stream).wait()?;

    let now = cloud.clock().now().as_millisecond();
    let events =
        [(0, "GET /health 200"), (1, "GET /orders 500"), (2, "GET /orders 200")].map(|(n, message)| {
            InputLogEvent::builder().timestamp(now + n).message(message).build().expect("the event is valid")
        });
    LogEvent::objects(&session).put("/web/api", "host-1", events).wait()?;

    // A lazy result set: the filter pattern goes to the service, pages are fetched as the loop needs them.
    for event in LogEvent::objects(&session).list("/web/api").filter_pattern("500").results().iter() {
        println!("{}", event?.message().unwrap_or_default());
    }

    // Validation happens on assignment, and the old value stays.
    let mut group = LogGroup::objects(&session).get("/web/api").wait()?.expect("it was created above");
    println!("{}", group.set_retention_in_days(31).unwrap_err());
    group.set_retention_in_days(7)?;
    group.save().wait()?;

    // Time is part of the cloud: after eight days the events have expired.
    cloud.clock().advance(SignedDuration::from_hours(8 * 24))?;
    let left = LogEvent::objects(&session).list("/web/api").results().count().wait()?;
    println!("{left} events after eight days");
    Ok(())
}
