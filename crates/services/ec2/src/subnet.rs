//! Subnets: ranges of a VPC's addresses, each in one zone.

use super::{
    Empty, SERVICE, Tag, TagSpecification,
    cidr::Cidr,
    errors,
    filters::{self, Filter},
    ids, interface,
    network::{self, Asked, Member},
    settling::Settle,
    tagging,
    vpc::{self, Vpc},
    zones,
};
use nephos_cloud::{Filterable, Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{
    Arn, Choice, Code, Error, ErrorKind, Listing, Page, PageRequest, Record, Resource, Result,
    SignedDuration, Slot, Steppable, Steps, Text, datum::DatumType, operation,
};

/// How many bits the addresses of a default subnet share.
const DEFAULT_BITS: u8 = 20;

/// How long a subnet takes to become available.
const MAKING: SignedDuration = SignedDuration::from_secs(2);

/// Whether a subnet can be used.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum SubnetState {
    /// It is being made.
    #[choice("pending")]
    Pending,
    /// It can.
    #[choice("available")]
    Available,
    /// It cannot.
    #[choice("unavailable")]
    Unavailable,
    /// It could not be made.
    #[choice("failed")]
    Failed,
    /// There was no room to make it.
    #[choice("failed-insufficient-capacity")]
    FailedInsufficientCapacity,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A subnet: a range of a VPC's addresses, in one zone.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::SUBNET_NOT_FOUND,
    arn = "SubnetArn", pk = "SubnetId", mark = "SubnetId", tags = "Tags",
    calls(Create, Get, List, Update, Delete), create = Create, update = Update, delete = Delete, get = Get,
    relation(vpc, one = Vpc, with = vpc_of),
)]
pub struct Subnet {
    /// What it is known by.
    #[field(service_set, wire = "subnetId")]
    pub(super) subnet_id: Option<Text>,
    /// The VPC that it is in.
    #[field(required, fixed, wire = "vpcId")]
    pub(super) vpc_id: Option<Text>,
    /// The range of its addresses, within the VPC's.
    #[field(required, fixed, wire = "cidrBlock")]
    cidr_block: Option<Text>,
    /// The zone that it is in, by name.
    #[field(fixed, wire = "availabilityZone")]
    pub(super) availability_zone: Option<Text>,
    /// The zone that it is in, by id.
    #[field(fixed, wire = "availabilityZoneId")]
    pub(super) availability_zone_id: Option<Text>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// How many addresses are free.
    #[field(service_set, wire = "availableIpAddressCount")]
    available_ip_address_count: Option<i64>,
    /// Whether it is meant when none is named in its zone.
    #[field(service_set, wire = "defaultForAz")]
    pub(super) default_for_az: Option<bool>,
    /// Whether its instances get public addresses.
    #[field(service_set, wire = "mapPublicIpOnLaunch")]
    pub(super) map_public_ip_on_launch: Option<bool>,
    /// Whether it can be used.
    #[field(service_set, wire = "state")]
    pub(super) state: Option<SubnetState>,
    /// The account that it belongs to.
    #[field(service_set, wire = "ownerId")]
    owner_id: Option<Text>,
    /// Resource name.
    #[field(service_set, wire = "subnetArn")]
    subnet_arn: Option<Text>,
    slot: Slot,
}

impl Stored for Subnet {
    const TABLE: &'static str = "ec2/subnet";

    fn identify(&self, key: Key) -> Key {
        key.text(self.id())
    }

    fn shed(&mut self) {
        (self.subnet_id, self.owner_id, self.subnet_arn) = (None, None, None);
        (self.available_ip_address_count, self.availability_zone_id) = (None, None);
    }

    fn restore(&mut self, scope: &Scope, mut identity: Parts<'_>) {
        self.settle_in(scope, identity.text().unwrap_or_default());
    }
}

impl Subnet {
    /// A new subnet.
    fn made(scope: &Scope, id: Text, vpc: &str, zone: Text, cidr: Cidr, is_default: bool) -> Self {
        let mut subnet = Self::blank();
        (subnet.vpc_id, subnet.cidr_block) = (Some(vpc.into()), Some(cidr.to_string().into()));
        subnet.availability_zone = Some(zone);
        (subnet.default_for_az, subnet.map_public_ip_on_launch) = (Some(is_default), Some(is_default));
        subnet.state = Some(SubnetState::Pending);
        subnet.settle_in(scope, id);
        subnet
    }

