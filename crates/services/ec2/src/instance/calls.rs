//! The calls of the manager of instances, and what belongs to an instance.

use super::{Instance, InstanceGet, InstanceManager, Reservation, RunInstances, TerminateInstances};
use crate::{
    SecurityGroup, Subnet, TagSpecification, Vpc,
    calls::{missing, update_call},
    vpc,
};
use nephos_core::{ManagerOperation, Resource, Result, Text, WorkflowContext, operation, record::Fields};

pub(super) async fn subnet_of(instance: &Instance) -> Result<Option<Subnet>> {
    let Some(id) = &instance.subnet_id else { return Ok(None) };
    Subnet::objects(instance.require_session()?).get(id.clone()).await
}

pub(super) async fn vpc_of(instance: &Instance) -> Result<Option<Vpc>> {
    vpc::related(instance, instance.vpc_id.as_ref()).await
}

pub(super) async fn groups_of(instance: &Instance) -> Result<Vec<SecurityGroup>> {
    let groups = instance.security_groups.iter().flatten();
    let ids: Vec<_> = groups.filter_map(|group| group.group_id.clone()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    SecurityGroup::objects(instance.require_session()?).list().group_ids(ids).results().await
}

/// The first instance of a reservation.
pub(super) async fn first_of(_steps: &WorkflowContext, reservation: Reservation) -> Result<Instance> {
    reservation.into_instances().next().ok_or_else(missing::<Instance>)
}

/// Runs instances like `model`, with what stands beside it in `call`.
async fn run(
    context: &WorkflowContext,
    model: &Instance,
    call: &dyn Fields,
    (min, max): (i64, i64),
) -> Result<Vec<Instance>> {
    let mut model = model.clone();
    // An instance has these from the service; they are no settings of another one.
    (model.client_token, model.security_groups) = (None, None);
    let mut run: RunInstances = operation::beside_model(&model, call)?;
    (run.min_count, run.max_count) = (min, max);
    run.tag_specifications = TagSpecification::of::<Instance>(&model.tags);
    Ok(context.call(run).await?.into_instances().collect())
}

/// Runs one instance.
#[operation(kind = Instance, call = "create", effect = write, output = Instance)]
pub struct Create {
    /// The instance.
    #[field(name = "model", model)]
    pub model: Instance,
    /// IDs of the security groups; the default one of the VPC by default.
    pub security_group_ids: Option<Vec<Text>>,
}

impl ManagerOperation for Create {
    async fn run(&self, context: &WorkflowContext) -> Result<Instance> {
        let made = run(context, &self.model, self, (1, 1)).await?;
        made.into_iter().next().ok_or_else(missing::<Instance>)
    }
}

/// Runs instances that are alike.
#[operation(kind = Instance, call = "run", effect = write, output = Vec<Instance>)]
pub struct Run {
    /// The model of all of them.
    #[field(name = "model", model)]
    pub model: Instance,
    /// Maximum number: as many as there are addresses for.
    #[field(range(1..))]
    pub max_count: i64,
    /// Minimum number, or none is run; the maximum by default.
    #[field(range(1..))]
    pub min_count: Option<i64>,
    /// IDs of the security groups; the default one of the VPC by default.
    pub security_group_ids: Option<Vec<Text>>,
}

impl ManagerOperation for Run {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<Instance>> {
        let counts = (self.min_count.unwrap_or(self.max_count), self.max_count);
        run(context, &self.model, self, counts).await
    }
}

/// Terminates an instance: it is listed for another hour.
#[operation(kind = Instance, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// ID of the instance.
    pub instance_id: Text,
}

impl ManagerOperation for Delete {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        context.call(TerminateInstances::new(vec![self.instance_id.clone()])).await.map(drop)
    }
}

/// The instances of reservations.
pub(super) fn instances_of(reservations: Vec<Reservation>) -> Vec<Instance> {
    reservations.into_iter().flat_map(Reservation::into_instances).collect()
}

update_call!(Instance(instance_id "InstanceId"), kept as Instance, found by InstanceGet);
