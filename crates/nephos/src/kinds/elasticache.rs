//! Kinds of caches.

/// Subnets of a VPC in which the nodes of cache clusters are.
///
/// ```
/// # use nephos::{CacheSubnetGroup, Cloud, Subnet, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let subnets = Subnet::objects(&session).list().results().all().wait()?;
/// # let ids: Vec<&str> = subnets.iter().filter_map(Subnet::subnet_id).collect();
/// let group = CacheSubnetGroup::builder().cache_subnet_group_name("web").cache_subnet_group_description("web");
/// let group = CacheSubnetGroup::objects(&session).create(&group.subnet_ids(ids.as_slice()).build()?).wait()?;
/// assert_eq!(group.ec2_subnets().wait()?.len(), 3);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::CacheSubnetGroup;
