//! Permissions and rules of security groups: the traffic that they allow.

use super::SecurityGroupRow;
use crate::{Tag, errors};
use nephos_cloud::Scope;
use nephos_core::{Record, Result, Text, field_value::FieldType};

mod read;

pub(crate) use read::to_rules;

/// Maximum number of rules of a security group per direction. Rules for IPv4 and IPv6 are counted separately.
const MAX_RULES: usize = 60;

/// Traffic that is allowed: a protocol, ports, and sources or destinations.
#[derive(Record)]
#[record(wire = "camel")]
pub struct IpPermission {
    /// Protocol: `tcp`, `udp`, `icmp`, `icmpv6`, a number, or `-1` for all.
    ip_protocol: Option<Text>,
    /// First port, or ICMP type; -1 for all.
    from_port: Option<i64>,
    /// Last port, or ICMP code; -1 for all.
    to_port: Option<i64>,
    /// Security groups that traffic comes from, or goes to.
    #[field(wire = "groups")]
    user_id_group_pairs: Option<Vec<UserIdGroupPair>>,
    /// IPv4 CIDR blocks.
    ip_ranges: Option<Vec<IpRange>>,
    /// IPv6 CIDR blocks.
    ipv6_ranges: Option<Vec<Ipv6Range>>,
    /// Prefix lists; the service has none, so they are refused.
    prefix_list_ids: Option<Vec<PrefixListId>>,
}

impl IpPermission {
    /// Creates the permission for one CIDR block.
    pub(crate) fn for_range(protocol: Option<Text>, from: Option<i64>, to: Option<i64>, range: Text) -> Self {
        let mut permission = Self::blank();
        (permission.ip_protocol, permission.from_port, permission.to_port) = (protocol, from, to);
        permission.ip_ranges = Some(vec![IpRange { description: None, cidr_ip: Some(range) }]);
        permission
    }

    /// Creates the permissions for all TCP, UDP and ICMP traffic of a security group.
    pub(crate) fn for_group(name: &Text, account: Option<&Text>) -> Vec<Self> {
        let all = [("tcp", 0, 65535), ("udp", 0, 65535), ("icmp", -1, -1)];
        let permissions = all.map(|(protocol, from, to)| {
            let (mut permission, mut pair) = (Self::blank(), UserIdGroupPair::blank());
            (pair.group_name, pair.user_id) = (Some(name.clone()), account.cloned());
            (permission.from_port, permission.to_port) = (Some(from), Some(to));
            permission.ip_protocol = Some(protocol.into());
            permission.user_id_group_pairs = Some(vec![pair]);
            permission
        });
        permissions.into()
    }
}

/// An IPv4 CIDR block with a description.
#[derive(Record)]
#[record(wire = "camel")]
pub struct IpRange {
    /// Description.
    description: Option<Text>,
    /// CIDR block.
    cidr_ip: Option<Text>,
}

/// An IPv6 CIDR block with a description.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Ipv6Range {
    /// Description.
    description: Option<Text>,
    /// CIDR block.
    cidr_ipv6: Option<Text>,
}

/// A prefix list.
#[derive(Record)]
#[record(wire = "camel")]
pub struct PrefixListId {
    /// Description.
    description: Option<Text>,
    /// ID of the prefix list.
    prefix_list_id: Option<Text>,
}

/// A security group of an account.
#[derive(Record)]
#[record(wire = "camel")]
pub struct UserIdGroupPair {
    /// Description.
    description: Option<Text>,
    /// Account.
    user_id: Option<Text>,
    /// Name of the security group, on input only.
    group_name: Option<Text>,
    /// ID of the security group.
    group_id: Option<Text>,
    /// ID of the VPC of the security group, on input only.
    vpc_id: Option<Text>,
    /// ID of a VPC peering connection. There are none here, so it is refused.
    vpc_peering_connection_id: Option<Text>,
    /// Status of the VPC peering connection, if there is one.
    peering_status: Option<Text>,
}

/// A single rule, as it is stored, and returned when it is revoked.
#[derive(Record)]
#[record(wire = "camel", name = "RevokedSecurityGroupRule")]
pub struct Rule {
    /// ID.
    pub(crate) security_group_rule_id: Option<Text>,
    /// ID of the security group.
    pub(crate) group_id: Option<Text>,
    /// True for outbound, false for inbound traffic.
    is_egress: Option<bool>,
    /// Protocol.
    ip_protocol: Option<Text>,
    /// First port.
    from_port: Option<i64>,
    /// Last port.
    to_port: Option<i64>,
    /// IPv4 CIDR block.
    cidr_ipv4: Option<Text>,
    /// IPv6 CIDR block.
    cidr_ipv6: Option<Text>,
    /// Prefix list.
    prefix_list_id: Option<Text>,
    /// Security group that traffic comes from, or goes to.
    pub(crate) referenced_group_id: Option<Text>,
    /// Description.
    description: Option<Text>,
    /// Tags.
    #[field(not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
}

