use nephos_core::{Record, Text};

/// A database.
#[derive(Record)]
struct Database {
    /// What it is called.
    #[field(name = "DBName")]
    db_name: Option<Text>,
    /// What it is called, again.
    d_b_name: Option<Text>,
}

fn main() {}
