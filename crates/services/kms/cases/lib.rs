//! Behaviour cases of crypto keys.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the case")]

mod aliases;
mod codes;
mod data_keys;
mod encryption;
mod grants;
mod import;
mod keys;
mod laws;
mod policies;
mod replicas;
mod rotation;
mod secrecy;
mod signatures;
mod states;
mod tags;

use nephos_core::{Result, Text};
use nephos_kms::{CryptoKey, DryRunModifier, KeySpec, KeyUsage};

pub use laws::LAWS;

nephos_testing::world!(nephos_kms::KMS);

nephos_testing::cases! {
    "kms", World;
    aliases {
        alias_can_be_changed_to_key_of_same_type_and_usage,
        alias_is_created_found_listed_and_deleted,
        alias_names_are_checked,
        aliases_are_deleted_with_key,
        key_of_a_predefined_alias_is_created_when_it_is_described,
        key_can_have_at_most_50_aliases,
    }
    codes {
        both_keys_derive_the_same_secret,
        codes_of_every_algorithm_are_verified,
        parameters_of_codes_are_checked,
        public_keys_of_peers_are_checked,
    }
    data_keys {
        data_key_has_the_length_of_the_request,
        data_key_needs_exactly_one_length,
        data_key_pairs_of_every_spec_are_generated,
        data_keys_need_symmetric_key,
        random_bytes_have_the_number_of_the_request,
    }
    encryption {
        algorithm_must_be_one_of_the_key,
        another_account_cannot_use_key_by_default,
        ciphertext_of_another_key_is_refused,
        ciphertext_of_missing_key_is_denied,
        damaged_ciphertext_is_refused,
        data_is_encrypted_again_under_another_key,
        dry_run_checks_everything_and_is_refused,
        encrypted_data_is_decrypted_with_and_without_key,
        encryption_context_must_be_the_same,
        equal_plaintexts_have_different_ciphertexts,
        keys_of_another_usage_do_not_encrypt,
        plaintext_has_1_to_4096_bytes,
        recipients_are_refused_by_name,
        rsa_keys_encrypt_with_both_algorithms,
    }
    import {
        deleted_material_is_imported_again,
        expiration_is_checked,
        imported_key_rotates_to_new_material,
        imported_material_makes_key_usable,
        material_expires_and_is_imported_again,
        material_of_every_type_is_imported,
        parameters_of_symmetric_keys_are_refused_for_others,
        token_is_for_one_key_and_24_hours,
        wrapped_material_is_checked,
        wrapping_is_checked,
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
        enabled_follows_the_state,
        every_row_belongs_to_a_listed_table,
        every_spec_has_its_usages_and_algorithms,
        older_name_of_the_spec_is_enough,
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
    replicas {
        material_is_imported_into_each_region,
        only_primaries_are_replicated_once_per_region,
        primary_is_deleted_after_its_replicas,
        primary_moves_to_another_region,
        replica_has_the_same_id_and_material,
        replica_policy_is_its_own,
        rotation_of_primary_rotates_replicas,
    }
    rotation {
        disabled_key_rotates_when_it_is_enabled,
        key_rotates_automatically_and_decrypts_with_old_material,
        key_rotates_on_demand_25_times,
        key_that_is_pending_deletion_does_not_rotate,
        only_symmetric_encryption_keys_rotate,
        rotation_on_demand_is_refused_before_automatic_one,
        rotation_period_can_be_changed,
    }
    secrecy {
        members_with_secrets_are_sensitive,
        secrets_are_not_printed,
    }
    signatures {
        digests_must_have_the_length_of_the_algorithm,
        dry_runs_of_signatures_are_refused,
        keys_of_another_usage_do_not_sign,
        message_type_must_fit_to_algorithm,
        messages_have_1_to_4096_bytes,
        public_key_is_returned_with_its_algorithms,
        signature_names_key_and_algorithm,
        signatures_of_every_algorithm_are_verified,
        signing_algorithm_must_be_one_of_the_key,
    }
    states {
        every_operation_is_refused_in_the_right_states,
    }
    tags {
        invalid_tags_are_refused,
        tags_are_added_listed_and_removed,
        tags_of_a_model_are_read_and_changed_as_a_mapping,
    }
    @in_process secrecy {
        secrets_are_not_printed_in_previews,
    }
}

/// Modifiers of a dry run that ignores ciphertexts.
fn ignoring_ciphertext() -> Vec<DryRunModifier> {
    vec![DryRunModifier::IgnoreCiphertext]
}

impl World {
    /// Creates a symmetric encryption key.
    pub(crate) fn create_key(&self) -> Result<CryptoKey> {
        CryptoKey::objects(&self.session()).create(&CryptoKey::builder().build()?).wait()
    }

    /// Creates a key of this spec and usage.
    pub(crate) fn create_key_of(&self, spec: KeySpec, usage: KeyUsage) -> Result<CryptoKey> {
        let key = CryptoKey::builder().key_spec(spec).key_usage(usage).build()?;
        CryptoKey::objects(&self.session()).create(&key).wait()
    }

    /// Creates an alias of a key.
    pub(crate) fn create_alias(&self, key: &CryptoKey, name: impl Into<Text>) -> Result<()> {
        let id = key.key_id().unwrap_or_default();
        CryptoKey::objects(&self.session()).create_alias(name.into(), id).wait()
    }

    /// Changes the key that an alias names.
    pub(crate) fn update_alias(&self, key: &CryptoKey, name: &str) -> Result<()> {
        let id = key.key_id().unwrap_or_default();
        CryptoKey::objects(&self.session()).update_alias(name, id).wait()
    }

    /// Returns the key with this ID, which must exist.
    #[track_caller]
    pub(crate) fn existing_key(&self, id: &str) -> Result<CryptoKey> {
        let found = CryptoKey::objects(&self.session()).get(id).wait()?;
        Ok(found.unwrap_or_else(|| panic!("key {id} does not exist")))
    }
}
