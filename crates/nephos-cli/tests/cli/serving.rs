//! Options of `nephos serve`: shutdown, clock, snapshots and encryption.

use crate::process::{nephos, serve, stop};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

/// Sends a request to the server at `url`; returns the response.
fn post(url: &str, path: &str, target: &str, body: &str) -> String {
    let mut answer = String::new();
    start_post(url, path, target, body).read_to_string(&mut answer).unwrap();
    answer
}

/// Sends a request without reading the response.
fn start_post(url: &str, path: &str, target: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let target = if target.is_empty() { String::new() } else { format!("X-Amz-Target: {target}\r\n") };
    let length = body.len();
    let method = if body.is_empty() { "GET" } else { "POST" };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{target}Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    stream
}

#[test]
fn server_ends_in_time_although_a_request_hangs() {
    let function = TcpListener::bind("127.0.0.1:0").unwrap();
    let (server, lines) = serve(&["--memory", "--shutdown-timeout", "1s"]);
    let (url, arn) = (&lines[0], "arn:aws:lambda:us-east-1:123456789012:function:f");
    let function_url = format!("http://{}/", function.local_addr().unwrap());
    let registered =
        post(url, "/_nephos/functions", "", &format!("{{\"name\":\"{arn}\",\"url\":\"{function_url}\"}}"));
    assert!(registered.contains(" 200 "), "{registered}");
    let created = post(
        url,
        "/",
        "secretsmanager.CreateSecret",
        "{\"Name\":\"db\",\"SecretString\":\"a\",\"ClientRequestToken\":\"b1b1b1b1-b1b1-b1b1-b1b1-b1b1b1b1b1b1\"}",
    );
    assert!(created.contains(" 200 "), "{created}");
    let body = format!(
        "{{\"SecretId\":\"db\",\"RotationLambdaARN\":\"{arn}\",\"RotationRules\":{{\"AutomaticallyAfterDays\":1}},\
         \"ClientRequestToken\":\"c1c1c1c1-c1c1-c1c1-c1c1-c1c1c1c1c1c1\"}}"
    );
    let _rotating = start_post(url, "/", "secretsmanager.RotateSecret", &body);
    let _advancing = start_post(url, "/_nephos/clock", "", "{\"advance\":\"3d\"}");
    // The function is called, and never answers.
    let _hanging = function.accept().unwrap();
    let id = server.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    // A process that has ended stays until its exit code is read.
    let reaper = std::thread::spawn(move || server.wait_with_output().unwrap());
    let ended = Command::new("timeout").args(["600", "tail", "--pid", &id, "-f", "/dev/null"]).status();
    assert!(ended.unwrap().success(), "the server did not end");
    assert!(reaper.join().unwrap().status.success());
}

#[test]
fn clock_starts_at_a_given_time() {
    let (server, lines) = serve(&["--memory", "--clock", "2020-02-29T12:00:00Z"]);
    let clock = post(&lines[0], "/_nephos/clock", "", "");
    assert!(clock.contains("\"now\":\"2020-02-29T12:0") && clock.contains("\"frozen\":false"), "{clock}");
    stop(server);
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let state = state.to_str().unwrap();
    let (server, lines) = serve(&["--state-file", state, "--clock", "2099-01-31T12:00:00Z"]);
    let clock = post(&lines[0], "/_nephos/clock", "", "");
    assert!(clock.contains("\"now\":\"2099-01-31T12:0"), "{clock}");
    stop(server);
    let refused = nephos(
        &["serve", "--listen", "127.0.0.1:0", "--state-file", state, "--clock", "2098-01-31T12:00:00Z"],
        &[],
    );
    assert_eq!(refused.status.code(), Some(5));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("time cannot move backwards"));
    for (option, wrong) in
        [("--clock", "soon"), ("--fork-idle", "0s"), ("--fork-idle", "x"), ("--shutdown-timeout", "-1s")]
    {
        let refused = nephos(&["serve", "--memory", &format!("{option}={wrong}")], &[]);
        assert_eq!(refused.status.code(), Some(2), "{option} {wrong}");
    }
}

/// Names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    files.into_iter().map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn snapshots_are_in_a_folder_beside_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (server, lines) = serve(&["--state-file", state.to_str().unwrap()]);
    let saved = post(&lines[0], "/_nephos/snapshot", "", "{\"name\":\"one\"}");
    assert!(saved.contains(" 200 ") && saved.contains("state.snapshots/one"), "{saved}");
    assert!(files(&folder.path().join("state.snapshots")).contains(&"one".to_owned()));
    let outside = format!("{{\"path\":\"{}/two\"}}", folder.path().display());
    assert!(post(&lines[0], "/_nephos/snapshot", "", &outside).contains("--allow-snapshot-paths"));
    stop(server);
    assert!(!folder.path().join("two").exists());

    // As a killed process leaves it; none has the highest number.
    let left = folder.path().join("state.snapshots/two.4294967295-0.nephos-new");
    std::fs::write(&left, "half a snapshot").unwrap();
    let (server, lines) = serve(&["--state-file", state.to_str().unwrap(), "--allow-snapshot-paths"]);
    assert!(!left.exists());
    assert!(post(&lines[0], "/_nephos/snapshot", "", &outside).contains(" 200 "));
    stop(server);
    assert!(folder.path().join("two").exists());
}

