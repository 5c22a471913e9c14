//! Commands about the cloud itself: its time, its file, its accounts; and following events.

use crate::harness::{Program, shows};

#[test]
fn time_is_looked_at_and_moved() {
    let program = Program::new();
    program.given(&[
        "log-group create /a --retention-in-days 1",
        "log-stream create /a s",
        r#"log-event put /a s '[{"timestamp":1769860790000,"message":"x"}]'"#,
    ]);
    shows!(program.transcript(&[
        "clock",
        "clock freeze",
        "clock advance 90m",
        "log-event list /a -o text --fields message",
        "clock set 2026-02-02T00:00:00Z -o json",
        "log-event list /a -o text --fields message",
        "clock run",
        "clock advance '1 day 12 hours'",
    ]));
}

#[test]
fn a_snapshot_is_saved_and_put_back() {
    let program = Program::new();
    program.given(&["log-group create /a"]);
    shows!(program.transcript(&[
        "snapshot save $DIR/one",
        "log-group create /b",
        "log-group list -o text --fields logGroupName",
        "snapshot restore $DIR/one",
        "log-group list -o text --fields logGroupName",
        "snapshot save $DIR/one",
    ]));
}

#[test]
fn the_state_is_checked_counted_and_compacted() {
    let program = Program::new();
    program.given(&["log-group create /a"]);
    shows!(program.transcript(&[
        "state path",
        "state check",
        "state stats --query '{rows: rows, failedWork: failedWork}' -o json",
    ]));
    let compacted = program.run("state compact -o json");
    assert_eq!(compacted.code, 0, "{}", compacted.err);
    assert!(compacted.out.contains("bytesAfter"));
    assert_eq!(program.run("log-group list -o text --fields logGroupName").out, "/a\n");
}

#[test]
fn a_linked_account_is_seen() {
    let program = Program::new();
    program.given(&["log-group create /a --account 222222222222"]);
    shows!(program.transcript(&[
        "control links 123456789012 222222222222",
        "log-group list --include-linked-accounts -o text --fields logGroupName",
        "control links 123456789012 123456789012",
    ]));
}

#[test]
fn a_log_group_is_followed_while_others_write() {
    let program = Program::new();
    program.given(&["log-group create /a", "log-stream create /a s"]);
    let event = |time: i64, message: &str| {
        format!(r#"log-event put /a s '[{{"timestamp":{time},"message":"{message}"}}]'"#)
    };
    program.given(&[&event(1_769_860_000_000, "long ago"), &event(1_769_860_790_000, "first")]);
    shows!(program.transcript(&[
        "log-group tail /a",
        "log-group tail /a --since 1h",
        "log-group tail /a --since 1h --filter-pattern first",
        "log-group tail /nothing",
        "log-group tail /a --since yesterday",
    ]));
    // The state is free between two looks, so that another command can write.
    let other = Program {
        folder: tempfile::tempdir().unwrap(),
        variables: program.variables.clone(),
        ..Program::new()
    };
    let line = event(1_769_860_795_000, "second");
    let writes = move || assert_eq!(other.run(&line).code, 0);
    *program.pauses.borrow_mut() = vec![Box::new(writes), Box::new(|| ())];
    let followed = program.run("log-group tail /a -f");
    assert_eq!(
        followed.out, "2026-01-31T11:59:50.000Z s first\n2026-01-31T11:59:55.000Z s second\n",
        "each event once"
    );
}
