//! What groups of parameters of instances and of clusters have in common.

use super::tables::{self, Definition, Level};
use crate::{engine, errors};
use nephos_cloud::{Addressed, Quota, Scope, Stored, StoredResource, Tx};
use nephos_core::{Error, Record, Result, Tag, Text, nearest};

/// Start of the names of default groups.
const DEFAULT_PREFIX: &str = "default.";

/// A kind of groups of parameters.
pub(crate) trait ParameterGroup: Addressed + Clone {
    /// What the parameters are for.
    const LEVEL: Level;
    /// Quota of groups.
    const QUOTA: Quota;
    /// Request parameter with the name of a group.
    const NAME: &'static str;
    /// Request parameter with the group to copy.
    const SOURCE: &'static str;
    /// Request parameter with the name of the copy.
    const TARGET: &'static str;
    /// Request parameter with the description of the copy.
    const TARGET_DESCRIPTION: &'static str;

    /// Makes a group, with its ARN.
    fn of(scope: &Scope, name: &str, family: &str, description: Text, tags: Option<Vec<Tag>>) -> Self;

    /// Family of the group.
    fn family(&self) -> &str;

    /// Error of a database that names a group that does not exist.
    fn not_found_for_database(name: &str) -> Error;

    /// Error of the deletion of a default group.
    fn is_default_error(name: &str) -> Error;

    /// Error of the deletion of a group that a database uses.
    fn in_use_error(name: &str) -> Error;
}

/// Row of a value that was changed in a group.
#[derive(Record)]
#[record(row)]
pub(crate) struct ParameterValueRow {
    /// ARN of the group.
    pub(super) group_arn: Option<Text>,
    /// Name of the parameter.
    pub(super) parameter_name: Option<Text>,
    /// Value.
    pub(super) value: Option<Text>,
    /// When the change takes effect.
    pub(super) apply_method: Option<super::ApplyMethod>,
}

nephos_cloud::stored!(ParameterValueRow in "rds/parameter-value" by group_arn, parameter_name);

/// Returns the families of a level, in order of their names.
fn families(level: Level) -> impl Iterator<Item = &'static str> + Clone {
    let majors = engine::all().iter().flat_map(|engine| engine.majors);
    majors.map(|major| major.family).filter(move |family| tables::has_family(family, level))
}

/// Refuses a family that has no groups of this level.
pub(super) fn check_family(family: &str, level: Level) -> Result<()> {
    if families(level).any(|one| one == family) {
        return Ok(());
    }
    if family.is_empty() {
        return Err(errors::parameter_blank("DBParameterGroupFamily").with_field("DBParameterGroupFamily"));
    }
    let hint = nearest::hint(family, families(level));
    Err(errors::family_invalid(family).with_field("DBParameterGroupFamily").with_hint(hint))
}

/// Returns the family of the default group with this name; none for the name of another group.
pub(super) fn family_of_default<G: ParameterGroup>(name: &str) -> Option<&'static str> {
    let family = name.strip_prefix(DEFAULT_PREFIX)?;
    families(G::LEVEL).find(|one| *one == family)
}

/// Makes the default group of a family. It has no row, unless it has tags.
fn default_group<G: ParameterGroup>(scope: &Scope, family: &str) -> G {
    let name = format!("{DEFAULT_PREFIX}{family}");
    let description = format!("Default parameter group for {family}");
    G::of(scope, &name, family, description.into(), None)
}

/// Returns all groups, in order of their names. The default groups are among them.
fn all<G: ParameterGroup>(cx: &Tx<'_>) -> Result<Vec<G>> {
    let mut all: Vec<G> = cx.all(&G::table(cx.scope()))?;
    all.extend(families(G::LEVEL).map(|family| default_group(cx.scope(), family)));
    all.sort_by(|one, other| one.own_name().cmp(other.own_name()));
    all.dedup_by(|one, other| one.own_name() == other.own_name());
    Ok(all)
}

/// Returns the group with this name, or all.
pub(super) fn named_or_all<G: ParameterGroup>(cx: &Tx<'_>, name: Option<&str>) -> Result<Vec<G>> {
    match name {
        Some(name) => Ok(vec![require_named(cx, name, G::NAME)?]),
        None => all(cx),
    }
}

/// Finds a group by its name, in any case.
pub(super) fn find<G: ParameterGroup>(cx: &Tx<'_>, name: &str) -> Result<Option<G>> {
    let name = name.to_ascii_lowercase();
    let found = G::find_by(cx, &[&name])?;
    Ok(found.or_else(|| family_of_default::<G>(&name).map(|family| default_group(cx.scope(), family))))
}

/// Finds a group that a request names, or refuses; `field` is the parameter with the name.
pub(super) fn require_named<G: ParameterGroup>(cx: &Tx<'_>, name: &str, field: &str) -> Result<G> {
    find(cx, name)?.ok_or_else(|| G::not_found(name).with_field(field))
}

/// Finds a group for a database of a family, or refuses; `field` is the parameter with the name.
pub(super) fn require<G: ParameterGroup>(cx: &Tx<'_>, name: &str, family: &str, field: &str) -> Result<G> {
    let Some(group) = find::<G>(cx, name)? else {
        return Err(G::not_found_for_database(name).with_field(field));
    };
    if group.family() == family {
        return Ok(group);
    }
    Err(errors::parameter_group_family(name, group.family(), family).with_field(field))
}

/// Returns the values that were changed in a group.
pub(super) fn changed_values<G: ParameterGroup>(cx: &Tx<'_>, group: &G) -> Result<Vec<ParameterValueRow>> {
    cx.all(&ParameterValueRow::table(cx.scope()).text(group.own_arn()))
}

/// Finds a parameter of a group that can be changed, or refuses.
pub(super) fn changeable<G: ParameterGroup>(group: &G, name: &str) -> Result<&'static Definition> {
    let all = tables::of_family(group.family(), G::LEVEL);
    let Some(found) = all.iter().copied().find(|definition| definition.name == name) else {
        let hint = nearest::hint(name, all.iter().map(|definition| definition.name));
        return Err(errors::parameter_unknown(name).with_field("Parameters").with_hint(hint));
    };
    if found.is_modifiable() {
        return Ok(found);
    }
    Err(errors::parameter_not_modifiable(name).with_field("Parameters"))
}
