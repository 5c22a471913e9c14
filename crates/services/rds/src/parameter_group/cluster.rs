//! DB cluster parameter groups.

use super::{
    EngineDefaults, Parameter, changes, describe,
    group::{self, ParameterGroup},
    tables::Level,
};
use crate::{
    Empty, errors,
    filters::{self, Filter},
    identifier::Page,
};
use nephos_cloud::{Handler, Quota, Scope, StoredResource, Tx, own_arn};
use nephos_core::{Error, Resource, Result, Slot, Tag, Text, field_value::FieldType, operation, with_tags};

/// A DB cluster parameter group.
#[derive(Resource)]
#[resource(
    arn("DBClusterParameterGroupArn", "cluster-pg:{DBClusterParameterGroupName}"),
    not_found = |name| errors::cluster_parameter_group_not_found(name),
    name = "DBClusterParameterGroupName", pk = "DBClusterParameterGroupArn", exists_if = "DBClusterParameterGroupArn", tags = "Tags"
)]
pub struct DBClusterParameterGroup {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and hyphens.
    #[field(name = "DBClusterParameterGroupName", required, fixed, length(1..=255))]
    pub(crate) db_cluster_parameter_group_name: Option<Text>,
    /// Family of the group: the engine and its major version, such as `aurora-mysql8.0`.
    #[field(name = "DBParameterGroupFamily", required, fixed)]
    pub(crate) db_parameter_group_family: Option<Text>,
    /// Description.
    #[field(required, fixed)]
    description: Option<Text>,
    /// ARN.
    #[field(name = "DBClusterParameterGroupArn", service_set)]
    pub(crate) db_cluster_parameter_group_arn: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBClusterParameterGroup in "rds/cluster-parameter-group" by db_cluster_parameter_group_name;
    arn db_cluster_parameter_group_arn
}

impl ParameterGroup for DBClusterParameterGroup {
    const LEVEL: Level = Level::Cluster;
    const QUOTA: Quota =
        Quota { counter: "rds/cluster-parameter-groups", max: 50, what: "DB cluster parameter groups" };
    const NAME: &'static str = "DBClusterParameterGroupName";
    const SOURCE: &'static str = "SourceDBClusterParameterGroupIdentifier";
    const TARGET: &'static str = "TargetDBClusterParameterGroupIdentifier";
    const TARGET_DESCRIPTION: &'static str = "TargetDBClusterParameterGroupDescription";

    fn of(scope: &Scope, name: &str, family: &str, description: Text, tags: Option<Vec<Tag>>) -> Self {
        let mut group = Self::blank();
        group.db_cluster_parameter_group_name = Some(name.into());
        group.db_parameter_group_family = Some(family.into());
        group.description = Some(description);
        group.tags = tags;
        group.db_cluster_parameter_group_arn = own_arn(&group, scope);
        group
    }

    fn family(&self) -> &str {
        self.db_parameter_group_family.as_deref().unwrap_or_default()
    }

    fn not_found_for_database(name: &str) -> Error {
        errors::cluster_parameter_group_unknown(name)
    }

    fn is_default_error(name: &str) -> Error {
        errors::default_cluster_parameter_group_deleted(name)
    }

    fn in_use_error(name: &str) -> Error {
        errors::cluster_parameter_group_in_use(name)
    }
}

/// Finds a group by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<DBClusterParameterGroup>> {
    group::find(cx, name)
}

/// Finds a group for a cluster of a family, or refuses; `field` is the parameter with the name.
pub(crate) fn require(cx: &Tx<'_>, name: &str, family: &str, field: &str) -> Result<DBClusterParameterGroup> {
    group::require(cx, name, family, field)
}

/// Creates a DB cluster parameter group. Its parameters have the default values of the family.
#[operation(
    of = DBClusterParameterGroup, call = "create", model, overrides(tags),
    needs(db_cluster_parameter_group_name, db_parameter_group_family, description), takes(tags),
    wraps(db_cluster_parameter_group(name = "DBClusterParameterGroup")), effect = write, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateDBClusterParameterGroup {}

impl Handler for CreateDBClusterParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (name, family) = (&self.db_cluster_parameter_group_name, &self.db_parameter_group_family);
        let group: DBClusterParameterGroup =
            changes::create(cx, name, family, self.description, self.tags.as_deref())?;
        Ok(group.into())
    }
}

/// Describes DB cluster parameter groups, in order of their names. The default groups are among them.
#[operation(
    of = DBClusterParameterGroup, call = "list",
    page(db_cluster_parameter_groups(name = "DBClusterParameterGroups", item = "DBClusterParameterGroup"), marker), include(Page),
    find(db_cluster_parameter_group_name), with = with_tags, effect = read, access = list
)]
pub struct DescribeDBClusterParameterGroups {
    /// Name of one group.
    #[field(name = "DBClusterParameterGroupName")]
    pub db_cluster_parameter_group_name: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeDBClusterParameterGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let groups: Vec<DBClusterParameterGroup> =
            group::named_or_all(cx, self.db_cluster_parameter_group_name.as_deref())?;
        Ok(cx.page_items(&self, groups, |group| group.own_name().into())?.into())
    }
}

