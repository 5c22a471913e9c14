use nephos_core::Choice;

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// Sun all day.
    Sun,
    /// No sun.
    Shade,
}

fn main() {}
