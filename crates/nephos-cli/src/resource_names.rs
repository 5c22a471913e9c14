//! Names in place of ARNs and IDs, for calls that take only these: the resource is looked up first, as `get` finds it.

use crate::{
    inputs::{self, Part},
    target::{self, GivenValue, Target},
};
use nephos::{Result, Session, Value};
use nephos_core::{
    fill::{self, Reader},
    shape::{FieldShape, Identity, KindShape, Type},
    wait,
};

/// Replaces a name in `given` by the ARN or ID that the call takes.
pub(crate) fn resolve(target: Target, session: &Session, given: &mut [GivenValue]) -> Result<()> {
    let Some(value) = given.iter_mut().find(|given| is_identity(target.kind, given)) else { return Ok(()) };
    let Some(name) = value.value.as_text().filter(|name| !name.starts_with("arn:")).map(str::to_owned) else {
        return Ok(());
    };
    let Some((get, field)) = lookup(target, value.field) else { return Ok(()) };
    let wanted = match field.ty {
        Type::List(_) => Value::List(vec![name.as_str().into()]),
        _ => name.as_str().into(),
    };
    let call = target::build_call(get, session, &mut |params| {
        fill::fill_field(params, field.name, wanted.view(), &Reader::STRINGS, 0)
    })?;
    let found = match wait(call.run())?.map(|found| found.view().to_value()) {
        Some(Value::List(found)) => found.into_iter().next().unwrap_or_default(),
        found => found.unwrap_or_default(),
    };
    match &found {
        Value::Map(fields) if let Some(identity) = fields.get(model_field(value.field)) => {
            value.value = identity.clone();
            Ok(())
        }
        _ => Err(target.not_found(&name)),
    }
}

/// True if the value is a parameter that identifies the resource of the call by a field that the service assigns.
fn is_identity(kind: &KindShape, given: &GivenValue) -> bool {
    let is_path =
        |identity: &Identity| matches!(identity, Identity::Path([name]) if *name == model_field(given.field));
    given.part == Part::Parameter && given.identifies && (is_path(&kind.arn) || is_path(&kind.pk))
}

/// Returns the call that finds a resource by its name, and the parameter for it; none if it takes `identity` itself.
fn lookup(target: Target, identity: &FieldShape) -> Option<(Target, &'static FieldShape)> {
    let get = Target::new(target.kind, "get").filter(|get| get.call.name != target.call.name)?;
    let Identity::Path([name]) = &target.kind.name_identity else { return None };
    let inputs = inputs::inputs(get.kind, get.call);
    let input = inputs.iter().find(|input| input.positional && input.sets_field(get.kind, name))?;
    (model_field(input.field) != model_field(identity)).then_some((get, input.field))
}

/// Returns the field of the model that a parameter corresponds to.
fn model_field(field: &FieldShape) -> &'static str {
    if field.from.is_empty() { field.name } else { field.from }
}
