//! Security groups: which traffic reaches, and leaves, what uses them.

use super::{
    SERVICE, Tag,
    calls::{DryRun, Filtered, Paged, Tagged, create_call, update_call},
    errors, filters, ids, interface,
    network::{self, Member},
    rules::{self, Direction, IpPermission, Rule},
    tagging,
    vpc::{self, Vpc},
};
use nephos_cloud::{Filterable, Handler, Scope, Tx};
use nephos_core::{
    ManagerOperation, Record, Resource, Result, Slot, Text, WorkflowContext, field_value::FieldType,
    operation,
};

mod authorize;

pub use authorize::{
    AuthorizeEgress, AuthorizeIngress, AuthorizeSecurityGroupEgress, AuthorizeSecurityGroupIngress,
    Authorized, RevokeEgress, RevokeIngress, RevokeSecurityGroupEgress, RevokeSecurityGroupIngress, Revoked,
};

/// Name of the security group that every VPC has.
const DEFAULT: &str = "default";

/// A security group.
#[derive(Resource)]
#[resource(
    service = SERVICE, wire = "camel", absent = super::errors::GROUP_NOT_FOUND,
    arn = "SecurityGroupArn", name = "GroupName", pk = "GroupId", saved_when = "GroupId", tags = "Tags",
    calls(
        Create, SecurityGroupGet, DescribeSecurityGroups, Update, Delete, AuthorizeIngress, AuthorizeEgress, RevokeIngress, RevokeEgress
    ),
    create = Create, update = Update, delete = Delete, get = SecurityGroupGet,
    relation(vpc, one = Vpc, with = vpc_of),
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
    #[field(fixed)]
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

/// The row of a security group: with its rules one by one.
#[derive(Record)]
#[record(row)]
pub struct Definition {
    /// ID.
    group_id: Option<Text>,
    /// Name.
    group_name: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// ID of the VPC.
    vpc_id: Option<Text>,
    /// Tags.
    tags: Option<Vec<Tag>>,
    /// Rules of both directions.
    pub(super) rules: Option<Vec<Rule>>,
}

nephos_cloud::stored!(Definition in "ec2/security-group" by group_id);

impl Definition {
    /// The default security group of a VPC. `rule_id` gives its rules, in and out, their ids.
    pub(super) fn of_vpc(id: Text, vpc: &str, rule_id: impl Fn(&str) -> Text) -> Self {
        let mut group = Self::blank();
        (group.group_name, group.vpc_id) = (Some(DEFAULT.into()), Some(vpc.into()));
        group.description = Some("default VPC security group".into());
        group.rules =
            Some(vec![Rule::everything_from(rule_id("in"), &id), Rule::everything_out(rule_id("out"))]);
        group.group_id = Some(id);
        group
    }

    /// ID of its VPC.
    pub(super) fn vpc(&self) -> &str {
        self.vpc_id.as_deref().unwrap_or_default()
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        self.group_name.as_deref().unwrap_or_default()
    }

    /// True for the one that every VPC has.
    pub(super) fn is_default(&self) -> bool {
        self.name() == DEFAULT
    }

    fn refers_to(&self, group: &str) -> bool {
        self.rules.iter().flatten().any(|rule| rule.referenced_group_id.as_deref() == Some(group))
    }
}

impl Member for Definition {
    type Described = SecurityGroup;

    network::member!(group_id "sg", "security-group", GROUP_NOT_FOUND, GROUP_MALFORMED);

    fn initial(scope: &Scope) -> Vec<Self> {
        let (id, vpc) = (ids::initial(scope, Self::WORD, ""), ids::initial(scope, Vpc::WORD, ""));
        vec![Self::of_vpc(id, &vpc, |direction| ids::initial(scope, "sgr", direction))]
    }

