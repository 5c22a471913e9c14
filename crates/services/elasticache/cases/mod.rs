//! Behaviour cases: caches.

#![deny(dead_code, reason = "a case that is not listed is not run")]
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the case")]

mod clusters;
mod laws;
mod subnet_groups;

use nephos_core::{Session, Text};
use nephos_ec2::Subnet;

pub use laws::LAWS;

nephos_cloud::world!(crate::ELASTICACHE, nephos_ec2::EC2);

nephos_cloud::cases! {
    "elasticache", World;
    clusters {
        clusters_are_rebooted_and_deleted,
        create_then_get_returns_cluster,
        invalid_clusters_are_refused,
        memcached_has_several_nodes,
        model_is_updated,
        parameters_take_effect_after_a_reboot,
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
