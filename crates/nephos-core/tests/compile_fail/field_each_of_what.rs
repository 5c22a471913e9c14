use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is called.
    #[field(each(required))]
    names: Option<Vec<Text>>,
}

fn main() {}
