use nephos_core::{Choice, Text};

#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// All day.
    Sun,
    /// Anything else.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
