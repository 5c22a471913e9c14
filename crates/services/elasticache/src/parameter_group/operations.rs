//! Operations on cache parameter groups.

use super::{
    CacheParameterGroup, CacheParameterGroupManager, ParameterValuesRow, changed_values, default_groups,
    find, is_used, mark_clusters,
    tables::{self, Change, Definition},
    values,
};
use crate::{
    Empty, SourceType,
    engine::Family,
    errors, event,
    identifier::{self, Page},
    tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, Stored, Tx, tags::to_list};
use nephos_core::{Error, Map, Record, Result, Text, nearest, operation, with_tags};

/// Quota of parameter groups.
const PARAMETER_GROUPS: Quota =
    Quota { counter: "elasticache/parameter-groups", max: 150, what: "cache parameter groups" };

/// Maximum number of parameters that one request changes.
const MAX_CHANGES: usize = 20;

/// Parameter with the name of the group.
const NAME: &str = "CacheParameterGroupName";
/// Parameter with the names and values.
const VALUES: &str = "ParameterNameValues";

/// Creates a cache parameter group. Its parameters have the default values of the family.
#[operation(
    of = CacheParameterGroup, call = "create", model, overrides(tags),
    needs(cache_parameter_group_name, cache_parameter_group_family, description), takes(tags),
    wraps(cache_parameter_group), effect = write, also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateCacheParameterGroup {}

impl Handler for CreateCacheParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = identifier::read(&self.cache_parameter_group_name, NAME, 255)?;
        let family = Family::read(&self.cache_parameter_group_family)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if find(cx, &name)?.is_some() {
            return Err(errors::parameter_group_exists(&name).with_field(NAME));
        }
        PARAMETER_GROUPS.add_one(cx, errors::too_many_parameter_groups)?;
        let mut group = CacheParameterGroup::named(cx.scope(), &name, family.name());
        group.description = Some(self.description);
        group.tags = to_list(tags);
        cx.put(group.clone())?;
        write_event(cx, &name, format!("CacheParameterGroup {name} created"))?;
        Ok(group.into())
    }
}

/// Describes cache parameter groups, in order of their names. The default groups are among them.
#[operation(
    of = CacheParameterGroup, call = "list",
    page(cache_parameter_groups(item = "CacheParameterGroup"), marker), include(Page), find(cache_parameter_group_name), with = with_tags, effect = read, access = list
)]
pub struct DescribeCacheParameterGroups {
    /// Name of one group.
    pub cache_parameter_group_name: Option<Text>,
}

impl Handler for DescribeCacheParameterGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let groups = match &self.cache_parameter_group_name {
            Some(name) => {
                let found = find(cx, name)?;
                vec![found.ok_or_else(|| CacheParameterGroup::not_found(name).with_field(NAME))?]
            }
            None => {
                let mut all: Vec<CacheParameterGroup> = cx.all(&CacheParameterGroup::table(cx.scope()))?;
                all.extend(default_groups(cx.scope()));
                all.sort_by(|one, other| one.group_name().cmp(other.group_name()));
                all.dedup_by(|one, other| one.group_name() == other.group_name());
                all
            }
        };
        Ok(cx.page_items(&self, groups, |group| group.group_name().into())?.into())
    }
}

/// Changes the tags of a cache parameter group.
#[operation(kind = CacheParameterGroup, call = "update", changes(), effect = write)]
pub struct CacheParameterGroupUpdate {}

/// Name and value of a parameter.
#[derive(Record)]
pub struct ParameterNameValue {
    /// Name of the parameter.
    parameter_name: Option<Text>,
    /// Value of the parameter. A reset does not need it.
    parameter_value: Option<Text>,
}

/// A group that is being changed.
struct Changing {
    name: Text,
    family: Family,
    is_used: bool,
    values: Map<Text>,
    /// Names of the parameters that are changed.
    changed: Vec<&'static str>,
}

impl Changing {
    /// Finds a group, or refuses. The names of default groups are not valid here.
    fn new(cx: &Tx<'_>, name: &str) -> Result<Self> {
        let name = identifier::read(name, NAME, 255)?;
        let Some(group) = find(cx, &name)? else {
            return Err(errors::parameter_group_not_found(&name).with_field(NAME));
        };
        Ok(Self {
            family: group.family()?,
            is_used: is_used(cx, &name)?,
            values: changed_values(cx, &name)?,
            changed: Vec::new(),
            name,
        })
    }

