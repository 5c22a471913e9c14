//! Bulk calls: one call for each line.

use crate::harness::{Program, assert_snapshot};
use std::fmt::Write as _;

#[test]
fn failed_lines_are_reported_and_the_others_processed() {
    let program = Program::new();
    program.file(
        "groups.jsonl",
        r#"{"logGroupName": "/1", "retentionInDays": 30, "tags": {"a": "b"}}
{"logGroupName": "/2", "retentionInDays": 31}

nonsense
{"log_group_name": "/3", "Tags": [{"Key": "x", "Value": "y"}]}
{"logGroupName": "/1"}
{"logGroupNme": "/4"}
[]
{"logGroupName": "/5"}"#,
    );
    assert_snapshot!(program.transcript(&[
        "log-group create --from $DIR/groups.jsonl --dry-run",
        "log-group create --from $DIR/groups.jsonl -o text",
        "log-group list --fields logGroupName,retentionInDays",
        "log-group get /3 --fields Tags",
    ]));
}

#[test]
fn flags_are_defaults_for_all_lines() {
    let program = Program::new();
    let output = program.run_with_input(
        "log-group create --from - --retention-in-days 7 -o text",
        "{\"logGroupName\":\"/a\"}\n{\"logGroupName\":\"/b\",\"retentionInDays\":14}",
    );
    assert_eq!((output.code, output.out.as_str()), (0, "/a\n/b\n"), "{}", output.err);
    assert_snapshot!(program.transcript(&["log-group list -o text --fields logGroupName,retentionInDays"]));
}

#[test]
fn update_of_a_line_sees_previous_lines() {
    let program = Program::new();
    program.run_all(&["log-group create /a --retention-in-days 30"]);
    let lines = r#"{"logGroupName": "/a", "retentionInDays": 60}
{"logGroupIdentifier": "/a", "retentionInDays": 30, "deletionProtectionEnabled": true}
{"logGroupName": "/a", "creationTime": 1}"#;
    let output = program.run_with_input("log-group update --from - -o jsonl", lines);
    assert_eq!(output.code, 5);
    assert_snapshot!(format!("{}{}", output.out, output.err));
}

#[test]
fn create_from_list_output() {
    let (from, to) = (Program::new(), Program::new());
    from.run_all(&[
        "log-group create /a --retention-in-days 30",
        "log-group create /b --deletion-protection-enabled",
    ]);
    let listed = from.run("log-group list -o jsonl").out;
    let created = to.run_with_input("log-group create --from -", &listed);
    assert_eq!(created.code, 0, "{}", created.err);
    assert_eq!(to.run("log-group list -o jsonl").out, listed);
}

#[test]
fn parts_of_a_record_in_a_line_are_parameters() {
    let program = Program::new();
    let create = r#"action-type create --id '{"category": "Build", "owner": "Custom", "provider": "Jenkins", "version": "1"}'
        --input-artifact-details '{"minimumCount": 0, "maximumCount": 5}' --output-artifact-details '{"minimumCount": 0, "maximumCount": 5}'"#;
    program.run_all(&[create]);
    let list = "action-type list --action-owner-filter Custom -o jsonl";
    let deleted = program.run_with_input("action-type delete --from -", &program.run(list).out);
    assert_eq!((deleted.code, deleted.err.as_str()), (0, "1 succeeded, 0 failed\n"));
    assert_eq!(program.run(list).out, "");
}

#[test]
fn many_lines_are_processed_in_order() {
    let program = Program::new();
    let mut lines = String::new();
    for n in 0..1000 {
        let _ = writeln!(lines, "{{\"logGroupName\":\"/{n:04}\"}}");
    }
    let output = program.run_with_input("log-group create --memory --from - -o text", &lines);
    let expected: String = (0..1000).map(|n| format!("/{n:04}\n")).collect();
    assert_eq!(output.out, expected);
    assert_eq!(output.err, "1000 succeeded, 0 failed\n");
}
