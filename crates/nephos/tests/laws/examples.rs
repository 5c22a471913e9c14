//! Examples of every kind, and a cloud with a resource of each example.

use crate::{
    facts::{kinds_in_order, reference, register_functions},
    generic::options,
    test_resource::{TestResource, fields},
};
use nephos::{
    Cloud, Map, Session, Value,
    shape::{KindShape, OperationShape, Type},
};
use nephos_core::json;
use nephos_testing::{KindFacts, Step};
use std::sync::LazyLock;

/// Creates the examples in a cloud.
pub(crate) fn with_examples(cloud: Cloud) -> Cloud {
    register_functions(&cloud);
    create_examples(&cloud.session());
    cloud
}

/// Creates the examples in the account and Region of the session.
pub(crate) fn create_examples(session: &Session) -> Vec<TestResource> {
    create_examples_of(session, |_| true)
}

/// Creates the examples of some kinds in the account and Region of the session.
pub(crate) fn create_examples_of(session: &Session, is_wanted: fn(&KindShape) -> bool) -> Vec<TestResource> {
    let mut all: Vec<TestResource> = Vec::new();
    for facts in kinds_in_order().into_iter().filter(|facts| is_wanted(facts.kind)) {
        for example in facts.examples {
            let input = parse_params(session, &all, example);
            let resource = TestResource::create(session, facts.kind, input);
            all.push(resource.unwrap_or_else(|error| panic!("{} {example}: {error}", facts.kind.name)));
        }
    }
    all
}

/// Makes calls on the examples; returns the resources that they create.
pub(crate) fn run_steps(
    session: &Session,
    created: &[TestResource],
    steps: fn(&KindFacts) -> &'static [Step],
) -> Vec<TestResource> {
    let mut more = Vec::new();
    for facts in kinds_in_order() {
        let own: Vec<_> = created.iter().filter(|resource| resource.kind.name == facts.kind.name).collect();
        for step in steps(facts) {
            let resource = own[step.example.unwrap_or(own.len() - 1)];
            let params = parse_params(session, created, step.params);
            let answer = match step.call {
                "update" => resource.update(session, &params),
                call => resource.call_with(session, call, params),
            };
            let answer = answer.unwrap_or_else(|error| panic!("{} {step:?}: {error}", facts.kind.name));
            if let (true, Value::List(models)) =
                (creates_resources(facts.kind.call(step.call).unwrap()), answer)
            {
                more.extend(models.iter().map(|model| TestResource {
                    kind: facts.kind,
                    input: Map::default(),
                    known: fields(model).clone(),
                }));
            }
        }
    }
    more
}

/// True for a call that answers with a list of models of its kind.
fn creates_resources(call: &OperationShape) -> bool {
    let Some(Type::List(Type::Record(record))) = call.output else { return false };
    call.name != "update" && call.kind.is_some_and(|kind| std::ptr::eq(kind.record, *record))
}

/// Parses JSON parameters, with the account and Region of the session and references to `created` resources.
pub(crate) fn parse_params(session: &Session, created: &[TestResource], text: &str) -> Map<Value> {
    let text = text.replace("us-east-1", session.region()).replace("123456789012", session.account());
    parse_json_params(&text).into_iter().map(|(field, value)| (field, resolved(created, value))).collect()
}

/// Resources of the examples in a default cloud.
pub(crate) static DEFAULT_EXAMPLES: LazyLock<Vec<TestResource>> =
    LazyLock::new(|| create_examples(&options().in_memory().session()));

/// Replaces each `$Kind.Field` by that field of the last created resource of the kind, and `$Kind0.Field` by that of the
/// first.
fn resolved(created: &[TestResource], value: Value) -> Value {
    match value {
        Value::Text(text) => {
            let Some((kind, is_first, field)) = reference(&text) else { return Value::Text(text) };
            let mut all = created.iter().filter(|resource| std::ptr::eq(resource.kind, kind));
            let resource = if is_first { all.next() } else { all.next_back() };
            let resource = resource.unwrap_or_else(|| panic!("{text}: no such resource was created"));
            resource.known[field].clone()
        }
        Value::List(items) => Value::List(items.into_iter().map(|item| resolved(created, item)).collect()),
        Value::Map(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, resolved(created, value))).collect())
        }
        value => value,
    }
}

/// Parses JSON parameters.
pub(crate) fn parse_json_params(text: &str) -> Map<Value> {
    match json::parse(text.as_bytes()).unwrap() {
        Value::Map(input) => input,
        other => panic!("parameters must be a JSON object, got {other:?}"),
    }
}
