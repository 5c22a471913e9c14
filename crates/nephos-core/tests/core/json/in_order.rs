//! Fields that come in order are read by a fast path, others by the general decoder: both accept the same input
//! and return the same errors.

use crate::toys::{
    attic::Trunk,
    garden::{Bed, Weather},
    shelf::Book,
};
use nephos_core::{
    FieldSet, Map, Record as _, Resource, Result, Slot, Value,
    field_value::FieldValue,
    fill::Reader,
    json,
    record::{Beside, Fields, finish},
    shape::{KindShape, RecordShape},
};
use proptest::{collection::vec, prelude::*, sample::Index};

/// A model without the fast path, so that its fields are read by the general decoder.
struct General<R>(R);

impl<R: Resource> Fields for General<R> {
    fn shape(&self) -> &'static RecordShape {
        self.0.shape()
    }

    fn field(&self, index: usize) -> &dyn FieldValue {
        self.0.field(index)
    }

    fn field_mut(&mut self, index: usize) -> &mut dyn FieldValue {
        self.0.field_mut(index)
    }

    fn boxed_clone(&self) -> Box<dyn Fields> {
        self.0.boxed_clone()
    }

    fn beside(&self) -> Option<&dyn Beside> {
        Some(self)
    }

    fn beside_mut(&mut self) -> Option<&mut dyn Beside> {
        Some(self)
    }
}

impl<R: Resource> Beside for General<R> {
    fn kind(&self) -> Option<&'static KindShape> {
        self.0.kind()
    }

    fn slot(&self) -> Option<&Slot> {
        self.0.slot()
    }

    fn slot_mut(&mut self) -> Option<&mut Slot> {
        self.0.slot_mut()
    }

    fn extra(&self) -> Option<&Map<Value>> {
        self.0.extra()
    }

    fn extra_mut(&mut self) -> Option<&mut Map<Value>> {
        self.0.extra_mut()
    }

    fn check_whole(&self) -> Result<()> {
        self.0.check_whole()
    }

    fn note_given(&mut self, fields: FieldSet) {
        self.0.note_given(fields);
    }

    fn settle(&mut self) {
        self.0.settle();
    }
}

/// Returns the observable result of reading: all of the model, or the error.
fn outcome<R: Resource>(read: Result<R>) -> Result<(String, Vec<&'static str>, Vec<&'static str>), String> {
    read.map(|model| (model.to_json_exposed(), model.fields_set(), model.changed()))
        .map_err(|error| format!("{error} {:?}", error.field()))
}

fn agree<R: Resource>(json: &[u8]) -> Result<(), TestCaseError> {
    let general = || {
        let mut model = General(R::blank());
        json::read(&mut model, json, &Reader::STRICT)?;
        finish(model.0)
    };
    let text = String::from_utf8_lossy(json);
    prop_assert_eq!(outcome(R::from_json(json)), outcome(general()), "{}", text);
    Ok(())
}

