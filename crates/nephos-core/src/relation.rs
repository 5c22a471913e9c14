//! Relations: lookups of the models that belong to a model.

use crate::{BoxFuture, Result, record::Fields};
use std::sync::Arc;

/// Models that a relation leads to, type-erased.
#[derive(Clone)]
pub enum Found {
    /// One model, or none.
    One(Option<Arc<dyn Fields>>),
    /// Any number of models.
    Many(Vec<Arc<dyn Fields>>),
}

/// A running lookup.
pub type Lookup<'a> = BoxFuture<'a, Result<Found>>;

/// Model that a relation leads to, if there is one. It is remembered and shared.
pub type One<M> = Option<Arc<M>>;

/// Models that a relation leads to. They are remembered and shared.
pub type Many<M> = Arc<Vec<M>>;

/// Result of a lookup, in the form in which a model remembers and returns it.
#[doc(hidden)]
pub trait Remembered: Send + Sync + 'static {
    /// Shared form.
    type Shared: Clone + Send + Sync + 'static;

    /// Converts the result into the shared form.
    fn share(self) -> Self::Shared;

    /// Type-erased result.
    fn without_type(shared: &Self::Shared) -> Found;
}

impl<M: Fields> Remembered for Option<M> {
    type Shared = One<M>;

    fn share(self) -> One<M> {
        self.map(Arc::new)
    }

    fn without_type(shared: &One<M>) -> Found {
        Found::One(shared.clone().map(|model| model as Arc<dyn Fields>))
    }
}

impl<M: Fields + Clone> Remembered for Vec<M> {
    type Shared = Many<M>;

    fn share(self) -> Many<M> {
        Arc::new(self)
    }

    fn without_type(shared: &Many<M>) -> Found {
        Found::Many(shared.iter().map(|model| Arc::new(model.clone()) as Arc<dyn Fields>).collect())
    }
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let models = match self {
            Self::One(model) => model.as_slice(),
            Self::Many(models) => models,
        };
        f.debug_list().entries(models.iter().map(|model| model.shape().name)).finish()
    }
}
