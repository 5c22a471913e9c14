//! `nephos tour`.

use crate::harness::{Program, assert_snapshot};

#[test]
fn tour_runs() {
    let program = Program::new();
    let output = program.run("tour");
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert_snapshot!(output.out);
    assert_eq!(program.run("tour").out, output.out, "the output is reproducible");
    assert_eq!(std::fs::read_dir(program.folder.path()).unwrap().count(), 0, "temporary files are removed");
}
