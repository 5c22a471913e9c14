//! Checks of the values of parameters.

use super::tables::{DataType, Definition};
use std::str::FromStr;

/// Names that formulas can have: functions, and facts of the database.
const FORMULA_NAMES: &[&str] = &[
    "AllocatedStorage",
    "DBInstanceClassMemory",
    "DBInstanceVCPU",
    "EndPointPort",
    "GREATEST",
    "LEAST",
    "SUM",
    "TrueIfClusterReplica",
    "TrueIfReplica",
    "log",
];

/// True if the value has the type of the parameter and is one of the allowed values, or is a formula for a number.
pub fn is_allowed(definition: &Definition, value: &str) -> bool {
    let may_be_formula = !matches!(definition.data_type, DataType::String | DataType::List);
    is_constant_allowed(definition, value) || may_be_formula && is_formula(value)
}

/// True if the value has the type of the parameter and is one of the allowed values.
pub fn is_constant_allowed(definition: &Definition, value: &str) -> bool {
    let allowed = definition.allowed;
    let is_one_of = |value: &str| allowed.is_empty() || allowed.split(',').any(|one| one == value);
    match definition.data_type {
        DataType::Boolean => matches!(value, "0" | "1"),
        DataType::String => is_one_of(value),
        DataType::List => value.is_empty() || value.split(',').all(|item| is_one_of(item.trim())),
        DataType::Integer => value.parse::<i128>().is_ok_and(|number| is_in(allowed, number)),
        DataType::Float => value.parse::<f64>().is_ok_and(|number| is_in(allowed, number)),
    }
}

/// True if the number is one of these values, or in one of these ranges: `0,20-100`.
pub fn is_in<N: PartialOrd + FromStr>(allowed: &str, number: N) -> bool {
    let is_in = |range: &str| {
        // A minus at the start is a sign.
        match range.match_indices('-').find(|(at, _)| *at > 0) {
            None => range.parse().is_ok_and(|value: N| value == number),
            Some((at, _)) => {
                let low = range[..at].parse().is_ok_and(|low: N| low <= number);
                low && range[at + 1..].parse().is_ok_and(|high: N| number <= high)
            }
        }
    };
    allowed.is_empty() || allowed.split(',').any(is_in)
}

/// True for a formula, such as `LEAST({DBInstanceClassMemory/9531392},5000)`: it has braces in pairs, and known names only.
pub fn is_formula(value: &str) -> bool {
    let mut depth = 0;
    for letter in value.chars() {
        match letter {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    let mut words = value.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || " {}(),.+-*/".contains(letter);
    value.contains('{')
        && depth == 0
        && value.chars().all(is_part)
        && words.all(|word| FORMULA_NAMES.contains(&word))
}
