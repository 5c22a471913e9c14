//! Result sets of any kind.

use crate::{
    AnyPredicate, BoxFuture, Map, Order, Result, Value, predicate, record::Fields, results::Models,
    shape::KindShape,
};
use std::sync::Arc;

/// Results of any kind.
#[derive(Clone, Debug)]
pub struct AnyResults {
    models: Models,
    next: usize,
}

impl AnyResults {
    pub(super) fn new(models: Models) -> Self {
        Self { models, next: 0 }
    }

    /// Makes a set of models that need not be fetched.
    pub fn from_models(kind: &'static KindShape, models: Vec<Arc<dyn Fields>>) -> Self {
        Self::new(Models::from_models(kind, models))
    }

    /// Kind of the models.
    pub fn kind(&self) -> &'static KindShape {
        self.models.kind()
    }

    /// Returns the models that `predicate` accepts.
    #[must_use]
    pub fn filter(&self, predicate: AnyPredicate) -> Self {
        Self::new(self.models.filtered(predicate))
    }

    /// Returns the models with these fields, also if the listing omits them.
    #[must_use]
    pub fn with_fields(&self, fields: &[&str]) -> Self {
        Self::new(self.models.with_fields(fields))
    }

    /// Returns the models in this order.
    #[must_use]
    pub fn order_by(&self, order: Order) -> Self {
        Self::new(self.models.ordered(order))
    }

    /// Returns every `step`-th model from `start` to before `end`, as Python slices a list.
    #[must_use]
    pub fn slice(&self, start: Option<i64>, end: Option<i64>, step: i64) -> Self {
        Self::new(self.models.sliced(start, end, step))
    }

    /// Appends the other set; duplicates stay.
    #[must_use]
    pub fn chain(&self, other: &Self) -> Self {
        Self::new(self.models.clone().chained(other.models.clone()))
    }

    /// Returns the next model, or none after the last.
    pub fn try_next(&mut self) -> BoxFuture<'_, Result<Option<Arc<dyn Fields>>>> {
        Box::pin(async move {
            let next = self.models.get(self.next).await?;
            self.next += usize::from(next.is_some());
            Ok(next)
        })
    }

    /// Returns the model at `index`, if there is one.
    pub async fn get(&self, index: usize) -> Result<Option<Arc<dyn Fields>>> {
        self.models.get(index).await
    }

    /// Returns the model at `index`, counted from the end if it is negative; out of range is an error.
    pub async fn model_at(&self, index: i64) -> Result<Arc<dyn Fields>> {
        self.models.model_at(index).await
    }

    /// Returns all models.
    pub async fn all(&self) -> Result<Vec<Arc<dyn Fields>>> {
        self.models.all().await
    }

    /// Returns the number of models.
    pub async fn count(&self) -> Result<usize> {
        self.models.count().await
    }

    /// Returns for each model a mapping from each of `paths` to its value; without paths, all its fields.
    pub async fn values(&self, paths: &[&str]) -> Result<Vec<Map<Value>>> {
        let models = self.models.with_fields(paths);
        let paths: Vec<_> = paths.iter().map(|path| ((*path).to_owned(), predicate::path(path))).collect();
        models.values(&paths).await
    }

    /// Returns for each model the values at `paths`, in their order. There must be at least one path.
    pub async fn values_list(&self, paths: &[&str]) -> Result<Vec<Vec<Value>>> {
        let models = self.models.with_fields(paths);
        let paths: Vec<_> = paths.iter().map(|path| predicate::path(path)).collect();
        models.values_list(&paths).await
    }
}
