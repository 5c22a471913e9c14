//! Checks of the values of parameters.

use super::tables::{COMMANDS, DataType, Definition, KEYSPACE_EVENTS, RENAME_COMMANDS};

/// Letters of the events that clients can be notified of, and of the channels.
const EVENT_LETTERS: &str = "KEg$lshzxetmdnA";

/// True if the value has the type of the parameter and is one of the allowed values.
pub fn is_allowed(definition: &Definition, value: &str) -> bool {
    match definition.name {
        KEYSPACE_EVENTS => return value.chars().all(|letter| EVENT_LETTERS.contains(letter)),
        RENAME_COMMANDS => return renames_commands(value),
        _ => {}
    }
    let allowed = definition.allowed;
    match definition.data_type {
        DataType::Boolean | DataType::String => {
            allowed.is_empty() || allowed.split(',').any(|one| one == value)
        }
        DataType::Integer => value.parse::<i64>().is_ok_and(|number| is_in(allowed, number)),
        DataType::Float => value.parse::<f64>().is_ok_and(|number| is_in(allowed, number)),
    }
}

/// True if the number is one of these values, or in one of these ranges: `0,20-`.
pub fn is_in<N: PartialOrd + std::str::FromStr>(allowed: &str, number: N) -> bool {
    let is_in = |range: &str| {
        if let Ok(value) = range.parse::<N>() {
            return value == number;
        }
        let Some((low, high)) = range.split_once('-') else { return false };
        let above = low.is_empty() || low.parse().is_ok_and(|low: N| number >= low);
        above && (high.is_empty() || high.parse().is_ok_and(|high: N| number <= high))
    };
    allowed.is_empty() || allowed.split(',').any(is_in)
}

/// True if the text is pairs of a command that can be renamed and its new name, or empty.
pub fn renames_commands(value: &str) -> bool {
    let words: Vec<_> = value.split_ascii_whitespace().collect();
    let is_command = |word: &str| COMMANDS.split(',').any(|command| command.eq_ignore_ascii_case(word));
    words.chunks(2).all(|pair| pair.len() == 2 && is_command(pair[0]))
}
