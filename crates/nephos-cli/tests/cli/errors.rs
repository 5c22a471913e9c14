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

#[test]
fn account_and_region_are_checked_everywhere() {
    let mut program = Program::new();
    let refusals = [
        ("--account", "NEPHOS_ACCOUNT", "12", "\"12\" is not an account: expected twelve digits"),
        ("--account", "NEPHOS_ACCOUNT", "12345678901x", "twelve digits"),
        ("--region", "NEPHOS_REGION", "mars", "expected a name such as us-east-1"),
        ("--region", "AWS_REGION", "us-est-1", "did you mean us-east-1?"),
        ("--region", "AWS_REGION", "us-east-1a", "did you mean us-east-1?"),
        ("--region", "NEPHOS_REGION", "EU-WEST-1", "did you mean eu-west-1?"),
    ];
    for command in ["log-group create /a", "caller-identity get", "clock advance 1s", "log-group tail /a"] {
        for cloud in ["", "--memory", "--endpoint http://127.0.0.1:9"] {
            for (option, variable, value, reason) in refusals {
                let output = program.run(&format!("{command} {cloud} {option} {value}"));
                assert_eq!((output.code, output.err.lines().count()), (5, 1), "{value}: {}", output.err);
                assert!(output.err.contains(&format!("{option}: ")), "{}", output.err);
                assert!(output.err.contains(reason), "{value}: {}", output.err);
                program.variables.insert(variable.into(), value.into());
                let output = program.run(&format!("{command} {cloud}"));
                program.variables.remove(variable);
                assert_eq!((output.code, output.err.lines().count()), (5, 1), "{value}: {}", output.err);
                assert!(output.err.contains(&format!("{variable}: ")), "{}", output.err);
                assert!(output.err.contains(reason), "{value}: {}", output.err);
            }
        }
    }
    assert!(!program.folder.path().join("state.redb").exists());
    for region in ["ap-southeast-2", "us-gov-west-1", "cn-north-1", "eusc-de-east-1", "us-iso-east-1"] {
        program.run_all(&[&format!("log-group create /a --region {region}")]);
    }
    program.variables.insert("NEPHOS_REGION".into(), "mars".into());
    program.run_all(&["log-group list --region us-gov-west-1"]);
}

#[test]
fn an_address_of_the_container_daemon_that_is_not_supported_is_named() {
    let mut program = Program::new();
    program.variables.insert("DOCKER_HOST".into(), "ssh://build".into());
    program.run_all(&["log-group create /a"]);
    let output = program.run("image dockerd-is-running");
    assert_eq!(output.err, "nephos: ValidationError: DOCKER_HOST: is not unix://PATH or tcp://HOST:PORT\n");
}

/// The first command that changes something creates the state file, but not one that is refused.
#[test]
fn refused_command_leaves_no_files() {
    let program = Program::new();
    for line in [
        "db-instance create x",
        "secret set-value db --secret-string x",
        "log-group create /a --retention-in-days 31",
        "log-group create '/a b'",
        "control links 12 123456789012",
        "access mode sometimes",
        "snapshot restore $DIR/missing",
        "clock set yesterday",
    ] {
        let refused = program.run(line);
        assert_ne!(refused.code, 0, "{line}");
        assert_eq!(refused.err.lines().count(), 1, "{line}: {}", refused.err);
        assert_eq!(std::fs::read_dir(program.folder.path()).unwrap().count(), 0, "{line}");
    }
    // What was done before the refusal stays.
    let input = "{\"logGroupName\": \"/one\"}\n{\"logGroupName\": \"/one\"}\n";
    let refused = program.run_with_input("log-group create --from -", input);
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("created the state file"), "{}", refused.err);
    assert_eq!(program.run("log-group list -o text --fields logGroupName").out, "/one\n");
}

#[test]
fn all_missing_fields_are_named_at_once() {
    let program = Program::new();
    let refused = program.run("db-instance create x").err;
    for flag in ["--db-instance-class", "--engine", "--engine-version"] {
        assert!(refused.contains(flag), "{refused}");
    }
    let refused = program.run("db-instance create x --db-instance-class db.t4g.micro --engine postgres").err;
    assert_eq!(refused, "nephos: InvalidParameterValue: --engine-version: is required\n");
}

#[test]
fn a_key_that_is_given_twice_is_refused() {
    let program = Program::new();
    for given in ["--tags team=web,team=x", "--tags team=web --tags team=x"] {
        let refused = program.run(&format!("log-group create /t {given}"));
        assert_eq!(
            (refused.code, refused.err.as_str()),
            (5, "nephos: InvalidParameterException: --tags: the key team is given twice\n")
        );
    }
    let refused = program.run("vpc create --cidr-block 10.0.0.0/16 --tags team=web,team=x");
    assert_eq!(
        (refused.code, refused.err.contains("the key team is given twice")),
        (5, true),
        "{}",
        refused.err
    );
}

#[test]
fn messages_about_what_has_no_name_have_no_gap() {
    let program = Program::new();
    let refused = program.run("password-policy get --memory");
    assert_eq!(
        (refused.code, refused.err.as_str()),
        (3, "nephos: NoSuchEntity: PasswordPolicy does not exist\n")
    );
    let mut program = program;
    program.variables.insert("NEPHOS_STORE_PASSWORD".to_owned(), "secret".to_owned());
    for address in ["mysql://x", "mysql://nephos@x"] {
        let refused = program.run(&format!("log-group list --store {address}"));
        assert_eq!((refused.code, refused.err.contains("postgres://")), (5, true), "{}", refused.err);
        assert!(!refused.err.contains("must name a user"), "{}", refused.err);
    }
}
