//! Lazy result sets: models are fetched page by page when they are needed, and cached.

mod feed;
mod models;
mod order;
mod slice;

pub(crate) use models::{Model, Models};
pub use order::Order;

use crate::{
    AnyPredicate, BoxFuture, Error, Map, Predicate, Resource, Result, Session, Value, operation::Source,
    predicate, transport::wait,
};
use futures_core::Stream;
use std::{
    any::Any,
    future::{Future, IntoFuture},
    marker::PhantomData,
    ops::{Bound, RangeBounds},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

/// A set of models that is fetched lazily, page by page.
///
/// No call is made before the first model is needed; [`first`](Self::first), [`exists`](Self::exists),
/// [`nth`](Self::nth) and [`range`](Self::range) stop at the first page that decides. Pages are cached, and
/// shared by clones and by the sets made from this one. No method changes the set it is called on.
pub struct Results<M> {
    models: Models,
    /// Index of the next model of [`try_next`](Self::try_next) and of the stream.
    cursor: usize,
    /// Fetch of the stream's next model, while it is under way. The lock is only there to make the set `Sync`.
    fetch: Mutex<Option<Fetch>>,
    /// True once the stream has ended with an error.
    failed: bool,
    of: PhantomData<fn() -> M>,
}

type Fetch = BoxFuture<'static, Result<Option<Model>>>;

/// Returns a model with its type.
fn typed<M: Resource>(model: Model) -> Arc<M> {
    let model: Arc<dyn Any + Send + Sync> = model;
    model.downcast().expect("a result set has models of its kind")
}

/// Returns the model with its type, copied if it is shared.
pub(crate) fn owned<M: Resource>(model: Model) -> M {
    Arc::unwrap_or_clone(typed(model))
}

/// A running query of a result set: await it, or [`wait`](Self::wait) for it.
#[must_use = "nothing is fetched until this is awaited or waited for"]
pub struct QueryFuture<'a, T>(BoxFuture<'a, Result<T>>);

impl<'a, T> QueryFuture<'a, T> {
    /// Makes a query of a future that fetches its answer.
    pub fn new(future: impl Future<Output = Result<T>> + Send + 'a) -> Self {
        Self(Box::pin(future))
    }

    /// Blocks this thread until the answer is there. No async runtime is needed.
    pub fn wait(self) -> Result<T> {
        wait(self.0)
    }
}

impl<T> Future for QueryFuture<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> std::fmt::Debug for QueryFuture<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("QueryFuture")
    }
}

impl<M: Resource> Results<M> {
    fn new(models: Models) -> Self {
        Self { models, cursor: 0, fetch: Mutex::new(None), failed: false, of: PhantomData }
    }

    /// Returns the models that `source` lists in `session`.
    pub(crate) fn listing(session: Session, source: Source) -> Self {
        Self::new(Models::listing(M::KIND, session, source))
    }

    /// Makes a set of models that need not be fetched.
    pub fn from_models(items: Vec<M>) -> Self {
        let items = items.into_iter().map(|model| Arc::new(model) as Model).collect();
        Self::new(Models::from_models(M::KIND, items))
    }

    /// Makes a set that fails with `error` when it is used.
    pub fn failing(error: Error) -> Self {
        Self::new(Models::failing(M::KIND, error))
    }

