use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant(Option<Text>);

fn main() {}
