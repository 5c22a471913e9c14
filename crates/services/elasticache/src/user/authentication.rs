//! Authentication of users: passwords, none, or iam.

use super::CacheUser;
use crate::errors;
use nephos_cloud::{Stored, Tx};
use nephos_core::{Blob, Error, Record, Result, Secret, Text, choices, nearest};

choices! {
    /// Type of the authentication of a user.
    #[derive(Eq)]
    pub enum AuthenticationType {
        /// One of the passwords of the user.
        Password = "password",
        /// No password.
        NoPassword = "no-password",
        /// A token of an IAM identity.
        Iam = "iam",
    }
}

/// Authentication of a user.
#[derive(Record)]
#[record(answer)]
pub struct Authentication {
    /// Type.
    pub(crate) r#type: Option<AuthenticationType>,
    /// Number of passwords; absent for a user without passwords.
    pub(crate) password_count: Option<i64>,
}

/// Authentication to set for a user.
#[derive(Record)]
pub struct AuthenticationMode {
    /// Type: `password`, `no-password-required` or `iam`.
    #[field(condition = "elasticache:UserAuthenticationMode")]
    r#type: Option<Text>,
    /// Passwords, for the type `password`: one or two, of 16 to 128 characters.
    #[field(sensitive)]
    passwords: Option<Vec<Secret>>,
}

/// Passwords of a user.
#[derive(Record)]
#[record(row)]
pub(crate) struct UserPasswordsRow {
    /// ID of the user.
    pub(crate) user_id: Option<Text>,
    /// Passwords, sealed.
    #[field(sensitive)]
    pub(crate) passwords: Option<Vec<Blob>>,
}

nephos_cloud::stored!(UserPasswordsRow in "elasticache/user-passwords" by user_id);

/// Maximum number of passwords of a user.
const MAX_PASSWORDS: usize = 2;

/// Types of authentication on input.
const MODES: [(&str, AuthenticationType); 3] = [
    ("password", AuthenticationType::Password),
    ("no-password-required", AuthenticationType::NoPassword),
    ("iam", AuthenticationType::Iam),
];

/// The authentication that a caller asks for, checked.
#[derive(Debug)]
pub(super) struct NewAuthentication {
    kind: AuthenticationType,
    passwords: Vec<Secret>,
}

impl NewAuthentication {
    /// Reads the parameters of an operation; none if the caller gives none of them.
    pub(super) fn read(
        passwords: Option<Vec<Secret>>,
        no_password_required: Option<bool>,
        mode: Option<AuthenticationMode>,
    ) -> Result<Option<Self>> {
        let passwords = passwords.unwrap_or_default();
        let Some(mode) = mode else {
            return Self::read_flag(passwords, no_password_required);
        };
        let in_mode = mode.passwords.unwrap_or_default();
        if !passwords.is_empty() && !in_mode.is_empty() {
            return Err(errors::passwords_given_twice().with_field("Passwords"));
        }
        let field = if passwords.is_empty() { "AuthenticationMode.Passwords" } else { "Passwords" };
        let passwords = if passwords.is_empty() { in_mode } else { passwords };
        check_passwords(&passwords, field)?;
        let name = mode.r#type.as_deref().unwrap_or("null");
        let Some((_, kind)) = MODES.into_iter().find(|(known, _)| *known == name) else {
            let hint = nearest::hint(name, MODES.iter().map(|(known, _)| *known));
            let error = errors::authentication_type_unknown(name).with_field("AuthenticationMode.Type");
            return Err(error.with_hint(hint));
        };
        if no_password_required == Some(true) && kind != AuthenticationType::NoPassword {
            return Err(errors::flag_against_mode(name).with_field("NoPasswordRequired"));
        }
        match (kind == AuthenticationType::Password, passwords.is_empty()) {
            (true, true) => Err(errors::password_mode_without_password().with_field(field)),
            (false, false) => Err(errors::passwords_not_allowed(name).with_field(field)),
            _ => Ok(Some(Self { kind, passwords })),
        }
    }

    /// Reads passwords, or the flag for none.
    fn read_flag(passwords: Vec<Secret>, no_password_required: Option<bool>) -> Result<Option<Self>> {
        check_passwords(&passwords, "Passwords")?;
        match (passwords.is_empty(), no_password_required) {
            (true, None) => Ok(None),
            (true, Some(true)) => Ok(Some(Self { kind: AuthenticationType::NoPassword, passwords })),
            (true, Some(false)) => Err(type_missing()),
            (false, Some(true)) => {
                Err(errors::flag_against_mode("password").with_field("NoPasswordRequired"))
            }
            (false, _) => Ok(Some(Self { kind: AuthenticationType::Password, passwords })),
        }
    }

    /// Sets the authentication of a user, with sealed passwords.
    pub(super) fn put(self, cx: &mut Tx<'_>, user: &mut CacheUser) -> Result<()> {
        let count = i64::try_from(self.passwords.len()).ok().filter(|count| *count > 0);
        user.authentication = Some(Authentication { r#type: Some(self.kind), password_count: count });
        let user_id = user.user_id.clone().unwrap_or_default();
        let seal =
            |password: &Secret| cx.seal(&[UserPasswordsRow::TABLE, &user_id], password.expose().as_bytes());
        let sealed = self.passwords.iter().map(seal).collect::<Result<Vec<_>>>()?;
        let row = UserPasswordsRow { user_id: Some(user_id.clone()), passwords: Some(sealed) };
        if count.is_some() { cx.put(row) } else { cx.remove(&row) }
    }

    /// The authentication as it is answered, without passwords.
    pub(super) fn kind(&self) -> &AuthenticationType {
        &self.kind
    }
}

/// Error for a user without any authentication: the service derives its type, and there is none.
pub(super) fn type_missing() -> Error {
    let hint = "set Passwords, NoPasswordRequired or AuthenticationMode";
    errors::authentication_type_unknown("null").with_field("Passwords").with_hint(hint)
}

fn check_passwords(passwords: &[Secret], field: &str) -> Result<()> {
    let has_length = |password: &Secret| (16..=128).contains(&password.expose().chars().count());
    if !passwords.iter().all(has_length) {
        return Err(errors::password_length().with_field(field));
    }
    if passwords.len() > MAX_PASSWORDS {
        return Err(errors::too_many_passwords().with_field(field));
    }
    Ok(())
}
