//! Operations of types that are not known at compile time: for the command line, servers and other languages.

use crate::{
    AnyPredicate, BoxFuture, Call, Error, FieldSet, Listing, ManagerOperation, Operation, Order, Outcome,
    Preview, QueryFuture, Ref, Request, Resource, Result, Results, Session, Workflow,
    fill::{self, Reader},
    nearest::suggest,
    operation::{
        Attach, CallWorkflow, Output, RunMode, WireOperation, downcast, run_workflow, with_service_code,
    },
    params::Params,
    record::{self, Fields},
    shape::{OperationShape, Type},
};
use std::sync::Arc;

pub use crate::operation::AnyOutput;

/// Fills the parameters of an operation. Those that are not given keep their defaults.
pub type Fill<'a> = &'a mut dyn FnMut(&mut dyn Fields) -> Result<()>;

/// The way to run an operation whose type is not known.
#[derive(Clone, Copy)]
pub enum Reach {
    /// An operation of a service: makes a request for a transport.
    Wire(fn(Fill<'_>) -> Result<Request>),
    /// A call of a manager.
    Call(fn(&Session, Fill<'_>) -> Result<Box<dyn AnyCall>>),
    /// A call of a manager that lists: makes a result set.
    List(fn(&Session, Fill<'_>) -> Result<Box<dyn AnyResults>>),
}

impl std::fmt::Debug for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Wire(_) => "Wire",
            Self::Call(_) => "Call",
            Self::List(_) => "List",
        })
    }
}

/// Returns the way to run `operation`.
///
/// # Panics
///
/// For a shape that was not made by `#[operation]`.
pub fn reach(operation: &OperationShape) -> Reach {
    *operation.reach.0.downcast_ref().expect("`#[operation]` stores a Reach")
}

/// A [`Call`] of any operation.
pub trait AnyCall: Send {
    /// Runs the call.
    fn run(self: Box<Self>) -> BoxFuture<'static, Result<AnyOutput>>;

    /// Runs the call, rolls it back, and returns its answer with the rows that it would change.
    fn preview(self: Box<Self>) -> QueryFuture<'static, Preview<AnyOutput>>;
}

/// [`Results`] of any kind.
pub trait AnyResults: Send + Sync {
    /// Returns the models that `predicate` accepts.
    fn filter(&self, predicate: AnyPredicate) -> Box<dyn AnyResults>;

    /// Returns the models with these fields, also if the listing omits them.
    fn with_fields(&self, fields: &[&str]) -> Box<dyn AnyResults>;

    /// Returns the models in this order.
    fn order_by(&self, order: Order) -> Box<dyn AnyResults>;

    /// Returns the next model, or none after the last.
    fn try_next(&mut self) -> BoxFuture<'_, Result<Option<Arc<dyn Fields>>>>;
}

/// Fills and checks the parameters.
fn fill_params<O: Operation>(fill: Fill<'_>, operation: &OperationShape) -> Result<O> {
    let during = |error| with_service_code(O::service(), error).during(operation.name);
    let mut params = Params::<O>::blank();
    fill(&mut params).map_err(during)?;
    if !std::ptr::eq(operation, O::OPERATION) {
        params.refuse_wire_only(operation).map_err(during)?;
    }
    settle_models(&mut params).map_err(|error| during(params.with_violations(error)))?;
    params.finish().map_err(during)
}

/// Checks the models among the parameters, as if the caller had built them.
fn settle_models(params: &mut dyn Fields) -> Result<()> {
    for (index, field) in params.shape().fields.iter().enumerate() {
        let mut settled = Ok(());
        params.field_mut(index).each_record(&mut |inner| {
            if settled.is_ok() && inner.kind().is_some() {
                settled = record::complete(inner);
            }
        });
        // A caller sees the model's fields as parameters, so their paths begin without the model.
        settled.map_err(|error| if field.model { error } else { error.in_field(field.name) })?;
    }
    Ok(())
}

/// Function of [`Reach::Wire`].
#[doc(hidden)]
pub fn request<O: WireOperation>(fill: Fill<'_>) -> Result<Request> {
    fill_params::<O>(fill, O::OPERATION).map(Request::new)
}

/// Function of [`Reach::Call`].
#[doc(hidden)]
pub fn call<O: ManagerOperation<Answer: Attach + Output>>(
    session: &Session,
    fill: Fill<'_>,
) -> Result<Box<dyn AnyCall>> {
    let answer = |outcome| downcast::<O::Answer>(outcome).map(Output::erase);
    let workflow: Arc<dyn Workflow> = Arc::new(CallWorkflow(fill_params::<O>(fill, O::CALL)?));
    Ok(Box::new(Erased { session: session.clone(), workflow, operation: O::CALL, answer }))
}

/// A call of which only the workflow knows the type.
struct Erased {
    session: Session,
    workflow: Arc<dyn Workflow>,
    operation: &'static OperationShape,
    answer: fn(Outcome) -> Result<AnyOutput>,
}

/// Function of [`Reach::List`].
#[doc(hidden)]
pub fn results<O: Listing>(session: &Session, fill: Fill<'_>) -> Result<Box<dyn AnyResults>> {
    Ok(Box::new(Call::new(session, fill_params::<O>(fill, O::CALL)?).results()))
}

impl AnyCall for Erased {
    fn run(self: Box<Self>) -> BoxFuture<'static, Result<AnyOutput>> {
        Box::pin(async move {
            let result = run_workflow(Ok(self.session), Ok(self.workflow), self.operation, RunMode::Execute);
            (self.answer)(result.await?.0)
        })
    }

    fn preview(self: Box<Self>) -> QueryFuture<'static, Preview<AnyOutput>> {
        QueryFuture::new(async move {
            let result = run_workflow(Ok(self.session), Ok(self.workflow), self.operation, RunMode::Preview);
            let (outcome, changes) = result.await?;
            Ok(Preview { answer: (self.answer)(outcome)?, changes })
        })
    }
}

