//! Security groups: firewalls of network interfaces.

use super::{
    Tag,
    calls::{DryRun, Filtered, Paged, Tagged, create_call},
    errors, filters,
    network::{self, Member, ids, interface},
    tagging,
    vpc::{self, Vpc},
};
use nephos_cloud::{Addressed as _, Filterable, Handler, Scope, Tx, own_arn};
use nephos_core::{Record, Resource, Result, Slot, Text, field_value::FieldType, operation, record_of};

mod authorize;
pub(crate) mod permissions;

pub use authorize::*;
pub use permissions::*;

/// Name of the security group that every VPC has.
const DEFAULT: &str = "default";

/// A security group.
#[derive(Resource)]
#[resource(
    wire = "camel", arn("SecurityGroupArn", "security-group/{GroupId}"), name = "GroupName", pk = "GroupId",
    saved_when = "GroupId", tags = "Tags", not_found = |id| errors::group_not_found(id),
    relation(vpc, one = Vpc, with = vpc_of)
)]
pub struct SecurityGroup {
    /// ID.
    #[field(service_set)]
    group_id: Option<Text>,
    /// Name, unique within its VPC.
    #[field(required, fixed, length(1..=255))]
    group_name: Option<Text>,
    /// Description.
    #[field(required, fixed, wire = "groupDescription", length(1..=255))]
    description: Option<Text>,
    /// ID of the VPC; the default VPC by default.
    #[field(fixed, condition = "ec2:VpcID")]
    vpc_id: Option<Text>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// Inbound traffic that is allowed.
    #[field(service_set)]
    ip_permissions: Option<Vec<IpPermission>>,
    /// Outbound traffic that is allowed.
    #[field(service_set)]
    ip_permissions_egress: Option<Vec<IpPermission>>,
    /// Account of the owner.
    #[field(service_set)]
    owner_id: Option<Text>,
    /// ARN.
    #[field(service_set)]
    security_group_arn: Option<Text>,
    slot: Slot,
}

/// Row of a security group, with a list of its rules.
#[record_of(of = SecurityGroup, takes(group_id, group_name, description, vpc_id, tags), row)]
pub(crate) struct SecurityGroupRow {
    /// Rules of both directions.
    pub(super) rules: Option<Vec<Rule>>,
}

nephos_cloud::stored!(SecurityGroupRow in "ec2/security-group" by group_id);

impl SecurityGroupRow {
    /// Creates the default security group of a VPC. `rule_id` returns the IDs of its rules, "in" and "out".
    pub(super) fn new_default(id: Text, vpc: &str, rule_id: impl Fn(&str) -> Text) -> Self {
        let mut group = Self::blank();
        (group.group_name, group.vpc_id) = (Some(DEFAULT.into()), Some(vpc.into()));
        group.description = Some("default VPC security group".into());
        group.rules =
            Some(vec![Rule::allow_all_from(rule_id("in"), &id), Rule::allow_all_outbound(rule_id("out"))]);
        group.group_id = Some(id);
        group
    }

    /// ID of the VPC.
    pub(super) fn vpc(&self) -> &str {
        self.vpc_id.as_deref().unwrap_or_default()
    }

    /// Name of the security group.
    pub(super) fn name(&self) -> &str {
        self.group_name.as_deref().unwrap_or_default()
    }

    /// True for the default security group, which every VPC has.
    pub(super) fn is_default(&self) -> bool {
        self.name() == DEFAULT
    }

    /// True if a rule refers to `group`.
    fn refers_to(&self, group: &str) -> bool {
        self.rules.iter().flatten().any(|rule| rule.referenced_group_id.as_deref() == Some(group))
    }
}

impl Member for SecurityGroupRow {
    type Described = SecurityGroup;

    network::member!(group_id "sg", group_malformed);

    fn default_members(scope: &Scope) -> Vec<Self> {
        let (id, vpc) =
            (ids::default_id(scope, Self::ID_PREFIX, ""), ids::default_id(scope, Vpc::ID_PREFIX, ""));
        vec![Self::new_default(id, &vpc, |direction| ids::default_id(scope, "sgr", direction))]
    }

    fn condition_values(&self, scope: &Scope) -> Vec<(&'static str, Option<Text>)> {
        vec![
            ("ec2:SecurityGroupID", self.group_id.clone()),
            ("ec2:Vpc", self.vpc_id.as_deref().map(|id| Vpc::arn_with(scope, &[id]).into())),
        ]
    }

    fn described(mut self, cx: &Tx<'_>) -> Result<SecurityGroup> {
        let (scope, rules) = (cx.scope(), self.rules.take().unwrap_or_default());
        let mut group = SecurityGroup::from_given(self);
        group.ip_permissions = Some(permissions::from_rules(scope, &rules, Direction::Ingress));
        group.ip_permissions_egress = Some(permissions::from_rules(scope, &rules, Direction::Egress));
        group.security_group_arn = own_arn(&group, scope);
        group.owner_id = Some(scope.account().into());
        Ok(group)
    }
}

