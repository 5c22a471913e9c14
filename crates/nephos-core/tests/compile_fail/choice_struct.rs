use nephos_core::Choice;

/// How much sun there is.
#[derive(Choice, Clone, Debug, PartialEq)]
struct Light;

fn main() {}
