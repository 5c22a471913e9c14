//! Changes of groups of parameters.

use super::{
    ApplyMethod, Parameter,
    group::{self, ParameterGroup, ParameterValueRow},
    values,
};
use crate::{
    Empty, SourceType, errors,
    event::{self, Source, known},
    identifier, instance, tagging, uses,
};
use nephos_cloud::{StoredResource, Tx, tags::to_list};
use nephos_core::{Choice as _, Error, Result, Tag, Text};

/// Maximum number of parameters that one request changes.
const MAX_CHANGES: usize = 20;
/// Maximum length of the name of a group.
const MAX_NAME: usize = 255;
/// Request parameter with the changes.
const PARAMETERS: &str = "Parameters";

/// Stores a new group, unless its name is taken; `field` is the parameter with the name.
fn store_new<G: ParameterGroup>(cx: &mut Tx<'_>, group: G, field: &str) -> Result<G> {
    if group::find::<G>(cx, group.own_name())?.is_some() {
        return Err(errors::parameter_group_exists(group.own_name()).with_field(field));
    }
    G::QUOTA.add_one(cx, errors::too_many_parameter_groups)?;
    cx.put(group.clone())?;
    Ok(group)
}

/// Creates a group.
pub(super) fn create<G: ParameterGroup>(
    cx: &mut Tx<'_>,
    name: &str,
    family: &str,
    description: Text,
    tags: Option<&[Tag]>,
) -> Result<G> {
    let name = identifier::read(name, G::NAME, MAX_NAME)?;
    identifier::check_text(&description, "Description")?;
    group::check_family(family, G::LEVEL)?;
    let tags = to_list(tagging::RULES.read_list(tags.unwrap_or_default())?);
    let group = G::of(cx.scope(), &name, family, description, tags);
    store_new(cx, group, G::NAME)
}

/// Copies a group with its changed values.
pub(super) fn copy<G: ParameterGroup>(
    cx: &mut Tx<'_>,
    source: &str,
    target: &str,
    description: Text,
    tags: Option<&[Tag]>,
) -> Result<G> {
    let source = identifier::name_of::<G>(cx, source);
    let original: G = group::require_named(cx, &source, G::SOURCE)?;
    if group::family_of_default::<G>(original.own_name()).is_some() {
        return Err(errors::default_parameter_group_copied().with_field(G::SOURCE));
    }
    let name = identifier::read(target, G::TARGET, MAX_NAME)?;
    identifier::check_text(&description, G::TARGET_DESCRIPTION)?;
    let tags = to_list(tagging::RULES.read_list(tags.unwrap_or_default())?);
    let group = store_new(cx, G::of(cx.scope(), &name, original.family(), description, tags), G::TARGET)?;
    for row in group::changed_values(cx, &original)? {
        cx.put(ParameterValueRow { group_arn: Some(group.own_arn().into()), ..row })?;
    }
    Ok(group)
}

/// Finds a group to change, or refuses. Default groups cannot be changed.
fn require_own<G: ParameterGroup>(cx: &Tx<'_>, name: &str) -> Result<G> {
    let group: G = group::require_named(cx, name, G::NAME)?;
    if group::family_of_default::<G>(group.own_name()).is_some() {
        return Err(errors::default_parameter_group_changed().with_field(G::NAME));
    }
    Ok(group)
}

fn missing(member: &'static str) -> Error {
    errors::parameter_blank(member).with_field(PARAMETERS)
}

/// Reads a change of a parameter; a reset has no value.
fn read_change<G: ParameterGroup>(
    group: &G,
    given: Parameter,
    with_value: bool,
) -> Result<ParameterValueRow> {
    let name = given.parameter_name.ok_or_else(|| missing("ParameterName"))?;
    let definition = group::changeable(group, &name)?;
    let apply_method = given.apply_method.ok_or_else(|| missing("ApplyMethod"))?;
    if with_value {
        let value = given.parameter_value.as_deref().ok_or_else(|| missing("ParameterValue"))?;
        if !values::is_allowed(definition, value) {
            return Err(errors::parameter_value(value, &name, definition.allowed).with_field(PARAMETERS));
        }
    }
    if definition.is_static() && apply_method == ApplyMethod::Immediate {
        return Err(errors::static_parameter_immediate().with_field(PARAMETERS));
    }
    Ok(ParameterValueRow {
        group_arn: Some(group.own_arn().into()),
        parameter_name: Some(name),
        value: given.parameter_value,
        apply_method: Some(apply_method),
    })
}

