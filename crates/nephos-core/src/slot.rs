//! What a model carries that is no field of it: its session, what was set and changed, fields it does not know, and
//! related models already looked up.

use crate::{FieldSet, Map, Session, Text, Value};
use std::{
    any::Any,
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

type Related = Arc<dyn Any + Send + Sync>;

/// What is known of the tags that the service has, beside the field that holds them.
#[derive(Clone, Debug, Default)]
struct TagsBase {
    /// True once they were fetched, even if there are none.
    fetched: bool,
    /// The tags before the caller changed any, where they were known.
    before: Option<Map<Text>>,
}

/// The part of a model that is no field: never serialised, and ignored when models are compared.
#[derive(Default)]
pub struct Slot {
    session: Option<Session>,
    given: FieldSet,
    changed: FieldSet,
    /// True once the fields are those that the service told.
    from_service: bool,
    tags: Option<Box<TagsBase>>,
    extra: Option<Box<Map<Value>>>,
    #[expect(clippy::box_collection, reason = "few models have any, and the rest need not be so large")]
    related: Mutex<Option<Box<HashMap<&'static str, Related>>>>,
}

impl Slot {
    /// The session that the model came from, or was given.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Gives the model a session. What was looked up through another one is forgotten.
    pub fn set_session(&mut self, session: Option<Session>) {
        self.session = session;
        self.forget();
    }

    fn forget(&mut self) {
        *self.related.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The fields that were set, by whoever made the model or changed it.
    pub fn given(&self) -> FieldSet {
        self.given
    }

    /// Records that fields were set.
    pub fn give(&mut self, fields: FieldSet) {
        self.given.extend(fields);
    }

    /// Records that every field that was set differs from what the service knows.
    pub fn mark_given(&mut self) {
        self.changed = self.given;
    }

    /// Says which fields were set.
    pub fn set_given(&mut self, given: FieldSet) {
        self.given = given;
    }

    /// The fields that differ from what the service last said.
    pub fn changed(&self) -> FieldSet {
        self.changed
    }

    /// Records that a field was assigned another value. What was looked up may follow from it, and is forgotten.
    pub fn mark_changed(&mut self, index: usize) {
        self.forget();
        self.given.insert(index);
        self.changed.insert(index);
    }

    /// Records that the model is as the service has it.
    pub fn settle(&mut self) {
        self.changed = FieldSet::NONE;
        self.from_service = true;
        if let Some(tags) = &mut self.tags {
            tags.before = None;
        }
    }

    /// True if the model came from the service, or was saved: then [`changed`](Self::changed) is against what it said.
    pub fn is_from_service(&self) -> bool {
        self.from_service
    }

    /// True once the tags were fetched for themselves.
    pub(crate) fn has_fetched_tags(&self) -> bool {
        self.tags.as_ref().is_some_and(|tags| tags.fetched)
    }

    /// Records that the field that holds the tags is what the service has.
    pub(crate) fn note_fetched_tags(&mut self) {
        self.tags.get_or_insert_default().fetched = true;
    }

    /// The tags that the service had before the caller changed any, if they were known.
    pub(crate) fn tags_before(&self) -> Option<&Map<Text>> {
        self.tags.as_ref()?.before.as_ref()
    }

    /// Records them.
    pub(crate) fn set_tags_before(&mut self, before: Map<Text>) {
        self.tags.get_or_insert_default().before = Some(before);
    }

    /// Fields the model was given and does not know.
    pub fn extra(&self) -> &Map<Value> {
        static NONE: std::sync::LazyLock<Map<Value>> = std::sync::LazyLock::new(Map::default);
        self.extra.as_deref().unwrap_or(&NONE)
    }

    /// The same, to be changed.
    pub fn extra_mut(&mut self) -> &mut Map<Value> {
        self.extra.get_or_insert_default()
    }

    /// What was looked up under `name`.
    pub fn related<T: Any + Send + Sync>(&self, name: &str) -> Option<Arc<T>> {
        let related = self.related.lock().unwrap_or_else(PoisonError::into_inner);
        related.as_ref()?.get(name)?.clone().downcast().ok()
    }

    /// Remembers what was looked up under `name`.
    pub fn remember<T: Any + Send + Sync>(&self, name: &'static str, found: Arc<T>) {
        let mut related = self.related.lock().unwrap_or_else(PoisonError::into_inner);
        related.get_or_insert_default().insert(name, found);
    }
}

impl Clone for Slot {
    /// A clone keeps everything but what was looked up: its fields may lead elsewhere soon.
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
