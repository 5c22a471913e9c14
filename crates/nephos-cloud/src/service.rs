//! What a service brings to the cloud: how its operations behave, what it does later, and where it keeps its rows.

use crate::{Control, Question, Table, Tx, rows};
use nephos_core::{
    Answer, BoxFuture, Outcome, Record, Result, Workflow, WorkflowContext,
    dynamic::{self, Fill},
    operation::WireOperation,
    record::Fields,
    shape::{Effect, OperationShape, ServiceShape},
    view::View,
};
use std::{any::Any, sync::Arc};

/// How an operation of a service behaves.
pub trait Handler: WireOperation {
    /// Carries it out. It refuses before it writes.
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output>;
}

/// Something a service does at a time of its own, such as to let events expire. It is a row until it is done.
pub trait Work: Record {
    /// What it is called in its row: `logs/expire`.
    const NAME: &'static str;

    /// Does it. It must cope with a world that has changed since it was left for later.
    fn run(self, cx: &mut Tx<'_>) -> Result<()>;
}

/// Something a service asks of a function outside the cloud, such as to rotate a secret. It is a row until it is done.
pub trait Callback: Record {
    /// What it is called in its row: `secretsmanager/rotate`.
    const NAME: &'static str;

    /// What is asked, and of whom; none if there is nothing to ask any more.
    fn ask(&self, cx: &Tx<'_>) -> Result<Option<Question>>;

    /// Takes what came of it. The world may have changed meanwhile, not least by what the function did.
    fn settle(self, outcome: Result<()>, cx: &mut Tx<'_>) -> Result<()>;
}

/// A service in the cloud: a static list of all that it brings.
#[derive(Debug)]
pub struct Service {
    /// Its description.
    pub shape: &'static ServiceShape,
    /// How its operations behave, one each.
    pub handlers: &'static [Entry],
    /// What tests may set on it.
    pub controls: &'static [Control],
    /// What people look at beside the records of its kinds.
    pub views: &'static [View],
    /// What it does later, itself or through functions outside.
    pub works: &'static [WorkEntry],
    /// Where it keeps its rows.
    pub tables: &'static [Table],
}

/// One behaviour in the list of a service.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The operation.
    pub operation: &'static OperationShape,
    pub(crate) run: fn(Box<dyn Fields>, &mut Tx<'_>) -> Answer,
    workflow: fn(Fill<'_>) -> Result<Arc<dyn Workflow>>,
}

impl Entry {
    /// The entry of `O`.
    pub const fn new<O: Handler>() -> Self {
        Self { operation: O::OPERATION, run: run::<O>, workflow: workflow::<O> }
    }

    /// The operation with the parameters that `fill` gives, for a transport to play. It comes to a `Box<dyn Fields>`:
    /// the answer, for whoever does not know its type.
    pub fn workflow(&self, fill: Fill<'_>) -> Result<Arc<dyn Workflow>> {
        (self.workflow)(fill)
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.operation.name)
    }
}

fn run<O: Handler>(params: Box<dyn Fields>, cx: &mut Tx<'_>) -> Answer {
    let params: Box<dyn Any> = params;
    let params = params
        .downcast::<O>()
        .map_err(|_| crate::internal("these are the parameters of another operation"))?;
    Ok(Box::new((*params).run(cx)?))
}

fn workflow<O: Handler>(fill: Fill<'_>) -> Result<Arc<dyn Workflow>> {
    let params: Box<dyn Any> = dynamic::request::<O>(fill)?.params;
    let params = params.downcast::<O>().map_err(|_| crate::internal("a request has its own parameters"))?;
    Ok(Arc::new(Once(*params)))
}

/// A workflow of one operation.
struct Once<O>(O);

impl<O: Handler> Workflow for Once<O> {
    fn name(&self) -> &'static str {
        O::OPERATION.name
    }

    fn effect(&self) -> Effect {
        O::OPERATION.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let answer: Box<dyn Fields> = Box::new(context.call(self.0.clone()).await?);
            Ok(Box::new(answer) as Outcome)
        })
    }
}

/// One work in the list of a service.
#[derive(Clone, Copy)]
pub struct WorkEntry {
    pub(crate) name: &'static str,
    pub(crate) how: How,
}

/// How a work is done.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// In a transaction.
    Work(fn(&[u8], &mut Tx<'_>) -> Result<()>),
    /// By a function outside, between two transactions.
    Callback {
        ask: fn(&[u8], &Tx<'_>) -> Result<Option<Question>>,
        settle: fn(&[u8], Result<()>, &mut Tx<'_>) -> Result<()>,
    },
}

impl WorkEntry {
    /// The entry of `W`.
    pub const fn new<W: Work>() -> Self {
        Self { name: W::NAME, how: How::Work(|row, cx| rows::decode::<W>(row)?.run(cx)) }
    }

    /// The entry of `E`.
    pub const fn callback<E: Callback>() -> Self {
        let how = How::Callback {
            ask: |row, cx| rows::decode::<E>(row)?.ask(cx),
            settle: |row, outcome, cx| rows::decode::<E>(row)?.settle(outcome, cx),
        };
        Self { name: E::NAME, how }
    }
}

impl std::fmt::Debug for WorkEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Lists the operations of a service, each of which has a behaviour: `OPERATIONS` for its description, `HANDLERS` for
/// the cloud.
#[macro_export]
macro_rules! handlers {
    ($($operation:ty),+ $(,)?) => {
        static OPERATIONS: &[&::nephos_core::shape::OperationShape] =
            &[$(<$operation as ::nephos_core::Operation>::OPERATION),+];
        static HANDLERS: &[$crate::Entry] = &[$($crate::Entry::new::<$operation>()),+];
    };
}
