//! Services of the cloud: handlers of operations, due work, callbacks and tables.

use crate::{
    Control, CryptoKeyService, EventTargetEntry, FunctionCall, HttpFront, SendOwnEvent, ServiceAccess,
    ServiceViews, Table, TaggedResources, Tx, rows,
};
use nephos_core::{
    Answer, BoxFuture, Error, Outcome, Record, Request, Result, Workflow, WorkflowContext,
    dynamic::{self, Fill},
    operation::WireOperation,
    record::{self, Fields},
    shape::{Effect, OperationShape, ServiceShape},
    view::View,
};
use std::{any::Any, sync::Arc};

/// An operation with its behaviour in the cloud.
pub trait Handler: WireOperation {
    /// Executes the operation. It must refuse before it writes.
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output>;
}

/// Due work of a service, such as the expiry of events. It is a row until it is done.
pub trait Work: Record {
    /// Name in the row: `logs/expire`.
    const NAME: &'static str;

    /// Does the work. The state may have changed since it was scheduled.
    fn run(self, cx: &mut Tx<'_>) -> Result<()>;
}

/// A call of a function outside the cloud, such as the rotation of a secret. It is a row until it is done.
pub trait Callback: Record {
    /// Name in the row: `secretsmanager/rotate`.
    const NAME: &'static str;

    /// Returns the function to call and its event; `None` if there is nothing to call any more.
    fn function_call(&self, cx: &Tx<'_>) -> Result<Option<FunctionCall>>;

    /// Processes the result of the function. The state may have changed since, also by calls of the function.
    fn complete(self, outcome: Result<()>, cx: &mut Tx<'_>) -> Result<()>;
}

/// A service in the cloud: its shape, handlers, controls, views, due work and tables.
#[derive(Debug)]
pub struct Service {
    /// Shape of the service.
    pub shape: &'static ServiceShape,
    /// Handlers of the operations, one for each.
    pub handlers: &'static [Entry],
    /// Test controls.
    pub controls: &'static [Control],
    /// Operations that other services of the cloud call, and that are not on the wire.
    pub internal: &'static [Entry],
    /// Views of its kinds.
    pub views: &'static [View],
    /// Views of the service.
    pub service_views: ServiceViews,
    /// Due work and callbacks.
    pub works: &'static [WorkEntry],
    /// Tables of the rows.
    pub tables: &'static [Table],
    /// Knowledge that decisions about access need.
    pub access: ServiceAccess,
    /// The service as the source of crypto keys.
    pub crypto_keys: Option<CryptoKeyService>,
    /// Resources that are targets of event rules.
    pub event_targets: &'static [EventTargetEntry],
    /// Sends the cloud's own events, if the service has event buses.
    pub event_bus: Option<SendOwnEvent>,
    /// Write operations on data and not on resources. The cloud sends no events about them.
    pub data_operations: &'static [&'static OperationShape],
    /// Tags of its resources.
    pub tagged: Option<TaggedResources>,
    /// Answers requests that are not operations.
    pub http: Option<HttpFront>,
}

impl Service {
    /// Executes a request of an operation or an internal operation of this service. Permissions are not checked.
    pub(crate) fn run(&self, request: Request, cx: &mut Tx<'_>) -> Answer {
        let mut entries = self.handlers.iter().chain(self.internal);
        let entry = entries.find(|entry| std::ptr::eq(entry.operation, request.operation));
        let missing = || crate::internal(format!("{} has no handler", request.operation.name));
        entry.ok_or_else(missing)?.run(request.params, cx)
    }
}

/// A handler in the list of a service.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Shape of the operation.
    pub operation: &'static OperationShape,
    run: fn(Box<dyn Fields>, &mut Tx<'_>) -> Answer,
}

impl Entry {
    /// Creates the entry of `O`.
    pub const fn new<O: Handler>() -> Self {
        Self { operation: O::OPERATION, run: run::<O> }
    }

    /// Executes the operation. Its answer is without what the service does not return.
    pub(crate) fn run(&self, params: Box<dyn Fields>, cx: &mut Tx<'_>) -> Answer {
        let mut answer = (self.run)(params, cx)?;
        record::strip_answer(&mut *answer, self.operation.lists);
        Ok(answer)
    }

    /// Creates a workflow of this operation, with the parameters that `fill` sets. Its outcome is the answer as a
    /// `Box<dyn Fields>`, for callers that do not know its type.
    pub fn workflow(&self, fill: Fill<'_>) -> Result<Arc<dyn Workflow>> {
        let request = dynamic::request(self.operation, fill)?;
        Ok(Arc::new(Once { operation: self.operation, params: request.params }))
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.operation.name)
    }
}

fn run<O: Handler>(mut params: Box<dyn Fields>, cx: &mut Tx<'_>) -> Answer {
    let params: &mut dyn Any = &mut *params;
    let Some(params) = params.downcast_mut::<O>() else { return Err(foreign_parameters()) };
    match std::mem::replace(params, O::blank_record()).run(cx) {
        Ok(answer) => Ok(Box::new(answer)),
        Err(error) => Err(error),
    }
}

fn foreign_parameters() -> Error {
    crate::internal("the parameters belong to another operation")
}

/// A workflow of one operation.
struct Once {
    operation: &'static OperationShape,
    params: Box<dyn Fields>,
}

impl Workflow for Once {
    fn name(&self) -> &'static str {
        self.operation.name
    }

    fn effect(&self) -> Effect {
        self.operation.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let answer = context.call_any(self.operation, self.params.boxed_clone()).await?;
            Ok(Box::new(answer) as Outcome)
        })
    }
}

