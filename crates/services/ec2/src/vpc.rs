//! VPCs: virtual networks of an account.

use super::{
    Filter, Tag, errors,
    network::{
        self, Cidr, Cidr6, Member, ids,
        ipv6::{BlockPublicAccessStates, VpcIpv6CidrBlockAssociation},
    },
    security_group::SecurityGroup,
    subnet::{self, Subnet},
};
use nephos_cloud::{Filterable, Scope, Tx};
use nephos_core::{Choice, Error, Record, Resource, Result, Slot, Text, choices, field_value::FieldType};

mod attributes;
mod encryption;
mod operations;

pub use attributes::*;
pub use encryption::*;
pub use operations::*;

/// CIDR block of the default VPC.
pub(super) const DEFAULT_RANGE: &str = "172.31.0.0/16";

choices! {
    /// State of a VPC.
    pub enum VpcState {
        /// It is being created.
        Pending = "pending",
        /// It can be used.
        Available = "available",
        /// It is being deleted.
        Deleting = "deleting",
    }
}

choices! {
    /// Hardware that instances run on.
    pub enum Tenancy {
        /// Hardware shared with other accounts.
        Default = "default",
        /// Hardware for the account alone.
        Dedicated = "dedicated",
        /// A dedicated host.
        Host = "host",
    }
}

/// A CIDR block of a VPC.
#[derive(Record)]
#[record(wire = "camel")]
pub struct VpcCidrBlockAssociation {
    /// ID of the association.
    association_id: Option<Text>,
    /// CIDR block.
    cidr_block: Option<Text>,
    /// State of the association.
    cidr_block_state: Option<VpcCidrBlockState>,
}

/// State of the association of a CIDR block with a VPC.
#[derive(Record)]
pub struct VpcCidrBlockState {
    /// State.
    #[field(wire = "state")]
    state: Option<VpcCidrBlockStateCode>,
    /// Message about the state.
    #[field(wire = "statusMessage")]
    status_message: Option<Text>,
}

impl VpcCidrBlockState {
    /// Creates a state without a message.
    pub(super) fn new(state: VpcCidrBlockStateCode) -> Self {
        Self { state: Some(state), status_message: None }
    }
}

choices! {
    /// State of the association of a CIDR block with a VPC.
    pub enum VpcCidrBlockStateCode {
        /// It is being associated.
        Associating = "associating",
        /// It is associated.
        Associated = "associated",
        /// It is being disassociated.
        Disassociating = "disassociating",
        /// It was disassociated.
        Disassociated = "disassociated",
        /// Its association is failing.
        Failing = "failing",
        /// Its association failed.
        Failed = "failed",
    }
}

/// A VPC: a virtual network of an account.
#[derive(Resource)]
#[resource(
    wire = "camel", arn("vpc/{VpcId}"), pk = "VpcId", exists_if = "VpcId", tags = "Tags",
    not_found = |id| errors::vpc_not_found(id),
    relation(subnets, many = Subnet, with = subnets_of),
    relation(security_groups, many = SecurityGroup, with = security_groups_of)
)]
pub struct Vpc {
    /// ID.
    #[field(service_set)]
    pub(super) vpc_id: Option<Text>,
    /// CIDR block, such as `10.0.0.0/16`.
    #[field(required, fixed)]
    pub(super) cidr_block: Option<Text>,
    /// Hardware that instances in the VPC run on; `default` by default.
    #[field(fixed)]
    pub(super) instance_tenancy: Option<Tenancy>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// True for the default VPC.
    #[field(service_set)]
    pub(super) is_default: Option<bool>,
    /// State.
    #[field(service_set)]
    pub(super) state: Option<VpcState>,
    /// Account of the owner.
    #[field(service_set)]
    owner_id: Option<Text>,
    /// ID of the DHCP options.
    #[field(service_set)]
    dhcp_options_id: Option<Text>,
    /// All CIDR blocks.
    #[field(service_set)]
    cidr_block_association_set: Option<Vec<VpcCidrBlockAssociation>>,
    /// IPv6 CIDR blocks.
    #[field(service_set)]
    ipv6_cidr_block_association_set: Option<Vec<VpcIpv6CidrBlockAssociation>>,
    /// Encryption control.
    #[field(service_set)]
    encryption_control: Option<VpcEncryptionControl>,
    /// Block of access to and from the internet.
    #[field(service_set)]
    block_public_access_states: Option<BlockPublicAccessStates>,
    slot: Slot,
}

nephos_cloud::stored! {
    Vpc in "ec2/vpc" by vpc_id;
    derived(owner_id, dhcp_options_id, cidr_block_association_set, block_public_access_states) => set_derived;
    states("State": "pending" => "available" 2);
}

impl Vpc {
    /// Creates a VPC in the state `pending`.
    fn new(scope: &Scope, id: Text, cidr: Cidr, is_default: bool) -> Self {
        let mut vpc = Self::blank();
        vpc.cidr_block = Some(cidr.to_string().into());
        vpc.instance_tenancy = Some(Tenancy::Default);
        (vpc.is_default, vpc.state, vpc.vpc_id) = (Some(is_default), Some(VpcState::Pending), Some(id));
        vpc.set_derived(scope);
        vpc
    }

