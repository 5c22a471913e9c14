//! What a case works in, and what cases have in common.

use crate::{Cloud, Health, REGISTRY, cloud::read_key};
use nephos_core::{
    BoxFuture, Clock, Code, DEFAULT_ACCOUNT, DEFAULT_REGION, Error, Outcome, Resource, Result, Script,
    Session, SignedDuration, Steps, Timestamp,
    operation::{Operation, WireOperation},
    shape::Effect,
    wait,
};
use std::{fmt, sync::Arc};

/// Every row of a cloud.
pub type State = Vec<(Vec<u8>, Vec<u8>)>;

/// A cloud under test, however it is reached. It begins empty, with a time that only moves when it is moved.
pub trait Bench {
    /// A caller in that account and Region.
    fn session_in(&self, account: &str, region: &str) -> Session;

    /// The time there.
    fn now(&self) -> Timestamp;

    /// Moves the time on.
    fn advance(&self, by: SignedDuration) -> Result<()>;

    /// Everything that is there.
    fn state(&self) -> Result<State>;

    /// Lets the account `monitoring` look into the account `source`.
    fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()>;

    /// Decides how the checks of a target come out.
    fn target_health(&self, target_group_arn: &str, target: &str, health: Health) -> Result<()>;
}

impl Bench for Cloud {
    fn session_in(&self, account: &str, region: &str) -> Session {
        self.session().with_account(account).with_region(region)
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

    fn target_health(&self, target_group_arn: &str, target: &str, health: Health) -> Result<()> {
        Cloud::target_health(self, target_group_arn, target, health)
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

/// A third account.
pub(super) const THIRD_ACCOUNT: &str = "333333333333";

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

    /// A caller in the default account and Region.
    pub(super) fn session(&self) -> Session {
        self.session_of(DEFAULT_ACCOUNT)
    }

    /// A caller in that account, in the default Region.
    pub(super) fn session_of(&self, account: &str) -> Session {
        self.bench.session_in(account, DEFAULT_REGION)
    }

    /// The same caller in another account.
    pub(super) fn other_account(&self) -> Session {
        self.session_of(OTHER_ACCOUNT)
    }

    /// The same caller in another Region.
    pub(super) fn other_region(&self) -> Session {
        self.bench.session_in(DEFAULT_ACCOUNT, OTHER_REGION)
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.bench.now().as_millisecond()
    }

    /// Moves the time on by so many milliseconds.
    pub(super) fn advance(&self, millis: i64) -> Result<()> {
        self.bench.advance(SignedDuration::from_millis(millis))
    }

    /// Decides how the checks of a target come out.
    pub(super) fn target_health(&self, target_group_arn: &str, target: &str, health: Health) -> Result<()> {
        self.bench.target_health(target_group_arn, target, health)
    }

    /// Everything that is there, once what is due by now is done.
    pub(super) fn state(&self) -> Result<State> {
        self.advance(0)?;
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
        let mut tables = REGISTRY.services.iter().map(|service| service.codes);
        assert!(tables.any(|table| table.contains(&code)), "{error} is in no table");
        assert!(error.operation().is_some(), "{error} does not say what was being carried out");
        self.assert_unchanged(&before).expect("the state can be read");
        error
    }
}

pub(super) fn names<M: Resource>(models: &[M]) -> Result<Vec<String>> {
    models.iter().map(|model| model.require_name().map(str::to_owned)).collect()
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
