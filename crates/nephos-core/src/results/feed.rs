//! Sources of the models of a result set.

use super::{
    Order,
    models::{Model, Models, related},
    order,
    slice::Slice,
};
use crate::{
    AnyPredicate, BoxFuture, Result, Session, Text,
    operation::{PageRequest, PageWorkflow, Source},
    save,
};
use std::sync::Arc;

/// A source of models, a batch at a time.
pub(super) trait Feed: Send {
    /// Returns the next batch, which may be empty; `None` after the last.
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>>;

    /// Returns the same source from the start, narrowed to what `filter` accepts, if it can do that.
    fn narrowed(&self, _filter: &AnyPredicate) -> Option<Box<dyn Feed>> {
        None
    }
}

/// The pages of a listing.
pub(super) struct Pages {
    session: Session,
    source: Source,
    filter: AnyPredicate,
    position: Position,
}

enum Position {
    Start,
    After(Text),
    End,
}

impl Pages {
    pub(super) fn new(session: Session, source: Source) -> Self {
        Self { session, source, filter: AnyPredicate::EVERYTHING, position: Position::Start }
    }
}

impl Feed for Pages {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>> {
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
            let page = PageWorkflow::page(outcome)?;
            self.position = page.next_token.map_or(Position::End, Position::After);
            Ok(Some(page.items))
        })
    }

    fn narrowed(&self, filter: &AnyPredicate) -> Option<Box<dyn Feed>> {
        let filter = self.filter.clone() & filter.clone();
        let (session, source) = (self.session.clone(), self.source.clone());
        Some(Box::new(Self { session, source, filter, position: Position::Start }))
    }
}

/// Models of another set that a predicate accepts.
pub(super) struct Filtered {
    from: Models,
    examined: usize,
    predicate: AnyPredicate,
    relations: Vec<&'static str>,
}

impl Filtered {
    pub(super) fn new(from: Models, mut predicate: AnyPredicate) -> Self {
        predicate.bind(from.kind().record);
        let mut relations = Vec::new();
        predicate.relations(from.kind(), &mut relations);
        Self { from, examined: 0, predicate, relations }
    }
}

impl Feed for Filtered {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>> {
        Box::pin(async move {
            if self.relations.is_empty() {
                let Some(mut models) = self.from.batch(self.examined).await? else { return Ok(None) };
                self.examined += models.len();
                models.retain(|model| self.predicate.accepts(&**model, &[]));
                return Ok(Some(models));
            }
            // Relations are looked up one model at a time, so that a set that is not read further makes no more
            // calls.
            let Some(model) = self.from.get(self.examined).await? else { return Ok(None) };
            let related = related(&*model, &self.relations).await?;
            self.examined += 1;
            Ok(Some(if self.predicate.accepts(&*model, &related) { vec![model] } else { Vec::new() }))
        })
    }

    fn narrowed(&self, filter: &AnyPredicate) -> Option<Box<dyn Feed>> {
        if self.examined > 0 {
            return None;
        }
        let from = self.from.narrowed(filter)?;
        Some(Box::new(Self::new(from, self.predicate.clone())))
    }
}

/// Models of another set, with the fields that its listing omits.
pub(super) struct Completed {
    from: Models,
    examined: usize,
    fields: Vec<usize>,
}

impl Completed {
    pub(super) fn new(from: Models, fields: Vec<usize>) -> Self {
        Self { from, examined: 0, fields }
    }
}

impl Feed for Completed {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>> {
        Box::pin(async move {
            // One model at a time, so that a set that is not read further makes no more calls.
            let Some(model) = self.from.get(self.examined).await? else { return Ok(None) };
            let lacks_one = self.fields.iter().any(|field| model.field(*field).view().is_null());
            let has_session = model.slot().is_some_and(|slot| slot.session().is_some());
            let model = if lacks_one && has_session {
                save::fetch_latest_any(&*model).await?.map(Arc::from)
            } else {
                Some(model)
            };
            self.examined += 1;
            Ok(Some(Vec::from_iter(model)))
        })
    }

    fn narrowed(&self, filter: &AnyPredicate) -> Option<Box<dyn Feed>> {
        if self.examined > 0 {
            return None;
        }
        let from = self.from.narrowed(filter)?;
        Some(Box::new(Self::new(from, self.fields.clone())))
    }
}

/// Models of another set in another order.
pub(super) struct Ordered {
    from: Option<Models>,
    order: Order,
}

impl Ordered {
    pub(super) fn new(from: Models, order: Order) -> Self {
        Self { from: Some(from), order }
    }
}

impl Feed for Ordered {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>> {
        Box::pin(async move {
            let Some(from) = &self.from else { return Ok(None) };
            let models = from.all().await?;
            let sorted = order::sorted(models, &self.order).await?;
            self.from = None;
            Ok(Some(sorted))
        })
    }
}

/// Slice of another set.
pub(super) struct Sliced {
    from: Models,
    slice: Slice,
    /// Number of models taken so far by a slice that does not count from the end.
    taken: usize,
    /// Models that are left of a slice that counts from the end.
    all: Option<std::vec::IntoIter<Model>>,
}

impl Sliced {
    pub(super) fn new(from: Models, slice: Slice) -> Self {
        Self { from, slice, taken: 0, all: None }
    }
}

impl Feed for Sliced {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>> {
        Box::pin(async move {
            if let Some(mut forward) = self.slice.forward() {
                let Some(index) = forward.nth(self.taken) else { return Ok(None) };
                self.taken += 1;
                return Ok(self.from.get(index).await?.map(|model| vec![model]));
            }
            if self.all.is_none() {
                let models = self.from.all().await?;
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
pub(super) struct Chained {
    first: Option<Models>,
    second: Models,
    passed: usize,
}

impl Chained {
    pub(super) fn new(first: Models, second: Models) -> Self {
        Self { first: Some(first), second, passed: 0 }
    }
}

impl Feed for Chained {
    fn next_batch(&mut self) -> BoxFuture<'_, Result<Option<Vec<Model>>>> {
        Box::pin(async move {
            if let Some(first) = &self.first {
                if let Some(models) = first.batch(self.passed).await? {
                    self.passed += models.len();
                    return Ok(Some(models));
                }
                self.first = None;
                self.passed = 0;
            }
            let models = self.second.batch(self.passed).await?;
            self.passed += models.as_ref().map_or(0, Vec::len);
            Ok(models)
        })
    }
}
