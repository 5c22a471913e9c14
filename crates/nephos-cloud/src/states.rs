//! States that a resource goes through by itself: a table per kind, carried out on the clock.

use crate::{Stored, Tx, Work, key::Key, rows};
use nephos_core::{
    Blob, Record, Result, SignedDuration, Text, Value,
    fill::{self, Reader},
    record::{self, Fields},
};

/// A change of state that a resource makes by itself, some time after it entered a state.
#[derive(Clone, Copy, Debug)]
pub struct Transition {
    /// The path of the field that holds the state.
    pub field: &'static str,
    /// The state that it leaves.
    pub from: &'static str,
    /// The state that it enters.
    pub to: &'static str,
    /// The time that it takes at the provider.
    pub after: SignedDuration,
}

impl Transition {
    /// A transition of `field` after so many seconds.
    pub const fn new(field: &'static str, from: &'static str, to: &'static str, seconds: i64) -> Self {
        Self { field, from, to, after: SignedDuration::from_secs(seconds) }
    }
}

/// The job that takes a resource on to its next state.
#[derive(Record)]
pub(crate) struct NextState {
    /// The table of its row.
    table: Option<Text>,
    /// The key of its row.
    key: Option<Blob>,
    /// The state that it leaves, if it is still in it.
    from: Option<Text>,
}

impl Work for NextState {
    const NAME: &'static str = "cloud/next-state";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let (table, key, from) =
            (self.table.unwrap_or_default(), self.key.unwrap_or_default(), self.from.unwrap_or_default());
        let Some(table) =
            cx.services.iter().flat_map(|service| service.tables).find(|known| known.name == table)
        else {
            return Ok(());
        };
        (table.go_on)(cx, &Key::from_bytes(key.0.clone()), &from)
    }
}

/// Takes the record under `key` on from the state `from`, if it is there and still in it.
pub(crate) fn go_on<R: Stored>(cx: &mut Tx<'_>, key: &Key, from: &str) -> Result<()> {
    let Some(mut record) = cx.get::<R>(key)? else { return Ok(()) };
    let Some(next) = next(&record, Some(from)) else { return Ok(()) };
    set(&mut record, next)?;
    cx.put_and_go_on(record)
}

/// The transition that a record makes from the state that it is in.
fn next<R: Stored>(record: &R, from: Option<&str>) -> Option<&'static Transition> {
    R::TRANSITIONS.iter().find(|transition| {
        let state = record::get(record, transition.field).ok();
        let is_there = |state: &str| state == transition.from && from.is_none_or(|from| from == state);
        matches!(state, Some(Value::Text(state)) if is_there(&state))
    })
}

/// Puts a record into its next state. Callers cannot assign it, so the field is filled as trusted data is.
fn set(record: &mut dyn Fields, transition: &Transition) -> Result<()> {
    let mut at: Option<Result<()>> = None;
    let mut steps = transition.field.split('.');
    walk(record, steps.next().unwrap_or_default(), &steps.collect::<Vec<_>>(), transition.to, &mut at);
    at.unwrap_or(Ok(()))
}

fn walk(record: &mut dyn Fields, name: &str, rest: &[&str], to: &str, done: &mut Option<Result<()>>) {
    let Some((index, _)) = record.shape().field(name) else { return };
    match rest.split_first() {
        None => {
            let state = Value::from(to);
            *done = Some(fill::fill(record.field_mut(index), state.view(), &Reader::TRUSTED));
        }
        Some((next, rest)) => {
            record.field_mut(index).each_record(&mut |inner| walk(inner, next, rest, to, done));
        }
    }
}

impl Tx<'_> {
    /// Puts a record in its row, and leaves its next state for later, if the state that it is in is one that it leaves by
    /// itself: at once, or after as long as at the provider if the cloud is to be that realistic.
    pub fn put_and_go_on<R: Stored>(&mut self, record: R) -> Result<()> {
        let key = record.key(self.scope());
        if let Some(transition) = next(&record, None) {
            let job = NextState {
                table: Some(R::TABLE.into()),
                key: Some(Blob(key.as_bytes().to_vec())),
                from: Some(transition.from.into()),
            };
            self.settle(transition.after, &job)?;
        }
        self.put(record)
    }
}

/// The name of the job in its row.
pub(crate) const NAME: &str = NextState::NAME;

/// Does the job that `row` holds.
pub(crate) fn run(row: &[u8], cx: &mut Tx<'_>) -> Result<()> {
    rows::decode::<NextState>(row)?.run(cx)
}
