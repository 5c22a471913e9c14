//! Identities, sessions and changes of models.

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
    operation::attach,
};

const ARN: &str = "arn:aws:shelf:us-east-1:123456789012:book/rust";

fn bed(json: &str) -> Bed {
    Bed::from_json(json).expect("a valid bed")
}

#[test]
fn arn_name_and_pk_come_from_fields() {
    let book = Book::shelved("rust", 300);
    assert_eq!((book.arn().unwrap(), book.name().unwrap()), (Some(ARN), Some("rust")));
    assert_eq!(book.pk().unwrap(), Pk::Single(ARN.into()));
    let weather = Weather::from_json(r#"{"Station":"pier"}"#).unwrap();
    assert_eq!(weather.name().unwrap(), Some("pier"));
    assert_eq!(weather.pk().unwrap(), Pk::Single("pier".into()));
}

#[test]
fn unknown_identity_is_null() {
    let book = Book::builder().title("rust").build().unwrap();
    assert_eq!(book.arn().unwrap(), None);
    assert_eq!(refusal(book.require_arn()), "ValidationError: arn: this Book has no arn yet");
    assert_eq!(book.pk().unwrap(), Pk::Single(Value::Null));
    assert_eq!(book.transform("arn", None).unwrap(), Value::Null);
}

#[test]
fn kind_without_an_identity_is_a_value_error() {
    let weather = Weather::from_json("{}").unwrap();
    assert_eq!(refusal(weather.arn()), "ValidationError: arn: Weather has no arn");
    let trunk = Trunk::builder().build().unwrap();
    assert_eq!(refusal(trunk.arn()), "ValidationError: arn: Trunk has no arn");
    assert_eq!(refusal(trunk.name()), "ValidationError: name: Trunk has no name");
    assert_eq!(refusal(trunk.pk()), "ValidationError: pk: Trunk has no pk");
}

#[test]
fn identity_can_be_in_a_nested_record() {
    assert_eq!(bed(r#"{"Name":"n","Owner":{"OwnerARN":"arn:x"}}"#).arn().unwrap(), Some("arn:x"));
    for without in [r#"{"Name":"n"}"#, r#"{"Name":"n","Owner":{}}"#] {
        assert_eq!(bed(without).arn().unwrap(), None);
    }
}

#[test]
fn pk_of_several_fields_keeps_their_order() {
    let parts = |bed: &Bed| match bed.pk().unwrap() {
        Pk::Mapping(parts) => {
            parts.into_iter().map(|(name, value)| (name.to_string(), value)).collect::<Vec<_>>()
        }
        Pk::Single(value) => panic!("one value: {value:?}"),
    };
    let owner = Value::Map(values([("OwnerARN", "arn:x".into())]));
    let owned = bed(r#"{"Owner":{"OwnerARN":"arn:x"},"Name":"n"}"#);
    assert_eq!(parts(&owned), [("Name".into(), "n".into()), ("Owner".into(), owner)]);
    let ownerless = bed(r#"{"Name":"n"}"#);
    assert_eq!(parts(&ownerless), [("Name".into(), "n".into()), ("Owner".into(), Value::Null)]);
}

#[test]
fn model_is_saved_when_its_service_set_field_is_set() {
    let named = Book::from_json(format!(r#"{{"title":"rust","Arn":"{ARN}"}}"#)).unwrap();
    assert!(!named.is_saved());
    assert!(Book::shelved("rust", 300).is_saved());
    assert!(!bed(r#"{"Name":"n"}"#).is_saved());
    assert!(bed(r#"{"Name":"n","BedId":"bed-1"}"#).is_saved());
}

#[test]
fn without_saved_when_a_model_that_came_from_the_service_is_saved() {
    let (session, _) = Toy::session();
    let mut trunk = Trunk::model_construct(None, Map::default());
    trunk.set_session(session.clone());
    assert!(!trunk.is_saved());
    attach(&mut trunk, &session);
    assert!(trunk.is_saved());
    trunk.set_weight(3).unwrap();
    assert!(trunk.is_saved());
}

#[test]
fn set_and_changed_fields_are_tracked() {
    let mut book = Book::builder().title("rust").pages(300).build().unwrap();
    assert_eq!(book.fields_set(), ["title", "pages"]);
    assert_eq!(book.changed(), ["title", "pages"]);

    book = Book::model_construct(None, values([("title", "rust".into()), ("pages", 300.into())]));
    assert_eq!(book.changed(), ["title", "pages"], "the values of the service are unknown");
    attach(&mut book, &Toy::session().0);
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
fn assigning_the_same_value_is_set_but_not_changed() {
    let mut book = Book::model_construct(None, values([("title", "rust".into())]));
    attach(&mut book, &Toy::session().0);
    book.set_title("rust").unwrap();
    book.set_lendable(true).unwrap();
    book.set("price", Value::Null).unwrap();
    book.set_tags(None::<Vec<nephos_core::Tag>>).unwrap();
    assert!(book.changed().is_empty(), "{:?}", book.changed());
    assert_eq!(book.fields_set(), ["title", "price", "lendable", "Tags"]);
}

#[test]
fn derived_fields_are_not_changed_by_the_caller() {
    let mut bed = Bed::model_construct(None, values([("Name", "n".into())]));
    attach(&mut bed, &Toy::session().0);
    bed.set_plants([Plant::builder().species("rose").build().unwrap()]).unwrap();
    assert_eq!(bed.plant_count(), Some(1));
    assert_eq!(bed.changed(), ["Plants"]);
}

#[test]
fn given_null_counts_as_set() {
    let book = Book::from_json(r#"{"title":"rust","price":null}"#).unwrap();
    assert_eq!(book.fields_set(), ["title", "price"]);
}

#[test]
fn diff_lists_changed_fields_with_paths() {
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
fn diff_of_an_added_or_removed_record_is_one_entry() {
    let (without, with) = (bed(r#"{"Name":"n"}"#), bed(r#"{"Name":"n","Owner":{"OwnerARN":"a"}}"#));
    let owner = Value::Map(values([("OwnerARN", "a".into())]));
    let came = Difference { path: "Owner".into(), before: Value::Null, after: owner.clone() };
    assert_eq!(without.diff(&with), [came]);
    let went = Difference { path: "Owner".into(), before: owner, after: Value::Null };
    assert_eq!(with.diff(&without), [went]);
}

#[test]
fn equality_of_models_ignores_session_and_changes() {
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
fn clone_is_independent_of_the_original() {
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
fn session_is_never_serialized_or_printed() {
    let (session, _) = Toy::session();
    let session = session.with_region("eu-west-1");
    let mut weather = Weather::from_json(r#"{"Station":"pier","Wind":7}"#).unwrap();
    let before = weather.to_json_exposed();
    assert_eq!(
        weather.require_session().unwrap_err().to_string(),
        "NoSession: this Weather has no session; set one with set_session"
    );
    // A read-only model can be given a session, too.
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
fn session_cannot_be_read_from_json() {
    let mut book = Book::blank();
    json::read(&mut book, br#"{"title":"rust","session":{"region":"x"}}"#, &Reader::TRUSTED).unwrap();
    assert!(book.session().is_none());
    assert!(Book::from_json(r#"{"title":"rust","session":null}"#).is_err());
}
