//! Checks values against the rules of their fields.

use crate::{
    Error, Result,
    nearest::nearest,
    shape::{ChoiceShape, FieldShape, Literal, Presence, Rule, Type},
    value::Ref,
};
use std::fmt;

pub use crate::pattern::Pattern;

/// Checks a caller's value for `field`: presence, rules, enum values, and nested records.
pub fn check(field: &FieldShape, value: Ref<'_>) -> Result<()> {
    if value.is_null() {
        return match field.presence {
            Presence::Required => Err(Error::invalid(field.name, "is required")),
            _ => Ok(()),
        };
    }
    let shown = if field.sensitive { Shown::Never } else { Shown::Always };
    check_rules(field.rules, value, shown).map_err(|error| error.in_field(field.name))?;
    // Only some types have anything within them to check.
    if field.ty.has_rules_within() {
        check_within(&field.ty, value).map_err(|error| error.in_field(field.name))?;
    }
    Ok(())
}

/// Visibility of a rejected value in the error.
#[derive(Clone, Copy)]
enum Shown {
    Always,
    Never,
}

fn check_within(ty: &Type, value: Ref<'_>) -> Result<()> {
    match (ty, value) {
        (Type::Choice(shape), Ref::Choice { name, known: false, .. }) => Err(unknown_choice(shape, name)),
        // JSON has no infinite numbers and no NaN.
        (Type::Float, Ref::Float(number)) if !number.is_finite() => {
            Err(invalid(format!("{number} is not a number that can be sent")))
        }
        (Type::Record(_), Ref::Record(record)) => crate::record::check(record),
        (Type::List(item), Ref::List(items)) if item.has_rules_within() => {
            (0..items.len()).try_for_each(|n| {
                check_within(item, items.item(n)).map_err(|error| error.in_field(&format!("[{n}]")))
            })
        }
        (Type::Map(of), Ref::Map(map)) if of.has_rules_within() => (0..map.len()).try_for_each(|n| {
            let (key, value) = map.entry(n);
            check_within(of, value).map_err(|error| error.in_field(&format!("[{key}]")))
        }),
        _ => Ok(()),
    }
}

/// Error for a text that is no value of an enum, with the nearest value.
pub(crate) fn unknown_choice(shape: &ChoiceShape, text: &str) -> Error {
    let names = shape.values.iter().map(|value| value.name);
    let hint = hint(text, names.clone());
    invalid(format!("{text:?} is not one of {}{hint}", list(names)))
}

/// True if the value keeps all rules, without making an error.
// Where the type of the value is known at compile time, most of this is optimized away.
#[inline(always)]
pub(crate) fn satisfies_all(rules: &[Rule], value: Ref<'_>) -> bool {
    for rule in rules {
        if !satisfies_fast(rule, value) && !satisfies(rule, value) {
            return false;
        }
    }
    true
}

#[inline(never)]
fn satisfies(rule: &Rule, value: Ref<'_>) -> bool {
    match (rule, value) {
        (Rule::Length { min, max }, Ref::Text(text)) => (*min..=*max).contains(&characters(text)),
        (Rule::Length { min, max }, Ref::List(items)) => (*min..=*max).contains(&items.len()),
        _ => check_rule(rule, value, Shown::Never).is_ok(),
    }
}

fn check_rules(rules: &[Rule], value: Ref<'_>, shown: Shown) -> Result<()> {
    for rule in rules {
        if !satisfies_fast(rule, value) {
            check_rule(rule, value, shown)?;
        }
    }
    Ok(())
}

/// Fast check of a rule: true if the value keeps it; false if it does not or [`check_rule`] has to decide.
#[inline(always)]
fn satisfies_fast(rule: &Rule, value: Ref<'_>) -> bool {
    match (rule, value) {
        (Rule::Range { min, max }, Ref::Int(number)) => (*min..=*max).contains(&number),
        // A character has at most four bytes, so most texts need no count.
        (Rule::Length { min, max }, Ref::Text(text)) => {
            text.len() <= *max && text.len() >= min.saturating_mul(4)
        }
        (Rule::Pattern(pattern), Ref::Text(text)) => pattern.matches(text),
        (Rule::OneOf(allowed), Ref::Int(number)) => allowed.contains(&Literal::Int(number)),
        _ => false,
    }
}

