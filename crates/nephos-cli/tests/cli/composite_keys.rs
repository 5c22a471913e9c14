//! Resources that a name alone does not identify: rules and targets of different buses.

use crate::{
    harness::{CmdOutput, Program},
    process::{nephos, serve, stop},
};
use nephos::{
    REGISTRY,
    shape::{Identity, KindShape, Presence},
};
use nephos_cli::full_grammar;

const QUEUE: &str = "arn:aws:sqs:us-east-1:123456789012:orders";

/// A rule `same` with a target `t` on the default bus, and another one on the bus `shop`.
fn setup() -> Vec<String> {
    let rule =
        |source: &str| format!(r#"event-rule create same --event-pattern '{{"source":["{source}"]}}'"#);
    let target = |input: &str| format!("event-target create same t --arn {QUEUE} --input '{input}'");
    vec![
        "event-bus create shop".into(),
        rule("DEFAULT"),
        format!("{} --event-bus-name shop", rule("SHOP")),
        target("1"),
        format!("{} --event-bus-name shop", target("2")),
    ]
}

fn program() -> Program {
    let program = Program::new();
    setup().iter().for_each(|line| program.run_all(&[line]));
    program
}

/// Returns the output of a command that must succeed.
fn output(program: &Program, line: &str) -> String {
    let CmdOutput { code, out, err } = program.run(line);
    assert_eq!(code, 0, "{line}: {err}");
    out
}

/// Returns the optional parameters of `get` that are part of the key of a kind, as flags.
fn optional_keys(kind: &KindShape) -> Vec<String> {
    let (Identity::Mapping(paths), Some(get)) = (&kind.pk, kind.call("get")) else { return Vec::new() };
    let optional = get.params.fields.iter().filter(|field| field.presence != Presence::Required);
    let keys = optional.filter(|field| paths.iter().any(|path| path.last() == Some(&field.name)));
    keys.map(|field| field.rust_name.replace('_', "-")).collect()
}

#[test]
fn every_call_for_one_resource_takes_its_whole_key() {
    let grammar = full_grammar();
    for kind in REGISTRY.kinds() {
        for flag in optional_keys(kind) {
            for call in kind.calls() {
                let of_call = grammar.find_subcommand(kind.name).unwrap().find_subcommand(call.name).unwrap();
                let has = |name: &str| of_call.get_arguments().any(|arg| arg.get_long() == Some(name));
                let Identity::Path([name]) = kind.name_identity else { panic!("{} has no name", kind.name) };
                let (_, name) = kind.record.field(name).unwrap();
                let is_for_one = has(&name.rust_name.replace('_', "-")) || has("resource-arn");
                assert!(!is_for_one || has(&flag), "{} {} has no --{flag}", kind.name, call.name);
            }
        }
    }
}

#[test]
fn update_with_the_whole_key_changes_exactly_that_resource() {
    for kind in REGISTRY.kinds().filter(|kind| !optional_keys(kind).is_empty()) {
        let (words, change, read) = match kind.name {
            "EventRule" => ("event-rule {} same", "--description changed", "[EventPattern, Description]"),
            "EventTarget" => {
                ("event-target {} same t", "--role-arn arn:aws:iam::1:role/r", "[Input, RoleArn]")
            }
            other => panic!("{other} has a key with a default: add commands for it"),
        };
        let program = program();
        let get = |at: &str| {
            output(&program, &format!("{}{at} -o json --query '{read}'", words.replace("{}", "get")))
        };
        let (default, shop) = (get(""), get(" --event-bus-name shop"));
        assert_ne!(default, shop);
        let update = words.replace("{}", "update");
        let planned =
            output(&program, &format!("{update} --event-bus-name shop {change} --dry-run -o jsonl"));
        assert!(planned.contains("shop") && !planned.contains("DEFAULT"), "{planned}");
        assert_eq!((get(""), get(" --event-bus-name shop")), (default.clone(), shop.clone()));
        output(&program, &format!("{update} --event-bus-name shop {change}"));
        let changed = get(" --event-bus-name shop");
        let first = |text: &str| text.lines().nth(1).map(str::to_owned);
        assert_eq!(get(""), default, "{} of the default bus", kind.name);
        assert_eq!(first(&changed), first(&shop), "{} keeps its other fields", kind.name);
        assert_ne!(changed, shop);
        output(&program, &format!("{update} {change}"));
        assert_eq!(first(&get("")), first(&default));
        assert_ne!(get(""), default);
    }
}

#[test]
fn missing_resource_is_reported_with_its_key() {
    let program = program();
    let error = |line: &str| {
        let output = program.run(line);
        assert_eq!(output.code, 3, "{line}: {}", output.err);
        output.err
    };
    assert_eq!(
        error("event-rule get big"),
        "nephos: ResourceNotFoundException: EventRule big does not exist (--event-bus-name: Name or ARN of the bus; \
         the default bus if it is not given)\n"
    );
    let missing = "nephos: ResourceNotFoundException: EventRule big does not exist (--event-bus-name shop)\n";
    assert_eq!(error("event-rule get big --event-bus-name shop"), missing);
    assert_eq!(error("event-rule update big --event-bus-name shop --description x"), missing);
    assert_eq!(error("event-rule tag big --event-bus-name shop --tags a=b"), missing);
    assert_eq!(
        error("event-target update same x --event-bus-name shop --input 1"),
        "nephos: ResourceNotFoundException: EventTarget same x does not exist (--event-bus-name shop)\n"
    );
}

#[test]
fn tags_are_those_of_the_resource_with_the_whole_key() {
    let program = program();
    let tags = |at: &str| output(&program, &format!("event-rule list-tags same{at} -o json --query [].Key"));
    let keys = |text: String| text.split_whitespace().collect::<String>();
    program.run_all(&["event-rule tag same --event-bus-name shop --tags a=1,b=2", "event-rule tag same c=3"]);
    assert_eq!(
        (keys(tags("")), keys(tags(" --event-bus-name shop"))),
        (r#"["c"]"#.into(), r#"["a","b"]"#.into())
    );
    program.run_all(&["event-rule untag same a --event-bus-name shop"]);
    assert_eq!(
        (keys(tags("")), keys(tags(" --event-bus-name shop"))),
        (r#"["c"]"#.into(), r#"["b"]"#.into())
    );
    // An ARN needs no bus, and kinds with a simple key take their name.
    program.run_all(&["event-rule untag arn:aws:events:us-east-1:123456789012:rule/shop/same b"]);
    assert_eq!(keys(tags(" --event-bus-name shop")), "[]");
    program.run_all(&[
        "event-bus tag shop a=1",
        "registry create shop",
        r#"schema create shop order --type OpenApi3 --content '{"openapi":"3.0.0","info":{"version":"1","title":"t"},"paths":{}}'"#,
    ]);
    program.run_all(&["schema tag order --registry-name shop team=web"]);
    assert_eq!(keys(output(&program, "event-bus list-tags shop -o json --query [].Key")), r#"["a"]"#);
}

#[test]
fn lines_have_the_whole_key() {
    let program = program();
    let get = |at: &str| {
        output(&program, &format!("event-rule get same{at} -o text --fields Description,EventPattern"))
    };
    let line = r#"{"Name":"same","EventBusName":"shop","Description":"one"}"#;
    assert_eq!(program.run_with_input("event-rule update --from -", line).code, 0);
    assert!(get(" --event-bus-name shop").contains("one"), "{}", get(" --event-bus-name shop"));
    assert!(get(" --event-bus-name shop").contains("SHOP"));
    let line = r#"{"Name":"same","Description":"two"}"#;
    assert_eq!(program.run_with_input("event-rule update --event-bus-name shop --from -", line).code, 0);
    assert!(get(" --event-bus-name shop").contains("two"));
    assert!(!get("").contains("one") && !get("").contains("two"), "{}", get(""));
    let line = r#"{"ResourceArn":"same","EventBusName":"shop","Tags":[{"Key":"a","Value":"b"}]}"#;
    assert_eq!(program.run_with_input("event-rule tag --from -", line).code, 0);
    let tags =
        |at: &str| output(&program, &format!("event-rule list-tags same{at} -o json --query length(@)"));
    assert_eq!((tags(""), tags(" --event-bus-name shop")), ("0\n".into(), "1\n".into()));
    let listed = output(&program, "event-target list same --event-bus-name shop -o jsonl");
    let deleted = program.run_with_input("event-target delete --from -", &listed);
    assert_eq!(deleted.code, 0, "{}", deleted.err);
    let left = |at: &str| output(&program, &format!("event-target list same{at} -o json --query length(@)"));
    assert_eq!((left(""), left(" --event-bus-name shop")), ("1\n".into(), "0\n".into()));
}

#[test]
fn names_are_completed_from_the_bus_of_the_flag() {
    let program = program();
    program.run_all(&[
        r#"event-rule create only-shop --event-bus-name shop --event-pattern '{"source":["x"]}'"#,
        r#"event-rule create only-default --event-pattern '{"source":["x"]}'"#,
        &format!("event-target create same second --arn {QUEUE} --event-bus-name shop"),
    ]);
    assert_eq!(program.candidates("event-rule update only"), ["only-default"]);
    assert_eq!(program.candidates("event-rule update --event-bus-name shop only"), ["only-shop"]);
    assert_eq!(program.candidates("event-rule delete --event-bus-name=shop only"), ["only-shop"]);
    assert_eq!(program.candidates("event-target update --event-bus-name shop same se"), ["second"]);
    assert!(program.candidates("event-target update same se").is_empty());
    assert_eq!(program.candidates("event-rule update --event-bus-name sh"), ["shop"]);
}

#[test]
fn dry_run_on_a_server_shows_the_resource_with_the_whole_key() {
    let (server, mut lines) = serve(&["--memory"]);
    let address = lines.pop().unwrap();
    let run = |line: &str| {
        let words: Vec<_> = line.split(' ').map(|word| word.trim_matches('\'')).collect();
        let output = nephos(&[&words[..], &["--endpoint", &address]].concat(), &[]);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    setup().iter().for_each(|line| drop(run(line)));
    let planned =
        run("event-rule update same --event-bus-name shop --description changed --dry-run -o jsonl");
    assert!(
        planned.contains("SHOP") && planned.contains("changed") && !planned.contains("DEFAULT"),
        "{planned}"
    );
    assert!(!run("event-rule get same --event-bus-name shop").contains("changed"));
    stop(server);
}
