//! Choices of a field of a pattern: values and operators.

use super::{
    address::{self, Network},
    event::Scalar,
    number::{Number, Range},
    wildcard::Wildcard,
};
use nephos_core::{
    Ref,
    json::{self, Writing},
};
use std::{fmt, net::IpAddr};

/// One of the choices of a field: a value, or an operator.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    /// True, false or null.
    Bool(bool),
    Null,
    Number(Number),
    Text(TextTest),
    /// A text that is an address: texts with another form of the same address match too.
    Address(Box<str>, IpAddr),
    Range(Range),
    Network(Network),
    /// A value of any type that none of the tests accepts.
    AnythingBut(Box<[TextTest]>),
    AnythingButNumbers(Box<[Number]>),
    /// The field has a value, or has none.
    Exists(bool),
}

/// Comparison of a text. Texts that ignore case are in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum TextTest {
    Equals(Box<str>),
    Prefix(Box<str>),
    Suffix(Box<str>),
    EqualsIgnoreCase(Box<str>),
    PrefixIgnoreCase(Box<str>),
    SuffixIgnoreCase(Box<str>),
    Wildcard(Wildcard),
}

impl Choice {
    /// Returns the choice of a text that is a value.
    pub(super) fn text(text: String) -> Self {
        match address::parse(&text) {
            Some(address) => Self::Address(text.into(), address),
            None => Self::Text(TextTest::Equals(text.into())),
        }
    }

    /// True if the choice accepts the value. A choice for a missing field accepts no value.
    pub(super) fn accepts(&self, value: &Scalar<'_>) -> bool {
        match (self, value) {
            (Self::Bool(wanted), Scalar::Bool(value)) => wanted == value,
            (Self::Null, Scalar::Null) => true,
            (Self::Number(wanted), Scalar::Number(value)) => wanted == value,
            (Self::Text(test), Scalar::Text { text, .. }) => test.accepts(text),
            (Self::Address(_, wanted), Scalar::Text { address, .. }) => Some(*wanted) == *address,
            (Self::Range(range), Scalar::Number(value)) => range.contains(*value),
            (Self::Network(network), Scalar::Text { address: Some(address), .. }) => {
                network.contains(*address)
            }
            (Self::AnythingBut(tests), Scalar::Text { text, .. }) => {
                !tests.iter().any(|test| test.accepts(text))
            }
            (Self::AnythingButNumbers(numbers), Scalar::Number(value)) => !numbers.contains(value),
            (Self::AnythingBut(_) | Self::AnythingButNumbers(_), _) => true,
            (Self::Exists(exists), _) => *exists,
            _ => false,
        }
    }
}

impl TextTest {
    fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Equals(wanted) => text == &**wanted,
            Self::Prefix(prefix) => text.starts_with(&**prefix),
            Self::Suffix(suffix) => text.ends_with(&**suffix),
            Self::EqualsIgnoreCase(wanted) => lower(text).eq(wanted.chars()),
            Self::PrefixIgnoreCase(prefix) => {
                let mut characters = lower(text);
                prefix.chars().all(|wanted| characters.next() == Some(wanted))
            }
            Self::SuffixIgnoreCase(suffix) => {
                let mut characters = text.chars().rev().flat_map(|character| character.to_lowercase().rev());
                suffix.chars().rev().all(|wanted| characters.next() == Some(wanted))
            }
            Self::Wildcard(wildcard) => wildcard.matches(text),
        }
    }
}

fn lower(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(char::to_lowercase)
}

/// Returns the text in lower case, character by character.
pub(super) fn to_lower(text: &str) -> String {
    lower(text).collect()
}

/// Formats a text as JSON.
pub(super) fn quoted(text: &str) -> String {
    json::write(Ref::Text(text), Writing::SHOWN)
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Null => f.write_str("null"),
            Self::Number(number) => number.fmt(f),
            Self::Text(TextTest::Equals(text)) | Self::Address(text, _) => f.write_str(&quoted(text)),
            Self::Text(test) => test.fmt(f),
            Self::Range(range) => write!(f, "{{\"numeric\":{range}}}"),
            Self::Network(network) => write!(f, "{{\"cidr\":\"{network}\"}}"),
            Self::AnythingBut(tests) => {
                let items: Vec<String> = tests.iter().map(|test| quoted(&test.text())).collect();
                let items = items.join(",");
                match tests.first().map_or("", TextTest::operator) {
                    "" => write!(f, "{{\"anything-but\":[{items}]}}"),
                    operator => write!(f, "{{\"anything-but\":{{\"{operator}\":[{items}]}}}}"),
                }
            }
            Self::AnythingButNumbers(numbers) => {
                let items: Vec<String> = numbers.iter().map(Number::to_string).collect();
                write!(f, "{{\"anything-but\":[{}]}}", items.join(","))
            }
            Self::Exists(exists) => write!(f, "{{\"exists\":{exists}}}"),
        }
    }
}

impl TextTest {
    fn operator(&self) -> &'static str {
        match self {
            Self::Equals(_) => "",
            Self::Prefix(_) | Self::PrefixIgnoreCase(_) => "prefix",
            Self::Suffix(_) | Self::SuffixIgnoreCase(_) => "suffix",
            Self::EqualsIgnoreCase(_) => "equals-ignore-case",
            Self::Wildcard(_) => "wildcard",
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Wildcard(wildcard) => wildcard.to_string(),
            Self::Equals(text)
            | Self::Prefix(text)
            | Self::Suffix(text)
            | Self::EqualsIgnoreCase(text)
            | Self::PrefixIgnoreCase(text)
            | Self::SuffixIgnoreCase(text) => text.to_string(),
        }
    }
}

impl fmt::Display for TextTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operator, text) = (self.operator(), quoted(&self.text()));
        match self {
            Self::PrefixIgnoreCase(_) | Self::SuffixIgnoreCase(_) => {
                write!(f, "{{\"{operator}\":{{\"equals-ignore-case\":{text}}}}}")
            }
            _ => write!(f, "{{\"{operator}\":{text}}}"),
        }
    }
}
