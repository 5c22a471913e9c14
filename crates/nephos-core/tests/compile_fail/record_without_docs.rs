use nephos_core::{Record, Text};

#[derive(Record)]
struct Plant {
    /// What it is.
    species: Option<Text>,
}

fn main() {}
