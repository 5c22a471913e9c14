//! Subnets: parts of the address range of a VPC, each in one zone.

use super::{
    SERVICE, Tag,
    calls::{DryRun, Filtered, Paged, Tagged, create_call, update_call},
    cidr::Cidr,
    errors, filters, ids, interface,
    network::{self, Member},
    tagging,
    vpc::{self, Vpc},
    zones,
};
use nephos_cloud::{Filterable, Handler, Scope, Transition, Tx};
use nephos_core::{
    Code, Empty, Error, ErrorKind, Record, Resource, Result, Slot, Text, choices, field_value::FieldType,
    operation,
};

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
    service = SERVICE, wire = "camel", absent = super::errors::SUBNET_NOT_FOUND,
    arn = "SubnetArn", pk = "SubnetId", saved_when = "SubnetId", tags = "Tags",
    calls(SubnetCreate, SubnetGet, DescribeSubnets, SubnetUpdate, DeleteSubnet),
    create = SubnetCreate, update = SubnetUpdate, delete = DeleteSubnet, get = SubnetGet,
    relation(vpc, one = Vpc, with = vpc_of),
)]
pub struct Subnet {
    /// ID.
    #[field(service_set)]
    pub(super) subnet_id: Option<Text>,
    /// ID of the VPC.
    #[field(required, fixed)]
    pub(super) vpc_id: Option<Text>,
    /// CIDR block, within that of the VPC.
    #[field(required, fixed)]
    cidr_block: Option<Text>,
    /// Name of the zone; the first zone by default.
    #[field(fixed)]
    pub(super) availability_zone: Option<Text>,
    /// ID of the zone, instead of the name.
    #[field(fixed)]
    pub(super) availability_zone_id: Option<Text>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// Number of free addresses.
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
    slot: Slot,
}

nephos_cloud::stored! {
    Subnet in "ec2/subnet" by subnet_id;
    derived(owner_id, subnet_arn, available_ip_address_count, availability_zone_id) => set_derived;
    transitions(Transition::new("State", "pending", "available", 2));
}

impl Subnet {
    /// Creates a subnet in the state `pending`.
    fn new(scope: &Scope, id: Text, vpc: &str, zone: Text, cidr: Cidr, is_default: bool) -> Self {
        let mut subnet = Self::blank();
        (subnet.vpc_id, subnet.cidr_block) = (Some(vpc.into()), Some(cidr.to_string().into()));
        subnet.availability_zone = Some(zone);
        (subnet.default_for_az, subnet.map_public_ip_on_launch) = (Some(is_default), Some(is_default));
        (subnet.state, subnet.subnet_id) = (Some(SubnetState::Pending), Some(id));
        subnet.set_derived(scope);
        subnet
    }

    /// Sets the fields that are derived from other fields and the scope.
    fn set_derived(&mut self, scope: &Scope) {
        self.availability_zone_id =
            self.availability_zone.as_deref().and_then(|zone| zones::id_of(scope, zone));
        self.owner_id = Some(scope.account().into());
        self.subnet_arn = Some(scope.arn("ec2", &["subnet/", self.id()]).into());
    }

    /// CIDR block of the subnet.
    pub(super) fn range(&self) -> Result<Cidr> {
        parse_stored_cidr(&self.cidr_block)
    }
}

impl Member for Subnet {
    type Described = Self;

    network::member!(subnet_id "subnet", "subnet", SUBNET_NOT_FOUND, SUBNET_MALFORMED);

