//! Pagination of every paged operation.

use crate::{
    examples::{CHANGES, parse_params},
    generic::{Operation, operations, options},
    states::add_extras,
    test_cloud::TestCloud,
    test_resource::{TestResource, fields},
};
use nephos::{
    Map, Session, Text, Value,
    shape::{FieldShape, OperationShape, Paging, Presence, Rule, Type},
};
use nephos_core::dynamic::{self, Reach};
use std::sync::Arc;

/// Operations that are not compared, and the reason.
const EXCLUDED: &[(&str, &str)] = &[
    ("DescribeInstances", "a reservation may be on two pages; the list call of the kind is compared"),
    ("GetLogEvents", "its tokens also lead to later events, so its pages have no end"),
    ("GetAccountAuthorizationDetails", "a page has items in several lists"),
    ("ListAccountAliases", "an account has at most one alias"),
    ("ListReplays", "nothing deletes a replay, so that there is no example"),
    ("ListKeyRotations", "no key of the examples is rotated"),
    ("ListKeyPolicies", "a key has exactly one policy"),
    ("ListMFADevices", "a device is enabled by codes of its seed"),
    ("ListSigningCertificates", "each certificate of a user must be another"),
    ("ListSSHPublicKeys", "each key of a user must be another"),
    ("GetServiceLastAccessedDetails", "it needs the ID of a report"),
    ("GetServiceLastAccessedDetailsWithEntities", "it needs the ID of a report"),
];

