//! Updates cannot change fixed fields: one that is given with another value than the service has is refused by name.

use crate::{
    Error, Ref, Result, WorkflowContext, dynamic,
    from_model::fill_required_parameters,
    operation::with_service_code,
    plan,
    record::Fields,
    resource,
    shape::{FieldShape, KindShape, Presence},
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
    let differs =
        |index: &&usize| model.field(**index).view().to_value() != current.field(**index).view().to_value();
    match given.iter().find(differs) {
        Some(index) => Err(cannot_be_changed(kind, &kind.record.fields[*index])),
        None => Ok(()),
    }
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
