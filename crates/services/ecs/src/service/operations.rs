//! Operations on services.

use super::{LaunchType, SchedulingStrategy, Service, ServiceManager, find, name_of, require};
use crate::{
    Failure,
    cluster::{self},
    errors,
    paging::{Page, is_name},
    tagging, task_definition,
};
use nephos_cloud::{Handler, Stored, StoredResource, Tx, tags::to_list};
use nephos_core::{Record, Result, Text, choices, operation};

/// Maximum number of services of a description.
const MAX_DESCRIBED: usize = 10;

/// Parameter that names the cluster of a service.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct InCluster {
    /// Name or ARN of the cluster; `default` if it is not given.
    #[field(from_field = "clusterArn")]
    cluster: Option<Text>,
}

/// Creates a service.
#[operation(
    of = Service, case = "camel", call = "create", model, needs(service_name), takes(settable), include(InCluster), overrides(InCluster),
    wraps(service), effect = write, also_requires("TagResource" = "tags?"), subject = "service/{cluster}/{serviceName}"
)]
pub struct CreateService {}

impl Handler for CreateService {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        if !is_name(&self.service_name) {
            return Err(errors::invalid_name("Service names").with_field("serviceName"));
        }
        let cluster = cluster::require(cx, self.cluster.as_deref())?;
        let given = self.task_definition.as_deref().unwrap_or_default();
        if given.is_empty() {
            return Err(errors::definition_needed().with_field("taskDefinition"));
        }
        let definition = task_definition::require_active(cx, given)?;
        if find(cx, Some(cluster.own_name()), &self.service_name)?.is_some() {
            return Err(errors::service_exists().with_field("serviceName"));
        }
        let mut service = Service::from_given(self);
        service.cluster_name = cluster.cluster_name;
        service.set_arns(cx.scope());
        service.task_definition = definition.task_definition_arn;
        service.status = Some("ACTIVE".into());
        service.desired_count.get_or_insert(0);
        service.running_count = Some(0);
        service.pending_count = Some(0);
        service.launch_type.get_or_insert(LaunchType::Ec2);
        service.scheduling_strategy.get_or_insert(SchedulingStrategy::Replica);
        service.created_at = Some(cx.now());
        service.created_by = Some(cx.caller().principal().arn);
        service.tags = to_list(tags);
        cx.put(service.clone())?;
        Ok(service.into())
    }
}

/// Changes a service. What is not given stays.
#[operation(
    of = Service, case = "camel", takes(changeable), except(tags), include(InCluster), wraps(service), effect = write,
    call = "update_service", subject = "service/{cluster}/{service}"
)]
pub struct UpdateService {
    /// Name or ARN of the service.
    #[field(from_field = "serviceArn")]
    pub service: Text,
}

impl Handler for UpdateService {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut service = require(cx, self.cluster.as_deref(), &self.service)?;
        if !service.is_active() {
            return Err(errors::service_not_active().with_field("service"));
        }
        if let Some(given) = &self.task_definition {
            self.task_definition = task_definition::require_active(cx, given)?.task_definition_arn;
        }
        service.take_given(&mut self);
        cx.put(service.clone())?;
        service.tags = None;
        Ok(service.into())
    }
}

/// Deletes a service, which must be scaled to 0 unless the deletion is forced.
#[operation(
    of = Service, case = "camel", call = "delete", on_model, include(InCluster), wraps(service), effect = write,
    subject = "service/{cluster}/{service}"
)]
pub struct DeleteService {
    /// Name or ARN of the service.
    #[field(from_field = "serviceArn")]
    pub service: Text,
    /// True to delete a service that is scaled above 0.
    pub force: Option<bool>,
}

impl Handler for DeleteService {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut service = require(cx, self.cluster.as_deref(), &self.service)?;
        if self.force != Some(true) && service.desired_count.unwrap_or(0) > 0 {
            return Err(errors::service_is_scaled().with_field("service"));
        }
        service.status = Some("DRAINING".into());
        service.desired_count = Some(0);
        cx.put_and_schedule_transition(service.clone())?;
        service.tags = None;
        Ok(service.into())
    }
}

choices! {
    /// Facts of a description that must be asked for.
    #[derive(Eq)]
    pub enum ServiceField {
        /// Tags.
        Tags = "TAGS",
    }
}

/// Services of a description.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct DescribedServices {
    /// Services that exist.
    pub(super) services: Option<Vec<Service>>,
    /// Services that do not exist.
    failures: Option<Vec<Failure>>,
}

/// Describes services of a cluster.
#[operation(
    of = Service, case = "camel", include(InCluster), effect = read, output = DescribedServices,
    subject = "service/{cluster}/{services}"
)]
pub struct DescribeServices {
    /// Names or ARNs of the services.
    pub services: Vec<Text>,
    /// Facts that are added.
    pub include: Option<Vec<ServiceField>>,
}

impl Handler for DescribeServices {
    fn run(self, cx: &mut Tx<'_>) -> Result<DescribedServices> {
        if self.services.len() > MAX_DESCRIBED {
            return Err(errors::too_many_names(MAX_DESCRIBED).with_field("services"));
        }
        let cluster = cluster::require(cx, self.cluster.as_deref())?;
        let has_tags = self.include.iter().flatten().any(|included| *included == ServiceField::Tags);
        let mut services = Vec::new();
        let mut failures = Vec::new();
        for given in &self.services {
            match find(cx, Some(cluster.own_name()), given)? {
                Some(mut service) => {
                    service.tags = service.tags.filter(|_| has_tags);
                    services.push(service);
                }
                None => {
                    let resource = ["service/", cluster.own_name(), "/", name_of(given)];
                    failures.push(Failure::missing(cx.scope().arn("ecs", &resource).into()));
                }
            }
        }
        Ok(DescribedServices { services: Some(services), failures: Some(failures) })
    }
}

/// Lists the ARNs of the services of a cluster, in order of their names.
#[operation(
    of = Service, case = "camel", page(service_arns: Text, next_token), include(InCluster, Page), effect = read,
    subject = "*"
)]
pub struct ListServices {
    /// Capacity that tasks run on.
    pub launch_type: Option<LaunchType>,
    /// Number of tasks.
    pub scheduling_strategy: Option<SchedulingStrategy>,
}

impl Handler for ListServices {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cluster = cluster::require(cx, self.cluster.as_deref())?;
        let rows = Service::table(cx.scope()).text(cluster.own_name());
        let page = cx.page_rows(&self, &rows, |service: Service| {
            let has_type = self.launch_type.is_none() || self.launch_type == service.launch_type;
            let strategy = &self.scheduling_strategy;
            let has_strategy = strategy.is_none() || *strategy == service.scheduling_strategy;
            Ok(service.service_arn.filter(|_| has_type && has_strategy))
        })?;
        Ok(page.into())
    }
}
