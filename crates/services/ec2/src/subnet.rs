//! Subnets: parts of the address range of a VPC, each in one zone.

use super::{
    Tag, errors,
    instance::PrivateDnsNameOptions,
    network::{
        self, Cidr, Cidr6, Member, ids, interface,
        ipv6::{BlockPublicAccessStates, SubnetIpv6CidrBlockAssociation},
    },
    vpc::{self, Vpc},
    zones,
};
use nephos_cloud::{Addressed as _, Filterable, Scope, Tx, own_arn};
use nephos_core::{Error, ErrorKind, Resource, Result, Slot, Text, choices, field_value::FieldType};
use std::net::Ipv4Addr;

mod operations;

pub use operations::*;

/// Prefix length of a default subnet.
const DEFAULT_BITS: u8 = 20;

choices! {
    /// State of a subnet.
    pub enum SubnetState {
        /// It is being created.
        Pending = "pending",
        /// It can be used.
        Available = "available",
        /// It cannot be used.
        Unavailable = "unavailable",
        /// It could not be created.
        Failed = "failed",
        /// There was no capacity to create it.
        FailedInsufficientCapacity = "failed-insufficient-capacity",
    }
}

/// A subnet: a part of the address range of a VPC, in one zone.
#[derive(Resource)]
#[resource(
    wire = "camel", arn("SubnetArn", "subnet/{SubnetId}"), pk = "SubnetId", exists_if = "SubnetId", tags = "Tags",
    not_found = |id| errors::subnet_not_found(id),
    relation(vpc, one = Vpc, with = vpc_of)
)]
pub struct Subnet {
    /// ID.
    #[field(service_set)]
    pub(super) subnet_id: Option<Text>,
    /// ID of the VPC.
    #[field(required, fixed, condition = "ec2:VpcID")]
    pub(super) vpc_id: Option<Text>,
    /// CIDR block, within that of the VPC. Required unless the subnet is IPv6-only.
    #[field(fixed)]
    cidr_block: Option<Text>,
    /// Name of the zone; the first zone by default.
    #[field(fixed)]
    pub(super) availability_zone: Option<Text>,
    /// ID of the zone, instead of the name.
    #[field(fixed)]
    pub(super) availability_zone_id: Option<Text>,
    /// True for an IPv6-only subnet.
    #[field(fixed)]
    ipv6_native: Option<bool>,
    /// ARN of an Outpost. There are none here, so it is refused.
    #[field(fixed)]
    outpost_arn: Option<Text>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// Number of free IPv4 addresses.
    #[field(service_set)]
    available_ip_address_count: Option<i64>,
    /// True for the default subnet of the zone.
    #[field(service_set)]
    pub(super) default_for_az: Option<bool>,
    /// Public addresses for instances in the subnet.
    #[field(service_set)]
    pub(super) map_public_ip_on_launch: Option<bool>,
    /// State.
    #[field(service_set)]
    pub(super) state: Option<SubnetState>,
    /// Account of the owner.
    #[field(service_set)]
    owner_id: Option<Text>,
    /// ARN.
    #[field(service_set)]
    subnet_arn: Option<Text>,
    /// IPv6 CIDR blocks.
    #[field(service_set)]
    ipv6_cidr_block_association_set: Option<Vec<SubnetIpv6CidrBlockAssociation>>,
    /// IPv6 addresses for instances in the subnet.
    #[field(service_set)]
    pub(super) assign_ipv6_address_on_creation: Option<bool>,
    /// Private DNS names of instances in the subnet.
    #[field(service_set)]
    pub(super) private_dns_name_options_on_launch: Option<PrivateDnsNameOptions>,
    /// DNS64: synthetic IPv6 addresses for names with IPv4 addresses only.
    #[field(service_set)]
    enable_dns64: Option<bool>,
    /// Index of the device for local network interfaces, of an Outpost.
    #[field(service_set)]
    enable_lni_at_device_index: Option<i64>,
    /// Customer-owned addresses for instances in the subnet, of an Outpost.
    #[field(service_set)]
    map_customer_owned_ip_on_launch: Option<bool>,
    /// Pool of customer-owned addresses, of an Outpost.
    #[field(service_set)]
    customer_owned_ipv4_pool: Option<Text>,
    /// Block of access to and from the internet.
    #[field(service_set)]
    block_public_access_states: Option<BlockPublicAccessStates>,
    /// Use of the subnet by a service.
    #[field(service_set)]
    r#type: Option<Text>,
    slot: Slot,
}

