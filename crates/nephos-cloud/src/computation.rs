//! Long computations of handlers, such as the generation of a key pair, outside transactions.
//!
//! A transaction that writes runs alone, so a handler must not compute for long in it. At the first call of
//! [`Tx::compute`] the transaction is rolled back; the computation runs on a thread of its own; then the transaction runs
//! again, and the same call returns the result.

use crate::{Tx, internal, outside};
use nephos_core::{Error, Result};
use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Result of a computation.
type Computed = Arc<dyn Any + Send + Sync>;

/// A computation that a transaction waits for.
pub(crate) struct Computation(Box<dyn FnOnce() -> Result<Computed> + Send>);

/// Results of the computations of a request, in the order of the calls.
#[derive(Clone, Default)]
pub(crate) struct Results(Vec<Computed>);

impl Results {
    /// Runs a computation on a thread of its own, and adds its result.
    pub(crate) async fn add(&mut self, computation: Computation) -> Result<()> {
        self.0.push(outside::on_thread("nephos-computation", computation.0).await?);
        Ok(())
    }

    /// Runs a computation on this thread, and adds its result.
    pub(crate) fn add_here(&mut self, computation: Computation) -> Result<()> {
        let computed = catch_unwind(AssertUnwindSafe(computation.0));
        self.0.push(computed.unwrap_or_else(|_| Err(internal("a computation panicked")))?);
        Ok(())
    }
}

/// Computations of a transaction.
#[derive(Default)]
pub(crate) enum Computations {
    /// They run inside the transaction.
    #[default]
    Inside,
    /// They run outside it: the results so far, the number of results used, and the computation to run next.
    Outside { results: Results, used: usize, wanted: Option<Computation> },
}

impl Computations {
    pub(crate) fn outside(results: &Results) -> Self {
        Self::Outside { results: results.clone(), used: 0, wanted: None }
    }

    /// False if they run inside the transaction.
    pub(crate) fn are_outside(&self) -> bool {
        matches!(self, Self::Outside { .. })
    }

    /// Takes the computation that the transaction waits for.
    pub(crate) fn take_wanted(&mut self) -> Option<Computation> {
        match self {
            Self::Inside => None,
            Self::Outside { wanted, .. } => wanted.take(),
        }
    }
}

impl Tx<'_> {
    /// Returns the result of a long computation, which runs outside the transaction. Until it has run, returns an error,
    /// which the handler must return at once; the handler runs again afterwards. Everything before the call must be the
    /// same in each run, and `compute` must depend on nothing that it does not own.
    pub fn compute<T: Clone + Send + Sync + 'static>(
        &mut self,
        compute: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (results, used, wanted) = match &mut self.computations {
            Computations::Inside => return compute(),
            Computations::Outside { results, used, wanted } => (results, used, wanted),
        };
        let Some(result) = results.0.get(*used) else {
            let computation = move || compute().map(|result| Arc::new(result) as Computed);
            wanted.get_or_insert(Computation(Box::new(computation)));
            return Err(waiting());
        };
        *used += 1;
        let result = result.downcast_ref::<T>().cloned();
        result.ok_or_else(|| internal("a computation has another result than in the previous run"))
    }

    /// Takes the computation that this transaction waits for.
    pub(crate) fn take_wanted(&mut self) -> Option<Computation> {
        mem::take(&mut self.computations).take_wanted()
    }
}

/// Error of a handler that waits for a computation; nobody sees it.
pub(crate) fn waiting() -> Error {
    internal("the transaction waits for a computation")
}
