use nephos_core::Choice;

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// Sun all day.
    Sun,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown,
}

fn main() {}