nephos_cloud::stored! {
    Subnet in "ec2/subnet" by subnet_id;
    arn subnet_arn;
    derived(
        owner_id, available_ip_address_count, availability_zone_id, enable_dns64,
        map_customer_owned_ip_on_launch, block_public_access_states
    ) => set_derived;
    states("State": "pending" => "available" 2);
}

impl Subnet {
    /// Creates a subnet in the state `pending`.
    fn new(scope: &Scope, id: Text, vpc: &str, zone: Text, cidr: Option<Cidr>, is_default: bool) -> Self {
        let mut subnet = Self::blank();
        (subnet.vpc_id, subnet.cidr_block) = (Some(vpc.into()), cidr.map(|cidr| cidr.to_string().into()));
        subnet.availability_zone = Some(zone);
        (subnet.default_for_az, subnet.map_public_ip_on_launch) = (Some(is_default), Some(is_default));
        (subnet.state, subnet.subnet_id) = (Some(SubnetState::Pending), Some(id));
        subnet.subnet_arn = own_arn(&subnet, scope);
        subnet.set_derived(scope);
        subnet
    }

    /// Sets the fields that are derived from other fields and the scope.
    fn set_derived(&mut self, scope: &Scope) {
        self.availability_zone_id =
            self.availability_zone.as_deref().and_then(|zone| zones::id_of(scope, zone));
        self.owner_id = Some(scope.account().into());
        (self.enable_dns64, self.map_customer_owned_ip_on_launch) = (Some(false), Some(false));
        self.block_public_access_states = Some(BlockPublicAccessStates::off());
        self.ipv6_native.get_or_insert(false);
        self.assign_ipv6_address_on_creation.get_or_insert(false);
        self.ipv6_cidr_block_association_set.get_or_insert_default();
        self.private_dns_name_options_on_launch.get_or_insert_with(PrivateDnsNameOptions::blank).complete();
    }

    /// CIDR block of the subnet; an IPv6-only subnet has none.
    pub(super) fn range(&self) -> Result<Option<Cidr>> {
        match self.ipv6_native {
            Some(true) => Ok(None),
            _ => parse_stored_cidr(&self.cidr_block).map(Some),
        }
    }

    /// IPv6 CIDR block of the subnet.
    pub(super) fn range6(&self) -> Option<Cidr6> {
        self.ipv6_cidr_block_association_set.iter().flatten().find_map(SubnetIpv6CidrBlockAssociation::block)
    }

    /// Returns the address at an offset; an IPv6-only subnet has none.
    pub(super) fn address(&self, offset: i64) -> Result<Option<Ipv4Addr>> {
        let offset = u32::try_from(offset).unwrap_or_default();
        Ok(self.range()?.map(|range| range.address(offset)))
    }
}

impl Member for Subnet {
    type Described = Self;

    const ID_PREFIX: &'static str = "subnet";
    const MALFORMED: fn(&str) -> Error = |id| errors::subnet_malformed(id);

    fn id(&self) -> &str {
        self.subnet_id.as_deref().unwrap_or_default()
    }

    fn default_members(scope: &Scope) -> Vec<Self> {
        let vpc = ids::default_id(scope, Vpc::ID_PREFIX, "");
        let whole: Cidr = vpc::DEFAULT_RANGE.parse().expect("the constant is a CIDR block");
        let subnets = zones::names(scope).zip(whole.split(DEFAULT_BITS)).map(|(zone, range)| {
            let id = ids::default_id(scope, Self::ID_PREFIX, &zone);
            let mut subnet = Self::new(scope, id, &vpc, zone, Some(range), true);
            subnet.state = Some(SubnetState::Available);
            subnet
        });
        subnets.collect()
    }

    fn condition_values(&self, scope: &Scope) -> Vec<(&'static str, Option<Text>)> {
        vec![
            ("ec2:SubnetID", self.subnet_id.clone()),
            ("ec2:Vpc", self.vpc_id.as_deref().map(|id| Vpc::arn_with(scope, &[id]).into())),
            ("ec2:AvailabilityZone", self.availability_zone.clone()),
        ]
    }

