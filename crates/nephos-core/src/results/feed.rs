//! Sources of the models of a result set.

use super::{Order, Results, Slice, order, related};
use crate::{
    AnyPredicate, BoxFuture, Resource, Result, Session, Text,
    operation::{Page, PageRequest, PageWorkflow, Source, downcast},
    save,
};
use std::sync::Arc;

/// A source of models, a batch at a time.
pub(super) trait Feed<M>: Send {
    /// Returns the next batch, which may be empty; `None` after the last.
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>>;

    /// Returns the same source from the start, narrowed to what `filter` accepts, if it can do that.
    fn narrowed(&self, _filter: &AnyPredicate) -> Option<Box<dyn Feed<M>>> {
        None
    }
}

/// The pages of a listing.
pub(super) struct Pages<M> {
    session: Session,
    source: Source<M>,
    filter: AnyPredicate,
    position: Position,
}

enum Position {
    Start,
    After(Text),
    End,
}

impl<M: Resource> Pages<M> {
    pub(super) fn new(session: Session, source: Source<M>) -> Self {
        Self { session, source, filter: AnyPredicate::EVERYTHING, position: Position::Start }
    }
}

impl<M: Resource> Feed<M> for Pages<M> {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>> {
        Box::pin(async move {
            let token = match &self.position {
                Position::Start => None,
                Position::After(token) => Some(token.clone()),
                Position::End => return Ok(None),
            };
            let request = PageRequest { token, filter: self.filter.clone() };
            let workflow = Arc::new(PageWorkflow { source: self.source.clone(), request });
            let outcome = self.session.transport().run(&self.session, workflow).await;
            let outcome = outcome.map_err(|error| error.during(self.source.call.name))?;
            let page: Page<M> = downcast(outcome)?;
            self.position = page.next_token.map_or(Position::End, Position::After);
            Ok(Some(page.items.into_iter().map(Arc::new).collect()))
        })
    }

    fn narrowed(&self, filter: &AnyPredicate) -> Option<Box<dyn Feed<M>>> {
        let filter = self.filter.clone() & filter.clone();
        let (session, source) = (self.session.clone(), self.source.clone());
        Some(Box::new(Self { session, source, filter, position: Position::Start }))
    }
}

/// Models of another set that a predicate accepts.
pub(super) struct Filtered<M> {
    from: Results<M>,
    examined: usize,
    predicate: AnyPredicate,
    relations: Vec<&'static str>,
}

impl<M: Resource> Filtered<M> {
    pub(super) fn new(from: Results<M>, mut predicate: AnyPredicate) -> Self {
        predicate.bind(M::SHAPE);
        let mut relations = Vec::new();
        predicate.relations(M::KIND, &mut relations);
        Self { from, examined: 0, predicate, relations }
    }
}

impl<M: Resource> Feed<M> for Filtered<M> {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>> {
        Box::pin(async move {
            if self.relations.is_empty() {
                let accept = |model: &&Arc<M>| self.predicate.accepts(&***model, &[]);
                let read =
                    |models: &[Arc<M>]| (models.len(), models.iter().filter(accept).cloned().collect());
                let Some((seen, accepted)) = self.from.batch(self.examined, read).await? else {
                    return Ok(None);
                };
                self.examined += seen;
                return Ok(Some(accepted));
            }
            // Relations are looked up one model at a time, so that a set that is not read further makes no more
            // calls.
            let Some(model) = self.from.get(self.examined).await? else { return Ok(None) };
            let related = related(&*model, &self.relations).await?;
            self.examined += 1;
            Ok(Some(if self.predicate.accepts(&*model, &related) { vec![model] } else { Vec::new() }))
        })
    }

    fn narrowed(&self, filter: &AnyPredicate) -> Option<Box<dyn Feed<M>>> {
        if self.examined > 0 {
            return None;
        }
        let from = self.from.narrowed(filter)?;
        Some(Box::new(Self::new(from, self.predicate.clone())))
    }
}

