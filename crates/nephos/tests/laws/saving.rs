//! Laws over saving a model, however a caller came to have it.

use crate::{
    assert_same,
    examples::parse_params,
    facts::kind_facts,
    generic::options,
    kinds::{change, changes_of, is_updatable, returned},
    settled_rows,
    test_cloud::{TestCloud, all_test_clouds, test_clouds_and_wire},
    test_resource::{TestResource, fields},
};
use nephos::{ErrorKind, Map, Ref, Session, Text, Value, shape::KindShape};
use nephos_core::{
    Result, dynamic, json,
    record::{self, Fields},
    wait,
};
use std::collections::BTreeSet;

/// The way in which a caller came to have the model of a resource.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Get,
    List,
    JsonOfGet,
    JsonOfList,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Get, Self::List, Self::JsonOfGet, Self::JsonOfList];

    /// True for models of which it is not known what the service has.
    fn is_json(self) -> bool {
        matches!(self, Self::JsonOfGet | Self::JsonOfList)
    }

    /// Returns the model of a resource; none if its kind has no such call.
    fn model(self, session: &Session, resource: &TestResource) -> Option<Box<dyn Fields>> {
        let kind = resource.kind;
        let found = match self {
            Self::Get | Self::JsonOfGet => {
                let mut found = resource.look_up(session, kind.call("get")?).unwrap();
                let mut model = None;
                found.each_record(&mut |record| model = Some(record.boxed_clone()));
                model.unwrap()
            }
            Self::List | Self::JsonOfList => {
                kind.call("list").filter(|_| resource.can_list())?;
                let models = wait(resource.results(session, None).unwrap().all()).unwrap();
                let is_it = |model: &Value| resource.matches(model);
                models.iter().find(|model| is_it(&Ref::Record(&***model).to_value()))?.boxed_clone()
            }
        };
        if !self.is_json() {
            return Some(found);
        }
        let text = json::write(Ref::Record(&*found), json::Writing::EXPOSED);
        let mut read = (kind.record.blank)();
        dynamic::from_json(&mut *read, text.as_bytes()).unwrap();
        dynamic::set_session(&mut *read, Some(session.clone()));
        Some(read)
    }
}

/// Returns the fields of a model.
fn values(model: &dyn Fields) -> Map<Value> {
    fields(&Ref::Record(model).to_value()).clone()
}

/// Asserts that a saved model is what `get` finds.
fn assert_is_found(model: &dyn Fields, resource: &TestResource, session: &Session, about: &str) {
    let saved = values(model);
    let found = resource.require(session);
    assert_eq!(returned(resource.kind, &saved), returned(resource.kind, &found), "{about}");
}

/// A stored model is known as such, wherever it comes from, and saving it sends nothing that was not changed.
#[test]
fn saving_a_stored_model_without_a_change_changes_nothing() {
    for test_cloud in all_test_clouds() {
        test_cloud.settle();
        let session = test_cloud.session();
        for resource in &test_cloud.resources {
            let before = settled_rows(&test_cloud.cloud);
            for origin in Origin::ALL {
                let Some(mut model) = origin.model(&session, resource) else { continue };
                let (kind, about) = (resource.kind, format!("{} by {origin:?}", resource.kind.name));
                // JSON of a kind without a field that only the service assigns may be that of a new model.
                let is_known = kind.exists_if.is_some() || !origin.is_json();
                assert!(dynamic::is_saved(&*model) || !is_known, "{about} counts as new");
                let saved = wait(dynamic::save(&mut *model, &[]));
                if kind.call("update").is_none() {
                    let refused = saved.expect_err(&about).kind();
                    let is_refused = [ErrorKind::Frozen, ErrorKind::NotUpdatable].contains(&refused);
                    assert!(is_refused || !is_known, "{about}: {refused:?}");
                } else {
                    saved.unwrap_or_else(|error| panic!("{about}: {error}"));
                    assert_is_found(&*model, resource, &session, &about);
                }
                assert_same(&settled_rows(&test_cloud.cloud), &before, &about);
            }
        }
    }
}

/// Returns the parameters beside the model of an update.
fn beside(session: &Session, kind: &KindShape) -> Vec<(Text, Value)> {
    parse_params(session, &[], kind_facts(kind).update).into_iter().collect()
}

/// Assigns fields of a model of the resource, and saves it; returns its fields.
fn save_changed(
    session: &Session,
    resource: &TestResource,
    origin: Origin,
    changes: &Map<Value>,
) -> Result<Value> {
    let mut model = origin.model(session, resource).expect("the kind has the call");
    changes.iter().try_for_each(|(name, value)| record::set(&mut *model, name, value.clone()))?;
    wait(dynamic::save(&mut *model, &beside(session, resource.kind)))?;
    Ok(Value::Map(values(&*model)))
}

