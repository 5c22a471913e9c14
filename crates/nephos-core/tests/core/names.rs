//! Access to fields by name: paths into nested records, lists and mappings, and all spellings of a name.

use crate::toys::{
    at,
    attic::Trunk,
    garden::{Bed, Fence, Plant, Weather},
    refusal,
    shelf::Book,
    values,
};
use nephos_core::{
    Record as _, Ref, Resource as _, Value,
    fill::{self, Reader},
};

fn bed() -> Bed {
    let json = r#"{"Name":"north","Plants":[{"Species":"rose","Count":3}],"Owner":{"OwnerARN":"arn:x"},
        "Sizes":{"north":1.5},"Labels":{"rose":["red","old"]},"Fence":{"Height":1.5,"Colour":"red"},
        "Anything":{"a":[{"b":1}]}}"#;
    Bed::from_json(json).expect("a valid bed")
}

#[test]
fn get_follows_paths_into_records_lists_and_mappings() {
    let bed = bed();
    for (path, value) in [
        ("Name", Value::from("north")),
        ("Plants[0].Count", 3.into()),
        ("Plants[0].Light", Value::Null),
        ("Sizes[north]", 1.5.into()),
        ("Sizes.north", 1.5.into()),
        ("Labels[rose][1]", "old".into()),
        ("Owner.OwnerARN", "arn:x".into()),
        ("Fence.Colour", "red".into()),
        ("Anything.a[0].b", 1.into()),
        ("Light", "FULL_SUN".into()),
        ("PlantCount", 3.into()),
        // A missing value is null, and no error.
        ("Plants[1].Count", Value::Null),
        ("Plants[first]", Value::Null),
        ("Sizes[south]", Value::Null),
        ("Picture", Value::Null),
        ("Name.length", Value::Null),
    ] {
        assert_eq!(at(&bed, path).unwrap(), value, "{path}");
    }
    let plants = at(&bed, "Plants").unwrap();
    let rose = values([("Species", "rose".into()), ("Count", 3.into())]);
    assert_eq!(plants, [Value::Map(rose)].into());
}

#[test]
fn set_follows_paths() {
    let mut bed = bed();
    for (path, value) in [
        ("Plants[0].Count", Value::from(5)),
        ("Plants[0].Light", "PROVIDER_SHADE".into()),
        ("Plants[0].Planted", "2026-01-31T12:00:00Z".into()),
        ("Sizes[south]", 2.5.into()),
        ("Sizes[north]", 2.into()),
        ("Labels[rose][0]", "pink".into()),
        ("Labels[fern]", ["green"].into()),
        ("Corners[a].Species", "box".into()),
        ("Owner.OwnerARN", "arn:y".into()),
        ("Fence.Height", 2.5.into()),
        ("Anything.a", "b".into()),
        ("Anything", Value::Null),
    ] {
        bed.set(path, value.clone()).unwrap();
        assert!(at(&bed, path).unwrap().view().same(&value.view()), "{path}: {:?}", at(&bed, path));
    }
    // The values beside the assigned one stay.
    assert_eq!(at(&bed, "Plants[0].Species").unwrap(), "rose".into());
    assert_eq!(at(&bed, "Labels[rose][1]").unwrap(), "old".into());
    assert_eq!(at(&bed, "Fence.Colour").unwrap(), "red".into());
    assert_eq!(bed.sizes().unwrap().len(), 2);
}

#[test]
fn set_creates_missing_records_and_mappings() {
    let mut bed = Bed::builder().name("north").build().unwrap();
    bed.set("Owner.OwnerARN", "arn:x").unwrap();
    bed.set("Sizes[north]", 1).unwrap();
    bed.set("Corners[a].Species", "box").unwrap();
    assert_eq!(bed.owner().unwrap().owner_arn(), Some("arn:x"));
    assert_eq!(bed.sizes().unwrap()["north"], 1.0);
    assert_eq!(bed.corners().unwrap()["a"].species(), Some("box"));
    assert_eq!(refusal(bed.set("Plants[0].Count", 1)), "ValidationError: Plants[0]: the list has 0 items");
    assert_eq!(bed.plants(), None);
}

