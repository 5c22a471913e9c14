//! Roles on the command line: `--role` runs a command with the session of a role.

use crate::{
    harness::Program,
    process::{nephos, serve, stop},
};
use nephos::Cloud;

const TRUST: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "123456789012"}, "Condition": {"StringEquals": {"sts:ExternalId": "partner"}}}]}"#;

const ROLE: &str = "arn:aws:iam::210987654321:role/web";

const WHO: &str = "caller-identity get -o text --query Arn";

fn create_role() -> String {
    format!("role create web --assume-role-policy-document '{TRUST}' --account 210987654321")
}

#[test]
fn role_runs_commands_in_its_account() {
    let program = Program::new();
    program.run_all(&[&create_role(), "log-group create /own"]);
    let role = format!("--role {ROLE} --external-id partner");
    let output = program.run(&format!("{WHO} {role}"));
    assert_eq!(output.out, "arn:aws:sts::210987654321:assumed-role/web/nephos\n", "{}", output.err);
    let output = program.run(&format!("{WHO} {role} --role-session-name deploy"));
    assert_eq!(output.out, "arn:aws:sts::210987654321:assumed-role/web/deploy\n", "{}", output.err);
    program.run_all(&[&format!("log-group create /theirs {role}")]);
    let names =
        |options: &str| program.run(&format!("log-group list -o text --fields logGroupName {options}")).out;
    assert_eq!(names(&role), "/theirs\n");
    assert_eq!((names("--account 210987654321"), names("")), ("/theirs\n".into(), "/own\n".into()));

    let refused = program.run(&format!("{WHO} --role {ROLE}"));
    assert!(
        refused.code != 0 && refused.err.contains("is not authorized to perform: sts:AssumeRole"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("sts:ExternalId"), "the hint names the condition: {}", refused.err);
    let alone = program.run(&format!("{WHO} --external-id partner"));
    assert!(alone.code != 0 && alone.err.contains("--role"), "{}", alone.err);
}

#[test]
fn role_is_assumed_in_a_temporary_cloud() {
    let program = Program { cloud: Some(Cloud::in_memory()), ..Program::new() };
    program.run_all(&[&format!("{} --memory", create_role())]);
    let output = program.run(&format!("{WHO} --memory --role {ROLE} --external-id partner"));
    assert_eq!(output.out, "arn:aws:sts::210987654321:assumed-role/web/nephos\n", "{}", output.err);
}

#[test]
fn role_is_assumed_over_an_endpoint() {
    let (server, addresses) = serve(&["--memory"]);
    let endpoint = ["--endpoint", addresses[0].as_str()];
    let create =
        ["role", "create", "web", "--assume-role-policy-document", TRUST, "--account", "210987654321"];
    let created = nephos(&[&create[..], &endpoint].concat(), &[]);
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let who = [
        "caller-identity",
        "get",
        "-o",
        "text",
        "--query",
        "Arn",
        "--role",
        ROLE,
        "--external-id",
        "partner",
    ];
    let output = nephos(&[&who[..], &endpoint].concat(), &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"arn:aws:sts::210987654321:assumed-role/web/nephos\n", "{error}");
    stop(server);
}
