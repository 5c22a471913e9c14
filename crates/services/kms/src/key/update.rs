//! Updates of keys.

use crate::{
    CryptoKey, CryptoKeyManager,
    key::{KeyIdOrArn, find},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Result, operation};

/// Changes the description of a key.
#[operation(of = CryptoKey, include(KeyIdOrArn), needs(description), effect = write)]
pub struct UpdateKeyDescription {}

impl Handler for UpdateKeyDescription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut key = find::require_own(cx, &self.key_id)?;
        key.check_not_managed(cx)?;
        key.check_not_pending_deletion(cx)?;
        if key.description.as_deref().unwrap_or_default() != self.description {
            key.description = Some(self.description);
            cx.put(key)?;
        }
        Ok(Empty {})
    }
}

/// Changes the description and the tags of a key, where they differ.
#[operation(kind = CryptoKey, call = "update", changes(UpdateKeyDescription), effect = write)]
pub struct CryptoKeyUpdate {}
