//! Permissions and rules of security groups: the traffic that they allow.

use super::{
    cidr::{self, Cidr},
    errors, ids,
    network::Member,
    security_group::{self, SecurityGroupRow},
};
use nephos_cloud::{Scope, Tx};
use nephos_core::{Error, Record, Result, Text, field_value::FieldType};

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
    pub(super) fn for_range(protocol: Option<Text>, from: Option<i64>, to: Option<i64>, range: Text) -> Self {
        let mut permission = Self::blank();
        (permission.ip_protocol, permission.from_port, permission.to_port) = (protocol, from, to);
        permission.ip_ranges = Some(vec![IpRange { description: None, cidr_ip: Some(range) }]);
        permission
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
}

/// A single rule, as it is stored, and returned when it is revoked.
#[derive(Record)]
#[record(wire = "camel", name = "RevokedSecurityGroupRule")]
pub struct Rule {
    /// ID.
    pub(super) security_group_rule_id: Option<Text>,
    /// ID of the security group.
    pub(super) group_id: Option<Text>,
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
    /// Security group that traffic comes from, or goes to.
    pub(super) referenced_group_id: Option<Text>,
    /// Description.
    description: Option<Text>,
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
    /// Security group that traffic comes from, or goes to.
    referenced_group_info: Option<ReferencedSecurityGroup>,
    /// Description.
    description: Option<Text>,
    /// ARN.
    security_group_rule_arn: Option<Text>,
}

/// A security group that a rule refers to.
#[derive(Record)]
#[record(wire = "camel")]
pub struct ReferencedSecurityGroup {
    /// ID.
    group_id: Option<Text>,
    /// Account.
    user_id: Option<Text>,
}

/// Direction of traffic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Inbound.
    Ingress,
    /// Outbound.
    Egress,
}

impl Rule {
    /// Creates the rule that allows all outbound traffic.
    pub(super) fn allow_all_outbound(id: Text) -> Self {
        Self { cidr_ipv4: Some("0.0.0.0/0".into()), ..Self::allow_all(id, Direction::Egress) }
    }

    /// Creates the rule that allows all inbound traffic from a security group.
    pub(super) fn allow_all_from(id: Text, group: &str) -> Self {
        Self { referenced_group_id: Some(group.into()), ..Self::allow_all(id, Direction::Ingress) }
    }

    fn allow_all(id: Text, direction: Direction) -> Self {
        let mut rule = Self::blank();
        (rule.security_group_rule_id, rule.is_egress) = (Some(id), Some(direction == Direction::Egress));
        rule.ip_protocol = Some("-1".into());
        rule
    }

