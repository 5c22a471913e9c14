//! VPCs: networks of an account's own.

use super::{
    Empty, SERVICE, Tag, TagSpecification,
    cidr::Cidr,
    errors,
    filters::{self, Filter},
    ids,
    network::{self, Asked, Member},
    security_group::{self, Definition, SecurityGroup},
    settling::Settle,
    subnet::{self, Subnet},
    tagging,
};
use nephos_cloud::{Filterable, Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{
    Choice, Code, ErrorKind, Listing, Page, PageRequest, Record, Resource, Result, SignedDuration, Slot,
    Steppable, Steps, Text, datum::DatumType, operation,
};

/// The range of addresses of the VPC that every account has from the start.
pub(super) const DEFAULT_RANGE: &str = "172.31.0.0/16";

/// How long a VPC takes to become available.
const MAKING: SignedDuration = SignedDuration::from_secs(2);

/// Whether a VPC can be used.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum VpcState {
    /// It is being made.
    #[choice("pending")]
    Pending,
    /// It can.
    #[choice("available")]
    Available,
    /// It is being deleted.
    #[choice("deleting")]
    Deleting,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// On what hardware instances run.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum Tenancy {
    /// On that which others use, too.
    #[choice("default")]
    Default,
    /// On the account's own.
    #[choice("dedicated")]
    Dedicated,
    /// On a host that is named.
    #[choice("host")]
    Host,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A range of addresses of a VPC.
#[derive(Record)]
pub struct VpcCidrBlockAssociation {
    /// What its belonging to the VPC is known by.
    #[field(wire = "associationId")]
    association_id: Option<Text>,
    /// The range of addresses.
    #[field(wire = "cidrBlock")]
    cidr_block: Option<Text>,
    /// Whether it belongs to the VPC.
    #[field(wire = "cidrBlockState")]
    cidr_block_state: Option<VpcCidrBlockState>,
}

/// Whether a range of addresses belongs to a VPC.
#[derive(Record)]
pub struct VpcCidrBlockState {
    /// Whether it does.
    #[field(wire = "state")]
    state: Option<VpcCidrBlockStateCode>,
}

/// Whether a range of addresses belongs to a VPC.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum VpcCidrBlockStateCode {
    /// It is about to.
    #[choice("associating")]
    Associating,
    /// It does.
    #[choice("associated")]
    Associated,
    /// It is about to do so no more.
    #[choice("disassociating")]
    Disassociating,
    /// It does no more.
    #[choice("disassociated")]
    Disassociated,
    /// It is about to be clear that it cannot.
    #[choice("failing")]
    Failing,
    /// It cannot.
    #[choice("failed")]
    Failed,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A VPC: a network of the account's own.
#[derive(Resource)]
#[resource(
    service = SERVICE, absent = super::errors::VPC_NOT_FOUND,
    pk = "VpcId", mark = "VpcId", tags = "Tags", calls(Create, Get, List, Update, Delete),
    create = Create, update = Update, delete = Delete, get = Get,
    relation(subnets, many = Subnet, with = subnets_of),
    relation(security_groups, many = SecurityGroup, with = security_groups_of),
)]
pub struct Vpc {
    /// What it is known by.
    #[field(service_set, wire = "vpcId")]
    pub(super) vpc_id: Option<Text>,
    /// The range of its addresses, such as `10.0.0.0/16`.
    #[field(required, fixed, wire = "cidrBlock")]
    pub(super) cidr_block: Option<Text>,
    /// On what hardware its instances run.
    #[field(fixed, wire = "instanceTenancy")]
    pub(super) instance_tenancy: Option<Tenancy>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// Whether it is meant when none is named.
    #[field(service_set, wire = "isDefault")]
    pub(super) is_default: Option<bool>,
    /// Whether it can be used.
    #[field(service_set, wire = "state")]
    pub(super) state: Option<VpcState>,
    /// The account that it belongs to.
    #[field(service_set, wire = "ownerId")]
    owner_id: Option<Text>,
    /// What tells its instances their names.
    #[field(service_set, wire = "dhcpOptionsId")]
    dhcp_options_id: Option<Text>,
    /// All ranges of its addresses.
    #[field(service_set, wire = "cidrBlockAssociationSet")]
    cidr_block_association_set: Option<Vec<VpcCidrBlockAssociation>>,
    slot: Slot,
}

