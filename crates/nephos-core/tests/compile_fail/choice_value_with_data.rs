use nephos_core::{Choice, Text};

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// Hours of sun.
    Sun(i64),
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
