//! The program is killed during a bulk create: acknowledged resources survive.

use nephos::{Cloud, LogGroup, prelude::*};
use std::{
    collections::HashSet,
    fmt::Write as _,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

#[test]
fn acknowledged_writes_survive_a_kill() {
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
            .arg("--state-file")
            .arg(&state)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines_out = BufReader::new(program.stdout.take().unwrap()).lines();
        acknowledged.extend(lines_out.by_ref().take(killed_after).map(Result::unwrap));
        program.kill().unwrap();
        // Lines that were written before the kill count, too, except a last line that was cut off.
        let rest: Vec<String> = lines_out.map_while(Result::ok).collect();
        let complete = rest.len().saturating_sub(1);
        acknowledged.extend(rest.into_iter().take(complete));
        let output = program.wait().unwrap();
        assert!(!output.success(), "the program ended before it was killed");

        let session = Cloud::open(&state).unwrap().session();
        let groups = LogGroup::objects(&session).list().results().all().wait().unwrap();
        let found: HashSet<&str> = groups.iter().map(|group| group.require_name().unwrap()).collect();
        for name in &acknowledged {
            assert!(found.contains(name.as_str()), "{name} was acknowledged by round {round} and is lost");
        }
        assert!(
            groups.iter().all(|group| group.retention_in_days() == Some(30)),
            "a group was partly created"
        );
    }
    assert!(acknowledged.len() >= 588);
}
