//! Operations on option groups.

use super::{
    OptionGroup, OptionGroupManager, OptionSetting, all,
    configure::{INCLUDE, REMOVE},
    find, require_named,
};
use crate::{
    Empty,
    engine::{self, Engine, Version},
    errors,
    filters::{self, Filter},
    identifier::{self, Page},
    tagging, uses,
};
use nephos_cloud::{Handler, Quota, StoredResource, Tx, tags::to_list};
use nephos_core::{Record, Result, Tag, Text, operation, with_tags};

/// Quota of option groups.
pub(crate) const OPTION_GROUPS: Quota =
    Quota { counter: "rds/option-groups", max: 20, what: "option groups" };

/// Request parameter with the name of a group.
const NAME: &str = "OptionGroupName";

/// Finds the engine that the parameter `EngineName` names.
pub(super) fn require_engine(name: &str) -> Result<&'static Engine> {
    engine::find(name).ok_or_else(|| errors::option_engine_invalid(name).with_field("EngineName"))
}

/// Finds the version that the parameter `MajorEngineVersion` names.
pub(super) fn require_major(engine: &'static Engine, major: &str) -> Result<Version> {
    let found = engine.versions().find(|version| version.major.version == major);
    let unknown = || errors::major_version_unknown(major, engine.name).with_field("MajorEngineVersion");
    found.ok_or_else(unknown)
}

/// Stores a new group, unless its name is taken; `field` is the parameter with the name.
fn store_new(
    cx: &mut Tx<'_>,
    mut group: OptionGroup,
    tags: Option<&[Tag]>,
    field: &str,
) -> Result<OptionGroup> {
    group.tags = to_list(tagging::RULES.read_list(tags.unwrap_or_default())?);
    if find(cx, group.own_name())?.is_some() {
        return Err(errors::option_group_exists(group.own_name()).with_field(field));
    }
    OPTION_GROUPS.add_one(cx, errors::too_many_option_groups)?;
    cx.put(group.clone())?;
    Ok(group)
}

/// Creates an option group without options.
#[operation(
    of = OptionGroup, call = "create", model, overrides(tags),
    needs(option_group_name, engine_name, major_engine_version, option_group_description), takes(tags),
    wraps(option_group), effect = write, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateOptionGroup {}

impl Handler for CreateOptionGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.option_group_name, NAME, 255)?;
        identifier::check_text(&self.option_group_description, "OptionGroupDescription")?;
        let engine = require_engine(&self.engine_name)?;
        if engine.in_clusters {
            return Err(errors::option_engine_invalid(engine.name).with_field("EngineName"));
        }
        let major = require_major(engine, &self.major_engine_version)?.major.version;
        let group = OptionGroup::of(cx.scope(), name, engine.name, major, self.option_group_description);
        Ok(store_new(cx, group, self.tags.as_deref(), NAME)?.into())
    }
}

/// Describes option groups, in order of their names. The default groups are among them.
#[operation(
    of = OptionGroup, call = "list", page(option_groups_list(item = "OptionGroup"), marker), include(Page), find(option_group_name),
    with = with_tags, effect = read, access = list
)]
pub struct DescribeOptionGroups {
    /// Name of one group; not together with an engine.
    pub option_group_name: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// Engine of the groups.
    pub engine_name: Option<Text>,
    /// Major version of the engine; needs the engine.
    pub major_engine_version: Option<Text>,
}

impl Handler for DescribeOptionGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let (engine, major) = (&self.engine_name, &self.major_engine_version);
        let groups = match &self.option_group_name {
            Some(_) if engine.is_some() || major.is_some() => {
                return Err(errors::option_group_name_or_engine().with_field(NAME));
            }
            Some(name) => vec![require_named(cx, name, NAME)?],
            None if engine.is_none() && major.is_some() => {
                return Err(errors::major_version_without_engine().with_field("MajorEngineVersion"));
            }
            None => {
                let mut all = all(cx)?;
                all.retain(|group| engine.is_none() || *engine == group.engine_name);
                all.retain(|group| major.is_none() || *major == group.major_engine_version);
                all
            }
        };
        Ok(cx.page_items(&self, groups, |group| group.own_name().into())?.into())
    }
}

/// Changes the tags of an option group.
#[operation(kind = OptionGroup, call = "update", changes(), effect = write)]
pub struct OptionGroupUpdate {}