impl Stored for Vpc {
    const TABLE: &'static str = "ec2/vpc";

    fn identify(&self, key: Key) -> Key {
        key.text(self.id())
    }

    fn shed(&mut self) {
        (self.vpc_id, self.owner_id, self.dhcp_options_id, self.cidr_block_association_set) =
            (None, None, None, None);
    }

    fn restore(&mut self, scope: &Scope, mut identity: Parts<'_>) {
        self.settle_in(scope, identity.text().unwrap_or_default());
    }
}

impl Vpc {
    /// A new VPC.
    fn made(scope: &Scope, id: Text, cidr: Cidr, is_default: bool) -> Self {
        let mut vpc = Self::blank();
        vpc.cidr_block = Some(cidr.to_string().into());
        vpc.instance_tenancy = Some(Tenancy::Default);
        (vpc.is_default, vpc.state) = (Some(is_default), Some(VpcState::Pending));
        vpc.settle_in(scope, id);
        vpc
    }

    /// Puts in what follows from the rest.
    fn settle_in(&mut self, scope: &Scope, id: Text) {
        let digits = id.strip_prefix("vpc-").unwrap_or_default();
        self.cidr_block_association_set = Some(vec![VpcCidrBlockAssociation {
            association_id: Some(["vpc-cidr-assoc-", digits].concat().into()),
            cidr_block: self.cidr_block.clone(),
            cidr_block_state: Some(VpcCidrBlockState { state: Some(VpcCidrBlockStateCode::Associated) }),
        }]);
        self.dhcp_options_id = Some(ids::initial(scope, "dopt", ""));
        self.owner_id = Some(scope.account().into());
        self.vpc_id = Some(id);
    }

    /// The range of its addresses.
    pub(super) fn range(&self) -> Result<Cidr> {
        subnet::range_of(&self.cidr_block)
    }
}

impl Member for Vpc {
    type Told = Self;
    const WORD: &'static str = "vpc";
    const RESOURCE: &'static str = "vpc";
    const NOT_FOUND: &'static Code = &errors::VPC_NOT_FOUND;
    const MALFORMED: &'static Code = &errors::VPC_MALFORMED;

    fn id(&self) -> &str {
        self.vpc_id.as_deref().unwrap_or_default()
    }

    fn tags(&mut self) -> &mut Option<Vec<Tag>> {
        &mut self.tags
    }

    fn initial(scope: &Scope) -> Vec<Self> {
        let range = DEFAULT_RANGE.parse().expect("it is a range");
        let mut vpc = Self::made(scope, ids::initial(scope, Self::WORD, ""), range, true);
        vpc.state = Some(VpcState::Available);
        vec![vpc]
    }

    fn told(self, _cx: &Tx<'_>) -> Result<Self> {
        Ok(self)
    }
}

impl Filterable for Vpc {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("cidr", "CidrBlock"),
        ("cidr-block-association.association-id", "CidrBlockAssociationSet.AssociationId"),
        ("cidr-block-association.cidr-block", "CidrBlockAssociationSet.CidrBlock"),
        ("cidr-block-association.state", "CidrBlockAssociationSet.CidrBlockState.State"),
        ("dhcp-options-id", "DhcpOptionsId"),
        ("is-default", "IsDefault"),
        ("isDefault", "IsDefault"),
        ("owner-id", "OwnerId"),
        ("state", "State"),
        ("vpc-id", "VpcId"),
    ];
}

/// The VPC that is meant when none is named.
pub(super) fn default(cx: &Tx<'_>) -> Result<Option<Vpc>> {
    if let Some(first) = network::find(cx, &ids::initial(cx.scope(), Vpc::WORD, ""))? {
        return Ok(Some(first));
    }
    Ok(network::all::<Vpc>(cx, |vpc| vpc.is_default == Some(true))?.pop())
}

/// The answer of an operation about one VPC.
#[derive(Record)]
#[record(name = "CreateVpcResult")]
pub struct OneVpc {
    /// The VPC.
    #[field(wire = "vpc")]
    vpc: Option<Vpc>,
}

