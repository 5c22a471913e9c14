use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// How many there are.
    #[field(default = "one")]
    count: Option<i64>,
}

fn main() {}
