//! Laws over models that know whether the service has them, and that run calls on themselves.

use crate::{
    generic::options,
    test_cloud::{TestCloud, new_cloud, test_clouds_and_wire},
    test_resource::TestResource,
};
use nephos::{
    REGISTRY, Session,
    shape::{OperationShape, Presence},
};
use nephos_core::{
    Ref,
    dynamic::{self, fill_parameter},
    fill::Reader,
    record::Fields,
    wait,
};
use std::{collections::BTreeSet, sync::Arc};

/// Returns the model of a resource as the call `get` returns it; none for a kind without it.
fn found(session: &Session, resource: &TestResource) -> Option<Box<dyn Fields>> {
    let mut answer = resource.look_up(session, resource.kind.call("get")?).unwrap();
    let mut found = None;
    answer.each_record(&mut |model| found = Some(model.boxed_clone()));
    Some(found.unwrap_or_else(|| panic!("{} {:?} does not exist", resource.kind.name, resource.known)))
}

/// Returns the model of a resource as a listing returns it; none for a kind without one.
fn listed(session: &Session, resource: &TestResource) -> Option<Arc<dyn Fields>> {
    resource.kind.call("list")?;
    let mut results = resource.results(session, None).unwrap();
    while let Some(model) = wait(results.try_next()).unwrap() {
        if resource.matches(&Ref::Record(&*model).to_value()) {
            return Some(model);
        }
    }
    panic!("{} {:?} is not listed", resource.kind.name, resource.known)
}

#[test]
fn models_from_the_service_are_saved_and_can_run_their_calls() {
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        let session = test_cloud.session();
        let mut calls = BTreeSet::new();
        for resource in &test_cloud.resources {
            let found = found(&session, resource);
            let listed = listed(&session, resource);
            for (from, model) in [("get", found.as_deref()), ("list", listed.as_deref())] {
                let Some(model) = model else { continue };
                let about = format!("{} from {from}", resource.kind.name);
                assert!(dynamic::is_saved(model), "{about} does not count as saved");
                assert!(dynamic::changed_fields(model).iter().next().is_none(), "{about} is changed");
                for call in
                    resource.kind.calls().into_iter().filter(|call| call.instance || call.name == "get")
                {
                    fill(&session, model, call, &about);
                    calls.insert((resource.kind.name, call.name));
                }
            }
        }
        assert!(calls.len() > 100, "{calls:?}");
    }
}

/// Asserts that the parameters of a call on a model can be taken from the model.
fn fill(session: &Session, model: &dyn Fields, call: &'static OperationShape, about: &str) {
    let mut filled = Ok(());
    let mut take = |params: &mut dyn Fields| {
        filled = dynamic::fill_from_model(params, call, model, call.arguments);
        Ok(())
    };
    // The call lacks its arguments, so it is not complete.
    if call.pages {
        drop(dynamic::results(call, session, &mut take));
    } else {
        drop(dynamic::call(call, session, &mut take));
    }
    if let Err(error) = filled {
        let says_why =
            !["get", "delete"].contains(&call.name) && error.message().starts_with("listings omit");
        assert!(says_why, "{about} cannot {}: {error}", call.name);
    }
}

#[test]
fn only_the_service_sets_the_field_that_says_that_a_resource_exists() {
    for kind in REGISTRY.kinds().filter(|kind| !kind.frozen) {
        let Some(index) = kind.exists_if else { continue };
        let field = &kind.record.fields[index];
        assert_eq!(field.presence, Presence::ServiceSet, "{} {}", kind.name, field.name);
        assert!(!field.not_in_list, "listings of {} omit {}", kind.name, field.name);
    }
}

#[test]
fn built_models_are_not_saved() {
    let test_cloud = TestCloud::new(new_cloud(options()));
    let session = test_cloud.session();
    for resource in &test_cloud.resources {
        let Some(create) = resource.kind.call("create") else { continue };
        let mut is_saved = false;
        let prepared = dynamic::call(create, &session, &mut |params| {
            let mut input = resource.input.iter();
            input
                .try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))?;
            for index in 0..params.shape().fields.len() {
                params.field_mut(index).each_record(&mut |model| {
                    if model.kind().is_some() {
                        dynamic::set_session(model, Some(session.clone()));
                        is_saved |= dynamic::is_saved(model);
                    }
                });
            }
            Ok(())
        });
        drop(prepared.unwrap());
        assert!(!is_saved, "a built {} counts as saved", resource.kind.name);
    }
}
