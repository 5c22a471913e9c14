//! Refusals: one line each, the nearest name, an exit code that a script can tell apart.

use crate::harness::{Program, shows};

#[test]
fn a_refusal_is_one_line_with_the_nearest_name() {
    let program = Program::new();
    program.given(&["log-group create /a --deletion-protection-enabled"]);
    shows!(program.transcript(&[
        "log-grop list",
        "log-group crate /b",
        "log-group create /b --retention 3",
        "log-group create /b --logGroupClas STANDARD",
        "log-group create /b --log-group-class STANDRD",
        "log-group create /b --retention-in-days 31",
        "log-group create /b --retention-in-days many",
        "log-group create /b --deletion-protection-enabled=perhaps",
        "log-group create /b --tags team",
        "log-group create '/b c'",
        "log-group create /b /c",
        "log-group create",
        "log-group get",
        "log-group create /a",
        "log-group delete /a",
        "log-group delete /nothing",
        "log-group get /nothing",
        "log-group list --where retentioInDays=3",
        "log-group list --where retentionInDays",
        "log-group list --sort retentioInDays",
        "log-group list --fields retentioInDays",
        "log-group list --limit many",
        "log-group get /a --dry-run",
        "explain LogGrop",
        "explain LogGroup.retentioInDays",
        "explain LogGroup.crate",
        "clock advance soon",
        "clock advance -- -1d",
        "clock set 2020-01-01T00:00:00Z",
        "snapshot restore $DIR/nothing",
        "log-group create --from $DIR/nothing",
        "control links 12 123456789012",
        "completions tcsh",
    ]));
}

#[test]
fn every_error_is_one_line_on_stderr() {
    let program = Program::new();
    for line in
        ["log-grop", "log-group create", "log-group get /x", "log-group list --sort x", "-o xml kinds"]
    {
        let ended = program.run(line);
        assert_ne!(ended.code, 0, "{line}");
        assert_eq!(ended.out, "", "{line}");
        assert_eq!(ended.err.lines().count(), 1, "{line}: {}", ended.err);
        assert!(ended.err.starts_with("nephos: "), "{line}: {}", ended.err);
    }
}

#[test]
fn a_state_that_is_in_use_is_a_conflict_and_a_damaged_one_says_so() {
    let program = Program::new();
    program.given(&["log-group create /a"]);
    let held = nephos::Cloud::open(program.folder.path().join("state.redb")).unwrap();
    let ended = program.run("log-group list");
    assert_eq!(ended.code, 4, "{}", ended.err);
    drop(held);
    assert_eq!(program.run("log-group list").code, 0);
    let ended =
        program.run(&format!("log-group list --state {}", program.file("foreign", "not a state").display()));
    assert_eq!(ended.code, 10, "{}", ended.err);
}

#[test]
fn the_folder_of_the_state_is_made_on_first_use() {
    let mut program = Program::new();
    let home = program.folder.path().join("home");
    program.variables.clear();
    program.variables.insert("HOME".into(), home.to_string_lossy().into_owned());
    assert_eq!(program.run("state path").out, "$DIR/home/.local/share/nephos/state.redb\n");
    assert!(!home.exists(), "looking for the path makes nothing");
    program.given(&["log-group create /a"]);
    assert!(home.join(".local/share/nephos/state.redb").exists());
    program.variables.insert("XDG_DATA_HOME".into(), home.join("data").to_string_lossy().into_owned());
    assert_eq!(program.run("state path").out, "$DIR/home/data/nephos/state.redb\n");
    assert_eq!(program.run("log-group get /a").code, 3, "that is another state");
}
