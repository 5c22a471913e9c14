//! Facts of the services for the laws, and laws about them.

use crate::generic::operations;
use nephos::{
    Cloud, REGISTRY, Value,
    shape::{KindShape, ServiceShape},
};
use nephos_core::json;
use nephos_testing::{KindFacts, LawFacts, OperationGroup};
use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

/// Returns the facts of a kind.
pub(crate) fn kind_facts(kind: &KindShape) -> &'static KindFacts {
    let mut all = nephos_cases::laws().flat_map(|service| service.kinds);
    let found = all.find(|facts| std::ptr::eq(facts.kind, kind));
    found.unwrap_or_else(|| panic!("{} has no facts; add them to cases/laws.rs of its service", kind.name))
}

/// Returns the facts of a service.
pub(crate) fn service_facts(service: &ServiceShape) -> &'static LawFacts {
    nephos_cases::laws().find(|facts| std::ptr::eq(facts.service, service)).unwrap()
}

/// Returns the facts of all kinds, each after the kinds that its examples refer to.
pub(crate) fn kinds_in_order() -> Vec<&'static KindFacts> {
    after_references(nephos_cases::laws().flat_map(|service| service.kinds))
}

/// Orders facts so that each is after the kinds that its examples refer to, and otherwise keeps their order.
fn after_references(all: impl Iterator<Item = &'static KindFacts>) -> Vec<&'static KindFacts> {
    let mut ordered = Vec::new();
    for facts in all {
        add_after_references(facts, &mut BTreeSet::new(), &mut ordered);
    }
    ordered
}

fn add_after_references(
    facts: &'static KindFacts,
    started: &mut BTreeSet<&'static str>,
    ordered: &mut Vec<&'static KindFacts>,
) {
    let is_added = ordered.iter().any(|added| std::ptr::eq(added.kind, facts.kind));
    if is_added || !started.insert(facts.kind.name) {
        return;
    }
    for example in facts.examples {
        let example = json::parse(example.as_bytes()).unwrap();
        each_reference(&example, &mut |kind| add_after_references(kind_facts(kind), started, ordered));
    }
    ordered.push(facts);
}

/// Calls `visit` with the kind of each `$Kind.Field` in a value.
fn each_reference(value: &Value, visit: &mut dyn FnMut(&'static KindShape)) {
    match value {
        Value::Text(text) => {
            if let Some((kind, ..)) = reference(text) {
                visit(kind);
            }
        }
        Value::List(items) => items.iter().for_each(|item| each_reference(item, visit)),
        Value::Map(fields) => fields.values().for_each(|value| each_reference(value, visit)),
        _ => {}
    }
}

/// Reads `$Kind.Field` or `$Kind0.Field`: the kind, true if it is the first example, and the field.
pub(crate) fn reference(text: &str) -> Option<(&'static KindShape, bool, &str)> {
    let (name, field) = text.strip_prefix('$')?.split_once('.')?;
    let kind = REGISTRY.kind(name.trim_end_matches('0')).filter(|_| !name.is_empty())?;
    Some((kind, name.ends_with('0'), field))
}

/// Registers the functions outside the cloud that examples and steps refer to. They do nothing.
pub(crate) fn register_functions(cloud: &Cloud) {
    for name in nephos_cases::laws().flat_map(|service| service.functions) {
        cloud.register(*name, Arc::new(|_, _| Ok(())));
    }
}

/// Returns the operations of these groups, as `service Operation` or `Kind call`.
pub(crate) fn listed_operations(
    groups: fn(&LawFacts) -> &'static [OperationGroup],
) -> BTreeSet<&'static str> {
    nephos_cases::laws().flat_map(groups).flat_map(|(operations, _)| operations.iter().copied()).collect()
}

#[test]
fn every_service_has_facts_about_each_of_its_kinds() {
    let services: Vec<_> = nephos_cases::laws().map(|facts| facts.service.name).collect();
    assert_eq!(services, REGISTRY.services.iter().map(|service| service.name).collect::<Vec<_>>());
    for service in nephos_cases::laws() {
        let described: BTreeSet<_> = service.kinds.iter().map(|facts| facts.kind.name).collect();
        let own: BTreeSet<_> = service.service.kinds.iter().map(|kind| kind.name).collect();
        assert_eq!(described, own, "kinds of {}", service.service.name);
        assert_eq!(described.len(), service.kinds.len(), "{} describes a kind twice", service.service.name);
    }
}

#[test]
fn kinds_are_ordered_by_references_of_their_examples() {
    let mut reversed: Vec<_> = nephos_cases::laws().flat_map(|service| service.kinds).collect();
    reversed.reverse();
    let ordered = after_references(reversed.into_iter());
    assert_eq!(ordered.len(), REGISTRY.kinds().count());
    let position =
        |kind: &KindShape| ordered.iter().position(|facts| std::ptr::eq(facts.kind, kind)).unwrap();
    let mut references = 0;
    for (at, facts) in ordered.iter().enumerate() {
        for example in facts.examples {
            each_reference(&json::parse(example.as_bytes()).unwrap(), &mut |kind| {
                assert!(position(kind) < at, "{} is before {}", facts.kind.name, kind.name);
                references += 1;
            });
        }
    }
    assert!(references > 20, "only {references} references");
}

#[test]
fn facts_name_what_exists_and_give_reasons() {
    let all: BTreeSet<_> = operations().iter().map(|operation| format!("{operation:?}")).collect();
    for service in nephos_cases::laws() {
        let groups = service.unreachable.iter().chain(service.random_answers);
        for (named, reason) in groups {
            let missing: Vec<_> = named.iter().filter(|name| !all.contains(**name)).collect();
            assert!(missing.is_empty() && !reason.is_empty(), "{missing:?} {reason}");
        }
        for (named, reason) in [service.open, service.unpaged, service.page_parameters].concat() {
            let exists = service.service.operations.iter().any(|operation| operation.name == named);
            assert!(exists && !reason.is_empty(), "{} {named}", service.service.name);
        }
        for facts in service.kinds {
            let steps = facts.extras.iter().chain(facts.prepared).chain(facts.page_items);
            let steps = steps.map(|step| step.call);
            let blockers = facts.deletion_blockers.iter().map(|(call, _)| *call);
            for call in steps.chain(blockers).chain(facts.calls_without_resource.iter().copied()) {
                assert!(facts.kind.call(call).is_some(), "{} has no call {call}", facts.kind.name);
            }
            let dependent = facts
                .dependent_fields
                .iter()
                .flat_map(|(field, others)| others.iter().copied().chain([*field]));
            let list = facts.kind.call("list").map_or(&[][..], |list| list.params.fields);
            let listed = facts.list_parameters.iter().map(|(param, _)| param).chain(facts.list_flags);
            for param in listed {
                let exists = list.iter().any(|known| known.name == *param);
                assert!(exists, "list of {} has no {param}", facts.kind.name);
            }
            let reasoned = facts.never_changed.iter().map(|(field, _)| *field);
            let named = facts.not_returned.iter().chain(facts.matched_by).copied();
            for field in dependent.chain(reasoned).chain(named) {
                assert!(facts.kind.record.field(field).is_some(), "{} has no {field}", facts.kind.name);
            }
        }
    }
}

/// Returns the texts by which a law would name a kind or a service.
fn names_in_code() -> Vec<String> {
    let mut texts = Vec::new();
    for service in REGISTRY.services {
        for name in [service.name, service.signing] {
            texts.extend([format!("\"{name}"), format!(":{name}:"), format!("services{}{name}", "::")]);
        }
    }
    for kind in REGISTRY.kinds() {
        let name = kind.name;
        texts.extend([
            format!("\"{name}\""),
            format!("\"{name} "),
            format!("${name}"),
            format!("{name}::objects"),
        ]);
    }
    texts
}

#[test]
fn laws_name_no_kind_and_no_service() {
    let names = names_in_code();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws");
    let mut files = 0;
    for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let code = fs::read_to_string(&file).unwrap();
        for (number, line) in code.lines().enumerate() {
            let named: Vec<_> = names.iter().filter(|name| line.contains(*name)).collect();
            let place = format!("{}:{}", file.display(), number + 1);
            assert!(named.is_empty(), "{place} names {named:?}: move it to cases/laws.rs of the service");
            assert!(!line.contains(concat!("services", "::{")), "{place} imports the types of a service");
        }
        files += 1;
    }
    assert!(files > 5, "only {files} files of laws");
}
