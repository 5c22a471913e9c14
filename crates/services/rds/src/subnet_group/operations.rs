//! Operations on DB subnet groups.

use super::{DBSubnetGroup, DBSubnetGroupManager, DEFAULT, find, require};
use crate::{
    DBInstance, Empty, errors,
    filters::{self, Filter},
    identifier::Page,
    tagging, uses,
};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, tags::to_list};
use nephos_core::{Error, Resource, Result, Text, operation, with_tags};

/// Quota of subnet groups.
pub(crate) const SUBNET_GROUPS: Quota =
    Quota { counter: "rds/subnet-groups", max: 50, what: "DB subnet groups" };

/// Maximum number of subnets of a group.
pub(crate) const MAX_SUBNETS: usize = 20;

/// Refuses more subnets than a group can have.
fn check_count(ids: &[Text]) -> Result<()> {
    if ids.len() > MAX_SUBNETS {
        return Err(errors::too_many_subnets().with_field("SubnetIds"));
    }
    Ok(())
}

/// Returns the name of a group in lower case, as it is stored.
fn read_name(given: &str) -> Result<Text> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b" ._-".contains(&byte);
    if given.is_empty() || given.len() > 255 || !given.bytes().all(is_part) {
        return Err(errors::subnet_group_name_invalid().with_field("DBSubnetGroupName"));
    }
    Ok(given.to_ascii_lowercase().into())
}

/// Creates a DB subnet group.
#[operation(
    of = DBSubnetGroup, call = "create", model, overrides(tags),
    needs(db_subnet_group_name, db_subnet_group_description, subnet_ids(wire = "SubnetIds")), takes(tags),
    wraps(db_subnet_group(name = "DBSubnetGroup")), effect = write, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateDBSubnetGroup {}

impl Handler for CreateDBSubnetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = read_name(&self.db_subnet_group_name)?;
        if name == DEFAULT {
            return Err(errors::subnet_group_name_reserved().with_field("DBSubnetGroupName"));
        }
        if self.db_subnet_group_description.trim().is_empty() {
            let parameter = "DBSubnetGroupDescription";
            return Err(errors::parameter_blank(parameter).with_field(parameter));
        }
        check_count(&self.subnet_ids)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if find(cx, &name)?.is_some() {
            return Err(errors::subnet_group_exists(&name).with_field("DBSubnetGroupName"));
        }
        let mut group = DBSubnetGroup::named(cx.scope(), name);
        group.db_subnet_group_description = Some(self.db_subnet_group_description);
        group.place_in(cx, &self.subnet_ids)?;
        group.tags = to_list(tags);
        SUBNET_GROUPS.add_one(cx, errors::too_many_subnet_groups)?;
        cx.put(group.clone())?;
        Ok(group.into())
    }
}

/// Describes DB subnet groups, in order of their names.
#[operation(
    of = DBSubnetGroup, call = "list", page(db_subnet_groups(name = "DBSubnetGroups", item = "DBSubnetGroup"), marker), include(Page),
    find(db_subnet_group_name), with = with_tags, effect = read, access = list
)]
pub struct DescribeDBSubnetGroups {
    /// Name of one group.
    #[field(name = "DBSubnetGroupName")]
    pub db_subnet_group_name: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeDBSubnetGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let groups = match &self.db_subnet_group_name {
            Some(name) => vec![require(cx, name, "DBSubnetGroupName")?],
            None => {
                let mut all: Vec<DBSubnetGroup> = cx.all(&DBSubnetGroup::table(cx.scope()))?;
                if !all.iter().any(|group| group.db_subnet_group_name.as_deref() == Some(DEFAULT)) {
                    all.extend(super::default_group(cx)?);
                }
                all.sort_by(|one, other| one.db_subnet_group_name.cmp(&other.db_subnet_group_name));
                all
            }
        };
        let name = |group: &DBSubnetGroup| group.db_subnet_group_name.clone().unwrap_or_default();
        Ok(cx.page_items(&self, groups, name)?.into())
    }
}

/// Changes the description or the subnets of a DB subnet group.
#[operation(
    of = DBSubnetGroup, call = "update", changes, needs(db_subnet_group_name, subnet_ids(wire = "SubnetIds")),
    takes(db_subnet_group_description), wraps(db_subnet_group(name = "DBSubnetGroup")), effect = write
)]
pub struct ModifyDBSubnetGroup {}

impl Handler for ModifyDBSubnetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require(cx, &self.db_subnet_group_name, "DBSubnetGroupName")?;
        check_count(&self.subnet_ids)?;
        check_used_subnets(cx, &group, &self.subnet_ids)?;
        group.place_in(cx, &self.subnet_ids)?;
        let description = self.db_subnet_group_description;
        group.db_subnet_group_description = description.or(group.db_subnet_group_description);
        cx.put(group.clone())?;
        Ok(group.into())
    }
}

/// Error for a group that the database with this ARN uses.
fn in_use(name: &str, user: &str) -> Error {
    let id = user.rsplit(':').next().unwrap_or_default();
    let what = if user.contains(":cluster:") { "cluster" } else { "instance" };
    errors::subnet_group_in_use(name, what, id)
}

/// Refuses a change that takes a subnet from an instance.
fn check_used_subnets(cx: &Tx<'_>, group: &DBSubnetGroup, ids: &[Text]) -> Result<()> {
    for user in uses::users(cx, group.require_arn()?)? {
        let names = DBInstance::read_arn(&user).unwrap_or_default();
        let Some(instance) = DBInstance::find_by(cx, &names)? else { continue };
        if let Some(subnet) = instance.used_subnets(cx)?.iter().find(|subnet| !ids.contains(subnet)) {
            return Err(errors::subnet_in_use(subnet).with_field("SubnetIds"));
        }
    }
    Ok(())
}

/// Deletes a DB subnet group that no database uses. The default group cannot be deleted.
#[operation(of = DBSubnetGroup, call = "delete", on_model, needs(db_subnet_group_name), effect = write)]
pub struct DeleteDBSubnetGroup {}

impl Handler for DeleteDBSubnetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = self.db_subnet_group_name.to_ascii_lowercase();
        if name == DEFAULT {
            return Err(errors::default_subnet_group().with_field("DBSubnetGroupName"));
        }
        let group = require(cx, &name, "DBSubnetGroupName")?;
        if let Some(user) = uses::users(cx, group.require_arn()?)?.first() {
            return Err(in_use(&name, user).with_field("DBSubnetGroupName"));
        }
        SUBNET_GROUPS.remove_one(cx)?;
        cx.remove(&group)?;
        Ok(Empty {})
    }
}
