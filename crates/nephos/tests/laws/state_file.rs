//! A state file that an earlier version wrote: every later version opens it, reads what is in it, and does the work that
//! was left in it.
//!
//! `fixtures/state-1` has resources of every kind and rows of every table that there were, in three places, some of them
//! on their way to another state. `fixtures/state-1.json` says what was read of them, and what was read 40 days later. What
//! is added to models later is not in it; what is in it must stay. A file is never written anew: a table that is new gets
//! another file.

use crate::{
    examples::{CHANGES, Made, fields, furnish, given_in},
    generic::operations,
    scene::{covers, realistic},
    states::add_beside,
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

/// The file, the key that it needs, and what was read of it.
const FILES: [&str; 3] = ["state-1", "state-1.nephos-key", "state-1.json"];

/// How long it takes until all is done that was left to be done soon.
const LATER: SignedDuration = SignedDuration::from_hours(40 * 24);

fn fixtures() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures"].iter().collect()
}

/// The cloud in the file at `path`.
fn open(path: &Path) -> Cloud {
    let cloud = realistic().open(path).unwrap();
    cloud.register("renew", Arc::new(|_, _| Ok(())));
    cloud
}

/// The places that there is something in.
fn places(cloud: &Cloud) -> [Session; 3] {
    let place = |account, region| cloud.session().with_account(account).with_region(region);
    [
        place(DEFAULT_ACCOUNT, DEFAULT_REGION),
        place(DEFAULT_ACCOUNT, OTHER_REGION),
        place(OTHER_ACCOUNT, DEFAULT_REGION),
    ]
}

/// What is found of a resource: nothing if it is gone.
fn find(session: &Session, made: &Made) -> Value {
    made.find(session).ok().flatten().map_or(Value::Null, Value::Map)
}

/// Carries out an operation of a service.
fn ask(session: &Session, operation: &str, given: &str) -> Value {
    let all = operations();
    let operation = all.iter().find(|known| known.shape.name == operation).unwrap();
    operation.carry_out(session, &given_in(session, &[], given)).unwrap()
}