    fn described(mut self, cx: &Tx<'_>) -> Result<SecurityGroup> {
        let (scope, rules) = (cx.scope(), self.rules.take().unwrap_or_default());
        let mut group = SecurityGroup::from_given(self);
        group.ip_permissions = Some(rules::permissions(scope, &rules, Direction::In));
        group.ip_permissions_egress = Some(rules::permissions(scope, &rules, Direction::Out));
        let id = group.group_id.as_deref().unwrap_or_default();
        group.security_group_arn = Some(scope.arn("ec2", &["security-group/", id]).into());
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

/// The security groups of a VPC.
pub(super) fn of_vpc(cx: &Tx<'_>, vpc: &str) -> Result<Vec<Definition>> {
    network::all(cx, |group: &Definition| group.vpc() == vpc)
}

/// The security group of that name in a VPC.
pub(super) fn by_name(cx: &Tx<'_>, vpc: &str, name: &str) -> Result<Option<Definition>> {
    Ok(network::all(cx, |group: &Definition| group.vpc() == vpc && group.name() == name)?.pop())
}

/// The default security group of a VPC.
pub(super) fn default_of(cx: &Tx<'_>, vpc: &str) -> Result<Option<Definition>> {
    by_name(cx, vpc, DEFAULT)
}

/// The security group that a caller names, by ID or, in the default VPC, by name.
pub(super) fn named(cx: &Tx<'_>, id: Option<&Text>, name: Option<&Text>) -> Result<Definition> {
    match (id, name) {
        (Some(_), Some(_)) => Err(errors::COMBINATION.with_message("say GroupId or GroupName, not both")),
        (Some(id), None) => network::require(cx, id, "GroupId"),
        (None, Some(name)) => {
            let vpc = vpc::default(cx)?;
            let found = vpc.map(|vpc| by_name(cx, vpc.id(), name)).transpose()?.flatten();
            let missing = || {
                errors::GROUP_NOT_FOUND
                    .with_message(format!("The security group '{name}' does not exist in default VPC"))
            };
            found.ok_or_else(|| missing().with_field("GroupName"))
        }
        (None, None) => {
            Err(errors::MISSING.with_message("The request must contain the parameter").with_field("GroupId"))
        }
    }
}

/// Refuses a name or description with characters that it cannot have.
pub(super) fn check_words(words: &str, field: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || " ._-:/()#,@[]+=&;{}!$*".contains(c);
    let wrong = |why: String| Err(errors::INVALID.with_message(why).with_field(field));
    match words.chars().find(|c| !allowed(*c)) {
        _ if words.chars().count() > 255 => wrong("has more than 255 characters".into()),
        Some(c) => {
            wrong(format!("has {c:?}; letters, digits, spaces and ._-:/()#,@[]+=&;{{}}!$* are allowed"))
        }
        None => Ok(()),
    }
}

/// Creates a security group, which allows all outbound and no inbound traffic.
#[operation(
    service = SERVICE, of = SecurityGroup,
    needs(description(wire = "GroupDescription"), group_name(wire = "GroupName")), takes(vpc_id(wire = "VpcId")),
    also(Tagged, DryRun), effect = write, output = Created, subject = "security-group/*"
)]
pub struct CreateSecurityGroup {}

/// The security group that was created.
#[derive(Record)]
#[record(answer, wire = "camel", name = "CreateSecurityGroupResult")]
pub struct Created {
    /// ID.
    group_id: Option<Text>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// ARN.
    security_group_arn: Option<Text>,
}

impl Handler for CreateSecurityGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Created> {
        let name = &self.group_name;
        check_words(name, "GroupName")?;
        check_words(&self.description, "Description")?;
        let reserved = match name.as_str() {
            DEFAULT => Some("Cannot use reserved security group name: default"),
            name if name.starts_with("sg-") => Some("Group names may not be in the format sg-*"),
            _ => None,
        };
        if let Some(why) = reserved {
            return Err(errors::INVALID.with_message(why).with_field("GroupName"));
        }
        let vpc: Vpc = match &self.vpc_id {
            Some(id) => network::require(cx, id, "VpcId")?,
            None => vpc::default(cx)?
                .ok_or_else(|| errors::VPC_NOT_SPECIFIED.with_message("No default VPC for this user"))?,
        };
        if by_name(cx, vpc.id(), name)?.is_some() {
            let why = format!("The security group '{name}' already exists for VPC '{}'", vpc.id());
            return Err(errors::GROUP_EXISTS.with_message(why).with_field("GroupName"));
        }
        let tags = tagging::specified::<Definition>(self.tag_specifications.as_deref())?;
        super::only_to_try(self.dry_run)?;
        let mut group = Definition::from_given(self);
        (group.group_id, group.vpc_id, group.tags) = (Some(ids::new(cx, Definition::WORD)), vpc.vpc_id, tags);
        group.rules = Some(vec![Rule::everything_out(ids::new(cx, "sgr"))]);
        cx.put(group.clone())?;
        Ok(Created::from_given(group.described(cx)?))
    }
}

