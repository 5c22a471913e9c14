//! Entities with a path, a name and a unique ID: users, groups, roles and policies.
//!
//! Names are unique ignoring case: the key of a row is the name in lower case, and the row has the name as it was given. A
//! renamed entity keeps its unique ID, by which memberships and attachments refer to it.

pub(crate) mod arns;
pub mod ids;

use crate::errors;
use nephos_cloud::{Addressed, Stored, StoredResource as _, Tx, own_arn};
use nephos_core::{
    Error, Operation, Record, Resource, Result, Text, WorkflowContext, field_value::FieldValue,
    record::Fields, shape::Identity,
};

/// Path of entities without one.
pub(crate) const ROOT_PATH: &str = "/";

/// Returns the key of a name: names ignore case.
pub(crate) fn name_key(name: &str) -> Text {
    name.to_ascii_lowercase().into()
}

/// An entity with a path, a name and a unique ID.
pub(crate) trait Entity: Stored + Resource {
    /// Resource type in ARNs.
    const RESOURCE_TYPE: &'static str = Self::KIND.path.resource_type();
    /// Field with the unique ID.
    const ID: &'static str;
    /// Prefix of unique IDs.
    const ID_PREFIX: &'static str;
    /// Field with the time of creation.
    const CREATED: &'static str = "CreateDate";
    /// Error for a name that is taken.
    const NAME_TAKEN: fn(&str) -> Error;

    /// Refuses changes if only the provider can change the entity.
    fn check_modifiable(&self) -> Result<()> {
        Ok(())
    }

    /// ARN of the permissions boundary.
    fn boundary(&self) -> Option<&Text> {
        None
    }

    /// Path, name and unique ID.
    fn identity(&self) -> [&str; 3] {
        [text_of(self, "Path").unwrap_or(ROOT_PATH), self.own_name(), self.id()]
    }

    /// Unique ID.
    fn id(&self) -> &str {
        text_of(self, Self::ID).unwrap_or_default()
    }

    /// Key of the name.
    fn key_of_name(&self) -> Text {
        name_key(self.own_name())
    }
}

/// Returns the text in a field.
fn text_of<'e>(entity: &'e dyn Fields, field: &str) -> Option<&'e str> {
    let (index, _) = entity.shape().field(field)?;
    entity.field(index).view().as_text()
}

/// Sets a field.
fn put_field(entity: &mut dyn Fields, field: &str, value: &mut dyn FieldValue) {
    if let Some((index, _)) = entity.shape().field(field) {
        entity.field_mut(index).take_from(value);
    }
}

/// Row that finds entities by path. Entities with the path `/` have none.
#[derive(Record)]
#[record(row)]
pub(crate) struct PathRow {
    /// Resource type of the entity.
    resource_type: Option<Text>,
    /// Path of the entity.
    path: Option<Text>,
    /// Key of the name of the entity.
    name_key: Option<Text>,
}

nephos_cloud::stored!(PathRow in "iam/path" by resource_type, path, name_key);

impl PathRow {
    fn new<E: Entity>(entity: &E) -> Option<Self> {
        let [path, ..] = entity.identity();
        (path != ROOT_PATH).then(|| Self {
            resource_type: Some(E::RESOURCE_TYPE.into()),
            path: Some(path.into()),
            name_key: Some(entity.key_of_name()),
        })
    }
}

/// Row that finds an entity by its unique ID.
#[derive(Record)]
#[record(row)]
pub(crate) struct IdRow {
    /// Unique ID of the entity.
    id: Option<Text>,
    /// Key of the name of the entity.
    name_key: Option<Text>,
}

nephos_cloud::stored!(IdRow in "iam/id" by id);

/// Finds the entity with this name.
pub(crate) fn find<E: Entity>(cx: &Tx<'_>, name: &str) -> Result<Option<E>> {
    cx.get(&E::table(cx.scope()).text(&name_key(name)))
}

/// Finds the entity with this name, or refuses.
pub(crate) fn require<E: Entity>(cx: &Tx<'_>, name: &str) -> Result<E> {
    find(cx, name)?.ok_or_else(|| E::not_found(name))
}

/// Finds the entity with this ARN.
pub(crate) fn find_by_arn<E: Entity>(cx: &Tx<'_>, arn: &str) -> Result<Option<E>> {
    let name = E::read_arn(arn).and_then(|parts| parts.last().copied());
    let found: Option<E> = name.map_or(Ok(None), |name| find(cx, name))?;
    // Names ignore case, but ARNs do not.
    Ok(found.filter(|entity| entity.arn().is_ok_and(|own| own == Some(arn))))
}

/// Finds the entity with this unique ID.
pub(crate) fn find_by_id<E: Entity>(cx: &Tx<'_>, id: &str) -> Result<Option<E>> {
    let row: Option<IdRow> = cx.get(&IdRow::table(cx.scope()).text(id))?;
    let found: Option<E> = row.and_then(|row| row.name_key).map_or(Ok(None), |name| find(cx, &name))?;
    // A user and a role can have the same name.
    Ok(found.filter(|entity| entity.id() == id))
}

/// Refuses a name that is taken.
pub(crate) fn check_name_free<E: Entity>(cx: &Tx<'_>, name: &str) -> Result<()> {
    match find::<E>(cx, name)? {
        Some(taken) => Err((E::NAME_TAKEN)(name).with_hint(taken.own_name())),
        None => Ok(()),
    }
}

