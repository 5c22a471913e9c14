//! Cache parameter groups: values of the parameters of an engine, for all clusters that use the group.

mod describe;
mod operations;
pub(crate) mod tables;
pub(crate) mod values;

pub use describe::*;
pub use operations::*;

use crate::{
    CacheCluster,
    engine::{Family, Version},
    errors,
};
use nephos_cloud::{Addressed, Scope, Stored, Tx, own_arn};
use nephos_core::{Map, Record, Resource, Result, Slot, Tag, Text, field_value::FieldType};
use tables::{CLUSTER_ENABLED, Change, Definition};

/// Start of the names of default groups.
const DEFAULT_PREFIX: &str = "default.";
/// End of the names of default groups for cluster mode.
const CLUSTER_SUFFIX: &str = ".cluster.on";

/// A cache parameter group.
#[derive(Resource)]
#[resource(
    arn("ARN", "parametergroup:{CacheParameterGroupName}"),
    not_found = |name| errors::described_parameter_group_not_found(name),
    name = "CacheParameterGroupName", pk = "CacheParameterGroupName", exists_if = "ARN", tags = "Tags"
)]
pub struct CacheParameterGroup {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and
    /// hyphens.
    #[field(required, fixed, length(1..=255), condition = "elasticache:CacheParameterGroupName")]
    pub(crate) cache_parameter_group_name: Option<Text>,
    /// Family of the group: the engine and its major version, such as `redis7`.
    #[field(required, fixed)]
    pub(crate) cache_parameter_group_family: Option<Text>,
    /// Description.
    #[field(required, fixed)]
    description: Option<Text>,
    /// True for a group of a global datastore.
    #[field(service_set)]
    is_global: Option<bool>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    arn: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    CacheParameterGroup in "elasticache/parameter-group" by cache_parameter_group_name;
    arn arn
}

/// Row of the values that were changed in a group.
#[derive(Record)]
#[record(row)]
pub(crate) struct ParameterValuesRow {
    /// Name of the group.
    cache_parameter_group_name: Option<Text>,
    /// Changed values by the names of the parameters.
    values: Option<Map<Text>>,
}

nephos_cloud::stored!(ParameterValuesRow in "elasticache/parameter-values" by cache_parameter_group_name);

/// Row that says that a resource uses a group.
#[derive(Record)]
#[record(row)]
pub(crate) struct ParameterGroupUseRow {
    /// Name of the group.
    cache_parameter_group_name: Option<Text>,
    /// ARN of the resource.
    user_arn: Option<Text>,
}

nephos_cloud::stored! {
    ParameterGroupUseRow in "elasticache/parameter-group-use" by cache_parameter_group_name, user_arn
}

impl CacheParameterGroup {
    fn named(scope: &Scope, name: &str, family: &str) -> Self {
        let mut group = Self::blank();
        group.cache_parameter_group_name = Some(name.into());
        group.cache_parameter_group_family = Some(family.into());
        group.is_global = Some(false);
        group.arn = own_arn(&group, scope);
        group
    }

    fn group_name(&self) -> &str {
        self.cache_parameter_group_name.as_deref().unwrap_or_default()
    }

    /// Family of the group.
    pub(crate) fn family(&self) -> Result<Family> {
        Family::read(self.cache_parameter_group_family.as_deref().unwrap_or_default())
    }

    /// True for a default group for cluster mode.
    fn is_cluster_default(&self) -> bool {
        is_default(self.group_name()) && self.group_name().ends_with(CLUSTER_SUFFIX)
    }
}

/// Returns the default groups. They have no rows, unless they have tags.
fn default_groups(scope: &Scope) -> impl Iterator<Item = CacheParameterGroup> + use<'_> {
    let group = |family: Family, cluster_mode: bool| {
        let mut group =
            CacheParameterGroup::named(scope, &default_name_of(family, cluster_mode), family.name());
        let description = if cluster_mode {
            format!("Customized default parameter group for {} with cluster mode on", family.name())
        } else {
            format!("Default parameter group for {}", family.name())
        };
        group.description = Some(description.into());
        group
    };
    let modes = |family: Family| [false, true].into_iter().take(1 + usize::from(family.has_cluster_mode()));
    Family::ALL.into_iter().flat_map(move |family| modes(family).map(move |mode| group(family, mode)))
}

fn default_name_of(family: Family, cluster_mode: bool) -> Text {
    let suffix = if cluster_mode { CLUSTER_SUFFIX } else { "" };
    format!("{DEFAULT_PREFIX}{}{suffix}", family.name()).into()
}

/// Name of the group of clusters that are created without one.
pub fn default_name(version: &Version, cluster_mode: bool) -> Text {
    default_name_of(version.family, cluster_mode && version.family.has_cluster_mode())
}