/// An option to add to a group, or to change.
#[derive(Record)]
pub struct OptionConfiguration {
    /// Name of the option.
    #[field(required)]
    pub(super) option_name: Option<Text>,
    /// Port, if the option has one.
    #[field(range(1..=65535))]
    pub(super) port: Option<i64>,
    /// Version, if the option has versions.
    pub(super) option_version: Option<Text>,
    /// Names of DB security groups. There are none, so that they are refused.
    #[field(name = "DBSecurityGroupMemberships", item = "DBSecurityGroupName")]
    pub(super) db_security_group_memberships: Option<Vec<Text>>,
    /// IDs of the security groups of the port.
    #[field(item = "VpcSecurityGroupId")]
    pub(super) vpc_security_group_memberships: Option<Vec<Text>>,
    /// Settings. Those that are not given stay as they are.
    #[field(item = "OptionSetting")]
    pub(super) option_settings: Option<Vec<OptionSetting>>,
}

/// Adds options to a group, changes and removes them.
#[operation(
    of = OptionGroup, call = "modify", on_model, needs(option_group_name), wraps(option_group), effect = write
)]
pub struct ModifyOptionGroup {
    /// Options to add or to change.
    #[field(item = "OptionConfiguration")]
    pub options_to_include: Option<Vec<OptionConfiguration>>,
    /// Names of the options to remove.
    pub options_to_remove: Option<Vec<Text>>,
    /// True to change instances with the group at once. Options do nothing in an instance here.
    #[field(no_effect)]
    pub apply_immediately: Option<bool>,
}

impl Handler for ModifyOptionGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = require_named(cx, &self.option_group_name, NAME)?;
        if group.is_default() {
            return Err(errors::default_option_group_changed().with_field(NAME));
        }
        let include = self.options_to_include.unwrap_or_default();
        let remove = self.options_to_remove.unwrap_or_default();
        if include.is_empty() && remove.is_empty() {
            return Err(errors::options_missing().with_field(INCLUDE));
        }
        let mut names = include.iter().filter_map(|option| option.option_name.as_ref());
        if let Some(both) = names.find(|name| remove.contains(name)) {
            return Err(errors::option_included_and_removed(both).with_field(REMOVE));
        }
        let is_used = !uses::users(cx, group.own_arn())?.is_empty();
        remove.iter().try_for_each(|name| group.exclude(name, is_used))?;
        include.into_iter().try_for_each(|option| group.include(cx, option))?;
        group.settle(cx)?;
        cx.put(group.clone())?;
        Ok(group.into())
    }
}

/// Copies an option group with its options.
#[operation(
    of = OptionGroup, call = "copy", on_model(target_option_group_identifier, target_option_group_description),
    wraps(option_group), effect = write,
    subject = "og:{SourceOptionGroupIdentifier} + og:{TargetOptionGroupIdentifier}",
    also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CopyOptionGroup {
    /// Name or ARN of the group to copy.
    #[field(from_field = "OptionGroupName")]
    pub source_option_group_identifier: Text,
    /// Name of the copy.
    pub target_option_group_identifier: Text,
    /// Description of the copy.
    pub target_option_group_description: Text,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CopyOptionGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        const TARGET: &str = "TargetOptionGroupIdentifier";
        let source = identifier::name_of::<OptionGroup>(cx, &self.source_option_group_identifier);
        let source = require_named(cx, &source, "SourceOptionGroupIdentifier")?;
        let name = identifier::read(&self.target_option_group_identifier, TARGET, 255)?;
        let description = self.target_option_group_description;
        identifier::check_text(&description, "TargetOptionGroupDescription")?;
        let (engine, major) = (&source.engine_name, &source.major_engine_version);
        let (engine, major) = (engine.as_deref().unwrap_or_default(), major.as_deref().unwrap_or_default());
        let mut copy = OptionGroup::of(cx.scope(), name, engine, major, description);
        copy.source_option_group = Some(source.own_name().into());
        copy.source_account_id = Some(cx.scope().account().into());
        copy.source_region = Some(cx.scope().region().into());
        copy.copy_timestamp = Some(cx.now());
        copy.options = source.options;
        copy.vpc_id = source.vpc_id;
        copy.allows_vpc_and_non_vpc_instance_memberships = source.allows_vpc_and_non_vpc_instance_memberships;
        Ok(store_new(cx, copy, self.tags.as_deref(), TARGET)?.into())
    }
}

/// Deletes an option group that no database uses. The default groups cannot be deleted.
#[operation(of = OptionGroup, call = "delete", on_model, needs(option_group_name), effect = write)]
pub struct DeleteOptionGroup {}

impl Handler for DeleteOptionGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group = require_named(cx, &self.option_group_name, NAME)?;
        let name = group.own_name();
        if group.is_default() {
            return Err(errors::default_option_group_deleted(name).with_field(NAME));
        }
        if !uses::users(cx, group.own_arn())?.is_empty() {
            return Err(errors::option_group_in_use(name).with_field(NAME));
        }
        OPTION_GROUPS.remove_one(cx)?;
        cx.remove(&group)?;
        Ok(Empty {})
    }
}
