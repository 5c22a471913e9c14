use nephos_core::Choice;

/// Amount of sun.
#[derive(Choice, Clone, Debug, PartialEq)]
struct Light;

fn main() {}
