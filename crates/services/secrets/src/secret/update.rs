//! Updates of secrets.

use crate::{
    Secret, SecretManager, SecretVersionName,
    cross_account::SecretHandler,
    errors,
    secret::{NewVersion, SecretId, secret_row},
    version::{
        self, labels, rekey,
        value::{self, Plaintext},
    },
};
use nephos_cloud::Tx;
use nephos_core::{Record, Result, operation};

/// Changes the description, key or type of a secret, and stores a given value as a new version. An empty text clears the
/// field. A repeated call with the same token and value creates no second version.
#[operation(
    of = Secret, include(SecretId, NewVersion), takes(changeable), except(tags),
    effect = write, output = SecretVersionName, subject = "secret:{SecretId}"
)]
pub struct UpdateSecret {}

impl SecretHandler for UpdateSecret {
    fn run_in_owner(mut self, cx: &mut Tx<'_>) -> Result<SecretVersionName> {
        let plain = Plaintext::from_parameters(self.secret_string.take(), self.secret_binary.take())?;
        let token = self.client_request_token.take();
        let version_id = match &plain {
            Some(_) => Some(version::new_id(cx, token, errors::client_token_missing)?),
            None => None,
        };
        let mut secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let value = plain.as_ref().zip(version_id.as_ref());
        let repeated = match value {
            Some((plain, id)) => value::is_repeated_request(cx, &secret, id, plain)?,
            None => false,
        };
        let rekeyed = self.crypto_key_id.is_some();
        let before = secret.clone();
        secret.take_given(&mut self);
        if repeated && secret == before {
            return Ok(secret.to_version_name(cx.scope(), version_id));
        }
        if rekeyed {
            rekey::encrypt_again(cx, &before, &mut secret)?;
        }
        if let Some((plain, id)) = value.filter(|_| !repeated) {
            value::add_version(cx, &mut secret, id, plain, &[labels::CURRENT.into()])?;
        }
        let updated = secret.to_version_name(cx.scope(), version_id);
        secret.put_changed(cx)?;
        Ok(updated)
    }
}

/// Changes the description, key, type and tags of a secret where they differ, and stores a given value as a new version.
#[operation(
    kind = Secret, include(NewVersion), call = "update", changes(UpdateSecret), check = check_token, effect = write
)]
pub struct SecretUpdate {}

/// Refuses the token of a new version without its value.
fn check_token(update: &SecretUpdate) -> Result<()> {
    let has_value = update.secret_string.is_some() || update.secret_binary.is_some();
    if update.client_request_token.is_some() && !has_value {
        return Err(errors::token_without_value().with_field("ClientRequestToken"));
    }
    Ok(())
}
