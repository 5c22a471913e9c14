//! Inputs of a call: its parameters, and the fields of its model if it takes one.

use crate::{names, resource_names};
use nephos::Value;
use nephos_core::shape::{FieldShape, Identity, KindShape, OperationShape, Presence};

/// Part of a call that an input fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A parameter of the call.
    Parameter,
    /// A field of the model that the call takes.
    Model,
    /// A part of the key of the resource: a parameter of the call that reads the model that the call changes, or finds the ARN
    /// that the call takes; or a field of the identity.
    Key,
}

/// An input of a call.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Shape of the parameter or field.
    pub(crate) field: &'static FieldShape,
    /// Part of the call that it fills.
    pub(crate) part: Part,
    /// Name of the flag, without the dashes.
    pub(crate) flag: String,
    /// True if it can be given without its flag.
    pub(crate) positional: bool,
    /// True if the call requires it.
    pub(crate) required: bool,
}

/// Options of the program itself. A parameter of the same name gets another flag.
pub(crate) const RESERVED: [&str; 29] = [
    "state-file",
    "store",
    "blobs-folder",
    "memory",
    "key-command",
    "key-file",
    "lock-wait",
    "endpoint",
    "profile",
    "account",
    "region",
    "role",
    "role-session-name",
    "external-id",
    "transitions",
    "output",
    "query",
    "show-values",
    "fields",
    "where",
    "sort",
    "limit",
    "dry-run",
    "from",
    "allow-empty",
    "clear",
    "add-tags",
    "help",
    "version",
];

impl Input {
    fn new(field: &'static FieldShape, part: Part) -> Self {
        let flag = names::flag(field);
        let flag = match flag.as_str() {
            // The services limit a page; `--limit` of the program limits the whole listing.
            "limit" => "page-size".to_owned(),
            name if RESERVED.contains(&name) => format!("with-{name}"),
            _ => flag,
        };
        Self { field, part, flag, positional: false, required: false }
    }

    fn positional(mut self, required: bool) -> Self {
        (self.positional, self.required) = (true, required);
        self
    }

    /// True if it sets the same value as the field `name` of the model. A parameter `Name` sets the `<Kind>Name` field.
    pub(crate) fn sets_field(&self, kind: &KindShape, name: &str) -> bool {
        self.model_field() == name || name.strip_prefix(kind.name) == Some(self.field.name)
    }

    /// Returns its value in the value of the model field `name`, if it is a part of that field.
    pub(crate) fn part_of<'v>(&self, name: &str, value: &'v Value) -> Option<&'v Value> {
        let path = self.model_field().strip_prefix(name)?.strip_prefix('.')?;
        path.split('.').try_fold(value, |value, step| value.get(step))
    }

    /// Returns the name of the model field that it corresponds to.
    pub(crate) fn model_field(&self) -> &'static str {
        model_field(self.field)
    }
}

/// Returns the name of the model field that a parameter corresponds to.
pub(crate) fn model_field(field: &FieldShape) -> &'static str {
    field.source()
}

/// Returns the call of `kind` that reads the model that `call` changes: `get`, or the listing of a kind without it; none if
/// `call` does not change an existing model.
pub(crate) fn lookup_call(kind: &KindShape, call: &OperationShape) -> Option<&'static OperationShape> {
    if call.name != "update" || !takes_model(call) {
        return None;
    }
    let listing = || kind.call("list").filter(|list| list.pages && !pk_fields(kind).is_empty());
    kind.call("get").or_else(listing)
}

fn takes_model(call: &OperationShape) -> bool {
    call.params.fields.iter().any(|field| field.details.model)
}

