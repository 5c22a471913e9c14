//! The committed inputs pass all targets.

use std::process::Command;

#[test]
fn committed_inputs_pass() {
    let output = Command::new(env!("CARGO_BIN_EXE_nephos-fuzz")).args(["--seconds", "0"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
