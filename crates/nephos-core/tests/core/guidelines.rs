//! API guidelines: getters fit setters, enums parse from text, result sets are streams, values and records have serde.

use crate::toys::{
    Toy,
    garden::{Bed, Light, Plant},
    shelf::Book,
};
use futures_core::Stream;
use nephos_core::{Map, Record as _, Result, Results, Value, wait};
use std::{future::poll_fn, pin::Pin};

/// Reads a stream to its end.
fn collect<S: Stream + Unpin>(mut stream: S) -> Vec<S::Item> {
    let mut items = Vec::new();
    while let Some(item) = wait(poll_fn(|cx| Pin::new(&mut stream).poll_next(cx))) {
        items.push(item);
    }
    items
}

#[test]
fn every_getter_fits_the_setter_of_the_same_field() -> Result<()> {
    let plant = Plant::builder().species("rose").build()?;
    let bed = Bed::builder()
        .name("north")
        .plants([plant.clone()])
        .light(Light::FullSun)
        .corners([("ne", plant)])
        .gate_code("1234")
        .picture(vec![1, 2])
        .anything(Value::Int(3))
        .build()?;
    let copy = Bed::builder()
        .name(bed.name())
        .plants(bed.plants())
        .light(bed.light())
        .corners(bed.corners())
        .gate_code(bed.gate_code())
        .picture(bed.picture())
        .anything(bed.anything())
        .build()?;
    assert_eq!(copy, bed);

    let book = Book::builder().title("sage").pages(12).lendable(false).authors(["Ann"]).build()?;
    let copy = Book::builder().title(book.title()).pages(book.pages()).lendable(book.lendable());
    assert_eq!(copy.authors(book.authors()).build()?, book);
    Ok(())
}

#[test]
fn enums_parse_from_text_and_setters_take_text() -> Result<()> {
    assert_eq!("FULL_SUN".parse::<Light>()?, Light::FullSun);
    let refused = "FULL_SUM".parse::<Light>().unwrap_err().to_string();
    assert!(refused.contains("\"FULL_SUM\" is not one of") && refused.contains("FULL_SUN"), "{refused}");

    let mut bed = Bed::builder().name("north").light("FULL_SUN").build()?;
    assert_eq!(bed.light(), Some(&Light::FullSun));
    let refused = bed.set_light("MOON").unwrap_err();
    assert_eq!(refused.field(), Some("Light"));
    assert_eq!(bed.light(), Some(&Light::FullSun), "the old value stays");
    assert!(Bed::builder().name("north").light("MOON").build().is_err());
    Ok(())
}

#[test]
fn result_sets_are_streams_that_fetch_pages_on_demand() {
    let (session, toy) = Toy::with_books(5);
    let mut set = Book::objects(&session).list().results();
    assert_eq!(toy.requests(), 0);
    let first = wait(poll_fn(|cx| Pin::new(&mut set).poll_next(cx))).unwrap().unwrap();
    assert_eq!((first.title(), toy.requests()), (Some("book-0"), 1));
    assert_eq!(collect(set.clone()).len(), 5, "a clone starts from the first model");
    let rest: Vec<_> = collect(set).into_iter().map(|book| book.unwrap().pages()).collect();
    assert_eq!(rest.len(), 4);
}

#[test]
fn stream_ends_after_an_error() {
    let failing = Results::<Book>::failing(nephos_core::Error::invalid("title", "is wrong"));
    let items = collect(failing);
    assert_eq!(items.len(), 1);
    assert!(items[0].is_err());
}

#[test]
fn positions_and_ranges_count_from_the_start() {
    let (session, _toy) = Toy::with_books(5);
    let set = Book::objects(&session).list().results();
    assert_eq!(set.nth(4).wait().unwrap().unwrap().title(), Some("book-4"));
    assert_eq!(set.nth(5).wait().unwrap(), None);
    let titles = |set: Results<Book>| set.values_flat("title").wait().unwrap();
    assert_eq!(titles(set.range(1..3)), ["book-1".into(), "book-2".into()]);
    assert_eq!(titles(set.range(..=0)), ["book-0".into()]);
    assert_eq!(titles(set.range(4..)), ["book-4".into()]);
    assert_eq!(titles(set.range(7..9)), []);
    #[expect(clippy::reversed_empty_ranges, reason = "an empty range is what is tested")]
    let reversed = set.range(3..1);
    assert_eq!(titles(reversed), []);
}

#[test]
fn values_have_accessors_and_indexing() {
    let value: Value =
        [("a", Value::from([1, 2])), ("b", true.into()), ("c", 0.5.into())].into_iter().collect();
    assert_eq!(value["a"][1].as_int(), Some(2));
    assert_eq!(value["a"].as_list().unwrap().len(), 2);
    assert_eq!((value["b"].as_bool(), value["c"].as_float()), (Some(true), Some(0.5)));
    assert!(value["nothing"]["here"][3].is_null());
    assert_eq!(value.as_map().map(Map::len), Some(3));
    assert_eq!((value.as_text(), value["b"].as_text(), Value::from("x").as_text()), (None, None, Some("x")));
}

#[test]
fn values_and_records_have_serde() -> Result<()> {
    let text = r#"{"a":[1,null,true,0.5,"x"],"b":{"c":18446744073709551615}}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(value["a"][0].as_int(), Some(1));
    assert_eq!(serde_json::to_value(&value["a"]).unwrap(), serde_json::json!([1, null, true, 0.5, "x"]));
    assert_eq!(value["b"]["c"].as_float(), Some(18_446_744_073_709_551_615.0));

    let bed = Bed::builder().name("north").sizes([("north", 1.5)]).gate_code("1234").build()?;
    let json = serde_json::to_string(&bed).unwrap();
    assert_eq!(json, bed.to_json(), "the same names, and secrets hidden");
    assert!(!json.contains("1234"));
    let book: Book = serde_json::from_str(r#"{"title":"sage","pages":12}"#).unwrap();
    assert_eq!((book.title(), book.pages()), (Some("sage"), Some(12)));
    let refused = serde_json::from_str::<Book>(r#"{"title":"sage","pages":0}"#).unwrap_err().to_string();
    assert!(refused.contains("pages"), "{refused}");
    assert!(
        serde_json::from_str::<Book>("[1]")
            .unwrap_err()
            .to_string()
            .contains("expected a mapping, found a list")
    );
    Ok(())
}
