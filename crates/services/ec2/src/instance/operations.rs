//! Operations on instances, by reservation, and relations of instances.

use super::{
    GroupIdentifier, Instance, InstanceManager, RunInstances, TerminateInstances, launch::LaunchOptions,
};
use crate::{
    SecurityGroup, Subnet, Vpc,
    calls::{DryRun, Filtered, PagedInLowerCase, not_found},
    errors, filters, network, vpc,
};
use nephos_cloud::{Handler, Scope, Tx};
use nephos_core::{
    ManagerOperation, Record, Resource, Result, Text, WorkflowContext, field_value::FieldType, operation,
    record::Fields, shape::Presence,
};

pub(super) async fn subnet_of(instance: &Instance) -> Result<Option<Subnet>> {
    let Some(id) = &instance.subnet_id else { return Ok(None) };
    Subnet::objects(instance.require_session()?).get(id.clone()).await
}

pub(super) async fn vpc_of(instance: &Instance) -> Result<Option<Vpc>> {
    vpc::load_related(instance, instance.vpc_id.as_ref()).await
}

pub(super) async fn groups_of(instance: &Instance) -> Result<Vec<SecurityGroup>> {
    let groups = instance.security_groups.iter().flatten();
    let ids: Vec<_> = groups.filter_map(|group| group.group_id.clone()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    SecurityGroup::objects(instance.require_session()?).list().group_ids(ids).results().await
}

/// Returns the first instance of a reservation.
pub(super) async fn first_of(_context: &WorkflowContext, reservation: Reservation) -> Result<Instance> {
    reservation.into_instances().next().ok_or_else(not_found::<Instance>)
}

/// Runs instances like `model`, with the other parameters of `call`.
async fn run(
    context: &WorkflowContext,
    model: &Instance,
    call: &dyn Fields,
    (min, max): (i64, i64),
) -> Result<Vec<Instance>> {
    let mut model = model.clone();
    // What the service set on an existing instance is no parameter of a new one.
    for (index, field) in Instance::SHAPE.fields.iter().enumerate() {
        if field.presence == Presence::ServiceSet {
            model.field_mut(index).clear();
        }
    }
    // An existing instance has the name and the ID of its zone; a launch takes one of them.
    if let Some(placement) =
        model.placement.as_mut().filter(|placement| placement.availability_zone.is_some())
    {
        placement.availability_zone_id = None;
    }
    let mut run: RunInstances = operation::beside_model(&model, call)?;
    (run.min_count, run.max_count) = (min, max);
    Ok(context.call(run).await?.into_instances().collect())
}

/// Runs one instance.
#[operation(kind = Instance, call = "create", include(LaunchOptions), effect = write, output = Instance)]
pub struct InstanceCreate {
    /// Model of the instance.
    #[field(name = "model", model)]
    pub model: Instance,
}

impl ManagerOperation for InstanceCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Instance> {
        let instances = run(context, &self.model, self, (1, 1)).await?;
        instances.into_iter().next().ok_or_else(not_found::<Instance>)
    }
}

/// Runs several instances with the same settings.
#[operation(kind = Instance, call = "run", include(LaunchOptions), effect = write, output = Vec<Instance>)]
pub struct InstanceRun {
    /// Model of all instances.
    #[field(name = "model", model)]
    pub model: Instance,
    /// Maximum number of instances; fewer are run if there are not enough addresses.
    #[field(range(1..))]
    pub max_count: i64,
    /// Minimum number of instances, or none is run; the maximum by default.
    #[field(range(1..))]
    pub min_count: Option<i64>,
}

impl ManagerOperation for InstanceRun {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Instance>> {
        let counts = (self.min_count.unwrap_or(self.max_count), self.max_count);
        run(context, &self.model, self, counts).await
    }
}

/// Terminates an instance. It stays in listings for an hour.
#[operation(kind = Instance, call = "delete", effect = write, output = (), on_model)]
pub struct InstanceDelete {
    /// ID of the instance.
    pub instance_id: Text,
}

impl ManagerOperation for InstanceDelete {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        context.call(TerminateInstances::new(vec![self.instance_id.clone()])).await.map(drop)
    }
}

/// Returns the instances of reservations.
pub(super) fn instances_of(reservations: Vec<Reservation>) -> Vec<Instance> {
    reservations.into_iter().flat_map(Reservation::into_instances).collect()
}

/// Updates the tags that differ from those that the model was loaded with.
#[operation(kind = Instance, call = "update", changes(), effect = write)]
pub struct InstanceUpdate {}

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
    of = Instance, call = "list", find(instance_id in instance_ids), with = first_of,
    page(
        reservations(wire = "reservationSet"): Reservation => instances_of,
        next_token(wire = "nextToken")
    ),
    pushdown(filters = filters::with_pushed::<Instance>), include(Filtered, PagedInLowerCase, DryRun),
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