    fn default_members(scope: &Scope) -> Vec<Self> {
        let vpc = ids::default_id(scope, Vpc::ID_PREFIX, "");
        let whole: Cidr = vpc::DEFAULT_RANGE.parse().expect("the constant is a CIDR block");
        let subnets = zones::names(scope).zip(whole.split(DEFAULT_BITS)).map(|(zone, range)| {
            let id = ids::default_id(scope, Self::ID_PREFIX, &zone);
            let mut subnet = Self::new(scope, id, &vpc, zone, range, true);
            subnet.state = Some(SubnetState::Available);
            subnet
        });
        subnets.collect()
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
        ("default-for-az", "DefaultForAz"),
        ("defaultForAz", "DefaultForAz"),
        ("map-public-ip-on-launch", "MapPublicIpOnLaunch"),
        ("owner-id", "OwnerId"),
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
    let wrong = |()| {
        let message = format!(
            "Value ({text}) for parameter cidrBlock is invalid. This is not a valid CIDR block: expected one like 10.0.0.0/16"
        );
        errors::INVALID.with_message(message).with_field("CidrBlock")
    };
    text.parse().map_err(wrong)
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
            range,
            true,
        ))?;
    }
    Ok(())
}

/// Answer of `CreateSubnet` and `CreateDefaultSubnet`.
#[derive(Record)]
#[record(answer)]
pub struct CreateSubnetResult {
    /// The subnet.
    #[field(wire = "subnet")]
    subnet: Option<Subnet>,
}

/// Creates a subnet.
#[operation(
    service = SERVICE, of = Subnet, needs(vpc_id(wire = "VpcId")),
    takes(
        cidr_block(wire = "CidrBlock"), availability_zone(wire = "AvailabilityZone"),
        availability_zone_id(wire = "AvailabilityZoneId")
    ),
    also(Tagged, DryRun), effect = write, output = CreateSubnetResult, subject = "subnet/*"
)]
pub struct CreateSubnet {}

impl Handler for CreateSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<CreateSubnetResult> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        let text = network::require_parameter(self.cidr_block.as_ref(), "CidrBlock")?;
        let range = read_cidr(&text)?;
        let refused =
            |code: &'static Code, message: String| Err(code.with_message(message).with_field("CidrBlock"));
        if !(16..=28).contains(&range.bits()) {
            let message = format!(
                "The CIDR '{text}' is invalid: the prefix length of a subnet must be from /16 to /28"
            );
            return refused(&errors::SUBNET_RANGE, message);
        }
        if !vpc.range()?.contains(range) {
            let message =
                format!("The CIDR '{range}' is invalid: it must be within {} of {}", vpc.range()?, vpc.id());
            return refused(&errors::SUBNET_RANGE, message);
        }
        for other in find_in_vpc(cx, vpc.id())? {
            if other.range()?.overlaps(range) {
                let message = format!("The CIDR '{range}' conflicts with another subnet, {}", other.id());
                return refused(&errors::SUBNET_CONFLICT, message);
            }
        }
        let (name, id) = (self.availability_zone.as_deref(), self.availability_zone_id.as_deref());
        let zone = zones::find_with_local(cx.scope(), name, id)?.or_else(|| zones::names(cx.scope()).next());
        let tags = tagging::read_specifications::<Subnet>(self.tag_specifications.as_deref())?;
        super::check_dry_run(self.dry_run)?;
        let id = ids::new(cx, Subnet::ID_PREFIX);
        let mut subnet = Subnet::new(cx.scope(), id, vpc.id(), zone.unwrap_or_default(), range, false);
        subnet.tags = tags;
        cx.put_and_schedule_transition(subnet.clone())?;
        Ok(CreateSubnetResult { subnet: Some(subnet.described(cx)?) })
    }
}

/// Creates a default subnet in a zone of the default VPC, after it was deleted.
#[operation(
    service = SERVICE, of = Subnet,
    takes(availability_zone(wire = "AvailabilityZone"), availability_zone_id(wire = "AvailabilityZoneId")),
    effect = write, output = CreateSubnetResult, subject = "subnet/*"
)]
pub struct CreateDefaultSubnet {
    /// Checks permissions and parameters only (dry run).
    pub dry_run: Option<bool>,
}