/// Starts a server that listens on all addresses, with these options; returns what it printed until it listened.
fn serve_to_all(temporary: &Path, args: &[&str]) -> (String, String, Vec<String>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(["serve", "--listen", "0.0.0.0:0", "--memory", "--auth", "strict"])
        .args(args)
        .env_clear()
        .env("TMPDIR", temporary)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut printed, mut byte) = (String::new(), [0]);
    let mut out = server.stdout.take().unwrap();
    while !(printed.contains("listening at") && printed.ends_with('\n')) {
        out.read_exact(&mut byte).unwrap();
        printed.push(char::from(byte[0]));
    }
    let folders = files(temporary);
    let kept = folders.iter().map(|folder| temporary.join(folder));
    let names = kept.flat_map(|folder| {
        let path = |name: &String| folder.join(name);
        let mode = |name: &String| path(name).metadata().unwrap().permissions().mode() & 0o777;
        files(&folder).iter().map(|name| format!("{name} {:o}", mode(name))).collect::<Vec<_>>()
    });
    let names = names.collect();
    let log = stop(server);
    (printed, log, names)
}

#[test]
fn program_calls_a_server_whose_certificate_it_is_told_to_trust() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (server, lines) = serve(&["--tls", "self-signed", "--state-file", state.to_str().unwrap()]);
    let [_, trust, address] = lines.as_slice() else { panic!("{lines:?}") };
    let bundle = trust.trim().strip_prefix("export AWS_CA_BUNDLE=").unwrap();
    let call = |bundle: Option<&str>| {
        let mut variables = vec![("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")];
        variables.extend(bundle.map(|file| ("AWS_CA_BUNDLE", file)));
        let output = nephos(&["log-group", "create", "/a", "--endpoint", address], &variables);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, refused) = call(None);
    assert_eq!(code, Some(9), "{refused}");
    assert!(refused.contains("AWS_CA_BUNDLE names a file"), "{refused}");
    for (file, problem) in [("none.pem", "No such file"), (state.to_str().unwrap(), "there is none")] {
        let (code, refused) = call(Some(file));
        assert_eq!(code, Some(5), "{refused}");
        assert!(refused.contains(problem), "{refused}");
    }
    assert_eq!(call(Some(bundle)), (Some(0), String::new()));
    stop(server);
}

#[test]
fn self_signed_certificate_is_made_and_its_absence_is_warned_about() {
    let temporary = tempfile::tempdir().unwrap();
    let (printed, log, names) = serve_to_all(temporary.path(), &["--tls", "self-signed"]);
    assert!(printed.contains("listening at https://0.0.0.0:"), "{printed}");
    assert!(
        printed.contains("SHA-256 fingerprint ") && printed.contains("export AWS_CA_BUNDLE="),
        "{printed}"
    );
    assert_eq!(names, ["memory.nephos-tls-cert.pem 644", "memory.nephos-tls-key.pem 600"]);
    assert!(!log.contains("warning"), "{log}");
    assert!(files(temporary.path()).is_empty(), "the temporary folder is removed");
    let (printed, log, _) = serve_to_all(temporary.path(), &[]);
    assert!(printed.contains("listening at http://0.0.0.0:"), "{printed}");
    assert!(log.contains("warning: connections are not encrypted"), "{log}");
    for wrong in [&["--tls", "self"][..], &["--tls", "none.pem", "none.key"]] {
        let refused = nephos(&[&["serve", "--memory", "--listen", "127.0.0.1:0"], wrong].concat(), &[]);
        assert_eq!(refused.status.code(), Some(5), "{wrong:?}");
    }
}

#[test]
fn refused_server_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let state = state.to_str().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let free = "127.0.0.1:0";
    for wrong in [
        &["--listen", "0.0.0.0:1"][..],
        &["--listen", &taken, "--permissions", "record"],
        &["--listen", &taken, "--auth", "strict"],
        &["--listen", free, "--host", "a b"],
        &["--listen", free, "--allow-origin", "nowhere", "--auth", "strict"],
        &["--listen", free, "--fallback", "ftp://a", "--own-events"],
        &["--listen", free, "--tls", "none.pem", "none.key", "--permissions", "enforce"],
    ] {
        let refused = nephos(&[&["serve", "--state-file", state], wrong].concat(), &[]);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(matches!(refused.status.code(), Some(5 | 9 | 74)), "{wrong:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{wrong:?}: {error}");
        assert_eq!(files(folder.path()), [""; 0], "{wrong:?}");
    }
}
