use nephos_core::{Choice, Text};

/// How much sun there is.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// All day.
    #[choice("SUN")]
    Sun,
    /// All day, in full.
    #[choice("SUN")]
    FullSun,
    /// Anything else.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
