//! Transitions: changes of state that a resource makes by itself. Each kind has a table of them, and the clock runs them.

use crate::{Stored, Tx, Work, key::Key, rows};
use nephos_core::{
    Blob, Record, Result, SignedDuration, Text, Value,
    fill::{self, Reader},
    record::{self, Fields},
};

/// A change of state that a resource makes by itself, some time after it entered a state.
#[derive(Clone, Copy, Debug)]
pub struct Transition<R: 'static> {
    /// Path of the field with the state.
    pub field: &'static str,
    /// State before the transition.
    pub from: &'static str,
    /// State after the transition; none if the resource is removed.
    pub to: Option<&'static str>,
    /// Duration of the transition at the provider.
    pub after: SignedDuration,
    /// Function that runs with the transition. It may change the resource, which is stored or removed afterwards.
    pub then: Option<Hook<R>>,
}

/// Function that runs with a transition of a resource.
pub type Hook<R> = fn(&mut R, &mut Tx<'_>) -> Result<()>;

impl<R> Transition<R> {
    /// Creates a transition of `field` that takes `seconds` at the provider.
    pub const fn new(field: &'static str, from: &'static str, to: &'static str, seconds: i64) -> Self {
        Self { field, from, to: Some(to), after: SignedDuration::from_secs(seconds), then: None }
    }

    /// Creates a transition that ends in the removal of the resource.
    pub const fn removal(field: &'static str, from: &'static str, seconds: i64) -> Self {
        Self { field, from, to: None, after: SignedDuration::from_secs(seconds), then: None }
    }

    /// Adds a function that runs with the transition.
    #[must_use]
    pub const fn then(mut self, hook: Hook<R>) -> Self {
        self.then = Some(hook);
        self
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
        let tables = cx.services.iter().flat_map(|service| service.tables);
        let run = tables.filter(|known| known.name == table).find_map(|table| table.run_transition);
        run.map_or(Ok(()), |run| run(cx, &Key::from_bytes(key.0.clone()), &from))
    }
}

/// Runs the transition of the record under `key`, if it exists and is still in the state `from`.
pub(crate) fn run_transition<R: Stored>(cx: &mut Tx<'_>, key: &Key, from: &str) -> Result<()> {
    let Some(mut record) = cx.get::<R>(key)? else { return Ok(()) };
    let is_next =
        |transition: &&Transition<R>| transition.from == from && is_in_state(&record, transition.field, from);
    let Some(transition) = R::TRANSITIONS.iter().find(is_next) else { return Ok(()) };
    if let Some(to) = transition.to {
        set_state(&mut record, transition.field, to)?;
    }
    if let Some(hook) = transition.then {
        hook(&mut record, cx)?;
    }
    if transition.to.is_some() { cx.put_and_schedule_transition(record) } else { cx.remove(&record) }
}

/// True if the field at the path `field` has this state.
fn is_in_state(record: &dyn Fields, field: &str, state: &str) -> bool {
    matches!(record::get(record, field), Ok(Value::Text(found)) if found == state)
}

/// Sets the state of a record. Callers cannot set this field, so it is filled as trusted data.
fn set_state(record: &mut dyn Fields, field: &str, to: &str) -> Result<()> {
    let mut result: Option<Result<()>> = None;
    let mut steps = field.split('.');
    set_at_path(record, steps.next().unwrap_or_default(), &steps.collect::<Vec<_>>(), to, &mut result);
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
        let is_current =
            |transition: &&Transition<R>| is_in_state(&record, transition.field, transition.from);
        if let Some(transition) = R::TRANSITIONS.iter().find(is_current) {
            let work = NextState {
                table: Some(R::TABLE.into()),
                key: Some(Blob(record.key(self.scope()).as_bytes().to_vec())),
                from: Some(transition.from.into()),
            };
            self.schedule_transition(transition.after, &work)?;
        }
        self.put(record)
    }
}

/// Name of the due work in its row.
pub(crate) const NAME: &str = NextState::NAME;

/// Runs the due work in `row`.
pub(crate) fn run(row: &[u8], cx: &mut Tx<'_>) -> Result<()> {
    rows::decode::<NextState>(row)?.run(cx)
}
