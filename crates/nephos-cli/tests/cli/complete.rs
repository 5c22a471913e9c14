//! Completion: of commands, flags, values and names of resources.

use crate::harness::Program;

impl Program {
    /// What a shell is offered for the last of these words.
    fn offered(&self, words: &str) -> Vec<String> {
        let mut asking = Program { folder: tempfile::tempdir().unwrap(), ..Program::new() };
        asking.variables = self.variables.clone();
        asking.variables.insert("COMPLETE".into(), "fish".into());
        let ended = asking.run(&format!("-- nephos {words}"));
        assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{words}");
        ended.out.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
    }
}

#[test]
fn names_of_resources_are_offered() {
    let program = Program::new();
    program.given(&[
        "log-group create /web/api",
        "log-group create /web/shop",
        "log-group create /batch",
        "log-stream create /web/api host-1",
        "log-stream create /web/api host-2",
    ]);
    for call in ["get", "update", "delete"] {
        assert_eq!(program.offered(&format!("log-group {call} /web")), ["/web/api", "/web/shop"], "{call}");
    }
    assert_eq!(program.offered("log-stream get /ba"), ["/batch"]);
    assert_eq!(program.offered("log-stream get /web/api host"), ["host-1", "host-2"]);
    assert_eq!(program.offered("log-event list /web/s"), ["/web/shop"]);
}

#[test]
fn no_more_names_are_offered_than_help() {
    let program = Program::new();
    let lines: String = (0..80).map(|n| format!("{{\"logGroupName\":\"/{n:02}\"}}\n")).collect();
    assert_eq!(program.feed("log-group create --from -", &lines).code, 0);
    assert_eq!(program.offered("log-group get /").len(), 50);
}

#[test]
fn a_state_that_is_absent_or_in_use_offers_nothing_and_is_no_error() {
    let program = Program::new();
    assert!(program.offered("log-group get /").is_empty());
    assert!(!program.folder.path().join("state.redb").exists(), "completing makes no state");
    program.given(&["log-group create /a"]);
    let _held = nephos::Cloud::open(program.folder.path().join("state.redb")).unwrap();
    assert!(program.offered("log-group get /").is_empty());
}

#[test]
fn commands_flags_and_values_are_offered() {
    let program = Program::new();
    let calls = program.offered("log-group cr");
    assert_eq!(calls, ["create"]);
    assert!(program.offered("log-").contains(&"log-group".to_owned()));
    assert_eq!(program.offered("log-group create /a --retention"), ["--retention-in-days"]);
    let classes = program.offered("log-group create /a --log-group-class ''");
    assert_eq!(classes, ["STANDARD", "INFREQUENT_ACCESS", "DELIVERY"]);
    assert_eq!(program.offered("log-group create /a --log-group-class D"), ["DELIVERY"]);
}

#[test]
fn each_shell_is_told_how_to_ask() {
    for shell in ["bash", "zsh", "fish"] {
        let ended = Program::new().run(&format!("completions {shell}"));
        assert_eq!(ended.code, 0);
        assert!(ended.out.contains("COMPLETE"), "{shell}: {}", ended.out);
    }
}