/// Completes a new entity with path, unique ID, creation time and ARN, and stores it.
pub(crate) fn create<E: Entity>(cx: &mut Tx<'_>, mut entity: E) -> Result<E> {
    let mut path = Text::new(entity.identity()[0]);
    put_field(&mut entity, "Path", &mut path);
    put_field(&mut entity, E::ID, &mut ids::new_unique_id(cx, E::ID_PREFIX));
    put_field(&mut entity, E::CREATED, &mut cx.now());
    let mut arn = own_arn(&entity, cx.scope());
    put_field(&mut entity, E::arn_field(), &mut arn);
    put_new(cx, entity.clone())?;
    Ok(entity)
}

fn put_new<E: Entity>(cx: &mut Tx<'_>, entity: E) -> Result<()> {
    PathRow::new(&entity).into_iter().try_for_each(|row| cx.put(row))?;
    cx.put(IdRow { id: Some(entity.id().into()), name_key: Some(entity.key_of_name()) })?;
    cx.put(entity)
}

/// Removes an entity.
pub(crate) fn remove<E: Entity>(cx: &mut Tx<'_>, entity: &E) -> Result<()> {
    PathRow::new(entity).iter().try_for_each(|row| cx.remove(row))?;
    cx.remove(&IdRow { id: Some(entity.id().into()), name_key: None })?;
    cx.remove(entity)
}

/// Changes the path and the name of an entity, where given; returns it as it was and as it is. A name can change its case.
pub(crate) fn rename<E: Entity>(
    cx: &mut Tx<'_>,
    name: &str,
    new_path: Option<Text>,
    new_name: Option<Text>,
) -> Result<(E, E)> {
    let before: E = require(cx, name)?;
    let mut after = before.clone();
    if let Some(mut path) = new_path {
        put_field(&mut after, "Path", &mut path);
    }
    if let Some(mut name) = new_name {
        if name_key(&name) != before.key_of_name() {
            check_name_free::<E>(cx, &name)?;
        }
        put_field(&mut after, name_field::<E>(), &mut name);
    }
    let mut arn = own_arn(&after, cx.scope());
    put_field(&mut after, E::arn_field(), &mut arn);
    if after != before {
        remove(cx, &before)?;
        put_new(cx, after.clone())?;
    }
    Ok((before, after))
}

/// Returns one page of entities in order of their names; with a path prefix, in order of their paths and names.
pub(crate) fn page<E: Entity, T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    path_prefix: Option<&Text>,
    mut convert: impl FnMut(E) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    match path_prefix.filter(|prefix| *prefix != ROOT_PATH) {
        None => cx.page_rows(query, &E::table(cx.scope()), convert),
        Some(prefix) => {
            let rows = PathRow::table(cx.scope()).text(E::RESOURCE_TYPE).text_prefix(prefix);
            cx.page_rows(query, &rows, |row: PathRow| {
                let found = find(cx, row.name_key.as_deref().unwrap_or_default())?;
                found.map_or(Ok(None), &mut convert)
            })
        }
    }
}

/// Returns the name in the ARN of an entity, which is its name when the model was read.
pub(crate) fn name_in_arn(arn: &str) -> &str {
    arn.rsplit('/').next().unwrap_or(arn)
}

/// Returns the new value of a field: the given one, or that of the model if the caller changed it.
fn changed_to<E: Entity>(model: &E, field: &str, given: Option<&Text>) -> Option<Text> {
    let changed = E::SHAPE.field(field).filter(|_| model.changed().contains(&field));
    let value = changed.and_then(|(index, _)| model.field(index).view().as_text());
    given.map(Text::as_str).or(value).map(Text::new)
}

/// Name of the field with the name.
fn name_field<E: Entity>() -> &'static str {
    match E::KIND.name_identity {
        Identity::Path([name]) => name,
        _ => "Name",
    }
}

/// Sends the path and the name of an entity by `rename`: the given ones, or those of the model if the caller changed them.
/// Returns the name after that.
pub(crate) async fn send_renaming<E: Entity, O: Operation<Output: Record>>(
    context: &WorkflowContext,
    model: &E,
    path: &Option<Text>,
    name: &Option<Text>,
    rename: impl FnOnce(Text, Option<Text>, Option<Text>) -> O + Send,
) -> Result<Text> {
    model.check_changes()?;
    let Some(arn) = model.arn()? else {
        return Err(errors::not_created(E::KIND.words()).with_field(E::arn_field()));
    };
    let current = Text::new(name_in_arn(arn));
    let new_path = changed_to(model, "Path", path.as_ref());
    let new_name = changed_to(model, name_field::<E>(), name.as_ref());
    let name = new_name.clone().unwrap_or_else(|| current.clone());
    if new_path.is_some() || new_name.is_some() {
        context.call(rename(current, new_path, new_name)).await?;
    }
    Ok(name)
}

/// Path prefix of a listing.
#[derive(Record)]
#[record(shared)]
pub struct PathPrefix {
    /// Prefix of the paths; all by default.
    #[field(length(1..=512), pattern(r"/[\x21-\x7F]*", errors::path_prefix_invalid))]
    path_prefix: Option<Text>,
}
