//! What a case works in, and what cases have in common.

use crate::{
    Cloud,
    cloud::read_key,
    services::logs::{InputLogEvent, LogEvent, LogGroup, LogStream, PutEventsResult, errors},
};
use nephos_core::{
    BoxFuture, Clock, Code, Error, Outcome, Resource, Result, Script, Session, SignedDuration, Steps,
    Timestamp,
    operation::{Operation, WireOperation},
    shape::Effect,
    wait,
};
use std::{fmt, sync::Arc};

/// Every row of a cloud.
pub type State = Vec<(Vec<u8>, Vec<u8>)>;

/// A cloud under test, however it is reached. It begins empty, with a time that only moves when it is moved.
pub trait Bench {
    /// A caller in the default account and Region.
    fn session(&self) -> Session;

    /// The time there.
    fn now(&self) -> Timestamp;

    /// Moves the time on.
    fn advance(&self, by: SignedDuration) -> Result<()>;

    /// Everything that is there.
    fn state(&self) -> Result<State>;

    /// Lets the account `monitoring` look into the account `source`.
    fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()>;
}

impl Bench for Cloud {
    fn session(&self) -> Session {
        Cloud::session(self)
    }

    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    fn advance(&self, by: SignedDuration) -> Result<()> {
        self.clock().advance(by).map(drop)
    }

    fn state(&self) -> Result<State> {
        self.rows()
    }

    fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()> {
        Cloud::link_accounts(self, monitoring, source)
    }
}

/// A clock for a [`Bench`]: it stands still at noon of a day, at a whole minute.
pub fn clock() -> Clock {
    Clock::frozen("2026-01-31T12:00:00Z".parse().expect("this is a time"))
}

/// What a case works in.
pub struct World {
    pub(super) bench: Box<dyn Bench>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("now", &self.bench.now()).finish_non_exhaustive()
    }
}

/// Another account than the usual one.
pub(super) const OTHER_ACCOUNT: &str = "210987654321";

/// Another Region than the usual one.
pub(super) const OTHER_REGION: &str = "eu-west-1";

/// So many milliseconds.
pub(super) const SECOND: i64 = 1000;
pub(super) const MINUTE: i64 = 60 * SECOND;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

impl World {
    /// The world of `bench`.
    pub fn new(bench: impl Bench + 'static) -> Self {
        Self { bench: Box::new(bench) }
    }

    pub(super) fn session(&self) -> Session {
        self.bench.session()
    }

    /// The same caller in another account.
    pub(super) fn other_account(&self) -> Session {
        self.session().with_account(OTHER_ACCOUNT)
    }

    /// The same caller in another Region.
    pub(super) fn other_region(&self) -> Session {
        self.session().with_region(OTHER_REGION)
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.bench.now().as_millisecond()
    }

    /// Moves the time on by so many milliseconds.
    pub(super) fn advance(&self, millis: i64) -> Result<()> {
        self.bench.advance(SignedDuration::from_millis(millis))
    }

    pub(super) fn state(&self) -> Result<State> {
        self.bench.state()
    }

    /// Asserts that nothing differs from `before`.
    #[track_caller]
    pub(super) fn assert_unchanged(&self, before: &State) -> Result<()> {
        let after = self.state()?;
        let differing = |of: &State, from: &State| -> Vec<String> {
            let rows = of.iter().filter(|row| !from.contains(row));
            rows.map(|(key, row)| format!("{:?}: {}", read_key(key), String::from_utf8_lossy(row))).collect()
        };
        let (gone, new) = (differing(before, &after), differing(&after, before));
        assert!(*before == after, "the state changed; gone: {gone:#?}, new: {new:#?}");
        Ok(())
    }

