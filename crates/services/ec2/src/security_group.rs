//! Security groups: firewalls of network interfaces.

use super::{
    Tag, errors,
    network::{self, Member, ids},
    vpc::{self, Vpc},
};
use nephos_cloud::{Addressed as _, Filterable, Scope, Tx, own_arn};
use nephos_core::{Error, Record, Resource, Result, Slot, Text, field_value::FieldType, record_of};

mod authorize;
mod operations;
pub(crate) mod permissions;

pub use authorize::*;
pub use operations::*;
pub use permissions::*;

/// Name of the security group that every VPC has.
const DEFAULT: &str = "default";

/// A security group.
#[derive(Resource)]
#[resource(
    wire = "camel", arn("SecurityGroupArn", "security-group/{GroupId}"), name = "GroupName", pk = "GroupId",
    exists_if = "GroupId", tags = "Tags", not_found = |id| errors::group_not_found(id),
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

    const ID_PREFIX: &'static str = "sg";
    const MALFORMED: fn(&str) -> Error = |id| errors::group_malformed(id);

    fn id(&self) -> &str {
        self.group_id.as_deref().unwrap_or_default()
    }

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

async fn vpc_of(group: &SecurityGroup) -> Result<Option<Vpc>> {
    vpc::load_related(group, group.vpc_id.as_ref()).await
}