    /// Finds a parameter that can be changed, or refuses.
    fn definition(&self, name: &str) -> Result<&'static Definition> {
        let Some(definition) = tables::find(self.family, name) else {
            let known = tables::of_family(self.family).map(|definition| definition.name);
            return Err(errors::parameter_unknown(name)
                .with_field(VALUES)
                .with_hint(nearest::hint(name, known)));
        };
        match definition.change {
            Change::Now | Change::Reboot => Ok(definition),
            Change::Unused if !self.is_used => Ok(definition),
            _ => Err(errors::parameter_not_modifiable(name).with_field(VALUES)),
        }
    }

    fn set(&mut self, name: &str, value: Text) -> Result<()> {
        let definition = self.definition(name)?;
        if !values::is_allowed(definition, &value) {
            let error = errors::parameter_value_invalid(&value, name).with_field(VALUES);
            return Err(error.with_hint(format!("allowed are {}", definition.allowed)));
        }
        self.changed.push(definition.name);
        self.values.insert(definition.name.into(), value);
        Ok(())
    }

    fn reset(&mut self, name: &str) -> Result<()> {
        let definition = self.definition(name)?;
        if self.values.shift_remove(definition.name).is_some() {
            self.changed.push(definition.name);
        }
        Ok(())
    }

    /// Stores the values, marks the clusters that must be rebooted, and returns the name of the group.
    fn store(self, cx: &mut Tx<'_>) -> Result<Text> {
        for name in &self.changed {
            let default = tables::find(self.family, name).and_then(|definition| definition.default);
            let value = self.values.get(*name).map(Text::as_str).or(default).unwrap_or_default();
            write_event(cx, &self.name, format!("Updated parameter {name} to {value}"))?;
        }
        let row = ParameterValuesRow {
            cache_parameter_group_name: Some(self.name.clone()),
            values: Some(self.values),
        };
        if row.values.as_ref().is_some_and(Map::is_empty) {
            cx.remove(&row)?
        } else {
            cx.put(row)?
        }
        mark_clusters(cx, &self.name, self.family, self.changed)?;
        Ok(self.name)
    }
}

/// Writes an event of a group.
fn write_event(cx: &mut Tx<'_>, name: &str, message: String) -> Result<()> {
    event::write(cx, (SourceType::CacheParameterGroup, name), message)
}

fn missing(parameter: &'static str) -> Error {
    errors::parameter_missing(parameter).with_field(VALUES)
}

/// Refuses no parameters, and more than one request can change.
fn check_count(given: &[ParameterNameValue]) -> Result<()> {
    match given.len() {
        0 => Err(missing(VALUES)),
        count if count > MAX_CHANGES => Err(errors::too_many_parameters().with_field(VALUES)),
        _ => Ok(()),
    }
}

/// Changes the values of at most 20 parameters of a cache parameter group.
#[operation(
    of = CacheParameterGroup, call = "modify", on_model(parameter_name_values),
    needs(cache_parameter_group_name), wraps(cache_parameter_group_name: Text), effect = write
)]
pub struct ModifyCacheParameterGroup {
    /// Names and new values of the parameters.
    #[field(item = "ParameterNameValue")]
    pub parameter_name_values: Vec<ParameterNameValue>,
}

impl Handler for ModifyCacheParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = Changing::new(cx, &self.cache_parameter_group_name)?;
        check_count(&self.parameter_name_values)?;
        for ParameterNameValue { parameter_name, parameter_value } in self.parameter_name_values {
            let name = parameter_name.ok_or_else(|| missing("ParameterName"))?;
            let value = parameter_value.ok_or_else(|| missing("ParameterValue"))?;
            group.set(&name, value)?;
        }
        Ok(group.store(cx)?.into())
    }
}

/// Sets parameters of a cache parameter group to their default values: all of them, or at most 20.
#[operation(
    of = CacheParameterGroup, call = "reset", on_model, needs(cache_parameter_group_name),
    wraps(cache_parameter_group_name: Text), effect = write
)]
pub struct ResetCacheParameterGroup {
    /// True to reset all parameters.
    pub reset_all_parameters: Option<bool>,
    /// Names of the parameters. Values are not needed.
    #[field(item = "ParameterNameValue")]
    pub parameter_name_values: Option<Vec<ParameterNameValue>>,
}

impl Handler for ResetCacheParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut group = Changing::new(cx, &self.cache_parameter_group_name)?;
        let given = self.parameter_name_values.unwrap_or_default();
        let names = if self.reset_all_parameters == Some(true) {
            if !given.is_empty() {
                return Err(errors::reset_all_and_some().with_field(VALUES));
            }
            group.values.keys().cloned().collect()
        } else {
            check_count(&given)?;
            let name =
                |given: ParameterNameValue| given.parameter_name.ok_or_else(|| missing("ParameterName"));
            given.into_iter().map(name).collect::<Result<Vec<_>>>()?
        };
        names.iter().try_for_each(|name| group.reset(name))?;
        Ok(group.store(cx)?.into())
    }
}

/// Deletes a cache parameter group that no cluster uses. The default groups cannot be deleted.
#[operation(
    of = CacheParameterGroup, call = "delete", on_model, needs(cache_parameter_group_name), effect = write
)]
pub struct DeleteCacheParameterGroup {}

impl Handler for DeleteCacheParameterGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = identifier::read(&self.cache_parameter_group_name, NAME, 255)?;
        let Some(group) = CacheParameterGroup::find_by(cx, &[&name])? else {
            return Err(errors::deleted_parameter_group_not_found(&name).with_field(NAME));
        };
        if is_used(cx, &name)? {
            return Err(errors::parameter_group_in_use(&name).with_field(NAME));
        }
        PARAMETER_GROUPS.remove_one(cx)?;
        write_event(cx, &name, format!("CacheParameterGroup {name} deleted"))?;
        cx.remove(&ParameterValuesRow { cache_parameter_group_name: Some(name), values: None })?;
        cx.remove(&group)?;
        Ok(Empty {})
    }
}
