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

/// Values of the parameters of an engine, for all clusters that use the group.
pub use crate::services::elasticache::CacheParameterGroup;

/// A cluster of redis, valkey or memcached.
///
/// ```
/// # use nephos::{CacheCluster, Cloud, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let web = CacheCluster::builder().cache_cluster_id("web").engine("redis").cache_node_type("cache.t4g.micro");
/// CacheCluster::objects(&session).create(&web.build()?).tags([("team", "web")]).wait()?;
/// let web = CacheCluster::objects(&session).get("web").wait()?.expect("it exists");
/// assert_eq!(web.port()?, 6379);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::CacheCluster;
