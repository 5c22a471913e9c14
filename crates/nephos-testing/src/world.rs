//! The world that a case runs in, and helpers of cases.

use super::wire_text;
use nephos_cloud::{Control, Handler, Kernel, Scope, Tx, read_key};
use nephos_core::{
    BoxFuture, Clock, Code, Credentials, DEFAULT_ACCOUNT, DEFAULT_REGION, Error, Map, Outcome, Record,
    Resource, Result, Session, SignedDuration, Text, Timestamp, Value, Workflow, WorkflowContext, json,
    operation::{Operation, WireOperation},
    python::PythonModel as _,
    record,
    shape::Effect,
    wait,
};
use std::{fmt, sync::Arc};

/// Every row of a cloud.
pub type State = Vec<(Vec<u8>, Vec<u8>)>;

/// A cloud under test, and the transport to it. It starts empty, with a frozen clock.
pub trait TestCloud {
    /// The cloud itself, for everything that is not a call of a session.
    fn cloud(&self) -> &Kernel;

    /// Creates a session in this account and Region.
    fn session_in(&self, account: &str, region: &str) -> Session;

    /// Sets the test control with this name.
    fn control(&self, name: &str, values: &Map<Value>) -> Result<()> {
        self.cloud().control_by_name(name, values).map(drop)
    }
}

impl TestCloud for Kernel {
    fn cloud(&self) -> &Kernel {
        self
    }

    fn session_in(&self, account: &str, region: &str) -> Session {
        self.session().with_account(account).with_region(region)
    }
}

/// Clock of a [`TestCloud`]: frozen at noon.
pub fn clock() -> Clock {
    Clock::frozen("2026-01-31T12:00:00Z".parse().expect("the literal is a timestamp"))
}

/// The world that a case runs in: a cloud under test.
pub struct World {
    test_cloud: Box<dyn TestCloud>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("cloud", self.test_cloud.cloud()).finish_non_exhaustive()
    }
}

/// An account that is not the default account.
pub const OTHER_ACCOUNT: &str = "210987654321";

/// Another account that is not the default account.
pub const THIRD_ACCOUNT: &str = "333333333333";

/// A Region that is not the default Region.
pub const OTHER_REGION: &str = "eu-west-1";

/// A second, in milliseconds.
pub const SECOND: i64 = 1000;
/// A minute, in milliseconds.
pub const MINUTE: i64 = 60 * SECOND;
/// An hour, in milliseconds.
pub const HOUR: i64 = 60 * MINUTE;
/// A day, in milliseconds.
pub const DAY: i64 = 24 * HOUR;

/// Returns the ARN of a crypto key by a name of the test's choice; of one that does not exist in a cloud without keys.
fn find_or_name_key(cx: &mut Tx<'_>, name: &str) -> Result<Text> {
    match cx.crypto_keys() {
        Some(service) => service.keys.find_usable(cx, None, name).map(|key| key.arn),
        None => Ok(cx.scope().arn("kms", &["key/", name]).into()),
    }
}

impl World {
    /// Creates the world of `test_cloud`.
    pub fn new(test_cloud: impl TestCloud + 'static) -> Self {
        Self { test_cloud: Box::new(test_cloud) }
    }

    /// Returns the ARN of a crypto key, by a name of the test's choice. It exists if the cloud has crypto keys.
    pub fn crypto_key(&self, name: &str) -> String {
        self.crypto_key_in(DEFAULT_REGION, name)
    }

    /// Returns the ARN of a crypto key in this Region, by a name of the test's choice.
    pub fn crypto_key_in(&self, region: &str, name: &str) -> String {
        let (scope, name) = (Scope::new(DEFAULT_ACCOUNT, region), name.to_owned());
        let found = self
            .test_cloud
            .cloud()
            .run_in_transaction(move |cx| cx.in_scope(&scope, |cx| find_or_name_key(cx, &name)));
        found.expect("a crypto key").to_string()
    }

    /// Creates a session in the default account and Region.
    pub fn session(&self) -> Session {
        self.session_of(DEFAULT_ACCOUNT)
    }

    /// Creates a session in this account and the default Region.
    pub fn session_of(&self, account: &str) -> Session {
        self.test_cloud.session_in(account, DEFAULT_REGION)
    }

    /// Creates a session with credentials, in the default Region.
    pub fn session_with(&self, credentials: Credentials) -> Session {
        self.session().with_credentials(credentials)
    }

    /// Creates a session in [`OTHER_ACCOUNT`] and the default Region.
    pub fn other_account(&self) -> Session {
        self.session_of(OTHER_ACCOUNT)
    }

