//! Parameters of operations that are built from models, and from the parameters of calls.

use crate::{
    Error, FieldSet, ManagerCall, Operation, PageRequest, Ref, Resource, Result, Value,
    field_value::FieldValue,
    fill::{self, Reader},
    identity::is_saved,
    operation::with_service_code,
    projection::{copy, counterpart, counterpart_in, fill_from_model},
    record::Fields,
    resource,
    shape::{FieldShape, OperationShape, Paging, Presence, ServiceShape, Type},
};

/// An operation whose parameters are fields of a model.
pub trait FromModel: Operation {
    /// Builds the operation with all parameters that the model has values for.
    ///
    /// # Errors
    ///
    /// `Invalid` if the model has no value for a required parameter.
    fn from_model<M: Resource>(model: &M) -> Result<Self> {
        let mut params = Self::blank();
        copy(&mut params, model, |_| true).map_err(|error| with_service_code(Self::service(), error))?;
        Ok(params)
    }

    /// Builds the operation with the required parameters and with those that a caller changed in the model; none
    /// if no parameter was changed.
    ///
    /// # Errors
    ///
    /// `Invalid` for a changed field that cannot be changed, and if the model has no value for a required
    /// parameter.
    fn changes_of<M: Resource>(model: &M) -> Result<Option<Self>> {
        model.check_changes()?;
        let mut params = Self::blank();
        Ok(fill_changes(&mut params, model, Self::service())?.then_some(params))
    }
}

impl<O: Operation> FromModel for O {}

/// Fills the required parameters and those that a caller changed in the model; false if no parameter was changed.
pub(crate) fn fill_changes(
    params: &mut dyn Fields,
    model: &dyn Fields,
    service: &'static ServiceShape,
) -> Result<bool> {
    let changed = resource::changed(model);
    let is_changed = |at: usize| changed.contains(at);
    let counterparts = params.shape().fields.iter().filter_map(|param| counterpart(model.shape(), param));
    if !counterparts.into_iter().any(is_changed) {
        return Ok(false);
    }
    copy(params, model, is_changed).map_err(|error| with_service_code(service, error))?;
    Ok(true)
}

/// A call that a model can run on itself.
pub trait OnModel<M>: ManagerCall {
    /// Builds the call from `model`, leaving the parameters named in `given` unset.
    fn for_model_except(model: &M, given: &[&str]) -> Result<Self>;

    /// Builds the call from `model`.
    fn for_model(model: &M) -> Result<Self> {
        Self::for_model_except(model, &[])
    }
}

impl<M: Resource, O: ManagerCall> OnModel<M> for O {
    fn for_model_except(model: &M, given: &[&str]) -> Result<Self> {
        let mut params = O::blank();
        fill_for_model(&mut params, O::CALL, model, given)?;
        Ok(params)
    }
}

/// Fills the parameters of a call on a model, leaving those in `given` unset: the model itself, and required parameters
/// from the model's fields of the same names. Optional parameters beside the model are up to the caller.
pub(crate) fn fill_for_model(
    params: &mut dyn Fields,
    call: &OperationShape,
    model: &dyn Fields,
    given: &[&str],
) -> Result<()> {
    fill_required_parameters(params, call, model, given)?;
    for (index, param) in params.shape().fields.iter().enumerate() {
        if param.details.model
            && let Some(mut model) = model.boxed_clone().into_value()
        {
            params.field_mut(index).take_from(&mut *model);
            params.note_given(FieldSet::single(index));
        }
    }
    Ok(())
}

/// Builds the parameters of an operation from a model and from the other parameters of the call. Those of the
/// call win; tags are merged key by key.
#[doc(hidden)]
pub fn beside_model<O: Operation, M: Resource>(model: &M, call: &dyn Fields) -> Result<O> {
    let mut params = O::blank();
    fill_beside_model(&mut params, model, call, O::service())?;
    Ok(params)
}

/// Fills the parameters of an operation as [`beside_model`] does.
pub(crate) fn fill_beside_model(
    params: &mut dyn Fields,
    model: &dyn Fields,
    call: &dyn Fields,
    service: &'static ServiceShape,
) -> Result<()> {
    let shape = params.shape();
    let mut beside = Vec::new();
    for (index, field) in call.shape().fields.iter().enumerate().filter(|(_, field)| !field.details.model) {
        let Some(at) = shape.fields.iter().position(|param| param.rust_name == field.rust_name) else {
            continue;
        };
        let value = call.field(index).view();
        if !value.is_null() {
            beside.push((at, value));
        }
    }
    let given: FieldSet = beside.iter().map(|(at, _)| *at).collect();
    fill_from_model(params, model, given).map_err(|error| with_service_code(service, error))?;
    let tags = model.kind().and_then(|kind| kind.tags).map(|tags| model.shape().fields[tags].rust_name);
    for (at, value) in beside {
        let param = &shape.fields[at];
        let merged = (tags == Some(param.rust_name)).then(|| crate::tags::merged(model, value));
        let value = merged.as_ref().map_or(value, Value::view);
        fill::fill(params.field_mut(at), value, &Reader::TRUSTED)
            .map_err(|error| error.in_field(param.name))?;
    }
    Ok(())
}

