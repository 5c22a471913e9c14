//! Functions outside the cloud, which its user registers and callbacks call.
//!
//! A handler never calls a function directly. It schedules a [`Callback`](crate::Callback), which is stored as a row. After
//! the commit, the function is called with no lock held and no open transaction, so that it can call the cloud itself; its
//! result is processed in a transaction of its own. If the process ends in between, the function is called again.

use crate::{HTTP_FUNCTION, OutgoingRequest, internal};
use async_lock::OnceCell;
use nephos_core::{Arn, Error, ErrorKind, Result, Session, Text, Value};
use std::{
    collections::HashMap,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// A function outside the cloud. It gets a session of the cloud that calls it, and the event.
pub type Function = Arc<dyn Fn(&Session, &Value) -> Result<()> + Send + Sync>;

/// Registered functions of a cloud, by name or ARN.
#[derive(Default)]
pub(crate) struct Functions(RwLock<HashMap<Text, Function>>);

/// A call of a function: the function and its event.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Name or ARN of the function.
    pub function: Text,
    /// Event that is passed to the function.
    pub event: Value,
}

/// Returns the name of the function in an ARN.
fn name_in(arn: &str) -> Option<&str> {
    let [_, "lambda", _, _, resource] = Arn::parts(arn)? else { return None };
    let rest = resource.strip_prefix("function:")?;
    Some(rest.split_once(':').map_or(rest, |(name, _)| name))
}

impl FunctionCall {
    /// Returns what is called, so that calls of the same can be told: the function, or the host of a request over HTTP.
    pub(crate) fn destination(&self) -> Text {
        if self.function != HTTP_FUNCTION {
            return self.function.clone();
        }
        let url = OutgoingRequest::new(&self.event).url();
        let end = url.find("://").map_or(0, |at| at + 3);
        let host = url[end..].find(['/', '?']).map_or(url, |length| &url[..end + length]);
        host.into()
    }
}

impl Functions {
    pub(crate) fn fork(&self) -> Self {
        Self(RwLock::new(self.0.read().unwrap_or_else(PoisonError::into_inner).clone()))
    }

    pub(crate) fn register(&self, name: Text, function: Function) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name, function);
    }

    pub(crate) fn unregister(&self, name: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Finds a function by name or ARN. A function that was registered by name matches ARNs of any account and Region.
    pub(crate) fn find(&self, name: &str) -> Option<Function> {
        let functions = self.0.read().unwrap_or_else(PoisonError::into_inner);
        functions.get(name).or_else(|| functions.get(name_in(name)?)).cloned()
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

/// Calls a function on a new thread, because it may block, and may wait for the cloud.
pub(crate) async fn call(function: Function, session: Session, event: Value) -> Result<()> {
    on_thread("nephos-callback", move || function(&session, &event)).await
}

/// Runs `work` on a new thread of this name, and waits for its result.
pub(crate) async fn on_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let result = Arc::new(OnceCell::new());
    let sender = result.clone();
    spawn(name, move || {
        let outcome = catch_unwind(AssertUnwindSafe(work));
        let outcome = outcome.unwrap_or_else(|_| Err(internal("the function panicked")));
        // The cell is empty: it is only set here.
        let _ = sender.set_blocking(Mutex::new(Some(outcome)));
    })?;
    // It is taken out: the thread may keep the cell for a while, and must not keep what is in the result.
    let outcome = result.wait().await.lock().unwrap_or_else(PoisonError::into_inner).take();
    outcome.unwrap_or_else(|| Err(internal("the result was taken already")))
}

/// Runs `work` on a new thread of this name.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(|error| internal(format!("cannot start a thread for the function: {error}")))
}

/// Error for a function that is not registered.
pub(crate) fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("the function {name} is not registered with this cloud"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_name_and_arn() {
        let functions = Functions::default();
        functions.register("rotate".into(), Arc::new(|_, _| Ok(())));
        let arn = "arn:aws:lambda:us-east-1:123456789012:function:other";
        functions.register(arn.into(), Arc::new(|_, _| Ok(())));
        for (name, found) in [
            ("rotate", true),
            ("arn:aws:lambda:eu-west-1:210987654321:function:rotate", true),
            ("arn:aws:lambda:us-east-1:123456789012:function:rotate:live", true),
            (arn, true),
            ("other", false),
            ("arn:aws:lambda:eu-west-1:123456789012:function:other", false),
            ("arn:aws:iam::123456789012:role/rotate", false),
        ] {
            assert_eq!(functions.find(name).is_some(), found, "{name}");
        }
        assert!(functions.fork().find("rotate").is_some());
    }
}
