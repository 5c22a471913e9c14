//! A result set without the type of its models: everything that result sets do, compiled once for all kinds.

use super::{
    Order,
    feed::{self, Feed},
    slice::Slice,
};
use crate::{
    AnyPredicate, Error, ErrorKind, Map, Result, Session, Text, Value,
    operation::Source,
    predicate::{self, Related},
    record::Fields,
    relation::Found,
    shape::KindShape,
    value::Ref,
};
use std::sync::Arc;

/// A model whose type is not known.
pub(crate) type Model = Arc<dyn Fields>;

/// Models of one kind, fetched lazily. Clones share what was fetched.
#[derive(Clone)]
pub(crate) struct Models {
    kind: &'static KindShape,
    shared: Arc<async_lock::Mutex<State>>,
}

struct State {
    /// Models fetched so far, shared with the sets made from this one.
    items: Vec<Model>,
    /// Source of the models that are left; none once all are fetched.
    feed: Option<Box<dyn Feed>>,
    /// Error that every use of the set returns.
    failed: Option<Error>,
}

impl Models {
    fn from_feed(kind: &'static KindShape, feed: impl Feed + 'static) -> Self {
        Self::from_state(kind, State { items: Vec::new(), feed: Some(Box::new(feed)), failed: None })
    }

    fn from_state(kind: &'static KindShape, state: State) -> Self {
        Self { kind, shared: Arc::new(async_lock::Mutex::new(state)) }
    }

    /// Returns the models that `source` lists in `session`.
    pub(crate) fn listing(kind: &'static KindShape, session: Session, source: Source) -> Self {
        Self::from_feed(kind, feed::Pages::new(session, source))
    }

    /// Makes a set of models that need not be fetched.
    pub(crate) fn from_models(kind: &'static KindShape, items: Vec<Model>) -> Self {
        Self::from_state(kind, State { items, feed: None, failed: None })
    }

    /// Makes a set that fails with `error` when it is used.
    pub(crate) fn failing(kind: &'static KindShape, error: Error) -> Self {
        Self::from_state(kind, State { items: Vec::new(), feed: None, failed: Some(error) })
    }

