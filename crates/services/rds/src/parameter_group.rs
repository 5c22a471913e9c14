//! DB parameter groups and DB cluster parameter groups: values of the parameters of an engine, for all databases that use the group.
//! The two kinds share their rules: see `group.rs`.

mod changes;
pub(crate) mod cluster;
mod describe;
mod group;
mod operations;
pub(crate) mod tables;
pub(crate) mod values;

pub use cluster::*;
pub use describe::{ApplyMethod, EngineDefaults, Parameter};
pub(crate) use group::{ParameterGroup, ParameterValueRow};
pub use operations::*;

use crate::errors;
use nephos_cloud::{Quota, Scope, Tx, own_arn};
use nephos_core::{Error, Resource, Result, Slot, Tag, Text, field_value::FieldType};
use tables::Level;

/// A DB parameter group.
#[derive(Resource)]
#[resource(
    arn("DBParameterGroupArn", "pg:{DBParameterGroupName}"),
    not_found = |name| errors::parameter_group_not_found(name),
    name = "DBParameterGroupName", pk = "DBParameterGroupArn", exists_if = "DBParameterGroupArn", tags = "Tags"
)]
pub struct DBParameterGroup {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and hyphens.
    #[field(name = "DBParameterGroupName", required, fixed, length(1..=255))]
    pub(crate) db_parameter_group_name: Option<Text>,
    /// Family of the group: the engine and its major version, such as `mysql8.0`.
    #[field(name = "DBParameterGroupFamily", required, fixed)]
    pub(crate) db_parameter_group_family: Option<Text>,
    /// Description.
    #[field(required, fixed)]
    description: Option<Text>,
    /// ARN.
    #[field(name = "DBParameterGroupArn", service_set)]
    pub(crate) db_parameter_group_arn: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    DBParameterGroup in "rds/parameter-group" by db_parameter_group_name;
    arn db_parameter_group_arn
}

impl ParameterGroup for DBParameterGroup {
    const LEVEL: Level = Level::Instance;
    const QUOTA: Quota = Quota { counter: "rds/parameter-groups", max: 50, what: "DB parameter groups" };
    const NAME: &'static str = "DBParameterGroupName";
    const SOURCE: &'static str = "SourceDBParameterGroupIdentifier";
    const TARGET: &'static str = "TargetDBParameterGroupIdentifier";
    const TARGET_DESCRIPTION: &'static str = "TargetDBParameterGroupDescription";

    fn of(scope: &Scope, name: &str, family: &str, description: Text, tags: Option<Vec<Tag>>) -> Self {
        let mut group = Self::blank();
        group.db_parameter_group_name = Some(name.into());
        group.db_parameter_group_family = Some(family.into());
        group.description = Some(description);
        group.tags = tags;
        group.db_parameter_group_arn = own_arn(&group, scope);
        group
    }

    fn family(&self) -> &str {
        self.db_parameter_group_family.as_deref().unwrap_or_default()
    }

    fn not_found_for_database(name: &str) -> Error {
        errors::parameter_group_not_found(name)
    }

    fn is_default_error(name: &str) -> Error {
        errors::default_parameter_group_deleted(name)
    }

    fn in_use_error(name: &str) -> Error {
        errors::parameter_group_in_use(name)
    }
}

/// Finds a group by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<DBParameterGroup>> {
    group::find(cx, name)
}

/// Finds a group for an instance of a family, or refuses; `field` is the parameter with the name.
pub(crate) fn require(cx: &Tx<'_>, name: &str, family: &str, field: &str) -> Result<DBParameterGroup> {
    group::require(cx, name, family, field)
}
