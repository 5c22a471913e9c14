//! Network interfaces: an address of a subnet and security groups, for an instance or a resource of another service.

use super::{errors, ids, network::Member, subnet::Subnet};
use nephos_cloud::{Key, Parts, Scope, Stored, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType};
use nephos_store::Direction;
use std::{net::Ipv4Addr, ops::ControlFlow};

/// Number of addresses at the start of a subnet that the provider reserves; the last one is reserved, too.
const RESERVED_ADDRESSES: u32 = 4;

/// Row of a network interface. Its key is the subnet and the offset of the address in it.
#[derive(Record)]
pub(crate) struct Interface {
    /// ID of the network interface.
    pub(super) network_interface_id: Option<Text>,
    /// ID of the subnet.
    pub(super) subnet_id: Option<Text>,
    /// Offset of the address in the subnet.
    place: Option<i64>,
    /// Owner: ID of an instance, or ARN of a resource of another service.
    pub(super) owner: Option<Text>,
    /// IDs of the security groups.
    pub(super) groups: Option<Vec<Text>>,
}

impl Stored for Interface {
    const TABLE: &'static str = "ec2/interface";

    fn identify(&self, key: Key) -> Key {
        key.text(self.subnet_id.as_deref().unwrap_or_default()).number(self.place.unwrap_or_default())
    }

    fn strip_derived(&mut self) {
        (self.subnet_id, self.place) = (None, None);
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        (self.subnet_id, self.place) = (identity.text(), identity.number());
    }
}

/// Name of the counter of the interfaces of a subnet.
fn counter(subnet: &str) -> String {
    ["ec2/interface/", subnet].concat()
}

/// Counts the free addresses of `subnet`.
pub(super) fn count_free(cx: &Tx<'_>, subnet: &Subnet) -> Result<i64> {
    let all = i64::from(subnet.range()?.size()) - i64::from(RESERVED_ADDRESSES) - 1;
    Ok(all - cx.count(&counter(subnet.id()))?)
}

/// Returns the offset of `address` in `subnet`, or refuses if it is reserved, in use or not in the subnet.
pub(super) fn require_free(cx: &Tx<'_>, subnet: &Subnet, address: &str) -> Result<i64> {
    let range = subnet.range()?;
    let offset = address.parse::<Ipv4Addr>().ok().and_then(|address| range.offset_of(address));
    let Some(offset) = offset.filter(|offset| (RESERVED_ADDRESSES..range.size() - 1).contains(offset)) else {
        let message = format!("{address} is not an available address in {range}");
        return Err(errors::INVALID.with_message(message).with_field("PrivateIpAddress"));
    };
    if cx.exists(&Interface::table(cx.scope()).text(subnet.id()).number(offset.into()))? {
        let message = format!("Address {address} is in use.");
        return Err(errors::ADDRESS_IN_USE.with_message(message).with_field("PrivateIpAddress"));
    }
    Ok(offset.into())
}