/// Returns the inputs of `call`, positional ones first.
pub(crate) fn inputs(kind: &'static KindShape, call: &'static OperationShape) -> Vec<Input> {
    let mut inputs = Vec::new();
    if let Some(lookup_call) = lookup_call(kind, call) {
        inputs =
            if lookup_call.pages { listing_keys(kind, lookup_call) } else { get_keys(kind, lookup_call) };
    }
    let model = if takes_model(call) { kind.record.fields } else { &[] };
    // A required parameter may set the same value as a field of the model.
    let has_own_parameter = |name: &str| {
        let mut parameters = call.params.fields.iter().filter(|field| field.presence == Presence::Required);
        parameters.any(|field| !field.details.model && field.is_taken_from(name))
    };
    if inputs.is_empty() {
        let names = identity_fields(kind);
        // A key that `get` does not need, such as the bus of a rule, has a default: it is a flag.
        let is_optional = |name: &str| {
            let get = kind.call("get").filter(|_| names.len() > 1).and_then(|get| get.params.field(name));
            get.is_some_and(|(_, field)| field.presence != Presence::Required)
        };
        let keys = names.iter().copied().filter(|name| !has_own_parameter(name) && !is_optional(name));
        let keys = keys.filter_map(|name| model.iter().find(|field| field.name == name));
        inputs.extend(keys.map(|field| Input::new(field, Part::Model).positional(true)));
    }
    for field in call.params.fields.iter().filter(|field| !field.details.model && !field.details.wire_only) {
        let input = Input::new(field, Part::Parameter);
        inputs.push(if field.presence == Presence::Required { input.positional(true) } else { input });
    }
    for field in model.iter().filter(|field| field.presence != Presence::ServiceSet) {
        let input = Input::new(field, Part::Model);
        let taken = |other: &Input| {
            other.flag == input.flag || (other.part == Part::Key && other.sets_field(kind, field.name))
        };
        if !inputs.iter().any(taken) {
            inputs.push(input);
        }
    }
    for field in resource_names::further_keys(kind, call, &inputs) {
        let input = Input::new(field, Part::Key);
        if !inputs.iter().any(|other| other.flag == input.flag) {
            inputs.push(input);
        }
    }
    // The name of a resource is positional if nothing else is.
    if !inputs.iter().any(|input| input.positional)
        && !call.pages
        && let [name] = identity_fields(kind).as_slice()
        && let Some(input) = inputs.iter_mut().find(|input| input.sets_field(kind, name))
    {
        input.positional = true;
    }
    inputs.sort_by_key(|input| !input.positional);
    inputs
}

/// Returns the inputs that select the resource for `get`.
fn get_keys(kind: &'static KindShape, get: &'static OperationShape) -> Vec<Input> {
    let keys = || get.params.fields.iter().map(|field| Input::new(field, Part::Key));
    let is_required = |key: &Input| key.field.presence == Presence::Required;
    let mut inputs: Vec<_> = keys().filter(is_required).map(|key| key.positional(true)).collect();
    // A `get` with several optional keys is called with the name, or with the ARN as a flag.
    if inputs.is_empty() {
        let names = identity_fields(kind);
        let is_name = |key: &Input| names.iter().any(|name| key.sets_field(kind, name));
        let is_arn = |key: &Input| !is_name(key) && resource_names::own_identity(kind, key.field).is_some();
        let arns: Vec<_> = keys().filter(is_arn).collect();
        inputs.extend(keys().filter(is_name).map(|key| key.positional(arns.is_empty())));
        inputs.extend(arns);
    }
    // A key with a default, such as the bus of a rule, is a flag.
    let further = composite_keys(kind).into_iter().filter(|key| key.presence != Presence::Required);
    inputs.extend(further.map(|field| Input::new(field, Part::Key)));
    inputs
}

