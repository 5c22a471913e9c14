//! Checking values against the rules of their field.

use crate::{
    Error, Result,
    nearest::nearest,
    shape::{FieldShape, Literal, Presence, Rule, Type},
    value::Ref,
};
use regex::Regex;
use std::{fmt, sync::OnceLock};

/// A regular expression that text has to match as a whole, compiled when it is first needed.
pub struct Pattern {
    text: &'static str,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    /// The pattern `text`, which the derives have checked.
    pub const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// The expression.
    pub fn as_str(&self) -> &'static str {
        self.text
    }

    /// Whether all of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| {
            Regex::new(&format!(r"\A(?:{})\z", self.text)).expect("the derive compiled this pattern")
        });
        compiled.is_match(text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// Checks what a caller gives for `field`: presence, rules, enum values, and nested records all the way down.
pub fn check(field: &FieldShape, value: Ref<'_>) -> Result<()> {
    if value.is_null() {
        return match field.presence {
            Presence::Required => Err(Error::invalid(field.name, "is required")),
            _ => Ok(()),
        };
    }
    let shown = if field.sensitive { Shown::Never } else { Shown::Plainly };
    check_rules(field.rules, value, shown).map_err(|error| error.within(field.name))?;
    // Only some types have anything within them to check.
    if matches!(field.ty, Type::Choice(_) | Type::Record(_) | Type::List(_) | Type::Map(_)) {
        check_within(&field.ty, value).map_err(|error| error.within(field.name))?;
    }
    Ok(())
}

/// Whether a refused value may be repeated in the refusal.
#[derive(Clone, Copy)]
enum Shown {
    Plainly,
    Never,
}

fn check_within(ty: &Type, value: Ref<'_>) -> Result<()> {
    match (ty, value) {
        (Type::Choice(shape), Ref::Choice { name, known: false, .. }) => {
            let names = shape.values.iter().map(|value| value.name);
            let hint = hint(name, names.clone());
            Err(invalid(format!("{name:?} is not one of {}{hint}", list(names))))
        }
        (Type::Record(_), Ref::Record(record)) => crate::record::check(record),
        (Type::List(item), Ref::List(items)) if has_within(item) => (0..items.len()).try_for_each(|n| {
            check_within(item, items.item(n)).map_err(|error| error.within(&format!("[{n}]")))
        }),
        (Type::Map(of), Ref::Map(map)) if has_within(of) => (0..map.len()).try_for_each(|n| {
            let (key, value) = map.entry(n);
            check_within(of, value).map_err(|error| error.within(&format!("[{key}]")))
        }),
        _ => Ok(()),
    }
}

fn has_within(ty: &Type) -> bool {
    match ty {
        Type::Choice(_) | Type::Record(_) => true,
        Type::List(item) | Type::Map(item) => has_within(item),
        _ => false,
    }
}

fn check_rules(rules: &[Rule], value: Ref<'_>, shown: Shown) -> Result<()> {
    rules.iter().try_for_each(|rule| check_rule(rule, value, shown))
}

fn check_rule(rule: &Rule, value: Ref<'_>, shown: Shown) -> Result<()> {
    match rule {
        Rule::Length { min, max } => check_length(*min, *max, value),
        Rule::Range { min, max } => match value {
            Ref::Int(number) if number < *min || number > *max => {
                Err(invalid(format!("{number} is not from {min} to {max}")))
            }
            Ref::Float(number) if number < *min as f64 || number > *max as f64 => {
                Err(invalid(format!("{number} is not from {min} to {max}")))
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
            let hint = hint(&text, names.iter().map(String::as_str));
            Err(invalid(format!("{} is not one of {}{hint}", show(&text, shown), names.join(", "))))
        }
        Rule::Each(rules) => match value {
            Ref::List(items) => (0..items.len()).try_for_each(|n| {
                check_rules(rules, items.item(n), shown).map_err(|error| error.within(&format!("[{n}]")))
            }),
            Ref::Map(map) => (0..map.len()).try_for_each(|n| {
                let (key, value) = map.entry(n);
                check_rules(rules, value, shown).map_err(|error| error.within(&format!("[{key}]")))
            }),
            _ => Ok(()),
        },
    }
}

fn check_length(min: usize, max: usize, value: Ref<'_>) -> Result<()> {
    let (len, unit) = match value {
        // Most text is short enough that counting its characters decides nothing.
        Ref::Text(text) if text.len() <= max && text.is_ascii() => (text.len(), "characters"),
        Ref::Text(text) => (text.chars().count(), "characters"),
        Ref::Secret(secret) => (secret.expose().chars().count(), "characters"),
        Ref::Blob(bytes) => (bytes.len(), "bytes"),
        Ref::List(items) => (items.len(), "items"),
        Ref::Map(entries) => (entries.len(), "entries"),
        _ => return Ok(()),
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

fn text_of(value: Ref<'_>) -> Option<&str> {
    match value {
        Ref::Secret(secret) => Some(secret.expose()),
        _ => value.as_text(),
    }
}

fn is_literal(value: Ref<'_>, literal: &Literal) -> bool {
    match *literal {
        Literal::Bool(allowed) => value.same(&Ref::Bool(allowed)),
        Literal::Int(allowed) => value.same(&Ref::Int(allowed)),
        Literal::Float(allowed) => value.same(&Ref::Float(allowed)),
        Literal::Text(allowed) => value.same(&Ref::Text(allowed)),
        Literal::EmptyList | Literal::EmptyMap => false,
    }
}

/// Text of an error is short, however long the value is.
fn show(text: &str, shown: Shown) -> String {
    match shown {
        Shown::Never => "the value".to_owned(),
        Shown::Plainly => match text.char_indices().nth(60) {
            Some((cut, _)) => format!("{:?}…", &text[..cut]),
            None => format!("{text:?}"),
        },
    }
}

fn hint<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn invalid(message: String) -> Error {
    Error::new(crate::ErrorKind::Invalid, message)
}
