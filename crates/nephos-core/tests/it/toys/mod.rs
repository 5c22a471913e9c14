//! Two toy services that the tests of the model layer run on: `shelf`, with one flat kind, and `garden`, with nested
//! records, enums, relations, extras and a read-only kind. Their transport keeps rows in memory and counts requests.

#![allow(dead_code, reason = "each test file uses its part of the toys")]

pub mod garden;
pub mod shelf;

use nephos_core::{
    Answer, BoxFuture, Error, ErrorKind, Outcome, Play, Registry, Request, Result, Script, Session,
    Transport, Turn, Value,
};
use std::{
    collections::BTreeMap,
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

/// A transport that answers from memory: a script as a whole, or not at all.
#[derive(Default)]
pub struct Toy {
    pub rows: Mutex<Rows>,
    /// Operations carried out, by name.
    pub asked: Mutex<Vec<&'static str>>,
    /// How often a wait let time pass.
    pub pauses: AtomicUsize,
}

impl Toy {
    pub fn session() -> (Session, Arc<Self>) {
        let toy = Arc::new(Self::default());
        (Session::new(toy.clone()), toy)
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

    fn play(&self, session: &Session, script: Arc<dyn Script>) -> Result<Outcome> {
        let mut rows = self.rows.lock().expect("no test panics while it holds the toy");
        let mut changed = rows.clone();
        let mut play = Play::start(script, session);
        loop {
            match play.turn() {
                Turn::Ask(request) => {
                    self.asked
                        .lock()
                        .expect("no test panics while it holds the toy")
                        .push(request.operation.name);
                    play.answer(answer(&mut changed, request));
                }
                Turn::Done(outcome) => {
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
    fn run(&self, session: &Session, script: Arc<dyn Script>) -> BoxFuture<'static, Result<Outcome>> {
        let outcome = self.play(session, script);
        Box::pin(async move { outcome })
    }

    fn pause(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        self.pauses.fetch_add(1, Ordering::Relaxed);
        Box::pin(async {})
    }
}

/// A mapping of values, for tests.
pub fn values<const N: usize>(pairs: [(&str, Value); N]) -> nephos_core::Map<Value> {
    pairs.into_iter().map(|(key, value)| (key.into(), value)).collect()
}
