//! Bulk import: many creates at once, each durable, with the refusals collected instead of stopping.
//!
//! `cargo run -p nephos-examples --example bulk_import`

use nephos::{Cloud, LogGroup, Result, prelude::*};
use std::thread;

/// Lines of JSON as `nephos log-group list -o jsonl` writes them; two of them are bad.
fn lines() -> Vec<String> {
    let mut lines: Vec<String> =
        (0..200).map(|n| format!(r#"{{"logGroupName": "/import/{n:03}", "retentionInDays": 30}}"#)).collect();
    lines.push(r#"{"logGroupName": "/import/007", "retentionInDays": 30}"#.into());
    lines.push(r#"{"logGroupName": "/import/bad", "retentionInDays": 31}"#.into());
    lines
}

#[cfg_attr(test, test)] // it runs as a test, too
fn main() -> Result<()> {
    let cloud = Cloud::in_memory();
    let lines = lines();
    // Commits of concurrent callers share one sync to disk, so several threads are faster than one.
    let refused: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = lines
            .chunks(lines.len().div_ceil(4))
            .map(|chunk| {
                let session = cloud.session();
                scope.spawn(move || {
                    let import = |line: &String| {
                        let group = LogGroup::from_json(line)?;
                        LogGroup::objects(&session).create(&group).wait()
                    };
                    chunk
                        .iter()
                        .filter_map(|line| import(line).err().map(|error| (line.clone(), error)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    println!("{} created, {} refused", lines.len() - refused.len(), refused.len());
    for (line, error) in &refused {
        println!("  {error}\n    in {line}");
    }
    assert_eq!(LogGroup::objects(&cloud.session()).list().results().count().wait()?, 200);
    Ok(())
}
