//! Creation of keys.

use crate::{
    CryptoKey, CryptoKeyManager, KeyOrigin, KeySpec, KeyUsage, errors,
    key::{KeyManager, KeyRow, KeyState, find, policy, tagging},
    material,
};
use nephos_cloud::{Handler, Quota, Tx, tags::to_list};
use nephos_core::{Ids, Result, Text, field_value::FieldType, operation};

/// Quota of keys in an account and Region.
pub(crate) const KEYS: Quota = Quota { counter: "kms/keys", max: 100_000, what: "keys" };

/// Creates a key.
#[operation(
    of = CryptoKey, takes(settable), call = "create", model, overrides(tags), wraps(key_metadata), effect = write,
    subject = "*", also_requires("TagResource" = "Tags?")
)]
pub struct CreateKey {
    /// Key policy; by default, the account that owns the key may do everything, as far as its own policies allow it.
    #[field(length(1..=131_072))]
    pub policy: Option<Text>,
    /// True to accept a key policy that does not let the caller change it afterwards.
    #[field(condition = "kms:BypassPolicyLockoutSafetyCheck")]
    pub bypass_policy_lockout_safety_check: Option<bool>,
    /// ID of the key in an external key store. External key stores are not supported here.
    #[field(length(1..=128), pattern = "[a-zA-Z0-9-_.]+")]
    pub xks_key_id: Option<Text>,
}

impl CreateKey {
    /// Returns the spec and the usage, which must fit together.
    fn spec_and_usage(&self) -> Result<(KeySpec, KeyUsage)> {
        let spec = match (&self.key_spec, &self.customer_master_key_spec) {
            (Some(spec), Some(old)) if spec != old => {
                return Err(errors::specs_given().with_field("CustomerMasterKeySpec"));
            }
            (spec, old) => spec.as_ref().or(old.as_ref()).cloned().unwrap_or(KeySpec::SymmetricDefault),
        };
        let usages = spec.usages();
        if usages.is_empty() {
            return Err(errors::spec_unsupported(spec).with_field("KeySpec"));
        }
        let usage = match &self.key_usage {
            Some(usage) => usage.clone(),
            None if spec == KeySpec::SymmetricDefault => KeyUsage::EncryptDecrypt,
            None => return Err(errors::usage_missing().with_field("KeyUsage")),
        };
        if !usages.contains(&usage) {
            let possible: Vec<_> = usages.iter().map(ToString::to_string).collect();
            let hint = format!("possible: {}", possible.join(", "));
            return Err(errors::usage_incompatible(usage, spec).with_field("KeyUsage").with_hint(hint));
        }
        Ok((spec, usage))
    }

    /// Returns the source of the key material, which must be supported.
    fn checked_origin(&self) -> Result<KeyOrigin> {
        if self.custom_key_store_id.is_some() {
            return Err(errors::store_unsupported().with_field("CustomKeyStoreId"));
        }
        if self.xks_key_id.is_some() {
            return Err(errors::store_unsupported().with_field("XksKeyId"));
        }
        let origin = self.origin.clone().unwrap_or(KeyOrigin::ProviderCrypto);
        match origin {
            KeyOrigin::ProviderCrypto | KeyOrigin::External => Ok(origin),
            KeyOrigin::ProviderHsm => Err(errors::origin_unsupported("AWS_CLOUDHSM").with_field("Origin")),
            _ => Err(errors::origin_unsupported(origin).with_field("Origin")),
        }
    }
}

impl Handler for CreateKey {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (spec, usage) = self.spec_and_usage()?;
        let origin = self.checked_origin()?;
        let tags = tagging::read(self.tags.as_deref().unwrap_or_default())?;
        if let Some(policy) = &self.policy {
            policy::check(cx, policy, self.bypass_policy_lockout_safety_check == Some(true))?;
        }
        let stored = match origin {
            KeyOrigin::External => None,
            _ => Some(generate(cx, &spec)?),
        };
        let is_multi_region = self.multi_region == Some(true);
        let mut key = new_row(cx, spec, usage, is_multi_region);
        key.description = self.description.take();
        key.tags = to_list(tags);
        key.origin = Some(origin);
        KEYS.add_one(cx, errors::too_many_keys)?;
        match stored {
            Some(stored) => key.add_material(cx, &stored, None)?,
            None => key.key_state = Some(KeyState::PendingImport),
        }
        if let Some(policy) = self.policy.take() {
            policy::put(cx, key.id(), policy)?;
        }
        let created = key.describe(cx);
        cx.put(key)?;
        Ok(created.into())
    }
}

/// Returns the row of a new key, without material.
pub(crate) fn new_row(cx: &Tx<'_>, spec: KeySpec, usage: KeyUsage, is_multi_region: bool) -> KeyRow {
    let mut key = KeyRow::blank();
    key.key_id =
        Some(if is_multi_region { format!("mrk-{}", cx.ids().hex(32)).into() } else { cx.ids().uuid() });
    key.key_spec = Some(spec);
    key.key_usage = Some(usage);
    key.creation_date = Some(cx.now());
    key.key_state = Some(KeyState::Enabled);
    key.key_manager = Some(KeyManager::Customer);
    key.multi_region = is_multi_region.then_some(true);
    key.primary_region = is_multi_region.then(|| cx.scope().region().into());
    debug_assert!(find::is_key_id(key.id()));
    key
}

/// Generates material. Key pairs take long, so they are generated outside the transaction.
pub(crate) fn generate(cx: &mut Tx<'_>, spec: &KeySpec) -> Result<material::StoredMaterial> {
    if !spec.is_pair() {
        return material::generate(spec, cx.ids()).map_err(|_| errors::material_unreadable());
    }
    let spec = spec.clone();
    cx.compute(move || material::generate(&spec, &Ids::system()).map_err(|_| errors::material_unreadable()))
}
