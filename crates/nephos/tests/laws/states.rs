//! Laws over whole states: what resources of every kind leave in the store.

use crate::{
    Rows, assert_same,
    examples::{Made, fields, furnished, given_in, maker},
    generic::{Operation, operations, options},
    scene::{Scene, realistic, scenes},
    settled_rows, step,
};
use nephos::{
    Cloud, Error, ErrorKind, Map, REGISTRY, Resource, Session, SignedDuration, Value,
    services::{
        ec2::{Instance, SecurityGroup, Subnet, Vpc},
        elbv2::{Listener, LoadBalancer, Rule, TargetGroup, TrustStore},
        logs::{LogEvent, LogGroup, LogStream, MetricFilter, SubscriptionFilter},
        schemas::{Discoverer, Registry, Schema},
        secrets::{Secret, SecretVersion},
    },
    testing,
};
use nephos_cloud::{Part, read_key};
use nephos_core::{Result, json};
use proptest::prelude::{ProptestConfig, any, prop, proptest};

/// All that was made, as it is found now.
fn found(session: &Session, made: &[Made]) -> Vec<Map<Value>> {
    made.iter().map(|made| made.found(session)).collect()
}

#[test]
fn states_that_take_their_time_end_as_instant_ones_do() {
    let [instant, realistic] = scenes();
    let both = |about: &str, differ: bool| {
        let (instant, realistic) = (settled_rows(&instant.cloud), settled_rows(&realistic.cloud));
        match differ {
            true => assert_ne!(instant, realistic, "{about}"),
            false => assert_same(&realistic, &instant, about),
        }
    };
    both("made just now", true);
    [&instant, &realistic].into_iter().for_each(Scene::settle);
    both("made an hour ago", false);
    let models = [&instant, &realistic].map(|scene| found(&scene.session(), &scene.made));
    assert_eq!(models[0], models[1]);
    [&instant, &realistic].into_iter().for_each(Scene::delete_all);
    both("deleted a month ago", false);
}

#[test]
fn what_is_deleted_while_it_is_on_its_way_ends_as_what_is_not() {
    let [instant, realistic] = scenes();
    // Listeners and rules need a balancer, and a balancer can be deleted while it is provisioned.
    [&instant, &realistic].into_iter().for_each(Scene::delete_all);
    assert_same(&settled_rows(&realistic.cloud), &settled_rows(&instant.cloud), "deleted at once");
}

/// Rows that stay by design once everything is deleted: the table, the last part of the key unless it is any, and why.
const KEPT: &[(&str, &str, &str)] = &[
    ("cloud", "clock", "the time was moved"),
    ("cloud", "key-check", "something was sealed: another key is refused from then on"),
    ("ec2/gone", "", "a part of the default network, for which there is no row, was deleted"),
];

fn without_kept(mut rows: Rows) -> Rows {
    rows.retain(|(key, _)| {
        let (table, parts) = read_key(key).unwrap();
        let is_last = |part: &str| part.is_empty() || parts.last() == Some(&Part::Text(part.into()));
        !KEPT.iter().any(|(kept, part, _)| *kept == table && is_last(part))
    });
    rows
}

/// What resources have beside their fields: the kind, a call that adds it, and its parameters beside those that name the
/// resource.
const BESIDE: &[(&str, &str, &str)] = &[
    (
        "LogGroup",
        "put_data_protection_policy",
        r#"{"logGroupIdentifier": "/a", "policyDocument": "{\"Name\": \"policy\", \"Version\": \"2021-06-01\", \"Statement\": [{\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Audit\": {\"FindingsDestination\": {}}}}, {\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Deidentify\": {\"MaskConfig\": {}}}}]}"}"#,
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
        "TrustStore",
        "tag",
        r#"{"ResourceArn": "$TrustStore.TrustStoreArn", "Tags": [{"Key": "law", "Value": "beside"}]}"#,
    ),
];

/// Adds what resources have beside their fields; tells of the resources that were made by that.
pub(crate) fn add_beside(session: &Session, made: &[Made]) -> Vec<Made> {
    let mut more = Vec::new();
    for (name, call, given) in BESIDE {
        let of = made.iter().rfind(|made| made.kind.name == *name).unwrap();
        let added = of.call_with(session, call, given_in(session, made, given));
        let added = added.unwrap_or_else(|error| panic!("{name} {call} {given}: {error}"));
        if let ("run", Value::List(instances)) = (*call, added) {
            more.extend(instances.into_iter().map(|instance| Made {
                kind: of.kind,
                given: Map::default(),
                known: fields(&instance).clone(),
            }));
        }
    }
    more
}

