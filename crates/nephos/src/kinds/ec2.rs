//! Kinds of a network.

/// Part of a network: an isolated range of addresses. Every account has a default one in every Region.
///
/// ```
/// # use nephos::{Cloud, Vpc};
/// # let session = Cloud::in_memory().session();
/// let vpc = Vpc::objects(&session).create(&Vpc::builder().cidr_block("10.0.0.0/16").build()?).wait()?;
/// assert_eq!(vpc.security_groups().wait()?.len(), 1); // the default group
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ec2::Vpc;

/// Range of addresses of a VPC in one Availability Zone.
///
/// ```
/// # use nephos::{Cloud, Subnet};
/// # let session = Cloud::in_memory().session();
/// let defaults = Subnet::objects(&session).list().results().filter(Subnet::FIELDS.default_for_az.eq(true));
/// let subnet = defaults.first().wait()?.expect("every Zone has a default subnet");
/// assert_eq!(subnet.vpc().wait()?.and_then(|vpc| vpc.is_default()), Some(true));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ec2::Subnet;

/// Firewall of instances and load balancers: rules for traffic in and out.
///
/// ```
/// # use nephos::{Cloud, SecurityGroup, services::ec2::{IpPermission, IpRange}};
/// # let session = Cloud::in_memory().session();
/// let web = SecurityGroup::builder().group_name("web").description("Web servers").build()?;
/// let web = SecurityGroup::objects(&session).create(&web).wait()?;
/// let anywhere = IpRange::builder().cidr_ip("0.0.0.0/0").build()?;
/// let https = IpPermission::builder().ip_protocol("tcp").from_port(443).to_port(443).ip_ranges([anywhere]).build()?;
/// SecurityGroup::objects(&session).authorize_ingress(web.group_id().expect("it has an ID"), [https]).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ec2::SecurityGroup;

/// Virtual server in a subnet. It has an address and a state, and runs nothing.
///
/// ```
/// # use nephos::{Cloud, Instance, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let server = Instance::builder().image_id("ami-12345678").instance_type("t3.micro").build()?;
/// let server = Instance::objects(&session).create(&server).wait()?;
/// let server = server.wait_until(|server| server.private_ip_address().is_some()).wait()?;
/// server.delete().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::ec2::Instance;
