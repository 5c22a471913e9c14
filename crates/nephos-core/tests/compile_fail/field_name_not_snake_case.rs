use nephos_core::{Record, Text};

/// A database.
#[derive(Record)]
struct Database {
    /// Name of the database.
    #[field(name = "DBName")]
    dbname: Option<Text>,
}

fn main() {}
