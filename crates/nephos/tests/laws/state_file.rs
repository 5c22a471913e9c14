//! Compatibility of state files: every later version opens a file of an earlier version, reads it, and runs its due work.
//!
//! `fixtures/state-1` has resources of every kind and rows of every table of its version, in three scopes, some of them in
//! a transition. `fixtures/state-1.json` has the models, and the models 40 days later. Fields that are added later are not
//! in it; fields that are in it must stay. A fixture is never rewritten: a new table gets another file.

use crate::{
    examples::{CHANGES, create_examples, parse_params},
    generic::operations,
    states::add_extras,
    test_cloud::{contains_value, realistic},
    test_resource::{TestResource, fields},
};
use nephos::{
    AllServices, Cloud, DEFAULT_ACCOUNT, DEFAULT_REGION, Map, REGISTRY, Session, SignedDuration, Value,
    prelude::*,
    services::{elbv2::LoadBalancer, logs::LogEvent, secrets::Secret},
    testing::{OTHER_ACCOUNT, OTHER_REGION},
};
use nephos_cloud::{ServiceSet, read_key};
use nephos_core::json;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The state file, its key, and the expected models.
const FILES: [&str; 3] = ["state-1", "state-1.nephos-key", "state-1.json"];

/// Time until the due work of the file is done.
const LATER: SignedDuration = SignedDuration::from_hours(40 * 24);

fn fixtures() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures"].iter().collect()
}

/// Opens the cloud at `path`.
fn open(path: &Path) -> Cloud {
    let cloud = realistic().open(path).unwrap();
    cloud.register("renew", Arc::new(|_, _| Ok(())));
    cloud
}

/// Returns sessions in the scopes of the fixture.
fn scopes(cloud: &Cloud) -> [Session; 3] {
    let scope = |account, region| cloud.session().with_account(account).with_region(region);
    [
        scope(DEFAULT_ACCOUNT, DEFAULT_REGION),
        scope(DEFAULT_ACCOUNT, OTHER_REGION),
        scope(OTHER_ACCOUNT, DEFAULT_REGION),
    ]
}

/// Reads a resource; null if it does not exist.
fn find(session: &Session, resource: &TestResource) -> Value {
    resource.find(session).ok().flatten().map_or(Value::Null, Value::Map)
}

/// Runs a wire operation.
fn run_operation(session: &Session, operation: &str, input: &str) -> Value {
    let all = operations();
    let operation = all.iter().find(|known| known.shape.name == operation).unwrap();
    operation.run(session, &parse_params(session, &[], input)).unwrap()
}

