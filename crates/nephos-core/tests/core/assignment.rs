//! Builders and setters: a value that breaks a rule is an error, and the old value stays.

use crate::toys::{
    at,
    attic::{Lock, Material, Trunk},
    garden::{Bed, Fence, Light, Owner, Plant, Weather},
    refusal,
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{Blob, ErrorKind, Map, Record as _, Resource as _, Secret, Timestamp, Value};

fn book() -> Book {
    let book = Book::builder().title("rust").pages(300).price(9.5).days(14).authors(["ann", "bob"]);
    book.note("a gift").build().expect("a valid book")
}

fn plant(species: &str, count: i64) -> Plant {
    Plant::builder().species(species).count(count).build().expect("a valid plant")
}

fn bed() -> Bed {
    let bed = Bed::builder().name("north").plants([plant("rose", 3), plant("fern", 4)]);
    bed.corners([("east", plant("box", 1))]).build().expect("a valid bed")
}

#[test]
fn getters_return_what_the_builder_was_given() {
    let book = book();
    assert_eq!(book.title(), Some("rust"));
    assert_eq!(book.pages(), Some(300));
    assert_eq!(book.price(), Some(9.5));
    assert_eq!(book.days(), Some(14));
    assert_eq!(book.authors().unwrap(), ["ann", "bob"]);
    assert_eq!(book.note(), Some("a gift"));
    assert_eq!((book.shelved_at(), book.tags()), (None, None));

    let planted: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
    let rose = Plant::builder().species("rose").light(Light::ProviderShade).planted(planted).build().unwrap();
    assert_eq!((rose.light(), rose.planted()), (Some(&Light::ProviderShade), Some(planted)));
    let bed = Bed::builder()
        .name("north")
        .plants([rose.clone()])
        .fence(Fence::builder().height(1.5).build().unwrap())
        .owner(Owner::builder().owner_arn("arn:x").build().unwrap())
        .sizes([("north", 2.5)])
        .corners([("east", rose.clone())])
        .gate_code("1234")
        .picture([0_u8, 255].as_slice())
        .anything(Value::from([1, 2]))
        .build()
        .unwrap();
    assert_eq!(bed.plants(), Some([rose.clone()].as_slice()));
    assert_eq!(bed.fence().unwrap().height(), Some(1.5));
    assert_eq!(bed.owner().unwrap().owner_arn(), Some("arn:x"));
    assert_eq!(bed.sizes().unwrap()["north"], 2.5);
    assert_eq!(bed.corners().unwrap()["east"], rose);
    assert_eq!(bed.gate_code().map(Secret::expose), Some("1234"));
    assert_eq!(bed.picture(), Some(&Blob(vec![0, 255])));
    assert_eq!(bed.anything(), Some(&Value::from([1, 2])));
}

#[test]
fn unset_fields_have_their_defaults() {
    assert_eq!(book().lendable(), Some(true));
    assert_eq!(bed().light(), Some(&Light::FullSun));
    assert_eq!(Plant::builder().species("rose").build().unwrap().count(), Some(1));
    assert_eq!(Book::builder().title("rust").lendable(false).build().unwrap().lendable(), Some(false));

    let trunk = Trunk::builder().build().unwrap();
    assert_eq!(trunk.r#type(), Some("clothes"));
    assert_eq!((trunk.things().unwrap().len(), trunk.layers().unwrap().len()), (0, 0));
    assert_eq!(trunk.weight(), None);
}

#[test]
fn default_lists_and_mappings_are_not_shared() {
    let mut first = Trunk::builder().build().unwrap();
    first.set_things(["hat"]).unwrap();
    first.set_layers([("hat", 1)]).unwrap();
    let second = Trunk::builder().build().unwrap();
    assert!(second.things().unwrap().is_empty() && second.layers().unwrap().is_empty());
}

#[test]
fn nested_records_have_defaults() {
    let bed =
        Bed::from_json(r#"{"Name":"north","Plants":[{"Species":"rose"}],"Corners":{"a":{"Species":"box"}}}"#);
    let mut bed = bed.unwrap();
    assert_eq!((bed.plants().unwrap()[0].count(), bed.corners().unwrap()["a"].count()), (Some(1), Some(1)));
    assert_eq!(bed.plant_count(), Some(1));
    bed.set("Plants", [Value::Map(values([("Species", "fern".into())]))]).unwrap();
    assert_eq!(bed.plants().unwrap()[0].count(), Some(1));
}

#[test]
fn builder_reports_the_first_broken_rule() {
    let title = Book::builder().title("rust");
    for (builder, message) in [
        (Book::builder(), "ValidationError: title: is required"),
        (Book::builder().pages(0), "ValidationError: title: is required"),
        (title.clone().pages(0), "ValidationError: pages: 0 is not from 1 to 5000"),
        (title.clone().days(8), "ValidationError: days: 8 is not one of 7, 14, 30; did you mean 7?"),
        (
            title.clone().authors([""; 1]),
            "ValidationError: authors[0]: has 0 characters, and 1 to 10 are allowed",
        ),
        (title.clone().tags([("", "x")]), "ValidationError: Tags: a tag needs a key"),
    ] {
        assert_eq!(refusal(builder.build()), message);
    }
    let oaks = Plant::builder().species("oak").count(2).build();
    assert_eq!(refusal(oaks), "ValidationError: Count: only one oak is allowed");
}

/// Assigns each wrong value by name and checks that it is an error that changes nothing.
fn refuses<R: nephos_core::Record>(record: &mut R, wrong: &[(&str, Value, &str)]) {
    for (path, value, message) in wrong {
        let before = record.clone();
        let line = refusal(record.set(path, value.clone()));
        assert_eq!(line, format!("ValidationError: {message}"));
        assert_eq!(*record, before, "{message}");
    }
}

#[test]
fn rejected_value_keeps_the_old_value() {
    let long = Value::from("a".repeat(21));
    let wrong = [
        ("title", "".into(), "title: has 0 characters, and 1 to 20 are allowed"),
        ("title", long, "title: has 21 characters, and 1 to 20 are allowed"),
        ("title", "Rust".into(), r#"title: "Rust" does not match [a-z][a-z0-9/-]*"#),
        ("title", "rust\n".into(), r#"title: "rust\n" does not match [a-z][a-z0-9/-]*"#),
        ("title", Value::Null, "title: is required"),
        ("title", 7.into(), "title: expected text, found an int"),
        ("pages", 0.into(), "pages: 0 is not from 1 to 5000"),
        ("pages", 5001.into(), "pages: 5001 is not from 1 to 5000"),
        ("pages", "many".into(), r#"pages: expected a whole number, found "many""#),
        ("pages", 1.5.into(), "pages: expected a whole number, found a number"),
        ("price", true.into(), "price: expected a number, found a bool"),
        ("lendable", "yes".into(), r#"lendable: expected true or false, found "yes""#),
        ("days", 8.into(), "days: 8 is not one of 7, 14, 30; did you mean 7?"),
        ("authors", Value::List(vec![]), "authors: has 0 items, and 1 to 3 are allowed"),
        ("authors", ["a", "b", "c", "d"].into(), "authors: has 4 items, and 1 to 3 are allowed"),
        ("authors", ["ann", ""].into(), "authors[1]: has 0 characters, and 1 to 10 are allowed"),
        ("authors", "ann".into(), r#"authors: expected a list, found "ann""#),
        ("note", "very secret".into(), "note: has 11 characters, and at most 8 are allowed"),
        ("Tags", "team".into(), r#"Tags: expected a list, found "team""#),
    ];
    refuses(&mut book(), &wrong);
}

#[test]
fn rules_of_nested_records_are_checked() {
    let oaks = Value::Map(values([("Species", "oak".into()), ("Count", 2.into())]));
    let nameless = Value::Map(values([("Count", 2.into())]));
    let rose = Value::Map(values([("Species", "rose".into())]));
    let wrong = [
        ("Name", Value::Null, "Name: is required"),
        ("Plants[0].Count", 100.into(), "Plants[0].Count: 100 is not from 1 to 99"),
        (
            "Plants[1].Species",
            "x".repeat(13).into(),
            "Plants[1].Species: has 13 characters, and 1 to 12 are allowed",
        ),
        ("Plants[1].Species", Value::Null, "Plants[1].Species: is required"),
        ("Plants", [rose.clone(), oaks.clone()].into(), "Plants[1].Count: only one oak is allowed"),
        ("Plants", [nameless.clone()].into(), "Plants[0].Species: is required"),
        ("Plants", vec![rose; 6].into(), "Plants: has 6 items, and at most 5 are allowed"),
        ("Corners[east]", nameless, "Corners[east].Species: is required"),
        ("Corners[west]", oaks, "Corners[west].Count: only one oak is allowed"),
        (
            "Corners[east].Light",
            "FULL_MOON".into(),
            r#"Corners[east].Light: "FULL_MOON" is not one of FULL_SUN, PROVIDER_SHADE; did you mean FULL_SUN?"#,
        ),
        ("Light", "dusk".into(), r#"Light: "dusk" is not one of FULL_SUN, PROVIDER_SHADE"#),
        ("Sizes[north]", "wide".into(), r#"Sizes[north]: expected a number, found "wide""#),
        ("Sizes", Value::Map(values([("a", Value::Null)])), "Sizes[a]: expected a number, found null"),
        ("Labels[rose]", "red".into(), r#"Labels[rose]: expected a list, found "red""#),
        ("Labels[rose]", [Value::Null].into(), "Labels[rose][0]: expected text, found null"),
        ("Picture", "???".into(), r#"Picture: expected bytes in base64, found "???""#),
        ("Fence.Height", "tall".into(), r#"Fence.Height: expected a number, found "tall""#),
        ("Owner", "ann".into(), r#"Owner: expected a record, found "ann""#),
    ];
    refuses(&mut bed(), &wrong);
}

#[test]
fn messages_of_half_open_bounds_name_the_one_limit() {
    let mut trunk =
        Trunk::builder().lock(Lock::builder().combination("1234").build().unwrap()).build().unwrap();
    trunk.set("lock.turns", -5).unwrap();
    let wrong = [
        ("weight", 100.5.into(), "weight: 100.5 is not from 0 to 100"),
        ("weight", f64::NAN.into(), "weight: NaN is not from 0 to 100"),
        ("materials", ["Oak", "METAL", "glass"].into(), r#"materials[2]: "glass" is not one of Oak, tin"#),
        ("layers[hat]", 0.into(), "layers[hat]: 0 is less than 1"),
        ("lock.turns", 10.into(), "lock.turns: 10 is more than 9"),
        ("lock.combination", "123".into(), "lock.combination: has 3 characters, and at least 4 are allowed"),
        ("lock.combination", "12345x".into(), "lock.combination: the value does not match [0-9]*"),
        ("labels", ["one"].into(), "labels: has 1 items, and exactly 2 are allowed"),
    ];
    refuses(&mut trunk, &wrong);
    trunk.set("materials", ["METAL", "Oak"]).unwrap();
    assert_eq!(trunk.materials().unwrap(), [Material::Tin, Material::Oak]);
}

/// Makes two oaks: each field is valid by itself, the record is not.
fn oaks() -> Plant {
    let mut plant = plant("elm", 2);
    plant.set_species("oak").expect("fields are assigned one at a time");
    plant
}

#[test]
fn setters_check_the_same_rules() {
    let (mut book, mut bed) = (book(), bed());
    let (book_before, bed_before) = (book.clone(), bed.clone());
    let refused = [
        book.set_title("Rust"),
        book.set_title(None::<&str>),
        book.set_pages(0),
        book.set_days(8),
        book.set_authors(["a", "b", "c", "d"]),
        book.set_authors(["far too long a name"]),
        book.set_note("very secret"),
        book.set_tags([("aws:x", "y")]),
        bed.set_name(None::<&str>),
        bed.set_light(Light::Unknown("dusk".into())),
        bed.set_plants([plant("rose", 1), oaks()]),
        bed.set_corners([("west", oaks())]),
    ];
    for (n, outcome) in refused.into_iter().enumerate() {
        assert!(outcome.is_err(), "{n}");
    }
    assert_eq!(book, book_before);
    assert_eq!(bed, bed_before);
}

#[test]
fn rules_over_several_fields_are_checked_by_validate_and_build() {
    assert_eq!(refusal(oaks().validate()), "ValidationError: Count: only one oak is allowed");
    let bed = Bed::builder().name("north").plants([plant("rose", 1), oaks()]).build();
    assert_eq!(refusal(bed), "ValidationError: Plants[1].Count: only one oak is allowed");
}

#[test]
fn service_set_fields_cannot_be_assigned() {
    let mut book = Book::shelved("rust", 300);
    let before = book.clone();
    for (field, value) in [
        ("Arn", Value::from("arn:x")),
        ("arn", at(&before, "Arn").unwrap()),
        ("bookArn", Value::Null),
        ("shelved_at", "2026-01-31".into()),
    ] {
        let error = book.set(field, value).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Frozen);
        let name = if field == "shelved_at" { "shelvedAt" } else { "Arn" };
        assert_eq!(
            error.to_string(),
            format!("Frozen: {name}: is set by the service and cannot be assigned")
        );
    }
    assert_eq!(book, before);

    let mut trunk = Trunk::from_json(r#"{"lock":{"serial":"7"}}"#).unwrap();
    let error = trunk.set("lock.serial", "8").unwrap_err();
    assert_eq!(error.to_string(), "Frozen: lock.serial: is set by the service and cannot be assigned");
    trunk.set("lock.turns", 5).unwrap();
    assert_eq!(trunk.lock().unwrap().serial(), Some("7"));
}

#[test]
fn nan_and_infinity_are_rejected() {
    let (mut book, mut bed) = (book(), bed());
    assert_eq!(
        refusal(book.set_price(f64::NAN)),
        "ValidationError: price: NaN is not a number that can be sent"
    );
    assert_eq!(
        refusal(book.set("price", f64::INFINITY)),
        "ValidationError: price: inf is not a number that can be sent"
    );
    let sizes = bed.set_sizes([("a", f64::NEG_INFINITY)]);
    assert_eq!(refusal(sizes), "ValidationError: Sizes[a]: -inf is not a number that can be sent");
    assert_eq!((book.price(), bed.sizes()), (Some(9.5), None));
}

#[test]
fn read_only_kind_rejects_every_assignment() {
    let mut weather = Weather::from_json(r#"{"Station":"pier","Wind":"west"}"#).unwrap();
    for name in ["Station", "station", "Degrees", "Wind", "Storm", "Wind.Force"] {
        let error = weather.set(name, "harbour").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Frozen);
        assert!(error.is_runtime_error() && !error.is_value_error());
        assert_eq!(error.to_string(), "Frozen: Weather is read-only");
    }
    assert_eq!(at(&weather, "Station").unwrap(), "pier".into());
}

#[test]
fn derived_fields_are_updated_on_assignment() {
    let mut bed = bed();
    assert_eq!(bed.plant_count(), Some(7));
    bed.set("Plants[0].Count", 10).unwrap();
    assert_eq!(bed.plant_count(), Some(14));
    bed.set_plants([plant("rose", 2)]).unwrap();
    assert_eq!(bed.plant_count(), Some(2));
    assert!(bed.set("Plants[0].Count", 100).is_err());
    assert_eq!(bed.plant_count(), Some(2));
    let strings: Map<Value> = values([("Name", "north".into())]);
    assert_eq!(Bed::model_validate(&strings).unwrap().plant_count(), None);
}

#[test]
fn secret_value_can_be_read_and_assigned_to_another_model() {
    let (from, mut to) = (book(), Book::builder().title("go").build().unwrap());
    to.set("note", at(&from, "note").unwrap()).unwrap();
    assert_eq!(to.note(), Some("a gift"));

    let lock = Lock::builder().combination("1234").build().unwrap();
    let mut trunk = Trunk::builder().lock(lock).build().unwrap();
    trunk.set("lock.madeBy", "ann").unwrap();
    assert_eq!(trunk.lock().unwrap().combination(), Some("1234"));
    let secret = at(&trunk, "lock.combination").unwrap();
    assert_eq!(format!("{secret:?}"), "<secret>");
    assert_eq!(refusal(trunk.set("type", secret)), "ValidationError: type: expected text, found a secret");
}

#[test]
fn fields_are_cleared_without_naming_their_type() {
    let mut book = book();
    book.clear_note().unwrap();
    book.clear_authors().unwrap();
    assert_eq!((book.note(), book.authors()), (None, None));
    assert!(book.changed().contains(&"authors"));
    let error = book.clear_title().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("title")), "a title is required");
    assert_eq!(book.title(), Some("rust"));
    book.set_tags([("team", "web")]).unwrap();
    book.clear_tags().unwrap();
    assert_eq!(book.tags(), None);
}
