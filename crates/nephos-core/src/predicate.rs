//! Predicates: conditions on models, as a tree that typed code and text both make, and that a transport may
//! inspect.

use crate::{
    Error, Map, Resource, Result, Text, Value,
    field_value::FieldValue,
    fill::{self, Reader},
    lookup::{Lookup, Matcher},
    nearest::suggest,
    record::{self, Fields},
    relation::Found,
    rules,
    shape::{Identity, KindShape, RecordShape, RelationShape, Type},
    value::Ref,
};
use std::{
    marker::PhantomData,
    ops::{BitAnd, BitOr, Not},
};

/// A condition on models of kind `R`, made from its typed [fields](crate::Field) or from text.
///
/// ```
/// # use nephos_core::{Predicate, Tag};
/// let team = Tag::FIELDS.key.eq("team") & !Tag::FIELDS.value.starts_with("test-");
/// let all: Predicate<Tag> = team | Tag::FIELDS.value.is_null();
/// ```
pub struct Predicate<R> {
    tree: AnyPredicate,
    model: PhantomData<fn(&R)>,
}

impl<R> Predicate<R> {
    /// Condition that every model fulfils.
    pub const EVERYTHING: Self = Self::new(AnyPredicate::EVERYTHING);

    pub(crate) const fn new(tree: AnyPredicate) -> Self {
        Self { tree, model: PhantomData }
    }

    /// Parses `criterion` with `value`: `("retentionInDays__gte", 30)`. An unknown path and a value that cannot
    /// be compared match nothing.
    pub fn parse(criterion: &str, value: impl Into<Value>) -> Result<Self> {
        AnyPredicate::parse(criterion, value).map(Self::new)
    }

    /// Parses `retentionInDays__gte=30`. Unknown fields and lookups, and values that cannot be compared with the
    /// field, are errors.
    pub fn parse_text(text: &str) -> Result<Self>
    where
        R: Resource,
    {
        AnyPredicate::parse_text(text, R::KIND).map(Self::new)
    }

    /// Fulfilled if all `predicates` are; if there are none, by every model.
    pub fn all(predicates: impl IntoIterator<Item = Self>) -> Self {
        Self::new(AnyPredicate::All(predicates.into_iter().map(Into::into).collect()))
    }

    /// Fulfilled if any of `predicates` is; if there are none, by no model.
    pub fn any(predicates: impl IntoIterator<Item = Self>) -> Self {
        Self::new(AnyPredicate::Any(predicates.into_iter().map(Into::into).collect()))
    }

    /// True if `model` fulfils it. Relations are not looked up: a test of one matches nothing.
    pub fn accepts(&self, model: &R) -> bool
    where
        R: Fields,
    {
        self.tree.accepts(model, &[])
    }

    /// Tree of tests of the predicate.
    pub fn tree(&self) -> &AnyPredicate {
        &self.tree
    }
}

impl<R> From<Predicate<R>> for AnyPredicate {
    fn from(predicate: Predicate<R>) -> Self {
        predicate.tree
    }
}

/// Takes the tree as a predicate on `R`: names that `R` does not have match nothing.
impl<R> From<AnyPredicate> for Predicate<R> {
    fn from(tree: AnyPredicate) -> Self {
        Self::new(tree)
    }
}

impl<R> Clone for Predicate<R> {
    fn clone(&self) -> Self {
        Self::new(self.tree.clone())
    }
}

impl<R> std::fmt::Debug for Predicate<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tree.fmt(f)
    }
}

impl<R> BitAnd for Predicate<R> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self::new(self.tree & other.tree)
    }
}

impl<R> BitOr for Predicate<R> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::new(self.tree | other.tree)
    }
}

impl<R> Not for Predicate<R> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(!self.tree)
    }
}

/// A condition on models of a kind that is not known at compile time: the tree behind every [`Predicate`].
///
/// ```
/// use nephos_core::AnyPredicate;
///
/// let long = AnyPredicate::parse("retentionInDays__gte", 30)?;
/// let web = AnyPredicate::parse("logGroupName__startswith", "/web")?;
/// let both = long & web;
/// # Ok::<(), nephos_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum AnyPredicate {
    /// All of these; if there are none, everything.
    All(Vec<AnyPredicate>),
    /// Any of these; if there are none, nothing.
    Any(Vec<AnyPredicate>),
    /// Not this.
    Not(Box<AnyPredicate>),
    /// A lookup on the value at a path.
    Test(Test),
}