/// Reads the changes of a request: at least one, and not more than the service takes at once.
fn read_changes<G: ParameterGroup>(
    group: &G,
    given: Vec<Parameter>,
    with_values: bool,
) -> Result<Vec<ParameterValueRow>> {
    match given.len() {
        0 => Err(missing(PARAMETERS)),
        count if count > MAX_CHANGES => Err(errors::too_many_parameters().with_field(PARAMETERS)),
        _ => given.into_iter().map(|one| read_change(group, one, with_values)).collect(),
    }
}

/// Marks the databases that use the group, if a change takes effect after a reboot.
fn mark_users<G: ParameterGroup>(cx: &mut Tx<'_>, group: &G, needs_reboot: bool) -> Result<()> {
    if needs_reboot {
        for arn in uses::users(cx, group.own_arn())? {
            instance::mark_for_reboot(cx, &arn)?;
        }
    }
    Ok(())
}

fn needs_reboot(change: &ParameterValueRow) -> bool {
    change.apply_method == Some(ApplyMethod::PendingReboot)
}

/// Changes values of parameters, and returns the name of the group.
pub(super) fn modify<G: ParameterGroup>(cx: &mut Tx<'_>, name: &str, given: Vec<Parameter>) -> Result<Text> {
    let group: G = require_own(cx, name)?;
    let changes = read_changes(&group, given, true)?;
    mark_users(cx, &group, changes.iter().any(needs_reboot))?;
    for change in changes {
        record_change(cx, &group, &change)?;
        cx.put(change)?;
    }
    Ok(group.own_name().into())
}

/// Records the event of a changed parameter.
fn record_change<G: ParameterGroup>(cx: &mut Tx<'_>, group: &G, change: &ParameterValueRow) -> Result<()> {
    let source = Source {
        kind: SourceType::DbParameterGroup,
        id: group.own_name(),
        arn: group.own_arn(),
        logged: None,
    };
    let name = change.parameter_name.as_deref().unwrap_or_default();
    let value = change.value.as_deref().unwrap_or_default();
    let method = change.apply_method.as_ref().map(ApplyMethod::as_str).unwrap_or_default();
    event::record(cx, &source, &known::PARAMETER_CHANGED, &[name, value, method])
}

/// Sets parameters to their default values: those that are given, or all. Returns the name of the group.
pub(super) fn reset<G: ParameterGroup>(
    cx: &mut Tx<'_>,
    name: &str,
    all: Option<bool>,
    given: Option<Vec<Parameter>>,
) -> Result<Text> {
    let group: G = require_own(cx, name)?;
    let given = given.unwrap_or_default();
    let changed = group::changed_values(cx, &group)?;
    let changes = if all.unwrap_or(given.is_empty()) {
        if !given.is_empty() {
            return Err(errors::reset_all_and_some().with_field(PARAMETERS));
        }
        // Static parameters change after a reboot, the others at once.
        let method = |mut row: ParameterValueRow| -> Result<ParameterValueRow> {
            let definition = group::changeable(&group, row.parameter_name.as_deref().unwrap_or_default())?;
            let is_static = definition.is_static();
            row.apply_method =
                Some(if is_static { ApplyMethod::PendingReboot } else { ApplyMethod::Immediate });
            Ok(row)
        };
        changed.into_iter().map(method).collect::<Result<Vec<_>>>()?
    } else {
        let mut changes = read_changes(&group, given, false)?;
        changes.retain(|change| changed.iter().any(|row| row.parameter_name == change.parameter_name));
        changes
    };
    mark_users(cx, &group, changes.iter().any(needs_reboot))?;
    changes.iter().try_for_each(|change| cx.remove(change))?;
    Ok(group.own_name().into())
}

/// Deletes a group that no database uses. Default groups cannot be deleted.
pub(super) fn delete<G: ParameterGroup>(cx: &mut Tx<'_>, name: &str) -> Result<Empty> {
    let group: G = group::require_named(cx, name, G::NAME)?;
    let name = group.own_name();
    if group::family_of_default::<G>(name).is_some() {
        return Err(G::is_default_error(name).with_field(G::NAME));
    }
    if !uses::users(cx, group.own_arn())?.is_empty() {
        return Err(G::in_use_error(name).with_field(G::NAME));
    }
    G::QUOTA.remove_one(cx)?;
    group::changed_values(cx, &group)?.iter().try_for_each(|row| cx.remove(row))?;
    cx.remove(&group)?;
    Ok(Empty {})
}
