//! Laws over the resources of every kind, also of those whose ids the service assigns.

use crate::{
    assert_same,
    examples::{CHANGES, EXAMPLES, Made, fields, given_in, maker},
    generic::Operation,
    scene::{Scene, covers, scenes},
    settled_rows,
};
use nephos::{
    ErrorKind, Map, REGISTRY, Session, SignedDuration, Value,
    shape::{Effect, FieldShape, Identity, KindShape, Paging, Presence, Rule, Type},
};
use nephos_core::json;
use std::collections::BTreeSet;

/// Kinds that are under no law, and why.
const LEFT_OUT: &[(&str, &str)] = &[];

#[test]
fn every_kind_is_under_the_laws_or_left_out_for_a_reason() {
    for kind in REGISTRY.kinds() {
        let examples = EXAMPLES.iter().filter(|(name, _)| *name == kind.name).count();
        let reason = LEFT_OUT.iter().find(|(name, _)| *name == kind.name);
        match reason {
            None => assert!(examples >= 2, "the laws need two examples of {}", kind.name),
            Some((_, reason)) => assert!(examples == 0 && !reason.is_empty(), "{} has examples", kind.name),
        }
    }
}

/// Fields that are given and not returned: where the certificates of a trust store come from.
const NOT_RETURNED: &[(&str, &str)] = &[
    ("TrustStore", "CaCertificatesBundleS3Bucket"),
    ("TrustStore", "CaCertificatesBundleS3Key"),
    ("TrustStore", "CaCertificatesBundleS3ObjectVersion"),
];

fn is_returned(kind: &KindShape, field: &str) -> bool {
    kind.record.field(field).is_some() && !NOT_RETURNED.contains(&(kind.name, field))
}

/// Asserts that `found` has what it was made with.
fn assert_as_given(made: &Made, found: &Map<Value>) {
    // A target group of functions takes a port and does not use it.
    let is_unused = |field: &str| {
        (made.kind.name, field) == ("TargetGroup", "Port")
            && made.given.get("TargetType") == Some(&"function".into())
    };
    // What is not the model's is a parameter of its creation.
    let returned = made.given.iter().filter(|(field, _)| is_returned(made.kind, field) && !is_unused(field));
    for (field, value) in returned {
        let found = found.get(field).unwrap_or(&Value::Null);
        assert!(covers(found, value), "{} {field} is {found:?}, not {value:?}", made.kind.name);
    }
}

/// The fields of a kind that tell one resource from another, and that only the service assigns.
fn identity(kind: &KindShape) -> Vec<&'static str> {
    let paths = [&kind.pk, &kind.arn, &kind.name_identity].into_iter().flat_map(|identity| match identity {
        Identity::None => Vec::new(),
        Identity::Path(path) => vec![path[0]],
        Identity::Mapping(paths) => paths.iter().map(|path| path[0]).collect(),
    });
    paths.chain(kind.saved_when.map(|index| kind.record.fields[index].name)).collect()
}

#[test]
fn what_is_created_is_got_as_it_was_written() {
    for scene in scenes() {
        for made in &scene.made {
            let found = made.found(&scene.session());
            assert_as_given(made, &found);
            for field in identity(made.kind) {
                assert!(found.contains_key(field), "{} has no {field}", made.kind.name);
                if let Some(answered) = made.known.get(field) {
                    assert_eq!(found.get(field), Some(answered), "{} {field}", made.kind.name);
                }
            }
        }
        let before: Vec<_> = scene.made.iter().map(|made| made.found(&scene.session())).collect();
        scene.settle();
        for (made, before) in scene.made.iter().zip(before) {
            let found = made.found(&scene.session());
            assert_as_given(made, &found);
            let same = identity(made.kind).into_iter().all(|field| found.get(field) == before.get(field));
            assert!(same, "{} was {before:?} and is {found:?}", made.kind.name);
        }
    }
}

