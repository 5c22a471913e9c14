//! Laws over every operation that answers a page at a time.

use crate::{
    examples::{CHANGES, Made, fields, given_in},
    generic::{Operation, operations, options},
    scene::Scene,
    states::add_beside,
};
use nephos::{
    Map, Session, Text, Value,
    shape::{FieldShape, OperationShape, Paging, Presence, Rule, Type},
};
use nephos_core::dynamic::{self, Reach};
use std::sync::Arc;

/// Operations whose pages are not compared, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("DescribeInstances", "a reservation may be on two pages; the listing of the kind is compared"),
    ("GetLogEvents", "its tokens lead on to events that are put later, so its pages have no end"),
];

/// Parameters that an operation needs although its shape does not say so.
const ASKED: &[(&str, &str)] = &[
    ("DescribeListeners", r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn"}"#),
    ("DescribeRules", r#"{"ListenerArn": "$Listener.ListenerArn"}"#),
    ("DescribeLogStreams", r#"{"logGroupName": "/a"}"#),
    ("FilterLogEvents", r#"{"logGroupName": "/a"}"#),
    ("SearchSchemas", r#"{"RegistryName": "one", "Keywords": "0"}"#),
    ("BatchGetSecretValue", r#"{"Filters": [{"Key": "name", "Values": ["/a", "one"]}]}"#),
];

/// The parameter with that part in pagination.
fn parameter(operation: &OperationShape, part: Paging) -> Option<&'static FieldShape> {
    operation.params.fields.iter().find(|param| param.paging == Some(part))
}

/// The items of an answer, and the token of the next page.
fn page(answer: &Value, operation: &OperationShape) -> (Vec<Value>, Option<Value>) {
    let Some(Type::Record(output)) = operation.output else { panic!("{} answers no record", operation.name) };
    let items = output.fields.iter().find(|field| matches!(field.ty, Type::List(_))).unwrap();
    let token = output.fields.iter().find(|field| field.name.to_lowercase().starts_with("next")).unwrap();
    let items = match fields(answer).get(items.name) {
        Some(Value::List(items)) => items.clone(),
        _ => Vec::new(),
    };
    (items, fields(answer).get(token.name).cloned())
}

/// All items, by pages of `size`.
fn all(session: &Session, operation: &Operation, given: &Map<Value>, size: Option<i64>) -> Vec<Value> {
    let [of_token, of_size] =
        [Paging::Token, Paging::Size].map(|part| parameter(operation.shape, part).unwrap());
    let (mut found, mut given) = (Vec::new(), given.clone());
    given.extend(size.map(|size| (Text::new(of_size.name), size.into())));
    for _ in 0..1000 {
        let answer = operation.carry_out(session, &given).unwrap();
        let (items, next) = page(&answer, operation.shape);
        assert!(size.is_none_or(|size| items.len() as i64 <= size), "{operation:?} by {size:?}: {items:?}");
        found.extend(items);
        let Some(next) = next else { return found };
        given.insert(of_token.name.into(), next);
    }
    panic!("{operation:?} by {size:?} does not end: {found:?}")
}

/// What `made` gives for the required parameters of an operation, if it gives all of them.
fn parameters(operation: &OperationShape, made: &Made) -> Option<Map<Value>> {
    let known = |name: &str| {
        let any_case =
            |(field, value): (&Text, &Value)| field.eq_ignore_ascii_case(name).then(|| value.clone());
        made.known
            .iter()
            .find_map(any_case)
            .or_else(|| made.known.get("ARN").filter(|_| name == "SecretId").cloned())
    };
    let required = operation.params.fields.iter().filter(|param| param.presence == Presence::Required);
    required.map(|param| Some((Text::new(param.name), known(param.name)?))).collect()
}

#[test]
fn every_operation_tells_the_same_in_the_same_order_for_every_page_size() {
    let cloud = options().in_memory();
    cloud.register("renew", Arc::new(|_, _| Ok(())));
    let scene = Scene::new(cloud);
    scene.settle();
    let session = scene.session();
    add_beside(&session, &scene.made);
    // Two versions of each schema, and two listeners that verify against one trust store.
    let verified = CHANGES.iter().find(|(_, change)| change.contains("TrustStoreArn")).unwrap();
    let verified = given_in(&session, &scene.made, verified.1);
    let again =
        [("Content".into(), Value::from(r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#))];
    let of = |kind: &'static str| scene.made.iter().filter(move |made| made.kind.name == kind);
    of("Listener").skip(1).for_each(|listener| drop(listener.update(&session, &verified).unwrap()));
    of("Schema")
        .take(1)
        .for_each(|schema| drop(schema.update(&session, &again.clone().into_iter().collect()).unwrap()));
    let mut compared = 0;
    for operation in
        operations().into_iter().filter(|operation| matches!(dynamic::reach(operation.shape), Reach::Wire(_)))
    {
        let Some(size) = parameter(operation.shape, Paging::Size) else { continue };
        if LEFT_OUT.iter().any(|(name, _)| *name == operation.shape.name) {
            continue;
        }
        let least = size.rules.iter().find_map(|rule| match rule {
            Rule::Range { min, .. } => Some(*min),
            _ => None,
        });
        let asked = ASKED.iter().filter(|(name, _)| *name == operation.shape.name);
        let asked = asked.map(|(_, given)| given_in(&session, &scene.made, given));
        let made = scene.made.iter().filter(|made| (made.kind.service)().name == operation.service.name);
        let mut most = 0;
        for given in asked.chain(made.filter_map(|made| parameters(operation.shape, made))) {
            if operation.carry_out(&session, &given).is_err() {
                continue;
            }
            let whole = all(&session, &operation, &given, None);
            most = most.max(whole.len());
            for count in least.unwrap_or(1)..=whole.len() as i64 + 1 {
                let paged = all(&session, &operation, &given, Some(count));
                assert_eq!(paged, whole, "{operation:?} {given:?} by pages of {count}");
            }
        }
        assert!(most >= 2, "{operation:?} tells of {most}: give it parameters with which it tells of two");
        compared += 1;
    }
    assert!(compared > 20, "only {compared} operations have pages");
}
