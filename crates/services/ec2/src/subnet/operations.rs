//! Operations on subnets.

use super::{DEFAULT_BITS, Subnet, SubnetManager, find_in_vpc, read_cidr};
use crate::{
    calls::{DryRun, Filtered, Paged, Tagged},
    check_dry_run, errors, filters,
    network::{
        self, Cidr, Cidr6, Member, ids, interface,
        ipv6::{self, IpamPools, SubnetIpv6CidrBlockAssociation},
    },
    tagging,
    vpc::{self, Vpc},
    zones,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Result, Text, operation};

/// Creates a subnet.
#[operation(
    of = Subnet, call = "create", model, needs(vpc_id(wire = "VpcId")), takes(settable), except(tags),
    include(IpamPools, Tagged, DryRun),
    effect = write, wraps(subnet(wire = "subnet")), subject = "subnet/* + vpc/{VpcId}",
    also_requires("CreateTags" = "TagSpecifications? subnet/*")
)]
pub struct CreateSubnet {
    /// IPv6 CIDR block, within that of the VPC.
    pub ipv6_cidr_block: Option<Text>,
}

impl Handler for CreateSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        ipv6::check_pools([
            ("Ipv4", self.ipv4_ipam_pool_id.as_ref(), self.ipv4_netmask_length),
            ("Ipv6", self.ipv6_ipam_pool_id.as_ref(), self.ipv6_netmask_length),
        ])?;
        if let Some(outpost) = &self.outpost_arn {
            return Err(errors::outpost_not_found(outpost).with_field("OutpostArn"));
        }
        let others = find_in_vpc(cx, vpc.id())?;
        let range = self.read_range(&vpc, &others)?;
        let range6 =
            self.ipv6_cidr_block.as_deref().map(|text| read_range6(text, &vpc, &others)).transpose()?;
        let (name, id) = (self.availability_zone.as_deref(), self.availability_zone_id.as_deref());
        let zone = zones::find_with_local(cx.scope(), name, id)?.or_else(|| zones::names(cx.scope()).next());
        let tags = tagging::read_specifications::<Subnet>(self.tag_specifications.as_deref())?;
        check_dry_run(self.dry_run)?;
        let id = ids::new(cx, Subnet::ID_PREFIX);
        let mut subnet = Subnet::new(cx.scope(), id, vpc.id(), zone.unwrap_or_default(), range, false);
        let associations =
            range6.map(|block| SubnetIpv6CidrBlockAssociation::new(ids::new(cx, "subnet-cidr-assoc"), block));
        subnet.ipv6_cidr_block_association_set = Some(associations.into_iter().collect());
        (subnet.ipv6_native, subnet.assign_ipv6_address_on_creation) =
            (Some(range.is_none()), Some(range.is_none()));
        subnet.tags = tags;
        cx.put_and_schedule_transition(subnet.clone())?;
        Ok(subnet.described(cx)?.into())
    }
}

impl CreateSubnet {
    /// Validates the CIDR block; an IPv6-only subnet has none.
    fn read_range(&self, vpc: &Vpc, others: &[Subnet]) -> Result<Option<Cidr>> {
        if self.ipv6_native == Some(true) {
            if self.cidr_block.is_some() {
                return Err(errors::parameters_combined("CidrBlock", "Ipv6Native").with_field("CidrBlock"));
            }
            return match self.ipv6_cidr_block {
                None => Err(errors::native_subnet_without_ipv6().with_field("Ipv6Native")),
                Some(_) => Ok(None),
            };
        }
        let text = network::require_parameter(self.cidr_block.as_ref(), "CidrBlock")?;
        let range = read_cidr(&text)?;
        let (whole, refused) = (vpc.range()?, |hint: String| {
            Err(errors::subnet_range_invalid(&text).with_hint(hint).with_field("CidrBlock"))
        });
        if !(16..=28).contains(&range.bits()) {
            return refused("the prefix length of a subnet must be from /16 to /28".to_owned());
        }
        if !whole.contains(range) {
            return refused(format!("it must be within {whole} of {}", vpc.id()));
        }
        for other in others {
            if other.range()?.is_some_and(|other| other.overlaps(range)) {
                return Err(errors::subnet_conflict(range).with_hint(other.id()).with_field("CidrBlock"));
            }
        }
        Ok(Some(range))
    }
}