    /// Asserts that `call` is refused with this code, about this field, and changes nothing at all.
    #[track_caller]
    pub(super) fn refused<'f, T: fmt::Debug>(
        &self,
        code: &Code,
        field: impl Into<Option<&'f str>>,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        let before = self.state().expect("the state can be read");
        let error = match call() {
            Ok(answer) => panic!("{} was expected, and it was done: {answer:?}", code.code),
            Err(error) => error,
        };
        assert_eq!((error.code(), error.field()), (code.code, field.into()), "{error}");
        assert_eq!((error.kind(), error.status()), (code.kind, code.status), "{error}");
        assert!(errors::ALL.iter().any(|known| known.code == error.code()), "{error} is not in the table");
        assert!(error.operation().is_some(), "{error} does not say what was being carried out");
        self.assert_unchanged(&before).expect("the state can be read");
        error
    }

    /// Asserts that a parameter or a value within the service's rules is refused as invalid.
    #[track_caller]
    pub(super) fn invalid<T: fmt::Debug>(&self, field: &str, call: impl FnOnce() -> Result<T>) -> Error {
        self.refused(&errors::INVALID, field, call)
    }

    /// Creates a log group of which nothing but the name is said.
    pub(super) fn group(&self, name: &str) -> Result<LogGroup> {
        self.create(&LogGroup::builder().log_group_name(name).build()?)
    }

    /// Creates a log group; gives it back as the service has it.
    pub(super) fn create(&self, group: &LogGroup) -> Result<LogGroup> {
        let session = self.session();
        LogGroup::objects(&session).create(group).wait()?;
        self.found(group.name()?)
    }

    /// The log group called `name`, which must be there.
    #[track_caller]
    pub(super) fn found(&self, name: &str) -> Result<LogGroup> {
        let found = LogGroup::objects(&self.session()).get(name).wait()?;
        Ok(found.unwrap_or_else(|| panic!("there is no log group {name}")))
    }

    /// The names of all log groups.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        names(&LogGroup::objects(&self.session()).list().results().all().wait()?)
    }

    /// Creates a stream.
    pub(super) fn stream(&self, group: &str, name: &str) -> Result<()> {
        let stream = LogStream::builder().log_group_name(group).log_stream_name(name).build()?;
        LogStream::objects(&self.session()).create(&stream).wait()
    }

    /// Creates a log group with a stream called `main`.
    pub(super) fn group_with_stream(&self, name: &str) -> Result<LogGroup> {
        let group = self.group(name)?;
        self.stream(name, "main")?;
        Ok(group)
    }

    /// Puts events with these times and messages.
    pub(super) fn put(&self, group: &str, stream: &str, events: &[(i64, &str)]) -> Result<PutEventsResult> {
        LogEvent::objects(&self.session()).put(group, stream, inputs(events)?).wait()
    }

    /// The messages of all events of a log group, in order.
    pub(super) fn messages(&self, group: &str) -> Result<Vec<String>> {
        let events = LogEvent::objects(&self.session()).list(group).results().all().wait()?;
        Ok(messages(&events))
    }
}

pub(super) fn inputs(events: &[(i64, &str)]) -> Result<Vec<InputLogEvent>> {
    let input =
        |(time, message): &(i64, &str)| InputLogEvent::builder().timestamp(*time).message(*message).build();
    events.iter().map(input).collect()
}

pub(super) fn messages(events: &[LogEvent]) -> Vec<String> {
    events.iter().filter_map(|event| event.message().map(str::to_owned)).collect()
}

pub(super) fn names<M: Resource>(models: &[M]) -> Result<Vec<String>> {
    models.iter().map(|model| model.name().map(str::to_owned)).collect()
}

/// Carries out one operation of a service, for what no manager offers.
pub(super) fn ask<O: WireOperation>(session: &Session, operation: O) -> Result<O::Output> {
    let outcome = wait(session.transport().run(session, Arc::new(Once(operation))))?;
    Ok(*outcome.downcast::<O::Output>().expect("the transport answers with what the script came to"))
}

/// A script of one operation.
struct Once<O>(O);

impl<O: WireOperation> Script for Once<O> {
    fn name(&self) -> &'static str {
        <O as Operation>::OPERATION.name
    }

    fn effect(&self) -> Effect {
        <O as Operation>::OPERATION.effect
    }

    fn play<'s>(&'s self, steps: &'s Steps) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move { Ok(Box::new(steps.call(self.0.clone()).await?) as Outcome) })
    }
}
