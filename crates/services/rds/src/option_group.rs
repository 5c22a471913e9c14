//! Option groups: features of engines that instances with the group have.

mod configure;
mod describe;
mod operations;
pub(crate) mod table;

pub use describe::*;
pub use operations::*;
use operations::{require_engine, require_major};

use crate::{
    DBSecurityGroupMembership, VpcSecurityGroupMembership,
    engine::{self, Engine, Version},
    errors,
};
use nephos_cloud::{Addressed, Scope, Stored, Tx, own_arn};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, field_value::FieldType};

/// A setting of an option.
#[derive(Record)]
pub struct OptionSetting {
    /// Name.
    #[field(required)]
    name: Option<Text>,
    /// Value; if it is absent, the default value. Values of secret settings are not kept.
    #[field(sensitive)]
    value: Option<Text>,
    /// Value of the setting if none is given.
    #[field(service_set)]
    default_value: Option<Text>,
    /// Description.
    #[field(service_set)]
    description: Option<Text>,
    /// Type of changes: STATIC after a restart, DYNAMIC at once.
    #[field(service_set)]
    apply_type: Option<Text>,
    /// Type of the values.
    #[field(service_set)]
    data_type: Option<Text>,
    /// Allowed values and ranges.
    #[field(service_set)]
    allowed_values: Option<Text>,
    /// True if the value can be changed.
    #[field(service_set)]
    is_modifiable: Option<bool>,
    /// True if the value is a list.
    #[field(service_set)]
    is_collection: Option<bool>,
}

/// An option of a group.
#[derive(Record)]
#[record(name = "Option", answer)]
pub struct GroupOption {
    /// Name.
    option_name: Option<Text>,
    /// Description.
    option_description: Option<Text>,
    /// True if the option cannot be removed while an instance uses the group.
    persistent: Option<bool>,
    /// True if the option cannot be removed.
    permanent: Option<bool>,
    /// Port, if the option has one.
    port: Option<i64>,
    /// Version, if the option has versions.
    option_version: Option<Text>,
    /// Settings.
    #[field(item = "OptionSetting")]
    option_settings: Option<Vec<OptionSetting>>,
    /// DB security groups of the port; there are none.
    #[field(name = "DBSecurityGroupMemberships", item = "DBSecurityGroup")]
    db_security_group_memberships: Option<Vec<DBSecurityGroupMembership>>,
    /// Security groups of the port.
    #[field(item = "VpcSecurityGroupMembership")]
    vpc_security_group_memberships: Option<Vec<VpcSecurityGroupMembership>>,
}

/// An option group.
#[derive(Resource)]
#[resource(
    arn("OptionGroupArn", "og:{OptionGroupName}"),
    not_found = |name| errors::option_group_not_found(name),
    name = "OptionGroupName", pk = "OptionGroupArn", exists_if = "OptionGroupArn", tags = "Tags"
)]
pub struct OptionGroup {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and hyphens.
    #[field(required, fixed, length(1..=255))]
    pub(crate) option_group_name: Option<Text>,
    /// Description.
    #[field(required, fixed)]
    option_group_description: Option<Text>,
    /// Engine of the instances that can use the group.
    #[field(required, fixed)]
    pub(crate) engine_name: Option<Text>,
    /// Major version of the engine.
    #[field(required, fixed)]
    pub(crate) major_engine_version: Option<Text>,
    /// Options.
    #[field(service_set, item = "Option")]
    pub(crate) options: Option<Vec<GroupOption>>,
    /// True if instances of any VPC can use the group; false if an option has security groups of a VPC.
    #[field(service_set)]
    allows_vpc_and_non_vpc_instance_memberships: Option<bool>,
    /// VPC of the instances that can use the group, if an option has security groups.
    #[field(service_set)]
    pub(crate) vpc_id: Option<Text>,
    /// ARN.
    #[field(service_set)]
    pub(crate) option_group_arn: Option<Text>,
    /// Name of the group that this group is a copy of.
    #[field(service_set)]
    source_option_group: Option<Text>,
    /// Account of the group that this group is a copy of.
    #[field(service_set)]
    source_account_id: Option<Text>,
    /// Time when the group was copied.
    #[field(service_set)]
    copy_timestamp: Option<Timestamp>,
    /// Region of the group that this group is a copy of.
    #[field(service_set)]
    source_region: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    OptionGroup in "rds/option-group" by option_group_name;
    arn option_group_arn
}

impl OptionGroup {
    /// Makes a group without options, with its ARN.
    fn of(scope: &Scope, name: Text, engine: &str, major: &str, description: Text) -> Self {
        let mut group = Self::blank();
        group.option_group_name = Some(name);
        group.option_group_description = Some(description);
        group.engine_name = Some(engine.into());
        group.major_engine_version = Some(major.into());
        group.options = Some(Vec::new());
        group.allows_vpc_and_non_vpc_instance_memberships = Some(true);
        group.option_group_arn = own_arn(&group, scope);
        group
    }

    /// True for the default group of a version.
    fn is_default(&self) -> bool {
        self.option_group_name.as_deref().is_some_and(|name| name.contains(':'))
    }
}

/// Returns the default groups. They have no rows, unless they have tags.
fn default_groups(scope: &Scope) -> impl Iterator<Item = OptionGroup> {
    let versions =
        |engine: &'static Engine| engine.majors.iter().filter_map(|major| engine.version(major.version).ok());
    let group = move |version: Version| {
        let (engine, major) = (version.engine.name, version.major.version);
        let description = format!("Default option group for {engine} {major}");
        OptionGroup::of(scope, version.default_option_group().into(), engine, major, description.into())
    };
    engine::all().iter().flat_map(versions).map(group)
}

/// Finds a group by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<OptionGroup>> {
    let name = name.to_ascii_lowercase();
    let found = OptionGroup::find_by(cx, &[&name])?;
    let is_named = |group: &OptionGroup| group.option_group_name.as_deref() == Some(&name);
    Ok(found.or_else(|| default_groups(cx.scope()).find(is_named)))
}

/// Finds a group that a request names, or refuses; `field` is the parameter with the name.
fn require_named(cx: &Tx<'_>, name: &str, field: &str) -> Result<OptionGroup> {
    find(cx, name)?.ok_or_else(|| OptionGroup::not_found(name).with_field(field))
}

/// Finds a group for a database of an engine and a version, or refuses; `field` is the parameter with the name.
pub(crate) fn require(
    cx: &Tx<'_>,
    name: &str,
    engine: &Engine,
    version: Version,
    field: &str,
) -> Result<OptionGroup> {
    let group = require_named(cx, name, field)?;
    let found = (group.engine_name.as_deref(), group.major_engine_version.as_deref());
    if found == (Some(engine.name), Some(version.major.version)) {
        return Ok(group);
    }
    let (found_engine, found_major) = (found.0.unwrap_or_default(), found.1.unwrap_or_default());
    let (engine, major) = (engine.name, version.major.version);
    Err(errors::option_group_version(name, found_engine, found_major, engine, major).with_field(field))
}

/// Returns all groups, in order of their names. The default groups are among them.
fn all(cx: &Tx<'_>) -> Result<Vec<OptionGroup>> {
    let mut all: Vec<OptionGroup> = cx.all(&OptionGroup::table(cx.scope()))?;
    all.extend(default_groups(cx.scope()));
    all.sort_by(|one, other| one.option_group_name.cmp(&other.option_group_name));
    all.dedup_by(|one, other| one.option_group_name == other.option_group_name);
    Ok(all)
}
