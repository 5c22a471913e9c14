//! The thirty lookups: what each accepts, in every kind of field, and which arguments are errors.

use crate::toys::{
    garden::{Bed, Weather},
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{AnyPredicate, Blob, ErrorKind, Lookup, Record as _, Resource, Results, Timestamp, Value};
use proptest::prelude::*;
use std::collections::HashSet;

fn accepts(model: &impl Resource, criterion: &str, value: impl Into<Value>) -> bool {
    AnyPredicate::parse(criterion, value).unwrap().accepts(model, &[])
}

/// Makes a bed with `value` in the field that takes any value.
fn holding(value: Value) -> Bed {
    let mut bed = Bed::builder().name("bed").build().unwrap();
    bed.set("Anything", value).unwrap();
    bed
}

fn time(text: &str) -> Value {
    Value::Time(text.parse().unwrap())
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(values(pairs))
}

/// Makes a list of several types, with `item` in it.
fn mixed(item: i64) -> Value {
    Value::List(vec![Value::Null, map([]), "x".into(), item.into()])
}

struct Case {
    lookup: Lookup,
    value: Value,
    yes: Vec<Value>,
    no: Vec<Value>,
}

fn case<const Y: usize, const N: usize>(
    lookup: Lookup,
    value: impl Into<Value>,
    yes: [Value; Y],
    no: [Value; N],
) -> Case {
    Case { lookup, value: value.into(), yes: yes.into(), no: no.into() }
}

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    use Lookup as L;
    // A Saturday in January, and the Friday that begins 2027 and belongs to the last week of 2026.
    let saturday = time("2026-01-31T23:30:15.5Z");
    let sunday = time("2026-02-01T00:00:00Z");
    let friday = time("2027-01-01T07:08:09Z");
    let text = || Value::from("Red Brick");
    vec![
        case(L::Exact, 300, [300.into(), 300.0.into()], [301.into(), "300".into(), true.into(), Value::Null]),
        case(L::Exact, text(), [text()], ["red brick".into(), "Red".into(), 1.into()]),
        case(L::Exact, true, [true.into()], [false.into(), 1.into(), "true".into()]),
        case(L::Exact, saturday.clone(), [saturday.clone(), "2026-01-31T23:30:15.5Z".into(), "2026-02-01 00:30:15.5+01:00".into()], [sunday.clone(), "2026-01-31".into(), "soon".into()]),
        case(L::Exact, Blob(vec![1]), [Blob(vec![1]).into()], [Blob(vec![2]).into(), 1.into()]),
        case(L::Exact, map([("a", 1.into())]), [map([("a", 1.into())])], [map([("a", 2.into())]), map([]), 1.into()]),
        case(L::IExact, text(), [text(), "rED bRICK".into()], ["Red".into(), 1.into(), map([])]),
        case(L::IExact, 300, [300.into(), "300".into()], [30.into()]),
        case(L::Contains, text(), ["d B".into(), "".into(), text()], ["D b".into(), "x".into(), map([]), Value::Null]),
        case(L::Contains, 1234, [23.into(), "23".into()], ["32".into()]),
        case(L::IContains, text(), ["D B".into(), text()], ["x".into(), Value::Null]),
        case(L::StartsWith, text(), ["Red".into(), "".into(), text()], ["red".into(), "Brick".into(), 1.into()]),
        case(L::StartsWith, saturday.clone(), ["2026-01-31T23".into()], ["2026-02".into()]),
        case(L::IStartsWith, text(), ["rED".into()], ["Brick".into()]),
        case(L::EndsWith, text(), ["Brick".into(), "".into()], ["brick".into(), "Red".into()]),
        case(L::IEndsWith, text(), ["bRICK".into()], ["Red".into()]),
        case(L::Regex, text(), ["^R.d".into(), "Br?".into(), "".into(), "(?i)BRICK".into()], ["^B".into(), "red".into()]),
        case(L::Regex, 1234, ["^1.3".into(), 23.into()], ["^2".into()]),
        case(L::IRegex, text(), ["^r.d".into(), "BRICK$".into()], ["^b".into()]),
        case(L::In, 5, [[4, 5].into(), [5.0].into(), mixed(5)], [[4].into(), Value::List(vec![]), ["5"].into()]),
        case(L::In, text(), [["x", "Red Brick"].into(), map([("Red Brick", 1.into())])], [["red brick"].into()]),
        case(L::Gt, 5, [4.into(), 4.9.into()], [5.into(), 6.into(), "4".into(), true.into(), Value::Null]),
        case(L::Gt, saturday.clone(), ["2026-01-31".into(), "2026-01-31T23:30:14Z".into()], [saturday.clone(), "2026-02-01".into(), 0.into(), "soon".into()]),
        case(L::Gt, text(), ["Red".into(), "A".into()], ["a".into(), text(), 1.into()]),
        case(L::Gt, true, [false.into()], [true.into(), 0.into()]),
        case(L::Gte, 5, [5.into(), 4.into(), 5.0.into()], [6.into(), 5.1.into(), Value::Null]),
        case(L::Lt, 5, [6.into(), 5.1.into()], [5.into(), 4.into(), "6".into(), Value::Null]),
        case(L::Lte, 5, [5.into(), 6.into()], [4.into(), 4.9.into(), Value::Null]),
        case(L::IsNull, 5, [false.into(), "no".into()], [true.into(), "TRUE".into()]),
        case(L::HasKey, map([("a", Value::Null)]), ["a".into()], ["b".into(), "".into()]),
        case(L::Date, saturday.clone(), ["2026-01-31".into(), saturday.clone(), "2026-01-31T01:02:03Z".into(), "2026-02-01T00:30:00+02:00".into()], [sunday.clone(), "2026-02-01".into(), "2026-01-31T23:30:00-05:00".into()]),
        case(L::Time, saturday.clone(), ["23:30:15.5".into(), saturday.clone(), "2020-05-06T23:30:15.5Z".into(), "2020-05-06T21:30:15.5-02:00".into()], ["23:30:15".into(), "11:30:15.5".into(), sunday.clone()]),
        case(L::Time, sunday.clone(), ["00:00".into(), "00:00:00".into()], ["12:00".into()]),
        case(L::Year, friday.clone(), [2027.into(), "2027".into()], [2026.into()]),
        case(L::Month, saturday.clone(), [1.into()], [0.into(), 2.into()]),
        case(L::Day, saturday.clone(), [31.into()], [1.into(), 30.into()]),
        case(L::Hour, friday.clone(), [7.into()], [8.into()]),
        case(L::Minute, friday.clone(), [8.into()], [7.into()]),
        case(L::Second, friday.clone(), [9.into()], [8.into()]),
        case(L::Quarter, time("2026-03-31T23:59:59Z"), [1.into()], [0.into(), 2.into()]),
        case(L::Quarter, time("2026-12-01T00:00:00Z"), [4.into()], [3.into(), 5.into()]),
        case(L::IsoYear, friday.clone(), [2026.into()], [2027.into()]),
        case(L::Week, friday, [53.into()], [1.into(), 52.into()]),
        // Ruling 20: one week begins on Monday, the other on Sunday.
        case(L::IsoWeekDay, saturday.clone(), [6.into()], [7.into()]),
        case(L::IsoWeekDay, sunday.clone(), [7.into()], [0.into(), 1.into()]),
        case(L::WeekDay, saturday, [7.into()], [6.into()]),
        case(L::WeekDay, sunday, [1.into()], [0.into(), 7.into()]),
    ]
}