impl Filterable for SecurityGroup {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("description", "Description"),
        ("egress.ip-permission.cidr", "IpPermissionsEgress.IpRanges.CidrIp"),
        ("egress.ip-permission.from-port", "IpPermissionsEgress.FromPort"),
        ("egress.ip-permission.group-id", "IpPermissionsEgress.UserIdGroupPairs.GroupId"),
        ("egress.ip-permission.ipv6-cidr", "IpPermissionsEgress.Ipv6Ranges.CidrIpv6"),
        ("egress.ip-permission.protocol", "IpPermissionsEgress.IpProtocol"),
        ("egress.ip-permission.to-port", "IpPermissionsEgress.ToPort"),
        ("egress.ip-permission.user-id", "IpPermissionsEgress.UserIdGroupPairs.UserId"),
        ("group-id", "GroupId"),
        ("group-name", "GroupName"),
        ("ip-permission.cidr", "IpPermissions.IpRanges.CidrIp"),
        ("ip-permission.from-port", "IpPermissions.FromPort"),
        ("ip-permission.group-id", "IpPermissions.UserIdGroupPairs.GroupId"),
        ("ip-permission.ipv6-cidr", "IpPermissions.Ipv6Ranges.CidrIpv6"),
        ("ip-permission.protocol", "IpPermissions.IpProtocol"),
        ("ip-permission.to-port", "IpPermissions.ToPort"),
        ("ip-permission.user-id", "IpPermissions.UserIdGroupPairs.UserId"),
        ("owner-id", "OwnerId"),
        ("vpc-id", "VpcId"),
    ];
}

/// Finds the security groups of a VPC.
pub(super) fn find_in_vpc(cx: &Tx<'_>, vpc: &str) -> Result<Vec<SecurityGroupRow>> {
    network::find_all(cx, |group: &SecurityGroupRow| group.vpc() == vpc)
}

/// Finds a security group of a VPC by name.
pub(super) fn find_by_name(cx: &Tx<'_>, vpc: &str, name: &str) -> Result<Option<SecurityGroupRow>> {
    Ok(network::find_all(cx, |group: &SecurityGroupRow| group.vpc() == vpc && group.name() == name)?.pop())
}

/// Finds the default security group of a VPC.
pub(super) fn find_default(cx: &Tx<'_>, vpc: &str) -> Result<Option<SecurityGroupRow>> {
    find_by_name(cx, vpc, DEFAULT)
}

/// Finds the security group with an ID or, in the default VPC, with a name; refuses if it does not exist.
pub(super) fn require_by_id_or_name(
    cx: &Tx<'_>,
    id: Option<&Text>,
    name: Option<&Text>,
) -> Result<SecurityGroupRow> {
    match (id, name) {
        (Some(_), Some(_)) => Err(errors::parameters_combined("GroupName", "GroupId")),
        (Some(id), None) => network::require(cx, id, "GroupId"),
        (None, Some(name)) => {
            let vpc = vpc::find_default(cx)?;
            let vpc = vpc.as_ref().map(Member::id).unwrap_or_default();
            let not_found = || errors::group_name_not_found(name, vpc).with_field("GroupName");
            find_by_name(cx, vpc, name)?.ok_or_else(not_found)
        }
        (None, None) => Err(errors::parameter_missing("GroupId").with_field("GroupId")),
    }
}

/// Refuses a name or description that is too long or contains a character that is not allowed.
pub(super) fn check_text(text: &str, what: &str, field: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || " ._-:/()#,@[]+=&;{}!$*".contains(c);
    let length = text.chars().count();
    let hint = match text.chars().find(|c| !allowed(*c)) {
        _ if length > 255 => format!("got {length} characters"),
        Some(c) => format!("got {c:?}"),
        None => return Ok(()),
    };
    let plural = if what.ends_with("name") { "names" } else { "descriptions" };
    Err(errors::text_invalid(what, plural).with_hint(hint).with_field(field))
}

/// Creates a security group, which allows all outbound and no inbound traffic.
#[operation(
    of = SecurityGroup,
    needs(description(wire = "GroupDescription"), group_name(wire = "GroupName")),
    takes(settable), leaves(tags), answers(group_id, tags, security_group_arn), also(Tagged, DryRun), effect = write,
    subject = "security-group/* + VpcId? vpc/{VpcId}", further("CreateTags" = "TagSpecifications? security-group/*")
)]
pub struct CreateSecurityGroup {}

