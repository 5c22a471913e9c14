//! Lazy result sets: models are fetched page by page when they are needed, and cached.

mod feed;
mod order;
mod slice;

pub use order::Order;

use crate::{
    AnyPredicate, BoxFuture, Error, ErrorKind, Map, Predicate, Resource, Result, Session, Text, Value,
    operation::Source,
    predicate::{self, Related},
    relation::Found,
    transport::wait,
    value::Ref,
};
use feed::Feed;
use futures_core::Stream;
use slice::Slice;
use std::{
    future::{Future, IntoFuture},
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
    shared: Arc<Shared<M>>,
    /// Index of the next model of [`try_next`](Self::try_next) and of the stream.
    cursor: usize,
    /// Fetch of the stream's next model, while it is under way. The lock is only there to make the set `Sync`.
    fetch: Mutex<Option<Fetch<M>>>,
    /// True once the stream has ended with an error.
    failed: bool,
}

type Fetch<M> = BoxFuture<'static, Result<Option<Arc<M>>>>;

struct Shared<M> {
    state: async_lock::Mutex<State<M>>,
}

struct State<M> {
    /// Models fetched so far, shared with the sets made from this one.
    items: Vec<Arc<M>>,
    /// Source of the models that are left; none once all are fetched.
    feed: Option<Box<dyn Feed<M>>>,
    /// Error that every use of the set returns.
    failed: Option<Error>,
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
    fn from_feed(feed: impl Feed<M> + 'static) -> Self {
        Self::from_state(State { items: Vec::new(), feed: Some(Box::new(feed)), failed: None })
    }

    fn from_state(state: State<M>) -> Self {
        Self::from_shared(Arc::new(Shared { state: async_lock::Mutex::new(state) }))
    }

    /// Returns the models that `source` lists in `session`.
    pub(crate) fn listing(session: Session, source: Source<M>) -> Self {
        Self::from_feed(feed::Pages::new(session, source))
    }

    /// Makes a set of models that need not be fetched.
    pub fn from_models(items: Vec<M>) -> Self {
        let items = items.into_iter().map(Arc::new).collect();
        Self::from_state(State { items, feed: None, failed: None })
    }

    /// Makes a set that fails with `error` when it is used.
    pub fn failing(error: Error) -> Self {
        Self::from_state(State { items: Vec::new(), feed: None, failed: Some(error) })
    }

