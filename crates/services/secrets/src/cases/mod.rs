//! Secrets and their versions.

#![deny(dead_code, reason = "a case that is not listed is not run")]

mod batches;
mod deletion;
mod listing;
mod paging;
mod passwords;
mod policies;
mod replicas;
mod rotation;
mod secret;
mod stages;
mod tags;
mod values;

use crate::{Secret, errors};
use nephos_cloud::testing::{DAY, HOUR, OTHER_REGION, ask, names};
use nephos_core::{Error, Result, Session};
use std::fmt;

nephos_cloud::world!(crate::SECRETS);

nephos_cloud::cases! {
    "secrets", World;
    batches {
        a_batch_is_of_named_secrets_or_of_filtered_ones,
        a_strict_batch_fails_as_a_whole,
        filtered_secrets_are_read_page_by_page,
        what_cannot_be_read_is_told_beside_the_rest,
    }
    deletion {
        a_deleted_secret_can_be_restored_until_its_window_passes,
        a_deleted_secret_refuses_all_but_a_look,
        a_forced_deletion_is_at_once,
        a_name_is_free_again_once_its_secret_is_gone,
        a_secret_restored_and_deleted_again_has_its_whole_window,
        a_window_is_from_7_to_30_days,
    }
    listing {
        a_filter_by_name_finds_the_same_wherever_it_is_applied,
        filters_have_rules,
        secrets_are_chosen_by_filters,
        secrets_are_listed_in_any_order,
        secrets_that_are_scheduled_for_deletion_are_listed_when_asked_for,
    }
    paging {
        pages_of_any_size_tell_each_secret_once,
        pages_of_versions_tell_each_version_once,
        tokens_are_for_one_account_region_and_query,
    }
    passwords {
        a_password_has_what_is_asked_for,
        a_password_that_cannot_be_is_refused,
        passwords_differ,
    }
    policies {
        a_policy_is_put_told_and_taken_off,
        a_policy_that_is_none_is_refused,
        a_public_policy_is_refused_when_that_is_asked_for,
        a_policy_is_validated_without_being_attached,
    }
    replicas {
        a_primary_with_replicas_is_not_deleted,
        a_promoted_replica_is_a_secret_of_its_own,
        a_replica_does_not_take_the_place_of_another_secret,
        a_replica_follows_its_primary,
        a_replica_is_only_read,
        a_secret_is_created_with_replicas,
        regions_have_rules,
        removed_replicas_are_gone_at_once,
    }
    rotation {
        a_rotation_needs_a_function_that_can_be_called,
        rotation_rules_are_checked,
        what_is_not_rotated_cannot_be_cancelled,
    }
    secret {
        a_created_secret_is_got_as_it_was_written,
        a_key_is_taken_and_given_back,
        a_name_has_an_alphabet_and_a_length,
        a_name_is_taken_once,
        a_saved_secret_is_created_once_and_updated_then,
        a_secret_is_found_by_name_and_resource_names,
        a_secret_that_is_not_there_is_none,
        a_secret_without_a_value_has_no_versions,
        an_update_changes_what_differs,
        an_update_with_a_value_makes_a_version,
        secrets_of_other_accounts_and_regions_are_not_seen,
        the_same_creation_twice_is_one,
        what_the_service_sets_is_not_assigned,
    }
    stages {
        a_label_is_moved_and_taken_off,
        a_label_is_on_one_version,
        a_label_that_cannot_be_moved_is_refused,
        a_secret_has_20_labels_at_most,
        labels_are_spelled_both_ways,
        versions_without_labels_are_told_when_asked_for,
    }
    tags {
        a_secret_has_50_tags_at_most,
        tags_are_put_and_taken_off,
        tags_have_rules,
    }
    values {
        a_value_has_65536_bytes_at_most,
        a_value_is_bytes_or_text,
        a_value_is_got_by_id_by_label_by_both_and_by_neither,
        a_value_is_never_printed,
        a_value_that_is_not_there_is_refused,
        old_versions_make_room,
        reading_a_value_is_noted_by_the_day,
        the_same_token_and_value_is_one_version,
    }
    @in_process values {
        a_preview_shows_no_value,
    }
}

impl World {
    /// Creates a secret with this value.
    pub(super) fn secret(&self, name: &str, value: &str) -> Result<Secret> {
        Secret::objects(&self.session())
            .create(&Secret::builder().name(name).build()?)
            .secret_string(value)
            .wait()
    }

    /// The secret called `name`, which must be there.
    #[track_caller]
    pub(super) fn found_secret(&self, name: &str) -> Result<Secret> {
        let found = Secret::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("there is no secret {name}")))
    }

    /// Asserts that a parameter or a value within the rules of secrets is refused as invalid.
    #[track_caller]
    pub(super) fn invalid_secret<'f, T: fmt::Debug>(
        &self,
        field: impl Into<Option<&'f str>>,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        self.refused(&errors::INVALID, field, call)
    }
}

/// The current value of a secret.
fn value(session: &Session, id: &str) -> Result<String> {
    let value = Secret::objects(session).get_value(id).wait()?;
    Ok(value.secret_string().map(|text| text.expose().to_owned()).unwrap_or_default())
}

/// A token that is the `n`th.
fn token(n: usize) -> String {
    format!("00000000-0000-4000-8000-{n:012}")
}
