//! Behaviour cases of secrets and their versions.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod batches;
mod cross_account;
mod deletion;
mod laws;
mod listing;
mod managed;
mod paging;
mod passwords;
mod policies;
mod replicas;
mod rotation;
mod secret;
mod stages;
mod tags;
mod values;

use nephos_core::{Error, Result, Session};
use nephos_secrets::{Secret, errors};
use nephos_testing::{DAY, HOUR, OTHER_REGION, ask, names};
use std::fmt;

pub use laws::LAWS;

nephos_testing::world!(nephos_secrets::SECRETS);

nephos_testing::cases! {
    "secrets", World;
    batches {
        batch_returns_values_and_errors,
        batch_takes_ids_or_filters_not_both,
        batch_with_filters_is_paginated,
        strict_batch_fails_if_one_secret_cannot_be_read,
    }
    cross_account {
        condition_of_resource_policy_must_hold,
        deny_of_resource_policy_wins,
        operations_of_other_account_need_resource_policy,
        resource_policy_allows_only_its_actions_and_principals,
        value_under_default_key_cannot_be_read_from_other_account,
    }
    deletion {
        deleted_secret_can_be_restored_within_recovery_window,
        forced_deletion_is_immediate_and_idempotent,
        name_can_be_reused_after_deletion,
        recovery_window_is_limited_to_7_to_30_days,
        second_deletion_has_full_recovery_window,
        secret_scheduled_for_deletion_can_only_be_described,
    }
    listing {
        filter_and_page_size_limits_are_checked,
        list_applies_filters,
        list_includes_planned_deletions_only_on_request,
        list_sorts_by_field_and_order,
        list_filter_splits_texts_into_words,
        name_predicates_filter_listed_secrets,
    }
    managed {
        managed_secret_is_changed_only_by_its_service,
    }
    paging {
        pagination_returns_each_secret_once,
        pagination_returns_each_version_once,
        pagination_token_is_bound_to_account_region_and_query,
    }
    passwords {
        impossible_password_is_refused,
        password_has_requested_length_and_character_types,
        passwords_are_random,
    }
    policies {
        block_public_policy_refuses_public_policy,
        malformed_policy_is_refused,
        policy_is_validated_without_being_attached,
        resource_policy_is_attached_read_and_removed,
    }
    replicas {
        default_key_of_replicas_is_named,
        primary_with_replicas_cannot_be_deleted,
        promoted_replica_is_standalone_secret,
        removed_replica_is_deleted_immediately,
        replica_follows_changes_of_primary,
        replica_is_read_only,
        replica_overwrites_existing_secret_only_if_forced,
        replica_regions_are_checked,
        secret_is_created_with_replicas,
    }
    rotation {
        cancel_without_rotation_is_refused,
        rotation_needs_registered_function,
        rotation_rules_are_checked,
    }
    secret {
        accounts_and_regions_are_isolated,
        created_secret_is_returned_by_get,
        crypto_key_can_be_set_and_cleared,
        duplicate_name_is_refused,
        every_row_belongs_to_a_listed_table,
        invalid_name_is_refused_by_every_operation,
        missing_secret_is_not_found,
        name_characters_and_length_are_checked,
        repeated_create_with_same_token_is_idempotent,
        repeated_update_with_same_token_is_idempotent,
        save_creates_then_updates,
        secret_is_found_by_name_or_arn,
        secret_without_value_has_no_versions,
        service_set_fields_are_read_only,
        update_changes_only_what_differs,
        update_with_value_creates_version,
    }
    stages {
        invalid_label_moves_are_refused,
        label_is_moved_and_removed,
        label_is_on_at_most_one_version,
        labels_are_accepted_in_both_spellings,
        list_includes_deprecated_versions_only_on_request,
        pending_label_is_removed_from_replaced_version,
        secret_can_have_at_most_20_labels,
    }
    tags {
        empty_list_of_tags_is_returned_after_last_tag_is_removed,
        invalid_tags_are_refused,
        secret_can_have_at_most_50_tags,
        tags_are_added_and_removed,
    }
    values {
        last_accessed_date_is_recorded_once_per_day,
        missing_version_or_label_is_not_found,
        old_versions_are_removed_above_the_limit,
        repeated_put_with_same_token_is_idempotent,
        value_can_have_at_most_65536_bytes,
        value_is_binary_or_text,
        value_is_never_printed,
        value_is_read_by_version_id_label_both_or_neither,
    }
    @in_process values {
        preview_shows_no_value,
    }
}

impl World {
    /// Creates a secret with this value.
    pub(crate) fn create_secret(&self, name: &str, value: &str) -> Result<Secret> {
        Secret::objects(&self.session())
            .create(&Secret::builder().name(name).build()?)
            .secret_string(value)
            .wait()
    }

    /// Returns the secret `name`, which must exist.
    #[track_caller]
    pub(crate) fn existing_secret(&self, name: &str) -> Result<Secret> {
        let found = Secret::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("secret {name} does not exist")))
    }

    /// Asserts that a call is refused with `InvalidParameterException` for the field.
    #[track_caller]
    pub(crate) fn assert_invalid<'f, T: fmt::Debug>(
        &self,
        field: impl Into<Option<&'f str>>,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        self.refused(&errors::INVALID, field, call)
    }

    /// Asserts that a call is refused with `ValidationException`, because the field breaks a rule of its own.
    #[track_caller]
    pub(crate) fn assert_violation<'f, T: fmt::Debug>(
        &self,
        field: impl Into<Option<&'f str>>,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        self.refused(&errors::VALIDATION, field, call)
    }
}

/// Returns the current value of a secret.
fn value(session: &Session, id: &str) -> Result<String> {
    let value = Secret::objects(session).get_value(id).wait()?;
    Ok(value.secret_string().map(|text| text.expose().to_owned()).unwrap_or_default())
}

/// Returns the `n`th idempotency token.
fn token(n: usize) -> String {
    format!("00000000-0000-4000-8000-{n:012}")
}
