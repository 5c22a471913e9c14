//! `nephos access`: decisions with their reasons, the log, and policies made from it.

use crate::harness::{Program, assert_snapshot};

const ANN: &str = "arn:aws:iam::123456789012:user/ann";
const GROUP: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/web/api";

fn program() -> Program {
    let program = Program::new();
    let policy = r#"{"Version":"2012-10-17","Statement":[
        {"Sid":"Web","Effect":"Allow","Action":"logs:*","Resource":"arn:aws:logs:*:*:log-group:/web/*",
         "Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}},
        {"Effect":"Deny","Action":"logs:Delete*","Resource":"*"}]}"#;
    program.run_all(&["user create ann", &format!("user put-policy ann web '{policy}'")]);
    program
}

#[test]
fn decision_names_the_statement_that_decides_or_comes_nearest() {
    let ask = |action: &str, resource: &str, more: &str| {
        format!("access why --as {ANN} {action} {resource} {more}")
    };
    let transcript = program().transcript(&[
        &ask("logs:PutRetentionPolicy", GROUP, "--context aws:SourceIp=10.1.2.3"),
        &ask("logs:PutRetentionPolicy", GROUP, "--context aws:SourceIp=192.0.2.1"),
        &ask("logs:DeleteLogGroup", GROUP, "--context aws:SourceIp=10.1.2.3"),
        &ask("logs:PutRetentionPolicy", "arn:aws:logs:us-east-1:123456789012:log-group:/api", ""),
        &ask("secretsmanager:ListSecrets", "'*'", "-o json --query '[Allowed, Reason, Nearest]'"),
        "access why --as arn:aws:iam::123456789012:root logs:DeleteLogGroup '*'",
    ]);
    assert_snapshot!(transcript);
}

#[test]
fn wrong_questions_are_refused_with_the_nearest_choice() {
    let transcript = program().transcript(&[
        &format!("access why --as {ANN} CreateLogGroup '*'"),
        &format!("access why --as {ANN} log:CreateLogGroup '*'"),
        &format!("access why --as {ANN} logs:CreateLogGroups '*'"),
        &format!("access why --as {ANN} logs:Frobnicate '*'"),
        &format!("access why --as {ANN} logs:CreateLogGroup /web/api"),
        &format!("access why --as {ANN} logs:CreateLogGroup '*' --context aws:SourceIp"),
        "access why --as ann logs:CreateLogGroup '*'",
        "access why --as arn:aws:iam::123456789012:user/bob logs:CreateLogGroup '*'",
    ]);
    assert_snapshot!(transcript);
}

#[test]
fn recorded_calls_become_the_smallest_policy() {
    let program = program();
    let transcript = program.transcript(&[
        "access mode",
        "access mode record",
        "log-group create /web/api --retention-in-days 30",
        "log-group create /web/app",
        "secret create token --secret-string hunter2",
        "access log -o text --query '[].[Action, Resource, Allowed]'",
        "access log --denied",
        "access policy --as arn:aws:iam::123456789012:root",
        "access policy --as arn:aws:iam::123456789012:user/ann",
        "access log --clear",
        "access log",
        "access mode off",
        "log-group create /web/more",
        "access log",
    ]);
    assert!(!transcript.contains("hunter2\""), "the log has no values");
    assert_snapshot!(transcript);
}

/// Actions that no operation has are known, too: those of services that act for a caller, and of the control endpoint.
#[test]
fn actions_without_an_operation_are_known() {
    let program = program();
    for action in ["iam:PassRole", "ecr:ReplicateImage", "LOGS:deleteloggroup", "nephos:Fork"] {
        let asked = program.run(&format!("access why --as arn:aws:iam::123456789012:root {action} '*'"));
        assert_eq!(asked.err, "", "{action}");
        assert!(asked.out.starts_with("allowed: "), "{action}: {}", asked.out);
    }
}

#[test]
fn a_denial_has_an_exit_code() {
    let program = program();
    let asked =
        |action: &str, more: &str| program.run(&format!("access why --as {ANN} {action} {GROUP} {more}"));
    assert_eq!(asked("logs:DeleteLogGroup", "").code, 1);
    assert_eq!(asked("logs:DeleteLogGroup", "-o json").code, 1);
    assert_eq!(asked("logs:PutRetentionPolicy", "--context aws:SourceIp=10.1.2.3").code, 0);
    assert!(program.run("--help").out.contains("access why"));
}

/// The log has the sessions of a role; who asks about the role means all of them.
#[test]
fn a_role_stands_for_its_sessions() {
    let program = program();
    let trust = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}}"#;
    program.run_all(&[
        &format!("role create ops --path /team/ --assume-role-policy-document '{trust}'"),
        &format!("role create ops-2 --assume-role-policy-document '{trust}'"),
        "access mode record",
        "log-group create /one --role arn:aws:iam::123456789012:role/team/ops --role-session-name one",
        "log-group create /two --role arn:aws:iam::123456789012:role/team/ops --role-session-name two",
        "log-group create /three --role arn:aws:iam::123456789012:role/ops-2",
    ]);
    let role = "--as arn:aws:iam::123456789012:role/team/ops";
    let logged = program.run(&format!("access log {role} -o text --query '[].Resource'")).out;
    let groups = ["/one", "/two"]
        .map(|name| format!("arn:aws:logs:us-east-1:123456789012:log-group:{name}:log-stream:"));
    let mut logged: Vec<_> = logged.lines().collect();
    logged.sort_unstable();
    assert_eq!(logged, groups);
    let policy = program.run(&format!("access policy {role} -o json --query 'Statement[].Resource[]'"));
    assert_eq!(
        (policy.code, policy.out.matches("log-group").count()),
        (0, 2),
        "{}{}",
        policy.out,
        policy.err
    );
    let session = "--as arn:aws:sts::123456789012:assumed-role/ops/one";
    assert_eq!(
        program.run(&format!("access log {session} -o text --query '[].Action'")).out,
        "logs:CreateLogGroup\n"
    );
}