impl Handler for CreateSecurityGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = &self.group_name;
        check_text(name, "security group name", "GroupName")?;
        check_text(&self.description, "security group description", "Description")?;
        let reserved = match name.as_str() {
            DEFAULT => Some(errors::group_name_reserved()),
            name if name.starts_with("sg-") => Some(errors::group_name_like_id(name)),
            _ => None,
        };
        if let Some(error) = reserved {
            return Err(error.with_field("GroupName"));
        }
        let vpc: Vpc = match &self.vpc_id {
            Some(id) => network::require(cx, id, "VpcId")?,
            None => vpc::find_default(cx)?.ok_or_else(errors::vpc_not_specified)?,
        };
        if find_by_name(cx, vpc.id(), name)?.is_some() {
            return Err(errors::group_exists(name, vpc.id()).with_field("GroupName"));
        }
        let tags = tagging::read_specifications::<SecurityGroupRow>(self.tag_specifications.as_deref())?;
        super::check_dry_run(self.dry_run)?;
        let mut group = SecurityGroupRow::from_given(self);
        (group.group_id, group.vpc_id, group.tags) =
            (Some(ids::new(cx, SecurityGroupRow::ID_PREFIX)), vpc.vpc_id, tags);
        group.rules = Some(vec![Rule::allow_all_outbound(ids::new(cx, "sgr"))]);
        cx.put(group.clone())?;
        Ok(group.described(cx)?.into())
    }
}

/// Describes security groups, in order of their IDs.
#[operation(
    of = SecurityGroup, call = "list",
    page(security_groups(wire = "securityGroupInfo"), next_token(wire = "nextToken")),
    find(group_id in group_ids), narrow(filters = filters::with_pushed::<SecurityGroup>),
    also(Filtered, Paged, DryRun), effect = read, access = list
)]
pub struct DescribeSecurityGroups {
    /// IDs of the security groups.
    #[field(wire = "GroupId")]
    pub group_ids: Option<Vec<Text>>,
    /// Names of the security groups, in the default VPC.
    #[field(wire = "GroupName")]
    pub group_names: Option<Vec<Text>>,
}

impl Handler for DescribeSecurityGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut ids = self.group_ids.clone();
        for name in self.group_names.iter().flatten() {
            let group = require_by_id_or_name(cx, None, Some(name))
                .map_err(|error| error.with_field("GroupNames"))?;
            ids.get_or_insert_default().push(group.id().into());
        }
        let (ids, filters) = (("GroupIds", ids.as_deref()), self.filters.as_deref());
        Ok(network::page::<SecurityGroupRow>(cx, &self, ids, filters, self.dry_run)?.into())
    }
}

/// Deletes a security group that nothing uses.
#[operation(
    of = SecurityGroup, takes(group_id(condition = "ec2:SecurityGroupID")), also(DryRun),
    effect = write, output = DeleteSecurityGroupResult
)]
pub struct DeleteSecurityGroup {
    /// Name of the security group, in the default VPC.
    pub group_name: Option<Text>,
}

/// Answer of `DeleteSecurityGroup`.
#[derive(Record)]
#[record(answer, wire = "camel")]
pub struct DeleteSecurityGroupResult {
    /// Success; always true.
    r#return: Option<bool>,
    /// ID of the security group.
    group_id: Option<Text>,
}

impl Handler for DeleteSecurityGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<DeleteSecurityGroupResult> {
        let group = require_by_id_or_name(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        if group.is_default() {
            return Err(errors::default_group_protected(group.id()));
        }
        let refers = |other: &SecurityGroupRow| other.id() != group.id() && other.refers_to(group.id());
        let used_by = match interface::find_owner_with_group(cx, group.id())? {
            None => network::find_all(cx, refers)?.first().map(|other| other.id().into()),
            owner => owner,
        };
        if let Some(owner) = used_by {
            return Err(errors::has_dependent_object(group.id()).with_hint(owner));
        }
        super::check_dry_run(self.dry_run)?;
        network::remove(cx, &group)?;
        Ok(DeleteSecurityGroupResult { r#return: Some(true), group_id: group.group_id })
    }
}

async fn vpc_of(group: &SecurityGroup) -> Result<Option<Vpc>> {
    vpc::load_related(group, group.vpc_id.as_ref()).await
}

create_call! {
    /// Creates a security group, with its tags.
    SecurityGroupCreate: SecurityGroup, stored as SecurityGroupRow, created by CreateSecurityGroup => |context, answer| {
        context.run(SecurityGroupGet::new(answer.group_id.unwrap_or_default())).await?
    }
}

/// Updates the tags that differ from those that the model was loaded with.
#[operation(kind = SecurityGroup, call = "update", changes(), effect = write)]
pub struct SecurityGroupUpdate {}

/// Deletes a security group that nothing uses.
#[operation(
    kind = SecurityGroup, of = SecurityGroup, call = "delete", instance, needs(group_id), effect = write,
    runs = DeleteSecurityGroup
)]
pub struct SecurityGroupDelete {}
