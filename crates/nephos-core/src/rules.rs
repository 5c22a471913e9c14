//! Checking values against the rules of their field.

mod classes;

use crate::{
    Error, Result,
    nearest::nearest,
    shape::{FieldShape, Literal, Presence, Rule, Type},
    value::Ref,
};
use classes::Classes;
use regex::Regex;
use regex_automata::{
    Anchored, MatchKind,
    dfa::{Automaton, StartKind, dense},
    util::{primitives::StateID, start},
};
use std::{fmt, sync::OnceLock};

/// A regular expression that text has to match as a whole, compiled when it is first needed.
pub struct Pattern {
    text: &'static str,
    compiled: OnceLock<Compiled>,
}

/// Character classes where it is no more than that, a table of states where that is small enough, and a general engine
/// where it is not.
enum Compiled {
    Classes(Box<Classes>),
    Table { dfa: Box<dense::DFA<Vec<u32>>>, start: StateID },
    General(Regex),
}

/// How large a table of states may be.
const TABLE_BYTES: usize = 1 << 18;

impl Compiled {
    fn new(text: &str) -> Self {
        if let Some(classes) = Classes::parse(text) {
            return Self::Classes(Box::new(classes));
        }
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            // All ways to match are kept, because only those that end at the end of the text count.
            .match_kind(MatchKind::All)
            .dfa_size_limit(Some(TABLE_BYTES))
            .determinize_size_limit(Some(TABLE_BYTES));
        let whole = format!("(?:{text})");
        if let Ok(dfa) = dense::Builder::new().configure(config).build(&whole)
            && let Ok(start) = dfa.start_state(&start::Config::new().anchored(Anchored::Yes))
        {
            return Self::Table { dfa: Box::new(dfa), start };
        }
        Self::General(Regex::new(&format!(r"\A(?:{text})\z")).expect("the derive compiled this pattern"))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Classes(classes) => classes.matches(text),
            Self::Table { dfa, start } => {
                let mut state = *start;
                // A dead state leads to itself, so it is enough to look in the end.
                for &byte in text.as_bytes() {
                    state = dfa.next_state(state, byte);
                }
                dfa.is_match_state(dfa.next_eoi_state(state))
            }
            Self::General(regex) => regex.is_match(text),
        }
    }
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
        self.compiled.get_or_init(|| Compiled::new(self.text)).matches(text)
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
    if field.ty.has_rules_within() {
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
        // JSON has no such number.
        (Type::Float, Ref::Float(number)) if !number.is_finite() => {
            Err(invalid(format!("{number} is not a number that can be sent")))
        }
        (Type::Record(_), Ref::Record(record)) => crate::record::check(record),
        (Type::List(item), Ref::List(items)) if item.has_rules_within() => {
            (0..items.len()).try_for_each(|n| {
                check_within(item, items.item(n)).map_err(|error| error.within(&format!("[{n}]")))
            })
        }
        (Type::Map(of), Ref::Map(map)) if of.has_rules_within() => (0..map.len()).try_for_each(|n| {
            let (key, value) = map.entry(n);
            check_within(of, value).map_err(|error| error.within(&format!("[{key}]")))
        }),
        _ => Ok(()),
    }
}

/// Whether the value keeps all rules, without a word about those it does not.
// Where the type of the value is known, most of it falls away.
#[inline(always)]
pub(crate) fn keeps_all(rules: &[Rule], value: Ref<'_>) -> bool {
    for rule in rules {
        if !plainly_keeps(rule, value) && !keeps(rule, value) {
            return false;
        }
    }
    true
}

#[inline(never)]
fn keeps(rule: &Rule, value: Ref<'_>) -> bool {
    match (rule, value) {
        (Rule::Length { min, max }, Ref::Text(text)) => (*min..=*max).contains(&characters(text)),
        (Rule::Length { min, max }, Ref::List(items)) => (*min..=*max).contains(&items.len()),
        _ => check_rule(rule, value, Shown::Never).is_ok(),
    }
}

fn check_rules(rules: &[Rule], value: Ref<'_>, shown: Shown) -> Result<()> {
    for rule in rules {
        if !plainly_keeps(rule, value) {
            check_rule(rule, value, shown)?;
        }
    }
    Ok(())
}

/// Whether the value keeps the rule, for what can be told in a few steps; the rest is told by [`check_rule`].
#[inline(always)]
fn plainly_keeps(rule: &Rule, value: Ref<'_>) -> bool {
    match (rule, value) {
        (Rule::Range { min, max }, Ref::Int(number)) => (*min..=*max).contains(&number),
        // A character has four bytes at most: most text is right without counting them.
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
            let told = match (value, shown) {
                (Ref::Int(_) | Ref::Float(_) | Ref::Bool(_), Shown::Plainly) => text.into_owned(),
                _ => show(&text, shown),
            };
            Err(invalid(format!("{told} is not one of {}{hint}", names.join(", "))))
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

fn outside(number: impl fmt::Display, min: i64, max: i64) -> Error {
    invalid(match (min, max) {
        (i64::MIN, max) => format!("{number} is more than {max}"),
        (min, i64::MAX) => format!("{number} is less than {min}"),
        (min, max) => format!("{number} is not from {min} to {max}"),
    })
}

fn check_length(min: usize, max: usize, value: Ref<'_>) -> Result<()> {
    let (len, unit) = match value {
        Ref::Text(text) => (characters(text), "characters"),
        Ref::Secret(secret) => (characters(secret.expose()), "characters"),
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
        Shown::Plainly => quoted(text),
    }
}

/// The text of an error is short, however long what it quotes.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

fn hint<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, known).map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// The number among `literals` that comes closest, the smaller of two.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_whole_text_however_it_is_compiled() {
        // The second has a word boundary, which the table cannot do for all of Unicode.
        for text in ["[a-z]+|[a-z]+-[0-9]{2}", r"\b(?:[a-z]+|[a-z]+-[0-9]{2})"] {
            let pattern = Pattern::new(text);
            for (value, expected) in [
                ("abc", true),
                ("abc-12", true),
                ("abc-1", false),
                ("abc-123", false),
                ("", false),
                ("x\n", false),
                ("é", false),
            ] {
                assert_eq!(pattern.matches(value), expected, "{text} on {value:?}");
            }
        }
        assert!(matches!(Compiled::new("[a-z]+"), Compiled::Classes(_)));
        assert!(matches!(Compiled::new("[a-z]+|[0-9]"), Compiled::Table { .. }));
        assert!(matches!(Compiled::new(r"\b[a-z]+"), Compiled::General(_)));
        assert!(Pattern::new("").matches("") && !Pattern::new("").matches("a"));
    }
}