/// Checks all cases with `wrap`ped values under `path`.
fn assert_cases(path: &str, wrap: impl Fn(Value) -> Value) {
    for Case { lookup, value, yes, no } in cases() {
        let bed = holding(wrap(value.clone()));
        let criterion = format!("{path}__{lookup}");
        for operand in yes {
            assert!(accepts(&bed, &criterion, operand.clone()), "{value:?} {criterion} {operand:?}");
        }
        for operand in no {
            assert!(!accepts(&bed, &criterion, operand.clone()), "not {value:?} {criterion} {operand:?}");
        }
    }
}

#[test]
fn all_thirty_lookups_have_cases() {
    let covered: HashSet<_> = cases().iter().map(|case| case.lookup).collect();
    assert_eq!(covered.len(), 30);
    assert_eq!(Lookup::ALL.len(), 30);
    for lookup in Lookup::ALL {
        assert_eq!(Lookup::from_name(lookup.name()), Some(*lookup));
        assert_eq!(lookup.to_string(), lookup.name());
    }
    assert_eq!(Lookup::from_name("Exact"), None, "names of lookups are lowercase");
}

#[test]
fn each_lookup_accepts_only_matching_values() {
    assert_cases("Anything", |value| value);
}

#[test]
fn list_matches_if_any_item_matches() {
    assert_cases("Anything", |value| Value::List(vec![Value::Null, value]));
    assert_cases("Anything", |value| Value::List(vec![Value::List(vec![value]), Value::List(vec![])]));
}

#[test]
fn paths_lead_through_mappings_and_lists() {
    assert_cases("Anything__a__b", |value| map([("a", map([("b", value)]))]));
    assert_cases("Anything__a", |value| {
        Value::List(vec![map([]), map([("a", Value::Null)]), map([("b", 1.into())]), map([("a", value)])])
    });
    assert_cases("Anything__a__b", |value| {
        Value::List(vec![map([("a", Value::List(vec![map([("b", value)])]))])])
    });
}

