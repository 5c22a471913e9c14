//! Laws over the whole store: transitions, deletion, previews, forks, reopening and JSON.

use crate::{
    Rows, assert_same,
    examples::{parse_params, with_examples},
    generic::{Operation, operations, options},
    settled_rows, step,
    test_cloud::{TestCloud, realistic, test_clouds},
    test_resource::{TestResource, create_operation, fields},
};
use nephos::{
    Cloud, Error, ErrorKind, Map, REGISTRY, Resource, Session, SignedDuration, Value,
    services::{
        ec2::{Instance, SecurityGroup, Subnet, Vpc},
        elbv2::{Listener, LoadBalancer, Rule, TargetGroup, TrustStore},
        events::{ApiDestination, Archive, Connection, EventBus, EventRule, EventTarget},
        iam::{
            AccessKey, AccountSummary, Group, InstanceProfile, LoginProfile, OpenIDConnectProvider,
            PasswordPolicy, Policy, PolicyVersion, Role, SAMLProvider, SSHPublicKey, ServerCertificate,
            ServiceSpecificCredential, SigningCertificate, User, VirtualMFADevice,
        },
        kms::{CryptoKey, KeyAlias, KeyGrant},
        logs::{Destination, LogEvent, LogGroup, LogStream, MetricFilter, SubscriptionFilter},
        schemas::{Discoverer, Registry, Schema},
        secrets::{Secret, SecretVersion},
    },
    testing,
};
use nephos_cloud::{Part, read_key};
use nephos_core::{Result, json};
use proptest::prelude::{ProptestConfig, any, prop, proptest};

/// Reads all resources.
fn read_all(session: &Session, created: &[TestResource]) -> Vec<Map<Value>> {
    created.iter().map(|resource| resource.require(session)).collect()
}

#[test]
fn realistic_transitions_end_like_instant_ones() {
    let [instant, realistic] = test_clouds();
    let both = |about: &str, differ: bool| {
        let (instant, realistic) = (settled_rows(&instant.cloud), settled_rows(&realistic.cloud));
        match differ {
            true => assert_ne!(instant, realistic, "{about}"),
            false => assert_same(&realistic, &instant, about),
        }
    };
    both("just created", true);
    [&instant, &realistic].into_iter().for_each(TestCloud::settle);
    both("an hour after creation", false);
    let models =
        [&instant, &realistic].map(|test_cloud| read_all(&test_cloud.session(), &test_cloud.resources));
    assert_eq!(models[0], models[1]);
    [&instant, &realistic].into_iter().for_each(TestCloud::delete_all);
    both("a month after deletion", false);
}

#[test]
fn deletion_during_a_transition_ends_like_deletion_after_it() {
    let [instant, realistic] = test_clouds();
    // A load balancer can be deleted while it is provisioned.
    [&instant, &realistic].into_iter().for_each(TestCloud::delete_all);
    assert_same(&settled_rows(&realistic.cloud), &settled_rows(&instant.cloud), "deleted at once");
}

/// Rows that remain by design after everything is deleted: the table, the last part of the key (empty for any), and the
/// reason.
const REMAINING_ROWS: &[(&str, &str, &str)] = &[
    ("cloud", "clock", "the clock was advanced"),
    ("cloud", "key-check", "something was encrypted, so other keys are refused"),
    ("count", "events/delivery", "deliveries are numbered"),
    ("count", "events/recent-event/default", "the default bus numbers its events"),
    ("events/event-bus", "default", "the default bus cannot be deleted"),
    ("events/delivery", "", "deliveries stay in the outbox"),
    ("events/recent-event", "", "the default bus keeps its newest events"),
    ("version", "", "transactions know by it whether a cached value is theirs"),
    ("ec2/gone", "", "tombstone of a deleted part of the default VPC"),
    ("iam/credential-report", "", "the last report is replaced, not deleted"),
    ("kms/alias", "alias/aws/secretsmanager", "alias of a key that the provider manages"),
];

