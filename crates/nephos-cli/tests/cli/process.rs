//! The built program with what only a process has: an environment, pipes.

use std::process::{Command, Output, Stdio};

fn nephos(args: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(args)
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn colour_follows_the_environment() {
    let coloured = |variables: &[(&str, &str)]| nephos(&["kinds"], variables).stdout.contains(&0x1b);
    assert!(!coloured(&[]), "a pipe is no terminal");
    assert!(!coloured(&[("NO_COLOR", "1")]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")]));
}

#[test]
fn the_state_account_and_region_come_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    let variables = [
        ("NEPHOS_STATE", state.to_str().unwrap()),
        ("NEPHOS_ACCOUNT", "222222222222"),
        ("AWS_REGION", "eu-west-1"),
    ];
    assert!(nephos(&["log-group", "create", "/a"], &variables).status.success());
    let got = nephos(&["log-group", "get", "/a", "-o", "text", "--fields", "logGroupArn"], &variables);
    let arn = String::from_utf8(got.stdout).unwrap();
    assert_eq!(arn, "arn:aws:logs:eu-west-1:222222222222:log-group:/a\n");
    let missing = nephos(&["log-group", "get", "/b"], &variables);
    assert_eq!(missing.status.code(), Some(3));
}

#[test]
fn a_reader_who_goes_away_is_not_complained_of_but_can_be_told() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(["log-group", "create", "--memory", "-o", "text", "--from", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(program.stdout.take());
    let mut input = program.stdin.take().unwrap();
    for n in 0..500 {
        // It may have ended already.
        let _ = std::io::Write::write_all(&mut input, format!("{{\"logGroupName\":\"/{n}\"}}\n").as_bytes());
    }
    drop(input);
    let ended = program.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
    assert_eq!(ended.status.code(), Some(141), "the work was not done to its end");
}