/// A single rule, as it is returned when it is added.
#[derive(Record)]
#[record(wire = "camel")]
pub struct SecurityGroupRule {
    /// ID.
    security_group_rule_id: Option<Text>,
    /// ID of the security group.
    group_id: Option<Text>,
    /// Account of the security group.
    group_owner_id: Option<Text>,
    /// True for outbound, false for inbound traffic.
    is_egress: Option<bool>,
    /// Protocol.
    ip_protocol: Option<Text>,
    /// First port; -1 for all.
    from_port: Option<i64>,
    /// Last port; -1 for all.
    to_port: Option<i64>,
    /// IPv4 CIDR block.
    cidr_ipv4: Option<Text>,
    /// IPv6 CIDR block.
    cidr_ipv6: Option<Text>,
    /// Prefix list.
    prefix_list_id: Option<Text>,
    /// Security group that traffic comes from, or goes to.
    referenced_group_info: Option<ReferencedSecurityGroup>,
    /// Description.
    description: Option<Text>,
    /// Tags.
    #[field(wire = "tagSet")]
    tags: Option<Vec<Tag>>,
    /// ARN.
    security_group_rule_arn: Option<Text>,
}

/// A security group that a rule refers to.
#[derive(Record)]
#[record(wire = "camel")]
pub struct ReferencedSecurityGroup {
    /// ID.
    group_id: Option<Text>,
    /// Status of the VPC peering connection.
    peering_status: Option<Text>,
    /// Account.
    user_id: Option<Text>,
    /// ID of the VPC, if it is another one.
    vpc_id: Option<Text>,
    /// ID of the VPC peering connection.
    vpc_peering_connection_id: Option<Text>,
}

/// Direction of traffic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Inbound.
    Ingress,
    /// Outbound.
    Egress,
}

impl Rule {
    /// Creates the rule that allows all outbound traffic.
    pub(crate) fn allow_all_outbound(id: Text) -> Self {
        Self { cidr_ipv4: Some("0.0.0.0/0".into()), ..Self::allow_all(id, Direction::Egress) }
    }

    /// Creates the rule that allows all inbound traffic from a security group.
    pub(crate) fn allow_all_from(id: Text, group: &str) -> Self {
        Self { referenced_group_id: Some(group.into()), ..Self::allow_all(id, Direction::Ingress) }
    }

    fn allow_all(id: Text, direction: Direction) -> Self {
        let mut rule = Self::blank();
        (rule.security_group_rule_id, rule.is_egress) = (Some(id), Some(direction == Direction::Egress));
        rule.ip_protocol = Some("-1".into());
        rule
    }

    /// True if the rule has this ID.
    pub(crate) fn has_id(&self, id: &str) -> bool {
        self.security_group_rule_id.as_deref() == Some(id)
    }

    pub(crate) fn has_direction(&self, direction: Direction) -> bool {
        (self.is_egress == Some(true)) == (direction == Direction::Egress)
    }

    /// True if both rules allow the same traffic.
    fn allows_same(&self, other: &Self) -> bool {
        let identity = |rule: &Self| {
            let rule = rule.clone();
            (rule.is_egress, rule.traffic(), rule.cidr_ipv4, rule.cidr_ipv6, rule.referenced_group_id)
        };
        identity(self) == identity(other)
    }

    /// Protocol, first port and last port.
    fn traffic(&self) -> (Option<Text>, Option<i64>, Option<i64>) {
        (self.ip_protocol.clone(), self.from_port, self.to_port)
    }

    /// Formats the rule for error messages.
    fn summary(&self) -> String {
        let peer = self.cidr_ipv4.as_ref().or(self.cidr_ipv6.as_ref()).or(self.referenced_group_id.as_ref());
        let protocol = match self.ip_protocol.as_deref() {
            Some("-1") | None => "ALL".to_owned(),
            Some(protocol) => protocol.to_uppercase(),
        };
        let ports = self.from_port.zip(self.to_port);
        let ports =
            ports.map_or_else(String::new, |(from, to)| format!(", from port: {from}, to port: {to}"));
        format!("peer: {}, {protocol}{ports}", peer.map_or("", |peer| peer))
    }

    /// Converts the rule to its form in the answer of an authorize operation.
    pub(crate) fn described(mut self, scope: &Scope, group: &str) -> SecurityGroupRule {
        let referenced = self.referenced_group_id.take();
        let mut rule = SecurityGroupRule::from_given(self);
        (rule.from_port, rule.to_port) = (rule.from_port.or(Some(-1)), rule.to_port.or(Some(-1)));
        (rule.group_id, rule.group_owner_id) = (Some(group.into()), Some(scope.account().into()));
        rule.referenced_group_info = referenced.map(|id| {
            let mut info = ReferencedSecurityGroup::blank();
            (info.group_id, info.user_id) = (Some(id), Some(scope.account().into()));
            info
        });
        let id = rule.security_group_rule_id.as_deref().unwrap_or_default();
        rule.security_group_rule_arn = Some(scope.arn("ec2", &["security-group-rule/", id]).into());
        rule
    }
}

