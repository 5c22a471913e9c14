//! A cloud with what the laws look at.

use crate::{
    examples::{Made, furnish},
    generic::options,
};
use nephos::{Cloud, CloudOptions, Session, SignedDuration, Transitions, Value};

/// A cloud with what was made in it.
pub(crate) struct Scene {
    pub(crate) cloud: Cloud,
    pub(crate) made: Vec<Made>,
}

impl Scene {
    /// Furnishes `cloud`.
    pub(crate) fn new(cloud: Cloud) -> Self {
        Self { made: furnish(&cloud.session()), cloud }
    }

    pub(crate) fn session(&self) -> Session {
        self.cloud.session()
    }

    /// Lets an hour pass, in which all states are reached.
    pub(crate) fn settle(&self) {
        self.cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
        assert_eq!(self.cloud.failed_work().unwrap(), []);
    }

    /// Deletes what was made, the last first: what cannot be deleted goes with what it belongs to.
    pub(crate) fn delete_all(&self) {
        for made in self.made.iter().rev().filter(|made| made.kind.call("delete").is_some()) {
            made.call(&self.session(), "delete").unwrap_or_else(|error| panic!("{made:?}: {error}"));
            // An instance is in its subnet until it is terminated.
            self.cloud.clock().advance(SignedDuration::from_mins(1)).unwrap();
        }
        // Some things can be restored for a month.
        self.cloud.clock().advance(SignedDuration::from_hours(31 * 24)).unwrap();
        assert_eq!(self.cloud.failed_work().unwrap(), []);
    }
}

pub(crate) fn realistic() -> CloudOptions {
    options().transitions(Transitions::Realistic)
}

/// Both ways in which states follow each other.
pub(crate) fn scenes() -> [Scene; 2] {
    [options(), realistic()].map(|options| Scene::new(options.in_memory()))
}

/// Whether `found` is `value`, but for fields of nested records that the service adds.
pub(crate) fn covers(found: &Value, value: &Value) -> bool {
    match (found, value) {
        (Value::Map(found), Value::Map(value)) => {
            value.iter().all(|(key, value)| found.get(key).is_some_and(|found| covers(found, value)))
        }
        (Value::List(found), Value::List(value)) => {
            found.len() == value.len() && found.iter().zip(value).all(|(found, value)| covers(found, value))
        }
        _ => found == value,
    }
}