/// Describes security groups, in order of their IDs.
#[operation(
    service = SERVICE, of = SecurityGroup, call = "list", pages, gives(security_groups, next_token), find(group_id in group_ids),
    narrow(filters = filters::pushed::<SecurityGroup>),
    also(Filtered, Paged, DryRun), effect = read, output = SecurityGroups, subject = "security-group/*"
)]
pub struct DescribeSecurityGroups {
    /// IDs of the security groups.
    #[field(wire = "GroupId")]
    pub group_ids: Option<Vec<Text>>,
    /// Names of the security groups, in the default VPC.
    #[field(wire = "GroupName")]
    pub group_names: Option<Vec<Text>>,
}

nephos_core::page! {
    /// A page of security groups.
    #[record(name = "DescribeSecurityGroupsResult")]
    pub struct SecurityGroups {
        #[field(wire = "securityGroupInfo")] security_groups: SecurityGroup,
        #[field(wire = "nextToken")] next_token,
    }
}

impl Handler for DescribeSecurityGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<SecurityGroups> {
        let mut ids = self.group_ids.clone();
        for name in self.group_names.iter().flatten() {
            let group = named(cx, None, Some(name)).map_err(|error| error.with_field("GroupNames"))?;
            ids.get_or_insert_default().push(group.id().into());
        }
        let (ids, filters) = (("GroupIds", ids.as_deref()), self.filters.as_deref());
        Ok(network::page::<Definition>(cx, &self, ids, filters, self.dry_run)?.into())
    }
}

/// Deletes a security group that nothing uses.
#[operation(
    service = SERVICE, of = SecurityGroup, takes(group_id(wire = "GroupId")), also(DryRun),
    effect = write, output = Deleted, subject = "security-group/{GroupId}"
)]
pub struct DeleteSecurityGroup {
    /// Name of the security group, in the default VPC.
    pub group_name: Option<Text>,
}

/// The security group that was deleted.
#[derive(Record)]
#[record(answer, wire = "camel", name = "DeleteSecurityGroupResult")]
pub struct Deleted {
    /// Success.
    r#return: Option<bool>,
    /// ID.
    group_id: Option<Text>,
}

impl Handler for DeleteSecurityGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Deleted> {
        let group = named(cx, self.group_id.as_ref(), self.group_name.as_ref())?;
        if group.is_default() {
            let why = format!(
                "the specified group: \"{}\" name: \"default\" cannot be deleted by a user",
                group.id()
            );
            return Err(errors::CANNOT_DELETE.with_message(why));
        }
        let refers = |other: &Definition| other.id() != group.id() && other.refers_to(group.id());
        let used_by = match interface::any_with(cx, group.id())? {
            None => network::all(cx, refers)?.first().map(|other| other.id().into()),
            user => user,
        };
        if let Some(user) = used_by {
            let why = format!("resource {} has a dependent object: {user}", group.id());
            return Err(errors::DEPENDENCY.with_message(why));
        }
        super::only_to_try(self.dry_run)?;
        network::remove(cx, &group)?;
        Ok(Deleted { r#return: Some(true), group_id: group.group_id })
    }
}

async fn vpc_of(group: &SecurityGroup) -> Result<Option<Vpc>> {
    vpc::related(group, group.vpc_id.as_ref()).await
}

create_call! {
    /// Creates a security group, with its tags.
    SecurityGroup, kept as Definition, created by CreateSecurityGroup => |context, created| {
        SecurityGroupGet::new(created.group_id.unwrap_or_default()).run(context).await?
    }
}

update_call!(SecurityGroup(group_id "GroupId"), kept as Definition, found by SecurityGroupGet);

/// Deletes a security group that nothing uses.
#[operation(kind = SecurityGroup, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// ID of the security group.
    pub group_id: Text,
}

impl ManagerOperation for Delete {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        context.call(DeleteSecurityGroup::new().group_id(self.group_id.clone())).await?;
        Ok(())
    }
}
