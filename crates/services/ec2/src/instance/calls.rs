//! Calls of the manager of instances, and relations of instances.

use super::{
    Instance, InstanceManager, Reservation, RunInstances, TerminateInstances, launch::LaunchOptions,
};
use crate::{SecurityGroup, Subnet, TagSpecification, Vpc, calls::not_found, vpc};
use nephos_core::{
    ManagerOperation, Record as _, Resource, Result, Text, WorkflowContext, operation, record::Fields,
    shape::Presence,
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
    run.tag_specifications = TagSpecification::from_tags::<Instance>(&model.tags);
    Ok(context.call(run).await?.into_instances().collect())
}

/// Runs one instance.
#[operation(kind = Instance, call = "create", also(LaunchOptions), effect = write, output = Instance)]
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
#[operation(kind = Instance, call = "run", also(LaunchOptions), effect = write, output = Vec<Instance>)]
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
#[operation(kind = Instance, call = "delete", effect = write, output = (), instance)]
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