/// Makes something of every kind, and rows of every table.
fn fill(cloud: &Cloud) -> Vec<(Session, Made)> {
    let [first, others @ ..] = places(cloud);
    let mut made = furnish(&first);
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    made.extend(add_beside(&first, &made));
    let of = |kind: &str| made.iter().rfind(|made| made.kind.name == kind).unwrap();
    let verified = CHANGES.iter().find(|(_, change)| change.contains("TrustStoreArn")).unwrap();
    of("Listener").update(&first, &given_in(&first, &made, verified.1)).unwrap();
    let rarely = r#"{"RotationRules": {"AutomaticallyAfterDays": 1000}, "RotateImmediately": false,
        "RotationFunctionARN": "renew"}"#;
    of("Secret").call(&first, "cancel_rotation").unwrap();
    let rotated = given_in(&first, &[], r#"{"Name": "rotated", "SecretString": "hunter5"}"#);
    let rotated = Made::make(&first, of("Secret").kind, rotated).unwrap();
    rotated.call_with(&first, "rotate", given_in(&first, &[], rarely)).unwrap();
    ask(
        &first,
        "PutAccountPolicy",
        r#"{"policyName": "all", "policyType": "DATA_PROTECTION_POLICY", "policyDocument":
        "{\"Name\": \"policy\", \"Version\": \"2021-06-01\", \"Statement\": [{\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Audit\": {\"FindingsDestination\": {}}}}, {\"DataIdentifier\": [\"arn:aws:dataprotection::aws:data-identifier/EmailAddress\"], \"Operation\": {\"Deidentify\": {\"MaskConfig\": {}}}}]}"}"#,
    );
    ask(
        &first,
        "RunInstances",
        r#"{"ImageId": "ami-12345678", "MinCount": 1, "MaxCount": 1, "ClientToken": "once"}"#,
    );
    let group = of("TargetGroup");
    group
        .call_with(&first, "register", given_in(&first, &[], r#"{"Targets": [{"Id": "10.0.1.7"}]}"#))
        .unwrap();
    group
        .call_with(&first, "deregister", given_in(&first, &[], r#"{"Targets": [{"Id": "10.0.1.7"}]}"#))
        .unwrap();
    // What is about to go: a secret that can still be restored, an instance that is terminated, a part of the default network.
    let secret = made.iter().find(|made| made.kind.name == "Secret").unwrap();
    secret.call(&first, "get_value").unwrap();
    secret.call_with(&first, "delete", given_in(&first, &[], r#"{"RecoveryWindowInDays": 7}"#)).unwrap();
    of("Instance").call(&first, "delete").unwrap();
    let subnets = of("Subnet").list(&first, None).unwrap();
    let is_default = |subnet: &&Value| fields(subnet).get("DefaultForAz") == Some(&Value::Bool(true));
    let known = fields(subnets.iter().rfind(is_default).unwrap()).clone();
    let default = Made { kind: of("Subnet").kind, given: Map::default(), known };
    default.call(&first, "delete").unwrap();
    made.extend([default, rotated]);
    let first = made.into_iter().map(|made| (first.clone(), made));
    let others = others
        .into_iter()
        .flat_map(|other| furnish(&other).into_iter().map(move |made| (other.clone(), made)));
    first.chain(others).collect()
}

/// What is said of a resource in a line of the file beside the state.
fn line(session: &Session, made: &Made, now: Value, later: Value) -> String {
    let mut keys = made.known.clone();
    // Only what a call on it, or a listing, is told.
    keys.retain(|field, value| {
        matches!(value, Value::Text(_)) && !["SecretString", "Content"].contains(&field.as_str())
    });
    let later = if later == now { Value::Bool(true) } else { later };
    let line: Map<Value> = [
        ("account", session.account().into()),
        ("region", session.region().into()),
        ("kind", made.kind.name.into()),
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
#[ignore = "writes the state file that every later version has to open"]
fn write_the_state_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILES[0]);
    let cloud = open(&path);
    let made = fill(&cloud);
    let tables: BTreeSet<_> =
        cloud.rows().unwrap().iter().map(|(key, _)| read_key(key).unwrap().0.to_owned()).collect();
    for table in AllServices::SERVICES.iter().flat_map(|service| service.tables) {
        assert!(tables.contains(table.name), "there is nothing in {}", table.name);
    }
    for kind in REGISTRY.kinds() {
        assert!(made.iter().any(|(_, made)| made.kind.name == kind.name), "there is no {}", kind.name);
    }
    let now: Vec<_> = made.iter().map(|(session, made)| find(session, made)).collect();
    cloud.compact(|_| {}).unwrap();
    cloud.close().unwrap();
    drop(cloud);
    for file in &FILES[..2] {
        let to = fixtures().join(file);
        assert!(!to.exists(), "{file} is there, and has to stay as it is");
        fs::create_dir_all(fixtures()).unwrap();
        fs::copy(folder.path().join(file), to).unwrap();
    }
    let cloud = open(&path);
    cloud.clock().advance(LATER).unwrap();
    let lines = made.iter().zip(now).map(|((session, made), now)| {
        let session = cloud.session().with_account(session.account()).with_region(session.region());
        line(&session, made, now, find(&session, made)) + "\n"
    });
    fs::write(fixtures().join(FILES[2]), lines.collect::<String>()).unwrap();
}

#[test]
fn a_state_file_of_an_earlier_version_is_read_and_its_work_is_done() {
    let folder = tempfile::tempdir().unwrap();
    for file in &FILES[..2] {
        let to = folder.path().join(file);
        fs::copy(fixtures().join(file), &to).unwrap();
        // A key is for its owner alone, which a checkout does not know.
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
            let made = Made { kind, given: Map::default(), known: fields(&line["keys"]).clone() };
            let expected = if line[when] == Value::Bool(true) { &line["now"] } else { &line[when] };
            // Times are texts in the file.
            let found = json::write(find(&session, &made).view(), json::Writing::EXPOSED);
            let found = json::parse(found.as_bytes()).unwrap();
            assert!(covers(&found, expected), "{when} {:?} is {found:?}, not {expected:?}", made.known);
            kinds.insert(kind.name);
        }
        kinds.len()
    };
    assert_eq!(compare("now"), 19);

    // Some of it by hand: what was sealed, and what was left to be done.
    let [session, other, _] = places(&cloud);
    let secrets = Secret::objects(&session);
    let value = |session: &Session| {
        let found = Secret::objects(session).get_value("one").wait().unwrap();
        found.secret_string().unwrap().expose().to_owned()
    };
    assert_eq!(value(&session), "hunter4");
    let planned = secrets.get("/a").wait().unwrap().unwrap();
    assert!(planned.deleted_date().is_some(), "it can be restored for seven days");
    let next = secrets.get("rotated").wait().unwrap().unwrap().next_rotation_date().unwrap();
    let balancer = || {
        let found = LoadBalancer::objects(&other).get().name("web").wait().unwrap().unwrap();
        found.get("State.Code").unwrap()
    };
    let events = || LogEvent::objects(&other).list("/a").results().count().wait().unwrap();
    assert_eq!((balancer(), events()), ("provisioning".into(), 2));
    let moved = cloud.clock().advance(LATER).unwrap();
    assert!(moved.done >= 30, "only {} pieces of work were left", moved.done);
    assert_eq!(cloud.failed_work().unwrap(), []);
    assert_eq!(compare("later"), 19);
    assert_eq!((balancer(), events()), ("active".into(), 0));
    assert!(secrets.get("/a").wait().unwrap().is_none());
    let asked = Arc::new(AtomicUsize::new(0));
    let renew = asked.clone();
    cloud.register(
        "renew",
        Arc::new(move |_, _| {
            renew.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }),
    );
    cloud.clock().set(next - SignedDuration::from_hours(25)).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 0, "a secret is rotated in the last day before it has to be");
    cloud.clock().set(next).unwrap();
    assert!(asked.load(Ordering::Relaxed) > 0);
    assert_eq!(cloud.failed_work().unwrap(), []);
}
