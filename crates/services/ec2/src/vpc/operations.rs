//! Operations on VPCs.

use super::{
    DEFAULT_RANGE, Tenancy, Vpc, VpcAttributes, VpcEncryptionControlConfiguration, VpcManager, find_default,
};
use crate::{
    calls::{DryRun, Filtered, Paged, Tagged},
    check_dry_run, errors, filters,
    network::{
        self, Cidr6, Member, ids,
        ipv6::{self, IpamPools, VpcIpv6CidrBlockAssociation},
    },
    security_group::{self, SecurityGroupRow},
    subnet, tagging, zones,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Choice as _, Empty, Result, Text, operation};
use std::net::Ipv6Addr;

/// Maximum number of VPCs of an account in a Region, with the default VPC.
const MAX_VPCS: usize = 5;

/// Range of the IPv6 blocks of VPCs. It is reserved for documentation, so that no real host has these addresses.
const IPV6_RANGE: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0);
/// Prefix length of the IPv6 block of a VPC.
const IPV6_BITS: u8 = 56;

/// Creates a VPC, with its default security group.
#[operation(
    of = Vpc, call = "create", model, takes(settable), except(tags), include(IpamPools, Tagged, DryRun),
    effect = write, wraps(vpc(wire = "vpc")), subject = "vpc/*", also_requires("CreateTags" = "TagSpecifications? vpc/*")
)]
pub struct CreateVpc {
    /// An IPv6 CIDR block of the provider, with the prefix length 56.
    #[field(wire = "amazonProvidedIpv6CidrBlock")]
    pub amazon_provided_ipv6_cidr_block: Option<bool>,
    /// Group of zones that announces the IPv6 addresses; that of the Region by default.
    pub ipv6_cidr_block_network_border_group: Option<Text>,
    /// IPv6 CIDR block of a pool of the account.
    pub ipv6_cidr_block: Option<Text>,
    /// ID of a pool of IPv6 addresses of the account. There are none here, so every one is refused.
    pub ipv6_pool: Option<Text>,
    /// Encryption control.
    pub vpc_encryption_control: Option<VpcEncryptionControlConfiguration>,
}

impl Handler for CreateVpc {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        ipv6::check_pools([
            ("Ipv4", self.ipv4_ipam_pool_id.as_ref(), self.ipv4_netmask_length),
            ("Ipv6", self.ipv6_ipam_pool_id.as_ref(), self.ipv6_netmask_length),
        ])?;
        let text = network::require_parameter(self.cidr_block.as_ref(), "CidrBlock")?;
        let cidr = subnet::read_cidr(&text)?;
        if !(16..=28).contains(&cidr.bits()) {
            return Err(errors::vpc_range_invalid(&text)
                .with_hint("the prefix length of a VPC must be from /16 to /28")
                .with_field("CidrBlock"));
        }
        if let Some(tenancy @ Tenancy::Host) = &self.instance_tenancy {
            return Err(errors::vpc_tenancy_invalid(tenancy.as_str()).with_field("InstanceTenancy"));
        }
        let border_group = self.read_border_group(cx)?;
        let tags = tagging::read_specifications::<Vpc>(self.tag_specifications.as_deref())?;
        check_quota(cx)?;
        check_dry_run(self.dry_run)?;
        let mut vpc = Vpc::new(cx.scope(), ids::new(cx, Vpc::ID_PREFIX), cidr, false);
        vpc.instance_tenancy = self.instance_tenancy.or(vpc.instance_tenancy);
        vpc.tags = tags;
        if self.amazon_provided_ipv6_cidr_block == Some(true) {
            let id = ids::new(cx, "vpc-cidr-assoc");
            let association = VpcIpv6CidrBlockAssociation::new(id, choose_ipv6_block(cx), border_group);
            vpc.ipv6_cidr_block_association_set = Some(vec![association]);
        }
        let control = self.vpc_encryption_control.map(|control| control.to_control(cx, vpc.vpc_id.clone()));
        vpc.encryption_control = control;
        put_new(cx, &vpc)?;
        Ok(vpc.into())
    }
}

impl CreateVpc {
    /// Validates the IPv6 CIDR block; returns the group of zones that announces its addresses.
    fn read_border_group(&self, cx: &Tx<'_>) -> Result<Text> {
        if let Some(pool) = &self.ipv6_pool {
            return Err(errors::ipv6_pool_not_found(pool).with_field("Ipv6Pool"));
        }
        if self.ipv6_cidr_block.is_some() {
            return Err(errors::ipv6_block_without_pool().with_field("Ipv6CidrBlock"));
        }
        let Some(group) = &self.ipv6_cidr_block_network_border_group else {
            return Ok(cx.scope().region().into());
        };
        let field = "Ipv6CidrBlockNetworkBorderGroup";
        if self.amazon_provided_ipv6_cidr_block != Some(true) {
            return Err(errors::border_group_without_ipv6().with_field(field));
        }
        if !zones::is_border_group(cx.scope(), group) {
            return Err(errors::border_group_unknown(group).with_field(field));
        }
        Ok(group.clone())
    }
}