/// Groups the rules of a direction to permissions: one for each protocol and port range, in the order of the rules.
pub(crate) fn from_rules(scope: &Scope, rules: &[Rule], direction: Direction) -> Vec<IpPermission> {
    let mut permissions: Vec<IpPermission> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.has_direction(direction)) {
        let same =
            |own: &IpPermission| (own.ip_protocol.clone(), own.from_port, own.to_port) == rule.traffic();
        let index = permissions.iter().position(same).unwrap_or_else(|| {
            permissions.push(IpPermission {
                ip_protocol: rule.ip_protocol.clone(),
                from_port: rule.from_port,
                to_port: rule.to_port,
                user_id_group_pairs: Some(Vec::new()),
                ip_ranges: Some(Vec::new()),
                ipv6_ranges: Some(Vec::new()),
                prefix_list_ids: Some(Vec::new()),
            });
            permissions.len() - 1
        });
        let (permission, description) = (&mut permissions[index], rule.description.clone());
        if let Some(range) = &rule.cidr_ipv4 {
            let range = IpRange { description, cidr_ip: Some(range.clone()) };
            permission.ip_ranges.get_or_insert_default().push(range);
        } else if let Some(range) = &rule.cidr_ipv6 {
            let range = Ipv6Range { description, cidr_ipv6: Some(range.clone()) };
            permission.ipv6_ranges.get_or_insert_default().push(range);
        } else if let Some(group) = &rule.referenced_group_id {
            let mut pair = UserIdGroupPair::blank();
            (pair.description, pair.group_id) = (description, Some(group.clone()));
            pair.user_id = Some(scope.account().into());
            permission.user_id_group_pairs.get_or_insert_default().push(pair);
        }
    }
    permissions
}

/// Adds `added` to the rules of a group.
pub(crate) fn add_rules(group: &mut SecurityGroupRow, direction: Direction, added: &[Rule]) -> Result<()> {
    let rules = group.rules.get_or_insert_default();
    if let Some(duplicate) = added.iter().find(|rule| rules.iter().any(|own| own.allows_same(rule))) {
        return Err(errors::rule_exists(duplicate.summary()).with_field("IpPermissions"));
    }
    rules.extend(added.iter().cloned());
    let count = |counts: fn(&Rule) -> bool| {
        rules.iter().filter(|rule| rule.has_direction(direction) && counts(rule)).count()
    };
    let (v4, v6) = (count(|rule| rule.cidr_ipv6.is_none()), count(|rule| rule.cidr_ipv4.is_none()));
    if v4.max(v6) > MAX_RULES {
        let hint = format!("at most {MAX_RULES} per direction, got {}", v4.max(v6));
        return Err(errors::too_many_rules().with_hint(hint).with_field("IpPermissions"));
    }
    Ok(())
}

/// Removes the rules of a group that allow the same traffic as those of `wanted`; returns them, and those of `wanted` that do
/// not exist.
pub(crate) fn remove_rules(group: &mut SecurityGroupRow, wanted: Vec<Rule>) -> (Vec<Rule>, Vec<Rule>) {
    let rules = group.rules.get_or_insert_default();
    let (mut removed, mut unknown) = (Vec::new(), Vec::new());
    for wanted in wanted {
        match rules.iter().position(|own| own.allows_same(&wanted)) {
            Some(index) => removed.push(rules.remove(index)),
            None => unknown.push(wanted),
        }
    }
    (removed, unknown)
}

/// Removes the rules of a group with these IDs; returns them.
pub(crate) fn remove_rules_by_id(
    group: &mut SecurityGroupRow,
    direction: Direction,
    wanted: &[Text],
) -> Result<Vec<Rule>> {
    let rules = group.rules.get_or_insert_default();
    let remove = |id: &Text| {
        let found = rules.iter().position(|own| own.has_id(id) && own.has_direction(direction));
        let not_found = || errors::rule_id_not_found(id).with_field("SecurityGroupRuleIds");
        found.map(|index| rules.remove(index)).ok_or_else(not_found)
    };
    wanted.iter().map(remove).collect()
}

/// Refuses to revoke rules that do not exist.
pub(crate) fn check_known(unknown: &[Rule]) -> Result<()> {
    match unknown.first() {
        Some(rule) => Err(errors::rule_not_found().with_hint(rule.summary()).with_field("IpPermissions")),
        None => Ok(()),
    }
}