#[test]
fn what_is_created_with_any_value_that_a_field_takes_is_got_as_it_was_written() {
    for scene in scenes() {
        let mut taken = BTreeSet::new();
        for made in scene.made.iter().filter(|made| made.kind.call("create").is_some()) {
            let keys = identity(made.kind);
            let own = made.kind.record.fields.iter().filter(|field| field.presence != Presence::ServiceSet);
            for field in own.filter(|field| !keys.contains(&field.name)) {
                for value in values_of(field) {
                    let (cloud, mut given) = (scene.cloud.fork().unwrap(), made.another(7));
                    given.insert(field.name.into(), value);
                    let before = settled_rows(&cloud);
                    match Made::make(&cloud.session(), made.kind, given) {
                        Ok(another) => {
                            assert_as_given(&another, &another.found(&cloud.session()));
                            taken.insert((made.kind.name, field.name));
                        }
                        Err(error) => assert_same(&settled_rows(&cloud), &before, &error.to_string()),
                    }
                }
            }
        }
        assert!(taken.len() > 50, "only {taken:?} take anything");
    }
}

/// The parameter of a listing that says how many are on a page, and the smallest number that it takes.
fn page_size(kind: &KindShape) -> (&'static str, i64) {
    let list = kind.call("list").unwrap();
    let size = list.params.fields.iter().find(|param| param.paging == Some(Paging::Size));
    let size = size.unwrap_or_else(|| panic!("the listing of {} has no page size", kind.name));
    let least = size.rules.iter().find_map(|rule| match rule {
        Rule::Range { min, .. } => Some(*min),
        _ => None,
    });
    (size.name, least.unwrap_or(1))
}

#[test]
fn a_listing_tells_what_get_finds_once_and_in_one_order_for_every_page_size() {
    for scene in scenes() {
        let session = scene.session();
        // Enough for a second page, and a third, of the smallest size.
        let (mut made, mut done) = (scene.made.clone(), BTreeSet::new());
        for one in scene.made.iter().rev().filter(|one| done.insert(one.kind.name)) {
            let (_, least) = page_size(one.kind);
            for n in 0.. {
                if one.list(&session, None).unwrap().len() as i64 > 2 * least {
                    break;
                }
                match Made::make(&session, one.kind, one.another(n)) {
                    Ok(another) => made.push(another),
                    Err(error) if error.kind() == ErrorKind::LimitExceeded => break,
                    Err(error) => panic!("{one:?}: {error}"),
                }
            }
            let count = one.list(&session, None).unwrap().len() as i64;
            assert!(count > least, "{} fills no second page", one.kind.name);
        }
        for one in &made {
            let whole = one.list(&session, None).unwrap();
            let found = one.found(&session);
            let told: Vec<_> = whole.iter().filter(|told| one.is(told)).collect();
            assert!(!told.is_empty(), "{} {found:?} is not in {whole:?}", one.kind.name);
            // Several events may say the same.
            assert!(told.len() == 1 || one.kind.name == "LogEvent", "{} {told:?}", one.kind.name);
            // A listing need not tell everything, and what it tells is as get tells it.
            for (field, value) in fields(told[0]) {
                assert!(found.get(field).is_none_or(|got| got == value), "{} {field}", one.kind.name);
            }
            let (size, least) = page_size(one.kind);
            for count in least..=whole.len() as i64 + 1 {
                let paged = one.list(&session, Some((size, count))).unwrap();
                assert_eq!(paged, whole, "{} by pages of {count}", one.kind.name);
            }
        }
    }
}

