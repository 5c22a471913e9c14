//! Bulk work: one call for each line.

use crate::harness::{Program, shows};
use std::fmt::Write as _;

#[test]
fn refused_lines_are_told_of_and_the_others_are_done() {
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
    shows!(program.transcript(&[
        "log-group create --from $DIR/groups.jsonl --dry-run",
        "log-group create --from $DIR/groups.jsonl -o text",
        "log-group list --fields logGroupName,retentionInDays",
        "log-group get /3 --fields Tags",
    ]));
}

#[test]
fn the_command_line_says_what_lines_do_not() {
    let program = Program::new();
    let ended = program.feed(
        "log-group create --from - --retention-in-days 7 -o text",
        "{\"logGroupName\":\"/a\"}\n{\"logGroupName\":\"/b\",\"retentionInDays\":14}",
    );
    assert_eq!((ended.code, ended.out.as_str()), (0, "/a\n/b\n"), "{}", ended.err);
    shows!(program.transcript(&["log-group list -o text --fields logGroupName,retentionInDays"]));
}

#[test]
fn updates_by_line_see_the_lines_before() {
    let program = Program::new();
    program.given(&["log-group create /a --retention-in-days 30"]);
    let lines = r#"{"logGroupName": "/a", "retentionInDays": 60}
{"logGroupIdentifier": "/a", "retentionInDays": 30, "deletionProtectionEnabled": true}
{"logGroupName": "/a", "creationTime": 1}"#;
    let ended = program.feed("log-group update --from - -o jsonl", lines);
    assert_eq!(ended.code, 5);
    shows!(format!("{}{}", ended.out, ended.err));
}

#[test]
fn what_a_listing_writes_a_creation_reads() {
    let (from, to) = (Program::new(), Program::new());
    from.given(&[
        "log-group create /a --retention-in-days 30",
        "log-group create /b --deletion-protection-enabled",
    ]);
    let listed = from.run("log-group list -o jsonl").out;
    let created = to.feed("log-group create --from -", &listed);
    assert_eq!(created.code, 0, "{}", created.err);
    assert_eq!(to.run("log-group list -o jsonl").out, listed);
}

#[test]
fn many_lines_are_done_in_order() {
    let program = Program::new();
    let mut lines = String::new();
    for n in 0..1000 {
        let _ = writeln!(lines, "{{\"logGroupName\":\"/{n:04}\"}}");
    }
    let ended = program.feed("log-group create --memory --from - -o text", &lines);
    let expected: String = (0..1000).map(|n| format!("/{n:04}\n")).collect();
    assert_eq!(ended.out, expected);
    assert_eq!(ended.err, "1000 done, 0 refused\n");
}
