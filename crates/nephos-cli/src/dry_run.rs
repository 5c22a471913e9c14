//! Dry runs: calls on a copy of the cloud that is discarded. The copy of a served cloud is a fork on the server.

use crate::{
    commands::fork,
    context::{Connection, Context},
    env::Environment,
    exit::CmdResult,
    inputs::{self, Input},
    names,
    opening::Access,
    target::{self, GivenValue, Target},
};
use nephos::{Change, ErrorKind, Map, Result, Session, Value};
use nephos_core::{
    dynamic::AnyCall,
    fill::{self, Reader},
    wait,
};

/// Copy of the cloud that dry runs change.
#[derive(Debug)]
pub(crate) struct Rehearsal {
    connection: Connection,
    /// Name of the fork on the server.
    fork: Option<String>,
}

impl Rehearsal {
    /// Copies the cloud, runs `body` on the copy, and discards it.
    pub(crate) fn run<T>(
        context: &Context,
        env: &mut Environment<'_>,
        body: impl FnOnce(&Self, &mut Environment<'_>) -> CmdResult<T>,
    ) -> CmdResult<T> {
        if !context.is_remote() {
            let connection = context.connect(Access::DryRun, env)?;
            return body(&Self { connection, fork: None }, env);
        }
        let fork = fork::create(context, None, env)?;
        let connection = context.with_endpoint(fork.endpoint).connect(Access::DryRun, env);
        let done = connection.and_then(|connection| {
            let rehearsal = Self { connection, fork: Some(fork.name.clone()) };
            body(&rehearsal, env)
        });
        let deleted = fork::delete(context, &fork.name, env);
        done.and_then(|done| deleted.map(|()| done))
    }

    /// Session on the copy.
    pub(crate) fn session(&self) -> &Session {
        &self.connection.session
    }

    /// True if only changes of the resource that a call names are known.
    pub(crate) fn is_remote(&self) -> bool {
        self.fork.is_some()
    }

    /// Makes a call on the copy, and returns its changes.
    pub(crate) fn change(
        &self,
        target: Target,
        given: &[GivenValue],
        build: &dyn Fn(&Session) -> Result<AnyCall>,
    ) -> Result<Vec<Change>> {
        let session = self.session();
        if !self.is_remote() {
            let preview = build(session)?.preview().wait()?;
            wait(build(session)?.run())?;
            return Ok(preview.changes);
        }
        let before = find_resource(target, given, session)?;
        let answer = wait(build(session)?.run())?;
        let mut after = find_resource(target, given, session)?;
        if before.is_empty() && after.is_empty() && target.call.name == "create" {
            // The service assigned the identity of the resource.
            after = answer.map(|answer| first_record(answer.view().to_value())).unwrap_or_default();
        }
        let row = format!("{} {}", names::kebab(target.kind.name), target::subject(given));
        let change = Change { row: row.trim_end().into(), before, after };
        Ok(Vec::from_iter(Some(change).filter(|change| change.before != change.after)))
    }
}

/// Reads the resource that a call names; without fields if there is none, or if the call names none.
fn find_resource(target: Target, given: &[GivenValue], session: &Session) -> Result<Map<Value>> {
    let Some(get) = Target::new(target.kind, "get") else { return Ok(Map::default()) };
    let inputs = inputs::inputs(get.kind, get.call);
    let further = inputs::composite_keys(get.kind);
    let is_key =
        |input: &&Input| input.positional || further.iter().any(|key| std::ptr::eq(*key, input.field));
    let named_by = |given: &GivenValue| {
        let name = inputs::model_field(given.field);
        inputs.iter().filter(is_key).find(|input| input.sets_field(get.kind, name))
    };
    let keys: Vec<_> = given.iter().filter_map(|given| Some((named_by(given)?, &given.value))).collect();
    if !keys.iter().any(|(input, _)| input.positional) {
        return Ok(Map::default());
    }
    let call = target::build_call(get, session, &mut |params| {
        keys.iter().try_for_each(|(input, value)| {
            fill::fill_field(params, input.field.name, value.view(), &Reader::STRINGS, 0)
        })
    })?;
    match wait(call.run()) {
        Ok(found) => Ok(found.map(|found| first_record(found.view().to_value())).unwrap_or_default()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Map::default()),
        Err(error) => Err(error),
    }
}

/// Returns the fields of a record, or of the first record of a list.
fn first_record(value: Value) -> Map<Value> {
    match value {
        Value::Map(fields) => fields,
        Value::List(items) => items.into_iter().next().map(first_record).unwrap_or_default(),
        _ => Map::default(),
    }
}
