//! Behaviour cases of crypto keys.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod aliases;
mod grants;
mod keys;
mod policies;
mod tags;

use crate::{CryptoKey, KeySpec, KeyUsage};
use nephos_core::{Result, Text};

nephos_cloud::world!(crate::KMS);

nephos_cloud::cases! {
    "kms", World;
    aliases {
        alias_can_be_changed_to_key_of_same_type_and_usage,
        alias_is_created_found_listed_and_deleted,
        alias_names_are_checked,
        aliases_are_deleted_with_key,
        key_can_have_at_most_50_aliases,
    }
    grants {
        grant_allows_use_by_other_account_until_it_is_deleted,
        grant_is_created_found_listed_and_revoked,
        grant_operations_must_fit_the_key,
        grants_are_deleted_with_key,
        grants_are_listed_by_grantee_and_page_by_page,
        grants_with_the_same_name_and_parameters_are_one,
        invalid_grants_are_refused,
        names_of_grants_are_checked,
        retirable_grants_are_listed_for_their_principal,
        tokens_identify_the_grant_to_retire,
    }
    keys {
        cancelled_deletion_leaves_key_disabled,
        created_key_is_returned_by_get_and_list,
        custom_key_stores_and_unknown_specs_are_refused,
        description_is_updated_by_save,
        every_row_belongs_to_a_listed_table,
        every_spec_has_its_usages_and_algorithms,
        key_is_deleted_after_waiting_period,
        key_is_disabled_and_enabled,
        missing_key_is_not_found,
        names_of_keys_are_checked,
        spec_and_usage_must_fit,
        waiting_period_is_7_to_30_days,
    }
    policies {
        invalid_policies_are_refused,
        policy_is_stored_and_returned,
        policy_must_let_the_caller_change_it,
        policy_names_are_checked,
    }
    tags {
        invalid_tags_are_refused,
        tags_are_added_listed_and_removed,
    }
}

impl World {
    /// Creates a symmetric encryption key.
    pub(super) fn create_key(&self) -> Result<CryptoKey> {
        CryptoKey::objects(&self.session()).create(&CryptoKey::builder().build()?).wait()
    }

    /// Creates a key of this spec and usage.
    pub(super) fn create_key_of(&self, spec: KeySpec, usage: KeyUsage) -> Result<CryptoKey> {
        let key = CryptoKey::builder().key_spec(spec).key_usage(usage).build()?;
        CryptoKey::objects(&self.session()).create(&key).wait()
    }

    /// Creates an alias of a key.
    pub(super) fn create_alias(&self, key: &CryptoKey, name: impl Into<Text>) -> Result<()> {
        let id = key.key_id().unwrap_or_default();
        CryptoKey::objects(&self.session()).create_alias(name.into(), id).wait()
    }

    /// Changes the key that an alias names.
    pub(super) fn update_alias(&self, key: &CryptoKey, name: &str) -> Result<()> {
        let id = key.key_id().unwrap_or_default();
        CryptoKey::objects(&self.session()).update_alias(name, id).wait()
    }

    /// Returns the key with this ID, which must exist.
    #[track_caller]
    pub(super) fn existing_key(&self, id: &str) -> Result<CryptoKey> {
        let found = CryptoKey::objects(&self.session()).get(id).wait()?;
        Ok(found.unwrap_or_else(|| panic!("key {id} does not exist")))
    }
}
