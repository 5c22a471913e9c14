//! Patterns on JSON messages: `{ $.user.id = 1 && ($.tags[*] = "beta*" || $.trial IS TRUE) }`.

use super::{
    condition::Condition,
    parse::{Cursor, Expression},
    selector::Selector,
};
use nephos_core::{Result, Value, json};
use std::borrow::Cow;

/// Maximum number of wildcard selectors in a pattern; a selector can have one wildcard.
const MAX_WILDCARD_SELECTORS: usize = 3;

/// A condition on a JSON message.
#[derive(Clone, Debug)]
pub(super) struct Json(Expression<Test>);

#[derive(Clone, Debug)]
struct Test {
    selector: Selector,
    requirement: Requirement,
}

#[derive(Clone, Debug)]
enum Requirement {
    /// A selected value passes the condition.
    Condition(Condition),
    /// A selected value is null, true or false.
    Is(Value),
    /// No value is selected.
    Absent,
}

impl Json {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.open_bracket('{', '}')?;
        let mut wildcards = 0;
        let expression = cursor.parse_expression(&mut |cursor| {
            let start = cursor.position();
            let selector = Selector::parse(cursor)?;
            wildcards += usize::from(selector.has_wildcard());
            if wildcards > MAX_WILDCARD_SELECTORS {
                let message =
                    format!("a pattern can have at most {MAX_WILDCARD_SELECTORS} wildcard selectors");
                return Err(cursor.error_at(start, message));
            }
            Ok(Test { selector, requirement: parse_requirement(cursor)? })
        })?;
        cursor.close_bracket("}", "expected && or || or '}'")?;
        Ok(Self(expression))
    }

    pub(super) fn matches(&self, message: &str) -> bool {
        parse_object(message).is_some_and(|message| self.holds(&message))
    }

    pub(super) fn extract(&self, message: &str) -> Option<Vec<(String, String)>> {
        let message = parse_object(message).filter(|message| self.holds(message))?;
        let mut values: Vec<(String, String)> = Vec::new();
        self.0.visit(&mut |test| {
            let name = &test.selector.text;
            let found = test.selector.find(&message).into_iter().find_map(text_of);
            if let Some(value) = found.filter(|_| values.iter().all(|(known, _)| known != name)) {
                values.push((name.clone(), value.into_owned()));
            }
        });
        Some(values)
    }

    fn holds(&self, message: &Value) -> bool {
        self.0.holds(&mut |test| {
            let found = test.selector.find(message);
            match &test.requirement {
                Requirement::Condition(condition) => found.into_iter().any(|value| passes(condition, value)),
                Requirement::Is(wanted) => found.contains(&wanted),
                Requirement::Absent => found.is_empty(),
            }
        })
    }
}

/// Parses a message, if it is a JSON object.
fn parse_object(message: &str) -> Option<Value> {
    // The first character shows that most messages are not JSON objects.
    let is_object = message.trim_start().starts_with('{');
    is_object.then(|| json::parse(message.as_bytes()).ok()).flatten()
}

/// True if the value passes the condition. Objects, lists and nulls pass no comparison, not even `!=`; booleans pass
/// only `= *`.
fn passes(condition: &Condition, value: &Value) -> bool {
    match value {
        Value::Bool(_) => condition.is_presence(),
        Value::Int(_) | Value::Float(_) => {
            text_of(value).is_some_and(|text| condition.holds(&text, Some(value.view())))
        }
        _ => value.as_text().is_some_and(|text| condition.holds(text, None)),
    }
}

fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    value.view().text_form()
}

/// Parses the part of a test after its selector.
fn parse_requirement(cursor: &mut Cursor<'_>) -> Result<Requirement> {
    cursor.skip_space();
    let start = cursor.position();
    let word = |cursor: &mut Cursor<'_>| {
        cursor.skip_space();
        cursor.take_while(|c| c.is_ascii_alphabetic()).to_owned()
    };
    let message = match word(cursor).as_str() {
        "" => return cursor.parse_condition().map(Requirement::Condition),
        "IS" => match word(cursor).as_str() {
            "NULL" => return Ok(Requirement::Is(Value::Null)),
            "TRUE" => return Ok(Requirement::Is(Value::Bool(true))),
            "FALSE" => return Ok(Requirement::Is(Value::Bool(false))),
            "NOT" => "IS NOT is not supported",
            _ => "IS needs NULL, TRUE or FALSE",
        },
        "NOT" if word(cursor) == "EXISTS" => return Ok(Requirement::Absent),
        "EXISTS" => "EXISTS is not supported; write = *",
        _ => "expected an operator, IS or NOT EXISTS",
    };
    Err(cursor.error_at(start, message))
}
