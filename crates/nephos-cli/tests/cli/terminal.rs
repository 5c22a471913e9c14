//! What a terminal must not see: control characters of data, and panics.

use crate::{harness::Program, process::nephos};

/// Sets the title of the window, clears the screen, turns the text red, and reverses it.
const ATTACK: &str = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31mred\u{202e}\u{2066}\u{200f}";

fn is_dangerous(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200f}')
}

#[test]
fn control_characters_of_data_are_escaped() {
    let program = Program::new();
    let put = |call: &str, text: &str| {
        let lines = format!("{{{call}, {}}}", text.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007"));
        program.file("line.jsonl", &lines);
    };
    program.run_all(&["log-group create /a", "log-stream create /a s"]);
    put(
        r#""logGroupName": "/a", "logStreamName": "s""#,
        &format!(r#""logEvents": [{{"timestamp": 1769860790000, "message": "{ATTACK}"}}]"#),
    );
    program.run_all(&["log-event put --from $DIR/line.jsonl"]);
    put(r#""Name": "s", "SecretString": "x""#, &format!(r#""Description": "{ATTACK}""#));
    program.run_all(&["secret create --from $DIR/line.jsonl"]);
    let (mut escaped, mut reversed) = (0, 0);
    for line in [
        "log-group tail /a",
        "log-event list /a",
        "secret get s",
        "secret list",
        "secret list --query '[].Description'",
        "secret get s --query Description",
        "secret update s --description other --dry-run",
    ] {
        for form in ["table", "text", "json", "jsonl", "yaml"] {
            let output = program.run(&format!("{line} -o {form}"));
            assert_eq!(output.code, 0, "{line}: {}", output.err);
            let printed = output.out + &output.err;
            assert!(!printed.replace('\t', "").contains(is_dangerous), "{line} {form}: {printed:?}");
            escaped += printed.contains("u001b") as usize;
            reversed += printed.contains("u202e") as usize;
        }
    }
    assert!(escaped > 25 && reversed > 25, "{escaped} {reversed}");
    for line in [
        format!("log-group get '{ATTACK}'"),
        format!("'{ATTACK}'"),
        format!("secret get '{ATTACK}'"),
        format!("log-group list --where '{ATTACK}=1'"),
        format!("log-group create /b --log-group-class '{ATTACK}'"),
        format!("log-group list --state-file '{ATTACK}'"),
    ] {
        let output = program.run(&line);
        assert_ne!(output.code, 0, "{line:?}");
        assert!(!output.err.contains(is_dangerous), "{:?}", output.err);
    }
}

#[test]
fn text_for_a_program_is_not_escaped() {
    let mut program = Program::new();
    program.terminal.width = None;
    program.run_all(&["secret create s --secret-string x"]);
    let lines = r#"{"SecretId": "s", "Description": "\u001b[1mbold\nline"}"#;
    assert_eq!(program.run_with_input("secret update --from -", lines).code, 0);
    let text = program.run("secret get s --query Description -o text");
    assert_eq!(text.out, "\u{1b}[1mbold\nline\n");
}

#[test]
fn damaged_state_prints_one_line_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    let state = path.to_str().unwrap();
    for n in 0..30 {
        let name = format!("/{n}");
        assert!(nephos(&["log-group", "create", &name, "--state-file", state], &[]).status.success());
    }
    let whole = std::fs::read(&path).unwrap();
    let mut reported = 0;
    for start in (4096..whole.len()).step_by(whole.len() / 24) {
        let mut damaged = whole.clone();
        let end = (start + 3000).min(damaged.len());
        damaged[start..end].fill(0xA5);
        std::fs::write(&path, damaged).unwrap();
        for variables in [&[][..], &[("RUST_BACKTRACE", "1")]] {
            let output = nephos(&["log-group", "list", "--state-file", state], variables);
            let error = String::from_utf8(output.stderr).unwrap();
            assert!(!error.contains("panick") && error.lines().count() <= 1, "{start}: {error}");
            reported += usize::from(output.status.code() == Some(10));
        }
    }
    assert!(reported > 0, "no damage was reported");
}

#[test]
fn completion_prints_no_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.redb");
    let state = path.to_str().unwrap();
    std::fs::write(&path, "not a state").unwrap();
    for words in [
        &["--transitions", ""][..],
        &["--lock-wait", ""],
        &["--memory", "--state-file", ""],
        &["log-group", "get", ""],
        &["log-group", "get", "--fields", ""],
        &["nothing", "at", "all", ""],
        &[""],
    ] {
        let args = [&["--", "nephos"], words].concat();
        for shell in ["bash", "zsh", "fish"] {
            let index = (words.len()).to_string();
            let variables = [("COMPLETE", shell), ("_CLAP_COMPLETE_INDEX", &index), ("NEPHOS_STATE", state)];
            let output = nephos(&args, &variables);
            assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{shell} {words:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_prompt_leaves_the_terminal_as_it_was() {
    use std::{
        io::{Read, Write},
        process::{Command, Stdio},
    };
    let program = env!("CARGO_BIN_EXE_nephos");
    for (typed, code) in [("typed\u{3}", "code 130"), ("typed\u{1c}", "code 130"), ("typed\n", "code 0")] {
        let line =
            format!("{program} secret create p --memory --secret-string - -o json; echo code $?; stty -a");
        let mut terminal = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut keys, mut screen) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
        let (mut shown, mut byte) = (Vec::new(), [0]);
        while !shown.ends_with(b"--secret-string: ") {
            screen.read_exact(&mut byte).unwrap();
            shown.extend(byte);
        }
        keys.write_all(typed.as_bytes()).unwrap();
        screen.read_to_end(&mut shown).unwrap();
        terminal.wait().unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains(code), "{typed:?}: {shown}");
        let modes: Vec<_> = shown.split_whitespace().collect();
        assert!(modes.contains(&"echo") && modes.contains(&"isig"), "{typed:?}: {shown}");
        assert!(!shown.contains("typed"), "{typed:?}: {shown}");
    }
}
