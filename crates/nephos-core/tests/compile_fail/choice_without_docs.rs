use nephos_core::{Choice, Text};

#[derive(Choice, Clone, Debug, PartialEq)]
enum Light {
    /// Sun all day.
    Sun,
    /// A value this version does not know.
    #[choice(unknown)]
    Unknown(Text),
}

fn main() {}
