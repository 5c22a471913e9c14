//! Transitions: changes of state that a resource makes by itself. Each kind has a table of them, and the clock runs them.

use crate::{Stored, Tx, Work, key::Key, rows};
use nephos_core::{
    Blob, Record, Result, SignedDuration, Text, Value,
    fill::{self, Reader},
    record::{self, Fields},
};

/// A change of state that a resource makes by itself, some time after it entered a state.
#[derive(Clone, Copy, Debug)]
pub struct Transition {
    /// Path of the field with the state.
    pub field: &'static str,
    /// State before the transition.
    pub from: &'static str,
    /// State after the transition.
    pub to: &'static str,
    /// Duration of the transition at the provider.
    pub after: SignedDuration,
}

impl Transition {
    /// Creates a transition of `field` that takes `seconds` at the provider.
    pub const fn new(field: &'static str, from: &'static str, to: &'static str, seconds: i64) -> Self {
        Self { field, from, to, after: SignedDuration::from_secs(seconds) }
    }
}

/// Due work that moves a resource to its next state.
#[derive(Record)]
pub(crate) struct NextState {
    /// Table of the resource.
    table: Option<Text>,
    /// Key of the row of the resource.
    key: Option<Blob>,
    /// State before the transition; nothing happens if the resource is in another state by then.
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
        (table.run_transition)(cx, &Key::from_bytes(key.0.clone()), &from)
    }
}

/// Runs the transition of the record under `key`, if it exists and is still in the state `from`.
pub(crate) fn run_transition<R: Stored>(cx: &mut Tx<'_>, key: &Key, from: &str) -> Result<()> {
    let Some(mut record) = cx.get::<R>(key)? else { return Ok(()) };
    let Some(transition) = find_transition(&record, R::TRANSITIONS, Some(from)) else { return Ok(()) };
    set_state(&mut record, transition)?;
    cx.put_and_schedule_transition(record)
}

/// Returns the transition from the current state of a record.
fn find_transition(
    record: &dyn Fields,
    transitions: &'static [Transition],
    from: Option<&str>,
) -> Option<&'static Transition> {
    transitions.iter().find(|transition| {
        let state = record::get(record, transition.field).ok();
        let matches = |state: &str| state == transition.from && from.is_none_or(|from| from == state);
        matches!(state, Some(Value::Text(state)) if matches(&state))
    })
}

/// Sets the state of a record. Callers cannot set this field, so it is filled as trusted data.
fn set_state(record: &mut dyn Fields, transition: &Transition) -> Result<()> {
    let mut result: Option<Result<()>> = None;
    let mut steps = transition.field.split('.');
    set_at_path(
        record,
        steps.next().unwrap_or_default(),
        &steps.collect::<Vec<_>>(),
        transition.to,
        &mut result,
    );
    result.unwrap_or(Ok(()))
}

/// Sets the field at the path `name` and `rest` to `to`; `result` is set if there is such a field.
fn set_at_path(
    record: &mut dyn Fields,
    name: &str,
    rest: &[&str],
    to: &str,
    result: &mut Option<Result<()>>,
) {
    let Some((index, _)) = record.shape().field(name) else { return };
    match rest.split_first() {
        None => {
            let state = Value::from(to);
            *result = Some(fill::fill(record.field_mut(index), state.view(), &Reader::TRUSTED));
        }
        Some((next, rest)) => {
            record.field_mut(index).each_record(&mut |inner| set_at_path(inner, next, rest, to, result));
        }
    }
}

impl Tx<'_> {
    /// Writes the row of a record, and schedules the transition from its current state, if there is one: for now, or, with
    /// realistic transitions, after the time that it takes at the provider.
    pub fn put_and_schedule_transition<R: Stored>(&mut self, record: R) -> Result<()> {
        if !R::TRANSITIONS.is_empty() {
            let key = record.key(self.scope());
            self.schedule_next_state(&record, R::TRANSITIONS, R::TABLE, &key)?;
        }
        self.put(record)
    }

    fn schedule_next_state(
        &mut self,
        record: &dyn Fields,
        transitions: &'static [Transition],
        table: &str,
        key: &Key,
    ) -> Result<()> {
        let Some(transition) = find_transition(record, transitions, None) else { return Ok(()) };
        let work = NextState {
            table: Some(table.into()),
            key: Some(Blob(key.as_bytes().to_vec())),
            from: Some(transition.from.into()),
        };
        self.schedule_transition(transition.after, &work)
    }
}

/// Name of the due work in its row.
pub(crate) const NAME: &str = NextState::NAME;

/// Runs the due work in `row`.
pub(crate) fn run(row: &[u8], cx: &mut Tx<'_>) -> Result<()> {
    rows::decode::<NextState>(row)?.run(cx)
}
