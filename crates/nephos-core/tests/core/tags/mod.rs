//! Tags: the same rules for kinds with a list and kinds with a mapping, for every kind of input.

mod view;

use crate::toys::{attic::Trunk, garden::Bed, refusal, shelf::Book};
use nephos_core::{
    Error, ErrorKind, Map, Record, Resource, Result, Tag, Text, Value, fill::Reader, json,
    tagging::Tagged as _, tags,
};

/// A kind with tags, and its typed setters.
trait Kind: Resource {
    fn built(tags: &[(Text, Text)]) -> Result<Self>;
    fn assigned(&mut self, tags: &[(Text, Text)]) -> Result<()>;
    fn cleared(&mut self) -> Result<()>;
    /// Returns tags as JSON, in the form of the kind.
    fn written(tags: &[(Text, Text)]) -> Value;
    const REQUIRED: &'static str;

    /// Makes a model as a service returns it.
    fn served(tags: &[(Text, Text)]) -> Self {
        let json =
            format!("{{\"Tags\":{}}}", json::write(Self::written(tags).view(), json::Writing::EXPOSED));
        let mut model = Self::blank();
        json::read(&mut model, json.as_bytes(), &Reader::TRUSTED).expect("tags of a service are not checked");
        model
    }
}

impl Kind for Book {
    const REQUIRED: &'static str = r#""title":"rust""#;

    fn built(tags: &[(Text, Text)]) -> Result<Self> {
        Self::builder().title("rust").tags(list(tags)).build()
    }

    fn assigned(&mut self, tags: &[(Text, Text)]) -> Result<()> {
        self.set_tags(list(tags))
    }

    fn cleared(&mut self) -> Result<()> {
        self.set_tags(None::<Vec<Tag>>)
    }

    fn written(tags: &[(Text, Text)]) -> Value {
        Value::List(
            tags.iter().cloned().map(|tag| nephos_core::Ref::Record(&Tag::from(tag)).to_value()).collect(),
        )
    }
}

fn list(tags: &[(Text, Text)]) -> Vec<Tag> {
    tags.iter().cloned().map(Tag::from).collect()
}

impl Kind for Bed {
    const REQUIRED: &'static str = r#""Name":"north""#;

    fn built(tags: &[(Text, Text)]) -> Result<Self> {
        Self::builder().name("north").tags(tags.iter().cloned().collect::<Map<_>>()).build()
    }

    fn assigned(&mut self, tags: &[(Text, Text)]) -> Result<()> {
        self.set_tags(tags.iter().cloned().collect::<Map<_>>())
    }

    fn cleared(&mut self) -> Result<()> {
        self.set_tags(None::<nephos_core::Map<nephos_core::Text>>)
    }

    fn written(tags: &[(Text, Text)]) -> Value {
        Value::Map(tags.iter().cloned().map(|(key, value)| (key, value.into())).collect())
    }
}

fn pairs(tags: &[(&str, &str)]) -> Vec<(Text, Text)> {
    tags.iter().map(|(key, value)| (Text::new(key), Text::new(value))).collect()
}

/// Sets tags in every way a caller can, on a model that has one tag already; that tag must stay if they are
/// rejected.
fn set_in_all_ways<M: Kind>(tags: &[(Text, Text)]) -> Vec<Result<Map<Text>>> {
    let own = pairs(&[("own", "tag")]);
    let changed = |change: &dyn Fn(&mut M) -> Result<()>| {
        let mut model = M::served(&own);
        let outcome = change(&mut model);
        if outcome.is_err() {
            assert_eq!(model.tags_map().wait().unwrap(), own.iter().cloned().collect::<Map<_>>());
        }
        outcome.map(|()| model.tags_map().wait().unwrap())
    };
    let written = json::write(M::written(tags).view(), json::Writing::EXPOSED);
    vec![
        M::built(tags).map(|model| model.tags_map().wait().unwrap()),
        M::from_json(format!("{{{},\"Tags\":{written}}}", M::REQUIRED))
            .map(|model| model.tags_map().wait().unwrap()),
        changed(&|model| model.assigned(tags)),
        changed(&|model| model.set("Tags", M::written(tags))),
        changed(&|model| model.tags_mut().wait()?.replace(tags.to_vec())),
    ]
}

#[track_caller]
fn assert_accepted<M: Kind>(tags: &[(Text, Text)]) {
    for (n, outcome) in set_in_all_ways::<M>(tags).into_iter().enumerate() {
        assert_eq!(outcome.unwrap(), tags.iter().cloned().collect::<Map<_>>(), "way {n}");
    }
}

