//! The network and its machines: VPCs, subnets, security groups and instances.
//!
//! Every account has a default VPC with a subnet in each of three zones, and a default security group, in every Region:
//!
//! ```
//! use nephos::{Cloud, Subnet, Vpc};
//!
//! let session = Cloud::in_memory().session();
//! let vpc = Vpc::objects(&session).list().results().first().wait()?.expect("the default VPC exists");
//! assert_eq!((vpc.cidr_block(), vpc.is_default()), (Some("172.31.0.0/16"), Some(true)));
//! assert_eq!(Subnet::objects(&session).list().results().count().wait()?, 3);
//! # Ok::<(), nephos::Error>(())
//! ```

mod access;
mod calls;
pub mod errors;
mod filters;
mod instance;
mod lookups;
mod network;
mod security_group;
mod subnet;
mod tagging;
mod vpc;
mod zones;

pub use filters::Filter;
pub use instance::*;
pub use lookups::*;
pub use network::{
    interface::{attach, detach, update_attachments},
    ipv6::*,
};
pub use security_group::*;
pub use subnet::*;
pub use tagging::*;
pub use vpc::*;
pub use zones::*;

use instance::{InstanceRemoval, LaunchRow};
use nephos_cloud::Tx;
use nephos_core::{Error, Result, Text, shape::Protocol};
use network::{Member, Tombstone, interface::Interface};
use security_group::SecurityGroupRow;

/// Condition keys with the tags of a resource.
const TAGS: &[&str] = &["aws:ResourceTag/${TagKey}", "ec2:ResourceTag/${TagKey}"];

nephos_cloud::parts! {
    instance: instance,
    hardware: instance::hardware,
    states: instance::states,
    cidr: network::cidr,
    ids: network::ids,
    zones: zones,
}

nephos_cloud::service! {
    EC2 = "ec2", "The network and its machines: VPCs, subnets, security groups and instances.";
    shape {
        api_version: "2016-11-15",
        protocol: Protocol::Ec2Query { namespace: "http://ec2.amazonaws.com/doc/2016-11-15/" },
        invalid: &errors::INVALID,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[
            ("*", &["ec2:Region"]),
            ("instance/", TAGS),
            ("instance/", &["ec2:InstanceID", "ec2:InstanceType", "ec2:AvailabilityZone"]),
            ("security-group/", TAGS),
            ("security-group/", &["ec2:SecurityGroupID", "ec2:Vpc"]),
            ("security-group-rule/", TAGS),
            ("subnet/", TAGS),
            ("subnet/", &["ec2:SubnetID", "ec2:Vpc", "ec2:AvailabilityZone"]),
            ("vpc/", TAGS),
            ("vpc/", &["ec2:VpcID", "ec2:Tenancy"]),
            ("{Resources", TAGS),
        ],
    }
    kinds {
        Vpc, Subnet, SecurityGroup, Instance,
    }
    operations {
        CreateVpc, CreateDefaultVpc, DescribeVpcs, DeleteVpc, DescribeVpcAttribute, ModifyVpcAttribute,
        CreateSubnet, CreateDefaultSubnet, DescribeSubnets, DeleteSubnet,
        CreateSecurityGroup, DescribeSecurityGroups, DeleteSecurityGroup,
        AuthorizeSecurityGroupIngress, AuthorizeSecurityGroupEgress,
        RevokeSecurityGroupIngress, RevokeSecurityGroupEgress,
        RunInstances, DescribeInstances, StartInstances, StopInstances, TerminateInstances,
        DescribeInstanceAttribute, ModifyInstanceAttribute,
        DescribeAvailabilityZones, DescribeRegions,
        CreateTags, DeleteTags, DescribeTags,
    }
    calls {
        SecurityGroupUpdate, SecurityGroupDelete,
        SecurityGroupAuthorizeIngress, SecurityGroupAuthorizeEgress, SecurityGroupRevokeIngress,
        SecurityGroupRevokeEgress, InstanceCreate, InstanceUpdate, InstanceDelete, InstanceRun, InstanceStart,
        InstanceStop, InstanceTerminate,
        SubnetUpdate, VpcUpdate,
        VpcTag, VpcUntag, SubnetTag, SubnetUntag,
        SecurityGroupTag, SecurityGroupUntag, InstanceTag, InstanceUntag,
    }
    works {
        InstanceTransition, InstanceRemoval,
    }
    tables {
        Vpc, VpcAttributes, Subnet, SecurityGroupRow, Instance, Interface, Tombstone, LaunchRow,
    }
    access {
        find_resource: Some(access::find_resource),
    }
    tagged { tagging::TAGGED }
}

