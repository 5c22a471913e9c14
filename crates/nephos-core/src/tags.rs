//! Tags: the same rules for every kind, with tags as a list or as a mapping.

use crate::{
    Error, ErrorKind, Map, Record, Result, Slot, Text, Value,
    field_value::{FieldValue, Open},
    fill::{self, Reader},
    identity,
    record::{self, Fields},
    shape::{FieldShape, KindShape, RecordShape, Type},
    value::{Items, Ref},
};
use std::collections::HashSet;

/// Maximum number of tags of a resource. Tags with the reserved prefix are not counted.
pub const MAX_TAGS: usize = 50;

/// Maximum number of characters of a key.
pub const MAX_KEY_LENGTH: usize = 128;

/// Maximum number of characters of a value.
pub const MAX_VALUE_LENGTH: usize = 256;

/// Prefix of keys and values that callers cannot use, in any case.
pub const RESERVED_PREFIX: &str = "aws:";

/// A tag: a key and its value.
#[derive(Record)]
#[record(hot)]
pub struct Tag {
    /// Key of the tag.
    key: Option<Text>,
    /// Value of the tag.
    value: Option<Text>,
}

impl Tag {
    /// Makes a tag. Nothing is checked.
    pub fn new(key: impl Into<Text>, value: impl Into<Text>) -> Self {
        Self { key: Some(key.into()), value: Some(value.into()) }
    }
}

impl<K: Into<Text>, V: Into<Text>> From<(K, V)> for Tag {
    fn from((key, value): (K, V)) -> Self {
        Self::new(key, value)
    }
}

/// True for the shape of [`Tag`].
pub(crate) fn is_tag(record: &RecordShape) -> bool {
    std::ptr::eq(record, Tag::SHAPE)
}

/// Names of fields with tags in lower case, without underscores.
const TAG_FIELDS: [&str; 2] = ["tags", "taglist"];

fn is_tags_name(name: &str) -> bool {
    let letters = || name.bytes().filter(|letter| *letter != b'_').map(|letter| letter.to_ascii_lowercase());
    TAG_FIELDS.iter().any(|tags| letters().eq(tags.bytes()))
}

/// True for a field with tags: a list of them, or a mapping.
pub fn is_tags(field: &FieldShape) -> bool {
    match field.ty {
        Type::List(Type::Record(tag)) => {
            let names = tag.fields.iter().map(|field| field.rust_name);
            is_tag(tag) || is_tags_name(field.name) && names.eq(["key", "value"])
        }
        Type::Map(Type::Text) => is_tags_name(field.name),
        _ => false,
    }
}

/// Finds the field with tags by another of their usual names: `tags`, `Tags`, `TagList`.
pub(crate) fn find_field(shape: &RecordShape, name: &str) -> Option<usize> {
    let is_named = |field: &FieldShape| is_tags(field) && is_tags_name(field.name);
    is_tags_name(name).then(|| shape.fields.iter().position(is_named)).flatten()
}

/// Returns a caller's tags in the form of their field; none if they have it already.
pub(crate) fn reshaped(field: &FieldShape, tags: Ref<'_>) -> Result<Option<Value>> {
    match (field.ty, tags) {
        (Type::List(_), Ref::Map(map)) if is_tags(field) => {
            let tag = |(key, value): (&str, Ref<'_>)| -> Value {
                // Every record of tags takes these names, in one spelling or another.
                [("Key", Value::from(key)), ("Value", value.to_value())].into_iter().collect()
            };
            Ok(Some(Value::List((0..map.len()).map(|n| tag(map.entry(n))).collect())))
        }
        (Type::Map(_), Ref::List(items)) if is_tags(field) && has_records(items) => {
            let mut tags: Vec<Tag> = Vec::new();
            fill::fill(&mut tags, Ref::List(items), &Reader::STRICT)?;
            let mut map = Map::default();
            for (key, value) in caller_pairs(tags.view())? {
                if map.insert(key.clone(), Value::Text(value)).is_some() {
                    return Err(given_twice(&key));
                }
            }
            Ok(Some(Value::Map(map)))
        }
        _ => Ok(None),
    }
}

