//! Calls of kinds: create, get, list, update, delete and the rest.

use crate::harness::{Program, assert_snapshot};

#[test]
fn create_get_update_and_delete() {
    let program = Program::new();
    assert_snapshot!(program.transcript(&[
        "log-group create /web/api --retention-in-days 30 --tags team=web --tags stage=prod",
        "log-group get /web/api",
        "log-group update /web/api --retention-in-days 90 --deletion-protection-enabled",
        "log-group delete /web/api",
        "log-group update /web/api --deletion-protection-enabled=false --clear retention-in-days",
        "log-group delete /web/api",
        "log-group get /web/api",
    ]));
}

#[test]
fn resource_with_all_defaults_is_created_without_options() {
    let program = Program::new();
    program.run_all(&["crypto-key create", "crypto-key list"]);
}

#[test]
fn positional_arguments_as_flags_and_wire_spelling() {
    let program = Program::new();
    assert_snapshot!(program.transcript(&[
        "log-group create --log-group-name /a --retentionInDays 7",
        "LogGroup create --logGroupName=/b",
        "log-stream create --log-group-name /a s1",
        "log-stream create --log-stream-name s2 /a",
        "log-stream list /a --fields logGroupName,logStreamName",
        "log-stream get --log-group-name /a s1 s2",
        "log-group list --page-size 1 -o text --fields logGroupName,retentionInDays",
    ]));
}

#[test]
fn update_sends_only_changed_fields() {
    let program = Program::new();
    program.run_all(&["log-group create /a --retention-in-days 30 --tags a=1,b=2"]);
    assert_snapshot!(program.transcript(&[
        "log-group update /a --retention-in-days 30 --dry-run",
        "log-group update /a --tags a=1,c=3 --dry-run",
        "log-group update /a --clear Tags --dry-run",
        "log-group update /a --clear arn",
        "log-group update /a --clear colour",
        "log-group update /nothing --retention-in-days 30",
    ]));
}

#[test]
fn dry_run_shows_changes_without_making_them() {
    let program = Program::new();
    program.run_all(&["log-group create /a --retention-in-days 30"]);
    assert_snapshot!(program.transcript(&[
        "log-group create /b --retention-in-days 7 --dry-run",
        "log-group create /a --dry-run",
        "log-group update /a --retention-in-days 60 --dry-run -o json --query '[].{row: row, after: after.retentionInDays}'",
        "log-group delete /a --dry-run -o jsonl",
        "log-group list --fields logGroupName,retentionInDays",
    ]));
}

#[test]
fn json_argument_inline_from_file_or_stdin() {
    let program = Program::new();
    program.run_all(&["log-group create /a", "log-stream create /a s"]);
    program.file("events.json", r#"[{"timestamp":1769860790000,"message":"from a file ERROR"}]"#);
    let piped = program.run_with_input(
        "log-event put /a s --log-events -",
        r#"{"timestamp":1769860795000,"message":"from a pipe"}"#,
    );
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert_snapshot!(program.transcript(&[
        "log-event put /a s @$DIR/events.json",
        r#"log-event put /a s --log-events '[{"timestamp":1769860799000,"message":"from the line"}]' -o json"#,
        "log-event put /a s @$DIR/nothing.json",
        "log-event put /a s '[{]'",
        r#"log-event put /a s '[{"timestamp":1}]'"#,
        "log-event list /a --fields timestamp,message",
        "log-event list /a --filter-pattern ERROR -o text --fields message",
        "log-group get-fields /a -o text",
        "log-group get-fields --log-group-identifier /a -o text --fields name",
    ]));
}

#[test]
fn accounts_and_regions_are_isolated() {
    let mut program = Program::new();
    program.run_all(&[
        "log-group create /a",
        "log-group create /b --account 222222222222",
        "--region eu-west-1 log-group create /c",
    ]);
    program.variables.insert("NEPHOS_ACCOUNT".into(), "222222222222".into());
    assert_snapshot!(program.transcript(&[
        "log-group list -o text --fields logGroupName",
        "log-group list -o text --fields logGroupName --account 123456789012",
        "log-group list -o text --fields logGroupName --account 123456789012 --region eu-west-1",
        "log-group list --account 12",
        "log-group list --memory",
    ]));
}
