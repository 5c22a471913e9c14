//! Behaviour cases: container repositories.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod creation_templates;
mod expiry;
mod images;
mod laws;
mod layers;
mod lifecycle;
mod local_images;
mod policies;
mod pull_through_cache;
mod referrers;
mod registry;
mod replication;
mod repositories;
mod scans;
mod tags;
mod uses;
mod vulnerabilities;

use nephos_core::{Result, Session};
use nephos_ecr::{ImageScanningConfiguration, ImageTagMutability, Repository, RepositoryBuilder};

pub use laws::LAWS;

nephos_testing::world!(nephos_ecr::ECR, nephos_ecs::ECS, nephos_inspector2::INSPECTOR2);

nephos_testing::cases! {
    "ecr", World;
    creation_templates {
        settings_of_a_creation_template_are_checked,
        template_is_created_changed_and_deleted,
    }
    expiry {
        images_are_archived_before_they_expire,
        images_expire_once_a_day,
        images_of_kept_lists_do_not_expire,
        preview_returns_selected_images,
        replaced_policy_is_evaluated_at_the_same_time,
    }
    images {
        batches_report_failures_one_by_one,
        image_is_pushed_read_and_deleted,
        images_are_filtered_and_paged,
        images_of_lists_are_kept,
        layers_are_removed_with_their_last_image,
        manifests_are_checked,
        name_of_an_image_is_for_container_clients,
        only_a_missing_image_is_none,
        pulls_are_recorded_once_a_day,
        repository_with_images_is_deleted_by_force,
        strict_batches_fail_as_a_whole,
        tags_are_moved_unless_they_are_immutable,
    }
    layers {
        completed_layers_have_their_digest,
        layer_is_uploaded_in_parts,
        parts_follow_each_other,
        unused_layers_and_uploads_expire,
    }
    lifecycle {
        invalid_lifecycle_policies_are_refused,
        lifecycle_policy_is_set_read_and_removed,
        rules_of_a_lifecycle_policy_fit_to_each_other,
    }
    local_images {
        daemon_pulls_describes_and_removes_images,
        daemon_that_refuses_is_reported,
        lookups_without_a_daemon_are_refused,
    }
    policies {
        invalid_policies_are_refused,
        policy_is_deleted_with_its_repository,
        policy_that_locks_the_caller_out_must_be_forced,
        registry_policy_allows_creation_to_other_accounts,
        registry_policy_is_set_read_and_removed,
        repositories_of_other_accounts_need_a_policy,
        repository_policy_is_set_read_and_removed,
    }
    pull_through_cache {
        cache_rule_is_created_changed_and_deleted,
        cache_rules_of_other_accounts_need_a_registry_policy,
        upstream_registries_are_checked,
    }
    referrers {
        referrers_are_listed_and_filtered,
    }
    registry {
        account_settings_are_checked,
        replication_is_kept_and_checked,
        scanning_of_repositories_follows_the_rules_of_the_registry,
    }
    replication {
        copies_do_not_move_immutable_tags,
        filters_restrict_what_is_replicated,
        lists_are_copied_with_their_images,
        other_accounts_must_allow_replication,
        pushed_images_are_copied_to_other_regions,
    }
    repositories {
        accounts_and_regions_are_isolated,
        created_repository_is_returned_by_get,
        duplicate_name_is_refused,
        exclusion_filters_fit_to_the_mutability,
        fixed_fields_cannot_be_changed,
        invalid_names_are_refused,
        missing_repository_is_not_found,
        repositories_are_listed_by_name_or_in_pages,
        repository_is_encrypted_under_a_crypto_key,
        save_creates_then_sends_what_changed,
        settings_have_defaults_on_the_wire,
    }
    scans {
        enhanced_scans_have_enhanced_findings,
        findings_are_returned_in_pages,
        findings_are_set_by_digest_tag_or_for_all,
        image_is_scanned_on_request_once_a_day,
        images_are_scanned_on_push,
        lists_of_manifests_cannot_be_scanned,
        scans_are_removed_with_their_image,
    }
    tags {
        invalid_tags_are_refused,
        tags_are_added_listed_and_removed,
    }
    uses {
        images_in_use_are_found,
        services_of_an_image_are_found,
        task_definitions_of_an_image_are_found,
        task_definitions_of_an_image_are_listed_in_pages,
    }
    vulnerabilities {
        findings_are_filtered_sorted_and_paged,
        vulnerabilities_of_an_image_are_looked_up,
    }
}

/// Returns the builder of a repository with the required fields.
fn plan(name: &str) -> RepositoryBuilder {
    Repository::builder()
        .repository_name(name)
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(ImageScanningConfiguration::builder().build().unwrap())
}

/// Creates a repository with the required fields.
fn create(session: &Session, name: &str) -> Result<Repository> {
    Repository::objects(session).create(&plan(name).build()?).wait()
}

/// Returns the repository `name`, which must exist.
#[track_caller]
fn existing(session: &Session, name: &str) -> Result<Repository> {
    let found = Repository::objects(session).get(name).wait()?;
    Ok(found.unwrap_or_else(|| panic!("repository {name} does not exist")))
}
