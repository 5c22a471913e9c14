//! What a case works in, and what cases have in common.

use crate::{Control, Kernel, read_key};
use nephos_core::{
    BoxFuture, Clock, Code, DEFAULT_ACCOUNT, DEFAULT_REGION, Error, Map, Outcome, Resource, Result, Session,
    SignedDuration, Value, Workflow, WorkflowContext,
    operation::{Operation, WireOperation},
    record,
    shape::Effect,
    wait,
};
use std::{fmt, sync::Arc};

/// Every row of a cloud.
pub type State = Vec<(Vec<u8>, Vec<u8>)>;

/// A cloud under test, however it is reached. It begins empty, with a time that only moves when it is moved.
pub trait Bench {
    /// The cloud itself, for everything that is no call of a session.
    fn cloud(&self) -> &Kernel;

    /// A caller in that account and Region.
    fn session_in(&self, account: &str, region: &str) -> Session;

    /// Sets a test control of that name.
    fn control(&self, name: &str, values: &Map<Value>) -> Result<()> {
        self.cloud().control_named(name, values).map(drop)
    }
}

impl Bench for Kernel {
    fn cloud(&self) -> &Kernel {
        self
    }

    fn session_in(&self, account: &str, region: &str) -> Session {
        self.session().with_account(account).with_region(region)
    }
}

/// A clock for a [`Bench`]: it stands still at noon of a day, at a whole minute.
pub fn clock() -> Clock {
    Clock::frozen("2026-01-31T12:00:00Z".parse().expect("this is a time"))
}

/// What a case works in.
pub struct World {
    bench: Box<dyn Bench>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("cloud", self.bench.cloud()).finish_non_exhaustive()
    }
}

/// Another account than the usual one.
pub const OTHER_ACCOUNT: &str = "210987654321";

/// A third account.
pub const THIRD_ACCOUNT: &str = "333333333333";

/// Another Region than the usual one.
pub const OTHER_REGION: &str = "eu-west-1";

/// A second, in milliseconds.
pub const SECOND: i64 = 1000;
/// A minute, in milliseconds.
pub const MINUTE: i64 = 60 * SECOND;
/// An hour, in milliseconds.
pub const HOUR: i64 = 60 * MINUTE;
/// A day, in milliseconds.
pub const DAY: i64 = 24 * HOUR;

impl World {
    /// The world of `bench`.
    pub fn new(bench: impl Bench + 'static) -> Self {
        Self { bench: Box::new(bench) }
    }

    /// A caller in the default account and Region.
    pub fn session(&self) -> Session {
        self.session_of(DEFAULT_ACCOUNT)
    }

    /// A caller in that account, in the default Region.
    pub fn session_of(&self, account: &str) -> Session {
        self.bench.session_in(account, DEFAULT_REGION)
    }

    /// The same caller in another account.
    pub fn other_account(&self) -> Session {
        self.session_of(OTHER_ACCOUNT)
    }

    /// The same caller in another Region.
    pub fn other_region(&self) -> Session {
        self.bench.session_in(DEFAULT_ACCOUNT, OTHER_REGION)
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.bench.cloud().clock().now().as_millisecond()
    }

    /// Moves the time on by so many milliseconds.
    pub fn advance(&self, millis: i64) -> Result<()> {
        self.bench.cloud().clock().advance(SignedDuration::from_millis(millis)).map(drop)
    }

    /// The cloud itself.
    pub fn cloud(&self) -> &Kernel {
        self.bench.cloud()
    }

    /// Sets a test control.
    pub fn control<O: WireOperation>(&self, control: O) -> Result<()> {
        let is_it = |known: &&Control| std::ptr::eq(known.operation(), O::OPERATION);
        let known = self.bench.cloud().controls().find(is_it).expect("the service lists the control");
        let Value::Map(values) = record::to_value(&control) else { unreachable!("a record is a mapping") };
        self.bench.control(known.name, &values)
    }

    /// Everything that is there, once what is due by now is done.
    pub fn state(&self) -> Result<State> {
        self.advance(0)?;
        self.bench.cloud().rows()
    }

    /// Asserts that nothing differs from `before`.
    #[track_caller]
    pub fn assert_unchanged(&self, before: &State) -> Result<()> {
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
    pub fn refused<'f, T: fmt::Debug>(
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
        let mut tables = self.bench.cloud().services().iter().map(|service| service.shape.codes);
        assert!(tables.any(|table| table.contains(&code)), "{error} is in no table");
        assert!(error.operation().is_some(), "{error} does not say what was being carried out");
        self.assert_unchanged(&before).expect("the state can be read");
        error
    }
}

/// The names of models.
pub fn names<M: Resource>(models: &[M]) -> Result<Vec<String>> {
    models.iter().map(|model| model.require_name().map(str::to_owned)).collect()
}

/// Carries out one operation of a service, for what no manager offers.
pub fn ask<O: WireOperation>(session: &Session, operation: O) -> Result<O::Output> {
    let outcome = wait(session.transport().run(session, Arc::new(Once(operation))))?;
    Ok(*outcome.downcast::<O::Output>().expect("the transport answers with what the workflow came to"))
}

/// A workflow of one operation.
struct Once<O>(O);

impl<O: WireOperation> Workflow for Once<O> {
    fn name(&self) -> &'static str {
        <O as Operation>::OPERATION.name
    }

    fn effect(&self) -> Effect {
        <O as Operation>::OPERATION.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move { Ok(Box::new(context.call(self.0.clone()).await?) as Outcome) })
    }
}
