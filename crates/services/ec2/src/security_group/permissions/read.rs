//! Validates permissions of callers, and converts them to rules.

use super::{Direction, IpPermission, Rule, UserIdGroupPair};
use crate::{
    errors,
    network::{self, Cidr, Cidr6, Member, ids},
    security_group::{self, SecurityGroupRow},
};
use nephos_cloud::Tx;
use nephos_core::{Error, Result, Text, field_value::FieldType};

/// Converts `permissions` to the rules of a security group, without IDs; refuses duplicates.
pub(crate) fn to_rules(
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
                return Err(in_item(errors::permission_repeated().with_hint(rule.summary())));
            }
            rules.push(rule);
        }
    }
    if rules.is_empty() {
        return Err(errors::source_missing().with_field("IpPermissions"));
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
        let parsed: Cidr = cidr.parse().map_err(|()| errors::cidr_malformed(cidr).with_field("IpRanges"))?;
        let mut rule = with_description(&blank, &range.description)?;
        rule.cidr_ipv4 = Some(parsed.to_string().into());
        rules.push(rule);
    }
    for range in permission.ipv6_ranges.iter().flatten() {
        let cidr = range.cidr_ipv6.as_deref().unwrap_or_default();
        let parsed: Cidr6 =
            cidr.parse().map_err(|()| errors::cidr_malformed(cidr).with_field("Ipv6Ranges"))?;
        let mut rule = with_description(&blank, &range.description)?;
        rule.cidr_ipv6 = Some(parsed.to_string().into());
        rules.push(rule);
    }
    for pair in permission.user_id_group_pairs.iter().flatten() {
        let mut rule = with_description(&blank, &pair.description)?;
        rule.referenced_group_id = Some(find_referenced(cx, group, pair)?);
        rules.push(rule);
    }
    if let Some(list) = permission.prefix_list_ids.iter().flatten().next() {
        let id = list.prefix_list_id.as_deref().unwrap_or_default();
        return Err(errors::prefix_list_not_found(id).with_field("PrefixListIds"));
    }
    Ok(rules)
}

/// Copies `blank` and sets the description.
fn with_description(blank: &Rule, description: &Option<Text>) -> Result<Rule> {
    let mut rule = blank.clone();
    if let Some(text) = description.as_deref().filter(|text| !text.is_empty()) {
        security_group::check_text(text, "rule description", "Description")?;
        rule.description = Some(text.into());
    }
    Ok(rule)
}

/// Finds the ID of the security group of a pair; it must be in the same account and VPC as `group`.
fn find_referenced(cx: &Tx<'_>, group: &SecurityGroupRow, pair: &UserIdGroupPair) -> Result<Text> {
    let refused = |error: Error| Err(error.with_field("UserIdGroupPairs"));
    if let Some(id) = &pair.vpc_peering_connection_id {
        return refused(errors::peering_not_found(id));
    }
    let id_or_name = pair.group_id.as_deref().or(pair.group_name.as_deref()).unwrap_or_default();
    if pair.user_id.as_deref().is_some_and(|account| account != cx.scope().account()) {
        return refused(errors::group_not_found(id_or_name));
    }
    let found = match (&pair.group_id, &pair.group_name) {
        (Some(id), _) => {
            ids::check(id, SecurityGroupRow::ID_PREFIX, SecurityGroupRow::MALFORMED)?;
            network::find::<SecurityGroupRow>(cx, id)?
        }
        (None, Some(name)) => security_group::find_by_name(cx, group.vpc(), name)?,
        (None, None) => return refused(errors::source_missing()),
    };
    let vpc = pair.vpc_id.as_deref().unwrap_or(group.vpc());
    match found {
        Some(found) if found.vpc() == group.vpc() && found.vpc() == vpc => Ok(found.id().into()),
        Some(found) => refused(errors::networks_differ().with_hint(found.id())),
        None => refused(errors::group_not_found(id_or_name)),
    }
}

/// Validates the protocol and ports of a permission, and returns them in their canonical form.
fn read_traffic(permission: &IpPermission) -> Result<(Text, Option<i64>, Option<i64>)> {
    let given = permission.ip_protocol.as_deref().unwrap_or_default();
    if given.is_empty() {
        return Err(errors::parameter_missing("ipProtocol").with_field("IpProtocol"));
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
            let hint = "expected tcp, udp, icmp, icmpv6, -1 or a number from 0 to 255";
            return Err(errors::protocol_unknown(given).with_hint(hint).with_field("IpProtocol"));
        }
    };
    let wrong = |error: Error| Err(error.with_field("FromPort"));
    let (from, to) = (permission.from_port, permission.to_port);
    let range = match protocol.as_str() {
        "tcp" | "udp" => match (from, to) {
            // -1 stands for all ports.
            (Some(-1), Some(-1)) => Some((0, 65535)),
            (Some(from), Some(to)) => match [from, to].into_iter().find(|port| !(0..=65535).contains(port)) {
                Some(port) => return wrong(errors::port_out_of_range(port)),
                None if from > to => return wrong(errors::port_range_invalid(from, to)),
                None => Some((from, to)),
            },
            _ => return wrong(errors::ports_missing()),
        },
        "icmp" | "icmpv6" => match (from.unwrap_or(-1), to.unwrap_or(-1)) {
            (from @ -1..=255, to @ -1..=255) if from != -1 || to == -1 => Some((from, to)),
            (from, to) => {
                let hint = "expected -1 to 255, and no code for type -1";
                return wrong(errors::icmp_invalid(from, to).with_hint(hint));
            }
        },
        // Other protocols have no ports; ports in the request are ignored.
        _ => None,
    };
    Ok((protocol.into(), range.map(|(from, _)| from), range.map(|(_, to)| to)))
}
