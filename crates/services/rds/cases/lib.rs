//! Behaviour cases: databases.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod backups;
mod catalog;
mod certificates;
mod cluster_restores;
mod cluster_snapshots;
mod clusters;
mod directories;
mod document_clusters;
mod event_subscriptions;
mod events;
mod instance_changes;
mod instances;
mod laws;
mod log_files;
mod maintenance;
mod master_passwords;
mod multi_zone_clusters;
mod option_groups;
mod parameter_groups;
mod replicas;
mod restores;
mod snapshots;
mod subnet_groups;

use nephos_core::{Session, Text};
use nephos_ec2::Subnet;

pub use laws::LAWS;

nephos_testing::world!(nephos_rds::RDS, nephos_ec2::EC2, nephos_secrets::SECRETS);

nephos_testing::cases! {
    "rds", World;
    catalog {
        classes_depend_on_engines_and_versions,
        engine_versions_are_described,
        options_of_instances_are_paged,
        quotas_count_what_is_used,
        regions_and_major_versions_are_described,
        valid_modifications_follow_from_the_instance,
    }
    events {
        categories_are_described,
        changes_of_instances_have_events,
        clusters_have_events,
        events_are_paged,
        events_are_selected_and_expire,
        instances_have_events,
        parameter_groups_have_events,
        replicas_have_events,
        restores_have_events,
        snapshots_have_events,
        snapshots_of_clusters_have_events,
    }
    event_subscriptions {
        subscription_is_created_changed_and_deleted,
        subscriptions_are_validated,
    }
    log_files {
        log_files_are_downloaded_in_parts,
        log_files_belong_to_one_instance,
        log_files_tell_of_starts_and_shutdowns,
    }
    maintenance {
        certificates_are_renewed_before_they_end,
        maintenance_is_applied_at_once,
        maintenance_is_validated,
        minor_upgrade_waits_for_the_window,
    }
    certificates {
        certificates_are_described,
        new_instances_have_the_authority_of_the_account,
    }
    instance_changes {
        changes_of_instances_are_validated,
        deferred_changes_wait_for_the_maintenance_window,
        growth_of_storage_is_turned_on_and_off,
        logs_and_monitoring_change_at_once,
        model_is_updated_and_renamed_at_once,
        port_and_password_change_before_the_window,
        roles_are_added_and_removed,
        standby_takes_over_with_a_reboot,
        stopped_instance_starts_after_seven_days,
    }
    master_passwords {
        managed_password_is_a_secret_that_rotates,
        managed_password_is_turned_off_with_a_password,
    }
    directories {
        directories_are_validated,
        instance_joins_a_directory_of_the_customer,
        restored_instance_joins_a_directory,
    }
    instances {
        character_sets_and_time_zones_depend_on_the_engine,
        filters_find_instances,
        instance_is_created_described_and_deleted,
        protected_instance_is_not_deleted,
        settings_of_instances_are_validated,
    }
    clusters {
        another_instance_takes_writes,
        capacity_keeps_what_is_not_given,
        cluster_is_created_with_defaults,
        cluster_is_deleted_after_its_members,
        cluster_is_found_by_filters,
        cluster_is_renamed,
        cluster_stops_and_starts_with_members,
        managed_password_is_read_and_rotated,
        new_clusters_are_validated,
        roles_are_added_and_removed,
        settings_change_at_once,
        used_subnet_group_cannot_be_deleted,
        version_is_upgraded_with_members,
    }
    document_clusters {
        document_cluster_is_created_from_its_model,
        document_cluster_is_saved,
        document_cluster_stops_starts_and_fails_over,
        kinds_of_clusters_are_separate,
    }
    multi_zone_clusters {
        class_and_storage_wait_for_the_window,
        cluster_fails_over_and_reboots,
        cluster_is_a_replica_of_an_instance,
        cluster_is_created_with_instances,
        cluster_is_deleted_with_its_instances,
        instance_is_a_replica_of_a_cluster,
        instances_are_changed_with_their_cluster,
        new_clusters_are_validated,
    }
    option_groups {
        databases_require_option_groups_of_their_version,
        default_option_groups_exist_and_cannot_be_changed,
        option_group_is_created_changed_and_deleted,
        option_groups_are_copied,
        option_groups_are_validated,
        options_are_validated,
        options_of_engines_are_described,
        options_with_ports_bind_the_group_to_a_vpc,
        secret_settings_are_not_kept,
        used_option_groups_and_their_options_are_kept,
    }
    parameter_groups {
        cluster_parameter_groups_have_values_of_their_own,
        databases_require_groups_of_their_family,
        default_parameter_groups_exist_and_cannot_be_changed,
        engine_defaults_are_described,
        parameter_group_is_created_changed_and_deleted,
        parameter_groups_are_copied,
        parameter_groups_are_validated,
        parameter_values_are_validated,
        parameters_are_reset,
        used_parameter_groups_are_kept_and_mark_their_users,
    }
    backups {
        automated_snapshots_follow_the_window,
        automated_snapshots_go_with_the_instance,
        backups_are_kept_after_deletion,
        backups_have_tags_of_their_own,
        retention_turns_backups_on_and_off,
    }
    cluster_restores {
        cluster_in_several_zones_is_restored,
        cluster_is_made_of_a_snapshot_of_an_instance,
        cluster_is_restored_from_a_shared_snapshot,
        cluster_is_restored_from_a_snapshot,
        cluster_is_restored_to_a_point_in_time,
        document_cluster_is_restored,
        restored_document_cluster_has_the_port_of_its_source,
        restores_of_clusters_are_validated,
    }
    cluster_snapshots {
        automated_snapshots_follow_the_window,
        backups_of_clusters_are_kept_after_deletion,
        last_snapshot_outlives_the_cluster,
        snapshot_is_made_described_and_deleted,
        snapshots_are_copied,
        snapshots_are_shared_with_accounts,
        snapshots_are_validated,
    }
    restores {
        instance_is_restored_from_a_shared_snapshot,
        instance_is_restored_from_a_snapshot,
        instance_is_restored_to_a_point_in_time,
        managed_password_is_restored_as_a_password,
        restores_from_snapshots_are_validated,
        restores_to_a_point_in_time_are_validated,
    }
    snapshots {
        last_snapshot_outlives_the_instance,
        new_snapshots_are_validated,
        sharing_is_validated,
        snapshot_is_made_before_a_stop,
        snapshot_is_made_described_and_deleted,
        snapshot_is_upgraded,
        snapshots_are_copied,
        snapshots_are_copied_from_other_regions,
        snapshots_are_counted,
        snapshots_are_found_by_filters,
        snapshots_are_shared_with_accounts,
    }
    replicas {
        engines_limit_replicas,
        groups_of_instances_are_in_use,
        new_replicas_are_validated,
        replica_changes_places_with_its_source,
        replica_follows_its_source,
        replica_is_promoted,
        replica_of_postgres_elsewhere_ends_with_its_source,
        replicas_are_in_other_regions,
        replicas_are_upgraded_first,
        replicas_outlive_their_source,
    }
    subnet_groups {
        default_group_exists_and_cannot_be_deleted,
        subnet_group_model_saves_and_deletes,
        subnet_groups_are_validated,
        tags_are_changed_by_arn,
    }
}

/// Returns the default subnets, in order of their zones.
fn subnets(session: &Session) -> Vec<Text> {
    let mut subnets = Subnet::objects(session).list().results().all().wait().unwrap();
    subnets.sort_by_key(|subnet| subnet.availability_zone().map(str::to_owned));
    subnets.iter().map(|subnet| subnet.subnet_id().unwrap().into()).collect()
}

/// Moves the clock by days.
fn advance_days(world: &World, days: i64) -> nephos_core::Result<()> {
    world.advance(days * 24 * 60 * 60 * 1000)
}