/// Due work or a callback in the list of a service.
#[derive(Clone, Copy)]
pub struct WorkEntry {
    pub(crate) name: &'static str,
    pub(crate) implementation: Implementation,
}

/// Implementation of due work.
#[derive(Clone, Copy)]
pub(crate) enum Implementation {
    /// In a transaction.
    Work(fn(&[u8], &mut Tx<'_>) -> Result<()>),
    /// By a function outside the cloud, between two transactions.
    Callback {
        function_call: fn(&[u8], &Tx<'_>) -> Result<Option<FunctionCall>>,
        complete: fn(&[u8], Result<()>, &mut Tx<'_>) -> Result<()>,
    },
}

impl WorkEntry {
    /// Creates the entry of the due work `W`.
    pub const fn new<W: Work>() -> Self {
        Self {
            name: W::NAME,
            implementation: Implementation::Work(|row, cx| rows::decode::<W>(row)?.run(cx)),
        }
    }

    /// Creates the entry of the callback `C`.
    pub const fn callback<C: Callback>() -> Self {
        let implementation = Implementation::Callback {
            function_call: |row, cx| rows::decode::<C>(row)?.function_call(cx),
            complete: |row, outcome, cx| rows::decode::<C>(row)?.complete(outcome, cx),
        };
        Self { name: C::NAME, implementation }
    }
}

impl std::fmt::Debug for WorkEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Lists modules that the tests of a service check alone, as `parts`, a hidden module: a name and the path of each. Tests see their
/// public items; the modules themselves stay private.
#[macro_export]
#[allow(clippy::crate_in_macro_def, reason = "the modules are those of the service")]
macro_rules! parts {
    ($($name:ident: $($path:ident)::+,)+) => {
        #[doc(hidden)]
        pub mod parts {
            $(pub mod $name {
                pub use crate::$($path)::+::*;
            })+
        }
    };
}

/// Declares a service: its shape, `SERVICE`, and the service for clouds. It lists each kind, operation and table once; the
/// lists of calls and handlers follow from what the operations say.
///
/// `calls` lists the calls of managers that are not made of one operation. `controls` lists test controls, each with its name.
/// `internal` lists operations that other services call, and that are not on the wire. `service_views` names the views of the
/// service itself. `event_targets` lists the resources that receive events: the start of the last section of their ARNs, the
/// action that policies must allow, and the function that takes an event. `event_bus` names the function that sends the cloud's own
/// events. `data_operations` lists write operations on data, about which there are no events. `http` answers requests that are not
/// operations.
#[macro_export]
macro_rules! service {
    (
        $name:ident = $service:literal, $docs:literal;
        shape { $($shape:tt)* }
        kinds { $($kind:ty),* $(,)? }
        operations { $($operation:ty),* $(,)? }
        $(calls { $($call:ty),* $(,)? })?
        $(controls { $($control_name:literal => $control:ty),* $(,)? })?
        $(internal { $($internal:ty),* $(,)? })?
        $(views { $($view:expr),* $(,)? })?
        $(service_views { $service_views:expr })?
        $(works { $($work:ty),* $(,)? })?
        $(callbacks { $($callback:ty),* $(,)? })?
        tables { $($table:ty),* $(,)? }
        $(access { $($access:tt)* })?
        $(crypto_keys { $($keys:tt)* })?
        $(event_targets { $($target:literal $(needs $action:literal)? => $put:expr),* $(,)? })?
        $(event_bus { $send:expr })?
        $(data_operations { $($data:ty),* $(,)? })?
        $(tagged { $tagged:expr })?
        $(http { $http:expr })?
    ) => {
        #[doc = $docs]
        pub static SERVICE: ::nephos_core::shape::ServiceShape = ::nephos_core::shape::ServiceShape {
            docs: $docs,
            kinds: &[$(<$kind as ::nephos_core::Resource>::KIND),*],
            operations: &[$(<$operation as ::nephos_core::Operation>::OPERATION),*],
            calls: &[
                $(<$operation as ::nephos_core::Operation>::CALLS,)*
                $($(<$call as ::nephos_core::Operation>::CALLS,)*)?
            ],
            codes: errors::ALL,
            $($shape)*
            ..::nephos_core::shape::ServiceShape::named($service)
        };

        /// The service for clouds: handlers, controls, views, due work and tables.
        pub static $name: $crate::Service = $crate::Service {
            shape: &SERVICE,
            handlers: &[$($crate::Entry::new::<$operation>()),*],
            controls: &[$($($crate::Control::new::<$control>($control_name)),*)?],
            internal: &[$($($crate::Entry::new::<$internal>()),*)?],
            views: &[$($($view),*)?],
            service_views: $crate::service!(@first $($service_views,)? $crate::ServiceViews::NONE),
            works: &[
                $($($crate::WorkEntry::new::<$work>(),)*)?
                $($($crate::WorkEntry::callback::<$callback>(),)*)?
            ],
            tables: &[$($crate::Table::new::<$table>()),*],
            access: $crate::ServiceAccess { $($($access)*)? ..$crate::ServiceAccess::NONE },
            crypto_keys: $crate::service!(@optional $($crate::CryptoKeyService { $($keys)* })?),
            event_targets: &[
                $($($crate::EventTargetEntry::new($target, $crate::service!(@optional $($action)?), $put)),*)?
            ],
            event_bus: $crate::service!(@optional $($send)?),
            data_operations: &[$($(<$data as ::nephos_core::Operation>::OPERATION),*)?],
            tagged: $crate::service!(@optional $($tagged)?),
            http: $crate::service!(@optional $($http)?),
        };
    };
    (@first $first:expr $(, $other:expr)?) => { $first };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
}
