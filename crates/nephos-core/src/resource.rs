//! Resources: models of a kind, with an identity, a session and a manager.

use crate::{
    Error, ErrorKind, FieldSet, Map, Record, Result, Session, Slot, Value,
    fill::{self, Names, Reader},
    json::{self, Writing},
    record::{self, Fields},
    save::{Save, Verb, Waiting},
    shape::{Identity, KindShape, Type},
    transform,
    value::Ref,
};

/// What identifies a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Pk {
    /// One value.
    Single(Value),
    /// Several, in order, under their names.
    Mapping(Map<Value>),
}

/// How [`Resource::model_validate_strings`] reads its mapping.
#[derive(Clone, Debug, Default)]
pub struct Strings<'a> {
    /// Refuses spellings that need guessing, such as spaces around a number.
    pub strict: bool,
    /// Handed to nobody: no rule of any kind depends on a context.
    pub context: Option<&'a Value>,
    /// Whether a field's alias counts; it does unless told otherwise.
    pub by_alias: Option<bool>,
    /// Whether a field's own name counts; it does unless told otherwise.
    pub by_name: Option<bool>,
}

/// A model of a kind.
pub trait Resource: Record {
    /// The description of the kind.
    const KIND: &'static KindShape;

    /// What the kind's operations are reached by.
    type Manager;

    /// What `save` carries out on a model that the service has not seen.
    type Create: Verb<Self>;

    /// What `save` carries out on a model that the service has seen.
    type Update: Verb<Self>;

    /// What deletes a model.
    type Delete: Verb<Self>;

    /// What looks at a model again.
    type Get: Verb<Self>;

    /// The operations of the kind, carried out through `session`.
    fn objects(session: &Session) -> Self::Manager;

    /// Its resource name. A kind that has none, or a model whose service has not given it one yet, is a value error.
    fn arn(&self) -> Result<&str> {
        text_identity(self, "arn", &Self::KIND.arn)
    }

    /// Its name. A kind that has none, or a model without one yet, is a value error.
    fn name(&self) -> Result<&str> {
        text_identity(self, "name", &Self::KIND.name_identity)
    }

    /// What identifies it. A kind that has no such thing is a value error; a value that is not known yet is null.
    fn pk(&self) -> Result<Pk> {
        match &Self::KIND.pk {
            Identity::Mapping(paths) => {
                let entry = |path: &&[&'static str]| {
                    let name = path.last().copied().unwrap_or_default();
                    (name.into(), identity_at(self, path).to_value())
                };
                Ok(Pk::Mapping(paths.iter().map(entry).collect()))
            }
            Identity::Path(path) => Ok(Pk::Single(identity_at(self, path).to_value())),
            Identity::None => Err(no_identity(Self::KIND, "pk")),
        }
    }

    /// The session that the model came from, or was given.
    fn session(&self) -> Option<&Session> {
        self.slot().and_then(Slot::session)
    }

    /// Gives the model a session, or takes it away. Works on read-only kinds too.
    fn set_session(&mut self, session: impl Into<Option<Session>>)
    where
        Self: Sized,
    {
        if let Some(slot) = self.slot_mut() {
            slot.set_session(session.into());
        }
    }

    /// The session, or the error that there is none.
    fn require_session(&self) -> Result<&Session> {
        self.session().ok_or_else(|| {
            let why = format!("this {} has no session; give it one with set_session", Self::KIND.name);
            Error::new(ErrorKind::NoSession, why)
        })
    }

    /// Applies a regular expression to a text attribute: the first group, or a mapping of the named groups.
    ///
    /// Without an expression, or on a null value, the value is returned as it is. An unknown attribute, a value that
    /// is no text, and an expression without groups are value errors; one that does not match is a runtime error.
    fn transform(&self, attribute: &str, transformer: Option<&str>) -> Result<Value> {
        let value = match attribute_of(self, attribute) {
            Some(value) => value?,
            None => {
                let hint =
                    crate::nearest::suggest(attribute, Self::SHAPE.fields.iter().map(|field| field.name));
                let why = format!("{} has no attribute {attribute}{hint}", Self::KIND.name);
                return Err(Error::invalid(attribute, why));
            }
        };
        transform::apply(attribute, value, transformer)
    }

