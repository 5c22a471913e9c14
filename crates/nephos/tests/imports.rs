//! What a user writes in a signature or keeps in a struct can be named with `nephos` as the only dependency.

use nephos::{
    Cloud, LogGroup, Map, Predicate, QueryFuture, Results, Session, Text, prelude::*, shape::RecordShape,
};

/// What a program keeps between its calls.
struct Kept<'a> {
    all: Results<LogGroup>,
    which: Predicate<LogGroup>,
    tags: QueryFuture<'a, Map<Text>>,
    class: &'static RecordShape,
}

fn keep<'a>(session: &Session, group: &'a LogGroup) -> nephos::Result<Kept<'a>> {
    Ok(Kept {
        all: LogGroup::objects(session).list().results(),
        which: LogGroup::FIELDS.retention_in_days.ge(30),
        tags: group.tags_map(),
        class: LogGroup::tag_class()?,
    })
}

#[test]
fn what_calls_return_can_be_named() {
    let session = Cloud::in_memory().session();
    let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build().unwrap();
    LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait().unwrap();
    let group = LogGroup::objects(&session).get("/web/api").wait().unwrap().expect("it was created");
    let kept = keep(&session, &group).unwrap();
    assert_eq!(kept.all.filter(kept.which).count().wait().unwrap(), 1);
    assert_eq!(kept.tags.wait().unwrap().get("team").map(Text::as_str), Some("web"));
    assert_eq!(kept.class.name, "Tag");
}
