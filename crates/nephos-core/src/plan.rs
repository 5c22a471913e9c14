//! Plans: how a manager's call is carried out. A call that is one operation of the service is data; other calls have code
//! of their own.

use crate::{
    BoxFuture, Error, ErrorKind, ManagerOperation, PageRequest, Ref, Result, Text, Value, WorkflowContext,
    dynamic::{self, CallReach, Reach},
    field_value::{FieldType, FieldValue, Open},
    fill::{self, Reader},
    fixed_fields,
    from_model::{
        echo_tags, exactly_one, fill_beside_model, has_empty_list, missing_in_answer, set_page_token,
    },
    identity,
    operation::{AnyOutput, Output, with_service_code},
    projection::counterpart,
    record::Fields,
    shape::{FieldShape, OperationShape, Presence, RecordShape, Type},
    update,
};
use std::{any::Any, mem};

/// Code that runs a call with these parameters.
pub type Code = for<'s> fn(&'s dyn Fields, &'s WorkflowContext) -> BoxFuture<'s, Result<AnyOutput>>;

/// Function that completes the answer of a call.
pub type Complete =
    for<'s> fn(&'s WorkflowContext, Box<dyn FieldValue>) -> BoxFuture<'s, Result<Box<dyn FieldValue>>>;

/// The steps of a call.
#[derive(Clone, Copy)]
pub enum Plan {
    /// Code of its own.
    Code(Code),
    /// One operation of the service.
    Operation(OperationPlan),
    /// An update: these operations send the changes of a model, then its tags are sent. Returns the model as `get` finds it.
    Update(&'static [&'static OperationShape]),
}

/// A call that is one operation of the service.
#[derive(Clone, Copy)]
pub struct OperationPlan {
    /// The operation on the wire.
    pub operation: &'static OperationShape,
    /// Source of its parameters.
    pub params: ParamsFrom,
    /// True if the call returns none where the service answers that the resource does not exist.
    pub optional: bool,
    /// Part of the answer that the call returns.
    pub returns: Returns,
    /// Parameters that are copied into the answer, which does not have them.
    pub copies: &'static [&'static str],
    /// Completes the answer.
    pub complete: Option<Complete>,
    /// True if the call returns the model as the kind's call `get` finds it afterwards.
    pub read_back: bool,
}

/// Source of the parameters of an operation.
#[derive(Clone, Copy)]
pub enum ParamsFrom {
    /// The call has the same parameters.
    Call,
    /// The parameters of the call with the same names.
    Names,
    /// The model that the call takes, and the other parameters of the call.
    Model,
    /// Keys of the call, each with the parameter of the operation that takes such a key, or a list of them.
    Keys(&'static [(&'static str, &'static str)]),
}

/// Part of an operation's answer that a call returns. Fields are named as in Rust.
#[derive(Clone, Copy)]
pub enum Returns {
    /// Nothing.
    Nothing,
    /// The whole answer.
    Answer,
    /// A field of the answer, which must have a value unless it is a list, a mapping or optional.
    Field {
        /// Name of the field.
        name: &'static str,
        /// True if it can be null.
        optional: bool,
    },
    /// The first item of a list in the answer, if there is one.
    First {
        /// Name of the list.
        name: &'static str,
    },
    /// A list of the answers of all pages.
    AllPages {
        /// Name of the list.
        name: &'static str,
        /// Name of the pagination token of the next page.
        token: &'static str,
    },
}

/// Runs the call with these parameters.
pub(crate) async fn run(
    call: &'static OperationShape,
    params: &dyn Fields,
    context: &WorkflowContext,
) -> Result<AnyOutput> {
    match dynamic::reach(call) {
        Reach::Call(reach) => match reach.plan {
            Plan::Update(operations) => update::run(operations, params, context).await,
            Plan::Code(code) => {
                if call.name == "update" {
                    fixed_fields::check(params, context).await?;
                }
                code(params, context).await
            }
            Plan::Operation(plan) => plan.run(call, params, context).await,
        },
        Reach::Wire(_) | Reach::List(_) => {
            Err(Error::new(ErrorKind::Internal, format!("{} is not a call with one answer", call.name)))
        }
    }
}

/// Runs the call with these parameters; what it looks for must exist, even if the call returns none otherwise.
pub(crate) async fn run_required(
    call: &'static OperationShape,
    params: &dyn Fields,
    context: &WorkflowContext,
) -> Result<AnyOutput> {
    match dynamic::reach(call) {
        Reach::Call(CallReach { plan: Plan::Operation(plan), .. }) => {
            OperationPlan { optional: false, ..plan }.run(call, params, context).await
        }
        _ => run(call, params, context).await,
    }
}

/// Function of [`Plan::Code`].
#[doc(hidden)]
pub fn code<'s, O: ManagerOperation>(
    params: &'s dyn Fields,
    context: &'s WorkflowContext,
) -> BoxFuture<'s, Result<AnyOutput>> {
    let params: &dyn Any = params;
    let call = params.downcast_ref::<O>().expect("a call is run with its own parameters");
    Box::pin(async move { Ok(call.run(context).await?.erase()) })
}

