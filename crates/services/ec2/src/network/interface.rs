//! Network interfaces: an address of a subnet and security groups, for an instance or a resource of another service.

use super::{Member, ids};
use crate::{errors, subnet::Subnet};
use nephos_cloud::{Direction, Key, Stored as _, Tx};
use nephos_core::{Error, Record, Result, Text, field_value::FieldType};
use std::{net::Ipv4Addr, ops::ControlFlow};

/// Number of addresses at the start of a subnet that the provider reserves; the last one is reserved, too.
const RESERVED_ADDRESSES: u32 = 4;

/// Number of offsets of an IPv6-only subnet, which has no other limit.
const MAX_INTERFACES: i64 = 1 << 16;

/// Row of an address of a network interface. Its key is the subnet and the offset of the address in it.
#[derive(Record)]
#[record(row)]
pub(crate) struct Interface {
    /// ID of the network interface.
    pub(crate) network_interface_id: Option<Text>,
    /// ID of the subnet.
    pub(crate) subnet_id: Option<Text>,
    /// Offset of the address in the subnet.
    place: Option<i64>,
    /// Owner: ID of an instance, or ARN of a resource of another service.
    pub(crate) owner: Option<Text>,
    /// IDs of the security groups.
    pub(crate) groups: Option<Vec<Text>>,
    /// IPv6 addresses and blocks.
    ipv6: Option<Vec<Text>>,
}

nephos_cloud::stored!(Interface in "ec2/interface" by subnet_id, place);

/// Row of the interface that a resource of another service has in a subnet.
#[derive(Record)]
#[record(row)]
struct AttachmentRow {
    /// ARN of the resource.
    owner: Option<Text>,
    /// ID of the subnet.
    subnet_id: Option<Text>,
    /// Offset of the address in the subnet.
    place: Option<i64>,
}

nephos_cloud::stored!(AttachmentRow in "ec2/attachment" by owner, subnet_id);

impl Interface {
    /// Creates the row of an address.
    pub(crate) fn new(id: Text, owner: &str, groups: Vec<Text>) -> Self {
        let mut interface = Self::blank();
        interface.network_interface_id = Some(id);
        (interface.owner, interface.groups) = (Some(owner.into()), Some(groups));
        interface
    }

    /// Sets the IPv6 addresses and blocks.
    pub(crate) fn with_ipv6(mut self, ipv6: Vec<Text>) -> Self {
        self.ipv6 = Some(ipv6).filter(|ipv6| !ipv6.is_empty());
        self
    }
}

/// Name of the counter of the interfaces of a subnet.
fn counter(subnet: &str) -> String {
    ["ec2/interface/", subnet].concat()
}

/// Counts the free IPv4 addresses of `subnet`.
pub(crate) fn count_free(cx: &Tx<'_>, subnet: &Subnet) -> Result<i64> {
    let Some(range) = subnet.range()? else { return Ok(0) };
    let all = i64::from(range.size()) - i64::from(RESERVED_ADDRESSES) - 1;
    Ok(all - cx.count(&counter(subnet.id()))?)
}

/// Returns the offset of `address` in `subnet`, or refuses if it is reserved, in use or not in the subnet.
pub(crate) fn require_free(cx: &Tx<'_>, subnet: &Subnet, address: &str) -> Result<i64> {
    let refused = |error: Error| Err(error.with_field("PrivateIpAddress"));
    let Some(range) = subnet.range()? else { return refused(errors::address_outside(address)) };
    let offset = address.parse::<Ipv4Addr>().ok().and_then(|address| range.offset_of(address));
    let Some(offset) = offset else {
        return refused(errors::address_outside(address).with_hint(range.to_string()));
    };
    if !(RESERVED_ADDRESSES..range.size() - 1).contains(&offset) {
        return refused(errors::address_reserved(address).with_hint(range.to_string()));
    }
    if cx.exists(&Interface::table(cx.scope()).text(subnet.id()).number(offset.into()))? {
        return refused(errors::address_in_use(address));
    }
    Ok(offset.into())
}

