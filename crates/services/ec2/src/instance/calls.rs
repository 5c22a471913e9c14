//! The operations of the manager of instances, and what belongs to an instance.

use super::{
    DescribeInstances, Instance, InstanceManager, InstanceStateChange, Reservation, RunInstances,
    StartInstances, StopInstances, TerminateInstances,
};
use crate::{
    SecurityGroup, Subnet, TagSpecification, Vpc, errors,
    filters::{self, Filter},
    network, tagging,
};
use nephos_core::{
    ErrorKind, Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Text, operation,
};

pub(super) async fn subnet_of(instance: &Instance) -> Result<Option<Subnet>> {
    let Some(id) = &instance.subnet_id else { return Ok(None) };
    Subnet::objects(instance.require_session()?).get(id.clone()).await
}

pub(super) async fn vpc_of(instance: &Instance) -> Result<Option<Vpc>> {
    let Some(id) = &instance.vpc_id else { return Ok(None) };
    Vpc::objects(instance.require_session()?).get(id.clone()).await
}

pub(super) async fn groups_of(instance: &Instance) -> Result<Vec<SecurityGroup>> {
    let groups = instance.security_groups.iter().flatten();
    let ids: Vec<_> = groups.filter_map(|group| group.group_id.clone()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    SecurityGroup::objects(instance.require_session()?).list().group_ids(ids).results().await
}

/// The instance with that id, which must exist.
async fn found(steps: &Steps, id: Text) -> Result<Instance> {
    let found = steps.call(DescribeInstances::new().instance_ids(vec![id])).await?;
    let mut found = found.reservations.into_iter().flatten().flat_map(Reservation::into_instances);
    found.next().ok_or_else(missing)
}

fn missing() -> nephos_core::Error {
    errors::INSTANCE_NOT_FOUND.because("there is no such instance")
}

/// Runs instances like `model`.
async fn run(
    steps: &Steps,
    model: &Instance,
    (min, max): (i64, i64),
    groups: &Option<Vec<Text>>,
) -> Result<Vec<Instance>> {
    let run = RunInstances::new(max, min)
        .image_id(model.image_id.clone())
        .instance_type(model.instance_type.clone())
        .key_name(model.key_name.clone())
        .placement(model.placement.clone())
        .security_group_ids(groups.clone())
        .subnet_id(model.subnet_id.clone())
        .private_ip_address(model.private_ip_address.clone())
        .tag_specifications(TagSpecification::of::<Instance>(&model.tags));
    Ok(steps.call(run).await?.into_instances().collect())
}

/// Runs one instance.
#[operation(kind = Instance, call = "create", effect = write, output = Instance)]
pub struct Create {
    /// The instance.
    #[field(name = "model", model)]
    pub model: Instance,
    /// The ids of its security groups; the default one of the VPC if none is said.
    pub security_group_ids: Option<Vec<Text>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Instance> {
        let made = run(steps, &self.model, (1, 1), &self.security_group_ids).await?;
        made.into_iter().next().ok_or_else(missing)
    }
}

/// Runs instances that are alike.
#[operation(kind = Instance, call = "run", effect = write, output = Vec<Instance>)]
pub struct Run {
    /// What they are like.
    #[field(name = "model", model)]
    pub model: Instance,
    /// How many at most: as many as there are addresses for.
    #[field(range(1..))]
    pub max_count: i64,
    /// How many at least, or none; as many as at most if not said.
    #[field(range(1..))]
    pub min_count: Option<i64>,
    /// The ids of their security groups; the default one of the VPC if none is said.
    pub security_group_ids: Option<Vec<Text>>,
}

impl Steppable for Run {
    async fn run(&self, steps: &Steps) -> Result<Vec<Instance>> {
        let counts = (self.min_count.unwrap_or(self.max_count), self.max_count);
        run(steps, &self.model, counts, &self.security_group_ids).await
    }
}

/// The instances, in order of their ids; terminated ones for an hour.
#[operation(kind = Instance, call = "list", effect = read, output = Page<Instance>, pages)]
pub struct List {
    /// Only these.
    pub instance_ids: Option<Vec<Text>>,
    /// Only those that pass all of these.
    pub filters: Option<Vec<Filter>>,
    /// How many to fetch at a time; not with `InstanceIds`.
    #[field(page_size, range(5..=1000))]
    pub max_results: Option<i64>,
}

impl Listing for List {
    type Model = Instance;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<Instance>> {
        let describe = DescribeInstances::new()
            .instance_ids(self.instance_ids.clone())
            .filters(filters::RULES.with_pushed::<Instance, _>(self.filters.as_deref(), &request.filter))
            .max_results(self.max_results)
            .next_token(request.token.clone());
        let found = steps.call(describe).await?;
        let instances = found.reservations.into_iter().flatten().flat_map(Reservation::into_instances);
        Ok(Page { items: instances.collect(), next_token: found.next_token })
    }
}

/// Starts an instance that is stopped.
#[operation(kind = Instance, call = "start", effect = write, output = InstanceStateChange, instance)]
pub struct Start {
    /// Its id.
    pub instance_id: Text,
}

impl Steppable for Start {
    async fn run(&self, steps: &Steps) -> Result<InstanceStateChange> {
        let changed = steps.call(StartInstances::new(vec![self.instance_id.clone()])).await?;
        changed.starting_instances.into_iter().flatten().next().ok_or_else(missing)
    }
}

/// Stops an instance that runs.
#[operation(kind = Instance, call = "stop", effect = write, output = InstanceStateChange, instance)]
pub struct Stop {
    /// Its id.
    pub instance_id: Text,
}

impl Steppable for Stop {
    async fn run(&self, steps: &Steps) -> Result<InstanceStateChange> {
        let changed = steps.call(StopInstances::new(vec![self.instance_id.clone()])).await?;
        changed.stopping_instances.into_iter().flatten().next().ok_or_else(missing)
    }
}

/// Terminates an instance: it is told of for an hour, and then no more.
#[operation(kind = Instance, call = "terminate", effect = write, output = InstanceStateChange, instance)]
pub struct Terminate {
    /// Its id.
    pub instance_id: Text,
}

impl Steppable for Terminate {
    async fn run(&self, steps: &Steps) -> Result<InstanceStateChange> {
        let changed = steps.call(TerminateInstances::new(vec![self.instance_id.clone()])).await?;
        changed.terminating_instances.into_iter().flatten().next().ok_or_else(missing)
    }
}

/// Terminates an instance: it is told of for an hour, and then no more.
#[operation(kind = Instance, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its id.
    pub instance_id: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(TerminateInstances::new(vec![self.instance_id.clone()])).await?;
        Ok(())
    }
}

tagging::calls!(Instance, instance_id, "InstanceId", found);
