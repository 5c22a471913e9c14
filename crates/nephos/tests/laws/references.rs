//! Laws over parameters that name other resources.

use crate::{
    examples::run_steps,
    facts::{kind_facts, listed_operations},
    generic::{Operation, options},
    test_cloud::{TestCloud, new_cloud},
    test_resource::TestResource,
};
use nephos::{
    Map, REGISTRY, Session, Text, Value,
    shape::{Effect, FieldShape, Identity, KindShape, OperationShape, Presence, Type},
};
use std::collections::BTreeSet;

/// Returns the fields that identify resources of a kind.
fn identity_fields(kind: &KindShape) -> impl Iterator<Item = &'static FieldShape> {
    let identities = [&kind.name_identity, &kind.pk, &kind.arn].into_iter();
    let names = identities.filter_map(|identity| match identity {
        Identity::Path([name]) => Some(*name),
        _ => None,
    });
    names.filter_map(|name| kind.record.field(name)).map(|(_, field)| field)
}

/// True if a template of a subject is the resource of a kind that a parameter names: `subgrp:{DBSubnetGroupName}`.
fn is_subject(template: &str, param: &str, kind: &KindShape) -> bool {
    let part = template.split(" + ").map(|part| part.split_once("? ").map_or(part, |(_, part)| part));
    let placeholder = format!("{{{param}}}");
    let resource = kind.path.with(["probe"]);
    part.filter(|part| part.contains(&placeholder))
        .any(|part| part.replace(&placeholder, "probe") == resource)
}

/// Returns the kinds whose resources a parameter of a call names: the operations of the service say so, or it has the name of
/// a field that identifies them.
fn named_kinds(kind: &'static KindShape, param: &FieldShape) -> Vec<&'static KindShape> {
    let service = (kind.service)();
    let singular = param.name.strip_suffix('s').unwrap_or(param.name);
    let is_named = |other: &&'static KindShape| {
        let is_own = std::ptr::eq((other.service)(), service);
        let by_subject =
            || service.operations.iter().any(|operation| is_subject(operation.subject, param.name, other));
        let by_name = || {
            // Names that callers choose mean something else in other services.
            let is_meant = |field: &FieldShape| is_own || field.presence == Presence::ServiceSet;
            let has_name = |field: &FieldShape| {
                let is_plain = ["Name", "Arn", "ARN", "Id"].contains(&field.name);
                let is_name = |name: &str| name == field.name || (!is_plain && name.ends_with(field.name));
                is_name(param.name) || is_name(singular)
            };
            identity_fields(other).any(|field| has_name(field) && is_meant(field))
        };
        (is_own && by_subject()) || by_name()
    };
    REGISTRY.kinds().filter(is_named).collect()
}

/// A parameter of a call that names resources of a kind.
struct Reference {
    kind: &'static KindShape,
    call: &'static OperationShape,
    param: &'static FieldShape,
    named: Vec<&'static KindShape>,
}

fn references() -> Vec<Reference> {
    let mut all = Vec::new();
    for kind in REGISTRY.kinds() {
        for call in kind.calls().into_iter().filter(|call| call.effect == Effect::Write) {
            for param in Operation::of_kind(kind, call).parameters() {
                let is_text = matches!(param.ty, Type::Text | Type::List(Type::Text));
                let singular = param.name.strip_suffix('s').unwrap_or(param.name);
                let is_own = identity_fields(kind)
                    .any(|field| [param.name, singular, param.source()].contains(&field.name));
                // A new name is that of no resource yet.
                if !is_text || is_own || param.name.starts_with("New") {
                    continue;
                }
                let named = named_kinds(kind, param);
                if !named.is_empty() {
                    all.push(Reference { kind, call, param, named });
                }
            }
        }
    }
    all
}

impl Reference {
    /// The parameter with this value.
    fn given(&self, value: Option<&str>) -> Map<Value> {
        let typed = |value: &str| match self.param.ty {
            Type::List(_) => Value::List(vec![value.into()]),
            _ => value.into(),
        };
        value.map(|value| (Text::new(self.param.name), typed(value))).into_iter().collect()
    }

    /// Parameters of a create of a similar resource, with this value of the parameter.
    fn create_input(&self, resource: &TestResource, value: Option<&str>) -> Map<Value> {
        let mut input = resource.another_input(7);
        input.extend(self.given(value));
        input
    }

    /// Makes the call on the resource, with this value of the parameter.
    fn attempt(
        &self,
        session: &Session,
        resource: &TestResource,
        value: Option<&str>,
    ) -> nephos::Result<Value> {
        let given = self.given(value);
        match self.call.name {
            "create" => {
                Operation::of_kind(self.kind, self.call).run(session, &self.create_input(resource, value))
            }
            "update"
                if self.kind.call("get").is_some() && self.kind.record.field(self.param.name).is_some() =>
            {
                resource.update(session, &given)
            }
            "update" if self.kind.call("get").is_none() => resource.update_whole(session, &given),
            "update" => resource.update_beside(session, &Map::default(), given),
            call => resource.call_with(session, call, given),
        }
    }
}

/// Beginnings of the names of calls after which nothing shows what they named.
const REMOVING: [&str; 3] = ["delete", "remove", "retire"];

/// Adds the texts in a value.
fn collect_texts(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::Map(fields) => fields.values().for_each(|value| collect_texts(value, texts)),
        Value::List(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Text(text) => drop(texts.insert(text.to_string())),
        _ => {}
    }
}

