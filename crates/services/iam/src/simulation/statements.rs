//! Statements in the text of a policy document: their positions, and the context keys that they refer to.

use super::Position;
use nephos_core::{Text, Value, json};
use std::collections::HashSet;

/// Returns the start and the end of each statement. A statement starts after the bracket, comma or colon before it.
pub fn positions(document: &str) -> Vec<[Position; 2]> {
    let (mut found, mut here, mut start) = (Vec::new(), Position::new(1, 1), Position::new(1, 1));
    let (mut depth, mut text, mut in_text, mut is_escaped) = (0, String::new(), false, false);
    let (mut is_statement, mut in_list) = (false, false);
    for character in document.chars() {
        here = here.after(character);
        if in_text {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => in_text = false,
                other => text.push(other),
            }
            continue;
        }
        match character {
            '"' => {
                in_text = true;
                text.clear();
            }
            ':' if depth == 1 => {
                is_statement = text == "Statement";
                start = here.clone();
            }
            '{' | '[' => {
                depth += 1;
                if character == '[' && depth == 2 && is_statement {
                    in_list = true;
                    start = here.clone();
                }
            }
            ',' if depth == 2 && in_list => start = here.clone(),
            '}' | ']' => {
                depth -= 1;
                let outer = if in_list { 2 } else { 1 };
                if character == '}' && is_statement && depth == outer {
                    found.push([start.clone(), here.clone()]);
                }
                in_list &= depth > 1;
            }
            _ => {}
        }
    }
    found
}

/// Returns the context keys of each statement, as they are written: in conditions and in variables.
pub fn context_keys(document: &str) -> Vec<Vec<Text>> {
    let Ok(Value::Map(policy)) = json::parse(document.as_bytes()) else { return Vec::new() };
    let statements = match policy.get("Statement") {
        Some(Value::List(statements)) => statements.as_slice(),
        Some(statement) => std::slice::from_ref(statement),
        None => &[],
    };
    statements.iter().map(keys_of_statement).collect()
}

fn keys_of_statement(statement: &Value) -> Vec<Text> {
    let Value::Map(statement) = statement else { return Vec::new() };
    let mut keys = KeyNames::default();
    if let Some(Value::Map(operators)) = statement.get("Condition") {
        for conditions in operators.values() {
            let Value::Map(conditions) = conditions else { continue };
            conditions.keys().for_each(|key| keys.add(key));
            conditions.values().for_each(|values| add_variables(&mut keys, values));
        }
    }
    for resources in ["Resource", "NotResource"].iter().filter_map(|element| statement.get(*element)) {
        add_variables(&mut keys, resources);
    }
    keys.into()
}

/// Names of context keys in the order in which they were added, each once. Keys ignore case.
#[derive(Default)]
pub(super) struct KeyNames {
    names: Vec<Text>,
    known: HashSet<String>,
}

impl KeyNames {
    /// Adds a key, unless it is there.
    pub(super) fn add(&mut self, key: &str) {
        if self.known.insert(key.to_ascii_lowercase()) {
            self.names.push(key.into());
        }
    }
}

impl From<KeyNames> for Vec<Text> {
    fn from(keys: KeyNames) -> Self {
        keys.names
    }
}

/// Adds the keys of variables such as `${aws:username}` in texts.
fn add_variables(keys: &mut KeyNames, value: &Value) {
    match value {
        Value::List(values) => values.iter().for_each(|value| add_variables(keys, value)),
        Value::Text(text) => {
            for variable in text.split("${").skip(1) {
                let inner = variable.split('}').next().unwrap_or_default();
                let key = inner.split(',').next().unwrap_or_default().trim();
                // `${*}` is an escaped character.
                if key.contains(':') {
                    keys.add(key);
                }
            }
        }
        _ => {}
    }
}
