//! The built program with what only a process has: an environment, pipes.

use std::{
    io::{BufRead, BufReader},
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

/// A server, and what it says until it listens; the last line is cut down to its address.
pub(crate) fn serve(args: &[&str]) -> (Child, Vec<String>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(args)
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    for line in BufReader::new(server.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        match line.strip_prefix("listening at ") {
            Some(address) => {
                said.push(address.to_owned());
                break;
            }
            None => said.push(line),
        }
    }
    (server, said)
}

/// Stops a server; gives what it logged.
pub(crate) fn stop(server: Child) -> String {
    assert!(Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap().success());
    let ended = server.wait_with_output().unwrap();
    assert!(ended.status.success(), "a server that is told to stop has done nothing wrong");
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn a_served_cloud_is_reached_by_its_address_and_stops_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    let (server, mut address) = serve(&["--state", state.to_str().unwrap()]);
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
    let clock = call(&["clock"]);
    assert_eq!(clock.status.code(), Some(5), "a clock is a state's");
    let elsewhere = nephos(
        &["log-group", "list", "-o", "text", "--endpoint", &address, "--account", "222222222222"],
        &[],
    );
    assert!(elsewhere.stdout.is_empty());

    stop(server);
    let kept = nephos(
        &[
            "log-group",
            "get",
            "/a",
            "-o",
            "text",
            "--fields",
            "logGroupName",
            "--state",
            state.to_str().unwrap(),
        ],
        &[],
    );
    assert_eq!(kept.stdout, b"/a\n");
    let refused = nephos(&["log-group", "list", "--endpoint", &address], &[]);
    assert_eq!(refused.status.code(), Some(9), "nobody listens any more");
    let open = nephos(&["serve", "--memory", "--listen", "0.0.0.0:0"], &[]);
    assert_eq!(open.status.code(), Some(5), "only this machine, unless it is meant");
}

#[test]
fn a_strict_server_shows_its_root_key_once_and_takes_it_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    let args = ["--auth", "strict", "--state", state.to_str().unwrap()];
    let (server, said) = serve(&args);
    let [what, key, secret, address] = said.as_slice() else { panic!("{said:?}") };
    assert!(what.contains("shown this once") && what.contains("sealed in the state"), "{what}");
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
        assert!(!found, "the secret stands in {}", path.display());
    }

    let (server, said) = serve(&args);
    let [address] = said.as_slice() else { panic!("{said:?}") };
    let got = call(&["log-group", "get", "/a", "-o", "text", "--fields", "logGroupName"], address, secret);
    assert_eq!(got.stdout, b"/a\n");
    stop(server);
    let (server, said) = serve(&["--auth", "strict", "--memory", "--quiet"]);
    assert!(said[0].contains("until the server stops") && !said[1].contains(key), "{said:?}");
    assert!(!call(&["log-group", "list"], &said[3], secret).status.success());
    assert_eq!(stop(server), "");
}

#[test]
fn a_profile_says_who_calls_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let (server, said) = serve(&["--memory"]);
    let config = format!(
        "[profile work]\nregion = eu-central-1\nendpoint_url = {}\naws_access_key_id = 222222222222\n\
         aws_secret_access_key = hidden\n[profile home]\nregion = us-west-2\nrole_arn = arn:aws:iam::1:role/a\n",
        said[0]
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
    let made = nephos(&["log-group", "create", "/a", "--profile", "work"], &[("HOME", home)]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let expected = "arn:aws:logs:eu-central-1:222222222222:log-group:/a\n";
    assert_eq!(get(&["--profile", "work"], &[]), expected);
    assert_eq!(get(&["--endpoint", &said[0]], &[("AWS_PROFILE", "work")]), expected);
    let keys = [("AWS_ACCESS_KEY_ID", "333333333333"), ("AWS_SECRET_ACCESS_KEY", "hidden")];
    assert_eq!(get(&["--profile", "work"], &keys), expected, "who names a profile means it");
    let elsewhere = get(&["--profile", "work", "--region", "us-east-1"], &[]);
    assert!(elsewhere.contains("/a"), "{elsewhere}");
    let missing = nephos(&["log-group", "get", "/a", "--profile", "wrok"], &[("HOME", home)]);
    assert_eq!(missing.status.code(), Some(5));
    let told = String::from_utf8(missing.stderr).unwrap();
    assert!(
        told.contains("there is no profile \"wrok\"") && told.contains("work") && !told.contains("hidden"),
        "{told}"
    );
    stop(server);
}
