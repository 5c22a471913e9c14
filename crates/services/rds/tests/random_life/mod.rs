//! Random lives of instances and clusters: whatever happens to them, they end in a status that they can stay in, pending changes
//! are applied once, and nothing is left over.

mod checks;
mod life;
mod steps;

use life::Life;
use nephos_core::Result;
use nephos_testing::names;
use proptest::prelude::*;
use steps::{START, Step, steps};

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lives_end_well(steps in steps()) {
        let mut life = Life::new();
        life.steps(START);
        life.steps(&steps);
        life.settle();
        life.delete_all();
    }
}

/// A pending identifier that another instance has taken meanwhile is dropped.
#[test]
fn taken_identifier_is_not_overwritten() -> Result<()> {
    let mut life = Life::new();
    let create = |id| Step::Create { id, engine: "mysql", backups: 0 };
    let steps = [
        create("a"),
        Step::Wait { minutes: 10 },
        Step::Rename { id: "a", to: "b", at_once: false },
        create("b"),
    ];
    life.steps(&steps);
    life.settle();
    assert_eq!(names(&life.instances())?, ["a", "b"]);
    life.delete_all();
    Ok(())
}
