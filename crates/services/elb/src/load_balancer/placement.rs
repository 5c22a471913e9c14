//! Zones, subnets and security groups of load balancers.

use super::{ClassicELB, ClassicELBManager, SourceSecurityGroup, require};
use crate::errors;
use nephos_cloud::{Handler, StoredResource, Tx, own_arn};
use nephos_core::{Result, Text, operation};
use nephos_ec2::{self as ec2, CreateSecurityGroup, SecurityGroup, Subnet};

/// Start of the name of the security group of load balancers in the default VPC that are created without one.
const OWN_GROUP_PREFIX: &str = "default_elb_";

/// Description of that security group.
const OWN_GROUP_DESCRIPTION: &str = "ELB created security group used when no security group is specified during ELB creation - \
    modifications could impact traffic to future ELBs";

impl ClassicELB {
    /// Places the load balancer in these subnets: sets the VPC, the subnets and the zones.
    pub(super) fn place_in(&mut self, cx: &Tx<'_>, ids: &[Text]) -> Result<()> {
        let mut placed: Vec<(Text, Text)> = Vec::new();
        for id in ids {
            let refuse = |error: nephos_core::Error| Err(error.with_field("Subnets"));
            let Some(subnet) = ec2::subnet(cx, id)? else {
                return refuse(errors::subnet_not_found(id));
            };
            if self.vpc_id.as_deref().is_some_and(|vpc| subnet.vpc_id() != Some(vpc)) {
                return refuse(errors::subnets_of_several_vpcs());
            }
            self.vpc_id = subnet.vpc_id().map(Text::new);
            let zone = subnet.availability_zone().unwrap_or_default();
            match placed.iter().find(|(other, _)| other == zone) {
                Some((_, other)) if other == id => {}
                Some((_, other)) => {
                    let hint = format!("{other} and {id} are both in {zone}");
                    return refuse(errors::zone_given_twice().with_hint(hint));
                }
                None => placed.push((zone.into(), id.clone())),
            }
        }
        placed.sort();
        let (zones, mut subnets): (Vec<_>, Vec<_>) = placed.into_iter().unzip();
        subnets.sort();
        (self.availability_zones, self.subnets) = (Some(zones), Some(subnets));
        Ok(())
    }

    /// Places the load balancer in the default subnets of these zones.
    pub(super) fn place_in_zones(&mut self, cx: &Tx<'_>, zones: &[Text]) -> Result<()> {
        if ec2::default_vpc(cx)?.is_none() {
            return Err(errors::default_vpc_missing().with_field("AvailabilityZones"));
        }
        let subnets = ec2::default_subnets(cx)?;
        let find = |zone: &Text| {
            let found = subnets.iter().find(|subnet| subnet.availability_zone() == Some(zone));
            let id = found.and_then(Subnet::subnet_id).map(Text::new);
            id.ok_or_else(|| errors::zone_not_found(zone).with_field("AvailabilityZones"))
        };
        self.place_in(cx, &zones.iter().map(find).collect::<Result<Vec<_>>>()?)
    }

    /// Sets the security groups, which must be in the VPC.
    pub(super) fn put_in_groups(&mut self, cx: &Tx<'_>, groups: Vec<Text>) -> Result<()> {
        let vpc = self.vpc_id.as_deref().unwrap_or_default();
        let mut first = None;
        for id in &groups {
            let refuse = |error: nephos_core::Error| error.with_field("SecurityGroups");
            let group = ec2::security_group(cx, id)?;
            let group =
                group.ok_or_else(|| refuse(errors::security_group_not_found().with_hint(id.as_str())))?;
            if group.vpc_id() != Some(vpc) {
                return Err(refuse(errors::security_group_in_other_vpc(id, vpc)));
            }
            first.get_or_insert(group);
        }
        if let Some(group) = first {
            self.set_source_group(cx, &group);
        }
        self.security_groups = Some(groups);
        Ok(())
    }

    fn set_source_group(&mut self, cx: &Tx<'_>, group: &SecurityGroup) {
        self.source_security_group = Some(SourceSecurityGroup {
            owner_alias: Some(cx.scope().account().into()),
            group_name: group.group_name().map(Text::new),
        });
    }

    /// Sets the security group of a load balancer that is created without one: the default group of the VPC or, for one that is
    /// created by its zones, a group for all such load balancers, which is created with the first.
    pub(super) fn set_default_security_group(&mut self, cx: &mut Tx<'_>, by_zones: bool) -> Result<()> {
        let vpc = self.vpc_id.clone().unwrap_or_default();
        if !by_zones {
            let group = ec2::default_security_group(cx, &vpc)?;
            let ids = group.iter().filter_map(|group| group.group_id().map(Text::new)).collect();
            return self.put_in_groups(cx, ids);
        }
        let is_own =
            |group: &SecurityGroup| group.group_name().is_some_and(|name| name.starts_with(OWN_GROUP_PREFIX));
        let existing = ec2::security_groups(cx, &vpc)?.into_iter().find(is_own);
        let id = match existing.as_ref().and_then(SecurityGroup::group_id) {
            Some(id) => Text::new(id),
            None => {
                let name = format!("{OWN_GROUP_PREFIX}{}", cx.ids().uuid());
                let created = CreateSecurityGroup::new(OWN_GROUP_DESCRIPTION, name).vpc_id(vpc).run(cx)?;
                created.group_id().map(Text::new).unwrap_or_default()
            }
        };
        self.put_in_groups(cx, vec![id])
    }
}

