//! Selectors of values in JSON messages.

use super::parse::Cursor;
use nephos_core::{Result, Value};

/// Selector of values in a message: `$.users[0].name`, `$.*`, `$.['cluster.name']`.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    /// Text of the selector in the pattern.
    pub(super) text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
    Any,
}

impl Selector {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        let start = cursor.position();
        if !cursor.eat("$.") {
            return Err(cursor.error("expected a selector starting with $."));
        }
        let mut selector = Self { text: String::new(), steps: Vec::new() };
        let mut is_property = true;
        loop {
            let step_start = cursor.position();
            let step = if cursor.peek() == Some('[') {
                parse_bracketed(cursor, is_property)?
            } else {
                parse_key(cursor)?
            };
            if matches!(step, Step::Any) && selector.has_wildcard() {
                return Err(cursor.error_at(step_start, "a selector can have only one wildcard"));
            }
            selector.steps.push(step);
            is_property = cursor.eat(".");
            if !is_property && cursor.peek() != Some('[') {
                break;
            }
        }
        cursor.text_since(start).clone_into(&mut selector.text);
        Ok(selector)
    }

    pub(super) fn has_wildcard(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Any))
    }

    /// Returns the selected values of `message`; at most one without a wildcard.
    pub(super) fn find<'a>(&self, message: &'a Value) -> Vec<&'a Value> {
        let mut found = vec![message];
        for step in &self.steps {
            found = found.into_iter().flat_map(|value| step.select(value)).collect();
        }
        found
    }
}

impl Step {
    fn select<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        match (self, value) {
            (Self::Key(key), Value::Map(map)) => map.get(key.as_str()).into_iter().collect(),
            (Self::Index(index), Value::List(list)) => list.get(*index).into_iter().collect(),
            (Self::Any, Value::Map(map)) => map.values().collect(),
            (Self::Any, Value::List(list)) => list.iter().collect(),
            _ => Vec::new(),
        }
    }
}

fn parse_key(cursor: &mut Cursor<'_>) -> Result<Step> {
    if cursor.eat("*") {
        return Ok(Step::Any);
    }
    match cursor.take_name() {
        "" => Err(cursor.error(
            "expected a property name; names with characters other than A-Z a-z 0-9 - _ need ['...']",
        )),
        key => Ok(Step::Key(key.to_owned())),
    }
}

/// Parses `['key']` if a property is expected, or else `[0]`, `[*]` or `['key']`.
fn parse_bracketed(cursor: &mut Cursor<'_>, is_property: bool) -> Result<Step> {
    let start = cursor.position();
    cursor.next();
    let step = if cursor.eat("'") {
        let key = cursor.take_while(|c| c != '\'').to_owned();
        cursor.eat("'").then_some(Step::Key(key))
    } else if is_property {
        None
    } else if cursor.eat("*") {
        Some(Step::Any)
    } else {
        cursor.take_while(|c| c.is_ascii_digit()).parse().ok().map(Step::Index)
    };
    let expected = if is_property { "a property, as in ['name']" } else { "[0], [*] or ['name']" };
    step.filter(|_| cursor.eat("]")).ok_or_else(|| cursor.error_at(start, format!("expected {expected}")))
}
