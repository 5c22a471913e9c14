//! Operations and models of types that are not known at compile time: for the command line, servers and other languages.

mod model;
mod results;

use crate::{
    Error, ErrorKind, FieldSet, Listing, Ref, Request, Resource, Result, Session,
    fill::{self, Reader},
    nearest::suggest,
    operation::{ManagerCall, Source, WireOperation, check_call, with_service_code},
    params::Params,
    plan::Plan,
    record::{self, Fields},
    results::Models,
    shape::{KindShape, OperationShape, RecordShape, Type},
};

pub use crate::operation::{AnyCall, AnyOutput};
pub use model::{
    changed_fields, construct, fields_set, fill_from_model, from_json, identity, is_saved, preview_save,
    save, set_session, transform, unsupported, validate, validate_strings,
};
pub use results::AnyResults;

/// Fills the parameters of an operation. Those that are not given keep their defaults.
pub type Fill<'a> = &'a mut dyn FnMut(&mut dyn Fields) -> Result<()>;

/// The way to run an operation whose type is not known.
#[derive(Clone, Copy, Debug)]
pub enum Reach {
    /// An operation of a service on the wire.
    Wire(WireReach),
    /// A call of a manager.
    Call(CallReach),
    /// A call of a manager that lists.
    List(ListReach),
}

/// The way to make a request of an operation: blank parameters, and a blank answer.
#[derive(Clone, Copy, Debug)]
pub struct WireReach {
    params: fn() -> Box<dyn Fields>,
    answer: fn() -> Box<dyn Fields>,
}

impl WireReach {
    /// Creates that of `O`.
    #[doc(hidden)]
    pub const fn new<O: WireOperation>() -> Self {
        Self { params: blank::<O>, answer: blank::<O::Output> }
    }
}

/// The way to run a call: blank parameters, and the steps.
#[derive(Clone, Copy)]
pub struct CallReach {
    params: fn() -> Box<dyn Fields>,
    pub(crate) plan: Plan,
}

impl CallReach {
    /// Creates that of `O`.
    #[doc(hidden)]
    pub const fn new<O: ManagerCall>(plan: Plan) -> Self {
        Self { params: blank::<O>, plan }
    }
}

impl std::fmt::Debug for CallReach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallReach")
    }
}

/// The way to run a listing: blank parameters, and a function that makes its source.
#[derive(Clone, Copy)]
pub struct ListReach {
    params: fn() -> Box<dyn Fields>,
    source: fn(Box<dyn Fields>) -> Source,
    kind: &'static KindShape,
}

impl std::fmt::Debug for ListReach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ListReach")
    }
}

impl ListReach {
    /// Creates that of `O`.
    #[doc(hidden)]
    pub const fn new<O: Listing>() -> Self {
        Self { params: blank::<O>, source: Source::new::<O>, kind: <O::Model as Resource>::KIND }
    }

    /// Kind of the models that are listed, which may be another one than that of the call.
    pub fn kind(&self) -> &'static KindShape {
        self.kind
    }
}

/// Makes a record with all fields blank.
#[doc(hidden)]
pub fn blank<R: crate::Record>() -> Box<dyn Fields> {
    Box::new(R::blank())
}

/// Returns the way to run `operation`.
///
/// # Panics
///
/// For a shape that was not made by `#[operation]`.
pub fn reach(operation: &OperationShape) -> Reach {
    *operation.reach.0.downcast_ref().expect("`#[operation]` stores a Reach")
}

/// Returns blank parameters of an operation.
pub(crate) fn blank_params(operation: &OperationShape) -> Box<dyn Fields> {
    match reach(operation) {
        Reach::Wire(reach) => (reach.params)(),
        Reach::Call(reach) => (reach.params)(),
        Reach::List(reach) => (reach.params)(),
    }
}

/// Makes a request of an operation on the wire, with blank parameters.
///
/// # Panics
///
/// For a call of a manager.
pub(crate) fn blank_request(operation: &'static OperationShape) -> Request {
    let Reach::Wire(reach) = reach(operation) else { panic!("{} is not on the wire", operation.name) };
    let service = (operation.service)();
    let params = (reach.params)();
    Request { service, operation, params, blank: reach.answer, broken: None }
}

