//! Predicates: what a filter asks of a model, as one tree that typed code and text both make, and that a transport
//! may look into.

use crate::{
    Error, Map, Result, Text, Value,
    datum::Datum,
    fill::{self, Reader},
    lookup::{Lookup, Question},
    record::{self, Fields},
    relation::Found,
    shape::{Identity, KindShape, RecordShape, RelationShape, Type},
    value::Ref,
};
use std::ops::{BitAnd, BitOr, Not};

/// What a filter asks of a model.
///
/// ```
/// use nephos_core::{Predicate, Value};
///
/// let long = Predicate::parse("retentionInDays__gte", 30)?;
/// let web = Predicate::parse("logGroupName__startswith", "/web")?;
/// let both = long & web;
/// # Ok::<(), nephos_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Predicate {
    /// All of these; without any, everything.
    All(Vec<Predicate>),
    /// Any of these; without any, nothing.
    Any(Vec<Predicate>),
    /// Not this.
    Not(Box<Predicate>),
    /// A lookup on the value at a path.
    Test(Test),
}

/// A lookup on the value at a path.
#[derive(Clone, Debug)]
pub struct Test {
    path: Vec<Text>,
    lookup: Lookup,
    value: Value,
    question: Question,
    /// Where the first name of the path is in the record that the test was bound to.
    field: Option<usize>,
}

impl Test {
    /// The path of names: fields, keys, relations.
    pub fn path(&self) -> &[Text] {
        &self.path
    }

    /// What is asked of the value there.
    pub fn lookup(&self) -> Lookup {
        self.lookup
    }

    /// What it is asked with.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl Predicate {
    /// Everything.
    pub const EVERYTHING: Self = Self::All(Vec::new());

    /// `lookup` with `value` on the value at `path`.
    pub fn test(path: &[&str], lookup: Lookup, value: impl Into<Value>) -> Result<Self> {
        let value = value.into();
        let question = Question::new(lookup, value.clone())?;
        Ok(Self::Test(Test {
            path: path.iter().map(|step| Text::new(step)).collect(),
            lookup,
            value,
            question,
            field: None,
        }))
    }

    /// The predicate that `criterion` names: `path__to__field__lookup`, `exact` if the last part is no lookup.
    pub fn parse(criterion: &str, value: impl Into<Value>) -> Result<Self> {
        let (path, lookup) = split(criterion)?;
        Self::test(&path, lookup, value)
    }

    /// The predicate that `text` writes: `retentionInDays__gte=30`. The value is read as the type of its field.
    pub fn parse_text(text: &str, kind: &KindShape) -> Result<Self> {
        let (criterion, value) = text.split_once('=').ok_or_else(|| {
            Error::invalid(text, "a filter is written field__lookup=value, as in retentionInDays__gte=30")
        })?;
        let (path, lookup) = split(criterion.trim())?;
        let first = path.first().copied().unwrap_or_default();
        let known = kind.record.field(first).is_some()
            || matches!(first, "arn" | "name" | "pk")
            || kind.relations.iter().any(|relation| relation.name == first)
            || kind.record.extras;
        if !known {
            return Err(record::unknown_field(kind.record, first));
        }
        let ty = type_at(kind.record, kind.relations, &path);
        Self::test(&path, lookup, typed(value.trim(), lookup, ty))
    }

    /// The tests that must all pass: what a transport may use to ask for less.
    pub fn required_tests(&self) -> Vec<&Test> {
        match self {
            Self::All(parts) => parts.iter().flat_map(Self::required_tests).collect(),
            Self::Test(test) => vec![test],
            Self::Any(_) | Self::Not(_) => Vec::new(),
        }
    }

    /// Looks up the first names of all paths in `shape`, once for all models of it that will be tested.
    pub(crate) fn bind(&mut self, shape: &RecordShape) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter_mut().for_each(|part| part.bind(shape)),
            Self::Not(part) => part.bind(shape),
            Self::Test(test) => {
                test.field = test.path.first().and_then(|first| shape.field(first)).map(|(index, _)| index);
            }
        }
    }

    /// The relations of `kind` that have to be looked up first.
    pub(crate) fn relations(&self, kind: &KindShape, found: &mut Vec<&'static str>) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.relations(kind, found)),
            Self::Not(part) => part.relations(kind, found),
            Self::Test(test) => needed_relation(kind, &test.path, found),
        }
    }

    /// Whether `model` is what is asked for; `related` holds the relations looked up.
    pub fn accepts(&self, model: &dyn Fields, related: &Related<'_>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.accepts(model, related)),
            Self::Any(parts) => parts.iter().any(|part| part.accepts(model, related)),
            Self::Not(part) => !part.accepts(model, related),
            Self::Test(test) => {
                let mut any_value = false;
                let mut accepted = false;
                let mut visit = |value: Ref<'_>| {
                    if !value.is_null() {
                        any_value = true;
                        accepted = accepted || test.question.accepts(value);
                    }
                };
                let mut went = Went::default();
                match test.field {
                    Some(index) => walk_field(model, index, &test.path[1..], &mut went, &mut visit),
                    None => walk_from(model, &test.path, related, &mut went, &mut visit),
                }
                let known = || went.to_the_end || exists(model, &test.path, related);
                accepted || (!any_value && test.question.accepts_null() && known())
            }
        }
    }
}

