//! The program as a process: environment variables, pipes, signals and a server.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

pub(crate) fn nephos(args: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(args)
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Starts the program.
pub(crate) fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(args)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
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
fn state_account_and_region_from_environment_variables() {
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
fn closed_output_pipe_ends_with_141_and_no_message() {
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
        // The program may have ended already.
        let _ = std::io::Write::write_all(&mut input, format!("{{\"logGroupName\":\"/{n}\"}}\n").as_bytes());
    }
    drop(input);
    let output = program.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(141), "the program stopped early");
}

/// Starts a server; returns it with the lines it prints until it listens, the last one cut to the address.
pub(crate) fn serve(args: &[&str]) -> (Child, Vec<String>) {
    serve_in(Path::new("."), args)
}

/// Starts a server in a working folder.
pub(crate) fn serve_in(folder: &Path, args: &[&str]) -> (Child, Vec<String>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(args)
        .current_dir(folder)
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = Vec::new();
    for line in BufReader::new(server.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        match line.strip_prefix("listening at ") {
            Some(address) => {
                lines.push(address.to_owned());
                break;
            }
            None => lines.push(line),
        }
    }
    (server, lines)
}

/// Stops a server; returns its log.
pub(crate) fn stop(server: Child) -> String {
    assert!(Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap().success());
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success(), "a server that is stopped by SIGTERM exits with 0");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn serve_answers_commands_and_stops_on_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    let (server, mut address) = serve(&["--state-file", state.to_str().unwrap()]);
    let address = address.pop().unwrap();
    let call = |args: &[&str]| nephos(&[args, &["--endpoint", &address]].concat(), &[]);
    assert!(
        call(&["log-group", "create", "/a", "--retention-in-days", "30", "--tags", "team=web"])
            .status
            .success()
    );
    let listed = call(&["log-group", "list", "-o", "text", "--fields", "logGroupName,retentionInDays"]);
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), "/a\t30\n");
    let again = call(&["log-group", "create", "/a"]);
    assert_eq!(again.status.code(), Some(4));
    assert!(String::from_utf8(again.stderr).unwrap().contains("ResourceAlreadyExistsException"));
    assert_eq!(call(&["log-group", "get", "/b"]).status.code(), Some(3));
    let state_command = call(&["state", "check"]);
    assert_eq!(state_command.status.code(), Some(5), "state needs a state file");
    let other_account = nephos(
        &["log-group", "list", "-o", "text", "--endpoint", &address, "--account", "222222222222"],
        &[],
    );
    assert!(other_account.stdout.is_empty());

    stop(server);
    let reopened = nephos(
        &[
            "log-group",
            "get",
            "/a",
            "-o",
            "text",
            "--fields",
            "logGroupName",
            "--state-file",
            state.to_str().unwrap(),
        ],
        &[],
    );
    assert_eq!(reopened.stdout, b"/a\n");
    let refused = nephos(&["log-group", "list", "--endpoint", &address], &[]);
    assert_eq!(refused.status.code(), Some(9), "the server was stopped");
    let open = nephos(&["serve", "--memory", "--listen", "0.0.0.0:0"], &[]);
    assert_eq!(open.status.code(), Some(5), "a non-loopback address needs --insecure");
}

#[test]
fn strict_server_prints_its_root_key_once() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    let args = ["--auth", "strict", "--state-file", state.to_str().unwrap()];
    let (server, lines) = serve(&args);
    let [title, key, secret, address] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(title.contains("encrypted in the state") && title.contains("root-key show"), "{title}");
    let key = key.strip_prefix("  export AWS_ACCESS_KEY_ID=").unwrap();
    let secret = secret.strip_prefix("  export AWS_SECRET_ACCESS_KEY=").unwrap();
    let call = |line: &[&str], address: &str, secret: &str| {
        let keys = [("AWS_ACCESS_KEY_ID", key), ("AWS_SECRET_ACCESS_KEY", secret)];
        nephos(&[line, &["--endpoint", address]].concat(), &keys)
    };
    assert!(call(&["log-group", "create", "/a"], address, secret).status.success());
    let refused = call(&["log-group", "delete", "/a"], address, "guessed");
    assert_eq!(refused.status.code(), Some(7));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("InvalidSignatureException"));
    let log = stop(server);
    assert_eq!(log.matches("logs.CreateLogGroup 123456789012/us-east-1 200 ").count(), 1, "{log}");
    assert_eq!(log.lines().filter(|line| line.ends_with(" InvalidSignatureException")).count(), 1, "{log}");
    assert!(!log.contains(secret));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let found = std::fs::read(&path).unwrap().windows(40).any(|part| part == secret.as_bytes());
        assert!(!found, "the secret access key is in {}", path.display());
    }

    let (server, lines) = serve(&args);
    let [address] = lines.as_slice() else { panic!("{lines:?}") };
    let got = call(&["log-group", "get", "/a", "-o", "text", "--fields", "logGroupName"], address, secret);
    assert_eq!(got.stdout, b"/a\n");
    stop(server);
    let (server, lines) = serve(&["--auth", "strict", "--memory", "--quiet"]);
    assert!(lines[0].contains("until the server stops") && !lines[1].contains(key), "{lines:?}");
    assert!(!call(&["log-group", "list"], &lines[3], secret).status.success());
    assert_eq!(stop(server), "");
}

#[test]
fn profile_sets_credentials_region_and_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (server, lines) = serve(&["--memory"]);
    let config = format!(
        "[profile work]\nregion = eu-central-1\nendpoint_url = {}\naws_access_key_id = 222222222222\n\
         aws_secret_access_key = hidden\n[profile home]\nregion = us-west-2\nrole_arn = arn:aws:iam::1:role/a\n",
        lines[0]
    );
    std::fs::create_dir(folder.path().join(".aws")).unwrap();
    std::fs::write(folder.path().join(".aws/config"), config).unwrap();
    let home = folder.path().to_str().unwrap();
    let arn = ["-o", "text", "--fields", "logGroupArn"];
    let get = |args: &[&str], variables: &[(&str, &str)]| {
        let got = nephos(
            &[&["log-group", "get", "/a"], args, &arn].concat(),
            &[&[("HOME", home)], variables].concat(),
        );
        String::from_utf8(got.stdout).unwrap() + &String::from_utf8(got.stderr).unwrap()
    };
    let created = nephos(&["log-group", "create", "/a", "--profile", "work"], &[("HOME", home)]);
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let expected = "arn:aws:logs:eu-central-1:222222222222:log-group:/a\n";
    assert_eq!(get(&["--profile", "work"], &[]), expected);
    assert_eq!(get(&["--endpoint", &lines[0]], &[("AWS_PROFILE", "work")]), expected);
    let keys = [("AWS_ACCESS_KEY_ID", "333333333333"), ("AWS_SECRET_ACCESS_KEY", "hidden")];
    assert_eq!(
        get(&["--profile", "work"], &keys),
        expected,
        "--profile takes precedence over keys in the environment"
    );
    let other_region = get(&["--profile", "work", "--region", "us-east-1"], &[]);
    assert!(other_region.contains("/a"), "{other_region}");
    let missing = nephos(&["log-group", "get", "/a", "--profile", "wrok"], &[("HOME", home)]);
    assert_eq!(missing.status.code(), Some(5));
    let message = String::from_utf8(missing.stderr).unwrap();
    assert!(
        message.contains("profile \"wrok\" does not exist")
            && message.contains("work")
            && !message.contains("hidden"),
        "{message}"
    );
    stop(server);
}
