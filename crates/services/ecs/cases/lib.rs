//! Behaviour cases of clusters, services and task definitions.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod clusters;
mod laws;
mod services;
mod task_definitions;

pub use laws::LAWS;

nephos_testing::world!(nephos_ecs::ECS);

nephos_testing::cases! {
    "ecs", World;
    clusters {
        cluster_is_created_listed_and_deleted,
        clusters_have_tags,
    }
    services {
        service_is_created_changed_and_deleted,
        services_are_checked,
        services_are_described_and_listed,
    }
    task_definitions {
        revisions_are_numbered_and_deregistered,
        nested_members_are_kept,
        task_definitions_are_checked,
        task_definitions_are_listed,
    }
}
