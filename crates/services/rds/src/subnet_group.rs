//! DB subnet groups: subnets of a VPC in which databases are. Relational and document databases share them.

mod operations;

pub use operations::*;

use crate::errors;
use nephos_cloud::{Addressed, Scope, Tx, own_arn};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, record_of};
use nephos_ec2 as ec2;

/// An Availability Zone.
#[derive(Record)]
pub struct AvailabilityZone {
    /// Name of the zone.
    name: Option<Text>,
}

impl AvailabilityZone {
    /// Makes a zone with this name.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: Some(name.into()) }
    }
}

/// An Outpost with a subnet.
#[derive(Record)]
pub struct Outpost {
    /// ARN of the Outpost.
    arn: Option<Text>,
}

/// A subnet of a group.
#[derive(Record)]
pub struct Subnet {
    /// ID of the subnet.
    pub(crate) subnet_identifier: Option<Text>,
    /// Zone of the subnet.
    subnet_availability_zone: Option<AvailabilityZone>,
    /// Outpost of the subnet.
    subnet_outpost: Option<Outpost>,
    /// Status of the subnet: `Active`.
    subnet_status: Option<Text>,
}

/// The group of databases that are created without one. It has the subnets of the default VPC.
pub(crate) const DEFAULT: &str = "default";

/// A DB subnet group.
#[derive(Resource)]
#[resource(
    arn("DBSubnetGroupArn", "subgrp:{DBSubnetGroupName}"),
    not_found = |name| errors::subnet_group_not_found(name),
    name = "DBSubnetGroupName", pk = "DBSubnetGroupArn", exists_if = "DBSubnetGroupArn", tags = "Tags",
    derive_fields = fill_subnet_ids,
    relation(vpc, one = ec2::Vpc, with = find_vpc),
    relation(ec2_subnets, many = ec2::Subnet, with = find_subnets)
)]
pub struct DBSubnetGroup {
    /// Name, unique within account and Region and kept in lower case: letters, digits, spaces, periods, underscores and hyphens.
    #[field(name = "DBSubnetGroupName", required, fixed, length(1..=255))]
    pub(crate) db_subnet_group_name: Option<Text>,
    /// Description.
    #[field(name = "DBSubnetGroupDescription", required)]
    db_subnet_group_description: Option<Text>,
    /// ID of the VPC.
    #[field(service_set)]
    pub(crate) vpc_id: Option<Text>,
    /// Status: `Complete`.
    #[field(service_set)]
    subnet_group_status: Option<Text>,
    /// Subnets.
    #[field(service_set, item = "Subnet")]
    pub(crate) subnets: Option<Vec<Subnet>>,
    /// ARN.
    #[field(name = "DBSubnetGroupArn", service_set)]
    db_subnet_group_arn: Option<Text>,
    /// Types of addresses that all subnets have: `IPV4`, `DUAL`.
    #[field(service_set)]
    supported_network_types: Option<Vec<Text>>,
    /// IDs of the subnets, all in one VPC, in at least two zones.
    #[field(item = "SubnetIdentifier", not_on_wire)]
    subnet_ids: Option<Vec<Text>>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBSubnetGroup in "rds/subnet-group" by db_subnet_group_name;
    arn db_subnet_group_arn;
    derived(subnet_ids) => restore_subnet_ids
}

/// The subnet group of a database.
#[record_of(
    of = DBSubnetGroup,
    takes(
        db_subnet_group_name, db_subnet_group_description, vpc_id, subnet_group_status, subnets, db_subnet_group_arn,
        supported_network_types
    ),
    name = "DBSubnetGroup", answer
)]
pub struct UsedSubnetGroup {}

/// Fills in the IDs of the subnets that the service returns.
fn fill_subnet_ids(group: &mut DBSubnetGroup) {
    if group.subnet_ids.is_none() && group.subnets.is_some() {
        group.subnet_ids = Some(group.ids_of_subnets());
    }
}

impl DBSubnetGroup {
    fn restore_subnet_ids(&mut self, _scope: &Scope) {
        fill_subnet_ids(self);
    }

    /// IDs of its subnets.
    fn ids_of_subnets(&self) -> Vec<Text> {
        self.subnets.iter().flatten().filter_map(|subnet| subnet.subnet_identifier.clone()).collect()
    }

    fn named(scope: &Scope, name: Text) -> Self {
        use nephos_core::field_value::FieldType as _;
        let mut group = Self::blank();
        group.db_subnet_group_name = Some(name);
        group.db_subnet_group_arn = own_arn(&group, scope);
        group.subnet_group_status = Some("Complete".into());
        group
    }

    /// Puts the group into these subnets, which must exist in one VPC and be in two zones.
    fn place_in(&mut self, cx: &Tx<'_>, ids: &[Text]) -> Result<()> {
        let several = |one: &str, other: &str| errors::subnets_of_several_vpcs(one, other);
        let found = ec2::subnets_of_one_vpc(cx, ids, errors::subnets_invalid, several)?;
        let mut zones: Vec<_> = found.iter().filter_map(ec2::Subnet::availability_zone).collect();
        zones.sort_unstable();
        zones.dedup();
        if zones.len() < 2 {
            return Err(errors::too_few_zones(2, zones.len()).with_field("SubnetIds"));
        }
        self.vpc_id = found.first().and_then(|subnet| subnet.vpc_id().map(Text::new));
        self.subnets = Some(found.iter().map(Subnet::of_network).collect());
        self.subnet_ids = None;
        fill_subnet_ids(self);
        self.supported_network_types = Some(vec!["IPV4".into()]);
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
            subnet_outpost: Some(Outpost { arn: None }),
            subnet_status: Some("Active".into()),
        }
    }

    /// Name of the zone.
    pub(crate) fn zone(&self) -> &str {
        let zone = self.subnet_availability_zone.as_ref().and_then(|zone| zone.name.as_deref());
        zone.unwrap_or_default()
    }
}

/// Returns the default group, if the account has a default VPC. It has no row until it is changed.
fn default_group(cx: &Tx<'_>) -> Result<Option<DBSubnetGroup>> {
    let subnets = ec2::default_subnets(cx)?;
    if subnets.is_empty() {
        return Ok(None);
    }
    let mut group = DBSubnetGroup::named(cx.scope(), DEFAULT.into());
    group.db_subnet_group_description = Some(DEFAULT.into());
    let ids: Vec<_> = subnets.iter().filter_map(|subnet| subnet.subnet_id().map(Text::new)).collect();
    group.place_in(cx, &ids)?;
    Ok(Some(group))
}

/// Finds a group by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<DBSubnetGroup>> {
    let name = name.to_ascii_lowercase();
    match DBSubnetGroup::find_by(cx, &[&name])? {
        None if name == DEFAULT => default_group(cx),
        found => Ok(found),
    }
}

/// Finds a group by its name, which `parameter` has; refuses one that does not exist.
pub(crate) fn require(cx: &Tx<'_>, name: &str, parameter: &str) -> Result<DBSubnetGroup> {
    find(cx, name)?.ok_or_else(|| DBSubnetGroup::not_found(name).with_field(parameter))
}

async fn find_vpc(group: &DBSubnetGroup) -> Result<Option<ec2::Vpc>> {
    let Some(id) = &group.vpc_id else { return Ok(None) };
    ec2::Vpc::objects(group.require_session()?).get(id.clone()).await
}

async fn find_subnets(group: &DBSubnetGroup) -> Result<Vec<ec2::Subnet>> {
    ec2::find_subnets(group.require_session()?, group.ids_of_subnets()).await
}
