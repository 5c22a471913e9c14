//! Compatibility of state files: every later version opens a file of an earlier version, reads it, and runs its due work.
//!
//! `fixtures/state-1` has resources of every kind and rows of every table of its version, in three scopes, some of them in
//! a transition. `fixtures/state-1.json` has the models, and the models 40 days later. Fields that are added later are not
//! in it; fields that are in it must stay. A fixture is never rewritten: a new table gets another file.

use crate::{
    examples::{create_examples, create_examples_of, run_steps},
    facts::{kind_facts, register_functions},
    test_cloud::{contains_value, realistic},
    test_resource::{TestResource, fields},
};
use nephos::{
    AllServices, Cloud, DEFAULT_ACCOUNT, DEFAULT_REGION, Kernel, Map, REGISTRY, Session, SignedDuration,
    Value,
};
use nephos_cloud::{ServiceSet, read_key};
use nephos_core::json;
use nephos_testing::{OTHER_ACCOUNT, OTHER_REGION, World};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
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
    register_functions(&cloud);
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

/// Creates resources of every kind, and rows of every table.
fn fill(cloud: &Cloud) -> Vec<(Session, TestResource)> {
    let [first, other_region, other_account] = scopes(cloud);
    let mut resources = create_examples(&first);
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    resources.extend(run_steps(&first, &resources, |facts| facts.extras));
    resources.extend(run_steps(&first, &resources, |facts| facts.page_items));
    for service in nephos_cases::laws() {
        let filled = (service.fill_tables)(&first).unwrap_or_else(|error| panic!("{error}"));
        let filled =
            filled.into_iter().map(|(kind, known)| TestResource { kind, input: Map::default(), known });
        resources.extend(filled);
    }
    let in_scope = |session: Session, resources: Vec<TestResource>| {
        resources.into_iter().map(move |resource| (session.clone(), resource))
    };
    // The first scope has the resources of global services, which have no Region.
    let regional = create_examples_of(&other_region, |kind| !(kind.service)().global);
    let others = create_examples(&other_account);
    let first = in_scope(first, resources);
    first.chain(in_scope(other_region, regional)).chain(in_scope(other_account, others)).collect()
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
    let declared = AllServices::SERVICES.iter().flat_map(|service| service.tables);
    let empty: Vec<_> = declared.map(|table| table.name).filter(|name| !tables.contains(*name)).collect();
    assert!(empty.is_empty(), "tables without rows: {empty:?}; add them to fill_tables of the services");
    for kind in REGISTRY.kinds().filter(|kind| kind_facts(kind).excluded.is_none()) {
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

    let world = World::new(Kernel::from(cloud.clone()));
    let checks: Vec<_> = nephos_cases::laws()
        .flat_map(|service| service.state_files)
        .filter(|check| check.file == FILES[0])
        .collect();
    assert!(!checks.is_empty(), "no service checks the content of the file");
    for check in &checks {
        (check.opened)(&world).unwrap();
    }
    let moved = cloud.clock().advance(LATER).unwrap();
    assert!(moved.done >= 30, "only {} work items were due", moved.done);
    assert_eq!(cloud.failed_work().unwrap(), []);
    assert_eq!(compare("later"), 19);
    for check in &checks {
        (check.later)(&world).unwrap();
    }
    assert_eq!(cloud.failed_work().unwrap(), []);
}
