//! Validation and changes of tags: the same rules for all services, with the error codes of each.

use nephos_core::{
    Error, Map, Result, Tag, Text,
    tags::{self, MAX_TAGS},
};

/// Rules for the tags of a service: its errors, and the names of its parameters for tags and keys.
#[derive(Clone, Copy, Debug)]
pub struct TagRules {
    /// True if keys and values may have any characters.
    pub any_characters: bool,
    /// Members of a tag on the wire, if the service describes the rules that they break in the general form.
    pub members: Option<TagMembers>,
    /// Error for a tag with this key whose key or value is invalid.
    pub invalid: fn(&str) -> Error,
    /// Error for a tag with this key, which is reserved.
    pub reserved: fn(&str) -> Error,
    /// Error for too many tags.
    pub too_many: fn() -> Error,
    /// Error for a key that appears twice.
    pub duplicate: fn(&str) -> Error,
    /// Name of the parameter with tags.
    pub tags: &'static str,
    /// Name of the parameter with keys of tags.
    pub keys: &'static str,
}

/// Members of a tag on the wire.
#[derive(Clone, Copy, Debug)]
pub struct TagMembers {
    /// Name of the key.
    pub key: &'static str,
    /// Name of the value.
    pub value: &'static str,
    /// Pattern of both, if the service names it.
    pub pattern: Option<&'static str>,
    /// Error with this text.
    pub broken: fn(String) -> Error,
}

impl TagMembers {
    /// Describes the rule that the tag at `index` breaks; none if it breaks another rule.
    fn describe(&self, index: usize, key: &str, value: &str) -> Option<Error> {
        let is_plain = |text: &str| tags::check_pairs(std::iter::once((text, ""))).is_ok();
        let members = [(self.key, key, tags::MAX_KEY_LENGTH), (self.value, value, tags::MAX_VALUE_LENGTH)];
        members.into_iter().find_map(|(member, text, max)| {
            let constraint = match self.pattern {
                _ if text.chars().count() > max => {
                    format!("Member must have length less than or equal to {max}")
                }
                Some(pattern) if !is_plain(text) => {
                    format!("Member must satisfy regular expression pattern: {pattern}")
                }
                _ => return None,
            };
            let path = format!("tags.{}.member.{member}", index + 1);
            let text = format!("Value '{text}' at '{path}' failed to satisfy constraint: {constraint}");
            Some((self.broken)(format!("1 validation error detected: {text}")))
        })
    }
}

impl TagRules {
    /// Validates the tags of a list parameter; each key must appear once.
    pub fn read_list(&self, given: &[Tag]) -> Result<Map<Text>> {
        let pairs = given.iter().map(|tag| (tag.key().unwrap_or_default(), tag.value().unwrap_or_default()));
        self.read(pairs)
    }

    /// Validates tags that are keys and values; each key must appear once.
    pub fn read<'a>(&self, given: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Map<Text>> {
        let mut read = Map::default();
        for (n, (key, value)) in given.enumerate() {
            if key.is_empty() {
                let field = format!("{}[{n}].Key", self.tags);
                return Err((self.invalid)(key).with_field(field).with_hint("a tag must have a key"));
            }
            if read.insert(Text::new(key), Text::new(value)).is_some() {
                let hint = "appears twice; a tag key can have only one value";
                return Err((self.duplicate)(key).with_field(self.field_of(key)).with_hint(hint));
            }
        }
        self.check(&read)?;
        Ok(read)
    }

    /// Validates the tags of a map parameter.
    pub fn check(&self, given: &Map<Text>) -> Result<()> {
        self.check_number(given)?;
        for (n, (key, value)) in given.iter().enumerate() {
            let is_reserved = tags::is_reserved(key, value);
            let checked = match self.any_characters && !is_reserved {
                true => tags::check_lengths(key, value),
                false => tags::check_pairs(std::iter::once((key.as_str(), value.as_str()))),
            };
            if let Err(broken) = checked {
                let in_general_form = self.members.filter(|_| !is_reserved);
                let in_general_form = in_general_form.and_then(|members| members.describe(n, key, value));
                let error = match in_general_form {
                    Some(error) => error,
                    None if is_reserved => (self.reserved)(key),
                    None => (self.invalid)(key),
                };
                let field = broken.field().map_or_else(|| self.tags.to_owned(), |_| self.field_of(key));
                return Err(error.with_field(field).with_hint(broken.message()));
            }
        }
        Ok(())
    }

    fn field_of(&self, key: &str) -> String {
        format!("{}[{key}]", self.tags)
    }

    /// Refuses more tags than a resource can have. Reserved tags are not counted.
    pub fn check_number(&self, tags: &Map<Text>) -> Result<()> {
        let counted = tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count();
        if counted > MAX_TAGS {
            let hint = format!("a resource can have at most {MAX_TAGS} tags, got {counted}");
            return Err((self.too_many)().with_field(self.tags).with_hint(hint));
        }
        Ok(())
    }

    /// Adds tags to those of a resource; a tag with the same key is replaced.
    pub fn add(&self, mut before: Map<Text>, given: Map<Text>) -> Result<Map<Text>> {
        before.extend(given);
        self.check_number(&before)?;
        Ok(before)
    }

    /// Refuses keys of reserved tags, which cannot be removed.
    pub fn check_keys(&self, keys: &[Text]) -> Result<()> {
        match keys.iter().find(|key| tags::is_reserved(key, "")) {
            Some(key) => {
                let hint = format!("the tag {key} is reserved and cannot be removed");
                Err((self.reserved)(key).with_field(self.keys).with_hint(hint))
            }
            None => Ok(()),
        }
    }
}

/// Removes the tags with these keys.
pub fn without(mut tags: Map<Text>, keys: &[Text]) -> Map<Text> {
    keys.iter().for_each(|key| drop(tags.shift_remove(key)));
    tags
}

/// Converts tags to a list; `None` if there are no tags.
pub fn to_list<T: From<(Text, Text)>>(tags: Map<Text>) -> Option<Vec<T>> {
    (!tags.is_empty()).then(|| tags.into_iter().map(T::from).collect())
}
