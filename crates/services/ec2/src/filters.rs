//! Filters of the describing operations: names of what is looked at, and values that it may have.

use super::errors;
use nephos_core::{
    AnyPredicate, Error, Lookup, Record, Ref, Resource, Result, Text, Value, nearest::suggest,
    record::Fields, tags,
};
use std::marker::PhantomData;

/// How many filters a call may have.
const MOST: usize = 50;

/// How many values a filter may have.
const MOST_VALUES: usize = 200;

/// A filter: what it looks at, and the values that let a resource pass. In a value, `*` stands for anything, `?` for one
/// character or none, and a backslash before them for themselves.
#[derive(Record)]
pub struct Filter {
    /// What is looked at, such as `vpc-id` or `tag:team`.
    name: Option<Text>,
    /// The values that let a resource pass, any of them.
    #[field(wire = "Value")]
    values: Option<Vec<Text>>,
}

impl Filter {
    /// The filter that lets pass what has one of `values`, as they stand, in `name`.
    pub fn exactly<V: AsRef<str>>(name: &str, values: impl IntoIterator<Item = V>) -> Self {
        let plain = |value: V| {
            let mut pattern = Text::default();
            for c in value.as_ref().chars() {
                if matches!(c, '*' | '?' | '\\') {
                    pattern.push('\\');
                }
                pattern.push(c);
            }
            pattern
        };
        Self { name: Some(name.into()), values: Some(values.into_iter().map(plain).collect()) }
    }
}

/// What can be filtered.
pub(super) trait Filterable: Record {
    /// The names of its filters, each with the path of the fields that it looks at.
    const FILTERS: &'static [(&'static str, &'static str)];
}

/// The filters of a call, read and checked.
pub(super) struct Wanted<'f, R> {
    filters: Vec<(Place<'f>, Vec<Vec<Piece>>)>,
    of: PhantomData<R>,
}

/// What a filter looks at.
enum Place<'f> {
    Fields(Vec<&'static str>),
    /// The keys of the tags.
    Keys,
    /// The value of one tag.
    Tag(&'f str),
}

impl<'f, R: Filterable> Wanted<'f, R> {
    /// Reads the filters of a call.
    pub(super) fn read(given: Option<&'f [Filter]>) -> Result<Self> {
        let given = given.unwrap_or_default();
        if given.len() > MOST {
            let why = format!("{} filters are given, {MOST} at most are allowed", given.len());
            return Err(errors::TOO_MANY_FILTERS.because(why).with_field("Filters"));
        }
        let filters = given.iter().enumerate().map(|(n, filter)| {
            Self::read_one(filter).map_err(|error| error.within(&format!("Filters[{n}]")))
        });
        Ok(Self { filters: filters.collect::<Result<_>>()?, of: PhantomData })
    }

    fn read_one(filter: &'f Filter) -> Result<(Place<'f>, Vec<Vec<Piece>>)> {
        let missing =
            |field: &str| errors::MISSING.because("a filter needs a name and values").with_field(field);
        let name = filter.name.as_deref().filter(|name| !name.is_empty()).ok_or_else(|| missing("Name"))?;
        let values =
            filter.values.as_deref().filter(|values| !values.is_empty()).ok_or_else(|| missing("Values"))?;
        if values.len() > MOST_VALUES {
            let why = format!("{} values are given, {MOST_VALUES} at most are allowed", values.len());
            return Err(errors::TOO_MANY_FILTERS.because(why).with_field("Values"));
        }
        let tagged = R::SHAPE.field("Tags").is_some();
        let known = R::FILTERS.iter().find(|(known, _)| *known == name);
        let place = match (known, name.strip_prefix("tag:")) {
            (Some((_, path)), _) => Place::Fields(path.split('.').collect()),
            (None, Some(key)) if tagged => Place::Tag(key),
            (None, None) if tagged && name == "tag-key" => Place::Keys,
            _ => return Err(Self::unknown(name)),
        };
        Ok((place, values.iter().map(|value| pieces(value)).collect()))
    }

    fn unknown(name: &str) -> Error {
        let hint = suggest(name, R::FILTERS.iter().map(|(known, _)| *known));
        errors::INVALID.because(format!("the filter {name:?} is invalid{hint}")).with_field("Name")
    }

    /// Whether `resource` passes all of them.
    pub(super) fn accept(&self, resource: &R) -> bool {
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

/// The filters that a listing may ask with, because all that `predicate` lets pass has one of a few values in a field.
fn pushed<M: Filterable>(predicate: &AnyPredicate) -> Vec<Filter> {
    let tests = predicate.required_tests().into_iter();
    let filters = tests.filter_map(|test| {
        let [name] = test.path() else { return None };
        let (_, field) = M::SHAPE.field(name)?;
        let (filter, _) = M::FILTERS.iter().find(|(_, path)| *path == field.name)?;
        let values: Vec<_> = match (test.lookup(), test.value()) {
            (Lookup::Exact, value) => vec![plain(value)?],
            (Lookup::In, Value::List(values)) => values.iter().map(plain).collect::<Option<_>>()?,
            _ => return None,
        };
        (1..=MOST_VALUES).contains(&values.len()).then(|| Filter::exactly(filter, values))
    });
    filters.collect()
}

/// The filters of a listing: those that its caller gives, and those that follow from what they filter by.
pub(super) fn with_pushed<M: Filterable + Resource>(
    given: Option<&[Filter]>,
    predicate: &AnyPredicate,
) -> Option<Vec<Filter>> {
    let mut filters = given.unwrap_or_default().to_vec();
    filters.extend(pushed::<M>(predicate).into_iter().take(MOST.saturating_sub(filters.len())));
    (!filters.is_empty()).then_some(filters)
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
        let filter = Filter::exactly("tag-key", [r"a*b?\"]);
        let pattern = pieces(&filter.values.as_ref().unwrap()[0]);
        assert!(matches(&pattern, r"a*b?\") && !matches(&pattern, r"axb?\"));
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_time() {
        assert!(!matches(&pieces(&"*a".repeat(500)), &"a".repeat(499)));
    }
}
