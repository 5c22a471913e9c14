use nephos_core::{Choice, Text};

/// How much sun there is.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// So many hours.
    Sun(i64),
    /// Anything else.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
