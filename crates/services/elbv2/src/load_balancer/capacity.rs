//! Capacity reservations of load balancers: a minimum number of capacity units (LCU), spread evenly over the zones.

use super::{LoadBalancer, LoadBalancerManager, LoadBalancerType};
use crate::{Protocol, errors, listener};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx};
use nephos_core::{
    Record, Result, SignedDuration, Text, Timestamp, choices, field_value::FieldType, operation,
};

/// Maximum number of capacity units of an application load balancer.
const MAX_APPLICATION_UNITS: i64 = 15_000;

/// Maximum number of decreases within a day.
const MAX_DECREASES: i64 = 2;

choices! {
    /// State of a capacity reservation in a zone.
    pub enum CapacityReservationStateCode {
        /// The capacity is available.
        Provisioned = "provisioned",
        /// The capacity is being provisioned.
        Pending = "pending",
        /// The capacity is being moved to other zones.
        Rebalancing = "rebalancing",
        /// The capacity is not available.
        Failed = "failed",
    }
}

/// Minimum capacity of a load balancer.
#[derive(Record)]
pub struct MinimumLoadBalancerCapacity {
    /// Number of capacity units.
    #[field(range(1..))]
    capacity_units: Option<i64>,
}

/// State of a capacity reservation, with the reason.
#[derive(Record)]
pub struct CapacityReservationStatus {
    /// Code of the state.
    code: Option<CapacityReservationStateCode>,
    /// Reason for the state.
    reason: Option<Text>,
}

/// State of a capacity reservation in a zone.
#[derive(Record)]
pub struct ZonalCapacityReservationState {
    /// State.
    state: Option<CapacityReservationStatus>,
    /// Name of the zone.
    availability_zone: Option<Text>,
    /// Number of capacity units in the zone, once they are provisioned.
    effective_capacity_units: Option<f64>,
}

/// Capacity reservation of a load balancer.
#[derive(Record)]
#[record(answer, name = "DescribeCapacityReservationOutput")]
pub struct CapacityReservation {
    /// Time of the last change.
    last_modified_time: Option<Timestamp>,
    /// Number of decreases that are still allowed today.
    decrease_requests_remaining: Option<i64>,
    /// Reserved capacity; absent if nothing is reserved.
    minimum_load_balancer_capacity: Option<MinimumLoadBalancerCapacity>,
    /// State in each zone; absent if nothing is reserved.
    capacity_reservation_state: Option<Vec<ZonalCapacityReservationState>>,
}

/// Row of the capacity reservation of a load balancer.
#[derive(Record)]
#[record(row)]
pub(crate) struct CapacityRow {
    /// ARN of the load balancer.
    load_balancer_arn: Option<Text>,
    /// Number of capacity units; absent if nothing is reserved.
    units: Option<i64>,
    /// State; absent if nothing is reserved.
    state: Option<CapacityReservationStateCode>,
    /// Time of the last change.
    modified: Option<Timestamp>,
    /// Times of the decreases of the last day.
    decreases: Option<Vec<Timestamp>>,
}

nephos_cloud::stored! {
    CapacityRow in "elbv2/capacity" by load_balancer_arn;
    states("State": "pending" => "provisioned" 300)
}

impl CapacityRow {
    fn get(cx: &Tx<'_>, arn: &str) -> Result<Self> {
        let row: Option<Self> = cx.get(&Self::table(cx.scope()).text(arn))?;
        Ok(row.unwrap_or_else(|| Self { load_balancer_arn: Some(arn.into()), ..Self::blank() }))
    }

    fn is_pending(&self) -> bool {
        self.state == Some(CapacityReservationStateCode::Pending)
    }

    /// Removes decreases that are more than a day ago, and returns the number that is still allowed.
    fn remaining_decreases(&mut self, now: Timestamp) -> i64 {
        let decreases = self.decreases.get_or_insert_default();
        decreases.retain(|time| now.duration_since(*time) < SignedDuration::from_hours(24));
        MAX_DECREASES - decreases.len() as i64
    }

    fn describe(mut self, balancer: &LoadBalancer, now: Timestamp) -> CapacityReservation {
        let remaining = self.remaining_decreases(now);
        let zones: Vec<_> = balancer.own_zones().collect();
        let provisioned = self.state == Some(CapacityReservationStateCode::Provisioned);
        let per_zone = self.units.filter(|_| provisioned).map(|units| units as f64 / zones.len() as f64);
        let zonal = |zone: &&str| ZonalCapacityReservationState {
            state: Some(CapacityReservationStatus { code: self.state.clone(), reason: None }),
            availability_zone: Some((*zone).into()),
            effective_capacity_units: per_zone,
        };
        CapacityReservation {
            last_modified_time: self.modified,
            decrease_requests_remaining: Some(remaining),
            minimum_load_balancer_capacity: self
                .units
                .map(|units| MinimumLoadBalancerCapacity { capacity_units: Some(units) }),
            capacity_reservation_state: self.units.map(|_| zones.iter().map(zonal).collect()),
        }
    }
}

