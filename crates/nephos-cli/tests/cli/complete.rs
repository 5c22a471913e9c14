//! Shell completion of commands, flags, values and resource names.

use crate::harness::Program;

impl Program {
    /// Returns the completion candidates for the last of these words.
    pub(crate) fn candidates(&self, words: &str) -> Vec<String> {
        let mut shell = Program { folder: tempfile::tempdir().unwrap(), ..Program::new() };
        shell.variables = self.variables.clone();
        shell.variables.insert("COMPLETE".into(), "fish".into());
        let output = shell.run(&format!("-- nephos {words}"));
        assert_eq!((output.code, output.err.as_str()), (0, ""), "{words}");
        output.out.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
    }
}

#[test]
fn resource_names_are_completed() {
    let program = Program::new();
    program.run_all(&[
        "log-group create /web/api",
        "log-group create /web/shop",
        "log-group create /batch",
        "log-stream create /web/api host-1",
        "log-stream create /web/api host-2",
    ]);
    for call in ["get", "update", "delete"] {
        assert_eq!(
            program.candidates(&format!("log-group {call} /web")),
            ["/web/api", "/web/shop"],
            "{call}"
        );
    }
    assert_eq!(program.candidates("log-stream get /ba"), ["/batch"]);
    assert_eq!(program.candidates("log-stream get /web/api host"), ["host-1", "host-2"]);
    assert_eq!(program.candidates("log-event list /web/s"), ["/web/shop"]);
}

#[test]
fn number_of_completed_names_is_limited() {
    let program = Program::new();
    let lines: String = (0..80).map(|n| format!("{{\"logGroupName\":\"/{n:02}\"}}\n")).collect();
    assert_eq!(program.run_with_input("log-group create --from -", &lines).code, 0);
    assert_eq!(program.candidates("log-group get /").len(), 50);
}

#[test]
fn missing_or_locked_state_completes_no_names() {
    let program = Program::new();
    assert!(program.candidates("log-group get /").is_empty());
    assert!(!program.folder.path().join("state.redb").exists(), "completion must not create a state file");
    program.run_all(&["log-group create /a"]);
    let _lock = nephos::Cloud::open(program.folder.path().join("state.redb")).unwrap();
    assert!(program.candidates("log-group get /").is_empty());
}

#[test]
fn commands_flags_and_enum_values_are_completed() {
    let program = Program::new();
    let calls = program.candidates("log-group cr");
    assert_eq!(calls, ["create"]);
    assert!(program.candidates("log-").contains(&"log-group".to_owned()));
    assert_eq!(program.candidates("log-group create /a --retention"), ["--retention-in-days"]);
    let classes = program.candidates("log-group create /a --log-group-class ''");
    assert_eq!(classes, ["STANDARD", "INFREQUENT_ACCESS", "DELIVERY"]);
    assert_eq!(program.candidates("log-group create /a --log-group-class D"), ["DELIVERY"]);
}

#[test]
fn completion_script_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let output = Program::new().run(&format!("completions {shell}"));
        assert_eq!(output.code, 0);
        assert!(output.out.contains("COMPLETE"), "{shell}: {}", output.out);
    }
}
