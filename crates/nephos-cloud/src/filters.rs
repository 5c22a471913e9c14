//! Filters of operations that list resources: the name of a field, and the values that match. Each service has its own
//! record for a filter, and its own error codes and limits.

use nephos_core::{
    AnyPredicate, Error, Lookup, Record, Ref, Resource, Result, Text, Value, nearest, record::Fields, tags,
};
use std::marker::PhantomData;

/// Rules for the filters of a service: its errors, its parameter for filters, and its limits.
#[derive(Clone, Copy, Debug)]
pub struct FilterRules {
    /// Error for a filter with this name, which is unknown.
    pub unknown: fn(&str) -> Error,
    /// Error for a filter without a name or values.
    pub incomplete: fn() -> Error,
    /// Error for too many filters, or too many values of a filter.
    pub too_many: fn() -> Error,
    /// Name of the parameter with filters.
    pub filters: &'static str,
    /// Maximum number of filters of a call.
    pub max_filters: usize,
    /// Maximum number of values of a filter.
    pub max_values: usize,
}

/// A filter as a service has it on the wire: a name, and values of which one must match. In a value, `*` matches any text,
/// `?` matches one character or none, and a backslash escapes them.
pub trait FilterRecord: Record {
    /// Creates a filter.
    fn from_parts(name: Text, values: Vec<Text>) -> Self;

    /// Name and values of the filter, as the caller set them.
    fn parts(&self) -> (Option<&str>, Option<&[Text]>);

    /// Creates the filter that matches exactly `values`, without wildcards.
    fn exactly<V: AsRef<str>>(name: &str, values: impl IntoIterator<Item = V>) -> Self
    where
        Self: Sized,
    {
        Self::from_parts(
            name.into(),
            values.into_iter().map(|value| escape_pattern(value.as_ref())).collect(),
        )
    }
}

/// A record that filters can be applied to.
pub trait Filterable: Record {
    /// Names of the filters, each with the path of the field that it tests.
    const FILTERS: &'static [(&'static str, &'static str)];
}

/// The filters of a call, parsed and validated.
#[derive(Debug)]
pub struct Filters<'f, R> {
    filters: Vec<(Target<'f>, Vec<Vec<Piece>>)>,
    record: PhantomData<R>,
}

/// The part of a record that a filter tests.
#[derive(Debug)]
enum Target<'f> {
    Fields(Vec<&'static str>),
    /// Keys of the tags.
    TagKeys,
    /// Value of the tag with this key.
    Tag(&'f str),
}

impl FilterRules {
    /// Parses and validates the filters of a call.
    pub fn read<'f, R: Filterable>(&self, given: Option<&'f [impl FilterRecord]>) -> Result<Filters<'f, R>> {
        let given = given.unwrap_or_default();
        if given.len() > self.max_filters {
            let hint = format!("a call can have at most {} filters, got {}", self.max_filters, given.len());
            return Err((self.too_many)().with_field(self.filters).with_hint(hint));
        }
        let filters = given.iter().enumerate().map(|(n, filter)| {
            let read = self.read_one::<R>(filter);
            read.map_err(|error| error.in_field(&format!("{}[{n}]", self.filters)))
        });
        Ok(Filters { filters: filters.collect::<Result<_>>()?, record: PhantomData })
    }

    fn read_one<'f, R: Filterable>(
        &self,
        filter: &'f impl FilterRecord,
    ) -> Result<(Target<'f>, Vec<Vec<Piece>>)> {
        let incomplete = |field: &str| {
            (self.incomplete)()
                .with_field(field)
                .with_hint("a filter must have a name and at least one value")
        };
        let (name, values) = filter.parts();
        let name = name.filter(|name| !name.is_empty()).ok_or_else(|| incomplete("Name"))?;
        let values = values.filter(|values| !values.is_empty()).ok_or_else(|| incomplete("Values"))?;
        if values.len() > self.max_values {
            let hint = format!("a filter can have at most {} values, got {}", self.max_values, values.len());
            return Err((self.too_many)().with_field("Values").with_hint(hint));
        }
        let tagged = R::SHAPE.field("Tags").is_some();
        let known = R::FILTERS.iter().find(|(known, _)| *known == name);
        let target = match (known, name.strip_prefix("tag:")) {
            (Some((_, path)), _) => Target::Fields(path.split('.').collect()),
            (None, Some(key)) if tagged => Target::Tag(key),
            (None, None) if tagged && name == "tag-key" => Target::TagKeys,
            _ => return Err(self.unknown_name::<R>(name)),
        };
        Ok((target, values.iter().map(|value| parse_pattern(value)).collect()))
    }

    fn unknown_name<R: Filterable>(&self, name: &str) -> Error {
        let hint = nearest::hint(name, R::FILTERS.iter().map(|(known, _)| *known));
        (self.unknown)(name).with_field("Name").with_hint(hint)
    }

    /// Returns the filters of a listing: those of the caller, and those translated from the predicate of its results, so that
    /// the service returns fewer items.
    pub fn with_pushed<M: Filterable + Resource, F: FilterRecord>(
        &self,
        given: Option<&[F]>,
        predicate: &AnyPredicate,
    ) -> Option<Vec<F>> {
        let mut filters = given.unwrap_or_default().to_vec();
        let left = self.max_filters.saturating_sub(filters.len());
        filters.extend(self.translate::<M, F>(predicate).take(left));
        (!filters.is_empty()).then_some(filters)
    }

    /// Translates the tests of `predicate` that are comparisons of a field with one or a few values to filters.
    fn translate<M: Filterable, F: FilterRecord>(&self, predicate: &AnyPredicate) -> impl Iterator<Item = F> {
        let max_values = self.max_values;
        predicate.required_tests().into_iter().filter_map(move |test| {
            let [name] = test.path() else { return None };
            let (_, field) = M::SHAPE.field(name)?;
            let (filter, _) = M::FILTERS.iter().find(|(_, path)| *path == field.name)?;
            let values: Vec<_> = match (test.lookup(), test.value()) {
                (Lookup::Exact, value) => vec![to_filter_value(value)?],
                (Lookup::In, Value::List(values)) => {
                    values.iter().map(to_filter_value).collect::<Option<_>>()?
                }
                _ => return None,
            };
            (1..=max_values).contains(&values.len()).then(|| F::exactly(filter, values))
        })
    }
}

