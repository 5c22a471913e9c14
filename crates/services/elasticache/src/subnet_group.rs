//! Cache subnet groups: subnets of a VPC in which the nodes of clusters are.

mod operations;

pub use operations::*;

use crate::errors;
use nephos_cloud::{Addressed, Scope, Tx, own_arn};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, choices};
use nephos_ec2 as ec2;

choices! {
    /// Type of the addresses of a network.
    pub enum NetworkType {
        /// IPv4.
        Ipv4 = "ipv4",
        /// IPv6.
        Ipv6 = "ipv6",
        /// IPv4 and IPv6.
        DualStack = "dual_stack",
    }
}

/// An Availability Zone.
#[derive(Record)]
pub struct AvailabilityZone {
    /// Name of the zone.
    name: Option<Text>,
}

/// An Outpost with a subnet.
#[derive(Record)]
pub struct SubnetOutpost {
    /// ARN of the Outpost.
    subnet_outpost_arn: Option<Text>,
}

/// A subnet of a group.
#[derive(Record)]
pub struct Subnet {
    /// ID of the subnet.
    pub(crate) subnet_identifier: Option<Text>,
    /// Zone of the subnet.
    subnet_availability_zone: Option<AvailabilityZone>,
    /// Outpost of the subnet.
    subnet_outpost: Option<SubnetOutpost>,
    /// Types of addresses that the subnet has.
    supported_network_types: Option<Vec<NetworkType>>,
}

/// The group of clusters that are created without one. It has the subnets of the default VPC.
pub(crate) const DEFAULT: &str = "default";

/// A cache subnet group.
#[derive(Resource)]
#[resource(
    arn("ARN", "subnetgroup:{CacheSubnetGroupName}"),
    not_found = |name| errors::subnet_group_not_found(name),
    name = "CacheSubnetGroupName", pk = "ARN", exists_if = "ARN", tags = "Tags",
    derive_fields = fill_subnet_ids,
    relation(vpc, one = ec2::Vpc, with = find_vpc),
    relation(ec2_subnets, many = ec2::Subnet, with = find_subnets)
)]
pub struct CacheSubnetGroup {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and hyphens.
    #[field(required, fixed, length(1..=255))]
    pub(crate) cache_subnet_group_name: Option<Text>,
    /// Description.
    #[field(required)]
    cache_subnet_group_description: Option<Text>,
    /// ID of the VPC.
    #[field(service_set)]
    pub(crate) vpc_id: Option<Text>,
    /// Subnets.
    #[field(service_set, item = "Subnet")]
    pub(crate) subnets: Option<Vec<Subnet>>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    arn: Option<Text>,
    /// Types of addresses that all subnets have.
    #[field(service_set)]
    supported_network_types: Option<Vec<NetworkType>>,
    /// IDs of the subnets, all in one VPC.
    #[field(item = "SubnetIdentifier", not_on_wire)]
    subnet_ids: Option<Vec<Text>>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    CacheSubnetGroup in "elasticache/subnet-group" by cache_subnet_group_name;
    arn arn;
    derived(subnet_ids) => restore_subnet_ids
}

/// Fills in the IDs of the subnets that the service returns.
fn fill_subnet_ids(group: &mut CacheSubnetGroup) {
    if group.subnet_ids.is_none() && group.subnets.is_some() {
        let subnets = group.subnets.iter().flatten();
        group.subnet_ids = Some(subnets.filter_map(|subnet| subnet.subnet_identifier.clone()).collect());
    }
}

impl CacheSubnetGroup {
    fn restore_subnet_ids(&mut self, _scope: &Scope) {
        fill_subnet_ids(self);
    }

    /// Puts the group into these subnets, which must exist in one VPC.
    fn place_in(&mut self, cx: &Tx<'_>, ids: &[Text]) -> Result<()> {
        let several = |one: &str, other: &str| errors::subnets_of_several_vpcs(one, other);
        let found = ec2::subnets_of_one_vpc(cx, ids, errors::subnets_invalid, several)?;
        self.vpc_id = found.first().and_then(|subnet| subnet.vpc_id().map(Text::new));
        self.subnets = Some(found.iter().map(Subnet::of_network).collect());
        self.subnet_ids = None;
        fill_subnet_ids(self);
        self.supported_network_types = Some(vec![NetworkType::Ipv4]);
        Ok(())
    }
}

impl Subnet {
    fn of_network(subnet: &ec2::Subnet) -> Self {
        Self {
            subnet_identifier: subnet.subnet_id().map(Text::new),
            subnet_availability_zone: Some(AvailabilityZone {
                name: subnet.availability_zone().map(Text::new),
            }),
            subnet_outpost: None,
            supported_network_types: Some(vec![NetworkType::Ipv4]),
        }
    }

    /// Name of the zone.
    pub(crate) fn zone(&self) -> &str {
        let zone = self.subnet_availability_zone.as_ref().and_then(|zone| zone.name.as_deref());
        zone.unwrap_or_default()
    }
}

/// Returns the default group, if the account has a default VPC. It has no row.
fn default_group(cx: &Tx<'_>) -> Result<Option<CacheSubnetGroup>> {
    let subnets = ec2::default_subnets(cx)?;
    if subnets.is_empty() {
        return Ok(None);
    }
    let mut group = CacheSubnetGroup::named(cx.scope(), DEFAULT.into());
    group.cache_subnet_group_description = Some("Default CacheSubnetGroup".into());
    let ids: Vec<_> = subnets.iter().filter_map(|subnet| subnet.subnet_id().map(Text::new)).collect();
    group.place_in(cx, &ids)?;
    Ok(Some(group))
}

impl CacheSubnetGroup {
    fn named(scope: &Scope, name: Text) -> Self {
        use nephos_core::field_value::FieldType as _;
        let mut group = Self::blank();
        group.cache_subnet_group_name = Some(name);
        group.arn = own_arn(&group, scope);
        group
    }
}

/// Finds a group by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<CacheSubnetGroup>> {
    let name = name.to_ascii_lowercase();
    match CacheSubnetGroup::find_by(cx, &[&name])? {
        None if name == DEFAULT => default_group(cx),
        found => Ok(found),
    }
}

async fn find_vpc(group: &CacheSubnetGroup) -> Result<Option<ec2::Vpc>> {
    let Some(id) = &group.vpc_id else { return Ok(None) };
    ec2::Vpc::objects(group.require_session()?).get(id.clone()).await
}

async fn find_subnets(group: &CacheSubnetGroup) -> Result<Vec<ec2::Subnet>> {
    let ids: Vec<_> =
        group.subnets.iter().flatten().filter_map(|subnet| subnet.subnet_identifier.clone()).collect();
    ec2::find_subnets(group.require_session()?, ids).await
}