    /// Kind of the models.
    pub(crate) fn kind(&self) -> &'static KindShape {
        self.kind
    }

    /// Returns the models of this set and then those of the other.
    pub(crate) fn chained(self, other: Self) -> Self {
        Self::from_feed(self.kind, feed::Chained::new(self, other))
    }

    /// Returns every `step`-th model from `start` to before `end`, as Python slices a list.
    pub(crate) fn sliced(&self, start: Option<i64>, end: Option<i64>, step: i64) -> Self {
        match Slice::new(start, end, step) {
            Ok(slice) => Self::from_feed(self.kind, feed::Sliced::new(self.clone(), slice)),
            Err(error) => Self::failing(self.kind, error),
        }
    }

    /// Returns the model at `index`, counted from the end if it is negative.
    pub(crate) async fn model_at(&self, index: i64) -> Result<Model> {
        let found = match usize::try_from(index) {
            Ok(index) => self.get(index).await?,
            Err(_) => {
                let state = self.fetch_all().await?;
                let from_end = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
                let position = state.items.len().checked_sub(from_end);
                position.map(|position| state.items[position].clone())
            }
        };
        found.ok_or_else(|| Error::invalid("index", format!("{index} is out of range")))
    }

    /// Returns the models that `predicate` accepts.
    pub(crate) fn filtered(&self, predicate: AnyPredicate) -> Self {
        let from = self.narrowed(&predicate).unwrap_or_else(|| self.clone());
        let shape = self.kind.record;
        // What a listing returns is tested first, so that fewer models are fetched for the fields that it omits.
        let (listed, unlisted) = predicate.split_unlisted(shape);
        let mut fields = Vec::new();
        unlisted.unlisted(shape, &mut fields);
        let filtered = Self::from_feed(self.kind, feed::Filtered::new(from, listed));
        if fields.is_empty() {
            return filtered;
        }
        Self::from_feed(self.kind, feed::Filtered::new(filtered.completed(fields), unlisted))
    }

    /// Returns the same models with the values of `fields`, also of those that the listing omits.
    pub(crate) fn with_fields(&self, fields: &[&str]) -> Self {
        let shape = self.kind.record;
        let unlisted =
            fields.iter().filter_map(|name| predicate::unlisted_field(shape, name.split("__").next()));
        self.completed(unlisted.collect())
    }

    /// Fetches the models that lack one of `fields`.
    fn completed(&self, fields: Vec<usize>) -> Self {
        if fields.is_empty() {
            self.clone()
        } else {
            Self::from_feed(self.kind, feed::Completed::new(self.clone(), fields))
        }
    }

    /// Returns the same set from the start, narrowed to what `filter` accepts, if its source can do that and
    /// nothing was fetched yet.
    pub(super) fn narrowed(&self, filter: &AnyPredicate) -> Option<Self> {
        let state = self.shared.try_lock()?;
        let feed = state.feed.as_ref().filter(|_| state.items.is_empty())?.narrowed(filter)?;
        Some(Self::from_state(self.kind, State { items: Vec::new(), feed: Some(feed), failed: None }))
    }

    /// Returns the models in another order.
    pub(crate) fn ordered(&self, order: Order) -> Self {
        let unlisted = predicate::unlisted_field(self.kind.record, order.path.first());
        let from = self.completed(Vec::from_iter(unlisted));
        Self::from_feed(self.kind, feed::Ordered::new(from, order))
    }

    /// Returns for each model a mapping from each of `paths` to its value; without paths, all its fields.
    pub(crate) async fn values(&self, paths: &[(String, Vec<Text>)]) -> Result<Vec<Map<Value>>> {
        let models = self.all().await?;
        let mut rows = Vec::with_capacity(models.len());
        for model in &models {
            rows.push(if paths.is_empty() {
                all_fields(&**model)
            } else {
                let mut row = Map::default();
                for (name, path) in paths {
                    row.insert(Text::new(name), value_of(&**model, path).await?);
                }
                row
            });
        }
        Ok(rows)
    }

    /// Returns for each model the values at `paths`, in their order. There must be at least one path.
    pub(crate) async fn values_list(&self, paths: &[Vec<Text>]) -> Result<Vec<Vec<Value>>> {
        if paths.is_empty() {
            return Err(Error::new(ErrorKind::Invalid, "values_list needs at least one path"));
        }
        let models = self.all().await?;
        let mut rows = Vec::with_capacity(models.len());
        for model in &models {
            let mut row = Vec::with_capacity(paths.len());
            for path in paths {
                row.push(value_of(&**model, path).await?);
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Returns the model at `index`, fetching no more pages than needed.
    pub(crate) async fn get(&self, index: usize) -> Result<Option<Model>> {
        let mut state = self.shared.lock().await;
        while state.items.len() <= index {
            if !state.fetch().await? {
                return Ok(None);
            }
        }
        Ok(Some(state.items[index].clone()))
    }

    /// Returns the fetched models from `index` on, at least one; `None` if there are none.
    pub(super) async fn batch(&self, index: usize) -> Result<Option<Vec<Model>>> {
        let mut state = self.shared.lock().await;
        while state.items.len() <= index {
            if !state.fetch().await? {
                return Ok(None);
            }
        }
        Ok(Some(state.items[index..].to_vec()))
    }

    /// Returns all models without copying any.
    pub(crate) async fn all(&self) -> Result<Vec<Model>> {
        Ok(self.fetch_all().await?.items.clone())
    }

    /// Returns the number of models.
    pub(crate) async fn count(&self) -> Result<usize> {
        Ok(self.fetch_all().await?.items.len())
    }

    async fn fetch_all(&self) -> Result<async_lock::MutexGuard<'_, State>> {
        let mut state = self.shared.lock().await;
        while state.fetch().await? {}
        Ok(state)
    }
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = f.debug_struct("Results");
        if let Some(state) = self.shared.try_lock() {
            out.field("fetched", &state.items.len()).field("complete", &state.feed.is_none());
        }
        out.finish()
    }
}

impl State {
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
pub(super) async fn related<'n>(model: &dyn Fields, names: &[&'n str]) -> Result<Vec<(&'n str, Found)>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        if let Some(lookup) = model.related(name) {
            found.push((*name, lookup.await?));
        }
    }
    Ok(found)
}

pub(super) async fn value_of(model: &dyn Fields, path: &[Text]) -> Result<Value> {
    let names = model.kind().map(|kind| predicate::relations_of(kind, path)).unwrap_or_default();
    let related: &Related<'_> = &related(model, &names).await?;
    Ok(predicate::value_at(model, path, related))
}

fn all_fields(model: &dyn Fields) -> Map<Value> {
    match Ref::Record(model).to_value() {
        Value::Map(map) => map,
        _ => Map::default(),
    }
}
