//! Secret values that a service creates and returns once, such as that of an access key. They are shown: hidden, they would be
//! lost.

use crate::{inputs, output::expose_secrets, target::Target};
use nephos::{SecretText, Value};
use nephos_core::shape::{Effect, FieldShape, Presence, RecordShape, Type};

/// Maximum depth of records in an example, because records can contain themselves.
const MAX_DEPTH: usize = 8;

/// Returns the answer of a call with the secrets exposed that no other call returns.
pub(crate) fn expose(target: Target, answer: Value) -> Value {
    if !can_create_secrets(target) {
        return answer;
    }
    match answer {
        Value::List(items) => Value::List(items.into_iter().map(|item| expose(target, item)).collect()),
        Value::Map(mut fields) => {
            for field in created_secrets(target) {
                if let Some(value) = fields.get_mut(field.name) {
                    *value = expose_secrets(value);
                }
            }
            Value::Map(fields)
        }
        value => value,
    }
}

/// True if the answer of a call can have secrets that no other call returns.
pub(crate) fn is_returned_by(target: Target) -> bool {
    can_create_secrets(target) && created_secrets(target).next().is_some()
}

/// Returns an answer of a call with a value in every field.
pub(crate) fn example(target: Target) -> Option<Value> {
    let answer = target.call.output.as_ref().map(|ty| example_of_type(ty, 0))?;
    Some(expose(target, answer))
}

/// True for a write that returns a new resource. Kinds that cannot be read, such as temporary credentials, lose nothing.
fn can_create_secrets(target: Target) -> bool {
    let is_kind = |record: &RecordShape| std::ptr::eq(record, target.kind.record);
    let returns_kind = match &target.call.output {
        Some(Type::Record(record) | Type::List(Type::Record(record))) => is_kind(record),
        _ => false,
    };
    let is_readable = ["get", "list"].into_iter().any(|call| target.kind.call(call).is_some());
    let changes_existing = inputs::lookup_call(target.kind, target.call).is_some();
    target.call.effect == Effect::Write && returns_kind && is_readable && !changes_existing
}

/// Returns the secrets that the service sets: the caller cannot know their values.
fn created_secrets(target: Target) -> impl Iterator<Item = &'static FieldShape> {
    let fields = target.kind.record.fields.iter();
    fields.filter(|field| field.presence == Presence::ServiceSet && field.sensitive)
}

fn example_of_field(field: &FieldShape, depth: usize) -> Value {
    if field.sensitive { secret() } else { example_of_type(&field.ty, depth) }
}

fn example_of_type(ty: &Type, depth: usize) -> Value {
    match ty {
        Type::Secret => secret(),
        Type::Record(_) if depth == MAX_DEPTH => Value::Null,
        Type::Record(record) => {
            let field = |field: &FieldShape| (field.name.into(), example_of_field(field, depth + 1));
            Value::Map(record.fields.iter().map(field).collect())
        }
        Type::List(item) => Value::List(vec![example_of_type(item, depth)]),
        Type::Map(value) => Value::Map([("key".into(), example_of_type(value, depth))].into_iter().collect()),
        Type::Bool => true.into(),
        Type::Int | Type::Float => 1.into(),
        Type::Choice(choice) => choice.values.first().map_or("", |value| value.name).into(),
        Type::Text | Type::Time | Type::Blob | Type::Any => "text".into(),
    }
}

fn secret() -> Value {
    Value::Secret(SecretText::from(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos::REGISTRY;

    #[test]
    fn calls_that_return_a_secret_once() {
        let targets =
            REGISTRY.kinds().flat_map(|kind| kind.calls().into_iter().map(move |call| Target { kind, call }));
        let found = targets.filter(|target| is_returned_by(*target));
        let names: Vec<_> =
            found.map(|target| format!("{}.{}", target.kind.name, target.call.name)).collect();
        let expected = [
            "AccessKey.create",
            "VirtualMFADevice.create",
            "ServiceSpecificCredential.create",
            "ServiceSpecificCredential.reset",
        ];
        assert_eq!(names, expected);
    }
}
