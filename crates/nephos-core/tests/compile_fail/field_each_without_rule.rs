use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Names of the plant.
    #[field(each(required))]
    names: Option<Vec<Text>>,
}

fn main() {}
