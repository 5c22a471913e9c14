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

#[test]
fn boolean_flags_take_a_value_after_a_space() {
    let program = Program::new();
    let protection = |name: &str| {
        program.run(&format!("log-group get {name} -o text --fields deletionProtectionEnabled")).out
    };
    program.run_all(&[
        "log-group create /a --deletion-protection-enabled true",
        "log-group create --deletion-protection-enabled /b",
        "log-group create --deletionProtectionEnabled false /c",
    ]);
    assert_eq!([protection("/a"), protection("/b"), protection("/c")], ["true\n", "true\n", "false\n"]);
    for (value, stored) in [("True", "true\n"), ("FALSE", "false\n"), ("yes", "true\n"), ("No", "false\n")] {
        for separator in ["=", " "] {
            program
                .run_all(&[&format!("log-group update /b --deletion-protection-enabled{separator}{value}")]);
            assert_eq!(protection("/b"), stored, "{separator}{value}");
        }
    }
    program.run_all(&["log-group update /a --deletion-protection-enabled false", "log-group delete /a"]);
}

#[test]
fn tags_are_replaced_or_added() {
    let program = Program::new();
    program.run_all(&[
        "log-group create /a --tags a=1,b=2",
        "vpc create --cidr-block 10.0.0.0/16 --tags a=1,b=2",
        "trust-store list",
    ]);
    let tags = |kind: &str| program.run(&format!("{kind} -o text --fields Tags")).out;
    program.run_all(&["log-group update /a --add-tags b=3,c=4"]);
    assert_eq!(tags("log-group get /a"), "a=1, b=3, c=4\n");
    program.run_all(&["log-group update /a --tags d=5"]);
    assert_eq!(tags("log-group get /a"), "d=5\n");
    program.run_all(&["log-group create /none", "log-group update /none --add-tags x=y"]);
    assert_eq!(tags("log-group get /none"), "x=y\n");
    let both = program.run("log-group update /a --tags a=1 --add-tags b=2");
    assert_eq!(both.code, 2, "{}", both.err);
    let help = program.run("log-group update --help").out;
    assert!(help.contains("replace all tags of the resource") && help.contains("--add-tags"), "{help}");
}

#[test]
fn calls_take_names_where_get_does() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    let first = |line: &str| program.run(line).out.lines().next().unwrap_or_default().to_owned();
    let vpc = first("vpc list -o text --fields VpcId");
    let create = format!("target-group create web --port 80 --protocol HTTP --vpc-id {vpc}");
    program.run_all(&[
        &create,
        "target-group get web",
        "target-group delete web --dry-run",
        "target-group delete web",
    ]);
    assert_eq!(program.run("target-group get web").code, 3);
    let subnets = program.run("subnet list -o json --query [].SubnetId").out;
    program.run_all(&[
        &format!("load-balancer create web --subnets '{subnets}'"),
        "listener list --load-balancer-arn web",
        "load-balancer delete web",
    ]);
    let gone = program.run("listener list --load-balancer-arn web");
    assert!(gone.code == 3 && gone.err.contains("LoadBalancer web does not exist"), "{}", gone.err);
    let missing = program.run("target-group delete web");
    assert_eq!(missing.code, 3, "{}", missing.err);
    assert!(missing.err.contains("TargetGroup web does not exist"), "{}", missing.err);
    program.run_all(&[&create]);
    let listed = program.run("target-group list -o jsonl").out;
    let deleted = program.run_with_input("target-group delete --from -", &listed);
    assert_eq!(deleted.err, "1 succeeded, 0 failed\n");
    let named =
        program.run_with_input("log-group delete --from -", &program.run("log-group list -o jsonl").out);
    assert_eq!(named.err, "1 succeeded, 0 failed\n");
}

#[test]
fn state_of_a_resource_is_no_state_file() {
    let program = Program::new();
    program.run_all(&[
        "event-rule create x --schedule-expression 'rate(1 hour)' --state DISABLED",
        "event-rule create y --schedule-expression 'rate(1 hour)'",
        "event-rule update y --state DISABLED",
    ]);
    let states = program.run("event-rule list -o text --fields Name,State").out;
    assert_eq!(states, "x\tDISABLED\ny\tDISABLED\n");
    let help = program.run("event-rule create --help").out;
    assert!(help.contains("--state <CHOICE>") && !help.contains("--with-state"), "{help}");
}