/// Creates resources of every kind, and rows of every table.
fn fill(cloud: &Cloud) -> Vec<(Session, TestResource)> {
    let [first, others @ ..] = scopes(cloud);
    let mut resources = create_examples(&first);
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    resources.extend(add_extras(&first, &resources));
    let of = |kind: &str| resources.iter().rfind(|resource| resource.kind.name == kind).unwrap();
    let verified = CHANGES.iter().find(|(_, change)| change.contains("TrustStoreArn")).unwrap();
    of("Listener").update(&first, &parse_params(&first, &resources, verified.1)).unwrap();
    let rarely = r#"{"RotationRules": {"AutomaticallyAfterDays": 1000}, "RotateImmediately": false,
        "RotationFunctionARN": "renew"}"#;
    of("Secret").call(&first, "cancel_rotation").unwrap();
    let rotated = parse_params(&first, &[], r#"{"Name": "rotated", "SecretString": "hunter5"}"#);
    let rotated = TestResource::create(&first, of("Secret").kind, rotated).unwrap();
    rotated.call_with(&first, "rotate", parse_params(&first, &[], rarely)).unwrap();
    run_operation(
        &first,
        "PutAccountPolicy",
        r#"{"policyName": "all", "policyType": "DATA_PROTECTION_POLICY", "policyDocument":
        "{\"Name\": \"policy\", \"Version\": \"2021-06-01\", \"Statement\": [{\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Audit\": {\"FindingsDestination\": {}}}}, {\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Deidentify\": {\"MaskConfig\": {}}}}]}"}"#,
    );
    run_operation(
        &first,
        "RunInstances",
        r#"{"ImageId": "ami-12345678", "MinCount": 1, "MaxCount": 1, "ClientToken": "once"}"#,
    );
    let group = of("TargetGroup");
    group
        .call_with(&first, "register", parse_params(&first, &[], r#"{"Targets": [{"Id": "10.0.1.7"}]}"#))
        .unwrap();
    group
        .call_with(&first, "deregister", parse_params(&first, &[], r#"{"Targets": [{"Id": "10.0.1.7"}]}"#))
        .unwrap();
    // Pending deletions: a secret in its recovery window, a terminated instance, a subnet of the default VPC.
    let secret = resources.iter().find(|resource| resource.kind.name == "Secret").unwrap();
    secret.call(&first, "get_value").unwrap();
    secret.call_with(&first, "delete", parse_params(&first, &[], r#"{"RecoveryWindowInDays": 7}"#)).unwrap();
    of("Instance").call(&first, "delete").unwrap();
    let subnets = of("Subnet").list(&first, None).unwrap();
    let is_default = |subnet: &&Value| fields(subnet).get("DefaultForAz") == Some(&Value::Bool(true));
    let known = fields(subnets.iter().rfind(is_default).unwrap()).clone();
    let default = TestResource { kind: of("Subnet").kind, input: Map::default(), known };
    default.call(&first, "delete").unwrap();
    resources.extend([default, rotated]);
    let first = resources.into_iter().map(|resource| (first.clone(), resource));
    let others = others
        .into_iter()
        .flat_map(|other| create_examples(&other).into_iter().map(move |resource| (other.clone(), resource)));
    first.chain(others).collect()
}

/// Returns the line of the JSON fixture for a resource.
fn line(session: &Session, resource: &TestResource, now: Value, later: Value) -> String {
    let mut keys = resource.known.clone();
    // Only the parameters that identify it in calls and listings.
    keys.retain(|field, value| {
        matches!(value, Value::Text(_)) && !["SecretString", "Content"].contains(&field.as_str())
    });
    let later = if later == now { Value::Bool(true) } else { later };
    let line: Map<Value> = [
        ("account", session.account().into()),
        ("region", session.region().into()),
        ("kind", resource.kind.name.into()),
        ("keys", Value::Map(keys)),
        ("now", now),
        ("later", later),
    ]
    .into_iter()
    .map(|(key, value)| (key.into(), value))
    .collect();
    json::write(Value::Map(line).view(), json::Writing::EXPOSED)
}

#[test]
#[ignore = "writes the fixture that every later version has to open"]
fn write_state_file_fixture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILES[0]);
    let cloud = open(&path);
    let resources = fill(&cloud);
    let tables: BTreeSet<_> =
        cloud.rows().unwrap().iter().map(|(key, _)| read_key(key).unwrap().0.to_owned()).collect();
    for table in AllServices::SERVICES.iter().flat_map(|service| service.tables) {
        assert!(tables.contains(table.name), "table {} is empty", table.name);
    }
    for kind in REGISTRY.kinds() {
        assert!(
            resources.iter().any(|(_, resource)| resource.kind.name == kind.name),
            "no resource of {}",
            kind.name
        );
    }
    let now: Vec<_> = resources.iter().map(|(session, resource)| find(session, resource)).collect();
    cloud.compact(|_| {}).unwrap();
    cloud.close().unwrap();
    drop(cloud);
    for file in &FILES[..2] {
        let to = fixtures().join(file);
        assert!(!to.exists(), "{file} exists and must not be rewritten");
        fs::create_dir_all(fixtures()).unwrap();
        fs::copy(folder.path().join(file), to).unwrap();
    }
    let cloud = open(&path);
    cloud.clock().advance(LATER).unwrap();
    let lines = resources.iter().zip(now).map(|((session, resource), now)| {
        let session = cloud.session().with_account(session.account()).with_region(session.region());
        line(&session, resource, now, find(&session, resource)) + "\n"
    });
    fs::write(fixtures().join(FILES[2]), lines.collect::<String>()).unwrap();
}

#[test]
fn state_file_of_an_earlier_version_opens_and_runs_due_work() {
    let folder = tempfile::tempdir().unwrap();
    for file in &FILES[..2] {
        let to = folder.path().join(file);
        fs::copy(fixtures().join(file), &to).unwrap();
        // A checkout does not restore the permissions that a key file needs.
        #[cfg(unix)]
        fs::set_permissions(to, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    let cloud = open(&folder.path().join(FILES[0]));
    assert_eq!(cloud.check().unwrap(), nephos_store::Health::Sound);
    let lines = fs::read_to_string(fixtures().join(FILES[2])).unwrap();
    let lines: Vec<_> = lines.lines().map(|line| json::parse(line.as_bytes()).unwrap()).collect();
    let compare = |when: &str| {
        let mut kinds = BTreeSet::new();
        for line in lines.iter().map(fields) {
            let text = |field: &str| line[field].as_text().unwrap();
            let session = cloud.session().with_account(text("account")).with_region(text("region"));
            let kind = REGISTRY.kind(text("kind")).unwrap();
            let resource = TestResource { kind, input: Map::default(), known: fields(&line["keys"]).clone() };
            let expected = if line[when] == Value::Bool(true) { &line["now"] } else { &line[when] };
            // Times are texts in the fixture.
            let found = json::write(find(&session, &resource).view(), json::Writing::EXPOSED);
            let found = json::parse(found.as_bytes()).unwrap();
            assert!(
                contains_value(&found, expected),
                "{when} {:?} is {found:?}, not {expected:?}",
                resource.known
            );
            kinds.insert(kind.name);
        }
        kinds.len()
    };
    assert_eq!(compare("now"), 19);

    // Checks encrypted values and due work explicitly.
    let [session, other, _] = scopes(&cloud);
    let secrets = Secret::objects(&session);
    let value = |session: &Session| {
        let found = Secret::objects(session).get_value("one").wait().unwrap();
        found.secret_string().unwrap().expose().to_owned()
    };
    assert_eq!(value(&session), "hunter4");
    let planned = secrets.get("/a").wait().unwrap().unwrap();
    assert!(planned.deleted_date().is_some(), "the secret is in its recovery window of seven days");
    let next = secrets.get("rotated").wait().unwrap().unwrap().next_rotation_date().unwrap();
    let balancer = || {
        let found = LoadBalancer::objects(&other).get().name("web").wait().unwrap().unwrap();
        found.get("State.Code").unwrap()
    };
    let events = || LogEvent::objects(&other).list("/a").results().count().wait().unwrap();
    assert_eq!((balancer(), events()), ("provisioning".into(), 2));
    let moved = cloud.clock().advance(LATER).unwrap();
    assert!(moved.done >= 30, "only {} work items were due", moved.done);
    assert_eq!(cloud.failed_work().unwrap(), []);
    assert_eq!(compare("later"), 19);
    assert_eq!((balancer(), events()), ("active".into(), 0));
    assert!(secrets.get("/a").wait().unwrap().is_none());
    let calls = Arc::new(AtomicUsize::new(0));
    let renew = calls.clone();
    cloud.register(
        "renew",
        Arc::new(move |_, _| {
            renew.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }),
    );
    cloud.clock().set(next - SignedDuration::from_hours(25)).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 0, "a secret is rotated in the last day before its date");
    cloud.clock().set(next).unwrap();
    assert!(calls.load(Ordering::Relaxed) > 0);
    assert_eq!(cloud.failed_work().unwrap(), []);
}
