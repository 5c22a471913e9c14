//! Laws over the resources of every kind, including those whose IDs the service assigns.

use crate::{
    assert_same,
    examples::parse_params,
    facts::kind_facts,
    generic::{Operation, all_values, options},
    paging::page_sizes,
    settled_rows,
    test_cloud::{TestCloud, all_test_clouds, contains_value, new_cloud, test_clouds, test_clouds_and_wire},
    test_resource::{TestResource, create_operation, fields},
};
use nephos::{
    AllServices, AnyModel, AnyPredicate, ErrorKind, Map, Order, REGISTRY, Result, Session, SignedDuration,
    TaggedModels as _, Text, Value,
    shape::{Effect, FieldShape, Identity, KindShape, Paging, Presence, Rule, Type},
};
use nephos_cloud::ServiceSet;
use nephos_core::{Lookup, json, view::ViewForm, wait};
use nephos_testing::Duplicate;
use std::collections::BTreeSet;

#[test]
fn every_kind_has_examples_or_is_excluded() {
    for kind in REGISTRY.kinds() {
        let facts = kind_facts(kind);
        let examples = facts.examples.len();
        match facts.excluded {
            None => assert!(examples >= 2, "{} needs two examples", kind.name),
            Some(reason) => {
                assert!(examples == 0 && !reason.is_empty(), "{} is excluded but has examples", kind.name)
            }
        }
    }
}

/// A graph of a kind draws each of its resources, by its name.
#[test]
fn every_graph_finds_the_resources_of_its_kind() {
    let graphs =
        AllServices::SERVICES.iter().flat_map(|service| service.views).filter_map(|view| match view.form {
            ViewForm::Graph(draw) => Some((view, draw)),
            ViewForm::Lines(_) => None,
        });
    let [test_cloud, _] = test_clouds();
    let session = test_cloud.session();
    let mut drawn = 0;
    for (view, draw) in graphs {
        for resource in test_cloud.resources.iter().filter(|resource| std::ptr::eq(resource.kind, view.kind))
        {
            let found = resource.require(&session);
            let Identity::Path(path) = view.kind.name_identity else {
                panic!("{} has no name", view.kind.name);
            };
            let name = found[path[0]].as_text().unwrap();
            let graph = wait(draw(&session, name));
            let graph =
                graph.unwrap_or_else(|error| panic!("{} {} {name}: {error}", view.kind.name, view.name));
            assert!(!graph.nodes.is_empty(), "{} {} {name}", view.kind.name, view.name);
            drawn += 1;
        }
    }
    assert!(drawn > 0);
}

/// Returns a value of a type without the secrets in records, which are not returned.
fn without_secrets(ty: Type, value: &Value) -> Value {
    match (ty, value) {
        (Type::Record(record), Value::Map(members)) => {
            let type_of = |name: &str| record.field(name).map_or(Type::Any, |(_, field)| field.ty);
            let shown = members.iter().filter(|(name, _)| !matches!(type_of(name), Type::Secret));
            shown.map(|(name, value)| (name.clone(), without_secrets(type_of(name), value))).collect()
        }
        (Type::List(item), Value::List(items)) => {
            Value::List(items.iter().map(|value| without_secrets(*item, value)).collect())
        }
        (_, value) => value.clone(),
    }
}

fn is_returned(kind: &KindShape, field: &str) -> bool {
    kind.record.field(field).is_some() && !kind_facts(kind).not_returned.contains(&field)
}

/// Returns those fields of a model that the service returns.
pub(crate) fn returned(kind: &KindShape, fields: &Map<Value>) -> Map<Value> {
    let is_shown =
        |(field, value): &(&Text, &Value)| is_returned(kind, field) && !matches!(value, Value::Null);
    fields.iter().filter(is_shown).map(|(field, value)| (field.clone(), value.clone())).collect()
}

/// True if the service accepts the field and ignores it, because of another field.
fn is_ignored(resource: &TestResource, field: &str) -> bool {
    kind_facts(resource.kind).ignored.iter().any(|(ignored, (other, value))| {
        *ignored == field && resource.input.get(*other) == Some(&Value::from(*value))
    })
}

