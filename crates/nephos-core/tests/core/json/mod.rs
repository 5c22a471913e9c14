//! Reading and writing of JSON.

mod hostile;
mod in_order;
mod round_trips;

use crate::toys::{
    Toy,
    attic::Trunk,
    garden::{Bed, Light, Plant, Weather},
    refusal,
    shelf::Book,
};
use nephos_core::{
    Error, Record as _, Ref, Resource, Result, Secret, Timestamp, Value,
    fill::Reader,
    json::{self, Writing},
};

/// Reads a model as in a response of a service.
fn read_answer<R: Resource>(json: &str) -> Result<R> {
    let mut model = R::blank();
    json::read(&mut model, json.as_bytes(), &Reader::ANSWER)?;
    Ok(model)
}

#[test]
fn json_has_the_names_of_the_specification() {
    let (session, _) = Toy::session();
    let mut book = Book::shelved("rust", 300);
    book.set_authors(["ann"]).unwrap();
    book.set_tags([("team", "web")]).unwrap();
    book.set_session(session);
    let json = r#"{"Arn":"arn:aws:shelf:us-east-1:123456789012:book/rust","title":"rust","pages":300,"lendable":true,"shelvedAt":"2023-11-14T22:18:20Z","authors":["ann"],"Tags":[{"Key":"team","Value":"web"}]}"#;
    assert_eq!(book.to_json(), json);
    assert_eq!(book.to_json_exposed(), json);
}

#[test]
fn json_of_nested_records_and_enums_has_the_spelling_of_the_specification() {
    let json = r#"{"Name":"north","Plants":[{"Species":"rose","Count":2,"Light":"PROVIDER_SHADE","Planted":"2026-01-31T12:00:00Z"}],"Light":"FULL_SUN","Fence":{"Height":1.5,"Colour":"red"},"Owner":{"OwnerARN":"arn:x"},"Sizes":{"north":2.0},"Labels":{"rose":["red"]},"Picture":"AP8=","Anything":[1,null,{"a":true}],"PlantCount":2,"Tags":{"team":"web"}}"#;
    let bed = Bed::from_json(json).unwrap();
    assert_eq!(bed.plants().unwrap()[0].light(), Some(&Light::ProviderShade));
    assert_eq!(bed.to_json(), json);
}