#[test]
fn an_update_to_what_is_there_changes_nothing() {
    for scene in scenes() {
        scene.settle();
        let session = scene.session();
        for made in scene.made.iter().filter(|made| made.kind.call("update").is_some()) {
            let (found, before) = (made.found(&session), settled_rows(&scene.cloud));
            let own = made.kind.record.fields.iter().filter(|field| field.presence != Presence::ServiceSet);
            let own = own.filter_map(|field| Some((field.name.into(), found.get(field.name)?.clone())));
            // A caller who sets what is there, one who sets nothing, and one who brings the whole model.
            let whole = Operation::of_kind(made.kind, made.kind.call("update").unwrap());
            let updated = [
                made.update(&session, &own.collect()),
                made.update(&session, &Map::default()),
                whole.carry_out(&session, &found),
            ];
            for updated in updated.map(Result::unwrap) {
                let updated = match &updated {
                    Value::List(models) => &models[0],
                    updated => updated,
                };
                assert_eq!(fields(updated), &found, "{}", made.kind.name);
            }
            assert_same(&settled_rows(&scene.cloud), &before, made.kind.name);
        }
    }
}

/// Fields that no value made by shape, nor that of another example, changes, and why.
const NEVER_CHANGED: &[(&str, &str, &str)] = &[(
    "LoadBalancer",
    "EnablePrefixForIpv6SourceNat",
    "needs subnets with IPv6 addresses, which there are none of",
)];