/// Removes the capacity reservation of a load balancer that is deleted.
pub(super) fn remove(cx: &mut Tx<'_>, arn: &str) -> Result<()> {
    let row = CapacityRow::get(cx, arn)?;
    cx.remove(&row)
}

/// Refuses a change of the zones while a capacity reservation is pending.
pub(super) fn check_not_pending(cx: &Tx<'_>, arn: &str) -> Result<()> {
    if CapacityRow::get(cx, arn)?.is_pending() { Err(errors::capacity_pending()) } else { Ok(()) }
}

/// Reserves capacity for a load balancer, or ends the reservation. The capacity can be decreased twice a day.
#[operation(
    of = LoadBalancer, call = "set_capacity_reservation", needs(load_balancer_arn),
    effect = write, output = CapacityReservation
)]
pub struct ModifyCapacityReservation {
    /// Capacity to reserve.
    pub minimum_load_balancer_capacity: Option<MinimumLoadBalancerCapacity>,
    /// True to end the reservation; instead of a capacity.
    pub reset_capacity_reservation: Option<bool>,
}

impl Handler for ModifyCapacityReservation {
    fn run(self, cx: &mut Tx<'_>) -> Result<CapacityReservation> {
        let balancer = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        const NAMES: [&str; 2] = ["MinimumLoadBalancerCapacity", "ResetCapacityReservation"];
        let units = self.minimum_load_balancer_capacity.and_then(|capacity| capacity.capacity_units);
        let units = match (units, self.reset_capacity_reservation == Some(true)) {
            (None, false) => return Err(errors::one_of_missing(NAMES[0], NAMES[1]).with_field(NAMES[0])),
            (Some(_), true) => return Err(errors::both_given(NAMES[0], NAMES[1]).with_field(NAMES[1])),
            (units, _) => units,
        };
        let mut row = CapacityRow::get(cx, balancer.own_arn())?;
        if row.is_pending() {
            return Err(errors::capacity_pending());
        }
        if let Some(units) = units {
            check_units(cx, &balancer, units).map_err(|error| error.with_field(NAMES[0]))?;
        }
        if row.units != units {
            row.change_units(units, cx.now())?;
            cx.put_and_schedule_transition(row.clone())?;
        }
        Ok(row.describe(&balancer, cx.now()))
    }
}

/// Refuses units that the load balancer cannot reserve.
fn check_units(cx: &Tx<'_>, balancer: &LoadBalancer, units: i64) -> Result<()> {
    match balancer.own_type() {
        LoadBalancerType::Application if units > MAX_APPLICATION_UNITS => {
            Err(errors::too_many_capacity_units().with_hint(format!("at most {MAX_APPLICATION_UNITS}")))
        }
        LoadBalancerType::Network => {
            let listeners = listener::listeners_of(cx, balancer.own_name())?;
            match listeners.iter().find(|listener| listener.protocol == Some(Protocol::Tls)) {
                Some(_) => Err(errors::capacity_with_tls_listener()),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

impl CapacityRow {
    /// Sets the units. A smaller number counts as a decrease; the end of the reservation does not.
    fn change_units(&mut self, units: Option<i64>, now: Timestamp) -> Result<()> {
        let remaining = self.remaining_decreases(now);
        if units.is_some() && units < self.units {
            if remaining <= 0 {
                return Err(errors::too_many_capacity_decreases());
            }
            self.decreases.get_or_insert_default().push(now);
        }
        self.units = units;
        self.state = units.map(|_| CapacityReservationStateCode::Pending);
        self.modified = Some(now);
        Ok(())
    }
}

/// Describes the capacity reservation of a load balancer.
#[operation(
    of = LoadBalancer, call = "capacity_reservation", on_model, needs(load_balancer_arn),
    effect = read, output = CapacityReservation, subject = "*"
)]
pub struct DescribeCapacityReservation {}

impl Handler for DescribeCapacityReservation {
    fn run(self, cx: &mut Tx<'_>) -> Result<CapacityReservation> {
        let balancer = LoadBalancer::require(cx, &self.load_balancer_arn, "LoadBalancerArn")?;
        Ok(CapacityRow::get(cx, balancer.own_arn())?.describe(&balancer, cx.now()))
    }
}
