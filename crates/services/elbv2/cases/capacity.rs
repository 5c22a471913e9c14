//! Capacity reservations and IPAM pools of load balancers.

use super::{
    World, ask, balancers, create_balancer, create_group, forward_to, group_builder,
    listeners::{CERTIFICATE, certificate},
    network,
};
use nephos_core::{Result, prelude::*};
use nephos_elbv2::{
    CapacityReservation, CapacityReservationStateCode, CreateListener, CreateLoadBalancer,
    DescribeCapacityReservation, IpamPools, LoadBalancerType, MinimumLoadBalancerCapacity,
    ModifyCapacityReservation, ModifyIpPools, Protocol, RemoveIpamPool, errors,
};

fn capacity(units: i64) -> MinimumLoadBalancerCapacity {
    MinimumLoadBalancerCapacity::builder().capacity_units(units).build().unwrap()
}

fn reserve(arn: &str, units: i64) -> ModifyCapacityReservation {
    ModifyCapacityReservation::new(arn).minimum_load_balancer_capacity(capacity(units))
}

fn units(reservation: &CapacityReservation) -> Option<i64> {
    reservation.minimum_load_balancer_capacity().and_then(MinimumLoadBalancerCapacity::capacity_units)
}

pub(super) fn capacity_is_reserved_per_zone(world: &World) -> Result<()> {
    let session = world.session();
    let web = create_balancer(world, "web")?;
    let arn = web.require_arn()?;
    let empty = web.capacity_reservation().wait()?;
    assert_eq!((units(&empty), empty.decrease_requests_remaining()), (None, Some(2)));
    assert!(empty.capacity_reservation_state().is_none() && empty.last_modified_time().is_none());
    let pending = ask(&session, reserve(arn, 100))?;
    let zones = pending.capacity_reservation_state().unwrap();
    let code = |zone: usize| zones[zone].state().unwrap().code().unwrap();
    assert_eq!((units(&pending), zones.len()), (Some(100), 2));
    assert_eq!(code(0), &CapacityReservationStateCode::Pending);
    assert_eq!(zones[1].effective_capacity_units(), None);
    let provisioned = balancers(&session).capacity_reservation(arn).wait()?;
    let zones = provisioned.capacity_reservation_state().unwrap();
    assert_eq!(zones[0].state().unwrap().code().unwrap(), &CapacityReservationStateCode::Provisioned);
    assert_eq!(zones[0].availability_zone(), Some("us-east-1a"));
    assert_eq!(zones[1].effective_capacity_units(), Some(50.0));
    assert!(provisioned.last_modified_time().is_some());
    let before = world.state()?;
    ask(&session, reserve(arn, 100))?;
    world.assert_unchanged(&before)?;

    let reset = ModifyCapacityReservation::new(arn).reset_capacity_reservation(true);
    let reset = ask(&session, reset)?;
    assert_eq!((units(&reset), reset.decrease_requests_remaining()), (None, Some(2)));
    assert!(reset.capacity_reservation_state().is_none());
    balancers(&session).delete(arn).wait()?;
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || {
        ask(&session, DescribeCapacityReservation::new(arn))
    });
    let again = create_balancer(world, "web")?;
    assert!(again.capacity_reservation().wait()?.last_modified_time().is_none());
    Ok(())
}

