//! Filters of webhooks: paths of values in a body, and values with properties of the target action.

use nephos_core::{
    Map, Text, Value,
    json::{self, Writing},
};

/// Finds a value by a path such as `$.head_commit.id`, `$['ref']` or `$.commits[0]`.
pub fn find_value<'v>(body: &'v Value, path: &str) -> Option<&'v Value> {
    let mut rest = path.strip_prefix('$')?;
    let mut found = body;
    while !rest.is_empty() {
        let step;
        (step, rest) = split_step(rest)?;
        found = match (found, step.parse::<usize>()) {
            (Value::List(items), Ok(position)) => items.get(position)?,
            (Value::Map(_), _) => found.get(step)?,
            _ => return None,
        };
    }
    Some(found)
}

/// Splits the first step from a path: `.name`, `[0]` or `['name']`.
fn split_step(path: &str) -> Option<(&str, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        return (end > 0).then(|| rest.split_at(end));
    }
    let (step, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((step.trim_matches(['\'', '"']), rest))
}

/// Replaces `{Branch}` and the like by properties of the target action.
pub(super) fn fill_properties(text: &str, configuration: Option<&Map<Text>>) -> String {
    let mut filled = text.to_owned();
    for (name, value) in configuration.into_iter().flatten() {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    filled
}

/// Returns a value as filters compare it.
pub fn to_text(value: &Value) -> String {
    value.as_text().map_or_else(|| json::write(value.view(), Writing::EXPOSED), ToString::to_string)
}