/// Refuses another VPC if the account has the maximum number in the Region.
fn check_quota(cx: &Tx<'_>) -> Result<()> {
    if network::find_all::<Vpc>(cx, |_| true)?.len() < MAX_VPCS {
        return Ok(());
    }
    Err(errors::too_many_vpcs().with_hint(format!("an account can have {MAX_VPCS} VPCs in a Region")))
}

/// Chooses an IPv6 block for a VPC.
fn choose_ipv6_block(cx: &Tx<'_>) -> Cidr6 {
    let number = u128::from(cx.ids().below(1 << 24));
    Cidr6::new(Ipv6Addr::from_bits(IPV6_RANGE.to_bits() | (number << (128 - IPV6_BITS))), IPV6_BITS)
}

/// Stores a new VPC, with its default security group.
fn put_new(cx: &mut Tx<'_>, vpc: &Vpc) -> Result<()> {
    cx.put_and_schedule_transition(vpc.clone())?;
    let group = SecurityGroupRow::new_default(ids::new(cx, SecurityGroupRow::ID_PREFIX), vpc.id(), |_| {
        ids::new(cx, "sgr")
    });
    cx.put(group)
}

/// Creates a default VPC, with a subnet in each zone, after it was deleted.
#[operation(effect = write, wraps(vpc(wire = "vpc"): Vpc), subject = "*")]
pub struct CreateDefaultVpc {
    /// Checks permissions and parameters only (dry run).
    pub dry_run: Option<bool>,
}

impl Handler for CreateDefaultVpc {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if let Some(vpc) = find_default(cx)? {
            return Err(errors::default_vpc_exists().with_hint(vpc.id()));
        }
        check_quota(cx)?;
        check_dry_run(self.dry_run)?;
        let range = DEFAULT_RANGE.parse().expect("the constant is a CIDR block");
        let vpc = Vpc::new(cx.scope(), ids::new(cx, Vpc::ID_PREFIX), range, true);
        put_new(cx, &vpc)?;
        subnet::create_defaults(cx, &vpc)?;
        Ok(vpc.into())
    }
}

/// Describes VPCs, in order of their IDs.
#[operation(
    of = Vpc, call = "list", page(vpcs(wire = "vpcSet"), next_token(wire = "nextToken")), find(vpc_id in vpc_ids),
    pushdown(filters = filters::with_pushed::<Vpc>), include(Filtered, Paged, DryRun), effect = read, access = list
)]
pub struct DescribeVpcs {
    /// IDs of the VPCs.
    #[field(wire = "VpcId")]
    pub vpc_ids: Option<Vec<Text>>,
}

impl Handler for DescribeVpcs {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (ids, filters) = (("VpcIds", self.vpc_ids.as_deref()), self.filters.as_deref());
        Ok(network::page::<Vpc>(cx, &self, ids, filters, self.dry_run)?.into())
    }
}

/// Deletes a VPC. It must have no subnets, and no security groups except the default one.
#[operation(
    of = Vpc, call = "delete", on_model, include(DryRun),
    needs(vpc_id(wire = "VpcId", condition = "ec2:VpcID")), effect = write
)]
pub struct DeleteVpc {}

impl Handler for DeleteVpc {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        let subnets = subnet::find_in_vpc(cx, vpc.id())?;
        let groups = security_group::find_in_vpc(cx, vpc.id())?;
        let used_by = subnets.first().map(|subnet| subnet.id());
        let used_by =
            used_by.or_else(|| groups.iter().find(|group| !group.is_default()).map(|group| group.id()));
        if let Some(used_by) = used_by {
            let hint = format!("it contains {used_by}");
            return Err(errors::has_dependencies("vpc", vpc.id()).with_hint(hint).with_field("VpcId"));
        }
        check_dry_run(self.dry_run)?;
        network::remove(cx, &vpc)?;
        VpcAttributes::remove(cx, &vpc)?;
        groups.iter().try_for_each(|group| network::remove(cx, group))?;
        Ok(Empty {})
    }
}

/// Updates the tags that differ from those that the model was loaded with.
#[operation(kind = Vpc, call = "update", changes(), effect = write)]
pub struct VpcUpdate {}
