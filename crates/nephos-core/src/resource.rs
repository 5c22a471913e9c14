//! Resources: models of a kind, with an identity, a session and a manager.

use crate::{
    Error, ErrorKind, FieldSet, Map, Record, Result, Session, Slot, Value, fixed_fields,
    identity::{Pk, is_saved, not_known, pk, text_identity},
    record::{Beside, Fields},
    save::{Save, Waiter},
    shape::{KindShape, Presence},
};

/// A model of a kind.
pub trait Resource: Record + Beside {
    /// Shape of the kind.
    const KIND: &'static KindShape;

    /// Type with the calls of the kind.
    type Manager;

    /// Returns the manager of the kind for `session`.
    fn objects(session: &Session) -> Self::Manager;

    /// ARN; `None` while it is not known. A kind without ARNs is a value error.
    fn arn(&self) -> Result<Option<&str>> {
        text_identity(self, Self::KIND, "arn")
    }

    /// Name; `None` while it is not known. A kind without names is a value error.
    fn name(&self) -> Result<Option<&str>> {
        text_identity(self, Self::KIND, "name")
    }

    /// ARN; a value error if the kind has none or this model has none yet.
    fn require_arn(&self) -> Result<&str> {
        self.arn()?.ok_or_else(|| not_known(Self::KIND, "arn"))
    }

    /// Name; a value error if the kind has none or this model has none yet.
    fn require_name(&self) -> Result<&str> {
        self.name()?.ok_or_else(|| not_known(Self::KIND, "name"))
    }

    /// Primary key, null in each part that is not known. A kind without one is a value error.
    fn pk(&self) -> Result<Pk> {
        pk(self, Self::KIND)
    }

    /// Session that the model came from or was given.
    fn session(&self) -> Option<&Session> {
        self.slot().and_then(Slot::session)
    }

    /// Sets or removes the session. Works on read-only kinds, too.
    fn set_session(&mut self, session: impl Into<Option<Session>>)
    where
        Self: Sized,
    {
        if let Some(slot) = self.slot_mut() {
            slot.set_session(session.into());
        }
    }

    /// Session, or an error if there is none.
    fn require_session(&self) -> Result<&Session> {
        self.session().ok_or_else(|| no_session(Self::KIND))
    }

    /// Creates the resource, or updates it if it is saved: sends the changed fields and copies back what the
    /// service assigned. It is a runtime error for kinds that cannot be changed.
    fn save(&mut self) -> Save<'_, Self>
    where
        Self: Sized,
    {
        Save::new(self)
    }

    /// Polls the resource until `reached` returns true for it.
    fn wait_until(&self, reached: impl Fn(&Self) -> bool + Send + Sync + 'static) -> Waiter<Self>
    where
        Self: Sized,
    {
        Waiter::new(self, reached)
    }

    /// True if the service has this resource: a field that only the service assigns is set.
    fn is_saved(&self) -> bool {
        is_saved(self)
    }

    /// Names of the fields that `save` sends: those that differ from the last answer of the service. For a saved
    /// model that did not come from the service, such as one read from JSON, all fields that were set and can be
    /// changed.
    fn changed(&self) -> Vec<&'static str> {
        names(self, changed(self))
    }

    /// Checks that no field was changed that cannot be changed on a saved model.
    fn check_changes(&self) -> Result<()> {
        check_changes(self)
    }

    /// Names of the fields that were set.
    fn fields_set(&self) -> Vec<&'static str> {
        names(self, self.slot().map(Slot::fields_set).unwrap_or_default())
    }

    /// Fields that the model was given and that are not in its shape. Only some kinds keep them.
    fn extra_fields(&self) -> &Map<Value> {
        static NONE: std::sync::LazyLock<Map<Value>> = std::sync::LazyLock::new(Map::default);
        self.slot().map_or(&NONE, Slot::extra)
    }
}

/// Error for a model without a session.
pub(crate) fn no_session(kind: &KindShape) -> Error {
    let message = format!("this {} has no session; set one with set_session", kind.name);
    Error::new(ErrorKind::NoSession, message)
}

fn names(model: &dyn Fields, set: FieldSet) -> Vec<&'static str> {
    set.iter().filter_map(|index| model.shape().fields.get(index)).map(|field| field.name).collect()
}

/// Checks that no field was changed that cannot be changed on a saved model.
pub(crate) fn check_changes(model: &dyn Fields) -> Result<()> {
    let Some(kind) = model.kind().filter(|_| is_saved(model)) else { return Ok(()) };
    let is_refused = |index: &usize| {
        let field = &kind.record.fields[*index];
        field.fixed || field.presence == Presence::ServiceSet
    };
    match changed(model).iter().find(is_refused) {
        Some(index) => Err(fixed_fields::cannot_be_changed(kind, &kind.record.fields[index])),
        None => Ok(()),
    }
}

/// Returns the fields of `model` that have to be sent to update the service.
pub(crate) fn changed(model: &dyn Fields) -> FieldSet {
    let Some(slot) = model.slot() else { return FieldSet::NONE };
    if slot.is_from_service() || !is_saved(model) {
        return slot.changed();
    }
    // The service's values are unknown, so fields that cannot be changed count as unchanged.
    let changeable = |index: &usize| {
        let field = &model.shape().fields[*index];
        !field.fixed && field.presence != Presence::ServiceSet
    };
    slot.changed().iter().filter(changeable).collect()
}
