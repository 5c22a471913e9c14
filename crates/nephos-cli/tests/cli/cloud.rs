//! Commands about the cloud itself: clock, snapshots, state file, controls; and `tail`.

use crate::harness::{Program, assert_snapshot};

#[test]
fn clock_is_shown_and_advanced() {
    let program = Program::new();
    program.run_all(&[
        "log-group create /a --retention-in-days 1",
        "log-stream create /a s",
        r#"log-event put /a s '[{"timestamp":1769860790000,"message":"x"}]'"#,
    ]);
    assert_snapshot!(program.transcript(&[
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
fn snapshot_is_saved_and_restored() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    assert_snapshot!(program.transcript(&[
        "snapshot save $DIR/one",
        "log-group create /b",
        "log-group list -o text --fields logGroupName",
        "snapshot restore $DIR/one",
        "log-group list -o text --fields logGroupName",
        "snapshot save $DIR/one",
    ]));
}

#[test]
fn state_check_stats_and_compact() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    assert_snapshot!(program.transcript(&[
        "state path",
        "state check",
        "state stats --query '{rows: rows, failedWork: failedWork}' -o json",
        "state stats --tables --query '[].table' -o json",
    ]));
    let compacted = program.run("state compact -o json");
    assert_eq!(compacted.code, 0, "{}", compacted.err);
    assert!(compacted.out.contains("bytesAfter"));
    assert_eq!(program.run("log-group list -o text --fields logGroupName").out, "/a\n");
}

#[test]
fn linked_account_is_listed() {
    let program = Program::new();
    program.run_all(&["log-group create /a --account 222222222222"]);
    assert_snapshot!(program.transcript(&[
        "control links 123456789012 222222222222",
        "log-group list --include-linked-accounts -o text --fields logGroupName",
        "control links 123456789012 123456789012",
    ]));
}

#[test]
fn tail_follows_while_another_command_writes() {
    let program = Program::new();
    program.run_all(&["log-group create /a", "log-stream create /a s"]);
    let event = |time: i64, message: &str| {
        format!(r#"log-event put /a s '[{{"timestamp":{time},"message":"{message}"}}]'"#)
    };
    program.run_all(&[&event(1_769_860_000_000, "long ago"), &event(1_769_860_790_000, "first")]);
    assert_snapshot!(program.transcript(&[
        "log-group tail /a",
        "log-group tail /a --since 1h",
        "log-group tail /a --since 1h --filter-pattern first",
        "log-group tail /nothing",
        "log-group tail /a --since yesterday",
    ]));
    // The state file is closed between two polls, so that another command can write.
    let other = Program {
        folder: tempfile::tempdir().unwrap(),
        variables: program.variables.clone(),
        ..Program::new()
    };
    let line = event(1_769_860_795_000, "second");
    let write = move || assert_eq!(other.run(&line).code, 0);
    *program.pauses.borrow_mut() = vec![Box::new(write), Box::new(|| ())];
    let tailed = program.run("log-group tail /a -f");
    assert_eq!(
        tailed.out, "2026-01-31T11:59:50.000Z s first\n2026-01-31T11:59:55.000Z s second\n",
        "each event once"
    );
}

/// The values of options are texts; a control gets what its parameters are.
#[test]
fn controls_take_numbers_and_other_values_as_options() {
    use nephos::{AllServices, shape::Type};
    use nephos_cloud::ServiceSet;
    let program = Program::new();
    let mut numbers = 0;
    for control in AllServices::SERVICES.iter().flat_map(|service| service.controls) {
        for field in control.operation().params.fields {
            let value = match field.ty {
                Type::Int => "5",
                Type::Bool => "true",
                Type::Float => "0.5",
                _ => continue,
            };
            let flag = if field.rust_name == "limit" {
                "page-size".to_owned()
            } else {
                field.rust_name.replace('_', "-")
            };
            let mut given = String::new();
            for other in control.operation().params.fields {
                let is_required = other.presence == nephos::shape::Presence::Required;
                if is_required && !std::ptr::eq(other, field) {
                    given += &format!(" --{} x", other.rust_name.replace('_', "-"));
                }
            }
            let line = format!("control {} --{flag} {value}{given}", control.name);
            let refused = program.run(&line).err;
            assert!(!refused.contains(&format!("found \"{value}\"")), "{line}: {refused}");
            numbers += 1;
        }
    }
    assert!(numbers > 0);
    program.run_all(&[
        "event-bus put-events default '[{\"Source\":\"shop\",\"DetailType\":\"Order\",\"Detail\":\"{}\"}]'",
    ]);
    let page = program.run("control recent-events --after 0 -o json --query 'length(Events)'");
    assert_eq!((page.out.as_str(), page.err.as_str()), ("1\n", ""));
    let page =
        program.run("control event-deliveries --after 0 --page-size 1 -o json --query 'length(Deliveries)'");
    assert_eq!((page.out.as_str(), page.err.as_str()), ("0\n", ""));
    let wrong = program.run("control event-deliveries --page-size many");
    assert_eq!((wrong.code, wrong.err.contains("--page-size: ")), (5, true), "{}", wrong.err);
}

#[test]
fn clock_has_one_word_for_going_on() {
    let program = Program::new();
    let [resumed, run] = ["clock resume", "clock run"].map(|line| program.run(line));
    assert_eq!((resumed.code, resumed.out), (0, run.out), "{}", resumed.err);
}