fn check_rule(rule: &Rule, value: Ref<'_>, shown: Shown) -> Result<()> {
    let shown = if matches!(value, Ref::Secret(_)) { Shown::Never } else { shown };
    match rule {
        Rule::Length { min, max } => check_length(*min, *max, value),
        Rule::Range { min, max } => match value {
            Ref::Int(number) if !(*min..=*max).contains(&number) => Err(outside(number, *min, *max)),
            // NaN is in no range.
            Ref::Float(number) if !(*min as f64..=*max as f64).contains(&number) => {
                Err(outside(number, *min, *max))
            }
            _ => Ok(()),
        },
        Rule::Pattern(pattern) => match text_of(value) {
            Some(text) if !pattern.matches(text) => {
                let text = show(text, shown);
                Err(invalid(format!("{text} does not match {}", pattern.as_str())))
            }
            _ => Ok(()),
        },
        Rule::OneOf(allowed) => {
            if allowed.iter().any(|literal| is_literal(value, literal)) {
                return Ok(());
            }
            let names = allowed.iter().map(Literal::to_string).collect::<Vec<_>>();
            let text = value.text_form().unwrap_or_default();
            let hint = match value {
                Ref::Int(wrong) => nearest_number(wrong, allowed),
                _ => hint(&text, names.iter().map(String::as_str)),
            };
            let rejected = match (value, shown) {
                (Ref::Int(_) | Ref::Float(_) | Ref::Bool(_), Shown::Always) => text.into_owned(),
                _ => show(&text, shown),
            };
            Err(invalid(format!("{rejected} is not one of {}{hint}", names.join(", "))))
        }
        Rule::Each(rules) => match value {
            Ref::List(items) => (0..items.len()).try_for_each(|n| {
                check_rules(rules, items.item(n), shown).map_err(|error| error.in_field(&format!("[{n}]")))
            }),
            Ref::Map(map) => (0..map.len()).try_for_each(|n| {
                let (key, value) = map.entry(n);
                check_rules(rules, value, shown).map_err(|error| error.in_field(&format!("[{key}]")))
            }),
            _ => Ok(()),
        },
    }
}

fn outside(number: impl fmt::Display, min: i64, max: i64) -> Error {
    invalid(match (min, max) {
        (i64::MIN, max) => format!("{number} is more than {max}"),
        (min, i64::MAX) => format!("{number} is less than {min}"),
        (min, max) => format!("{number} is not from {min} to {max}"),
    })
}

fn check_length(min: usize, max: usize, value: Ref<'_>) -> Result<()> {
    let Some(len) = length(value) else { return Ok(()) };
    let unit = match value {
        Ref::Blob(_) => "bytes",
        Ref::List(_) => "items",
        Ref::Map(_) => "entries",
        _ => "characters",
    };
    if (min..=max).contains(&len) {
        return Ok(());
    }
    let allowed = match (min, max) {
        (0, max) => format!("at most {max}"),
        (min, usize::MAX) => format!("at least {min}"),
        (min, max) if min == max => format!("exactly {min}"),
        (min, max) => format!("{min} to {max}"),
    };
    Err(invalid(format!("has {len} {unit}, and {allowed} are allowed")))
}

/// Length of a text in characters, of bytes, or of a list or mapping; other values have none.
pub(crate) fn length(value: Ref<'_>) -> Option<usize> {
    Some(match value {
        Ref::Text(text) => characters(text),
        Ref::Secret(secret) => characters(secret.expose()),
        Ref::Blob(bytes) => bytes.len(),
        Ref::List(items) => items.len(),
        Ref::Map(entries) => entries.len(),
        _ => return None,
    })
}

fn characters(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

fn text_of(value: Ref<'_>) -> Option<&str> {
    match value {
        Ref::Secret(secret) => Some(secret.expose()),
        _ => value.as_text(),
    }
}

fn is_literal(value: Ref<'_>, literal: &Literal) -> bool {
    match *literal {
        Literal::Bool(allowed) => value.same(&Ref::Bool(allowed)),
        Literal::Int(allowed) => match value {
            Ref::Int(value) => value == allowed,
            value => value.same(&Ref::Int(allowed)),
        },
        Literal::Float(allowed) => value.same(&Ref::Float(allowed)),
        Literal::Text(allowed) => value.same(&Ref::Text(allowed)),
        Literal::EmptyList | Literal::EmptyMap => false,
    }
}

fn show(text: &str, shown: Shown) -> String {
    match shown {
        Shown::Never => "the value".to_owned(),
        Shown::Always => quoted(text),
    }
}

/// Quotes a text, cut after 60 characters so that the error stays short.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

fn hint<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// Suggests the nearest number among `literals`, the smaller of two.
fn nearest_number(wrong: i64, literals: &[Literal]) -> String {
    let numbers = literals.iter().filter_map(|literal| match literal {
        Literal::Int(number) => Some(*number),
        _ => None,
    });
    let near = numbers.min_by_key(|number| (number.abs_diff(wrong), *number));
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn invalid(message: String) -> Error {
    Error::new(crate::ErrorKind::Invalid, message)
}
