//! The network and its machines: VPCs, subnets, security groups and instances.
//!
//! Every account has a default VPC with a subnet in each of three zones, and a default security group, in every Region:
//!
//! ```
//! use nephos::{Cloud, Subnet, Vpc};
//!
//! let session = Cloud::in_memory().session();
//! let vpc = Vpc::objects(&session).list().results().first().wait()?.expect("there is one");
//! assert_eq!((vpc.cidr_block(), vpc.is_default()), (Some("172.31.0.0/16"), Some(true)));
//! assert_eq!(Subnet::objects(&session).list().results().count().wait()?, 3);
//! # Ok::<(), nephos::Error>(())
//! ```

mod calls;
mod cidr;
pub mod errors;
mod filters;
mod ids;
pub mod instance;
mod interface;
mod network;
mod rules;
pub mod security_group;
pub mod subnet;
mod tagging;
/// Handler cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "cases/mod.rs"]
pub mod testing;
pub mod vpc;
mod zones;

pub use filters::Filter;
pub use instance::{
    ClientToken, DescribeInstances, Forget, GroupIdentifier, Instance, InstanceManager,
    InstanceNetworkInterface, InstanceState, InstanceStateChange, InstanceStateName, NetworkInterfaceStatus,
    Placement, Reservation, Reservations, RunInstances, Settle, StartInstances, Started, StateReason,
    StopInstances, Stopped, TerminateInstances, Terminated,
};
pub use interface::{Interface, attach, detach};
pub use network::Tombstone;
pub use rules::{
    IpPermission, IpRange, Ipv6Range, PrefixListId, ReferencedSecurityGroup, Rule, SecurityGroupRule,
    UserIdGroupPair,
};
pub use security_group::{
    AuthorizeSecurityGroupEgress, AuthorizeSecurityGroupIngress, Authorized, CreateSecurityGroup, Created,
    Definition, DeleteSecurityGroup, Deleted, DescribeSecurityGroups, RevokeSecurityGroupEgress,
    RevokeSecurityGroupIngress, Revoked, SecurityGroup, SecurityGroupManager, SecurityGroups,
};
pub use subnet::{
    CreateDefaultSubnet, CreateSubnet, DeleteSubnet, DescribeSubnets, OneSubnet, Subnet, SubnetManager,
    SubnetState, Subnets,
};
pub use tagging::{
    CreateTags, DeleteTags, DescribeTags, Tag, TagDescription, TagDescriptions, TagSpecification,
};
pub use vpc::{
    CreateDefaultVpc, CreateVpc, DeleteVpc, DescribeVpcs, OneVpc, Tenancy, Vpc, VpcCidrBlockAssociation,
    VpcCidrBlockState, VpcCidrBlockStateCode, VpcManager, VpcState, Vpcs,
};
pub use zones::{
    AvailabilityZone, AvailabilityZoneState, AvailabilityZones, DescribeAvailabilityZones, DescribeRegions,
    OptInStatus, Region, Regions,
};

use nephos_cloud::{Service, Table, Tx, WorkEntry};
use nephos_core::{
    Resource, Result,
    shape::{Protocol, ServiceShape},
};
use network::Member;

/// The service's description.
pub static SERVICE: ServiceShape = ServiceShape {
    name: "ec2",
    docs: "The network and its machines: VPCs, subnets, security groups and instances.",
    api_version: "2016-11-15",
    protocol: Protocol::Ec2Query { namespace: "http://ec2.amazonaws.com/doc/2016-11-15/" },
    endpoint: "ec2",
    signing: "ec2",
    global: false,
    kinds: &[Vpc::KIND, Subnet::KIND, SecurityGroup::KIND, Instance::KIND],
    operations: OPERATIONS,
    codes: errors::ALL,
    invalid: &errors::INVALID,
};

nephos_cloud::handlers! {
    CreateVpc, CreateDefaultVpc, DescribeVpcs, DeleteVpc,
    CreateSubnet, CreateDefaultSubnet, DescribeSubnets, DeleteSubnet,
    CreateSecurityGroup, DescribeSecurityGroups, DeleteSecurityGroup,
    AuthorizeSecurityGroupIngress, AuthorizeSecurityGroupEgress,
    RevokeSecurityGroupIngress, RevokeSecurityGroupEgress,
    RunInstances, DescribeInstances, StartInstances, StopInstances, TerminateInstances,
    DescribeAvailabilityZones, DescribeRegions,
    CreateTags, DeleteTags, DescribeTags,
}

/// The service in the cloud.
pub static EC2: Service = Service {
    shape: &SERVICE,
    handlers: HANDLERS,
    controls: &[],
    views: &[],
    works: &[WorkEntry::new::<Settle>(), WorkEntry::new::<Forget>()],
    tables: &[
        Table::new::<Vpc>(),
        Table::new::<Subnet>(),
        Table::new::<Definition>(),
        Table::new::<Instance>(),
        Table::new::<Interface>(),
        Table::new::<Tombstone>(),
        Table::new::<ClientToken>(),
    ],
};

/// Refuses a dry run at the point where the call would be carried out.
fn only_to_try(dry_run: Option<bool>) -> Result<()> {
    match dry_run {
        Some(true) => {
            Err(errors::DRY_RUN.with_message("Request would have succeeded, but DryRun flag is set."))
        }
        _ => Ok(()),
    }
}

/// The VPC with that id.
pub fn vpc(cx: &Tx<'_>, id: &str) -> Result<Option<Vpc>> {
    described(cx, network::find::<Vpc>(cx, id)?)
}

/// The subnet with that id.
pub fn subnet(cx: &Tx<'_>, id: &str) -> Result<Option<Subnet>> {
    described(cx, network::find::<Subnet>(cx, id)?)
}

/// The security group with that id.
pub fn security_group(cx: &Tx<'_>, id: &str) -> Result<Option<SecurityGroup>> {
    described(cx, network::find::<Definition>(cx, id)?)
}

/// The instance with that id.
pub fn instance(cx: &Tx<'_>, id: &str) -> Result<Option<Instance>> {
    described(cx, network::find::<Instance>(cx, id)?)
}

/// Whether a zone is a Local Zone: a piece of a Region in another city.
pub fn is_local_zone(cx: &Tx<'_>, zone: &str) -> bool {
    zones::is_local(cx.scope(), zone)
}

/// The default VPC.
pub fn default_vpc(cx: &Tx<'_>) -> Result<Option<Vpc>> {
    vpc::default(cx)
}

/// The default subnets, in order of their zones.
pub fn default_subnets(cx: &Tx<'_>) -> Result<Vec<Subnet>> {
    subnet::defaults(cx)?.into_iter().map(|subnet| subnet.described(cx)).collect()
}

/// The default security group of a VPC.
pub fn default_security_group(cx: &Tx<'_>, vpc_id: &str) -> Result<Option<SecurityGroup>> {
    described(cx, security_group::default_of(cx, vpc_id)?)
}

fn described<M: Member>(cx: &Tx<'_>, found: Option<M>) -> Result<Option<M::Described>> {
    found.map(|member| member.described(cx)).transpose()
}
