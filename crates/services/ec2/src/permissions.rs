//! Rules of security groups: which traffic is let in, and out.

use super::{
    cidr::{self, Cidr},
    errors, ids,
    network::Member,
    security_group::{self, Definition},
};
use nephos_cloud::{Scope, Tx};
use nephos_core::{Error, Record, Result, Text, field_value::FieldType};

/// Maximum number of rules of a security group for each direction; those for IPv4 and for IPv6 are counted apart.
const MOST: usize = 60;

/// Traffic that is allowed: a protocol, ports, and sources or destinations.
#[derive(Record)]
#[record(wire = "camel")]
pub struct IpPermission {
    /// Protocol: `tcp`, `udp`, `icmp`, `icmpv6`, a number, or `-1` for all.
    ip_protocol: Option<Text>,
    /// First port; the type for ICMP, -1 for all.
    from_port: Option<i64>,
    /// Last port; the code for ICMP, -1 for all.
    to_port: Option<i64>,
    /// Security groups.
    #[field(wire = "groups")]
    user_id_group_pairs: Option<Vec<UserIdGroupPair>>,
    /// Ranges of IPv4 addresses.
    ip_ranges: Option<Vec<IpRange>>,
    /// Ranges of IPv6 addresses.
    ipv6_ranges: Option<Vec<Ipv6Range>>,
    /// Prefix lists; there are none.
    prefix_list_ids: Option<Vec<PrefixListId>>,
}

impl IpPermission {
    /// The permission for one range of addresses.
    pub(super) fn of_range(protocol: Option<Text>, from: Option<i64>, to: Option<i64>, range: Text) -> Self {
        let mut permission = Self::blank();
        (permission.ip_protocol, permission.from_port, permission.to_port) = (protocol, from, to);
        permission.ip_ranges = Some(vec![IpRange { description: None, cidr_ip: Some(range) }]);
        permission
    }
}

/// A range of IPv4 addresses.
#[derive(Record)]
#[record(wire = "camel")]
pub struct IpRange {
    /// Description.
    description: Option<Text>,
    /// Range of addresses.
    cidr_ip: Option<Text>,
}

/// A range of IPv6 addresses.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Ipv6Range {
    /// Description.
    description: Option<Text>,
    /// Range of addresses.
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
    /// Range of IPv4 addresses.
    cidr_ipv4: Option<Text>,
    /// Range of IPv6 addresses.
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
    /// Range of IPv4 addresses.
    cidr_ipv4: Option<Text>,
    /// Range of IPv6 addresses.
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
    In,
    Out,
}

impl Rule {
    /// The rule that allows all outbound traffic.
    pub(super) fn everything_out(id: Text) -> Self {
        Self { cidr_ipv4: Some("0.0.0.0/0".into()), ..Self::everything(id, Direction::Out) }
    }

    /// The rule that allows all inbound traffic from a security group.
    pub(super) fn everything_from(id: Text, group: &str) -> Self {
        Self { referenced_group_id: Some(group.into()), ..Self::everything(id, Direction::In) }
    }

    fn everything(id: Text, direction: Direction) -> Self {
        let mut rule = Self::blank();
        (rule.security_group_rule_id, rule.is_egress) = (Some(id), Some(direction == Direction::Out));
        rule.ip_protocol = Some("-1".into());
        rule
    }

    pub(super) fn is_for(&self, direction: Direction) -> bool {
        (self.is_egress == Some(true)) == (direction == Direction::Out)
    }

    /// True if both are about the same traffic.
    fn same(&self, other: &Self) -> bool {
        let says = |rule: &Self| {
            let rule = rule.clone();
            (rule.is_egress, rule.traffic(), rule.cidr_ipv4, rule.cidr_ipv6, rule.referenced_group_id)
        };
        says(self) == says(other)
    }

    fn traffic(&self) -> (Option<Text>, Option<i64>, Option<i64>) {
        (self.ip_protocol.clone(), self.from_port, self.to_port)
    }

