//! The tour.

use crate::harness::{Program, shows};

#[test]
fn the_tour_tells_its_story() {
    let program = Program::new();
    let ended = program.run("tour");
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    shows!(ended.out);
    assert_eq!(program.run("tour").out, ended.out, "it is the same each time");
    assert_eq!(std::fs::read_dir(program.folder.path()).unwrap().count(), 0, "it leaves nothing behind");
}
