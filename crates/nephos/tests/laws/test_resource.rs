//! Resources that were created from examples, and the calls of their kinds.

use crate::{
    examples::{parse_json_params, parse_params},
    facts::kind_facts,
    generic::{Operation, all_values},
};
use nephos::{
    Map, Session, Text, Value,
    shape::{FieldShape, Identity, KindShape, OperationShape, Presence},
};
use nephos_core::{
    FieldSet, Result,
    dynamic::{self, AnyCall, AnyResults},
    field_value::FieldValue,
    record::{self, Fields},
    wait,
};
use nephos_testing::Duplicate;

/// A resource that was created from an example.
#[derive(Clone, Debug)]
pub(crate) struct TestResource {
    pub(crate) kind: &'static KindShape,
    /// Parameters of the call that created it.
    pub(crate) input: Map<Value>,
    /// Parameters, and the fields that the service returned.
    pub(crate) known: Map<Value>,
}

/// Returns the operation that creates resources of a kind.
pub(crate) fn create_operation(kind: &'static KindShape) -> Operation {
    if let Some(create) = kind.call("create") {
        return Operation::of_kind(kind, create);
    }
    let created_by = kind_facts(kind).created_by;
    let by = created_by.unwrap_or_else(|| panic!("{} has no create; add created_by to its facts", kind.name));
    Operation::of_kind(by.kind, by.kind.call(by.call).unwrap())
}

impl TestResource {
    /// Creates a resource with these parameters.
    pub(crate) fn create(session: &Session, kind: &'static KindShape, input: Map<Value>) -> Result<Self> {
        let answer = create_operation(kind).run(session, &input)?;
        let answer = match answer {
            Value::List(mut models) => models.remove(0),
            answer => answer,
        };
        let mut known = input.clone();
        let items = kind_facts(kind).created_by.and_then(|by| by.items);
        if let Some(Value::List(items)) = items.and_then(|items| input.get(items)) {
            known.extend(fields(&items[0]).clone());
        } else if let Value::Map(answer) = answer {
            known.extend(answer);
        }
        Ok(Self { kind, input, known })
    }

    /// Returns the parameters of a similar resource that does not conflict with this one.
    pub(crate) fn another_input(&self, n: usize) -> Map<Value> {
        let mut input = self.input.clone();
        let facts = kind_facts(self.kind);
        match (facts.unique, &self.kind.name_identity) {
            (Some((field, text)), _) if input.contains_key(field) => {
                let text = text.replace('#', &n.to_string());
                let value = match self.input.get(field) {
                    Some(Value::Int(_)) => Value::Int(text.parse().unwrap()),
                    _ => text.as_str().into(),
                };
                input.insert(field.into(), value);
            }
            _ if facts.duplicate == Duplicate::Allowed => {}
            (None, Identity::Path([.., name])) => {
                let text = format!("{}{n}", self.input[*name].as_text().unwrap());
                input.insert((*name).into(), text.into());
            }
            _ => panic!("{} has no distinguishing field; add it to its facts", self.kind.name),
        }
        input
    }

    /// Returns the parameters that identify the resource in a call.
    pub(crate) fn parameters(&self, call: &OperationShape) -> Map<Value> {
        let own = call.params.fields.iter();
        let own = own.filter(|param| param.presence == Presence::Required || !param.details.from.is_empty());
        let find = |param: &FieldShape| self.known.get(param.source()).or_else(|| self.known.get(param.name));
        let own = own.filter_map(|param| Some((param.name.into(), find(param)?.clone())));
        let further = kind_facts(self.kind).call_parameters.iter().filter(|(name, _)| *name == call.name);
        let further = further.flat_map(|(_, params)| parse_json_params(params));
        let own_field = |value: Value| match value.as_text().and_then(|text| text.strip_prefix("$.")) {
            Some(field) => self.known[field].clone(),
            None => value,
        };
        own.chain(further.map(|(name, value)| (name, own_field(value)))).collect()
    }

    /// Makes a call on the resource.
    pub(crate) fn call(&self, session: &Session, call: &str) -> Result<Value> {
        self.call_with(session, call, Map::default())
    }

    /// Makes a call on the resource with additional parameters.
    pub(crate) fn call_with(&self, session: &Session, call: &str, others: Map<Value>) -> Result<Value> {
        let call = self.kind.call(call).unwrap_or_else(|| panic!("{} has no call {call}", self.kind.name));
        let mut input = self.parameters(call);
        if call.name == "delete" {
            input.extend(parse_params(session, &[], kind_facts(self.kind).deletion));
        }
        input.extend(others);
        Operation::of_kind(self.kind, call).run(session, &input)
    }

    /// Reads the resource by `get`, or by `list` if the kind has no `get`; none if it does not exist.
    pub(crate) fn find(&self, session: &Session) -> Result<Option<Map<Value>>> {
        let found = match self.kind.call("get") {
            Some(_) => self.call(session, "get")?,
            None => {
                self.list(session, None)?.into_iter().find(|one| self.matches(one)).unwrap_or(Value::Null)
            }
        };
        Ok(match found {
            Value::Map(found) => Some(found),
            _ => None,
        })
    }

    /// Reads the resource, which must exist.
    pub(crate) fn require(&self, session: &Session) -> Map<Value> {
        self.find(session)
            .unwrap()
            .unwrap_or_else(|| panic!("{} {:?} does not exist", self.kind.name, self.known))
    }

    /// Lists the resources of the same parent, in pages of `size`.
    pub(crate) fn list(&self, session: &Session, size: Option<(&str, i64)>) -> Result<Vec<Value>> {
        all_values(self.results(session, size)?)
    }

