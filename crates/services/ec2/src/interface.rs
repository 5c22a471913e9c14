//! Network interfaces: what holds an address of a subnet and uses security groups, for an instance or another service.

use super::{errors, ids, network::Member, subnet::Subnet};
use nephos_cloud::{Key, Parts, Scope, Stored, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType};
use nephos_store::Direction;
use std::{net::Ipv4Addr, ops::ControlFlow};

/// How many of a subnet's first addresses the provider keeps; it keeps the last one, too.
const KEPT: u32 = 4;

/// A network interface. Its key is where it stands: the subnet, and the place of its address in it.
#[derive(Record)]
pub struct Interface {
    /// What it is known by.
    pub(super) network_interface_id: Option<Text>,
    /// The subnet.
    pub(super) subnet_id: Option<Text>,
    /// The place of its address in the subnet.
    place: Option<i64>,
    /// What uses it: the id of an instance, or the resource name of something of another service.
    pub(super) owner: Option<Text>,
    /// The ids of its security groups.
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

/// What the interfaces of a subnet are counted under.
fn counted(subnet: &str) -> String {
    ["ec2/interface/", subnet].concat()
}

/// How many addresses of `subnet` are free.
pub(super) fn free(cx: &Tx<'_>, subnet: &Subnet) -> Result<i64> {
    let all = i64::from(subnet.range()?.size()) - i64::from(KEPT) - 1;
    Ok(all - cx.count(&counted(subnet.id()))?)
}

/// The place of `address` in `subnet`, if it is one that can be had and is free.
pub(super) fn place(cx: &Tx<'_>, subnet: &Subnet, address: &str) -> Result<i64> {
    let range = subnet.range()?;
    let place = address.parse::<Ipv4Addr>().ok().and_then(|address| range.place(address));
    let Some(place) = place.filter(|place| (KEPT..range.size() - 1).contains(place)) else {
        let why = format!("{address} is not an address that can be had in {range}");
        return Err(errors::INVALID.with_message(why).with_field("PrivateIpAddress"));
    };
    if cx.exists(&Interface::table(cx.scope()).text(subnet.id()).number(place.into()))? {
        let why = format!("Address {address} is in use.");
        return Err(errors::ADDRESS_IN_USE.with_message(why).with_field("PrivateIpAddress"));
    }
    Ok(place.into())
}

/// The first `count` places of `subnet` that are free, or fewer if there are fewer.
pub(super) fn places(cx: &Tx<'_>, subnet: &Subnet, count: usize) -> Result<Vec<i64>> {
    let (mut found, mut next) = (Vec::new(), i64::from(KEPT));
    let last = i64::from(subnet.range()?.size()) - 1;
    let within = Interface::table(cx.scope()).text(subnet.id()).prefix_range();
    cx.scan::<Interface>(cx.scope(), &within, Direction::Ascending, |taken| {
        let taken = taken.place.unwrap_or_default();
        found.extend((next..taken).take(count - found.len()));
        next = taken + 1;
        if found.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found.extend((next..last).take(count - found.len()));
    Ok(found)
}

/// Puts an interface at a free place of `subnet`.
pub(super) fn put(
    cx: &mut Tx<'_>,
    subnet: &Subnet,
    place: i64,
    owner: &str,
    groups: Vec<Text>,
) -> Result<Ipv4Addr> {
    let mut interface = Interface::blank();
    interface.network_interface_id = Some(ids::new(cx, "eni"));
    (interface.subnet_id, interface.place) = (Some(subnet.id().into()), Some(place));
    (interface.owner, interface.groups) = (Some(owner.into()), Some(groups));
    cx.put(interface)?;
    cx.add_to_count(&counted(subnet.id()), 1)?;
    Ok(subnet.range()?.address(u32::try_from(place).unwrap_or_default()))
}

/// The interface at an address of `subnet`.
pub(super) fn at(cx: &Tx<'_>, subnet: &Subnet, address: &str) -> Result<Option<Interface>> {
    let place = address.parse::<Ipv4Addr>().ok().and_then(|address| subnet.range().ok()?.place(address));
    let Some(place) = place else { return Ok(None) };
    cx.get(&Interface::table(cx.scope()).text(subnet.id()).number(place.into()))
}

/// Takes an interface away; its address is free again.
pub(super) fn remove(cx: &mut Tx<'_>, interface: &Interface) -> Result<()> {
    cx.remove(interface)?;
    cx.add_to_count(&counted(interface.subnet_id.as_deref().unwrap_or_default()), -1).map(drop)
}

/// The first interface under keys that begin so that is `wanted`.
fn first(cx: &Tx<'_>, within: &Key, wanted: impl Fn(&Interface) -> bool) -> Result<Option<Interface>> {
    let mut found = Vec::new();
    cx.gather(cx.scope(), &within.prefix_range(), Direction::Ascending, wanted, 1, &mut found)?;
    Ok(found.pop())
}

/// What uses an address of a subnet, if anything does.
pub(super) fn any_within(cx: &Tx<'_>, subnet: &str) -> Result<Option<Text>> {
    let found = first(cx, &Interface::table(cx.scope()).text(subnet), |_| true)?;
    Ok(found.and_then(|interface| interface.owner))
}

/// What uses a security group, if anything does.
pub(super) fn any_with(cx: &Tx<'_>, group: &str) -> Result<Option<Text>> {
    let uses = |interface: &Interface| interface.groups.iter().flatten().any(|own| own == group);
    Ok(first(cx, &Interface::table(cx.scope()), uses)?.and_then(|interface| interface.owner))
}

/// The interface that `owner` has in a subnet.
fn of(cx: &Tx<'_>, owner: &str, subnet: &str) -> Result<Option<Interface>> {
    let within = Interface::table(cx.scope()).text(subnet);
    first(cx, &within, |interface| interface.owner.as_deref() == Some(owner))
}

/// Gives `owner`, by its resource name, an address of `subnet`, and the security groups `groups`: none of them can be
/// deleted then. If it has an address there already, it keeps that and gets these groups. Tells the address.
pub fn attach(cx: &mut Tx<'_>, owner: &str, subnet: &Subnet, groups: &[Text]) -> Result<Ipv4Addr> {
    if let Some(mut interface) = of(cx, owner, subnet.id())? {
        let place = interface.place.and_then(|place| u32::try_from(place).ok()).unwrap_or_default();
        if interface.groups.as_deref() != Some(groups) {
            interface.groups = Some(groups.to_vec());
            cx.put(interface)?;
        }
        return Ok(subnet.range()?.address(place));
    }
    match places(cx, subnet, 1)?.first() {
        Some(place) => put(cx, subnet, *place, owner, groups.to_vec()),
        None => Err(errors::NO_ADDRESSES.with_message(format!("{} has no free address", subnet.id()))),
    }
}

/// Takes back what [`attach`] gave `owner` in a subnet; nothing happens if it gave nothing.
pub fn detach(cx: &mut Tx<'_>, owner: &str, subnet: &str) -> Result<()> {
    match of(cx, owner, subnet)? {
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
        cloud.inside(move |cx| {
            let subnet = ec2::default_subnets(cx)?.remove(0);
            let address = ec2::attach(cx, OWNER, &subnet, &groups)?;
            Ok((subnet, address))
        })
    }

    #[test]
    fn what_another_service_uses_stays() -> Result<()> {
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

        assert_eq!(attach(&cloud, &[])?.1, address, "it keeps its address, and gets other groups");
        assert_eq!(free()?, Some(4090));
        assert_eq!(attach(&cloud, &[id])?.1, address);
        let elsewhere = subnet_id.clone();
        cloud.inside(move |cx| {
            ec2::detach(cx, "arn:of:another", &elsewhere)?;
            ec2::detach(cx, OWNER, &elsewhere)?;
            ec2::detach(cx, OWNER, &elsewhere)
        })?;
        assert_eq!(cloud.rows()?, before);
        group.delete().wait()?;
        subnets.delete(subnet_id).wait()
    }
}