/// Creates a VPC, with its default security group.
#[operation(service = SERVICE, effect = write, output = OneVpc, subject = "vpc/*")]
pub struct CreateVpc {
    /// The range of its addresses.
    pub cidr_block: Option<Text>,
    /// Its tags.
    #[field(wire = "TagSpecification")]
    pub tag_specifications: Option<Vec<TagSpecification>>,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
    /// On what hardware its instances run.
    #[field(wire = "instanceTenancy")]
    pub instance_tenancy: Option<Tenancy>,
}

impl Handler for CreateVpc {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneVpc> {
        let text = network::given(self.cidr_block.as_ref(), "CidrBlock")?;
        let cidr = subnet::read_range(&text)?;
        if !(16..=28).contains(&cidr.bits()) {
            let why = format!("The CIDR '{text}' is invalid: a VPC shares 16 to 28 bits");
            return Err(errors::VPC_RANGE.because(why).with_field("CidrBlock"));
        }
        if self.instance_tenancy == Some(Tenancy::Host) {
            let why = "a VPC has default or dedicated tenancy";
            return Err(errors::INVALID.because(why).with_field("InstanceTenancy"));
        }
        let tags = tagging::specified::<Vpc>(self.tag_specifications.as_deref())?;
        super::only_to_try(self.dry_run)?;
        let mut vpc = Vpc::made(cx.scope(), ids::new(cx, Vpc::WORD), cidr, false);
        vpc.instance_tenancy = self.instance_tenancy.or(vpc.instance_tenancy);
        vpc.tags = tags;
        put(cx, &vpc)?;
        Ok(OneVpc { vpc: Some(vpc) })
    }
}

/// Puts a new VPC, with its default security group.
fn put(cx: &mut Tx<'_>, vpc: &Vpc) -> Result<()> {
    cx.put(vpc.clone())?;
    let group = Definition::of_vpc(ids::new(cx, Definition::WORD), vpc.id(), |_| ids::new(cx, "sgr"));
    cx.put(group)?;
    cx.settle(MAKING, &Settle::of(vpc.id(), "pending"))
}

/// Makes a default VPC, with a subnet in each zone, where it was deleted.
#[operation(service = SERVICE, effect = write, output = OneVpc, subject = "vpc/*")]
pub struct CreateDefaultVpc {
    /// Only to try.
    pub dry_run: Option<bool>,
}

impl Handler for CreateDefaultVpc {
    fn run(self, cx: &mut Tx<'_>) -> Result<OneVpc> {
        if let Some(vpc) = default(cx)? {
            return Err(errors::DEFAULT_VPC_EXISTS.because(format!("{} is the default VPC", vpc.id())));
        }
        super::only_to_try(self.dry_run)?;
        let range = DEFAULT_RANGE.parse().expect("it is a range");
        let vpc = Vpc::made(cx.scope(), ids::new(cx, Vpc::WORD), range, true);
        put(cx, &vpc)?;
        subnet::put_defaults(cx, &vpc)?;
        Ok(OneVpc { vpc: Some(vpc) })
    }
}

/// Describes VPCs, in order of their ids.
#[operation(service = SERVICE, effect = read, output = Vpcs, subject = "vpc/*")]
pub struct DescribeVpcs {
    /// Only those that pass all of these.
    #[field(wire = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// Only these.
    #[field(wire = "VpcId")]
    pub vpc_ids: Option<Vec<Text>>,
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

/// A page of VPCs.
#[derive(Record)]
#[record(name = "DescribeVpcsResult")]
pub struct Vpcs {
    /// Where this page ends.
    #[field(wire = "nextToken")]
    next_token: Option<Text>,
    /// The VPCs.
    #[field(wire = "vpcSet")]
    vpcs: Option<Vec<Vpc>>,
}

impl Handler for DescribeVpcs {
    fn run(self, cx: &mut Tx<'_>) -> Result<Vpcs> {
        let asked = Asked {
            ids: ("VpcIds", self.vpc_ids.as_deref()),
            filters: self.filters.as_deref(),
            token: self.next_token.as_deref(),
            limit: self.max_results,
            dry_run: self.dry_run,
        };
        let (vpcs, next_token) = network::page::<Vpc>(cx, &self, &asked)?;
        Ok(Vpcs { next_token, vpcs: Some(vpcs) })
    }
}

/// Deletes a VPC, which must have no subnets and no security groups but its default one.
#[operation(service = SERVICE, effect = write, output = Empty, subject = "vpc/{VpcId}")]
pub struct DeleteVpc {
    /// Its id.
    pub vpc_id: Text,
    /// Only to try.
    #[field(wire = "dryRun")]
    pub dry_run: Option<bool>,
}

impl Handler for DeleteVpc {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let vpc: Vpc = network::require(cx, &self.vpc_id, "VpcId")?;
        let subnets = subnet::of_vpc(cx, vpc.id())?;
        let groups = security_group::of_vpc(cx, vpc.id())?;
        let used_by = subnets.first().map(|subnet| subnet.id());
        let used_by =
            used_by.or_else(|| groups.iter().find(|group| !group.is_default()).map(|group| group.id()));
        if let Some(used_by) = used_by {
            let why =
                format!("The vpc '{}' has dependencies and cannot be deleted: {used_by} is in it", vpc.id());
            return Err(errors::DEPENDENCY.because(why).with_field("VpcId"));
        }
        super::only_to_try(self.dry_run)?;
        network::remove(cx, &vpc)?;
        groups.iter().try_for_each(|group| network::remove(cx, group))?;
        Ok(Empty {})
    }
}

