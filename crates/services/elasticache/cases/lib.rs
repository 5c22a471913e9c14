//! Behaviour cases: caches.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod clusters;
mod engines;
mod events;
mod laws;
mod parameter_groups;
mod replication_groups;
mod serverless_caches;
mod serverless_snapshots;
mod service_updates;
mod shards;
mod snapshots;
mod subnet_groups;
mod user_groups;
mod users;

use nephos_core::{Session, Text};
use nephos_ec2::Subnet;

pub use laws::LAWS;

nephos_testing::world!(nephos_elasticache::ELASTICACHE, nephos_ec2::EC2);

nephos_testing::cases! {
    "elasticache", World;
    clusters {
        clusters_are_rebooted_and_deleted,
        create_then_get_returns_cluster,
        invalid_clusters_are_refused,
        memcached_has_several_nodes,
        model_is_updated,
        parameters_take_effect_after_a_reboot,
    }
    engines {
        default_values_depend_on_the_family,
        engine_versions_are_filtered,
        engine_versions_are_paged,
        parameters_are_paged,
    }
    events {
        clusters_have_events,
        events_are_paged,
        events_are_selected_by_time,
        groups_users_and_snapshots_have_events,
        serverless_caches_have_events,
    }
    parameter_groups {
        clusters_need_a_group_of_their_family,
        default_parameter_groups_exist_and_cannot_be_changed,
        parameter_group_is_created_changed_and_deleted,
        parameter_groups_are_validated,
        parameters_are_reset,
        used_parameter_group_stays,
        values_are_checked_by_type,
    }
    serverless_caches {
        cache_lifecycle,
        caches_are_listed_in_pages,
        caches_are_tagged,
        caches_are_validated,
        change_is_one_setting,
        engine_and_version_are_raised,
        placement_of_caches_is_validated,
        quota_of_caches_is_enforced,
        security_groups_are_attached,
        snapshot_settings_are_validated,
        usage_limits_are_validated_and_merged,
        user_group_of_a_cache_cannot_be_deleted,
    }
    serverless_snapshots {
        automatic_snapshots_follow_the_settings,
        automatic_snapshots_are_taken_and_expire,
        caches_are_restored_from_snapshots,
        final_snapshot_outlives_the_cache,
        memcached_has_snapshots,
        quota_of_snapshots_is_enforced,
        snapshot_lifecycle,
        snapshots_are_copied,
        snapshots_are_selected,
        snapshots_are_validated,
        snapshots_have_the_key_of_the_cache,
    }
    service_updates {
        expired_update_is_not_applied,
        service_updates_are_listed_from_their_release_on,
        update_actions_are_filtered,
        update_is_applied_to_clusters_and_groups,
    }
    snapshots {
        automatic_snapshots_follow_the_window,
        last_snapshot_outlives_the_cluster,
        replication_groups_are_saved_and_restored,
        snapshots_are_taken_copied_restored_and_deleted,
    }
    replication_groups {
        allowed_node_types_are_listed,
        create_then_get_returns_group,
        existing_cluster_becomes_primary,
        failover_promotes_a_replica,
        group_is_updated_and_deleted,
        invalid_groups_are_refused,
        replicas_are_added_and_removed,
        replicas_are_clusters,
        tokens_need_encryption_and_are_not_shown,
        transit_encryption_is_changed_step_by_step,
        user_groups_are_attached,
    }
    shards {
        cluster_mode_has_shards,
        cluster_mode_is_turned_on,
        shards_are_added_and_removed,
        shards_are_configured,
    }
    subnet_groups {
        default_group_exists_and_cannot_be_deleted,
        subnet_group_model_saves_and_deletes,
        subnet_groups_are_validated,
        tags_are_changed_by_arn,
    }
    user_groups {
        attached_group_cannot_be_deleted,
        deleted_users_leave_their_groups,
        members_fit_the_engine,
        numbers_of_groups_and_members_are_limited,
        user_group_model_saves_and_deletes,
        user_groups_are_validated,
        user_groups_have_tags,
    }
    users {
        authentication_is_counted_and_changed,
        authentication_is_validated,
        default_user_exists_and_cannot_be_changed,
        number_of_users_is_limited,
        user_is_found_with_its_engine,
        user_model_saves_and_deletes,
        users_are_filtered,
        users_are_validated,
        users_have_tags,
    }
}

/// Returns the default subnets, in order of their zones.
fn subnets(session: &Session) -> Vec<Text> {
    let mut subnets = Subnet::objects(session).list().results().all().wait().unwrap();
    subnets.sort_by_key(|subnet| subnet.availability_zone().map(str::to_owned));
    subnets.iter().map(|subnet| subnet.subnet_id().unwrap().into()).collect()
}
