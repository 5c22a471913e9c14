//! Test controls: settings of a cloud for tests, such as the health of a target. No operation of a service changes them.
//!
//! A control has a shape and a handler like an operation of its service. The Rust call, the control endpoint of a server
//! and the command line are all derived from the shape.

use crate::{Caller, Entry, Handler, Kernel, RequestSource, internal};
use nephos_core::{
    Answer, DEFAULT_ACCOUNT, DEFAULT_REGION, Error, ErrorKind, Map, Request, Result, Value,
    dynamic::{self, fill_parameter},
    fill::Reader,
    nearest::suggest,
    record::Fields,
    wait,
};
use std::any::Any;

/// A test control of a service.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Name on the control endpoint and on the command line: `target-health`.
    pub name: &'static str,
    pub(crate) entry: Entry,
}

impl Control {
    /// Creates the control that `O` describes.
    pub const fn new<O: Handler>(name: &'static str) -> Self {
        Self { name, entry: Entry::new::<O>() }
    }

    /// Shape of the control.
    pub fn operation(&self) -> &'static nephos_core::shape::OperationShape {
        self.entry.operation
    }
}

impl Kernel {
    /// The test controls of all services.
    pub fn controls(&self) -> impl Iterator<Item = &'static Control> {
        self.services().iter().flat_map(|service| service.controls)
    }

    /// Sets a control.
    pub fn control<O: Handler>(&self, control: O) -> Result<O::Output> {
        let make = move || Ok(Request::new(control.clone()));
        let answer: Box<dyn Any> = self.carry_out_control(O::OPERATION, make)?;
        let other = |_| internal("the answer of the control has another type than its operation");
        answer.downcast::<O::Output>().map(|answer| *answer).map_err(other)
    }

    /// Sets the control with this name to `values`, as the control endpoint does.
    pub fn control_by_name(&self, name: &str, values: &Map<Value>) -> Result<Box<dyn Fields>> {
        let Some(control) = self.controls().find(|control| control.name == name) else {
            let hint = suggest(name, self.controls().map(|control| control.name));
            return Err(Error::new(ErrorKind::Unsupported, format!("unknown control {name}{hint}")));
        };
        let values = values.clone();
        self.carry_out_control(control.entry.operation, move || {
            dynamic::request(control.entry.operation, &mut |params| {
                let mut values = values.iter();
                values
                    .try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))
            })
        })
    }

    fn carry_out_control(
        &self,
        operation: &nephos_core::shape::OperationShape,
        make: impl Fn() -> Result<Request> + Send + Sync + 'static,
    ) -> Answer {
        let source = RequestSource::new(Caller::root(DEFAULT_ACCOUNT), DEFAULT_REGION);
        let done = self.request(source, operation.effect, make);
        wait(done).map_err(|error| error.during(operation.name))
    }
}