async fn subnets_of(vpc: &Vpc) -> Result<Vec<Subnet>> {
    let filter = Filter::exactly("vpc-id", vpc.vpc_id.iter());
    if vpc.vpc_id.is_none() {
        return Ok(Vec::new());
    }
    Subnet::objects(vpc.require_session()?).list().filters(vec![filter]).results().await
}

async fn security_groups_of(vpc: &Vpc) -> Result<Vec<SecurityGroup>> {
    let filter = Filter::exactly("vpc-id", vpc.vpc_id.iter());
    if vpc.vpc_id.is_none() {
        return Ok(Vec::new());
    }
    SecurityGroup::objects(vpc.require_session()?).list().filters(vec![filter]).results().await
}

/// The VPC with that id, which must exist.
async fn found(steps: &Steps, id: Text) -> Result<Vpc> {
    let found = steps.call(DescribeVpcs::new().vpc_ids(vec![id])).await?;
    found
        .vpcs
        .and_then(|mut vpcs| vpcs.pop())
        .ok_or_else(|| errors::VPC_NOT_FOUND.because("there is no such VPC"))
}

/// Creates a VPC, with its tags.
#[operation(kind = Vpc, call = "create", case = "snake", effect = write, output = Vpc)]
pub struct Create {
    /// The VPC.
    #[field(model)]
    pub model: Vpc,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Vpc> {
        let vpc = &self.model;
        let create = CreateVpc::new()
            .cidr_block(vpc.cidr_block.clone())
            .instance_tenancy(vpc.instance_tenancy.clone())
            .tag_specifications(TagSpecification::of::<Vpc>(&vpc.tags));
        let created = steps.call(create).await?;
        created.vpc.ok_or_else(|| errors::VPC_NOT_FOUND.because("the service did not tell the VPC it made"))
    }
}

/// The VPCs, in order of their ids.
#[operation(kind = Vpc, call = "list", effect = read, output = Page<Vpc>, pages)]
pub struct List {
    /// Only these.
    pub vpc_ids: Option<Vec<Text>>,
    /// Only those that pass all of these.
    pub filters: Option<Vec<Filter>>,
    /// How many to fetch at a time.
    #[field(page_size, range(5..=1000))]
    pub max_results: Option<i64>,
}

impl Listing for List {
    type Model = Vpc;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Vpc>> {
        let describe = DescribeVpcs::new()
            .vpc_ids(self.vpc_ids.clone())
            .filters(filters::RULES.with_pushed::<Vpc, _>(self.filters.as_deref(), &request.filter))
            .max_results(self.max_results)
            .next_token(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.vpcs.unwrap_or_default(), next_token: found.next_token })
    }
}

/// Deletes a VPC, which must have no subnets and no security groups but its default one.
#[operation(kind = Vpc, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its id.
    pub vpc_id: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteVpc::new(self.vpc_id.clone())).await?;
        Ok(())
    }
}

tagging::calls!(Vpc, vpc_id, "VpcId", found);