impl<R: Filterable> Filters<'_, R> {
    /// True if `resource` matches all filters.
    pub fn accept(&self, resource: &R) -> bool {
        self.filters.iter().all(|(target, patterns)| {
            let mut passes = |value: &str| patterns.iter().any(|pattern| matches(pattern, value));
            match target {
                Target::Fields(path) => any_at(Ref::Record(resource), path, &mut passes),
                Target::TagKeys => tags_of(resource).iter().any(|(key, _)| passes(key)),
                Target::Tag(key) => tags_of(resource).iter().any(|(own, value)| own == key && passes(value)),
            }
        })
    }
}

fn tags_of(resource: &dyn Fields) -> Vec<(Text, Text)> {
    let index = resource.shape().field("Tags").map(|(index, _)| index);
    index.map(|index| tags::pairs(resource.field(index).view())).unwrap_or_default()
}

/// True if `passes` returns true for any value at `path` in `value`.
fn any_at(value: Ref<'_>, path: &[&str], passes: &mut dyn FnMut(&str) -> bool) -> bool {
    match (value, path) {
        (Ref::List(items), path) => (0..items.len()).any(|n| any_at(items.item(n), path, passes)),
        (Ref::Record(record), [name, rest @ ..]) => match record.shape().field(name) {
            Some((index, _)) => any_at(record.field(index).view(), rest, passes),
            None => false,
        },
        (value, []) => value.text_form().is_some_and(|text| passes(&text)),
        _ => false,
    }
}

/// A piece of a wildcard pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Character(char),
    /// `?`: one character or none.
    OptionalCharacter,
    /// `*`: any text.
    AnyText,
}

fn parse_pattern(pattern: &str) -> Vec<Piece> {
    let mut chars = pattern.chars();
    let mut pieces = Vec::with_capacity(pattern.len());
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::AnyText,
            '?' => Piece::OptionalCharacter,
            '\\' => Piece::Character(chars.next().unwrap_or('\\')),
            c => Piece::Character(c),
        });
    }
    pieces
}

/// Returns a pattern that only `text` matches.
fn escape_pattern(text: &str) -> Text {
    let mut pattern = Text::default();
    for c in text.chars() {
        if matches!(c, '*' | '?' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// True if `text` matches `pattern`. The time is at most proportional to the product of both lengths.
fn matches(pattern: &[Piece], text: &str) -> bool {
    // `reached[n]`: the text so far matches the first `n` pieces.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_optional(pattern, &mut reached);
    for c in text.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (at, piece) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match piece {
                Piece::AnyText => next[at] = true,
                Piece::OptionalCharacter => next[at + 1] = true,
                Piece::Character(own) if *own == c => next[at + 1] = true,
                Piece::Character(_) => {}
            }
        }
        skip_optional(pattern, &mut next);
        reached = next;
    }
    reached[pattern.len()]
}

/// Marks the positions after pieces that match the empty text.
fn skip_optional(pattern: &[Piece], reached: &mut [bool]) {
    for (at, piece) in pattern.iter().enumerate() {
        if reached[at] && !matches!(piece, Piece::Character(_)) {
            reached[at + 1] = true;
        }
    }
}

/// Converts a value to the text that a filter compares with.
fn to_filter_value(value: &Value) -> Option<Text> {
    match value {
        Value::Text(text) if !text.is_empty() => Some(text.clone()),
        Value::Bool(_) | Value::Int(_) => value.view().text_form().map(Text::new),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_values_match_with_wildcards() {
        for (pattern, yes, no) in [
            ("web", &["web"][..], &["", "we", "webs", "WEB"][..]),
            ("web*", &["web", "webs"], &["we", "aweb"]),
            ("*", &["", "x"], &[]),
            ("*a*b", &["ab", "xaxxb", "aabb"], &["ba", "abc"]),
            ("w?b", &["web", "wb"], &["weeb", "we"]),
            ("??", &["", "a", "ab"], &["abc"]),
            (r"\*\?\\", &[r"*?\"], &["ab", r"*?"]),
            ("é?", &["éé", "é"], &["e"]),
            ("a\\", &["a\\"], &["a"]),
        ] {
            for text in yes {
                assert!(matches(&parse_pattern(pattern), text), "{pattern} {text}");
            }
            for text in no {
                assert!(!matches(&parse_pattern(pattern), text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn escaped_value_matches_only_itself() {
        let pattern = parse_pattern(&escape_pattern(r"a*b?\"));
        assert!(matches(&pattern, r"a*b?\") && !matches(&pattern, r"axb?\"));
    }

    #[test]
    fn pattern_with_many_stars_matches_in_polynomial_time() {
        assert!(!matches(&parse_pattern(&"*a".repeat(500)), &"a".repeat(499)));
    }
}