/// Refuses a dry run with `DryRunOperation`, after all other checks and before the first write.
pub fn check_dry_run(dry_run: Option<bool>) -> Result<()> {
    match dry_run {
        Some(true) => Err(errors::dry_run_succeeded()),
        _ => Ok(()),
    }
}

/// Finds a VPC by ID.
pub fn vpc(cx: &Tx<'_>, id: &str) -> Result<Option<Vpc>> {
    described(cx, network::find::<Vpc>(cx, id)?)
}

/// Finds a subnet by ID.
pub fn subnet(cx: &Tx<'_>, id: &str) -> Result<Option<Subnet>> {
    described(cx, network::find::<Subnet>(cx, id)?)
}

/// Finds the subnets of a group by their IDs. They must exist in one VPC: `invalid` makes the error of all IDs, and `several` that of
/// two subnets.
pub fn subnets_of_one_vpc(
    cx: &Tx<'_>,
    ids: &[Text],
    invalid: impl FnOnce(String) -> Error,
    several: impl FnOnce(&str, &str) -> Error,
) -> Result<Vec<Subnet>> {
    let found = ids.iter().map(|id| subnet(cx, id)).collect::<Result<Option<Vec<_>>>>()?;
    let Some(found) = found else {
        let ids: Vec<_> = ids.iter().map(Text::as_str).collect();
        return Err(invalid(ids.join(", ")).with_field("SubnetIds"));
    };
    if let Some(other) = found.iter().find(|subnet| subnet.vpc_id() != found[0].vpc_id()) {
        let [one, other] = [&found[0], other].map(|subnet| subnet.subnet_id().unwrap_or_default());
        return Err(several(one, other).with_field("SubnetIds"));
    }
    Ok(found)
}

/// Finds a security group by ID.
pub fn security_group(cx: &Tx<'_>, id: &str) -> Result<Option<SecurityGroup>> {
    described(cx, network::find::<SecurityGroupRow>(cx, id)?)
}

/// Finds an instance by ID.
pub fn instance(cx: &Tx<'_>, id: &str) -> Result<Option<Instance>> {
    described(cx, network::find::<Instance>(cx, id)?)
}

/// True if a zone is a Local Zone: a part of a Region in another city.
pub fn is_local_zone(cx: &Tx<'_>, zone: &str) -> bool {
    zones::is_local(cx.scope(), zone)
}

/// Finds the default VPC.
pub fn default_vpc(cx: &Tx<'_>) -> Result<Option<Vpc>> {
    vpc::find_default(cx)
}

/// Returns the default subnets, in order of their zones.
pub fn default_subnets(cx: &Tx<'_>) -> Result<Vec<Subnet>> {
    subnet::find_defaults(cx)?.into_iter().map(|subnet| subnet.described(cx)).collect()
}

/// Finds the default security group of a VPC.
pub fn default_security_group(cx: &Tx<'_>, vpc_id: &str) -> Result<Option<SecurityGroup>> {
    described(cx, security_group::find_default(cx, vpc_id)?)
}

/// Returns the security groups of a VPC.
pub fn security_groups(cx: &Tx<'_>, vpc_id: &str) -> Result<Vec<SecurityGroup>> {
    security_group::find_in_vpc(cx, vpc_id)?.into_iter().map(|group| group.described(cx)).collect()
}

/// Converts a stored resource to its form in answers.
fn described<M: Member>(cx: &Tx<'_>, found: Option<M>) -> Result<Option<M::Described>> {
    found.map(|member| member.described(cx)).transpose()
}