impl Handler for CreateDefaultSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<CreateSubnetResult> {
        let (name, id) = (self.availability_zone.as_deref(), self.availability_zone_id.as_deref());
        let zone = zones::find(cx.scope(), name, id)?;
        let zone = network::require_parameter(zone.as_ref(), "AvailabilityZone")?;
        let Some(vpc) = vpc::find_default(cx)? else {
            return Err(errors::NO_DEFAULT_VPC
                .with_message("there is no default VPC; create one with CreateDefaultVpc"));
        };
        let others = find_in_vpc(cx, vpc.id())?;
        let in_zone = |subnet: &&Subnet| {
            subnet.default_for_az == Some(true) && subnet.availability_zone.as_ref() == Some(&zone)
        };
        if let Some(other) = others.iter().find(in_zone) {
            let message = format!("'{}' is already the default subnet in {zone}", other.id());
            return Err(errors::DEFAULT_SUBNET_EXISTS.with_message(message));
        }
        let used = others.iter().map(Subnet::range).collect::<Result<Vec<_>>>()?;
        let mut parts = vpc.range()?.split(DEFAULT_BITS);
        let Some(range) = parts.find(|part| !used.iter().any(|other| other.overlaps(*part))) else {
            let message =
                format!("{} has no free CIDR block with the prefix length /{DEFAULT_BITS}", vpc.id());
            return Err(errors::SUBNET_CONFLICT.with_message(message));
        };
        super::check_dry_run(self.dry_run)?;
        let subnet = Subnet::new(cx.scope(), ids::new(cx, Subnet::ID_PREFIX), vpc.id(), zone, range, true);
        cx.put_and_schedule_transition(subnet.clone())?;
        Ok(CreateSubnetResult { subnet: Some(subnet.described(cx)?) })
    }
}

/// Describes subnets, in order of their IDs.
#[operation(
    service = SERVICE, of = Subnet, call = "list", pages, gives(subnets, next_token), find(subnet_id in subnet_ids),
    narrow(filters = filters::with_pushed::<Subnet>),
    also(Filtered, Paged, DryRun), effect = read, output = Subnets, subject = "subnet/*"
)]
pub struct DescribeSubnets {
    /// IDs of the subnets.
    #[field(wire = "SubnetId")]
    pub subnet_ids: Option<Vec<Text>>,
}

nephos_core::page! {
    /// A page of subnets.
    #[record(name = "DescribeSubnetsResult")]
    pub struct Subnets { #[field(wire = "subnetSet")] subnets: Subnet, #[field(wire = "nextToken")] next_token }
}

impl Handler for DescribeSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Subnets> {
        let (ids, filters) = (("SubnetIds", self.subnet_ids.as_deref()), self.filters.as_deref());
        Ok(network::page::<Subnet>(cx, &self, ids, filters, self.dry_run)?.into())
    }
}

/// Deletes a subnet without network interfaces.
#[operation(
    service = SERVICE, of = Subnet, call = "delete", instance, also(DryRun), needs(subnet_id(wire = "SubnetId")),
    effect = write, output = Empty, subject = "subnet/{SubnetId}"
)]
pub struct DeleteSubnet {}

impl Handler for DeleteSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let subnet: Subnet = network::require(cx, &self.subnet_id, "SubnetId")?;
        if let Some(owner) = interface::find_owner_in_subnet(cx, subnet.id())? {
            let message = format!(
                "The subnet '{}' has dependencies and cannot be deleted: it is used by {owner}",
                subnet.id()
            );
            return Err(errors::DEPENDENCY.with_message(message).with_field("SubnetId"));
        }
        super::check_dry_run(self.dry_run)?;
        network::remove(cx, &subnet)?;
        Ok(Empty {})
    }
}

async fn vpc_of(subnet: &Subnet) -> Result<Option<Vpc>> {
    vpc::load_related(subnet, subnet.vpc_id.as_ref()).await
}

create_call! {
    /// Creates a subnet, with its tags.
    SubnetCreate: Subnet, stored as Subnet, created by CreateSubnet => |context, answer| answer.subnet
}

update_call!(SubnetUpdate: Subnet(subnet_id "SubnetId"), stored as Subnet, found by SubnetGet);
