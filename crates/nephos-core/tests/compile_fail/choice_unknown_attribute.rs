use nephos_core::{Choice, Text};

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// Sun all day.
    #[choice("FULL_SUN", alias = "SUN")]
    Sun,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
