//! The view of tags as a mapping that writes through to the model.

use super::{Kind, pairs};
use crate::toys::{garden::Bed, refusal, shelf::Book};
use nephos_core::{Map, Text, tagging::Tagged as _, tags::is_reserved};
use proptest::{prelude::*, sample::select};

fn check_write_through<M: Kind>() {
    // The field is null at first.
    let mut model = M::blank();
    let mut tags = model.tags_mut().wait().unwrap();
    assert!(tags.is_empty());
    assert_eq!(tags.insert("team", "web").unwrap(), None);
    assert_eq!(tags.insert("team", "api").unwrap().as_deref(), Some("web"));
    assert_eq!((tags.get("team").as_deref(), tags.get("Team"), tags.len()), (Some("api"), None, 1));
    assert_eq!(model.tags_map().wait().unwrap(), map(&[("team", "api")]));
    assert_eq!(model.changed(), ["Tags"]);

    let mut tags = model.tags_mut().wait().unwrap();
    tags.extend([("a", "1"), ("b", "2"), ("team", "ops")]).unwrap();
    assert_eq!(format!("{tags:?}"), r#"{"team": "ops", "a": "1", "b": "2"}"#);
    assert_eq!(tags.get_or_insert("a", "9").unwrap(), "1");
    assert_eq!(tags.get_or_insert("c", "3").unwrap(), "3");
    assert_eq!(model.tags_map().wait().unwrap(), map(&[("team", "ops"), ("a", "1"), ("b", "2"), ("c", "3")]));

    let mut tags = model.tags_mut().wait().unwrap();
    assert_eq!(tags.remove("a").unwrap().as_deref(), Some("1"));
    assert_eq!(tags.remove("a").unwrap(), None);
    assert_eq!((tags.pop("b", "x").unwrap().as_str(), tags.pop("b", "x").unwrap().as_str()), ("2", "x"));
    assert_eq!(tags.pop_last().unwrap(), Some(("c".into(), "3".into())));
    assert_eq!(model.tags_map().wait().unwrap(), map(&[("team", "ops")]));

    let mut tags = model.tags_mut().wait().unwrap();
    tags.replace([("x", "1"), ("y", "2"), ("z", "3")]).unwrap();
    tags.retain(|key, value| key == "x" || value == "3").unwrap();
    assert_eq!(model.tags_map().wait().unwrap(), map(&[("x", "1"), ("z", "3")]));

    model.tags_mut().wait().unwrap().clear().unwrap();
    assert!(model.tags_map().wait().unwrap().is_empty());
    assert_eq!(model.tags_mut().wait().unwrap().pop_last().unwrap(), None);
}

fn map(tags: &[(&str, &str)]) -> Map<Text> {
    pairs(tags).into_iter().collect()
}

#[test]
fn view_of_tags_writes_through_to_the_model() {
    check_write_through::<Book>();
    check_write_through::<Bed>();
}

fn check_rejected_changes<M: Kind>() {
    let served = || M::served(&pairs(&[("aws:x", "y"), ("origin", "aws:z"), ("own", "tag")]));
    let mut model = served();
    let mut tags = model.tags_mut().wait().unwrap();
    let failures = [
        refusal(tags.insert("aws:new", "x")),
        refusal(tags.insert("a", "AWS:x")),
        refusal(tags.insert("a#", "x")),
        refusal(tags.insert("", "x")),
        refusal(tags.insert("a", "x".repeat(257))),
        refusal(tags.insert("aws:x", "other")),
        refusal(tags.insert("origin", "mine")),
        refusal(tags.remove("aws:x")),
        refusal(tags.remove("origin")),
        refusal(tags.pop("aws:x", "")),
        refusal(tags.get_or_insert("AWS:more", "x")),
        refusal(tags.extend([("fine", "x"), ("aws:new", "x")])),
        refusal(tags.extend([("fine", "x"), ("origin", "mine")])),
        refusal(tags.replace([("fine", "x"), ("not#", "x")])),
    ];
    assert!(failures.iter().all(|line| line.contains("Tags")), "{failures:?}");
    assert_eq!(model, served());
    assert!(model.changed().is_empty());
    assert_eq!(
        refusal(model.tags_mut().wait().unwrap().remove("origin")),
        "ValidationError: Tags[origin]: is a reserved tag, which cannot be changed or removed"
    );

    let mut tags = model.tags_mut().wait().unwrap();
    // Reading a reserved tag does not change it.
    assert_eq!(tags.get_or_insert("aws:x", "other").unwrap(), "y");
    assert_eq!(tags.pop_last().unwrap(), Some(("own".into(), "tag".into())));
    assert_eq!(tags.pop_last().unwrap(), None);
    tags.retain(|_, _| false).unwrap();
    tags.clear().unwrap();
    assert_eq!(model.tags_map().wait().unwrap(), map(&[("aws:x", "y"), ("origin", "aws:z")]));
}

#[test]
fn rejected_change_of_the_view_changes_nothing() {
    check_rejected_changes::<Book>();
    check_rejected_changes::<Bed>();
}

#[derive(Clone, Debug)]
enum Step {
    Insert(&'static str, &'static str),
    Remove(&'static str),
    Pop(&'static str),
    PopLast,
    GetOrInsert(&'static str, &'static str),
    Extend(Vec<(&'static str, &'static str)>),
    Replace(Vec<(&'static str, &'static str)>),
    Retain(&'static str),
    Clear,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || select(vec!["a", "b", "c", "d", "origin", "aws:x", "AWS:new", "no#"]);
    let value = || select(vec!["1", "2", "", "aws:v", "Aws:v", "no#"]);
    let many = || prop::collection::vec((key(), value()), 0..4);
    let step = prop_oneof![
        4 => (key(), value()).prop_map(|(key, value)| Step::Insert(key, value)),
        2 => key().prop_map(Step::Remove),
        1 => key().prop_map(Step::Pop),
        1 => Just(Step::PopLast),
        2 => (key(), value()).prop_map(|(key, value)| Step::GetOrInsert(key, value)),
        2 => many().prop_map(Step::Extend),
        1 => many().prop_map(Step::Replace),
        1 => key().prop_map(Step::Retain),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 0..20)
}

/// Tags as a list of pairs: a simple model of the rules to compare with.
type Plain = Vec<(String, String)>;

fn put(plain: &mut Plain, key: &str, value: &str) {
    match plain.iter_mut().find(|(own, _)| own == key) {
        Some((_, own)) => *own = value.into(),
        None => plain.push((key.into(), value.into())),
    }
}

fn locked((key, value): &(String, String)) -> bool {
    is_reserved(key, value)
}

/// Returns the tags after the step; `None` if it must be an error.
fn expected(before: &Plain, step: &Step) -> Option<Plain> {
    let mut after = before.clone();
    match step {
        Step::Insert(key, value) => put(&mut after, key, value),
        Step::Remove(key) | Step::Pop(key) => after.retain(|(own, _)| own != key),
        Step::PopLast => {
            if let Some(last) = after.iter().rposition(|tag| !locked(tag)) {
                after.remove(last);
            }
        }
        Step::GetOrInsert(key, value) => {
            if !after.iter().any(|(own, _)| own == key) {
                put(&mut after, key, value);
            }
        }
        Step::Extend(tags) => tags.iter().for_each(|(key, value)| put(&mut after, key, value)),
        Step::Replace(tags) => {
            after.retain(locked);
            tags.iter().for_each(|(key, value)| put(&mut after, key, value));
        }
        Step::Retain(key) => after.retain(|tag| locked(tag) || tag.0 == *key),
        Step::Clear => after.retain(locked),
    }
    let right = |tag: &(String, String)| {
        before.contains(tag) || !locked(tag) && !tag.0.contains('#') && !tag.1.contains('#')
    };
    let kept = before.iter().filter(|tag| locked(tag)).all(|tag| after.contains(tag));
    (kept && after.iter().all(right)).then_some(after)
}

fn check_steps<M: Kind>(steps: &[Step]) -> Result<(), TestCaseError> {
    let start = [("aws:x", "y"), ("a", "1"), ("origin", "aws:z")];
    let mut model = M::served(&pairs(&start));
    let mut plain: Plain = start.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    for step in steps {
        let mut tags = model.tags_mut().wait().expect("the kind has tags");
        let outcome = match step.clone() {
            Step::Insert(key, value) => tags.insert(key, value).map(drop),
            Step::Remove(key) => tags.remove(key).map(drop),
            Step::Pop(key) => tags.pop(key, "none").map(drop),
            Step::PopLast => tags.pop_last().map(drop),
            Step::GetOrInsert(key, value) => tags.get_or_insert(key, value).map(drop),
            Step::Extend(more) => tags.extend(more),
            Step::Replace(all) => tags.replace(all),
            Step::Retain(only) => tags.retain(|key, _| key == only),
            Step::Clear => tags.clear(),
        };
        let should = expected(&plain, step);
        prop_assert_eq!(outcome.is_ok(), should.is_some(), "{:?} on {:?}: {:?}", step, &plain, outcome);
        plain = should.unwrap_or(plain);
        let now: Plain = model
            .tags_map()
            .wait()
            .unwrap()
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        prop_assert_eq!(&now, &plain, "{:?}", step);
    }
    Ok(())
}

proptest! {
    #[test]
    fn view_of_tags_behaves_like_a_map_with_rules(steps in steps()) {
        check_steps::<Book>(&steps)?;
        check_steps::<Bed>(&steps)?;
    }
}
