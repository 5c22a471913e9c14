//! Operations on DB parameter groups.

use super::{
    DBParameterGroup, DBParameterGroupManager, EngineDefaults, Parameter, changes, describe, group,
    tables::Level,
};
use crate::{
    Empty,
    filters::{self, Filter},
    identifier::Page,
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Result, Tag, Text, operation, with_tags};

/// Creates a DB parameter group. Its parameters have the default values of the family.
#[operation(
    of = DBParameterGroup, call = "create", model, overrides(tags),
    needs(db_parameter_group_name, db_parameter_group_family, description), takes(tags),
    wraps(db_parameter_group(name = "DBParameterGroup")), effect = write, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateDBParameterGroup {}

impl Handler for CreateDBParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (name, family) = (&self.db_parameter_group_name, &self.db_parameter_group_family);
        let group: DBParameterGroup =
            changes::create(cx, name, family, self.description, self.tags.as_deref())?;
        Ok(group.into())
    }
}

/// Describes DB parameter groups, in order of their names. The default groups are among them.
#[operation(
    of = DBParameterGroup, call = "list",
    page(db_parameter_groups(name = "DBParameterGroups", item = "DBParameterGroup"), marker), include(Page),
    find(db_parameter_group_name), with = with_tags, effect = read, access = list
)]
pub struct DescribeDBParameterGroups {
    /// Name of one group.
    #[field(name = "DBParameterGroupName")]
    pub db_parameter_group_name: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeDBParameterGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let groups: Vec<DBParameterGroup> = group::named_or_all(cx, self.db_parameter_group_name.as_deref())?;
        Ok(cx.page_items(&self, groups, |group| group.own_name().into())?.into())
    }
}

/// Changes the tags of a DB parameter group.
#[operation(kind = DBParameterGroup, call = "update", changes(), effect = write)]
pub struct DBParameterGroupUpdate {}

/// Changes the values of at most 20 parameters of a DB parameter group.
#[operation(
    of = DBParameterGroup, call = "modify", on_model(parameters), needs(db_parameter_group_name),
    wraps(db_parameter_group_name(name = "DBParameterGroupName"): Text), effect = write
)]
pub struct ModifyDBParameterGroup {
    /// Names, new values and methods of the changes.
    #[field(item = "Parameter")]
    pub parameters: Vec<Parameter>,
}

impl Handler for ModifyDBParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = changes::modify::<DBParameterGroup>(cx, &self.db_parameter_group_name, self.parameters)?;
        Ok(name.into())
    }
}

/// Sets parameters of a DB parameter group to their default values: all of them, or at most 20.
#[operation(
    of = DBParameterGroup, call = "reset", on_model, needs(db_parameter_group_name),
    wraps(db_parameter_group_name(name = "DBParameterGroupName"): Text), effect = write
)]
pub struct ResetDBParameterGroup {
    /// True to reset all parameters; the default if none are given.
    pub reset_all_parameters: Option<bool>,
    /// Names of the parameters, and methods of the changes.
    #[field(item = "Parameter")]
    pub parameters: Option<Vec<Parameter>>,
}

impl Handler for ResetDBParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = &self.db_parameter_group_name;
        let name = changes::reset::<DBParameterGroup>(cx, name, self.reset_all_parameters, self.parameters)?;
        Ok(name.into())
    }
}

/// Copies a DB parameter group with its changed values. The default groups cannot be copied.
#[operation(
    of = DBParameterGroup, call = "copy",
    on_model(target_db_parameter_group_identifier, target_db_parameter_group_description),
    wraps(db_parameter_group(name = "DBParameterGroup")), effect = write,
    subject = "pg:{SourceDBParameterGroupIdentifier} + pg:{TargetDBParameterGroupIdentifier}",
    also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CopyDBParameterGroup {
    /// Name or ARN of the group to copy.
    #[field(name = "SourceDBParameterGroupIdentifier", from_field = "DBParameterGroupName")]
    pub source_db_parameter_group_identifier: Text,
    /// Name of the copy.
    #[field(name = "TargetDBParameterGroupIdentifier")]
    pub target_db_parameter_group_identifier: Text,
    /// Description of the copy.
    #[field(name = "TargetDBParameterGroupDescription")]
    pub target_db_parameter_group_description: Text,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CopyDBParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (source, target) =
            (&self.source_db_parameter_group_identifier, &self.target_db_parameter_group_identifier);
        let description = self.target_db_parameter_group_description;
        let copy: DBParameterGroup = changes::copy(cx, source, target, description, self.tags.as_deref())?;
        Ok(copy.into())
    }
}

/// Deletes a DB parameter group that no instance uses. The default groups cannot be deleted.
#[operation(of = DBParameterGroup, call = "delete", on_model, needs(db_parameter_group_name), effect = write)]
pub struct DeleteDBParameterGroup {}

impl Handler for DeleteDBParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        changes::delete::<DBParameterGroup>(cx, &self.db_parameter_group_name)
    }
}

/// Describes the parameters of a DB parameter group, in order of their names.
#[operation(
    of = DBParameterGroup, call = "parameters", on_model, needs(db_parameter_group_name),
    page(parameters(item = "Parameter"): Parameter, marker), returns(parameters: Vec<Parameter>, marker), include(Page), effect = read,
    access = list
)]
pub struct DescribeDBParameters {
    /// Source of the values: user for changed ones.
    #[field(one_of("user", "system", "engine-default"))]
    pub source: Option<Text>,
    /// Filters: `parameter-name`.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeDBParameters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (name, source) = (&self.db_parameter_group_name, self.source.as_deref());
        let parameters = describe::of_group::<DBParameterGroup>(cx, name, source, self.filters.as_deref())?;
        Ok(cx.page_list(&self, parameters)?.into())
    }
}

/// Describes the parameters of a family with their default values, in order of their names.
#[operation(
    of = DBParameterGroup, call = "engine_defaults", needs(db_parameter_group_family), include(Page),
    wraps(engine_defaults: EngineDefaults), effect = read, access = list, subject = "*"
)]
pub struct DescribeEngineDefaultParameters {
    /// Filters: `parameter-name`.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeEngineDefaultParameters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let family = &self.db_parameter_group_family;
        let parameters = describe::of_family(family, Level::Instance, self.filters.as_deref())?;
        Ok(EngineDefaults::of(family, cx.page_list(&self, parameters)?).into())
    }
}