    /// Puts in what follows from the rest.
    fn settle_in(&mut self, scope: &Scope, id: Text) {
        self.availability_zone_id =
            self.availability_zone.as_deref().and_then(|zone| zones::id_of(scope, zone));
        self.owner_id = Some(scope.account().into());
        self.subnet_arn = Some(arn_of(scope, &id).into());
        self.subnet_id = Some(id);
    }

    /// The range of its addresses.
    pub(super) fn range(&self) -> Result<Cidr> {
        range_of(&self.cidr_block)
    }
}

impl Member for Subnet {
    type Told = Self;
    const WORD: &'static str = "subnet";
    const RESOURCE: &'static str = "subnet";
    const NOT_FOUND: &'static Code = &errors::SUBNET_NOT_FOUND;
    const MALFORMED: &'static Code = &errors::SUBNET_MALFORMED;

    fn id(&self) -> &str {
        self.subnet_id.as_deref().unwrap_or_default()
    }

    fn tags(&mut self) -> &mut Option<Vec<Tag>> {
        &mut self.tags
    }

    fn initial(scope: &Scope) -> Vec<Self> {
        let vpc = ids::initial(scope, Vpc::WORD, "");
        let whole: Cidr = vpc::DEFAULT_RANGE.parse().expect("it is a range");
        let made = zones::names(scope).zip(whole.parts(DEFAULT_BITS)).map(|(zone, range)| {
            let id = ids::initial(scope, Self::WORD, &zone);
            let mut subnet = Self::made(scope, id, &vpc, zone, range, true);
            subnet.state = Some(SubnetState::Available);
            subnet
        });
        made.collect()
    }

