//! Kinds of databases.

/// Subnets of a VPC in which databases are.
///
/// ```
/// # use nephos::{Cloud, DBSubnetGroup, Subnet, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let subnets = Subnet::objects(&session).list().results().all().wait()?;
/// # let ids: Vec<&str> = subnets.iter().filter_map(Subnet::subnet_id).collect();
/// let group = DBSubnetGroup::builder().db_subnet_group_name("web").db_subnet_group_description("web");
/// let group = DBSubnetGroup::objects(&session).create(&group.subnet_ids(ids.as_slice()).build()?).wait()?;
/// assert_eq!(group.ec2_subnets().wait()?.len(), 3);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBSubnetGroup;

/// A group of parameters for instances of an engine.
///
/// ```
/// # use nephos::{Cloud, DBParameterGroup, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let group = DBParameterGroup::builder().db_parameter_group_name("web").db_parameter_group_family("postgres16");
/// let group = DBParameterGroup::objects(&session).create(&group.description("web").build()?).wait()?;
/// assert_eq!(group.db_parameter_group_family(), Some("postgres16"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBParameterGroup;

/// A group of parameters for clusters of an engine.
///
/// ```
/// # use nephos::{Cloud, DBClusterParameterGroup, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let group = DBClusterParameterGroup::builder().db_cluster_parameter_group_name("web");
/// let group = group.db_parameter_group_family("aurora-mysql8.0").description("web").build()?;
/// let group = DBClusterParameterGroup::objects(&session).create(&group).wait()?;
/// assert_eq!(group.db_parameter_group_family(), Some("aurora-mysql8.0"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBClusterParameterGroup;

/// A group of options for instances of an engine.
///
/// ```
/// # use nephos::{Cloud, OptionGroup, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let group = OptionGroup::builder().option_group_name("web").engine_name("mysql").major_engine_version("8.0");
/// let group = OptionGroup::objects(&session).create(&group.option_group_description("web").build()?).wait()?;
/// assert_eq!(group.engine_name(), Some("mysql"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::OptionGroup;

/// A database instance. Its states, windows, pending changes and backups follow the clock of the cloud.
///
/// ```
/// # use nephos::{Cloud, DBInstance, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let shop = DBInstance::builder().db_instance_identifier("shop").engine("postgres").engine_version("16.3");
/// let shop = shop.db_instance_class("db.t4g.micro").allocated_storage(20).master_username("boss").build()?;
/// let instances = DBInstance::objects(&session);
/// instances.create(&shop).manage_master_user_password(true).wait()?;
/// let shop = instances.get("shop").wait()?.expect("it was created");
/// assert_eq!((shop.db_instance_status(), shop.port()?), (Some("available"), 5432));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBInstance;

/// A cluster of relational databases: of Aurora, or of MySQL or PostgreSQL in several zones.
///
/// ```
/// # use nephos::{Cloud, DBCluster, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let web = DBCluster::builder().db_cluster_identifier("web").engine("aurora-mysql").master_username("boss").build()?;
/// let web = DBCluster::objects(&session).create(&web).master_user_password("correct-horse").wait()?;
/// assert_eq!(web.port(), Some(3306));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBCluster;

/// A cluster of document databases.
///
/// ```
/// # use nephos::{Cloud, DocDBCluster, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let docs = DocDBCluster::builder().db_cluster_identifier("docs").master_username("boss").build()?;
/// let docs = DocDBCluster::objects(&session).create(&docs).master_user_password("correct-horse").wait()?;
/// assert_eq!(docs.port(), Some(27017));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DocDBCluster;

/// A snapshot of an instance.
///
/// ```
/// # use nephos::{Cloud, DBInstance, DBSnapshot, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let shop = DBInstance::builder().db_instance_identifier("shop").engine("postgres").engine_version("16.3");
/// # let shop = shop.db_instance_class("db.t4g.micro").allocated_storage(20).master_username("boss").build()?;
/// # DBInstance::objects(&session).create(&shop).manage_master_user_password(true).wait()?;
/// let before = DBSnapshot::builder().db_snapshot_identifier("before").db_instance_identifier("shop").build()?;
/// let before = DBSnapshot::objects(&session).create(&before).wait()?;
/// assert_eq!(before.engine(), Some("postgres"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBSnapshot;

/// A snapshot of a cluster.
///
/// ```
/// # use nephos::{Cloud, DBCluster, DBClusterSnapshot, prelude::*};
/// # let session = Cloud::in_memory().session();
/// # let web = DBCluster::builder().db_cluster_identifier("web").engine("aurora-mysql").master_username("boss").build()?;
/// # DBCluster::objects(&session).create(&web).master_user_password("correct-horse").wait()?;
/// let before = DBClusterSnapshot::builder().db_cluster_snapshot_identifier("before").db_cluster_identifier("web");
/// let before = DBClusterSnapshot::objects(&session).create(&before.build()?).wait()?;
/// assert_eq!(before.engine(), Some("aurora-mysql"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::DBClusterSnapshot;

/// A subscription to events of databases.
///
/// ```
/// # use nephos::{Cloud, EventSubscription, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let web = EventSubscription::builder().cust_subscription_id("web");
/// let web = web.sns_topic_arn("arn:aws:sns:us-east-1:123456789012:web").build()?;
/// let web = EventSubscription::objects(&session).create(&web).wait()?;
/// assert_eq!(web.cust_subscription_id(), Some("web"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::rds::EventSubscription;
