//! The simplest possible matcher, written straight from the specification: it tries all values of all fields.

use nephos_core::{Value, json};
use std::{collections::BTreeMap, net::IpAddr};

/// Item of an array: number of the array in the event, and index in it.
type Items = BTreeMap<usize, usize>;

/// True if the event matches the pattern, which is valid.
pub(crate) fn matches(pattern: &str, event: &Value) -> bool {
    let pattern = json::parse(pattern.as_bytes()).expect("the pattern is JSON");
    let mut fields = Vec::new();
    flatten(event, "", &Items::new(), &mut 0, &mut fields);
    let mut rules = vec![BTreeMap::new()];
    expand(&pattern, "", &mut rules);
    rules.iter().any(|rule| solve(&rule.iter().collect::<Vec<_>>(), &fields, &Items::new()))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn flatten(
    value: &Value,
    path: &str,
    items: &Items,
    arrays: &mut usize,
    fields: &mut Vec<(String, Value, Items)>,
) {
    match value {
        Value::Map(map) => {
            map.iter().for_each(|(name, value)| flatten(value, &join(path, name), items, arrays, fields));
        }
        Value::List(list) => {
            let array = *arrays;
            *arrays += 1;
            for (index, value) in list.iter().enumerate() {
                let mut items = items.clone();
                if matches!(value, Value::Map(_) | Value::List(_)) {
                    items.insert(array, index);
                }
                flatten(value, path, &items, arrays, fields);
            }
        }
        value => fields.push((path.to_owned(), value.clone(), items.clone())),
    }
}

fn expand(pattern: &Value, path: &str, rules: &mut Vec<BTreeMap<String, Vec<Value>>>) {
    for (name, value) in pattern.as_map().expect("a pattern is an object") {
        match value {
            Value::List(objects) if name == "$or" => {
                let combined = objects.iter().flat_map(|object| {
                    let mut rules = rules.clone();
                    expand(object, path, &mut rules);
                    rules
                });
                *rules = combined.collect();
            }
            Value::List(choices) => rules.iter_mut().for_each(|rule| {
                rule.insert(join(path, name), choices.clone());
            }),
            value => expand(value, &join(path, name), rules),
        }
    }
}

fn solve(rule: &[(&String, &Vec<Value>)], fields: &[(String, Value, Items)], chosen: &Items) -> bool {
    let Some(((path, choices), rest)) = rule.split_first() else { return true };
    let agrees = |items: &Items| {
        items.iter().all(|(array, index)| chosen.get(array).is_none_or(|other| other == index))
    };
    let values: Vec<_> = fields.iter().filter(|(name, _, items)| name == *path && agrees(items)).collect();
    let accepts_absence = choices.iter().any(|choice| choice["exists"] == Value::Bool(false));
    if accepts_absence && values.is_empty() && solve(rest, fields, chosen) {
        return true;
    }
    values.iter().any(|(_, value, items)| {
        let mut chosen = chosen.clone();
        chosen.extend(items);
        choices.iter().any(|choice| accepts(choice, value)) && solve(rest, fields, &chosen)
    })
}

fn accepts(choice: &Value, value: &Value) -> bool {
    let Value::Map(operator) = choice else { return equal(choice, value) };
    let (operator, operand) = operator.first().expect("an operator has a name");
    let text = value.as_text();
    match &**operator {
        "exists" => operand.as_bool() == Some(true),
        "anything-but" => match operand {
            Value::Map(nested) => {
                let (operator, operand) = nested.first().expect("an operator has a name");
                !one_or_many(operand)
                    .any(|operand| text.is_some_and(|text| text_matches(operator, operand, text)))
            }
            operand => !one_or_many(operand).any(|operand| same(operand, value)),
        },
        "numeric" => {
            let operand = operand.as_list().expect("comparisons are a list");
            let Some(number) = value.as_float().filter(|number| number.abs() <= 5.0e9) else { return false };
            operand.chunks(2).all(|comparison| {
                let bound = comparison[1].as_float().expect("a bound is a number");
                match comparison[0].as_text() {
                    Some("=") => number == bound,
                    Some("<") => number < bound,
                    Some("<=") => number <= bound,
                    Some(">") => number > bound,
                    _ => number >= bound,
                }
            })
        }
        "cidr" => {
            let (first, bits) = operand.as_text().and_then(|cidr| cidr.split_once('/')).expect("it has bits");
            let bits: u32 = bits.parse().expect("bits are a number");
            match (first.parse(), text.map(str::parse)) {
                (Ok(IpAddr::V4(first)), Some(Ok(IpAddr::V4(address)))) => {
                    let first = first.to_bits();
                    address.to_bits() >= first && address.to_bits() <= first | u32::MAX >> bits
                }
                _ => false,
            }
        }
        operator => text.is_some_and(|text| text_matches(operator, operand, text)),
    }
}

fn one_or_many(operand: &Value) -> impl Iterator<Item = &Value> {
    match operand {
        Value::List(list) => list.iter(),
        operand => std::slice::from_ref(operand).iter(),
    }
}

/// Compares values; texts that are addresses by their address.
fn equal(wanted: &Value, value: &Value) -> bool {
    match (wanted.as_text().map(str::parse::<IpAddr>), value.as_text().map(str::parse::<IpAddr>)) {
        (Some(Ok(wanted)), Some(Ok(value))) => wanted == value,
        _ => same(wanted, value),
    }
}

fn same(wanted: &Value, value: &Value) -> bool {
    match (wanted.as_float(), value.as_float()) {
        (Some(wanted), Some(value)) => wanted == value,
        _ => wanted == value,
    }
}

fn text_matches(operator: &str, operand: &Value, text: &str) -> bool {
    let (operand, text) = match (operand, operator) {
        (Value::Map(nested), _) => {
            (nested["equals-ignore-case"].as_text().map(str::to_lowercase), text.to_lowercase())
        }
        (operand, "equals-ignore-case") => (operand.as_text().map(str::to_lowercase), text.to_lowercase()),
        (operand, _) => (operand.as_text().map(str::to_owned), text.to_owned()),
    };
    let operand = operand.expect("the operand is a text");
    match operator {
        "prefix" => text.starts_with(&operand),
        "suffix" => text.ends_with(&operand),
        "wildcard" => wildcard(operand.as_bytes(), text.as_bytes()),
        _ => text == operand,
    }
}

fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], text) => text.is_empty(),
        ([b'*', rest @ ..], text) => (0..=text.len()).any(|skipped| wildcard(rest, &text[skipped..])),
        ([b'\\', byte, rest @ ..], text) | ([byte, rest @ ..], text) => {
            text.first() == Some(byte) && wildcard(rest, &text[1..])
        }
    }
}