impl BitAnd for Predicate {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        match (self, other) {
            (Self::All(mut a), Self::All(b)) => {
                a.extend(b);
                Self::All(a)
            }
            (Self::All(mut a), b) => {
                a.push(b);
                Self::All(a)
            }
            (a, b) => Self::All(vec![a, b]),
        }
    }
}

impl BitOr for Predicate {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::Any(vec![self, other])
    }
}

impl Not for Predicate {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

/// Relations that were looked up for one model, by name.
pub type Related<'a> = [(&'a str, Found)];

/// The parts of a criterion: the path, and the lookup if the last part is one and not the only part.
fn split(criterion: &str) -> Result<(Vec<&str>, Lookup)> {
    let mut path: Vec<_> = criterion.split("__").collect();
    if path.iter().any(|part| part.is_empty()) {
        return Err(Error::invalid(criterion, "a path is made of names with two underscores between them"));
    }
    let lookup = match path.last().and_then(|last| Lookup::named(last)) {
        Some(lookup) if path.len() > 1 => {
            path.pop();
            lookup
        }
        _ => Lookup::Exact,
    };
    Ok((path, lookup))
}

/// The type of the value at `path`, if the shapes tell; of a list, the type of its items.
fn type_at<S: AsRef<str>>(shape: &RecordShape, relations: &[RelationShape], path: &[S]) -> Option<Type> {
    let (first, rest) = path.split_first()?;
    let ty = match shape.field(first.as_ref()) {
        Some((_, field)) => field.ty,
        None => Type::Record(relations.iter().find(|relation| relation.name == first.as_ref())?.kind),
    };
    type_within(ty, rest)
}

fn type_within<S: AsRef<str>>(ty: Type, path: &[S]) -> Option<Type> {
    match (ty, path.split_first()) {
        (Type::List(item), _) => type_within(*item, path),
        (Type::Any, _) | (_, None) => Some(ty),
        (Type::Map(value), Some((_, rest))) => type_within(*value, rest),
        (Type::Record(record), Some((name, rest))) => type_within(record.field(name.as_ref())?.1.ty, rest),
        _ => None,
    }
}

/// The value that `text` writes for a lookup on a field of type `ty`.
fn typed(text: &str, lookup: Lookup, ty: Option<Type>) -> Value {
    let one = |text: &str| -> Value {
        let read = |mut blank: Box<dyn Datum>| {
            fill::fill(&mut *blank, Ref::Text(text), &Reader::STRINGS).ok().map(|()| blank.view().to_value())
        };
        let value = match ty {
            Some(Type::Int) => read(Box::new(None::<i64>)).or_else(|| read(Box::new(None::<f64>))),
            Some(Type::Float) => read(Box::new(None::<f64>)),
            Some(Type::Bool) => read(Box::new(None::<bool>)),
            Some(Type::Time) => read(Box::new(None::<jiff::Timestamp>)),
            Some(Type::Choice(choice)) => choice.find(text).map(|index| choice.values[index].name.into()),
            // What has no type of its own is ordered as a number, if it is asked for with one.
            Some(Type::Any) | None if orders(lookup) => {
                read(Box::new(None::<i64>)).or_else(|| read(Box::new(None::<f64>)))
            }
            _ => None,
        };
        value.unwrap_or_else(|| text.into())
    };
    match lookup {
        Lookup::In => Value::List(text.split(',').map(|item| one(item.trim())).collect()),
        Lookup::Exact | Lookup::Gt | Lookup::Gte | Lookup::Lt | Lookup::Lte => one(text),
        _ => text.into(),
    }
}

fn orders(lookup: Lookup) -> bool {
    matches!(lookup, Lookup::Gt | Lookup::Gte | Lookup::Lt | Lookup::Lte)
}

fn needed_relation(kind: &KindShape, path: &[Text], found: &mut Vec<&'static str>) {
    let Some(first) = path.first() else { return };
    if kind.record.field(first).is_some() {
        return;
    }
    if let Some(relation) = kind.relations.iter().find(|relation| relation.name == first)
        && !found.contains(&relation.name)
    {
        found.push(relation.name);
    }
}

/// The relations that the value at `path` needs.
pub(crate) fn relations_of(kind: &KindShape, path: &[Text]) -> Vec<&'static str> {
    let mut found = Vec::new();
    needed_relation(kind, path, &mut found);
    found
}

