//! Entities with a path, a name and a unique ID: users, groups, roles and policies.
//!
//! Names are unique ignoring case: the key of a row is the name in lower case, and the row has the name as it was given. A
//! renamed entity keeps its unique ID, by which memberships and attachments refer to it.

pub(crate) mod arns;
pub(crate) mod ids;

use crate::errors;
use nephos_cloud::{Addressed, Scope, Stored, Tx};
use nephos_core::{
    Error, Operation, Record, Resource, Result, Text, Timestamp, WorkflowContext, shape::Identity,
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
    const RESOURCE_TYPE: &'static str;
    /// Prefix of unique IDs.
    const ID_PREFIX: &'static str;

    /// Error for a name that is taken.
    fn name_taken(name: &str) -> Error;

    /// Path, name and unique ID.
    fn identity(&self) -> [&str; 3];
    /// Sets the path and the name.
    fn set_identity(&mut self, path: Text, name: Text);
    /// Sets the unique ID and the creation time.
    fn set_created(&mut self, id: Text, now: Timestamp);
    /// Sets the ARN.
    fn set_arn(&mut self, scope: &Scope);

    /// Refuses changes if only the provider can change the entity.
    fn check_modifiable(&self) -> Result<()> {
        Ok(())
    }

    /// Unique ID.
    fn id(&self) -> &str {
        self.identity()[2]
    }

    /// Key of the name.
    fn key_of_name(&self) -> Text {
        name_key(self.identity()[1])
    }
}

/// Implements [`Entity`] and [`Stored`] for a kind: its table, resource type, fields of name, ID and creation time, prefix
/// of IDs, and the error for a name that is taken; the check of changes, if only the provider can change some of them.
macro_rules! entity {
    (
        $kind:ident in $table:literal: $resource_type:literal, $name:ident, $id:ident $prefix:literal, $created:ident,
        taken $taken:path $(, modifiable if $modifiable:path)?
    ) => {
        impl nephos_cloud::Stored for $kind {
            const TABLE: &'static str = $table;

            fn identify(&self, key: nephos_cloud::Key) -> nephos_cloud::Key {
                key.text(&crate::entity::Entity::key_of_name(self))
            }

            fn strip_derived(&mut self) {
                self.arn = None;
            }

            fn restore(&mut self, scope: &nephos_cloud::Scope, _: nephos_cloud::Parts<'_>) {
                self.arn = nephos_cloud::own_arn(self, scope);
            }
        }

        impl crate::entity::Entity for $kind {
            const RESOURCE_TYPE: &'static str = $resource_type;
            const ID_PREFIX: &'static str = $prefix;

            fn name_taken(name: &str) -> nephos_core::Error {
                $taken(name)
            }

            $(fn check_modifiable(&self) -> nephos_core::Result<()> {
                $modifiable(self)
            })?

            fn identity(&self) -> [&str; 3] {
                [
                    self.path.as_deref().unwrap_or(crate::entity::ROOT_PATH),
                    self.$name.as_deref().unwrap_or_default(),
                    self.$id.as_deref().unwrap_or_default(),
                ]
            }

            fn set_identity(&mut self, path: nephos_core::Text, name: nephos_core::Text) {
                self.path = Some(path);
                self.$name = Some(name);
            }

            fn set_created(&mut self, id: nephos_core::Text, now: nephos_core::Timestamp) {
                self.$id = Some(id);
                self.$created = Some(now);
            }

            fn set_arn(&mut self, scope: &nephos_cloud::Scope) {
                self.arn = nephos_cloud::own_arn(self, scope);
            }
        }
    };
}
pub(crate) use entity;

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
        Some(taken) => Err(E::name_taken(name).with_hint(taken.identity()[1])),
        None => Ok(()),
    }
}

/// Completes a new entity with path, unique ID, creation time and ARN, and stores it.
pub(crate) fn create<E: Entity>(cx: &mut Tx<'_>, mut entity: E) -> Result<E> {
    let [path, name, _] = entity.identity().map(Text::new);
    entity.set_identity(path, name);
    entity.set_created(ids::new_unique_id(cx, E::ID_PREFIX), cx.now());
    entity.set_arn(cx.scope());
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
    let [path, name, _] = before.identity().map(Text::new);
    let (path, name) = (new_path.unwrap_or(path), new_name.unwrap_or(name));
    if name_key(&name) != before.key_of_name() {
        check_name_free::<E>(cx, &name)?;
    }
    let mut after = before.clone();
    after.set_identity(path, name);
    after.set_arn(cx.scope());
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