#[test]
fn fields_accept_every_spelling_of_their_name() {
    let book = Book::shelved("rust", 300);
    for name in ["Arn", "arn", "bookArn"] {
        assert_eq!(at(&book, name).unwrap(), book.require_arn().unwrap().into(), "{name}");
    }
    let mut trunk = Trunk::builder().build().unwrap();
    for (n, name) in ["type", "use", "purpose", "kind"].into_iter().enumerate() {
        trunk.set(name, n.to_string()).unwrap();
        assert_eq!(trunk.r#type(), Some(n.to_string().as_str()), "{name}");
    }
    for (n, name) in ["madeBy", "made_by", "maker", "manufacturer"].into_iter().enumerate() {
        let path = format!("lock.{name}");
        trunk.set(&path, n.to_string()).unwrap();
        assert_eq!(trunk.lock().unwrap().made_by(), Some(n.to_string().as_str()), "{name}");
        assert_eq!(at(&trunk, &path).unwrap(), n.to_string().into(), "{name}");
    }
}

#[test]
fn unknown_field_is_rejected_with_the_nearest_name() {
    let (mut book, mut bed) = (Book::shelved("rust", 300), bed());
    let tests = [
        (book.set("page", 1), "page: Book has no such field; did you mean pages?"),
        (book.set("TITLE", "go"), "TITLE: Book has no such field; did you mean title?"),
        (at(&book, "page").map(drop), "page: Book has no such field; did you mean pages?"),
        (
            book.set("colour", "red"),
            "colour: Book has no such field; known are Arn, title, pages, price, lendable, days, shelvedAt, authors, \
             note, Tags",
        ),
        (bed.set("Plants[0].Kount", 1), "Plants[0].Kount: Plant has no such field; did you mean Count?"),
        (
            at(&bed, "Plants[0].Kount").map(drop),
            "Plants[0].Kount: Plant has no such field; did you mean Count?",
        ),
        (bed.set("Owner.Arn", "x"), "Owner.Arn: Owner has no such field; known are OwnerARN"),
        (at(&bed, "Owner.Arn").map(drop), "Owner.Arn: Owner has no such field; known are OwnerARN"),
        // There are too many fields to list them.
        (at(&bed, "zzz").map(drop), "zzz: Bed has no such field"),
    ];
    for (outcome, message) in tests {
        assert_eq!(refusal(outcome), format!("ValidationError: {message}"));
    }
}

#[test]
fn invalid_path_is_rejected() {
    let mut bed = bed();
    for (path, message) in [
        ("", "a name is missing"),
        ("Name.", "a name is missing"),
        ("Owner..OwnerARN", "a name is missing"),
        ("[0]", "a name is missing"),
        ("Plants[0", "a ] is missing"),
        ("Plants[0]Count", "expected . or [ after ]"),
    ] {
        let message = format!("ValidationError: {path}: is not a path of field names: {message}");
        assert_eq!(refusal(at(&bed, path)), message);
        assert_eq!(refusal(bed.set(path, 1)), message);
    }
    let tests = [
        ("Plants[1].Count", "Plants[1]: the list has 1 items"),
        ("Plants[-1].Count", "Plants[-1]: the list has 1 items"),
        ("Plants.Count", "Plants[Count]: the list has 1 items"),
        ("Name.First", "Name.First: the field has no nested fields"),
    ];
    for (path, message) in tests {
        assert_eq!(refusal(bed.set(path, 1)), format!("ValidationError: {message}"));
    }
}

#[test]
fn extra_fields_can_be_read() {
    let weather = Weather::from_json(r#"{"Station":"pier","Wind":{"Force":7}}"#).unwrap();
    assert_eq!(at(&weather, "Wind.Force").unwrap(), 7.into());
    assert_eq!(weather.extra_fields()["Wind"], Value::Map(values([("Force", 7.into())])));
    assert_eq!(
        refusal(at(&weather, "Rain")),
        "ValidationError: Rain: Weather has no such field; known are Station, Degrees"
    );

    let fence = bed().fence().cloned().unwrap();
    assert_eq!(at(&fence, "Colour").unwrap(), "red".into());
    assert_eq!(at(&Fence::builder().build().unwrap(), "Height").unwrap(), Value::Null);
    assert!(Book::shelved("rust", 300).extra_fields().is_empty());
}

#[test]
fn filling_a_record_from_another_copies_all_fields() {
    let fence = bed().fence().cloned().unwrap();
    let mut copy: Option<Fence> = None;
    fill::fill(&mut copy, Ref::Record(&fence), &Reader::STRICT).unwrap();
    assert_eq!(copy, Some(fence));
}

#[test]
fn records_have_get_and_set_like_models() {
    let mut plant = Plant::builder().species("rose").build().unwrap();
    plant.set("light", "AWS_SHADE").unwrap();
    assert_eq!(at(&plant, "Light").unwrap(), "PROVIDER_SHADE".into());
    assert_eq!(refusal(plant.set("Count", 0)), "ValidationError: Count: 0 is not from 1 to 99");
    assert_eq!(plant.count(), Some(1));
}
