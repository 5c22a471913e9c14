use nephos_core::{Choice, Text};

/// How much sun there is.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// All day.
    #[choice("FULL_SUN", alias = "SUN")]
    Sun,
    /// Anything else.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