/// Returns the value in `value` with its type.
#[doc(hidden)]
pub fn typed<T: FieldType>(value: Box<dyn FieldValue>) -> Result<T> {
    crate::operation::restore(Some(value))
}

impl OperationPlan {
    async fn run(
        &self,
        call: &'static OperationShape,
        given: &dyn Fields,
        context: &WorkflowContext,
    ) -> Result<AnyOutput> {
        let params = self.build_params(call, given)?;
        if let Returns::AllPages { name, token } = self.returns {
            return match self.fetch_all(&*params, name, token, context).await {
                Err(error) if self.optional && error.kind() == ErrorKind::NotFound => Ok(nothing_found()),
                Ok(Some(all)) => self.complete(all, context).await,
                all => all,
            };
        }
        let sent = matches!(self.params, ParamsFrom::Model).then(|| params.boxed_clone());
        let answer = match context.call_any(self.operation, params).await {
            Err(error) if self.optional && error.kind() == ErrorKind::NotFound => return Ok(nothing_found()),
            answer => answer?,
        };
        if self.read_back {
            let sources = [&*answer, given_model(given).unwrap_or(given)];
            let kind = call.kind.ok_or_else(|| missing_in_answer(call.name))?;
            return update::read_back(kind, &sources, context).await;
        }
        let Some(mut returned) = self.take_returned(answer)? else {
            return Ok(if self.optional { nothing_found() } else { None });
        };
        copy_parameters(self.copies, sent.as_deref().unwrap_or(given), &mut *returned)?;
        if let Some(sent) = sent {
            echo_tags(&mut *returned, &*sent);
        }
        self.complete(returned, context).await
    }

    /// Completes what the call returns.
    async fn complete(&self, returned: Box<dyn FieldValue>, context: &WorkflowContext) -> Result<AnyOutput> {
        match self.complete {
            Some(complete) => complete(context, returned).await.map(Some),
            None => Ok(Some(returned)),
        }
    }

    /// Builds the parameters of the operation.
    fn build_params(&self, call: &OperationShape, given: &dyn Fields) -> Result<Box<dyn Fields>> {
        let service = (call.service)();
        let keys = match self.params {
            ParamsFrom::Call => return Ok(given.boxed_clone()),
            ParamsFrom::Names => {
                let mut params = dynamic::blank_params(self.operation);
                copy_same_names(&mut *params, given)?;
                return Ok(params);
            }
            ParamsFrom::Model => {
                let mut params = dynamic::blank_params(self.operation);
                if let Some(model) = given_model(given) {
                    check_taken(self.operation, model).map_err(|error| with_service_code(service, error))?;
                    fill_beside_model(&mut *params, model, given, service)?;
                }
                return Ok(params);
            }
            ParamsFrom::Keys(keys) => keys,
        };
        if keys.len() > 1 {
            let names: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
            exactly_one(given, &names, service)?;
        }
        let mut params = dynamic::blank_params(self.operation);
        for (key, list) in keys {
            let value = field_of(given, key)?.view();
            if value.is_null() {
                continue;
            }
            let index = index_of(&*params, list)?;
            match params.field_mut(index).open() {
                Open::List(list) => fill::fill(list.add(""), value, &Reader::TRUSTED)?,
                _ => fill::fill(params.field_mut(index), value, &Reader::TRUSTED)?,
            }
        }
        Ok(params)
    }

    /// Takes the part of the answer that the call returns.
    fn take_returned(&self, mut answer: Box<dyn Fields>) -> Result<AnyOutput> {
        match self.returns {
            Returns::Nothing => Ok(None),
            Returns::Answer => Ok(answer.into_value()),
            Returns::Field { name, optional } => {
                let taken = take_field(&mut *answer, name)?;
                if taken.view().is_null() && !optional {
                    Err(missing_in_answer(name))
                } else {
                    Ok(Some(taken))
                }
            }
            Returns::First { name } => {
                let index = index_of(&*answer, name)?;
                Ok(match answer.field_mut(index).reopen() {
                    Open::List(list) => list.item_mut(0).map(take),
                    _ => None,
                })
            }
            Returns::AllPages { name, .. } => take_field(&mut *answer, name).map(Some),
        }
    }

    /// Returns the items of all pages.
    async fn fetch_all(
        &self,
        params: &dyn Fields,
        name: &str,
        token: &str,
        context: &WorkflowContext,
    ) -> Result<AnyOutput> {
        if has_empty_list(params) {
            let mut answer = (dynamic::blank_request(self.operation).blank)();
            return take_field(&mut *answer, name).map(Some);
        }
        let mut request = PageRequest::first();
        let mut all: AnyOutput = None;
        loop {
            let mut params = params.boxed_clone();
            set_page_token(&mut *params, &request);
            let mut answer = context.call_any(self.operation, params).await?;
            request.token = field_of(&*answer, token)?.view().as_text().map(Text::new);
            let page = take_field(&mut *answer, name)?;
            match &mut all {
                None => all = Some(page),
                Some(all) => append(&mut **all, page.view())?,
            }
            if request.token.is_none() {
                return Ok(all);
            }
        }
    }
}

