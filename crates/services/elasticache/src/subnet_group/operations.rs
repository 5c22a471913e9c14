//! Operations on cache subnet groups.

use super::{CacheSubnetGroup, CacheSubnetGroupManager, DEFAULT, find};
use crate::{
    CacheCluster, Empty, SourceType, errors, event,
    identifier::{self, Page},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, tags::to_list};
use nephos_core::{Result, Text, operation, with_tags};

/// Quota of subnet groups.
const SUBNET_GROUPS: Quota =
    Quota { counter: "elasticache/subnet-groups", max: 150, what: "cache subnet groups" };

/// Maximum number of subnets of a group.
const MAX_SUBNETS: usize = 20;

/// Refuses no subnets, and more than a group can have.
fn check_count(ids: &[Text]) -> Result<()> {
    match ids.len() {
        0 => Err(errors::parameter_missing("SubnetIds").with_field("SubnetIds")),
        count if count > MAX_SUBNETS => Err(errors::too_many_subnets().with_field("SubnetIds")),
        _ => Ok(()),
    }
}

/// Returns the clusters that use a group.
fn users(cx: &Tx<'_>, name: &str) -> Result<Vec<CacheCluster>> {
    let mut all: Vec<CacheCluster> = cx.all(&CacheCluster::table(cx.scope()))?;
    all.retain(|cluster| cluster.cache_subnet_group_name.as_deref() == Some(name));
    Ok(all)
}

/// Writes an event: the group was created, modified or deleted.
fn write_event(cx: &mut Tx<'_>, group: &CacheSubnetGroup, change: &str) -> Result<()> {
    let name = group.cache_subnet_group_name.as_deref().unwrap_or_default();
    event::write(cx, (SourceType::CacheSubnetGroup, name), format!("Cache subnet group {name} {change}"))
}

/// Creates a cache subnet group.
#[operation(
    of = CacheSubnetGroup, call = "create", model, overrides(tags),
    needs(cache_subnet_group_name, cache_subnet_group_description, subnet_ids(wire = "SubnetIds")), takes(tags),
    wraps(cache_subnet_group), effect = write, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateCacheSubnetGroup {}

impl Handler for CreateCacheSubnetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.cache_subnet_group_name, "CacheSubnetGroupName", 255)?;
        check_count(&self.subnet_ids)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if find(cx, &name)?.is_some() {
            return Err(errors::subnet_group_exists(&name).with_field("CacheSubnetGroupName"));
        }
        let mut group = CacheSubnetGroup::named(cx.scope(), name);
        group.cache_subnet_group_description = Some(self.cache_subnet_group_description);
        group.place_in(cx, &self.subnet_ids)?;
        group.tags = to_list(tags);
        SUBNET_GROUPS.add_one(cx, errors::too_many_subnet_groups)?;
        write_event(cx, &group, "created")?;
        cx.put(group.clone())?;
        Ok(group.into())
    }
}

/// Describes cache subnet groups, in order of their names.
#[operation(
    of = CacheSubnetGroup, call = "list", page(cache_subnet_groups(item = "CacheSubnetGroup"), marker), include(Page),
    find(cache_subnet_group_name), with = with_tags, effect = read, access = list
)]
pub struct DescribeCacheSubnetGroups {
    /// Name of one group.
    pub cache_subnet_group_name: Option<Text>,
}

impl Handler for DescribeCacheSubnetGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let groups =
            match &self.cache_subnet_group_name {
                Some(name) => {
                    let found = find(cx, name)?;
                    vec![found.ok_or_else(|| {
                        CacheSubnetGroup::not_found(name).with_field("CacheSubnetGroupName")
                    })?]
                }
                None => {
                    let mut all: Vec<CacheSubnetGroup> = cx.all(&CacheSubnetGroup::table(cx.scope()))?;
                    if !all.iter().any(|group| group.cache_subnet_group_name.as_deref() == Some(DEFAULT)) {
                        all.extend(super::default_group(cx)?);
                    }
                    all.sort_by(|one, other| one.cache_subnet_group_name.cmp(&other.cache_subnet_group_name));
                    all
                }
            };
        let name = |group: &CacheSubnetGroup| group.cache_subnet_group_name.clone().unwrap_or_default();
        Ok(cx.page_items(&self, groups, name)?.into())
    }
}

/// Changes the description or the subnets of a cache subnet group. A subnet in use cannot be removed.
#[operation(
    of = CacheSubnetGroup, call = "update", changes, needs(cache_subnet_group_name),
    takes(cache_subnet_group_description, subnet_ids(wire = "SubnetIds")), wraps(cache_subnet_group), effect = write
)]
pub struct ModifyCacheSubnetGroup {}

impl Handler for ModifyCacheSubnetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.cache_subnet_group_name, "CacheSubnetGroupName", 255)?;
        let found = find(cx, &name)?;
        let mut group =
            found.ok_or_else(|| CacheSubnetGroup::not_found(&name).with_field("CacheSubnetGroupName"))?;
        let before = group.clone();
        if let Some(ids) = &self.subnet_ids {
            check_count(ids)?;
            for cluster in users(cx, &name)? {
                if let Some(used) = cluster.used_subnets(cx)?.iter().find(|used| !ids.contains(used)) {
                    return Err(errors::subnet_in_use(used).with_field("SubnetIds"));
                }
            }
            group.place_in(cx, ids)?;
        }
        let description = self.cache_subnet_group_description;
        group.cache_subnet_group_description = description.or(group.cache_subnet_group_description);
        if group != before {
            write_event(cx, &group, "modified")?;
        }
        cx.put(group.clone())?;
        Ok(group.into())
    }
}

/// Deletes a cache subnet group that no cluster uses. The default group cannot be deleted.
#[operation(of = CacheSubnetGroup, call = "delete", on_model, needs(cache_subnet_group_name), effect = write)]
pub struct DeleteCacheSubnetGroup {}

impl Handler for DeleteCacheSubnetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = identifier::read(&self.cache_subnet_group_name, "CacheSubnetGroupName", 255)?;
        let refuse = |error: nephos_core::Error| Err(error.with_field("CacheSubnetGroupName"));
        if name == DEFAULT {
            return refuse(errors::default_subnet_group());
        }
        let Some(group) = CacheSubnetGroup::find_by(cx, &[&name])? else {
            return refuse(errors::deleted_subnet_group_not_found(&name));
        };
        if !users(cx, &name)?.is_empty() {
            return refuse(errors::subnet_group_in_use(&name));
        }
        SUBNET_GROUPS.remove_one(cx)?;
        write_event(cx, &group, "deleted")?;
        cx.remove(&group)?;
        Ok(Empty {})
    }
}
