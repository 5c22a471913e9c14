//! Calls on services: get and list.

use super::{DescribeServices, InCluster, ListServices, Service, ServiceField, ServiceManager};
use nephos_core::{Listing, ManagerOperation, Page, PageRequest, Result, Text, WorkflowContext, operation};

/// Number of services of a description.
const BATCH: i64 = 10;

/// Gets a service with its tags; none if it does not exist.
#[operation(
    kind = Service, call = "get", case = "camel", include(InCluster), effect = read, output = Option<Service>
)]
pub struct ServiceGet {
    /// Name or ARN of the service.
    #[field(from_field = "serviceArn")]
    pub service: Text,
}

impl ManagerOperation for ServiceGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Service>> {
        let mut describe = DescribeServices::new([self.service.clone()]).include([ServiceField::Tags]);
        describe.cluster.clone_from(&self.cluster);
        Ok(context.find(describe).await?.and_then(|found| found.services?.into_iter().next()))
    }
}

/// Lists the services of a cluster with their tags, in order of their names.
#[operation(
    kind = Service, call = "list", case = "camel", pages, include(InCluster), effect = read, output = Page<Service>
)]
pub struct ServiceList {}

impl Listing for ServiceList {
    type Model = Service;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<Service>> {
        let mut list = ListServices::new().max_results(BATCH);
        list.cluster.clone_from(&self.cluster);
        list.next_token.clone_from(&request.token);
        let found = context.call(list).await?;
        let arns = found.service_arns.unwrap_or_default();
        if arns.is_empty() {
            return Ok(Page { items: Vec::new(), next_token: found.next_token });
        }
        let mut describe = DescribeServices::new(arns).include([ServiceField::Tags]);
        describe.cluster.clone_from(&self.cluster);
        let items = context.call(describe).await?.services.unwrap_or_default();
        Ok(Page { items, next_token: found.next_token })
    }
}