    pub(super) fn has_direction(&self, direction: Direction) -> bool {
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
    pub(super) fn described(mut self, scope: &Scope, group: &str) -> SecurityGroupRule {
        let referenced = self.referenced_group_id.take();
        let mut rule = SecurityGroupRule::from_given(self);
        (rule.from_port, rule.to_port) = (rule.from_port.or(Some(-1)), rule.to_port.or(Some(-1)));
        (rule.group_id, rule.group_owner_id) = (Some(group.into()), Some(scope.account().into()));
        rule.referenced_group_info = referenced
            .map(|id| ReferencedSecurityGroup { group_id: Some(id), user_id: Some(scope.account().into()) });
        let id = rule.security_group_rule_id.as_deref().unwrap_or_default();
        rule.security_group_rule_arn = Some(scope.arn("ec2", &["security-group-rule/", id]).into());
        rule
    }
}

/// Groups the rules of a direction to permissions: one for each protocol and port range, in the order of the rules.
pub(super) fn from_rules(scope: &Scope, rules: &[Rule], direction: Direction) -> Vec<IpPermission> {
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

/// Converts `permissions` to the rules of a security group, without IDs; refuses duplicates.
pub(super) fn to_rules(
    cx: &Tx<'_>,
    group: &SecurityGroupRow,
    direction: Direction,
    permissions: &[IpPermission],
) -> Result<Vec<Rule>> {
    let mut rules: Vec<Rule> = Vec::new();
    for (n, permission) in permissions.iter().enumerate() {
        let in_item = |error: Error| error.in_field(&format!("IpPermissions[{n}]"));
        for rule in read_permission(cx, group, direction, permission).map_err(in_item)? {
            if rules.iter().any(|other| other.allows_same(&rule)) {
                let message =
                    format!("The same permission must not appear multiple times: {}", rule.summary());
                return Err(in_item(errors::INVALID.with_message(message)));
            }
            rules.push(rule);
        }
    }
    if rules.is_empty() {
        return Err(errors::MISSING
            .with_message("IpPermissions must contain at least one range or security group")
            .with_field("IpPermissions"));
    }
    Ok(rules)
}

/// Converts one permission to rules.
fn read_permission(
    cx: &Tx<'_>,
    group: &SecurityGroupRow,
    direction: Direction,
    permission: &IpPermission,
) -> Result<Vec<Rule>> {
    let (protocol, from, to) = read_traffic(permission)?;
    let mut blank = Rule::blank();
    blank.is_egress = Some(direction == Direction::Egress);
    (blank.ip_protocol, blank.from_port, blank.to_port) = (Some(protocol), from, to);
    let mut rules = Vec::new();
    for range in permission.ip_ranges.iter().flatten() {
        let cidr = range.cidr_ip.as_deref().unwrap_or_default();
        let parsed: Cidr = cidr.parse().map_err(|()| malformed_cidr(cidr, "IpRanges"))?;
        let mut rule = with_description(&blank, &range.description)?;
        rule.cidr_ipv4 = Some(parsed.to_string().into());
        rules.push(rule);
    }
    for range in permission.ipv6_ranges.iter().flatten() {
        let cidr = range.cidr_ipv6.as_deref().unwrap_or_default();
        let mut rule = with_description(&blank, &range.description)?;
        rule.cidr_ipv6 =
            Some(cidr::canonical_v6(cidr).ok_or_else(|| malformed_cidr(cidr, "Ipv6Ranges"))?.into());
        rules.push(rule);
    }
    for pair in permission.user_id_group_pairs.iter().flatten() {
        let mut rule = with_description(&blank, &pair.description)?;
        rule.referenced_group_id = Some(find_referenced(cx, group, pair)?);
        rules.push(rule);
    }
    if let Some(list) = permission.prefix_list_ids.iter().flatten().next() {
        let id = list.prefix_list_id.as_deref().unwrap_or_default();
        let message = format!("The prefix list ID '{id}' does not exist");
        return Err(errors::PREFIX_LIST_NOT_FOUND.with_message(message).with_field("PrefixListIds"));
    }
    Ok(rules)
}

fn malformed_cidr(cidr: &str, field: &str) -> Error {
    errors::INVALID.with_message(format!("CIDR block {cidr} is malformed")).with_field(field)
}

/// Copies `blank` and sets the description.
fn with_description(blank: &Rule, description: &Option<Text>) -> Result<Rule> {
    let mut rule = blank.clone();
    if let Some(text) = description.as_deref().filter(|text| !text.is_empty()) {
        security_group::check_text(text, "Description")?;
        rule.description = Some(text.into());
    }
    Ok(rule)
}

/// Finds the ID of the security group of a pair; it must be in the same account and VPC as `group`.
fn find_referenced(cx: &Tx<'_>, group: &SecurityGroupRow, pair: &UserIdGroupPair) -> Result<Text> {
    let not_found = |what: &str| {
        let message = format!(
            "You have specified two resources that belong to different networks, or the security group {what} does not exist"
        );
        errors::GROUP_NOT_FOUND.with_message(message).with_field("UserIdGroupPairs")
    };
    let id_or_name = pair.group_id.as_deref().or(pair.group_name.as_deref()).unwrap_or_default();
    if pair.user_id.as_deref().is_some_and(|account| account != cx.scope().account()) {
        return Err(not_found(id_or_name));
    }
    let found = match (&pair.group_id, &pair.group_name) {
        (Some(id), _) => {
            ids::check(id, SecurityGroupRow::ID_PREFIX, SecurityGroupRow::MALFORMED)?;
            super::network::find::<SecurityGroupRow>(cx, id)?
        }
        (None, Some(name)) => security_group::find_by_name(cx, group.vpc(), name)?,
        (None, None) => {
            return Err(errors::MISSING
                .with_message("a pair must have a GroupId or a GroupName")
                .with_field("UserIdGroupPairs"));
        }
    };
    let vpc = pair.vpc_id.as_deref().unwrap_or(group.vpc());
    let found = found.filter(|found| found.vpc() == group.vpc() && found.vpc() == vpc);
    found.map(|found| found.id().into()).ok_or_else(|| not_found(id_or_name))
}

/// Validates the protocol and ports of a permission, and returns them in their canonical form.
fn read_traffic(permission: &IpPermission) -> Result<(Text, Option<i64>, Option<i64>)> {
    let given = permission.ip_protocol.as_deref().unwrap_or_default();
    if given.is_empty() {
        return Err(errors::MISSING
            .with_message("a permission must have a protocol")
            .with_field("IpProtocol"));
    }
    let protocol = match given.to_ascii_lowercase().as_str() {
        "6" => "tcp".to_owned(),
        "17" => "udp".to_owned(),
        "1" => "icmp".to_owned(),
        "58" => "icmpv6".to_owned(),
        "all" => "-1".to_owned(),
        known @ ("tcp" | "udp" | "icmp" | "icmpv6" | "-1") => known.to_owned(),
        number if number.parse::<u8>().is_ok_and(|parsed| parsed.to_string() == number) => number.to_owned(),
        _ => {
            let message = format!(
                "Invalid value '{given}' for IP protocol. Unknown protocol; expected tcp, udp, icmp, icmpv6, -1 or a number from 0 to 255"
            );
            return Err(errors::INVALID.with_message(message).with_field("IpProtocol"));
        }
    };
    let wrong = |message: String| Err(errors::INVALID.with_message(message).with_field("FromPort"));
    let (from, to) = (permission.from_port, permission.to_port);
    let range = match protocol.as_str() {
        "tcp" | "udp" => match (from, to) {
            // -1 stands for all ports.
            (Some(-1), Some(-1)) => Some((0, 65535)),
            (Some(from), Some(to)) if 0 <= from && from <= to && to <= 65535 => Some((from, to)),
            (Some(from), Some(to)) => {
                return wrong(format!(
                    "Invalid value '{from}-{to}' for portRange: expected a range within 0-65535"
                ));
            }
            _ => {
                return wrong(
                    "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.".into(),
                );
            }
        },
        "icmp" | "icmpv6" => match (from.unwrap_or(-1), to.unwrap_or(-1)) {
            (from @ -1..=255, to @ -1..=255) if from != -1 || to == -1 => Some((from, to)),
            (from, to) => {
                return wrong(format!(
                    "Invalid value '{from}:{to}' for ICMP type and code: expected -1 to 255, and no code for type -1"
                ));
            }
        },
        // Other protocols have no ports; ports in the request are ignored.
        _ => None,
    };
    Ok((protocol.into(), range.map(|(from, _)| from), range.map(|(_, to)| to)))
}

/// Adds `added` to the rules of a group.
pub(super) fn add_rules(group: &mut SecurityGroupRow, direction: Direction, added: &[Rule]) -> Result<()> {
    let rules = group.rules.get_or_insert_default();
    if let Some(duplicate) = added.iter().find(|rule| rules.iter().any(|own| own.allows_same(rule))) {
        let message = format!("the specified rule \"{}, ALLOW\" already exists", duplicate.summary());
        return Err(errors::RULE_EXISTS.with_message(message).with_field("IpPermissions"));
    }
    rules.extend(added.iter().cloned());
    let count = |counts: fn(&Rule) -> bool| {
        rules.iter().filter(|rule| rule.has_direction(direction) && counts(rule)).count()
    };
    let (v4, v6) = (count(|rule| rule.cidr_ipv6.is_none()), count(|rule| rule.cidr_ipv4.is_none()));
    if v4.max(v6) > MAX_RULES {
        let message =
            format!("a security group can have at most {MAX_RULES} rules per direction, got {}", v4.max(v6));
        return Err(errors::TOO_MANY_RULES.with_message(message).with_field("IpPermissions"));
    }
    Ok(())
}

/// Removes the rules of a group that allow the same traffic as those of `wanted`; returns them.
pub(super) fn remove_rules(group: &mut SecurityGroupRow, wanted: &[Rule]) -> Result<Vec<Rule>> {
    remove_each(group, wanted, Rule::allows_same, |rule| {
        let message =
            format!("The specified rule \"{}\" does not exist in this security group", rule.summary());
        errors::RULE_NOT_FOUND.with_message(message).with_field("IpPermissions")
    })
}

/// Removes the rules of a group with these IDs; returns them.
pub(super) fn remove_rules_by_id(
    group: &mut SecurityGroupRow,
    direction: Direction,
    wanted: &[Text],
) -> Result<Vec<Rule>> {
    let matches = |rule: &Rule, id: &Text| {
        rule.security_group_rule_id.as_ref() == Some(id) && rule.has_direction(direction)
    };
    remove_each(group, wanted, matches, |id| {
        let message = format!("The security group rule ID '{id}' does not exist");
        errors::RULE_ID_NOT_FOUND.with_message(message).with_field("SecurityGroupRuleIds")
    })
}

/// Removes a matching rule for each of `wanted`; refuses if one does not exist.
fn remove_each<W>(
    group: &mut SecurityGroupRow,
    wanted: &[W],
    matches: impl Fn(&Rule, &W) -> bool,
    not_found: impl Fn(&W) -> Error,
) -> Result<Vec<Rule>> {
    let rules = group.rules.get_or_insert_default();
    let remove = |wanted| {
        let index = rules.iter().position(|own| matches(own, wanted)).ok_or_else(|| not_found(wanted))?;
        Ok(rules.remove(index))
    };
    wanted.iter().map(remove).collect()
}