/// Returns the offsets of `count` free addresses of `subnet`; fewer if there are not enough. The interfaces of an IPv6-only subnet
/// have no address at their offset. Addresses after the last one in use come first, so that the cost does not depend on their
/// number; addresses before it that became free are used when none is left after it.
pub(crate) fn find_free(cx: &Tx<'_>, subnet: &Subnet, count: usize) -> Result<Vec<i64>> {
    let range = Interface::table(cx.scope()).text(subnet.id()).prefix_range();
    let last_in_use = cx.first::<Interface>(&range, Direction::Descending)?;
    let next = last_in_use.map_or(i64::from(RESERVED_ADDRESSES), |last| last.place.unwrap_or_default() + 1);
    if last_offset(subnet)?.saturating_sub(next) >= i64::try_from(count).unwrap_or(i64::MAX) {
        return Ok((next..).take(count).collect());
    }
    find_lowest_free(cx, subnet, count)
}

/// Returns the offset after the last address of `subnet` that can be used.
fn last_offset(subnet: &Subnet) -> Result<i64> {
    Ok(subnet.range()?.map_or(MAX_INTERFACES, |range| i64::from(range.size()) - 1))
}

/// Returns the offsets of the first `count` free addresses of `subnet`.
fn find_lowest_free(cx: &Tx<'_>, subnet: &Subnet, count: usize) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    let mut next = i64::from(RESERVED_ADDRESSES);
    let range = Interface::table(cx.scope()).text(subnet.id()).prefix_range();
    cx.scan::<Interface>(cx.scope(), &range, Direction::Ascending, |taken| {
        let taken = taken.place.unwrap_or_default();
        found.extend((next..taken).take(count - found.len()));
        next = taken + 1;
        if found.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found.extend((next..last_offset(subnet)?).take(count - found.len()));
    Ok(found)
}

/// Returns the offsets of free blocks of `size` addresses of `subnet` without those that are `taken`, the last ones first;
/// fewer than `count` if there are not enough.
pub(crate) fn find_free_blocks(
    cx: &Tx<'_>,
    subnet: &Subnet,
    size: i64,
    count: usize,
    taken: &[i64],
) -> Result<Vec<i64>> {
    let Some(range) = subnet.range()?.filter(|_| count > 0) else { return Ok(Vec::new()) };
    let mut free = find_lowest_free(cx, subnet, usize::try_from(range.size()).unwrap_or(usize::MAX))?;
    free.retain(|offset| !taken.contains(offset));
    let blocks = (0..i64::from(range.size()) / size).rev().map(|block| block * size);
    let is_free = |first: &i64| {
        free.binary_search(first).is_ok_and(|at| {
            usize::try_from(size - 1).ok().and_then(|more| free.get(at + more)) == Some(&(first + size - 1))
        })
    };
    Ok(blocks.filter(is_free).take(count).collect())
}

/// Stores the row of an interface at a free offset of `subnet`.
pub(crate) fn put(cx: &mut Tx<'_>, subnet: &Subnet, offset: i64, mut interface: Interface) -> Result<()> {
    (interface.subnet_id, interface.place) = (Some(subnet.id().into()), Some(offset));
    cx.put(interface)?;
    cx.add_to_count(&counter(subnet.id()), 1).map(drop)
}

/// Finds the row with an address of `subnet`.
pub(crate) fn find(cx: &Tx<'_>, subnet: &Subnet, address: &str) -> Result<Option<Interface>> {
    let range = subnet.range()?;
    let offset = address.parse::<Ipv4Addr>().ok().and_then(|address| range?.offset_of(address));
    let Some(offset) = offset else { return Ok(None) };
    cx.get(&Interface::table(cx.scope()).text(subnet.id()).number(offset.into()))
}

/// Finds all rows of the network interface with an ID in `subnet`.
pub(crate) fn find_by_id(cx: &Tx<'_>, subnet: &Subnet, id: &str) -> Result<Vec<Interface>> {
    let mut found = Vec::new();
    let range = Interface::table(cx.scope()).text(subnet.id()).prefix_range();
    let wanted = |interface: &Interface| interface.network_interface_id.as_deref() == Some(id);
    cx.gather(cx.scope(), &range, Direction::Ascending, wanted, usize::MAX, &mut found)?;
    Ok(found)
}

/// True if an interface of `subnet` has this IPv6 address or block, in its canonical form.
pub(crate) fn uses_ipv6(cx: &Tx<'_>, subnet: &Subnet, wanted: &Text) -> Result<bool> {
    let uses = |interface: &Interface| interface.ipv6.iter().flatten().any(|own| own == wanted);
    Ok(find_first(cx, &Interface::table(cx.scope()).text(subnet.id()), uses)?.is_some())
}

/// Removes a row of an interface; its address is free again.
pub(crate) fn remove(cx: &mut Tx<'_>, interface: &Interface) -> Result<()> {
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
pub(crate) fn find_owner_in_subnet(cx: &Tx<'_>, subnet: &str) -> Result<Option<Text>> {
    let found = find_first(cx, &Interface::table(cx.scope()).text(subnet), |_| true)?;
    Ok(found.and_then(|interface| interface.owner))
}

/// Finds an owner of an interface with a security group.
pub(crate) fn find_owner_with_group(cx: &Tx<'_>, group: &str) -> Result<Option<Text>> {
    let uses = |interface: &Interface| interface.groups.iter().flatten().any(|own| own == group);
    Ok(find_first(cx, &Interface::table(cx.scope()), uses)?.and_then(|interface| interface.owner))
}

/// Finds the interface of `owner`, a resource of another service, in a subnet.
fn find_by_owner(cx: &Tx<'_>, owner: &str, subnet: &str) -> Result<Option<Interface>> {
    let attachment = cx.get::<AttachmentRow>(&AttachmentRow::table(cx.scope()).text(owner).text(subnet))?;
    let Some(place) = attachment.and_then(|attachment| attachment.place) else { return Ok(None) };
    cx.get(&Interface::table(cx.scope()).text(subnet).number(place))
}

/// Creates a network interface for `owner`, an ARN, in `subnet` with the security groups `groups`; returns its address. The
/// subnet and the groups cannot be deleted while it exists. If `owner` has an interface in the subnet already, only its
/// groups change.
pub fn attach(cx: &mut Tx<'_>, owner: &str, subnet: &Subnet, groups: &[Text]) -> Result<Ipv4Addr> {
    let no_address = || errors::not_enough_addresses(subnet.id());
    if let Some(mut interface) = find_by_owner(cx, owner, subnet.id())? {
        let address = subnet.address(interface.place.unwrap_or_default())?.ok_or_else(no_address)?;
        if interface.groups.as_deref() != Some(groups) {
            interface.groups = Some(groups.to_vec());
            cx.put(interface)?;
        }
        return Ok(address);
    }
    let offset = *find_free(cx, subnet, 1)?.first().ok_or_else(no_address)?;
    let address = subnet.address(offset)?.ok_or_else(no_address)?;
    let interface = Interface::new(ids::new(cx, "eni"), owner, groups.to_vec());
    put(cx, subnet, offset, interface)?;
    cx.put(attachment(owner, subnet.id(), offset))?;
    Ok(address)
}

/// Removes the network interface of `owner` in a subnet, if there is one.
pub fn detach(cx: &mut Tx<'_>, owner: &str, subnet: &str) -> Result<()> {
    match find_by_owner(cx, owner, subnet)? {
        Some(interface) => {
            cx.remove(&attachment(owner, subnet, interface.place.unwrap_or_default()))?;
            remove(cx, &interface)
        }
        None => Ok(()),
    }
}

fn attachment(owner: &str, subnet: &str, place: i64) -> AttachmentRow {
    AttachmentRow { owner: Some(owner.into()), subnet_id: Some(subnet.into()), place: Some(place) }
}

/// Attaches `owner`, an ARN, to `subnets` with the security groups `groups`, and detaches it from those `before` that are no
/// longer among them.
pub fn update_attachments(
    cx: &mut Tx<'_>,
    owner: &str,
    before: &[Text],
    subnets: &[Text],
    groups: &[Text],
) -> Result<()> {
    for removed in before.iter().filter(|removed| !subnets.contains(removed)) {
        detach(cx, owner, removed)?;
    }
    for id in subnets {
        if let Some(subnet) = super::find::<Subnet>(cx, id)? {
            attach(cx, owner, &subnet, groups)?;
        }
    }
    Ok(())
}