/// Changes the tags of a DB cluster parameter group.
#[operation(kind = DBClusterParameterGroup, call = "update", changes(), effect = write)]
pub struct DBClusterParameterGroupUpdate {}

/// Changes the values of at most 20 parameters of a DB cluster parameter group.
#[operation(
    of = DBClusterParameterGroup, call = "modify", on_model(parameters), needs(db_cluster_parameter_group_name),
    wraps(db_cluster_parameter_group_name(name = "DBClusterParameterGroupName"): Text), effect = write
)]
pub struct ModifyDBClusterParameterGroup {
    /// Names, new values and methods of the changes.
    #[field(item = "Parameter")]
    pub parameters: Vec<Parameter>,
}

impl Handler for ModifyDBClusterParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = changes::modify::<DBClusterParameterGroup>(
            cx,
            &self.db_cluster_parameter_group_name,
            self.parameters,
        )?;
        Ok(name.into())
    }
}

/// Sets parameters of a DB cluster parameter group to their default values: all of them, or at most 20.
#[operation(
    of = DBClusterParameterGroup, call = "reset", on_model, needs(db_cluster_parameter_group_name),
    wraps(db_cluster_parameter_group_name(name = "DBClusterParameterGroupName"): Text), effect = write
)]
pub struct ResetDBClusterParameterGroup {
    /// True to reset all parameters; the default if none are given.
    pub reset_all_parameters: Option<bool>,
    /// Names of the parameters, and methods of the changes.
    #[field(item = "Parameter")]
    pub parameters: Option<Vec<Parameter>>,
}

impl Handler for ResetDBClusterParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = &self.db_cluster_parameter_group_name;
        let name =
            changes::reset::<DBClusterParameterGroup>(cx, name, self.reset_all_parameters, self.parameters)?;
        Ok(name.into())
    }
}

/// Copies a DB cluster parameter group with its changed values. The default groups cannot be copied.
#[operation(
    of = DBClusterParameterGroup, call = "copy",
    on_model(target_db_cluster_parameter_group_identifier, target_db_cluster_parameter_group_description),
    wraps(db_cluster_parameter_group(name = "DBClusterParameterGroup")), effect = write,
    subject = "cluster-pg:{SourceDBClusterParameterGroupIdentifier} + cluster-pg:{TargetDBClusterParameterGroupIdentifier}",
    also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CopyDBClusterParameterGroup {
    /// Name or ARN of the group to copy.
    #[field(name = "SourceDBClusterParameterGroupIdentifier", from_field = "DBClusterParameterGroupName")]
    pub source_db_cluster_parameter_group_identifier: Text,
    /// Name of the copy.
    #[field(name = "TargetDBClusterParameterGroupIdentifier")]
    pub target_db_cluster_parameter_group_identifier: Text,
    /// Description of the copy.
    #[field(name = "TargetDBClusterParameterGroupDescription")]
    pub target_db_cluster_parameter_group_description: Text,
    /// Tags of the copy.
    #[field(item = "Tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for CopyDBClusterParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (source, target) = (
            &self.source_db_cluster_parameter_group_identifier,
            &self.target_db_cluster_parameter_group_identifier,
        );
        let description = self.target_db_cluster_parameter_group_description;
        let copy: DBClusterParameterGroup =
            changes::copy(cx, source, target, description, self.tags.as_deref())?;
        Ok(copy.into())
    }
}

/// Deletes a DB cluster parameter group that no cluster uses. The default groups cannot be deleted.
#[operation(of = DBClusterParameterGroup, call = "delete", on_model, needs(db_cluster_parameter_group_name), effect = write)]
pub struct DeleteDBClusterParameterGroup {}

impl Handler for DeleteDBClusterParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        changes::delete::<DBClusterParameterGroup>(cx, &self.db_cluster_parameter_group_name)
    }
}

/// Describes the parameters of a DB cluster parameter group, in order of their names.
#[operation(
    of = DBClusterParameterGroup, call = "parameters", on_model, needs(db_cluster_parameter_group_name),
    page(parameters(item = "Parameter"): Parameter, marker), returns(parameters: Vec<Parameter>, marker), include(Page), effect = read,
    access = list
)]
pub struct DescribeDBClusterParameters {
    /// Source of the values: user for changed ones.
    #[field(one_of("user", "system", "engine-default"))]
    pub source: Option<Text>,
    /// Filters: `parameter-name`.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeDBClusterParameters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let (name, source) = (&self.db_cluster_parameter_group_name, self.source.as_deref());
        let parameters =
            describe::of_group::<DBClusterParameterGroup>(cx, name, source, self.filters.as_deref())?;
        Ok(cx.page_list(&self, parameters)?.into())
    }
}

/// Describes the parameters of a family with their default values, in order of their names.
#[operation(
    of = DBClusterParameterGroup, call = "engine_defaults", needs(db_parameter_group_family), include(Page),
    wraps(engine_defaults: EngineDefaults), effect = read, access = list, subject = "*"
)]
pub struct DescribeEngineDefaultClusterParameters {
    /// Filters: `parameter-name`.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeEngineDefaultClusterParameters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let family = &self.db_parameter_group_family;
        let parameters = describe::of_family(family, Level::Cluster, self.filters.as_deref())?;
        Ok(EngineDefaults::of(family, cx.page_list(&self, parameters)?).into())
    }
}