    /// Creates or updates the resource, whichever it takes: what changed is sent, and what the service assigned is
    /// copied back. It is a runtime error for kinds that cannot be changed.
    fn save(&mut self) -> Save<'_, Self>
    where
        Self: Sized,
    {
        Save::new(self)
    }

    /// Looks at the resource again and again until `reached` says that it is as wanted.
    fn wait_until(&self, reached: impl Fn(&Self) -> bool + Send + Sync + 'static) -> Waiting<Self>
    where
        Self: Sized,
    {
        Waiting::new(self, reached)
    }

    /// Whether the service has seen this resource, by the mark that only it assigns.
    fn is_saved(&self) -> bool {
        match Self::KIND.mark {
            Some(mark) => !self.field(mark).view().is_null(),
            None => self.slot().is_some_and(|slot| slot.session().is_some() && slot.changed().is_empty()),
        }
    }

    /// The names of the fields that differ from what the service last said.
    fn changed(&self) -> Vec<&'static str> {
        names(self, self.slot().map(Slot::changed).unwrap_or_default())
    }

    /// The names of the fields that were set.
    fn fields_set(&self) -> Vec<&'static str> {
        names(self, self.slot().map(Slot::given).unwrap_or_default())
    }

    /// Fields that the model was given and does not know; only kinds that say so keep any.
    fn extra_fields(&self) -> &Map<Value> {
        static NONE: std::sync::LazyLock<Map<Value>> = std::sync::LazyLock::new(Map::default);
        self.slot().map_or(&NONE, Slot::extra)
    }

    /// Builds a model from trusted data: defaults are applied, nothing is checked, what does not fit is left out.
    ///
    /// Unknown names are dropped unless the kind keeps them. `fields_set` overrides the record of which fields were
    /// set; otherwise they are the given ones.
    fn model_construct(fields_set: Option<&[&str]>, values: Map<Value>) -> Self
    where
        Self: Sized,
    {
        let mut model = Self::blank();
        for (n, (key, value)) in values.iter().enumerate() {
            let filled = fill::fill_field(&mut model, key, value.view(), &Reader::TRUSTED, n);
            if let (Err(_), Some(index)) = (filled, Reader::TRUSTED.find(Self::SHAPE, key, n)) {
                // A list may have been filled up to what does not fit.
                model.field_mut(index).clear();
            }
        }
        record::apply_defaults(&mut model);
        if let (Some(names), Some(slot)) = (fields_set, model.slot_mut()) {
            let indices = names.iter().filter_map(|name| Self::SHAPE.field(name)).map(|(index, _)| index);
            slot.set_given(indices.collect());
        }
        model.settle();
        model
    }

    /// Builds a model from a mapping whose leaves are all text, as from a form: numbers, bools in all their
    /// spellings, datetimes, enum values and nested records. Lists cannot be given this way.
    fn model_validate_strings(strings: &Map<Value>, options: &Strings<'_>) -> Result<Self>
    where
        Self: Sized,
    {
        let names = match (options.by_alias.unwrap_or(true), options.by_name.unwrap_or(true)) {
            (true, true) => Names::Any,
            (true, false) => Names::Alias,
            (false, true) => Names::Name,
            (false, false) => {
                return Err(Error::new(ErrorKind::Invalid, "by_alias and by_name cannot both be false"));
            }
        };
        let reader = Reader { names, ..Reader::STRINGS };
        only_strings(strings, &Type::Record(Self::SHAPE), &reader, options.strict)?;
        let mut model = Self::blank();
        for (n, (key, value)) in strings.iter().enumerate() {
            fill::fill_field(&mut model, key, value.view(), &reader, n)?;
        }
        record::finish(model)
    }

    /// Builds a model from a mapping of values, checking everything.
    fn model_validate(values: &Map<Value>) -> Result<Self>
    where
        Self: Sized,
    {
        let mut model = Self::blank();
        for (n, (key, value)) in values.iter().enumerate() {
            fill::fill_field(&mut model, key, value.view(), &Reader::STRICT, n)?;
        }
        record::finish(model)
    }

    /// Builds a model from JSON under the specification's names, checking everything.
    fn from_json(json: impl AsRef<[u8]>) -> Result<Self>
    where
        Self: Sized,
    {
        let mut model = Self::blank();
        let mut read = json::Read::default();
        json::read_noting(&mut model, json.as_ref(), &Reader::STRICT, &mut read)?;
        record::complete_read(&mut model, &read)?;
        Ok(model)
    }

    /// The model as JSON under the specification's names: without its session, without null fields, and with
    /// secrets hidden.
    fn to_json(&self) -> String
    where
        Self: Sized,
    {
        json::write(Ref::Record(self), Writing::SHOWN)
    }

    /// The model as JSON that can be read back whole: with its secrets. Do not print it.
    fn to_json_exposed(&self) -> String
    where
        Self: Sized,
    {
        json::write(Ref::Record(self), Writing::EXPOSED)
    }
}