/// Models of another set, with the fields that its listing omits.
pub(super) struct Completed<M> {
    from: Results<M>,
    examined: usize,
    fields: Vec<usize>,
}

impl<M: Resource> Completed<M> {
    pub(super) fn new(from: Results<M>, fields: Vec<usize>) -> Self {
        Self { from, examined: 0, fields }
    }
}

impl<M: Resource> Feed<M> for Completed<M> {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>> {
        Box::pin(async move {
            // One model at a time, so that a set that is not read further makes no more calls.
            let Some(model) = self.from.get(self.examined).await? else { return Ok(None) };
            let lacks_one = self.fields.iter().any(|field| model.field(*field).view().is_null());
            let model = match lacks_one && model.session().is_some() {
                true => save::fetch_latest(&*model).await?.map(Arc::new),
                false => Some(model),
            };
            self.examined += 1;
            Ok(Some(Vec::from_iter(model)))
        })
    }

    fn narrowed(&self, filter: &AnyPredicate) -> Option<Box<dyn Feed<M>>> {
        if self.examined > 0 {
            return None;
        }
        let from = self.from.narrowed(filter)?;
        Some(Box::new(Self::new(from, self.fields.clone())))
    }
}

/// Models of another set in another order.
pub(super) struct Ordered<M> {
    from: Option<Results<M>>,
    order: Order,
}

impl<M: Resource> Ordered<M> {
    pub(super) fn new(from: Results<M>, order: Order) -> Self {
        Self { from: Some(from), order }
    }
}

impl<M: Resource> Feed<M> for Ordered<M> {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>> {
        Box::pin(async move {
            let Some(from) = &self.from else { return Ok(None) };
            let models = from.shared_items().await?;
            let sorted = order::sorted(models, &self.order).await?;
            self.from = None;
            Ok(Some(sorted))
        })
    }
}

/// Slice of another set.
pub(super) struct Sliced<M> {
    from: Results<M>,
    slice: Slice,
    /// Number of models taken so far by a slice that does not count from the end.
    taken: usize,
    /// Models that are left of a slice that counts from the end.
    all: Option<std::vec::IntoIter<Arc<M>>>,
}

impl<M: Resource> Sliced<M> {
    pub(super) fn new(from: Results<M>, slice: Slice) -> Self {
        Self { from, slice, taken: 0, all: None }
    }
}

impl<M: Resource> Feed<M> for Sliced<M> {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>> {
        Box::pin(async move {
            if let Some(mut forward) = self.slice.forward() {
                let Some(index) = forward.nth(self.taken) else { return Ok(None) };
                self.taken += 1;
                return Ok(self.from.get(index).await?.map(|model| vec![model]));
            }
            if self.all.is_none() {
                let models = self.from.shared_items().await?;
                let indices = self.slice.indices(models.len());
                let taken: Vec<_> = indices.into_iter().map(|index| models[index].clone()).collect();
                self.all = Some(taken.into_iter());
            }
            let rest: Vec<_> = self.all.iter_mut().flatten().collect();
            Ok(if rest.is_empty() { None } else { Some(rest) })
        })
    }
}

/// One set followed by another.
pub(super) struct Chained<M> {
    first: Option<Results<M>>,
    second: Results<M>,
    passed: usize,
}

impl<M: Resource> Chained<M> {
    pub(super) fn new(first: Results<M>, second: Results<M>) -> Self {
        Self { first: Some(first), second, passed: 0 }
    }
}

impl<M: Resource> Feed<M> for Chained<M> {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Arc<M>>>>> {
        Box::pin(async move {
            if let Some(first) = &self.first {
                if let Some(models) = first.batch(self.passed, <[_]>::to_vec).await? {
                    self.passed += models.len();
                    return Ok(Some(models));
                }
                self.first = None;
                self.passed = 0;
            }
            let models = self.second.batch(self.passed, <[_]>::to_vec).await?;
            self.passed += models.as_ref().map_or(0, Vec::len);
            Ok(models)
        })
    }
}
