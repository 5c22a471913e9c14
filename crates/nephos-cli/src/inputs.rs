//! The inputs of a call: its parameters, and the fields of its model if it takes one.

use crate::names;
use nephos_core::shape::{FieldShape, Identity, KindShape, OperationShape, Presence};

/// What the value of an input becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A parameter of the call.
    Parameter,
    /// A field of the model that the call takes.
    Model,
    /// A parameter of `get`, which finds the model that the call changes.
    Key,
}

/// Something that can be given to a call.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Its description.
    pub(crate) field: &'static FieldShape,
    /// What it becomes.
    pub(crate) part: Part,
    /// Its flag, without the dashes.
    pub(crate) flag: String,
    /// Whether it can stand without its flag.
    pub(crate) positional: bool,
    /// Whether the call cannot do without it.
    pub(crate) required: bool,
}

/// The options of the program itself. A parameter that is called the same gets a flag of another name.
pub(crate) const RESERVED: [&str; 20] = [
    "state",
    "memory",
    "key-file",
    "endpoint",
    "profile",
    "account",
    "region",
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
    "clear",
    "help",
    "version",
];

impl Input {
    fn new(field: &'static FieldShape, part: Part) -> Self {
        let flag = names::flag(field);
        let flag = if RESERVED.contains(&flag.as_str()) { format!("with-{flag}") } else { flag };
        Self { field, part, flag, positional: false, required: false }
    }

    fn positional(mut self, required: bool) -> Self {
        (self.positional, self.required) = (true, required);
        self
    }

    /// Whether it sets_field what the field called `name` of the kind's model does. `Name` is the name of whatever it is.
    pub(crate) fn sets_field(&self, kind: &KindShape, name: &str) -> bool {
        self.model_field() == name || name.strip_prefix(kind.name) == Some(self.field.name)
    }

    /// The model's field that it tells apart by.
    pub(crate) fn model_field(&self) -> &'static str {
        if self.field.from.is_empty() { self.field.name } else { self.field.from }
    }
}

/// The call of `kind` that finds what `call` changes, if it changes a model that is there already.
pub(crate) fn lookup_call(kind: &KindShape, call: &OperationShape) -> Option<&'static OperationShape> {
    (call.name == "update" && takes_model(call)).then(|| kind.call("get")).flatten()
}

fn takes_model(call: &OperationShape) -> bool {
    call.params.fields.iter().any(|field| field.model)
}

/// The inputs of `call`: first those that need no flag, in their order.
pub(crate) fn inputs(kind: &'static KindShape, call: &'static OperationShape) -> Vec<Input> {
    let mut inputs = Vec::new();
    if let Some(lookup_call) = lookup_call(kind, call) {
        let keys =
            || lookup_call.params.fields.iter().map(|field| Input::new(field, Part::Key).positional(true));
        inputs.extend(keys().filter(|key| key.field.presence == Presence::Required));
        // What is found by one of several keys is found by its name.
        if inputs.is_empty() {
            let names = identity_fields(kind);
            inputs.extend(keys().filter(|key| names.iter().any(|name| key.sets_field(kind, name))));
        }
    }
    let model = if takes_model(call) { kind.record.fields } else { &[] };
    // A parameter that every caller has to give may say what a field of the model does.
    let has_own_parameter = |name: &str| {
        let mut parameters = call.params.fields.iter().filter(|field| field.presence == Presence::Required);
        parameters.any(|field| !field.model && field.from == name)
    };
    if inputs.is_empty() {
        let keys = identity_fields(kind).into_iter().filter(|name| !has_own_parameter(name));
        let keys = keys.filter_map(|name| model.iter().find(|field| field.name == name));
        inputs.extend(keys.map(|field| Input::new(field, Part::Model).positional(true)));
    }
    for field in call.params.fields.iter().filter(|field| !field.model && !field.wire_only) {
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
    // A kind's name may stand alone where nothing else does.
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

/// The inputs of an operation that takes no model. Those it needs have no flag.
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

/// The fields that tell one resource of a kind from another and that a caller can say: its key, or its name.
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
    fn every_option_of_the_program_keeps_its_name() {
        let options = crate::context::options().into_iter().chain(crate::output::options());
        for option in options {
            assert!(RESERVED.contains(&option.get_id().as_str()), "{}", option.get_id());
        }
    }
}