#[test]
fn nothing_is_left_of_what_is_deleted() {
    for options in [options(), realistic()] {
        let cloud = options.in_memory();
        let before = without_kept(settled_rows(&cloud));
        cloud.register("renew", std::sync::Arc::new(|_, _| Ok(())));
        let mut scene = Scene::new(cloud);
        scene.settle();
        scene.made.extend(add_beside(&scene.session(), &scene.made));
        // A secret is rotated now and then, until it is deleted.
        scene.cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
        scene.delete_all();
        assert_same(&without_kept(settled_rows(&scene.cloud)), &before, "deleted");
    }
}

#[test]
fn a_preview_changes_nothing() {
    for scene in scenes() {
        let session = scene.session();
        let before = settled_rows(&scene.cloud);
        for made in &scene.made {
            let about = made.kind.name;
            let created = maker(made.kind).preview(&session, &made.another(7)).unwrap();
            let is_full = |error: &Error| error.kind() == ErrorKind::LimitExceeded;
            assert!(created.as_ref().err().is_none_or(is_full), "{about}: {created:?}");
            assert_same(&settled_rows(&scene.cloud), &before, about);
            for call in made.kind.calls {
                let previewed = match call.name {
                    "update" => {
                        let tags = made.kind.tags.map(|tags| made.kind.record.fields[tags].name.into());
                        let changes = tags.map(|tags| (tags, Value::Null)).into_iter().collect();
                        made.prepare_update(&session, &changes).unwrap().preview().wait().map(drop)
                    }
                    _ => {
                        let operation = Operation::of_kind(made.kind, call);
                        let Some(previewed) = operation.preview(&session, &made.parameters(call)) else {
                            continue;
                        };
                        previewed
                    }
                };
                assert!(
                    previewed.is_ok() || !["update", "get"].contains(&call.name),
                    "{about} {previewed:?}"
                );
                assert_same(&settled_rows(&scene.cloud), &before, about);
            }
        }
    }
}

#[test]
fn a_fork_and_its_origin_do_not_see_each_other() {
    for origin in scenes() {
        let before = settled_rows(&origin.cloud);
        let fork = Scene { cloud: origin.cloud.fork().unwrap(), made: origin.made.clone() };
        assert_same(&settled_rows(&fork.cloud), &before, "forked");
        assert_eq!(found(&fork.session(), &fork.made), found(&origin.session(), &origin.made));
        fork.delete_all();
        assert_same(&settled_rows(&origin.cloud), &before, "deleted in the fork");
        let fork = origin.cloud.fork().unwrap();
        origin.delete_all();
        assert_same(&settled_rows(&fork), &before, "deleted in the origin");
    }
}

#[test]
fn a_file_that_is_opened_again_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for (n, options) in [options(), realistic()].into_iter().enumerate() {
        let (path, clock) = (folder.path().join(n.to_string()), testing::clock());
        let options = options.clock(clock.clone()).durable(false);
        let open = || options.clone().open(&path).unwrap();
        // How often it was opened is counted.
        let uncounted = |mut rows: Rows| {
            let counter = (String::from("cloud"), vec![Part::Text("opened".into())]);
            rows.retain(|(key, _)| {
                read_key(key).is_none_or(|(table, parts)| (table.into(), parts) != counter)
            });
            rows
        };
        let Scene { made, cloud } = Scene::new(open());
        let (before, models) = (settled_rows(&cloud), found(&cloud.session(), &made));
        cloud.close().unwrap();
        drop(cloud);
        let again = Scene { cloud: open(), made };
        assert_same(&uncounted(settled_rows(&again.cloud)), &uncounted(before), "opened again");
        assert_eq!(found(&again.session(), &again.made), models);
        // What was on its way goes on, also if time passes while it is closed.
        again.cloud.close().unwrap();
        let through = Scene::new(options.clone().in_memory());
        let Scene { made, cloud } = again;
        drop(cloud);
        clock.advance(SignedDuration::from_hours(1));
        let again = Scene { cloud: open(), made };
        let models = [&again, &through].map(|scene| found(&scene.session(), &scene.made));
        assert_eq!(models[0], models[1]);
        assert_eq!(again.cloud.failed_work().unwrap(), []);
    }
}

/// A model of the kind, read from JSON and written again.
type Again = fn(&str) -> Result<String>;