    /// Returns the next model, or none after the last. Each clone begins at the start.
    pub fn try_next(&mut self) -> QueryFuture<'_, Option<M>> {
        QueryFuture::new(async move { Ok(self.next_shared().await?.as_deref().cloned()) })
    }

    pub(crate) async fn next_shared(&mut self) -> Result<Option<Arc<M>>> {
        let next = self.get(self.cursor).await?;
        self.cursor += usize::from(next.is_some());
        Ok(next)
    }

    /// Iterates over the models, blocking this thread when a page has to be fetched.
    pub fn iter(&self) -> Iter<M> {
        Iter { results: self.clone(), failed: false }
    }

    /// Returns the first model, if there is any.
    pub fn first(&self) -> QueryFuture<'_, Option<M>> {
        QueryFuture::new(async { Ok(self.get(0).await?.as_deref().cloned()) })
    }

    /// True if there is at least one model.
    pub fn exists(&self) -> QueryFuture<'_, bool> {
        QueryFuture::new(async { Ok(self.get(0).await?.is_some()) })
    }

    /// Returns the number of models.
    pub fn count(&self) -> QueryFuture<'_, usize> {
        QueryFuture::new(async { Ok(self.fetch_all().await?.items.len()) })
    }

    /// Returns all models.
    pub fn all(&self) -> QueryFuture<'_, Vec<M>> {
        QueryFuture::new(async {
            Ok(self.shared_items().await?.iter().map(|model| M::clone(model)).collect())
        })
    }

    /// Returns the model at `index`, counted from 0, if there is one.
    pub fn nth(&self, index: usize) -> QueryFuture<'_, Option<M>> {
        QueryFuture::new(async move { Ok(self.get(index).await?.as_deref().cloned()) })
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
        match Slice::new(start, end, step) {
            Ok(slice) => Self::from_feed(feed::Sliced::new(self.clone(), slice)),
            Err(error) => Self::failing(error),
        }
    }

    /// Returns the model at `index`, counted from the end if it is negative.
    pub(crate) async fn model_at(&self, index: i64) -> Result<M> {
        let found = match usize::try_from(index) {
            Ok(index) => self.get(index).await?,
            Err(_) => {
                let state = self.fetch_all().await?;
                let from_end = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
                let position = state.items.len().checked_sub(from_end);
                position.map(|position| state.items[position].clone())
            }
        };
        let found = found.ok_or_else(|| Error::invalid("index", format!("{index} is out of range")))?;
        Ok(M::clone(&found))
    }

    /// Returns the models that `predicate` accepts.
    pub fn filter(&self, predicate: Predicate<M>) -> Self {
        self.filter_any(predicate.into())
    }

    /// Filters by a predicate whose kind is not known at compile time.
    pub(crate) fn filter_any(&self, predicate: AnyPredicate) -> Self {
        let from = self.narrowed(&predicate).unwrap_or_else(|| self.clone());
        // What a listing returns is tested first, so that fewer models are fetched for the fields that it omits.
        let (listed, unlisted) = predicate.split_unlisted(M::SHAPE);
        let mut fields = Vec::new();
        unlisted.unlisted(M::SHAPE, &mut fields);
        let filtered = Self::from_feed(feed::Filtered::new(from, listed));
        if fields.is_empty() {
            return filtered;
        }
        Self::from_feed(feed::Filtered::new(filtered.completed(fields), unlisted))
    }

    /// Returns the same models with the values of `fields`, also of those that the listing omits: each model
    /// without one is fetched when it is needed. Models that no longer exist are left out.
    pub fn with_fields(&self, fields: &[&str]) -> Self {
        let unlisted =
            fields.iter().filter_map(|name| predicate::unlisted_field(M::SHAPE, name.split("__").next()));
        self.completed(unlisted.collect())
    }

    /// Fetches the models that lack one of `fields`.
    fn completed(&self, fields: Vec<usize>) -> Self {
        if fields.is_empty() {
            self.clone()
        } else {
            Self::from_feed(feed::Completed::new(self.clone(), fields))
        }
    }

    /// Returns the same set from the start, narrowed to what `filter` accepts, if its source can do that and
    /// nothing was fetched yet.
    fn narrowed(&self, filter: &AnyPredicate) -> Option<Self> {
        let state = self.shared.state.try_lock()?;
        let feed = state.feed.as_ref().filter(|_| state.items.is_empty())?.narrowed(filter)?;
        Some(Self::from_state(State { items: Vec::new(), feed: Some(feed), failed: None }))
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
        let order = order.into();
        let from = self.completed(Vec::from_iter(predicate::unlisted_field(M::SHAPE, order.path.first())));
        Self::from_feed(feed::Ordered::new(from, order))
    }

    /// Returns for each model a mapping from each of `paths` to its value; without paths, all its fields.
    pub fn values(&self, paths: &[&str]) -> QueryFuture<'_, Vec<Map<Value>>> {
        let set = self.with_fields(paths);
        let paths: Vec<_> = paths.iter().map(|path| ((*path).to_owned(), predicate::path(path))).collect();
        QueryFuture::new(async move {
            let models = set.shared_items().await?;
            let mut rows = Vec::with_capacity(models.len());
            for model in &models {
                rows.push(if paths.is_empty() {
                    all_fields(&**model)
                } else {
                    let mut row = Map::default();
                    for (name, path) in &paths {
                        row.insert(Text::new(name), value_of(&**model, path).await?);
                    }
                    row
                });
            }
            Ok(rows)
        })
    }

    /// Returns for each model the values at `paths`, in their order. There must be at least one path.
    pub fn values_list(&self, paths: &[&str]) -> QueryFuture<'_, Vec<Vec<Value>>> {
        let set = self.with_fields(paths);
        let paths: Vec<_> = paths.iter().map(|path| predicate::path(path)).collect();
        QueryFuture::new(async move {
            if paths.is_empty() {
                return Err(Error::new(ErrorKind::Invalid, "values_list needs at least one path"));
            }
            let models = set.shared_items().await?;
            let mut rows = Vec::with_capacity(models.len());
            for model in &models {
                let mut row = Vec::with_capacity(paths.len());
                for path in &paths {
                    row.push(value_of(&**model, path).await?);
                }
                rows.push(row);
            }
            Ok(rows)
        })
    }

    /// Returns for each model the value at one path: Python's `values_list` with `flat=True`.
    pub fn values_flat(&self, path: &str) -> QueryFuture<'_, Vec<Value>> {
        let set = self.with_fields(&[path]);
        let path = predicate::path(path);
        QueryFuture::new(async move {
            let models = set.shared_items().await?;
            let mut values = Vec::with_capacity(models.len());
            for model in &models {
                values.push(value_of(&**model, &path).await?);
            }
            Ok(values)
        })
    }

    /// Returns the model at `index`, fetching no more pages than needed.
    async fn get(&self, index: usize) -> Result<Option<Arc<M>>> {
        let mut state = self.shared.state.lock().await;
        while state.items.len() <= index {
            if !state.fetch().await? {
                return Ok(None);
            }
        }
        Ok(Some(state.items[index].clone()))
    }

    /// Applies `read` to the fetched models from `index` on, at least one; `None` if there are none.
    async fn batch<T>(&self, index: usize, read: impl FnOnce(&[Arc<M>]) -> T) -> Result<Option<T>> {
        let mut state = self.shared.state.lock().await;
        while state.items.len() <= index {
            if !state.fetch().await? {
                return Ok(None);
            }
        }
        Ok(Some(read(&state.items[index..])))
    }

    /// Returns all models without copying any.
    async fn shared_items(&self) -> Result<Vec<Arc<M>>> {
        Ok(self.fetch_all().await?.items.clone())
    }

    async fn fetch_all(&self) -> Result<async_lock::MutexGuard<'_, State<M>>> {
        let mut state = self.shared.state.lock().await;
        while state.fetch().await? {}
        Ok(state)
    }
}