    fn told(mut self, cx: &Tx<'_>) -> Result<Self> {
        self.available_ip_address_count = Some(interface::free(cx, &self)?);
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

/// The range that a row tells.
pub(super) fn range_of(cidr: &Option<Text>) -> Result<Cidr> {
    let range = cidr.as_deref().and_then(|cidr| cidr.parse().ok());
    range.ok_or_else(|| Error::new(ErrorKind::Corrupt, "a row has no range of addresses"))
}

/// The range that a caller gives as a CidrBlock.
pub(super) fn read_range(text: &str) -> Result<Cidr> {
    let wrong = |()| {
        let why = format!(
            "Value ({text}) is invalid. This is not a valid CIDR block: it is written like 10.0.0.0/16"
        );
        errors::INVALID.because(why).with_field("CidrBlock")
    };
    text.parse().map_err(wrong)
}

/// The subnets of a VPC.
pub(super) fn of_vpc(cx: &Tx<'_>, vpc: &str) -> Result<Vec<Subnet>> {
    network::all(cx, |subnet: &Subnet| subnet.vpc_id.as_deref() == Some(vpc))
}

/// The subnets that are meant when none is named, in order of their zones.
pub(super) fn defaults(cx: &Tx<'_>) -> Result<Vec<Subnet>> {
    let mut found = network::all(cx, |subnet: &Subnet| subnet.default_for_az == Some(true))?;
    found.sort_by(|a, b| a.availability_zone.cmp(&b.availability_zone));
    Ok(found)
}

/// Puts a subnet into each zone of a new default VPC.
pub(super) fn put_defaults(cx: &mut Tx<'_>, vpc: &Vpc) -> Result<()> {
    let ranges = vpc.range()?.parts(DEFAULT_BITS);
    for (zone, range) in zones::names(&cx.scope().clone()).zip(ranges) {
        let subnet = Subnet::made(cx.scope(), ids::new(cx, Subnet::WORD), vpc.id(), zone, range, true);
        put(cx, &subnet)?;
    }
    Ok(())
}

fn put(cx: &mut Tx<'_>, subnet: &Subnet) -> Result<()> {
    cx.put(subnet.clone())?;
    cx.settle(MAKING, &Settle::of(subnet.id(), "pending"))
}

fn arn_of(scope: &Scope, id: &str) -> Arn {
    scope.arn("ec2", &["subnet/", id])
}

/// The answer of an operation about one subnet.
#[derive(Record)]
#[record(name = "CreateSubnetResult")]
pub struct OneSubnet {
    /// The subnet.
    #[field(wire = "subnet")]
    subnet: Option<Subnet>,
}

/// Creates a subnet.
#[operation(service = SERVICE, effect = write, output = OneSubnet, subject = "subnet/*")]
pub struct CreateSubnet {
    /// Its tags.
    #[field(wire = "TagSpecification")]
    pub tag_specifications: Option<Vec<TagSpecification>>,
    /// The zone or Local Zone, by name; any zone if neither is said.
    pub availability_zone: Option<Text>,
    /// The zone, by id.
    pub availability_zone_id: Option<Text>,
    /// The range of its addresses.
    pub cidr_block: Option<Text>,
    /// The VPC.
    pub vpc_id: Text,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

impl Handler for CreateSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneSubnet> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        let text = network::given(self.cidr_block.as_ref(), "CidrBlock")?;
        let range = read_range(&text)?;
        let refused = |code: &'static Code, why: String| Err(code.because(why).with_field("CidrBlock"));
        if !(16..=28).contains(&range.bits()) {
            let why = format!("The CIDR '{text}' is invalid: a subnet shares 16 to 28 bits");
            return refused(&errors::SUBNET_RANGE, why);
        }
        if !vpc.range()?.contains(range) {
            let why =
                format!("The CIDR '{range}' is invalid: the addresses of {} are {}", vpc.id(), vpc.range()?);
            return refused(&errors::SUBNET_RANGE, why);
        }
        for other in of_vpc(cx, vpc.id())? {
            if other.range()?.overlaps(range) {
                let why = format!("The CIDR '{range}' conflicts with another subnet, {}", other.id());
                return refused(&errors::SUBNET_CONFLICT, why);
            }
        }
        let (name, id) = (self.availability_zone.as_deref(), self.availability_zone_id.as_deref());
        let zone = zones::named_anywhere(cx.scope(), name, id)?.or_else(|| zones::names(cx.scope()).next());
        let tags = tagging::specified::<Subnet>(self.tag_specifications.as_deref())?;
        super::only_to_try(self.dry_run)?;
        let id = ids::new(cx, Subnet::WORD);
        let mut subnet = Subnet::made(cx.scope(), id, vpc.id(), zone.unwrap_or_default(), range, false);
        subnet.tags = tags;
        put(cx, &subnet)?;
        Ok(OneSubnet { subnet: Some(subnet.told(cx)?) })
    }
}

/// Makes a default subnet in a zone of the default VPC, where it was deleted.
#[operation(service = SERVICE, effect = write, output = OneSubnet, subject = "subnet/*")]
pub struct CreateDefaultSubnet {
    /// The zone, by name.
    pub availability_zone: Option<Text>,
    /// The zone, by id.
    pub availability_zone_id: Option<Text>,
    /// Only to try.
    pub dry_run: Option<bool>,
}

impl Handler for CreateDefaultSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneSubnet> {
        let (name, id) = (self.availability_zone.as_deref(), self.availability_zone_id.as_deref());
        let zone = zones::named(cx.scope(), name, id)?;
        let zone = network::given(zone.as_ref(), "AvailabilityZone")?;
        let Some(vpc) = vpc::default(cx)? else {
            return Err(
                errors::NO_DEFAULT_VPC.because("there is no default VPC; make one with CreateDefaultVpc")
            );
        };
        let others = of_vpc(cx, vpc.id())?;
        let in_zone = |subnet: &&Subnet| {
            subnet.default_for_az == Some(true) && subnet.availability_zone.as_ref() == Some(&zone)
        };
        if let Some(other) = others.iter().find(in_zone) {
            let why = format!("{} is the default subnet in {zone}", other.id());
            return Err(errors::DEFAULT_SUBNET_EXISTS.because(why));
        }
        let taken = others.iter().map(Subnet::range).collect::<Result<Vec<_>>>()?;
        let mut parts = vpc.range()?.parts(DEFAULT_BITS);
        let Some(range) = parts.find(|part| !taken.iter().any(|other| other.overlaps(*part))) else {
            let why = format!("{} has no range of {DEFAULT_BITS} shared bits left", vpc.id());
            return Err(errors::SUBNET_CONFLICT.because(why));
        };
        super::only_to_try(self.dry_run)?;
        let subnet = Subnet::made(cx.scope(), ids::new(cx, Subnet::WORD), vpc.id(), zone, range, true);
        put(cx, &subnet)?;
        Ok(OneSubnet { subnet: Some(subnet.told(cx)?) })
    }
}

