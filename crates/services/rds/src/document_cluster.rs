//! Clusters of document databases. On the wire they are clusters of databases with the engine docdb; here they are a kind of their
//! own.

mod operations;
mod relations;
mod restore;

pub use operations::*;
pub use relations::DocDBClusterCredentials;
pub use restore::*;

use crate::{DBCluster, DBSubnetGroup};
use nephos_core::{Resource, Slot, record_of};
use nephos_ec2 as ec2;

/// A cluster of document databases.
#[record_of(
    of = DBCluster,
    takes(
        db_subnet_group, availability_zones, backup_retention_period, db_cluster_identifier(optional),
        db_cluster_parameter_group, status, percent_progress, earliest_restorable_time, endpoint, reader_endpoint, multi_az,
        engine(optional, one_of("docdb")), engine_version, latest_restorable_time, port, master_username,
        preferred_backup_window, preferred_maintenance_window, replication_source_identifier(service_set),
        read_replica_identifiers, db_cluster_members, vpc_security_groups, hosted_zone_id, storage_encrypted, crypto_key_id,
        db_cluster_resource_id, db_cluster_arn, associated_roles, clone_group_id, cluster_create_time, enabled_log_exports,
        deletion_protection, io_optimized_next_allowed_modification_time, storage_type, serverless_v2_scaling_configuration,
        master_user_secret, network_type, tag_list as tags
    )
)]
#[derive(Resource)]
#[resource(
    arn = "DBClusterArn", name = "DBClusterIdentifier", pk = "DBClusterIdentifier", exists_if = "DBClusterArn", tags = "Tags",
    not_found = |id| crate::errors::cluster_not_found(id),
    relation(subnet_group, one = DBSubnetGroup, with = relations::find_subnet_group),
    relation(vpc, one = ec2::Vpc, with = relations::find_vpc),
    relation(subnets, many = ec2::Subnet, with = relations::find_subnets),
    relation(security_groups, many = ec2::SecurityGroup, with = relations::find_security_groups),
    relation(managed_secret, one = nephos_secrets::Secret, with = relations::find_secret),
    relation(instances, many = crate::DBInstance, with = relations::find_instances),
    relation(snapshots, many = crate::DBClusterSnapshot, with = relations::find_snapshots)
)]
#[cfg_attr(feature = "kms", resource(relation(crypto_key, one = nephos_kms::CryptoKey, with = relations::find_crypto_key)))]
pub struct DocDBCluster {
    slot: Slot,
}