/// Returns the offsets of the first `count` free addresses of `subnet`; fewer if there are not enough.
pub(super) fn find_free(cx: &Tx<'_>, subnet: &Subnet, count: usize) -> Result<Vec<i64>> {
    let (mut found, mut next) = (Vec::new(), i64::from(RESERVED_ADDRESSES));
    let last = i64::from(subnet.range()?.size()) - 1;
    let range = Interface::table(cx.scope()).text(subnet.id()).prefix_range();
    cx.scan::<Interface>(cx.scope(), &range, Direction::Ascending, |taken| {
        let taken = taken.place.unwrap_or_default();
        found.extend((next..taken).take(count - found.len()));
        next = taken + 1;
        if found.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found.extend((next..last).take(count - found.len()));
    Ok(found)
}

/// Creates an interface at a free offset of `subnet`; returns its address.
pub(super) fn create(
    cx: &mut Tx<'_>,
    subnet: &Subnet,
    offset: i64,
    owner: &str,
    groups: Vec<Text>,
) -> Result<Ipv4Addr> {
    let mut interface = Interface::blank();
    interface.network_interface_id = Some(ids::new(cx, "eni"));
    (interface.subnet_id, interface.place) = (Some(subnet.id().into()), Some(offset));
    (interface.owner, interface.groups) = (Some(owner.into()), Some(groups));
    cx.put(interface)?;
    cx.add_to_count(&counter(subnet.id()), 1)?;
    Ok(subnet.range()?.address(u32::try_from(offset).unwrap_or_default()))
}

/// Finds the interface with an address of `subnet`.
pub(super) fn find(cx: &Tx<'_>, subnet: &Subnet, address: &str) -> Result<Option<Interface>> {
    let offset = address.parse::<Ipv4Addr>().ok().and_then(|address| subnet.range().ok()?.offset_of(address));
    let Some(offset) = offset else { return Ok(None) };
    cx.get(&Interface::table(cx.scope()).text(subnet.id()).number(offset.into()))
}

/// Removes an interface; its address is free again.
pub(super) fn remove(cx: &mut Tx<'_>, interface: &Interface) -> Result<()> {
    cx.remove(interface)?;
    cx.add_to_count(&counter(interface.subnet_id.as_deref().unwrap_or_default()), -1).map(drop)
}

/// Finds the first interface that is `wanted` and whose key has the prefix `prefix`.
fn find_first(cx: &Tx<'_>, prefix: &Key, wanted: impl Fn(&Interface) -> bool) -> Result<Option<Interface>> {
    let mut found = Vec::new();
    cx.gather(cx.scope(), &prefix.prefix_range(), Direction::Ascending, wanted, 1, &mut found)?;
    Ok(found.pop())
}

/// Finds an owner of an interface in a subnet.
pub(super) fn find_owner_in_subnet(cx: &Tx<'_>, subnet: &str) -> Result<Option<Text>> {
    let found = find_first(cx, &Interface::table(cx.scope()).text(subnet), |_| true)?;
    Ok(found.and_then(|interface| interface.owner))
}

/// Finds an owner of an interface with a security group.
pub(super) fn find_owner_with_group(cx: &Tx<'_>, group: &str) -> Result<Option<Text>> {
    let uses = |interface: &Interface| interface.groups.iter().flatten().any(|own| own == group);
    Ok(find_first(cx, &Interface::table(cx.scope()), uses)?.and_then(|interface| interface.owner))
}

/// Finds the interface of `owner` in a subnet.
fn find_by_owner(cx: &Tx<'_>, owner: &str, subnet: &str) -> Result<Option<Interface>> {
    let prefix = Interface::table(cx.scope()).text(subnet);
    find_first(cx, &prefix, |interface| interface.owner.as_deref() == Some(owner))
}

/// Creates a network interface for `owner`, an ARN, in `subnet` with the security groups `groups`; returns its address. The
/// subnet and the groups cannot be deleted while it exists. If `owner` has an interface in the subnet already, only its
/// groups change.
pub fn attach(cx: &mut Tx<'_>, owner: &str, subnet: &Subnet, groups: &[Text]) -> Result<Ipv4Addr> {
    if let Some(mut interface) = find_by_owner(cx, owner, subnet.id())? {
        let offset = interface.place.and_then(|offset| u32::try_from(offset).ok()).unwrap_or_default();
        if interface.groups.as_deref() != Some(groups) {
            interface.groups = Some(groups.to_vec());
            cx.put(interface)?;
        }
        return Ok(subnet.range()?.address(offset));
    }
    match find_free(cx, subnet, 1)?.first() {
        Some(offset) => create(cx, subnet, *offset, owner, groups.to_vec()),
        None => Err(errors::NO_ADDRESSES
            .with_message(format!("There are not enough free addresses in subnet '{}'", subnet.id()))),
    }
}

/// Removes the network interface of `owner` in a subnet, if there is one.
pub fn detach(cx: &mut Tx<'_>, owner: &str, subnet: &str) -> Result<()> {
    match find_by_owner(cx, owner, subnet)? {
        Some(interface) => remove(cx, &interface),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate as ec2;
    use crate::{SecurityGroup, Subnet, testing::Cloud};
    use nephos_core::{ErrorKind, Result, Text};
    use std::net::Ipv4Addr;

    const OWNER: &str = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/web/1";

    fn attach(cloud: &Cloud, groups: &[&str]) -> Result<(Subnet, Ipv4Addr)> {
        let groups: Vec<_> = groups.iter().map(|group| Text::new(group)).collect();
        cloud.run_in_transaction(move |cx| {
            let subnet = ec2::default_subnets(cx)?.remove(0);
            let address = ec2::attach(cx, OWNER, &subnet, &groups)?;
            Ok((subnet, address))
        })
    }

    #[test]
    fn subnet_and_group_in_use_by_another_service_cannot_be_deleted() -> Result<()> {
        let cloud = Cloud::in_memory();
        let session = cloud.session();
        let group = SecurityGroup::builder().group_name("web").description("d").build()?;
        let group = SecurityGroup::objects(&session).create(&group).wait()?;
        let id = group.group_id().unwrap_or_default();
        let before = cloud.rows()?;

        let (subnet, address) = attach(&cloud, &[id])?;
        assert_eq!(address, Ipv4Addr::new(172, 31, 0, 4));
        let subnet_id = Text::new(subnet.subnet_id().unwrap_or_default());
        let subnets = Subnet::objects(&session);
        let free = || {
            let found = subnets.get(subnet_id.clone()).wait()?;
            Ok::<_, nephos_core::Error>(found.and_then(|subnet| subnet.available_ip_address_count()))
        };
        assert_eq!((subnet.available_ip_address_count(), free()?), (Some(4091), Some(4090)));
        assert_eq!(group.delete().wait().unwrap_err().code(), "DependencyViolation");
        assert_eq!(subnets.delete(subnet_id.clone()).wait().unwrap_err().kind(), ErrorKind::InState);

        assert_eq!(attach(&cloud, &[])?.1, address, "the address stays, the groups change");
        assert_eq!(free()?, Some(4090));
        assert_eq!(attach(&cloud, &[id])?.1, address);
        let elsewhere = subnet_id.clone();
        cloud.run_in_transaction(move |cx| {
            ec2::detach(cx, "arn:of:another", &elsewhere)?;
            ec2::detach(cx, OWNER, &elsewhere)?;
            ec2::detach(cx, OWNER, &elsewhere)
        })?;
        assert_eq!(cloud.rows()?, before);
        group.delete().wait()?;
        subnets.delete(subnet_id).wait()
    }
}
