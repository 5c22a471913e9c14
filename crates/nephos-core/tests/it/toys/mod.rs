//! Two toy services that the tests of the model layer run on: `shelf`, with one flat kind, and `garden`, with nested
//! records, enums, relations, extras and a read-only kind; `attic` has a kind of neither. Their transport keeps rows in memory and counts requests.

#![allow(dead_code, reason = "each test file uses its part of the toys")]

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

/// Both services.
pub static REGISTRY: Registry = Registry { services: &[&shelf::SERVICE, &garden::SERVICE] };

/// What the toy services keep.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub books: BTreeMap<String, shelf::Book>,
    pub beds: BTreeMap<String, garden::Bed>,
    pub next_id: u64,
}

/// A transport that answers from memory: a workflow as a whole, or not at all.
#[derive(Default)]
pub struct Toy {
    pub rows: Mutex<Rows>,
    /// Operations carried out, by name.
    pub asked: Mutex<Vec<&'static str>>,
    /// How often a wait let time pass.
    pub pauses: AtomicUsize,
    /// What the next requests are answered with, where not as usual.
    refusals: Mutex<VecDeque<Option<Error>>>,
    /// What happens to the rows while a wait lets time pass.
    meanwhile: Mutex<Option<Meanwhile>>,
}

type Meanwhile = Box<dyn FnMut(&mut Rows) + Send>;

impl Toy {
    pub fn session() -> (Session, Arc<Self>) {
        let toy = Arc::new(Self::default());
        (Session::new(toy.clone()), toy)
    }

    /// A session on a shelf with so many books, `book-0` of 10 pages, `book-1` of 20 pages …
    pub fn with_books(count: usize) -> (Session, Arc<Self>) {
        let (session, toy) = Self::session();
        for n in 0..count {
            let (title, pages) = (format!("book-{n}"), 10 * (n as i64 + 1));
            toy.shelve(shelf::Book::shelved(&title, pages));
        }
        (session, toy)
    }

    /// Puts a book on the shelf without asking the service.
    pub fn shelve(&self, book: shelf::Book) {
        let title = book.title().expect("a book has a title").to_owned();
        self.rows.lock().expect("no test panics while it holds the toy").books.insert(title, book);
    }

    /// Answers the next request with `error`.
    pub fn refuse_next(&self, error: Error) {
        self.refusals.lock().expect("no test panics while it holds the toy").push_back(Some(error));
    }

    /// Answers the next request as usual and the one after that with `error`.
    pub fn refuse_second(&self, error: Error) {
        self.refusals.lock().expect("no test panics while it holds the toy").extend([None, Some(error)]);
    }

    /// Does `change` each time that a wait lets time pass.
    pub fn as_time_passes(&self, change: impl FnMut(&mut Rows) + Send + 'static) {
        *self.meanwhile.lock().expect("no test panics while it holds the toy") = Some(Box::new(change));
    }

    /// How often any operation was asked for.
    pub fn requests(&self) -> usize {
        self.asked.lock().expect("no test panics while it holds the toy").len()
    }

    /// How often the operation was asked for.
    pub fn count(&self, operation: &str) -> usize {
        self.asked
            .lock()
            .expect("no test panics while it holds the toy")
            .iter()
            .filter(|name| **name == operation)
            .count()
    }

    fn execute(&self, session: &Session, workflow: Arc<dyn Workflow>) -> Result<Outcome> {
        let mut rows = self.rows.lock().expect("no test panics while it holds the toy");
        let mut changed = rows.clone();
        let mut play = Execution::start(workflow, session);
        loop {
            match play.next_step() {
                NextStep::Call(request) => {
                    self.asked
                        .lock()
                        .expect("no test panics while it holds the toy")
                        .push(request.operation.name);
                    let refusal =
                        self.refusals.lock().expect("no test panics while it holds the toy").pop_front();
                    play.answer(match refusal.flatten() {
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
        if let Some(change) = &mut *self.meanwhile.lock().expect("no test panics while it holds the toy") {
            change(&mut self.rows.lock().expect("no test panics while it holds the toy"));
        }
        Box::pin(async {})
    }
}

/// A mapping of values, for tests.
pub fn values<const N: usize>(pairs: [(&str, Value); N]) -> nephos_core::Map<Value> {
    pairs.into_iter().map(|(key, value)| (key.into(), value)).collect()
}

/// How a value was refused, as a user reads it.
#[track_caller]
pub fn refusal<T: std::fmt::Debug>(outcome: Result<T>) -> String {
    let error = outcome.expect_err("this is refused");
    let line = error.to_string();
    assert!(error.is_value_error(), "{error:?}");
    assert!(!line.contains(['\n', '\r']), "an error is one line: {line:?}");
    line
}

/// The value at a path of field names. Of a kind whose models can get themselves anew, `.get()` does that instead.
pub fn at(record: &impl nephos_core::Record, path: &str) -> Result<Value> {
    record.get(path)
}
