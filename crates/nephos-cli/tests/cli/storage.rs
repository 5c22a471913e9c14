//! The root key in the state file, and damaged state files.

use crate::process::{nephos, serve, stop};
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Runs a command on the state at `state`; returns its exit code, output and errors.
fn run(state: &Path, args: &[&str]) -> (i32, String, String) {
    let output = nephos(&[args, &["--state-file", state.to_str().unwrap()]].concat(), &[]);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn root_key_is_shown_and_renewed_while_no_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (code, _, err) = run(&state, &["root-key", "show"]);
    assert_eq!(code, 74, "{err}");
    assert!(err.contains("does not exist"), "{err}");
    assert!(!state.exists(), "a reading command created a state");
    assert_eq!(run(&state, &["log-group", "create", "/a"]).0, 0);
    let (code, _, err) = run(&state, &["root-key", "show"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("serve --auth strict"), "{err}");
    let args = ["--auth", "strict", "--state-file", state.to_str().unwrap()];
    let (server, lines) = serve(&args);
    let printed = lines[1..3].join("\n") + "\n";
    let (code, _, err) = run(&state, &["root-key", "show", "--lock-wait", "0s"]);
    assert_eq!(code, 4, "{err}");
    assert!(err.contains("is in use by process"), "{err}");
    stop(server);

    assert_eq!(run(&state, &["root-key", "show"]), (0, printed.clone(), String::new()));
    let (code, renewed, _) = run(&state, &["root-key", "renew"]);
    assert!(code == 0 && renewed != printed && renewed.lines().count() == 2, "{renewed}");
    assert_eq!(run(&state, &["root-key", "show"]).1, renewed);
    let (server, lines) = serve(&args);
    let [address] = lines.as_slice() else { panic!("the key was printed again: {lines:?}") };
    let call = |key: &str| {
        let mut values = key.lines().map(|line| line.split_once('=').unwrap().1);
        let keys = [
            ("AWS_ACCESS_KEY_ID", values.next().unwrap()),
            ("AWS_SECRET_ACCESS_KEY", values.next().unwrap()),
        ];
        nephos(&["log-group", "create", "/b", "--endpoint", address], &keys).status.code()
    };
    assert_ne!(call(&printed), Some(0), "the key from before is refused");
    assert_eq!(call(&renewed), Some(0));
    stop(server);
    let remote = ["--endpoint", "http://127.0.0.1:1"];
    for option in [&["--memory"][..], &remote, &["--profile", "p"]] {
        for call in ["show", "renew"] {
            let refused = nephos(&[&["root-key", call], option].concat(), &[]);
            assert_eq!(refused.status.code(), Some(5), "{call} {option:?}: {refused:?}");
            assert!(refused.stdout.is_empty(), "{call} {option:?}: {refused:?}");
        }
    }
    let variables = [("NEPHOS_ENDPOINT", remote[1]), ("NEPHOS_STATE", state.to_str().unwrap())];
    let shown = nephos(&["root-key", "show"], &variables);
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), renewed, "endpoints of the environment are ignored");
}

#[test]
fn root_key_that_could_not_be_printed_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_nephos"))
        .args(["serve", "--auth", "strict", "--listen", "127.0.0.1:0", "--state-file"])
        .arg(&state)
        .stdin(Stdio::null())
        .stdout(writer)
        .status()
        .unwrap();
    assert!(!status.success());
    let (code, out, _) = run(&state, &["root-key", "show"]);
    assert_eq!((code, out.as_str()), (3, ""));
}

#[test]
fn damaged_state_is_reported_and_never_copied() {
    let folder = tempfile::tempdir().unwrap();
    let (state, sound) = (folder.path().join("state"), folder.path().join("sound"));
    for path in [&state, &sound] {
        assert_eq!(run(path, &["log-group", "create", "/damaged-by-the-disk"]).0, 0);
    }
    let good = folder.path().join("good");
    assert_eq!(run(&state, &["snapshot", "save", good.to_str().unwrap()]).0, 0);
    let mut bytes = std::fs::read(&state).unwrap();
    let name = b"/damaged-by-the-disk";
    for at in 0..bytes.len() - name.len() {
        if bytes[at..].starts_with(name) {
            bytes[at + 1] = b'D';
        }
    }
    std::fs::write(&state, &bytes).unwrap();
    let saved = folder.path().join("saved");
    let commands: [&[&str]; 4] = [
        &["state", "check"],
        &["state", "compact"],
        &["snapshot", "save", saved.to_str().unwrap()],
        &["log-group", "list"],
    ];
    for command in commands.iter().chain([&commands[0]]) {
        let (code, out, err) = run(&state, command);
        assert_eq!((code, out.as_str()), (10, ""), "{command:?}: {err}");
    }
    assert!(!saved.exists());
    let kept = folder.path().join("state.damaged");
    let copy = folder.path().join("copy");
    std::fs::write(&copy, &bytes).unwrap();
    for path in [&sound, &state] {
        let (code, _, err) = run(path, &["snapshot", "restore", copy.to_str().unwrap()]);
        assert_eq!(code, 10, "{err}");
    }
    assert!(!kept.exists(), "without a sound snapshot nothing is replaced");
    let (code, _, err) = run(&state, &["snapshot", "restore", good.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("it was kept as") && kept.exists(), "{err}");
    for path in [&sound, &state] {
        let (_, listed, _) = run(path, &["log-group", "list", "-o", "text", "--fields", "logGroupName"]);
        assert_eq!(listed, "/damaged-by-the-disk\n");
        assert_eq!(run(path, &["state", "check"]).0, 0);
    }
}

#[test]
fn missing_places_are_reported_with_the_path_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    assert_eq!(run(&state, &["log-group", "create", "/a"]).0, 0);
    for (call, path) in [("save", "/nope/x"), ("restore", "/nope/x"), ("restore", "/")] {
        let (code, _, err) = run(&state, &["snapshot", call, path]);
        assert_eq!(code, 74, "{call}: {err}");
        assert!(err.starts_with(&format!("nephos: IO: {path}: ")), "{call}: {err}");
    }
    let mistyped = folder.path().join("mistyped/state");
    let commands: [&[&str]; 5] = [
        &["snapshot", "restore", "nope"],
        &["log-group", "delete", "/a"],
        &["log-group", "delete", "--from", "/dev/null", "--allow-empty"],
        &["log-group", "update", "/a", "--retention-in-days", "7"],
        &["log-group", "update", "/a", "--retention-in-days", "7", "--dry-run"],
    ];
    for command in commands {
        let (code, _, err) = run(&mistyped, command);
        assert!(code != 0 || command.contains(&"--allow-empty"), "{command:?}: {err}");
        assert!(!mistyped.parent().unwrap().exists(), "{command:?} created a folder");
    }
    assert_eq!(run(&mistyped, &["log-group", "delete", "/a"]).0, 74);
}