/// A lookup on the value at a path.
#[derive(Clone, Debug)]
pub struct Test {
    path: Vec<Text>,
    lookup: Lookup,
    value: Value,
    matcher: Matcher,
    /// Index of the first name of the path in the record that the test was bound to.
    field: Option<usize>,
}

impl Test {
    /// Path of names: fields, keys, relations.
    pub fn path(&self) -> &[Text] {
        &self.path
    }

    /// Comparison of the value at the path.
    pub fn lookup(&self) -> Lookup {
        self.lookup
    }

    /// Argument of the lookup.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl AnyPredicate {
    /// Condition that everything fulfils.
    pub const EVERYTHING: Self = Self::All(Vec::new());

    /// Makes a test of the value at `path`.
    pub fn test(path: &[&str], lookup: Lookup, value: impl Into<Value>) -> Result<Self> {
        let value = value.into();
        let matcher = Matcher::new(lookup, value.clone())?;
        Ok(Self::Test(Test {
            path: path.iter().map(|step| Text::new(step)).collect(),
            lookup,
            value,
            matcher,
            field: None,
        }))
    }

    /// Parses `path__to__field__lookup` with `value`; the lookup is `exact` if the last part is none.
    pub fn parse(criterion: &str, value: impl Into<Value>) -> Result<Self> {
        let (path, lookup) = split(criterion)?;
        Self::test(&path, lookup, value)
    }

    /// Parses `retentionInDays__gte=30`. The value is read as the type of its field. Unknown fields and lookups,
    /// and values that cannot be compared with the field, are errors.
    pub fn parse_text(text: &str, kind: &KindShape) -> Result<Self> {
        let (criterion, value) = text.split_once('=').ok_or_else(|| {
            Error::invalid(text, "a filter is written field__lookup=value, as in retentionInDays__gte=30")
        })?;
        let criterion = criterion.trim();
        let (path, lookup) = split(criterion)?;
        let target = Target::resolve(kind, &path)?;
        let refused = |message: String| Error::invalid(criterion, message);
        let value = parse_argument(value.trim(), lookup, target.map_err(refused)?).map_err(refused)?;
        Self::test(&path, lookup, value)
    }

    /// Checks that `kind` has all names that are tested. Keys of mappings and fields that a kind keeps beside its own may be any.
    pub fn check_names(&self, kind: &KindShape) -> Result<()> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().try_for_each(|part| part.check_names(kind)),
            Self::Not(part) => part.check_names(kind),
            Self::Test(test) => check_path(kind, &test.path),
        }
    }

    /// Returns the tests that must all pass: a listing may use them to request fewer items.
    pub fn required_tests(&self) -> Vec<&Test> {
        match self {
            Self::All(parts) => parts.iter().flat_map(Self::required_tests).collect(),
            Self::Test(test) => vec![test],
            Self::Any(_) | Self::Not(_) => Vec::new(),
        }
    }

    /// Returns the prefix that the text of `field` has in all models that pass, if one is required.
    pub fn required_prefix(&self, field: &str) -> Option<Text> {
        let tests = self.required_tests().into_iter();
        let mut texts =
            tests.filter(|test| matches!(test.path(), [only] if only == field)).filter_map(|test| {
                matches!(test.lookup(), Lookup::StartsWith | Lookup::Exact).then(|| test.value().as_text())?
            });
        texts.next().filter(|text| !text.is_empty()).map(Text::new)
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

    /// Collects the relations of `kind` that have to be looked up first.
    pub(crate) fn relations(&self, kind: &KindShape, found: &mut Vec<&'static str>) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.relations(kind, found)),
            Self::Not(part) => part.relations(kind, found),
            Self::Test(test) => needed_relation(kind, &test.path, found),
        }
    }

    /// Collects the fields of `shape` that are tested and that listings omit, by index.
    pub(crate) fn unlisted(&self, shape: &RecordShape, found: &mut Vec<usize>) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.unlisted(shape, found)),
            Self::Not(part) => part.unlisted(shape, found),
            Self::Test(test) => found.extend(unlisted_field(shape, test.path.first())),
        }
    }

    /// Splits it into the part that can be tested on models of a listing, and the part that needs the omitted
    /// fields of `shape`.
    pub(crate) fn split_unlisted(self, shape: &RecordShape) -> (Self, Self) {
        let parts = match self {
            Self::All(parts) => parts,
            other => vec![other],
        };
        let is_listed = |part: &Self| {
            let mut found = Vec::new();
            part.unlisted(shape, &mut found);
            found.is_empty()
        };
        let (listed, unlisted) = parts.into_iter().partition(is_listed);
        (Self::All(listed), Self::All(unlisted))
    }

    /// True if `model` fulfils it; `related` has the relations looked up.
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
                        accepted = accepted || test.matcher.accepts(value);
                    }
                };
                let mut walked = Walked::default();
                match test.field {
                    Some(index) => walk_field(model, index, &test.path[1..], &mut walked, &mut visit),
                    None => walk_from(model, &test.path, related, &mut walked, &mut visit),
                }
                let known = || walked.reached_end || path_exists(model, &test.path, related);
                accepted || (!any_value && test.matcher.accepts_null() && known())
            }
        }
    }
}