#[track_caller]
fn assert_rejected<M: Kind>(tags: &[(Text, Text)], message: &str) {
    for (n, outcome) in set_in_all_ways::<M>(tags).into_iter().enumerate() {
        let error: Error = outcome.expect_err("these tags break a rule");
        assert_eq!(error.to_string(), message, "way {n}");
    }
}

fn check_both_kinds(tags: &[(Text, Text)], message: Option<&str>) {
    match message {
        None => {
            assert_accepted::<Book>(tags);
            assert_accepted::<Bed>(tags);
        }
        Some(message) => {
            assert_rejected::<Book>(tags, message);
            assert_rejected::<Bed>(tags, message);
        }
    }
}

#[test]
fn at_most_fifty_tags_are_allowed() {
    let many = |count: usize| (0..count).map(|n| (format!("k{n}").into(), "v".into())).collect::<Vec<_>>();
    check_both_kinds(&many(50), None);
    check_both_kinds(&many(51), Some("ValidationError: Tags: a resource can have at most 50 tags, got 51"));
    let error = Book::built(&many(51)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn lengths_of_tags_are_in_characters() {
    check_both_kinds(&[("ß".repeat(128).into(), "ж".repeat(256).into())], None);
    check_both_kinds(
        &[("ß".repeat(129).into(), "v".into())],
        Some("ValidationError: Tags: the key has 129 characters, at most 128 are allowed"),
    );
    check_both_kinds(
        &[("k".into(), "ж".repeat(257).into())],
        Some("ValidationError: Tags[k]: the value has 257 characters, at most 256 are allowed"),
    );
    check_both_kinds(&pairs(&[("k", "")]), None);
    check_both_kinds(&pairs(&[("", "v")]), Some("ValidationError: Tags: a tag needs a key"));
}

#[test]
fn letters_digits_spaces_and_eight_signs_are_allowed_in_tags() {
    check_both_kinds(&pairs(&[("Größe 1+-=._:/@", "Ж世界٣ é"), ("a b", " ")]), None);
    for wrong in ["a#b", "a,b", "a\tb", "a\nb", "a\"b", "*", "a\u{0}", "😀", "a&b", "(a)"] {
        let sign = wrong.chars().find(|c| !c.is_alphanumeric()).unwrap();
        let message = format!("has {sign:?}; letters, digits, spaces and + - = . _ : / @ are allowed");
        check_both_kinds(&pairs(&[(wrong, "v")]), Some(&format!("ValidationError: Tags: the key {message}")));
        check_both_kinds(
            &pairs(&[("k", wrong)]),
            Some(&format!("ValidationError: Tags[k]: the value {message}")),
        );
    }
}

#[test]
fn tag_keys_are_case_sensitive() {
    check_both_kinds(&pairs(&[("Team", "a"), ("team", "b"), ("TEAM", "b")]), None);
}

#[test]
fn duplicate_tag_key_is_rejected() {
    let twice = [("team", "a"), ("team", "b")];
    let message = "ValidationError: Tags[team]: is given twice; a key can have only one value";
    assert_eq!(refusal(Book::built(&pairs(&twice))), message);
    let mut book = Book::served(&[]);
    assert_eq!(refusal(book.assigned(&pairs(&twice))), message);
    assert_eq!(refusal(book.set("Tags", Book::written(&pairs(&twice)))), message);
    assert_eq!(book.tags().map(<[Tag]>::len), Some(0));
}

#[test]
fn tag_without_a_key_is_rejected() {
    let keyless = || Tag::builder().value("web").build().expect("a valid record, but no valid tag");
    let message = "ValidationError: Tags: a tag needs a key";
    assert_eq!(refusal(Book::builder().title("rust").tags(vec![keyless()]).build()), message);
    assert_eq!(refusal(Book::from_json(r#"{"title":"rust","Tags":[{"Value":"web"}]}"#)), message);
    let mut book = Book::built(&pairs(&[("own", "tag")])).unwrap();
    assert_eq!(refusal(book.set_tags(vec![keyless()])), message);
    assert_eq!(refusal(book.set("Tags[0].Key", Value::Null)), message);
    assert_eq!(book.tags_map().wait().unwrap().len(), 1);
    // A missing value counts as empty.
    book.set("Tags[0].Value", Value::Null).unwrap();
    assert_eq!(book.tags_map().wait().unwrap()["own"], "");
}

#[test]
fn reserved_prefix_is_rejected_in_keys_and_values() {
    for prefix in ["aws:", "AWS:", "Aws:", "aWs:"] {
        let reserved = format!("{prefix}x");
        let message = |key: &str| {
            format!("ValidationError: Tags[{key}]: keys and values that begin with aws: are reserved")
        };
        check_both_kinds(&pairs(&[("a", "b"), (&reserved, "y")]), Some(&message(&reserved)));
        check_both_kinds(&pairs(&[("k", &reserved)]), Some(&message("k")));
    }
    check_both_kinds(&pairs(&[("aws", "aws"), ("xaws:", "x aws:"), ("aw", "aws-"), ("ä:", "awß:")]), None);
}

const RESERVED: [(&str, &str); 3] = [("aws:made-by", "stack"), ("AWS:x", "y"), ("origin", "aws:stack")];

fn check_reserved_tags<M: Kind>() {
    let served = || M::served(&[pairs(&RESERVED), pairs(&[("own", "tag")])].concat());
    let stay = |model: &M| {
        RESERVED
            .iter()
            .all(|(key, value)| model.tags_map().wait().unwrap().get(*key).is_some_and(|v| v == value))
    };

    let mut model = served();
    assert_eq!(model.tags_map().wait().unwrap().len(), 4);
    model.assigned(&pairs(&[("team", "web")])).unwrap();
    assert!(stay(&model));
    assert_eq!(
        (model.tags_map().wait().unwrap().len(), model.tags_map().wait().unwrap()["team"].as_str()),
        (4, "web")
    );
    model.cleared().unwrap();
    assert!(stay(&model));
    assert_eq!(model.tags_map().wait().unwrap().len(), 3);

    // Assigning the same tags is no change.
    let mut model = served();
    let all: Vec<_> = model.tags_map().wait().unwrap().into_iter().collect();
    model.assigned(&all).unwrap();
    assert_eq!(model, served());
    assert!(model.changed().is_empty());

    for (key, value) in [("aws:made-by", "me"), ("AWS:x", ""), ("origin", "me"), ("origin", "aws:other")] {
        let mut model = served();
        assert!(model.assigned(&pairs(&[(key, value)])).is_err(), "{key}={value}");
        assert!(model.set("Tags", M::written(&pairs(&[(key, value)]))).is_err(), "{key}={value}");
        assert_eq!(model, served());
    }
    // A reserved tag that the model does not have cannot be added.
    assert!(served().assigned(&pairs(&[("aws:new", "x")])).is_err());

    let fifty: Vec<_> = (0..50).map(|n| (Text::from(format!("k{n}")), Text::new("v"))).collect();
    let mut model = served();
    model.assigned(&fifty).unwrap();
    assert_eq!(model.tags_map().wait().unwrap().len(), 53);
    assert!(model.tags_mut().wait().unwrap().insert("one", "more").is_err());
}

#[test]
fn reserved_tags_are_kept_and_not_counted() {
    check_reserved_tags::<Book>();
    check_reserved_tags::<Bed>();
}

#[test]
fn tags_of_a_kind_without_tags_are_a_value_error() {
    let mut trunk = Trunk::builder().build().unwrap();
    assert!(trunk.tags_map().wait().unwrap().is_empty());
    assert_eq!(refusal(trunk.tags_mut().wait().map(drop)), "ValidationError: tags: Trunk has no tags");
    assert_eq!(refusal(Trunk::tag_class()), "ValidationError: tags: Trunk has no tags");
}

#[test]
fn tag_class_is_known_for_lists_and_mappings() {
    for class in [Book::tag_class(), Bed::tag_class()] {
        assert_eq!(class.unwrap().name, "Tag");
    }
}

#[test]
fn changes_are_tags_to_set_and_keys_to_remove() {
    let map = |tags: &[(&str, &str)]| pairs(tags).into_iter().collect::<Map<Text>>();
    let before = map(&[("a", "1"), ("b", "2"), ("c", "3"), ("aws:x", "y"), ("v", "aws:y")]);
    let after = map(&[("b", "2"), ("c", "4"), ("d", ""), ("aws:new", "z")]);
    let (set, removed) = tags::changes(&before, &after);
    assert_eq!(set, map(&[("c", "4"), ("d", "")]));
    assert_eq!(removed, ["a"]);
    assert_eq!(tags::changes(&before, &before), (Map::default(), vec![]));
    assert_eq!(tags::changes(&Map::default(), &map(&[("a", "1")])), (map(&[("a", "1")]), vec![]));
}