#[test]
fn extra_fields_can_be_looked_up() {
    for Case { lookup, value, yes, .. } in cases() {
        let report = Weather::model_construct(None, values([("Station", "s".into()), ("gusts", value)]));
        for operand in yes {
            assert!(accepts(&report, &format!("gusts__{lookup}"), operand.clone()), "{lookup} {operand:?}");
        }
    }
}

#[test]
fn null_matches_only_isnull_and_exact_null() {
    let nulls =
        [holding(Value::Null), holding(map([("a", Value::Null)])), holding(Value::List(vec![map([])]))];
    let paths = ["Anything", "Anything__a", "Anything__a"];
    for (bed, path) in nulls.iter().zip(paths) {
        for Case { lookup, yes, .. } in cases() {
            for operand in yes {
                assert!(!accepts(bed, &format!("{path}__{lookup}"), operand.clone()), "{lookup} {operand:?}");
            }
        }
        assert!(accepts(bed, &format!("{path}__isnull"), true));
        assert!(accepts(bed, &format!("{path}__exact"), Value::Null));
        assert!(!accepts(bed, &format!("{path}__isnull"), false));
        for lookup in ["contains", "icontains", "regex", "iregex"] {
            for word in ["None", "null", "ull"] {
                assert!(!accepts(bed, &format!("{path}__{lookup}"), word), "null is not a text");
            }
        }
        assert!(!accepts(bed, &format!("{path}__in"), Value::List(vec![Value::Null])));
    }
}

#[test]
fn unknown_path_matches_no_lookup_and_is_no_error() {
    let bed = Bed::from_json(
        r#"{"Name": "bed", "Owner": {"OwnerARN": "o"}, "Plants": [{"Species": "x"}], "Fence": {}}"#,
    )
    .unwrap();
    let bare = Bed::builder().name("bed").build().unwrap();
    let unknown = [
        "nonsense",
        "nonsense__a",
        "Owner__nonsense",
        "Plants__nonsense",
        "Name__nonsense",
        "Fence__nonsense",
    ];
    for path in unknown {
        for Case { lookup, yes, no, .. } in cases() {
            for operand in yes.into_iter().chain(no) {
                let criterion = format!("{path}__{lookup}");
                assert!(!accepts(&bed, &criterion, operand.clone()), "{criterion} {operand:?}");
                assert!(!accepts(&bare, &criterion, operand.clone()), "{criterion} {operand:?} of null");
            }
        }
        assert!(!accepts(&bed, path, Value::Null), "{path}");
    }
    let report = Weather::from_json(r#"{"Station": "s", "x": null}"#).unwrap();
    assert!(accepts(&report, "x__isnull", true) && !accepts(&report, "y__isnull", true));
}

#[test]
fn empty_list_matches_nothing() {
    let empty = holding(Value::List(vec![]));
    for Case { lookup, yes, no, .. } in cases() {
        for operand in yes.into_iter().chain(no) {
            assert!(
                !accepts(&empty, &format!("Anything__{lookup}"), operand.clone()),
                "{lookup} {operand:?}"
            );
        }
    }
    let book = Book::builder().title("x").authors(["Ann", "Bob"]).build().unwrap();
    assert!(accepts(&book, "authors__isnull", false) && !accepts(&book, "authors__isnull", true));
    assert!(accepts(&book, "authors", ["Ann", "Bob"]), "a whole list can be compared");
    assert!(!accepts(&book, "authors", ["Bob", "Ann"]));
    assert!(accepts(&book, "authors", "Bob"));
}

#[test]
fn lookups_compare_by_the_type_of_the_field() {
    let bed = Bed::from_json(
        r#"{"Name": "bed", "Light": "PROVIDER_SHADE", "GateCode": "1234", "Picture": "aGk=", "Owner": {"OwnerARN": "o"},
            "Plants": [{"Species": "rose", "Planted": "2026-02-01"}]}"#,
    )
    .unwrap();
    assert!(accepts(&bed, "Light", "PROVIDER_SHADE") && accepts(&bed, "Light__icontains", "shade"));
    assert!(accepts(&bed, "Light__in", ["PROVIDER_SHADE"]));
    assert!(
        accepts(&bed, "Plants__Planted__week_day", 1) && accepts(&bed, "Plants__Planted__lt", "2026-02-02")
    );
    assert!(accepts(&bed, "Picture__startswith", "aGk") && accepts(&bed, "Picture", Blob(b"hi".to_vec())));
    assert!(accepts(&bed, "Owner__has_key", "OwnerARN") && !accepts(&bed, "Owner__has_key", "Name"));
    assert!(accepts(&bed, "Owner", map([("OwnerARN", "o".into())])), "a record equals its mapping");
    for (lookup, value) in [("exact", "1234"), ("contains", "2"), ("regex", "."), ("gt", "0")] {
        assert!(
            !accepts(&bed, &format!("GateCode__{lookup}"), value),
            "lookups must not reveal a secret: {lookup}"
        );
    }
    assert!(accepts(&bed, "GateCode__isnull", false));
    let noted = Results::from_models(vec![Book::builder().title("x").note("hunter2").build().unwrap()]);
    assert!(!noted.filter(Book::FIELDS.note.contains("h")).exists().wait().unwrap());
    assert!(noted.filter(Book::FIELDS.note.is_set()).exists().wait().unwrap());
}

