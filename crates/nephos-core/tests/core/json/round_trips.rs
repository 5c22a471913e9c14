//! Round trips: what is written is read back the same.

use crate::toys::{
    garden::{Bed, Fence, Light, Owner, Plant},
    shelf::Book,
};
use nephos_core::{
    Blob, Map, Record as _, Ref, Resource, Tag, Text, TimeForm, Timestamp, Value,
    field_value::FieldType as _,
    fill::Reader,
    json::{self, Writing},
};
use proptest::{collection::vec, option, prelude::*};

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![any::<String>().prop_map(Text::from), "[ -~]{0,40}".prop_map(Text::from)]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), any::<i64>().prop_map(|n| n as f64), Just(-0.0)]
        .prop_filter("JSON has no such number", |number| number.is_finite())
}

fn instant() -> impl Strategy<Value = Timestamp> {
    (Timestamp::MIN.as_nanosecond()..=Timestamp::MAX.as_nanosecond())
        .prop_map(|nanos| Timestamp::from_nanosecond(nanos).expect("in range"))
}

fn map<V: std::fmt::Debug + Clone>(of: impl Strategy<Value = V>) -> impl Strategy<Value = Map<V>> {
    vec((text(), of), 0..4).prop_map(|entries| entries.into_iter().collect())
}

/// Generates any JSON value.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        number().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![vec(inner.clone(), 0..4).prop_map(Value::List), map(inner).prop_map(Value::Map)]
    })
}

/// Generates any JSON value except null, which means no value.
fn something() -> impl Strategy<Value = Value> {
    anything().prop_filter("null is nothing", |value| *value != Value::Null)
}

fn light() -> impl Strategy<Value = Light> {
    prop_oneof![Just(Light::FullSun), Just(Light::ProviderShade)]
}

fn plant() -> impl Strategy<Value = Plant> {
    // More than one oak is invalid.
    let species = "[a-z]{1,12}".prop_filter("a rule of its own", |species| species != "oak");
    (species, 1..=99_i64, option::of(light()), option::of(instant())).prop_map(
        |(species, count, light, planted)| {
            Plant::builder()
                .species(species)
                .count(count)
                .light(light)
                .planted(planted)
                .build()
                .expect("a valid plant")
        },
    )
}

fn fence() -> impl Strategy<Value = Fence> {
    (option::of(number()), map(anything())).prop_map(|(height, extra)| {
        let mut fence = Fence::blank();
        fence.set_height(height).expect("any height");
        let kept = extra.into_iter().filter(|(key, _)| key != "Height");
        *<dyn nephos_core::record::Fields>::extra_mut(&mut fence).expect("fences keep unknown fields") =
            kept.collect();
        fence
    })
}

fn tags() -> impl Strategy<Value = Vec<(Text, Text)>> {
    let part = r"[\p{L}\p{Nd} +\-=._:/@]{1,20}";
    let pairs = prop::collection::btree_map(part, part, 0..5);
    let ours = |(key, value): &(String, String)| !nephos_core::tags::is_reserved(key, value);
    pairs.prop_map(move |pairs| {
        pairs.into_iter().filter(ours).map(|(key, value)| (key.into(), value.into())).collect()
    })
}

fn book() -> impl Strategy<Value = Book> {
    let first = ("[a-z][a-z0-9/-]{0,19}", option::of(1..=5000_i64), option::of(number()), any::<bool>());
    let days = prop::sample::select(vec![7, 14, 30_i64]);
    let authors = vec("[^\u{0}]{1,10}".prop_map(Text::from), 1..=3);
    let second = (option::of(days), option::of(authors), option::of("[^\u{0}]{0,8}"), option::of(tags()));
    (first, second).prop_map(|((title, pages, price, lendable), (days, authors, note, tags))| {
        let book = Book::builder().title(title).pages(pages).price(price).lendable(lendable).days(days);
        let tags = tags.map(|tags| tags.into_iter().map(Tag::from).collect::<Vec<_>>());
        book.authors(authors).note(note.map(Text::from)).tags(tags).build().expect("a valid book")
    })
}