/// Parameters that are required although optional in the shape.
const EXTRA_PARAMETERS: &[(&str, &str)] = &[
    ("DescribeListeners", r#"{"LoadBalancerArn": "$LoadBalancer.LoadBalancerArn"}"#),
    ("ListRuleNamesByTarget", r#"{"TargetArn": "arn:aws:sqs:us-east-1:123456789012:orders"}"#),
    ("DescribeRules", r#"{"ListenerArn": "$Listener.ListenerArn"}"#),
    ("DescribeLogStreams", r#"{"logGroupName": "/a"}"#),
    ("FilterLogEvents", r#"{"logGroupName": "/a"}"#),
    ("DescribeResourcePolicies", r#"{"policyScope": "RESOURCE"}"#),
    ("SearchSchemas", r#"{"RegistryName": "one", "Keywords": "0"}"#),
    (
        "SimulateCustomPolicy",
        r#"{"ActionNames": ["logs:GetLogEvents", "logs:PutLogEvents"], "PolicyInputList": ["{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"]}"#,
    ),
    (
        "SimulatePrincipalPolicy",
        r#"{"ActionNames": ["logs:GetLogEvents", "logs:PutLogEvents"], "PolicySourceArn": "arn:aws:iam::123456789012:user/ann"}"#,
    ),
    ("ListAccessKeys", r#"{"UserName": "bea"}"#),
    ("ListServiceSpecificCredentials", r#"{"AllUsers": true}"#),
    ("ListRetirableGrants", r#"{"RetiringPrincipal": "arn:aws:iam::123456789012:root"}"#),
    ("ListOpenIDConnectProviderTags", r#"{"OpenIDConnectProviderArn": "$OpenIDConnectProvider.Arn"}"#),
    ("ListSAMLProviderTags", r#"{"SAMLProviderArn": "$SAMLProvider.Arn"}"#),
    ("BatchGetSecretValue", r#"{"Filters": [{"Key": "name", "Values": ["/a", "one"]}]}"#),
];

/// Calls that add items to listings of identity: the kind, the call, and its parameters without the identity. They are not
/// in `EXTRAS`, because users, groups and roles with policies cannot be deleted.
const EXTRA_CALLS: &[(&str, &str, &str)] = &[
    (
        "EventTarget",
        "put",
        r#"{"Rule": "three", "Targets": [{"Id": "queue", "Arn": "arn:aws:sqs:us-east-1:123456789012:orders"}]}"#,
    ),
    ("Group", "add_user", r#"{"UserName": "ann"}"#),
    ("Group", "add_user", r#"{"UserName": "bea"}"#),
    ("User", "add_to_group", r#"{"GroupName": "api"}"#),
    ("CryptoKey", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}, {"Key": "team", "Value": "web"}]}"#),
    ("User", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("Role", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("InstanceProfile", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("Policy", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("VirtualMFADevice", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("OpenIDConnectProvider", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("ServerCertificate", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("SAMLProvider", "tag", r#"{"Tags": [{"Key": "law", "Value": "beside"}]}"#),
    ("User", "attach_policy", r#"{"PolicyArn": "$Policy0.Arn"}"#),
    ("User", "attach_policy", r#"{"PolicyArn": "$Policy.Arn"}"#),
    ("Role", "attach_policy", r#"{"PolicyArn": "$Policy0.Arn"}"#),
    ("Role", "attach_policy", r#"{"PolicyArn": "$Policy.Arn"}"#),
    ("Group", "attach_policy", r#"{"PolicyArn": "$Policy0.Arn"}"#),
    ("Group", "attach_policy", r#"{"PolicyArn": "$Policy.Arn"}"#),
    ("Group", "attach_policy", r#"{"GroupName": "api", "PolicyArn": "$Policy.Arn"}"#),
    ("User", "put_policy", r#"{"PolicyName": "one", "PolicyDocument": "DOCUMENT"}"#),
    ("User", "put_policy", r#"{"PolicyName": "two", "PolicyDocument": "DOCUMENT"}"#),
    ("Role", "put_policy", r#"{"PolicyName": "one", "PolicyDocument": "DOCUMENT"}"#),
    ("Role", "put_policy", r#"{"PolicyName": "two", "PolicyDocument": "DOCUMENT"}"#),
    ("Group", "put_inline_policy", r#"{"PolicyName": "one", "PolicyDocument": "DOCUMENT"}"#),
    ("Group", "put_inline_policy", r#"{"PolicyName": "two", "PolicyDocument": "DOCUMENT"}"#),
    ("AccessKey", "create", r#"{"UserName": "bea"}"#),
    ("InstanceProfile", "add_role", r#"{"RoleName": "web"}"#),
    ("InstanceProfile", "add_role", r#"{"InstanceProfileName": "api", "RoleName": "web"}"#),
];

/// Replaces `DOCUMENT` in parameters.
const DOCUMENT: &str =
    r#"{\"Statement\": {\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"#;

/// Makes the calls of `EXTRA_CALLS`.
fn add_items(session: &Session, created: &[TestResource]) {
    for (name, call, input) in EXTRA_CALLS {
        let of = created.iter().rfind(|resource| resource.kind.name == *name).unwrap();
        let input = parse_params(session, created, &input.replace("DOCUMENT", DOCUMENT));
        of.call_with(session, call, input).unwrap_or_else(|error| panic!("{name} {call}: {error}"));
    }
}

/// Returns the pagination parameter of an operation.
fn parameter(operation: &OperationShape, part: Paging) -> Option<&'static FieldShape> {
    operation.params.fields.iter().find(|param| param.paging == Some(part))
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
        resource
            .known
            .iter()
            .find_map(any_case)
            .or_else(|| resource.known.get("ARN").filter(|_| name == "SecretId").cloned())
    };
    let required = operation.params.fields.iter().filter(|param| param.presence == Presence::Required);
    required.map(|param| Some((Text::new(param.name), known(param.name)?))).collect()
}

#[test]
fn every_page_size_returns_the_same_items_in_the_same_order() {
    let cloud = options().in_memory();
    cloud.register("renew", Arc::new(|_, _| Ok(())));
    let test_cloud = TestCloud::new(cloud);
    test_cloud.settle();
    let session = test_cloud.session();
    add_extras(&session, &test_cloud.resources);
    add_items(&session, &test_cloud.resources);
    // Two versions of each schema, and two listeners that verify against one trust store.
    let verified = CHANGES.iter().find(|(_, change)| change.contains("TrustStoreArn")).unwrap();
    let verified = parse_params(&session, &test_cloud.resources, verified.1);
    let again =
        [("Content".into(), Value::from(r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#))];
    let of =
        |kind: &'static str| test_cloud.resources.iter().filter(move |resource| resource.kind.name == kind);
    of("Listener").skip(1).for_each(|listener| drop(listener.update(&session, &verified).unwrap()));
    of("Schema")
        .take(1)
        .for_each(|schema| drop(schema.update(&session, &again.clone().into_iter().collect()).unwrap()));
    let mut compared = 0;
    for operation in
        operations().into_iter().filter(|operation| matches!(dynamic::reach(operation.shape), Reach::Wire(_)))
    {
        let Some(size) = parameter(operation.shape, Paging::Size) else { continue };
        if EXCLUDED.iter().any(|(name, _)| *name == operation.shape.name) {
            continue;
        }
        let least = size.rules.iter().find_map(|rule| match rule {
            Rule::Range { min, .. } => Some(*min),
            _ => None,
        });
        let extra = EXTRA_PARAMETERS.iter().filter(|(name, _)| *name == operation.shape.name);
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
            for count in least.unwrap_or(1)..=whole.len() as i64 + 1 {
                let paged = all(&session, &operation, &input, Some(count));
                assert_eq!(paged, whole, "{operation:?} {input:?} in pages of {count}");
            }
        }
        assert!(max_items >= 2, "{operation:?} returns {max_items} items; add parameters for at least two");
        compared += 1;
    }
    assert!(compared > 20, "only {compared} operations are paged");
}
