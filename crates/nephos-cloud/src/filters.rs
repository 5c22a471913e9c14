//! Filters of describing operations: what is looked at, and the values that let a resource pass. Each service has its own
//! record for a filter, and its own codes and limits.

use nephos_core::{
    AnyPredicate, Code, Error, Lookup, Record, Ref, Resource, Result, Text, Value, nearest::suggest,
    record::Fields, tags,
};
use std::marker::PhantomData;

/// The rules for filters of a service: the codes that it raises when one is broken, the parameter that holds filters, and
/// how many of them and of their values it takes.
#[derive(Clone, Copy, Debug)]
pub struct FilterRules {
    /// The code for a filter of an unknown name.
    pub invalid: &'static Code,
    /// The code for a filter without a name or values.
    pub missing: &'static Code,
    /// The code for too many filters, or too many values of one.
    pub too_many: &'static Code,
    /// The parameter that holds filters.
    pub filters: &'static str,
    /// The maximum number of filters of a call.
    pub max_filters: usize,
    /// The maximum number of values of a filter.
    pub max_values: usize,
}

/// A filter as a service has it on the wire: what it looks at, and the values that let a resource pass. In a value, `*`
/// stands for anything, `?` for one character or none, and a backslash before them for themselves.
pub trait FilterRecord: Record {
    /// A filter of this name and these values.
    fn from_parts(name: Text, values: Vec<Text>) -> Self;

    /// The name and the values that the caller gave.
    fn parts(&self) -> (Option<&str>, Option<&[Text]>);

    /// The filter that lets pass what has one of `values`, as they stand, in `name`.
    fn exactly<V: AsRef<str>>(name: &str, values: impl IntoIterator<Item = V>) -> Self
    where
        Self: Sized,
    {
        Self::from_parts(name.into(), values.into_iter().map(|value| escaped(value.as_ref())).collect())
    }
}

/// A record that filters can be applied to.
pub trait Filterable: Record {
    /// The names of its filters, each with the path of the fields that it looks at.
    const FILTERS: &'static [(&'static str, &'static str)];
}

/// The filters of a call, read and checked.
#[derive(Debug)]
pub struct Filters<'f, R> {
    filters: Vec<(Place<'f>, Vec<Vec<Piece>>)>,
    of: PhantomData<R>,
}

/// The part of a record that a filter looks at.
#[derive(Debug)]
enum Place<'f> {
    Fields(Vec<&'static str>),
    /// The keys of the tags.
    Keys,
    /// The value of one tag.
    Tag(&'f str),
}

impl FilterRules {
    /// Reads and checks the filters of a call.
    pub fn read<'f, R: Filterable>(&self, given: Option<&'f [impl FilterRecord]>) -> Result<Filters<'f, R>> {
        let given = given.unwrap_or_default();
        if given.len() > self.max_filters {
            let why = format!("{} filters are given, {} at most are allowed", given.len(), self.max_filters);
            return Err(self.too_many.with_message(why).with_field(self.filters));
        }
        let filters = given.iter().enumerate().map(|(n, filter)| {
            let read = self.read_one::<R>(filter);
            read.map_err(|error| error.in_field(&format!("{}[{n}]", self.filters)))
        });
        Ok(Filters { filters: filters.collect::<Result<_>>()?, of: PhantomData })
    }

    fn read_one<'f, R: Filterable>(
        &self,
        filter: &'f impl FilterRecord,
    ) -> Result<(Place<'f>, Vec<Vec<Piece>>)> {
        let missing =
            |field: &str| self.missing.with_message("a filter needs a name and values").with_field(field);
        let (name, values) = filter.parts();
        let name = name.filter(|name| !name.is_empty()).ok_or_else(|| missing("Name"))?;
        let values = values.filter(|values| !values.is_empty()).ok_or_else(|| missing("Values"))?;
        if values.len() > self.max_values {
            let why = format!("{} values are given, {} at most are allowed", values.len(), self.max_values);
            return Err(self.too_many.with_message(why).with_field("Values"));
        }
        let tagged = R::SHAPE.field("Tags").is_some();
        let known = R::FILTERS.iter().find(|(known, _)| *known == name);
        let place = match (known, name.strip_prefix("tag:")) {
            (Some((_, path)), _) => Place::Fields(path.split('.').collect()),
            (None, Some(key)) if tagged => Place::Tag(key),
            (None, None) if tagged && name == "tag-key" => Place::Keys,
            _ => return Err(self.unknown::<R>(name)),
        };
        Ok((place, values.iter().map(|value| pieces(value)).collect()))
    }

    fn unknown<R: Filterable>(&self, name: &str) -> Error {
        let hint = suggest(name, R::FILTERS.iter().map(|(known, _)| *known));
        self.invalid.with_message(format!("the filter {name:?} is invalid{hint}")).with_field("Name")
    }

    /// The filters of a listing: those that its caller gives, and those that follow from what its results are filtered by,
    /// so that the service returns less.
    pub fn with_pushed<M: Filterable + Resource, F: FilterRecord>(
        &self,
        given: Option<&[F]>,
        predicate: &AnyPredicate,
    ) -> Option<Vec<F>> {
        let mut filters = given.unwrap_or_default().to_vec();
        let left = self.max_filters.saturating_sub(filters.len());
        filters.extend(self.pushed::<M, F>(predicate).take(left));
        (!filters.is_empty()).then_some(filters)
    }

    /// The filters that a listing may ask with, because all that `predicate` lets pass has one of a few values in a field.
    fn pushed<M: Filterable, F: FilterRecord>(&self, predicate: &AnyPredicate) -> impl Iterator<Item = F> {
        let max_values = self.max_values;
        predicate.required_tests().into_iter().filter_map(move |test| {
            let [name] = test.path() else { return None };
            let (_, field) = M::SHAPE.field(name)?;
            let (filter, _) = M::FILTERS.iter().find(|(_, path)| *path == field.name)?;
            let values: Vec<_> = match (test.lookup(), test.value()) {
                (Lookup::Exact, value) => vec![plain(value)?],
                (Lookup::In, Value::List(values)) => values.iter().map(plain).collect::<Option<_>>()?,
                _ => return None,
            };
            (1..=max_values).contains(&values.len()).then(|| F::exactly(filter, values))
        })
    }
}

