//! Laws over protection from deletion.

use crate::{
    assert_same, examples::parse_params, facts::kind_facts, settled_rows, test_cloud::test_clouds_and_wire,
};
use nephos::{ErrorKind, REGISTRY, shape::Type};
use std::collections::BTreeSet;

/// Code that decides by the kind of an error recognizes a protected resource of every service, in process and over the wire.
#[test]
fn deletion_of_protected_resources_is_refused_as_protected() {
    let mut tested = BTreeSet::new();
    for test_cloud in test_clouds_and_wire() {
        test_cloud.settle();
        for resource in &test_cloud.resources {
            let kind = resource.kind;
            // The opposite of what removes the protection.
            let blockers = kind_facts(kind).deletion_blockers.iter();
            for (call, params) in blockers.filter(|(_, params)| params.contains("false")) {
                let fork = test_cloud.fork();
                let session = fork.session();
                let params = parse_params(&session, &[], &params.replace("false", "true"));
                let protected = match *call {
                    "update" => resource.update(&session, &params),
                    call => resource.call_with(&session, call, params),
                };
                protected.unwrap_or_else(|error| panic!("{} {call}: {error}", kind.name));
                fork.settle();
                let before = settled_rows(&fork.cloud);
                let refused = resource.call(&session, "delete").expect_err(kind.name);
                assert_eq!(refused.kind(), ErrorKind::Protected, "{}: {refused}", kind.name);
                assert_same(&settled_rows(&fork.cloud), &before, kind.name);
                tested.insert(kind.name);
            }
        }
    }
    for kind in REGISTRY.kinds().filter(|kind| kind_facts(kind).excluded.is_none()) {
        let is_protection = |name: &str| name.starts_with("deletion_protection");
        let mut fields = kind.record.fields.iter();
        let has_field = fields.any(|field| matches!(field.ty, Type::Bool) && is_protection(field.rust_name));
        assert!(!has_field || tested.contains(kind.name), "{} needs deletion_blockers", kind.name);
    }
    assert!(tested.len() > 4, "{tested:?}");
}