/// Returns a well-formed identity that no resource has: its last letter or digit is another one.
fn unknown_identity(known: &str) -> String {
    let mut letters: Vec<char> = known.chars().collect();
    let last = letters.iter_mut().rev().find(|letter| letter.is_ascii_alphanumeric());
    if let Some(last) = last {
        *last = match last {
            '0'..='8' | 'a'..='e' | 'g'..='y' | 'A'..='E' | 'G'..='Y' => (*last as u8 + 1) as char,
            '9' => '0',
            'f' => 'a',
            'F' => 'A',
            _ => 'b',
        };
    }
    letters.into_iter().collect()
}

/// Returns the identities of a resource.
fn identities(resource: &TestResource) -> Vec<String> {
    let known = |field: &FieldShape| Some(resource.known.get(field.name)?.as_text()?.to_owned());
    identity_fields(resource.kind).filter_map(known).collect()
}

impl Reference {
    /// Resources of the kinds that the parameter names.
    fn others<'r>(&self, all: &'r [TestResource]) -> Vec<&'r TestResource> {
        all.iter().filter(|one| self.named.iter().any(|kind| kind.name == one.kind.name)).collect()
    }

    /// Tries the parameter; returns what is wrong, or none if it cannot be tried.
    fn check(&self, test_cloud: &TestCloud) -> Option<Result<(), String>> {
        let all = &test_cloud.resources;
        let known: Vec<_> = self.others(all).iter().flat_map(|other| identities(other)).collect();
        let unknown = known.iter().map(|identity| unknown_identity(identity));
        let unknown: Vec<_> =
            unknown.filter(|identity| !known.contains(identity)).chain(["no-such".to_owned()]).collect();
        let mut is_tried = false;
        for resource in all.iter().filter(|one| one.kind.name == self.kind.name) {
            let accepted =
                self.others(all).into_iter().find_map(|other| self.accept(test_cloud, resource, other));
            let works =
                |value: Option<&str>| self.attempt(&test_cloud.fork().session(), resource, value).is_ok();
            if accepted.is_none() && !works(None) {
                continue;
            }
            is_tried = true;
            if accepted == Some(false) {
                return Some(Err("does not show what it names".to_owned()));
            }
            if let Some(value) = unknown.iter().find(|value| works(Some(value))) {
                return Some(Err(format!("accepts {value}, which does not exist")));
            }
        }
        is_tried.then_some(Ok(()))
    }

    /// Names another resource; none if it is refused, or true if `get` or the answer shows it.
    fn accept(&self, test_cloud: &TestCloud, resource: &TestResource, other: &TestResource) -> Option<bool> {
        for identity in identities(other) {
            let fork = test_cloud.fork();
            let session = fork.session();
            let Ok(answer) = self.attempt(&session, resource, Some(&identity)) else { continue };
            if REMOVING.iter().any(|verb| self.call.name.starts_with(verb)) {
                return Some(true);
            }
            fork.settle();
            let mut shown = BTreeSet::new();
            collect_texts(&answer, &mut shown);
            let mut changed = resource.clone();
            if self.call.name == "create" {
                changed.known = self.create_input(resource, Some(&identity));
                changed.known.extend(match answer {
                    Value::Map(answer) => answer,
                    _ => Map::default(),
                });
            }
            collect_texts(&changed.find(&session).ok().flatten().map_or(Value::Null, Value::Map), &mut shown);
            return Some(identities(other).iter().any(|identity| shown.contains(identity)));
        }
        None
    }
}

/// A resource that a parameter names must exist, and then it is used: the parameter is not ignored.
#[test]
fn named_resources_exist_and_are_shown() {
    let mut test_cloud = TestCloud::new(new_cloud(options()));
    test_cloud.settle();
    let session = test_cloud.session();
    run_steps(&session, &test_cloud.resources, |facts| facts.prepared);
    for service in nephos_cases::laws() {
        // Some need resources that no other example uses.
        let Ok(filled) = (service.fill_tables)(&session) else { continue };
        let filled =
            filled.into_iter().map(|(kind, known)| TestResource { kind, input: Map::default(), known });
        test_cloud.resources.extend(filled);
    }
    test_cloud.settle();
    let excepted = listed_operations(|service| service.unchecked_references);
    let mut wrong = Vec::new();
    let mut checked = 0;
    let mut unknown = excepted.clone();
    for reference in references().iter().filter(|reference| kind_facts(reference.kind).excluded.is_none()) {
        let Reference { kind, call, param, .. } = reference;
        let name = format!("{} {} {}", kind.name, call.name, param.name);
        unknown.remove(&*name);
        let outcome = match reference.check(&test_cloud) {
            Some(Ok(())) if excepted.contains(&*name) => "holds: it need not be listed".to_owned(),
            Some(Ok(())) => {
                checked += 1;
                continue;
            }
            _ if excepted.contains(&*name) => continue,
            Some(Err(outcome)) => outcome,
            None => "cannot be tried: add parameters of the call, or a reason".to_owned(),
        };
        wrong.push(format!("{name} {outcome}"));
    }
    assert!(wrong.is_empty() && unknown.is_empty(), "{wrong:#?}, not a reference: {unknown:?}");
    assert!(checked > 50, "only {checked} parameters are checked");
}