/// Makes a request of an operation on the wire, with the parameters that `fill` sets.
///
/// # Errors
///
/// Errors of `fill`, `Invalid` for parameters that break a rule, and `Internal` for a call of a manager.
pub fn request(operation: &'static OperationShape, fill: Fill<'_>) -> Result<Request> {
    unchecked_request(operation, fill)?.checked()
}

/// Makes a request like [`request`], with the error for a rule that its parameters break in it: those who may not make the request
/// do not learn of it.
///
/// # Errors
///
/// Errors of `fill`, and `Internal` for a call of a manager.
pub fn unchecked_request(operation: &'static OperationShape, fill: Fill<'_>) -> Result<Request> {
    let Reach::Wire(reach) = reach(operation) else {
        return Err(Error::new(ErrorKind::Internal, format!("{} is not on the wire", operation.name)));
    };
    let (params, broken) = fill_unchecked((reach.params)(), fill, operation)?;
    Ok(Request { service: (operation.service)(), operation, params, blank: reach.answer, broken })
}

/// Prepares a call of a manager, with the parameters that `fill` sets.
///
/// # Errors
///
/// Errors of `fill`, `Invalid` for parameters that break a rule, and `Unsupported` for a listing.
pub fn call(call: &'static OperationShape, session: &Session, fill: Fill<'_>) -> Result<AnyCall> {
    let Reach::Call(reach) = reach(call) else {
        return Err(Error::new(ErrorKind::Unsupported, format!("{} cannot be called", call.name)));
    };
    let params = fill_params((reach.params)(), fill, call)?;
    check_call(&*params, call).map_err(|error| error.during(call.name))?;
    Ok(AnyCall::new(session, params, call))
}

/// Makes the result set of a listing, with the parameters that `fill` sets.
///
/// # Errors
///
/// Errors of `fill`, `Invalid` for parameters that break a rule, and `Unsupported` for other calls.
pub fn results(call: &'static OperationShape, session: &Session, fill: Fill<'_>) -> Result<AnyResults> {
    let Reach::List(reach) = reach(call) else {
        return Err(Error::new(ErrorKind::Unsupported, format!("{} is not a listing", call.name)));
    };
    let source = (reach.source)(fill_params((reach.params)(), fill, call)?);
    Ok(AnyResults::new(Models::listing(reach.kind, session.clone(), source)))
}

/// Fills and checks the parameters.
fn fill_params(
    blank: Box<dyn Fields>,
    fill: Fill<'_>,
    operation: &'static OperationShape,
) -> Result<Box<dyn Fields>> {
    let (params, broken) = fill_unchecked(blank, fill, operation)?;
    broken.map_or(Ok(params), Err)
}

/// Fills the parameters. Also returns the error for a rule that they break.
fn fill_unchecked(
    blank: Box<dyn Fields>,
    fill: Fill<'_>,
    operation: &'static OperationShape,
) -> Result<(Box<dyn Fields>, Option<Error>)> {
    let service = (operation.service)();
    let during = |error| with_service_code(service, error).during(operation.name);
    let mut params = Params::new(blank);
    fill(&mut params).map_err(during)?;
    if !matches!(reach(operation), Reach::Wire(_)) {
        params.refuse_wire_only(operation).map_err(during)?;
    }
    settle_models(&mut params).map_err(|error| during(params.with_violations(error, service)))?;
    let (params, broken) = params.finish_unchecked(service);
    Ok((params, broken.map(during)))
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
        settled.map_err(|error| if field.details.model { error } else { error.in_field(field.name) })?;
    }
    Ok(())
}

/// Fills one parameter, or one field of the model that the operation takes, by name.
pub fn fill_parameter(params: &mut dyn Fields, name: &str, value: Ref<'_>, reader: &Reader) -> Result<()> {
    let shape = params.shape();
    let model = shape.fields.iter().position(|field| field.details.model);
    let of_model = model.and_then(|at| match shape.fields[at].ty {
        Type::Record(model) => Some(model),
        _ => None,
    });
    // Tags have several names, of which the exact one counts first.
    let is_exact = |shape: &RecordShape| shape.find(name, 0).is_some();
    let is_param =
        is_exact(shape) || reader.find(shape, name, 0).is_some() && !of_model.is_some_and(is_exact);
    if !is_param && let (Some(at), Some(of_model)) = (model, of_model) {
        if reader.find(of_model, name, 0).is_none() && !of_model.extras {
            let own = shape.fields.iter().filter(|field| !field.details.model).chain(of_model.fields);
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
