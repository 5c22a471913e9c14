//! State of a model beside its fields: its session, which fields were set and changed, unknown fields, and
//! remembered relations.

use crate::{FieldSet, Map, Session, Text, Value};
use std::{
    any::Any,
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

type Related = Arc<dyn Any + Send + Sync>;

/// Knowledge of the tags that the service has, beside the field with the tags.
#[derive(Clone, Debug, Default)]
struct TagsBase {
    /// True once the tags were fetched, even if there are none.
    fetched: bool,
    /// Tags before the caller changed any, if they were known.
    before: Option<Map<Text>>,
}

/// State of a model beside its fields. It is never serialized, and ignored when models are compared.
#[derive(Default)]
pub struct Slot {
    session: Option<Session>,
    given: FieldSet,
    changed: FieldSet,
    /// True if the fields are those that the service returned.
    from_service: bool,
    tags: Option<Box<TagsBase>>,
    extra: Option<Box<Map<Value>>>,
    #[expect(clippy::box_collection, reason = "few models have any; a box keeps the others small")]
    related: Mutex<Option<Box<HashMap<&'static str, Related>>>>,
}

impl Slot {
    /// Session that the model came from or was given.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Sets the session. Remembered relations are forgotten.
    pub fn set_session(&mut self, session: Option<Session>) {
        self.session = session;
        self.forget();
    }

    fn forget(&mut self) {
        *self.related.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Fields that were set, at construction or later.
    pub fn fields_set(&self) -> FieldSet {
        self.given
    }

    /// Records that fields were set.
    pub fn give(&mut self, fields: FieldSet) {
        self.given.extend(fields);
    }

    /// Marks every field that was set as changed.
    pub fn mark_given(&mut self) {
        self.changed = self.given;
    }

    /// Replaces the set of fields that were set.
    pub fn set_given(&mut self, given: FieldSet) {
        self.given = given;
    }

    /// Fields that differ from the last answer of the service.
    pub fn changed(&self) -> FieldSet {
        self.changed
    }

    /// Marks a field as changed. Remembered relations may depend on it, and are forgotten.
    pub fn mark_changed(&mut self, index: usize) {
        self.forget();
        self.given.insert(index);
        self.changed.insert(index);
    }

    /// Marks the model as equal to the service's: no field is changed.
    pub fn settle(&mut self) {
        self.changed = FieldSet::NONE;
        self.from_service = true;
        if let Some(tags) = &mut self.tags {
            tags.before = None;
        }
    }

    /// True if the model came from the service or was saved: [`changed`](Self::changed) is relative to the
    /// service then.
    pub fn is_from_service(&self) -> bool {
        self.from_service
    }

    /// True once the tags were fetched separately.
    pub(crate) fn has_fetched_tags(&self) -> bool {
        self.tags.as_ref().is_some_and(|tags| tags.fetched)
    }

    /// Records that the field with the tags is what the service has.
    pub(crate) fn note_fetched_tags(&mut self) {
        self.tags.get_or_insert_default().fetched = true;
    }

    /// Tags that the service had before the caller changed any, if they were known.
    pub(crate) fn tags_before(&self) -> Option<&Map<Text>> {
        self.tags.as_ref()?.before.as_ref()
    }

    /// Sets the tags that the service had before.
    pub(crate) fn set_tags_before(&mut self, before: Map<Text>) {
        self.tags.get_or_insert_default().before = Some(before);
    }

    /// Unknown fields that the model was given.
    pub fn extra(&self) -> &Map<Value> {
        static NONE: std::sync::LazyLock<Map<Value>> = std::sync::LazyLock::new(Map::default);
        self.extra.as_deref().unwrap_or(&NONE)
    }

    /// Mutable unknown fields.
    pub fn extra_mut(&mut self) -> &mut Map<Value> {
        self.extra.get_or_insert_default()
    }

    /// Remembered relation `name`.
    pub fn related<T: Any + Send + Sync>(&self, name: &str) -> Option<Arc<T>> {
        let related = self.related.lock().unwrap_or_else(PoisonError::into_inner);
        related.as_ref()?.get(name)?.clone().downcast().ok()
    }

    /// Remembers the relation `name`.
    pub fn remember<T: Any + Send + Sync>(&self, name: &'static str, found: Arc<T>) {
        let mut related = self.related.lock().unwrap_or_else(PoisonError::into_inner);
        related.get_or_insert_default().insert(name, found);
    }
}

impl Clone for Slot {
    /// Copies everything except remembered relations, because the fields of a clone often change soon.
    fn clone(&self) -> Self {
        Self {
            session: self.session.clone(),
            given: self.given,
            changed: self.changed,
            from_service: self.from_service,
            tags: self.tags.clone(),
            extra: self.extra.clone(),
            related: Mutex::new(None),
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("given", &self.given)
            .field("changed", &self.changed)
            .finish_non_exhaustive()
    }
}