#[test]
fn identity_that_the_service_sets_selects_the_resource_of_an_update() {
    let program = Program::new();
    program.run_all(&["user create ann", "user create bob"]);
    let first = |line: &str| program.run(line).out.lines().next().unwrap_or_default().to_owned();
    let certificate = include_str!("../../../services/iam/tests/pem/web.pem").replace('\n', "\\n");
    for (kind, id, further) in [
        ("access-key", "AccessKeyId", String::new()),
        ("signing-certificate", "CertificateId", format!(", \"CertificateBody\": \"{certificate}\"")),
        (
            "service-specific-credential",
            "ServiceSpecificCredentialId",
            ", \"ServiceName\": \"codecommit.amazonaws.com\"".to_owned(),
        ),
    ] {
        let line = format!("{{\"UserName\": \"ann\"{further}}}");
        let created = program.run_with_input(&format!("{kind} create --from - -o jsonl"), &line);
        assert_eq!(created.err, "1 succeeded, 0 failed\n", "{kind}");
        let own = first(&format!("{kind} list --user-name ann -o text --fields {id}"));
        let status = || first(&format!("{kind} list --user-name ann -o text --fields Status"));
        assert_eq!(status(), "Active", "{kind}");
        program.run_all(&[&format!("{kind} update {own} --user-name ann --status Inactive --dry-run")]);
        assert_eq!(status(), "Active", "{kind}");
        program.run_all(&[&format!("{kind} update {own} --user-name ann --status Inactive")]);
        assert_eq!(status(), "Inactive", "{kind}");
        program.run_all(&[&format!("{kind} update --{id}={own} --user-name ann --status Active")]);
        assert_eq!(status(), "Active", "{kind}");
        let line = format!("{{\"{id}\": \"{own}\", \"UserName\": \"ann\", \"Status\": \"Inactive\"}}");
        let bulk = program.run_with_input(&format!("{kind} update --from -"), &line);
        assert_eq!(bulk.err, "1 succeeded, 0 failed\n", "{kind}");
        assert_eq!(status(), "Inactive", "{kind}");
        for (line, code) in [
            (format!("{kind} update --user-name ann --status Active"), 2),
            (format!("{kind} update {own} --user-name bob --status Active"), 3),
            (format!("{kind} update {own}X --user-name ann --status Active"), 3),
        ] {
            let refused = program.run(&line);
            assert_eq!(refused.code, code, "{line}: {}", refused.err);
        }
        let line = "{\"UserName\": \"ann\", \"Status\": \"Active\"}";
        let refused = program.run_with_input(&format!("{kind} update --from -"), line);
        assert!(refused.err.contains("is required"), "{kind}: {}", refused.err);
        assert_eq!(status(), "Inactive", "{kind}");
    }
}

#[test]
fn arn_selects_the_resource_of_an_update_that_also_takes_a_name() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    let first = |line: &str| program.run(line).out.lines().next().unwrap_or_default().to_owned();
    let vpc = first("vpc list -o text --fields VpcId");
    program.run_all(&[&format!("target-group create web --port 80 --protocol HTTP --vpc-id {vpc}")]);
    let arn = first("target-group get web -o text --fields TargetGroupArn");
    program.run_all(&[&format!("target-group update --target-group-arn {arn} --health-check-path /up")]);
    assert_eq!(first("target-group get web -o text --fields HealthCheckPath"), "/up");
    program.run_all(&["target-group update web --health-check-path /ready"]);
    assert_eq!(first("target-group get web -o text --fields HealthCheckPath"), "/ready");
    let gone = format!("{arn}0");
    for call in ["get", "update"] {
        let missing = program.run(&format!("target-group {call} --target-group-arn {gone}"));
        assert_eq!(missing.code, 3, "{call}: {}", missing.err);
        assert!(missing.err.contains(&format!("TargetGroup {gone} does not exist")), "{}", missing.err);
    }
    let unnamed = program.run("target-group update --health-check-path /up");
    assert!(unnamed.err.contains("--target-group-arn or --name is required"), "{}", unnamed.err);
}
