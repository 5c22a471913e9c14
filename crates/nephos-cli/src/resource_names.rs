//! Names in place of ARNs and IDs, for calls that take only these: the resource is looked up first, as `get` finds it.

use crate::{
    inputs,
    target::{self, GivenValue, Target},
};
use nephos::{REGISTRY, Result, Session, Value};
use nephos_core::{
    fill::{self, Reader},
    shape::{FieldShape, Identity, KindShape, Type},
    wait,
};

/// Replaces names in `given` by the ARNs or IDs that the call takes.
pub(crate) fn resolve(target: Target, session: &Session, given: &mut [GivenValue]) -> Result<()> {
    for given in given {
        let Some(name) = given.value.as_text().filter(|name| !name.starts_with("arn:")) else { continue };
        let Some(kind) = named_kind(target, given) else { continue };
        let Some((get, parameter)) = lookup(kind, given.field) else { continue };
        // The call that finds a resource by its name does not need this.
        if !std::ptr::eq(get.call, target.call) {
            given.value = find_identity(get, parameter, name, model_field(given.field), session)?;
        }
    }
    Ok(())
}

/// Returns the kind whose resource a value identifies: that of the call, or another one whose ARN has the name of the field,
/// such as the `LoadBalancerArn` of a listener.
fn named_kind(target: Target, given: &GivenValue) -> Option<&'static KindShape> {
    let field = model_field(given.field);
    let is_field = |identity: &Identity| matches!(identity, Identity::Path([name]) if *name == field);
    if given.identifies && (is_field(&target.kind.arn) || is_field(&target.kind.pk)) {
        return Some(target.kind);
    }
    let kind = REGISTRY.kind(field.strip_suffix("Arn")?)?;
    (is_field(&kind.arn) && !std::ptr::eq(kind, target.kind)).then_some(kind)
}

/// Returns the call that finds a resource by its name, and the parameter for it; none if it takes `identity` itself.
fn lookup(kind: &'static KindShape, identity: &FieldShape) -> Option<(Target, &'static FieldShape)> {
    let get = Target::new(kind, "get")?;
    let Identity::Path([name]) = &kind.name_identity else { return None };
    let inputs = inputs::inputs(get.kind, get.call);
    let input = inputs.iter().find(|input| input.positional && input.sets_field(kind, name))?;
    (model_field(input.field) != model_field(identity)).then_some((get, input.field))
}

/// Returns the value of `field` of the resource that has the name.
fn find_identity(
    get: Target,
    parameter: &FieldShape,
    name: &str,
    field: &str,
    session: &Session,
) -> Result<Value> {
    let wanted = match parameter.ty {
        Type::List(_) => Value::List(vec![name.into()]),
        _ => name.into(),
    };
    let call = target::build_call(get, session, &mut |params| {
        fill::fill_field(params, parameter.name, wanted.view(), &Reader::STRINGS, 0)
    })?;
    let found = match wait(call.run())?.map(|found| found.view().to_value()) {
        Some(Value::List(found)) => found.into_iter().next().unwrap_or_default(),
        found => found.unwrap_or_default(),
    };
    match &found {
        Value::Map(fields) if let Some(identity) = fields.get(field) => Ok(identity.clone()),
        _ => Err(get.not_found(name)),
    }
}

/// Returns the field of the model that a parameter corresponds to.
fn model_field(field: &FieldShape) -> &'static str {
    if field.from.is_empty() { field.name } else { field.from }
}
