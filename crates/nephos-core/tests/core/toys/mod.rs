//! Toy services for the tests of the model layer: `shelf` has one flat kind, `Book`; `garden` has nested records,
//! enums, relations, unknown fields and a read-only kind; `attic` has a kind without identity. Their transport,
//! `Toy`, keeps rows in memory and counts requests.

#![allow(dead_code, reason = "each test file uses only some of the toys")]

pub mod attic;
pub mod garden;
pub mod shelf;

use nephos_core::{
    Answer, BoxFuture, Error, ErrorKind, Execution, NextStep, Outcome, Registry, Request, Result, Session,
    Transport, Value, Workflow,
};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// The two services of the tests.
pub static REGISTRY: Registry = Registry { services: &[&shelf::SERVICE, &garden::SERVICE] };

/// State of the toy services.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub books: BTreeMap<String, shelf::Book>,
    pub beds: BTreeMap<String, garden::Bed>,
    pub next_id: u64,
}

/// A transport that answers from memory. A workflow is one transaction: all of its changes happen, or none.
#[derive(Default)]
pub struct Toy {
    pub rows: Mutex<Rows>,
    /// Names of the operations that ran.
    pub operations: Mutex<Vec<&'static str>>,
    /// Number of pauses between polls.
    pub pauses: AtomicUsize,
    /// Errors to answer the next requests with; `None` for a normal answer.
    failures: Mutex<VecDeque<Option<Error>>>,
    /// Change of the rows at each pause.
    pause_change: Mutex<Option<PauseChange>>,
}

type PauseChange = Box<dyn FnMut(&mut Rows) + Send>;

impl Toy {
    pub fn session() -> (Session, Arc<Self>) {
        let toy = Arc::new(Self::default());
        (Session::new(toy.clone()), toy)
    }

    /// Makes a session with `count` books: `book-0` with 10 pages, `book-1` with 20 pages …
    pub fn with_books(count: usize) -> (Session, Arc<Self>) {
        let (session, toy) = Self::session();
        for n in 0..count {
            let (title, pages) = (format!("book-{n}"), 10 * (n as i64 + 1));
            toy.shelve(shelf::Book::shelved(&title, pages));
        }
        (session, toy)
    }

    /// Puts a book on the shelf without a request.
    pub fn shelve(&self, book: shelf::Book) {
        let title = book.title().expect("a book has a title").to_owned();
        self.rows.lock().expect("the lock is not poisoned").books.insert(title, book);
    }

    /// Answers the next request with `error`.
    pub fn fail_next(&self, error: Error) {
        self.failures.lock().expect("the lock is not poisoned").push_back(Some(error));
    }

    /// Answers the next request as usual and the one after that with `error`.
    pub fn fail_second(&self, error: Error) {
        self.failures.lock().expect("the lock is not poisoned").extend([None, Some(error)]);
    }

    /// Applies `change` at each pause between polls.
    pub fn on_pause(&self, change: impl FnMut(&mut Rows) + Send + 'static) {
        *self.pause_change.lock().expect("the lock is not poisoned") = Some(Box::new(change));
    }

    /// Number of operations that ran.
    pub fn requests(&self) -> usize {
        self.operations.lock().expect("the lock is not poisoned").len()
    }

    /// Number of times that the operation ran.
    pub fn count(&self, operation: &str) -> usize {
        self.operations
            .lock()
            .expect("the lock is not poisoned")
            .iter()
            .filter(|name| **name == operation)
            .count()
    }

    fn execute(&self, session: &Session, workflow: Arc<dyn Workflow>) -> Result<Outcome> {
        let mut rows = self.rows.lock().expect("the lock is not poisoned");
        let mut changed = rows.clone();
        let mut execution = Execution::start(workflow, session);
        loop {
            match execution.next_step() {
                NextStep::Call(request) => {
                    self.operations.lock().expect("the lock is not poisoned").push(request.operation.name);
                    let refusal = self.failures.lock().expect("the lock is not poisoned").pop_front();
                    execution.answer(match refusal.flatten() {
                        Some(error) => Err(error),
                        None => answer(&mut changed, request),
                    });
                }
                NextStep::Done(outcome) => {
                    if outcome.is_ok() {
                        *rows = changed;
                    }
                    return outcome;
                }
            }
        }
    }
}

fn answer(rows: &mut Rows, request: Request) -> Answer {
    match request.service.name {
        "shelf" => shelf::answer(rows, request),
        "garden" => garden::answer(rows, request),
        other => Err(Error::new(ErrorKind::Unsupported, other)),
    }
}

impl Transport for Toy {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let outcome = self.execute(session, workflow);
        Box::pin(async move { outcome })
    }

    fn pause(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        self.pauses.fetch_add(1, Ordering::Relaxed);
        if let Some(change) = &mut *self.pause_change.lock().expect("the lock is not poisoned") {
            change(&mut self.rows.lock().expect("the lock is not poisoned"));
        }
        Box::pin(async {})
    }
}

/// Makes a mapping of values.
pub fn values<const N: usize>(pairs: [(&str, Value); N]) -> nephos_core::Map<Value> {
    pairs.into_iter().map(|(key, value)| (key.into(), value)).collect()
}

/// Returns the message of a value error, as a user reads it.
#[track_caller]
pub fn refusal<T: std::fmt::Debug>(outcome: Result<T>) -> String {
    let error = outcome.expect_err("the value must be rejected");
    let line = error.to_string();
    assert!(error.is_value_error(), "{error:?}");
    assert!(!line.contains(['\n', '\r']), "an error is one line: {line:?}");
    line
}

/// Returns the value at a path of field names. Some kinds have a `get` of their own, which would hide
/// `Record::get`.
pub fn at(record: &impl nephos_core::Record, path: &str) -> Result<Value> {
    record.get(path)
}
