//! Inputs of the fuzz target, and each pattern of the table with each of its events.

use crate::consistency;

use std::{fs, path::Path};

#[test]
fn inputs_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut inputs = 0;
    for entry in fs::read_dir(folder).expect("the corpus is a folder") {
        let input = fs::read(entry.expect("the folder can be read").path()).expect("the input can be read");
        // Each beginning of an input is an input too.
        (0..=input.len()).for_each(|end| consistency::check(&input[..end]));
        inputs += 1;
    }
    assert!(inputs > 0);
}

#[test]
fn cases_of_the_table() {
    let lines = || include_str!("patterns.txt").lines();
    let events: Vec<&str> =
        lines().filter_map(|line| line.strip_prefix("match ").or(line.strip_prefix("none "))).collect();
    for pattern in lines().filter_map(|line| line.strip_prefix("pattern ")) {
        events.iter().for_each(|event| consistency::check(format!("{pattern}\n{event}").as_bytes()));
    }
}
