//! Resources: models of a kind, with an identity, a session and a manager.

use crate::{
    Error, ErrorKind, FieldSet, Map, Record, Result, Session, Slot, Value,
    identity::{Pk, is_saved, not_known, pk, text_identity},
    record::Fields,
    save::{Save, Verb, Waiter},
    shape::{KindShape, Presence},
};

/// A model of a kind.
pub trait Resource: Record {
    /// The description of the kind.
    const KIND: &'static KindShape;

    /// What the kind's operations are reached by.
    type Manager;

    /// What `save` carries out on a model that the service has not seen.
    type Create: Verb<Self>;

    /// What `save` carries out on a model that the service has seen.
    type Update: Verb<Self>;

    /// What deletes a model.
    type Delete: Verb<Self>;

    /// What looks at a model again.
    type Get: Verb<Self>;

    /// The operations of the kind, carried out through `session`.
    fn objects(session: &Session) -> Self::Manager;

    /// The ARN; `None` while it is not known. A kind that has no ARN is a value error.
    fn arn(&self) -> Result<Option<&str>> {
        text_identity(self, Self::KIND, "arn")
    }

    /// The name; `None` while it is not known. A kind that has no name is a value error.
    fn name(&self) -> Result<Option<&str>> {
        text_identity(self, Self::KIND, "name")
    }

    /// The ARN; a value error if the kind has none or this model has none yet.
    fn require_arn(&self) -> Result<&str> {
        self.arn()?.ok_or_else(|| not_known(Self::KIND, "arn"))
    }

    /// The name; a value error if the kind has none or this model has none yet.
    fn require_name(&self) -> Result<&str> {
        self.name()?.ok_or_else(|| not_known(Self::KIND, "name"))
    }

    /// The primary key, null in each part that is not known. A kind that has none is a value error.
    fn pk(&self) -> Result<Pk> {
        pk(self, Self::KIND)
    }

    /// The session that the model came from, or was given.
    fn session(&self) -> Option<&Session> {
        self.slot().and_then(Slot::session)
    }

    /// Gives the model a session, or takes it away. Works on read-only kinds too.
    fn set_session(&mut self, session: impl Into<Option<Session>>)
    where
        Self: Sized,
    {
        if let Some(slot) = self.slot_mut() {
            slot.set_session(session.into());
        }
    }

    /// The session, or the error that there is none.
    fn require_session(&self) -> Result<&Session> {
        self.session().ok_or_else(|| {
            let message = format!("this {} has no session; give it one with set_session", Self::KIND.name);
            Error::new(ErrorKind::NoSession, message)
        })
    }

    /// Creates or updates the resource, whichever it takes: what changed is sent, and what the service assigned is
    /// copied back. It is a runtime error for kinds that cannot be changed.
    fn save(&mut self) -> Save<'_, Self>
    where
        Self: Sized,
    {
        Save::new(self)
    }

    /// Looks at the resource again and again until `reached` says that it is as wanted.
    fn wait_until(&self, reached: impl Fn(&Self) -> bool + Send + Sync + 'static) -> Waiter<Self>
    where
        Self: Sized,
    {
        Waiter::new(self, reached)
    }

    /// True if the service has seen this resource, by the field that only it assigns.
    fn is_saved(&self) -> bool {
        is_saved(self)
    }

    /// The names of the fields that `save` sends: those that differ from what the service last said. Of a saved model
    /// that did not come from the service, such as one read from JSON, all that were set and can be changed.
    fn changed(&self) -> Vec<&'static str> {
        names(self, changed(self))
    }

    /// Refuses a saved model of which a field was changed that cannot be.
    fn check_changes(&self) -> Result<()> {
        let refused = |index: &usize| {
            let field = &Self::SHAPE.fields[*index];
            field.fixed || field.presence == Presence::ServiceSet
        };
        match changed(self).iter().find(refused).filter(|_| self.is_saved()) {
            Some(index) => {
                let error = Error::invalid(Self::SHAPE.fields[index].name, "cannot be changed");
                Err(error.with_code((Self::KIND.service)().invalid))
            }
            None => Ok(()),
        }
    }

    /// The names of the fields that were set.
    fn fields_set(&self) -> Vec<&'static str> {
        names(self, self.slot().map(Slot::given).unwrap_or_default())
    }

    /// Fields that the model was given and does not know; only kinds that say so keep any.
    fn extra_fields(&self) -> &Map<Value> {
        static NONE: std::sync::LazyLock<Map<Value>> = std::sync::LazyLock::new(Map::default);
        self.slot().map_or(&NONE, Slot::extra)
    }
}

fn names(model: &dyn Fields, set: FieldSet) -> Vec<&'static str> {
    set.iter().filter_map(|index| model.shape().fields.get(index)).map(|field| field.name).collect()
}

/// The fields of `model` that have to be sent to bring the service into line with it.
pub(crate) fn changed(model: &dyn Fields) -> FieldSet {
    let Some(slot) = model.slot() else { return FieldSet::NONE };
    if slot.is_from_service() || !is_saved(model) {
        return slot.changed();
    }
    // Nothing is known of what the service has: what cannot be changed is taken to be the same.
    let changeable = |index: &usize| {
        let field = &model.shape().fields[*index];
        !field.fixed && field.presence != Presence::ServiceSet
    };
    slot.changed().iter().filter(changeable).collect()
}