/// Validates an IPv6 CIDR block.
fn read_range6(text: &str, vpc: &Vpc, others: &[Subnet]) -> Result<Cidr6> {
    let is_allowed = |block: &Cidr6| (44..=64).contains(&block.bits()) && block.bits().is_multiple_of(4);
    let Some(block) = text.parse().ok().filter(is_allowed) else {
        return Err(errors::ipv6_cidr_block_invalid(text)
            .with_hint("the prefix length must be from /44 to /64, in steps of 4")
            .with_field("Ipv6CidrBlock"));
    };
    if !vpc.range6().is_some_and(|whole| whole.contains(block)) {
        let hint = vpc.range6().map_or_else(
            || format!("{} has no IPv6 CIDR block", vpc.id()),
            |whole| format!("it must be within {whole} of {}", vpc.id()),
        );
        return Err(errors::subnet_range_invalid(text).with_hint(hint).with_field("Ipv6CidrBlock"));
    }
    let overlapping = others.iter().find(|other| other.range6().is_some_and(|other| other.overlaps(block)));
    match overlapping {
        Some(other) => {
            Err(errors::subnet_ipv6_conflict(block).with_hint(other.id()).with_field("Ipv6CidrBlock"))
        }
        None => Ok(block),
    }
}

/// Creates a default subnet in a zone of the default VPC, after it was deleted.
#[operation(
    of = Subnet, takes(availability_zone, availability_zone_id, ipv6_native),
    effect = write, wraps(subnet(wire = "subnet")), subject = "*"
)]
pub struct CreateDefaultSubnet {
    /// Checks permissions and parameters only (dry run).
    pub dry_run: Option<bool>,
}

impl Handler for CreateDefaultSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (name, id) = (self.availability_zone.as_deref(), self.availability_zone_id.as_deref());
        let zone = zones::find(cx.scope(), name, id)?;
        let zone = network::require_parameter(zone.as_ref(), "AvailabilityZone")?;
        let Some(vpc) = vpc::find_default(cx)? else {
            return Err(errors::default_vpc_not_found().with_hint("create one with CreateDefaultVpc"));
        };
        if self.ipv6_native == Some(true) {
            let hint = "the default VPC has no IPv6 CIDR block";
            return Err(errors::native_subnet_without_ipv6().with_hint(hint).with_field("Ipv6Native"));
        }
        let others = find_in_vpc(cx, vpc.id())?;
        let in_zone = |subnet: &&Subnet| {
            subnet.default_for_az == Some(true) && subnet.availability_zone.as_ref() == Some(&zone)
        };
        if let Some(other) = others.iter().find(in_zone) {
            return Err(errors::default_subnet_exists(other.id(), &zone));
        }
        let used = others.iter().map(Subnet::range).collect::<Result<Vec<_>>>()?;
        let (whole, is_used) =
            (vpc.range()?, |part: Cidr| used.iter().flatten().any(|other| other.overlaps(part)));
        let Some(range) = whole.split(DEFAULT_BITS).find(|part| !is_used(*part)) else {
            let hint = format!("{} has no free block with the prefix length /{DEFAULT_BITS}", vpc.id());
            return Err(errors::subnet_conflict(whole).with_hint(hint));
        };
        check_dry_run(self.dry_run)?;
        let id = ids::new(cx, Subnet::ID_PREFIX);
        let subnet = Subnet::new(cx.scope(), id, vpc.id(), zone, Some(range), true);
        cx.put_and_schedule_transition(subnet.clone())?;
        Ok(subnet.described(cx)?.into())
    }
}

/// Describes subnets, in order of their IDs.
#[operation(
    of = Subnet, call = "list", page(subnets(wire = "subnetSet"), next_token(wire = "nextToken")),
    find(subnet_id in subnet_ids), pushdown(filters = filters::with_pushed::<Subnet>),
    include(Filtered, Paged, DryRun), effect = read, access = list
)]
pub struct DescribeSubnets {
    /// IDs of the subnets.
    #[field(wire = "SubnetId")]
    pub subnet_ids: Option<Vec<Text>>,
}

impl Handler for DescribeSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (ids, filters) = (("SubnetIds", self.subnet_ids.as_deref()), self.filters.as_deref());
        Ok(network::page::<Subnet>(cx, &self, ids, filters, self.dry_run)?.into())
    }
}

/// Deletes a subnet without network interfaces.
#[operation(
    of = Subnet, call = "delete", on_model, include(DryRun),
    needs(subnet_id(wire = "SubnetId", condition = "ec2:SubnetID")), effect = write
)]
pub struct DeleteSubnet {}

impl Handler for DeleteSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let subnet: Subnet = network::require(cx, &self.subnet_id, "SubnetId")?;
        if let Some(owner) = interface::find_owner_in_subnet(cx, subnet.id())? {
            let hint = format!("it is used by {owner}");
            return Err(errors::has_dependencies("subnet", subnet.id())
                .with_hint(hint)
                .with_field("SubnetId"));
        }
        check_dry_run(self.dry_run)?;
        network::remove(cx, &subnet)?;
        Ok(Empty {})
    }
}

/// Updates the tags that differ from those that the model was loaded with.
#[operation(kind = Subnet, call = "update", changes(), effect = write)]
pub struct SubnetUpdate {}