/// Refuses a field that the caller set in a model, and that the operation does not take. The values that the service has of fixed
/// fields of a stored resource are unknown, and the model may have them.
fn check_taken(operation: &OperationShape, model: &dyn Fields) -> Result<()> {
    let (Some(kind), Some(slot)) = (model.kind(), model.slot()) else { return Ok(()) };
    let is_saved = identity::is_saved(model);
    let is_dropped = |index: &usize| {
        let field = &kind.record.fields[*index];
        let takes = |param: &FieldShape| counterpart(kind.record, param) == Some(*index);
        field.presence != Presence::ServiceSet
            && !(field.fixed && is_saved)
            && kind.tags != Some(*index)
            && !model.field(*index).view().is_null()
            && !operation.params.fields.iter().any(takes)
    };
    match slot.fields_set().iter().find(is_dropped) {
        Some(index) if !slot.is_from_service() && is_saved => {
            Err(fixed_fields::cannot_be_changed(kind, &kind.record.fields[index]))
        }
        Some(index) if !slot.is_from_service() => {
            Err(Error::invalid(kind.record.fields[index].name, "cannot be set when the resource is created"))
        }
        _ => Ok(()),
    }
}

/// Returns the model that a call takes.
pub(crate) fn given_model(params: &dyn Fields) -> Option<&dyn Fields> {
    let index = params.shape().fields.iter().position(|param| param.details.model)?;
    match params.field(index).view() {
        Ref::Record(model) => Some(model),
        _ => None,
    }
}

/// Answer of a call that found no resource.
fn nothing_found() -> AnyOutput {
    Some(Box::new(Value::Null))
}

/// Appends the items of a page to a list.
fn append(all: &mut dyn FieldValue, page: Ref<'_>) -> Result<()> {
    let (Open::List(all), Ref::List(items)) = (all.reopen(), page) else { return Ok(()) };
    (0..items.len()).try_for_each(|n| fill::fill(all.add(""), items.item(n), &Reader::TRUSTED))
}

/// Takes a field out of an answer; a list or mapping without a value is empty.
fn take_field(answer: &mut dyn Fields, name: &str) -> Result<Box<dyn FieldValue>> {
    let index = index_of(answer, name)?;
    let is_many = matches!(answer.shape().fields[index].ty, Type::List(_) | Type::Map(_));
    let mut taken = take(answer.field_mut(index));
    if is_many && taken.view().is_null() {
        taken.open();
    }
    Ok(taken)
}

/// Takes a value out of its place, which has any value afterwards.
fn take(place: &mut dyn FieldValue) -> Box<dyn FieldValue> {
    let mut taken = place.fresh();
    taken.take_from(place);
    taken
}

/// Copies the values of the fields that have the same names in Rust.
pub(crate) fn copy_same_names(to: &mut dyn Fields, from: &dyn Fields) -> Result<()> {
    for (index, field) in from.shape().fields.iter().enumerate() {
        let value = from.field(index).view();
        if let (false, Ok(at)) = (value.is_null(), index_of(to, field.rust_name)) {
            fill::fill(to.field_mut(at), value, &Reader::TRUSTED)?;
        }
    }
    Ok(())
}

/// True if a field of `from` has a value and the name of a field of `shape` in Rust.
pub(crate) fn has_same_names(shape: &RecordShape, from: &dyn Fields) -> bool {
    from.shape().fields.iter().enumerate().any(|(index, field)| {
        !from.field(index).view().is_null()
            && shape.fields.iter().any(|other| other.rust_name == field.rust_name)
    })
}

/// Copies parameters into the fields of the same names of the records in an answer.
pub(crate) fn copy_parameters(
    names: &[&str],
    params: &dyn Fields,
    answer: &mut dyn FieldValue,
) -> Result<()> {
    let copy = |record: &mut dyn Fields| -> Result<()> {
        for name in names {
            let index = index_of(record, name)?;
            fill::fill(record.field_mut(index), field_of(params, name)?.view(), &Reader::TRUSTED)?;
        }
        Ok(())
    };
    let mut copied = Ok(());
    answer.each_record(&mut |record| copied = mem::replace(&mut copied, Ok(())).and_then(|()| copy(record)));
    copied
}

fn field_of<'r>(record: &'r dyn Fields, name: &str) -> Result<&'r dyn FieldValue> {
    Ok(record.field(index_of(record, name)?))
}

/// Returns the index of the field that is called `name` in Rust. The derives check such names.
fn index_of(record: &dyn Fields, name: &str) -> Result<usize> {
    let index = record.shape().fields.iter().position(|field| field.rust_name == name);
    index.ok_or_else(|| {
        Error::new(ErrorKind::Internal, format!("{} has no field {name}", record.shape().name))
    })
}