impl BitAnd for AnyPredicate {
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

impl BitOr for AnyPredicate {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::Any(vec![self, other])
    }
}

impl Not for AnyPredicate {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

/// Relations that were looked up for one model, by name.
pub type Related<'a> = [(&'a str, Found)];

/// Splits a criterion into its path and its lookup: the last part, if it is a lookup and not the only part.
fn split(criterion: &str) -> Result<(Vec<&str>, Lookup)> {
    let mut path: Vec<_> = criterion.split("__").collect();
    if path.iter().any(|part| part.is_empty()) {
        return Err(Error::invalid(criterion, "a path consists of names separated by two underscores"));
    }
    let lookup = match path.last().and_then(|last| Lookup::from_name(last)) {
        Some(lookup) if path.len() > 1 => {
            path.pop();
            lookup
        }
        _ => Lookup::Exact,
    };
    Ok((path, lookup))
}

/// Returns the type of the value at `path`, if the shapes have it; of a list, the type of its items.
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

/// Target of a criterion's path.
enum Target {
    /// A value of this type.
    Type(Type),
    /// A value that no shape describes: a key of an untyped mapping, an extra field, a composite identity.
    Undescribed,
}

impl Target {
    /// Resolves `path`: the outer error is for an unknown first name, the inner one, a message, for a later name.
    fn resolve(kind: &KindShape, path: &[&str]) -> Result<Result<Self, String>> {
        let (first, rest) = (path.first().copied().unwrap_or_default(), path.get(1..).unwrap_or_default());
        if let Some((_, field)) = kind.record.field(first) {
            return Ok(Self::resolve_nested(field.ty, rest));
        }
        if let Some(relation) = kind.relations.iter().find(|relation| relation.name == first) {
            return Ok(Self::resolve_nested(Type::Record(relation.kind), rest));
        }
        let identity = match first {
            "arn" => &kind.arn,
            "name" => &kind.name_identity,
            "pk" => &kind.pk,
            _ if kind.record.extras => return Ok(Ok(Self::Undescribed)),
            _ => return Err(record::unknown_field(kind.record, first)),
        };
        match identity {
            Identity::Path(names) => {
                let path: Vec<&str> = names.iter().copied().chain(rest.iter().copied()).collect();
                Ok(Self::resolve_nested(Type::Record(kind.record), &path))
            }
            Identity::Mapping(_) => Ok(Ok(Self::Undescribed)),
            Identity::None => Err(Error::invalid(first, format!("{} has no {first}", kind.name))),
        }
    }

    fn resolve_nested(ty: Type, path: &[&str]) -> Result<Self, String> {
        match (ty, path.split_first()) {
            (Type::List(item), _) => Self::resolve_nested(*item, path),
            (Type::Any, _) => Ok(Self::Undescribed),
            (ty, None) => Ok(Self::Type(ty)),
            (Type::Map(value), Some((_, rest))) => Self::resolve_nested(*value, rest),
            (Type::Record(record), Some((name, rest))) => match record.field(name) {
                Some((_, field)) => Self::resolve_nested(field.ty, rest),
                None if record.extras => Ok(Self::Undescribed),
                None => Err(unknown_step(name, rest, record.fields.iter().map(|field| field.name))),
            },
            (_, Some((name, rest))) => Err(unknown_step(name, rest, std::iter::empty())),
        }
    }
}