    /// Returns the set of the resources of the same parent, in pages of `size`.
    pub(crate) fn results(&self, session: &Session, size: Option<(&str, i64)>) -> Result<AnyResults> {
        let list = self.kind.call("list").unwrap_or_else(|| panic!("{} has no list", self.kind.name));
        let mut input = self.parameters(list);
        let facts = kind_facts(self.kind);
        let others = facts.list_parameters.iter();
        input.extend(
            others.filter_map(|(param, from)| Some((Text::new(param), self.known.get(*from)?.clone()))),
        );
        input.extend(facts.list_flags.iter().map(|param| (Text::new(param), Value::Bool(true))));
        input.extend(size.map(|(param, size)| (Text::new(param), size.into())));
        Operation::of_kind(self.kind, list).results(session, &input)
    }

    /// True if the known fields have all parameters of `list`.
    pub(crate) fn can_list(&self) -> bool {
        let others = kind_facts(self.kind).list_parameters;
        let list = self.kind.call("list").map_or(&[][..], |list| list.params.fields);
        let mut required = list
            .iter()
            .filter(|param| param.presence == Presence::Required)
            .filter(|param| !others.iter().any(|(other, _)| *other == param.name));
        others.iter().all(|(_, from)| self.known.contains_key(*from))
            && required
                .all(|param| self.known.contains_key(param.name) || self.known.contains_key(param.source()))
    }

    /// True if `model` is this resource.
    pub(crate) fn matches(&self, model: &Value) -> bool {
        let same = |path: &&[&str]| fields(model).get(path[0]) == self.known.get(path[0]);
        let matched_by = kind_facts(self.kind).matched_by;
        match &self.kind.pk {
            _ if !matched_by.is_empty() => matched_by.iter().all(|field| same(&&[*field][..])),
            Identity::Path(path) if self.known.contains_key(path[0]) => same(path),
            Identity::Mapping(paths) => paths.iter().all(same),
            // A create without an answer leaves only the name that the caller chose.
            _ => match &self.kind.name_identity {
                Identity::Path(path) => same(path),
                _ => panic!("{} has neither key nor name", self.kind.name),
            },
        }
    }

    /// Reads the model, changes fields, and updates it.
    pub(crate) fn update(&self, session: &Session, changes: &Map<Value>) -> Result<Value> {
        self.update_beside(session, changes, Map::default())
    }

    /// Updates it as [`update`](Self::update) does, with parameters beside the model.
    pub(crate) fn update_beside(
        &self,
        session: &Session,
        changes: &Map<Value>,
        beside: Map<Value>,
    ) -> Result<Value> {
        let answer = wait(self.prepare_update(session, changes, beside)?.run())?;
        Ok(match answer.map_or(Value::Null, |answer| answer.view().to_value()) {
            Value::List(mut models) if models.len() == 1 => models.remove(0),
            answer => answer,
        })
    }

    /// Updates the resource to a whole model with other fields, as a caller does who built it, and with parameters beside it.
    pub(crate) fn update_whole(&self, session: &Session, changes: &Map<Value>) -> Result<Value> {
        let mut model = self.require(session);
        model.extend(parse_params(session, &[], kind_facts(self.kind).update));
        model.extend(changes.clone());
        let updated =
            Operation::of_kind(self.kind, self.kind.call("update").unwrap()).run(session, &model)?;
        Ok(match updated {
            Value::List(mut models) if models.len() == 1 => models.remove(0),
            updated => updated,
        })
    }

    /// Prepares the call of [`update`](Self::update).
    pub(crate) fn prepare_update(
        &self,
        session: &Session,
        changes: &Map<Value>,
        beside: Map<Value>,
    ) -> Result<AnyCall> {
        let (get, update) = (self.kind.call("get").unwrap(), self.kind.call("update").unwrap());
        let mut found = self.look_up(session, get)?;
        let mut assigned = Ok(());
        found.each_record(&mut |model| {
            let mut changes = changes.iter();
            assigned = changes.try_for_each(|(name, value)| record::set(model, name, value.clone()));
        });
        assigned?;
        dynamic::call(update, session, &mut |params| {
            let at = params.shape().fields.iter().position(|field| field.details.model).unwrap();
            let model = params.field_mut(at);
            model.each_record(&mut |model| found.each_record(&mut |found| replace(model, found)));
            params.note_given(FieldSet::single(at));
            let further = parse_params(session, &[], kind_facts(self.kind).update);
            further
                .into_iter()
                .chain(beside.clone())
                .try_for_each(|(name, value)| record::set(params, &name, value))
        })
    }

    /// Gets the model of the resource.
    pub(crate) fn look_up(
        &self,
        session: &Session,
        get: &'static OperationShape,
    ) -> Result<Box<dyn FieldValue>> {
        let input = self.parameters(get);
        let call = dynamic::call(get, session, &mut |params| {
            input.iter().try_for_each(|(name, value)| record::set(params, name, value.clone()))
        })?;
        Ok(wait(call.run())?.expect("get returns an answer"))
    }
}

/// Replaces a model by one that was read and changed.
fn replace(model: &mut dyn Fields, found: &mut dyn Fields) {
    for index in 0..model.shape().fields.len() {
        model.field_mut(index).take_from(found.field_mut(index));
    }
    let changed = found.slot().map(|slot| slot.changed()).unwrap_or_default();
    if let Some(slot) = model.slot_mut() {
        slot.set_given(changed);
    }
}

/// Returns the fields of a model.
pub(crate) fn fields(value: &Value) -> &Map<Value> {
    let Value::Map(fields) = value else { panic!("expected a model, got {value:?}") };
    fields
}
