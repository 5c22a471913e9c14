//! Laws over the whole store: transitions, deletion, previews, forks, reopening and JSON.

use crate::{
    Rows, assert_same,
    examples::{parse_params, run_steps, with_examples},
    facts::{kind_facts, register_functions},
    generic::{Operation, options},
    settled_rows, step,
    test_cloud::{TestCloud, new_cloud, realistic, test_clouds},
    test_resource::{TestResource, create_operation, fields},
};
use nephos::{Cloud, Error, ErrorKind, Map, REGISTRY, Session, SignedDuration, Value, shape::Presence};
use nephos_cloud::{Part, read_key};
use nephos_core::json;
use nephos_testing::RemainingRows;
use proptest::prelude::{ProptestConfig, any, prop, proptest};

/// Reads all resources.
fn read_all(session: &Session, created: &[TestResource]) -> Vec<Map<Value>> {
    created.iter().map(|resource| resource.require(session)).collect()
}

#[test]
fn realistic_transitions_end_like_instant_ones() {
    let [instant, realistic] = test_clouds();
    let both = |about: &str, differ: bool| {
        let rows = |test_cloud: &TestCloud| without_times(settled_rows(&test_cloud.cloud));
        let (instant, realistic) = (rows(&instant), rows(&realistic));
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
    // Some resources can be deleted while they are created.
    [&instant, &realistic].into_iter().for_each(TestCloud::delete_all);
    let rows = |test_cloud: &TestCloud| without_times(settled_rows(&test_cloud.cloud));
    assert_same(&rows(&realistic), &rows(&instant), "deleted at once");
}

/// Removes the rows that have the times at which transitions end.
fn without_times(mut rows: Rows) -> Rows {
    let timed: Vec<_> = nephos_cases::laws().flat_map(|service| service.timed_tables).collect();
    rows.retain(|(key, _)| {
        let (table, _) = read_key(key).unwrap();
        !timed.iter().any(|(of, _)| *of == table)
    });
    rows
}

/// Rows of the cloud itself that stay after everything is deleted, and the reason.
const REMAINING_ROWS: &[(RemainingRows, &str)] = &[
    (RemainingRows::Key("cloud", "clock"), "the clock was advanced"),
    (RemainingRows::Key("cloud", "key-check"), "something was encrypted, so other keys are refused"),
    (RemainingRows::Table("version"), "transactions know by it whether a cached value is theirs"),
    (RemainingRows::Key("cloud", "lease"), "a server on a database holds it"),
    (RemainingRows::Key("cloud", "lease-beat"), "the holder of the lease shows that it is alive"),
];

/// Removes the rows that stay by design.
fn without_remaining(mut rows: Rows) -> Rows {
    let remaining: Vec<_> = REMAINING_ROWS
        .iter()
        .chain(nephos_cases::laws().flat_map(|service| service.remaining_rows))
        .collect();
    for (remaining, _) in remaining {
        let ids = remaining_ids(remaining, &rows);
        rows.retain(|(key, _)| {
            let (table, parts) = read_key(key).unwrap();
            let stays = match remaining {
                RemainingRows::Table(of) => *of == table,
                RemainingRows::Key(of, last) => {
                    *of == table && parts.last() == Some(&Part::Text((*last).into()))
                }
                RemainingRows::Resource(of, _) => {
                    service_of(table) == service_of(of) && parts.iter().any(|part| ids.contains(part))
                }
            };
            !stays
        });
    }
    rows
}

/// Returns the service in the name of a table.
fn service_of(table: &str) -> &str {
    table.split('/').next().unwrap_or_default()
}

/// Returns the last parts of the keys of the resources that stay.
fn remaining_ids(remaining: &RemainingRows, rows: &Rows) -> Vec<Part> {
    let RemainingRows::Resource(of, text) = remaining else { return Vec::new() };
    let id = |(key, row): &(Vec<u8>, Vec<u8>)| {
        let (table, mut parts) = read_key(key)?;
        let stays = table == *of && String::from_utf8_lossy(row).contains(text);
        parts.pop().filter(|_| stays)
    };
    rows.iter().filter_map(id).collect()
}

#[test]
fn deletion_leaves_no_rows() {
    for options in [options(), realistic()] {
        let cloud = new_cloud(options);
        let before = without_remaining(settled_rows(&cloud));
        register_functions(&cloud);
        let mut test_cloud = TestCloud::new(cloud);
        test_cloud.settle();
        let more = run_steps(&test_cloud.session(), &test_cloud.resources, |facts| facts.extras);
        test_cloud.resources.extend(more);
        // Lets daily work run a few times.
        test_cloud.cloud.clock().advance(SignedDuration::from_hours(72)).unwrap();
        test_cloud.delete_all();
        assert_same(&without_remaining(settled_rows(&test_cloud.cloud)), &before, "deleted");
    }
}

#[test]
fn preview_changes_nothing() {
    for test_cloud in test_clouds() {
        test_cloud.settle();
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
                        resource
                            .prepare_update(&session, &changes, Map::default())
                            .unwrap()
                            .preview()
                            .wait()
                            .map(drop)
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
        let fork = TestCloud::with_resources(origin.cloud.fork().unwrap(), origin.resources.clone());
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
        let (path, clock) = (folder.path().join(n.to_string()), nephos_testing::clock());
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
        let TestCloud { resources, cloud, .. } = TestCloud::new(open());
        let (before, models) = (settled_rows(&cloud), read_all(&cloud.session(), &resources));
        cloud.close().unwrap();
        drop(cloud);
        let again = TestCloud::with_resources(open(), resources);
        assert_same(&uncounted(settled_rows(&again.cloud)), &uncounted(before), "opened again");
        assert_eq!(read_all(&again.session(), &again.resources), models);
        // Transitions continue, also if time passes while the file is closed.
        again.cloud.close().unwrap();
        let uninterrupted = TestCloud::new(options.clone().in_memory());
        let TestCloud { resources, cloud, .. } = again;
        drop(cloud);
        clock.advance(SignedDuration::from_hours(1));
        let again = TestCloud::with_resources(open(), resources);
        let models =
            [&again, &uninterrupted].map(|test_cloud| read_all(&test_cloud.session(), &test_cloud.resources));
        assert_eq!(models[0], models[1]);
        assert_eq!(again.cloud.failed_work().unwrap(), []);
    }
}

#[test]
fn model_json_round_trip() {
    for test_cloud in test_clouds() {
        for resource in &test_cloud.resources {
            let session = test_cloud.session();
            let round_trip = kind_facts(resource.kind).json_round_trip;
            let required =
                resource.kind.record.fields.iter().filter(|field| field.presence == Presence::Required);
            let is_whole =
                |model: &Value| required.clone().all(|field| fields(model).contains_key(field.name));
            // Reserved tags, which callers cannot set, are not read again.
            let has_reserved_tags =
                |model: &Value| json::write(model.view(), json::Writing::EXPOSED).contains(r#""Key":"aws:"#);
            // A resource of the provider may lack a field that callers must set.
            let listed = resource.list(&session, None).unwrap().into_iter();
            let listed = listed.filter(|model| is_whole(model) && !has_reserved_tags(model));
            for model in listed.chain([Value::Map(resource.require(&session))]) {
                let text = json::write(model.view(), json::Writing::EXPOSED);
                let read = round_trip(&text)
                    .unwrap_or_else(|error| panic!("{} {text}: {error}", resource.kind.name));
                assert_eq!(json::parse(read.as_bytes()).unwrap(), json::parse(text.as_bytes()).unwrap());
            }
        }
    }
}

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

/// Deletes all listed resources, in several rounds, until one deletes nothing.
fn delete_all_listed(cloud: &Cloud) {
    let count = || settled_rows(cloud).len();
    for _ in 0..6 {
        let before = count();
        for session in [cloud.session(), cloud.session().with_region("eu-west-1")] {
            nephos_cases::laws().for_each(|service| (service.clean_up)(&session).unwrap());
            for resource in listed(&session).iter().rev() {
                for (call, input) in kind_facts(resource.kind).deletion_blockers {
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
        if count() == before {
            break;
        }
    }
    // Items with a retention expire after at most ten years.
    cloud.clock().advance(SignedDuration::from_hours(11 * 366 * 24)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deletion_after_random_calls_leaves_no_rows(workflow in prop::collection::vec(any::<u64>(), 1..120)) {
        let cloud = new_cloud(options());
        let before = settled_rows(&cloud);
        let cloud = with_examples(cloud);
        workflow.iter().for_each(|seed| drop(step(&cloud, *seed)));
        delete_all_listed(&cloud);
        assert_same(&without_remaining(settled_rows(&cloud)), &without_remaining(before), "deleted");
    }
}
