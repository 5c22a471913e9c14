//! Laws over everything in the registry, driven by shapes, so that they cover a new kind or operation at once.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

#[cfg(feature = "postgres")]
mod database;
mod decisions;
mod examples;
mod facts;
mod generic;
mod kinds;
mod models;
mod names;
mod paging;
mod protection;
mod references;
mod saving;
mod state_file;
mod states;
mod test_cloud;
mod test_resource;
mod wire;

use examples::{create_examples, with_examples};
use facts::{listed_operations, service_facts};
use generic::{Operation, Random, operations, options};
use nephos::{
    AllServices, Arn, Cloud, DEFAULT_ACCOUNT, DEFAULT_REGION, Map, REGISTRY, Session, SignedDuration, Text,
    Value,
    shape::{Effect, Identity, KindShape, Type},
};
use nephos_cloud::{Part, Scope, ServiceSet, read_key};
use nephos_core::{
    Error, ErrorKind, Result,
    dynamic::{self, Reach},
};
use proptest::prelude::*;
use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::Path,
    sync::LazyLock,
};
use test_cloud::new_cloud;
use test_resource::fields;

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

fn rows(cloud: &Cloud) -> Rows {
    cloud.rows().unwrap()
}

/// Runs due work; returns all rows.
fn settled_rows(cloud: &Cloud) -> Rows {
    cloud.clock().advance(SignedDuration::ZERO).unwrap();
    rows(cloud)
}

/// Asserts that two states are equal; reports the rows that differ.
#[track_caller]
fn assert_same(now: &Rows, before: &Rows, about: &str) {
    let only = |of: &Rows, not: &Rows| -> Vec<String> {
        let rows = of.iter().filter(|row| !not.contains(row));
        rows.map(|(key, row)| format!("{:?}: {}", read_key(key), String::from_utf8_lossy(row))).collect()
    };
    if now != before {
        panic!("{about}: removed {:#?}, added {:#?}", only(before, now), only(now, before));
    }
}

#[test]
fn every_operation_has_exactly_one_handler() {
    let described: Vec<_> = REGISTRY.services.iter().map(|service| service.name).collect();
    let here: Vec<_> = AllServices::SERVICES.iter().map(|service| service.shape.name).collect();
    assert_eq!(described, here);
    for service in AllServices::SERVICES {
        for operation in service.shape.operations {
            let own = service.handlers.iter().filter(|entry| std::ptr::eq(entry.operation, *operation));
            assert_eq!(own.count(), 1, "{}", operation.name);
            assert!(matches!(dynamic::reach(operation), Reach::Wire(_)), "{}", operation.name);
        }
        assert_eq!(service.handlers.len(), service.shape.operations.len());
        let names: HashSet<_> = service.shape.operations.iter().map(|operation| operation.name).collect();
        assert_eq!(names.len(), service.shape.operations.len(), "duplicate operation name");
        let codes: HashSet<_> = service.shape.codes.iter().map(|code| (code.code, code.kind)).collect();
        assert_eq!(codes.len(), service.shape.codes.len(), "duplicate error code");
        assert!(service.shape.codes.contains(&service.shape.invalid));
        let tables: HashSet<_> = service.tables.iter().map(|table| table.name).collect();
        assert_eq!(tables.len(), service.tables.len(), "duplicate table");
    }
}

/// The compiler finds a case that is not listed, but not a file that is no module.
#[test]
fn every_file_of_tests_is_compiled() {
    let (services, mut found) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../services"), 0);
    for service in fs::read_dir(services).unwrap() {
        let service = service.unwrap().path();
        found += check_modules(&service.join("cases"), "lib.rs")
            + check_modules(&service.join("tests"), "main.rs");
    }
    assert!(found > 50, "only {found} files");
}

/// Asserts that each file in a folder is a module of `root`; returns the number of files.
fn check_modules(folder: &Path, root: &str) -> usize {
    let listed = fs::read_to_string(folder.join(root)).unwrap();
    let mut found = 0;
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.is_dir() {
            if path.join("mod.rs").exists() {
                found += check_modules(&path, "mod.rs");
            }
        } else if path.extension().is_none_or(|extension| extension != "rs") || path.ends_with(root) {
            continue;
        }
        let mut lines =
            listed.lines().map(|line| line.trim_start_matches("pub(super) ").trim_start_matches("pub "));
        let has_source = path.is_file() || path.join("mod.rs").exists();
        assert!(
            !has_source || lines.any(|line| line == format!("mod {name};")),
            "{} is not a module",
            path.display()
        );
        found += 1;
    }
    found
}

