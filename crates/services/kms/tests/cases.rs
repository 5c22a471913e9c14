//! Runs every behaviour case on a cloud in memory, and one in ten on a state file.

fn main() {}
