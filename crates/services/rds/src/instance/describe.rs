//! The operation that describes instances.

use super::{DBInstance, DBInstanceManager, require};
use crate::{
    UsedSubnetGroup, engine,
    filters::{self, Filter, Filters},
    identifier::Page,
    subnet_group,
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{
    ErrorKind, Listing, ManagerOperation, PageRequest, Record, Result, Text, WorkflowContext, operation,
};
use std::collections::HashMap;

/// Filters of instances.
const FILTERS: &[&str] = &["db-cluster-id", "db-instance-id", "dbi-resource-id", "domain", "engine"];

/// Describes instances, in order of their identifiers.
#[operation(
    of = DBInstance, page(db_instances(name = "DBInstances", item = "DBInstance"): DBInstance, marker), include(Page),
    effect = read, access = list
)]
pub struct DescribeDBInstances {
    /// Identifier or ARN of one instance.
    #[field(name = "DBInstanceIdentifier")]
    pub db_instance_identifier: Option<Text>,
    /// Filters: db-cluster-id, db-instance-id, dbi-resource-id, domain or engine.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

/// Lists instances, in order of their identifiers. Those of document and graph databases are left out, unless the filter
/// db-cluster-id asks for the members of their cluster.
#[operation(
    kind = DBInstance, call = "list", pages, include(Page), effect = read, output = nephos_core::Page<DBInstance>
)]
pub struct DBInstanceList {
    /// Identifier or ARN of one instance.
    #[field(name = "DBInstanceIdentifier")]
    pub db_instance_identifier: Option<Text>,
    /// Filters: db-cluster-id, db-instance-id, dbi-resource-id, domain or engine.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Listing for DBInstanceList {
    type Model = DBInstance;

    async fn page(
        &self,
        context: &WorkflowContext,
        request: &PageRequest,
    ) -> Result<nephos_core::Page<DBInstance>> {
        let describe = DescribeDBInstances::from_given(self.clone()).marker(request.token.clone());
        let found = context.call(describe).await?;
        let mut items = found.db_instances.unwrap_or_default();
        let of_cluster = |filter: &Filter| filter.name() == Some("db-cluster-id");
        if !self.filters.iter().flatten().any(of_cluster) {
            items.retain(|instance| engine::is_relational(instance.engine.as_deref().unwrap_or_default()));
        }
        Ok(nephos_core::Page { items, next_token: found.marker })
    }
}

impl Handler for DescribeDBInstances {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::read(self.filters.as_deref(), FILTERS)?;
        let mut groups = UsedGroups::default();
        let page = match &self.db_instance_identifier {
            Some(id) => {
                let found = require(cx, id, "DBInstanceIdentifier")?;
                let found = Some(found).filter(|instance| matches(instance, &filters));
                cx.page_list(&self, found.map(|found| found.described(cx)).transpose()?)?
            }
            None => cx.page_rows(&self, &DBInstance::table(cx.scope()), |instance: DBInstance| {
                if !matches(&instance, &filters) {
                    return Ok(None);
                }
                let group = groups.find(cx, instance.subnet_group_name())?;
                Ok(Some(instance.described_in(group, cx.now())))
            })?,
        };
        Ok(page.into())
    }
}

fn matches(instance: &DBInstance, filters: &Filters<'_>) -> bool {
    filters.match_all(|name, value| {
        let is =
            |field: &Option<Text>| field.as_deref().is_some_and(|field| field.eq_ignore_ascii_case(value));
        match name {
            "db-cluster-id" => {
                let id = value.rsplit(':').next().unwrap_or(value);
                instance.db_cluster_identifier.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(id))
            }
            "db-instance-id" => is(&instance.db_instance_identifier) || is(&instance.db_instance_arn),
            "dbi-resource-id" => instance.dbi_resource_id.as_deref() == Some(value),
            "engine" => instance.engine.as_deref() == Some(value),
            _ => false,
        }
    })
}

/// The subnet groups of the instances of a page, each of which is read once.
#[derive(Default)]
struct UsedGroups(HashMap<Text, Option<UsedSubnetGroup>>);

impl UsedGroups {
    fn find(&mut self, cx: &Tx<'_>, name: &str) -> Result<Option<UsedSubnetGroup>> {
        if let Some(found) = self.0.get(name) {
            return Ok(found.clone());
        }
        let found = subnet_group::find(cx, name)?.map(UsedSubnetGroup::from);
        self.0.insert(name.into(), found.clone());
        Ok(found)
    }
}

/// Gets an instance by its identifier or ARN, in any case; none if it does not exist or does not match the filters.
#[operation(kind = DBInstance, call = "get", effect = read, output = Option<DBInstance>)]
pub struct DBInstanceGet {
    /// Identifier or ARN of the instance.
    #[field(name = "DBInstanceIdentifier")]
    pub db_instance_identifier: Text,
    /// Filters: db-cluster-id, db-instance-id, dbi-resource-id, domain or engine.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl ManagerOperation for DBInstanceGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<DBInstance>> {
        let mut describe = DescribeDBInstances::new();
        describe.db_instance_identifier = Some(self.db_instance_identifier.clone());
        describe.filters.clone_from(&self.filters);
        match context.call(describe).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => Ok(found?.db_instances.unwrap_or_default().into_iter().next()),
        }
    }
}
