use nephos_core::{Choice, Text};

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// Sun all day.
    #[choice("SUN")]
    Sun,
    /// Full sun all day.
    #[choice("SUN")]
    FullSun,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
