//! Commands over the endpoint of a nephos server.

use crate::process::{nephos, serve, serve_in, stop};
use std::{
    io::{Read as _, Write as _},
    process::Child,
};

/// A server, with the state file and the snapshots of the test.
struct Served {
    server: Child,
    address: String,
}

impl Served {
    fn start(args: &[&str]) -> Self {
        let (server, mut lines) = serve(args);
        Self { server, address: lines.pop().unwrap() }
    }

    /// Runs a command on the server; returns its output, with the exit code if it failed.
    fn run(&self, line: &str) -> String {
        let args: Vec<_> = line.split(' ').collect();
        run(&args, &[("NEPHOS_ENDPOINT", &self.address)])
    }
}

/// Runs a command; returns its output, with the exit code if it failed.
fn run(args: &[&str], variables: &[(&str, &str)]) -> String {
    let output = nephos(args, variables);
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(0) => text,
        code => format!("{text}exit code {code:?}"),
    }
}

#[test]
fn environment_selects_the_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (home, state, other) = (path("home"), path("state"), path("other"));
    let served = Served::start(&["--memory"]);
    let endpoint = served.address.as_str();
    let create = |name: &str, args: &[&str], variables: &[(&str, &str)]| {
        run(
            &[&["log-group", "create", name], args].concat(),
            &[&[("HOME", home.as_str())], variables].concat(),
        )
    };
    let all = [("NEPHOS_STATE", state.as_str()), ("AWS_ENDPOINT_URL", endpoint)];
    create("/default", &[], &[]);
    create("/aws", &[], &[("AWS_ENDPOINT_URL", endpoint)]);
    create("/nephos", &[], &[&all[..], &[("NEPHOS_ENDPOINT", endpoint)]].concat());
    create("/state", &[], &all);
    create("/flag", &["--state-file", &other], &[&all[..], &[("NEPHOS_ENDPOINT", endpoint)]].concat());
    create("/endpoint", &["--endpoint", endpoint], &all[..1]);
    create("/memory", &["--memory"], &[("NEPHOS_ENDPOINT", endpoint)]);
    let list = |args: &[&str]| {
        let list = ["log-group", "list", "-o", "text", "--fields", "logGroupName"];
        run(&[&list, args].concat(), &[("HOME", &home)])
    };
    assert_eq!(list(&[]), "/default\n");
    assert_eq!(list(&["--state-file", &state]), "/state\n");
    assert_eq!(list(&["--state-file", &other]), "/flag\n");
    assert_eq!(list(&["--endpoint", endpoint]), "/aws\n/endpoint\n/nephos\n");
    let stats = run(&["state", "path"], &[("HOME", &home), ("NEPHOS_ENDPOINT", endpoint)]);
    assert!(stats.ends_with("state.redb\n"), "{stats}");
    let second = run(&["serve", "--memory", "--listen", "nowhere"], &[("NEPHOS_ENDPOINT", endpoint)]);
    assert!(second.contains("--listen"), "{second}");
    stop(served.server);
}

#[test]
fn account_and_region_of_an_endpoint_are_those_of_the_options() {
    let served = Served::start(&["--memory"]);
    let account = |line: &str| served.run(&format!("caller-identity get --query Account -o text {line}"));
    assert_eq!(account("--account 222222222222"), "222222222222\n");
    let refused = account("--account 12");
    assert!(refused.contains("expected twelve digits") && refused.ends_with("Some(5)"), "{refused}");
    let refused = account("--region mars");
    assert!(refused.contains("such as us-east-1") && refused.ends_with("Some(5)"), "{refused}");
    let variables = [("NEPHOS_ENDPOINT", served.address.as_str()), ("AWS_DEFAULT_REGION", "mars")];
    let refused = run(&["caller-identity", "get"], &variables);
    assert!(refused.contains("such as us-east-1") && refused.ends_with("Some(5)"), "{refused}");
    stop(served.server);
}