/// Asserts that `found` has the values it was created with.
fn assert_has_input(resource: &TestResource, found: &Map<Value>) {
    // Parameters that are not fields of the model are not returned.
    let returned = resource
        .input
        .iter()
        .filter(|(field, _)| is_returned(resource.kind, field) && !is_ignored(resource, field));
    for (field, value) in returned {
        let (_, shape) = resource.kind.record.field(field).unwrap();
        let found = found.get(field).unwrap_or(&Value::Null);
        assert!(
            contains_value(found, &without_secrets(shape.ty, value)),
            "{} {field} is {found:?}, not {value:?}",
            resource.kind.name
        );
    }
}

/// Returns the fields that identify a resource.
fn identity(kind: &KindShape) -> Vec<&'static str> {
    let paths = [&kind.pk, &kind.arn, &kind.name_identity].into_iter().flat_map(|identity| match identity {
        Identity::None => Vec::new(),
        Identity::Path(path) => vec![path[0]],
        Identity::Mapping(paths) => paths.iter().map(|path| path[0]).collect(),
    });
    paths.chain(kind.exists_if.map(|index| kind.record.fields[index].name)).collect()
}

#[test]
fn get_returns_what_was_created() {
    for test_cloud in all_test_clouds() {
        for resource in &test_cloud.resources {
            let found = resource.require(&test_cloud.session());
            assert_has_input(resource, &found);
            for field in identity(resource.kind) {
                assert!(found.contains_key(field), "{} has no {field}", resource.kind.name);
                if let Some(answered) = resource.known.get(field) {
                    assert_eq!(found.get(field), Some(answered), "{} {field}", resource.kind.name);
                }
            }
        }
        let before: Vec<_> =
            test_cloud.resources.iter().map(|resource| resource.require(&test_cloud.session())).collect();
        test_cloud.settle();
        for (resource, before) in test_cloud.resources.iter().zip(before) {
            let found = resource.require(&test_cloud.session());
            assert_has_input(resource, &found);
            let same = identity(resource.kind).into_iter().all(|field| found.get(field) == before.get(field));
            assert!(same, "{} was {before:?} and is {found:?}", resource.kind.name);
        }
    }
}

fn has_examples(kind: &'static KindShape) -> bool {
    kind_facts(kind).excluded.is_none()
}

/// Every settable field of every kind reaches the service by `create` and comes back by `get`.
#[test]
fn get_returns_every_valid_value_of_a_field() {
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        let mut taken = BTreeSet::new();
        for resource in test_cloud.resources.iter().filter(|resource| resource.kind.call("create").is_some())
        {
            let given = resource.input.keys().map(|name| (resource.kind.name, name.to_string()));
            taken.extend(given);
            let session = test_cloud.session();
            let generated = settable(resource.kind).flat_map(|field| {
                let values = values_of(field).into_iter();
                values.map(|value| [(field.name.into(), value)].into_iter().collect::<Map<Value>>())
            });
            let facts = kind_facts(resource.kind);
            let facts = facts.changes.iter().chain(facts.settings);
            let facts = facts.map(|change| parse_params(&session, &test_cloud.resources, change));
            for settings in generated.chain(facts) {
                let fork = test_cloud.fork();
                let mut input = resource.another_input(7);
                input.extend(settings.clone());
                input.retain(|_, value| !value.is_null());
                let before = settled_rows(&fork.cloud);
                match TestResource::create(&fork.session(), resource.kind, input) {
                    Ok(another) => {
                        assert_has_input(&another, &another.require(&fork.session()));
                        taken.extend(settings.keys().map(|name| (resource.kind.name, name.to_string())));
                    }
                    Err(error) => assert_same(&settled_rows(&fork.cloud), &before, &error.to_string()),
                }
            }
        }
        for kind in REGISTRY.kinds().filter(|kind| kind.call("create").is_some() && has_examples(kind)) {
            let is_taken = |field: &&FieldShape| taken.contains(&(kind.name, field.name.to_owned()));
            let never: BTreeSet<_> =
                settable(kind).filter(|field| !is_taken(field)).map(|field| field.name).collect();
            let expected: BTreeSet<_> =
                kind_facts(kind).never_created.iter().map(|(field, _)| *field).collect();
            assert_eq!(never, expected, "fields of {} that no create sets", kind.name);
        }
    }
}

