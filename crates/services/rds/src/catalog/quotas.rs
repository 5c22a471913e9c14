//! The operation that describes the quotas of an account.

use crate::{
    DBCluster, DBClusterParameterGroup, DBClusterSnapshot, DBInstance, DBInstanceManager, DBParameterGroup,
    DBSnapshot, DBSubnetGroup,
    cluster::{CLUSTERS, MAX_ROLES},
    event_subscription::SUBSCRIPTIONS,
    instance::INSTANCES,
    option_group::OPTION_GROUPS,
    parameter_group::ParameterGroup,
    snapshot::family::Snapshot,
    subnet_group::{MAX_SUBNETS, SUBNET_GROUPS},
};
use nephos_cloud::{Handler, Quota, Stored, Tx};
use nephos_core::{Record, Result, Text, operation};

/// A quota of an account.
#[derive(Record)]
#[record(answer)]
pub struct AccountQuota {
    /// Name.
    account_quota_name: Option<Text>,
    /// Used number.
    used: Option<i64>,
    /// Largest number.
    max: Option<i64>,
}

/// Describes the quotas of the account in the Region, and how much of each is used.
#[operation(
    of = DBInstance, call = "quotas", wraps(account_quotas(item = "AccountQuota"): Vec<AccountQuota>),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeAccountAttributes {}

/// Largest storage of all instances, in GiB.
const MAX_STORAGE: i64 = 100_000;

/// Largest number of read replicas of an instance.
const MAX_REPLICAS: i64 = 15;

/// Largest number of roles of an instance.
const MAX_INSTANCE_ROLES: i64 = 5;

/// Quotas of what no account here has: DB security groups, their rules, custom endpoints and reserved instances.
const UNUSED: &[(&str, i64)] = &[
    ("AuthorizationsPerDBSecurityGroup", 20),
    ("CustomEndpointsPerDBCluster", 5),
    ("DBSecurityGroups", 25),
    ("ReservedDBInstances", 40),
];

impl Handler for DescribeAccountAttributes {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let instances: Vec<DBInstance> = cx.all(&DBInstance::table(cx.scope()))?;
        let clusters: Vec<DBCluster> = cx.all(&DBCluster::table(cx.scope()))?;
        let groups: Vec<DBSubnetGroup> = cx.all(&DBSubnetGroup::table(cx.scope()))?;
        let storage = instances.iter().filter(|instance| instance.db_cluster_identifier.is_none());
        let storage = storage.filter_map(|instance| instance.allocated_storage).sum();
        let mut quotas = vec![
            ("AllocatedStorage", storage, MAX_STORAGE),
            ("DBClusterRoles", longest(&clusters, |one| one.associated_roles.as_ref()), count(MAX_ROLES)),
            ("DBInstanceRoles", longest(&instances, |one| one.associated_roles.as_ref()), MAX_INSTANCE_ROLES),
            (
                "ReadReplicasPerMaster",
                longest(&instances, |one| one.read_replica_db_instance_identifiers.as_ref()),
                MAX_REPLICAS,
            ),
            ("SubnetsPerDBSubnetGroup", longest(&groups, |one| one.subnets.as_ref()), count(MAX_SUBNETS)),
        ];
        for (name, quota) in [
            ("DBClusterParameterGroups", &DBClusterParameterGroup::QUOTA),
            ("DBClusters", &CLUSTERS),
            ("DBInstances", &INSTANCES),
            ("DBParameterGroups", &DBParameterGroup::QUOTA),
            ("DBSubnetGroups", &SUBNET_GROUPS),
            ("EventSubscriptions", &SUBSCRIPTIONS),
            ("ManualClusterSnapshots", &DBClusterSnapshot::QUOTA),
            ("ManualSnapshots", &DBSnapshot::QUOTA),
            ("OptionGroups", &OPTION_GROUPS),
        ] {
            let Quota { counter, max, .. } = *quota;
            quotas.push((name, cx.count(counter)?, max));
        }
        quotas.extend(UNUSED.iter().map(|(name, max)| (*name, 0, *max)));
        quotas.sort_unstable_by_key(|(name, ..)| *name);
        let quota = |(name, used, max): (&str, i64, i64)| AccountQuota {
            account_quota_name: Some(name.into()),
            used: Some(used),
            max: Some(max),
        };
        Ok(quotas.into_iter().map(quota).collect::<Vec<_>>().into())
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the length of the longest list of the resources.
fn longest<R, T>(resources: &[R], list: impl Fn(&R) -> Option<&Vec<T>>) -> i64 {
    let lengths = resources.iter().filter_map(list).map(Vec::len);
    count(lengths.max().unwrap_or_default())
}
