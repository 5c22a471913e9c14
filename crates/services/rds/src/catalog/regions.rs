//! The operation that describes the Regions that backups and snapshots can come from.

use crate::{
    DBInstance, DBInstanceManager,
    filters::{self, Filter},
    identifier::Page,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};
use nephos_ec2 as ec2;

/// A Region that snapshots can be copied from.
#[derive(Record)]
#[record(answer)]
pub struct SourceRegion {
    /// Name.
    region_name: Option<Text>,
    /// Endpoint of the service.
    endpoint: Option<Text>,
    /// Status.
    status: Option<Text>,
    /// True if automated backups can be replicated from it.
    #[field(name = "SupportsDBInstanceAutomatedBackupsReplication")]
    supports_db_instance_automated_backups_replication: Option<bool>,
}

/// Describes the other Regions, in order of their names.
#[operation(
    of = DBInstance, call = "source_regions", page(source_regions(item = "SourceRegion"): SourceRegion, marker), include(Page),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeSourceRegions {
    /// Name of one Region.
    pub region_name: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeSourceRegions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let own = Text::new(cx.scope().region());
        let regions = ec2::DescribeRegions::new().run(cx)?;
        let names = regions.regions().unwrap_or_default().iter().filter_map(|region| region.region_name());
        let names = names.filter(|name| {
            *name != own.as_str() && self.region_name.as_deref().is_none_or(|given| given == *name)
        });
        let found = names.map(|name| SourceRegion {
            region_name: Some(name.into()),
            endpoint: Some(format!("https://rds.{name}.amazonaws.com").into()),
            status: Some("available".into()),
            supports_db_instance_automated_backups_replication: Some(true),
        });
        Ok(cx.page_list(&self, found)?.into())
    }
}
