//! Order of the keys of objects that a query writes, such as `{name: logGroupName, days: retentionInDays}`. JMESPath leaves it
//! open, and the interpreter sorts the keys; it is restored in the result.

use super::Columns;
use jmespath::ast::{Ast, KeyValuePair};
use nephos::{Map, Value};

/// Keys of an object that a query writes, in the order of the query.
#[derive(Debug)]
pub(super) struct KeyOrder(Vec<String>);

impl KeyOrder {
    fn new(elements: &[KeyValuePair]) -> Self {
        let mut keys: Vec<String> = Vec::new();
        for element in elements {
            if !keys.contains(&element.key) {
                keys.push(element.key.clone());
            }
        }
        Self(keys)
    }

    /// True for an object with these keys.
    pub(super) fn is_order_of(&self, object: &Map<Value>) -> bool {
        object.len() == self.0.len() && self.0.iter().all(|key| object.contains_key(key.as_str()))
    }

    /// Returns the keys as columns.
    pub(super) fn to_columns(&self) -> Columns {
        Columns::chosen(self.0.clone())
    }
}

/// Returns the key orders of all objects that a query writes, also of nested ones. An object of the result is recognized by its
/// keys: the outermost and last one of the query with the same keys is first.
pub(super) fn orders(query: &Ast) -> Vec<KeyOrder> {
    let mut found = Vec::new();
    collect(query, &mut found);
    found
}

fn collect(query: &Ast, found: &mut Vec<KeyOrder>) {
    match query {
        Ast::MultiHash { elements, .. } => {
            found.push(KeyOrder::new(elements));
            elements.iter().for_each(|element| collect(&element.value, found));
        }
        Ast::MultiList { elements: parts, .. } | Ast::Function { args: parts, .. } => {
            parts.iter().for_each(|part| collect(part, found));
        }
        Ast::Subexpr { lhs, rhs, .. }
        | Ast::Projection { lhs, rhs, .. }
        | Ast::Comparison { lhs, rhs, .. }
        | Ast::And { lhs, rhs, .. }
        | Ast::Or { lhs, rhs, .. } => {
            collect(rhs, found);
            collect(lhs, found);
        }
        Ast::Condition { predicate, then, .. } => {
            collect(then, found);
            collect(predicate, found);
        }
        Ast::Expref { ast: node, .. }
        | Ast::Flatten { node, .. }
        | Ast::Not { node, .. }
        | Ast::ObjectValues { node, .. } => collect(node, found),
        Ast::Identity { .. }
        | Ast::Field { .. }
        | Ast::Index { .. }
        | Ast::Literal { .. }
        | Ast::Slice { .. } => {}
    }
}

/// True if the result of a query is a list that the query writes: `[a, b]`.
pub(super) fn is_multiselect_list(query: &Ast) -> bool {
    match query {
        Ast::MultiList { .. } => true,
        Ast::Subexpr { rhs, .. } => is_multiselect_list(rhs),
        _ => false,
    }
}

/// Returns the result of a query with the keys of the objects that it writes in the order of the query.
pub(super) fn restore(found: Value, orders: &[KeyOrder]) -> Value {
    if orders.is_empty() {
        return found;
    }
    match found {
        Value::List(items) => Value::List(items.into_iter().map(|item| restore(item, orders)).collect()),
        Value::Map(mut object) => {
            if let Some(order) = orders.iter().find(|order| order.is_order_of(&object)) {
                let position = |key: &str| order.0.iter().position(|known| known == key);
                object.sort_by_cached_key(|key, _| position(key));
            }
            Value::Map(object.into_iter().map(|(key, value)| (key, restore(value, orders))).collect())
        }
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_that_a_query_writes_has_an_order() {
        let keys = |query: &str| -> Vec<String> {
            orders(&jmespath::parse(query).unwrap()).iter().map(|order| order.0.join(" ")).collect()
        };
        assert_eq!(keys("[].name"), [""; 0]);
        assert_eq!(keys("[].{b: x, a: y, b: z}"), ["b a"]);
        assert_eq!(keys("{b: {d: x, c: x}, a: [{f: x}]}"), ["b a", "d c", "f"]);
        assert_eq!(keys("{b: x, a: x} | {a: a, b: b}"), ["a b", "b a"]);
        assert_eq!(keys("sort_by(*.{b: x}, &a)"), ["b"]);
        assert_eq!(keys("map(&{b: x}, @) || !{c: x}"), ["c", "b"]);
        assert_eq!(keys("[?{b: x} == {c: x}].{a: x}"), ["a", "c", "b"]);
    }
}