    /// Sets the fields that are derived from other fields and the scope.
    fn set_derived(&mut self, scope: &Scope) {
        let digits = self.id().strip_prefix("vpc-").unwrap_or_default();
        self.cidr_block_association_set = Some(vec![VpcCidrBlockAssociation {
            association_id: Some(["vpc-cidr-assoc-", digits].concat().into()),
            cidr_block: self.cidr_block.clone(),
            cidr_block_state: Some(VpcCidrBlockState::new(VpcCidrBlockStateCode::Associated)),
        }]);
        self.block_public_access_states = Some(BlockPublicAccessStates::off());
        self.dhcp_options_id = Some(ids::default_id(scope, "dopt", ""));
        self.owner_id = Some(scope.account().into());
    }

    /// CIDR block of the VPC.
    pub(super) fn range(&self) -> Result<Cidr> {
        subnet::parse_stored_cidr(&self.cidr_block)
    }

    /// IPv6 CIDR block of the VPC.
    pub(super) fn range6(&self) -> Option<Cidr6> {
        self.ipv6_cidr_block_association_set.iter().flatten().find_map(VpcIpv6CidrBlockAssociation::block)
    }
}

impl Member for Vpc {
    type Described = Self;

    const ID_PREFIX: &'static str = "vpc";
    const MALFORMED: fn(&str) -> Error = |id| errors::vpc_malformed(id);

    fn id(&self) -> &str {
        self.vpc_id.as_deref().unwrap_or_default()
    }

    fn default_members(scope: &Scope) -> Vec<Self> {
        let range = DEFAULT_RANGE.parse().expect("the constant is a CIDR block");
        let mut vpc = Self::new(scope, ids::default_id(scope, Self::ID_PREFIX, ""), range, true);
        vpc.state = Some(VpcState::Available);
        vec![vpc]
    }

    fn condition_values(&self, _scope: &Scope) -> Vec<(&'static str, Option<Text>)> {
        let tenancy = self.instance_tenancy.as_ref().map(|tenancy| tenancy.as_str().into());
        vec![("ec2:VpcID", self.vpc_id.clone()), ("ec2:Tenancy", tenancy)]
    }

    fn described(self, _cx: &Tx<'_>) -> Result<Self> {
        Ok(self)
    }
}

impl Filterable for Vpc {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("cidr", "CidrBlock"),
        ("cidr-block", "CidrBlock"),
        ("cidrBlock", "CidrBlock"),
        ("cidr-block-association.association-id", "CidrBlockAssociationSet.AssociationId"),
        ("cidr-block-association.cidr-block", "CidrBlockAssociationSet.CidrBlock"),
        ("cidr-block-association.state", "CidrBlockAssociationSet.CidrBlockState.State"),
        ("dhcp-options-id", "DhcpOptionsId"),
        ("dhcpOptionsId", "DhcpOptionsId"),
        ("ipv6-cidr-block-association.association-id", "Ipv6CidrBlockAssociationSet.AssociationId"),
        ("ipv6-cidr-block-association.ipv6-cidr-block", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlock"),
        ("ipv6-cidr-block-association.ipv6-pool", "Ipv6CidrBlockAssociationSet.Ipv6Pool"),
        ("ipv6-cidr-block-association.state", "Ipv6CidrBlockAssociationSet.Ipv6CidrBlockState.State"),
        ("is-default", "IsDefault"),
        ("isDefault", "IsDefault"),
        ("owner-id", "OwnerId"),
        ("state", "State"),
        ("vpc-id", "VpcId"),
    ];
}

/// Finds the default VPC.
pub(super) fn find_default(cx: &Tx<'_>) -> Result<Option<Vpc>> {
    if let Some(first) = network::find(cx, &ids::default_id(cx.scope(), Vpc::ID_PREFIX, ""))? {
        return Ok(Some(first));
    }
    Ok(network::find_all::<Vpc>(cx, |vpc| vpc.is_default == Some(true))?.pop())
}

/// Loads the VPC of a model by its ID.
pub(super) async fn load_related(model: &impl Resource, id: Option<&Text>) -> Result<Option<Vpc>> {
    let Some(id) = id else { return Ok(None) };
    Vpc::objects(model.require_session()?).get(id.clone()).await
}

/// Returns the filter for resources in `vpc`; `None` if it has no ID yet.
fn filter_by_vpc(vpc: &Vpc) -> Option<Vec<Filter>> {
    vpc.vpc_id.as_ref().map(|id| vec![Filter::exactly("vpc-id", [id])])
}

async fn subnets_of(vpc: &Vpc) -> Result<Vec<Subnet>> {
    let Some(filters) = filter_by_vpc(vpc) else { return Ok(Vec::new()) };
    Subnet::objects(vpc.require_session()?).list().filters(filters).results().await
}

async fn security_groups_of(vpc: &Vpc) -> Result<Vec<SecurityGroup>> {
    let Some(filters) = filter_by_vpc(vpc) else { return Ok(Vec::new()) };
    SecurityGroup::objects(vpc.require_session()?).list().filters(filters).results().await
}