/// Keys of the toys in the order of their shapes, each with possible values.
const ENTRIES: &[(&str, &[&str])] = &[
    ("Arn", &["\"arn:x\"", "null"]),
    ("BedId", &["\"b-1\"", "\"\""]),
    ("Name", &["\"north\"", "\"n\\u00f6rth\"", "\"nörth\"", "null", "7"]),
    ("Station", &["\"x\""]),
    ("Degrees", &["1", "-2.5", "0.1", "1e3", "12345678901234567890", "00", "1.", "\"1\""]),
    ("title", &["\"rust\"", "\"Rust\"", "\"\"", "\"a-very-long-title-indeed\"", "\"a\\nb\"", "\"a\nb\""]),
    ("pages", &["1", "5000", "5001", "-1", "1.0", "01", "999999999999999999999", "true"]),
    ("price", &["1.5", "2", "100000000000000000.25"]),
    ("lendable", &["true", "false", "null", "tru", "1"]),
    ("days", &["7", "8", "null"]),
    ("shelvedAt", &["\"2026-01-31T12:00:00Z\"", "\"2026-02-30T12:00:00Z\"", "\"soon\"", "5"]),
    (
        "authors",
        &[
            "[\"ann\"]",
            "[]",
            "[\"a\",\"b\",\"c\",\"d\"]",
            "[\"much-too-long-a-name\"]",
            "[1]",
            "[null]",
            "{}",
        ],
    ),
    ("note", &["\"short\"", "\"much too long\"", "5"]),
    (
        "Plants",
        &[
            "[{\"Species\":\"rose\",\"Count\":2,\"Light\":\"FULL_SUN\"}]",
            "[{\"Species\":\"rose\"},{\"Count\":1}]",
            "[{\"Species\":\"oak\",\"Count\":2}]",
            "[{\"Light\":\"DUSK\",\"Species\":\"fern\",\"Count\":1}]",
            "[{\"Species\":\"fern\",\"Count\":null}]",
            "[{},{},{},{},{},{}]",
            "[ ]",
        ],
    ),
    ("type", &["\"clothes\"", "null"]),
    ("weight", &["50", "100.5", "-1"]),
    ("materials", &["[\"Oak\"]", "[\"tin\",\"paper\"]"]),
    ("things", &["[]", "[\"a\",\"\\t\"]"]),
    ("layers", &["{\"a\":1}", "{\"a\":0}", "{\"a\":1,\"a\":2,\"b\":3}", "{\"a\":1,}", "{\"a\" : 1}"]),
    (
        "lock",
        &[
            "{\"combination\":\"1234\",\"pin\":7}",
            "{\"combination\":\"12\"}",
            "{\"turns\":10}",
            "{}",
            "{\"pin\":\"x\"}",
        ],
    ),
    ("labels", &["[1,\"a\"]", "[{}]"]),
    ("keys", &["[\"12\"]", "[\"x\"]"]),
    ("Light", &["\"FULL_SUN\"", "\"AWS_SHADE\"", "\"DUSK\"", "1"]),
    ("Fence", &["{\"Height\":1.5}", "{\"Height\":1.5,\"Colour\":\"red\"}", "{\"Colour\":1,\"Height\":2}"]),
    ("Owner", &["{\"OwnerARN\":\"arn:x\"}", "{\"OwnerArn\":\"arn:x\"}", "[]"]),
    ("Sizes", &["{\"n\":1.5,\"s\":2}", "{\"n\":1e999}"]),
    ("Corners", &["{\"n\":{\"Species\":\"rose\"}}", "{\"n\":{\"Species\":\"\",\"Count\":1}}"]),
    ("Labels", &["{\"a\":[\"b\",\"c\"]}", "{\"a\":null}"]),
    ("GateCode", &["\"1234\"", "5"]),
    ("Picture", &["\"AP8=\"", "\"?\""]),
    ("Anything", &["[1,{\"a\":null}]", "null"]),
    ("PlantCount", &["3", "{}"]),
    (
        "Tags",
        &["{\"a\":\"b\"}", "[{\"Key\":\"a\",\"Value\":\"b\"}]", "{\"aws:x\":\"b\"}", "[{\"Key\":\"\"}]"],
    ),
    ("Nonsense", &["1"]),
];

/// Generates texts that look like an `R`: in order or not, with spaces or not, and sometimes damaged.
fn texts<R: Resource>() -> impl Strategy<Value = Vec<u8>> {
    let place = |key: &str| R::SHAPE.find(key, 0);
    let known: Vec<_> =
        ENTRIES.iter().filter(|(key, _)| place(key).is_some() || *key == "Nonsense").copied().collect();
    // The first of the values is valid, and most should be.
    let pick = (any::<Index>(), prop_oneof![2 => Just(0), 1 => 0..8_usize]);
    let space = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\n\t")];
    let damage = prop::option::weighted(0.2, (any::<Index>(), any::<u8>(), any::<bool>()));
    (vec(pick, 0..12), space, any::<bool>(), damage).prop_map(move |(picks, space, ordered, damage)| {
        let mut entries: Vec<_> = picks
            .into_iter()
            .map(|(key, value)| {
                let (key, values) = known[key.index(known.len())];
                let value = values.get(value).unwrap_or(&values[0]);
                (place(key), format!("\"{key}\"{space}:{space}{value}{space}"))
            })
            .collect();
        if ordered {
            entries.sort_by_key(|(place, _)| *place);
            entries.dedup_by_key(|(place, _)| *place);
        }
        let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
        let mut text = format!("{{{space}{}}}", entries.join(&format!(",{space}"))).into_bytes();
        if let Some((at, byte, cut)) = damage {
            let at = at.index(text.len());
            if cut { text.truncate(at) } else { text[at] = byte }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn fast_path_and_general_decoder_agree(
        book in texts::<Book>(),
        bed in texts::<Bed>(),
        weather in texts::<Weather>(),
        trunk in texts::<Trunk>(),
    ) {
        agree::<Book>(&book)?;
        agree::<Bed>(&bed)?;
        agree::<Weather>(&weather)?;
        agree::<Trunk>(&trunk)?;
    }
}

#[test]
fn fast_path_rejects_malformed_separators() {
    for json in [
        r#"{"title":"rust"}"pages":1"#,
        r#"{"title":"rust""pages":1}"#,
        r#"{"title":"rust",}"#,
        r#"{"title":"rust",,"pages":1}"#,
        r#"{,"title":"rust"}"#,
        r#"{"title":"rust"{"pages":1}"#,
        r#"{"pages":1"price":2}"#,
        r#"{"pages":1x,"price":2}"#,
        r#"{"pages":1.}"#,
        r#"{"price":1.5.5}"#,
        r#"{"lendable":truefalse}"#,
    ] {
        assert!(Book::from_json(json).is_err(), "{json}");
        agree::<Book>(json.as_bytes()).unwrap();
    }
}