/// Checks that `kind` has all names of a path that the shapes describe.
pub(crate) fn check_path(kind: &KindShape, path: &[Text]) -> Result<()> {
    let names: Vec<&str> = path.iter().map(Text::as_str).collect();
    let refused = |message: String| Error::invalid(names.join("__"), message);
    Target::resolve(kind, &names)?.map(drop).map_err(refused)
}

/// Message for a name that is neither a field of the step before it nor a lookup; `rest` are the names after it.
fn unknown_step(name: &str, rest: &[&str], fields: impl Iterator<Item = &'static str> + Clone) -> String {
    if let (Some(lookup), Some(next)) = (Lookup::from_name(name), rest.first()) {
        return format!("{next} cannot follow {lookup}: a lookup is the last name");
    }
    let hint = suggest(name, fields.chain(Lookup::ALL.iter().map(|lookup| lookup.name())));
    format!("{name} is neither a field here nor a lookup{hint}")
}

/// Parses the argument of a lookup on `target`; a message if the two can never be compared.
fn parse_argument(text: &str, lookup: Lookup, target: Target) -> Result<Value, String> {
    let one = |text: &str| {
        let read = |mut blank: Box<dyn FieldValue>| {
            fill::fill(&mut *blank, Ref::Text(text), &Reader::STRINGS).ok().map(|()| blank.view().to_value())
        };
        let number = || read(Box::new(None::<i64>)).or_else(|| read(Box::new(None::<f64>)));
        let (value, expected) = match target {
            Target::Type(Type::Int) => (number(), "a number"),
            Target::Type(Type::Float) => (read(Box::new(None::<f64>)), "a number"),
            Target::Type(Type::Bool) => (read(Box::new(None::<bool>)), "true or false"),
            Target::Type(Type::Time) => {
                (read(Box::new(None::<jiff::Timestamp>)), "a time like 2026-01-31T12:00:00Z")
            }
            Target::Type(Type::Choice(choice)) => match choice.find(text) {
                Some(index) => (Some(choice.values[index].name.into()), ""),
                None if is_ordering(lookup) => (Some(text.into()), ""),
                None => return Err(rules::unknown_choice(choice, text).message().to_owned()),
            },
            // A value without a type is ordered as a number, if the argument is one.
            Target::Undescribed if is_ordering(lookup) => (Some(number().unwrap_or_else(|| text.into())), ""),
            _ => (Some(text.into()), ""),
        };
        value.ok_or_else(|| format!("{text:?} is not {expected}"))
    };
    if let Target::Type(ty @ (Type::Record(_) | Type::Map(_))) = target
        && !matches!(lookup, Lookup::IsNull | Lookup::HasKey)
    {
        return Err(structure_message(&ty, lookup));
    }
    let not_a_time = !matches!(target, Target::Type(Type::Time) | Target::Undescribed);
    match lookup {
        Lookup::In => {
            Ok(Value::List(text.split(',').map(|item| one(item.trim())).collect::<Result<_, _>>()?))
        }
        Lookup::Exact | Lookup::Gt | Lookup::Gte | Lookup::Lt | Lookup::Lte => one(text),
        lookup if lookup.is_time_lookup() && not_a_time => Err(format!("{lookup} is a lookup for times")),
        _ => Ok(text.into()),
    }
}

/// Message for a lookup that compares a record or mapping with a text.
fn structure_message(ty: &Type, lookup: Lookup) -> String {
    match ty {
        Type::Record(record) => {
            let names = record.fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
            format!("{lookup} cannot compare a {}; add the name of one of its fields: {names}", record.name)
        }
        _ => format!("{lookup} cannot compare a mapping; add the name of one of its keys, or use has_key"),
    }
}

fn is_ordering(lookup: Lookup) -> bool {
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

/// Returns the index of the field `name`, if listings omit it.
pub(crate) fn unlisted_field(shape: &RecordShape, name: Option<impl AsRef<str>>) -> Option<usize> {
    shape.field(name?.as_ref()).filter(|(_, field)| field.not_in_list).map(|(index, _)| index)
}

/// Returns the relations that the value at `path` needs.
pub(crate) fn relations_of(kind: &KindShape, path: &[Text]) -> Vec<&'static str> {
    let mut found = Vec::new();
    needed_relation(kind, path, &mut found);
    found
}

