//! Random passwords.

use crate::{Secret, SecretManager, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Ids, Result, Text, operation};
use zeroize::Zeroizing;

/// Default length of a password.
const DEFAULT_LENGTH: i64 = 32;

const LOWERCASE: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPERCASE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const NUMBERS: &str = "0123456789";
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Generates a random password. It is not stored.
#[operation(
    of = Secret, call = "random_password", wraps(random_password: nephos_core::Secret), effect = read, subject = "*"
)]
pub struct GetRandomPassword {
    /// Length in characters; 32 by default.
    #[field(range(1..=4096))]
    pub password_length: Option<i64>,
    /// Characters to exclude.
    #[field(length(..=4096))]
    pub exclude_characters: Option<Text>,
    /// True to exclude digits.
    pub exclude_numbers: Option<bool>,
    /// True to exclude punctuation.
    pub exclude_punctuation: Option<bool>,
    /// True to exclude uppercase letters.
    pub exclude_uppercase: Option<bool>,
    /// True to exclude lowercase letters.
    pub exclude_lowercase: Option<bool>,
    /// True to include the space character.
    pub include_space: Option<bool>,
    /// True to require at least one character of each included type; true by default.
    pub require_each_included_type: Option<bool>,
}

impl GetRandomPassword {
    /// Returns the allowed characters of each included type.
    fn character_types(&self) -> Vec<Vec<char>> {
        let excluded = self.exclude_characters.as_deref().unwrap_or_default();
        let included = [
            (LOWERCASE, self.exclude_lowercase != Some(true)),
            (UPPERCASE, self.exclude_uppercase != Some(true)),
            (NUMBERS, self.exclude_numbers != Some(true)),
            (PUNCTUATION, self.exclude_punctuation != Some(true)),
            (" ", self.include_space == Some(true)),
        ];
        let types = included.into_iter().filter(|(_, included)| *included);
        let allowed =
            types.map(|(characters, _)| characters.chars().filter(|c| !excluded.contains(*c)).collect());
        allowed.filter(|characters: &Vec<char>| !characters.is_empty()).collect()
    }

    fn generate(&self, ids: &Ids) -> Result<nephos_core::Secret> {
        let types = self.character_types();
        let all: Vec<char> = types.iter().flatten().copied().collect();
        if all.is_empty() {
            return Err(errors::all_characters_excluded().with_field("ExcludeCharacters"));
        }
        let length = usize::try_from(self.password_length.unwrap_or(DEFAULT_LENGTH)).unwrap_or_default();
        let each = self.require_each_included_type != Some(false);
        if each && length < types.len() {
            let hint = format!("one character of each of {} types, got {length}", types.len());
            return Err(errors::password_too_short().with_field("PasswordLength").with_hint(hint));
        }
        let below = |limit: usize| ids.below(limit as u64) as usize;
        let one_of = |from: &[char]| from[below(from.len())];
        let mut password = Zeroizing::new(Vec::with_capacity(length));
        if each {
            password.extend(types.iter().map(|characters| one_of(characters)));
        }
        while password.len() < length {
            password.push(one_of(&all));
        }
        // Shuffle, so that the required characters are not always first.
        for n in (1..password.len()).rev() {
            password.swap(n, below(n + 1));
        }
        Ok(password.iter().collect::<String>().into())
    }
}

impl Handler for GetRandomPassword {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(self.generate(cx.ids())?.into())
    }
}