/// Returns the page-size parameter of `list` and its minimum; `None` for a kind that is listed at once.
fn page_size(kind: &KindShape) -> Option<(&'static FieldShape, i64)> {
    let list = kind.call("list").unwrap();
    let size = list.params.fields.iter().find(|param| param.details.paging == Some(Paging::Size));
    assert_eq!(size.is_none(), kind_facts(kind).listed_at_once, "page size of the list of {}", kind.name);
    let size = size?;
    let least = size.rules.iter().find_map(|rule| match rule {
        Rule::Range { min, .. } => Some(*min),
        _ => None,
    });
    Some((size, least.unwrap_or(1)))
}

#[test]
fn list_returns_what_get_returns_once_for_every_page_size() {
    for test_cloud in test_clouds_and_wire() {
        let session = test_cloud.session();
        // Enough resources for three pages of the minimum size.
        let (mut resources, mut done) = (test_cloud.resources.clone(), BTreeSet::new());
        for one in test_cloud.resources.iter().rev().filter(|one| done.insert(one.kind.name)) {
            let Some((_, least)) = page_size(one.kind) else { continue };
            let mut is_quota_reached = false;
            for n in 0.. {
                if one.list(&session, None).unwrap().len() as i64 > 2 * least {
                    break;
                }
                match TestResource::create(&session, one.kind, one.another_input(n)) {
                    Ok(another) => resources.push(another),
                    Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                        is_quota_reached = true;
                        break;
                    }
                    Err(error) => panic!("{one:?}: {error}"),
                }
            }
            let count = one.list(&session, None).unwrap().len() as i64;
            let fills_page = count > least || (is_quota_reached && kind_facts(one.kind).fits_on_one_page);
            assert!(fills_page, "{} does not fill a second page", one.kind.name);
        }
        for one in &resources {
            let whole = one.list(&session, None).unwrap();
            let found = one.require(&session);
            let listed: Vec<_> = whole.iter().filter(|model| one.matches(model)).collect();
            assert!(!listed.is_empty(), "{} {found:?} is not in {whole:?}", one.kind.name);
            // Several resources without identity may be equal.
            let has_identity = kind_facts(one.kind).matched_by.is_empty();
            assert!(listed.len() == 1 || !has_identity, "{} {listed:?}", one.kind.name);
            // A listing omits the fields that say so; those it returns equal those of get.
            for (field, value) in fields(listed[0]) {
                assert!(found.get(field).is_none_or(|got| got == value), "{} {field}", one.kind.name);
            }
            for (field, value) in &found {
                let (kind, listed) = (one.kind, fields(listed[0]).get(field.as_str()));
                let unlisted = kind.record.field(field).unwrap().1.not_in_list;
                let is_omitted = !is_blank(value) && listed.is_none_or(is_blank);
                assert!(!is_omitted || unlisted, "the listing of {} omits {field}", kind.name);
                assert!(!unlisted || listed.is_none_or(is_blank), "the listing of {} has {field}", kind.name);
            }
            let Some((size, _)) = page_size(one.kind) else { continue };
            for count in page_sizes(size, whole.len()) {
                let paged = one.list(&session, Some((size.name, count))).unwrap();
                assert_eq!(paged, whole, "{} in pages of {count}", one.kind.name);
            }
        }
    }
}

