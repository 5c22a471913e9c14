use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// Number of plants.
    #[field(default = "one")]
    count: Option<i64>,
}

fn main() {}