#[test]
fn every_call_of_a_kind_matches_its_shape() {
    for kind in REGISTRY.kinds() {
        assert!(!kind.calls().is_empty(), "{}", kind.name);
        assert!(std::ptr::eq(REGISTRY.kind(kind.name).unwrap(), kind), "{} is not found by name", kind.name);
        assert!((kind.service)().kinds.iter().any(|own| std::ptr::eq(*own, kind)));
        for call in kind.calls() {
            assert!(
                std::ptr::eq(kind.call(call.name).unwrap(), call),
                "{} {} is a duplicate",
                kind.name,
                call.name
            );
            assert_eq!(
                call.pages,
                matches!(dynamic::reach(call), Reach::List(_)),
                "{} {}",
                kind.name,
                call.name
            );
            assert!(!call.docs.is_empty() && !call.params.fields.iter().any(|param| param.docs.is_empty()));
            let reads = ["get", "list"].contains(&call.name);
            assert!(!reads || call.effect == Effect::Read, "{} {}", kind.name, call.name);
        }
    }
}

#[test]
fn subject_of_every_operation_consists_of_its_parameters() {
    for operation in
        operations().iter().filter(|operation| matches!(dynamic::reach(operation.shape), Reach::Wire(_)))
    {
        assert!(!operation.shape.subject.is_empty(), "{operation:?} has no subject");
        for name in operation.shape.subject_parameters() {
            let mut shape = Some(operation.shape.params);
            for step in name.split('.') {
                let field = shape.and_then(|shape| shape.field(step));
                let (_, field) = field.unwrap_or_else(|| panic!("{operation:?} has no parameter {name}"));
                shape = match field.ty {
                    Type::Record(record) => Some(record),
                    Type::List(Type::Record(record)) => Some(*record),
                    _ => None,
                };
            }
        }
    }
}

#[test]
fn permissions_always_have_a_resource() {
    for facts in nephos_cases::laws() {
        let mut open = Vec::new();
        for operation in facts.service.operations {
            let name = format!("{} {}", facts.service.name, operation.name);
            // Without a resource, nothing would be checked.
            let is_fixed = |part: &str| !part.contains("? ");
            assert!(operation.subject.split(" + ").any(is_fixed), "{name} may have no resource");
            if operation.permission.open {
                open.push(operation.name);
            }
        }
        let expected: Vec<_> = facts.open.iter().map(|(name, _)| *name).collect();
        assert_eq!(open, expected, "operations of {} that every caller may run", facts.service.name);
    }
}

/// Collects all ARNs in a value.
fn collect_arns(value: &Value, arns: &mut HashSet<String>) {
    match value {
        Value::Map(fields) => fields.values().for_each(|value| collect_arns(value, arns)),
        Value::List(items) => items.iter().for_each(|item| collect_arns(item, arns)),
        Value::Text(text) if text.starts_with("arn:") => drop(arns.insert(text.to_string())),
        _ => {}
    }
}

/// Removes the path from the ARN of an identity: operations on it have its name and not its path.
fn without_path(arn: &str) -> String {
    let (before, path) = arn.split_once('/').unwrap_or((arn, ""));
    format!("{before}/{}", path.rsplit('/').next().unwrap_or_default())
}

/// True if a subject is built from the name of a model whose own ARN is of another type: kinds of a service have fields of the
/// same name.
fn has_name_of_other_type(template: &str, subject: &Arn, kind: &KindShape, model: &Value) -> bool {
    let Identity::Path([path]) = &kind.arn else { return false };
    let Some(own) = fields(model).get(*path).and_then(|arn| Arn::read(arn.as_text()?)) else { return false };
    let type_of = |arn: &Arn| arn.resource().split(['/', ':']).next().unwrap_or_default().to_owned();
    !template.starts_with('{') && type_of(subject) != type_of(&own)
}