impl<M: Resource> State<M> {
    /// Fetches the next batch; false once all are fetched.
    async fn fetch(&mut self) -> Result<bool> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let Some(feed) = &mut self.feed else { return Ok(false) };
        // An error is returned once; the next call tries again.
        match feed.next_batch().await? {
            Some(items) => {
                self.items.extend(items);
                Ok(true)
            }
            None => {
                self.feed = None;
                Ok(false)
            }
        }
    }
}

/// Looks up the relations of `model` named in `names`.
async fn related<'n, M: Resource>(model: &M, names: &[&'n str]) -> Result<Vec<(&'n str, Found)>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        if let Some(lookup) = model.related(name) {
            found.push((*name, lookup.await?));
        }
    }
    Ok(found)
}

async fn value_of<M: Resource>(model: &M, path: &[Text]) -> Result<Value> {
    let names = predicate::relations_of(M::KIND, path);
    let related: &Related<'_> = &related(model, &names).await?;
    Ok(predicate::value_at(model, path, related))
}

fn all_fields<M: Resource>(model: &M) -> Map<Value> {
    match Ref::Record(model).to_value() {
        Value::Map(map) => map,
        _ => Map::default(),
    }
}

impl<M> Results<M> {
    fn from_shared(shared: Arc<Shared<M>>) -> Self {
        Self { shared, cursor: 0, fetch: Mutex::new(None), failed: false }
    }
}

impl<M> Clone for Results<M> {
    /// Shares the models; [`try_next`](Self::try_next) and the stream of the clone begin at the start.
    fn clone(&self) -> Self {
        Self::from_shared(self.shared.clone())
    }
}

/// Streams the models; pages are fetched when they are needed. The stream ends after an error.
impl<M: Resource> Stream for Results<M> {
    type Item = Result<M>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.failed {
            return Poll::Ready(None);
        }
        let (results, index) = (self.clone(), self.cursor);
        let fetch = self.fetch.get_mut().unwrap_or_else(PoisonError::into_inner);
        let future = fetch.get_or_insert_with(|| Box::pin(async move { results.get(index).await }));
        let Poll::Ready(next) = future.as_mut().poll(cx) else { return Poll::Pending };
        *fetch = None;
        self.failed = next.is_err();
        self.cursor += usize::from(matches!(next, Ok(Some(_))));
        Poll::Ready(next.map(|model| model.as_deref().cloned()).transpose())
    }
}

impl<M: Resource> std::ops::Add for Results<M> {
    type Output = Self;

    /// Appends the other set; duplicates stay.
    fn add(self, other: Self) -> Self {
        Self::from_feed(feed::Chained::new(self, other))
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
        let mut out = f.debug_struct("Results");
        if let Some(state) = self.shared.state.try_lock() {
            out.field("fetched", &state.items.len()).field("complete", &state.feed.is_none());
        }
        out.finish()
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
