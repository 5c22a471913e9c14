//! Types of signatures and struct fields are exported, so that `nephos` can be the only dependency.

use nephos::{
    Cloud, LogGroup, Map, Predicate, QueryFuture, Results, Session, Text, prelude::*, shape::RecordShape,
};

/// State of a program between calls.
struct AppState<'a> {
    all: Results<LogGroup>,
    predicate: Predicate<LogGroup>,
    tags: QueryFuture<'a, Map<Text>>,
    class: &'static RecordShape,
}

fn load_state<'a>(session: &Session, group: &'a LogGroup) -> nephos::Result<AppState<'a>> {
    Ok(AppState {
        all: LogGroup::objects(session).list().results(),
        predicate: LogGroup::FIELDS.retention_in_days.ge(30),
        tags: group.tags_map(),
        class: LogGroup::tag_class()?,
    })
}

#[test]
fn types_of_calls_can_be_named() {
    let session = Cloud::in_memory().session();
    let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build().unwrap();
    LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait().unwrap();
    let group = LogGroup::objects(&session).get("/web/api").wait().unwrap().expect("the group exists");
    let state = load_state(&session, &group).unwrap();
    assert_eq!(state.all.filter(state.predicate).count().wait().unwrap(), 1);
    assert_eq!(state.tags.wait().unwrap().get("team").map(Text::as_str), Some("web"));
    assert_eq!(state.class.name, "Tag");
}
