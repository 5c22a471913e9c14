use nephos_core::{Record, Text};

/// A database.
#[derive(Record)]
struct Database {
    /// What it is called.
    #[field(name = "DBName")]
    dbname: Option<Text>,
}

fn main() {}