#[test]
fn clock_and_controls_work_over_an_endpoint() {
    let served = Served::start(&["--memory"]);
    let frozen = served.run("clock freeze -o jsonl");
    assert!(frozen.contains(r#""state":"frozen""#), "{frozen}");
    let before = served.run("clock --query now -o text");
    served.run("clock advance 31d");
    let after = served.run("clock --query now -o text");
    assert_ne!(before, after);
    assert_eq!(served.run("clock set 2099-01-31T12:00:00Z --query now -o text"), "2099-01-31T12:00:00Z\n");
    assert!(served.run("clock run -o text").contains("running"));
    let past = served.run("clock set 2020-01-01T00:00:00Z");
    assert!(past.contains("exit code Some(5)"), "{past}");
    assert_eq!(served.run("control links 123456789012 222222222222"), "done: control links\n");
    let refused = served.run("control links 12 123456789012");
    assert!(refused.contains("exit code Some(5)"), "{refused}");
    stop(served.server);
}

#[test]
fn forks_are_created_listed_and_deleted() {
    let served = Served::start(&["--memory"]);
    served.run("log-group create /a");
    let endpoint = served.run("fork create try --query endpoint -o text");
    assert_eq!(endpoint, format!("{}/_nephos/forks/try\n", served.address));
    let endpoint = endpoint.trim();
    assert_eq!(
        run(&["log-group", "create", "/b", "--endpoint", endpoint], &[]),
        "done: log-group create /b\n"
    );
    run(&["clock", "set", "2099-01-31T12:00:00Z", "--endpoint", endpoint], &[]);
    let list = ["log-group", "list", "-o", "text", "--fields", "logGroupName"];
    assert_eq!(run(&[&list[..], &["--endpoint", endpoint]].concat(), &[]), "/a\n/b\n");
    assert_eq!(served.run(&list.join(" ")), "/a\n");
    let planned = run(&["log-group", "delete", "/b", "--dry-run", "--endpoint", endpoint], &[]);
    assert!(planned.ends_with("dry run: nothing was changed\n"), "a dry run on a fork: {planned}");
    assert!(!served.run("clock -o text").contains("2099"));
    assert_eq!(served.run("fork list --query [].name -o text"), "try\n");
    assert_eq!(served.run("fork delete try"), "done: fork delete try\n");
    assert_eq!(served.run("fork list"), "no results\n");
    assert!(served.run("fork delete try").ends_with("exit code Some(3)"));
    assert!(served.run("fork delete a/b").ends_with("exit code Some(5)"));
    stop(served.server);
    let local = run(&["fork", "list", "--memory"], &[]);
    assert!(local.contains("nephos serve") && local.ends_with("exit code Some(5)"), "{local}");
}

#[test]
fn dry_run_over_an_endpoint_changes_a_fork() {
    let served = Served::start(&["--memory"]);
    served.run("log-group create /a --retention-in-days 30");
    let state = served.run("log-group list -o jsonl");
    let created = served.run("log-group create /b --dry-run");
    assert!(
        created.contains("log-group /b") && created.ends_with("dry run: nothing was changed\n"),
        "{created}"
    );
    let updated = served.run("log-group update /a --retention-in-days 60 --dry-run -o jsonl");
    assert!(
        updated.contains(r#""retentionInDays":30"#) && updated.contains(r#""retentionInDays":60"#),
        "{updated}"
    );
    let deleted = served.run("log-group delete /a --dry-run -o jsonl");
    assert!(deleted.contains(r#""row":"log-group /a""#) && deleted.contains(r#""after":null"#), "{deleted}");
    let refused = served.run("log-group create /a --dry-run");
    assert!(
        refused.contains("ResourceAlreadyExistsException") && refused.ends_with("exit code Some(4)"),
        "{refused}"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines");
    std::fs::write(&file, "{\"logGroupName\":\"/c\"}\n{\"logGroupName\":\"/c\"}\n").unwrap();
    let bulk = served.run(&format!("log-group create --dry-run --from {}", file.display()));
    assert!(bulk.contains("line 2: ResourceAlreadyExistsException"), "{bulk}");
    assert!(bulk.contains("1 succeeded, 1 failed"), "{bulk}");
    assert_eq!(served.run("log-group list -o jsonl"), state);
    assert_eq!(served.run("fork list"), "no results\n", "the forks of dry runs are deleted");
    stop(served.server);
}

#[test]
fn snapshot_is_saved_and_restored_by_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut lines) = serve_in(folder.path(), &["--state-file", "state"]);
    let served = Served { server, address: lines.pop().unwrap() };
    served.run("log-group create /a");
    assert_eq!(served.run("snapshot save one"), "done: snapshot save one, on the server\n");
    served.run("log-group create /b");
    served.run("snapshot restore one");
    assert_eq!(served.run("log-group list -o text --fields logGroupName"), "/a\n");
    assert!(served.run("snapshot restore two").ends_with("exit code Some(3)"));
    stop(served.server);
}

/// Answers each connection with the same response, until the test ends.
fn start_other_server(response: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let _ = stream.write_all(response.as_bytes());
        }
    });
    address
}

#[test]
fn endpoint_that_is_no_nephos_server_is_refused() {
    for response in [
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        "HTTP/1.1 404 Not Found\r\ncontent-length: 5\r\nconnection: close\r\n\r\nsorry",
    ] {
        let address = start_other_server(response);
        for line in ["log-group create /a --dry-run", "fork create"] {
            let args: Vec<_> = line.split(' ').chain(["--endpoint", &address]).collect();
            let refused = run(&args, &[]);
            assert!(refused.ends_with("exit code Some(5)"), "{line}: {refused}");
            assert!(refused.contains(&address) && refused.contains("nephos"), "{line}: {refused}");
        }
    }
}
