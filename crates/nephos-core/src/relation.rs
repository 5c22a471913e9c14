//! Lookups of what belongs to a model, by name.

use crate::{BoxFuture, Result, record::Fields};
use std::sync::Arc;

/// What a relation led to.
#[derive(Clone)]
pub enum Found {
    /// One model, or none.
    One(Option<Arc<dyn Fields>>),
    /// Any number of models.
    Many(Vec<Arc<dyn Fields>>),
}

/// A lookup on its way.
pub type Lookup<'a> = BoxFuture<'a, Result<Found>>;

/// What the methods that the derive makes for relations give back: it is remembered, and shared.
pub type One<M> = Arc<Option<M>>;

/// The same, for relations that lead to any number of models.
pub type Many<M> = Arc<Vec<M>>;

impl Found {
    /// What a typed relation led to, without its type.
    pub fn one<M: Fields + Clone>(found: &Option<M>) -> Self {
        Self::One(found.clone().map(|model| Arc::new(model) as Arc<dyn Fields>))
    }

    /// The same, for relations that lead to any number of models.
    pub fn many<M: Fields + Clone>(found: &[M]) -> Self {
        Self::Many(found.iter().map(|model| Arc::new(model.clone()) as Arc<dyn Fields>).collect())
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
