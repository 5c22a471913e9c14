//! Errors: one line each, with the nearest name and a distinct exit code.

use crate::harness::{Program, assert_snapshot};

#[test]
fn errors_suggest_the_nearest_name() {
    let program = Program::new();
    program.run_all(&["log-group create /a --deletion-protection-enabled"]);
    assert_snapshot!(program.transcript(&[
        "log-grop list",
        "log-group crate /b",
        "log-group create /b --retention 3",
        "log-group create /b --logGroupClas STANDARD",
        "log-group create /b --log-group-class STANDRD",
        "log-group create /b --retention-in-days 31",
        "log-group create /b --retention-in-days many",
        "log-group create /b --deletion-protection-enabled=perhaps",
        "log-group create /b --tags team",
        "log-group create '/b c'",
        "log-group create /b /c",
        "log-group create",
        "log-group get",
        "log-group create /a",
        "log-group delete /a",
        "log-group delete /nothing",
        "log-group get /nothing",
        "log-group list --where retentioInDays=3",
        "log-group list --where retentionInDays",
        "log-group list --where logGroupClass=STANDRD",
        "log-group list --where logGroupName__startswith__bogus=x",
        "log-group list --where Tags=1",
        "vpc list --where Tags=1",
        "log-group list --sort retentioInDays",
        "log-group list --fields retentioInDays",
        "log-group list --limit many",
        "log-group get /a --dry-run",
        "explain LogGrop",
        "explain LogGroup.retentioInDays",
        "explain LogGroup.crate",
        "clock advance soon",
        "clock advance -- -1d",
        "clock set 2020-01-01T00:00:00Z",
        "snapshot restore $DIR/nothing",
        "log-group create --from $DIR/nothing",
        "control links 12 123456789012",
        "completions tcsh",
    ]));
}

#[test]
fn error_is_one_line_on_stderr() {
    let program = Program::new();
    for line in
        ["log-grop", "log-group create", "log-group get /x", "log-group list --sort x", "-o xml kinds"]
    {
        let output = program.run(line);
        assert_ne!(output.code, 0, "{line}");
        assert_eq!(output.out, "", "{line}");
        assert_eq!(output.err.lines().count(), 1, "{line}: {}", output.err);
        assert!(output.err.starts_with("nephos: "), "{line}: {}", output.err);
    }
}

#[test]
fn exit_codes_of_locked_and_damaged_state() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    let lock = nephos::Cloud::open(program.folder.path().join("state.redb")).unwrap();
    let output = program.run("log-group list");
    assert_eq!(output.code, 4, "{}", output.err);
    drop(lock);
    assert_eq!(program.run("log-group list").code, 0);
    let output = program
        .run(&format!("log-group list --state-file {}", program.file("foreign", "not a state").display()));
    assert_eq!(output.code, 10, "{}", output.err);
}

#[test]
fn state_folder_is_created_on_first_write() {
    let mut program = Program::new();
    let home = program.folder.path().join("home");
    program.variables.clear();
    program.variables.insert("HOME".into(), home.to_string_lossy().into_owned());
    assert_eq!(program.run("state path").out, "$DIR/home/.local/share/nephos/state.redb\n");
    assert!(!home.exists(), "state path must not create the folder");
    program.run_all(&["log-group create /a"]);
    assert!(home.join(".local/share/nephos/state.redb").exists());
    program.variables.insert("XDG_DATA_HOME".into(), home.join("data").to_string_lossy().into_owned());
    assert_eq!(program.run("state path").out, "$DIR/home/data/nephos/state.redb\n");
    assert_eq!(program.run("log-group get /a").code, 3, "the state file is another one");
}

#[test]
fn filters_that_cannot_match_are_refused() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    for (filter, reason) in [
        ("retentionInDays__gtee=1", "did you mean gte?"),
        ("retentionInDays__bogus=1", "neither a field here nor a lookup"),
        ("retentionInDays__gte=abc", "is not a number"),
        ("retentionInDays=soon", "is not a number"),
        ("retentioInDays=3", "did you mean retentionInDays?"),
    ] {
        let output = program.run(&format!("log-group list --where {filter}"));
        assert_eq!((output.code, output.out.as_str()), (5, ""), "{filter}");
        assert!(output.err.contains(reason), "{filter}: {}", output.err);
    }
}

#[test]
fn messages_name_flags() {
    let program = Program::new();
    for (line, flag) in [
        ("log-group create /b --retention-in-days 31", "InvalidParameterException: --retention-in-days: "),
        ("listener list", "ValidationError: --load-balancer-arn: "),
        ("vpc get x", "InvalidVpcID.Malformed: --vpc-id: "),
        ("subnet get x", "--subnet-id: "),
        ("instance get x", "--instance-id: "),
        ("security-group get x", "--group-id: "),
        ("listener get x", "--listener-arn: "),
        ("rule get x", "--rule-arn: "),
        ("rule update x", "--rule-arn: "),
        ("load-balancer get --load-balancer-arn x", "--load-balancer-arn: "),
        ("load-balancer get", "--load-balancer-arn or --name is required"),
    ] {
        let output = program.run(&format!("{line} --memory"));
        assert_eq!(output.code, 5, "{line}: {}", output.err);
        assert!(output.err.contains(flag), "{line}: {}", output.err);
    }
}

#[test]
fn help_command_prints_help() {
    let program = Program::new();
    for (line, same) in [
        ("help", "--help"),
        ("help log-group", "log-group --help"),
        ("help log-group create", "log-group create --help"),
        ("help snapshot", "snapshot --help"),
        ("log-group help", "log-group --help"),
        ("log-group help create", "log-group create --help"),
        ("clock help", "clock --help"),
        ("clock help run", "clock run --help"),
    ] {
        let (help, flag) = (program.run(line), program.run(same));
        assert_eq!((help.code, help.err.as_str()), (0, ""), "{line}");
        assert_eq!(help.out, flag.out, "{line}");
    }
    assert_eq!(program.run("help log-grop").code, 2);
}

#[test]
fn missing_subcommand_prints_help() {
    let program = Program::new();
    for (line, usage) in [
        ("", "Usage: nephos <KIND> <CALL>"),
        ("log-group", "Usage: nephos log-group"),
        ("state", "Usage: nephos state"),
    ] {
        let output = program.run(line);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{line}");
        assert!(output.err.contains(usage) && output.err.contains("Commands:"), "{line}: {}", output.err);
    }
}
