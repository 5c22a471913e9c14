//! Regular expressions applied to attributes.

use crate::{Error, ErrorKind, Map, Result, Value, rules::quoted};

/// Maximum number of backtracking steps of an expression with look-around or back-references.
const MAX_BACKTRACKS: usize = 1_000_000;

/// Applies `transformer` to `value`, the value of `attribute`.
pub(crate) fn apply(attribute: &str, value: Value, transformer: Option<&str>) -> Result<Value> {
    let Some(transformer) = transformer else { return Ok(value) };
    let text = match &value {
        Value::Null => return Ok(value),
        Value::Text(text) => text,
        other => {
            let message = format!("only text can be transformed, found {}", other.view().type_name());
            return Err(Error::invalid(attribute, message));
        }
    };
    let expression = Expression::new(transformer)?;
    if expression.names.len() < 2 {
        return Err(Error::invalid("transformer", format!("{} has no groups", quoted(transformer))));
    }
    let no_match = || {
        let message = format!("{} does not match the {attribute}", quoted(transformer));
        Error::new(ErrorKind::NoMatch, message).with_field(attribute)
    };
    let groups = expression.search(text)?.ok_or_else(no_match)?;
    if expression.names.iter().all(Option::is_none) {
        return Ok(groups[1].clone());
    }
    let named = expression.names.into_iter().zip(groups);
    Ok(Value::Map(named.filter_map(|(name, group)| Some((name?.into(), group))).collect::<Map<_>>()))
}

/// A compiled expression, with a linear-time engine if possible.
struct Expression {
    engine: Engine,
    /// Names of the groups, beginning with the whole match.
    names: Vec<Option<String>>,
}

enum Engine {
    Linear(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

impl Expression {
    fn new(text: &str) -> Result<Self> {
        if let Ok(regex) = regex::Regex::new(text) {
            let names = regex.capture_names().map(|name| name.map(str::to_owned)).collect();
            return Ok(Self { engine: Engine::Linear(regex), names });
        }
        let built = fancy_regex::RegexBuilder::new(text).backtrack_limit(MAX_BACKTRACKS).build();
        let regex = built.map_err(|cause| {
            Error::invalid("transformer", format!("{} is not a regular expression: {cause}", quoted(text)))
        })?;
        let names: Vec<_> = regex.capture_names().map(|name| name.map(str::to_owned)).collect();
        let mut named = names.iter().enumerate().filter(|(_, name)| name.is_some());
        if named.any(|(n, name)| names[..n].contains(name)) {
            return Err(Error::invalid(
                "transformer",
                format!("{} has two groups of one name", quoted(text)),
            ));
        }
        Ok(Self { engine: Engine::Backtracking(Box::new(regex)), names })
    }

    /// Returns the groups of the first match, beginning with the whole match; null for groups that did not take
    /// part.
    fn search(&self, text: &str) -> Result<Option<Vec<Value>>> {
        let count = self.names.len();
        Ok(match &self.engine {
            Engine::Linear(regex) => regex.captures(text).map(|found| {
                (0..count).map(|n| Value::from(found.get(n).map(|group| group.as_str()))).collect()
            }),
            Engine::Backtracking(regex) => {
                let found = regex.captures(text).map_err(|cause| {
                    Error::invalid("transformer", format!("the expression takes too many steps: {cause}"))
                })?;
                found.map(|found| {
                    (0..count).map(|n| Value::from(found.get(n).map(|group| group.as_str()))).collect()
                })
            }
        })
    }
}
