//! `nephos events` and `nephos event-bus deliveries`.

use crate::{
    harness::{Program, assert_snapshot},
    process::{nephos, serve, stop},
};

const QUEUE: &str = "arn:aws:sqs:us-east-1:123456789012:orders";
const PATTERN: &str = r#"{"source":["shop"],"detail":{"total":[{"numeric":[">",100]}]}}"#;

fn put(bus: &str, source: &str, detail: &str) -> String {
    format!(
        r#"event-bus put-events {bus} '[{{"Source":"{source}","DetailType":"Order Paid","Detail":{detail:?}}}]'"#
    )
}

/// A program with a rule for large orders on the default bus, and one for all orders on the bus `shop`.
fn program() -> Program {
    let program = Program::new();
    program.run_all(&[
        "event-bus create shop",
        &format!("event-rule create large --event-pattern '{PATTERN}'"),
        &format!("event-target create large queue --arn {QUEUE}"),
        r#"event-rule create orders --event-bus-name shop --event-pattern '{"source":["shop"]}'"#,
        "event-rule create nightly --schedule-expression 'cron(0 2 * * ? *)'",
    ]);
    program
}

#[test]
fn watch_prints_kept_and_new_events_once() {
    let program = program();
    program.run_all(&[&put("default", "shop", r#"{"total": 250}"#), &put("default", "bank", "{}")]);
    program.file("pattern.json", r#"{"source":["shop"]}"#);
    program.file("wrong.json", r#"{"source":"shop"}"#);
    assert_snapshot!(program.transcript(&[
        "events watch --since-start",
        "events watch",
        "events watch --since-start --pattern $DIR/pattern.json",
        "events watch --since-start --limit 1 -o jsonl",
        "events watch --since-start -o text --query '[source, detail.total]'",
        "events watch --bus shop --since-start",
        "events watch --region eu-west-1 --since-start",
        "events watch --bus nowhere",
        "events watch --pattern $DIR/wrong.json",
        "events watch --pattern $DIR/missing.json",
        "events watch --limit 0",
    ]));
    // The state file is closed between two polls, so that another command can write.
    let other = Program {
        folder: tempfile::tempdir().unwrap(),
        variables: program.variables.clone(),
        ..Program::new()
    };
    let lines = [put("default", "shop", r#"{"total": 1}"#), put("default", "shop", r#"{"total": 101}"#)];
    let [first, second] = lines.map(|line| -> Box<dyn FnOnce()> {
        let other = Program { variables: other.variables.clone(), ..Program::new() };
        Box::new(move || other.run_all(&[&line]))
    });
    *program.pauses.borrow_mut() = vec![first, Box::new(|| ()), second];
    let watched = program.run("events watch");
    assert_eq!(
        watched.out,
        "2026-01-31T12:00:00Z shop \"Order Paid\" (no rule) {\"total\":1}\n\
         2026-01-31T12:00:00Z shop \"Order Paid\" (large) {\"total\":101}\n"
    );
}

#[test]
fn explain_match_shows_the_part_that_does_not_match() {
    let program = program();
    program.file("small.json", r#"{"source":"shop","detail":{"total":7}}"#);
    program.file("large.json", r#"{"source":"shop","detail":{"total":700}}"#);
    program.file("list.json", "[1]");
    program.file("broken.json", "{");
    assert_snapshot!(program.transcript(&[
        "events explain-match large $DIR/small.json",
        "events explain-match large $DIR/large.json",
        "events explain-match orders $DIR/small.json --bus shop",
        "events explain-match large $DIR/small.json -o json --query 'alternatives[0].fields[0]'",
        "events explain-match orders $DIR/small.json",
        "events explain-match nightly $DIR/small.json",
        "events explain-match large $DIR/list.json",
        "events explain-match large $DIR/broken.json",
        "events explain-match large $DIR/missing.json",
        "event-rule disable large",
        "events explain-match large $DIR/large.json",
        "events explain-match large $DIR/small.json",
        "events explain-match large $DIR/large.json -o json --query '[matched, disabled]'",
    ]));
    let disabled = program.run("events explain-match large $DIR/large.json");
    assert_eq!(disabled.code, 1);
    assert!(disabled.out.starts_with("no match: the rule large is disabled"), "{}", disabled.out);
    program.run_all(&["event-rule enable large"]);
    let given = program.run_with_input("events explain-match large -", r#"{"source":"bank"}"#);
    assert_eq!(given.code, 1);
    assert!(given.out.starts_with("no match: detail.total is missing, expected "), "{}", given.out);
}

#[test]
fn deliveries_are_listed_for_buses_rules_and_states() {
    let program = program();
    let missing = "arn:aws:events:us-east-1:123456789012:event-bus/nowhere";
    program.run_all(&[
        &format!("event-target create large bus --arn {missing}"),
        &put("default", "shop", r#"{"total": 250}"#),
    ]);
    assert_snapshot!(program.transcript(&[
        "event-bus deliveries",
        "events deliveries default --state failed -o jsonl --query '[].[State, ErrorCode, ErrorMessage]'",
        "events deliveries --target-arn arn:aws:sqs:us-east-1:123456789012:orders -o text --query '[].Input | [0]'",
        "event-bus deliveries shop",
        "event-bus deliveries --rule nightly",
        "event-bus deliveries --limit 1 -o json --query 'length(@)'",
        "event-bus deliveries --account 210987654321",
        "event-bus deliveries --state lost",
    ]));
}

#[test]
fn events_of_a_server_are_watched_and_explained() {
    let (server, mut lines) = serve(&["--memory"]);
    let address = lines.pop().unwrap();
    let run = |line: &[&str]| {
        let output = nephos(&[line, &["--endpoint", &address]].concat(), &[]);
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text + &String::from_utf8(output.stderr).unwrap())
    };
    run(&["event-rule", "create", "large", "--event-pattern", PATTERN]);
    run(&["event-target", "create", "large", "queue", "--arn", QUEUE]);
    let entries = r#"[{"Source":"shop","DetailType":"Paid","Detail":"{\"total\": 250}"}]"#;
    run(&["event-bus", "put-events", "default", entries]);
    let (code, watched) = run(&["events", "watch", "--since-start", "--limit", "1"]);
    assert_eq!(code, Some(0), "{watched}");
    assert!(watched.ends_with(" shop \"Paid\" (large) {\"total\":250}\n"), "{watched}");
    let (_, listed) = run(&["event-bus", "deliveries", "-o", "text", "--query", "[].TargetArn | [0]"]);
    assert_eq!(listed.trim_end(), QUEUE);
    let folder = tempfile::tempdir().unwrap();
    let event = folder.path().join("event.json");
    std::fs::write(&event, r#"{"source":"bank"}"#).unwrap();
    let (code, explained) = run(&["events", "explain-match", "large", event.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{explained}");
    assert!(explained.contains("✗ source: \"bank\", expected \"shop\""), "{explained}");
    stop(server);
}

#[test]
fn all_deliveries_are_listed() {
    let program = program();
    let entry =
        |n: usize| format!(r#"{{"Source":"shop","DetailType":"Paid","Detail":"{{\"total\":{}}}"}}"#, 200 + n);
    let lines: String = (0..110)
        .map(|_| {
            format!(
                "{{\"Name\":\"default\",\"Entries\":[{}]}}\n",
                (0..10).map(entry).collect::<Vec<_>>().join(",")
            )
        })
        .collect();
    let sent = program.run_with_input("event-bus put-events --from -", &lines);
    assert_eq!(sent.code, 0, "{}", sent.err);
    let out = |line: &str| program.run(line).out;
    assert_eq!(out("event-bus deliveries -o json --query 'length(@)'"), "1100\n");
    assert_eq!(out("event-bus deliveries -o jsonl").lines().count(), 1100);
    assert_eq!(out("event-bus deliveries --limit 1050 -o jsonl").lines().count(), 1050);
    assert_eq!(out("event-bus deliveries --after 1099 -o text --query [].Number"), "1100\n");
    assert_eq!(out("event-bus deliveries --after 1100 -o jsonl"), "");
}

#[test]
fn failed_entries_are_reported_on_standard_error() {
    let program = program();
    let entries = r#"[{"Source":"shop","DetailType":"Paid","Detail":"{}"},{"Source":"aws.s3","DetailType":"Paid","Detail":"{}"},{"Source":"shop","DetailType":"Paid","Detail":"["}]"#;
    let sent =
        program.run(&format!("event-bus put-events default '{entries}' -o json --query FailedEntryCount"));
    assert_eq!((sent.code, sent.out.as_str()), (7, "2\n"));
    assert_eq!(
        sent.err,
        "nephos: NotAuthorizedForSourceException: --entries[1]: Not authorized for the source.\n\
         nephos: MalformedDetail: --entries[2]: Detail is malformed.\n"
    );
    let line = format!(r#"{{"Name":"default","Entries":{entries}}}"#);
    let sent = program.run_with_input("event-bus put-events --from -", &line);
    assert_eq!(sent.code, 7);
    assert!(sent.err.starts_with("line 1: NotAuthorizedForSource"), "{}", sent.err);
    assert!(sent.err.ends_with("0 succeeded, 1 failed\n"), "{}", sent.err);
}

#[test]
fn several_targets_are_removed_and_failed_ones_reported() {
    let program = program();
    program.run_all(&[
        &format!("event-target create large one --arn {QUEUE}"),
        &format!("event-target create large two --arn {QUEUE}"),
    ]);
    let removed = program.run("event-target remove large one two zz -o json --query FailedEntryCount");
    assert_eq!((removed.code, removed.out.as_str()), (3, "1\n"));
    assert!(removed.err.ends_with("(zz)\n") && removed.err.lines().count() == 1, "{}", removed.err);
    let left = program.run("event-target list large -o json --query [].Id").out;
    assert_eq!(left.split_whitespace().collect::<String>(), r#"["queue"]"#);
    program.run_all(&["event-target remove --rule large queue", "event-rule delete large"]);
}

#[test]
fn rule_is_deleted_with_its_targets() {
    let program = program();
    let refused = program.run("event-rule delete large");
    assert_eq!(refused.code, 5, "{}", refused.err);
    program.run_all(&["event-rule delete large --remove-targets"]);
    assert_eq!(program.run("event-rule get large").code, 3);
}

#[test]
fn documents_are_read_from_files_and_standard_input() {
    let program = program();
    program.file("pattern.json", "{\"source\": [\"file\"]}\n");
    let pattern =
        |name: &str| program.run(&format!("event-rule get {name} -o text --fields EventPattern")).out;
    program.run_all(&["event-rule create f --event-pattern @$DIR/pattern.json"]);
    assert_eq!(pattern("f"), "{\"source\": [\"file\"]}\n");
    let piped = program.run_with_input("event-rule update f --event-pattern -", r#"{"source": ["pipe"]}"#);
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert_eq!(pattern("f"), "{\"source\": [\"pipe\"]}\n");
    program.file("input.json", "{\"a\": 1}");
    program.run_all(&["event-target update large queue --input @$DIR/input.json"]);
    let input = program.run("event-target get large queue -o text --fields Input").out;
    assert_eq!(input, "{\"a\": 1}\n");
    let missing = program.run("event-rule create g --event-pattern @$DIR/missing.json");
    assert_eq!(missing.code, 74, "{}", missing.err);
    // Other texts are taken as they are.
    program.run_all(&["event-rule update f --description @home"]);
    assert_eq!(program.run("event-rule get f -o text --fields Description").out, "@home\n");
}

#[test]
fn controls_at_an_endpoint_are_those_of_the_account_of_the_caller() {
    let (server, mut lines) = serve(&["--memory"]);
    let address = lines.pop().unwrap();
    let caller =
        [("AWS_ACCESS_KEY_ID", "999999999999"), ("AWS_SECRET_ACCESS_KEY", "x"), ("AWS_REGION", "us-east-1")];
    let run_as = |variables: &[(&str, &str)], line: &[&str]| {
        let output = nephos(&[line, &["--endpoint", &address]].concat(), variables);
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text + &String::from_utf8(output.stderr).unwrap())
    };
    let queue = "arn:aws:sqs:us-east-1:999999999999:orders";
    let entries = r#"[{"Source":"shop","DetailType":"Paid","Detail":"{\"total\": 250}"}]"#;
    run_as(&caller, &["event-rule", "create", "large", "--event-pattern", PATTERN]);
    run_as(&caller, &["event-target", "create", "large", "queue", "--arn", queue]);
    run_as(&caller, &["event-bus", "put-events", "default", entries]);
    let other = [("AWS_ACCESS_KEY_ID", "111111111111"), ("AWS_SECRET_ACCESS_KEY", "x")];
    let named = [other[0], other[1], ("NEPHOS_ACCOUNT", "999999999999")];
    let option = ["--account", "999999999999"];
    let commands: [&[&str]; 3] = [
        &["events", "watch", "--since-start", "--limit", "1", "-o", "jsonl"],
        &["event-bus", "deliveries", "-o", "jsonl"],
        &["control", "event-deliveries", "-o", "jsonl"],
    ];
    for command in commands {
        let shown = [
            run_as(&caller, command),
            run_as(&other, &[command, &option].concat()),
            run_as(&named, command),
            run_as(&[], &[command, &option].concat()),
        ];
        for (code, text) in shown {
            assert_eq!(code, Some(0), "{command:?}: {text}");
            assert!(text.contains("999999999999"), "{command:?}: {text}");
        }
    }
    for command in &commands[1..] {
        let (_, text) = run_as(&other, command);
        assert!(!text.contains("orders"), "{command:?}: {text}");
    }
    let (code, text) = run_as(&caller, &["events", "watch", "--bus", "nobus"]);
    assert!(text.contains("Event bus nobus does not exist."), "{text}");
    assert_eq!(code, Some(3), "{text}");
    stop(server);
}
