//! Several commands on one state file, and places where there is none.

use crate::{
    harness::Program,
    process::{nephos, start},
};
use nephos::Cloud;
use std::{
    fs,
    io::{self, BufRead, Read, Write},
    path::Path,
};

fn state(folder: &Path) -> String {
    folder.join("state.redb").to_string_lossy().into_owned()
}

/// Names of the files in a folder.
fn file_names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn reading_commands_share_the_state() {
    let program = Program::new();
    program.run_all(&["log-group create /a", "secret create s --secret-string x"]);
    let reader = Cloud::options().open_shared(state(program.folder.path())).unwrap();
    for line in [
        "log-group list --lock-wait 0",
        "log-group get /a --lock-wait 0",
        "log-group tail /a --lock-wait 0",
        "clock --lock-wait 0",
        "access mode --lock-wait 0",
        "log-group create /b --dry-run --lock-wait 0",
    ] {
        let output = program.run(line);
        assert_eq!(output.code, 0, "{line}: {}", output.err);
    }
    let refused = program.run("log-group create /b --lock-wait 0");
    assert_eq!(refused.code, 4, "{}", refused.err);
    assert!(refused.err.contains("in use by a process that reads it (if it is a server"), "{}", refused.err);
    let refused = program.run("secret get-value s --lock-wait 1ms");
    assert_eq!(refused.code, 4, "it stores the day of the last use: {}", refused.err);
    drop(reader);
    program.run_all(&["log-group create /b --lock-wait 0"]);
    let wrong = program.run("log-group list --lock-wait soon");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("5s, 1m or 0s"), "{}", wrong.err);
}

#[test]
fn reads_that_store_something_do_not_share_the_state() {
    let program = Program::new();
    program.run_all(&["log-group create /a", "access mode record"]);
    let reader = Cloud::options().open_shared(state(program.folder.path())).unwrap();
    assert_eq!(program.run("log-group get /a --lock-wait 0").code, 4, "the decision is logged");
    drop(reader);
    program.run_all(&["log-group get /a", "access mode off"]);
    assert!(program.run("access log -o text").out.contains("logs:DescribeLogGroups"));
    program.run_all(&[
        "log-stream create /a s",
        r#"log-event put /a s '[{"timestamp":1769860790000,"message":"x"}]'"#,
        "secret create gone --secret-string x",
        "secret delete gone --recovery-window-in-days 7",
    ]);
    let later = Program {
        clock: nephos::Clock::frozen("2026-03-31T12:00:00Z".parse().unwrap()),
        variables: program.variables.clone(),
        folder: tempfile::tempdir().unwrap(),
        ..Program::new()
    };
    let reader = Cloud::options().open_shared(state(program.folder.path())).unwrap();
    assert_eq!(later.run("secret list --lock-wait 0").code, 4, "the deletion has fallen due");
    drop(reader);
    later.run_all(&["secret list"]);
}

#[test]
fn commands_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let state = state(folder.path());
    let (first, rest) = ("/0", ["/1", "/2", "/3", "/4", "/5"]);
    assert!(nephos(&["log-group", "create", first, "--state-file", &state], &[]).status.success());
    let started: Vec<_> = rest
        .iter()
        .map(|name| start(&["log-group", "create", name, "--state-file", &state, "--lock-wait", "60s"]))
        .collect();
    for command in started {
        let output = command.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let listed =
        nephos(&["log-group", "list", "-o", "text", "--fields", "logGroupName", "--state-file", &state], &[]);
    assert_eq!(listed.stdout, b"/0\n/1\n/2\n/3\n/4\n/5\n");
}

/// Stream that runs a command on the same state before it is first read or written.
struct Neighbour<'p> {
    program: &'p Program,
    line: Option<&'static str>,
    input: &'static [u8],
}

impl Neighbour<'_> {
    fn run(&mut self) {
        if let Some(line) = self.line.take() {
            self.program.run_all(&[line]);
        }
    }
}

impl Read for Neighbour<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.run();
        self.input.read(buffer)
    }
}

impl BufRead for Neighbour<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.run();
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.input.consume(amount);
    }
}

