//! Laws over everything in the registry.

use crate::harness::Program;
use nephos::{
    Map, REGISTRY, Value,
    shape::{RecordShape, Type},
};
use nephos_cli::full_grammar;
use nephos_core::json::{self, Writing};

#[test]
fn grammar_of_every_kind_is_valid() {
    full_grammar().debug_assert();
}

#[test]
fn every_call_has_help() {
    let program = Program::new();
    let grammar = full_grammar();
    let mut calls = 0;
    for kind in REGISTRY.kinds() {
        let command =
            grammar.find_subcommand(kind.name).unwrap_or_else(|| panic!("{} is not a command", kind.name));
        for call in kind.calls() {
            let of_call = command
                .find_subcommand(call.name)
                .unwrap_or_else(|| panic!("{} has no {}", kind.name, call.name));
            let help = program.run(&format!("{} {} --help", command.get_name(), of_call.get_name()));
            assert_eq!((help.code, help.err.as_str()), (0, ""), "{} {}", kind.name, call.name);
            let first_word = call.docs.split(' ').next().unwrap();
            assert!(help.out.starts_with(first_word), "{} {}: {}", kind.name, call.name, help.out);
            calls += 1;
        }
    }
    assert!(calls > 0);
}

#[test]
fn every_parameter_of_every_call_has_a_flag() {
    let grammar = full_grammar();
    for kind in REGISTRY.kinds() {
        let command = grammar.find_subcommand(kind.name).unwrap();
        for call in kind.calls() {
            let of_call = command.find_subcommand(call.name).unwrap();
            let has = |name: &str| {
                of_call.get_arguments().any(|arg| {
                    let flag = if name == "limit" { "page-size".to_owned() } else { name.replace('_', "-") };
                    arg.get_long() == Some(&*flag) || arg.get_long() == Some(&*format!("with-{flag}"))
                })
            };
            for param in
                call.params.fields.iter().filter(|param| !param.details.model && !param.details.wire_only)
            {
                assert!(has(param.rust_name), "{} {} has no flag for {}", kind.name, call.name, param.name);
            }
            if call.params.fields.iter().any(|param| param.details.model) && call.name == "create" {
                let assignable = |field: &&nephos::shape::FieldShape| {
                    field.presence != nephos::shape::Presence::ServiceSet
                };
                for field in kind.record.fields.iter().filter(assignable) {
                    assert!(
                        has(field.rust_name),
                        "{} {} has no flag for {}",
                        kind.name,
                        call.name,
                        field.name
                    );
                }
            }
        }
    }
}

/// A required key of `get` identifies the resource in place of its ARN or ID.
#[test]
fn every_update_takes_the_identity_of_its_resource() {
    use nephos::shape::{Identity, Presence};
    let grammar = full_grammar();
    for kind in REGISTRY.kinds() {
        let Some(update) =
            kind.call("update").filter(|call| call.params.fields.iter().any(|param| param.details.model))
        else {
            continue;
        };
        let get = kind.call("get").map_or(&[][..], |get| get.params.fields);
        if get.iter().any(|param| param.presence == Presence::Required) {
            continue;
        }
        let paths = match &kind.pk {
            Identity::None => &[][..],
            Identity::Path(path) => &[*path][..],
            Identity::Mapping(paths) => paths,
        };
        let of_call = grammar.find_subcommand(kind.name).unwrap().find_subcommand(update.name).unwrap();
        for path in paths {
            let (_, field) = kind.record.field(path[0]).unwrap();
            let flag = field.rust_name.replace('_', "-");
            let has = of_call.get_arguments().any(|arg| arg.get_long() == Some(&*flag));
            assert!(has, "{} update has no flag --{flag}", kind.name);
        }
    }
}

#[test]
fn every_write_call_has_dry_run_and_from() {
    let grammar = full_grammar();
    for kind in REGISTRY.kinds() {
        for call in kind.calls() {
            let of_call = grammar.find_subcommand(kind.name).unwrap().find_subcommand(call.name).unwrap();
            let writes = call.effect == nephos::shape::Effect::Write;
            for option in ["dry-run", "from"] {
                let has = of_call.get_arguments().any(|arg| arg.get_long() == Some(option));
                assert_eq!(has, writes, "{} {} --{option}", kind.name, call.name);
            }
        }
    }
}

/// Returns JSON of a value of the type, which need not be valid.
fn any_value(ty: &Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(true),
        Type::Int | Type::Float => Value::Int(1),
        Type::Time => "2026-01-31T12:00:00Z".into(),
        Type::Choice(choice) => choice.values[0].name.into(),
        Type::Record(record) => any_record(record),
        Type::List(_) => Value::List(Vec::new()),
        Type::Map(_) | Type::Any => Value::Map(Map::default()),
        Type::Text | Type::Secret | Type::Blob => "x".into(),
    }
}

fn any_record(record: &RecordShape) -> Value {
    let listed = record.fields.iter().filter(|field| !field.not_in_list);
    Value::Map(listed.map(|field| (field.name.into(), any_value(&field.ty))).collect())
}

/// `list -o jsonl | delete --from -` works for every kind: a line of a listing has all that `delete` requires.
#[test]
fn every_delete_takes_a_line_of_a_listing() {
    let (program, grammar, mut kinds) = (Program::new(), full_grammar(), 0);
    for kind in REGISTRY.kinds().filter(|kind| kind.call("list").is_some() && kind.call("delete").is_some()) {
        let line = json::write(any_record(kind.record).view(), Writing::SHOWN);
        let command = grammar.find_subcommand(kind.name).unwrap().get_name();
        let output = program.run_with_input(&format!("{command} delete --memory --from -"), &line);
        assert!(output.err.contains("succeeded"), "{}: {}", kind.name, output.err);
        assert!(!output.err.contains("required"), "{}: {}", kind.name, output.err);
        kinds += 1;
    }
    assert!(kinds > 30, "{kinds}");
}

#[test]
fn option_state_is_that_of_the_call_or_suggests_the_state_file() {
    let program = Program::new();
    let grammar = full_grammar();
    let root = program.run("--state x kinds");
    assert_eq!((root.code, root.err.lines().count()), (2, 1), "{}", root.err);
    assert!(root.err.ends_with("did you mean --state-file?\n"), "{}", root.err);
    let mut own = 0;
    for kind in REGISTRY.kinds() {
        let command = grammar.find_subcommand(kind.name).unwrap();
        for call in command.get_subcommands() {
            if call.get_arguments().any(|arg| arg.get_long() == Some("state")) {
                own += 1;
                continue;
            }
            let line = format!("{} {} --state x", command.get_name(), call.get_name());
            let refused = program.run(&line);
            assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{line}: {}", refused.err);
            assert!(refused.err.ends_with("did you mean --state-file?\n"), "{line}: {}", refused.err);
        }
    }
    assert!(own > 0);
    assert_eq!(std::fs::read_dir(program.folder.path()).unwrap().count(), 0);
}
