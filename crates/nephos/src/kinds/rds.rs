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