fn bed() -> impl Strategy<Value = Bed> {
    let records = (
        option::of(vec(plant(), 0..=5)),
        light(),
        option::of(fence()),
        option::of(option::of(text())),
        option::of(map(plant())),
    );
    let others = (
        text(),
        option::of(map(number())),
        option::of(map(vec(text(), 0..3))),
        option::of(any::<String>()),
        option::of(vec(any::<u8>(), 0..20)),
        option::of(something()),
        option::of(tags()),
    );
    (records, others).prop_map(
        |((plants, light, fence, owner, corners), (name, sizes, labels, code, picture, any, tags))| {
            let owner = owner.map(|arn| Owner::builder().owner_arn(arn).build().expect("any owner"));
            let bed = Bed::builder().name(name).plants(plants).light(light).fence(fence).owner(owner);
            let bed = bed
                .sizes(sizes)
                .corners(corners)
                .labels(labels)
                .gate_code(code.map(nephos_core::Secret::from));
            let tags = tags.map(|tags| tags.into_iter().collect::<Map<_>>());
            bed.picture(picture.map(Blob)).anything(any).tags(tags).build().expect("a valid bed")
        },
    )
}

fn through_json<R: Resource>(model: &R) -> R {
    R::from_json(model.to_json_exposed()).expect("the written JSON can be read")
}

fn through_the_wire<R: Resource>(model: &R) -> R {
    // Seconds since 1970 cannot represent every instant.
    let wire = json::write(Ref::Record(model), Writing { time: TimeForm::Iso8601, ..Writing::WIRE });
    let mut read = R::blank();
    json::read(&mut read, wire.as_bytes(), &Reader::ANSWER).expect("the written JSON can be read");
    read
}

proptest! {
    #[test]
    fn flat_model_round_trips_through_json(book in book()) {
        let back = through_json(&book);
        prop_assert_eq!(&back, &book);
        prop_assert_eq!(back.to_json_exposed(), book.to_json_exposed());
    }

    #[test]
    fn nested_model_round_trips_through_json(bed in bed()) {
        let back = through_json(&bed);
        prop_assert_eq!(&back, &bed);
        prop_assert_eq!(back.to_json_exposed(), bed.to_json_exposed());
    }

    #[test]
    fn flat_model_round_trips_over_the_wire(mut book in book()) {
        let back = through_the_wire(&book);
        // The record on the wire has no tags.
        book.set_tags(None::<Vec<Tag>>).expect("none is reserved");
        prop_assert_eq!(back, book);
    }

    #[test]
    fn nested_model_round_trips_over_the_wire(bed in bed()) {
        prop_assert_eq!(through_the_wire(&bed), bed);
    }

    #[test]
    fn any_value_round_trips_through_json(value in anything()) {
        let written = json::write(value.view(), Writing::EXPOSED);
        prop_assert_eq!(json::parse(written.as_bytes()).expect("the written JSON can be read"), value);
    }

    #[test]
    fn json_with_hidden_secrets_is_valid(bed in bed()) {
        let shown = Bed::from_json(bed.to_json()).expect("only secrets differ");
        let hidden = nephos_core::Record::diff(&shown, &bed).iter().all(|found| found.path == "GateCode");
        prop_assert!(hidden);
    }
}

/// A record with instants that are milliseconds on the wire.
#[derive(nephos_core::Record)]
struct Laps {
    /// Start of the run.
    #[field(time = "epoch_millis")]
    start: Option<Timestamp>,
    /// Ends of the laps.
    #[field(time = "epoch_millis")]
    laps: Option<Vec<Timestamp>>,
}

#[test]
fn epoch_milliseconds_round_trip_over_the_wire() {
    let at = |millis| Timestamp::from_millisecond(millis).unwrap();
    let laps = Laps { start: Some(at(1_769_860_800_123)), laps: Some(vec![at(1), at(-2)]) };
    let written = json::write(Ref::Record(&laps), Writing::WIRE);
    assert_eq!(written, r#"{"Start":1769860800123,"Laps":[1,-2]}"#);
    let mut read = Laps::blank();
    json::read(&mut read, written.as_bytes(), &Reader::ANSWER).unwrap();
    assert!(read == laps, "{read:?}");
    json::read(&mut read, br#"{"Start":"2026-01-31T12:00:00Z"}"#, &Reader::REQUEST).unwrap();
    assert_eq!(read.start, Some(at(1_769_860_800_000)));
    let error = json::read(&mut read, br#"{"Start":true}"#, &Reader::REQUEST).unwrap_err();
    assert_eq!(error.field(), Some("Start"));
}
