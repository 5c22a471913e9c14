//! `--query`: JMESPath expressions on the JSON of an answer.

use super::{
    Columns, hidden,
    key_order::{self, KeyOrder},
};
use nephos::{Error, Map, Result, SecretText, Text, Value};
use nephos_core::json::{self, Writing};

/// Start of the text that stands for a hidden value while a query runs: a private character, and then its number.
const MARK: char = '\u{f8ff}';

/// A compiled query.
#[derive(Debug)]
pub(crate) struct Query {
    expression: jmespath::Expression<'static>,
    text: String,
    /// Keys of each object that the query writes, in the order of the query.
    orders: Vec<KeyOrder>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let expression = jmespath::compile(text).map_err(|error| invalid_query(&error))?;
        let orders = key_order::orders(expression.as_ast());
        Ok(Self { expression, text: text.to_owned(), orders })
    }

    /// True if the result is a list of values that the query writes: `[a, b]`.
    pub(super) fn is_list_of_values(&self) -> bool {
        key_order::is_multiselect_list(self.expression.as_ast())
    }

    /// Returns the columns of a result: the keys of the objects that the query writes, the columns of the kind for whole
    /// resources, or else all keys.
    pub(super) fn columns(&self, found: &Value, columns: &Columns) -> Columns {
        let rows: Vec<&Map<Value>> = match found {
            Value::Map(row) => vec![row],
            Value::List(items) => items.iter().filter_map(Value::as_map).collect(),
            _ => Vec::new(),
        };
        let is_written = |order: &&KeyOrder| rows.iter().all(|row| order.is_order_of(row));
        match self.orders.iter().find(is_written) {
            Some(order) => order.to_columns(),
            None if columns.have_all(&rows) => columns.clone(),
            None => {
                let keys = Columns::default().present_in(&rows);
                Columns::ordered(&keys.iter().map(String::as_str).collect::<Vec<_>>())
            }
        }
    }

    /// Applies the query to `value`. A hidden value can be selected, and is hidden in the result; a result that depends on it
    /// in another way is an error.
    pub(crate) fn apply(&self, value: &Value) -> Result<Value> {
        if !hidden::contains_secret(value) {
            return self.search(value);
        }
        let found = self.search(&with_texts(value, &|number| format!("{MARK}{number:08}")))?;
        // The result must be the same for other values: numbers in the opposite order, long ones, and words of the query.
        let numbers = |number: usize| (u32::MAX as usize - number).to_string();
        let long = |number: usize| format!("{number:0>5000}");
        let is_fixed = |text: &dyn Fn(usize) -> String| {
            self.search(&with_texts(value, text))
                .is_ok_and(|other| other == with_marks_replaced(&found, text))
        };
        let mut words = self.text.split(['\'', '`', '"']).filter(|word| !word.is_empty());
        if is_fixed(&numbers) && is_fixed(&long) && words.all(|word| is_fixed(&|_| word.to_owned())) {
            return Ok(hide_marks(&found));
        }
        Err(hidden::refusal())
    }

    /// True if the query has `name` as a word.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    }

    fn search(&self, value: &Value) -> Result<Value> {
        let text = json::write(value.view(), Writing::SHOWN);
        let data =
            jmespath::Variable::from_json(&text).map_err(|message| Error::invalid("query", message))?;
        let selected = self.expression.search(data).map_err(|error| invalid_query(&error))?;
        let found = json::parse(selected.to_string().as_bytes())?;
        Ok(key_order::restore(found, &self.orders))
    }
}

/// Returns the value with each secret replaced by the text for its number.
fn with_texts(value: &Value, text: &dyn Fn(usize) -> String) -> Value {
    let mut number = 0;
    map_leaves(value, &mut |leaf| match leaf {
        Value::Secret(_) => {
            number += 1;
            text(number).into()
        }
        leaf => leaf.clone(),
    })
}

/// Returns the result of a query with each text that stands for a hidden value replaced by another one.
fn with_marks_replaced(found: &Value, text: &dyn Fn(usize) -> String) -> Value {
    map_leaves(found, &mut |leaf| {
        mark_number(leaf).map_or_else(|| leaf.clone(), |number| text(number).into())
    })
}

/// Returns the result of a query with secrets for the texts that stand for hidden values.
fn hide_marks(found: &Value) -> Value {
    let secret = |_| Value::Secret(SecretText::from(""));
    map_leaves(found, &mut |leaf| mark_number(leaf).map_or_else(|| leaf.clone(), secret))
}

fn mark_number(leaf: &Value) -> Option<usize> {
    leaf.as_text()?.strip_prefix(MARK)?.parse().ok()
}

fn map_leaves(value: &Value, map: &mut dyn FnMut(&Value) -> Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(|item| map_leaves(item, map)).collect()),
        Value::Map(fields) => {
            let field = |(name, value): (&Text, &Value)| (name.clone(), map_leaves(value, map));
            Value::Map(fields.iter().map(field).collect())
        }
        leaf => map(leaf),
    }
}

/// Returns the first line of the message; the others draw the position of the error.
fn invalid_query(error: &jmespath::JmespathError) -> Error {
    let text = error.to_string();
    Error::invalid("query", text.lines().next().unwrap_or_default().to_owned())
}
