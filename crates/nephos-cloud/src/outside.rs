//! What the cloud asks of code outside it: functions that its user registers.
//!
//! A behaviour never calls one. It leaves an [`Callback`](crate::Callback), a row; once that is committed, the function is called with
//! no lock held and no transaction open, so that it may call the cloud itself, and what came of it is settled in a
//! transaction of its own. If the process ends in between, the function is called again.

use crate::internal;
use async_lock::OnceCell;
use nephos_core::{Arn, Error, ErrorKind, Map, Result, Session, Text, Value};
use std::{
    collections::HashMap,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError, RwLock},
};

/// A function outside: it gets a session of the cloud that calls it, and what it is told.
pub type Function = Arc<dyn Fn(&Session, &Map<Value>) -> Result<()> + Send + Sync>;

/// The functions of a cloud, by name or resource name.
#[derive(Default)]
pub(crate) struct Functions(RwLock<HashMap<Text, Function>>);

/// What a callback asks: which function, and what it is told.
#[derive(Clone, Debug)]
pub struct Question {
    /// The function's name or resource name.
    pub function: Text,
    /// What it is told.
    pub event: Map<Value>,
}

/// The name of the function in a resource name.
fn name_in(arn: &str) -> Option<&str> {
    let [_, "lambda", _, _, resource] = Arn::parts(arn)? else { return None };
    let rest = resource.strip_prefix("function:")?;
    Some(rest.split_once(':').map_or(rest, |(name, _)| name))
}

impl Functions {
    pub(crate) fn fork(&self) -> Self {
        Self(RwLock::new(self.0.read().unwrap_or_else(PoisonError::into_inner).clone()))
    }

    pub(crate) fn register(&self, name: Text, function: Function) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name, function);
    }

    /// The function of that name or resource name; one that was registered by name has it in any account and Region.
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

/// Calls a function on a thread of its own, for it may take its time, and may wait for the cloud.
pub(crate) async fn call(function: Function, session: Session, event: Map<Value>) -> Result<()> {
    let told = Arc::new(OnceCell::new());
    let tell = told.clone();
    let thread = std::thread::Builder::new().name("nephos-callback".to_owned()).spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| function(&session, &event)));
        // It is told once, here.
        let _ = tell.set_blocking(outcome.unwrap_or_else(|_| Err(internal("the function panicked"))));
    });
    thread.map_err(|error| internal(format!("no thread could be started: {error}")))?;
    told.wait().await.clone()
}

/// There is no function of that name.
pub(crate) fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("no function {name} is registered with this cloud"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_name_and_resource_name() {
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
