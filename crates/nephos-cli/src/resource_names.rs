//! Names in place of ARNs and IDs, for calls that take only these: the resource is looked up first, as `get` finds it.

use crate::{
    inputs::{self, Input, model_field},
    target::{self, GivenValue, Target},
};
use nephos::{REGISTRY, Result, Session, Value};
use nephos_core::{
    fill::{self, Reader},
    shape::{FieldShape, Identity, KindShape, OperationShape, Type},
    wait,
};

/// Replaces names in `given` by the ARNs or IDs that the call takes.
pub(crate) fn resolve(target: Target, session: &Session, given: &mut [GivenValue]) -> Result<()> {
    for n in 0..given.len() {
        let value = &given[n];
        let Some(name) = value.value.as_text().filter(|name| !name.starts_with("arn:")) else { continue };
        let Some((kind, identity)) = named_kind(target, value) else { continue };
        let Some((get, parameter)) = lookup(kind, value.field) else { continue };
        // The call that finds a resource by its name does not need this.
        if std::ptr::eq(get.call, target.call) {
            continue;
        }
        let further = if std::ptr::eq(kind, target.kind) { &*given } else { &[] };
        let found = find_identity(get, parameter, name, identity, further, session)?;
        given[n].value = found;
    }
    Ok(())
}

/// Returns the kind whose resource a value identifies, and the field of its identity: that of the call, or another one whose ARN
/// has the name of the field, such as the `LoadBalancerArn` of a listener.
fn named_kind(target: Target, given: &GivenValue) -> Option<(&'static KindShape, &'static str)> {
    if given.identifies
        && let Some(identity) = own_identity(target.kind, given.field)
    {
        return Some((target.kind, identity));
    }
    let field = model_field(given.field);
    let kind = REGISTRY.kind(field.strip_suffix("Arn")?)?;
    (is_path(&kind.arn, field) && !std::ptr::eq(kind, target.kind)).then_some((kind, field))
}

/// Returns the field with the ARN or ID of a resource of `kind` that a parameter takes; calls for tags name it `resource_arn`.
pub(crate) fn own_identity(kind: &KindShape, parameter: &FieldShape) -> Option<&'static str> {
    let field = model_field(parameter);
    if is_path(&kind.arn, field) || is_path(&kind.pk, field) {
        return Some(field);
    }
    match kind.arn {
        Identity::Path([arn]) if parameter.rust_name == "resource_arn" => Some(arn),
        _ => None,
    }
}

fn is_path(identity: &Identity, field: &str) -> bool {
    matches!(identity, Identity::Path([name]) if *name == field)
}

/// Returns the parameters of `get` that a call needs to find the ARN of a resource, in addition to its name: the bus of a rule.
pub(crate) fn further_keys(
    kind: &'static KindShape,
    call: &OperationShape,
    inputs: &[Input],
) -> Vec<&'static FieldShape> {
    if call.pages || call.name == "get" {
        return Vec::new();
    }
    let own = inputs.iter().find(|input| input.positional && own_identity(kind, input.field).is_some());
    let Some((_, name)) = own.and_then(|input| lookup(kind, input.field)) else { return Vec::new() };
    inputs::composite_keys(kind).into_iter().filter(|key| !std::ptr::eq(*key, name)).collect()
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
    given: &[GivenValue],
    session: &Session,
) -> Result<Value> {
    let wanted = match parameter.ty {
        Type::List(_) => Value::List(vec![name.into()]),
        _ => name.into(),
    };
    let call = target::build_call(get, session, &mut |params| {
        fill::fill_field(params, parameter.name, wanted.view(), &Reader::STRINGS, 0)?;
        let further =
            inputs::composite_keys(get.kind).into_iter().filter(|key| !std::ptr::eq(*key, parameter));
        further.filter_map(|key| Some((key, target::key_value(given, key)?))).try_for_each(|(key, value)| {
            fill::fill_field(params, key.name, value.view(), &Reader::STRINGS, 0)
        })
    })?;
    let found = match wait(call.run())?.map(|found| found.view().to_value()) {
        Some(Value::List(found)) => found.into_iter().next().unwrap_or_default(),
        found => found.unwrap_or_default(),
    };
    match &found {
        Value::Map(fields) if let Some(identity) = fields.get(field) => Ok(identity.clone()),
        _ => Err(get.not_found(name, given)),
    }
}