/// Whether `path` is anything of `model` at all: what is unknown is neither null nor not null.
fn exists(model: &dyn Fields, path: &[Text], related: &Related<'_>) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    let looked_up = related.iter().any(|(name, _)| name == first);
    let relations = model.kind().filter(|_| looked_up).map_or(&[][..], |kind| kind.relations);
    type_at(model.shape(), relations, path).is_some()
        || model.extra().is_some_and(|extra| extra.contains_key(first))
        || (rest.is_empty()
            && matches!(identity(model, first), Some(Identity::Path(_) | Identity::Mapping(_))))
}

fn identity(model: &dyn Fields, name: &str) -> Option<&'static Identity> {
    let kind = model.kind()?;
    match name {
        "arn" => Some(&kind.arn),
        "name" => Some(&kind.name_identity),
        "pk" => Some(&kind.pk),
        _ => None,
    }
}

/// How the way along a path went.
#[derive(Clone, Copy, Debug, Default)]
struct Went {
    /// It led through a list, so that there may be any number of values.
    through_list: bool,
    /// It did not end before its last name.
    to_the_end: bool,
}

/// Calls `visit` with every value at `path`: several where it leads through a list.
fn walk_from(
    model: &dyn Fields,
    path: &[Text],
    related: &Related<'_>,
    went: &mut Went,
    visit: &mut dyn FnMut(Ref<'_>),
) {
    let Some((first, rest)) = path.split_first() else { return };
    let own = model.shape().field(first).is_some();
    if own || model.extra().is_some_and(|extra| extra.contains_key(first)) {
        return walk(Ref::Record(model), path, went, visit);
    }
    if let Some((_, found)) = related.iter().find(|(name, _)| name == first) {
        return match found {
            Found::One(None) => visit(Ref::Null),
            Found::One(Some(model)) => walk(Ref::Record(&**model), rest, went, visit),
            Found::Many(models) => {
                went.through_list = true;
                models.iter().for_each(|model| walk(Ref::Record(&**model), rest, went, visit));
            }
        };
    }
    match identity(model, first) {
        Some(Identity::Path(path)) => {
            let path: Vec<Text> =
                path.iter().map(|step| Text::new(step)).chain(rest.iter().cloned()).collect();
            walk(Ref::Record(model), &path, went, visit);
        }
        Some(Identity::Mapping(paths)) => {
            let mut entries = Map::default();
            for path in *paths {
                let name: Text = path.last().copied().unwrap_or_default().into();
                let steps: Vec<Text> = path.iter().map(|step| Text::new(step)).collect();
                walk(Ref::Record(model), &steps, &mut Went::default(), &mut |value| {
                    drop(entries.insert(name.clone(), value.to_value()))
                });
            }
            walk(Value::Map(entries).view(), rest, went, visit);
        }
        Some(Identity::None) | None => {}
    }
}

fn walk(value: Ref<'_>, path: &[Text], went: &mut Went, visit: &mut dyn FnMut(Ref<'_>)) {
    let Some((step, rest)) = path.split_first() else {
        went.to_the_end = true;
        return visit(value);
    };
    match value {
        Ref::Null => visit(Ref::Null),
        Ref::List(items) => {
            went.through_list = true;
            (0..items.len()).for_each(|n| walk(items.item(n), path, went, visit));
        }
        Ref::Map(map) => {
            if let Some(value) = map.find(step) {
                walk(value, rest, went, visit);
            }
        }
        Ref::Record(record) => match record.shape().field(step) {
            Some((index, _)) => walk_field(record, index, rest, went, visit),
            None => {
                if let Some(extra) = record.extra().and_then(|extra| extra.get(step)) {
                    walk(extra.view(), rest, went, visit);
                }
            }
        },
        _ => {}
    }
}

fn walk_field(
    record: &dyn Fields,
    index: usize,
    rest: &[Text],
    went: &mut Went,
    visit: &mut dyn FnMut(Ref<'_>),
) {
    let (field, value) = (&record.shape().fields[index], record.field(index).view());
    if field.sensitive {
        // On its own it would not be known as what must not be printed.
        walk(record::shielded(field, value).view(), rest, went, visit);
    } else {
        walk(value, rest, went, visit);
    }
}

/// The value at `path`: where it leads through a list, the values of all items that have one; else one value, or
/// null.
pub(crate) fn value_at(model: &dyn Fields, path: &[Text], related: &Related<'_>) -> Value {
    let (mut values, mut went) = (Vec::new(), Went::default());
    walk_from(model, path, related, &mut went, &mut |value| values.push(value.to_value()));
    if !went.through_list {
        return values.pop().unwrap_or_default();
    }
    let flat = values.into_iter().flat_map(|value| match value {
        Value::List(items) => items,
        other => vec![other],
    });
    let flat: Vec<_> = flat.filter(|value| *value != Value::Null).collect();
    if flat.is_empty() { Value::Null } else { Value::List(flat) }
}

/// A path in the text form, `a__b__c`.
pub(crate) fn path(text: &str) -> Vec<Text> {
    text.split("__").map(Text::new).collect()
}
