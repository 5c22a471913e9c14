//! Laws over decisions: policies hold for every spelling of a name, and for every way to change a resource.

use crate::{
    assert_same,
    examples::create_examples,
    facts::{kind_facts, register_functions},
    generic::{self, Operation, Random, operations, options},
    settled_rows,
    test_cloud::{TestCloud, new_cloud},
    test_resource::{TestResource, fields},
};
use nephos::{
    AllServices, Arn, Cloud, Credentials, DEFAULT_ACCOUNT, DEFAULT_REGION, ErrorKind, Map, Permissions,
    REGISTRY, RequestSource, SignedDuration, Text, Value,
    shape::{Identity, KindShape, RecordShape, Type},
};
use nephos_cloud::{ServiceSet, TemporarySession};
use nephos_core::{
    dynamic::{self, Reach},
    field_value::FieldType,
    wait,
};
use nephos_testing::KindFacts;
use std::collections::BTreeSet;

const ALLOW_ALL: &str = r#"{"Effect": "Allow", "Action": "*", "Resource": "*"}"#;

/// Returns credentials of a session that may do what these statements allow.
fn limited(cloud: &Cloud, statements: &str) -> Credentials {
    let policy = format!(r#"{{"Version": "2012-10-17", "Statement": [{statements}]}}"#);
    let issued = cloud.run_in_transaction(move |cx| {
        let mut session = TemporarySession::blank();
        session.account = Some(DEFAULT_ACCOUNT.into());
        session.arn = Some(Arn::new("any", "", DEFAULT_ACCOUNT, "assumed-role/limited/law").into());
        session.user_id = Some("limited:law".into());
        session.issued = Some(cx.now());
        session.expiration = Some(cx.now() + SignedDuration::from_hours(24));
        session.policies = Some(vec![policy.as_str().into()]);
        cx.issue_credentials(session)
    });
    issued.unwrap()
}

/// Returns a cloud that enforces policies, and its resources: the examples, and those of kinds without examples.
fn guarded_cloud() -> TestCloud {
    let cloud = new_cloud(options());
    register_functions(&cloud);
    let session = cloud.session();
    let mut test_cloud = TestCloud::with_resources(cloud.clone(), create_examples(&session));
    test_cloud.settle();
    let has_excluded = |kinds: &[KindFacts]| kinds.iter().any(|facts| facts.excluded.is_some());
    for service in nephos_cases::laws().filter(|service| has_excluded(service.kinds)) {
        let filled = (service.fill_tables)(&session).unwrap_or_else(|error| panic!("{error}"));
        let filled = filled.into_iter().filter(|(kind, _)| kind_facts(kind).excluded.is_some());
        test_cloud.resources.extend(filled.map(|(kind, known)| TestResource {
            kind,
            input: Map::default(),
            known,
        }));
    }
    test_cloud.settle();
    cloud.set_permissions(Permissions::Enforce).unwrap();
    test_cloud
}

/// Returns the ARN of a model: that of a field, or the one that the template of its kind makes.
fn arn_of(kind: &KindShape, model: &Map<Value>) -> Option<Text> {
    let text = |field: &str| model.get(field).and_then(Value::as_text);
    if let Identity::Path([field]) = kind.arn {
        return text(field).map(Text::from);
    }
    let resource = Some(kind.path).filter(|path| !path.is_empty())?.fill(text)?;
    Some(Arn::new((kind.service)().signing, DEFAULT_REGION, DEFAULT_ACCOUNT, resource).into())
}

/// Returns the operation that changes the tags of resources of all services.
fn operation_on_all_tags(name: &str) -> Operation {
    let found = operations().into_iter().find(|operation| {
        matches!(dynamic::reach(operation.shape), Reach::Wire(_))
            && operation.shape.name == name
            && operation.shape.params.field("ResourceARNList").is_some()
    });
    found.unwrap()
}

/// Parameters of [`operation_on_all_tags`] for one resource.
fn one_tag(operation: &Operation, arn: &str) -> Map<Value> {
    let tags = Map::from_iter([("law".into(), "1".into())]);
    let change = match operation.shape.params.field("Tags") {
        Some(_) => ("Tags".into(), Value::Map(tags)),
        None => ("TagKeys".into(), Value::List(vec!["law".into()])),
    };
    Map::from_iter([("ResourceARNList".into(), Value::List(vec![arn.into()])), change])
}

/// Returns the parameter at the start of `path`, with a text at the path in its records and lists.
fn at_path(shape: &RecordShape, path: &[&str], text: &str) -> Option<(Text, Value)> {
    let (name, rest) = path.split_first()?;
    let value = |ty: Type| match ty {
        Type::Text if rest.is_empty() => Some(Value::from(text)),
        Type::Record(record) => at_path(record, rest, text).map(|field| Value::Map(Map::from_iter([field]))),
        _ => None,
    };
    let (_, field) = shape.field(name)?;
    let value = match field.ty {
        Type::List(item) => Value::List(vec![value(*item)?]),
        ty => value(ty)?,
    };
    Some((field.name.into(), value))
}

/// Returns valid parameters of an operation of which one has the first text, and the same with the second.
fn inputs_with(
    operation: &Operation,
    parameter: &str,
    texts: [&str; 2],
    now: i64,
) -> Option<[Map<Value>; 2]> {
    let path: Vec<_> = parameter.split('.').collect();
    (0..40).find_map(|seed| {
        let others = generic::parameters(operation, &mut Random(seed), now);
        let with_text = |text: &str| {
            let mut input = others.clone();
            let (name, value) = at_path(operation.shape.params, &path, text)?;
            input.insert(name, value);
            operation.subjects(&input).is_some().then_some(input)
        };
        Some([with_text(texts[0])?, with_text(texts[1])?])
    })
}

/// The same resource, named in capitals; none if its name has another case than it was given, or is not found by it.
fn in_capitals(test_cloud: &TestCloud, resource: &TestResource, model: &Map<Value>) -> Option<TestResource> {
    let Identity::Path([field]) = resource.kind.name_identity else { return None };
    let capitals = model.get(*field)?.as_text()?.to_ascii_uppercase();
    let mut other = resource.clone();
    other.known.extend(model.clone());
    other.known.insert((*field).into(), capitals.into());
    let get = resource.kind.call("get")?;
    let is_same_request = other.parameters(get) == resource.parameters(get);
    let found = other.find(&test_cloud.session()).ok().flatten().filter(|_| !is_same_request)?;
    (arn_of(resource.kind, &found) == arn_of(resource.kind, model)).then_some(other)
}

/// Policies about the resource with this ARN, and true for those that refuse whatever is done to it.
fn policies(arn: &str, has_tags: bool) -> [(String, bool); 4] {
    let tagged = r#""Condition": {"StringEquals": {"aws:ResourceTag/law": "1"}}"#;
    [
        (ALLOW_ALL.to_owned(), false),
        (format!(r#"{{"Effect": "Allow", "Action": "*", "Resource": "{arn}"}}"#), false),
        (format!(r#"{ALLOW_ALL}, {{"Effect": "Deny", "Action": "*", "Resource": "{arn}"}}"#), true),
        (format!(r#"{ALLOW_ALL}, {{"Effect": "Deny", "Action": "*", "Resource": "*", {tagged}}}"#), has_tags),
    ]
}

/// An operation on a resource, with a parameter that names it in two ways.
struct NamedTwice {
    operation: Operation,
    inputs: [Map<Value>; 2],
}

/// Returns the operations that act on the resource with this ARN if a parameter has the first of two texts.
fn operations_on(kind: &KindShape, arn: &str, texts: [&str; 2], now: i64) -> Vec<NamedTwice> {
    let mut found = Vec::new();
    for operation in operations() {
        let is_wire = matches!(dynamic::reach(operation.shape), Reach::Wire(_));
        if !is_wire || operation.service.name != (kind.service)().name {
            continue;
        }
        let parameters = BTreeSet::from_iter(operation.shape.subject_parameters());
        for inputs in parameters.iter().filter_map(|name| inputs_with(&operation, name, texts, now)) {
            let subjects = operation.subjects(&inputs[0]).unwrap();
            if subjects.iter().any(|subject| subject.as_str() == arn) {
                found.push(NamedTwice { operation, inputs });
            }
        }
    }
    found
}

/// Makes both requests of a caller; asserts that both are refused or none. Returns true if they are refused.
fn is_denied(cloud: &Cloud, caller: &Credentials, named: &NamedTwice) -> bool {
    let answers = named.inputs.each_ref().map(|input| {
        let session = cloud.fork().unwrap().session().with_credentials(caller.clone());
        named.operation.run(&session, input)
    });
    let about = format!("{:?} {:?} {answers:?}", named.operation, named.inputs);
    let denied = answers.map(|answer| answer.is_err_and(|error| error.kind() == ErrorKind::Denied));
    assert_eq!(denied[0], denied[1], "{about}");
    denied[0]
}

/// A name in capitals is the same resource for policies if it is for operations.
#[test]
fn decisions_are_the_same_for_a_name_in_capitals() {
    let test_cloud = guarded_cloud();
    let cloud = &test_cloud.cloud;
    let session = test_cloud.session();
    let add_tags = operation_on_all_tags("TagResources");
    let now = cloud.clock().now().as_millisecond();
    let mut kinds = BTreeSet::new();
    let mut compared = 0;
    for resource in &test_cloud.resources {
        let kind = resource.kind;
        let model = resource.require(&session);
        if kinds.contains(kind.name) {
            continue;
        }
        let Some(arn) = arn_of(kind, &model) else { continue };
        let Some(capitals) = in_capitals(&test_cloud, resource, &model) else { continue };
        let Identity::Path([field]) = kind.name_identity else { continue };
        let [name, other] = [&model[*field], &capitals.known[*field]].map(|name| name.as_text().unwrap());
        let other_arn = arn.strip_suffix(name).unwrap().to_owned() + other;
        let mut named = operations_on(kind, &arn, [name, other], now);
        named.extend(operations_on(kind, &arn, [&arn, &other_arn], now));
        add_tags.run(&session, &one_tag(&add_tags, &arn)).unwrap();
        for (statements, must_refuse) in policies(&arn, kind.tags.is_some()) {
            let caller = limited(cloud, &statements);
            for named in &named {
                let is_denied = is_denied(cloud, &caller, named);
                let about = || format!("{:?} {:?} with {statements}", named.operation, named.inputs[0]);
                assert!(is_denied || !must_refuse, "not refused: {}", about());
                compared += 1;
            }
        }
        kinds.insert(kind.name);
    }
    assert!(kinds.len() > 20 && compared > 500, "{compared} decisions about {kinds:?}");
}

/// The names that a service says to keep in lower case are in the ARNs of its resources.
#[test]
fn services_keep_names_as_they_say() {
    let test_cloud = TestCloud::new(new_cloud(options()));
    let mut checked = 0;
    for resource in &test_cloud.resources {
        let service = (resource.kind.service)();
        let model = resource.require(&test_cloud.session());
        let Some(arn) = arn_of(resource.kind, &model).filter(|_| service.lower_case_names) else { continue };
        assert_eq!(service.kept_name(&arn), arn.as_str(), "{}", resource.kind.name);
        checked += 1;
    }
    assert!(checked > 20, "only {checked} resources");
}

/// The operations on the tags of all services need the actions of the services, too. Refusals are returned one by one.
#[test]
fn tags_of_all_services_are_changed_only_with_the_permission_of_the_service() {
    let test_cloud = guarded_cloud();
    let cloud = &test_cloud.cloud;
    let root = test_cloud.session();
    let mut kinds = BTreeSet::new();
    for (n, name) in ["TagResources", "UntagResources"].into_iter().enumerate() {
        let operation = operation_on_all_tags(name);
        let action = operation.shape.action(operation.service);
        for resource in test_cloud.resources.iter().filter(|resource| resource.kind.tags.is_some()) {
            let Some(arn) = arn_of(resource.kind, &resource.require(&root)) else { continue };
            let prefix = (resource.kind.service)().prefix();
            let own = format!(r#"{{"Effect": "Allow", "Action": "{action}", "Resource": "*"}}"#);
            let of_service = |effect: &str| {
                format!(r#"{{"Effect": "{effect}", "Action": "{prefix}:*", "Resource": "{arn}"}}"#)
            };
            let cases = [
                (format!("{own}, {}", of_service("Allow")), true),
                (own, false),
                (format!("{ALLOW_ALL}, {}", of_service("Deny")), false),
            ];
            for (case, (statements, is_allowed)) in cases.into_iter().enumerate() {
                let session = root.with_credentials(limited(cloud, &statements));
                let before = settled_rows(cloud);
                let answer = operation.run(&session, &one_tag(&operation, &arn)).unwrap();
                let Value::Map(failures) = &fields(&answer)["FailedResourcesMap"] else {
                    panic!("{answer:?}")
                };
                let about = format!("{name} {arn} {statements}: {failures:?}");
                if let Some(failure) = failures.get(&arn) {
                    let code = fields(failure)["ErrorCode"].as_text().unwrap();
                    let codes = ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"];
                    assert!(!is_allowed && codes.contains(&code), "{about}");
                    assert_same(&settled_rows(cloud), &before, &about);
                } else if is_allowed {
                    assert!(settled_rows(cloud) != before, "{about}");
                } else {
                    // The policy of a resource may allow what those of the caller do not.
                    assert!(!statements.contains("Deny"), "{about}");
                    continue;
                }
                kinds.insert((n, case, resource.kind.name));
            }
        }
    }
    let all: Vec<_> = REGISTRY.kinds().filter(|kind| kind.tags.is_some()).collect();
    let all = all.iter().filter(|kind| kind_facts(kind).excluded.is_none());
    let cases = (0..2).flat_map(|n| [(n, 0), (n, 1), (n, 2)]).collect::<Vec<_>>();
    let missing: Vec<_> = all
        .flat_map(|kind| cases.iter().map(|(n, case)| (*n, *case, kind.name)))
        .filter(|case| !kinds.contains(case))
        .collect();
    assert_eq!(missing, [], "kinds whose tags are never changed, or never refused");
}

/// A caller who may not make a request learns nothing of its parameters: the answer is the same whether they are valid or not.
#[test]
fn callers_without_permissions_are_refused_before_their_parameters_are_checked() {
    let cloud = new_cloud(options());
    cloud.set_permissions(Permissions::Enforce).unwrap();
    let nothing = limited(&cloud, r#"{"Effect": "Deny", "Action": "*", "Resource": "*"}"#);
    let token = nothing.session_token.as_ref().map(|token| token.expose());
    let caller = cloud.find_key(&nothing.access_key_id, token).unwrap().unwrap().caller;
    let before = settled_rows(&cloud);
    let operations = AllServices::SERVICES.iter().flat_map(|service| service.shape.operations);
    for operation in operations.filter(|operation| !operation.permission.open) {
        let source = RequestSource::new(caller.clone(), DEFAULT_REGION);
        let make = || dynamic::unchecked_request(operation, &mut |_| Ok(()));
        let answer = wait(cloud.request(source, operation.effect, make));
        let kind = answer.map(drop).map_err(|error| error.kind());
        assert_eq!(kind, Err(ErrorKind::Denied), "{} {}", (operation.service)().name, operation.name);
    }
    assert_same(&settled_rows(&cloud), &before, "refused requests");
}