impl<M: Resource> AnyResults for Results<M> {
    fn filter(&self, predicate: AnyPredicate) -> Box<dyn AnyResults> {
        Box::new(self.filter_any(predicate))
    }

    fn with_fields(&self, fields: &[&str]) -> Box<dyn AnyResults> {
        Box::new(Results::with_fields(self, fields))
    }

    fn order_by(&self, order: Order) -> Box<dyn AnyResults> {
        Box::new(Results::order_by(self, order))
    }

    fn try_next(&mut self) -> BoxFuture<'_, Result<Option<Arc<dyn Fields>>>> {
        Box::pin(async move { Ok(self.next_shared().await?.map(|model| model as Arc<dyn Fields>)) })
    }
}

/// Fills one parameter, or one field of the model that the operation takes, by name.
pub fn fill_parameter(params: &mut dyn Fields, name: &str, value: Ref<'_>, reader: &Reader) -> Result<()> {
    let shape = params.shape();
    let model = shape.fields.iter().position(|field| field.model);
    let of_model = model.and_then(|at| match shape.fields[at].ty {
        Type::Record(model) => Some(model),
        _ => None,
    });
    if reader.find(shape, name, 0).is_none()
        && let (Some(at), Some(of_model)) = (model, of_model)
    {
        if reader.find(of_model, name, 0).is_none() && !of_model.extras {
            let own = shape.fields.iter().filter(|field| !field.model).chain(of_model.fields);
            let hint = suggest(name, own.map(|field| field.name));
            return Err(Error::invalid(name, format!("{} has no such field{hint}", of_model.name)));
        }
        let mut filled = Ok(());
        params.field_mut(at).each_record(&mut |model| {
            filled = fill::fill_field(model, name, value, reader, 0);
        });
        params.note_given(FieldSet::single(at));
        return filled;
    }
    if reader.find(shape, name, 0).is_none() {
        let hint = suggest(name, shape.fields.iter().map(|field| field.name));
        return Err(Error::invalid(name, format!("there is no such parameter{hint}")));
    }
    fill::fill_field(params, name, value, reader, 0)
}
