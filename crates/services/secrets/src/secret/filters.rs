//! Filters of listings.

use crate::SecretRow;
use nephos_core::{Record, Text, choices};

choices! {
    /// Attribute of a secret that a filter compares.
    pub enum FilterKey {
        /// Description: beginnings of words, ignoring letter case.
        Description = "description",
        /// Name.
        Name = "name",
        /// Keys of tags.
        TagKey = "tag-key",
        /// Values of tags.
        TagValue = "tag-value",
        /// Region of the primary secret.
        PrimaryRegion = "primary-region",
        /// Service that manages the secret.
        OwningService = "owning-service",
        /// Name, description, keys and values of tags: beginnings of words of one of them, ignoring letter case.
        All = "all",
    }
}

/// A filter: a secret must match one of the values.
#[derive(Record)]
pub struct SecretsFilter {
    /// Attribute to compare.
    #[field(required)]
    pub(crate) key: Option<FilterKey>,
    /// Prefixes to match; a prefix after `!` must not match.
    #[field(required, length(1..=10), each(length(..=512), pattern = r"!?[a-zA-Z0-9 :_@/+=.\-!]*"))]
    pub(crate) values: Option<Vec<Text>>,
}

impl SecretsFilter {
    /// Returns a filter for names with this prefix.
    pub(crate) fn by_name_prefix(prefix: Text) -> Self {
        Self { key: Some(FilterKey::Name), values: Some(vec![prefix]) }
    }

    fn matches(&self, secret: &SecretRow) -> bool {
        let key = self.key.clone().unwrap_or(FilterKey::All);
        let texts = searched_texts(&key, secret);
        let is_match = |value: &str| match key {
            FilterKey::Description | FilterKey::All => {
                let wanted = split_words(value);
                texts.iter().any(|text| contains_words(text, &wanted))
            }
            _ => texts.iter().any(|text| text.starts_with(value)),
        };
        self.values.iter().flatten().any(|value| match value.strip_prefix('!') {
            Some(value) => !is_match(value),
            None => is_match(value),
        })
    }
}

/// True if a secret matches all filters.
pub fn match_all(filters: Option<&[SecretsFilter]>, secret: &SecretRow) -> bool {
    filters.unwrap_or_default().iter().all(|filter| filter.matches(secret))
}

/// Returns the texts of a secret that a filter compares.
fn searched_texts<'k>(key: &FilterKey, secret: &'k SecretRow) -> Vec<&'k str> {
    let optional = |text: &'k Option<Text>| text.as_deref().into_iter().collect();
    let tags = || secret.tags.iter().flatten();
    match key {
        FilterKey::Description => optional(&secret.description),
        FilterKey::Name => optional(&secret.name),
        FilterKey::TagKey => tags().filter_map(nephos_core::Tag::key).collect(),
        FilterKey::TagValue => tags().filter_map(nephos_core::Tag::value).collect(),
        FilterKey::PrimaryRegion => optional(&secret.primary_region),
        FilterKey::OwningService => optional(&secret.owning_service),
        FilterKey::All | FilterKey::Unknown(_) => {
            [FilterKey::Name, FilterKey::Description, FilterKey::TagKey, FilterKey::TagValue]
                .iter()
                .flat_map(|key| searched_texts(key, secret))
                .collect()
        }
    }
}

/// True if each of the words is the beginning of a word in the text. No words are in no text.
fn contains_words(text: &str, wanted: &[String]) -> bool {
    let words = split_words(text);
    let contains = |wanted: &String| words.iter().any(|word| word.starts_with(wanted.as_str()));
    !wanted.is_empty() && wanted.iter().all(contains)
}

/// Splits a text into words, in lower case. They end at characters that are neither letters nor digits, between letters and
/// digits, before an uppercase letter after a lowercase letter, and before the last of several uppercase letters that a
/// lowercase letter follows.
pub fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in text.split(|c: char| !c.is_alphanumeric()) {
        let letters: Vec<char> = part.chars().collect();
        let mut start = 0;
        for at in 1..=letters.len() {
            if at == letters.len() || begins_word(&letters, at) {
                words.push(letters[start..at].iter().collect::<String>().to_lowercase());
                start = at;
            }
        }
    }
    words
}

/// True if a word begins at this position among letters and digits, which is not the first.
fn begins_word(letters: &[char], at: usize) -> bool {
    let (before, this) = (letters[at - 1], letters[at]);
    let ends_capitals = before.is_uppercase() && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
    before.is_numeric() != this.is_numeric()
        || (this.is_uppercase() && (!before.is_uppercase() || ends_capitals))
}