/// A save of a model with a changed field changes the same as an update of this field.
#[test]
fn saving_a_stored_model_sends_every_field_that_was_changed() {
    let [instant, _, served] = test_clouds_and_wire();
    for test_cloud in [instant, served] {
        test_cloud.settle();
        let session = test_cloud.session();
        let mut saved = BTreeSet::new();
        for resource in test_cloud.resources.iter().filter(|resource| is_updatable(resource.kind)) {
            for changes in changes_of(&session, resource.kind, &test_cloud.resources) {
                let key = |field: &str| (resource.kind.name, field.to_owned());
                if changes.keys().all(|field| saved.contains(&key(field))) {
                    continue;
                }
                let fork = test_cloud.fork();
                let update = |session: &Session| resource.update(session, &changes);
                let Ok(changed) = change(&fork, resource, &changes, &update) else { continue };
                if changed.is_empty() {
                    continue;
                }
                let fork = test_cloud.fork();
                let update = |session: &Session| resource.update_whole(session, &changes);
                let is_accepted_whole = change(&fork, resource, &changes, &update).is_ok();
                for origin in Origin::ALL {
                    let fork = test_cloud.fork();
                    let is_had = origin.model(&fork.session(), resource).is_some();
                    if !is_had || (origin.is_json() && !is_accepted_whole) {
                        continue;
                    }
                    let about = format!("{} by {origin:?} with {changes:?}", resource.kind.name);
                    let save = |session: &Session| save_changed(session, resource, origin, &changes);
                    let by_save = change(&fork, resource, &changes, &save);
                    assert_eq!(
                        by_save.unwrap_or_else(|error| panic!("{about}: {error}")),
                        changed,
                        "{about}"
                    );
                }
                saved.extend(changed.iter().map(|field| key(field)));
            }
        }
        assert!(saved.len() > 100, "{saved:?}");
    }
}

/// The changes of a save on a file are there when the file is opened again.
#[test]
fn models_saved_on_a_file_are_found_after_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let open = || options().durable(false).open(folder.path().join("cloud")).unwrap();
    let test_cloud = TestCloud::new(open());
    test_cloud.settle();
    let session = test_cloud.session();
    let mut tested = BTreeSet::new();
    for resource in test_cloud.resources.iter().filter(|resource| is_updatable(resource.kind)) {
        for changes in changes_of(&session, resource.kind, &test_cloud.resources) {
            let before = settled_rows(&test_cloud.cloud);
            match save_changed(&session, resource, Origin::Get, &changes) {
                Ok(_) => {
                    tested.extend((settled_rows(&test_cloud.cloud) != before).then_some(resource.kind.name))
                }
                Err(error) => assert_same(&settled_rows(&test_cloud.cloud), &before, &error.to_string()),
            }
        }
    }
    assert!(tested.len() > 20, "{tested:?}");
    let TestCloud { cloud, resources, .. } = test_cloud;
    let read = |session: &Session| {
        resources.iter().map(|resource| resource.find(session).unwrap()).collect::<Vec<_>>()
    };
    let found = read(&session);
    drop((session, cloud));
    assert_eq!(read(&open().session()), found);
}

/// Separates parameters of `create` into fields of the model, and those beside it.
fn split(resource: &TestResource, input: Map<Value>) -> (Map<Value>, Vec<(Text, Value)>) {
    let is_field = |name: &str| resource.kind.record.field(name).is_some();
    let (of_model, beside): (Vec<_>, Vec<_>) = input.into_iter().partition(|(name, _)| is_field(name));
    (of_model.into_iter().collect(), beside)
}

/// Saving a model that a caller built creates the resource. From then on it is a stored model.
#[test]
fn saving_a_new_model_creates_its_resource() {
    let mut tested = BTreeSet::new();
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        for resource in test_cloud.resources.iter().filter(|resource| resource.kind.call("create").is_some())
        {
            if resource.kind.frozen {
                continue;
            }
            let fork = test_cloud.fork();
            let about = resource.kind.name;
            let session = fork.session();
            let input = resource.another_input(7);
            let again = TestResource::create(&test_cloud.fork().session(), resource.kind, input.clone());
            if again.is_err_and(|error| error.kind() == ErrorKind::LimitExceeded) {
                continue;
            }
            let (of_model, beside) = split(resource, input.clone());
            let mut model = (resource.kind.record.blank)();
            dynamic::validate(&mut *model, &of_model).unwrap();
            dynamic::set_session(&mut *model, Some(session.clone()));
            assert!(!dynamic::is_saved(&*model), "{about} counts as stored");
            wait(dynamic::save(&mut *model, &beside)).unwrap_or_else(|error| panic!("{about}: {error}"));
            let mut known = input.clone();
            known.extend(values(&*model).into_iter().filter(|(_, value)| !value.is_null()));
            let created = TestResource { kind: resource.kind, input, known };
            created.require(&session);
            fork.settle();
            let before = settled_rows(&fork.cloud);
            assert!(dynamic::is_saved(&*model), "{about} counts as new");
            let again = wait(dynamic::save(&mut *model, &[]));
            match resource.kind.call("update") {
                Some(_) => again.unwrap_or_else(|error| panic!("{about}: {error}")),
                None => assert_eq!(again.expect_err(about).kind(), ErrorKind::NotUpdatable, "{about}"),
            }
            assert_same(&settled_rows(&fork.cloud), &before, about);
            tested.insert(about);
        }
    }
    assert!(tested.len() > 30, "{tested:?}");
}