/// Stores a load balancer, and updates its attachments to subnets and security groups. `before` are the subnets before the
/// change.
pub(super) fn put(cx: &mut Tx<'_>, balancer: ClassicELB, before: &[Text]) -> Result<()> {
    let arn = own_arn(&balancer, cx.scope()).unwrap_or_default();
    let subnets = balancer.subnets.clone().unwrap_or_default();
    let groups = balancer.security_groups.clone().unwrap_or_default();
    ec2::update_attachments(cx, &arn, before, &subnets, &groups)?;
    cx.put(balancer)
}

/// Attaches a load balancer to more subnets of its VPC.
#[operation(
    of = ClassicELB, call = "attach_to_subnets", on_model(subnets), needs(load_balancer_name, subnets), wraps(subnets: Vec<Text>),
    effect = write
)]
pub struct AttachLoadBalancerToSubnets {}

impl Handler for AttachLoadBalancerToSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if self.subnets.is_empty() {
            return Err(errors::subnets_missing().with_field("Subnets"));
        }
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let before = balancer.subnets.clone().unwrap_or_default();
        let new = self.subnets.into_iter().filter(|id| !before.contains(id));
        let all: Vec<_> = before.iter().cloned().chain(new).collect();
        balancer.place_in(cx, &all)?;
        let subnets = balancer.subnets.clone().unwrap_or_default();
        put(cx, balancer, &before)?;
        Ok(subnets.into())
    }
}

/// Detaches a load balancer from subnets. At least one must stay.
#[operation(
    of = ClassicELB, call = "detach_from_subnets", on_model(subnets), needs(load_balancer_name, subnets),
    wraps(subnets: Vec<Text>), effect = write
)]
pub struct DetachLoadBalancerFromSubnets {}

impl Handler for DetachLoadBalancerFromSubnets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let before = balancer.subnets.clone().unwrap_or_default();
        let left: Vec<_> = before.iter().filter(|id| !self.subnets.contains(id)).cloned().collect();
        if left.is_empty() {
            return Err(errors::last_subnet(balancer.own_name()).with_field("Subnets"));
        }
        balancer.place_in(cx, &left)?;
        let subnets = balancer.subnets.clone().unwrap_or_default();
        put(cx, balancer, &before)?;
        Ok(subnets.into())
    }
}

/// Returns the zones of a load balancer in the default VPC; those of others are changed by their subnets.
fn zones_in_default_vpc(cx: &Tx<'_>, balancer: &ClassicELB) -> Result<Vec<Text>> {
    let default = ec2::default_vpc(cx)?;
    if default.is_none_or(|vpc| vpc.vpc_id() != balancer.vpc_id.as_deref()) {
        return Err(errors::zones_in_vpc(balancer.own_name()).with_field("AvailabilityZones"));
    }
    Ok(balancer.availability_zones.clone().unwrap_or_default())
}

/// Adds Availability Zones to a load balancer in the default VPC.
#[operation(
    of = ClassicELB, call = "enable_availability_zones", on_model(availability_zones),
    needs(load_balancer_name, availability_zones), wraps(availability_zones: Vec<Text>), effect = write
)]
pub struct EnableAvailabilityZonesForLoadBalancer {}

impl Handler for EnableAvailabilityZonesForLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let mut zones = zones_in_default_vpc(cx, &balancer)?;
        if self.availability_zones.is_empty() {
            return Err(errors::zones_missing().with_field("AvailabilityZones"));
        }
        zones.extend(self.availability_zones);
        zones.sort();
        zones.dedup();
        let before = balancer.subnets.clone().unwrap_or_default();
        balancer.place_in_zones(cx, &zones)?;
        put(cx, balancer, &before)?;
        Ok(zones.into())
    }
}

/// Removes Availability Zones from a load balancer in the default VPC. At least one must stay.
#[operation(
    of = ClassicELB, call = "disable_availability_zones", on_model(availability_zones),
    needs(load_balancer_name, availability_zones), wraps(availability_zones: Vec<Text>), effect = write
)]
pub struct DisableAvailabilityZonesForLoadBalancer {}

impl Handler for DisableAvailabilityZonesForLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        let mut zones = zones_in_default_vpc(cx, &balancer)?;
        zones.retain(|zone| !self.availability_zones.contains(zone));
        if zones.is_empty() {
            return Err(errors::last_zone(balancer.own_name()).with_field("AvailabilityZones"));
        }
        let before = balancer.subnets.clone().unwrap_or_default();
        balancer.place_in_zones(cx, &zones)?;
        put(cx, balancer, &before)?;
        Ok(zones.into())
    }
}

/// Replaces the security groups of a load balancer.
#[operation(
    of = ClassicELB, call = "apply_security_groups", on_model(security_groups), needs(load_balancer_name, security_groups),
    wraps(security_groups: Vec<Text>), effect = write
)]
pub struct ApplySecurityGroupsToLoadBalancer {}

impl Handler for ApplySecurityGroupsToLoadBalancer {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut balancer = require(cx, &self.load_balancer_name)?;
        if self.security_groups.is_empty() {
            return Err(errors::security_groups_missing().with_field("SecurityGroups"));
        }
        balancer.put_in_groups(cx, self.security_groups.clone())?;
        let before = balancer.subnets.clone().unwrap_or_default();
        put(cx, balancer, &before)?;
        Ok(self.security_groups.into())
    }
}