fn without_remaining(mut rows: Rows) -> Rows {
    let managed = managed_keys(&rows);
    rows.retain(|(key, _)| {
        let (table, parts) = read_key(key).unwrap();
        let is_last = |part: &str| part.is_empty() || parts.last() == Some(&Part::Text(part.into()));
        let is_managed = table.starts_with("kms/") && parts.iter().any(|part| managed.contains(part));
        !is_managed && !REMAINING_ROWS.iter().any(|(kept, part, _)| *kept == table && is_last(part))
    });
    rows
}

/// Returns the IDs of the keys that the provider manages, which nobody can delete.
fn managed_keys(rows: &Rows) -> Vec<Part> {
    let id = |(key, row): &(Vec<u8>, Vec<u8>)| {
        let (table, mut parts) = read_key(key)?;
        let is_managed = String::from_utf8_lossy(row).contains(r#""KeyManager":"PROVIDER""#);
        parts.pop().filter(|_| table == "kms/key" && is_managed)
    };
    rows.iter().filter_map(id).collect()
}

/// Calls that add more than fields to a resource: the kind, the call, and its parameters without the identity.
const EXTRAS: &[(&str, &str, &str)] = &[
    (
        "LogGroup",
        "put_data_protection_policy",
        r#"{"logGroupIdentifier": "/a", "policyDocument": "{\"Name\": \"policy\", \"Version\": \"2021-06-01\", \"Statement\": [{\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Audit\": {\"FindingsDestination\": {}}}}, {\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Deidentify\": {\"MaskConfig\": {}}}}]}"}"#,
    ),
    (
        "CryptoKey",
        "set_policy",
        r#"{"Policy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"kms:*\", \"Resource\": \"*\"}}"}"#,
    ),
    ("Registry", "tag", r#"{"ResourceArn": "$Registry.RegistryArn", "Tags": {"law": "beside"}}"#),
    ("Schema", "tag", r#"{"ResourceArn": "$Schema.SchemaArn", "Tags": {"law": "beside"}}"#),
    (
        "Secret",
        "set_resource_policy",
        r#"{"ResourcePolicy": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"secretsmanager:*\", \"Resource\": \"*\"}}"}"#,
    ),
    ("Secret", "get_value", "{}"),
    (
        "Secret",
        "rotate",
        r#"{"RotationFunctionARN": "renew", "RotationRules": {"AutomaticallyAfterDays": 1}}"#,
    ),
    (
        "SecurityGroup",
        "authorize_ingress",
        r#"{"IpPermissions": [{"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80,
        "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}]}"#,
    ),
    ("Instance", "run", r#"{"ImageId": "ami-12345678", "MaxCount": 2}"#),
    ("TargetGroup", "register", r#"{"Targets": [{"Id": "10.0.1.9"}]}"#),
    ("TargetGroup", "deregister", r#"{"Targets": [{"Id": "10.0.1.9"}]}"#),
    ("TargetGroup", "register", r#"{"Targets": [{"Id": "10.0.1.8"}]}"#),
    (
        "TargetGroup",
        "set_attributes",
        r#"{"Attributes": [{"Key": "deregistration_delay.timeout_seconds", "Value": "20"}]}"#,
    ),
    (
        "TargetGroup",
        "tag",
        r#"{"ResourceArn": "$TargetGroup.TargetGroupArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#,
    ),
    (
        "LoadBalancer",
        "set_attributes",
        r#"{"Attributes": [{"Key": "idle_timeout.timeout_seconds", "Value": "20"}]}"#,
    ),
    (
        "LoadBalancer",
        "set_capacity_reservation",
        r#"{"MinimumLoadBalancerCapacity": {"CapacityUnits": 100}}"#,
    ),
    (
        "TrustStore",
        "add_revocations",
        r#"{"RevocationContents": [{"S3Bucket": "trust", "S3Key": "a.crl"}, {"S3Bucket": "trust", "S3Key": "b.crl"}]}"#,
    ),
    (
        "Listener",
        "set_attributes",
        r#"{"Attributes": [{"Key": "routing.http.response.server.enabled", "Value": "false"}]}"#,
    ),
    (
        "Listener",
        "add_certificates",
        r#"{"ListenerArn": "$Listener0.ListenerArn",
        "CertificateArns": ["arn:aws:acm:us-east-1:123456789012:certificate/three"]}"#,
    ),
    ("Rule", "tag", r#"{"ResourceArn": "$Rule.RuleArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#),
    (
        "LogGroup",
        "put_resource_policy",
        r#"{"policyName": "law", "resourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:/a",
        "policyDocument": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
    ),
    (
        "LogGroup",
        "put_resource_policy",
        r#"{"policyName": "law", "resourceArn": "arn:aws:logs:us-east-1:123456789012:log-group:/b",
        "policyDocument": "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"logs:*\", \"Resource\": \"*\"}}"}"#,
    ),
    (
        "TrustStore",
        "tag",
        r#"{"ResourceArn": "$TrustStore.TrustStoreArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#,
    ),
];

/// Makes the calls of `EXTRAS`; returns the resources that they create.
pub(crate) fn add_extras(session: &Session, created: &[TestResource]) -> Vec<TestResource> {
    let mut more = Vec::new();
    for (name, call, input) in EXTRAS {
        let of = created.iter().rfind(|resource| resource.kind.name == *name).unwrap();
        let added = of.call_with(session, call, parse_params(session, created, input));
        let added = added.unwrap_or_else(|error| panic!("{name} {call} {input}: {error}"));
        if let ("run", Value::List(instances)) = (*call, added) {
            more.extend(instances.into_iter().map(|instance| TestResource {
                kind: of.kind,
                input: Map::default(),
                known: fields(&instance).clone(),
            }));
        }
    }
    more
}

#[test]
fn deletion_leaves_no_rows() {
    for options in [options(), realistic()] {
        let cloud = options.in_memory();
        let before = without_remaining(settled_rows(&cloud));
        cloud.register("renew", std::sync::Arc::new(|_, _| Ok(())));
        let mut test_cloud = TestCloud::new(cloud);
        test_cloud.settle();
        test_cloud.resources.extend(add_extras(&test_cloud.session(), &test_cloud.resources));
        // Lets the secret rotate a few times.
        test_cloud.cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
        test_cloud.delete_all();
        assert_same(&without_remaining(settled_rows(&test_cloud.cloud)), &before, "deleted");
    }
}

#[test]
fn preview_changes_nothing() {
    for test_cloud in test_clouds() {
        let session = test_cloud.session();
        let before = settled_rows(&test_cloud.cloud);
        for resource in &test_cloud.resources {
            let about = resource.kind.name;
            let created =
                create_operation(resource.kind).preview(&session, &resource.another_input(7)).unwrap();
            let is_full = |error: &Error| error.kind() == ErrorKind::LimitExceeded;
            assert!(created.as_ref().err().is_none_or(is_full), "{about}: {created:?}");
            assert_same(&settled_rows(&test_cloud.cloud), &before, about);
            for call in resource.kind.calls() {
                let previewed = match call.name {
                    "update" if resource.kind.call("get").is_none() => continue,
                    "update" => {
                        let tags =
                            resource.kind.tags.map(|tags| resource.kind.record.fields[tags].name.into());
                        let changes = tags.map(|tags| (tags, Value::Null)).into_iter().collect();
                        resource.prepare_update(&session, &changes).unwrap().preview().wait().map(drop)
                    }
                    _ => {
                        let operation = Operation::of_kind(resource.kind, call);
                        let Some(previewed) = operation.preview(&session, &resource.parameters(call)) else {
                            continue;
                        };
                        previewed
                    }
                };
                assert!(
                    previewed.is_ok() || !["update", "get"].contains(&call.name),
                    "{about} {previewed:?}"
                );
                assert_same(&settled_rows(&test_cloud.cloud), &before, about);
            }
        }
    }
}

#[test]
fn fork_and_origin_are_isolated() {
    for origin in test_clouds() {
        let before = settled_rows(&origin.cloud);
        let fork = TestCloud { cloud: origin.cloud.fork().unwrap(), resources: origin.resources.clone() };
        assert_same(&settled_rows(&fork.cloud), &before, "forked");
        assert_eq!(
            read_all(&fork.session(), &fork.resources),
            read_all(&origin.session(), &origin.resources)
        );
        fork.delete_all();
        assert_same(&settled_rows(&origin.cloud), &before, "deleted in the fork");
        let fork = origin.cloud.fork().unwrap();
        origin.delete_all();
        assert_same(&settled_rows(&fork), &before, "deleted in the origin");
    }
}

#[test]
fn reopened_file_is_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    for (n, options) in [options(), realistic()].into_iter().enumerate() {
        let (path, clock) = (folder.path().join(n.to_string()), testing::clock());
        let options = options.clock(clock.clone()).durable(false);
        let open = || options.clone().open(&path).unwrap();
        // The number of opens is counted in a row.
        let uncounted = |mut rows: Rows| {
            let counter = (String::from("cloud"), vec![Part::Text("opened".into())]);
            rows.retain(|(key, _)| {
                read_key(key).is_none_or(|(table, parts)| (table.into(), parts) != counter)
            });
            rows
        };
        let TestCloud { resources, cloud } = TestCloud::new(open());
        let (before, models) = (settled_rows(&cloud), read_all(&cloud.session(), &resources));
        cloud.close().unwrap();
        drop(cloud);
        let again = TestCloud { cloud: open(), resources };
        assert_same(&uncounted(settled_rows(&again.cloud)), &uncounted(before), "opened again");
        assert_eq!(read_all(&again.session(), &again.resources), models);
        // Transitions continue, also if time passes while the file is closed.
        again.cloud.close().unwrap();
        let uninterrupted = TestCloud::new(options.clone().in_memory());
        let TestCloud { resources, cloud } = again;
        drop(cloud);
        clock.advance(SignedDuration::from_hours(1));
        let again = TestCloud { cloud: open(), resources };
        let models =
            [&again, &uninterrupted].map(|test_cloud| read_all(&test_cloud.session(), &test_cloud.resources));
        assert_eq!(models[0], models[1]);
        assert_eq!(again.cloud.failed_work().unwrap(), []);
    }
}

/// Reads a model from JSON and writes it again.
type RoundTrip = fn(&str) -> Result<String>;

/// JSON round trip of every kind.
const JSON: &[(&str, RoundTrip)] = {
    const fn round_trip<M: Resource>() -> (&'static str, RoundTrip) {
        (M::KIND.name, |json| M::from_json(json).map(|model| model.to_json_exposed()))
    }
    &[
        round_trip::<Vpc>(),
        round_trip::<Subnet>(),
        round_trip::<SecurityGroup>(),
        round_trip::<Instance>(),
        round_trip::<TargetGroup>(),
        round_trip::<LoadBalancer>(),
        round_trip::<Listener>(),
        round_trip::<Rule>(),
        round_trip::<TrustStore>(),
        round_trip::<User>(),
        round_trip::<Group>(),
        round_trip::<Role>(),
        round_trip::<InstanceProfile>(),
        round_trip::<AccessKey>(),
        round_trip::<Policy>(),
        round_trip::<PolicyVersion>(),
        round_trip::<VirtualMFADevice>(),
        round_trip::<OpenIDConnectProvider>(),
        round_trip::<SAMLProvider>(),
        round_trip::<ServerCertificate>(),
        round_trip::<ServiceSpecificCredential>(),
        round_trip::<CryptoKey>(),
        round_trip::<KeyAlias>(),
        round_trip::<KeyGrant>(),
        round_trip::<Archive>(),
        round_trip::<Connection>(),
        round_trip::<ApiDestination>(),
        round_trip::<EventBus>(),
        round_trip::<EventRule>(),
        round_trip::<EventTarget>(),
        round_trip::<LogGroup>(),
        round_trip::<LogStream>(),
        round_trip::<LogEvent>(),
        round_trip::<MetricFilter>(),
        round_trip::<SubscriptionFilter>(),
        round_trip::<Destination>(),
        round_trip::<Registry>(),
        round_trip::<Schema>(),
        round_trip::<Discoverer>(),
        round_trip::<Secret>(),
        round_trip::<SecretVersion>(),
    ]
};

#[test]
fn model_json_round_trip() {
    for test_cloud in test_clouds() {
        for resource in &test_cloud.resources {
            let session = test_cloud.session();
            let round_trip = JSON.iter().find(|(name, _)| *name == resource.kind.name);
            let (_, round_trip) =
                round_trip.unwrap_or_else(|| panic!("{} is not in the list", resource.kind.name));
            let listed = resource.list(&session, None).unwrap().into_iter();
            for model in listed.chain([Value::Map(resource.require(&session))]) {
                let text = json::write(model.view(), json::Writing::EXPOSED);
                let read = round_trip(&text)
                    .unwrap_or_else(|error| panic!("{} {text}: {error}", resource.kind.name));
                assert_eq!(json::parse(read.as_bytes()).unwrap(), json::parse(text.as_bytes()).unwrap());
            }
        }
    }
}

/// Settings that block a deletion: the kind, a call that removes the setting, and its parameters.
const DELETION_BLOCKERS: &[(&str, &str, &str)] = &[
    ("LogGroup", "update", r#"{"deletionProtectionEnabled": false}"#),
    (
        "LoadBalancer",
        "set_attributes",
        r#"{"Attributes": [{"Key": "deletion_protection.enabled", "Value": "false"}]}"#,
    ),
    ("Secret", "remove_regions", r#"{"RemoveReplicaRegions": ["eu-west-1"]}"#),
];

/// Lists every resource in the account and Region of the session, parents first.
fn listed(session: &Session) -> Vec<TestResource> {
    let mut all: Vec<TestResource> = Vec::new();
    let has = |kind: &nephos::shape::KindShape, call: &str| kind.call(call).is_some();
    for kind in REGISTRY.kinds().filter(|kind| has(kind, "delete") && has(kind, "list")) {
        let of = |known| TestResource { kind, input: Map::default(), known };
        let mut places = vec![of(Map::default())];
        if !places[0].can_list() {
            // The listing needs a parent.
            places = all
                .iter()
                .map(|resource| of(resource.known.clone()))
                .filter(TestResource::can_list)
                .collect();
        }
        for place in places {
            let models = place.list(session, None).unwrap_or_default();
            all.extend(models.iter().map(|model| {
                let mut known = place.known.clone();
                known.extend(fields(model).clone());
                of(known)
            }));
        }
    }
    all
}

/// Deletes the account policies, which are not a kind.
fn delete_account_policies(session: &Session) {
    let operation =
        |name: &str| operations().into_iter().find(|operation| operation.shape.name == name).unwrap();
    let kind = [("policyType".into(), Value::from("DATA_PROTECTION_POLICY"))].into_iter().collect();
    let answer = operation("DescribeAccountPolicies").run(session, &kind).unwrap();
    let Some(Value::List(policies)) = fields(&answer).get("accountPolicies") else { return };
    for policy in policies {
        let input =
            fields(policy).iter().filter(|(field, _)| ["policyName", "policyType"].contains(&field.as_str()));
        let input = input.map(|(field, value)| (field.clone(), value.clone())).collect();
        operation("DeleteAccountPolicy").run(session, &input).unwrap();
    }
}

/// Deletes rules and their targets, which are listed by bus and by rule.
fn clear_events(session: &Session) -> Result<()> {
    for bus in EventBus::objects(session).list().results().all().wait()? {
        for rule in bus.rules().wait()? {
            for target in rule.targets().wait()? {
                target.delete().force(true).wait()?;
            }
            rule.delete().force(true).wait()?;
        }
    }
    Ok(())
}

/// Removes what blocks the deletion of identities: memberships, policies, passwords, roles of instance profiles, and the
/// access keys of the root user, which no user leads to; and the settings of the account.
fn clear_identities(session: &Session) -> Result<()> {
    let account = AccountSummary::objects(session);
    account.list_aliases().wait()?.into_iter().try_for_each(|alias| account.delete_alias(alias).wait())?;
    if let Some(policy) = PasswordPolicy::objects(session).get().wait()? {
        policy.delete().wait()?;
    }
    // The root user may have a password.
    let delete = operations().into_iter().find(|operation| operation.shape.name == "DeleteLoginProfile");
    let _ = delete.unwrap().run(session, &Map::default());
    macro_rules! remove_policies {
        ($identity:ident, $attached:ident, $inline:ident, $delete:ident) => {
            for policy in $identity.$attached().wait()? {
                $identity.detach_policy(policy.policy_arn().unwrap_or_default()).wait()?;
            }
            for policy in $identity.$inline().wait()? {
                $identity.$delete(policy).wait()?;
            }
        };
    }
    for user in User::objects(session).list().results().all().wait()? {
        for group in user.list_groups().wait()? {
            user.remove_from_group(group.require_name()?).wait()?;
        }
        remove_policies!(user, list_attached_policies, list_policies, delete_policy);
        if let Some(profile) = LoginProfile::objects(session).get(user.require_name()?).wait()? {
            profile.delete().wait()?;
        }
        let certificates = SigningCertificate::objects(session);
        for certificate in certificates.list().user_name(user.require_name()?).results().all().wait()? {
            certificate.delete().wait()?;
        }
        for key in
            SSHPublicKey::objects(session).list().user_name(user.require_name()?).results().all().wait()?
        {
            key.delete().wait()?;
        }
        let credentials = ServiceSpecificCredential::objects(session);
        for credential in credentials.list().user_name(user.require_name()?).results().all().wait()? {
            credential.delete().wait()?;
        }
    }
    let certificates = SigningCertificate::objects(session);
    for certificate in certificates.list().results().all().wait()? {
        certificates.delete(certificate.require_name()?).wait()?;
    }
    for group in Group::objects(session).list().results().all().wait()? {
        remove_policies!(group, attached_policies, inline_policies, remove_inline_policy);
    }
    let all = operations();
    let delete_linked =
        all.iter().find(|operation| operation.shape.name == "DeleteServiceLinkedRole").unwrap();
    for role in Role::objects(session).list().results().all().wait()? {
        if role.path().is_some_and(|path| path.starts_with("/aws-service-role/")) {
            delete_linked
                .run(session, &[("RoleName".into(), role.require_name()?.into())].into_iter().collect())?;
            continue;
        }
        remove_policies!(role, list_attached_policies, list_policies, delete_policy);
    }
    for profile in InstanceProfile::objects(session).list().results().all().wait()? {
        for role in profile.roles().unwrap_or_default() {
            profile.remove_role(role.require_name()?).wait()?;
        }
    }
    let keys = AccessKey::objects(session);
    keys.list().results().all().wait()?.iter().try_for_each(|key| keys.delete(key.require_name()?).wait())
}

/// Deletes all listed resources, in several rounds.
fn delete_all_listed(cloud: &Cloud) {
    for _ in 0..6 {
        for session in [cloud.session(), cloud.session().with_region("eu-west-1")] {
            delete_account_policies(&session);
            clear_identities(&session).unwrap();
            clear_events(&session).unwrap();
            for resource in listed(&session).iter().rev() {
                for (_, call, input) in
                    DELETION_BLOCKERS.iter().filter(|(kind, ..)| *kind == resource.kind.name)
                {
                    let input = parse_params(&session, &[], input);
                    // Most resources do not have the setting.
                    let _ = match *call {
                        "update" => resource.update(&session, &input),
                        _ => resource.call_with(&session, call, input),
                    };
                }
                // Parents of other resources are deleted in a later round.
                let _ = resource.call(&session, "delete");
            }
        }
        cloud.clock().advance(SignedDuration::from_hours(31 * 24)).unwrap();
    }
    // Events of a log group expire after at most ten years.
    cloud.clock().advance(SignedDuration::from_hours(11 * 366 * 24)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deletion_after_random_calls_leaves_no_rows(workflow in prop::collection::vec(any::<u64>(), 1..120)) {
        let cloud = options().in_memory();
        let before = settled_rows(&cloud);
        let cloud = with_examples(cloud);
        workflow.iter().for_each(|seed| drop(step(&cloud, *seed)));
        delete_all_listed(&cloud);
        assert_same(&without_remaining(settled_rows(&cloud)), &without_remaining(before), "deleted");
    }
}