/// Every kind, and how a model of it goes through JSON.
const JSON: &[(&str, Again)] = {
    const fn again<M: Resource>() -> (&'static str, Again) {
        (M::KIND.name, |json| M::from_json(json).map(|model| model.to_json_exposed()))
    }
    &[
        again::<Vpc>(),
        again::<Subnet>(),
        again::<SecurityGroup>(),
        again::<Instance>(),
        again::<TargetGroup>(),
        again::<LoadBalancer>(),
        again::<Listener>(),
        again::<Rule>(),
        again::<TrustStore>(),
        again::<LogGroup>(),
        again::<LogStream>(),
        again::<LogEvent>(),
        again::<MetricFilter>(),
        again::<SubscriptionFilter>(),
        again::<Registry>(),
        again::<Schema>(),
        again::<Discoverer>(),
        again::<Secret>(),
        again::<SecretVersion>(),
    ]
};

#[test]
fn a_model_goes_through_json_and_back() {
    for scene in scenes() {
        for made in &scene.made {
            let session = scene.session();
            let again = JSON.iter().find(|(name, _)| *name == made.kind.name);
            let (_, again) = again.unwrap_or_else(|| panic!("{} is not in the list", made.kind.name));
            let listed = made.list(&session, None).unwrap().into_iter();
            for model in listed.chain([Value::Map(made.found(&session))]) {
                let text = json::write(model.view(), json::Writing::EXPOSED);
                let read = again(&text).unwrap_or_else(|error| panic!("{} {text}: {error}", made.kind.name));
                assert_eq!(json::parse(read.as_bytes()).unwrap(), json::parse(text.as_bytes()).unwrap());
            }
        }
    }
}

/// What can be in the way of a deletion: the kind, a call that takes it away, and its parameters.
const IN_THE_WAY: &[(&str, &str, &str)] = &[
    ("LogGroup", "update", r#"{"deletionProtectionEnabled": false}"#),
    (
        "LoadBalancer",
        "set_attributes",
        r#"{"Attributes": [{"Key": "deletion_protection.enabled", "Value": "false"}]}"#,
    ),
    ("Secret", "remove_regions", r#"{"RemoveReplicaRegions": ["eu-west-1"]}"#),
];

/// Every resource that listings tell of where the session acts, those that others belong to first.
fn listed(session: &Session) -> Vec<Made> {
    let mut all: Vec<Made> = Vec::new();
    for kind in REGISTRY.kinds().filter(|kind| kind.call("delete").is_some()) {
        let of = |known| Made { kind, given: Map::default(), known };
        let mut places = vec![of(Map::default())];
        if !places[0].can_list() {
            // It is listed by what it belongs to.
            places = all.iter().map(|made| of(made.known.clone())).filter(Made::can_list).collect();
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

/// Deletes the policies of the account, which are of no kind.
fn delete_account_policies(session: &Session) {
    let operation =
        |name: &str| operations().into_iter().find(|operation| operation.shape.name == name).unwrap();
    let kind = [("policyType".into(), Value::from("DATA_PROTECTION_POLICY"))].into_iter().collect();
    let told = operation("DescribeAccountPolicies").carry_out(session, &kind).unwrap();
    let Some(Value::List(policies)) = fields(&told).get("accountPolicies") else { return };
    for policy in policies {
        let given =
            fields(policy).iter().filter(|(field, _)| ["policyName", "policyType"].contains(&field.as_str()));
        let given = given.map(|(field, value)| (field.clone(), value.clone())).collect();
        operation("DeleteAccountPolicy").carry_out(session, &given).unwrap();
    }
}

/// Deletes all that can be deleted, until nothing more can.
fn delete_all_listed(cloud: &Cloud) {
    for _ in 0..6 {
        for session in [cloud.session(), cloud.session().with_region("eu-west-1")] {
            delete_account_policies(&session);
            for made in listed(&session).iter().rev() {
                for (_, call, given) in IN_THE_WAY.iter().filter(|(kind, ..)| *kind == made.kind.name) {
                    let given = given_in(&session, &[], given);
                    // Few have anything of it.
                    let _ = match *call {
                        "update" => made.update(&session, &given),
                        _ => made.call_with(&session, call, given),
                    };
                }
                // What others belong to is deleted in the next round.
                let _ = made.call(&session, "delete");
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
    fn nothing_is_left_of_a_random_script(workflow in prop::collection::vec(any::<u64>(), 1..120)) {
        let cloud = options().in_memory();
        let before = settled_rows(&cloud);
        let cloud = furnished(cloud);
        workflow.iter().for_each(|seed| drop(step(&cloud, *seed)));
        delete_all_listed(&cloud);
        assert_same(&without_kept(settled_rows(&cloud)), &without_kept(before), "deleted");
    }
}