    /// The rule in words.
    fn words(&self) -> String {
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

    /// The rule as it is returned when it is added.
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

/// The permissions that the rules for a direction come to: those of the same traffic together, in their order.
pub(super) fn permissions(scope: &Scope, rules: &[Rule], direction: Direction) -> Vec<IpPermission> {
    let mut told: Vec<IpPermission> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.is_for(direction)) {
        let same =
            |own: &IpPermission| (own.ip_protocol.clone(), own.from_port, own.to_port) == rule.traffic();
        let at = told.iter().position(same).unwrap_or_else(|| {
            told.push(IpPermission {
                ip_protocol: rule.ip_protocol.clone(),
                from_port: rule.from_port,
                to_port: rule.to_port,
                user_id_group_pairs: Some(Vec::new()),
                ip_ranges: Some(Vec::new()),
                ipv6_ranges: Some(Vec::new()),
                prefix_list_ids: Some(Vec::new()),
            });
            told.len() - 1
        });
        let (permission, description) = (&mut told[at], rule.description.clone());
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
    told
}

/// The rules that `permissions` mean for a security group, without ids; none of them twice.
pub(super) fn read(
    cx: &Tx<'_>,
    group: &Definition,
    direction: Direction,
    permissions: &[IpPermission],
) -> Result<Vec<Rule>> {
    let mut rules: Vec<Rule> = Vec::new();
    for (n, permission) in permissions.iter().enumerate() {
        let at = |error: Error| error.in_field(&format!("IpPermissions[{n}]"));
        for rule in read_one(cx, group, direction, permission).map_err(at)? {
            if rules.iter().any(|other| other.same(&rule)) {
                let why = format!("The same permission must not appear multiple times: {}", rule.words());
                return Err(at(errors::INVALID.with_message(why)));
            }
            rules.push(rule);
        }
    }
    if rules.is_empty() {
        return Err(errors::MISSING.with_message("there is no rule in it").with_field("IpPermissions"));
    }
    Ok(rules)
}

fn read_one(
    cx: &Tx<'_>,
    group: &Definition,
    direction: Direction,
    permission: &IpPermission,
) -> Result<Vec<Rule>> {
    let (protocol, from, to) = traffic(permission)?;
    let mut blank = Rule::blank();
    blank.is_egress = Some(direction == Direction::Out);
    (blank.ip_protocol, blank.from_port, blank.to_port) = (Some(protocol), from, to);
    let mut rules = Vec::new();
    for range in permission.ip_ranges.iter().flatten() {
        let cidr = range.cidr_ip.as_deref().unwrap_or_default();
        let read: Cidr = cidr.parse().map_err(|()| wrong_range(cidr, "IpRanges"))?;
        let mut rule = described(&blank, &range.description)?;
        rule.cidr_ipv4 = Some(read.to_string().into());
        rules.push(rule);
    }
    for range in permission.ipv6_ranges.iter().flatten() {
        let cidr = range.cidr_ipv6.as_deref().unwrap_or_default();
        let mut rule = described(&blank, &range.description)?;
        rule.cidr_ipv6 =
            Some(cidr::canonical_v6(cidr).ok_or_else(|| wrong_range(cidr, "Ipv6Ranges"))?.into());
        rules.push(rule);
    }
    for pair in permission.user_id_group_pairs.iter().flatten() {
        let mut rule = described(&blank, &pair.description)?;
        rule.referenced_group_id = Some(referenced(cx, group, pair)?);
        rules.push(rule);
    }
    if let Some(list) = permission.prefix_list_ids.iter().flatten().next() {
        let id = list.prefix_list_id.as_deref().unwrap_or_default();
        let why = format!("The prefix list ID '{id}' does not exist");
        return Err(errors::PREFIX_LIST_NOT_FOUND.with_message(why).with_field("PrefixListIds"));
    }
    Ok(rules)
}

fn wrong_range(cidr: &str, field: &str) -> Error {
    errors::INVALID.with_message(format!("CIDR block {cidr} is malformed")).with_field(field)
}

/// A rule like `blank`, with a description.
fn described(blank: &Rule, description: &Option<Text>) -> Result<Rule> {
    let mut rule = blank.clone();
    if let Some(words) = description.as_deref().filter(|words| !words.is_empty()) {
        security_group::check_words(words, "Description")?;
        rule.description = Some(words.into());
    }
    Ok(rule)
}

/// The id of the security group that a pair means.
fn referenced(cx: &Tx<'_>, group: &Definition, pair: &UserIdGroupPair) -> Result<Text> {
    let missing = |what: &str| {
        let why = format!(
            "You have specified two resources that belong to different networks, or there is no group {what}"
        );
        errors::GROUP_NOT_FOUND.with_message(why).with_field("UserIdGroupPairs")
    };
    let named = pair.group_id.as_deref().or(pair.group_name.as_deref()).unwrap_or_default();
    if pair.user_id.as_deref().is_some_and(|account| account != cx.scope().account()) {
        return Err(missing(named));
    }
    let found = match (&pair.group_id, &pair.group_name) {
        (Some(id), _) => {
            ids::check(id, Definition::WORD, Definition::MALFORMED)?;
            super::network::find::<Definition>(cx, id)?
        }
        (None, Some(name)) => security_group::by_name(cx, group.vpc(), name)?,
        (None, None) => {
            return Err(errors::MISSING
                .with_message("a pair needs a GroupId or GroupName")
                .with_field("UserIdGroupPairs"));
        }
    };
    let vpc = pair.vpc_id.as_deref().unwrap_or(group.vpc());
    let found = found.filter(|found| found.vpc() == group.vpc() && found.vpc() == vpc);
    found.map(|found| found.id().into()).ok_or_else(|| missing(named))
}

/// The protocol and ports of a permission, as they are kept.
fn traffic(permission: &IpPermission) -> Result<(Text, Option<i64>, Option<i64>)> {
    let given = permission.ip_protocol.as_deref().unwrap_or_default();
    if given.is_empty() {
        return Err(errors::MISSING.with_message("a permission needs a protocol").with_field("IpProtocol"));
    }
    let protocol = match given.to_ascii_lowercase().as_str() {
        "6" => "tcp".to_owned(),
        "17" => "udp".to_owned(),
        "1" => "icmp".to_owned(),
        "58" => "icmpv6".to_owned(),
        "all" => "-1".to_owned(),
        known @ ("tcp" | "udp" | "icmp" | "icmpv6" | "-1") => known.to_owned(),
        number if number.parse::<u8>().is_ok_and(|read| read.to_string() == number) => number.to_owned(),
        _ => {
            let why = format!(
                "Invalid value '{given}' for IP protocol. Unknown protocol; known are tcp, udp, icmp, icmpv6, -1 and numbers"
            );
            return Err(errors::INVALID.with_message(why).with_field("IpProtocol"));
        }
    };
    let wrong = |why: String| Err(errors::INVALID.with_message(why).with_field("FromPort"));
    let (from, to) = (permission.from_port, permission.to_port);
    let range = match protocol.as_str() {
        "tcp" | "udp" => match (from, to) {
            // All ports may be said as -1, too.
            (Some(-1), Some(-1)) => Some((0, 65535)),
            (Some(from), Some(to)) if 0 <= from && from <= to && to <= 65535 => Some((from, to)),
            (Some(from), Some(to)) => {
                return wrong(format!("Invalid value '{from}-{to}' for portRange: it is within 0-65535"));
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
                    "Invalid value '{from}:{to}' for ICMP type and code: they are -1 to 255"
                ));
            }
        },
        // Other protocols have no ports, and whatever is said of them does not matter.
        _ => None,
    };
    Ok((protocol.into(), range.map(|(from, _)| from), range.map(|(_, to)| to)))
}

