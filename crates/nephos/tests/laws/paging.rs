//! Pagination of every paged operation.

use crate::{
    examples::{parse_params, run_steps},
    facts::{register_functions, service_facts},
    generic::{Operation, operations, options},
    test_cloud::{TestCloud, new_cloud},
    test_resource::{TestResource, fields},
};
use nephos::{
    Map, Session, Text, Value,
    shape::{FieldShape, OperationShape, Paging, Presence, Rule, Type},
};
use nephos_core::dynamic::{self, Reach};

/// Returns the pagination parameter of an operation.
fn parameter(operation: &OperationShape, part: Paging) -> Option<&'static FieldShape> {
    operation.params.fields.iter().find(|param| param.details.paging == Some(part))
}

/// Returns the items of an answer and the pagination token.
fn page(answer: &Value, operation: &OperationShape) -> (Vec<Value>, Option<Value>) {
    let Some(Type::Record(output)) = operation.output else {
        panic!("{} does not return a record", operation.name)
    };
    let items = output.fields.iter().find(|field| matches!(field.ty, Type::List(_))).unwrap();
    let is_token = |name: &str| name.to_lowercase().starts_with("next") || name == "Marker";
    let token = output.fields.iter().find(|field| is_token(field.name)).unwrap();
    let items = match fields(answer).get(items.name) {
        Some(Value::List(items)) => items.clone(),
        _ => Vec::new(),
    };
    (items, fields(answer).get(token.name).cloned())
}

/// Returns the page sizes to compare for `count` items: all that are valid, or a few if there are many items.
pub(crate) fn page_sizes(size: &FieldShape, count: usize) -> Vec<i64> {
    let range = size.rules.iter().find_map(|rule| match rule {
        Rule::Range { min, max } => Some(*min..=*max),
        _ => None,
    });
    let (valid, count) = (range.unwrap_or(1..=i64::MAX), count as i64);
    let sizes = if count <= 30 { (1..=count + 1).collect() } else { vec![count / 7, count / 2, count + 1] };
    sizes.into_iter().filter(|size| valid.contains(size)).collect()
}

/// Reads all items in pages of `size`.
fn all(session: &Session, operation: &Operation, input: &Map<Value>, size: Option<i64>) -> Vec<Value> {
    let [of_token, of_size] =
        [Paging::Token, Paging::Size].map(|part| parameter(operation.shape, part).unwrap());
    let (mut found, mut input) = (Vec::new(), input.clone());
    input.extend(size.map(|size| (Text::new(of_size.name), size.into())));
    for _ in 0..1000 {
        let answer = operation.run(session, &input).unwrap();
        let (items, next) = page(&answer, operation.shape);
        assert!(
            size.is_none_or(|size| items.len() as i64 <= size),
            "{operation:?} page size {size:?}: {items:?}"
        );
        found.extend(items);
        let Some(next) = next else { return found };
        input.insert(of_token.name.into(), next);
    }
    panic!("{operation:?} page size {size:?} does not end: {found:?}")
}

/// Returns the required parameters of an operation from the fields of a resource, if it has all of them.
fn parameters(operation: &OperationShape, resource: &TestResource) -> Option<Map<Value>> {
    let known = |name: &str| {
        let any_case =
            |(field, value): (&Text, &Value)| field.eq_ignore_ascii_case(name).then(|| value.clone());
        resource.known.iter().find_map(any_case)
    };
    let required = operation.params.fields.iter().filter(|param| param.presence == Presence::Required);
    required.map(|param| Some((Text::new(param.name), known(param.name)?))).collect()
}

#[test]
fn every_page_size_returns_the_same_items_in_the_same_order() {
    let cloud = new_cloud(options());
    register_functions(&cloud);
    let test_cloud = TestCloud::new(cloud);
    test_cloud.settle();
    let session = test_cloud.session();
    run_steps(&session, &test_cloud.resources, |facts| facts.extras);
    run_steps(&session, &test_cloud.resources, |facts| facts.page_items);
    let mut compared = 0;
    for operation in
        operations().into_iter().filter(|operation| matches!(dynamic::reach(operation.shape), Reach::Wire(_)))
    {
        let Some(size) = parameter(operation.shape, Paging::Size) else { continue };
        let facts = service_facts(operation.service);
        if facts.unpaged.iter().any(|(name, _)| *name == operation.shape.name) {
            continue;
        }
        let extra = facts.page_parameters.iter().filter(|(name, _)| *name == operation.shape.name);
        let extra = extra.map(|(_, input)| parse_params(&session, &test_cloud.resources, input));
        let resources = test_cloud
            .resources
            .iter()
            .filter(|resource| (resource.kind.service)().name == operation.service.name);
        let mut max_items = 0;
        for input in extra.chain(resources.filter_map(|resource| parameters(operation.shape, resource))) {
            if operation.run(&session, &input).is_err() {
                continue;
            }
            let whole = all(&session, &operation, &input, None);
            max_items = max_items.max(whole.len());
            for count in page_sizes(size, whole.len()) {
                let paged = all(&session, &operation, &input, Some(count));
                assert_eq!(paged, whole, "{operation:?} {input:?} in pages of {count}");
            }
        }
        assert!(max_items >= 2, "{operation:?} returns {max_items} items; add parameters for at least two");
        compared += 1;
    }
    assert!(compared > 20, "only {compared} operations are paged");
}
