//! The password policy of an account.

use crate::errors;
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Empty, Record, Resource, Result, Slot, operation};

/// Minimum length of passwords of a password policy that sets none.
const MIN_LENGTH: i64 = 6;

/// Minimum length of passwords in an account without a password policy.
const DEFAULT_MIN_LENGTH: usize = 8;

/// Number of kinds of characters that passwords must have in an account without a password policy.
const DEFAULT_KINDS: usize = 3;

/// Characters that count as symbols.
const SYMBOLS: &str = "!@#$%^&*()_+-=[]{}|'";

/// The password policy of an account. Without one, passwords have at least eight characters of three kinds.
#[derive(Resource)]
#[resource(exists_if = "ExpirePasswords")]
pub struct PasswordPolicy {
    /// Minimum length of passwords; 6 by default.
    #[field(range(6..=128))]
    minimum_password_length: Option<i64>,
    /// True if passwords must have a symbol; false by default.
    require_symbols: Option<bool>,
    /// True if passwords must have a digit; false by default.
    require_numbers: Option<bool>,
    /// True if passwords must have an uppercase letter; false by default.
    require_uppercase_characters: Option<bool>,
    /// True if passwords must have a lowercase letter; false by default.
    require_lowercase_characters: Option<bool>,
    /// True if users can change their own passwords; false by default.
    #[field(no_effect)]
    allow_users_to_change_password: Option<bool>,
    /// True if passwords expire.
    #[field(service_set)]
    expire_passwords: Option<bool>,
    /// Number of days after which passwords expire; they do not by default.
    #[field(range(1..=1095), no_effect)]
    pub(crate) max_password_age: Option<i64>,
    /// Number of previous passwords of a user that cannot be used again; 0 by default.
    #[field(range(1..=24))]
    pub(crate) password_reuse_prevention: Option<i64>,
    /// True if users cannot set a new password after theirs has expired.
    #[field(no_effect)]
    hard_expiry: Option<bool>,
    slot: Slot,
}

impl Stored for PasswordPolicy {
    const TABLE: &'static str = "iam/password-policy";

    fn identify(&self, key: Key) -> Key {
        key
    }

    fn strip_derived(&mut self) {
        self.expire_passwords = None;
    }

    fn restore(&mut self, _: &Scope, _: Parts<'_>) {
        self.expire_passwords = Some(self.max_password_age.is_some());
    }
}

/// Finds the password policy of the account.
pub(crate) fn find(cx: &Tx<'_>) -> Result<Option<PasswordPolicy>> {
    cx.get(&PasswordPolicy::table(cx.scope()))
}

/// Returns the requirements on characters that a password does not meet, in the provider's words.
fn missing_kinds(password: &str, required: [bool; 4]) -> Vec<&'static str> {
    let has = |is_kind: fn(char) -> bool| password.contains(is_kind);
    let kinds = [
        (has(|c| c.is_ascii_uppercase()), "Password should have at least one uppercase letter"),
        (has(|c| c.is_ascii_lowercase()), "Password should have at least one lowercase letter"),
        (has(|c| c.is_ascii_digit()), "Password should have at least one number"),
        (has(|c| SYMBOLS.contains(c)), "Password should have at least one symbol"),
    ];
    let missing = kinds.into_iter().zip(required).filter(|((has, _), required)| *required && !has);
    missing.map(|((_, requirement), _)| requirement).collect()
}

/// Refuses a password that breaks the password policy of the account; `parameter` is the parameter with it.
pub(crate) fn check_password(cx: &Tx<'_>, password: &str, parameter: &str) -> Result<()> {
    let violation = |hint: String| Err(errors::password_violation().with_field(parameter).with_hint(hint));
    let too_short = |min: usize| violation(format!("it must have at least {min} characters"));
    let length = password.chars().count();
    let Some(policy) = find(cx)? else {
        if length < DEFAULT_MIN_LENGTH {
            return too_short(DEFAULT_MIN_LENGTH);
        }
        let missing = missing_kinds(password, [true; 4]);
        let more = (missing.len() + DEFAULT_KINDS).saturating_sub(4);
        if more > 0 {
            return Err(errors::password_kinds(more, missing.join(", ")).with_field(parameter));
        }
        return Ok(());
    };
    let min = usize::try_from(policy.minimum_password_length.unwrap_or(MIN_LENGTH)).unwrap_or_default();
    if length < min {
        return too_short(min);
    }
    let required = [
        policy.require_uppercase_characters,
        policy.require_lowercase_characters,
        policy.require_numbers,
        policy.require_symbols,
    ];
    let missing = missing_kinds(password, required.map(|required| required == Some(true)));
    if missing.is_empty() { Ok(()) } else { violation(missing.join(", ")) }
}

/// Sets the password policy of the account. What is not given gets its default.
#[operation(
    of = PasswordPolicy, call = "update", model, read_back, takes(settable), effect = write, subject = "*"
)]
pub struct UpdateAccountPasswordPolicy {}

impl Handler for UpdateAccountPasswordPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut policy = PasswordPolicy::from_given(self);
        policy.minimum_password_length.get_or_insert(MIN_LENGTH);
        for setting in [
            &mut policy.require_symbols,
            &mut policy.require_numbers,
            &mut policy.require_uppercase_characters,
            &mut policy.require_lowercase_characters,
            &mut policy.allow_users_to_change_password,
        ] {
            setting.get_or_insert(false);
        }
        cx.put(policy)?;
        Ok(Empty {})
    }
}

/// Returns the password policy of the account, if it has one.
#[operation(
    of = PasswordPolicy, call = "get", none_if_missing, wraps(password_policy), effect = read, subject = "*"
)]
pub struct GetAccountPasswordPolicy {}

impl Handler for GetAccountPasswordPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let policy = find(cx)?.ok_or_else(|| errors::password_policy_not_found(cx.scope().account()))?;
        Ok(policy.into())
    }
}

/// Deletes the password policy of the account.
#[operation(of = PasswordPolicy, call = "delete", on_model, effect = write, subject = "*")]
pub struct DeleteAccountPasswordPolicy {}

impl Handler for DeleteAccountPasswordPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let policy = find(cx)?.ok_or_else(errors::no_password_policy)?;
        cx.remove(&policy)?;
        Ok(Empty {})
    }
}
