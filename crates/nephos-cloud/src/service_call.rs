//! Operations of other services, called inside a transaction: a service that uses another one does not depend on its crate.
//!
//! A service lists as `internal` the operations for other services that are not on the wire. Test controls are a list of their own: an
//! internal operation is one only if tests need it, too.

use crate::{Caller, Service, Tx, access::as_refusal_of, internal};
use nephos_core::{
    ErrorKind, Request, Result, Value,
    dynamic::{self, fill_parameter},
    fill::Reader,
    record::{self, Fields},
    shape::ServiceShape,
};

impl Tx<'_> {
    /// True if the cloud has the service with this name.
    pub fn has_service(&self, name: &str) -> bool {
        self.find_service(name).is_some()
    }

    fn find_service(&self, name: &str) -> Option<&'static Service> {
        self.services.iter().copied().find(|service| service.shape.name == name)
    }

    /// Runs an operation or an internal operation of another service in this transaction and scope, as the root of the account:
    /// the service acts for itself, and policies are not asked. Like each operation, it writes nothing if it is refused.
    /// Parameters that are null are left out.
    ///
    /// Returns `None` if the cloud does not have the service.
    pub fn call_service(
        &mut self,
        service: &str,
        operation: &str,
        values: &[(&str, Value)],
    ) -> Result<Option<Box<dyn Fields>>> {
        let Some((service, request)) = self.request_to(service, operation, values)? else { return Ok(None) };
        self.as_service(service, |cx| service.run(request, cx)).map(Some)
    }

    /// Runs an operation of another service as [`call_service`](Self::call_service) does, but for the caller, whose policies must allow
    /// it. A refusal is one of the service that the caller called. Returns the members of the answer.
    pub fn call_service_for_caller(
        &mut self,
        called: &'static ServiceShape,
        service: &str,
        operation: &str,
        values: &[(&str, Value)],
    ) -> Result<Option<Value>> {
        let Some((service, request)) = self.request_to(service, operation, values)? else { return Ok(None) };
        self.check_access_for(called, &request)?;
        let caller = self.caller.clone();
        let answer = self.with_caller(service, caller, |cx| service.run(request, cx));
        answer.map(|answer| Some(record::to_value(&*answer))).map_err(|error| match error.kind() {
            ErrorKind::Denied => as_refusal_of(called.protocol, error),
            _ => error,
        })
    }

    /// Makes a request of an operation or an internal operation of a service; `None` if the cloud does not have the service.
    fn request_to(
        &self,
        service: &str,
        operation: &str,
        values: &[(&str, Value)],
    ) -> Result<Option<(&'static Service, Request)>> {
        let Some(service) = self.find_service(service) else { return Ok(None) };
        let mut entries = service.handlers.iter().chain(service.internal);
        let Some(entry) = entries.find(|entry| entry.operation.name == operation) else {
            return Err(internal(format!("{} has no operation {operation}", service.shape.name)));
        };
        let request = dynamic::request(entry.operation, &mut |params| {
            let mut values = values.iter().filter(|(_, value)| !value.is_null());
            values.try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRICT))
        })?;
        Ok(Some((service, request)))
    }

    /// Calls `body` in the scope of the rows of a service, as the root of the account.
    pub(crate) fn as_service<T>(&mut self, service: &Service, body: impl FnOnce(&mut Self) -> T) -> T {
        let root = Caller::root(self.scope.account());
        self.with_caller(service, root, body)
    }

    fn with_caller<T>(&mut self, service: &Service, caller: Caller, body: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.scope.for_service(service.shape);
        let own_caller = std::mem::replace(&mut self.caller, caller);
        let own_source = self.source.take();
        let result = self.in_scope(&scope, body);
        self.caller = own_caller;
        self.source = own_source;
        result
    }

    /// Runs an operation as [`call_service`](Self::call_service) does; returns the members of its answer.
    pub fn call_service_for_value(
        &mut self,
        service: &str,
        operation: &str,
        values: &[(&str, Value)],
    ) -> Result<Option<Value>> {
        let answer = self.call_service(service, operation, values)?;
        Ok(answer.map(|answer| record::to_value(&*answer)))
    }
}