#[test]
fn filters_orders_and_columns_have_fields_that_listings_omit() {
    let mut tested = BTreeSet::new();
    for test_cloud in test_clouds() {
        let session = test_cloud.session();
        for one in test_cloud.resources.iter().filter(|one| one.kind.call("list").is_some()) {
            let found = one.require(&session);
            let unlisted = one.kind.record.fields.iter().filter(|field| field.not_in_list);
            for field in unlisted.filter(|field| found.get(field.name).is_some_and(|value| !is_blank(value)))
            {
                let results = || one.results(&session, None).unwrap();
                let has_value = AnyPredicate::test(&[field.name], Lookup::IsNull, false).unwrap();
                let sets = [
                    ("filter", results().filter(has_value)),
                    ("order", results().order_by(Order::from(field.name))),
                    ("columns", results().with_fields(&[field.name])),
                ];
                for (set, results) in sets {
                    let models = all_values(results).unwrap();
                    let model = models.iter().find(|model| one.matches(model));
                    let model = model.unwrap_or_else(|| panic!("{} by {}: {set}", one.kind.name, field.name));
                    assert_eq!(
                        fields(model).get(field.name),
                        found.get(field.name),
                        "{} {set}",
                        one.kind.name
                    );
                    tested.insert((one.kind.name, field.name));
                }
            }
        }
    }
    assert!(tested.len() > 30, "{tested:?}");
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        _ => false,
    }
}

/// True if there are resources of the kind, which can be read and updated.
pub(crate) fn is_updatable(kind: &KindShape) -> bool {
    kind_facts(kind).excluded.is_none() && kind.call("get").is_some() && kind.call("update").is_some()
}

#[test]
fn update_without_changes_changes_nothing() {
    for test_cloud in all_test_clouds() {
        test_cloud.settle();
        let session = test_cloud.session();
        for resource in test_cloud.resources.iter().filter(|resource| is_updatable(resource.kind)) {
            let (found, before) = (resource.require(&session), settled_rows(&test_cloud.cloud));
            let own =
                resource.kind.record.fields.iter().filter(|field| field.presence != Presence::ServiceSet);
            let own = own.filter_map(|field| Some((field.name.into(), found.get(field.name)?.clone())));
            // Set the current values, set nothing, and pass the whole model.
            let whole = Operation::of_kind(resource.kind, resource.kind.call("update").unwrap());
            let updated = [
                resource.update(&session, &own.collect()),
                resource.update(&session, &Map::default()),
                whole.run(&session, &found),
            ];
            for updated in updated.map(Result::unwrap) {
                let updated = match &updated {
                    Value::List(models) => &models[0],
                    updated => updated,
                };
                assert_eq!(fields(updated), &found, "{}", resource.kind.name);
            }
            assert_same(&settled_rows(&test_cloud.cloud), &before, resource.kind.name);
        }
    }
}