/// Returns the inputs that select the resource in a listing: its identity, also if the service sets it, and parameters of the
/// listing that are fields of the resource, such as the user of an access key.
fn listing_keys(kind: &'static KindShape, list: &'static OperationShape) -> Vec<Input> {
    let identity = pk_fields(kind);
    let is_further = |field: &&'static FieldShape| {
        let name = model_field(field);
        kind.record.field(name).is_some() && identity.iter().all(|identity| identity.name != name)
    };
    let parameters =
        list.params.fields.iter().filter(|field| !field.details.wire_only && field.details.paging.is_none());
    let (required, optional): (Vec<_>, Vec<_>) =
        parameters.filter(is_further).partition(|field| field.presence == Presence::Required);
    let positional = required.into_iter().chain(identity.iter().copied());
    let mut inputs: Vec<_> = positional.map(|field| Input::new(field, Part::Key).positional(true)).collect();
    inputs.extend(optional.into_iter().map(|field| Input::new(field, Part::Key)));
    inputs
}

/// Returns the fields of the primary key, also those that the service sets; empty if a part is within another record.
pub(crate) fn pk_fields(kind: &KindShape) -> Vec<&'static FieldShape> {
    let field = |path: &&'static [&'static str]| match path {
        [name] => kind.record.field(name).map(|(_, field)| field),
        _ => None,
    };
    let fields: Option<Vec<_>> = match &kind.pk {
        Identity::None => None,
        Identity::Path(path) => field(path).map(|field| vec![field]),
        Identity::Mapping(paths) => paths.iter().map(field).collect(),
    };
    fields.unwrap_or_default()
}

/// Returns the input that adds tags to those of the resource; none if the call does not change an existing resource with
/// tags.
pub(crate) fn tags_to_add(kind: &'static KindShape, call: &'static OperationShape) -> Option<Input> {
    let field = &kind.record.fields[kind.tags?];
    let is_changeable = inputs(kind, call).iter().any(|input| std::ptr::eq(input.field, field));
    let is_update = lookup_call(kind, call).is_some();
    (is_update && is_changeable)
        .then(|| Input { flag: ADD_TAGS.to_owned(), ..Input::new(field, Part::Model) })
}

/// Flag that adds tags.
const ADD_TAGS: &str = "add-tags";

/// Returns the inputs of an operation that takes no model; required ones are positional.
pub(crate) fn parameters(operation: &'static OperationShape) -> Vec<Input> {
    let mut inputs: Vec<_> = operation
        .params
        .fields
        .iter()
        .map(|field| {
            let input = Input::new(field, Part::Parameter);
            if field.presence == Presence::Required { input.positional(true) } else { input }
        })
        .collect();
    inputs.sort_by_key(|input| !input.positional);
    inputs
}

/// Returns the parameters of `get` that together identify a resource of a kind with a key of several fields; empty for
/// other kinds.
pub(crate) fn composite_keys(kind: &'static KindShape) -> Vec<&'static FieldShape> {
    let names = identity_fields(kind);
    let Some(get) = kind.call("get").filter(|_| names.len() > 1) else { return Vec::new() };
    let is_key = |field: &&'static FieldShape| {
        names.iter().any(|name| Input::new(field, Part::Key).sets_field(kind, name))
    };
    get.params.fields.iter().filter(is_key).collect()
}

/// Returns the settable fields that identify a resource of a kind: its key, or its name.
fn identity_fields(kind: &KindShape) -> Vec<&'static str> {
    let is_settable = |name: &&'static str| {
        kind.record.field(name).is_some_and(|(_, field)| field.presence != Presence::ServiceSet)
    };
    let single = |path: &&'static [&'static str]| match path {
        [name] => Some(*name).filter(is_settable),
        _ => None,
    };
    if let Identity::Mapping(paths) = &kind.pk {
        let names: Vec<_> = paths.iter().filter_map(single).collect();
        if names.len() == paths.len() {
            return names;
        }
    }
    match &kind.name_identity {
        Identity::Path(path) => single(path).into_iter().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_global_option_is_reserved() {
        let options = crate::context::options().into_iter().chain(crate::output::options());
        for option in options {
            assert!(RESERVED.contains(&option.get_id().as_str()), "{}", option.get_id());
        }
    }
}