    /// Creates a session in the default account and [`OTHER_REGION`].
    pub fn other_region(&self) -> Session {
        self.test_cloud.session_in(DEFAULT_ACCOUNT, OTHER_REGION)
    }

    /// Current time, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.test_cloud.cloud().clock().now().as_millisecond()
    }

    /// Advances the clock.
    pub fn advance(&self, millis: i64) -> Result<()> {
        self.test_cloud.cloud().clock().advance(SignedDuration::from_millis(millis)).map(drop)
    }

    /// Advances the clock to a time.
    pub fn advance_to(&self, time: &str) -> Result<()> {
        let time: Timestamp = time.parse().expect("the literal is a timestamp");
        self.advance(time.as_millisecond() - self.now())
    }

    /// The cloud itself.
    pub fn cloud(&self) -> &Kernel {
        self.test_cloud.cloud()
    }

    /// Sets a test control.
    pub fn control<O: WireOperation>(&self, control: O) -> Result<()> {
        let matches = |known: &&Control| std::ptr::eq(known.operation(), O::OPERATION);
        let known = self.test_cloud.cloud().controls().find(matches).expect("a service lists the control");
        let Value::Map(values) = record::to_value(&control) else { unreachable!("a record is a map") };
        self.test_cloud.control(known.name, &values)
    }

    /// Calls an internal operation, as another service does.
    pub fn call_internal<O: Handler>(&self, operation: O) -> Result<O::Output> {
        self.test_cloud.cloud().run_in_transaction(move |cx| operation.clone().run(cx))
    }

    /// Returns all rows, after the due work has run.
    pub fn state(&self) -> Result<State> {
        self.advance(0)?;
        self.test_cloud.cloud().rows()
    }

    /// Asserts that all rows are the same as `before`.
    #[track_caller]
    pub fn assert_unchanged(&self, before: &State) -> Result<()> {
        let after = self.state()?;
        let difference = |rows: &State, other: &State| -> Vec<String> {
            let rows = rows.iter().filter(|row| !other.contains(row));
            rows.map(|(key, row)| format!("{:?}: {}", read_key(key), String::from_utf8_lossy(row))).collect()
        };
        let (removed, added) = (difference(before, &after), difference(&after, before));
        assert!(*before == after, "the state changed; removed: {removed:#?}, added: {added:#?}");
        Ok(())
    }

    /// Asserts that `call` is refused with this code and field, and changes no row. A text that came over the wire must be
    /// the provider's.
    #[track_caller]
    pub fn refused<'f, T: fmt::Debug>(
        &self,
        code: &Code,
        field: impl Into<Option<&'f str>>,
        call: impl FnOnce() -> Result<T>,
    ) -> Error {
        let before = self.state().expect("the state can be read");
        let error = match call() {
            Ok(answer) => panic!("expected the error {}, got the answer {answer:?}", code.code),
            Err(error) => error,
        };
        assert_eq!((error.code(), error.field()), (code.code, field.into()), "{error}");
        assert_eq!((error.kind(), error.status()), (code.kind, code.status), "{error}");
        let services = self.test_cloud.cloud().services().iter().map(|service| service.shape);
        let service = services.into_iter().find(|service| service.codes.contains(&code));
        let Some(service) = service else { panic!("{error} is not in the error codes of a service") };
        // Errors that came over the wire have a request ID; others were raised before a request was sent.
        if error.request_id().is_some() {
            wire_text::assert_from_provider(&error, service);
        }
        assert!(error.operation().is_some(), "{error} does not name its operation");
        self.assert_unchanged(&before).expect("the state can be read");
        error
    }
}

/// Names of models.
pub fn names<M: Resource>(models: &[M]) -> Result<Vec<String>> {
    models.iter().map(|model| model.require_name().map(str::to_owned)).collect()
}

/// Returns a copy of a record with these fields, also those that only the service sets.
///
/// # Panics
///
/// If `fields` is not a JSON object.
pub fn with_fields<R: Record>(record: &R, fields: &str) -> R {
    let Value::Map(mut values) = record::to_value(record) else { unreachable!("a record is a map") };
    let Ok(Value::Map(others)) = json::parse(fields.as_bytes()) else { panic!("not an object: {fields}") };
    values.extend(others);
    R::model_construct(None, values)
}

/// Executes one operation of a service, for operations without a manager call.
pub fn ask<O: WireOperation>(session: &Session, operation: O) -> Result<O::Output> {
    let outcome = wait(session.transport().run(session, Arc::new(Once(operation))))?;
    Ok(*outcome.downcast::<O::Output>().expect("the outcome of the workflow is the answer of its operation"))
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