impl<R: Filterable> Filters<'_, R> {
    /// Whether `resource` passes all of them.
    pub fn accept(&self, resource: &R) -> bool {
        self.filters.iter().all(|(place, patterns)| {
            let mut passes = |value: &str| patterns.iter().any(|pattern| matches(pattern, value));
            match place {
                Place::Fields(path) => any_at(Ref::Record(resource), path, &mut passes),
                Place::Keys => tags_of(resource).iter().any(|(key, _)| passes(key)),
                Place::Tag(key) => tags_of(resource).iter().any(|(own, value)| own == key && passes(value)),
            }
        })
    }
}

fn tags_of(resource: &dyn Fields) -> Vec<(Text, Text)> {
    let index = resource.shape().field("Tags").map(|(index, _)| index);
    index.map(|index| tags::pairs(resource.field(index).view())).unwrap_or_default()
}

/// Whether `passes` likes any value at `path` in `value`.
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

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Character(char),
    /// One character, or none.
    Perhaps,
    Anything,
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut chars = pattern.chars();
    let mut pieces = Vec::with_capacity(pattern.len());
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Anything,
            '?' => Piece::Perhaps,
            '\\' => Piece::Character(chars.next().unwrap_or('\\')),
            c => Piece::Character(c),
        });
    }
    pieces
}

/// A pattern that only `text` matches.
fn escaped(text: &str) -> Text {
    let mut pattern = Text::default();
    for c in text.chars() {
        if matches!(c, '*' | '?' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Whether `text` is what `pattern` says. It takes no more than the product of both lengths.
fn matches(pattern: &[Piece], text: &str) -> bool {
    // Which beginnings of the pattern the text so far can be.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip(pattern, &mut reached);
    for c in text.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (at, piece) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match piece {
                Piece::Anything => next[at] = true,
                Piece::Perhaps => next[at + 1] = true,
                Piece::Character(own) if *own == c => next[at + 1] = true,
                Piece::Character(_) => {}
            }
        }
        skip(pattern, &mut next);
        reached = next;
    }
    reached[pattern.len()]
}

/// Goes past the pieces that may stand for nothing.
fn skip(pattern: &[Piece], reached: &mut [bool]) {
    for (at, piece) in pattern.iter().enumerate() {
        if reached[at] && !matches!(piece, Piece::Character(_)) {
            reached[at + 1] = true;
        }
    }
}

/// A value as a filter has it.
fn plain(value: &Value) -> Option<Text> {
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
    fn patterns_have_wildcards() {
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
                assert!(matches(&pieces(pattern), text), "{pattern} {text}");
            }
            for text in no {
                assert!(!matches(&pieces(pattern), text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn values_as_they_stand_find_themselves_only() {
        let pattern = pieces(&escaped(r"a*b?\"));
        assert!(matches(&pattern, r"a*b?\") && !matches(&pattern, r"axb?\"));
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_time() {
        assert!(!matches(&pieces(&"*a".repeat(500)), &"a".repeat(499)));
    }
}