#[test]
fn subjects_are_in_scope_and_exist() {
    let cloud = new_cloud(options());
    let (mut arns, mut models) = (HashSet::new(), Vec::new());
    for resource in create_examples(&cloud.session()) {
        let (kind, listed) = (resource.kind, resource.list(&cloud.session(), None).unwrap());
        listed.iter().for_each(|model| collect_arns(model, &mut arns));
        // Kinds without an ARN field, or whose listings omit it: the ARN ends with the ID.
        let has_no_arn = match &kind.arn {
            Identity::None => true,
            Identity::Path([field]) => kind.record.field(field).is_some_and(|(_, field)| field.not_in_list),
            _ => false,
        };
        if let (true, Identity::Path([id])) = (has_no_arn, &kind.pk) {
            let ids = listed.iter().filter_map(|model| fields(model).get(*id)?.as_text());
            arns.extend(ids.map(|id| {
                let resource = kind.path.with([id]);
                Arn::new((kind.service)().signing, DEFAULT_REGION, DEFAULT_ACCOUNT, resource).to_string()
            }));
        }
        models.extend(listed.into_iter().map(|model| (kind, model)));
    }
    let mut named = HashSet::new();
    for operation in operations() {
        let taken = operation.shape.subject_parameters();
        let facts = service_facts(operation.service);
        for (kind, model) in models.iter().filter(|(kind, _)| (kind.service)().name == operation.service.name)
        {
            let input =
                taken.iter().filter_map(|name| Some((Text::new(name), fields(model).get(*name)?.clone())));
            let input: Map<Value> = input.collect();
            let Some(subjects) = operation.subjects(&input) else { continue };
            for subject in subjects {
                let region = if operation.service.global { "" } else { DEFAULT_REGION };
                // Policies of the provider have `aws` in place of an account.
                let accounts = ["", "aws", DEFAULT_ACCOUNT];
                let here = accounts.contains(&subject.account()) && subject.region() == region;
                assert!(here && subject.service() == operation.service.signing, "{operation:?}: {subject}");
                let text = subject.as_str();
                // Some ARNs have a unique suffix after the name.
                let longer = [format!("{text}-"), format!("{text}/")];
                let mut parts = facts.subject_parts.iter();
                let exists = arns.contains(text)
                    || parts.any(|(part, other, _)| arns.contains(&text.replace(part, other)))
                    || arns.iter().any(|arn| {
                        longer.iter().any(|longer| arn.starts_with(longer)) || without_path(arn) == text
                    });
                let is_of_kind = !has_name_of_other_type(operation.shape.subject, &subject, kind, model);
                let names_one = operation.shape.subject.contains('{') && !text.contains('*') && is_of_kind;
                assert!(exists || !names_one, "{operation:?} acts on {subject}, which does not exist");
                named.extend(exists.then(|| format!("{operation:?}")));
            }
        }
    }
    assert!(named.len() > 40, "too few operations with existing subjects: {named:?}");
}

#[test]
fn unknown_parameters_are_refused_with_the_nearest_name() {
    let cloud = new_cloud(options());
    let before = rows(&cloud);
    for operation in operations() {
        for param in operation.parameters() {
            let wrong = format!("{}x", param.name);
            let input = [(wrong.as_str().into(), Value::from("x"))].into_iter().collect();
            let error = operation.run(&cloud.session(), &input).expect_err("the parameter is unknown");
            assert_eq!(error.field(), Some(wrong.as_str()), "{operation:?}: {error}");
            assert_eq!(error.code(), operation.service.invalid.code, "{operation:?}: {error}");
            let hint = format!("did you mean {}?", param.name);
            // Either of two names that differ only in letter case is accepted.
            let message = error.message().to_lowercase();
            assert!(message.contains(&hint.to_lowercase()), "{operation:?}: {error}");
        }
    }
    assert_eq!(rows(&cloud), before);
}

/// Asserts that an error is in the table of the service.
fn assert_known(operation: &Operation, error: &Error) {
    let mut codes = operation.service.codes.iter();
    let code = codes.find(|code| code.code == error.code() && code.kind == error.kind());
    let valued = error.is_value_error() && error.field().is_some();
    // The sessions of these laws have no container daemon.
    let is_local = error.kind() == ErrorKind::DaemonDown;
    assert!(code.is_some() || valued || is_local, "{operation:?} was refused with {error:?}");
    // The provider refuses some requests without a text.
    let has_text = !error.message().is_empty() || code.is_some_and(|code| code.texts.contains(&""));
    assert!(has_text && error.to_string().lines().count() == 1, "{error:?}");
}

/// Asserts that every row of a declared table is unchanged by decoding and encoding.
fn assert_rows_round_trip(rows: &Rows) {
    let tables: BTreeMap<_, _> = AllServices::SERVICES
        .iter()
        .flat_map(|service| service.tables)
        .map(|table| (table.name, table))
        .collect();
    for (key, row) in rows {
        let (name, parts) = read_key(key).expect("every key can be decoded");
        let Some(table) = tables.get(name) else { continue };
        let [Part::Text(account), Part::Text(region), ..] = &parts[..] else { panic!("{name} {parts:?}") };
        let scope = Scope::new(account.clone(), region.clone());
        assert_eq!(
            table.rewrite_row(&scope, key, row).unwrap(),
            (key.clone(), row.clone()),
            "{name} {parts:?}"
        );
    }
}

/// Removes the rows of the tables that reads write to.
fn without_written_by_reads(mut rows: Rows) -> Rows {
    let is_written = |table: &str| {
        nephos_cases::laws()
            .flat_map(|service| service.written_by_reads)
            .any(|(written, _)| *written == table)
    };
    rows.retain(|(key, _)| read_key(key).is_none_or(|(table, _)| !is_written(table)));
    rows
}

/// A random call that is about to be made.
struct RandomCall<'o> {
    operation: &'o Operation,
    input: Map<Value>,
    session: Session,
}

