//! Enabling and disabling keys.

use crate::{
    CryptoKey, CryptoKeyManager, errors,
    key::{KeyIdOrArn, KeyState, find, rotation},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Result, operation};

/// Sets the state of a key to enabled or disabled.
fn switch(cx: &mut Tx<'_>, id: &str, state: KeyState) -> Result<Empty> {
    let mut key = find::require_own(cx, id)?;
    key.check_not_managed(cx)?;
    key.check_settled(cx)?;
    if *key.state() == KeyState::PendingImport {
        return Err(errors::key_pending_import(key.arn(cx.scope())));
    }
    if *key.state() != state {
        key.key_state = Some(state);
        rotation::resume(cx, &mut key)?;
        cx.put(key)?;
    }
    Ok(Empty {})
}

/// Enables a key.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "enable", on_model, effect = write)]
pub struct EnableKey {}

impl Handler for EnableKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        switch(cx, &self.key_id, KeyState::Enabled)
    }
}

/// Disables a key: it cannot be used until it is enabled.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "disable", on_model, effect = write)]
pub struct DisableKey {}

impl Handler for DisableKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        switch(cx, &self.key_id, KeyState::Disabled)
    }
}
