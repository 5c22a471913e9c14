//! Orders of result sets.

use super::models::{Model, value_of};
use crate::{Result, Text, Value, predicate, shape::KindShape};
use std::cmp::Ordering;

/// Order of a result set: by the value at one path, ascending or descending.
#[derive(Clone, Debug)]
pub struct Order {
    pub(super) path: Vec<Text>,
    pub(super) descending: bool,
}

impl Order {
    /// Orders by the value at `path`, smallest first.
    pub fn ascending(path: Vec<Text>) -> Self {
        Self { path, descending: false }
    }

    /// Orders by the value at `path`, largest first.
    pub fn descending(path: Vec<Text>) -> Self {
        Self { path, descending: true }
    }

    /// Checks that `kind` has all names of the path. Keys of mappings and fields that a kind keeps beside its own may be any.
    pub fn check_names(&self, kind: &KindShape) -> Result<()> {
        predicate::check_path(kind, &self.path)
    }
}

impl From<&str> for Order {
    fn from(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(path) => Self::descending(predicate::path(path)),
            None => Self::ascending(predicate::path(text)),
        }
    }
}

impl From<String> for Order {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

/// Sorts `models` by `order`; equal ones keep their order.
pub(super) async fn sorted(models: Vec<Model>, order: &Order) -> Result<Vec<Model>> {
    let mut keyed = Vec::with_capacity(models.len());
    for model in models {
        let key = sort_key(value_of(&*model, &order.path).await?);
        keyed.push((key, model));
    }
    keyed.sort_by(|(a, _), (b, _)| {
        let ascending = compare(a, b);
        if order.descending { ascending.reverse() } else { ascending }
    });
    Ok(keyed.into_iter().map(|(_, model)| model).collect())
}

/// Returns the sort key of a value: the first item of a list, the first value of a mapping; empty ones count
/// as null.
fn sort_key(value: Value) -> Value {
    match value {
        Value::List(items) => items.into_iter().next().map_or(Value::Null, sort_key),
        Value::Map(map) => map.into_iter().next().map_or(Value::Null, |(_, value)| sort_key(value)),
        scalar => scalar,
    }
}

/// Compares in a total order: null first, then bools, numbers, instants, texts, and values without an order last;
/// within each by value.
fn compare(a: &Value, b: &Value) -> Ordering {
    fn rank(value: &Value) -> u8 {
        match value {
            Value::Null => 0,
            Value::Float(value) if value.is_nan() => 5,
            Value::Bool(_) => 1,
            Value::Int(_) | Value::Float(_) => 2,
            Value::Time(_) => 3,
            Value::Text(_) => 4,
            _ => 5,
        }
    }
    rank(a).cmp(&rank(b)).then_with(|| a.view().compare(&b.view()).unwrap_or(Ordering::Equal))
}