/// Returns valid values for a field, generated from its shape.
pub(crate) fn values_of(field: &FieldShape) -> Vec<Value> {
    let mut values: Vec<Value> = match field.ty {
        Type::Bool => vec![true.into(), false.into()],
        Type::Choice(choice) => choice.values.iter().map(|value| value.name.into()).collect(),
        Type::Text => ["changed", "/changed", "8", "alias/changed", "201"].map(Value::from).to_vec(),
        Type::Map(Type::Text) => vec![record_of("law", "changed".into())],
        Type::Record(record) => {
            let inner = |inner: &'static FieldShape| {
                values_of(inner).into_iter().map(|value| record_of(inner.name, value))
            };
            record
                .fields
                .iter()
                .filter(|inner| inner.presence != Presence::ServiceSet)
                .flat_map(inner)
                .collect()
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

/// Returns the fields of a kind that callers can set, apart from those that identify a resource.
fn settable(kind: &'static KindShape) -> impl Iterator<Item = &'static FieldShape> {
    let keys = identity(kind);
    let own = kind.record.fields.iter().filter(|field| field.presence != Presence::ServiceSet);
    own.filter(move |field| !keys.contains(&field.name))
}

/// Returns the fields of a kind that an update can change.
fn changeable(kind: &'static KindShape) -> impl Iterator<Item = &'static FieldShape> {
    settable(kind).filter(|field| !field.fixed)
}

/// Returns updates for a kind: generated values of each field, values of other examples, and those of its facts.
pub(crate) fn changes_of(
    session: &Session,
    kind: &'static KindShape,
    all: &[TestResource],
) -> Vec<Map<Value>> {
    let mut changes = Vec::new();
    for field in changeable(kind) {
        let others = all.iter().filter(|other| other.kind.name == kind.name);
        let others = others.filter_map(|other| other.known.get(field.name).cloned());
        let values = values_of(field).into_iter().chain(others);
        changes.extend(values.map(|value| [(field.name.into(), value)].into_iter().collect()));
    }
    changes.extend(kind_facts(kind).changes.iter().map(|change| parse_params(session, all, change)));
    changes
}

/// Every field of every kind that is not fixed reaches the service by `update` and comes back by `get`.
#[test]
fn get_returns_what_was_updated_and_a_refused_update_changes_nothing() {
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        let session = test_cloud.session();
        for kind in REGISTRY.kinds().filter(|kind| is_updatable(kind)) {
            let (changes, mut changed) = (changes_of(&session, kind, &test_cloud.resources), BTreeSet::new());
            for resource in test_cloud.resources.iter().filter(|resource| resource.kind.name == kind.name) {
                for fields in &changes {
                    // Each change starts from the same state.
                    let fork = test_cloud.fork();
                    let update = |session: &Session| resource.update(session, fields);
                    changed.extend(change(&fork, resource, fields, &update).unwrap_or_default());
                }
            }
            let possible: BTreeSet<_> = changeable(kind).map(|field| field.name).collect();
            let never: BTreeSet<_> = possible.into_iter().filter(|field| !changed.contains(*field)).collect();
            let expected: BTreeSet<_> =
                kind_facts(kind).never_changed.iter().map(|(field, _)| *field).collect();
            assert_eq!(never, expected, "fields of {} that no change changes", kind.name);
        }
    }
}

/// Returns other values than `current` of a fixed field: generated ones, and those of other examples.
fn other_values(field: &FieldShape, current: Option<&Value>, others: &[&TestResource]) -> Vec<Value> {
    let examples = others.iter().filter_map(|other| other.known.get(field.name).cloned());
    values_of(field).into_iter().chain(examples).filter(|value| Some(value) != current).collect()
}

#[test]
fn update_refuses_to_change_a_fixed_field_by_name() {
    let mut tested = BTreeSet::new();
    for test_cloud in test_clouds() {
        test_cloud.settle();
        let session = test_cloud.session();
        for kind in REGISTRY.kinds().filter(|kind| is_updatable(kind)) {
            let own: Vec<_> =
                test_cloud.resources.iter().filter(|resource| resource.kind.name == kind.name).collect();
            let (Some(resource), keys) = (own.first(), identity(kind)) else { continue };
            let found = resource.require(&session);
            let is_fixed = |field: &&FieldShape| {
                field.fixed && field.presence != Presence::ServiceSet && !keys.contains(&field.name)
            };
            for field in kind.record.fields.iter().filter(is_fixed) {
                for value in other_values(field, found.get(field.name), &own) {
                    let before = settled_rows(&test_cloud.cloud);
                    let about = format!("{} {} = {value:?}", kind.name, field.name);
                    // The change of a model that was read, and a model that was built with the other value.
                    let change: Map<Value> = [(field.name.into(), value.clone())].into_iter().collect();
                    let whole = Operation::of_kind(kind, kind.call("update").unwrap());
                    let mut model = found.clone();
                    model.insert(field.name.into(), value);
                    for refused in [resource.update(&session, &change), whole.run(&session, &model)] {
                        let error = refused.expect_err(&about);
                        let path = error.field().unwrap_or_default();
                        assert!(path.starts_with(field.name), "{about}: {error}");
                    }
                    assert_same(&settled_rows(&test_cloud.cloud), &before, &about);
                    tested.insert((kind.name, field.name));
                }
            }
        }
    }
    assert!(tested.len() > 20, "{tested:?}");
}

fn is_dependent(kind: &KindShape, change: &Map<Value>, field: &FieldShape) -> bool {
    let mut dependent = kind_facts(kind).dependent_fields.iter();
    dependent.any(|(from, fields)| change.contains_key(*from) && fields.contains(&field.name))
}

/// Changes the resource by `update`, which returns its fields; returns the fields that changed.
pub(crate) fn change(
    test_cloud: &TestCloud,
    resource: &TestResource,
    change: &Map<Value>,
    update: &dyn Fn(&Session) -> Result<Value>,
) -> Result<Vec<String>> {
    let (session, kind) = (test_cloud.session(), resource.kind);
    let (before, found) = (settled_rows(&test_cloud.cloud), resource.require(&session));
    let updated = match update(&session) {
        Ok(updated) => updated,
        Err(error) => {
            // Over the wire, each step is a request of its own: the error says what was done.
            let is_told = test_cloud.over_wire
                && error.hint().is_some_and(|hint| hint.contains("already carried out: "));
            if !is_told {
                assert_same(&settled_rows(&test_cloud.cloud), &before, &format!("{} {change:?}", kind.name));
            }
            return Err(error);
        }
    };
    let changes_later = kind_facts(kind).changes_later;
    if changes_later {
        test_cloud.settle();
    }
    let now = resource.require(&session);
    if !changes_later {
        assert_eq!(returned(kind, fields(&updated)), returned(kind, &now), "{} {change:?}", kind.name);
    }
    for field in kind.record.fields.iter().filter(|field| field.presence != Presence::ServiceSet) {
        let (now, found) = (now.get(field.name), found.get(field.name));
        match change.get(field.name) {
            Some(_) if !is_returned(kind, field.name) => assert_eq!(now, found, "{} {change:?}", kind.name),
            Some(value) => {
                let same = now.is_some_and(|now| contains_value(now, &without_secrets(field.ty, value)));
                assert!(same, "{} {} is {now:?} after {change:?}", kind.name, field.name);
            }
            None if is_dependent(kind, change, field) => {}
            None => assert_eq!(now, found, "{} {} after {change:?}", kind.name, field.name),
        }
    }
    if settled_rows(&test_cloud.cloud) == before {
        return Ok(Vec::new());
    }
    let is_changed = |field: &&Text| now.get(*field) != found.get(*field) || !is_returned(kind, field);
    Ok(change.keys().filter(is_changed).map(|field| field.to_string()).collect())
}

#[test]
fn duplicate_create_is_refused() {
    for test_cloud in test_clouds() {
        for resource in test_cloud.resources.iter().filter(|resource| resource.kind.call("create").is_some())
        {
            let before = settled_rows(&test_cloud.cloud);
            let again = TestResource::create(&test_cloud.session(), resource.kind, resource.input.clone());
            let facts = kind_facts(resource.kind);
            let is_unique = facts.unique.is_some_and(|(field, _)| resource.input.contains_key(field));
            if facts.duplicate == Duplicate::Allowed && !is_unique {
                assert_ne!(again.unwrap().known, resource.known, "{}", resource.kind.name);
                continue;
            }
            if facts.duplicate == Duplicate::Idempotent {
                assert!(resource.matches(&Value::Map(again.unwrap().known)), "{}", resource.kind.name);
            } else {
                let error = again.map(|resource| resource.known).unwrap_err();
                let known = [ErrorKind::AlreadyExists, ErrorKind::Conflict].contains(&error.kind());
                assert!(known, "{} {error}", resource.kind.name);
            }
            assert_same(&settled_rows(&test_cloud.cloud), &before, resource.kind.name);
        }
    }
}

#[test]
fn deleted_resource_is_not_found_and_calls_on_it_change_nothing() {
    for test_cloud in test_clouds() {
        let session = test_cloud.session();
        for resource in
            test_cloud.resources.iter().rev().filter(|resource| resource.kind.call("delete").is_some())
        {
            let facts = kind_facts(resource.kind);
            resource.call(&session, "delete").unwrap();
            // Some deleted resources can be restored for a month.
            test_cloud.cloud.clock().advance(SignedDuration::from_hours(31 * 24)).unwrap();
            assert_eq!(resource.find(&session).unwrap(), None, "{}", resource.kind.name);
            let before = settled_rows(&test_cloud.cloud);
            for call in resource
                .kind
                .calls()
                .into_iter()
                .filter(|call| !["create", "get", "list"].contains(&call.name))
            {
                let input = resource.parameters(call);
                let mut needed =
                    call.params.fields.iter().filter(|param| param.presence == Presence::Required);
                if input.is_empty() || !needed.all(|param| input.contains_key(param.name)) {
                    continue;
                }
                let about = format!("{} {}", resource.kind.name, call.name);
                match resource.call(&session, call.name) {
                    Ok(Value::Null) if call.effect == Effect::Read => {}
                    Ok(_) if facts.calls_without_resource.contains(&call.name) => {}
                    Ok(_) => assert!(facts.idempotent_delete, "{about} is not refused"),
                    // Some calls need more parameters than the identity.
                    Err(error) if error.is_value_error() && call.name != "delete" => {}
                    Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{about}: {error}"),
                }
                assert_same(&settled_rows(&test_cloud.cloud), &before, &about);
            }
        }
    }
}

/// Returns invalid values for a field, generated from its shape.
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
fn create_with_missing_or_invalid_parameters_is_refused() {
    for test_cloud in test_clouds() {
        let (session, mut refused) = (test_cloud.session(), 0);
        let before = settled_rows(&test_cloud.cloud);
        for resource in &test_cloud.resources {
            let (create, another) = (create_operation(resource.kind), resource.another_input(7));
            let mut refuse = |input: Map<Value>| {
                let about = format!("{} {input:?}", resource.kind.name);
                let tried = create.run(&session, &input);
                assert!(tried.is_err(), "{about} is not refused: {tried:?}");
                assert_same(&settled_rows(&test_cloud.cloud), &before, &about);
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
        assert!(refused > 400, "only {refused} creates were tried");
    }
}

/// Returns the key and the value of the first tag of a list or a mapping.
fn first_tag(tags: &Value) -> Option<(Text, Text)> {
    let texts: Vec<_> = match tags {
        Value::List(items) => {
            fields(items.first()?).values().filter_map(Value::as_text).map(Text::new).collect()
        }
        Value::Map(entries) => entries
            .iter()
            .take(1)
            .flat_map(|(key, value)| [Some(key.clone()), value.as_text().map(Text::new)])
            .flatten()
            .collect(),
        _ => return None,
    };
    <[Text; 2]>::try_from(texts).ok().map(|[key, value]| (key, value))
}

/// Every resource with tags is found by them, with its kind, among those of all services.
#[test]
fn resources_are_found_by_their_tags() {
    let test_cloud = TestCloud::new(new_cloud(options()));
    test_cloud.settle();
    let session = test_cloud.session();
    let mut kinds = BTreeSet::new();
    for resource in &test_cloud.resources {
        let Some(tags) = resource.kind.tags else { continue };
        let model = resource.require(&session);
        let tags = model.get(resource.kind.record.fields[tags].name).cloned().unwrap_or(Value::Null);
        let Some((key, value)) = first_tag(&tags) else { continue };
        let found = session.tagged(key, value).wait().unwrap();
        let is_it = |one: &AnyModel| {
            one.kind().name == resource.kind.name && one.to_value() == Value::Map(model.clone())
        };
        assert!(found.iter().any(is_it), "{} {model:?} is not in {found:?}", resource.kind.name);
        kinds.insert(resource.kind.name);
    }
    let all = REGISTRY.kinds().filter(|kind| kind.tags.is_some() && has_examples(kind));
    let missing: Vec<_> = all.map(|kind| kind.name).filter(|name| !kinds.contains(name)).collect();
    assert_eq!(missing, [""; 0], "kinds without an example with tags");
}