#[test]
fn wire_json_has_the_names_of_the_wire() {
    let mut book = Book::shelved("rust", 300);
    book.set_tags([("team", "web")]).unwrap();
    let wire = json::write(Ref::Record(&book), Writing::WIRE);
    assert!(wire.starts_with(r#"{"bookArn":"arn:"#), "{wire}");
    // The record on the wire has no tags.
    assert!(!wire.contains("Tags"), "{wire}");

    let shade = Plant::builder().species("fern").light(Light::ProviderShade).build().unwrap();
    let wire = json::write(Ref::Record(&shade), Writing::WIRE);
    assert_eq!(wire, r#"{"Species":"fern","Count":1,"Light":"AWS_SHADE"}"#);
}

#[test]
fn fields_are_read_by_name_alias_or_wire_name() {
    for name in ["Arn", "arn", "bookArn"] {
        let book = Book::from_json(format!(r#"{{"title":"rust","{name}":"arn:x"}}"#)).unwrap();
        assert_eq!(book.require_arn().unwrap(), "arn:x", "{name}");
        assert_eq!(book.fields_set(), ["Arn", "title"]);
    }
    for name in ["madeBy", "maker", "manufacturer"] {
        let trunk = Trunk::from_json(format!(r#"{{"lock":{{"{name}":"ann"}}}}"#)).unwrap();
        assert_eq!(trunk.lock().unwrap().made_by(), Some("ann"), "{name}");
    }
    // The Rust spelling is not accepted in JSON.
    let refused = refusal(Trunk::from_json(r#"{"lock":{"made_by":"ann"}}"#));
    assert_eq!(refused, "ValidationError: lock.made_by: TrunkLock has no such field; did you mean madeBy?");
    assert!(Book::from_json(r#"{"Title":"rust"}"#).is_err());
}

#[test]
fn answers_are_read_by_wire_names_only() {
    let book: Book =
        read_answer(r#"{"bookArn":"arn:x","Arn":"arn:y","arn":"arn:z","Tags":[],"new":{"a":[1]}}"#).unwrap();
    assert_eq!(book.require_arn().unwrap(), "arn:x");
    assert_eq!(book.tags(), None);
    // An answer of a service needs no required fields, and gets no defaults.
    assert_eq!((book.title(), book.lendable()), (None, None));
}

#[test]
fn unknown_fields_are_rejected_or_kept() {
    assert_eq!(
        refusal(Book::from_json(r#"{"title":"rust","page":3}"#)),
        "ValidationError: page: Book has no such field; did you mean pages?"
    );
    assert_eq!(
        refusal(Bed::from_json(r#"{"Name":"n","Plants":[{"Species":"rose"},{"Spezies":"fern"}]}"#)),
        "ValidationError: Plants[1].Spezies: Plant has no such field; did you mean Species?"
    );
    let json = r#"{"Station":"pier","Degrees":3.5,"Wind":{"Force":7,"From":["w","nw"]},"Rain":null}"#;
    let weather = Weather::from_json(json).unwrap();
    assert_eq!(weather.to_json(), json);
    assert_eq!(weather.extra_fields().len(), 2);
    let weather: Weather = read_answer(json).unwrap();
    assert_eq!(weather.to_json(), json);

    let bed: Bed = read_answer(r#"{"Fence":{"Height":1.5,"Colour":"red"},"Colour":"blue"}"#).unwrap();
    assert_eq!(bed.to_json(), r#"{"Fence":{"Height":1.5,"Colour":"red"}}"#);
    assert!(bed.extra_fields().is_empty());
}

#[test]
fn null_counts_as_not_given() {
    let book = Book::from_json(r#"{"title":"rust","pages":null,"lendable":null,"authors":null,"Tags":null}"#)
        .unwrap();
    assert_eq!((book.pages(), book.authors(), book.tags()), (None, None, None));
    assert_eq!(book.lendable(), Some(true));
    assert_eq!(book.to_json(), r#"{"title":"rust","lendable":true}"#);
    assert_eq!(refusal(Book::from_json(r#"{"title":null}"#)), "ValidationError: title: is required");
}

#[test]
fn null_within_a_list_or_mapping_is_rejected() {
    for (field, message) in [
        (r#""Labels":{"a":["b",null]}"#, "Labels[a][1]: expected text, found null"),
        (r#""Sizes":{"a":1,"b":null}"#, "Sizes[b]: expected a number, found null"),
        (r#""Plants":[null]"#, "Plants[0]: expected a record, found null"),
        (r#""Tags":{"team":null}"#, "Tags[team]: expected text, found null"),
    ] {
        let refused = refusal(Bed::from_json(format!(r#"{{"Name":"n",{field}}}"#)));
        assert_eq!(refused, format!("ValidationError: {message}"));
    }
    // Nulls from a service are accepted.
    let bed: Bed = read_answer(r#"{"Labels":{"a":["b",null]},"Plants":[null]}"#).unwrap();
    assert_eq!(bed.labels().unwrap()["a"].len(), 2);
    let bed = Bed::from_json(r#"{"Name":"n","Anything":[null,{"a":null}]}"#).unwrap();
    assert_eq!(bed.to_json(), r#"{"Name":"n","Light":"FULL_SUN","Anything":[null,{"a":null}]}"#);
}

#[test]
fn whole_numbers_are_read_from_any_notation() {
    let pages = |number: &str| Book::from_json(format!(r#"{{"title":"rust","pages":{number}}}"#));
    for number in ["300", "300.0", "3e2", "3.00e+2"] {
        assert_eq!(pages(number).unwrap().pages(), Some(300), "{number}");
    }
    for number in ["300.5", "1e400", "1e300", "18446744073709551615", "9223372036854775808", "\"300\"", "[]"]
    {
        assert!(refusal(pages(number)).starts_with("ValidationError: "), "{number}");
    }
    assert_eq!(
        refusal(pages("9223372036854775807")),
        "ValidationError: pages: 9223372036854775807 is not from 1 to 5000"
    );
    let layers = Trunk::from_json(r#"{"layers":{"a":9223372036854775807,"b":1e3}}"#).unwrap();
    assert_eq!(layers.layers().unwrap().values().copied().collect::<Vec<_>>(), [i64::MAX, 1000]);
    let huge = |field: &str| Bed::from_json(format!(r#"{{"Name":"n","{field}":18446744073709551615}}"#));
    assert_eq!(
        refusal(huge("PlantCount")),
        "ValidationError: PlantCount: expected a whole number, found a number"
    );
    assert_eq!(huge("Anything").unwrap().anything(), Some(&Value::Float(18_446_744_073_709_551_615.0)));
    let price = Book::from_json(r#"{"title":"rust","price":7}"#).unwrap().price();
    assert_eq!(price, Some(7.0));
}

#[test]
fn enum_values_are_read_in_both_spellings() {
    let light = |text: &str| Bed::from_json(format!(r#"{{"Name":"n","Light":"{text}"}}"#));
    for text in ["PROVIDER_SHADE", "AWS_SHADE"] {
        assert_eq!(light(text).unwrap().light(), Some(&Light::ProviderShade), "{text}");
        assert!(light(text).unwrap().to_json().contains(r#""Light":"PROVIDER_SHADE""#), "{text}");
    }
    for text in ["AWS_SUN", "ProviderShade", "provider_shade", ""] {
        assert!(
            refusal(light(text)).starts_with(&format!(r#"ValidationError: Light: "{text}" is not one of"#))
        );
    }
    let bed: Bed = read_answer(r#"{"Light":"AWS_DUSK","Plants":[{"Light":"AWS_SHADE"}]}"#).unwrap();
    assert_eq!(bed.light(), Some(&Light::Unknown("AWS_DUSK".into())));
    assert_eq!(bed.to_json(), r#"{"Plants":[{"Light":"PROVIDER_SHADE"}],"Light":"AWS_DUSK","PlantCount":0}"#);
}

#[test]
fn datetimes_are_read_in_many_forms() {
    let noon: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
    let planted = |json: &str| {
        let bed =
            Bed::from_json(format!(r#"{{"Name":"n","Plants":[{{"Species":"rose","Planted":{json}}}]}}"#))?;
        Ok::<_, Error>(bed.plants().and_then(|plants| plants[0].planted()))
    };
    for form in [
        r#""2026-01-31T12:00:00Z""#,
        r#""2026-01-31T12:00:00+00:00""#,
        r#""2026-01-31T14:00:00+02:00""#,
        r#""2026-01-31 12:00:00""#,
        r#""2026-01-31T12:00""#,
        r#""2026-01-31T12:00:00.000Z""#,
        r#""Sat, 31 Jan 2026 12:00:00 GMT""#,
        r#""1769860800""#,
        "1769860800",
        "1769860800.0",
    ] {
        assert_eq!(planted(form).unwrap(), Some(noon), "{form}");
    }
    assert_eq!(planted(r#""2026-01-31""#).unwrap().unwrap().to_string(), "2026-01-31T00:00:00Z");
    assert_eq!(planted("1769860800.25").unwrap().unwrap().to_string(), "2026-01-31T12:00:00.25Z");
    for wrong in [r#""noon""#, r#""2026-02-30""#, "true", "[]", "1e300", "99999999999999"] {
        let message = refusal(planted(wrong));
        assert!(
            message.starts_with("ValidationError: Plants[0].Planted: expected a datetime, found "),
            "{message}"
        );
    }
}

#[test]
fn bytes_are_base64_in_json() {
    let picture = |text: &str| Bed::from_json(format!(r#"{{"Name":"n","Picture":"{text}"}}"#));
    assert_eq!(picture("AP8=").unwrap().picture().unwrap().0, [0, 255]);
    assert!(picture("").unwrap().picture().unwrap().0.is_empty());
    for wrong in ["AP8", "A", "????", "AP8=\\n"] {
        let message = refusal(picture(wrong));
        assert!(
            message.starts_with("ValidationError: Picture: expected bytes in base64, found "),
            "{message}"
        );
    }
}

#[test]
fn secrets_are_hidden_except_in_exposed_json() {
    let json = r#"{"Name":"n","Light":"FULL_SUN","GateCode":"s3same"}"#;
    let bed = Bed::from_json(json).unwrap();
    assert_eq!(bed.gate_code().map(Secret::expose), Some("s3same"));
    assert_eq!(bed.to_json(), r#"{"Name":"n","Light":"FULL_SUN","GateCode":"<secret>"}"#);
    assert_eq!(bed.to_json_exposed(), json);

    let book = Book::from_json(r#"{"title":"rust","note":"s3same"}"#).unwrap();
    assert_eq!(book.to_json(), r#"{"title":"rust","lendable":true,"note":"<secret>"}"#);
    assert_eq!(book.to_json_exposed(), r#"{"title":"rust","lendable":true,"note":"s3same"}"#);

    let trunk = Trunk::from_json(r#"{"lock":{"combination":"53125312"}}"#).unwrap();
    let other = Trunk::from_json(r#"{"lock":{"combination":"13131313"}}"#).unwrap();
    let printed = [
        format!("{bed:?} {bed:#?} {book:?} {trunk:?}"),
        format!("{:?}", Book::builder().title("rust").note("s3same")),
        format!("{:?} {:?}", trunk.diff(&other), nephos_core::Record::get(&book, "note")),
        format!("{:?} {:?}", Ref::Record(&trunk).to_value(), Value::Secret("s3same".into())),
        trunk.to_json(),
        refusal(Book::from_json(r#"{"title":"rust","note":"s3same and more"}"#)),
        refusal(Book::from_json(r#"{"title":"rust","note":["s3same"]}"#)),
        refusal(Bed::from_json(r#"{"Name":"n","GateCode":{"s3same":1}}"#)),
        refusal(Trunk::from_json(r#"{"lock":{"combination":"s3same"}}"#)),
        refusal(Trunk::from_json(r#"{"lock":{"pin":"s3same"}}"#)),
        refusal(trunk.clone().set("lock.pin", "s3same")),
        refusal(trunk.lock().cloned().unwrap().set("pin", "s3same")),
        refusal(Trunk::from_json(r#"{"keys":["1","s3same"]}"#)),
        format!("{:?}", Trunk::from_json(r#"{"keys":["5312"]}"#)),
    ];
    for printed in printed {
        assert!(!["s3same", "5312", "1313"].iter().any(|secret| printed.contains(secret)), "{printed}");
    }
}

#[test]
fn last_of_duplicate_keys_wins() {
    let book = Book::from_json(r#"{"title":"go","authors":["ann","bob"],"title":"rust","authors":["eve"]}"#)
        .unwrap();
    assert_eq!((book.title(), book.authors().unwrap().len()), (Some("rust"), 1));
    let book = Book::from_json(r#"{"title":"go","arn":"a","Arn":"b","bookArn":"c"}"#).unwrap();
    assert_eq!(book.require_arn().unwrap(), "c");
    let json =
        r#"{"Name":"n","Owner":{"OwnerARN":"a"},"Owner":{},"Sizes":{"a":1,"b":2},"Sizes":{"b":3,"b":4}}"#;
    let bed = Bed::from_json(json).unwrap();
    assert_eq!(bed.owner().unwrap().owner_arn(), None);
    assert_eq!(
        bed.sizes().unwrap().iter().map(|(key, size)| (key.as_str(), *size)).collect::<Vec<_>>(),
        [("b", 4.0)]
    );
}
