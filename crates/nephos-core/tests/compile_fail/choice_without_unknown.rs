use nephos_core::Choice;

/// How much sun there is.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// All day.
    Sun,
    /// Never.
    Shade,
}

fn main() {}