impl<'o> RandomCall<'o> {
    /// Chooses one of these operations and its parameters; now and then, time passes before.
    fn new(cloud: &Cloud, seed: u64, operations: &'o [Operation]) -> Self {
        let mut random = Random(seed);
        if random.below(12) == 0 {
            cloud.clock().advance(SignedDuration::from_hours(random.below(40) as i64)).unwrap();
        }
        let operation = &operations[random.below(operations.len())];
        let input = generic::parameters(operation, &mut random, cloud.clock().now().as_millisecond());
        let session = match random.below(8) {
            0 => cloud.session().with_region("eu-west-1"),
            _ => cloud.session(),
        };
        Self { operation, input, session }
    }

    fn run(&self) -> Result<Value> {
        self.operation.run(&self.session, &self.input)
    }
}

/// Makes one random call, with all checks; returns its name and answer.
fn step(cloud: &Cloud, seed: u64) -> (String, Result<Value>) {
    let operations = operations();
    let call = RandomCall::new(cloud, seed, &operations);
    let RandomCall { operation, input, session } = &call;
    // Due work would run before the next call; run it before rows are compared.
    cloud.clock().advance(SignedDuration::ZERO).unwrap();
    let before = rows(cloud);
    let tried = operation.preview(session, input);
    assert_eq!(rows(cloud), before, "preview of {operation:?} with {input:?} changed rows");
    let answer = call.run();
    if let Some(tried) = tried {
        assert_eq!(tried.is_ok(), answer.is_ok(), "{operation:?} {input:?}: {tried:?}, {answer:?}");
    }
    match &answer {
        Err(error) => {
            assert_eq!(rows(cloud), before, "{operation:?} with {input:?} was refused and changed rows");
            assert_known(operation, error);
        }
        Ok(_) if operation.shape.effect == Effect::Read => {
            let now = without_written_by_reads(rows(cloud));
            assert_eq!(
                now,
                without_written_by_reads(before),
                "{operation:?} with {input:?} is a read and changed rows"
            );
        }
        Ok(_) => {}
    }
    (format!("{operation:?}"), answer)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_call_panics_and_no_refused_call_changes_rows(workflow in prop::collection::vec(any::<u64>(), 1..80)) {
        static ORIGIN: LazyLock<Cloud> = LazyLock::new(|| with_examples(options().in_memory()));
        let cloud = ORIGIN.fork().unwrap();
        workflow.iter().for_each(|seed| drop(step(&cloud, *seed)));
        assert_rows_round_trip(&rows(&cloud));
        assert_eq!(cloud.failed_work().unwrap(), []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn same_calls_give_same_answers_and_rows(workflow in prop::collection::vec(any::<u64>(), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let file = options().durable(false).open(folder.path().join("cloud")).unwrap();
        let clouds = [options().in_memory(), options().in_memory(), file].map(with_examples);
        let random = listed_operations(|service| service.random_answers);
        let text = |(call, answer): (String, Result<Value>)| {
            if random.contains(&*call) { format!("{call} {}", answer.is_ok()) } else { format!("{call} {answer:?}") }
        };
        for seed in workflow {
            let [first, second, third] = [0, 1, 2].map(|n| text(step(&clouds[n], seed)));
            prop_assert_eq!(&first, &second);
            prop_assert_eq!(&first, &third);
        }
        prop_assert_eq!(rows(&clouds[0]), rows(&clouds[1]));
        prop_assert_eq!(rows(&clouds[0]), rows(&clouds[2]));
    }
}

#[test]
fn random_calls_succeed_for_most_operations() {
    // Also where laws are checked on a database: forks are in memory, and the calls name the IDs of a seeded cloud in memory.
    let origin = with_examples(options().in_memory());
    let all = operations();
    let unreachable = listed_operations(|service| service.unreachable);
    let is_listed = |operation: &Operation| unreachable.contains(&*format!("{operation:?}"));
    let mut never = operations();
    never.retain(|operation| !is_listed(operation));
    let reachable = never.len();
    let mut cloud = origin.fork().unwrap();
    for seed in 0..30 * all.len() as u64 {
        // Calls of all operations create what the others need.
        let operations = if seed % 2 == 0 { &all } else { &never };
        let call = RandomCall::new(&cloud, seed, operations);
        if call.run().is_ok() {
            let name = format!("{:?}", call.operation);
            assert!(!unreachable.contains(&*name), "{name} succeeds: it need not be listed");
            never.retain(|operation| format!("{operation:?}") != name);
        }
        if never.len() * 3 < reachable {
            return;
        }
        if seed % 60 == 59 {
            // After many calls most resources are deleted or quotas are used up.
            cloud = origin.fork().unwrap();
        }
    }
    panic!("random calls never succeed for {never:?}");
}
