use nephos_core::{Record, Text};

/// A database.
#[derive(Record)]
struct Database {
    /// Name of the database.
    #[field(name = "DBName")]
    db_name: Option<Text>,
    /// Name of the database, again.
    d_b_name: Option<Text>,
}

fn main() {}