/// Copies the tags that were sent into the models of an answer that has no tags.
#[doc(hidden)]
pub fn echo_tags(answer: &mut dyn FieldValue, sent: &dyn Fields) {
    answer.each_record(&mut |model| {
        let Some(index) = model.kind().and_then(|kind| kind.tags) else { return };
        let name = model.shape().fields[index].rust_name;
        let Some(at) = sent.shape().fields.iter().position(|param| param.rust_name == name) else { return };
        if model.field(index).view().is_null() {
            // Both are the same field of the kind.
            let _ = fill::fill(model.field_mut(index), sent.field(at).view(), &Reader::TRUSTED);
        }
    });
}

/// Checks that exactly one of the parameters named in `keys` is given.
pub(crate) fn exactly_one(params: &dyn Fields, keys: &[&str], service: &'static ServiceShape) -> Result<()> {
    let fields = keys.iter().filter_map(|key| params.shape().field(key));
    let names: Vec<_> = fields.clone().map(|(_, field)| field.name).collect();
    let given: Vec<_> = fields.filter(|(index, _)| !params.field(*index).view().is_null()).collect();
    let message = match given.as_slice() {
        [_] => return Ok(()),
        [] => format!("{} is required", names.join(" or ")),
        _ => format!("only one of {} can be given", names.join(" and ")),
    };
    let field = given.last().map_or(names[0], |(_, field)| field.name);
    Err(Error::invalid(field, message).with_code(service.invalid))
}

/// Error for a field that the service should have answered with.
#[doc(hidden)]
pub fn missing_in_answer(field: &str) -> Error {
    Error::new(crate::ErrorKind::Internal, format!("the answer of the service has no {field}"))
}

/// Builds the parameters for one page of a listing. Returns none if a list of names is given and empty: then the page is
/// empty as well.
#[doc(hidden)]
pub fn page_params<O: Operation>(params: &O, request: &PageRequest) -> Option<O> {
    if has_empty_list(params) {
        return None;
    }
    let mut params = params.clone();
    set_page_token(&mut params, request);
    Some(params)
}

/// True if a list of names is given and empty.
pub(crate) fn has_empty_list(params: &dyn Fields) -> bool {
    let is_empty = |(index, field): (usize, &FieldShape)| {
        let names = matches!(field.ty, Type::List(Type::Text));
        names && matches!(params.field(index).view(), Ref::List(items) if items.is_empty())
    };
    params.shape().fields.iter().enumerate().any(is_empty)
}

/// Sets the pagination token of the page that is requested.
pub(crate) fn set_page_token(params: &mut dyn Fields, request: &PageRequest) {
    let is_token = |field: &FieldShape| field.details.paging == Some(Paging::Token);
    if let (Some(token), Some(index)) = (&request.token, params.shape().fields.iter().position(is_token)) {
        // A token is text.
        let _ = fill::fill(params.field_mut(index), Ref::Text(token), &Reader::TRUSTED);
    }
}

/// Fills the required parameters of a call from the model's fields of the same names, except those in `given`.
pub(crate) fn fill_required_parameters(
    params: &mut dyn Fields,
    operation: &OperationShape,
    model: &dyn Fields,
    given: &[&str],
) -> Result<()> {
    let given: FieldSet =
        given.iter().filter_map(|name| params.shape().field(name)).map(|(index, _)| index).collect();
    let takes_model = params.shape().fields.iter().any(|param| param.details.model);
    for (index, param) in params.shape().fields.iter().enumerate() {
        if given.contains(index) {
            continue;
        }
        // The caller stores the whole model.
        if param.details.model {
            continue;
        }
        if param.presence != Presence::Required && (takes_model || param.details.from.is_empty()) {
            continue;
        }
        let from = param.source();
        let value = counterpart_in(model, param).map(|(_, value)| value);
        let Some(value) = value.filter(|value| !value.is_null()) else {
            if param.presence != Presence::Required {
                continue;
            }
            let (name, call) = (model.shape().name, operation.name);
            let is_omitted =
                model.shape().field(from).is_some_and(|(_, field)| field.not_in_list) && is_saved(model);
            let message = if is_omitted {
                format!("listings omit {from}; get this {name} first, so that it can {call}")
            } else {
                format!("this {name} has no {from} yet, so it cannot {call}")
            };
            return Err(Error::invalid(from, message));
        };
        fill::fill(params.field_mut(index), value, &Reader::STRICT)
            .map_err(|error| error.in_field(param.name))?;
        params.note_given(FieldSet::single(index));
    }
    Ok(())
}
