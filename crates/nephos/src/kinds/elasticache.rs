//! Kinds of caches.

/// Values of the parameters of an engine, for all cache clusters that use the group.
///
/// ```
/// # use nephos::{CacheParameterGroup, Cloud, prelude::*, services::elasticache::ParameterNameValue};
/// # let session = Cloud::in_memory().session();
/// let group = CacheParameterGroup::builder().cache_parameter_group_name("web").description("web");
/// let group = group.cache_parameter_group_family("redis7").build()?;
/// let group = CacheParameterGroup::objects(&session).create(&group).wait()?;
/// let policy = ParameterNameValue::builder().parameter_name("maxmemory-policy").parameter_value("noeviction");
/// group.modify(vec![policy.build()?]).wait()?;
/// let changed = CacheParameterGroup::objects(&session).parameters("web").source("user").wait()?;
/// assert_eq!(changed[0].parameter_value(), Some("noeviction"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::CacheParameterGroup;

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

/// Who can use the caches of a user group, and with which commands and keys.
///
/// ```
/// # use nephos::{CacheUser, Cloud, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let user = CacheUser::builder().user_id("app").user_name("app").engine("redis");
/// let user = user.access_string("on ~app::* -@all +@read").build()?;
/// let user = CacheUser::objects(&session).create(&user).passwords(["correct-horse-battery"]).wait()?;
/// assert_eq!(user.authentication().and_then(|own| own.password_count()), Some(1));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::CacheUser;

/// The users of a replication group. One of the engine redis has a user with the name `default`.
///
/// ```
/// # use nephos::{CacheUserGroup, Cloud, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let group = CacheUserGroup::builder().user_group_id("web").engine("redis").user_ids(["default"]);
/// let group = CacheUserGroup::objects(&session).create(&group.build()?).wait()?;
/// assert_eq!(group.users().wait()?[0].access_string(), Some("on ~* +@all"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::CacheUserGroup;

/// A cache without nodes, with an endpoint in the subnets of a VPC. It grows with its use.
///
/// ```
/// # use nephos::{Cloud, ServerlessCache};
/// # let session = Cloud::in_memory().session();
/// let cache = ServerlessCache::builder().serverless_cache_name("web").engine("valkey").build()?;
/// ServerlessCache::objects(&session).create(&cache).tags([("team", "web")]).wait()?;
/// let cache = ServerlessCache::objects(&session).get("web").wait()?.expect("it was created");
/// assert_eq!(cache.endpoint().and_then(|endpoint| endpoint.port()), Some(6379));
/// assert_eq!(cache.ec2_subnets().wait()?.len(), 3);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::ServerlessCache;

/// The data of a serverless cache at a time. Callers take it, or the service every day.
///
/// ```
/// # use nephos::{Cloud, ServerlessCache, ServerlessCacheSnapshot, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let cache = ServerlessCache::builder().serverless_cache_name("web").engine("valkey").build()?;
/// # ServerlessCache::objects(&session).create(&cache).wait()?;
/// let snapshot = ServerlessCacheSnapshot::builder().serverless_cache_snapshot_name("one").serverless_cache_name("web");
/// let snapshot = ServerlessCacheSnapshot::objects(&session).create(&snapshot.build()?).wait()?;
/// let copy = ServerlessCache::builder().serverless_cache_name("copy").engine("valkey").build()?;
/// let arns = [snapshot.require_arn()?];
/// ServerlessCache::objects(&session).create(&copy).snapshot_arns_to_restore(arns).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::ServerlessCacheSnapshot;

/// Settings of a cache cluster at a time, from which a cluster can be created.
///
/// ```
/// # use nephos::{CacheCluster, CacheSnapshot, Cloud, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let web = CacheCluster::builder().cache_cluster_id("web").engine("redis").cache_node_type("cache.t4g.micro");
/// # CacheCluster::objects(&session).create(&web.build()?).wait()?;
/// let snapshot = CacheSnapshot::builder().snapshot_name("before").cache_cluster_id("web").build()?;
/// CacheSnapshot::objects(&session).create(&snapshot).wait()?;
/// let copy = CacheCluster::builder().cache_cluster_id("copy").build()?;
/// CacheCluster::objects(&session).create(&copy).snapshot_name("before").wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::CacheSnapshot;

/// A primary cache cluster and its read replicas, in one shard or in several.
///
/// ```
/// # use nephos::{Cloud, ReplicationGroup, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let group = ReplicationGroup::builder().replication_group_id("web").description("web");
/// let group = group.cache_node_type("cache.t4g.micro").build()?;
/// let create = ReplicationGroup::objects(&session).create(&group).num_cache_clusters(2);
/// create.automatic_failover_enabled(true).wait()?;
/// let group = ReplicationGroup::objects(&session).get("web").wait()?.expect("it exists");
/// assert_eq!(group.member_clusters().unwrap(), ["web-001", "web-002"]);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::elasticache::ReplicationGroup;