    fn described(mut self, cx: &Tx<'_>) -> Result<Self> {
        self.available_ip_address_count = Some(interface::count_free(cx, &self)?);
        Ok(self)
    }
}

impl Filterable for Subnet {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("availability-zone", "AvailabilityZone"),
        ("availabilityZone", "AvailabilityZone"),
        ("availability-zone-id", "AvailabilityZoneId"),
        ("availabilityZoneId", "AvailabilityZoneId"),
        ("available-ip-address-count", "AvailableIpAddressCount"),
        ("cidr-block", "CidrBlock"),
        ("cidr", "CidrBlock"),
        ("cidrBlock", "CidrBlock"),
        ("customer-owned-ipv4-pool", "CustomerOwnedIpv4Pool"),
        ("default-for-az", "DefaultForAz"),
        ("defaultForAz", "DefaultForAz"),
        ("enable-dns64", "EnableDns64"),
        ("enable-lni-at-device-index", "EnableLniAtDeviceIndex"),
        ("ipv6-cidr-block-association.association-id", "Ipv6CidrBlockAssociationSet.AssociationId"),
        ("ipv6-cidr-block-association.ipv6-cidr-block", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlock"),
        ("ipv6-cidr-block-association.state", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlockState.State"),
        ("ipv6-native", "Ipv6Native"),
        ("map-customer-owned-ip-on-launch", "MapCustomerOwnedIpOnLaunch"),
        ("map-public-ip-on-launch", "MapPublicIpOnLaunch"),
        ("outpost-arn", "OutpostArn"),
        ("owner-id", "OwnerId"),
        (
            "private-dns-name-options-on-launch.enable-resource-name-dns-a-record",
            "PrivateDnsNameOptionsOnLaunch.EnableResourceNameDnsARecord",
        ),
        (
            "private-dns-name-options-on-launch.enable-resource-name-dns-aaaa-record",
            "PrivateDnsNameOptionsOnLaunch.EnableResourceNameDnsAAAARecord",
        ),
        ("private-dns-name-options-on-launch.hostname-type", "PrivateDnsNameOptionsOnLaunch.HostnameType"),
        ("state", "State"),
        ("subnet-arn", "SubnetArn"),
        ("subnet-id", "SubnetId"),
        ("vpc-id", "VpcId"),
    ];
}

/// Parses the CIDR block of a row.
pub(super) fn parse_stored_cidr(cidr: &Option<Text>) -> Result<Cidr> {
    let range = cidr.as_deref().and_then(|cidr| cidr.parse().ok());
    range.ok_or_else(|| Error::new(ErrorKind::Corrupt, "the row of a VPC or subnet has no valid CIDR block"))
}

/// Parses the parameter CidrBlock.
pub(super) fn read_cidr(text: &str) -> Result<Cidr> {
    let wrong = |()| errors::cidr_block_malformed(text).with_hint("expected a block like 10.0.0.0/16");
    text.parse().map_err(|()| wrong(()).with_field("CidrBlock"))
}

/// Finds the subnets of a VPC.
pub(super) fn find_in_vpc(cx: &Tx<'_>, vpc: &str) -> Result<Vec<Subnet>> {
    network::find_all(cx, |subnet: &Subnet| subnet.vpc_id.as_deref() == Some(vpc))
}

/// Finds the default subnets, in order of their zones.
pub(super) fn find_defaults(cx: &Tx<'_>) -> Result<Vec<Subnet>> {
    let mut found = network::find_all(cx, |subnet: &Subnet| subnet.default_for_az == Some(true))?;
    found.sort_by(|a, b| a.availability_zone.cmp(&b.availability_zone));
    Ok(found)
}

/// Creates the default subnets of a new default VPC, one in each zone.
pub(super) fn create_defaults(cx: &mut Tx<'_>, vpc: &Vpc) -> Result<()> {
    let ranges = vpc.range()?.split(DEFAULT_BITS);
    for (zone, range) in zones::names(&cx.scope().clone()).zip(ranges) {
        cx.put_and_schedule_transition(Subnet::new(
            cx.scope(),
            ids::new(cx, Subnet::ID_PREFIX),
            vpc.id(),
            zone,
            Some(range),
            true,
        ))?;
    }
    Ok(())
}

async fn vpc_of(subnet: &Subnet) -> Result<Option<Vpc>> {
    vpc::load_related(subnet, subnet.vpc_id.as_ref()).await
}
