//! Random passwords.

use super::{SERVICE, Secret, SecretManager, errors};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Ids, Record, Result, Steppable, Steps, Text, operation};
use zeroize::Zeroizing;

/// How many characters a password has, unless the caller says.
const LENGTH: i64 = 32;

const LOWERCASE: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPERCASE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const NUMBERS: &str = "0123456789";
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Makes up a password.
#[operation(service = SERVICE, effect = read, output = GetRandomPasswordResponse, subject = "*")]
pub struct GetRandomPassword {
    /// How many characters it has; 32 if not said.
    #[field(range(1..=4096))]
    pub password_length: Option<i64>,
    /// Characters that it does not have.
    #[field(length(..=4096))]
    pub exclude_characters: Option<Text>,
    /// Whether it has no digits.
    pub exclude_numbers: Option<bool>,
    /// Whether it has no punctuation.
    pub exclude_punctuation: Option<bool>,
    /// Whether it has no uppercase letters.
    pub exclude_uppercase: Option<bool>,
    /// Whether it has no lowercase letters.
    pub exclude_lowercase: Option<bool>,
    /// Whether it may have spaces.
    pub include_space: Option<bool>,
    /// Whether it has at least one character of each sort that it may have, which it does unless this is false.
    pub require_each_included_type: Option<bool>,
}

/// A password.
#[derive(Record)]
pub struct GetRandomPasswordResponse {
    /// The password.
    random_password: Option<nephos_core::Secret>,
}

impl GetRandomPassword {
    /// The characters of each sort that a password may have.
    fn sorts(&self) -> Vec<Vec<char>> {
        let excluded = self.exclude_characters.as_deref().unwrap_or_default();
        let included = [
            (LOWERCASE, self.exclude_lowercase != Some(true)),
            (UPPERCASE, self.exclude_uppercase != Some(true)),
            (NUMBERS, self.exclude_numbers != Some(true)),
            (PUNCTUATION, self.exclude_punctuation != Some(true)),
            (" ", self.include_space == Some(true)),
        ];
        let sorts = included.into_iter().filter(|(_, included)| *included);
        let left = sorts.map(|(sort, _)| sort.chars().filter(|c| !excluded.contains(*c)).collect());
        left.filter(|sort: &Vec<char>| !sort.is_empty()).collect()
    }

    fn made(&self, ids: &Ids) -> Result<nephos_core::Secret> {
        let sorts = self.sorts();
        let all: Vec<char> = sorts.iter().flatten().copied().collect();
        if all.is_empty() {
            let why = "nothing is left that a password could be made of";
            return Err(errors::INVALID_REQUEST.because(why).with_field("ExcludeCharacters"));
        }
        let length = usize::try_from(self.password_length.unwrap_or(LENGTH)).unwrap_or_default();
        let each = self.require_each_included_type != Some(false);
        if each && length < sorts.len() {
            let why = format!("is too short for one character of each of {} sorts", sorts.len());
            return Err(errors::INVALID.because(why).with_field("PasswordLength"));
        }
        let below = |limit: usize| ids.below(limit as u64) as usize;
        let one_of = |from: &[char]| from[below(from.len())];
        let mut password = Zeroizing::new(Vec::with_capacity(length));
        if each {
            password.extend(sorts.iter().map(|sort| one_of(sort)));
        }
        while password.len() < length {
            password.push(one_of(&all));
        }
        // The required characters could be anywhere.
        for n in (1..password.len()).rev() {
            password.swap(n, below(n + 1));
        }
        Ok(password.iter().collect::<String>().into())
    }
}

impl Handler for GetRandomPassword {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetRandomPasswordResponse> {
        Ok(GetRandomPasswordResponse { random_password: Some(self.made(cx.ids())?) })
    }
}

/// A new password, made up for the caller and kept nowhere.
#[operation(kind = Secret, call = "random_password", effect = read, output = nephos_core::Secret)]
pub struct RandomPassword {
    /// How many characters it has; 32 if not said.
    #[field(range(1..=4096))]
    pub password_length: Option<i64>,
    /// Characters that it does not have.
    #[field(length(..=4096))]
    pub exclude_characters: Option<Text>,
    /// Whether it has no digits.
    pub exclude_numbers: Option<bool>,
    /// Whether it has no punctuation.
    pub exclude_punctuation: Option<bool>,
    /// Whether it has no uppercase letters.
    pub exclude_uppercase: Option<bool>,
    /// Whether it has no lowercase letters.
    pub exclude_lowercase: Option<bool>,
    /// Whether it may have spaces.
    pub include_space: Option<bool>,
    /// Whether it has at least one character of each sort that it may have, which it does unless this is false.
    pub require_each_included_type: Option<bool>,
}

impl Steppable for RandomPassword {
    async fn run(&self, steps: &Steps) -> Result<nephos_core::Secret> {
        let get = GetRandomPassword::new()
            .password_length(self.password_length)
            .exclude_characters(self.exclude_characters.clone())
            .exclude_numbers(self.exclude_numbers)
            .exclude_punctuation(self.exclude_punctuation)
            .exclude_uppercase(self.exclude_uppercase)
            .exclude_lowercase(self.exclude_lowercase)
            .include_space(self.include_space)
            .require_each_included_type(self.require_each_included_type);
        Ok(steps.call(get).await?.random_password.unwrap_or_default())
    }
}
