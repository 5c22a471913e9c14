//! Changes of the crypto key of a secret.

use crate::{
    SecretRow,
    version::{self, VersionRow, labels, value},
};
use nephos_cloud::Tx;
use nephos_core::Result;

/// Encrypts the labelled versions of a secret again, under its new crypto key. The other versions keep the key that they have,
/// and so do those that cannot be decrypted any more.
pub(crate) fn encrypt_again(cx: &mut Tx<'_>, before: &SecretRow, secret: &mut SecretRow) -> Result<()> {
    if before.data_key.is_none() {
        return Ok(());
    }
    secret.data_key = None;
    let key = secret.open_or_create_data_key(cx)?;
    for mut version in version::find_all(cx, secret.own_name())? {
        if !is_labelled(secret, &version) {
            keep_key(cx, before, version)?;
            continue;
        }
        match value::open(cx, before, &version) {
            Ok(Some(plain)) => {
                version.crypto_key_id = secret.crypto_key_id.clone();
                value::put(cx, secret, &key, version, &plain)?;
            }
            Ok(None) => {
                version.crypto_key_id = secret.crypto_key_id.clone();
                cx.put(version)?;
            }
            Err(_) => keep_key(cx, before, version)?,
        }
    }
    Ok(())
}

/// Stores the data key that the value of a version is sealed with in the version.
fn keep_key(cx: &mut Tx<'_>, before: &SecretRow, mut version: VersionRow) -> Result<()> {
    if version.data_key.is_none() && version.binary.is_some() {
        version.data_key = before.data_key.clone();
    }
    cx.put(version)
}

/// True if a version has one of the provider's own labels.
fn is_labelled(secret: &SecretRow, version: &VersionRow) -> bool {
    let own = [labels::CURRENT, labels::PREVIOUS, labels::PENDING];
    own.iter().any(|label| secret.version_with_label(label) == version.version_id.as_ref())
}