fn names(model: &dyn Fields, set: FieldSet) -> Vec<&'static str> {
    set.iter().filter_map(|index| model.shape().fields.get(index)).map(|field| field.name).collect()
}

/// Refuses what is neither text nor a mapping of texts and, if `strict`, spaces around what is more than text.
fn only_strings(strings: &Map<Value>, of: &Type, reader: &Reader, strict: bool) -> Result<()> {
    for (n, (key, value)) in strings.iter().enumerate() {
        let (ty, step) = match of {
            Type::Map(of) => (**of, format!("[{key}]")),
            Type::Record(shape) => match reader.find(shape, key, n) {
                Some(index) => (shape.fields[index].ty, shape.fields[index].name.to_owned()),
                None => (Type::Any, key.to_string()),
            },
            _ => (Type::Any, key.to_string()),
        };
        match value {
            Value::Null => {}
            Value::Text(text) => {
                let plain = matches!(ty, Type::Text | Type::Secret | Type::Any);
                if strict && !plain && text.trim() != text.as_str() {
                    return Err(Error::invalid(step, "has spaces around it"));
                }
            }
            Value::Map(inner) => {
                only_strings(inner, &ty, reader, strict).map_err(|error| error.within(&step))?;
            }
            other => {
                let why = format!("expected text or a mapping of texts, found {}", other.view().type_name());
                return Err(Error::invalid(step, why));
            }
        }
    }
    Ok(())
}

fn no_identity(kind: &KindShape, which: &str) -> Error {
    Error::invalid(which, format!("{} has no {which}", kind.name))
}

fn identity_at<'a>(model: &'a dyn Fields, path: &[&str]) -> Ref<'a> {
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

fn text_identity<'a, R: Resource>(model: &'a R, which: &str, identity: &Identity) -> Result<&'a str> {
    let Identity::Path(path) = identity else { return Err(no_identity(R::KIND, which)) };
    identity_at(model, path)
        .as_text()
        .ok_or_else(|| Error::invalid(path.join("."), format!("this {} has no {which} yet", R::KIND.name)))
}

/// A field, an extra field, or one of the identities, by name.
fn attribute_of<R: Resource>(model: &R, name: &str) -> Option<Result<Value>> {
    if let Some((index, _)) = R::SHAPE.field(name) {
        return Some(Ok(model.field(index).view().to_value()));
    }
    if let Some(extra) = model.extra().and_then(|extra| extra.get(name)) {
        return Some(Ok(extra.clone()));
    }
    let identity = match name {
        "arn" => &R::KIND.arn,
        "name" => &R::KIND.name_identity,
        "pk" => {
            return Some(model.pk().map(|pk| match pk {
                Pk::Single(value) => value,
                Pk::Mapping(map) => Value::Map(map),
            }));
        }
        _ => return None,
    };
    Some(match identity {
        Identity::Path(path) => Ok(identity_at(model, path).to_value()),
        _ => Err(no_identity(R::KIND, name)),
    })
}