/// Adds `more` to the rules of a group.
pub(super) fn add(group: &mut Definition, direction: Direction, more: &[Rule]) -> Result<()> {
    let rules = group.rules.get_or_insert_default();
    if let Some(twin) = more.iter().find(|rule| rules.iter().any(|own| own.same(rule))) {
        let why = format!("the specified rule \"{}, ALLOW\" already exists", twin.words());
        return Err(errors::RULE_EXISTS.with_message(why).with_field("IpPermissions"));
    }
    rules.extend(more.iter().cloned());
    let count = |counts: fn(&Rule) -> bool| {
        rules.iter().filter(|rule| rule.is_for(direction) && counts(rule)).count()
    };
    let (v4, v6) = (count(|rule| rule.cidr_ipv6.is_none()), count(|rule| rule.cidr_ipv4.is_none()));
    if v4.max(v6) > MOST {
        let why = format!("a security group has at most {MOST} rules for a direction, not {}", v4.max(v6));
        return Err(errors::TOO_MANY_RULES.with_message(why).with_field("IpPermissions"));
    }
    Ok(())
}

/// Removes the rules of a group that are about the same traffic as those of `wanted`; returns them.
pub(super) fn take(group: &mut Definition, wanted: &[Rule]) -> Result<Vec<Rule>> {
    take_each(group, wanted, Rule::same, |rule| {
        let why = format!("The specified rule \"{}\" does not exist in this security group", rule.words());
        errors::RULE_NOT_FOUND.with_message(why).with_field("IpPermissions")
    })
}

/// Removes the rules of a group with these IDs; returns them.
pub(super) fn take_by_id(group: &mut Definition, direction: Direction, wanted: &[Text]) -> Result<Vec<Rule>> {
    let is =
        |rule: &Rule, id: &Text| rule.security_group_rule_id.as_ref() == Some(id) && rule.is_for(direction);
    take_each(group, wanted, is, |id| {
        let why = format!("The security group rule ID '{id}' does not exist");
        errors::RULE_ID_NOT_FOUND.with_message(why).with_field("SecurityGroupRuleIds")
    })
}

fn take_each<W>(
    group: &mut Definition,
    wanted: &[W],
    is: impl Fn(&Rule, &W) -> bool,
    missing: impl Fn(&W) -> Error,
) -> Result<Vec<Rule>> {
    let rules = group.rules.get_or_insert_default();
    let take = |wanted| {
        let at = rules.iter().position(|own| is(own, wanted)).ok_or_else(|| missing(wanted))?;
        Ok(rules.remove(at))
    };
    wanted.iter().map(take).collect()
}