#[test]
fn invalid_lookup_arguments_are_rejected() {
    for (lookup, operand) in [
        ("regex", "(".into()),
        ("iregex", "a**b(".into()),
        ("regex", Value::List(vec![])),
        ("in", 5.into()),
        ("in", "a".into()),
        ("isnull", 2.into()),
        ("isnull", "perhaps".into()),
        ("has_key", 5.into()),
        ("date", "tomorrow".into()),
        ("date", 5.into()),
        ("time", "noon".into()),
        ("time", Value::Null),
        ("year", "MMXXVI".into()),
        ("month", 1.5.into()),
        ("week_day", Value::Null),
    ] {
        let error = AnyPredicate::parse(&format!("pages__{lookup}"), operand.clone()).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(lookup)), "{lookup} {operand:?}");
    }
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        (-20..20_i64).prop_map(Value::Int),
        (-40..40_i32).prop_map(|halves| Value::Float(f64::from(halves) / 2.0)),
        "[a-cA-C]{0,3}".prop_map(Value::from),
        any::<bool>().prop_map(Value::Bool),
    ]
}

/// Returns the order of two scalars of one type, computed in a type wide enough for both.
fn order(a: &Value, b: &Value) -> Option<std::cmp::Ordering> {
    let halves = |value: &Value| match value {
        Value::Int(whole) => Some(i128::from(*whole) * 2),
        Value::Float(fraction) => Some((fraction * 2.0) as i128),
        _ => None,
    };
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a.as_str().cmp(b.as_str())),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => Some(halves(a)?.cmp(&halves(b)?)),
    }
}

proptest! {
    #[test]
    fn ordering_lookups_equal_comparisons_of_rust(value in any_scalar(), operand in any_scalar()) {
        let bed = holding(value.clone());
        let order = order(&value, &operand);
        for (lookup, expected) in [
            ("gt", order.is_some_and(|order| order.is_gt())),
            ("gte", order.is_some_and(|order| order.is_ge())),
            ("lt", order.is_some_and(|order| order.is_lt())),
            ("lte", order.is_some_and(|order| order.is_le())),
            ("exact", order.is_some_and(|order| order.is_eq())),
        ] {
            let accepted = accepts(&bed, &format!("Anything__{lookup}"), operand.clone());
            prop_assert_eq!(accepted, expected, "{:?} {} {:?}", value, lookup, operand);
        }
    }

    #[test]
    fn text_lookups_equal_methods_of_str(text in "[aAbBéÉ.]{0,5}", part in "[aAbBéÉ.]{0,2}") {
        let bed = holding(text.as_str().into());
        let (low, low_part) = (text.to_lowercase(), part.to_lowercase());
        let escaped = regex::escape(&part);
        for (lookup, operand, expected) in [
            ("contains", &part, text.contains(&part)),
            ("icontains", &part, low.contains(&low_part)),
            ("startswith", &part, text.starts_with(&part)),
            ("istartswith", &part, low.starts_with(&low_part)),
            ("endswith", &part, text.ends_with(&part)),
            ("iendswith", &part, low.ends_with(&low_part)),
            ("iexact", &part, low == low_part),
            ("regex", &escaped, text.contains(&part)),
            ("iregex", &escaped, low.contains(&low_part)),
        ] {
            let accepted = accepts(&bed, &format!("Anything__{lookup}"), operand.as_str());
            prop_assert_eq!(accepted, expected, "{} {} {}", text, lookup, operand);
        }
    }

    #[test]
    fn time_lookups_use_utc(second in -62_000_000_000..250_000_000_000_i64) {
        let instant = Timestamp::from_second(second).unwrap();
        let bed = holding(Value::Time(instant));
        for (lookup, form) in [
            ("year", "%Y"), ("month", "%m"), ("day", "%d"), ("hour", "%H"), ("minute", "%M"), ("second", "%S"),
            ("iso_year", "%G"), ("week", "%V"), ("iso_week_day", "%u"), ("date", "%Y-%m-%d"), ("time", "%H:%M:%S"),
        ] {
            let operand = instant.strftime(form).to_string();
            prop_assert!(accepts(&bed, &format!("Anything__{lookup}"), operand.as_str()), "{} {}", lookup, operand);
        }
        let sunday_first: i64 = instant.strftime("%w").to_string().parse().unwrap();
        prop_assert!(accepts(&bed, "Anything__week_day", sunday_first + 1));
    }
}
