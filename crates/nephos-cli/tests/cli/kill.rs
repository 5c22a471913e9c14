//! The built program is killed in the middle of its work: what it had told of is there.

use nephos::{Cloud, LogGroup, prelude::*};
use std::{
    collections::HashSet,
    fmt::Write as _,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.redb");
    let mut acknowledged = HashSet::new();
    for (round, killed_after) in [1, 50, 130, 400, 7].into_iter().enumerate() {
        let mut lines = String::new();
        for n in 0..5000 {
            let _ = writeln!(lines, "{{\"logGroupName\":\"/{round}/{n}\",\"retentionInDays\":30}}");
        }
        let from = folder.path().join("lines.jsonl");
        std::fs::write(&from, lines).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_nephos"))
            .args(["log-group", "create", "-o", "text", "--from"])
            .arg(&from)
            .arg("--state")
            .arg(&state)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(program.stdout.take().unwrap()).lines();
        acknowledged.extend(told.by_ref().take(killed_after).map(Result::unwrap));
        program.kill().unwrap();
        // What it said before it died counts as well; a name that was cut off does not.
        let rest: Vec<String> = told.map_while(Result::ok).collect();
        let whole = rest.len().saturating_sub(1);
        acknowledged.extend(rest.into_iter().take(whole));
        let ended = program.wait().unwrap();
        assert!(!ended.success(), "it was done before it could be killed");

        let session = Cloud::open(&state).unwrap().session();
        let groups = LogGroup::objects(&session).list().results().all().wait().unwrap();
        let there: HashSet<&str> = groups.iter().map(|group| group.require_name().unwrap()).collect();
        for name in &acknowledged {
            assert!(
                there.contains(name.as_str()),
                "{name} was acknowledged in round {round} or before, and is lost"
            );
        }
        assert!(groups.iter().all(|group| group.retention_in_days() == Some(30)), "no group is half made");
    }
    assert!(acknowledged.len() >= 588);
}