impl Write for Neighbour<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.run();
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn commands_of_a_pipe_do_not_wait_for_each_other() {
    let program = &Program::new();
    program.run_all(&["log-group create /a", "log-stream create /a s"]);
    program.run_all(&[r#"log-event put /a s '[{"timestamp":1769860790000,"message":"x"}]'"#]);
    let neighbour = |line, input| Neighbour { program, line: Some(line), input };
    for line in ["log-group delete --from -", "log-group delete --from - --dry-run"] {
        let mut input = neighbour("log-group create /b --lock-wait 0", b"{\"logGroupName\": \"/b\"}\n");
        let (code, error) = program.run_with_streams(line, &mut input, &mut Vec::new());
        assert_eq!((code, error.as_str()), (0, "1 succeeded, 0 failed\n"), "{line}");
    }
    program.run_all(&["log-group delete /b"]);
    for line in ["log-group list -o jsonl", "log-group list", "log-group get /a -o json", "log-group tail /a"]
    {
        let mut out = neighbour("log-group create /b --lock-wait 0", b"");
        let (code, error) = program.run_with_streams(line, &mut &b""[..], &mut out);
        assert_eq!(code, 0, "{line}: {error}");
        assert!(out.line.is_none(), "{line}");
        program.run_all(&["log-group delete /b"]);
    }
}

#[test]
fn pipe_of_list_and_delete_deletes_everything() {
    let folder = tempfile::tempdir().unwrap();
    let state = state(folder.path());
    // More than fits into a pipe.
    let lines: String = (0..2000).map(|n| format!("{{\"logGroupName\":\"/{n}\"}}\n")).collect();
    let file = folder.path().join("lines").to_string_lossy().into_owned();
    fs::write(&file, lines).unwrap();
    let pipe =
        format!("{0} log-group list -o jsonl | {0} log-group delete --from -", env!("CARGO_BIN_EXE_nephos"));
    for _ in 0..3 {
        assert!(
            nephos(&["log-group", "create", "--from", &file, "--state-file", &state], &[]).status.success()
        );
        let run = std::process::Command::new("sh").args(["-c", &pipe]).env("NEPHOS_STATE", &state).output();
        let error = String::from_utf8(run.unwrap().stderr).unwrap();
        assert_eq!(error, "2000 succeeded, 0 failed\n");
    }
}

#[test]
fn input_without_lines_and_input_of_a_failed_command_are_errors() {
    let program = Program::new();
    program.run_all(&["log-group create /a"]);
    for dry_run in ["", " --dry-run"] {
        let empty = program.run(&format!("log-group delete --from -{dry_run}"));
        assert_eq!(empty.code, 5, "{}", empty.err);
        assert!(empty.err.contains("--allow-empty") && !empty.err.contains("succeeded"), "{}", empty.err);
        let allowed = program.run(&format!("log-group delete --from - --allow-empty{dry_run}"));
        assert_eq!((allowed.code, allowed.err.as_str()), (0, "0 succeeded, 0 failed\n"));
    }
    let lines = "{\"logGroupName\": \"/a\"}\n{\"$error\": \"TransportError: connection reset\"}\n";
    let failed = program.run_with_input("log-group delete --from -", lines);
    assert_eq!(failed.code, 5);
    assert!(
        failed
            .err
            .contains("line 2: ValidationError: the command that writes the input failed: TransportError"),
        "{}",
        failed.err
    );
    assert!(failed.err.ends_with("1 succeeded, 1 failed\n"), "{}", failed.err);
}

#[test]
fn reading_command_creates_nothing() {
    let program = Program::new();
    for line in [
        "log-group list",
        "log-group get /a",
        "secret get-value a",
        "log-group tail /a",
        "clock",
        "access mode",
        "access log",
        "state stats",
        "state check",
        "snapshot save $DIR/copy",
    ] {
        let output = program.run(&format!("{line} --state-file $DIR/nested/mistyped.redb"));
        assert_eq!((output.code, output.out.as_str()), (74, ""), "{line}: {}", output.err);
        assert!(output.err.contains("$DIR/nested/mistyped.redb does not exist"), "{line}: {}", output.err);
        assert!(output.err.contains("creates it"), "{line}: {}", output.err);
    }
    let planned = program.run("log-group create /a --dry-run --state-file $DIR/nested/mistyped.redb");
    assert_eq!(planned.code, 0, "{}", planned.err);
    assert!(file_names(program.folder.path()).is_empty());

    let mut fresh = Program::new();
    fresh.variables.clear();
    fresh.variables.insert("HOME".into(), fresh.folder.path().join("home").to_string_lossy().into_owned());
    let listed = fresh.run("log-group list");
    assert_eq!((listed.code, listed.err.as_str()), (0, "no results\n"), "nothing was created in a new home");
    assert!(file_names(fresh.folder.path()).is_empty());
}

#[test]
fn new_state_file_is_reported_once() {
    let mut program = Program::new();
    for line in ["log-group create /a", "event-bus create shop", "clock freeze", "access mode record"] {
        let name = line.split(' ').next().unwrap();
        let planned = program.run(&format!("log-group create /x --dry-run --state-file $DIR/{name}"));
        assert_eq!((planned.code, planned.err.as_str()), (0, ""), "{line}");
        let created = program.run(&format!("{line} --state-file $DIR/{name}"));
        assert_eq!((created.code, created.err), (0, format!("created the state file $DIR/{name}\n")));
        let again = program.run(&format!("clock advance 1s --state-file $DIR/{name}"));
        assert_eq!((again.code, again.err.as_str()), (0, ""), "{line}");
    }
    let refused = program.run("log-group create /a --retention-in-days 31 --state-file $DIR/refused");
    assert_eq!(refused.code, 5);
    assert!(refused.err.starts_with("nephos: ") && !program.folder.path().join("refused").exists());
    program.variables.clear();
    program.variables.insert("XDG_DATA_HOME".into(), program.folder.path().to_string_lossy().into_owned());
    let default = program.run("log-group create /a");
    assert_eq!((default.code, default.err.as_str()), (0, "created the state file $DIR/nephos/state.redb\n"));
    assert_eq!(program.run("log-group create /b --memory").err, "");
}

#[test]
fn wrong_places_have_the_exit_code_of_files() {
    let program = Program::new();
    let file = program.file("file", "text");
    fs::create_dir(program.folder.path().join("folder")).unwrap();
    let before = file_names(program.folder.path());
    for (line, reason) in [
        ("log-group list --state-file $DIR/folder", "is a folder"),
        ("log-group create /a --state-file $DIR/folder", "is a folder"),
        ("log-group create /a --state-file /dev/null", "no regular file"),
        ("log-group create /a --state-file $DIR/file/state", "Not a directory"),
        ("log-group list --state-file $DIR/file/state", "Not a directory"),
    ] {
        let output = program.run(line);
        assert_eq!(output.code, 74, "{line}: {}", output.err);
        assert!(output.err.contains(reason), "{line}: {}", output.err);
    }
    assert_eq!(file_names(program.folder.path()), before);
    assert_eq!(fs::read(file).unwrap(), b"text");
}

/// The superuser writes everywhere, so that the test has nothing to check for it.
#[test]
#[cfg(unix)]
fn state_in_a_folder_without_write_permission_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = Program::new();
    program.run_all(&["log-group create /a", "secret create s --secret-string x"]);
    let folder = program.folder.path();
    let allow = |mode: [u32; 2]| {
        for name in file_names(folder) {
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode[1])).unwrap();
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(mode[0])).unwrap();
    };
    allow([0o500, 0o400]);
    let is_superuser = fs::write(folder.join("probe"), "").is_ok();
    let lines = ["log-group list", "log-group get /a", "secret get-value s", "log-group create /b --dry-run"];
    let read = lines.map(|line| (line, program.run(line)));
    let written = program.run("log-group create /b");
    allow([0o700, 0o600]);
    for (line, output) in read {
        assert_eq!(output.code, 0, "{line}: {}", output.err);
    }
    if !is_superuser {
        assert_eq!(written.code, 74, "{}", written.err);
    }
}
