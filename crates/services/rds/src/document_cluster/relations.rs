//! What a cluster of document databases refers to.

use super::{DocDBCluster, DocDBClusterManager};
use crate::{
    Credentials, DBClusterSnapshot, DBInstance, DBSubnetGroup,
    cluster::relations::{
        cluster_relations, find_credentials, instances_of, secret_of, security_groups_of, snapshots_of,
        subnet_group_of, subnets_of, vpc_of,
    },
};
use nephos_core::{Error, ErrorKind, ManagerOperation, Result, Text, WorkflowContext, operation};
use nephos_ec2 as ec2;

cluster_relations!(DocDBCluster, DocDBClusterCredentials);