    /// Returns the next model, or none after the last. Each clone begins at the start.
    pub fn try_next(&mut self) -> QueryFuture<'_, Option<M>> {
        QueryFuture::new(async move {
            let next = self.models.get(self.cursor).await?;
            self.cursor += usize::from(next.is_some());
            Ok(next.map(owned))
        })
    }

    /// Iterates over the models, blocking this thread when a page has to be fetched.
    pub fn iter(&self) -> Iter<M> {
        Iter { results: self.clone(), failed: false }
    }

    /// Returns the first model, if there is any.
    pub fn first(&self) -> QueryFuture<'_, Option<M>> {
        self.nth(0)
    }

    /// True if there is at least one model.
    pub fn exists(&self) -> QueryFuture<'_, bool> {
        QueryFuture::new(async { Ok(self.models.get(0).await?.is_some()) })
    }

    /// Returns the number of models.
    pub fn count(&self) -> QueryFuture<'_, usize> {
        QueryFuture::new(self.models.count())
    }

    /// Returns all models.
    pub fn all(&self) -> QueryFuture<'_, Vec<M>> {
        QueryFuture::new(async { Ok(self.models.all().await?.into_iter().map(owned).collect()) })
    }

    /// Returns the model at `index`, counted from 0, if there is one.
    pub fn nth(&self, index: usize) -> QueryFuture<'_, Option<M>> {
        QueryFuture::new(async move { Ok(self.models.get(index).await?.map(owned)) })
    }

    /// Returns the models at the positions in `range`, counted from 0; positions beyond the end are left out.
    ///
    /// [`PythonResults::slice`](crate::python::PythonResults::slice) counts from the end, too, and has a step.
    pub fn range(&self, range: impl RangeBounds<usize>) -> Self {
        let position = |index: usize| i64::try_from(index).unwrap_or(i64::MAX);
        let start = match range.start_bound() {
            Bound::Included(start) => Some(position(*start)),
            Bound::Excluded(start) => Some(position(*start).saturating_add(1)),
            Bound::Unbounded => None,
        };
        let end = match range.end_bound() {
            Bound::Included(end) => Some(position(*end).saturating_add(1)),
            Bound::Excluded(end) => Some(position(*end)),
            Bound::Unbounded => None,
        };
        self.sliced(start, end, 1)
    }

    /// Returns every `step`-th model from `start` to before `end`, as Python slices a list.
    pub(crate) fn sliced(&self, start: Option<i64>, end: Option<i64>, step: i64) -> Self {
        Self::new(self.models.sliced(start, end, step))
    }

    /// Returns the model at `index`, counted from the end if it is negative.
    pub(crate) async fn model_at(&self, index: i64) -> Result<M> {
        self.models.model_at(index).await.map(owned)
    }

    /// Returns the models that `predicate` accepts.
    pub fn filter(&self, predicate: Predicate<M>) -> Self {
        self.filter_any(predicate.into())
    }

    /// Filters by a predicate whose kind is not known at compile time.
    fn filter_any(&self, predicate: AnyPredicate) -> Self {
        Self::new(self.models.filtered(predicate))
    }

    /// Returns the same models with the values of `fields`, also of those that the listing omits: each model
    /// without one is fetched when it is needed. Models that no longer exist are left out.
    pub fn with_fields(&self, fields: &[&str]) -> Self {
        Self::new(self.models.with_fields(fields))
    }

    /// Returns the models that match all `criteria`, each a `field__lookup` with its value.
    pub fn filter_by<V: Into<Value>>(
        &self,
        criteria: impl IntoIterator<Item = (impl AsRef<str>, V)>,
    ) -> Result<Self> {
        let tests =
            criteria.into_iter().map(|(criterion, value)| AnyPredicate::parse(criterion.as_ref(), value));
        Ok(self.filter_any(AnyPredicate::All(tests.collect::<Result<_>>()?)))
    }

    /// Returns the models in another order: `creationTime`, or `-creationTime` for descending. Null and unknown
    /// values come first when ascending and last when descending; equal ones keep their order.
    pub fn order_by(&self, order: impl Into<Order>) -> Self {
        Self::new(self.models.ordered(order.into()))
    }

    /// Returns for each model a mapping from each of `paths` to its value; without paths, all its fields.
    pub fn values(&self, paths: &[&str]) -> QueryFuture<'_, Vec<Map<Value>>> {
        let models = self.models.with_fields(paths);
        let paths: Vec<_> = paths.iter().map(|path| ((*path).to_owned(), predicate::path(path))).collect();
        QueryFuture::new(async move { models.values(&paths).await })
    }

    /// Returns for each model the values at `paths`, in their order. There must be at least one path.
    pub fn values_list(&self, paths: &[&str]) -> QueryFuture<'_, Vec<Vec<Value>>> {
        let models = self.models.with_fields(paths);
        let paths: Vec<_> = paths.iter().map(|path| predicate::path(path)).collect();
        QueryFuture::new(async move { models.values_list(&paths).await })
    }

    /// Returns for each model the value at one path: Python's `values_list` with `flat=True`.
    pub fn values_flat(&self, path: &str) -> QueryFuture<'_, Vec<Value>> {
        let models = self.models.with_fields(&[path]);
        let path = [predicate::path(path)];
        QueryFuture::new(async move { Ok(models.values_list(&path).await?.into_iter().flatten().collect()) })
    }
}

impl<M> Clone for Results<M> {
    /// Shares the models; [`try_next`](Self::try_next) and the stream of the clone begin at the start.
    fn clone(&self) -> Self {
        let models = self.models.clone();
        Self { models, cursor: 0, fetch: Mutex::new(None), failed: false, of: PhantomData }
    }
}

/// Streams the models; pages are fetched when they are needed. The stream ends after an error.
impl<M: Resource> Stream for Results<M> {
    type Item = Result<M>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.failed {
            return Poll::Ready(None);
        }
        let (models, index) = (self.models.clone(), self.cursor);
        let fetch = self.fetch.get_mut().unwrap_or_else(PoisonError::into_inner);
        let future = fetch.get_or_insert_with(|| Box::pin(async move { models.get(index).await }));
        let Poll::Ready(next) = future.as_mut().poll(cx) else { return Poll::Pending };
        *fetch = None;
        self.failed = next.is_err();
        self.cursor += usize::from(matches!(next, Ok(Some(_))));
        Poll::Ready(next.map(|model| model.map(owned)).transpose())
    }
}

impl<M: Resource> std::ops::Add for Results<M> {
    type Output = Self;

    /// Appends the other set; duplicates stay.
    fn add(self, other: Self) -> Self {
        Self::new(self.models.chained(other.models))
    }
}

impl<M: Resource> IntoFuture for Results<M> {
    type Output = Result<Vec<M>>;
    type IntoFuture = BoxFuture<'static, Result<Vec<M>>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.all().await })
    }
}

impl<M> std::fmt::Debug for Results<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.models.fmt(f)
    }
}

/// Iterator over the models of a result set.
#[derive(Debug)]
pub struct Iter<M> {
    results: Results<M>,
    failed: bool,
}

impl<M: Resource> Iterator for Iter<M> {
    type Item = Result<M>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.results.try_next().wait().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}
