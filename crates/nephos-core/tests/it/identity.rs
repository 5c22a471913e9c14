//! Who a model is, where it came from, and what became of it since.

use crate::toys::{
    Toy, at,
    attic::Trunk,
    garden::{Bed, Plant, Weather},
    refusal,
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{
    Difference, Map, Pk, Record as _, Resource, Value, field_value::FieldType as _, fill::Reader, json,
    operation::Attach as _,
};

const ARN: &str = "arn:aws:shelf:us-east-1:123456789012:book/rust";

fn bed(json: &str) -> Bed {
    Bed::from_json(json).expect("a right bed")
}

#[test]
fn a_model_is_known_by_its_fields() {
    let book = Book::shelved("rust", 300);
    assert_eq!((book.arn().unwrap(), book.name().unwrap()), (Some(ARN), Some("rust")));
    assert_eq!(book.pk().unwrap(), Pk::Single(ARN.into()));
    let weather = Weather::from_json(r#"{"Station":"pier"}"#).unwrap();
    assert_eq!(weather.name().unwrap(), Some("pier"));
    assert_eq!(weather.pk().unwrap(), Pk::Single("pier".into()));
}

#[test]
fn an_identity_that_is_not_known_yet_is_null() {
    let book = Book::builder().title("rust").build().unwrap();
    assert_eq!(book.arn().unwrap(), None);
    assert_eq!(refusal(book.require_arn()), "ValidationError: arn: this Book has no arn yet");
    assert_eq!(book.pk().unwrap(), Pk::Single(Value::Null));
    assert_eq!(book.transform("arn", None).unwrap(), Value::Null);
}

#[test]
fn a_kind_without_an_identity_says_so() {
    let weather = Weather::from_json("{}").unwrap();
    assert_eq!(refusal(weather.arn()), "ValidationError: arn: Weather has no arn");
    let trunk = Trunk::builder().build().unwrap();
    assert_eq!(refusal(trunk.arn()), "ValidationError: arn: Trunk has no arn");
    assert_eq!(refusal(trunk.name()), "ValidationError: name: Trunk has no name");
    assert_eq!(refusal(trunk.pk()), "ValidationError: pk: Trunk has no pk");
}

#[test]
fn an_identity_may_lie_within_a_record() {
    assert_eq!(bed(r#"{"Name":"n","Owner":{"OwnerARN":"arn:x"}}"#).arn().unwrap(), Some("arn:x"));
    for without in [r#"{"Name":"n"}"#, r#"{"Name":"n","Owner":{}}"#] {
        assert_eq!(bed(without).arn().unwrap(), None);
    }
}

#[test]
fn a_pk_of_several_fields_is_in_their_order() {
    let parts = |bed: &Bed| match bed.pk().unwrap() {
        Pk::Mapping(parts) => {
            parts.into_iter().map(|(name, value)| (name.to_string(), value)).collect::<Vec<_>>()
        }
        Pk::Single(value) => panic!("one value: {value:?}"),
    };
    let owner = Value::Map(values([("OwnerARN", "arn:x".into())]));
    let owned = bed(r#"{"Owner":{"OwnerARN":"arn:x"},"Name":"n"}"#);
    assert_eq!(parts(&owned), [("Name".into(), "n".into()), ("Owner".into(), owner)]);
    let nobodys = bed(r#"{"Name":"n"}"#);
    assert_eq!(parts(&nobodys), [("Name".into(), "n".into()), ("Owner".into(), Value::Null)]);
}

#[test]
fn only_the_services_mark_tells_that_a_model_is_saved() {
    let named = Book::from_json(format!(r#"{{"title":"rust","Arn":"{ARN}"}}"#)).unwrap();
    assert!(!named.is_saved());
    assert!(Book::shelved("rust", 300).is_saved());
    assert!(!bed(r#"{"Name":"n"}"#).is_saved());
    assert!(bed(r#"{"Name":"n","BedId":"bed-1"}"#).is_saved());
}

#[test]
fn without_a_mark_a_model_is_saved_as_it_came_through_a_session() {
    let (session, _) = Toy::session();
    let mut trunk = Trunk::model_construct(None, Map::default());
    assert!(!trunk.is_saved());
    trunk.set_session(session);
    assert!(trunk.is_saved());
    trunk.set_weight(3).unwrap();
    assert!(!trunk.is_saved());
}

#[test]
fn what_was_set_and_what_changed_is_remembered() {
    let mut book = Book::builder().title("rust").pages(300).build().unwrap();
    assert_eq!(book.fields_set(), ["title", "pages"]);
    assert_eq!(book.changed(), ["title", "pages"]);

    book = Book::model_construct(None, values([("title", "rust".into()), ("pages", 300.into())]));
    assert_eq!(book.changed(), ["title", "pages"], "nothing is known of what the service has");
    book.attach(&Toy::session().0);
    assert!(book.changed().is_empty());
    book.set_pages(301).unwrap();
    book.set("price", 2).unwrap();
    assert_eq!(book.changed(), ["pages", "price"]);
    assert_eq!(book.fields_set(), ["title", "pages", "price"]);
    book.set_price(None).unwrap();
    assert_eq!(book.fields_set(), ["title", "pages", "price"]);
    assert!(book.set_pages(0).is_err() && book.set("days", 8).is_err());
    assert_eq!(book.changed(), ["pages", "price"]);
}

#[test]
fn the_same_value_again_is_set_but_no_change() {
    let mut book = Book::model_construct(None, values([("title", "rust".into())]));
    book.attach(&Toy::session().0);
    book.set_title("rust").unwrap();
    book.set_lendable(true).unwrap();
    book.set("price", Value::Null).unwrap();
    book.set_tags(None::<Vec<nephos_core::Tag>>).unwrap();
    assert!(book.changed().is_empty(), "{:?}", book.changed());
    assert_eq!(book.fields_set(), ["title", "price", "lendable", "Tags"]);
}

#[test]
fn what_follows_from_a_change_is_none_of_the_callers() {
    let mut bed = Bed::model_construct(None, values([("Name", "n".into())]));
    bed.attach(&Toy::session().0);
    bed.set_plants([Plant::builder().species("rose").build().unwrap()]).unwrap();
    assert_eq!(bed.plant_count(), Some(1));
    assert_eq!(bed.changed(), ["Plants"]);
}

#[test]
fn null_that_was_given_counts_as_set() {
    let book = Book::from_json(r#"{"title":"rust","price":null}"#).unwrap();
    assert_eq!(book.fields_set(), ["title", "price"]);
}

#[test]
fn two_models_differ_field_by_field() {
    let before = bed(
        r#"{"Name":"n","Owner":{"OwnerARN":"a"},"Fence":{"Height":1,"Colour":"red","Gate":1},"Sizes":{"a":1},
        "Plants":[{"Species":"rose"}],"GateCode":"1234"}"#,
    );
    assert_eq!(before.diff(&before.clone()), []);
    let after = bed(
        r#"{"Name":"m","Owner":{"OwnerARN":"b"},"Fence":{"Height":1,"Colour":"blue","Latch":2},"Sizes":{"a":2},
        "Plants":[{"Species":"rose","Count":2}],"GateCode":"4321","Picture":"AP8="}"#,
    );
    let found = before.diff(&after);
    let paths: Vec<_> = found.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "Name",
            "Plants",
            "Fence.Colour",
            "Fence.Gate",
            "Fence.Latch",
            "Owner.OwnerARN",
            "Sizes",
            "GateCode",
            "Picture",
            "PlantCount"
        ]
    );
    let owner = Difference { path: "Owner.OwnerARN".into(), before: "a".into(), after: "b".into() };
    assert!(found.contains(&owner));
    let latch = Difference { path: "Fence.Latch".into(), before: Value::Null, after: 2.into() };
    assert!(found.contains(&latch));
    assert!(!format!("{found:?}").contains("4321"));
}

#[test]
fn a_record_that_comes_or_goes_differs_as_a_whole() {
    let (without, with) = (bed(r#"{"Name":"n"}"#), bed(r#"{"Name":"n","Owner":{"OwnerARN":"a"}}"#));
    let owner = Value::Map(values([("OwnerARN", "a".into())]));
    let came = Difference { path: "Owner".into(), before: Value::Null, after: owner.clone() };
    assert_eq!(without.diff(&with), [came]);
    let went = Difference { path: "Owner".into(), before: owner, after: Value::Null };
    assert_eq!(with.diff(&without), [went]);
}

#[test]
fn models_are_equal_by_their_fields_alone() {
    let (here, _) = Toy::session();
    let (there, _) = Toy::session();
    let (mut one, mut other) = (Book::shelved("rust", 300), Book::shelved("rust", 300));
    one.set_session(here);
    other.set_session(there);
    other.set_pages(301).unwrap();
    assert_ne!(one, other);
    other.set_pages(300).unwrap();
    assert_eq!(one, other);
    assert_ne!(one.changed(), Vec::<&str>::new());

    let gate = |code: &str| Bed::builder().name("n").gate_code(code).build().expect("any code");
    assert_eq!(gate("12"), gate("12"));
    assert_ne!(gate("12"), gate("13"));
    assert_ne!(gate("12"), gate("123"));

    let weather = |json: &str| Weather::from_json(json).expect("any weather");
    assert_eq!(weather(r#"{"Wind":1,"Rain":2}"#), weather(r#"{"Rain":2,"Wind":1}"#));
    assert_ne!(weather(r#"{"Wind":1}"#), weather(r#"{"Wind":2}"#));
}

#[test]
fn a_clone_is_a_model_of_its_own() {
    let (session, _) = Toy::session();
    let mut book = Book::builder().title("rust").authors(["ann"]).build().unwrap();
    book.set_session(session);
    let mut copy = book.clone();
    assert_eq!(copy, book);
    assert_eq!((copy.changed(), copy.fields_set()), (book.changed(), book.fields_set()));
    assert!(copy.session().is_some());
    copy.set_authors(["bob"]).unwrap();
    copy.set_pages(3).unwrap();
    copy.set_session(None);
    assert_eq!(book.authors().unwrap(), ["ann"]);
    assert_eq!(book.changed(), ["title", "authors"]);
    assert!(book.session().is_some());
}

#[test]
fn a_session_is_carried_and_never_written() {
    let (session, _) = Toy::session();
    let session = session.with_region("eu-west-1");
    let mut weather = Weather::from_json(r#"{"Station":"pier","Wind":7}"#).unwrap();
    let before = weather.to_json_exposed();
    assert_eq!(
        weather.require_session().unwrap_err().to_string(),
        "NoSession: this Weather has no session; give it one with set_session"
    );
    // Even a read-only model can be given one.
    weather.set_session(session);
    assert_eq!(weather.require_session().unwrap().region(), "eu-west-1");
    assert_eq!(weather.to_json_exposed(), before);
    assert!(!format!("{weather:?}").contains("eu-west-1"));
    assert!(at(&weather, "session").is_err());
    assert!(weather.fields_set() == ["Station"] && weather.changed() == ["Station"]);
    weather.set_session(None);
    assert!(weather.session().is_none());
}

#[test]
fn a_session_is_no_field_of_json_either() {
    let mut book = Book::blank();
    json::read(&mut book, br#"{"title":"rust","session":{"region":"x"}}"#, &Reader::TRUSTED).unwrap();
    assert!(book.session().is_none());
    assert!(Book::from_json(r#"{"title":"rust","session":null}"#).is_err());
}
