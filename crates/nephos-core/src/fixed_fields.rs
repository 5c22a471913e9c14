//! Updates cannot change fixed fields: one that is given with another value than the service has is refused by name.

use crate::{
    Error, FieldSet, Ref, Result, WorkflowContext, dynamic,
    from_model::fill_required_parameters,
    operation::with_service_code,
    plan,
    projection::counterpart_in,
    record::Fields,
    resource,
    shape::{FieldShape, KindShape, OperationShape, Presence},
};

/// Refuses an update whose model has another value than the service in a field that cannot be changed.
pub(crate) async fn check(params: &dyn Fields, context: &WorkflowContext) -> Result<()> {
    let Some(model) = plan::given_model(params) else { return Ok(()) };
    let (Some(kind), Some(slot)) = (model.kind(), model.slot()) else { return Ok(()) };
    if slot.is_from_service() {
        return resource::check_changes(model);
    }
    // The values of the service are unknown, and the model may have them.
    let is_fixed = |index: &usize| {
        let field = &kind.record.fields[*index];
        field.fixed && field.presence != Presence::ServiceSet && !model.field(*index).view().is_null()
    };
    let given: Vec<usize> = slot.fields_set().iter().filter(is_fixed).collect();
    let identity_only = given.iter().all(|index| is_identity(kind, &kind.record.fields[*index]));
    if identity_only {
        return Ok(());
    }
    let Some(get) = kind.call("get") else { return Ok(()) };
    let mut params = dynamic::blank_params(get);
    fill_required_parameters(&mut *params, get, model, &[])
        .map_err(|error| with_service_code((kind.service)(), error))?;
    let found = Box::pin(plan::run(get, &*params, context)).await?;
    // The update itself refuses a resource that does not exist.
    let Some(Ref::Record(current)) = found.as_ref().map(|found| found.view()) else { return Ok(()) };
    let keys = keys_of(get, model);
    let differs = |index: &&usize| {
        !keys.contains(**index)
            && model.field(**index).view().to_value() != current.field(**index).view().to_value()
    };
    match given.iter().find(differs) {
        Some(index) => Err(cannot_be_changed(kind, &kind.record.fields[*index])),
        None => Ok(()),
    }
}

/// Fields of a model by which `get` finds its resource. What it found has them too, in the spelling of the service: names of some
/// kinds are kept in lower case.
pub(crate) fn keys_of(get: &OperationShape, model: &dyn Fields) -> FieldSet {
    let is_key = |param: &&FieldShape| param.presence == Presence::Required || !param.details.from.is_empty();
    let keys = get.params.fields.iter().filter(is_key);
    keys.filter_map(|param| Some(counterpart_in(model, param)?.0)).collect()
}

/// True if the field is one that the resource is found by.
pub(crate) fn is_identity(kind: &KindShape, field: &FieldShape) -> bool {
    use crate::shape::Identity;
    let is_in = |identity: &Identity| match identity {
        Identity::None => false,
        Identity::Path(path) => path.first() == Some(&field.name),
        Identity::Mapping(paths) => paths.iter().any(|path| path.first() == Some(&field.name)),
    };
    is_in(&kind.arn) || is_in(&kind.name_identity) || is_in(&kind.pk)
}

/// Error for a changed field that cannot be changed.
pub(crate) fn cannot_be_changed(kind: &KindShape, field: &FieldShape) -> Error {
    Error::invalid(field.name, "cannot be changed").with_code((kind.service)().invalid)
}
