//! Identities of models: `arn`, `name` and `pk`.

use crate::{
    Error, Map, Result, Slot, Value,
    record::Fields,
    shape::{Identity, KindShape},
    value::Ref,
};

/// Primary key of a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Pk {
    /// A single value.
    Single(Value),
    /// Several values, in order, by name.
    Mapping(Map<Value>),
}

fn no_identity(kind: &KindShape, which: &str) -> Error {
    Error::invalid(which, format!("{} has no {which}", kind.name))
}

pub(crate) fn not_known(kind: &KindShape, which: &str) -> Error {
    Error::invalid(which, format!("this {} has no {which} yet", kind.name))
}

/// Returns the value at a path of field names; null where a record on the way is missing.
pub(crate) fn value_at<'a, 'p>(model: &'a dyn Fields, path: impl IntoIterator<Item = &'p str>) -> Ref<'a> {
    let mut at = Ref::Record(model);
    for name in path {
        let Ref::Record(record) = at else { return Ref::Null };
        at = match record.shape().field(name) {
            Some((index, _)) => record.field(index).view(),
            None => Ref::Null,
        };
    }
    at
}

pub(crate) fn text_identity<'a>(
    model: &'a dyn Fields,
    kind: &KindShape,
    which: &str,
) -> Result<Option<&'a str>> {
    let identity = if which == "arn" { &kind.arn } else { &kind.name_identity };
    match identity {
        Identity::Path(path) => Ok(value_at(model, path.iter().copied()).as_text()),
        _ => Err(no_identity(kind, which)),
    }
}

pub(crate) fn pk(model: &dyn Fields, kind: &KindShape) -> Result<Pk> {
    match &kind.pk {
        Identity::Mapping(paths) => {
            let entry = |path: &&[&'static str]| {
                let name = path.last().copied().unwrap_or_default();
                (name.into(), value_at(model, path.iter().copied()).to_value())
            };
            Ok(Pk::Mapping(paths.iter().map(entry).collect()))
        }
        Identity::Path(path) => Ok(Pk::Single(value_at(model, path.iter().copied()).to_value())),
        Identity::None => Err(no_identity(kind, "pk")),
    }
}

/// Returns the identity `which` of a model; `None` if that is not `arn`, `name` or `pk`.
pub(crate) fn identity(model: &dyn Fields, which: &str) -> Option<Result<Value>> {
    let kind = model.kind()?;
    match which {
        "arn" | "name" => {
            let found = text_identity(model, kind, which);
            Some(found.map(|text| text.map_or(Value::Null, Value::from)))
        }
        "pk" => Some(pk(model, kind).map(|pk| match pk {
            Pk::Single(value) => value,
            Pk::Mapping(map) => Value::Map(map),
        })),
        _ => None,
    }
}

/// True if the service has the resource of `model`.
pub(crate) fn is_saved(model: &dyn Fields) -> bool {
    match model.kind().and_then(|kind| kind.exists_if) {
        Some(index) => !model.field(index).view().is_null(),
        None => model.slot().is_some_and(Slot::is_from_service),
    }
}