/// Describes subnets, in order of their ids.
#[operation(service = SERVICE, effect = read, output = Subnets, subject = "subnet/*")]
pub struct DescribeSubnets {
    /// Only those that pass all of these.
    #[field(wire = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// Only these.
    #[field(wire = "SubnetId")]
    pub subnet_ids: Option<Vec<Text>>,
    /// Where the page before ended.
    #[field(page_token)]
    pub next_token: Option<Text>,
    /// How many at most.
    #[field(page_size, range(5..=1000))]
    pub max_results: Option<i64>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

/// A page of subnets.
#[derive(Record)]
#[record(name = "DescribeSubnetsResult")]
pub struct Subnets {
    /// Where this page ends.
    #[field(wire = "nextToken")]
    next_token: Option<Text>,
    /// The subnets.
    #[field(wire = "subnetSet")]
    subnets: Option<Vec<Subnet>>,
}

impl Handler for DescribeSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Subnets> {
        let asked = Asked {
            ids: ("SubnetIds", self.subnet_ids.as_deref()),
            filters: self.filters.as_deref(),
            token: self.next_token.as_deref(),
            limit: self.max_results,
            dry_run: self.dry_run,
        };
        let (subnets, next_token) = network::page::<Subnet>(cx, &self, &asked)?;
        Ok(Subnets { next_token, subnets: Some(subnets) })
    }
}

/// Deletes a subnet of which no address is in use.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "subnet/{SubnetId}")]
pub struct DeleteSubnet {
    /// Its id.
    pub subnet_id: Text,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

impl Handler for DeleteSubnet {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let subnet: Subnet = network::require(cx, &self.subnet_id, "SubnetId")?;
        if let Some(owner) = interface::any_within(cx, subnet.id())? {
            let why = format!(
                "The subnet '{}' has dependencies and cannot be deleted: {owner} is in it",
                subnet.id()
            );
            return Err(errors::DEPENDENCY.because(why).with_field("SubnetId"));
        }
        super::only_to_try(self.dry_run)?;
        network::remove(cx, &subnet)?;
        Ok(Empty {})
    }
}

async fn vpc_of(subnet: &Subnet) -> Result<Option<Vpc>> {
    let Some(id) = &subnet.vpc_id else { return Ok(None) };
    Vpc::objects(subnet.require_session()?).get(id.clone()).await
}

/// The subnet with that id, which must exist.
async fn found(steps: &Steps, id: Text) -> Result<Subnet> {
    let found = steps.call(DescribeSubnets::new().subnet_ids(vec![id])).await?;
    let found = found.subnets.and_then(|mut subnets| subnets.pop());
    found.ok_or_else(|| errors::SUBNET_NOT_FOUND.because("there is no such subnet"))
}

/// Creates a subnet, with its tags.
#[operation(kind = Subnet, call = "create", case = "snake", effect = write, output = Subnet)]
pub struct Create {
    /// The subnet.
    #[field(model)]
    pub model: Subnet,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Subnet> {
        let subnet = &self.model;
        let create = CreateSubnet::new(network::given(subnet.vpc_id.as_ref(), "VpcId")?)
            .cidr_block(subnet.cidr_block.clone())
            .availability_zone(subnet.availability_zone.clone())
            .availability_zone_id(subnet.availability_zone_id.clone())
            .tag_specifications(TagSpecification::of::<Subnet>(&subnet.tags));
        let created = steps.call(create).await?;
        created
            .subnet
            .ok_or_else(|| errors::SUBNET_NOT_FOUND.because("the service did not tell the subnet it made"))
    }
}

/// The subnets, in order of their ids.
#[operation(kind = Subnet, call = "list", effect = read, output = Page<Subnet>, pages)]
pub struct List {
    /// Only these.
    pub subnet_ids: Option<Vec<Text>>,
    /// Only those that pass all of these.
    pub filters: Option<Vec<Filter>>,
    /// How many to fetch at a time.
    #[field(page_size, range(5..=1000))]
    pub max_results: Option<i64>,
}

impl Listing for List {
    type Model = Subnet;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Subnet>> {
        let describe = DescribeSubnets::new()
            .subnet_ids(self.subnet_ids.clone())
            .filters(filters::RULES.with_pushed::<Subnet, _>(self.filters.as_deref(), &request.filter))
            .max_results(self.max_results)
            .next_token(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.subnets.unwrap_or_default(), next_token: found.next_token })
    }
}

/// Deletes a subnet of which no address is in use.
#[operation(kind = Subnet, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its id.
    pub subnet_id: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteSubnet::new(self.subnet_id.clone())).await?;
        Ok(())
    }
}

tagging::calls!(Subnet, subnet_id, "SubnetId", found);