fn has_records(items: &dyn Items) -> bool {
    (0..items.len()).all(|n| matches!(items.item(n), Ref::Map(_) | Ref::Record(_)))
}

fn given_twice(key: &str) -> Error {
    Error::invalid(format!("[{key}]"), "is given twice; a key can have only one value")
}

/// True for a tag of the provider: callers cannot set, change or remove it, and it is not counted.
pub fn is_reserved(key: &str, value: &str) -> bool {
    let starts = |text: &str| {
        text.get(..RESERVED_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(RESERVED_PREFIX))
    };
    starts(key) || starts(value)
}

/// Checks a caller's tags: a list of tags, or a mapping.
pub fn check(tags: Ref<'_>) -> Result<()> {
    check_pairs(caller_pairs(tags)?.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

/// Checks a caller's tags, as keys and values.
pub fn check_pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Result<()> {
    let mut keys = HashSet::new();
    for (key, value) in pairs {
        let refuse = |message: String| Err(Error::invalid(format!("[{key}]"), message));
        if key.is_empty() {
            return Err(missing_key());
        }
        if is_reserved(key, value) {
            return refuse(format!("keys and values that begin with {RESERVED_PREFIX} are reserved"));
        }
        check_lengths(key, value)?;
        check_characters("key", key)?;
        check_characters("value", value).map_err(|error| error.in_field(&format!("[{key}]")))?;
        if !keys.insert(key) {
            return Err(given_twice(key));
        }
    }
    if keys.len() > MAX_TAGS {
        let message = format!("a resource can have at most {MAX_TAGS} tags, got {}", keys.len());
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    Ok(())
}

/// Checks the lengths of a key and its value.
pub fn check_lengths(key: &str, value: &str) -> Result<()> {
    let check = |what: &str, text: &str, max: usize| match text.chars().count() {
        length if length > max => Err(Error::new(
            ErrorKind::Invalid,
            format!("the {what} has {length} characters, at most {max} are allowed"),
        )),
        _ => Ok(()),
    };
    check("key", key, MAX_KEY_LENGTH)?;
    check("value", value, MAX_VALUE_LENGTH).map_err(|error| error.in_field(&format!("[{key}]")))
}

fn check_characters(what: &str, text: &str) -> Result<()> {
    let allowed = |c: char| c.is_alphanumeric() || c == ' ' || "+-=._:/@".contains(c);
    match text.chars().find(|c| !allowed(*c)) {
        Some(wrong) => {
            let message =
                format!("the {what} has {wrong:?}; letters, digits, spaces and + - = . _ : / @ are allowed");
            Err(Error::new(ErrorKind::Invalid, message))
        }
        None => Ok(()),
    }
}

/// Returns the keys and values of a list of tags, or of a mapping. Tags without a key are left out.
pub fn pairs(tags: Ref<'_>) -> Vec<(Text, Text)> {
    let text = |value: Ref<'_>| value.as_text().map(Text::new);
    match tags {
        Ref::List(items) => (0..items.len())
            .filter_map(|n| match items.item(n) {
                Ref::Record(tag) => {
                    let field =
                        |name| tag.shape().field(name).and_then(|(index, _)| text(tag.field(index).view()));
                    Some((field("key")?, field("value").unwrap_or_default()))
                }
                _ => None,
            })
            .collect(),
        Ref::Map(map) => (0..map.len())
            .map(|n| map.entry(n))
            .map(|(key, value)| (key.into(), text(value).unwrap_or_default()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Merges the tags of a model with other tags, a list or a mapping, which win key by key.
pub(crate) fn merged(model: &dyn Fields, beside: Ref<'_>) -> Value {
    let mut all = known(model);
    let list = matches!(beside, Ref::List(_));
    all.extend(pairs(beside));
    let tag = |(key, value): (Text, Text)| {
        let tag: Map<Value> =
            [("Key".into(), Value::Text(key)), ("Value".into(), Value::Text(value))].into_iter().collect();
        Value::Map(tag)
    };
    if list {
        Value::List(all.into_iter().map(tag).collect())
    } else {
        Value::Map(all.into_iter().map(|(key, value)| (key, Value::Text(value))).collect())
    }
}

/// Returns the tags of a model for the parameter of a create operation that has tags by type of resource; none if it has no
/// tags, or if `wanted` does not accept their field.
pub(crate) fn by_type(model: &dyn Fields, wanted: impl Fn(usize) -> bool) -> Option<Value> {
    let kind = model.kind()?;
    let tags = model.field(kind.tags.filter(|at| wanted(*at))?).view();
    if matches!(tags, Ref::List(items) if items.is_empty()) || tags.is_null() {
        return None;
    }
    let members =
        [("ResourceType".into(), kind.path.resource_type().into()), ("Tags".into(), tags.to_value())];
    Some(Value::List(vec![Value::Map(members.into_iter().collect())]))
}

/// Returns the field with the tags of a model, or of the row of one.
fn field_with_tags(record: &dyn Fields) -> Option<usize> {
    match record.kind() {
        Some(kind) => kind.tags,
        None => record.shape().fields.iter().position(|field| field.rust_name == "tags"),
    }
}

/// Stores tags that the service returned in a model; null if there are none.
pub fn put(model: &mut dyn Fields, tags: Map<Text>) {
    let Some(index) = field_with_tags(model) else { return };
    model.field_mut(index).clear();
    if !tags.is_empty() {
        store_tags(model.field_mut(index), tags.into_iter());
    }
    if let Some(slot) = model.slot_mut() {
        slot.note_fetched_tags();
    }
}

/// Converts a list of tags into a mapping.
pub fn to_map(tags: &[Tag]) -> Map<Text> {
    let pair = |tag: &Tag| Some((tag.key.clone()?, tag.value.clone().unwrap_or_default()));
    tags.iter().filter_map(pair).collect()
}

/// Returns the keys and values of a caller's tags. A tag without a key is an error.
fn caller_pairs(tags: Ref<'_>) -> Result<Vec<(Text, Text)>> {
    let pairs = pairs(tags);
    match tags {
        Ref::List(items) if items.len() > pairs.len() => Err(missing_key()),
        _ => Ok(pairs),
    }
}

fn missing_key() -> Error {
    Error::new(ErrorKind::Invalid, "a tag needs a key")
}

/// Assigns all tags of a model, with a caller's permissions. Reserved tags of the model stay, and cannot be added
/// or changed.
pub fn assign(model: &mut dyn Fields, index: usize, mut tags: Box<dyn FieldValue>) -> Result<()> {
    let name = model.shape().fields[index].name;
    record::check_assignable(model, &model.shape().fields[index])?;
    let reserved: Vec<_> =
        pairs(model.field(index).view()).into_iter().filter(|(k, v)| is_reserved(k, v)).collect();
    let given = caller_pairs(tags.view()).map_err(|error| error.in_field(name))?;
    let differs = |(key, value): &&(Text, Text)| reserved.iter().any(|(own, was)| own == key && was != value);
    if let Some((key, _)) = given.iter().find(differs) {
        return Err(reserved_tag_error(key).in_field(name));
    }
    let new = given.iter().filter(|tag| !reserved.contains(tag));
    check_pairs(new.map(|(key, value)| (key.as_str(), value.as_str())))
        .map_err(|error| error.in_field(name))?;
    store_tags_before(model, index);
    let mut all = given.clone();
    all.extend(reserved.into_iter().filter(|tag| !given.contains(tag)));
    if all.len() > given.len() {
        store_tags(&mut *tags, all.into_iter());
    }
    record::commit(model, index, tags);
    Ok(())
}

/// Stores the service's tags before the caller changes them for the first time.
fn store_tags_before(model: &mut dyn Fields, index: usize) {
    let before = model.field(index).view();
    let known = |slot: &Slot| !before.is_null() || slot.has_fetched_tags();
    if model
        .slot()
        .is_some_and(|slot| known(slot) && slot.is_from_service() && !slot.changed().contains(index))
    {
        let before = pairs(before).into_iter().collect();
        if let Some(slot) = model.slot_mut() {
            slot.set_tags_before(before);
        }
    }
}

/// Changes of a model's tags that `save` has to send.
#[derive(Clone, Debug, PartialEq)]
pub enum TagChange {
    /// The caller touched these keys and no others.
    Touched {
        /// Tags to set.
        set: Map<Text>,
        /// Keys to remove.
        removed: Vec<Text>,
    },
    /// The caller assigned all tags without knowing the old ones.
    All(Map<Text>),
}

impl TagChange {
    /// Returns the changes that a caller made to the tags of `model`.
    pub fn from_model(model: &dyn Fields) -> Self {
        let nothing = Self::Touched { set: Map::default(), removed: Vec::new() };
        let tags = model.kind().and_then(|kind| kind.tags);
        let Some((index, slot)) = tags.zip(model.slot()) else { return nothing };
        if !slot.changed().contains(index) {
            return nothing;
        }
        let after = known(model);
        match slot.tags_before() {
            Some(before) => {
                let (set, removed) = changes(before, &after);
                Self::Touched { set, removed }
            }
            None => Self::All(after),
        }
    }

    /// Returns the tags to set and the keys to remove if the service has the tags `current`.
    pub fn against(self, current: &Map<Text>) -> (Map<Text>, Vec<Text>) {
        match self {
            Self::Touched { set, removed } => (set, removed),
            Self::All(after) => changes(current, &after),
        }
    }
}

/// Returns the known tags of a record: none if they were not fetched.
pub fn known(record: &dyn Fields) -> Map<Text> {
    field_with_tags(record)
        .map(|index| pairs(record.field(index).view()).into_iter().collect())
        .unwrap_or_default()
}

/// Stores tags, at least one, in a list of tags of any kind, or in a mapping.
fn store_tags(tags: &mut dyn FieldValue, pairs: impl Iterator<Item = (Text, Text)>) {
    // Fields of tags are texts, so this does not fail.
    let put = |field_value: &mut dyn FieldValue, text: &str| {
        drop(fill::fill(field_value, Ref::Text(text), &Reader::TRUSTED))
    };
    match tags.open() {
        Open::List(list) => {
            for (key, value) in pairs {
                let Open::Record(tag) = list.add("").open() else { return };
                for (name, text) in [("key", key), ("value", value)] {
                    if let Some((index, _)) = tag.shape().field(name) {
                        put(tag.field_mut(index), &text);
                    }
                }
            }
        }
        Open::Map(map) => pairs.for_each(|(key, value)| put(map.add(&key), &value)),
        _ => {}
    }
}

pub(crate) fn tags_of(kind: &KindShape) -> Result<usize> {
    kind.tags.ok_or_else(|| Error::invalid("tags", format!("{} has no tags", kind.name)))
}

/// True if the tags of `model` are those that the service has, or will have once it is created.
pub(crate) fn is_known(model: &dyn Fields, index: usize) -> bool {
    let settled = |slot: &Slot| slot.has_fetched_tags() || slot.changed().contains(index);
    !model.field(index).view().is_null() || !identity::is_saved(model) || model.slot().is_some_and(settled)
}

/// Tags of a model as a mapping. Every change is checked and made in the model at once.
///
/// Tags with the reserved prefix can be read; changing or removing them is an error.
pub struct TagsMut<'m> {
    pub(crate) model: &'m mut dyn Fields,
    pub(crate) index: usize,
}

impl TagsMut<'_> {
    /// Returns the current tags.
    pub fn to_map(&self) -> Map<Text> {
        pairs(self.model.field(self.index).view()).into_iter().collect()
    }

    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<Text> {
        self.to_map().swap_remove(key)
    }

    /// Number of tags, including reserved ones.
    pub fn len(&self) -> usize {
        self.to_map().len()
    }

    /// True if there are no tags.
    pub fn is_empty(&self) -> bool {
        self.to_map().is_empty()
    }

    /// Sets `key` to `value` and returns the old value.
    pub fn insert(&mut self, key: impl Into<Text>, value: impl Into<Text>) -> Result<Option<Text>> {
        let (key, value) = (key.into(), value.into());
        self.change(|tags| Ok(tags.insert(key, value)))
    }

    /// Removes `key` and returns its value. A missing key is no error.
    pub fn remove(&mut self, key: &str) -> Result<Option<Text>> {
        self.change(|tags| match tags.get(key) {
            Some(value) if is_reserved(key, value) => Err(reserved_tag_error(key)),
            _ => Ok(tags.shift_remove(key)),
        })
    }

    /// Removes `key` and returns its value, or `default`.
    pub fn pop(&mut self, key: &str, default: impl Into<Text>) -> Result<Text> {
        Ok(self.remove(key)?.unwrap_or_else(|| default.into()))
    }

    /// Removes and returns the last tag that is not reserved.
    pub fn pop_last(&mut self) -> Result<Option<(Text, Text)>> {
        self.change(|tags| {
            let last =
                tags.iter().rev().find(|(key, value)| !is_reserved(key, value)).map(|(key, _)| key.clone());
            Ok(last.and_then(|key| tags.shift_remove_entry(&key)))
        })
    }

    /// Returns the value of `key`, after setting it to `default` if it is missing.
    pub fn get_or_insert(&mut self, key: impl Into<Text>, default: impl Into<Text>) -> Result<Text> {
        let (key, default) = (key.into(), default.into());
        self.change(|tags| Ok(tags.entry(key).or_insert(default).clone()))
    }

    /// Sets all of `tags`, or none if one of them is an error.
    pub fn extend<K: Into<Text>, V: Into<Text>>(
        &mut self,
        tags: impl IntoIterator<Item = (K, V)>,
    ) -> Result<()> {
        self.change(|own| {
            own.extend(tags.into_iter().map(|(key, value)| (key.into(), value.into())));
            Ok(())
        })
    }

    /// Sets all of `tags` and removes the others, except reserved ones.
    pub fn replace<K: Into<Text>, V: Into<Text>>(
        &mut self,
        tags: impl IntoIterator<Item = (K, V)>,
    ) -> Result<()> {
        self.change(|own| {
            own.retain(|key, value| is_reserved(key, value));
            own.extend(tags.into_iter().map(|(key, value)| (key.into(), value.into())));
            Ok(())
        })
    }

    /// Removes all tags that are not reserved.
    pub fn clear(&mut self) -> Result<()> {
        self.change(|tags| {
            tags.retain(|key, value| is_reserved(key, value));
            Ok(())
        })
    }

    /// Keeps the tags for which `keep` returns true, and reserved ones.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &str) -> bool) -> Result<()> {
        self.change(|tags| {
            tags.retain(|key, value| is_reserved(key, value) || keep(key, value));
            Ok(())
        })
    }

    /// Makes a change in a copy, checks it, and stores it in the model.
    fn change<T>(&mut self, change: impl FnOnce(&mut Map<Text>) -> Result<T>) -> Result<T> {
        let name = self.model.shape().fields[self.index].name;
        let before = self.to_map();
        let mut after = before.clone();
        let answer = change(&mut after).map_err(|error| error.in_field(name))?;
        for (key, value) in &before {
            if is_reserved(key, value) && after.get(key) != Some(value) {
                return Err(reserved_tag_error(key).in_field(name));
            }
        }
        let mut tags = self.model.field(self.index).fresh();
        if !after.is_empty() {
            store_tags(&mut *tags, after.into_iter());
        }
        assign(self.model, self.index, tags)?;
        Ok(answer)
    }
}

fn reserved_tag_error(key: &str) -> Error {
    Error::invalid(format!("[{key}]"), "is a reserved tag, which cannot be changed or removed")
}

impl std::fmt::Debug for TagsMut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.to_map()).finish()
    }
}

/// Returns the difference between two sets of tags: tags to set, and keys to remove. Reserved ones never change.
pub fn changes(before: &Map<Text>, after: &Map<Text>) -> (Map<Text>, Vec<Text>) {
    let ours = |key: &str, value: &str| !is_reserved(key, value);
    let set = after.iter().filter(|(key, value)| ours(key, value) && before.get(*key) != Some(value));
    let removed = before.iter().filter(|(key, value)| ours(key, value) && !after.contains_key(*key));
    (set.map(|(k, v)| (k.clone(), v.clone())).collect(), removed.map(|(key, _)| key.clone()).collect())
}
