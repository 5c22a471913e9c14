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
