//! Laws over names: in another letter case, and changed by an update.

use crate::{
    assert_same,
    examples::parse_params,
    facts::kind_facts,
    generic::Operation,
    kinds::{is_updatable, values_of},
    settled_rows,
    test_cloud::{TestCloud, test_clouds_and_wire},
    test_resource::{TestResource, fields},
};
use nephos::{
    Map, Ref, Session, Text, Value,
    shape::{FieldShape, Identity, KindShape},
};
use nephos_core::{Result, dynamic, wait};
use std::collections::BTreeSet;

/// Returns the field with the name of a kind.
fn name_field(kind: &KindShape) -> Option<&'static str> {
    match kind.name_identity {
        Identity::Path([name]) => Some(name),
        _ => None,
    }
}

/// Returns the fields of a model among these parameters of `create`.
fn model_fields(kind: &KindShape, input: &Map<Value>) -> Map<Value> {
    let is_field = |name: &str| kind.record.field(name).is_some();
    input
        .iter()
        .filter(|(name, _)| is_field(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Creates a resource with capitals in its name; none if it is refused, or if the service keeps them.
fn create_with_capitals(session: &Session, resource: &TestResource) -> Option<TestResource> {
    let name = name_field(resource.kind)?;
    let mut input = resource.another_input(7);
    let capitals = input.get(name)?.as_text()?.to_uppercase();
    input.insert(name.into(), capitals.as_str().into());
    let created = TestResource::create(session, resource.kind, input.clone()).ok()?;
    let is_kept = created.known.get(name)?.as_text() == Some(&capitals);
    // The caller goes on with the name that it gave.
    (!is_kept).then(|| TestResource { known: input.clone(), input, ..created })
}

/// The model of which a resource was created stands for it, in whatever case it has the name.
#[test]
fn models_with_names_in_another_case_are_updated() {
    let mut tested = BTreeSet::new();
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        for resource in test_cloud.resources.iter().filter(|resource| is_updatable(resource.kind)) {
            let fork = test_cloud.fork();
            let session = fork.session();
            let Some(created) = create_with_capitals(&session, resource) else { continue };
            fork.settle();
            let kind = resource.kind;
            let before = settled_rows(&fork.cloud);
            let model = model_fields(kind, &created.input);
            let update = Operation::of_kind(kind, kind.call("update").unwrap());
            let updated = update.run(&session, &model);
            updated.unwrap_or_else(|error| panic!("{} {model:?}: {error}", kind.name));
            assert_same(&settled_rows(&fork.cloud), &before, kind.name);
            // What is changed beside the name is sent.
            if let Some(tags) = kind.tags.map(|tags| &kind.record.fields[tags]) {
                let mut changed = model.clone();
                changed.extend(values_of(tags).pop().map(|value| (Text::new(tags.name), value)));
                update.run(&session, &changed).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
                assert_ne!(settled_rows(&fork.cloud), before, "{}", kind.name);
            }
            tested.insert(kind.name);
        }
    }
    assert!(tested.len() > 5, "{tested:?}");
}

/// Returns the parameter of `update` with a new name, and the field that it changes: `NewUserName` and `UserName`.
fn renaming(kind: &'static KindShape) -> Option<(&'static FieldShape, &'static str)> {
    let update = kind.call("update")?;
    let name = name_field(kind)?;
    let is_new_name = |param: &&FieldShape| param.name.strip_prefix("New") == Some(name);
    update.params.fields.iter().find(is_new_name).map(|param| (param, name))
}

/// The way to give a resource another name, with other tags.
#[derive(Clone, Copy, Debug)]
enum Way {
    Update,
    Save,
}

/// Gives the resource another name; returns the model afterwards.
fn rename(session: &Session, resource: &TestResource, way: Way, param: &str, name: &str) -> Result<Value> {
    let kind = resource.kind;
    let mut beside = parse_params(session, &[], kind_facts(kind).update);
    beside.insert(param.into(), name.into());
    let get = kind.call("get").unwrap();
    match way {
        Way::Update => {
            let mut params = model_fields(kind, &resource.require(session));
            params.extend(beside);
            Operation::of_kind(kind, kind.call("update").unwrap()).run(session, &params)
        }
        Way::Save => {
            let mut found = resource.look_up(session, get)?;
            let mut model = None;
            found.each_record(&mut |record| model = Some(record.boxed_clone()));
            let mut model = model.unwrap();
            let set: Vec<_> = beside.into_iter().collect();
            wait(dynamic::save(&mut *model, &set))?;
            Ok(Ref::Record(&*model).to_value())
        }
    }
}

/// Finds the resource under this name.
fn find(test_cloud: &TestCloud, resource: &TestResource, field: &str, name: &str) -> Option<Map<Value>> {
    let mut known = resource.known.clone();
    known.insert(field.into(), name.into());
    // An ARN has the old name.
    if let Identity::Path([arn]) = resource.kind.arn {
        known.shift_remove(*arn);
    }
    let named = TestResource { known, ..resource.clone() };
    named.find(&test_cloud.session()).unwrap()
}

/// An update that gives a resource another name succeeds, and the resource has that name afterwards.
#[test]
fn renamed_resources_are_found_by_their_new_names() {
    let mut tested = BTreeSet::new();
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        for resource in test_cloud.resources.iter().filter(|resource| is_updatable(resource.kind)) {
            let Some((param, field)) = renaming(resource.kind) else { continue };
            for way in [Way::Update, Way::Save] {
                let fork = test_cloud.fork();
                let name = "renamed";
                let about = format!("{} by {way:?}", resource.kind.name);
                let old = resource.known[field].as_text().unwrap();
                let renamed = rename(&fork.session(), resource, way, param.name, name);
                let renamed = renamed.unwrap_or_else(|error| panic!("{about}: {error}"));
                let shown = fields(&renamed)[field].as_text().map(str::to_owned);
                fork.settle();
                let found = find(&fork, resource, field, name);
                let found = found.unwrap_or_else(|| panic!("{about}: not found by the new name"));
                assert_eq!(found[field].as_text(), Some(name), "{about}");
                assert_eq!(find(&fork, resource, field, old), None, "{about}");
                // Until a rename is done, the resource has the old name.
                assert!(
                    shown.as_deref() == Some(name) || shown.as_deref() == Some(old),
                    "{about}: {shown:?}"
                );
                tested.insert(resource.kind.name);
            }
        }
    }
    assert!(tested.len() > 4, "{tested:?}");
}
