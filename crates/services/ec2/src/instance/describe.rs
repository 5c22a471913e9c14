//! Describing instances, by reservation.

use super::{GroupIdentifier, Instance, calls};
use crate::{
    InstanceManager,
    calls::{DryRun, Filtered, PagedInLowerCase},
    errors, filters, network,
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType, operation};

/// A reservation: instances that were run together.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Reservation {
    /// ID.
    reservation_id: Option<Text>,
    /// Account of the owner.
    owner_id: Option<Text>,
    /// Account that ran the instances for the owner.
    requester_id: Option<Text>,
    /// Security groups outside of VPCs, which do not exist any more.
    #[field(wire = "groupSet")]
    groups: Option<Vec<GroupIdentifier>>,
    /// Instances of the reservation.
    #[field(wire = "instancesSet")]
    instances: Option<Vec<Instance>>,
}

impl Reservation {
    pub(super) fn new(scope: &Scope, id: Option<Text>, instances: Vec<Instance>) -> Self {
        let mut reservation = Self::blank();
        (reservation.reservation_id, reservation.instances) = (id, Some(instances));
        (reservation.owner_id, reservation.groups) = (Some(scope.account().into()), Some(Vec::new()));
        reservation
    }

    /// Returns the instances, each with the ID of the reservation.
    pub(super) fn into_instances(self) -> impl Iterator<Item = Instance> {
        let id = self.reservation_id;
        self.instances.into_iter().flatten().map(move |mut instance| {
            instance.reservation_id.clone_from(&id);
            instance
        })
    }
}

/// Describes instances, in order of their IDs, grouped by reservation on each page. A page size cannot be combined with IDs.
#[operation(
    of = Instance, call = "list", find(instance_id in instance_ids), with = calls::first_of,
    page(
        reservations(wire = "reservationSet"): Reservation => calls::instances_of,
        next_token(wire = "nextToken")
    ),
    narrow(filters = filters::with_pushed::<Instance>), also(Filtered, PagedInLowerCase, DryRun),
    effect = read, access = list
)]
pub struct DescribeInstances {
    /// IDs of the instances.
    #[field(wire = "InstanceId")]
    pub instance_ids: Option<Vec<Text>>,
    /// Includes instances that services manage and hide; none are hidden here.
    #[field(no_effect)]
    pub include_managed_resources: Option<bool>,
}

impl Handler for DescribeInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if self.instance_ids.is_some() && self.max_results.is_some() {
            return Err(errors::parameters_combined("instancesSet", "maxResults").with_field("MaxResults"));
        }
        let (ids, filters) = (("InstanceIds", self.instance_ids.as_deref()), self.filters.as_deref());
        let (found, next_token) = network::page::<Instance>(cx, &self, ids, filters, self.dry_run)?;
        let mut reservations: Vec<Reservation> = Vec::new();
        for instance in found {
            let reservation =
                reservations.iter_mut().find(|known| known.reservation_id == instance.reservation_id);
            match reservation {
                Some(reservation) => reservation.instances.get_or_insert_default().push(instance),
                None => {
                    let id = instance.reservation_id.clone();
                    reservations.push(Reservation::new(cx.scope(), id, vec![instance]));
                }
            }
        }
        Ok((reservations, next_token).into())
    }
}