/// True if `path` exists in `model`: an unknown path is neither null nor not null.
fn path_exists(model: &dyn Fields, path: &[Text], related: &Related<'_>) -> bool {
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

/// Result of a walk along a path.
#[derive(Clone, Copy, Debug, Default)]
struct Walked {
    /// True if it led through a list, so that there may be any number of values.
    through_list: bool,
    /// True if it reached the last name.
    reached_end: bool,
}

/// Calls `visit` with every value at `path`: several if it leads through a list.
fn walk_from(
    model: &dyn Fields,
    path: &[Text],
    related: &Related<'_>,
    walked: &mut Walked,
    visit: &mut dyn FnMut(Ref<'_>),
) {
    let Some((first, rest)) = path.split_first() else { return };
    let own = model.shape().field(first).is_some();
    if own || model.extra().is_some_and(|extra| extra.contains_key(first)) {
        return walk(Ref::Record(model), path, walked, visit);
    }
    if let Some((_, found)) = related.iter().find(|(name, _)| name == first) {
        return match found {
            Found::One(None) => visit(Ref::Null),
            Found::One(Some(model)) => walk(Ref::Record(&**model), rest, walked, visit),
            Found::Many(models) => {
                walked.through_list = true;
                models.iter().for_each(|model| walk(Ref::Record(&**model), rest, walked, visit));
            }
        };
    }
    match identity(model, first) {
        Some(Identity::Path(path)) => {
            let path: Vec<Text> =
                path.iter().map(|step| Text::new(step)).chain(rest.iter().cloned()).collect();
            walk(Ref::Record(model), &path, walked, visit);
        }
        Some(Identity::Mapping(paths)) => {
            let mut entries = Map::default();
            for path in *paths {
                let name: Text = path.last().copied().unwrap_or_default().into();
                let steps: Vec<Text> = path.iter().map(|step| Text::new(step)).collect();
                walk(Ref::Record(model), &steps, &mut Walked::default(), &mut |value| {
                    drop(entries.insert(name.clone(), value.to_value()))
                });
            }
            walk(Value::Map(entries).view(), rest, walked, visit);
        }
        Some(Identity::None) | None => {}
    }
}

fn walk(value: Ref<'_>, path: &[Text], walked: &mut Walked, visit: &mut dyn FnMut(Ref<'_>)) {
    let Some((step, rest)) = path.split_first() else {
        walked.reached_end = true;
        return visit(value);
    };
    match value {
        Ref::Null => visit(Ref::Null),
        Ref::List(items) => {
            walked.through_list = true;
            (0..items.len()).for_each(|n| walk(items.item(n), path, walked, visit));
        }
        Ref::Map(map) => {
            if let Some(value) = map.find(step) {
                walk(value, rest, walked, visit);
            }
        }
        Ref::Record(record) => match record.shape().field(step) {
            Some((index, _)) => walk_field(record, index, rest, walked, visit),
            None => {
                if let Some(extra) = record.extra().and_then(|extra| extra.get(step)) {
                    walk(extra.view(), rest, walked, visit);
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
    walked: &mut Walked,
    visit: &mut dyn FnMut(Ref<'_>),
) {
    let (field, value) = (&record.shape().fields[index], record.field(index).view());
    if field.sensitive {
        // A sensitive value alone would not be known as a secret.
        walk(record::to_secret_value(field, value).view(), rest, walked, visit);
    } else {
        walk(value, rest, walked, visit);
    }
}

/// Returns the value at `path`: if it leads through a list, the values of all items that have one; else one
/// value, or null.
pub(crate) fn value_at(model: &dyn Fields, path: &[Text], related: &Related<'_>) -> Value {
    let (mut values, mut walked) = (Vec::new(), Walked::default());
    walk_from(model, path, related, &mut walked, &mut |value| values.push(value.to_value()));
    if !walked.through_list {
        return values.pop().unwrap_or_default();
    }
    let flat = values.into_iter().flat_map(|value| match value {
        Value::List(items) => items,
        other => vec![other],
    });
    let flat: Vec<_> = flat.filter(|value| *value != Value::Null).collect();
    if flat.is_empty() { Value::Null } else { Value::List(flat) }
}

/// Splits a path in the text form, `a__b__c`.
pub(crate) fn path(text: &str) -> Vec<Text> {
    text.split("__").map(Text::new).collect()
}