/// Values for a field by its shape alone.
fn values_of(field: &FieldShape) -> Vec<Value> {
    let mut values: Vec<Value> = match field.ty {
        Type::Bool => vec![true.into(), false.into()],
        Type::Choice(choice) => choice.values.iter().map(|value| value.name.into()).collect(),
        Type::Text => ["changed", "/changed", "8", "alias/changed", "201"].map(Value::from).to_vec(),
        Type::Map(Type::Text) => vec![record_of("law", "changed".into())],
        Type::Record(record) => {
            let inner = |inner: &'static FieldShape| {
                values_of(inner).into_iter().map(|value| record_of(inner.name, value))
            };
            record.fields.iter().flat_map(inner).collect()
        }
        Type::List(Type::Record(record)) if record.name == "Tag" => {
            vec![json::parse(br#"[{"Key": "law", "Value": "changed"}]"#).unwrap()]
        }
        _ => Vec::new(),
    };
    for rule in field.rules {
        match rule {
            Rule::Range { min, max } => values.extend([*min, min + 1, *max].map(Value::from)),
            Rule::OneOf(literals) => values.extend(literals.iter().map(|literal| literal.to_value())),
            _ => {}
        }
    }
    values
}

fn record_of(field: &str, value: Value) -> Value {
    Value::Map([(field.into(), value)].into_iter().collect())
}

/// Changes of one of these: of each field by its shape, to what others have, and what needs to be named.
fn changes_of(session: &Session, kind: &'static KindShape, all: &[Made]) -> Vec<Map<Value>> {
    let keys = identity(kind);
    let changeable = |field: &&FieldShape| {
        field.presence != Presence::ServiceSet && !field.fixed && !keys.contains(&field.name)
    };
    let mut changes = Vec::new();
    for field in kind.record.fields.iter().filter(changeable) {
        let others = all.iter().filter(|other| other.kind.name == kind.name);
        let others = others.filter_map(|other| other.known.get(field.name).cloned());
        let values = values_of(field).into_iter().chain(others);
        changes.extend(values.map(|value| [(field.name.into(), value)].into_iter().collect()));
    }
    let named = CHANGES.iter().filter(|(name, _)| *name == kind.name);
    changes.extend(named.map(|(_, change)| given_in(session, all, change)));
    changes
}

#[test]
fn what_is_updated_is_got_as_it_was_written_and_a_refusal_changes_nothing() {
    for scene in scenes() {
        scene.settle();
        let (session, mut never) = (scene.session(), Vec::new());
        for kind in REGISTRY.kinds().filter(|kind| kind.call("update").is_some()) {
            let (changes, mut changed) = (changes_of(&session, kind, &scene.made), BTreeSet::new());
            for made in scene.made.iter().filter(|made| made.kind.name == kind.name) {
                for change in &changes {
                    // No change is in the way of the next one.
                    let fork = Scene { cloud: scene.cloud.fork().unwrap(), made: Vec::new() };
                    changed.extend(update(&fork, made, change));
                }
            }
            let possible: BTreeSet<_> =
                changes.iter().flat_map(Map::keys).map(|field| field.as_str()).collect();
            never.extend(
                possible
                    .into_iter()
                    .filter(|field| !changed.contains(*field))
                    .map(|field| (kind.name, field.to_owned())),
            );
        }
        let expected: Vec<_> =
            NEVER_CHANGED.iter().map(|(kind, field, _)| (*kind, (*field).to_owned())).collect();
        assert_eq!(never, expected);
    }
}

/// Fields that follow from another one that is changed: the kind, that one, and those that follow.
const FOLLOW: &[(&str, &str, &[&str])] = &[
    ("TargetGroup", "HealthCheckProtocol", &["HealthCheckPath", "Matcher"]),
    ("Listener", "Protocol", &["AlpnPolicy", "Certificates", "SslPolicy"]),
];

fn follows(kind: &KindShape, change: &Map<Value>, field: &FieldShape) -> bool {
    let of = |(name, from, fields): &&(&str, &str, &[&str])| {
        *name == kind.name && change.contains_key(*from) && fields.contains(&field.name)
    };
    FOLLOW.iter().any(|follow| of(&follow))
}

/// Changes `made`; tells the fields that are other than before.
fn update(scene: &Scene, made: &Made, change: &Map<Value>) -> Vec<String> {
    let (session, kind) = (scene.session(), made.kind);
    let (before, found) = (settled_rows(&scene.cloud), made.found(&session));
    let Ok(updated) = made.update(&session, change) else {
        assert_same(&settled_rows(&scene.cloud), &before, &format!("{} {change:?}", kind.name));
        return Vec::new();
    };
    let now = made.found(&session);
    assert_eq!(fields(&updated), &now, "{} {change:?}", kind.name);
    for field in kind.record.fields.iter().filter(|field| field.presence != Presence::ServiceSet) {
        let (now, found) = (now.get(field.name), found.get(field.name));
        match change.get(field.name) {
            Some(_) if !is_returned(kind, field.name) => assert_eq!(now, None, "{} {change:?}", kind.name),
            Some(value) => {
                let same = now.is_some_and(|now| covers(now, value));
                assert!(same, "{} {} is {now:?} after {change:?}", kind.name, field.name);
            }
            None if follows(kind, change, field) => {}
            None => assert_eq!(now, found, "{} {} after {change:?}", kind.name, field.name),
        }
    }
    if settled_rows(&scene.cloud) == before {
        return Vec::new();
    }
    change
        .keys()
        .filter(|field| now.get(*field) != found.get(*field) || !is_returned(kind, field))
        .map(|field| field.to_string())
        .collect()
}

/// Kinds of which a second one of the same parameters is made, and those that give back the first one.
const CREATED_TWICE: &[&str] = &["Vpc", "Instance"];
const GIVEN_BACK: &[&str] = &["TargetGroup", "LoadBalancer", "Listener"];

#[test]
fn what_is_created_twice_is_refused() {
    for scene in scenes() {
        for made in scene.made.iter().filter(|made| made.kind.call("create").is_some()) {
            let before = settled_rows(&scene.cloud);
            let again = Made::make(&scene.session(), made.kind, made.given.clone());
            if CREATED_TWICE.contains(&made.kind.name) && !made.given.contains_key("PrivateIpAddress") {
                assert_ne!(again.unwrap().known, made.known, "{}", made.kind.name);
                continue;
            }
            if GIVEN_BACK.contains(&made.kind.name) {
                assert!(made.is(&Value::Map(again.unwrap().known)), "{}", made.kind.name);
            } else {
                let error = again.map(|made| made.known).unwrap_err();
                let known = [ErrorKind::AlreadyExists, ErrorKind::Conflict].contains(&error.kind());
                assert!(known, "{} {error}", made.kind.name);
            }
            assert_same(&settled_rows(&scene.cloud), &before, made.kind.name);
        }
    }
}

/// Kinds of which one that is not there may be deleted.
const DELETED_TWICE: &[&str] = &["LoadBalancer"];

#[test]
fn what_is_deleted_is_got_no_more_and_no_call_on_it_changes_anything() {
    for scene in scenes() {
        let session = scene.session();
        for made in scene.made.iter().rev().filter(|made| made.kind.call("delete").is_some()) {
            made.call(&session, "delete").unwrap();
            // Some things can be restored for a month.
            scene.cloud.clock().advance(SignedDuration::from_hours(31 * 24)).unwrap();
            assert_eq!(made.find(&session).unwrap(), None, "{}", made.kind.name);
            let before = settled_rows(&scene.cloud);
            for call in made.kind.calls.iter().filter(|call| !["create", "get", "list"].contains(&call.name))
            {
                let given = made.parameters(call);
                let mut needed =
                    call.params.fields.iter().filter(|param| param.presence == Presence::Required);
                if given.is_empty() || !needed.all(|param| given.contains_key(param.name)) {
                    continue;
                }
                let about = format!("{} {}", made.kind.name, call.name);
                match made.call(&session, call.name) {
                    Ok(Value::Null) if call.effect == Effect::Read => {}
                    Ok(_) => assert!(DELETED_TWICE.contains(&made.kind.name), "{about} is not refused"),
                    // Some need more than what names the resource.
                    Err(error) if error.is_value_error() && call.name != "delete" => {}
                    Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{about}: {error}"),
                }
                assert_same(&settled_rows(&scene.cloud), &before, &about);
            }
        }
    }
}

/// Values that a field does not take, by its shape alone.
fn wrong_values_of(field: &FieldShape) -> Vec<Value> {
    let mut wrong = match field.ty {
        Type::Bool | Type::Int | Type::Float | Type::Time => vec!["x".into(), Value::Map(Map::default())],
        Type::Text => vec![7.into(), Value::List(vec!["x".into()])],
        Type::Choice(_) => vec![7.into()],
        Type::Record(_) | Type::List(_) | Type::Map(_) => vec!["x".into()],
        Type::Blob | Type::Secret | Type::Any => Vec::new(),
    };
    for rule in field.rules {
        match (rule, field.ty) {
            (Rule::Range { min, max }, _) => {
                wrong.extend([min.checked_sub(1), max.checked_add(1)].into_iter().flatten().map(Value::from));
            }
            (Rule::Length { max, .. }, Type::Text) if *max < 100_000 => {
                wrong.push("x".repeat(max + 1).into())
            }
            (Rule::Length { min: 1.., .. }, Type::Text) => wrong.push("".into()),
            (Rule::Length { min: 1.., .. }, Type::List(_)) => wrong.push(Value::List(Vec::new())),
            (Rule::OneOf(_), Type::Int) => wrong.push(Value::Int(-7)),
            (Rule::OneOf(_), Type::Text) => wrong.push("no-such".into()),
            _ => {}
        }
    }
    wrong
}

#[test]
fn what_is_created_without_what_is_needed_or_with_what_is_wrong_is_refused() {
    for scene in scenes() {
        let (session, mut refused) = (scene.session(), 0);
        let before = settled_rows(&scene.cloud);
        for made in &scene.made {
            let (create, another) = (maker(made.kind), made.another(7));
            let mut refuse = |given: Map<Value>| {
                let about = format!("{} {given:?}", made.kind.name);
                let tried = create.carry_out(&session, &given);
                assert!(tried.is_err(), "{about} is not refused: {tried:?}");
                assert_same(&settled_rows(&scene.cloud), &before, &about);
                refused += 1;
            };
            for param in create.parameters() {
                let without = || another.clone().into_iter().filter(|(name, _)| name != param.name);
                if param.presence == Presence::Required {
                    refuse(without().collect());
                }
                for wrong in wrong_values_of(param) {
                    refuse(without().chain([(param.name.into(), wrong)]).collect());
                }
            }
        }
        assert!(refused > 400, "only {refused} were tried");
    }
}