pub(super) fn capacity_reservations_are_limited(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let web = create_balancer(world, "web")?;
    balancers(&session).get().name("web").wait()?;
    let arn = web.require_arn()?;
    let field = "MinimumLoadBalancerCapacity";
    world.refused(&errors::INVALID, field, || ask(&session, ModifyCapacityReservation::new(arn)));
    world.refused(&errors::INVALID, field, || {
        ask(&session, ModifyCapacityReservation::new(arn).reset_capacity_reservation(false))
    });
    world.refused(&errors::INVALID, "ResetCapacityReservation", || {
        ask(&session, reserve(arn, 100).reset_capacity_reservation(true))
    });
    assert!(MinimumLoadBalancerCapacity::builder().capacity_units(0).build().is_err());
    world.refused(&errors::CAPACITY_UNITS, field, || ask(&session, reserve(arn, 15_001)));
    for (units, remaining) in [(15_000, 2), (500, 1), (600, 1), (400, 0), (700, 0)] {
        let reserved = ask(&session, reserve(arn, units))?;
        assert_eq!(reserved.decrease_requests_remaining(), Some(remaining), "{units}");
        balancers(&session).capacity_reservation(arn).wait()?;
    }
    let error = world.refused(&errors::CAPACITY_DECREASES, None, || ask(&session, reserve(arn, 100)));
    assert_eq!(error.message(), "You've exceeded the daily capacity decrease limit for this reservation.");
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || ask(&session, reserve(&missing, 100)));

    let create = CreateLoadBalancer::new("net").r#type(LoadBalancerType::Network);
    let created = ask(&session, create.subnets(net.subnets.clone()))?;
    let network_arn = created.load_balancers().unwrap()[0].require_arn()?.to_owned();
    let tls = create_group(world, &group_builder(&net, "tls").protocol(Protocol::Tls).port(443).build()?)?;
    let listen = CreateListener::new(network_arn.as_str(), [forward_to(&tls)]).port(443);
    ask(&session, listen.protocol(Protocol::Tls).certificates([certificate(CERTIFICATE)]))?;
    world.refused(&errors::INVALID_CONFIGURATION, field, || ask(&session, reserve(&network_arn, 3000)));
    Ok(())
}

pub(super) fn pools_are_replaced_and_removed(world: &World) -> Result<()> {
    let (session, net) = (world.session(), network(world));
    let mut web = create_balancer(world, "web")?;
    let arn = web.require_arn()?.to_owned();
    let arn = arn.as_str();
    let pool = |id: &str| IpamPools::builder().ipv4_ipam_pool_id(id).build().unwrap();
    let current = || balancers(&session).get().name("web").wait().unwrap().unwrap().ipam_pools().cloned();
    assert_eq!(current(), None);
    let set = ask(&session, ModifyIpPools::new(arn).ipam_pools(pool("ipam-pool-0123")))?;
    assert_eq!(set.ipam_pools(), Some(&pool("ipam-pool-0123")));
    assert_eq!(current(), Some(pool("ipam-pool-0123")));
    web.set_ipam_pools(pool("ipam-pool-4567"))?;
    web.save().wait()?;
    assert_eq!(current(), Some(pool("ipam-pool-4567")));
    let remove = || ModifyIpPools::new(arn).remove_ipam_pools([RemoveIpamPool::Ipv4]);
    assert_eq!(ask(&session, remove())?.ipam_pools(), None);
    assert_eq!(current(), None);
    world.refused(&errors::INVALID, "IpamPools", || ask(&session, ModifyIpPools::new(arn)));
    world.refused(&errors::INVALID, "RemoveIpamPools", || {
        ask(&session, remove().ipam_pools(pool("ipam-pool-0123")))
    });
    assert!(IpamPools::builder().ipv4_ipam_pool_id("pool").build().is_err());
    let missing = arn.replace("/web/", "/gone/");
    world.refused(&errors::LOAD_BALANCER_NOT_FOUND, None, || {
        ask(&session, ModifyIpPools::new(missing.as_str()).ipam_pools(pool("ipam-pool-0123")))
    });
    let create = CreateLoadBalancer::new("net").r#type(LoadBalancerType::Network);
    let created = ask(&session, create.subnets(net.subnets.clone()))?;
    balancers(&session).get().name("net").wait()?;
    let network_arn = created.load_balancers().unwrap()[0].require_arn()?.to_owned();
    world.refused(&errors::INVALID_CONFIGURATION, "LoadBalancerArn", || {
        ask(&session, ModifyIpPools::new(network_arn).ipam_pools(pool("ipam-pool-0123")))
    });
    Ok(())
}