/// True for the name of a default group.
pub fn is_default(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(DEFAULT_PREFIX) else { return false };
    match rest.strip_suffix(CLUSTER_SUFFIX) {
        Some(family) => Family::find(family).is_some_and(Family::has_cluster_mode),
        None => Family::find(rest).is_some(),
    }
}

/// Finds a group by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<CacheParameterGroup>> {
    let name = name.to_ascii_lowercase();
    match CacheParameterGroup::find_by(cx, &[&name])? {
        None if is_default(&name) => Ok(default_groups(cx.scope()).find(|group| group.group_name() == name)),
        found => Ok(found),
    }
}

/// Finds a group for a cluster of a family, or refuses; `field` is the parameter with the name.
pub(crate) fn require(cx: &Tx<'_>, name: &str, family: Family, field: &str) -> Result<CacheParameterGroup> {
    let Some(group) = find(cx, name)? else {
        return Err(errors::parameter_group_not_found(name).with_field(field));
    };
    let found = group.family()?;
    if found == family {
        return Ok(group);
    }
    Err(errors::parameter_group_family(family.name(), found.name()).with_field(field))
}

/// Records that a resource uses a group, or no longer does.
pub(crate) fn note_use(cx: &mut Tx<'_>, group: &str, arn: &str, used: bool) -> Result<()> {
    let row = ParameterGroupUseRow {
        cache_parameter_group_name: Some(group.to_ascii_lowercase().into()),
        user_arn: Some(arn.into()),
    };
    if used { cx.put(row) } else { cx.remove(&row) }
}

/// Marks the clusters that use a group, if the changed parameters take effect after a reboot only.
fn mark_clusters<'a>(
    cx: &mut Tx<'_>,
    group: &str,
    family: Family,
    changed: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    if !needs_reboot(family, changed) {
        return Ok(());
    }
    let rows: Vec<ParameterGroupUseRow> = cx.all(&ParameterGroupUseRow::table(cx.scope()).text(group))?;
    for arn in rows.into_iter().filter_map(|row| row.user_arn) {
        let names = CacheCluster::read_arn(&arn).unwrap_or_default();
        if let Some(mut cluster) = CacheCluster::find_by(cx, &names)? {
            cluster.mark_for_reboot();
            cx.put(cluster)?;
        }
    }
    Ok(())
}

/// True if a resource uses the group.
fn is_used(cx: &Tx<'_>, group: &str) -> Result<bool> {
    let rows: Vec<ParameterGroupUseRow> = cx.all(&ParameterGroupUseRow::table(cx.scope()).text(group))?;
    Ok(!rows.is_empty())
}

/// Returns the values that were changed in a group.
fn changed_values(cx: &Tx<'_>, group: &str) -> Result<Map<Text>> {
    let row: Option<ParameterValuesRow> = cx.get(&ParameterValuesRow::table(cx.scope()).text(group))?;
    Ok(row.and_then(|row| row.values).unwrap_or_default())
}

/// A parameter with its value in a group.
pub(crate) struct ParameterSetting {
    /// Definition of the parameter.
    pub(crate) definition: &'static Definition,
    /// Value, if the parameter has one.
    pub(crate) value: Option<Text>,
    /// True if the value was changed in the group.
    pub(crate) is_changed: bool,
}

/// Returns the parameters of a group, in order of their names.
pub(crate) fn parameters(cx: &Tx<'_>, group: &CacheParameterGroup) -> Result<Vec<ParameterSetting>> {
    let mut changed = changed_values(cx, group.group_name())?;
    let setting = |definition: &'static Definition| match changed.swap_remove(definition.name) {
        Some(value) => ParameterSetting { definition, value: Some(value), is_changed: true },
        None => {
            let cluster_mode = definition.name == CLUSTER_ENABLED && group.is_cluster_default();
            let value = if cluster_mode { Some("yes") } else { definition.default };
            ParameterSetting { definition, value: value.map(Text::new), is_changed: false }
        }
    };
    Ok(tables::of_family(group.family()?).map(setting).collect())
}

/// True if the group turns cluster mode on.
pub(crate) fn is_cluster_mode(cx: &Tx<'_>, group: &CacheParameterGroup) -> Result<bool> {
    let all = parameters(cx, group)?;
    let mode = all.iter().find(|setting| setting.definition.name == CLUSTER_ENABLED);
    Ok(mode.is_some_and(|setting| setting.value.as_deref() == Some("yes")))
}

/// True if a change of one of these parameters takes effect after a reboot only.
pub fn needs_reboot<'a>(family: Family, changed: impl IntoIterator<Item = &'a str>) -> bool {
    let needs = |name: &str| {
        let definition = tables::find(family, name);
        definition.is_some_and(|definition| matches!(definition.change, Change::Reboot | Change::Unused))
    };
    changed.into_iter().any(needs)
}
